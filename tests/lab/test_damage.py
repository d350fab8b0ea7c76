"""A few damages of an index; `python -m lab break damage` makes more than a thousand."""

import os
from pathlib import Path

import pytest

from lab.breaking.damage import run
from lab.trial import Trial


@pytest.mark.skipif(not hasattr(os, "fork"), reason="damages are tried in forked children")
def test_damages_are_harmless_or_found(tmp_path: Path) -> None:
    """Flipped bits, truncations, files beside it, and indexes made on purpose: see the campaign."""
    trial = Trial(tmp_path, "small")
    *damaged, full = run(trial)
    assert not trial.failures
    assert all(0 < table.rows[-1][3] <= table.rows[-1][1] for table in damaged)
    _, refused, added, failed = full.rows[0]
    assert failed == 0
    assert min(refused, added) > 0
