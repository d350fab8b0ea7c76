"""How a thesis is written, block by block: as Word text, plain text, Markdown, LaTeX or pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lab.corpora.facts import CHINESE
from lab.corpora.marks import (
    CLOSE,
    CONTENTS,
    HEADERS,
    NOTES,
    OPENS,
    aside,
    dressed,
    note_number,
    opened,
    part,
    plain,
)

# Blocks.  A line is never wrapped, an entry is one of a list of references, `END` closes that list.
TITLE, HEADING, PARAGRAPH, QUOTE, LINE, CAPTION, ENTRY, END, TABLE_OF_CONTENTS, FIGURES, BREAK = (
    "title", "heading", "paragraph", "quote", "line", "caption", "entry", "end", "contents",
    "figures", "break",
)  # fmt: skip

# Formats.
DOCX, TXT, MD, TEX, PDF = "docx", "txt", "md", "tex", "pdf"

# Heads and feet of pages.
SAME, ALTERNATE, LATEX, FOOT = "same", "alternate", "latex", "foot"
# Lines of a page.
_PAGE = 36
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


class Block(NamedTuple):
    """A piece of a thesis, with marks; headings have a number and a level from 1."""

    form: str
    text: str
    number: str = ""
    level: int = 0

    @property
    def label(self) -> str:
        """The number and the text."""
        space = "\u3000" if self.number.startswith("第") else " "
        return dressed(self.text, self.number + space) if self.number else self.text


@dataclass(frozen=True)
class Style:
    """How a thesis looks.

    Attributes
    ----------
    language, format : str
    width : int
        Half-width characters of a line; 0 if lines are not wrapped.
    leader : str
        Between a heading and its page in the table of contents.
    heads : str
        `SAME`, `ALTERNATE`, `LATEX`, `FOOT`; empty without pages.
    head, foot : str
        What `SAME` and `ALTERNATE` have; ``{n}`` is the page, ``{all}`` the number of pages.
    hyphens, spaced : bool
        Whether words are cut at the end of a line, and blank lines are between paragraphs.
    """

    language: str
    format: str
    width: int = 0
    leader: str = "."
    heads: str = ""
    head: str = ""
    foot: str = "{n}"
    hyphens: bool = False
    spaced: bool = False


# -- lines --

_PIECES = re.compile(rf"[{OPENS}]*(?:[!-~–-”\u00a1-\u02af{NOTES}]+|[ \t]+|.){CLOSE}*")
_NO_START, _NO_END = set("，。；：、！？）”’】》]),.;:!?" + _CIRCLED), set("（“‘【《[(")
_MARKS = re.compile(f"[{OPENS}{CLOSE}]")


def _wide(character: str) -> bool:
    return "\u2e80" <= character <= "\uffef" and not "\ue000" <= character <= "\uf8ff"


def size(text: str) -> int:
    """Return the half-width characters of a text; marks have none."""
    return sum(2 if _wide(one) else 1 for one in _MARKS.sub("", text))


def _units(text: str) -> Iterator[str]:
    """Yield the pieces of a text between which a line may end, white space by itself."""
    unit, last = "", " "
    for piece in _PIECES.findall(text):
        bare = _MARKS.sub("", piece)
        blank = bare.isspace()
        glued = not blank and not last.isspace() and not _wide(last) and not _wide(bare[0])
        if unit and not (glued or bare[0] in _NO_START or last in _NO_END):
            yield unit
            unit = ""
        unit, last = unit + piece, bare[-1]
    yield unit


def _cut(unit: str, room: int) -> int:
    """Return where a word may be cut so that its start and a hyphen have room, or 0."""
    found = re.match(rf"[{OPENS}]*[a-z]{{7,}}", unit)
    place = min(room - 1, len(found[0]) - 3) if found else 0
    return place if place >= 3 and not _MARKS.search(unit[:place]) else 0


def wrapped(text: str, style: Style, indent: int = 0) -> list[str]:
    """Return a text as lines of the width of a style."""
    if not style.width:
        return [" " * indent + text]
    width = style.width - indent
    lines, line = [], ""
    for unit in _units(text):
        room = width - size(line)
        if _MARKS.sub("", unit).isspace():
            # The end of a line has no space, and keeps the marks.
            line += unit if room > 1 and line else "".join(_MARKS.findall(unit))
            continue
        if size(unit) > room and line:
            place = _cut(unit, room) if style.hyphens else 0
            lines.append(line + unit[:place] + "-" if place else line.rstrip(" "))
            line, unit = "", unit[place:]
        line += unit
    return [" " * indent + one for one in [*lines, line]]


# -- the table of contents --


class _Entry(NamedTuple):
    """A line of a table of contents."""

    label: str
    level: int
    page: str


def _entry_line(entry: _Entry, style: Style) -> str:
    label = "  " * (entry.level - 1) + entry.label
    if style.format == MD:
        return f"{'  ' * (entry.level - 1)}- [{entry.label}](#{entry.label.replace(' ', '-')})"
    if style.leader == "\t":
        return f"{label}\t{entry.page}"
    if style.heads == LATEX and entry.level == 1:
        return f"{label} {entry.page}"
    room = max(6, (style.width or 70) - size(label) - len(entry.page) - 2)
    return f"{label} {style.leader * (room // size(style.leader))} {entry.page}"


def _contents(block: Block, entries: Iterable[_Entry], style: Style) -> list[str]:
    sign = "# " if style.format == MD else ""
    lines = [_entry_line(one, style) for one in entries]
    return part(CONTENTS, "\n".join([sign + block.text, *lines])).split("\n")


def _places(blocks: Sequence[Block], pages: Sequence[str]) -> dict[str, list[_Entry]]:
    """Return the lines of both tables of contents, from the page of each block."""
    found: dict[str, list[_Entry]] = {TABLE_OF_CONTENTS: [], FIGURES: []}
    for block, page in zip(blocks, pages, strict=True):
        if block.form == HEADING and 0 < block.level < 3:
            found[TABLE_OF_CONTENTS].append(_Entry(plain(block.label), block.level, page))
        elif block.form == CAPTION:
            found[FIGURES].append(_Entry(plain(block.text), 1, page))
    return found


# -- without pages --

_NOTE = re.compile(f"[{NOTES}]")
_INDENT = re.compile(f"^([{OPENS}]*)[ \t]+")


def _with_notes(text: str, spell: Callable[[int], str]) -> str:
    return _NOTE.sub(lambda one: spell(note_number(one[0])), text)


def _word_lines(block: Block, style: Style) -> list[str]:
    indent = "\u3000\u3000" if style.language == CHINESE and style.format == TXT else ""
    if block.form == QUOTE and style.format == TXT:
        return wrapped(block.text, style, 4)
    if block.form == PARAGRAPH:
        return wrapped(dressed(block.text, indent), style)
    return wrapped(block.label, style) if block.form == ENTRY else [block.label]


def _markdown_lines(block: Block) -> list[str]:
    if block.form == HEADING:
        return [dressed(block.label, "#" * max(1, block.level) + " ")]
    if block.form == QUOTE:
        return [dressed(block.text.replace("\n", "\n> "), "> ")]
    if block.form == TITLE:
        return [f"**{block.text}**"]
    return [block.label]


def _tex_lines(block: Block) -> list[str]:
    text = re.sub(r"([%&#_])", r"\\\1", block.text)
    if block.form == HEADING and block.level and not block.number:
        if _is_references(block):
            return [dressed("".join(_MARKS.findall(text)), r"\begin{thebibliography}{99}")]
        return [dressed(text, r"\chapter*{", "}")]
    if block.form == HEADING:
        command = (r"\chapter*", r"\chapter", r"\section")[block.level]
        return [dressed(text, command + "{", "}")]
    if block.form == ENTRY:
        return [dressed(text, rf"\bibitem{{{block.number.strip('[]')}}} ")]
    if block.form == END:
        return [rf"\end{{thebibliography}}{block.text}"]
    if block.form == QUOTE:
        return [dressed(text, "\\begin{quote}\n", "\n\\end{quote}")]
    if block.form == CAPTION:
        return [rf"\caption{{{text.split(' ', 2)[-1]}}}"]
    return [{TABLE_OF_CONTENTS: r"\tableofcontents", FIGURES: r"\listoffigures"}.get(
        block.form, text)]  # fmt: skip


def _is_references(block: Block) -> bool:
    return block.text[0] == opened("references")


def unpaged(blocks: Sequence[Block], style: Style, notes: Mapping[int, str]) -> str:
    """Return the text of a thesis without pages."""
    pages, place = [], 0
    for block in blocks:
        place += len(block.text)
        pages.append(str(1 + place // 700))
    entries = _places(blocks, pages)
    pending, written = list[int](), list[str]()

    def spell(number: int) -> str:
        pending.append(number)
        return f"[^{number}]" if style.format == MD else _CIRCLED[(number - 1) % 20]

    def flush() -> Iterator[str]:
        for number in pending:
            sign = f"[^{number}]: " if style.format == MD else _CIRCLED[(number - 1) % 20]
            yield aside(sign + notes[number])
        pending.clear()

    for block in blocks:
        if block.form == BREAK:
            if style.format == TXT:
                written += flush()
            continue
        if style.format == TEX:
            lines = _tex_lines(block)
        elif block.form in entries:
            lines = _contents(block, entries[block.form], style)
        elif block.form == END:
            written[-1] += block.text
            continue
        else:
            lines = _markdown_lines(block) if style.format == MD else _word_lines(block, style)
        if style.format == DOCX:
            # Word indents paragraphs by their form.
            lines = [_INDENT.sub(r"\1", one) for one in lines]
        written.append(_with_notes("\n".join(lines), spell))
    written += flush()
    between = "\n" if style.format == DOCX or not style.spaced else "\n\n"
    text = between.join(written)
    if style.format == TEX:
        return "\\documentclass{book}\n\\begin{document}\n\n" + text + "\n\n\\end{document}\n"
    return text + ("" if style.format == DOCX else "\n")


# -- with pages --


@dataclass
class _Page:
    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    chapter: str = ""
    section: str = ""
    opens_chapter: bool = False

    @property
    def used(self) -> int:
        return len(self.lines) + len(self.notes)


def _roman(number: int) -> str:
    return ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII",
            "XIV", "XV", "XVI", "XVII", "XVIII", "XIX", "XX")[number]  # fmt: skip


class _Layout:
    """Puts blocks on pages."""

    def __init__(self, style: Style, notes: Mapping[int, str], first_note: int = 1) -> None:
        self._style, self._notes, self._number = style, notes, first_note - 1
        self.pages = [_Page()]

    def feed(self) -> None:
        """Go on with a new page unless this one is empty."""
        last = self.pages[-1]
        if last.lines:
            self.pages.append(_Page(chapter=last.chapter, section=last.section))

    def add(self, block: Block, lines: Sequence[str]) -> int:
        """Add the lines of a block, and return the index of the page where it starts."""
        if block.form == HEADING:
            if block.level < 2:
                self.feed()
                self.pages[-1].chapter = self.pages[-1].section = plain(block.label)
                self.pages[-1].opens_chapter = True
            elif self.pages[-1].used > _PAGE - 3:
                self.feed()
            if block.level == 2:
                self.pages[-1].section = plain(block.label)
        first = None
        for line in lines:
            self._add_line(line)
            first = len(self.pages) - 1 if first is None else first
        return first or 0

    def _add_line(self, line: str) -> None:
        found = _NOTE.findall(line)
        if self.pages[-1].used + 1 + 2 * len(found) > _PAGE:
            self.feed()
        for mark in found:
            page = self.pages[-1]
            self._number += 1
            sign = str(self._number)
            if self._style.language == CHINESE:
                sign = _CIRCLED[sum(one[1] in _CIRCLED for one in page.notes)]
            line = line.replace(mark, sign, 1)
            text = f"{sign} {self._notes[note_number(mark)]}"
            page.notes += map(aside, wrapped(text, self._style))
        self.pages[-1].lines.append(line)


def _edges(page: _Page, number: int, spelled: str, count: int, style: Style) -> tuple[str, str]:
    """Return the head and the foot of a page."""
    foot = style.foot.format(n=spelled, all=count)
    if style.heads == FOOT:
        return "", foot
    if style.heads == SAME:
        return style.head, foot
    if style.heads == ALTERNATE:
        return (page.chapter or style.head) if number % 2 == 0 else style.head, foot
    if page.opens_chapter or not page.chapter:
        return "", spelled
    if number % 2 == 0:
        return f"{spelled} {page.chapter.upper()}", ""
    return f"{page.section.upper()} {spelled}", ""


def _written(
    layout: _Layout, style: Style, spell: Callable[[int], str], bare: int = 0
) -> list[str]:
    """Return the text of pages; the first ones may have no head and no foot."""
    texts = []
    for number, page in enumerate(layout.pages, 1):
        if not page.lines:
            continue
        head, foot = _edges(page, number, spell(number), len(layout.pages), style)
        lines = [*page.lines, *page.notes]
        if number > bare:
            blank = [""] if style.spaced else []
            lines = [part(HEADERS, head), *blank] * bool(head) + lines
            lines += [*blank, part(HEADERS, foot)] * bool(foot)
        texts.append("\n".join(lines) + "\n")
    return texts


def paged(blocks: Sequence[Block], style: Style, notes: Mapping[int, str]) -> str:
    """Return the text of a thesis as a reader of PDF prints it: a form feed ends a page."""
    turn = next(i for i, one in enumerate(blocks) if one.form == HEADING and one.number)
    front, body = blocks[:turn], blocks[turn:]
    layout = _Layout(style, notes)
    pages = []
    for block in body:
        if block.form == END:
            layout.pages[-1].lines[-1] += block.text
            pages.append("")
        elif block.form == BREAK:
            layout.feed()
            pages.append("")
        else:
            pages.append(str(1 + layout.add(block, _page_lines(block, style))))
    entries = _places(body, pages)
    ahead = _Layout(style, notes)
    for block in front:
        if block.form == BREAK:
            ahead.feed()
        elif block.form in entries:
            ahead.add(
                Block(HEADING, block.text, level=0), _contents(block, entries[block.form], style)
            )
        elif block.form == END:
            ahead.pages[-1].lines[-1] += block.text
        else:
            ahead.add(block, _page_lines(block, style))
    texts = _written(ahead, style, _roman, bare=2) + _written(layout, style, str)
    return "\f".join(texts)


def _page_lines(block: Block, style: Style) -> list[str]:
    if block.form in (LINE, CAPTION, TITLE):
        return [block.text]
    indent = 4 if block.form == QUOTE else 0
    lines = wrapped(block.label, style, indent)
    return [*lines, ""] if style.spaced and block.form != ENTRY else lines
