"""Checkpoints: what each stage has made, so that a job goes on where it was stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

# Classes of pyspark, whose types differ between versions.
DataFrame: TypeAlias = Any
Session: TypeAlias = Any


@dataclass(frozen=True)
class Checkpoint:
    """A folder that all machines reach, for one recipe, criteria and input."""

    session: Session
    folder: str

    def stage(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """Return what a stage has made, or make it.

        Files come into a folder one by one, so a second folder, which is written afterwards, says
        that all are there.
        """
        content, done = f"{self.folder}/{name}", f"{self.folder}/{name}.done"
        if not exists(self.session, done):
            make().write.mode("overwrite").parquet(content)
            self.session.range(1).coalesce(1).write.mode("overwrite").parquet(done)
        return self.session.read.parquet(content)


def exists(session: Session, path: str) -> bool:
    """Return whether a path of any file system exists."""
    from pyspark.errors import AnalysisException

    try:
        # With several paths, Spark does not warn of those that do not exist.
        session.read.format("binaryFile").load([path, path])
    except AnalysisException:
        return False
    return True
