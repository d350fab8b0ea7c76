"""Groups of rows, in plain Python: each pair of rows that belong together is given."""

from collections.abc import Iterable, Sequence

Pairs = Iterable[tuple[int, int]]


def joined(pairs: Pairs, n: int) -> list[int]:
    """The smallest row that pairs connect each row with."""
    group = list(range(n))
    pairs = list(pairs)
    for _ in range(n):
        for i, j in pairs:
            group[i] = group[j] = min(group[i], group[j])
    return group


def stars(takes: Pairs, order: Iterable[int]) -> dict[int, int]:
    """The centre of each row: in order, each free row takes all free ones that it may take."""
    takes = list(takes)
    centres: dict[int, int] = {}
    for row in order:
        if row not in centres:
            centres[row] = row
            for i, j in takes:
                if i == row:
                    centres.setdefault(j, row)
    return centres


def first_partner(pairs: Pairs, row: int, parts: Sequence[int] | None = None) -> int:
    """The first row of another part that a row is paired with, or -1; part -1 does not count."""
    others = [j if i == row else i for i, j in pairs if row in (i, j)]
    if parts is not None:
        others = [one for one in others if parts[one] >= 0 and parts[one] != parts[row]]
    return min(others, default=-1)
