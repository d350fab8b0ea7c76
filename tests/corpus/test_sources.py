"""The files of a folder: at any depth, and while the folder changes."""

import json
import os
import pickle
import subprocess
import zipfile
from pathlib import Path

import pytest
from support import Command, Ran, process

from lab.corpora.made import prose, write
from simdup.corpus.batches import read_file
from simdup.corpus.sources import Listed, list_files
from simdup.model.documents import Skipped
from simdup.model.settings import Reading


class Vanished:
    """An entry of a folder that has vanished when it is examined."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self._entry = entry

    def __getattr__(self, name: str) -> object:
        return getattr(self._entry, name)

    def stat(self, follow_symlinks: bool = True) -> os.stat_result:
        os.unlink(self._entry.path)
        return self._entry.stat(follow_symlinks=follow_symlinks)


class Listing:
    """A listing of a folder in which one file and one folder vanish before they are examined."""

    def __init__(self, entries: list[os.DirEntry[str]]) -> None:
        self._entries = entries

    def __enter__(self) -> list[object]:
        return [Vanished(one) if one.name == "b.txt" else one for one in self._entries]

    def __exit__(self, *of: object) -> None:
        pass


def test_a_file_that_vanishes_while_a_folder_is_listed_is_skipped(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Earlier, the run ended with status 2 and read nothing."""
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
    assert "2 skipped (2 vanished)" in ran.err
    assert ran.text.count('"reason": "vanished while its folder was listed"') == 2
    assert '"c/a.txt"' in ran.text
    assert '"c/f.txt"' in ran.text


def test_a_folder_may_be_deeper_than_pythons_calls(simdup: Command, tmp_path: Path) -> None:
    """1,100 levels; earlier, this was an internal error."""
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
    # The clean-up of temporary folders is recursive.
    subprocess.run(["rm", "-r", "c", "clean"], check=False)
    assert kept.status == 0, kept.err
    assert ran.lines == [f"c/{'d/' * 1100}b.txt"]


def test_lists_of_files_contain_the_bytes_of_names_in_any_locale(tmp_path: Path) -> None:
    """Earlier, a name beyond ASCII was not found if the locale was not UTF-8."""
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
    [file] = list_files([str(path)], Reading()).files
    path.unlink()
    os.mkfifo(path)
    assert read_file(file, Reading()) == Skipped(str(path), "not a regular file", error=True)


# Sources and references.


def test_a_file_that_is_a_source_and_a_reference_is_a_source(
    simdup: Command, tmp_path: Path
) -> None:
    """Earlier, it was a reference, so `--check` of a changed file against its own folder passed."""
    write(tmp_path / "c", {"a.txt": prose(1), "b.txt": prose(1), "d/e.txt": prose(2)})
    ran = simdup("scan", "--check", "c/b.txt", "--reference", "c", "--list", "redundant")
    assert (ran.status, ran.lines) == (1, ["c/b.txt"])
    ran = simdup("scan", "./c/b.txt", "c/a.txt", "--reference", "c", "-f", "csv")
    assert [line.split(",")[1:3] for line in ran.lines[1:]] == [
        ["kept", "./c/b.txt"], ["redundant", "c/a.txt"],
    ]  # fmt: skip
    assert simdup("dedupe", "c/b.txt", "c/d/e.txt", "--reference", "c", "-o", "out").status == 0
    assert sorted(path.name for path in (tmp_path / "out").rglob("*.txt")) == ["e.txt"]


def test_a_reference_that_is_all_sources_is_noted(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.txt": prose(1), "b.txt": prose(2)})
    ran = simdup("scan", "c", "--reference", "c/a.txt")
    assert ran.status == 0
    assert (
        "simdup: c/a.txt: --reference has no effect: all of its files are SOURCEs; "
        "a run without --reference compares these with each other\n"
    ) in ran.err
    assert simdup("scan", "c", "--reference", "c/a.txt", "-q").err == ""


# Sources that give nothing.

NAMED = {
    "t.txt": prose(9), "empty.txt": "", "space.txt": " \n", "the.txt": "the of and",
    "nul.txt": "\0\1\2" * 99, "e.jsonl": "", "d/empty.txt": "", "d/nul.txt": "\0" * 99,
}  # fmt: skip


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("empty.txt", "empty"),
        ("space.txt", "empty"),
        ("nul.txt", "binary"),
        ("the.txt", "no words but function words"),
        ("e.jsonl", "contains no document"),
        ("d", "contains no document"),
        ("none/", "contains no document"),
        ("missing", "no such file or folder"),
    ],
)
@pytest.mark.parametrize("command", ["scan", "fingerprint", "fit", "index", "query", "dedupe"])
def test_a_named_source_that_gives_nothing_is_an_error(
    simdup: Command, tmp_path: Path, source: str, said: str, command: str
) -> None:
    """Earlier, the status was 0 for all but the last."""
    write(tmp_path, NAMED)
    (tmp_path / "none").mkdir()
    if command == "query":
        simdup("index", "build", "i", "t.txt", "--recipe", "default,idf=builtin")
    arguments = {
        "scan": ["scan"], "fingerprint": ["fingerprint", "--recipe", "default,idf=builtin"],
        "fit": ["fit", "-o", "m"], "index": ["index", "build", "i"], "query": ["query", "i"],
        "dedupe": ["dedupe", "-o", "out"],
    }[command]  # fmt: skip
    ran = simdup(*arguments, source, "t.txt", "-q")
    # Function words are words to learn from, and texts of them may be equal.
    if source == "the.txt" and command in ("fit", "scan", "dedupe"):
        assert (ran.status, ran.err) == (0, "")
    else:
        assert (ran.status, ran.err) == (2, f"simdup: {source}: {said}\n")


