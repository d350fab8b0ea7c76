"""What an entry of the hostile corpus is, and what a run of the command leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lab.breaking.running import USUAL, Around
from lab.breaking.striking import Fault


class Scale(NamedTuple):
    """How large the files of the corpus are.

    Attributes
    ----------
    unit : int
        Bytes of a large file, unpacked.
    most : str
        The value of ``--max-size``.
    depth : int
        Of brackets and elements.
    """

    unit: int
    most: str
    depth: int


# The status of an entry whose run may end with an error, in one line, or do its work.
EITHER = -1

SMALL = Scale(4 << 20, "1M", 20_000)
FULL = Scale(1 << 30, "100M", 100_000)
SCALES = {"small": SMALL, "full": FULL}


@dataclass(frozen=True)
class Entry:
    """One thing that the world may do to simdup, and what should happen.

    Attributes
    ----------
    name : str
        What it is.
    fill : callable
        Makes files in a folder; ``c/`` in it has two texts that are near-duplicates already.
    commands : tuple of tuple of str
        Commands that meet it; without any, those in `READERS`.
    status : int
        What the commands return, or `EITHER`.
    says : str
        A regular expression of what is printed on standard error.
    seconds, megabytes : float
        What a run may take.
    fault : Fault, optional
        What happens to a file when it is opened.
    leaves : tuple of str
        Files that are there afterwards.
    large : bool
        Whether there is no small size of it.
    """

    name: str
    fill: Callable[[Path, Scale], object] = lambda folder, scale: None
    commands: tuple[tuple[str, ...], ...] = ()
    status: int = 2
    says: str = ""
    seconds: float = 5
    megabytes: float = 600
    around: Around = USUAL
    fault: Fault | None = None
    leaves: tuple[str, ...] = ()
    large: bool = False


def typed(*lines: str) -> tuple[tuple[str, ...], ...]:
    """Return the arguments of commands as people type them."""
    return tuple(tuple(line.split()) for line in lines)
