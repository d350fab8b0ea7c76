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
was extracted twice, or a part that is in the one before it, as in rolling captions.  Parts are
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
from simdup.corpus.record_fields import without_spans
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

    Of sentences, a line is several if one goes on in the next; of paragraphs, it is a whole one.  A
    block is lines without a blank one between them.
    """

    starts: I32  # of parts, without the white space around
    ends: I32
    line: I32  # the number of each part's line
    line_begins: I32
    closes: I32  # where the text of each line ends
    line_ends: I32  # behind its line end
    block: I32  # the number of each line's block
    block_begins: I32
    block_ends: I32  # of what goes if all of its lines do
    several: bool  # whether the last block is one part of several lines


def lay_out(text: str, unit: str) -> Layout:
    """Return the parts of a text, none of which is empty.

    Parameters
    ----------
    text : str
        Any text.
    unit : str
        One of `simdup.model.cleaned.UNITS`.
    """
    (begins, closes, line_ends, starts, ends), apart, blank = _lines(text)
    number = np.arange(len(begins), dtype=np.int32)
    if unit == "line" or (unit == "paragraph" and not blank):
        lines = begins, closes, line_ends, number
        return Layout(starts, ends, number, *lines, begins, line_ends, False)
    block_begins = begins[apart]
    block_ends = np.append(block_begins[1:], np.int32(len(text)))[: len(block_begins)]
    block = np.cumsum(apart, dtype=np.int32) - np.int32(1)
    # Of lines that are one, the first and the last; a line goes on with a small letter.
    first = apart
    if unit == "sentence":
        lines_of = zip(apart.tolist(), starts.data, strict=True)
        first = np.array([new or not text[at].islower() for new, at in lines_of], np.bool_)
    last = np.append(first[1:], True)[: len(first)]
    begins, closes, line_ends, block = begins[first], closes[last], line_ends[last], block[first]
    parts: Sequence[I32] = (starts[first], ends[last], number[: len(begins)])
    if unit == "sentence":
        parts = _sentences(text, begins, closes)
    starts, ends, line = parts
    several = unit == "paragraph" and not first[-1:].all()
    lines = begins, closes, line_ends, block
    return Layout(starts, ends, line, *lines, block_begins, block_ends, several)


def _lines(text: str) -> tuple[list[I32], NDArray[np.bool_], bool]:
    """Return the lines of a text that are not blank, and whether others are.

    Of each the begin, the end of its text, the end behind its line end, where its text begins and
    ends without the white space around; and whether no line is right before it.
    """
    begins, closes, line_ends, starts, ends = columns = [array("i") for _ in range(5)]
    apart, new, blank, begin = bytearray(), True, False, 0
    for line_end in _LINE_END.finditer(text):
        close, end = line_end.span()
        if inner := text[begin:close].lstrip():
            start = close - len(inner)
            begins.append(begin)
            closes.append(close)
            line_ends.append(end)
            starts.append(start)
            ends.append(start + len(inner.rstrip()))
            apart.append(new)
            new = False
        elif begin < end:
            new = blank = True
        begin = end
    numbers = [np.frombuffer(column, np.int32) for column in columns]
    return numbers, np.frombuffer(apart, np.bool_), blank


def _trimmed(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return what is between two places, without the white space around it."""
    inner = text[begin:end]
    start = end - len(inner := inner.lstrip())
    return start, start + len(inner.rstrip())


# -- sentences --


def _sentences(text: str, begins: I32, closes: I32) -> list[I32]:
    """Return the starts and the ends of the sentences of lines, and the numbers of these."""
    starts, ends, lines = columns = [array("i") for _ in range(3)]
    for number, (begin, close) in enumerate(zip(begins.data, closes.data, strict=True)):
        for run in _END.finditer(text, begin, close):
            if _ends(text, begin, run.start(), run.end(), close):
                start, end = _trimmed(text, begin, run.end())
                starts.append(start)
                ends.append(end)
                lines.append(number)
                begin = run.end()
        start, end = _trimmed(text, begin, close)
        if start < end:
            starts.append(start)
            ends.append(end)
            lines.append(number)
    return [np.frombuffer(column, np.int32) for column in columns]


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
        at = _first_changed(text, unit, layout, gone, spans)
        if at is None:
            return spans
        stays = np.append(np.flatnonzero(~gone), len(gone))
        place = int(np.searchsorted(stays, at))
        # What is left out before and behind it.
        low = int(stays[place - 1]) + 1 if place else 0
        gone[low : len(gone) if tries == _TRIES - 1 else int(stays[place + 1])] = False
    return np.full((len(gone), 2), -1, np.int32)


