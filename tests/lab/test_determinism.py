"""What commands say of a fixed corpus does not depend on how they are run."""

import os
from pathlib import Path

import pytest

from lab.breaking import determinism
from lab.trial import Trial


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the campaigns need it")
def test_digests_are_those_that_the_repository_keeps(tmp_path: Path) -> None:
    """After a change that was meant: `python -m lab record`."""
    trial = Trial(tmp_path, "small")
    (table,) = determinism.run(trial)
    assert not trial.failures
    assert [row[1] for row in table.rows] == [1]
