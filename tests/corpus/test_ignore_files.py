"""`.simdupignore` files: what they leave out of a walk, and what is said of faulty ones."""

import os
import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from support import Command

from lab.corpora.made import prose, write
from simdup import SimdupError, scan
from simdup.corpus.sources import Listed, list_files
from simdup.model.settings import Reading

FILES = ("a.txt", "b.md", "drafts/a.txt", "drafts/old/c.txt", "drafts/keep.txt", "d/a.txt",
         "d/drafts", "d/e/b.md")  # fmt: skip


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "c", {name: prose(i) for i, name in enumerate(FILES)})


def listed(source: str = "c", **reading: object) -> set[str]:
    files = list_files([source], Reading(**reading)).files  # type: ignore[arg-type]
    return {file.path.removeprefix("c/") for file in files}


@pytest.mark.parametrize(
    ("lines", "missing"),
    [
        ("*.md", {"b.md", "d/e/b.md"}),
        ("/*.md", {"b.md"}),
        ("drafts/", {"drafts/a.txt", "drafts/old/c.txt", "drafts/keep.txt"}),
        ("drafts", {"drafts/a.txt", "drafts/old/c.txt", "drafts/keep.txt", "d/drafts"}),
        ("drafts/*\n!drafts/keep.txt", {"drafts/a.txt", "drafts/old/c.txt"}),
        ("drafts/**\n!drafts/keep.txt", {"drafts/a.txt", "drafts/old/c.txt"}),
        # What is in a folder that was left out cannot be taken back.
        ("drafts/\n!drafts/keep.txt", {"drafts/a.txt", "drafts/old/c.txt", "drafts/keep.txt"}),
        ("*\n!*/\n!*.md", set(FILES) - {"b.md", "d/e/b.md"}),
        ("d/**/b.md", {"d/e/b.md"}),
        ("# *.md\n\n  \n\\#x\na.txt\n!/a.txt", {"drafts/a.txt", "d/a.txt"}),
        ("\ufeffb.md\r\n", {"b.md", "d/e/b.md"}),
        ("{a,b}.md", set()),
    ],
)
def test_lines_mean_what_they_mean_in_a_gitignore(lines: str, missing: set[str]) -> None:
    write(Path("c"), {".simdupignore": lines})
    assert set(FILES) - listed() == missing
    assert listed(ignore=False) == set(FILES)


def test_an_inner_file_decides_before_an_outer_one() -> None:
    write(Path("c"), {".simdupignore": "*.txt", "d/.simdupignore": "!a.txt\n/e"})
    assert listed() == {"b.md", "d/a.txt", "d/drafts"}


def test_files_above_the_source_are_not_read_and_what_is_named_is() -> None:
    write(Path("c"), {".simdupignore": "*", "../.simdupignore": "*"})
    assert listed() == set()
    assert listed("c/d") == {"d/a.txt", "d/drafts", "d/e/b.md"}
    assert listed("c/b.md") == {"b.md"}


LINES = r"""
a b/ *.txt /a !a.txt !b/ a/b a/** **/b a/* * !*/ !*.md ? [ab] !a/ b.md \[z\] #c a/**/b.md !/a/b
**/a/*.txt b/a/ [!a] a[.]txt b/** ** !**/b [a-b]* \!x ?/ []z]* [^.] **/ a/**/ /**/b.md a**b **.md
/* !a/a.txt !a/b *a*t *?.*t* a/*/b/**/*.txt **/a/**/b/** **/b/**/a/**/*.m*d a/**/**/b *[bz]*]
*a*t* *[a-z]*.* **/a/**/b a/**/b/*.md **/a/**/*a*/**/b
"""


@pytest.mark.skipif(shutil.which("git") is None, reason="no git to compare with")
@pytest.mark.parametrize("seed", range(40))
def test_git_leaves_out_the_same(seed: int) -> None:
    chance = random.Random(seed)

    def fill(folder: str, depth: int) -> None:
        os.mkdir(folder)
        if chance.random() < 0.5 or not depth:
            lines = "\n".join(chance.choices(LINES.split(), k=chance.randint(1, 5)))
            write(Path(folder), {".simdupignore": lines})
        for name in ("a", "b", "a.txt", "b.md", "a b", "[z]"):
            kind = chance.random()
            if kind < 0.3 and depth < 3 and "." not in name:
                fill(f"{folder}/{name}", depth + 1)
            elif kind < 0.8:
                write(Path(folder), {name: ""})

    fill("g", 0)
    subprocess.run(["git", "init", "-q", "g"], check=True)
    asked = ["git", "ls-files", "-o", "-z", "--exclude-per-directory=.simdupignore"]
    names = subprocess.run(asked, cwd="g", check=True, capture_output=True, text=True).stdout
    expected = {f"g/{name}" for name in names.split("\0") if name}
    found = {file.path for file in list_files(["g"], Reading()).files}
    assert found == {name for name in expected if not name.endswith(".simdupignore")}
    # What a list names is left out as in its folder.
    listing = [Listed(file.path, "-") for file in list_files(["g"], Reading(ignore=False)).files]
    os.chdir("g")
    inside = [Listed(one.removeprefix("g/"), "-") for one in listing]
    assert {f"g/{file.path}" for file in list_files(inside, Reading()).files} == found
    assert len(list_files(inside, Reading(ignore=False)).files) == len(listing)


