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
from simdup.reuse.rates import Leaders, Omissions, Rates, Spans, sources_of, text_spans, union
from simdup.reuse.symbols import Units
from simdup.search.arrays import I64, ranges


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
    sizes, text_of = units.sizes, holders.text_of
    alone = len(group_names) + np.arange(len(text_of))
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
    place, nobody = np.zeros_like(text_of), np.full(len(owners), -1)
    place[rated] = of_rated

    def rate(sizes: I64, before: Callable[[I64], I64], least: int) -> tuple[Any, ...]:
        """Return the share of each owner, its largest source, the share of that, and how many."""
        ends = np.cumsum(sizes[rated])
        bases = np.zeros_like(text_of)
        bases[rated] = ends - sizes[rated]
        sides = (bases[documents] + before(side) for side in (spans.starts, spans.ends))
        each = union(Spans(place[documents], spans.others, *sides))
        sources = sources_of(each, each.others, nobody)
        number, largest, most = sources.take(sources.covered >= least).best(len(owners))
        whole = union(each._replace(others=np.zeros_like(each.others)))
        copied = np.bincount(whole.owners, whole.ends - whole.starts, len(owners))
        total = np.maximum(np.bincount(of_rated, sizes[rated], len(owners)), 1)
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
