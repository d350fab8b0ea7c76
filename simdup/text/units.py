"""Cut texts into lines, sentences or paragraphs, and leave some of them out.

*Lines* end with LF, CR LF or CR.  *Paragraphs* are lines without a blank one between them; in a
text without any blank line, each line is one.

*Sentences* end at 。！？； and ……, wherever they are.  They end at . ! ? where the line ends, or
where white space follows and then a capital letter, a digit or a letter of a script without
capitals, such as a Chinese character; at ! and ? also between two letters of which one is Chinese.
They do not end after an abbreviation, an initial or the number of an item, nor at three dots.
Closing quotes and brackets that follow belong to the sentence.  A line break ends a sentence unless
the next line begins with a small letter: then the sentence goes on there, as in wrapped text.

*What is left reads well.*  A sentence that is left out takes the space behind it, the last one of a
line the space up to the line's end.  Where all of a line is left out, its line end goes with it;
where all lines of a paragraph are, the blank lines behind it do.  Of a text of which no part stays,
nothing does.

*What is left has the same parts.*  Where the parts before and behind those that are left out would
become one, nothing is left out between them: so what was cut once is not cut again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.when_used import pattern
from simdup.corpus.span_cutting import without_spans
from simdup.text.characters import (
    CODE_POINTS,
    DIGEST_TYPE,
    digest_bytes,
    ends_of,
    fold_all,
    to_codes,
)

_OPENING = "\"'“‘「『《〈【（〔［([{<"
_CLOSING = "\"'”’」』》〉】）〕］)]}>"
_STRONG = "。！？；｡"
_END = pattern(rf"[{_STRONG}.!?…][{_STRONG}.!?…{_CLOSING.replace(']', chr(92) + ']')}]*")
_LINE = pattern("([^\r\n]*)(\r\n|[\r\n]|$)")
# Scripts from here on have no capitals, and no spaces between sentences.
_DENSE = "\u2e80"
# Marks at either end of a quotation; an apostrophe is not told from a single one.
_QUOTATIONS = (("“", "”"), ("「", "」"), ("『", "』"))
# Words that a full stop ends which is no end of a sentence: always, and only before a number.
_ABBREVIATIONS = frozenset((
    "dr", "mr", "mrs", "ms", "prof", "st", "mt", "vs", "al", "fig", "figs", "eq", "eqs", "cf", "ca",
    "approx", "dept", "gen", "col", "lt", "sgt", "capt", "rev", "hon", "gov", "sen", "rep", "resp",
    "viz", "incl", "ed", "eds",
))  # fmt: skip
_COUNTED = frozenset((
    "no", "nos", "art", "ch", "sec", "vol", "pp", "p", "para", "par", "pt", "ver", "nr", "jan",
    "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
))  # fmt: skip
# Characters of a word that is looked at, and of the number of an item.
_LONGEST = 12
_WORD = pattern(r"[^\W_]*(?:\.[^\W_]+)*$")
_NUMBERS = "0123456789.()[]"
# White space, and quotes and brackets that open what follows.
_FIRST = pattern(rf"\s*[{_OPENING.replace('[', chr(92) + '[')}]*")
# Documents whose parts would join are tried again with less left out, this many times.
_TRIES = 8


class CutLine(NamedTuple):
    """A line; of sentences, several of which one goes on in the next; or a paragraph."""

    begin: int
    close: int  # where its text ends
    end: int  # behind its line end
    block: int  # the number of its paragraph


class Block(NamedTuple):
    """Lines without a blank one between them."""

    begin: int
    end: int  # of what goes if all of its lines do
    several: bool = False  # whether it is one part of several lines


class CutPart(NamedTuple):
    """A line, a sentence or a paragraph without the white space around it."""

    start: int
    end: int
    line: int  # the number of its line


class Layout(NamedTuple):
    """The parts of a text, in order, and what they are in."""

    parts: Sequence[CutPart]
    lines: Sequence[CutLine]
    blocks: Sequence[Block]


def lay_out(text: str, unit: str) -> Layout:
    """Return the parts of a text, none of which is empty.

    Parameters
    ----------
    text : str
        Any text.
    unit : str
        One of `simdup.model.cleaned.UNITS`.
    """
    rows = [one.span(1) + one.span()[1:] for one in _LINE.finditer(text) if one[0]]
    blank = [begin == close or text[begin:close].isspace() for begin, close, _ in rows]
    if unit == "sentence" or (unit == "paragraph" and any(blank)):
        lines, blocks = _blocks(rows, blank)
    else:
        filled = [row for row, empty in zip(rows, blank, strict=True) if not empty]
        lines = [CutLine(*row, i) for i, row in enumerate(filled)]
        blocks = [Block(begin, end) for begin, _, end in filled]
    if unit == "sentence":
        lines = _joined(text, lines)
        parts = [part for i, line in enumerate(lines) for part in _sentences(text, line, i)]
        return Layout(parts, lines, blocks)
    if unit == "paragraph" and any(blank):
        lines, blocks = _paragraphs(lines, blocks)
    return Layout([_trimmed(text, one[0], one[1], i) for i, one in enumerate(lines)], lines, blocks)


def _blocks(
    rows: Sequence[tuple[int, int, int]], blank: Sequence[bool]
) -> tuple[list[CutLine], list[Block]]:
    """Return the lines of a text that are not blank, and its paragraphs."""
    lines: list[CutLine] = []
    blocks: list[Block] = []
    apart = True  # whether the next line begins a paragraph
    for (begin, close, end), empty in zip(rows, blank, strict=True):
        if not empty and apart:
            blocks.append(Block(begin, end))
        elif blocks:
            blocks[-1] = blocks[-1]._replace(end=end)
        if not empty:
            lines.append(CutLine(begin, close, end, len(blocks) - 1))
        apart = empty
    return lines, blocks


def _paragraphs(
    lines: Sequence[CutLine], blocks: Sequence[Block]
) -> tuple[list[CutLine], list[Block]]:
    """Return each paragraph as one line."""
    found: list[CutLine] = []
    sizes = [0] * len(blocks)
    for line in lines:
        sizes[line.block] += 1
        if sizes[line.block] == 1:
            found.append(line)
        else:
            found[-1] = found[-1]._replace(close=line.close, end=line.end)
    several = [block._replace(several=n > 1) for block, n in zip(blocks, sizes, strict=True)]
    return found, several


def _joined(text: str, lines: Sequence[CutLine]) -> list[CutLine]:
    """Return lines, those as one of which the next begins with a small letter."""
    found: list[CutLine] = []
    for line in lines:
        if found and found[-1].block == line.block:
            first = text[line.begin : line.close].lstrip()[0]
            if first.islower():
                found[-1] = found[-1]._replace(close=line.close, end=line.end)
                continue
        found.append(line)
    return found


def _trimmed(text: str, begin: int, end: int, line: int) -> CutPart:
    """Return what is between two places, without the white space around it."""
    inner = text[begin:end]
    start = begin + len(inner) - len(inner.lstrip())
    return CutPart(start, begin + len(inner.rstrip()), line)


# -- sentences --


def _sentences(text: str, line: CutLine, number: int) -> Iterator[CutPart]:
    """Yield the sentences of a line."""
    begin, close = line.begin, line.close
    for run in _END.finditer(text, begin, close):
        if _ends(text, begin, run.start(), run.end(), close):
            part = _trimmed(text, begin, run.end(), number)
            yield part
            begin = run.end()
    last = _trimmed(text, begin, close, number)
    if last.start < last.end:
        yield last


def _ends(text: str, begin: int, start: int, end: int, close: int) -> bool:
    """Return whether a sentence ends with the marks from `start` to `end`.

    It began at `begin`, or behind the white space there; its line ends at `close`.
    """
    run = text[start:end]
    if run[0] in _STRONG or run.startswith("……") or any(mark in run for mark in _STRONG):
        return True
    following = text[end] if end < close else ""
    asked = "!" in run or "?" in run
    if following and not following.isspace():
        before = text[start - 1] if start > begin else ""
        dense = before >= _DENSE and before.isalpha()
        return asked and following.isalnum() and (dense or following >= _DENSE)
    next_one = _FIRST.match(text, end, close)
    first = text[next_one.end()] if next_one and next_one.end() < close else ""
    if not first:
        return True
    if not first.isalnum() or first.islower():
        return False
    if asked:
        return True
    return run[0] == "." and run[1:2] != "." and _is_full_stop(text, begin, start, first)


def _is_full_stop(text: str, begin: int, place: int, first: str) -> bool:
    """Return whether a dot ends no abbreviation, initial or number of an item.

    `first` is the first letter or digit behind it.
    """
    head = text[max(begin, place - _LONGEST) : place]
    name: str = _WORD.findall(head)[0]  # may be empty
    pieces = name.split(".")
    short = all(one.isalpha() and len(one) <= 2 for one in pieces)
    # An initial, or e.g., U.S. and Ph.D.
    if short and (len(name) == 1 or len(pieces) > 1):
        return False
    # Nothing but a number, from the beginning of the sentence on.
    if len(head) < _LONGEST and not head.strip(_NUMBERS + " \t\u3000"):
        return False
    name = name.lower()
    return name not in _ABBREVIATIONS and not (name in _COUNTED and first.isdigit())


# -- what is left out --


def cut_spans(
    text: str, unit: str, layout: Layout, gone: Sequence[bool]
) -> list[tuple[int, int] | None]:
    """Return the span of each part that is cut; None for one that stays.

    Parameters
    ----------
    text, unit, layout
        See `lay_out`.
    gone : sequence of bool
        Whether each part is to be left out.

    Returns
    -------
    list of (int, int) or None
        The start and end of each, ascending; two may touch.  A part stays, too, if the parts before
        and behind it would become one.
    """
    gone = list(gone)
    for tries in range(_TRIES + 1):
        spans = _spans(text, layout, gone)
        at = _first_changed(text, unit, layout, spans)
        if at is None:
            return spans
        around = [*_run(gone, at - 1, -1), *_run(gone, at + 1, 1)]
        if tries == _TRIES - 1:
            around = list(range(min([at, *around]), len(gone)))
        for i in around:
            gone[i] = False
    return [None] * len(gone)


def _run(gone: Sequence[bool], at: int, step: int) -> Iterator[int]:
    """Yield the parts that are left out, from one on."""
    while 0 <= at < len(gone) and gone[at]:
        yield at
        at += step


def _first_changed(
    text: str, unit: str, layout: Layout, spans: Sequence[tuple[int, int] | None]
) -> int | None:
    """Return the first part that stays and is not the same in what is left, if there is one."""
    staying = [i for i, span in enumerate(spans) if span is None]
    if len(staying) == len(spans):
        return None
    left = without_spans(text, [span for span in spans if span is not None])
    parts = [left[one.start : one.end] for one in lay_out(left, unit).parts]
    for i, part in zip(staying, parts, strict=False):
        one = layout.parts[i]
        if text[one.start : one.end] != part:
            return i
    if len(parts) != len(staying):
        return staying[min(len(parts), len(staying) - 1)]
    return None


def _spans(text: str, layout: Layout, gone: Sequence[bool]) -> list[tuple[int, int] | None]:
    """Return what is cut if these parts are left out."""
    parts, lines, blocks = layout
    # Lines, and paragraphs, of which something stays.
    whole_lines, whole_blocks = [True] * len(lines), [True] * len(blocks)
    for part, left in zip(parts, gone, strict=True):
        if not left:
            whole_lines[part.line] = whole_blocks[lines[part.line].block] = False
    found: list[tuple[int, int] | None] = []
    before = -1  # the line of the part before
    for i, (part, left) in enumerate(zip(parts, gone, strict=True)):
        line, whole = lines[part.line], whole_lines[part.line]
        if not left:
            found.append(None)
        else:
            start = line.begin if whole and part.line != before else part.start
            following = parts[i + 1] if i + 1 < len(parts) else None
            if following and following.line == part.line:
                end = following.start
            else:
                end = line.end if whole else line.close
                if whole_blocks[line.block] and (
                    following is None or lines[following.line].block != line.block
                ):
                    end = blocks[line.block].end
            found.append((start, end))
        before = part.line
    if all(gone):
        return _everything(text, parts)
    return _with_blank_line(text, layout, found)


def _everything(text: str, parts: Sequence[CutPart]) -> list[tuple[int, int] | None]:
    """Return what is cut if nothing stays: all white space goes too."""
    starts = [part.start if i else 0 for i, part in enumerate(parts)]
    return list(zip(starts, [*starts[1:], len(text)], strict=False))


def _with_blank_line(
    text: str, layout: Layout, spans: list[tuple[int, int] | None]
) -> list[tuple[int, int] | None]:
    """Return spans without a blank line that must stay.

    It tells that the lines behind it, the only paragraph that is left, are one part.
    """
    staying = [i for i, span in enumerate(spans) if span is None]
    at = staying[0] if len(staying) == 1 else 0
    if at and at == len(spans) - 1 and layout.blocks[-1].several:
        block = layout.blocks[at]
        # A blank line is before the first paragraph, or behind this one.
        if not layout.blocks[0].begin and block.end == layout.lines[at].end:
            start, end = spans[at - 1] or (0, 0)
            *_, last = (one for one in _LINE.finditer(text, start, end) if one[0])
            spans[at - 1] = (start, last.start())
    return spans


# -- equal parts --


class Keys(NamedTuple):
    """The parts of a text that are long enough to be compared, and whole."""

    digests: NDArray[np.void]  # `DIGEST_TYPE`, of the folded parts without white space
    starts: NDArray[np.uint32]
    ends: NDArray[np.uint32]


def keys_of(text: str, unit: str, min_length: int) -> Keys:
    """Return what parts are compared by.

    Parameters
    ----------
    text, unit
        See `lay_out`.
    min_length : int
        The least letters and digits of a folded part.
    """
    parts = lay_out(text, unit).parts
    folded = fold_all([text[one.start : one.end] for one in parts])
    codes, ends = to_codes("".join(folded)), ends_of(folded)
    letters = np.diff(np.append(0, np.cumsum(_letters()[codes]))[ends])
    long = np.flatnonzero(letters >= min_length).tolist()
    if unit == "sentence":
        long = [i for i in long if _is_whole(folded[i])]
    digests = [
        digest_bytes("".join(folded[i].split()).encode("utf-8", "surrogatepass")) for i in long
    ]
    places = np.array([parts[i][:2] for i in long], np.uint32).reshape(-1, 2)
    return Keys(np.array(digests, DIGEST_TYPE), places[:, 0].copy(), places[:, 1].copy())


def _is_whole(sentence: str) -> bool:
    """Return whether a sentence has both marks of each quotation: without it, one would be left."""
    pairs = all(sentence.count(first) == sentence.count(last) for first, last in _QUOTATIONS)
    return pairs and sentence.count('"') % 2 == 0


@cache
def _letters() -> NDArray[np.bool_]:
    """Return of each code point whether it is a letter or a digit."""
    return np.fromiter((chr(code).isalnum() for code in range(CODE_POINTS)), np.bool_, CODE_POINTS)