def _first_changed(
    text: str, unit: str, layout: Layout, gone: NDArray[np.bool_], spans: I32
) -> int | None:
    """Return the first part that stays and is not the same in what is left, if there is one."""
    stays = np.flatnonzero(~gone)
    if len(stays) in (0, len(gone)):
        return None
    left = lay_out(without_spans(text, spans[gone].tolist()), unit)
    cut = np.cumsum(spans[:, 1] - spans[:, 0])[stays]
    size = min(len(left.starts), len(stays))
    same = layout.starts[stays[:size]] - cut[:size] == left.starts[:size]
    same &= layout.ends[stays[:size]] - cut[:size] == left.ends[:size]
    if not same.all():
        return int(stays[np.argmin(same)])
    return None if len(left.starts) == len(stays) else int(stays[min(size, len(stays) - 1)])


def _spans(text: str, layout: Layout, gone: NDArray[np.bool_]) -> I32:
    """Return what is cut if these parts are left out."""
    starts, line, block = layout.starts, layout.line, layout.block
    spans = np.full((len(gone), 2), -1, np.int32)
    if len(gone) and gone.all():  # all white space goes too
        spans[1:, 0] = spans[:-1, 1] = starts[1:]
        spans[0, 0], spans[-1, 1] = 0, len(text)
        return spans
    # Lines and blocks of which nothing stays.
    whole_lines = np.ones(len(block), np.bool_)
    whole_lines[line[~gone]] = False
    whole_blocks = np.ones(len(layout.block_begins), np.bool_)
    whole_blocks[block[~whole_lines]] = False
    at = np.flatnonzero(gone)
    own = line[at]
    whole = whole_lines[own]
    before, behind = line[at - 1], line[(at + 1) % max(len(line), 1)]
    first, last = (at == 0) | (before != own), (at == len(line) - 1) | (behind != own)
    spans[at, 0] = np.where(first & whole, layout.line_begins[own], starts[at])
    ends = np.where(whole, layout.line_ends[own], layout.closes[own])
    end_of_block = (at == len(line) - 1) | (block[behind] != block[own])
    ends = np.where(whole_blocks[block[own]] & end_of_block, layout.block_ends[block[own]], ends)
    spans[at, 1] = np.where(last, ends, starts[(at + 1) % max(len(line), 1)])
    return _with_blank_line(text, layout, spans)


def _with_blank_line(text: str, layout: Layout, spans: I32) -> I32:
    """Return spans without a blank line that must stay.

    It tells that the lines behind it, the only paragraph that is left, are one part.
    """
    at = len(spans) - 1
    alone = at > 0 and layout.several and np.flatnonzero(spans[:, 0] < 0).tolist() == [at]
    # A blank line is before the first paragraph, or behind this one.
    if alone and not layout.block_begins[0] and layout.block_ends[at] == layout.line_ends[at]:
        start, end = spans[at - 1].tolist()
        begins = (line_end.end() for line_end in _LINE_END.finditer(text, start, end))
        spans[at - 1, 1] = max((begin for begin in begins if begin < end), default=start)
    return spans


# -- equal parts --


class Forms(NamedTuple):
    """What parts are compared by."""

    # `DIGEST_TYPE`, of the folded parts without white space, if these are long enough.
    digests: NDArray[np.void]
    letters: I32  # letters and digits
    marks: I32  # [parts, 4]: how many more marks open a quotation of a kind than close one
    inside: NDArray[np.bool_]  # whether a part is in the one before it

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


def forms_of(text: str, starts: I32, ends: I32, min_length: int) -> Forms:
    """Return what the parts at some places of a text are compared by; see `keys_of`."""
    count = len(starts)
    found = Forms(np.zeros(count, DIGEST_TYPE), np.empty(count, np.int32),
                  np.zeros((count, 4), np.int32), np.zeros(count, np.bool_))  # fmt: skip
    before, form_before = "", ""
    for low, high, folded in _folded(text, starts, ends):
        kinds, joints = _kinds()[to_codes("".join(folded))], ends_of(folded)
        found.letters[low:high] = np.diff(np.append(0, np.cumsum(kinds == 1))[joints])
        if len(marked := np.flatnonzero(kinds > 1)):
            of, pair = np.searchsorted(joints, marked, "right") - 1 + low, kinds[marked] // 2 - 1
            np.add.at(found.marks, (of, pair), 1 - 2 * (kinds[marked] % 2).astype(np.int32))
        forms = ["".join(part.split()) for part in folded]
        long = np.flatnonzero(found.letters[low:high] >= min_length)
        found.digests[low + long] = _digests([forms[i] for i in long.tolist()])
        folded, forms = [before, *folded], [form_before, *forms]
        for i in _possible(np.array(list(map(len, forms)))).tolist():
            if forms[i + 1] in forms[i]:
                found.inside[low + i] = _stands_in(folded[i + 1], folded[i])
        before, form_before = folded[-1], forms[-1]
    return found


