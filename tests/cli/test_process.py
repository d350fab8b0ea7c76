"""Limits and signals of a process: at most one line of output, and the right status."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import Ran, command, environment, process

from lab.corpora.made import prose, write

resource = pytest.importorskip("resource")
FULL = Path("/dev/full")
BUILTIN = ("--recipe", "default,idf=builtin")


def limited(which: int, limit: int, *arguments: str | Path, cwd: Path) -> Ran:
    """The command under a limit."""
    done = subprocess.run(
        command(*arguments), capture_output=True, cwd=cwd, env=environment(), timeout=30,
        check=False, preexec_fn=lambda: resource.setrlimit(which, (limit, limit)),
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr.decode())


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory mean something on Linux")
@pytest.mark.parametrize(("which", "limit"), [("RLIMIT_AS", 250), ("RLIMIT_DATA", 60)])
def test_too_little_memory_is_an_error_before_anything_hangs(
    tmp_path: Path, which: str, limit: int
) -> None:
    write(tmp_path, {"a.csv": "a,b\nx,y\n"})
    number = getattr(resource, which)
    ran = limited(number, limit * 10**6, "evaluate", "a.csv", "a.csv", cwd=tmp_path)
    assert ran.status == 2
    assert ran.err.startswith(f"simdup: memory: this process is limited to {limit} MB of ")
    assert len(ran.err.splitlines()) == 2
    help_ = limited(number, limit * 10**6, "--help", cwd=tmp_path)
    assert (help_.status, help_.err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "limit"),
    [
        (["dedupe", "c", "-o", "d"], 10),
        (["index", "build", "i", "big.jsonl"], 300_000),
    ],
)
def test_a_file_size_limit_is_an_error_in_one_line(
    tmp_path: Path, arguments: list[str], limit: int
) -> None:
    write(tmp_path / "c", {"a.txt": prose(1), "b.txt": prose(1)})
    if "big.jsonl" in arguments:
        lines = (f'{{"text": "{prose(n).translate({10: 32})}"}}\n' for n in range(700))
        (tmp_path / "big.jsonl").write_text("".join(lines), "utf-8")
    before = sorted(tmp_path.iterdir())
    ran = limited(resource.RLIMIT_FSIZE, limit, *arguments, cwd=tmp_path)
    first, *others = ran.err.splitlines()
    assert ran.status == 2
    assert first.startswith("simdup: ")
    assert "internal error" not in first
    assert all(line.startswith("hint: ") for line in others)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [["--help"], ["scan", "-h"], []])
def test_help_on_a_full_disk(arguments: list[str]) -> None:
    with FULL.open("wb") as full:
        done = subprocess.run(
            command(*arguments), stdout=full, stderr=subprocess.PIPE, env=environment(), check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode() == "simdup: standard output: no space left on device\n"


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize(
    ("arguments", "status"), [(["scan", "a.txt", "--progress"], 0), (["scan", "gone"], 2)]
)
def test_an_unwritable_standard_error_does_not_change_the_status(
    tmp_path: Path, arguments: list[str], status: int
) -> None:
    write(tmp_path, {"a.txt": prose(1)})
    with FULL.open("wb") as full:
        done = subprocess.run(
            command(*arguments), stdout=subprocess.PIPE, stderr=full, env=environment(),
            cwd=tmp_path, check=False,
        )  # fmt: skip
    assert done.returncode == status


# Modules during whose import a signal arrives: in Python, in numpy's C code, in scikit-learn.
@pytest.mark.parametrize(
    ("name", "during"),
    [("SIGTERM", "simdup.cli"), ("SIGTERM", "numpy"), ("SIGHUP", "sklearn._config"),
     ("SIGINT", "numpy")],
)  # fmt: skip
def test_a_signal_during_an_import(tmp_path: Path, name: str, during: str) -> None:
    (tmp_path / "a.csv").write_text("a,b\nx,y\n")
    # An extension module turns the exception of a signal into an ImportError.
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {during!r}:\n"
        "            sys.meta_path.remove(self)\n"
        "            try:\n"
        f"                os.kill(os.getpid(), signal.{name})\n"
        "            except BaseException:\n"
        "                raise ImportError('numpy failed to import') from None\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    path = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    ran = process("evaluate", "a.csv", "a.csv", cwd=tmp_path, PYTHONPATH=path)
    said = "simdup: interrupted\n" if name == "SIGINT" else ""
    assert (ran.status, ran.out, ran.err) == (128 + getattr(signal, name), b"", said)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_in_a_callback_that_swallows_its_exception(tmp_path: Path, name: str) -> None:
    """Importing a module ends in one: the run went on, after a traceback."""
    write(tmp_path, {"a.txt": prose(1)})
    code = (
        "import os, signal, sys, weakref\n"
        "from simdup.cli import main, process\n"
        "class Lock: pass\n"
        f"def freed(reference): os.kill(os.getpid(), signal.{name})\n"
        "before = process.prepare_memory\n"
        "def prepare_memory():\n"
        "    lock = Lock()\n"
        "    held = weakref.ref(lock, freed)\n"
        "    del lock\n"
        "    before()\n"
        "process.prepare_memory = prepare_memory\n"
        "main(['scan', '.', '-q'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, env=environment(), cwd=tmp_path, check=False,
    )  # fmt: skip
    said = "simdup: interrupted\n" if name == "SIGINT" else ""
    assert (done.returncode, done.stdout, done.stderr) == (128 + getattr(signal, name), "", said)


def test_an_ignored_hangup_stays_ignored(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": prose(1)})
    with subprocess.Popen(
        command("fingerprint", "--input-format", "jsonl", *BUILTIN, "-", "-o", "p"),
        stdin=subprocess.PIPE, env=environment(), cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    ) as started:  # fmt: skip
        deadline = time.monotonic() + 20
        while len(list(tmp_path.iterdir())) == 1 and time.monotonic() < deadline:
            time.sleep(0.02)
        started.send_signal(signal.SIGHUP)
        assert started.stdin is not None
        started.stdin.write(b'{"text": "river"}\n')
        started.stdin.close()
        assert started.wait(20) == 0


# Runs a command, and sends a signal in the middle of what makes and removes work folders.
_STRUCK = """
import os, signal, sys
from simdup.base import atomic
from simdup.cli import main
number, name, again = getattr(signal, sys.argv[1]), sys.argv[2], sys.argv[3] == "True"
before = getattr(atomic, name)
def struck(*arguments):
    if again:
        struck_before.append(number)
    else:
        setattr(atomic, name, before)
    result = before(*arguments)
    os.kill(os.getpid(), number)
    return result