def test_undecodable_files_are_named_with_the_next_step(simdup: Command, tmp_path: Path) -> None:
    """In a folder they are no error, but nobody should take them for compared."""
    write(tmp_path / "c", {"a.txt": prose(1)})
    for name in ("b.txt", "b.csv"):
        (tmp_path / "c" / name).write_bytes("Все читали одно и то же. ".encode("koi8-r") * 20)
    why = "no encoding that is detected fits; name it with --encoding"
    ran = simdup("scan", "c")
    assert (ran.status, "(2 undecodable files)" in ran.err) == (0, True)
    for name in ("b.txt", "b.csv"):
        assert f"simdup: c/{name}: undecodable: {why}\n" in ran.err
        named = simdup("scan", f"c/{name}", "c/a.txt")
        assert (named.status, f"c/{name}: undecodable\nhint: {why}\n" in named.err) == (2, True)
    assert simdup("scan", "c", "--encoding", "koi8-r", "--glob", "b.txt", "-q").err == ""


def test_a_mistyped_source_has_a_hint_at_what_is_beside_it(simdup: Command, tmp_path: Path) -> None:
    """Earlier, only mistyped commands and options had one."""
    write(tmp_path, {"docs/guide/a.md": prose(1), "other/b.md": prose(2)})
    missing = "simdup: {}: no such file or folder{}\n"
    for source, near in (("dosc/", "docs"), ("docs/giude", "docs/guide"), ("./dosc", "./docs")):
        ran = simdup("scan", source, "-q")
        hint = f"hint: did you mean '{near}'?\n"
        assert (ran.status, ran.err) == (2, missing.format(source, "") + hint)
        reference = simdup("dedupe", "other", "--reference", source, "-o", "out")
        assert reference.err == missing.format(source, ", but is a reference") + hint
    (tmp_path / "link").symlink_to("nowhere")
    for source in ("zz", "zz/docs", "docs/guide/a.md/b", "link"):
        assert "hint" not in simdup("scan", source, "-q").err
    assert "hint" not in simdup("scan", "--files-from", "-", "-q", stdin=b"dosc").err
    found = json.loads(simdup("scan", "dosc", "other", "-f", "jsonl").lines[0])
    assert found["reason"] == "no such file or folder"


def test_a_name_of_a_list_reaches_workers_as_it_is() -> None:
    again = pickle.loads(pickle.dumps(Listed("c/a.txt", "list")))
    assert (type(again), again, again.file) == (Listed, "c/a.txt", "list")


def test_files_in_a_folder_or_a_list_may_be_empty(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, NAMED)
    (tmp_path / "none").mkdir()
    names = "\n".join([*NAMED, "none", "d"]).encode()
    ran = simdup("scan", "--files-from", "-", stdin=names)
    assert (ran.status, ran.err.count("\n")) == (0, 3)
    assert simdup("scan", ".", "-q").err == ""
    # A source may be named in a list and on the command line; a missing file is always an error.
    assert simdup("scan", "none", "--files-from", "-", stdin=names).status == 2
    assert simdup("scan", "--files-from", "-", stdin=b"missing\nt.txt").status == 2


def test_a_source_within_another_or_named_twice_counts_once(
    simdup: Command, tmp_path: Path
) -> None:
    write(tmp_path, NAMED | {"c/d/a.txt": prose(1)})
    for arguments in (["c", "c/d"], ["c/d", "c/"], ["c/d/a.txt", "c/d/a.txt"], ["./c", "c//"]):
        assert simdup("scan", *arguments, "-q").err == "", arguments
    assert simdup("scan", str(tmp_path / "c"), "-q").err == ""


# Patterns.


def names_in(ran: Ran) -> list[str]:
    """The names of documents on fingerprint lines."""
    return [line.rpartition("  ")[2] for line in ran.lines[1:]]


