"""Fixtures: a browser for all tests of the report, a page for each."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import launched


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real Chromium; skipped with a reason where there is none."""
    with launched() as found:
        yield found


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """An empty page that fails the test on any message, dialog, error or request."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, locale="en-US")
    opened = context.new_page()
    heard: list[str] = []
    opened.on("console", lambda message: heard.append(f"console: {message.text}"))
    opened.on("pageerror", lambda error: heard.append(f"error: {error}"))
    opened.on("request", lambda request: heard.append(f"request: {request.url}"))
    opened.on("dialog", lambda dialog: (heard.append("dialog"), dialog.dismiss()))
    yield opened
    context.close()
    assert heard == []


@pytest.fixture
def page_of(simdup: Any, tmp_path: Path) -> Callable[..., Path]:
    """Scan sources and return where the page is."""

    def make(*arguments: Any) -> Path:
        given = [one.relative_to(tmp_path) if isinstance(one, Path) else one for one in arguments]
        done = simdup("scan", *given, "-s", "0.5", "-o", "report.html", "-q")
        assert done.err == ""
        return tmp_path / "report.html"

    return make
