"""What two texts have in common and what not, character by character."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from simdup.corpus.decoding import unify_line_ends
from simdup.features.analyzer import Analyzer
from simdup.features.words import Words, cut_words
from simdup.model.comparison import Span
from simdup.verify.common_words import CommonRun, align


class _Piece(NamedTuple):
    """A piece of both texts; it begins where the one before it ends."""

    a_end: int
    b_end: int
    same: bool  # at least after folding


def find_differences(a: str, b: str, analyzer: Analyzer) -> tuple[Span, ...]:
    """Return what is equal, the same after folding, removed and added, from `a` to `b`.

    Texts are compared by words; white space never makes a word another one.

    Returns
    -------
    tuple of Span
        In order.  Of two neighbours no two are of one kind.
    """
    spans: list[Span] = []
    i = j = 0
    for piece in _pieces(a, b, cut_words(a, analyzer), cut_words(b, analyzer)):
        left, right = a[i : piece.a_end], b[j : piece.b_end]
        if piece.same:
            same = unify_line_ends(left) == unify_line_ends(right)
            _extend(spans, "equal" if same else "folded", len(left), len(right))
        else:
            tail = _common_tail(left, right)
            _extend(spans, "removed", len(left) - tail, 0)
            _extend(spans, "added", 0, len(right) - tail)
            _extend(spans, "equal", tail, tail)
        i, j = piece.a_end, piece.b_end
    return tuple(spans)


def _pieces(a: str, b: str, x: Words, y: Words) -> Iterator[_Piece]:
    x_starts, y_starts = [0, *x.ends], [0, *y.ends]
    end = CommonRun(len(x.keys), len(x.keys), len(y.keys), len(y.keys))
    for match in [*align(x.keys, y.keys), end]:
        yield _Piece(x_starts[match.a0], y_starts[match.b0], False)
        if x.keys[match.a0 : match.a1] == y.keys[match.b0 : match.b1]:
            for i, j in zip(range(match.a0, match.a1), range(match.b0, match.b1), strict=True):
                if a[x_starts[i] : x.ends[i]] != b[y_starts[j] : y.ends[j]]:
                    yield _Piece(x.stops[i], y.stops[j], True)
                yield _Piece(x.ends[i], y.ends[j], True)
        else:
            yield _Piece(x_starts[match.a1], y_starts[match.b1], True)


def _common_tail(left: str, right: str) -> int:
    """Return how much white space both end with: what replaces a word leaves it in place."""
    most = min(len(text) - len(text.rstrip()) for text in (left, right))
    size = 0
    while size < most and left[-size - 1] == right[-size - 1]:
        size += 1
    return size


def _extend(spans: list[Span], kind: str, in_a: int, in_b: int) -> None:
    """Add characters of both texts to the last span of the same kind, or as a new one."""
    if not in_a and not in_b:
        return
    a, b = (spans[-1].a[1], spans[-1].b[1]) if spans else (0, 0)
    if spans and spans[-1].kind == kind:
        last = spans.pop()
        spans.append(Span(kind, (last.a[0], a + in_a), (last.b[0], b + in_b)))
    else:
        spans.append(Span(kind, (a, a + in_a), (b, b + in_b)))
