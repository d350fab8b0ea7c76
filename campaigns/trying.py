"""Shared by campaigns: how much to try, where, and what failed."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

Amount = TypeVar("Amount")


@dataclass
class Trial:
    """One run of a campaign.

    Attributes
    ----------
    folder : Path
        An empty folder for what the campaign makes.
    size : str
        ``small`` is what the suite runs, ``full`` gives the published figures.
    failures : list of str
        What went wrong, a line each. The campaign goes on after a failure.
    """

    folder: Path
    size: str = "full"
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
    print(f"campaigns: {what}", file=sys.stderr, flush=True)
