"""Progress bars; the only module that uses tqdm."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_UNITS = {
    "reading": "B", "cutting": "B", "writing": "B", "comparing": " texts",
    "fingerprinting": " texts",
    "matching": " documents", "grouping": " documents", "clustering": " clusters",
    "listing": " documents", "adding": " documents",
}  # fmt: skip
_LOOKS = {"unit_scale": True, "unit_divisor": 1000, "leave": False, "dynamic_ncols": True}
# Shorter work needs no bar.
_DELAY = 0.5
# Seconds after which a bar is drawn again, so that a stage that counts nothing shows its time.
_BEAT = 1.0


# What takes the bars of each run off the terminal.
_CLEARING = list[Callable[[], None]]()


def clear_bars() -> None:
    """Take bars off the terminal, so that a line can be written; the next step shows one again."""
    for clear in _CLEARING:
        clear()


class _Unfailing:
    """Standard error; a run goes on if it is full or closed.

    tqdm must not see that: it would keep its lock.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.flush()


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

        file: Any = _Unfailing()
    else:
        from tqdm.auto import tqdm

        file = sys.stderr
    bars: dict[str, Any] = {}
    started = time.monotonic()
    drawing, ended = threading.Lock(), threading.Event()

    def draw_again() -> None:
        # If nothing can be written, the next step of the run says so.
        with suppress(OSError, ValueError):
            while not ended.wait(_BEAT):
                with drawing:
                    for bar in list(bars.values())[-1:]:
                        bar.refresh()

    beat = threading.Thread(target=draw_again, daemon=True)

    def show(stage: str, done: int, total: int | None) -> None:
        with drawing:
            if stage not in bars:
                for bar in bars.values():
                    bar.close()
                unit = _UNITS.get(stage, " pairs")
                # Of a longer run every stage is shown at once: some say nothing until they end.
                delay = max(_DELAY - (time.monotonic() - started), 0)
                bars[stage] = tqdm(
                    desc=stage, total=total, unit=unit, delay=delay, file=file, **_LOOKS
                )
            bars[stage].update(done - bars[stage].n)
        if not beat.ident:
            beat.start()

    def clear() -> None:
        with drawing:
            for bar in bars.values():
                bar.close()
            bars.clear()

    _CLEARING.append(clear)
    try:
        yield show
    finally:
        _CLEARING.remove(clear)
        ended.set()
        if beat.ident:
            beat.join()
        clear()
