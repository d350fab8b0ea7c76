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

*A direct repetition* is a run of parts that are equal to those right before them, as in a page that
was extracted twice, or a part that stands in the one before it, as in rolling captions.  Parts are
read in order, and a run that repeats what stays before it, the shortest first, is left out: so no
direct repetition is in what is left.

Places are in arrays of 32-bit numbers, and parts are folded some at a time, for a document may be
large.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

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
    text_digest,
    to_codes,
)

_OPENING = "\"'“‘「『《〈【（〔［([{<"
_CLOSING = "\"'”’」』》〉】）〕］)]}>"
_STRONG = "。！？；｡"
_END = pattern(rf"[{_STRONG}.!?…][{_STRONG}.!?…{_CLOSING.replace(']', chr(92) + ']')}]*")
_LINE_END = pattern(r"\r\n|[\r\n]|\Z")
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
# Characters of parts that are folded at a time.
_FOLDED = 1 << 20
# So many earlier places of a part are tried as the end of what a run repeats; a part is looked for
# in the one before it if that is not longer by more than this factor.
_NEAREST, _LOOKED = 8, 256
# A prime, and a number below it, of the sums by which runs are compared.
_PRIME, _BASE = (1 << 61) - 1, 0x1D8E4E27C47D124F

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]


class Layout(NamedTuple):
    """The parts of a text, in order, and what they are in: places are characters of the text.

    Of sentences, a line is several if one goes on in the next; of paragraphs, it is a whole one.
    """

    parts: I32  # [parts, 3]: start and end without the white space around, the number of the line
    lines: I32  # [lines, 4]: begin, end of the text, end behind the line end, number of the block
    # Lines without a blank one between them: [blocks, 2], begin and end of what goes if all do.
    blocks: I32
    several: NDArray[np.bool_]  # whether a block is one part of several lines


def lay_out(text: str, unit: str) -> Layout:
    """Return the parts of a text, none of which is empty.

    Parameters
    ----------
    text : str
        Any text.
    unit : str
        One of `simdup.model.cleaned.UNITS`.
    """
    rows = _rows(text)
    filled = rows[:, 3] < rows[:, 4]
    lines = rows[filled]
    # Whether a line begins a block.
    new = np.ones(len(lines), np.bool_)
    if unit == "sentence" or (unit == "paragraph" and len(lines) < len(rows)):
        new = ~np.append(False, filled[:-1])[: len(rows)][filled]
        begins = lines[new, 0]
        blocks = np.stack([begins, np.append(begins, rows[-1:, 2])[1:]], axis=1)
    else:
        blocks = lines[:, (0, 2)]
    several = np.zeros(len(blocks), np.bool_)
    block = np.cumsum(new, dtype=np.int32) - 1
    if unit == "paragraph":
        several = np.diff(np.flatnonzero(np.append(new, True))) > 1
    elif unit == "sentence":
        starts = zip(new.tolist(), _each(lines[:, 3]), strict=True)
        new = np.array([first or not text[at].islower() for first, at in starts], np.bool_)
    # The last line of each that several are one of.
    last = np.append(new, True)[1:][: len(lines)]
    joined = np.column_stack([lines[new, 0], lines[last, 1], lines[last, 2], block[new]])
    if unit == "sentence":
        return Layout(_sentences(text, joined), joined, blocks, several)
    number = np.arange(len(joined), dtype=np.int32)
    parts = np.column_stack([lines[new, 3], lines[last, 4], number])
    return Layout(parts, joined, blocks, several)


def _rows(text: str) -> I32:
    """Return the lines of a text, blank ones too.

    Of each the begin, the end of its text, the end behind its line end, and where its text begins
    and ends without the white space around.
    """
    places, begin = array("i"), 0
    for line_end in _LINE_END.finditer(text):
        close, end = line_end.span()
        if begin < end:
            start, stop = _trimmed(text, begin, close)
            places.extend((begin, close, end, start, stop))
        begin = end
    return np.frombuffer(places, np.int32).reshape(-1, 5)


def _each(column: I32) -> memoryview:
    """Return a column whose numbers become objects one at a time."""
    return np.ascontiguousarray(column).data


