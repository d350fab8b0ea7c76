"""A real Chromium for tests of the report page: found on PATH, driven by playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support import ROOT

ASSETS = ROOT / "simdup" / "show" / "report" / "assets"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge")


def missing(reason: str) -> None:
    """Skip, or fail where the browser is required."""
    if os.environ.get("SIMDUP_REQUIRE_CHROMIUM") == "1":
        pytest.fail(f"SIMDUP_REQUIRE_CHROMIUM is set, but {reason}")
    pytest.skip(reason)


@contextmanager
def launched() -> Iterator[object]:
    """Start the browser that PATH knows."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        missing(f"no browser on PATH: {', '.join(NAMES)}")
    with sync_playwright() as playwright:
        # Containers run tests as root, where the browser's sandbox does not start.
        root = getattr(os, "geteuid", lambda: 1)() == 0
        browser = playwright.chromium.launch(executable_path=path, chromium_sandbox=not root)
        yield browser
        browser.close()
