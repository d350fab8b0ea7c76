"""Progress bars; the only module that uses tqdm."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_UNITS = {
    "reading": "B", "writing": "B", "comparing": " texts", "fingerprinting": " texts",
    "grouping": " documents", "listing": " documents",
}  # fmt: skip
_LOOKS = {"unit_scale": True, "unit_divisor": 1000, "leave": False, "dynamic_ncols": True}
# Shorter work needs no bar.
_DELAY = 0.5


@contextmanager
def progress_bars(*, terminal: bool = False) -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a bar for each stage of a run: how much is done, the rate and the time left.

    In a notebook the bars are widgets, elsewhere lines on standard error.  They vanish when the
    block ends.

    Parameters
    ----------
    terminal : bool
        Whether to show lines even in a notebook.

    Yields
    ------
    callable
        For `RunOptions.progress`.

    Examples
    --------
    >>> from simdup import scan
    >>> from simdup.model.settings import RunOptions
    >>> with progress_bars() as progress:
    ...     found = scan([("a", "some text")], run=RunOptions(progress=progress))
    """
    if terminal:
        from tqdm import tqdm
    else:
        from tqdm.auto import tqdm
    bars: dict[str, Any] = {}
    started = time.monotonic()

    def show(stage: str, done: int, total: int | None) -> None:
        if stage not in bars:
            for bar in bars.values():
                bar.close()
            unit = _UNITS.get(stage, " pairs")
            # Of a longer run every stage is shown at once: some say nothing until they end.
            delay = max(_DELAY - (time.monotonic() - started), 0)
            bars[stage] = tqdm(
                desc=stage, total=total, unit=unit, delay=delay, file=sys.stderr, **_LOOKS
            )
        bars[stage].update(done - bars[stage].n)

    try:
        yield show
    finally:
        for bar in bars.values():
            bar.close()
