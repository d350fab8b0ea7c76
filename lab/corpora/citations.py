"""One publication as three databases export it, and files of such records.

What each form does to a record, with its probability where it is not always so.  What a form does
to a name or a title concerns those in which there is something to do.

complete
    All fields, full names of journals and authors (Smith, John A.), English titles in title case,
    the DOI as it is; the abstracts of medicine have labels (0.4).
abbreviated
    ISO abbreviations of journals, without dots (0.4); initials in one of four styles (Smith, J. A.;
    J.A. Smith; Smith JA; Smith J.A.); titles in sentence case, or upper case (0.2); pages as
    1234-41; DOI missing (0.3), otherwise as an https://doi.org/ URL (0.4) or in upper case (0.2);
    number missing (0.15), abstract missing (0.1) or with a copyright line (0.3); Greek letters by
    name (0.5); punctuation of Chinese titles in half width (0.5).
sloppy
    Missing: authors 0.06, year 0.05, journal 0.08, volume 0.15, number 0.35, pages 0.2, DOI 0.6,
    abstract 0.45.  The year of an article one too early
    (0.1), as when it was online first; `et al.` after three
    authors (0.3 of longer lists); abstract cut after 150 to 400 characters (0.4); a typing mistake
    in the title (0.1); the subtitle of an ordinary work missing (0.04), otherwise another sign
    before it (0.6), `&#39;` or ’ for ' (0.4), ﬁ and ﬂ
    as ligatures (0.06), a full stop at the end (0.2), white space doubled or before punctuation
    (0.08), lower or title case (0.5); journal in full or abbreviated (half each), `&amp;` or `and`
    for & (0.8), without The (0.7); names without diacritics (0.6; with ? instead 0.08, decomposed
    0.08), in one of four styles, without middle initials (0.5); only the first page (0.1),
    `pp.`, an en dash or two hyphens (0.6); DOI with `doi:` before it or as an http://dx.doi.org/
    URL (0.5).

Of Chinese works, 6 % of the abbreviated and sloppy records have the authors in pinyin.
"""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from lab.corpora.facts import CHINESE, ENGLISH

COMPLETE, ABBREVIATED, SLOPPY = "complete", "abbreviated", "sloppy"
FORMS = (COMPLETE, ABBREVIATED, SLOPPY)

# Fields of a record beside `id`, in the order of the files.
FIELDS = ("title", "authors", "year", "journal", "volume", "number", "pages", "doi", "abstract")

MISSING = {
    COMPLETE: {},
    ABBREVIATED: {"doi": 0.3, "number": 0.15, "abstract": 0.1},
    SLOPPY: {"authors": 0.06, "year": 0.05, "journal": 0.08, "volume": 0.15, "number": 0.35,
             "pages": 0.2, "doi": 0.6, "abstract": 0.45},
}  # fmt: skip
# A record has at least two of these, if its work does.
_KNOWN, _LEAST = ("authors", "year", "journal", "pages", "doi"), 2

PINYIN = 0.06
TYPING_MISTAKES = 0.1
NO_SUBTITLE = 0.04

Chance = random.Random


class Author(NamedTuple):
    """A person, or a body, which has only a family name."""

    family: str
    given: str = ""
    particle: str = ""
    han: str = ""  # the name in Chinese characters


class Journal(NamedTuple):
    """A journal, or the proceedings of a conference."""

    full: str
    short: str


class Work(NamedTuple):
    """A publication; of what it does not have, the text is empty and the year 0."""

    number: int
    kind: str  # how hard it is to recognise: a class of `publications`
    group: int  # works of one group are hard to keep apart
    language: str
    title: str  # in sentence case
    authors: tuple[Author, ...]
    journal: Journal
    year: int
    volume: str
    issue: str
    first: str  # page, or article number
    last: str  # page, and what it goes on with
    doi: str
    abstract: str


BLANK = Work(0, "", 0, ENGLISH, "", (), Journal("", ""), 0, "", "", "", "", "", "")


class Record(NamedTuple):
    """What a database has of a work; fields without a value are absent."""

    id: str
    form: str
    work: int
    body: bool  # whether the author is a body
    authors: tuple[str, ...]
    fields: dict[str, str]


