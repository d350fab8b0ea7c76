"""Plans for what the keys really are.

`plans` assumes random fingerprints.  Where bits are constant, rare or repeat each other, many
fingerprints share a key, and tables may cost more than comparing all.  So bits that never differ
are left out, and the runs of equal keys are counted in a sample first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simdup.search.arrays import U64, RowIds, count_words, run_starts
from simdup.search.bitview import BitView
from simdup.search.duplicates import PAIRS
from simdup.search.pieces import COSTS, Pieces, width
from simdup.search.plans import Plan, long_run, plan
from simdup.search.tables import table_keys

# Fingerprints in a sample: their keys are counted in 40 us, half of what a table costs at least.
_SAMPLE = 512
# A table of a run costs so much more: its keys are counted several times, on each level.
_OVERHEAD = 4 * COSTS.table


def choose(view: BitView, distance: int) -> Plan:
    """Return the cheaper one of the plan for random fingerprints and the scan."""
    n = len(view)
    chosen = plan(view.ball(distance), n)
    if chosen.search != "tables":
        return chosen
    scan = plan(view.ball(distance), n, search="exhaustive")
    return scan if _seconds(_sample(view), n, chosen, scan.seconds) > scan.seconds else chosen


def prefers_scan(left: BitView, right: BitView, keys: Sequence[Pieces], distance: int) -> bool:
    """Return whether comparing all is cheaper than joining two views by tables of these keys."""
    price = count_words(left.bits) * COSTS.scan
    most, seconds = len(left) * len(right) * price, 0.0
    if most <= len(keys) * COSTS.table:
        return True
    one, other = _sample(left), _sample(right)
    both = one.beside(other)
    scales = len(left) / len(one), len(right) / len(other)
    for key in keys:
        seconds += len(left) * COSTS.lookup
        rest = both.without(key)
        for rows in _runs(both, key):
            of_left = int(np.count_nonzero(rows < len(one)))
            sizes = of_left * scales[0], (len(rows) - of_left) * scales[1]
            pairs = sizes[0] * sizes[1]
            if pairs > PAIRS and rest.width:
                below = _seconds_below(rest.take(rows), sum(sizes), distance, most - seconds)
                seconds += min(below, pairs * price)
            else:
                seconds += pairs * COSTS.candidate
        if seconds > most:
            return True
    return False


def _sample(view: BitView) -> BitView:
    rows = np.linspace(0, len(view) - 1, min(len(view), _SAMPLE))
    return view.take(rows.astype(np.int64))


def _seconds(sample: BitView, n: float, chosen: Plan, most: float, overhead: float = 0.0) -> float:
    """Return what tables of n fingerprints would cost, by a sample of them, or more than `most`.

    `overhead` is added for each table.
    """
    distance, scale = chosen.ball.distance, n / max(len(sample), 1)
    seconds = 0.0
    for key in table_keys(chosen, sample, int(n)):
        seconds += COSTS.search_tables(int(n), 1, 0) + overhead
        rest = sample.without(key)
        longest = long_run(rest.ball(distance)) if rest.width else None
        for rows in _runs(sample, key):
            size = len(rows) * scale
            pairs = len(rows) * (len(rows) - 1) / 2 * scale * scale
            if longest is None or size <= longest:
                seconds += pairs * COSTS.candidate
            else:
                below = rest.take(rows)
                seconds += _seconds_below(below, size, distance, most - seconds)
        if seconds > most:
            break
    return seconds


def _seconds_below(sample: BitView, n: float, distance: int, most: float) -> float:
    """Return what a run of n fingerprints would cost, by a sample of them, or more than `most`."""
    view = sample.varying()
    ball = view.ball(distance) if view.width else sample.ball(distance)
    scan = plan(ball, int(n), search="exhaustive")
    chosen = plan(ball, int(n))
    if chosen.search != "tables" or not view.width:
        return scan.seconds
    most = min(most, scan.seconds)
    return min(_seconds(view, n, chosen, most, _OVERHEAD), scan.seconds)


def _runs(view: BitView, key: Pieces) -> list[RowIds]:
    """Return the rows of each run of several equal keys."""
    values: U64 = np.empty(len(view), np.uint64)
    view.pack(key, width(key), values)
    order = np.argsort(values, kind="stable")
    values = values[order]
    starts = run_starts(values)
    sizes = np.diff(starts, append=len(values))
    several = np.flatnonzero(sizes > 1)
    runs = zip(starts[several].tolist(), sizes[several].tolist(), strict=True)
    return [order[start : start + size] for start, size in runs]
