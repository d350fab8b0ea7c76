"""Pictures of the report page: ``python -m docs.make.screenshots`` writes them to `docs/images/`.

They need a browser and playwright, so they are not among what `python -m docs.make` writes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.make import ROOT

BROWSERS = ("chromium", "google-chrome", "msedge")

# Each picture: its name, the view, the language, the colours.
PICTURES = (
    ("report-overview", "#/", "en-US", "light"),
    ("report-cluster", "#/c/2", "en-US", "light"),
    ("report-cluster-zh", "#/c/2", "zh-CN", "dark"),
)


def main() -> None:
    """Write the pictures of the examples' report."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder, "report.html")
        command = [sys.executable, "-m", "simdup", "scan", "examples/corpus", "-s", "0.6"]
        subprocess.run([*command, "-q", "-o", str(page)], cwd=ROOT, check=True)
        path = next(filter(None, map(shutil.which, BROWSERS)), None)
        sandbox = getattr(os, "geteuid", lambda: 1)() != 0
        browser = playwright.chromium.launch(executable_path=path, chromium_sandbox=sandbox)
        for name, view, language, colours in PICTURES:
            size = {"width": 1400, "height": 900}
            context = browser.new_context(viewport=size, locale=language, color_scheme=colours)
            opened = context.new_page()
            opened.goto(page.as_uri() + view)
            opened.evaluate("App.ready")
            opened.wait_for_timeout(500)
            opened.screenshot(path=ROOT / "docs" / "images" / f"{name}.png")
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
