"""A plugin of pytest that counts comparisons with oracles: ``-p lab.breaking.counting``.

It writes the counts as JSON to the file that the environment variable SIMDUP_COUNTS names.
"""

from __future__ import annotations

import importlib
import json
import os
from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

ORACLES = ("oracles.plain", "oracles.search", "oracles.families", "oracles.reuse")
# What they make of one text or one set of terms, by the name of the oracle; others judge pairs.
PAIRS = {
    "jaccard": "similarity", "resemblance": "similarity", "containment": "containment",
    "contained": "containment", "cosine": "cosine", "edit_similarity": "edit similarity",
    "edit_distance": "edit similarity", "lcs": "common words", "equal_runs": "passages",
}  # fmt: skip
# These look at all pairs of the rows that they get first.
ALL_PAIRS = {"oracle": "Hamming distance", "sharing_a_key": "equal band keys"}
VALUES = {
    "simhash": "fingerprints", "fingerprint": "fingerprints", "minhash": "signatures",
    "pstable": "signatures", "weights": "weights", "tfidf": "weights", "fold": "folded texts",
    "words": "words of texts",
}  # fmt: skip

counts: Counter[str] = Counter()
_running = [0]


def pytest_configure() -> None:
    """Count the calls of oracles; those that one of them makes itself do not count again."""
    for module in map(importlib.import_module, ORACLES):
        for name in {*PAIRS, *ALL_PAIRS, *VALUES} & {*vars(module)}:
            setattr(module, name, _counted(name, getattr(module, name)))


def _counted(name: str, oracle: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(oracle)
    def call(*given: Any, **named: Any) -> Any:
        if not _running[0]:
            rows = len(given[0]) if name in ALL_PAIRS else 0
            counts[ALL_PAIRS.get(name) or PAIRS.get(name) or VALUES[name]] += (
                rows * (rows - 1) // 2 if rows else 1
            )
        _running[0] += 1
        try:
            return oracle(*given, **named)
        finally:
            _running[0] -= 1

    return call


def pytest_sessionfinish() -> None:
    """Write the counts."""
    Path(os.environ["SIMDUP_COUNTS"]).write_text(json.dumps(counts), "utf-8")
