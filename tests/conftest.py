"""Fixtures: the command in this process, and the folder of real texts if present."""

import io
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from support import ROOT, ROUNDS, Command, Ran

from simdup.cli import main

hypothesis.settings.register_profile(
    "suite",
    deadline=None,
    max_examples=25 * ROUNDS,
    suppress_health_check=[
        hypothesis.HealthCheck.too_slow,
        hypothesis.HealthCheck.function_scoped_fixture,
    ],
)
hypothesis.settings.load_profile("suite")


def pytest_configure() -> None:
    # Reports are in the language of the environment; tests expect English.
    os.environ["LC_ALL"] = "C.UTF-8"
    # Under nohup, or in the background of a script, these are ignored, and processes inherit this.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


# What takes longest: begun first, it is not what one process still does while others are done.
# In this order they stay together, for several share what takes a while to start.
LONGEST = (
    "project/test_build.py", "spark/", "lab/test_fuzz.py", "lab/test_recorded.py",
    "lab/test_determinism.py", "lab/test_damage.py", "lab/test_kills.py", "report/",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def turn(item: pytest.Item) -> int:
        place = item.nodeid.removeprefix("tests/")
        return next((i for i, one in enumerate(LONGEST) if place.startswith(one)), len(LONGEST))

    items.sort(key=turn)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let a process that is done take tests from the one that has the most left."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.option.dist == "load" else None


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real texts, which the project does not include."""
    beside = ROOT.parent / "shared" / "data"
    folder = Path(os.environ.get("SIMDUP_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real texts: SIMDUP_DATA is not set and {beside} is missing")
    return folder


@pytest.fixture
def simdup(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Command]:
    """The command, run in this process from `tmp_path`: `simdup("scan", ".", stdin=b"...")`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    opened = []

    def run(*arguments: str | Path, stdin: bytes = b"") -> Ran:
        reader, writer = os.pipe()
        assert len(stdin) < 60_000, "would not fit a pipe at once"
        os.write(writer, stdin)
        os.close(writer)
        opened.append(open(reader, encoding="utf-8"))  # noqa: SIM115
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", opened[-1])
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as left:
                main([str(argument) for argument in arguments])
            out.flush()
            err.flush()
        status = left.value.code
        assert isinstance(status, int)
        return Ran(status, out.buffer.getvalue(), err.buffer.getvalue().decode())

    yield run
    for stream in opened:
        stream.close()
