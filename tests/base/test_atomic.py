"""Atomic output: published in one step, locked, and nothing left behind."""

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support import environment

from simdup import SimdupError
from simdup.base import atomic, system
from simdup.base.atomic import beside, reserve, work_folder


def ours(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(".simdup-")]


_IMPORTS = """import sys, time, os
from simdup.base.atomic import *"""


@contextmanager
def another(code: str, *arguments: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that prints a line once it is ready, and waits; it is killed at the end."""
    script = f"{_IMPORTS}\n{code}"
    running = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert running.stdout is not None
    try:
        assert running.stdout.readline() == "there\n"
        yield running
    finally:
        running.kill()
        running.wait()
        running.stdout.close()


def test_a_file_that_appeared_meanwhile_is_never_replaced(tmp_path: Path) -> None:
    target = tmp_path / "t"
    for replace in (True, False):
        with (  # noqa: PT012
            pytest.raises(SimdupError, match="was created by another program during the run"),
            beside(str(target), replace=replace) as path,
        ):
            Path(path).write_text("mine")
            target.write_text("theirs")
        assert target.read_text() == "theirs"
        target.unlink()
    with beside(str(target), replace=False) as path:
        Path(path).write_text("new")
    with beside(str(target)) as path:
        Path(path).write_text("newer")
    with pytest.raises(SimdupError), beside(str(target), replace=False) as path:
        Path(path).write_text("newest")
    assert target.read_text() == "newer"
    assert target.stat().st_nlink == 1
    assert os.listdir(tmp_path) == ["t"]


def test_a_folder_that_appeared_meanwhile_is_never_replaced(tmp_path: Path) -> None:
    target = tmp_path / "t"
    with (  # noqa: PT012
        pytest.raises(SimdupError, match="was created by another program"),
        beside(str(target)) as path,
    ):
        os.mkdir(path)
        target.mkdir()
        (target / "theirs").touch()
    assert os.listdir(target) == ["theirs"]
    (target / "theirs").unlink()
    with beside(str(target)) as path:
        os.mkdir(path)
        (Path(path) / "mine").touch()
        os.chmod(path, 0o555)
    assert os.listdir(target) == ["mine"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o555
    assert os.listdir(tmp_path) == ["t"]


@pytest.mark.parametrize("code", [errno.EPERM, errno.ENOTSUP])
def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def refuse(*given: object, **named: object) -> None:
        raise OSError(code, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    target = tmp_path / "t"
    with beside(str(target), replace=False) as path:
        Path(path).write_text("new")
    with (
        pytest.raises(SimdupError, match="was created by another program"),
        beside(str(target), replace=False) as path,
    ):
        Path(path).write_text("newer")
    assert target.read_text() == "new"


def test_only_leftovers_of_killed_processes_are_removed(tmp_path: Path) -> None:
    code = "with work_folder(sys.argv[1]) as path, reserve(sys.argv[1] + '/out'):\n"
    code += "    os.makedirs(path + '/a/b'); os.chmod(path + '/a', 0o500)\n"
    code += "    print('there', flush=True); time.sleep(60)"
    mine = tmp_path / ".simdup-of-mine"
    mine.mkdir()
    # A running process number proves nothing: it may be another process by now.
    stale = tmp_path / f".simdup-{os.getpid()}-abcdefgh"
    stale.mkdir()
    with another(code, tmp_path):
        with work_folder(str(tmp_path)):
            assert len(ours(tmp_path)) == 4, "its work folder, its lock, ours, and what is not ours"
        assert len(ours(tmp_path)) == 3
        assert not stale.exists()
    with work_folder(str(tmp_path)) as path:
        assert set(ours(tmp_path)) == {os.path.basename(path), mine.name}
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o700


def test_a_lock_that_cannot_be_closed_cleanly_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = os.close

    def complain(descriptor: int) -> None:
        close(descriptor)
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch, work_folder(str(tmp_path)), reserve(str(tmp_path / "t")):
        patch.setattr(os, "close", complain)
        child = os.fork()
        if child == 0:
            os._exit(len(atomic._held))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("moment", range(5))
def test_a_signal_while_cleaning_up_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    def interrupted(name: str) -> None:
        call = getattr(os, name)

        def once(*given: str) -> None:
            calls.append(name)
            if len(calls) == moment + 1:
                raise KeyboardInterrupt
            call(*given)

        monkeypatch.setattr(os, name, once)

    calls: list[str] = []
    out = tmp_path / "new" / "out"
    with (  # noqa: PT012
        pytest.raises(KeyboardInterrupt),
        reserve(str(out), parents=True),
        work_folder(str(tmp_path)) as path,
    ):
        Path(path, "file").touch()
        for name in ("unlink", "rmdir", "chmod"):
            interrupted(name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["open", "ftruncate", "write"])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space")])
def test_a_lock_that_is_interrupted_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: BaseException
) -> None:
    call = getattr(os, name)

    def interrupted(*given: object) -> None:
        monkeypatch.undo()
        call(*given)
        raise error

    monkeypatch.setattr(os, name, interrupted)
    with pytest.raises((KeyboardInterrupt, SimdupError)), reserve(str(tmp_path / "out")):
        pass
    assert os.listdir(tmp_path) == []
    with reserve(str(tmp_path / "out")):
        pass


def test_one_writes_to_a_target_at_a_time(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "er" / "out"
    code = "with reserve(sys.argv[1], parents=True):\n"
    code += "    pid = os.fork()\n"  # a worker that outlives the process that is killed
    # It is the worker that says so: before it runs, it still holds what it inherited.
    code += "    if pid == 0: print('there', flush=True); time.sleep(20); os._exit(0)\n"
    code += "    time.sleep(60)"
    with another(code, target) as running:
        with pytest.raises(SimdupError, match=rf"process {running.pid}\)"), reserve(str(target)):
            pass
        with reserve(str(tmp_path / "other")):
            pass
    with reserve(str(target)):
        assert len(ours(target.parent)) == 1
    assert ours(target.parent) == []
    with reserve(str(tmp_path / "a" / "b" / "c"), parents=True):
        pass
    assert os.listdir(tmp_path) == ["deep"]


def test_without_locks_it_still_refuses_to_replace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> None:
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(system.fcntl, "flock", refuse)
    target = tmp_path / "t"
    with reserve(str(target)), beside(str(target)) as path:
        os.mkdir(path)
        with pytest.raises(SimdupError), beside(str(target)) as other:  # noqa: PT012
            os.mkdir(other)
            (target / "x").mkdir(parents=True)
        (target / "x").rmdir()
    assert ours(tmp_path) == []


def test_many_processes_make_one_file_once(tmp_path: Path) -> None:
    code = "try:\n    with beside(sys.argv[1], replace=False) as path:\n"
    code += "        open(path, 'w').write(str(os.getpid())); time.sleep(0.3)\n"
    code += "    print('made')\nexcept ValueError as e: print(e)"
    script = f"{_IMPORTS}\n{code}"
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path / "t")],
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        for _ in range(4)
    ]
    said = [run.communicate(timeout=30)[0] for run in runs]
    assert sum(line == "made\n" for line in said) == 1
    assert (tmp_path / "t").read_text() == str(runs[said.index("made\n")].pid)
    assert os.listdir(tmp_path) == ["t"]