def test_glob_patterns_that_leave_nothing_are_an_error(simdup: Command, tmp_path: Path) -> None:
    """Earlier, the status was 0."""
    write(tmp_path, {"c/a.txt": prose(1), "d/b.md": prose(1)})
    ran = simdup("scan", "c", "--glob", "*.md", "--glob", "*.rst", "-q")
    assert (ran.status, ran.err) == (2, "simdup: c: nothing matches --glob '*.md', '*.rst'\n")
    assert simdup("scan", "c", "d", "--glob", "*.md", "-q").status == 2
    assert simdup("scan", "c", "d", "--glob", "*.{md,txt}", "-q").status == 0


def test_a_pattern_without_a_match_is_noted(simdup: Command, tmp_path: Path) -> None:
    """Earlier, there was no message."""
    write(tmp_path, {"c/a.txt": prose(1), "c/old/b.txt": prose(1), "c/d.md": prose(2)})
    patterns = ("--glob", "*.txt", "--glob", "*.rst", "--glob", "a.*", "--exclude", "old",
                "--exclude", "\x1bnew/*", "--prefer", "*/old/*", "--prefer", "*.txt")  # fmt: skip
    ran = simdup("scan", "c", *patterns)
    assert ran.status == 0
    assert ran.err.splitlines()[:3] == [
        "simdup: --glob: nothing matches '*.rst'",
        "simdup: --exclude: nothing matches '\\x1bnew/*'",
        "simdup: --prefer: nothing matches '*/old/*'",
    ]
    assert simdup("scan", "c", *patterns, "-q").err == ""


