"""Progress bars on standard error; the only module that uses tqdm."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from simdup.model.settings import Progress, no_progress

_UNITS = {"reading": "B", "comparing": " texts"}
_LOOKS = {"unit_scale": True, "unit_divisor": 1000, "leave": False, "dynamic_ncols": True}
# Shorter work needs no bar.
_DELAY = 0.5


@contextmanager
def progress(wanted: bool | None, quiet: bool) -> Iterator[Progress]:
    """Yield a callback that shows a stage, its progress, the rate and the time left.

    If `wanted`, bars are shown even with `quiet`; None shows them on a terminal only.
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
