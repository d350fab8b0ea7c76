"""Progress on standard error; the only place that knows tqdm."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from simdup.model.settings import Progress, no_progress

_UNITS = {"reading": "B", "comparing": " texts"}
_LOOKS = {"unit_scale": True, "unit_divisor": 1000, "leave": False, "dynamic_ncols": True}
# Work that ends sooner needs no bar.
_DELAY = 0.5


@contextmanager
def progress(wanted: bool | None, quiet: bool) -> Iterator[Progress]:
    """Yield a callback that shows a stage, what of it is done, a rate and the time left.

    Bars that are `wanted` are shown whatever `quiet` says; None shows them on a terminal.
    """
    if not (wanted if wanted is not None else sys.stderr.isatty() and not quiet):
        yield no_progress
        return
    from tqdm import tqdm

    bars: dict[str, Any] = {}

    def show(stage: str, done: int, total: int | None) -> None:
        if stage not in bars:
            for bar in bars.values():
                bar.close()
            bars[stage] = tqdm(
                desc=stage,
                total=total,
                unit=_UNITS.get(stage, " pairs"),
                delay=_DELAY,
                file=sys.stderr,
                **_LOOKS,
            )
        bars[stage].update(done - bars[stage].n)

    try:
        yield show
    finally:
        for bar in bars.values():
            bar.close()
