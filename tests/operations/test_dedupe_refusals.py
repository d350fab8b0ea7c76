"""Dedupe: what it refuses to write, and what it says of files that it cannot open."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import Command, command, environment

from lab.corpora.made import near, prose, write
from simdup.base.atomic import reserve


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    texts = {"1.txt": prose(1), "2.txt": near(prose(1)), "3.txt": prose(2)}
    return write(tmp_path / "corpus", texts)


@pytest.fixture
def closed(corpus: Path) -> Iterator[Path]:
    """A corpus with a file and a folder that cannot be opened."""
    write(corpus, {"closed.txt": prose(3), "sub/4.txt": prose(4)})
    paths = [corpus / "closed.txt", corpus / "sub"]
    for path in paths:
        path.chmod(0)
    if os.access(paths[0], os.R_OK):
        pytest.skip("this user may open everything")
    yield corpus
    for path in paths:
        path.chmod(0o700)


def test_what_cannot_be_opened_is_named_and_missing(
    simdup: Command, tmp_path: Path, closed: Path
) -> None:
    ran = simdup("dedupe", "corpus", "-o", "out")
    assert ran.status == 2
    for name in ("closed.txt", "sub"):
        assert f"simdup: corpus/{name}: permission denied; not copied to out\n" in ran.err
    assert ran.err.endswith("1 file and 1 folder could not be copied; OUT is incomplete.\n")
    assert sorted(os.listdir(tmp_path / "out")) == ["1.txt", "3.txt"]


def test_a_named_file_that_cannot_be_opened_is_skipped(simdup: Command, closed: Path) -> None:
    ran = simdup("scan", "corpus/closed.txt", "corpus/1.txt", "corpus/2.txt")
    assert ran.status == 2
    assert "simdup: corpus/closed.txt: permission denied\n" in ran.err
    assert "corpus/2.txt" in ran.text


@pytest.mark.parametrize("reference", ["missing", "empty", "empty.txt"])
@pytest.mark.parametrize("output", [["-o", "out"], ["--dry-run", "--removed", "r.csv"]])
def test_a_reference_without_documents_is_fatal(
    simdup: Command, tmp_path: Path, corpus: Path, reference: str, output: list[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.txt").touch()
    before = sorted(os.listdir(tmp_path))
    ran = simdup("dedupe", "corpus", "--reference", reference, *output)
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.startswith(f"simdup: {reference}: ")
    assert ran.err.endswith(", but is a reference\n")
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.txt", "out.txt.gz", "out.gz"])
def test_a_new_folder_does_not_get_the_name_of_a_file(
    simdup: Command, tmp_path: Path, corpus: Path, name: str
) -> None:
    ran = simdup("dedupe", "corpus", "-o", name)
    assert ran.status == 2
    assert ran.err.startswith(f"simdup: {name}: has the name of a file")
    assert not (tmp_path / name).exists()
    assert simdup("dedupe", "corpus", "-o", name + "/").status == 0
    assert (tmp_path / name).is_dir()


@pytest.mark.parametrize(
    "arguments",
    [
        ["scan", "corpus", "-f", "csv", "-o"],
        ["fit", "corpus", "-o"],
        ["fingerprint", "corpus", "-o"],
        ["dedupe", "corpus", "-o"],
        ["dedupe", "corpus", "--force", "-o"],
        ["dedupe", "corpus", "-o", "out", "--removed"],
    ],
)
def test_an_index_is_never_replaced(
    simdup: Command, tmp_path: Path, corpus: Path, arguments: list[str]
) -> None:
    simdup("index", "build", "seen.csv", "corpus")
    before = (tmp_path / "seen.csv").read_bytes()
    ran = simdup(*arguments, "seen.csv")
    assert ran.status == 2
    assert ran.err == "simdup: seen.csv: is a simdup index\nhint: choose another name\n"
    assert (tmp_path / "seen.csv").read_bytes() == before
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", [None, "somebody's\n"])
def test_a_link_in_place_of_the_lock_is_refused(
    simdup: Command, tmp_path: Path, content: str | None
) -> None:
    """Whoever can write beside OUT could otherwise have files of this user created or emptied."""
    write(tmp_path, {"c/a.txt": "some words of a text"} | ({"else": content} if content else {}))
    with reserve(str(tmp_path / "out")):
        (lock,) = tmp_path.glob(".simdup-*")
    lock.symlink_to("else")
    before = sorted(tmp_path.rglob("*"))
    ran = subprocess.run(
        command("dedupe", "c", "-o", "out"),
        cwd=tmp_path, env=environment(), capture_output=True, timeout=20, check=False,
    )  # fmt: skip
    said = f"simdup: {lock}: too many levels of symbolic links\n"
    assert (ran.returncode, ran.stderr.decode()) == (2, said)
    assert sorted(tmp_path.rglob("*")) == before
    assert content is None or (tmp_path / "else").read_text("utf-8") == content
    lock.unlink()
    assert simdup("dedupe", "c", "-o", "out").status == 0
