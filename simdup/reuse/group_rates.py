"""Rates of groups: how much of all works of a person others have.

The works of a group are one text, one after the other, and so are those of each group that they are
shared with; a reference is a source of its own.  All else is as in `rates`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from simdup.reuse.finding import Passages
from simdup.reuse.overlaps import Holders, by_units
from simdup.reuse.rates import Leaders, Omissions, Rates, Spans, text_spans, union
from simdup.reuse.symbols import Units
from simdup.search.arrays import I64, ranges, run_starts


def rate_groups(
    groups: I64,
    group_names: Sequence[str],
    found: Passages,
    units: Units,
    holders: Holders,
    shared: I64,
    names: Sequence[Any],
    left_out: Omissions,
) -> Rates:
    """Return the rates of groups of documents; a document without a group is one itself.

    Parameters
    ----------
    groups : int64[documents]
        The group of each; -1 for none.
    group_names : sequence of str
    found, units, holders, shared, names, left_out
        As for `rate_documents`.
    """
    count, sizes = len(holders.order), units.sizes
    text_of = np.empty(count, np.int64)
    text_of[holders.order] = np.repeat(np.arange(len(sizes)), np.diff(holders.firsts))
    alone = len(group_names) + np.arange(count)
    rated = np.flatnonzero(holders.sides.sources)
    owner_of, source_of = np.where(groups < 0, alone, groups), alone.copy()
    source_of[rated] = owner_of[rated]
    of_texts = union(text_spans(by_units(found, units), sizes, shared))
    bounds = np.searchsorted(of_texts.owners, np.stack([text_of[rated], text_of[rated] + 1]))
    documents = np.repeat(rated, bounds[1] - bounds[0])
    spans = of_texts.take(ranges(bounds[0], bounds[1] - bounds[0]))
    leads = Leaders.of(holders).lead(spans.others, holders.sides.groups[documents])
    kept = np.flatnonzero(leads >= 0)
    spans, documents = spans.take(kept)._replace(others=source_of[leads[kept]]), documents[kept]
    owners, firsts, of_rated = np.unique(owner_of[rated], return_index=True, return_inverse=True)
    place = np.zeros(count, np.int64)
    place[rated] = of_rated

    def rate(sizes: I64, before: Callable[[I64], I64], least: int) -> tuple[Any, ...]:
        """Return the share of each owner, its largest source, the share of that, and how many."""
        ends = np.cumsum(sizes[rated])
        bases = np.zeros(count, np.int64)
        bases[rated] = ends - sizes[rated]
        sides = (bases[documents] + before(side) for side in (spans.starts, spans.ends))
        each = union(Spans(place[documents], spans.others, *sides))
        new = (np.diff(each.owners, prepend=-1) != 0) | (np.diff(each.others, prepend=-1) != 0)
        pairs = np.flatnonzero(new)
        lengths = each.ends - each.starts
        covered = np.add.reduceat(lengths, pairs) if len(pairs) else lengths
        pairs, covered = pairs[covered >= least], covered[covered >= least]
        order = np.lexsort((each.others[pairs], -covered, each.owners[pairs]))
        pairs, covered = pairs[order], covered[order]
        best = run_starts(each.owners[pairs])
        largest, most = np.full(len(owners), -1), np.zeros(len(owners))
        largest[each.owners[pairs[best]]] = each.others[pairs[best]]
        most[each.owners[pairs[best]]] = covered[best]
        whole = union(each._replace(others=np.zeros_like(each.others)))
        copied = np.bincount(whole.owners, whole.ends - whole.starts, len(owners))
        total = np.maximum(np.bincount(of_rated, sizes[rated], len(owners)), 1)
        number = np.bincount(each.owners[pairs], minlength=len(owners))
        return copied / total, largest, most / total, number

    share, largest, most, number = rate(sizes[text_of], lambda places: places, 1)
    counted = share
    if left_out.parts:
        before = left_out.units.before
        counted, largest, most, number = rate(
            left_out.units.sizes, lambda places: before(documents, places), left_out.least
        )
    order = np.lexsort((firsts, -share, -counted))
    figures = np.stack([share, counted, most], 1)[order]
    return Rates(owners[order], figures, largest[order], number[order], {}, [*group_names, *names])
