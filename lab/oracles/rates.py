"""The rates of documents by their definition: sets of units, a document at a time."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Span = tuple[int, int]


class SharedSpans(NamedTuple):
    """A passage that two texts share."""

    a: int
    b: int
    in_a: Span
    in_b: Span


class SlowRate(NamedTuple):
    """How much of a document others have, in units."""

    copied: int
    counted: int
    rest: int  # units outside the parts that are left out
    largest: int  # without units that are left out
    from_whom: set[int]  # documents that have the largest source, of those that are compared
    sources: int


def rate(
    document: int,
    text_of: Sequence[int],
    sizes: Sequence[int],
    passages: Sequence[SharedSpans],
    allowed: Callable[[int, int], bool],
    left_out: Mapping[int, set[int]],
    copies: set[int],
    least: int = 0,
) -> SlowRate:
    """How much of a document others have.

    `left_out` has units of documents, `copies` the texts whose documents are copies of each other.
    Of a document without some units, a source has at least `least` of the others, or all.
    """
    own, found = text_of[document], dict[int, set[int]]()
    holders = dict[int, set[int]]()
    for other, text in enumerate(text_of):
        if other == document or not allowed(document, other):
            continue
        spans = [p.in_a for p in passages if (p.a, p.b) == (own, text)]
        spans += [p.in_b for p in passages if (p.b, p.a) == (own, text)]
        spans += [(0, sizes[own])] if text == own and own in copies else []
        if spans:
            units = {unit for span in spans for unit in range(*span)}
            found.setdefault(text, set()).update(units)
            holders.setdefault(text, set()).add(other)
    out = left_out.get(document, set())
    copied = {unit for units in found.values() for unit in units}
    counted = {text: len(units - out) for text, units in found.items()}
    if out:
        counted = {text: n for text, n in counted.items() if n >= least or text == own}
    largest = max(counted.values(), default=0)
    whom = {d for text, n in counted.items() if n == largest for d in holders[text]}
    rest = sizes[own] - len(out)
    return SlowRate(len(copied), len(copied - out), rest, largest, whom, len(counted))
