r"""Read the fields of one entry of BibTeX or RIS; both get the same names.

BibTeX's names are in lower case, tags of RIS without another name too.  ``type`` is what the entry
is, ``key`` how it is cited.  Several authors are joined by ``; ``.  The spelling of TeX becomes
Unicode.  ``text`` is the title and, on a line of its own, the abstract.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from simdup.base.when_used import pattern

# Fields that an entry may lack: its value is then null, as in a record of JSON that has them all.
_FIELDS: Final = (
    "title", "author", "journal", "booktitle", "year", "volume", "number", "pages", "doi",
    "abstract", "keywords", "issn", "publisher", "url",
)  # fmt: skip
_YEAR = pattern(r"(?<!\d)\d{4}(?!\d)", re.ASCII)
_DASHES = pattern(r"\s*[-\u2010-\u2015]+\s*")

# The value of each field; None for one that the entry lacks.
Values = dict[str, str | None]


class EntryFault(NamedTuple):
    """Why an entry cannot be read."""

    place: int  # in its text
    what: str


def _with_common(found: dict[str, str]) -> Values:
    """Return the values of an entry, with those that BibTeX and RIS have in common."""
    values: Values = {**dict.fromkeys(_FIELDS), **found}
    if year := _YEAR.search(values["year"] or ""):
        values["year"] = year[0]
    if pages := values["pages"]:
        values["pages"] = _DASHES.sub("-", pages)
    text = "\n".join(filter(None, (values["title"], values["abstract"])))
    values.setdefault("text", text or None)
    return values


# -- BibTeX ----------------------------------------------------------------------------------------

# How an entry begins, with its type.
OPENING: Final = rb"[ \t]*@[ \t]*([A-Za-z][\w-]*)[ \t]*[{(]"

# More characters than names of journals and publishers need; a definition may use others again and
# again, so that a few lines could become any number of characters.
_MOST_OF_MACROS = 4096
# Characters of all definitions, which each batch has.
_MOST_MACROS = 1 << 18
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip

_HEAD = pattern(OPENING.decode())
_KEY = {"{": pattern(r'\s*([^,={}"#]*)'), "(": pattern(r'\s*([^,={}"#)]*)')}
_NAME = pattern(r'[\s,]*([^\s={}"#,()]+)\s*=\s*')
_GAP = pattern(r"[\s,]*")
_BLANKS = pattern(r"\s*")
_WORD = pattern(r'[^\s={}"#,()]+')
_BRACE = pattern(r"[{}]")
_BRACE_OR_QUOTE = pattern(r'[{}"]')
_AND = pattern(r" and ", re.IGNORECASE)
_AND_OR_BRACE = pattern(r"[{}]| and ", re.IGNORECASE)
_PEOPLE = ("author", "editor")
# What biblatex calls two of them.
_SYNONYMS = {"journal": "journaltitle", "year": "date"}
# Addresses, in which a tilde is one.
_VERBATIM = ("url", "doi", "file", "eprint")
_ESCAPED = pattern(r"\\([#$%&_~{}])")


_DEFINITIONS = ("string", "preamble")
_INVALID = "not valid BibTeX"
_UNCLOSED = "an entry that does not end: a brace or quote is missing"


class _Unreadable(Exception):
    """An entry cannot be read."""

    def __init__(self, place: int, what: str) -> None:
        super().__init__(what)
        self.fault = EntryFault(place, what)


class Macros(dict[str, str]):
    """What the names that ``@string`` defines stand for, in lower case, as the file has it."""

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        super().__init__(known or {name[:3].lower(): name for name in _MONTHS})
        self._size = sum(len(name) + len(value) for name, value in self.items())

    def define(self, text: str) -> EntryFault | None:
        """Take in a definition; return what is wrong with it."""
        try:
            for name, value in _parsed(text, self)[1].items():
                if len(value) > _MOST_OF_MACROS or not self.add(name, value):
                    return EntryFault(0, "too many or too long definitions")
        except _Unreadable as error:
            return error.fault
        return None

    def add(self, name: str, value: str) -> bool:
        """Define a name; return whether there is room for it."""
        size = len(value) - len(self[name]) if name in self else len(name) + len(value)
        if self._size + size > _MOST_MACROS:
            return False
        self._size += size
        self[name] = value
        return True


def is_definition(text: str) -> bool:
    """Return whether an entry is one of those that `Macros.define` takes in."""
    head = _HEAD.match(text)
    return head is not None and head[1].lower() in _DEFINITIONS


def read_bibtex(text: str, macros: Macros) -> Values | EntryFault:
    """Return the values of an entry, or why there are none.

    Everything between two braces is looked at once, however deep it is.
    """
    try:
        head, fields = _parsed(text, macros)
    except _Unreadable as error:
        return error.fault
    return _with_common(_readable(fields) | head)


def _parsed(text: str, macros: Macros) -> tuple[dict[str, str], dict[str, str]]:
    """Return the type and the key of an entry, and its fields as the file has them."""
    begin = _HEAD.match(text)
    if begin is None:
        raise _Unreadable(0, _INVALID)
    head = {"type": begin[1].lower()}
    opening, at = begin[0][-1], begin.end()
    if head["type"] not in _DEFINITIONS:
        key = _KEY[opening].match(text, at)
        # Without a key, the fields begin at once.
        if key and text[key.end() : key.end() + 1] != "=":
            at = key.end()
            if name := key[1].strip():
                head["key"] = name
    fields: dict[str, str] = {}
    spare = _MOST_OF_MACROS
    while found := _NAME.match(text, at):
        value, at, used = _value(text, found.end(), macros)
        spare -= used
        if spare < 0:
            what = f"macros make more than {_MOST_OF_MACROS} characters"
            raise _Unreadable(found.start(1), what)
        # Of several fields of one name BibTeX takes the first.
        fields.setdefault(found[1].lower(), value)
    gap = _GAP.match(text, at)
    at = gap.end() if gap else at
    if at == len(text):
        raise _Unreadable(0, _UNCLOSED)
    if text[at] != ("}" if opening == "{" else ")"):
        raise _Unreadable(at, _INVALID)
    return head, fields


def _value(text: str, at: int, macros: Macros) -> tuple[str, int, int]:
    """Return a value as the file has it, where it ends, and how much of it comes from macros."""
    parts: list[str] = []
    used = 0
    while True:
        sign = text[at : at + 1]
        if sign in ("{", '"') and sign:
            end = _closed(text, at)
            parts.append(text[at + 1 : end - 1])
        elif word := _WORD.match(text, at):
            end = word.end()
            parts.append(macros.get(word[0].lower(), word[0]))
            used += len(parts[-1])
        elif at >= len(text):
            raise _Unreadable(0, _UNCLOSED)
        else:
            raise _Unreadable(at, "a field without a value")
        at = _blanks(text, end)
        if not text.startswith("#", at):
            return "".join(parts), at, used
        at = _blanks(text, at + 1)


def _blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _closed(text: str, at: int) -> int:
    """Return where the value ends that begins here with a brace or quote."""
    quoted = text[at] == '"'
    end = text.find('"' if quoted else "}", at + 1)
    if end >= 0 and text.find("{", at + 1, end) < 0 and (not quoted or "}" not in text[at:end]):
        return end + 1
    depth = 0
    for found in (_BRACE_OR_QUOTE if quoted else _BRACE).finditer(text, at + 1):
        token = found[0]
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
        if depth < 0 or (depth == 0 and token == '"'):
            if (token == '"') != quoted:
                break
            return found.end()
    raise _Unreadable(at, _UNCLOSED)


def _readable(found: dict[str, str]) -> dict[str, str]:
    """Return the values of an entry without the spelling of TeX; empty ones are left out."""
    values: dict[str, str] = {}
    for name, value in found.items():
        if name in _PEOPLE:
            value = "; ".join(filter(None, map(tex_to_text, _people(value))))
        elif name in _VERBATIM:
            value = _ESCAPED.sub(r"\1", value).strip("{} \t\r\n")
        else:
            value = tex_to_text(value)
        if value:
            values[name] = value
    for name, other in _SYNONYMS.items():
        if other in values:
            values.setdefault(name, values[other])
    return values


def _people(value: str) -> Iterator[str]:
    """Yield the names that `and` joins outside of braces."""
    value = " ".join(value.split())
    if "{" not in value:
        yield from _AND.split(value)
        return
    depth = done = 0
    for found in _AND_OR_BRACE.finditer(value):
        if found[0] in "{}":
            depth += 1 if found[0] == "{" else -1
        elif depth <= 0:
            yield value[done : found.start()]
            done = found.end()
    yield value[done:]


# -- TeX --

# What is put on the next letter.
_ACCENTS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "t": "\u0361", "c": "\u0327",
    "d": "\u0323", "b": "\u0331", "k": "\u0328", "r": "\u030a",
}  # fmt: skip
_COMMANDS = {
    "ss": "ß", "SS": "SS", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ",
    "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð",
    "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ", "S": "§", "P": "¶",
    "dots": "…", "ldots": "…", "textellipsis": "…", "textendash": "–", "textemdash": "—",
    "textquoteleft": "‘", "textquoteright": "’", "textquotedblleft": "“",
    "textquotedblright": "”", "guillemotleft": "«", "guillemotright": "»", "pounds": "£",
    "euro": "€", "texteuro": "€", "copyright": "©", "textregistered": "®", "texttrademark": "™",
    "textdegree": "°", "textasciitilde": "~", "textasciicircum": "^", "textbackslash": "\\",
    "textunderscore": "_", "slash": "/", "times": "×", "pm": "±", "cdot": "·", "infty": "∞",
    "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "to": "→", "rightarrow": "→",
}  # fmt: skip
# They say how their text looks, and it stays.
_FORMATTING = frozenset((
    "emph", "em", "bf", "it", "sl", "sc", "tt", "sf", "rm", "text", "textbf", "textit", "textsl",
    "textsc", "texttt", "textsf", "textrm", "textup", "textmd", "textnormal", "textsuperscript",
    "textsubscript", "underline", "uppercase", "lowercase", "mbox", "url", "ensuremath", "mathrm",
    "mathbf", "mathit", "mathsf", "mathtt", "mathcal", "mathbb", "mathfrak", "boldsymbol",
    "operatorname", "displaystyle", "left", "right", "protect", "relax",
))  # fmt: skip
_SIGNS = {"-": "", "/": "", "!": "", "@": "", "(": "", ")": "", "[": "", "]": ""} | dict.fromkeys(
    " ,;:>\\\t\r\n", " "
)
_MARKS = {"--": "–", "---": "—", "``": "“", "''": "”", "~": " ", "{": "", "}": "", "$": ""}
_TEX = pattern(
    r"""
      (?P<accents> (?: \\ (?: ["'`^~=.] | [uvHtcdbkr](?![A-Za-z]) ) [\s{]* )+ )
      (?P<letter> \\[ij](?![A-Za-z]) | [^\W\d_] )?
    | \\ (?P<command> [A-Za-z]+ ) \*? \s* (?P<brace> (?=\{) )?
    | \\ (?P<sign> [^A-Za-z] )
    | ---? | `` | '' | [~{}$]
    """,
    re.VERBOSE,
)
_SPELLINGS = ("\\", "{", "}", "~", "$", "--", "``", "''")


def tex_to_text(value: str) -> str:
    r"""Return a value as people read it: letters of Unicode, single spaces, no protective braces.

    An unknown command is left in the text.

    >>> tex_to_text(r"{\"O}ber {TeX} \& M\'{\i}nguez,~1--2: $\alpha$")
    'Öber TeX & Mínguez, 1–2: α'
    """
    if any(map(value.__contains__, _SPELLINGS)):
        value = _TEX.sub(_spelled, value)
    return " ".join(value.split())


def _spelled(found: re.Match[str]) -> str:
    """Return what a piece of TeX looks like."""
    if accents := found["accents"]:
        marks = [_ACCENTS[one] for one in accents if one in _ACCENTS]
        letter = (found["letter"] or "").removeprefix("\\")
        if not letter:
            return accents[1] if accents[1] in "^~" else ""
        return unicodedata.normalize("NFC", letter + "".join(reversed(marks)))
    if command := found["command"]:
        if command in _FORMATTING:
            return ""
        return _COMMANDS.get(command) or _greek(command) or _unknown(found)
    if sign := found["sign"]:
        return _SIGNS.get(sign, sign)
    return _MARKS[found[0]]


def _greek(command: str) -> str:
    size = "CAPITAL" if command[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {command.upper()}")
    except KeyError:
        return ""


def _unknown(found: re.Match[str]) -> str:
    # Its argument loses the braces, and should not be a part of its name.
    return f"{found[0]} " if found["brace"] is not None else found[0]


# -- RIS --

# A line without a tag goes on with the one before.
_TAGGED = pattern(r"\n(?=[A-Z][A-Z0-9]  -(?![^ \t\r\n]))")
# The tags of a field, the most telling first: JO and J2 may be abbreviated.
_TAGS = {
    "type": ("TY",), "key": ("ID",), "title": ("TI", "T1"), "author": ("AU", "A1"),
    "year": ("PY", "Y1"), "journal": ("JF", "T2", "JO", "JA", "J2"), "volume": ("VL",),
    "number": ("IS",), "doi": ("DO",), "abstract": ("AB", "N2"), "keywords": ("KW",),
    "issn": ("SN",), "publisher": ("PB",), "url": ("UR",),
}  # fmt: skip


def read_ris(text: str) -> Values:
    """Return the values of a record; those of a repeated tag are a list."""
    lists: dict[str, dict[str, None]] = {}
    for line in _TAGGED.split(text):
        if value := " ".join(line[5:].split()):
            lists.setdefault(line[:2], {})[value] = None
    lists.pop("ER", None)
    tags = {tag: "; ".join(values) for tag, values in lists.items()}
    fields: dict[str, str] = {}
    for name, wanted in _TAGS.items():
        if tag := next((one for one in wanted if one in tags), ""):
            fields[name] = tags.pop(tag)
    if pages := [tags.pop(tag) for tag in ("SP", "EP") if tag in tags]:
        fields["pages"] = pages[0] if "-" in pages[0] else "-".join(pages)
    return _with_common(fields | {tag.lower(): value for tag, value in tags.items()})
