"""Which files a folder has: deep ones, and those of a folder at work."""

import os
import subprocess
from pathlib import Path

import pytest
from support import Command, process, prose, write

from simdup.corpus.batches import read_file
from simdup.corpus.sources import list_files
from simdup.model.documents import Skipped
from simdup.model.reading import Reading


class Vanished:
    """An entry of a folder that is gone by the time it is asked for."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self._entry = entry

    def __getattr__(self, name: str) -> object:
        return getattr(self._entry, name)

    def stat(self, follow_symlinks: bool = True) -> os.stat_result:
        os.unlink(self._entry.path)
        return self._entry.stat(follow_symlinks=follow_symlinks)


class Listing:
    """A listing of a folder in which one file and one folder vanish before they are looked at."""

    def __init__(self, entries: list[os.DirEntry[str]]) -> None:
        self._entries = entries

    def __enter__(self) -> list[object]:
        return [Vanished(one) if one.name == "b.txt" else one for one in self._entries]

    def __exit__(self, *of: object) -> None:
        pass


def test_a_file_that_vanishes_while_a_folder_is_listed_is_skipped(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, the run ended with status 2 and read nothing."""
    write(tmp_path / "c", {"a.txt": prose(1), "b.txt": prose(2), "d/e.txt": "", "f.txt": prose(1)})
    scandir = os.scandir

    def listed(folder: str) -> Listing:
        if folder == "c/d":
            (tmp_path / "c/d/e.txt").unlink()
            (tmp_path / "c/d").rmdir()
        with scandir(folder) as entries:
            return Listing(list(entries))

    monkeypatch.setattr(os, "scandir", listed)
    ran = simdup("scan", "c", "--format", "jsonl")
    assert ran.status == 0
    assert "2 skipped (2 vanished while its folder was listed)" in ran.err
    assert ran.text.count('"reason": "vanished while its folder was listed"') == 2
    assert '"c/a.txt"' in ran.text
    assert '"c/f.txt"' in ran.text


def test_a_folder_may_be_deeper_than_pythons_calls(simdup: Command, tmp_path: Path) -> None:
    """1,100 levels; before, an internal error."""
    here = os.getcwd()
    try:
        os.chdir(tmp_path)
        os.mkdir("c")
        os.chdir("c")
        Path("a.txt").write_text(prose(1), "utf-8")
        for _ in range(1100):
            os.mkdir("d")
            os.chdir("d")
        Path("b.txt").write_text(prose(1), "utf-8")
    finally:
        os.chdir(here)
    ran = simdup("scan", "c", "--list", "redundant")
    assert ran.status == 0
    kept = simdup("dedupe", "c", "-o", "clean")
    # What clears temporary folders away recurses.
    subprocess.run(["rm", "-r", "c", "clean"], check=False)
    assert kept.status == 0, kept.err
    assert ran.lines == [f"c/{'d/' * 1100}b.txt"]


def test_lists_of_files_hold_the_bytes_of_names_in_any_locale(tmp_path: Path) -> None:
    """Before, a name beyond ASCII was not found where the locale is not UTF-8."""
    write(tmp_path / "c", {"书.txt": prose(1), "é.txt": prose(1)})
    (tmp_path / "c" / os.fsdecode(b"\xff.txt")).write_text(prose(1), "utf-8")
    locale = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    names = sorted(b"c/" + name for name in os.listdir(bytes(tmp_path / "c")))
    content = b"".join(name + b"\0" for name in names)
    options = ("--files-from", "-", "-0", "--list", "redundant")
    ran = process("scan", *options, cwd=tmp_path, stdin=content, **locale)
    assert (ran.status, ran.out) == (0, b"".join(name + b"\0" for name in names[1:]))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(prose(1))
    [file], _ = list_files([str(path)], Reading())
    path.unlink()
    os.mkfifo(path)
    assert read_file(file, Reading()) == Skipped(str(path), "not a regular file", error=True)
