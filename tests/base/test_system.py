"""Other systems, as far as one can be tried on another: their paths, processes and consoles."""

import codecs
import errno
import io
import locale
import ntpath
import os
import stat
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from simdup import SimdupError, dedupe, scan
from simdup.base import atomic, system
from simdup.base.atomic import beside
from simdup.cli import process
from simdup.corpus import patterns, rewriting, sources
from simdup.corpus.sources import list_files, read_list
from simdup.model.settings import Reading
from simdup.show.streams import open_output
from simdup.show.targets import check_apart, check_name, check_output
from simdup.show.words import language_of

DECOMPOSED = "re\u0301sume\u0301.txt"
ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "examples" / "corpus"


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (system, atomic, sources):
        monkeypatch.setattr(module, "WINDOWS", True)


# -- processes --

SCRIPT = """
from simdup.base import workers
from simdup.near import collection
workers.FORKS = False
collection.WORTH_WORKERS = 0
from simdup import scan
found = scan([{corpus!r}], jobs=2)
print(len(found.clusters), len(found.redundant))
"""


def test_a_script_without_a_guard_starts_processes_that_do_not_run_it(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(corpus=str(CORPUS)), encoding="utf-8")
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    alone = scan([str(CORPUS)], jobs=1)
    expected = f"{len(alone.clusters)} {len(alone.redundant)}\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, expected, "")


# -- files --


@pytest.mark.usefixtures("windows")
def test_as_on_windows_files_and_folders_are_written(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("empty", "new"):
        with beside(str(tmp_path / name)) as path:
            os.mkdir(path)
            (Path(path) / "x").touch()
        assert os.listdir(tmp_path / name) == ["x"]
    with beside(str(tmp_path / "file")) as path:
        Path(path).touch()
    assert sorted(os.listdir(tmp_path)) == ["empty", "file", "new"]


def test_a_folder_has_two_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A file system that ignores case knows a folder by several names, none of which is a link.
    (tmp_path / "corpus").mkdir()
    (tmp_path / "Corpus").symlink_to(tmp_path / "corpus")
    monkeypatch.setattr(os.path, "realpath", os.path.abspath)
    folder, other = str(tmp_path / "corpus"), str(tmp_path / "Corpus")
    for target, fault in ((other, "is a SOURCE itself"), (f"{other}/x/y", "is inside a SOURCE")):
        with pytest.raises(SimdupError, match=fault):
            check_apart(target, [folder])
    with pytest.raises(SimdupError, match="contains a SOURCE"):
        check_apart(other, [f"{folder}/a.txt"])


def test_names_that_differ_in_case_alone_are_reported_where_case_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one/a.txt", "two/A.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(name * 20, encoding="utf-8")
    merged = tmp_path / "both"
    merged.mkdir()
    for name in ("a.txt", "A.txt"):
        (merged / name).write_text(name * 20, encoding="utf-8")
    there = os.path.lexists

    def ignoring_case(path: str) -> bool:
        folder, base = os.path.split(path)
        if not there(folder) or "out" not in path:
            return there(path)
        return base.lower() in {name.lower() for name in os.listdir(folder)}

    monkeypatch.setattr(rewriting.os.path, "lexists", ignoring_case)
    with pytest.raises(SimdupError, match="has the same place in OUT"):
        dedupe([str(merged)], output=str(tmp_path / "out"))


def test_a_scanner_and_files_that_may_only_be_read_are_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals, done = iter([True, True, False, True]), list[str]()

    def refusing(call: Callable[..., None], target: int) -> Callable[..., None]:
        def refuse(*paths: str) -> None:
            if next(refusals, False):
                raise PermissionError(errno.EACCES, "Access is denied", paths[target])
            call(*paths)
            done.append(paths[target])

        return refuse

    monkeypatch.setattr(system, "WINDOWS", True)
    monkeypatch.setattr(system, "_WAITS", (0, 0, 0))
    monkeypatch.setattr(os, "replace", refusing(os.replace, 1))
    monkeypatch.setattr(os, "unlink", refusing(os.unlink, 0))
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_text("new", encoding="utf-8")
    old.write_text("old", encoding="utf-8")
    system.move(str(new), str(old))
    assert old.read_text(encoding="utf-8") == "new"
    system.unlink(str(old))
    assert (list(tmp_path.iterdir()), done) == ([], [str(old)] * 2)
    monkeypatch.setattr(os, "rename", refusing(os.rename, 1))
    with pytest.raises(FileNotFoundError):
        system.move(str(new), str(old), replace=False)


# -- paths --


def test_hidden_files_and_what_a_folder_remembers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stat, "FILE_ATTRIBUTE_HIDDEN", 2, raising=False)
    (tmp_path / "a.txt").write_text("abc", encoding="utf-8")
    for on in (True, False):
        monkeypatch.setattr(system, "WINDOWS", on)
        for attributes in (2, 32):
            status = SimpleNamespace(st_file_attributes=attributes, st_size=0)
            entry: Any = SimpleNamespace(
                name="a.txt", path=str(tmp_path / "a.txt"),
                stat=lambda follow_symlinks, status=status: status,
            )  # fmt: skip
            assert system.is_hidden(entry) is (on and attributes == 2)
            assert system.status_of(entry).st_size == (3 if on else 0)


