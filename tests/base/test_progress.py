"""Progress bars, shown to Python users on request only."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import environment

from lab.corpora.made import near, prose
from simdup import Index, dedupe, progress_bars, scan
from simdup.cli.messages import say
from simdup.model.settings import RunOptions
from simdup.show.escaping import TerminalStream

FULL = Path("/dev/full")
TEXTS = [("a", prose(1)), ("b", near(prose(1)))]


def test_bars_are_shown_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simdup.base.progress._DELAY", 0)
    plain = scan(TEXTS)
    assert capsys.readouterr() == ("", "")
    with progress_bars() as progress:
        assert scan(TEXTS, run=RunOptions(progress=progress)).pairs == plain.pairs
    said = capsys.readouterr()
    assert said.out == ""
    assert "reading" in said.err
    assert "grouping" in said.err


def test_a_stage_that_counts_nothing_shows_how_long_it_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simdup.base.progress._DELAY", 0)
    said = ""
    with progress_bars(terminal=True) as show:
        show("reading", 5, 5)
        show("searching", 0, None)
        started = time.monotonic()
        # A busy machine may pass over a second.
        counted = re.compile("00:(?!00|01)[0-9]{2}")
        while not counted.search(said) and time.monotonic() < started + 30:
            time.sleep(0.05)
            said += capsys.readouterr().err
        show("verifying", 1, 2)
        said += capsys.readouterr().err
        time.sleep(1.5)
        after = capsys.readouterr().err
    assert "searching" in said
    assert counted.search(said)
    # One that has ended does not come back.
    assert "searching" not in after


@pytest.mark.parametrize("write", [say, TerminalStream(sys.stdout.buffer).write])
def test_a_bar_is_cleared_before_a_line_is_written(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Any], object],
) -> None:
    monkeypatch.setattr("simdup.base.progress._DELAY", 0)
    with progress_bars(terminal=True) as show:
        show("comparing", 1, 2)
        before = capsys.readouterr().err
        write("a line" if write is say else b"")
        cleared = capsys.readouterr().err
        show("comparing", 2, 2)
        again = capsys.readouterr().err
    assert "comparing" in before
    assert re.match(r"\r +\r(a line\n)?$", cleared)
    assert "comparing" in again


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_bars_that_cannot_be_written_stop_nobody() -> None:
    # Whoever draws first, this thread or the one that draws again.
    code = (
        "import sys, time, simdup.base.progress as shown\n"
        "from simdup import progress_bars\n"
        "shown._DELAY, shown._BEAT = float(sys.argv[1]), 0.01\n"
        "with progress_bars(terminal=True) as show:\n"
        "    for n in range(20):\n"
        "        show('reading' if n < 10 else 'comparing', n, 20)\n"
        "        time.sleep(0.03)\n"
        "print('done')\n"
    )
    for delay in ("0", "0.1"):
        with FULL.open("wb") as full:
            done = subprocess.run(
                [sys.executable, "-c", code, delay], env=environment(), stdout=subprocess.PIPE,
                stderr=full, check=False, timeout=60,
            )  # fmt: skip
        assert done.stdout == b"done\n"


def test_a_notebook_shows_widgets() -> None:
    # A stand-in for tqdm's choice, which it makes when it is imported.
    code = (
        "import sys, tqdm.std, types\n"
        "made = []\n"
        "class Widget(tqdm.std.tqdm):\n"
        "    def __init__(self, **looks):\n"
        "        made.append(looks['desc'])\n"
        "        super().__init__(**looks)\n"
        "auto = types.ModuleType('tqdm.auto')\n"
        "auto.tqdm = Widget\n"
        "sys.modules['tqdm.auto'] = auto\n"
        "from simdup import progress_bars\n"
        "with progress_bars() as show: show('reading', 1, 2)\n"
        "with progress_bars(terminal=True) as show: show('verifying', 1, 2)\n"
        "print(made)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout == "['reading']\n"


@pytest.mark.parametrize("many", [30, 300])
def test_every_stage_of_a_cleaned_corpus_is_told_to_the_end(tmp_path: Path, many: int) -> None:
    """Small clusters, or one family: what can be counted has a total, and reaches it."""
    said: list[tuple[str, int, int | None]] = []
    page = prose(1)
    texts = [page + prose(1000 + n, 10) if many > 30 else prose(n // 3) for n in range(many)]
    rows = [{"id": n, "text": near(text) if n % 3 else text} for n, text in enumerate(texts)]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "in").mkdir()
    for n, row in enumerate(rows):
        (tmp_path / "in" / f"{n}.txt").write_text(str(row["text"]))
    run = RunOptions(progress=lambda *one: said.append(one))
    order = ["reading", "fingerprinting", "searching", "grouping", "clustering"]
    last = ["aligning", "writing", "listing"]
    for source, target in (("r.jsonl", "o.jsonl"), ("in", "out")):
        said.clear()
        cleaned = dedupe(str(tmp_path / source), output=tmp_path / target, run=run)
        assert cleaned.removed
        stages = list(dict.fromkeys(stage for stage, _, _ in said))
        assert stages == [*order, *last]
        ends = {stage: (done, total) for stage, done, total in said}
        counted = {"reading", "fingerprinting", "grouping", "clustering", "aligning", "listing"}
        counted |= {"writing"} if source == "in" else set()
        for stage in counted:
            done, total = ends[stage]
            assert done == total, stage
        distinct = len({row["text"] for row in rows})
        assert ends["fingerprinting"] == (distinct, distinct)
        if source == "r.jsonl":
            assert ends["writing"] == (cleaned.bytes_after, None)


def documents(many: int) -> list[tuple[str, str]]:
    """Many texts, none near another."""
    return [(str(n), f"{prose(n % 500, 40)} {n}{n * 7919 % 9973}") for n in range(many)]


@pytest.mark.parametrize("many", [3, 40_000])
def test_adding_to_an_index_is_told_to_the_end(tmp_path: Path, many: int) -> None:
    """A new index, one that has half of them, fingerprints alone: the same stage."""
    said: list[tuple[str, int, int | None]] = []
    run = RunOptions(progress=lambda *one: said.append(one))
    lines = [(str(n), n * 7919) for n in range(many)]

    def told(what: Callable[[], object]) -> tuple[list[str], list[int]]:
        said.clear()
        what()
        steps = [done for stage, done, total in said if (stage, total) == ("adding", many)]
        return list(dict.fromkeys(stage for stage, _, _ in said)), steps

    def built() -> None:
        Index.build(str(tmp_path / "b"), lines, fingerprints=True, run=run).close()

    def added() -> None:
        with Index.open(str(tmp_path / "b")) as index:
            index.add(((name, value + 1) for name, value in lines), fingerprints=True, run=run)

    for what in (built, added):
        stages, steps = told(what)
        assert stages == ["adding"]
        assert steps[0] == 0
        assert steps[-1] == many
        assert steps == sorted(steps)
        assert (len(steps) > 3) == (many > 3)
