"""Progress on standard error; the only place that knows tqdm."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[str, int, int | None], None]

# Work that ends sooner needs no bar.
_DELAY = 0.5


@contextmanager
def progress(wanted: bool | None, quiet: bool) -> Iterator[Progress]:
    """Give a callback that shows a stage, what of it is done, a rate and the time left.

    Parameters
    ----------
    wanted : bool or None
        The user's wish; None shows bars on a terminal only.
    quiet : bool
        Whether the user wants silence, unless they asked for bars all the same.
    """
    if not (wanted if wanted is not None else sys.stderr.isatty() and not quiet):
        yield lambda stage, done, total: None
        return
    from tqdm import tqdm

    bars: dict[str, Any] = {}

    def show(stage: str, done: int, total: int | None) -> None:
        if stage not in bars:
            for bar in bars.values():
                bar.close()
            unit = "B" if stage == "reading" else " pairs"
            bars[stage] = tqdm(
                desc=stage,
                total=total,
                unit=unit,
                unit_scale=True,
                unit_divisor=1000,
                delay=_DELAY,
                leave=False,
                dynamic_ncols=True,
                file=sys.stderr,
            )
        bars[stage].update(done - bars[stage].n)

    try:
        yield show
    finally:
        for bar in bars.values():
            bar.close()
