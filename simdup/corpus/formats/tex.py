r"""LaTeX: the text that is typeset, without commands; formulas keep their letters.

Commands are not carried out: macros of a document leave their arguments.  The library for it,
pylatexenc, fails on ``\href`` and on deep groups.
"""

from __future__ import annotations

import re
import unicodedata

from simdup.base.when_used import pattern
from simdup.corpus.decoding import decode, unify_line_ends
from simdup.corpus.files import File
from simdup.corpus.formats import Extracted
from simdup.model.settings import Reading

_TOKEN = pattern(
    r"(?P<comment>%[^\n]*\n?[ \t]*) | (?P<space>\s+) | (?P<bracket>[{}\[\]])"
    r" | \\verb\*?(?P<mark>[^a-zA-Z\s*])(?P<verb>[^\n]{0,500}?)(?P=mark)"
    r" | \\(?:url|path|nolinkurl)\{(?P<url>[^{}\n]{0,2000})\}"
    r" | \\(?:begin|end)[ \t]*\{(?P<environment>[^{}\n]*)\}"
    r" | \\(?P<command>[a-zA-Z@]+)\*?(?:<[-+\d,|]*>)? | \\(?P<symbol>[^a-zA-Z@])"
    r" | (?P<text>[^\\%{}\[\]\s]+|\\)",
    re.VERBOSE,
)
# Environments whose content is as it is written, up to their end.
_LITERAL = frozenset(("verbatim", "Verbatim", "lstlisting", "minted"))
# Those that are no text.
_DROPPED = frozenset(("comment", "tikzpicture", "filecontents", "filecontents*"))
_BEGIN, _END = r"\begin{document}", r"\end{document}"
_OPTIONS = pattern(r"(?:\[[^\[\]\n]*\])?")
_TITLE = pattern(r"\\title\s*\{((?:[^{}]|\{[^{}]{0,500}\}){0,500})\}")
_GREEK = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa mu nu xi omicron pi rho sigma tau
    upsilon phi chi psi omega"""
_CHARACTERS = {
    "\\": "\n", "newline": "\n", "linebreak": "\n", "tabularnewline": "\n", "item": "\n",
    "par": "\n\n", "chapter": "\n", "section": "\n", "subsection": "\n", "subsubsection": "\n",
    "paragraph": "\n", "caption": "\n", "frametitle": "\n", "framesubtitle": "\n", "euro": "€",
    "quad": " ", "qquad": " ", " ": " ", ",": " ", ";": " ", ":": " ", "&": "&",
    "%": "%", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}", "textbackslash": "\\",
    "ldots": "…", "dots": "…", "LaTeX": "LaTeX", "TeX": "TeX", "ss": "ß", "ae": "æ", "AE": "Æ",
    "oe": "œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł", "i": "i",
    "copyright": "©", "textasciitilde": "~", "textquotedblleft": "“", "textquotedblright": "”",
    "textemdash": "—", "S": "§", "P": "¶", "pounds": "£", "texteuro": "€", "textbar": "|",
    "textless": "<", "textgreater": ">", "textquotesingle": "'", "textasciicircum": "^",
    "textunderscore": "_", "times": "×", "cdot": "·", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥",
    "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "infty": "∞", "to": "→", "rightarrow": "→",
} | {name: unicodedata.lookup(f"GREEK SMALL LETTER {name}") for name in _GREEK.split()}  # fmt: skip
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306",
    ".": "\u0307", '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323",
    "c": "\u0327", "b": "\u0331",
}  # fmt: skip
# How many arguments in braces, the first ones, of a command or an environment are no text; those in
# brackets never are.
_ONE = """
    label ref eqref pageref autoref cref Cref nameref cite citep citet citeauthor citeyear parencite
    textcite nocite bibliography bibliographystyle addbibresource includegraphics input include
    subfile usepackage documentclass RequirePackage vspace hspace hypersetup pagestyle
    thispagestyle pagenumbering color theoremstyle hyphenation index phantom graphicspath lstset
    setmainfont setCJKmainfont geometry ctexset setstretch bibitem textcolor href hyperlink colorbox
    parbox raisebox scalebox adjustbox tabular longtable array minipage multicols thebibliography
    subfigure zihao CJKfamily fontspec punctstyle cline linespread markright CTEXsetup column
    cmidrule"""
_TWO = """
    setlength addtolength fontsize rule setcounter addtocounter newcommand renewcommand
    providecommand newtheorem def DeclareMathOperator multicolumn multirow resizebox tabular*
    tabularx wrapfigure CJK CJK* markboth pdfbookmark"""
_THREE = "newenvironment renewenvironment definecolor addcontentsline"
_ARGUMENTS = {name: i for i, names in enumerate((_ONE, _TWO, _THREE), 1) for name in names.split()}
# Commands that a bracket follows which is text.
_BRACKETED = frozenset(("left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr"))
_MARKS = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("~", " "), ("$", ""), ("&", "\t"))


def read(content: bytes, _: File, reading: Reading) -> Extracted:
    """Return the text of a document, or of a part of one; its title comes first."""
    decoded = decode(content, reading.encoding)
    source = unify_line_ends(decoded.text)
    named = _TITLE.search(source)
    title = " ".join(_text(named[1]).split()) if named else ""
    begin, end = source.find(_BEGIN), source.rfind(_END)
    if begin >= 0:
        body = source[begin + len(_BEGIN) : end if end > begin else None]
        source = f"{named[1]}\n{body}" if named else body
    return Extracted(_text(source).strip(), title or None, decoded.note)


def _text(source: str) -> str:
    r"""Return what is typeset.

    >>> _text(r"\section{A \emph{plain} text}\label{a} of 5\,\% \href{b}{links}% and a remark")
    '\nA plain text of 5 % links'
    """
    typeset = list[str]()
    at, arguments, optional = 0, 0, False  # those that follow and are no text
    closing, depth = "", 0  # what ends one of them, and the groups within it
    accent, name, label = "", "", False  # of the last command; whether a list's own mark is open
    while token := _TOKEN.match(source, at):
        at = token.end()
        kind, value = token.lastgroup, token[0]
        if closing:
            broken = closing == "]" and (value == "}" if not depth else value.count("\n") > 1)
            if broken or (value == closing and not depth):
                closing, optional = "", not broken
            elif kind == "bracket":
                depth += (value == "{") - (value == "}")
        elif kind in ("environment", "command", "symbol"):
            name = token[kind]
            literal = name in _LITERAL | _DROPPED and value.startswith(r"\begin")
            if literal or name == "iffalse":
                at = _OPTIONS.match(source, at).end()  # type: ignore[union-attr]
                end = source.find(rf"\end{{{name}}}" if literal else r"\fi", at)
                end = len(source) if end < 0 else end
                typeset.append(source[at:end] if name in _LITERAL else "")
                at = end
            elif kind == "command" and arguments:  # what is defined
                arguments -= 1
            elif name in _ACCENTS and kind != "environment":
                accent = _ACCENTS[name]
            else:
                begins = kind != "environment" or value.startswith(r"\begin")
                mark = "\n" if kind == "environment" else _CHARACTERS.get(name, "")
                typeset.append(_accented(mark, accent))
                accent = "" if mark else accent
                arguments = _ARGUMENTS.get(name, 0) if begins else 0
                optional = begins and name not in _BRACKETED and name != "["
                at += name == "\\" and source.startswith("*", at)
        elif value == "[" and optional and name != "item":
            closing = "]"
        elif value in "[]" and (optional or label):
            optional, label = False, value == "["
            typeset.append(" ")
        elif value == "{" and arguments:
            closing, arguments = "}", arguments - 1
        elif kind == "space":
            optional = False
            typeset.append(value)
        elif kind == "text" and arguments:  # parameters of a definition
            continue
        elif kind in ("verb", "url", "text") or value in "[]":
            arguments, optional = 0, False
            typeset.append(token["verb"] or token["url"] or _accented(_marked(value), accent))
            accent = ""
    return "".join(typeset)


def _accented(text: str, accent: str) -> str:
    return unicodedata.normalize("NFC", text[:1] + accent) + text[1:] if text and accent else text


def _marked(text: str) -> str:
    for written, typeset in _MARKS:
        text = text.replace(written, typeset)
    return text
