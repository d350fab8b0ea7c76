"""Whole commands, as a user runs them: start-up, scans, large groups, the report page.

The files have just been written, so the system has them in memory: disks are not measured. Only
idle cores give fair ratios: whatever else runs takes more from simdup's processes than from the one
process of the plain pipeline.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from lab.corpora import real
from lab.corpora.made import characters
from lab.corpora.real import Corpus
from lab.measuring import (
    CHECKOUT,
    JOBS,
    MB,
    SIMDUP,
    Ran,
    clock,
    in_turn,
    median_seconds,
    peak_memory,
    ratio,
    run,
    simdup,
)
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial, say

NOTICES = CHECKOUT / "examples" / "corpus" / "notices"


def start(trial: Trial) -> Iterator[Table]:
    """Start-up: how long users wait for programs that have little to do."""
    paths = [str(NOTICES / f"宿舍管理规定-{year}.txt") for year in (2021, 2022)]
    commands = {
        "an empty program": [sys.executable, "-c", "pass"],
        "import simdup": [sys.executable, "-c", "import simdup"],
        "simdup --help": [*SIMDUP, "--help"],
        "simdup compare of two notices": [*SIMDUP, "compare", *paths],
    }
    works = [partial(run, command, statuses=(0, 1)) for command in commands.values()]
    taken = [[1e3 * ran.seconds for ran in rans] for rans in in_turn(7 * trial.rounds, *works)]
    empty = taken[0]
    rows = (
        {"program": name, "ms": statistics.median(ms),
         "ms above empty": statistics.median(a - b for a, b in zip(ms, empty, strict=True)),
         "ratio to empty": ratio(ms, empty)}
        for name, ms in zip(commands, taken, strict=True)
    )  # fmt: skip
    yield tabulate("Start-up", rows)


# -- scans --

BASELINE = [sys.executable, "-m", "lab.bench.baseline"]


def scan(trial: Trial) -> Iterator[Table]:
    """Whole scans: speed compared with a plain pipeline, memory, short files, other methods."""
    folder, pick = trial.folder, trial.pick
    whole = real.write_files(real.laws_and_manual(pick(200, None)), folder / "real")
    long = real.write_files(real.long_texts(pick(2_000_000, 300_000_000)), folder / "long")
    short = real.write_files(real.short_texts(pick(3000, 100_000)), folder / "short")

    def reading() -> float:
        return clock(lambda: [Path(name).read_bytes() for name in short.files()])

    def simhash() -> float:
        return _scan(whole, "--method", "simhash").seconds

    # By name: a scan, and what to compare it with, which returns its seconds.
    cases: dict[str, tuple[Corpus, tuple[str, ...], str, Callable[[], float]]] = {
        "laws and manual": (whole, (), *_plain_pipeline(whole, pick(5e5, None))),
        "passages of them": (long, (), *_plain_pipeline(long, pick(5e5, 16e6))),
        "short texts": (short, (), "opening and reading", reading),
        "laws and manual, auto": (whole, (), "simhash", simhash),
        "laws and manual, minhash": (whole, ("--method", "minhash"), "simhash", simhash),
    }
    rows: list[Row] = []
    for name, (corpus, options, beside, other) in cases.items():
        say(f"scan of {name}")
        work = partial(_scan, corpus, *options)
        ours, theirs = in_turn(trial.rounds, work, other)
        seconds, size = median_seconds(ours), corpus.size / MB
        rows.append(
            {"corpus": name, "MB": size, "documents": corpus.documents,
             "s": seconds, "CPU s": statistics.median(ran.cpu for ran in ours),
             "MB/s": size / seconds, "documents/s": corpus.documents / seconds,
             "peak MB": peak_memory(*_scanning(corpus, *options)),
             "beside": beside, "s beside": statistics.median(theirs),
             "ratio": ratio(theirs, [ran.seconds for ran in ours])}
        )  # fmt: skip
    note = f"{JOBS} jobs; peak: PSS of all processes; ratio: seconds beside to seconds"
    yield tabulate("Scans", rows, note)
    yield tabulate("Dedupe of records", [_deduped(trial)])


def _scanning(corpus: Corpus, *options: str) -> tuple[object, ...]:
    return "scan", "-q", "-j", JOBS, "-f", "jsonl", *options, corpus.path


def _scan(corpus: Corpus, *options: str) -> Ran:
    """Return what a scan took, which must have read every document."""
    ran = simdup(*_scanning(corpus, *options))
    summary = ran.records[-1]
    read = summary["documents"] + summary["skipped"]
    if read != corpus.documents:
        raise SystemExit(f"benchmarks: {read} documents of {corpus.documents}")
    return ran


def _plain_pipeline(corpus: Corpus, sample: float | None) -> tuple[str, Callable[[], float]]:
    """Return the name and the work of the plain pipeline, scaled from a sample of some bytes."""
    files = corpus.files()
    if sample is not None and sample < corpus.size:
        random.Random(0).shuffle(files)
        files = sorted(files[: max(1, round(len(files) * sample / corpus.size))])
    names = "\n".join(files).encode()
    run(BASELINE)  # writes jieba's cache

    def work() -> float:
        ran = run(BASELINE, names)
        (done,) = ran.records
        # Only the work grows with the texts: start-up and dictionary count once.
        return ran.seconds + done["working"] * (corpus.size / done["size"] - 1)

    scaled = f", scaled from {len(files):,} files" if len(files) < corpus.documents else ""
    return "plain pipeline" + scaled, work


def _deduped(trial: Trial) -> Row:
    """Clean records of about 1 kB: a million of them only if the largest inputs are wanted."""
    documents = 10**6 if trial.size == "large" else trial.pick(1000, 100_000)
    say(f"dedupe of {documents:,} records")
    records = real.numbered(real.records(documents))
    corpus = real.write_records(records, trial.folder / "records.jsonl")
    clean = trial.folder / "clean.jsonl"
    arguments = ("dedupe", "-q", "-j", JOBS, corpus.path, "-o", clean)
    ran = simdup(*arguments)
    clean.unlink()
    return {
        "records": documents, "MB": corpus.size / MB, "s": ran.seconds, "CPU s": ran.cpu,
        "peak MB": peak_memory(*arguments),
    }  # fmt: skip


# -- large groups --


def large_groups(trial: Trial) -> Iterator[Table]:
    """Large groups: pages of one template, chunks of pages, messages with a number, equal prints.

    Each corpus is scanned at one size and at twice that size: what costs the square takes four
    times as long. The texts are made of syllables, so nothing else is needed.
    """
    pages, chunks, messages, shuffled = trial.pick(
        (200, 500, 1000, 500), (20_000, 30_000, 100_000, 50_000)
    )
    cases: dict[str, tuple[int, Callable[[int], Iterator[str]]]] = {
        "pages of one template, 0.9 alike": (pages, partial(_pages, own=50)),
        "pages of one template, 0.8 alike": (pages, partial(_pages, own=110)),
        "pages of one template, 0.67 alike": (pages, partial(_pages, own=200)),
        "overlapping chunks of pages of templates": (chunks, _chunks),
        "messages that differ in a number": (messages, _messages),
        "words in any order, equal fingerprints": (shuffled, _shuffled),
    }
    rows: list[Row] = []
    for name, (count, make) in cases.items():
        say(name)
        once, twice = (
            real.write_records(real.numbered(make(size)), trial.folder / f"{size}.jsonl")
            for size in (count, 2 * count)
        )
        ran, more = _scan(once), _scan(twice)
        summary = ran.records[-1]
        rows.append(
            {"corpus": name, "documents": count,
             "s": ran.seconds, "CPU s": ran.cpu, "peak MB": peak_memory(*_scanning(once))}
            | {key: summary[key] for key in ("checked", "clusters", "unchecked")}
            | {"twice as many, s": more.seconds, "ratio of CPU s": more.cpu / ran.cpu}
        )  # fmt: skip
    note = f"default method, {JOBS} jobs; peak: PSS of all processes"
    yield tabulate("Large groups", rows, note)


def _pages(count: int, own: int, length: int = 1000) -> Iterator[str]:
    """Pages that share all but some characters."""
    chance = random.Random(1)
    page = characters(chance, length - own)
    middle = len(page) // 2
    return (page[:middle] + characters(chance, own) + page[middle:] for _ in range(count))


def _chunks(
    count: int, length: int = 300, of_page: int = 50, of_template: int = 600
) -> Iterator[str]:
    """Texts cut at random places of pages; two pages of a template differ in 4 % of places."""
    chance = random.Random(4)
    pages: list[str] = []
    while len(pages) < count // of_page:
        template = characters(chance, 2000)
        for _ in range(min(of_template, count // of_page - len(pages))):
            page = list(template)
            for place in chance.choices(range(len(page)), k=len(page) // 50):
                page[place] = characters(chance, 1)
            pages.append("".join(page))
    for _ in range(count):
        page, start = chance.choice(pages), chance.randrange(2000 - length)
        yield page[start : start + length]


def _messages(count: int, length: int = 120, digits: int = 9) -> Iterator[str]:
    """Messages that share all but a number."""
    chance = random.Random(2)
    words = characters(chance, length - digits)
    middle = len(words) // 2
    for _ in range(count):
        yield f"{words[:middle]}{chance.randrange(10**digits):0{digits}d}{words[middle:]}"


def _shuffled(count: int, words: int = 20, times: int = 3) -> Iterator[str]:
    """The same words, each as often, in any order: terms and weights are equal."""
    chance = random.Random(3)
    every = [characters(chance, 2) for _ in range(words)] * times
    for _ in range(count):
        chance.shuffle(every)
        yield " ".join(every)


# -- the report page --

BROWSERS = ("chromium", "google-chrome", "msedge")

# Opens some clusters one after the other, and returns the milliseconds, rising.
OPEN = """async () => {
  const [times, all] = [[], List.all()];
  for (let i = 0; i < 60; i += 1) {
    const start = performance.now();
    await Cluster.draw(document.getElementById('detail'), all[(i * 997) % all.length], null);
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


def report(trial: Trial) -> Iterator[Table]:
    """The report page: how long it takes to write, to open and to use with 100,000 clusters."""
    from simdup import scan
    from simdup.model.settings import Reading

    clusters, page = trial.pick(2_000, 100_000), trial.folder / "report.html"
    source = real.write_records(_clusters(clusters), trial.folder / "texts.jsonl").path
    result = scan(str(source), similarity=0.5, reading=Reading(id_field="id"))
    started = time.process_time()
    result.to_html(str(page))
    figures = {
        "write the page, s of processor time": time.process_time() - started,
        "file, MB": os.path.getsize(page) / 1e6,
        **dict(_in_browser(page)),
    }
    rows = ({"what": what, "value": value} for what, value in figures.items())
    yield tabulate(f"Report page, {clusters:,} clusters of 3 documents", rows)


def _clusters(count: int) -> Iterator[tuple[str, str]]:
    chance = random.Random(5)
    syllables = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]
    for number in range(count):
        text = chance.choices(syllables, k=250)
        for copy in range(3):
            for _ in range(2 * copy):
                text[chance.randrange(len(text))] = chance.choice(syllables)
            yield f"folder{number % 97}/doc-{number}-{copy}.txt", "".join(text)


def _in_browser(page: Path) -> Iterator[tuple[str, Any]]:
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
        view.evaluate("App.ready")
        view.evaluate("location.hash = '#/clusters'")
        view.wait_for_selector(".why .prints")
        times = view.evaluate(OPEN)
        yield "open a cluster, median ms", times[len(times) // 2]
        yield "open a cluster, 95th percentile, ms", times[len(times) * 95 // 100]
        yield "scroll the list, frames a second", view.evaluate(SCROLL)
        yield "memory of the page, MB", view.evaluate("performance.memory.usedJSHeapSize / 1e6")
        opened.close()
