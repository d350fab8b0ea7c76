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

        A folder that Spark was stopped in may look complete, so a second one, written afterwards,
        says that it is.
        """
        content, done = f"{self.folder}/{name}", f"{self.folder}/{name}.done"
        if not self._exists(done):
            make().write.mode("overwrite").parquet(content)
            self.session.range(1).coalesce(1).write.mode("overwrite").parquet(done)
        return self.session.read.parquet(content)

    def _exists(self, folder: str) -> bool:
        from pyspark.errors import AnalysisException

        try:
            self.session.read.parquet(folder)
        except AnalysisException:
            return False
        return True