def _folded(text: str, starts: I32, ends: I32) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the parts at some places, folded, some at a time: first:last, texts."""
    low = 0
    while low < len(starts):
        # The characters between parts count too.
        high = max(int(np.searchsorted(ends, starts[low] + _FOLDED)), low + 1)
        spans = zip(starts[low:high].tolist(), ends[low:high].tolist(), strict=True)
        yield low, high, fold_all([text[start:end] for start, end in spans])
        low = high


def _digests(forms: Sequence[str]) -> NDArray[np.void]:
    return np.frombuffer(b"".join(map(text_digest, forms)), DIGEST_TYPE)


def _stands_in(part: str, before: str) -> bool:
    """Return whether a folded part is in another, in whole words and numbers."""
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


def repeated(text: str, unit: str, starts: I32, ends: I32, forms: Forms, min_length: int) -> I64:
    """Return which parts directly repeat what comes before them.

    Parameters
    ----------
    text, unit
        See `lay_out`.
    starts, ends : int32[parts]
        Where the parts are, some of them or all.
    forms : Forms
        What these are compared by.
    min_length : int
        The least letters and digits of a part that is left out, or of one in a run.

    Returns
    -------
    int64[parts]
        The number of the part before that each repeats, or is in; that part stays.  -1 for
        others.
    """
    count = len(starts)
    origin = np.full(count, -1, np.int64)
    long = forms.long(unit, min_length)
    if not forms.doubled(min_length) and not (forms.inside & long).any():
        return origin
    short = np.flatnonzero(forms.letters < min_length)
    for low, high, folded in _folded(text, starts[short], ends[short]):
        forms.digests[short[low:high]] = _digests(["".join(part.split()) for part in folded])
    halves = forms.digests.view("<u8").reshape(-1, 2)
    distinct, numbers = np.unique(halves[:, 0], return_inverse=True)
    ids = numbers.astype(np.int32).data
    kept, sums = array("i"), array("Q", [0])  # parts that stay, and a sum of each beginning of them
    # The place of the last equal part that stays, by the number of its form, and of the one before.
    latest, earlier = array("i", [-1]) * len(distinct), array("i")

    def is_run(size: int) -> bool:
        """Whether the last parts that stay, so many, repeat those before them."""
        end = len(kept)
        last, power = sums[end - size], pow(_BASE, size, _PRIME)
        if (sums[end] - last * power - last + sums[end - 2 * size] * power) % _PRIME:
            return False
        again, once = np.array(kept[end - size :]), np.array(kept[end - 2 * size : end - size])
        whole = unit != "sentence" or bool(_whole(forms.marks[again].sum(axis=0)))
        enough = bool((forms.letters[again] >= min_length).any())
        return whole and enough and bool((halves[again] == halves[once]).all())

    def is_inside(i: int, before: int) -> bool:
        """Whether a part is in another, with nothing that stays between them."""
        if before == i - 1:
            return bool(forms.inside[i])
        pair = starts[[before, i]], ends[[before, i]]
        sizes = (pair[1] - pair[0]).tolist()
        return sizes[0] <= sizes[1] * _LOOKED and bool(forms_of(text, *pair, min_length).inside[1])

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
            # What the run begins with is compared first: it nearly always differs.
            if ids[kept[-size]] == ids[kept[-2 * size]] and is_run(size):
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
    """The parts of a text that others may have: long and whole, and no direct repetitions."""

    digests: NDArray[np.void]  # see `Forms`
    starts: I32
    ends: I32
    repeats: int  # 1 if a long part is there twice, 2 if one directly repeats what is before it
    rest: bytes  # a digest of all long parts but these


def keys_of(text: str, unit: str, min_length: int) -> Keys:
    """Return what parts are compared by.

    Parameters
    ----------
    text, unit
        See `lay_out`.
    min_length : int
        The least letters and digits of a folded part.
    """
    starts, ends = lay_out(text, unit)[:2]
    forms = forms_of(text, starts, ends, min_length)
    stays = repeated(text, unit, starts, ends, forms, min_length) < 0
    long = forms.long(unit, min_length) & stays
    rest = forms.digests[stays & (forms.letters >= min_length)]
    return Keys(
        forms.digests[long], starts[long], ends[long],
        forms.doubled(min_length) if stays.all() else 2,
        digest_bytes(rest.tobytes()),
    )  # fmt: skip
