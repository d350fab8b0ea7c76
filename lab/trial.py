"""One run of a benchmark or a campaign: how much, where, and what failed."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

Amount = TypeVar("Amount")


@dataclass
class Trial:
    """What a benchmark or a campaign is run with.

    The size ``small`` takes seconds, ``full`` gives the published figures, ``large`` adds the
    largest inputs of a benchmark. A campaign goes on after a failure.
    """

    folder: Path  # an empty one for what it makes
    size: str = "full"
    rounds: int = 3  # of what is timed
    folders: Sequence[Path] = ()  # of your own, with labels
    options: str = ""  # of simdup on these
    least_score: float | None = None  # of their pairs
    corpora: int | None = None  # how many are made, where it is not the size that says it
    seed: int = 0  # of the first of them
    failures: list[str] = field(default_factory=list)

    def pick(self, small: Amount, full: Amount) -> Amount:
        """Return the one that the size asks for."""
        return small if self.size == "small" else full

    def fail(self, what: str) -> None:
        """Record a failure and print it at once."""
        self.failures.append(what)
        print(f"FAILED: {what}", file=sys.stderr, flush=True)


def say(what: str) -> None:
    """Print progress on standard error."""
    print(f"lab: {what}", file=sys.stderr, flush=True)


def all_known(names: list[str], known: Iterable[str]) -> bool:
    """Return whether names are known; say which are not."""
    known = list(known)
    if unknown := [name for name in names if name not in known]:
        print(f"lab: no such name: {', '.join(unknown)}", file=sys.stderr)
        print(f"hint: it is one of {', '.join(known)}", file=sys.stderr)
    return not unknown
