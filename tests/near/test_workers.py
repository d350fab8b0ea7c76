"""Several processes, interrupted and killed: none is left afterwards."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import command, environment

from lab.corpora.made import prose, write

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"
)


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus that takes several seconds: 1,000 names of some 20 files of 1 MB."""
    folder = tmp_path_factory.mktemp("huge")
    text = "".join(prose(seed, 20_000) for seed in range(4))
    write(folder / "one", {f"{n}.txt": text[n * 997 :] for n in range(20)})
    for number in range(1000):
        (folder / "corpus").mkdir(exist_ok=True)
        os.link(folder / "one" / f"{number % 20}.txt", folder / "corpus" / f"{number:04}.txt")
    return folder / "corpus"


class Started:
    """A command in a process group of its own, as a shell starts it in the foreground."""

    def __init__(self, folder: Path, *arguments: str | Path) -> None:
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self.process = subprocess.Popen(
            command(*arguments),
            cwd=folder,
            env=environment(TMPDIR=str(self.temporary)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def children(self) -> list[int]:
        """The running processes of its session, except itself."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except (OSError, ValueError):
                continue
            alive = fields[0] not in "ZX"
            if alive and int(fields[3]) == self.process.pid != int(entry.name):
                found.append(int(entry.name))
        return found

    def wait_until_at_work(self) -> None:
        """Wait until two workers have begun to spool texts."""
        until(lambda: len(self.children()) == 2 and len(list(self.temporary.rglob("spool-*"))) == 2)

    def end(self) -> tuple[int, bytes, str]:
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err.decode()


def a_second() -> float:
    """The longest wait of an interrupted user; more if the machine is busy."""
    return 1 if os.getloadavg()[0] < (os.cpu_count() or 1) else 4


def until(wish: Callable[[], bool], seconds: float = 20) -> None:
    last = time.monotonic() + seconds
    while not wish():
        assert time.monotonic() < last, "waited in vain"
        time.sleep(0.01)


@pytest.fixture
def scan(huge: Path, tmp_path: Path) -> Iterator[Started]:
    """A running scan with two processes and an existing output file."""
    (tmp_path / "out.csv").write_text("old")
    started = Started(
        tmp_path, "scan", huge, "-j", "2", "-o", "out.csv", "--recipe", "default,idf=builtin"
    )
    try:
        started.wait_until_at_work()
        yield started
    finally:
        if started.process.poll() is None or started.children():
            os.killpg(started.process.pid, signal.SIGKILL)
        started.process.wait()


def nothing_is_left(started: Started, folder: Path) -> None:
    until(lambda: started.children() == [], 1)
    assert list(started.temporary.iterdir()) == []
    assert (folder / "out.csv").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == ["out.csv", "temporary"]


def test_ctrl_c(scan: Started, tmp_path: Path) -> None:
    pressed = time.monotonic()
    os.killpg(scan.process.pid, signal.SIGINT)
    status, out, err = scan.end()
    assert time.monotonic() - pressed < a_second()
    assert (status, out, err.strip()) == (130, b"", "simdup: interrupted")
    nothing_is_left(scan, tmp_path)


def test_ctrl_c_twice(scan: Started, tmp_path: Path) -> None:
    os.killpg(scan.process.pid, signal.SIGINT)
    os.killpg(scan.process.pid, signal.SIGINT)
    status, _, err = scan.end()
    assert (status, err.strip()) == (130, "simdup: interrupted")
    nothing_is_left(scan, tmp_path)


def test_a_polite_kill(scan: Started, tmp_path: Path) -> None:
    scan.process.terminate()
    status, _, err = scan.end()
    assert (status, err) == (143, "")
    nothing_is_left(scan, tmp_path)


def test_workers_do_not_outlive_a_parent_that_was_killed(scan: Started) -> None:
    scan.process.kill()
    scan.process.communicate()
    until(lambda: scan.children() == [], 5)


def test_a_worker_that_dies_is_one_clear_error(scan: Started, tmp_path: Path) -> None:
    os.kill(scan.children()[0], signal.SIGKILL)
    status, out, err = scan.end()
    assert (status, out) == (2, b"")
    assert re.fullmatch(r"simdup: worker: .*SIGKILL\nhint: .*\n", err)
    nothing_is_left(scan, tmp_path)


def test_an_interrupted_single_process_leaves_nothing_either(huge: Path, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("old")
    started = Started(
        tmp_path, "scan", huge, "-j", "1", "-o", "out.csv", "--recipe", "default,idf=builtin"
    )
    until(lambda: any(started.temporary.rglob("spool-*")))
    pressed = time.monotonic()
    os.killpg(started.process.pid, signal.SIGINT)
    status, _, err = started.end()
    assert time.monotonic() - pressed < a_second()
    assert (status, err.strip()) == (130, "simdup: interrupted")
    nothing_is_left(started, tmp_path)


def test_ctrl_c_while_waiting_for_standard_input(tmp_path: Path) -> None:
    if not Path("/proc/self/wchan").exists():
        pytest.skip("cannot see what a process waits for")
    for name in ("cluster", "scan"):
        folder = tmp_path / name
        folder.mkdir()
        reader, writer = os.pipe()
        with subprocess.Popen(
            command(name, "-"), stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(TMPDIR=str(folder)), cwd=folder, start_new_session=True,
        ) as started:  # fmt: skip
            os.close(reader)
            wchan = Path(f"/proc/{started.pid}/wchan")
            until(lambda wchan=wchan: "pipe" in wchan.read_text())
            os.killpg(started.pid, signal.SIGINT)
            out, err = started.communicate(timeout=10)
            os.close(writer)
        assert (started.returncode, out, err.strip()) == (130, b"", b"simdup: interrupted")
        assert list(folder.iterdir()) == []
