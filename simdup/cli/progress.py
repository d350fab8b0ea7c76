"""Progress bars on standard error, where they are wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from simdup.model.settings import Progress, no_progress


@contextmanager
def progress(wanted: bool | None, quiet: bool) -> Iterator[Progress]:
    """Yield a callback that shows a stage, its progress, the rate and the time left.

    If `wanted`, bars are shown even with `quiet`; None shows them on a terminal only.
    """
    if not (wanted if wanted is not None else sys.stderr.isatty() and not quiet):
        yield no_progress
        return
    from simdup.progress import progress_bars

    with progress_bars(terminal=True) as show:
        yield show