@pytest.mark.parametrize(
    "line",
    ["*a" * 40 + "b", "**/a/" * 40 + "b", "*?a[a]" * 40 + "b/*", "/*a" + "*?" * 8 + "b",
     "**/*a/" * 5 + "b"],
)  # fmt: skip
def test_many_stars_take_no_time(line: str) -> None:
    """With seven stars, a name of 200 letters took hours."""
    write(Path("c"), {".simdupignore": line, "a" * 200: "", "a/" * 60 + "a": ""})
    begun = time.process_time()
    assert "a" * 200 in listed()
    assert time.process_time() - begun < 2


@pytest.mark.parametrize("line", ["[" * 4096, "a" * 4_000_000])
def test_an_absurd_line_is_refused_at_once(simdup: Command, line: str) -> None:
    write(Path("c"), {".simdupignore": line})
    begun = time.process_time()
    assert "line 1: not a pattern" in simdup("scan", "c").err
    assert time.process_time() - begun < 2


def test_what_was_left_out_is_counted_once_and_noted(simdup: Command) -> None:
    write(Path("c"), {".simdupignore": "b.md\ndrafts/\n/a.txt", "n/x.txt": prose(1)})
    ran = simdup("scan", "c")
    said = "simdup: .simdupignore: left out 3 files and 1 folder\n"
    assert (ran.status, ran.err.count(said)) == (0, 1)
    # Other patterns come first: what they leave out is not counted.
    ran = simdup("scan", "c", "--exclude", "drafts", "--glob", "b.md", "--exclude", "d/e")
    assert "simdup: .simdupignore: left out 1 file\n" in ran.err
    assert "simdupignore" not in simdup("scan", "c", "-q").err
    assert "simdupignore" not in simdup("scan", "c", "--no-ignore").err


def test_what_was_left_out_of_a_list_is_counted_once_and_noted(simdup: Command) -> None:
    """Earlier, all of it was read."""
    write(Path("c"), {".simdupignore": "/b.md\ndrafts/\n/a.txt", "n/x.txt": prose(1)})
    names = "\n".join(f"c/{name}" for name in (*FILES, "n/x.txt")).encode()
    ran = simdup("fingerprint", "--files-from", "-", stdin=names)
    assert [line.rpartition("  ")[2] for line in ran.lines[1:]] == [
        "c/d/a.txt", "c/d/drafts", "c/d/e/b.md", "c/n/x.txt",
    ]  # fmt: skip
    assert "simdup: .simdupignore: left out 2 files and 1 folder\n" in ran.err
    ran = simdup("fingerprint", "--files-from", "-", "--no-ignore", stdin=names)
    assert len(ran.lines) == len(FILES) + 2
    ran = simdup("dedupe", "--files-from", "-", "-o", "out", stdin=names)
    assert ran.status == 0
    out = {path.relative_to("out").as_posix() for path in Path("out").rglob("*") if path.is_file()}
    assert out == {"d/a.txt", "d/drafts", "d/e/b.md", "n/x.txt"}


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"*.md\n!", "line 2: not a pattern: '!'"),
        (b"[z-a].txt", "line 1: not a pattern: '[z-a].txt'"),
        (b"a\n\n[a-", "line 3: not a pattern: '[a-'"),
        (b"a\n/\n", "line 2: not a pattern: '/'"),
        (b"[[:alpha:]]", "line 1: not a pattern: '[[:alpha:]]'"),
        (b"a\\", r"line 1: not a pattern: 'a\\'"),
        (b"a\n\xff\n", "line 2: not UTF-8"),
        ("\u8349\u7a3f/".encode("gbk"), "line 1: not UTF-8"),
        ("drafts/".encode("utf-16"), "line 1: not UTF-8"),
        ("drafts/".encode("utf-16-le"), r"line 1: not a pattern: 'd\x00r\x00a"),
        (b"\x1b[2J[", r"line 1: not a pattern: '\x1b[2J['"),
    ],
)
def test_a_faulty_file_ends_the_run(simdup: Command, content: bytes, what: str) -> None:
    """Otherwise, what was to be left out would be read."""
    Path("c/d/.simdupignore").write_bytes(content)
    ran = simdup("scan", "c")
    assert ran.status == 2
    assert ran.err.startswith(f"simdup: c/d/.simdupignore: {what}")
    assert ran.err.endswith("\nhint: correct it, or read all files: see --no-ignore\n")
    assert simdup("scan", "c", "--no-ignore").status == 0
    with pytest.raises(SimdupError, match=r"c/d/.simdupignore: line \d"):
        scan("c")


def test_a_file_that_cannot_be_read_ends_the_run(simdup: Command) -> None:
    os.mkdir("c/.simdupignore")
    ran = simdup("scan", "c")
    assert (ran.status, ran.err.splitlines()[0]) == (
        2, "simdup: c/.simdupignore: is a folder",
    )  # fmt: skip
    os.rmdir("c/.simdupignore")
    os.symlink("missing", "c/.simdupignore")
    assert simdup("scan", "c").status == 2
    # A link to a file is read.
    Path("c/missing").write_text("*.md")
    assert "left out 2 files" in simdup("scan", "c").err
