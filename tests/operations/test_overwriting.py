"""No output overwrites what a command reads beside its SOURCEs."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from support import Command, command, environment

from lab.corpora.made import prose, write

TEXTS = [prose(1), prose(2)]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "option", ["--files-from", "--recipe", "--dict", "--decisions", "--config"]
)
def test_no_output_overwrites_what_an_option_reads(
    simdup: Command, tmp_path: Path, option: str
) -> None:
    decision = '{"type": "decision", "decision": "distinct", "documents": ["in/a.txt", "in/b.txt"]}'
    record = json.dumps({"text": TEXTS[0]})
    write(tmp_path, {"in/a.txt": TEXTS[0], "in/b.txt": TEXTS[0], "one/r.jsonl": record + "\n"})
    write(tmp_path, {"read/list": "in/a.txt\n", "read/words": "近似重复 10\n"})
    write(tmp_path, {"read/decided": decision + "\n", "read/file": "similarity = 0.7\n"})
    write(tmp_path, {"read/recipe.toml": "top = 5\n"})
    names = {"--files-from": "list", "--recipe": "recipe.toml", "--dict": "words"}
    names |= {"--decisions": "decided", "--config": "file"}
    read = "read/" + names[option]
    (tmp_path / "link").symlink_to(read)
    before = contents(tmp_path)
    for verb in ("scan",) if option == "--decisions" else ("scan", "fingerprint"):
        ran = simdup(verb, "in", option, read, "-o", read)
        assert (ran.status, "is also read by this command" in ran.err) == (2, True), ran.err
    ran = simdup("dedupe", "in", option, read, "-o", "out", "--removed", read)
    assert (ran.status, "is also read by this command" in ran.err) == (2, True)
    source = [] if option == "--files-from" else ["one/r.jsonl"]
    for out in (read, "link"):
        ran = simdup("dedupe", *source, option, read, "-o", out, "--force")
        assert (ran.status, "is also read by this command" in ran.err) == (2, True), ran.err
    ran = simdup("dedupe", "in", option, read, "-o", "read", "--force")
    assert (ran.status, "contains a file that this command reads" in ran.err) == (2, True)
    assert contents(tmp_path) == before


def test_no_output_overwrites_the_configuration_of_a_folder(
    simdup: Command, tmp_path: Path
) -> None:
    write(tmp_path, {"in/a.txt": TEXTS[0], "simdup.toml": "similarity = 0.7\n"})
    assert simdup("index", "build", "i", "in", "-q").status == 0
    before = contents(tmp_path)
    for line in ("scan in -f csv -o", "dedupe in --dry-run --removed", "index export i -o"):
        ran = simdup(*line.split(), "simdup.toml")
        assert (ran.status, "is also read by this command" in ran.err) == (2, True), line
    assert contents(tmp_path) == before


def test_no_output_overwrites_the_file_of_standard_input(tmp_path: Path) -> None:
    record = json.dumps({"text": TEXTS[0]}) + "\n"
    prints = "0123456789abcdef\ta\n0123456789abcdef\tb\n"
    write(tmp_path, {"r.jsonl": record + record, "prints": prints, "list": "r.jsonl\n"})
    os.link(tmp_path / "r.jsonl", tmp_path / "hard.jsonl")
    before = contents(tmp_path)
    for line, name, out in [
        ("dedupe - --input-format jsonl --force", "r.jsonl", "r.jsonl"),
        ("dedupe - --input-format jsonl --force", "r.jsonl", "hard.jsonl"),
        ("dedupe --files-from - --force", "list", "list"),
        ("scan - -f csv", "r.jsonl", "r.jsonl"),
        ("pairs -f text", "prints", "prints"),
        ("cluster -f text", "prints", "prints"),
    ]:
        with open(tmp_path / name, "rb") as stdin:
            ran = subprocess.run(
                [*command(*line.split()), "-o", out],
                cwd=tmp_path, env=environment(), stdin=stdin, capture_output=True,
            )  # fmt: skip
        assert (ran.returncode, b"is standard input" in ran.stderr) == (2, True), (line, ran.stderr)
        assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "words", ["", "--recipe default,idf=builtin", "--recipe default,idf=corpus"]
)
def test_a_clean_corpus_may_go_to_the_working_folder(
    simdup: Command, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, words: str
) -> None:
    """The words for an IDF, such as `auto`, are no files there."""
    source = write(tmp_path_factory.mktemp("in"), {"a.txt": TEXTS[0], "b.txt": TEXTS[1]})
    ran = simdup("dedupe", str(source), "-o", ".", *words.split())
    assert ran.status == 0, ran.err
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt"]