def test_patterns_are_relative_to_the_source(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.txt": prose(1), "d/a.txt": prose(2), "d/b.md": prose(3)})

    def read(*patterns: str) -> list[str]:
        ran = simdup("fingerprint", tmp_path / "c", *patterns)
        return [line.rpartition("/c/")[2] for line in ran.lines[1:]]

    assert read("--glob", "d/*") == ["d/a.txt", "d/b.md"]
    assert read("--glob", "/a.txt") == ["a.txt"]
    assert read("--glob", "a.txt") == ["a.txt", "d/a.txt"]
    assert read("--exclude", "d/*.{md,txt}") == ["a.txt"]
    assert read("--exclude", "{d,e}") == ["a.txt"]


def test_a_slash_at_the_end_of_a_pattern_means_a_folder(simdup: Command, tmp_path: Path) -> None:
    """Earlier, such a pattern matched nothing."""
    write(tmp_path / "c", {"a.txt": prose(1), "d/a.txt": prose(2), "e/d/a.txt": prose(3),
                           "f/d": prose(4), "f/x/d/a.txt": prose(5)})  # fmt: skip
    with zipfile.ZipFile(tmp_path / "c" / "z.zip", "w") as archive:
        archive.writestr("d/a.txt", prose(6))
        archive.writestr("f/d", prose(7))

    def read(pattern: str) -> list[str]:
        ran = simdup("fingerprint", "c", "--exclude", pattern)
        assert ran.err == ""
        return [name.removeprefix("c/") for name in names_in(ran)]

    assert read("d/") == ["a.txt", "f/d", "z.zip/f/d"]
    assert read("/d/") == ["a.txt", "e/d/a.txt", "f/d", "f/x/d/a.txt", "z.zip/d/a.txt", "z.zip/f/d"]
    assert read("{e,f/x}/") == ["a.txt", "d/a.txt", "f/d", "z.zip/d/a.txt", "z.zip/f/d"]
    ran = simdup("scan", "c", "--exclude", "a.txt/")
    assert "simdup: --exclude: nothing matches 'a.txt/'\n" in ran.err
    # A result in a folder that is left out may be replaced.
    (tmp_path / "c" / "d" / "out.txt").write_text("a text of mine")
    assert simdup("scan", "c", "--exclude", "d/", "-o", "c/d/out.txt", "-f", "csv").status == 0
    assert simdup("scan", "c", "--exclude", "out.txt/", "-o", "c/a.txt", "-f", "csv").status == 2


# Patterns and lists.

PILE = {
    "docs/a.md": prose(1), "docs/v1/a.md": prose(1), "docs/v1/deep/b.md": prose(2),
    "docs/v2/a.md": prose(3), "docs/c.txt": prose(4), "docs/v2/v1": prose(5),
}  # fmt: skip


@pytest.mark.parametrize("spelling", ["{}", "./{}", "{here}/{}", "docs/../{}"])
@pytest.mark.parametrize(
    "options",
    ["", "--exclude v1/", "--exclude v1", "--glob *.md", "--glob *.md --exclude /docs/v1/deep/",
     "--exclude docs/v2/*", "--exclude a.md --glob *.{md,txt}", "--exclude zz"],
)  # fmt: skip
def test_patterns_leave_out_of_a_list_what_they_leave_out_of_the_working_folder(
    simdup: Command, tmp_path: Path, options: str, spelling: str
) -> None:
    """Earlier, they had no effect, so a hook with a list and a scan of the folder disagreed."""
    write(tmp_path, PILE | {"list": ""})
    names = [spelling.format(name, here=tmp_path.as_posix()) for name in PILE]
    (tmp_path / "list").write_text("\n".join(names))
    walked = simdup("fingerprint", ".", "--exclude", "/list", *options.split())
    listed = simdup("fingerprint", "--files-from", "list", *options.split())
    read = [name.removeprefix("./") for name in names_in(walked)]
    expected = [spelling.format(name, here=tmp_path.as_posix()) for name in read]
    assert sorted(names_in(listed)) == sorted(expected)
    assert walked.status == listed.status == 0
    assert ("nothing matches 'zz'" in listed.err) == ("zz" in options)


def test_what_is_typed_is_read_beside_a_list_that_patterns_filter(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, PILE | {"simdup.toml": "exclude = ['v1/']"})
    stdin = b"docs/v1/deep/b.md\ndocs/v2/a.md\ndocs/v1\ndocs/v2"
    ran = simdup("fingerprint", "docs/v1/a.md", "--files-from", "-", stdin=stdin)
    assert (ran.status, names_in(ran)) == (0, ["docs/v1/a.md", "docs/v2/a.md", "docs/v2/v1"])
    named = simdup("scan", "docs/v1/a.md", "--exclude", "v1/")
    assert "simdup: --exclude: has no effect: files that are named are always read\n" in named.err
    write(tmp_path, {".h/a.md": prose(1), ".h/h/a.md": prose(1), "h/a.md": prose(2)})
    ran = simdup(
        "fingerprint", "--files-from", "-", "--exclude", "/h/", "--exclude", "/.h/h/",
        stdin=b".h/a.md\nh/a.md\n.h/h/a.md",
    )  # fmt: skip
    assert (ran.err, names_in(ran)) == ("", [".h/a.md"])
    # What is elsewhere has the whole path.
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    absolute = f"{tmp_path}/docs/v1/a.md\n{tmp_path}/docs/c.txt\n../docs/v2/a.md\n../docs/v1/a.md"
    ran = simdup("fingerprint", "--files-from", "-", stdin=absolute.encode())
    assert names_in(ran) == [f"{tmp_path}/docs/c.txt", "../docs/v2/a.md"]


def test_a_list_of_which_glob_leaves_nothing_is_an_error(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, PILE)
    for lines, status in ((b"docs/c.txt\ndocs/v2/v1", 2), (b"docs/c.txt\ndocs/a.md", 0), (b"", 0)):
        ran = simdup("scan", "--files-from", "-", "--glob", "*.md", "-q", stdin=lines)
        said = "simdup: standard input: nothing matches --glob '*.md'\n" if status else ""
        assert (ran.status, ran.err) == (status, said)
    (tmp_path / "list").write_text("docs/c.txt")
    ran = simdup("scan", "docs/a.md", "--files-from", "list", "--glob", "*.md", "-q")
    assert (ran.status, ran.err) == (2, "simdup: list: nothing matches --glob '*.md'\n")
    (tmp_path / "list").write_text("docs/a.md")
    assert simdup("scan", "docs/a.md", "--files-from", "list", "--glob", "*.md", "-q").status == 0


def test_records_and_files_in_archives_of_a_list_go_by_their_file(
    simdup: Command, tmp_path: Path
) -> None:
    records = "".join(json.dumps({"text": prose(i)}) + "\n" for i in range(3))
    write(tmp_path, {"v1/r.jsonl": records, "r.jsonl": records})
    for path in ("z.zip", "v1/z.zip"):
        with zipfile.ZipFile(tmp_path / path, "w") as archive:
            archive.writestr("d/a.txt", prose(6))
            archive.writestr("v1/a.txt", prose(7))
    names = ["r.jsonl#2", "v1/r.jsonl#2", "z.zip/d/a.txt", "z.zip/v1/a.txt", "v1/z.zip/d/a.txt"]

    def read(*options: str) -> list[str]:
        stdin = "\n".join(names).encode()
        return names_in(simdup("fingerprint", "--files-from", "-", *options, stdin=stdin))

    assert read() == names
    assert read("--exclude", "v1/") == ["r.jsonl#2", "z.zip/d/a.txt"]
    assert read("--glob", "*.jsonl") == names[:2]
    names[:] = ["z.zip", "v1/z.zip"]
    assert read("--exclude", "v1/") == ["z.zip/d/a.txt"]
    assert read("--glob", "*.txt", "--exclude", "d/") == ["z.zip/v1/a.txt", "v1/z.zip/v1/a.txt"]