def cited(work: Work, form: str, chance: Chance) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the authors of a work, and its other fields, as a database has them."""
    fields = {"year": str(work.year), "volume": work.volume, "number": work.issue}
    fields |= _WRITTEN[form](work, chance)
    authors = _authors(work, form, chance)
    kept = {name: fields[name] for name in FIELDS if fields.get(name)}
    known = [*kept, *["authors"] * bool(authors)]
    while True:
        left = {name for name in known if chance.random() >= MISSING[form].get(name, 0)}
        least = min(_LEAST, sum(name in _KNOWN for name in known))
        if sum(name in _KNOWN for name in left) >= least and _is_identified(work, left):
            break
    return (
        authors if "authors" in left else (),
        {name: value for name, value in kept.items() if name in left},
    )


def _is_identified(work: Work, left: set[str]) -> bool:
    """Return whether a report has its year or its volume; nothing else says which it is."""
    return work.kind != "yearly" or bool({"year", "volume"} & left)


# -- authors --


def _authors(work: Work, form: str, chance: Chance) -> tuple[str, ...]:
    han = work.language == CHINESE and (form == COMPLETE or chance.random() >= PINYIN)
    styles = _STYLES[form]
    style = chance.choice(styles)
    loss = _lossless
    if form == SLOPPY:
        (loss,) = chance.choices((_bare, _questioned, _decomposed, _lossless), (60, 8, 8, 24))
    short = form == SLOPPY and chance.random() < 0.5
    names = [
        one.han if han and one.han else loss(style(_shortened(one) if short else one))
        for one in work.authors
    ]
    if form == SLOPPY and len(names) > 3 and chance.random() < 0.3:
        names = [*names[:3], "等" if han else "et al."]
    return tuple(names)


def _shortened(one: Author) -> Author:
    """Return an author without the initials of middle names."""
    return one._replace(given=re.sub(r"( \w\.)+$", "", one.given))


def _family(one: Author) -> str:
    return f"{one.particle} {one.family}".strip()


def _initials(one: Author, dot: str, space: str) -> str:
    """Return the initials of given names; a hyphen stays where there are dots."""
    parts = [
        ("-" if dot else "").join(half[0].upper() + dot for half in name.split("-"))
        for name in one.given.split()
    ]
    return space.join(parts)


def _inverted(one: Author) -> str:
    given = one.given.replace("-", "") if one.han else one.given
    return f"{_family(one)}, {given}" if given else one.family


def _comma_initials(one: Author) -> str:
    return f"{_family(one)}, {_initials(one, '.', ' ')}" if one.given else one.family


def _initials_first(one: Author) -> str:
    return f"{_initials(one, '.', '')} {_family(one)}" if one.given else one.family


def _vancouver(one: Author) -> str:
    return f"{_family(one)} {_initials(one, '', '')}" if one.given else one.family


def _dotted(one: Author) -> str:
    return f"{_family(one)} {_initials(one, '.', '')}" if one.given else one.family


def _natural(one: Author) -> str:
    return f"{one.given} {_family(one)}".strip()


_STYLES: dict[str, Sequence[Callable[[Author], str]]] = {
    COMPLETE: (_inverted,),
    ABBREVIATED: (_comma_initials, _initials_first, _vancouver, _dotted),
    SLOPPY: (_natural, _inverted, _vancouver, _initials_first),
}

_LETTERS = str.maketrans({
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "đ": "d", "ı": "i", "’": "'",
})  # fmt: skip


def _lossless(text: str) -> str:
    return text


def _bare(text: str) -> str:
    """Return a text without diacritics."""
    split = unicodedata.normalize("NFD", text.translate(_LETTERS))
    return "".join(one for one in split if not unicodedata.combining(one))


def _questioned(text: str) -> str:
    """Return a text that went through an encoding which lacks its letters."""
    return text.encode("ascii", "replace").decode()


def _decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


# -- complete --

_SMALL = ("a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "over",
          "the", "to", "under", "with")  # fmt: skip


def title_case(text: str) -> str:
    """Return a title with capitals, but for small words inside it."""

    def word(number: int, text: str) -> str:
        bare = text.strip("“”(")
        if (number and bare in _SMALL) or bare[1:] != bare[1:].lower():
            return text
        return re.sub(r"(?<![\w'’])[a-zà-ž]", lambda one: one[0].upper(), text)

    parts = re.split(r"(?<=[:?.]) ", text)
    return " ".join(
        " ".join(word(number, one) for number, one in enumerate(part.split(" "))) for part in parts
    )


def _pages(work: Work, last: str, dash: str = "-") -> str:
    return f"{work.first}{dash}{last}" if last else work.first


def _complete(work: Work, chance: Chance) -> dict[str, str]:
    abstract = work.abstract
    if work.language == ENGLISH and chance.random() < 0.4:
        abstract = _labelled(abstract)
    return {
        "title": title_case(work.title) if work.language == ENGLISH else work.title,
        "journal": work.journal.full, "pages": _pages(work, work.last), "doi": work.doi,
        "abstract": abstract,
    }  # fmt: skip


def _labelled(abstract: str) -> str:
    """Return an abstract of several sentences with labels before the first and the last."""
    said = re.split(r"(?<=[.?]) (?=[A-Z])", abstract)
    if len(said) < 4:
        return abstract
    return " ".join(["BACKGROUND:", said[0], "METHODS:", *said[1:-1], "CONCLUSIONS:", said[-1]])


# -- abbreviated --

_GREEK = {"β": "beta", "α": "alpha"}
_HALF = str.maketrans("：，（）？", ":,()?")
_PUBLISHERS = ("Lakeside Press", "Meridian Scientific Publishing", "Elm & Rowe Ltd", "The Authors")


def _last_digits(first: str, last: str) -> str:
    """Return the digits of a last page in which it differs from the first."""
    if not last.isdecimal() or len(first) != len(last):
        return last
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), 0)
    return last[same:]


def _by_name(text: str) -> str:
    return re.sub("[βα]", lambda one: _GREEK[one[0]], text)


def _abbreviated(work: Work, chance: Chance) -> dict[str, str]:
    title, abstract = work.title, work.abstract
    if chance.random() < 0.5:
        title = _by_name(title)
    if work.language == CHINESE and chance.random() < 0.5:
        title = title.translate(_HALF)
    if chance.random() < 0.2:
        title = title.upper()
    if abstract and work.language == ENGLISH and chance.random() < 0.3:
        abstract += f" © {work.year} {chance.choice(_PUBLISHERS)}. All rights reserved."
    short = work.journal.short
    (doi,) = chance.choices((work.doi, f"https://doi.org/{work.doi}", work.doi.upper()), (4, 4, 2))
    return {
        "title": title,
        "journal": short.replace(".", "") if chance.random() < 0.4 else short,
        "pages": _pages(work, _last_digits(work.first, work.last)),
        "doi": doi if work.doi else "", "abstract": abstract,
    }  # fmt: skip


# -- sloppy --

_SEPARATORS = {ENGLISH: (" - ", ". ", " – ", "; "), CHINESE: (":", "——", " ", "-")}


# Letters that replace others: Latin ones, Chinese ones.
_OTHERS = ("aeinrst", "的是和与在")


def _mistyped(title: str, chance: Chance) -> str:
    """Return a title with two characters swapped, or one left out, doubled or replaced."""
    places = [i for i in range(1, len(title) - 1) if title[i].isalpha() and title[i + 1].isalpha()]
    if not places:
        return title
    i = chance.choice(places)
    ways = (
        title[:i] + title[i + 1] + title[i] + title[i + 2 :],
        title[:i] + title[i + 1 :],
        title[: i + 1] + title[i:],
        title[:i]
        + chance.choice("的是和与在" if title[i] >= "\u4e00" else "aeinrst")
        + title[i + 1 :],
    )
    return chance.choice([one for one in ways if one != title])


def _sloppy_title(work: Work, chance: Chance) -> str:
    title, chinese = work.title, work.language == CHINESE
    if chance.random() < TYPING_MISTAKES:
        title = _mistyped(title, chance)
    if not chinese and chance.random() < 0.5:
        title = title.lower() if chance.random() < 0.3 else title_case(title)
    mark = re.compile("：|——" if chinese else ": ")
    # That of others may say which of its group a work is.
    if work.kind == "ordinary" and chance.random() < NO_SUBTITLE:
        title = mark.split(title)[0]
    elif chance.random() < 0.6:
        title = mark.sub(chance.choice(_SEPARATORS[work.language]), title)
    if chinese and chance.random() < 0.5:
        title = title.translate(_HALF)
    if chance.random() < 0.4:
        title = title.replace("'", chance.choice(("’", "&#39;")))
    if chance.random() < 0.06:
        title = title.replace("fi", "ﬁ").replace("fl", "ﬂ")
    if chance.random() < 0.5:
        title = _by_name(_bare(title)) if not chinese else title
    if chance.random() < 0.2:
        title += "。" if chinese else "."
    if chance.random() < 0.08:
        title = chance.choice((title.replace(" ", "  ", 2), title.replace(":", " :"), f" {title}"))
    return title


def _sloppy_journal(work: Work, chance: Chance) -> str:
    name = work.journal.full if chance.random() < 0.5 else work.journal.short.replace(".", "")
    if chance.random() < 0.8:
        name = name.replace("&", chance.choice(("&amp;", "and")))
    return name.removeprefix("The ") if chance.random() < 0.7 else name


def _sloppy(work: Work, chance: Chance) -> dict[str, str]:
    early = chance.random() < 0.1 and bool(work.journal.full)
    abstract = work.abstract
    if chance.random() < 0.4:
        size = chance.randint(150, 400) // (3 if work.language == CHINESE else 1)
        if len(abstract) > size:
            abstract = abstract[:size].rstrip() + chance.choice(("...", "…"))
    last = "" if chance.random() < 0.1 else work.last.partition("+")[0]
    pages = _pages(work, last)
    if chance.random() < 0.6:
        pages = chance.choice((f"pp. {pages}", _pages(work, last, "–"), _pages(work, last, "--")))
    (doi,) = chance.choices(
        (work.doi, f"doi:{work.doi}", f"http://dx.doi.org/{work.doi}"), (50, 25, 25)
    )
    return {
        "title": _sloppy_title(work, chance), "year": str(work.year - early),
        "journal": _sloppy_journal(work, chance), "pages": pages if work.first else "",
        "doi": doi if work.doi else "", "abstract": abstract,
    }  # fmt: skip


_WRITTEN: dict[str, Callable[[Work, Chance], dict[str, str]]] = {
    COMPLETE: _complete, ABBREVIATED: _abbreviated, SLOPPY: _sloppy,
}  # fmt: skip


# -- files --


def _listed(record: Record) -> str:
    """Return the authors in one field; names that have a comma are separated by semicolons."""
    if any("," in name for name in record.authors):
        return "; ".join(record.authors)
    han = all(name[0] >= "一" for name in record.authors)
    sign = {COMPLETE: ";", ABBREVIATED: ", ", SLOPPY: "，"} if han else dict.fromkeys(FORMS, ", ")
    return sign[record.form].join(record.authors)


# How a missing value is written; the complete form leaves the field out.
_EMPTY = {ABBREVIATED: None, SLOPPY: ""}


def write_json(records: Iterable[Record], path: Path) -> Path:
    """Write records as JSON lines; missing fields are absent, null or empty, by form."""
    with path.open("w", encoding="utf-8") as lines:
        for one in records:
            values: dict[str, object] = {**one.fields}
            if one.authors:
                values["authors"] = _listed(one)
            if one.form == COMPLETE and "year" in values:
                values["year"] = int(one.fields["year"])
            if one.form in _EMPTY:
                values = dict.fromkeys(FIELDS, _EMPTY[one.form]) | values
            line = {"id": one.id} | {name: values[name] for name in FIELDS if name in values}
            lines.write(json.dumps(line, ensure_ascii=False) + "\n")
    return path


# Marks over letters, as LaTeX writes them.
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
    "\u0328": "k",
}  # fmt: skip
_COMMANDS = {
    "ø": r"{\o}", "Ø": r"{\O}", "ł": r"{\l}", "Ł": r"{\L}", "ß": r"{\ss}", "β": r"$\beta$",
    "α": r"$\alpha$", "©": r"{\copyright}", "–": "--", "“": "``", "”": "''", "’": "'",
}  # fmt: skip


def _latex(text: str) -> str:
    """Return a text in which accents are commands of LaTeX."""

    def accented(one: re.Match[str]) -> str:
        parts = unicodedata.normalize("NFD", one[0])
        # Letters of Vietnamese have two marks, for which there is no such command.
        if len(parts) != 2 or parts[1] not in _ACCENTS:
            return one[0]
        mark = _ACCENTS[parts[1]]
        return f"{{\\{mark}{{{parts[0]}}}}}" if mark.isalpha() else f"{{\\{mark}{parts[0]}}}"

    text = re.sub("[" + "".join(_COMMANDS) + "]", lambda one: _COMMANDS[one[0]], text)
    return re.sub(r"[\u00c0-\u024f\u1e00-\u1eff]", accented, text)


def write_bibtex(records: Iterable[Record], path: Path) -> Path:
    r"""Write records as BibTeX; the key of an entry is its id.

    Values are in braces, of the abbreviated form in quotation marks and with ``\"u`` for ü.
    """
    with path.open("w", encoding="utf-8") as lines:
        for one in records:
            names = ["others" if name in ("et al.", "等") else name for name in one.authors]
            # Braces keep the name of a body in one piece.
            names = [f"{{{name}}}" if one.body else name for name in names]
            values = dict(one.fields)
            if names:
                values["author"] = " and ".join(names)
            kind = "article" if "journal" in values else "misc"
            lines.write(f"@{kind}{{{one.id},\n")
            for name in ("title", "author", *FIELDS[2:]):
                if name in values:
                    lines.write(f"  {name} = {_braced(name, values[name], one.form)},\n")
            lines.write("}\n\n")
    return path


def _braced(name: str, value: str, form: str) -> str:
    value = value if name == "doi" else re.sub(r"([&%$#_])", r"\\\1", value)
    if name == "pages":
        value = re.sub("[-–]+", "--", value)
    if form != ABBREVIATED:
        return f"{{{value}}}"
    value = _latex(value)
    return f"{{{value}}}" if '"' in re.sub(r"\{.*?\}", "", value) else f'"{value}"'


# Tags of the three databases. For the first, a date has a month and a day.
_TAGS = {
    COMPLETE: {"title": "TI", "author": "AU", "year": "PY", "journal": "T2", "volume": "VL",
               "number": "IS", "doi": "DO", "abstract": "AB"},
    ABBREVIATED: {"title": "TI", "author": "AU", "year": "PY", "journal": "JO", "volume": "VL",
                  "number": "IS", "doi": "DO", "abstract": "AB"},
    SLOPPY: {"title": "T1", "author": "A1", "year": "Y1", "journal": "JF", "volume": "VL",
             "number": "IS", "doi": "DO", "abstract": "N2"},
}  # fmt: skip


def write_ris(records: Iterable[Record], path: Path) -> Path:
    """Write records as RIS; the first and the last page are lines of their own."""
    with path.open("w", encoding="utf-8") as lines:
        for one in records:
            tags = _TAGS[one.form]
            rows = [("TY", "JOUR" if "journal" in one.fields else "GEN"), ("ID", one.id)]
            rows += [(tags["author"], name) for name in one.authors]
            for name, tag in tags.items():
                if name in one.fields:
                    value = one.fields[name]
                    dated = name == "year" and one.form == COMPLETE
                    rows.append((tag, f"{value}/0{int(value) % 9 + 1}/15" if dated else value))
            pages = one.fields.get("pages", "").removeprefix("pp. ")
            first, _, last = re.sub("[-–]+", "-", pages).partition("-")
            rows += [(tag, page) for tag, page in (("SP", first), ("EP", last)) if page]
            lines.write("".join(f"{tag}  - {value}\n" for tag, value in [*rows, ("ER", "")]) + "\n")
    return path


WRITERS: dict[str, Callable[[Iterable[Record], Path], Path]] = {
    "jsonl": write_json, "bib": write_bibtex, "ris": write_ris,
}  # fmt: skip
