"""Fixtures: a browser for all tests of the report, a page for each."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import launched
from pages import borrowed, corpus
from support import process


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real Chromium; skipped with a reason where there is none."""
    with launched() as found:
        yield found


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a scan that many tests open and none changes."""
    folder = tmp_path_factory.mktemp("report")
    corpus(folder / "texts")
    done = process("scan", "texts", "-s", "0.5", "-o", "report.html", "-q", cwd=folder)
    assert (done.status, done.err) == (0, "")
    return folder / "report.html"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """An empty page that fails the test on any message, dialog, error or request."""
    with borrowed(browser) as empty:
        yield empty


@pytest.fixture
def page_of(simdup: Any, tmp_path: Path) -> Callable[..., Path]:
    """Scan sources and return where the page is."""

    def make(*arguments: Any) -> Path:
        given = [one.relative_to(tmp_path) if isinstance(one, Path) else one for one in arguments]
        done = simdup("scan", *given, "-s", "0.5", "-o", "report.html", "-q")
        assert done.err == ""
        return tmp_path / "report.html"

    return make