def _trimmed(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return what is between two places, without the white space around it."""
    inner = text[begin:end]
    start = end - len(inner := inner.lstrip())
    return start, start + len(inner.rstrip())


# -- sentences --


def _sentences(text: str, lines: I32) -> I32:
    """Return the sentences of lines; see `Layout`."""
    places = array("i")
    for number, (begin, close) in enumerate(
        zip(_each(lines[:, 0]), _each(lines[:, 1]), strict=True)
    ):
        for run in _END.finditer(text, begin, close):
            if _ends(text, begin, run.start(), run.end(), close):
                places.extend((*_trimmed(text, begin, run.end()), number))
                begin = run.end()
        start, end = _trimmed(text, begin, close)
        if start < end:
            places.extend((start, end, number))
    return np.frombuffer(places, np.int32).reshape(-1, 3)


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


def cut_spans(text: str, unit: str, layout: Layout, gone: Sequence[bool] | NDArray[Any]) -> I32:
    """Return the span of each part that is cut.

    Parameters
    ----------
    text, unit, layout
        See `lay_out`.
    gone : sequence of bool
        Whether each part is to be left out.

    Returns
    -------
    int32[parts, 2]
        The start and end of each, ascending; two may touch.  -1 for a part that stays: one also
        stays if the parts before and behind it would become one.
    """
    gone = np.array(gone, np.bool_)
    for tries in range(_TRIES + 1):
        spans = _spans(text, layout, gone)
        at = _first_changed(text, unit, layout, spans)
        if at is None:
            return spans
        stays = np.append(np.flatnonzero(~gone), len(gone))
        place = int(np.searchsorted(stays, at))
        # What is left out before and behind it.
        low = int(stays[place - 1]) + 1 if place else 0
        gone[low : len(gone) if tries == _TRIES - 1 else int(stays[place + 1])] = False
    return np.full((len(gone), 2), -1, np.int32)


def _first_changed(text: str, unit: str, layout: Layout, spans: I32) -> int | None:
    """Return the first part that stays and is not the same in what is left, if there is one."""
    gone = spans[:, 0] >= 0
    stays = np.flatnonzero(~gone)
    if len(stays) in (0, len(spans)):
        return None
    left = without_spans(text, spans[gone].tolist())
    parts = lay_out(left, unit).parts
    before = np.cumsum(spans[:, 1] - spans[:, 0])[stays]
    size = min(len(parts), len(stays))
    there = layout.parts[stays[:size], :2] - before[:size, None]
    changed = np.flatnonzero((there != parts[:size, :2]).any(axis=1))
    if len(changed):
        return int(stays[changed[0]])
    return None if len(parts) == len(stays) else int(stays[min(size, len(stays) - 1)])


def _spans(text: str, layout: Layout, gone: NDArray[np.bool_]) -> I32:
    """Return what is cut if these parts are left out."""
    parts, lines, blocks, _ = layout
    if len(gone) and gone.all():  # all white space goes too
        starts = np.append(0, parts[1:, 0])
        return np.stack([starts, np.append(starts[1:], len(text))], axis=1).astype(np.int32)
    line = parts[:, 2]
    block = lines[line, 3]
    # Lines and blocks of which nothing stays.
    whole_lines, whole_blocks = np.ones(len(lines), np.bool_), np.ones(len(blocks), np.bool_)
    whole_lines[line[~gone]] = False
    whole_blocks[block[~gone]] = False
    first = np.append(True, line[1:] != line[:-1])[: len(line)]
    last = np.append(first, True)[1:]
    last_of_block = np.append(block[1:] != block[:-1], True)[: len(block)]
    whole = whole_lines[line]
    starts = np.where(first & whole, lines[line, 0], parts[:, 0])
    ends = np.where(whole, lines[line, 2], lines[line, 1])
    ends = np.where(whole_blocks[block] & last_of_block, blocks[block, 1], ends)
    ends = np.where(last, ends, np.append(parts[1:, 0], 0)[: len(parts)])
    spans = np.where(gone[:, None], np.stack([starts, ends], axis=1), -1).astype(np.int32)
    return _with_blank_line(text, layout, spans)


def _with_blank_line(text: str, layout: Layout, spans: I32) -> I32:
    """Return spans without a blank line that must stay.

    It tells that the lines behind it, the only paragraph that is left, are one part.
    """
    at = len(spans) - 1
    if at > 0 and layout.several[-1] and np.flatnonzero(spans[:, 0] < 0).tolist() == [at]:
        blocks = layout.blocks
        # A blank line is before the first paragraph, or behind this one.
        if not blocks[0, 0] and blocks[at, 1] == layout.lines[at, 2]:
            start, end = spans[at - 1].tolist()
            spans[at - 1, 1] = start + _rows(text[start:end])[-1, 0]
    return spans


# -- equal parts --


class Forms(NamedTuple):
    """What parts are compared by."""

    # `DIGEST_TYPE`, of the folded parts without white space, if these are long enough.
    digests: NDArray[np.void]
    letters: I32  # letters and digits
    marks: I32  # [parts, 4]: how many more marks open a quotation of a kind than close one
    inside: NDArray[np.bool_]  # whether a part stands in the one before it

    def long(self, unit: str, min_length: int) -> NDArray[np.bool_]:
        """Return which parts are long enough, and whole, to be cut."""
        long = self.letters >= min_length
        return long & _whole(self.marks) if unit == "sentence" else long

    def doubled(self, min_length: int) -> bool:
        """Return whether a long part is there twice, as in every run that repeats another."""
        halves = self.digests.view("<u8")[::2][self.letters >= min_length]
        return len(set(halves.tolist())) < len(halves)


def _whole(marks: NDArray[Any]) -> NDArray[np.bool_]:
    """Return what has both marks of each quotation: without it, one would be left."""
    return np.asarray((marks[..., :-1] == 0).all(axis=-1) & (marks[..., -1] % 2 == 0))


def forms_of(text: str, places: I32, min_length: int) -> Forms:
    """Return what the parts at some places of a text are compared by; see `keys_of`."""
    count = len(places)
    found = Forms(np.zeros(count, DIGEST_TYPE), np.empty(count, np.int32),
                  np.zeros((count, 4), np.int32), np.zeros(count, np.bool_))  # fmt: skip
    before, form_before = "", ""
    for low, high, folded in _folded(text, places):
        kinds, ends = _kinds()[to_codes("".join(folded))], ends_of(folded)
        found.letters[low:high] = np.diff(np.append(0, np.cumsum(kinds == 1))[ends])
        if len(marked := np.flatnonzero(kinds > 1)):
            of, pair = np.searchsorted(ends, marked, "right") - 1 + low, kinds[marked] // 2 - 1
            np.add.at(found.marks, (of, pair), 1 - 2 * (kinds[marked] % 2).astype(np.int32))
        forms = ["".join(part.split()) for part in folded]
        long = np.flatnonzero(found.letters[low:high] >= min_length).tolist()
        found.digests[[low + i for i in long]] = [text_digest(forms[i]) for i in long]
        folded, forms = [before, *folded], [form_before, *forms]
        for i in _possible(np.array(list(map(len, forms)))).tolist():
            if forms[i + 1] in forms[i]:
                found.inside[low + i] = _stands_in(folded[i + 1], folded[i])
        before, form_before = folded[-1], forms[-1]
    return found


def _folded(text: str, places: I32) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the parts at some places, folded, some at a time: first:last, texts."""
    sizes = np.cumsum(places[:, 1] - places[:, 0], dtype=np.int64)
    low = 0
    while low < len(places):
        done = sizes[low - 1] if low else 0
        high = max(int(np.searchsorted(sizes, done + _FOLDED, "right")), low + 1)
        yield low, high, fold_all([text[a:b] for a, b in places[low:high, :2].tolist()])
        low = high


def _stands_in(part: str, before: str) -> bool:
    """Return whether a folded part stands in another, in whole words and numbers."""
    part, before = " ".join(part.split()), " ".join(before.split())
    return any(
        _are_apart(before[max(at - 1, 0) : at], part[0])
        and _are_apart(before[at + len(part) : at + len(part) + 1], part[-1])
        for at in (before.find(part), before.rfind(part))
        if at >= 0
    )


def _possible(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which parts behind the first are worth looking for in the one before, by sizes."""
    before, part = sizes[:-1], sizes[1:]
    return np.flatnonzero((part > 0) & (part <= before) & (before <= part * _LOOKED))


def _are_apart(beside: str, edge: str) -> bool:
    """Return whether a character beside a part is of another word or number than its edge."""
    if beside in ("", " "):
        return True
    if beside.isnumeric() or edge.isnumeric():
        return False
    return not (beside.isalnum() and edge.isalnum() and max(beside, edge) < _DENSE)


@cache
def _kinds() -> NDArray[np.uint8]:
    """Return of each code point what it is: 1 for a letter or a digit, more for marks."""
    every = map(chr, range(CODE_POINTS))
    kinds = np.fromiter(map(str.isalnum, every), np.bool_, CODE_POINTS).astype(np.uint8)
    for i, mark in enumerate("".join(map("".join, _QUOTATIONS)) + '"'):
        kinds[ord(mark)] = 2 + i
    return kinds


def repeated(text: str, unit: str, places: I32, forms: Forms, min_length: int) -> I64:
    """Return which parts directly repeat what stands before them.

    Parameters
    ----------
    text, unit
        See `lay_out`.
    places : int32[parts, 2 or more]
        Where the parts are, some of them or all.
    forms : Forms
        What these are compared by.
    min_length : int
        The least letters and digits of a part that is left out, or of one in a run.

    Returns
    -------
    int64[parts]
        The number of the part before that each repeats, or stands in; that part stays.  -1 for
        others.
    """
    count = len(places)
    origin = np.full(count, -1, np.int64)
    long = forms.long(unit, min_length)
    if not forms.doubled(min_length) and not (forms.inside & long).any():
        return origin
    short = np.flatnonzero(forms.letters < min_length)
    for low, high, folded in _folded(text, places[short]):
        forms.digests[short[low:high]] = [text_digest("".join(part.split())) for part in folded]
    halves = forms.digests.view("<u8").reshape(-1, 2)
    distinct, numbers = np.unique(halves[:, 0], return_inverse=True)
    ids = _each(numbers.astype(np.int32))
    kept, sums = array("i"), array("Q", [0])  # parts that stay, and a sum of each beginning of them
    # The place of the last equal part that stays, by the number of its form, and of the one before.
    latest, earlier = array("i", [-1]) * len(distinct), array("i")

    def is_run(size: int) -> bool:
        """Whether the last parts that stay, so many, repeat those before them."""
        end = len(kept)
        if ids[kept[end - size]] != ids[kept[end - 2 * size]]:
            return False
        last, power = sums[end - size], pow(_BASE, size, _PRIME)
        if (sums[end] - last * power - last + sums[end - 2 * size] * power) % _PRIME:
            return False
        again, once = np.array(kept[end - size :]), np.array(kept[end - 2 * size : end - size])
        whole = unit != "sentence" or bool(_whole(forms.marks[again].sum(axis=0)))
        enough = bool((forms.letters[again] >= min_length).any())
        return whole and enough and bool((halves[again] == halves[once]).all())

    def is_inside(i: int, before: int) -> bool:
        """Whether a part stands in another, behind which nothing stays before it."""
        if before == i - 1:
            return bool(forms.inside[i])
        pair = places[[before, i], :2]
        sizes = (pair[:, 1] - pair[:, 0]).tolist()
        return sizes[0] <= sizes[1] * _LOOKED and bool(forms_of(text, pair, min_length).inside[1])

    for i in range(count):
        if kept and long[i] and is_inside(i, kept[-1]):
            origin[i] = kept[-1]
            continue
        place, form = len(kept), ids[i]
        kept.append(i)
        sums.append((sums[-1] * _BASE + form + 1) % _PRIME)
        earlier.append(latest[form])
        latest[form] = place
        at = earlier[place]
        for _ in range(_NEAREST):
            size = place - at
            if at < 0 or 2 * size > place + 1:
                break
            if is_run(size):
                origin[kept[-size:]] = kept[-2 * size : -size]
                for back in range(place, place - size, -1):
                    latest[ids[kept[back]]] = earlier[back]
                del kept[-size:], sums[-size:], earlier[-size:]
                break
            at = earlier[at]
    for i in np.flatnonzero(origin >= 0).tolist():
        if origin[origin[i]] >= 0:
            origin[i] = origin[origin[i]]
    return origin


class Keys(NamedTuple):
    """The parts of a text that are long enough to be compared, and whole; and what it repeats."""

    digests: NDArray[np.void]  # see `Forms`
    starts: I32
    ends: I32
    repeats: int  # 1 if a long part is there twice, 2 if one directly repeats what is before it
    rest: bytes  # a digest of all others that are long


def keys_of(text: str, unit: str, min_length: int) -> Keys:
    """Return what parts are compared by.

    Parameters
    ----------
    text, unit
        See `lay_out`.
    min_length : int
        The least letters and digits of a folded part.
    """
    places = lay_out(text, unit).parts
    forms = forms_of(text, places, min_length)
    stays = repeated(text, unit, places, forms, min_length) < 0
    long = forms.long(unit, min_length)
    rest = forms.digests[stays & (forms.letters >= min_length)]
    return Keys(
        forms.digests[long], places[long, 0], places[long, 1],
        forms.doubled(min_length) if stays.all() else 2,
        digest_bytes(rest.tobytes()),
    )  # fmt: skip
