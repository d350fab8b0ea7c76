"""Calls that fail as on a full disk: all is as it was, one line says why, nothing is left over."""

import errno
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from support import Command

from lab.corpora.made import near, prose, write

# The audit events of calls that write, each with the position of the path that appears.
_EVENTS = {"open": 0, "os.mkdir": 0, "os.rename": 1, "os.link": 1, "sqlite3.connect": 0}
_WRITES = os.O_WRONLY | os.O_RDWR


class Disk:
    """A disk that is full at one of the calls that write to a folder."""

    def __init__(self) -> None:
        self.folder = ""
        self.number = self.calls = 0

    def hear(self, event: str, values: tuple[Any, ...]) -> None:
        if self.folder and event in _EVENTS and (event != "open" or values[2] & _WRITES):
            path = values[_EVENTS[event]]
            if isinstance(path, str) and os.path.abspath(path).startswith(self.folder):
                self.strike()

    def strike(self) -> None:
        self.calls += bool(self.folder)
        if self.folder and self.calls == self.number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


DISK = Disk()


@pytest.fixture(scope="session")
def heard() -> None:
    """One hook for all tests, since none can be removed."""
    sys.addaudithook(DISK.hear)


@pytest.fixture
def disk(heard: None, monkeypatch: pytest.MonkeyPatch) -> Disk:
    fsync = os.fsync  # which has no event

    def sync(descriptor: int) -> None:
        DISK.strike()
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", sync)
    return DISK


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


@pytest.mark.parametrize(
    "line",
    [
        "fingerprint in -o new",
        "fingerprint in -o old",
        "scan in -f csv -o old",
        "dedupe in -o new",
        "dedupe r.jsonl -o old --force",
        "index build new in",
    ],
)
def test_a_call_that_fails_leaves_what_was_there(
    simdup: Command, tmp_path: Path, disk: Disk, line: str
) -> None:
    write(tmp_path, {"in/a.txt": prose(1), "in/b.txt": near(prose(1)), "old": "as it was\n"})
    (tmp_path / "r.jsonl").write_text('{"text": "one"}\n{"text": "one"}\n')
    before = contents(tmp_path)
    for disk.number in range(1, 20):
        disk.calls, disk.folder = 0, str(tmp_path)
        ran = simdup(*line.split(), "-q", "-j", "1")
        disk.folder = ""
        if ran.status == 0:
            break
        assert (ran.status, len(ran.err.splitlines())) == (2, 1)
        assert ran.err.startswith("simdup: ")
        assert ran.err.endswith(": no space left on device\n")
        assert contents(tmp_path) == before
    # Opening, locking, writing, syncing, naming; that of the folder may fail, for all is there.
    assert disk.number > 4
    assert contents(tmp_path) != before