struck_before = []
setattr(atomic, name, struck)
main(["dedupe", "c", "-o", "a/b/clean", "-j", "1", "-q"])
"""


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(
    "name",
    ["_missing", "_lock_file", "_lock_new", "_is", "_lock", "_remove_leftovers", "_remove_folder",
     "_remove", "_release", "finish", "begin"],
)  # fmt: skip
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_signal_while_folders_are_made_or_removed(
    tmp_path: Path, name: str, again: bool, number: str
) -> None:
    """Once in a hundred interruptions a work folder was left, or the parents of OUT."""
    write(tmp_path / "c", {"a.txt": prose(1), "b.txt": prose(2)})
    (tmp_path / "temporary").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", _STRUCK, number, name, str(again)],
        capture_output=True, text=True, cwd=tmp_path, check=False,
        env=environment(TMPDIR=str(tmp_path / "temporary")),
    )  # fmt: skip
    assert done.returncode == 128 + getattr(signal, number), done.stderr
    assert len(done.stderr.splitlines()) == (number == "SIGINT"), done.stderr
    assert list((tmp_path / "temporary").iterdir()) == []
    whole = tmp_path / "a" / "b" / "clean"
    left = sorted(path.name for path in (tmp_path / "a").rglob("*"))
    assert left == (["a.txt", "b", "b.txt", "clean"] if whole.exists() else [])
    assert whole.exists() or not (tmp_path / "a").exists()
