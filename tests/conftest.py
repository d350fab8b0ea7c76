"""What several test files share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real texts, which is no part of the project."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SIMDUP_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real texts: SIMDUP_DATA is not set and {beside} is missing")
    return folder