def test_a_corpus_has_two_spellings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS: no link, and both are found."""
    (tmp_path / "corpus").mkdir()
    (tmp_path / "Corpus").symlink_to(tmp_path / "corpus")
    for name in ("a.txt", "r.csv"):
        (tmp_path / "corpus" / name).write_text("河岸的老树" * 9, encoding="utf-8")
    os.link(tmp_path / "corpus" / "a.txt", tmp_path / "A.TXT")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os.path, "realpath", os.path.abspath)
    listed = list_files(["corpus", "Corpus/a.txt"], Reading())
    assert [file.path for file in listed.files] == ["corpus/a.txt", "corpus/r.csv"]
    with pytest.raises(SimdupError, match="is inside a SOURCE"):
        check_output("Corpus/r.csv", ["corpus"])
    monkeypatch.setattr(system, "FORKS", False)
    monkeypatch.setattr(os, "listdir", lambda _: ["a.txt", "r.csv"])
    os.link(tmp_path / "A.TXT", tmp_path / "corpus" / "A.TXT")
    listed = list_files(["corpus/a.txt", "Corpus/A.TXT"], Reading())
    assert [file.path for file in listed.files] == ["corpus/a.txt"]


@pytest.mark.parametrize(("forks", "found"), [(False, ["b.txt"]), (True, ["b.txt", DECOMPOSED])])
def test_patterns_find_letters_however_they_are_composed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks: bool, found: list[str]
) -> None:
    monkeypatch.setattr(system, "FORKS", forks)
    for name in ("b.txt", DECOMPOSED):
        (tmp_path / name).write_text("河岸", encoding="utf-8")
    composed = unicodedata.normalize("NFC", DECOMPOSED)
    patterns.expand.cache_clear()
    listed = list_files([str(tmp_path)], Reading(exclude=(composed,)))
    patterns.expand.cache_clear()
    assert [os.path.basename(file.path) for file in listed.files] == found
    (tmp_path / ".simdupignore").write_text(f"{composed}\n", encoding="utf-8")
    listed = list_files([str(tmp_path)], Reading())
    assert [os.path.basename(file.path) for file in listed.files] == found


@pytest.mark.usefixtures("windows")
def test_names_have_slashes_and_wildcards_are_expanded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).touch()
    listed = list_files(["*.txt"], Reading())
    assert [file.path for file in listed.files] == ["a.txt", "b.txt"]
    missing = list_files(["no\\*.md"], Reading())
    assert [(one.document, one.error) for one in missing.skipped] == [("no/*.md", True)]
    assert system.portable("corpus\\news\\a.txt") == "corpus/news/a.txt"
    check_name("out.csv\\")  # a folder, as it ends


def test_elsewhere_a_backslash_is_a_letter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "WINDOWS", False)
    monkeypatch.setattr(sources, "WINDOWS", False)
    assert system.portable("a\\b") == "a\\b"
    assert system.expanded("*.txt") == ["*.txt"]


def test_paths_with_drives(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(system.os, "path", ntpath)
        patched.setattr(system.os, "sep", "\\")
        patched.setattr(system.os, "pardir", "..")
        above = system.parents("Z:\\no\\such.csv"), system.parents("x.csv")
        common = system.common_folder(["C:\\a\\b", "C:\\a\\c"]), system.common_folder(["C:", "D:"])
        below = [
            system.relative("C:\\a\\b\\c", "C:\\a"),
            system.relative("D:\\a", "C:\\a"),
            system.relative("C:\\b", "C:\\a"),
        ]
    assert above == (["Z:\\no", "Z:\\"], ["."])
    assert common == ("C:\\a", "")
    assert below == ["b/c", "", ""]


def test_junctions_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "WINDOWS", True)
    monkeypatch.setattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", 0xA0000003, raising=False)
    for tag, link in ((0xA0000003, True), (0, False), (0x9000001A, False)):
        status = SimpleNamespace(st_reparse_tag=tag)
        entry = SimpleNamespace(
            is_symlink=lambda: False,
            stat=lambda follow_symlinks, status=status: status,
        )
        assert system.is_link(entry) is link  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content",
    [
        b"a.txt\r\nb.txt\r\n",
        codecs.BOM_UTF8 + b"a.txt\nb.txt\n",
        codecs.BOM_UTF16_LE + "a.txt\r\nb.txt\r\n".encode("utf-16-le"),
    ],
)
@pytest.mark.usefixtures("windows")
def test_lists_as_windows_writes_them(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "list").write_bytes(content)
    assert read_list(str(tmp_path / "list"), null=False) == ["a.txt", "b.txt"]


@pytest.mark.usefixtures("windows")
def test_a_list_in_the_code_page_of_the_console(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    oem = codecs.lookup("gbk")
    codecs.register(search := lambda name: oem if name == "oem" else None)
    (tmp_path / "list").write_bytes("甲.txt\r\n".encode("gbk"))
    assert read_list(str(tmp_path / "list"), null=False) == ["甲.txt"]
    (tmp_path / "list").write_bytes("甲.txt\r\n".encode())
    assert read_list(str(tmp_path / "list"), null=False) == ["甲.txt"]
    codecs.unregister(search)


@pytest.mark.usefixtures("windows")
def test_commands_and_times_are_those_of_windows() -> None:
    words = ["simdup", "scan", "corpus\\news", "my texts", "R&D", 'say "no"', "甲.txt"]
    assert system.quoted(words) == (r'simdup scan corpus\news "my texts" "R&D" "say \"no\"" 甲.txt')
    assert system.date_of(-1.0) == system.date_of(0.0)


# -- consoles --


def test_reports_are_in_the_language_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "WINDOWS", True)
    for name, language in (
        ("Chinese (Simplified)_China.936", "zh"), ("English_United States.1252", "en"), ("C", "en"),
    ):  # fmt: skip
        monkeypatch.setattr(locale, "setlocale", lambda _, name=name: name)
        assert language_of({}) == language
        assert language_of({"LANG": "en_US.UTF-8"}) == "en"


def test_a_console_is_told_to_show_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "WINDOWS", True)
    told = list[str]()
    console = SimpleNamespace(just_fix_windows_console=lambda: told.append("fix"))
    monkeypatch.setitem(sys.modules, "colorama", console)
    assert system.understands_colors()
    assert told == ["fix"]
    monkeypatch.setitem(sys.modules, "colorama", None)
    assert not system.understands_colors()


def test_results_that_nobody_reads_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "_GONE", (errno.EPIPE, errno.EINVAL))
    with pytest.raises(BrokenPipeError), open_output(None):
        raise OSError(errno.EINVAL, "Invalid argument")
    with pytest.raises(OSError, match="Invalid argument: 'x'"), open_output(None):
        raise OSError(errno.EINVAL, "Invalid argument", "x")


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("ascii", ["scan", "--help"]),
        ("ascii", ["scan", str(CORPUS), "--lang", "zh"]),
        ("gbk", ["scan", str(CORPUS), "--lang", "zh"]),
        ("cp1252", ["scan", "无此文件"]),
    ],
)
def test_no_code_page_stops_a_command(encoding: str, words: list[str]) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    ran = subprocess.run(
        [sys.executable, "-m", "simdup", *words], capture_output=True, env=environment, check=False
    )
    assert ran.returncode == (2 if "无此文件" in words else 0)
    assert b"internal error" not in ran.stderr
    assert ("聚类 1".encode() in ran.stdout) is ("zh" in words)


def test_a_reader_that_ended_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "_GONE", (errno.EPIPE, errno.EINVAL))
    with pytest.raises(BrokenPipeError), process.printing():
        raise OSError(errno.EINVAL, "Invalid argument")
    with pytest.raises(SimdupError, match="no space"), process.printing():
        raise OSError(errno.ENOSPC, "No space left on device")
    assert isinstance(sys.stdout, io.TextIOBase)
