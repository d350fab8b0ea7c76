"""The report page: how long it takes to write, to open and to use with 100,000 clusters."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lab.reporting import Table
from lab.trial import Trial

BROWSERS = ("chromium", "google-chrome", "msedge")
CHARACTERS = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]

# Opens some clusters one after the other, and returns the milliseconds, rising.
OPEN = """async () => {
  const [times, all] = [[], simdupList.all()];
  for (let i = 0; i < 60; i += 1) {
    const start = performance.now();
    await simdupCluster.draw(document.getElementById('detail'), all[(i * 997) % all.length], null);
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}"""

# Scrolls through the list for two seconds, and returns the frames of one.
SCROLL = """async () => {
  const [box, start] = [document.querySelector('.rows'), performance.now()];
  let frames = 0;
  while (performance.now() - start < 2000) {
    box.scrollTop += 400;
    await new Promise(requestAnimationFrame);
    frames += 1;
  }
  return frames / 2;
}"""


def run(trial: Trial) -> Iterator[Table]:
    """Write the page of made clusters of three documents, and open it in a browser."""
    clusters = trial.pick(2_000, 100_000)
    page = trial.folder / "report.html"
    rows = [*_write(trial.folder / "texts.jsonl", page, clusters), *_use(page)]
    yield Table(f"Report page, {clusters:,} clusters of 3 documents", ("what", "value"), rows)


def _make(path: Path, clusters: int) -> None:
    chance = random.Random(5)
    with path.open("w", encoding="utf-8") as file:
        for i in range(clusters):
            text = chance.choices(CHARACTERS, k=250)
            for copy in range(3):
                for _ in range(2 * copy):
                    text[chance.randrange(len(text))] = chance.choice(CHARACTERS)
                record = {"id": f"folder{i % 97}/doc-{i}-{copy}.txt", "text": "".join(text)}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _write(source: Path, page: Path, clusters: int) -> Iterator[tuple[str, Any]]:
    from simdup import scan
    from simdup.model.reading import Reading

    _make(source, clusters)
    result = scan(str(source), similarity=0.5, reading=Reading(id_field="id"))
    start = time.process_time()
    result.to_html(str(page))
    yield "write the page, s of processor time", time.process_time() - start
    yield "file, MB", os.path.getsize(page) / 1e6


def _use(page: Path) -> Iterator[tuple[str, Any]]:
    """Open the page; without playwright and a browser there are no such figures."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser = None
    if browser is None:
        yield "in a browser", "no browser"
        return
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser)
        view = opened.new_page(viewport={"width": 1400, "height": 900})
        view.goto(page.as_uri())
        paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        yield "first paint, ms", view.evaluate(paint)
        view.evaluate("simdupApp.ready")
        view.evaluate("location.hash = '#/clusters'")
        view.wait_for_selector(".why .prints")
        times = view.evaluate(OPEN)
        yield "open a cluster, median ms", times[len(times) // 2]
        yield "open a cluster, 95th percentile, ms", times[len(times) * 95 // 100]
        yield "scroll the list, frames a second", view.evaluate(SCROLL)
        yield "memory of the page, MB", view.evaluate("performance.memory.usedJSHeapSize / 1e6")
        opened.close()
