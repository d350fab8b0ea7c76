"""What walks leave out: shell patterns with braces, and results of simdup in a folder."""

from itertools import product
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given
from support import Command

from lab.corpora.made import prose, write
from simdup.corpus.patterns import Patterns, expand, is_own_result, matches


@pytest.mark.parametrize(
    ("pattern", "stands_for"),
    [
        ("*.{md,txt}", ["*.md", "*.txt"]),
        ("{a,b}{c,d}", ["ac", "ad", "bc", "bd"]),
        ("a{b,c{d,e}}f", ["abf", "acdf", "acef"]),
        ("{,x}y", ["y", "xy"]),
        ("{{a,b},c}", ["a", "b", "c"]),
        ("{a}", ["{a}"]),
        ("{a}{b,c}", ["{a}b", "{a}c"]),
        ("{a,b", ["{a,b"]),
        ("a},{b", ["a},{b"]),
        ("{a,{b,c}", ["{a,b", "{a,c"]),
        ("a,b", ["a,b"]),
    ],
)
def test_braces_expand_as_in_a_shell(pattern: str, stands_for: list[str]) -> None:
    assert list(expand(pattern)) == stands_for


@given(st.lists(st.lists(st.text("ab*.", max_size=3), min_size=2, max_size=3), max_size=3))
def test_consecutive_braces_expand_to_all_combinations(choices: list[list[str]]) -> None:
    pattern = "-".join("{" + ",".join(some) + "}" for some in choices)
    assert list(expand(pattern)) == ["-".join(chosen) for chosen in product(*choices)]


@given(st.text("{},a", max_size=40))
def test_any_braces_come_to_an_end(pattern: str) -> None:
    assert expand(pattern)


def test_braces_with_too_many_combinations_are_literal() -> None:
    pattern = "{a,b}" * 60
    assert expand(pattern) == (pattern,)
    assert matches(pattern, [pattern])


@pytest.mark.parametrize("field", ["glob", "exclude", "prefer"])
def test_a_pattern_is_no_longer_than_a_path(simdup: Command, tmp_path: Path, field: str) -> None:
    """Earlier, 30,000 brackets took 19 s."""
    write(tmp_path, {"c/a.txt": prose(1)})
    ran = simdup("scan", "c", f"--{field}", "[" * 30_000)
    assert (ran.status, ran.err.splitlines()[0]) == (
        2, f"simdup: --{field}: '{'[' * 39}... has more than 4,096 characters",
    )  # fmt: skip
    assert simdup("scan", "c", f"--{field}", "[" * 4096).status in (0, 2)


def test_patterns_know_which_of_them_matched() -> None:
    patterns = Patterns(["*.md", "README*", "*.rst"])
    assert patterns.match("d/README.md")
    assert not patterns.match("a.txt")
    assert patterns.unused == ["*.rst"]


# Results of simdup.

# Every command and format that writes something a walk might read as texts or records.
RESULTS = [
    ("scan c -f csv", "csv"),
    ("scan c -f csv --containment 0.1 --cosine 0.1 --bom", "csv"),
    ("scan c -f jsonl", "jsonl"),
    ("scan c/a.txt -f jsonl", "ndjson"),
    ("scan c/a.txt c/no.txt -f jsonl", "jsonl"),
    ("dedupe c --dry-run", "csv"),
    ("dedupe c --dry-run --removed x.jsonl", "jsonl"),
    ("fingerprint c", "txt"),
    ("fingerprint c", ""),
    ("pairs p -f csv", "csv"),
    ("pairs p -f jsonl", "jsonl"),
    ("cluster p -f csv", "txt"),
    ("compare c/a.txt c/b.txt -f jsonl", "jsonl"),
    ("evaluate f.csv f.csv -f jsonl", "jsonl"),
    ("query i c -f csv", "csv"),
    ("query i c -f jsonl", "jsonl"),
    ("query i new.txt -f jsonl", "jsonl"),
    ("index info i -f jsonl", "jsonl"),
    ("scan c -q --baseline x.jsonl --update-baseline --list unique", "txt"),
]


@pytest.mark.parametrize(("line", "suffix"), RESULTS)
def test_a_walk_leaves_out_results_with_a_note(
    simdup: Command, tmp_path: Path, line: str, suffix: str
) -> None:
    """Earlier, CSV and JSONL were records without texts (status 2), other results documents."""
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": prose(1), "new.txt": prose(2)})
    if "p" in line.split():
        (tmp_path / "p").write_bytes(simdup("fingerprint", "c").out)
    if "f.csv" in line.split():
        (tmp_path / "f.csv").write_bytes(simdup("scan", "c", "-f", "csv").out)
    if "i" in line.split():
        simdup("index", "build", "i", "c")
    written = simdup(*line.split()).out or (tmp_path / "x.jsonl").read_bytes()
    found = tmp_path / "c" / f"found.{suffix}".rstrip(".")
    found.write_bytes(written)
    ran = simdup("fingerprint", "c")
    said = f"simdup: c/{found.name}: left out: a result of simdup; name the file to read it\n"
    assert (ran.status, ran.err, len(ran.lines)) == (0, said, 3)
    assert simdup("scan", "c", "-q").err == ""
    named = simdup("scan", f"c/{found.name}")
    assert "left out" not in named.err
    assert simdup("dedupe", "c", "-o", "out").status == 0
    assert (tmp_path / "out" / found.name).read_bytes() == written, "copied, as binary files"


@pytest.mark.parametrize(
    "content",
    [
        b"cluster,role,document\n", b"cluster,role,document,fingerprint,distance,similarity and\n",
        b"a,b,distance,similarity of two\n", b"# simdup\n", b"# simdup 1 is a tool\n",
        b'{"type": "cluster"}\n', b'{"type": "summary", "text": "x"}\n', b'{"type":"new"}', b"",
        b" # simdup 1\n", b"\nA\n",
    ],
)  # fmt: skip
def test_files_that_only_resemble_results_are_read(content: bytes) -> None:
    assert not is_own_result(content)


@pytest.mark.parametrize("typed", [True, False])
def test_what_a_run_is_told_of_is_left_out_without_a_note(
    simdup: Command, tmp_path: Path, typed: bool
) -> None:
    """Earlier, each run noted its own baseline."""
    row = '{"type": "decision", "decision": "distinct", "documents": ["c/a.txt", "c/b.txt"]}\n'
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": prose(2), "c/own.jsonl": row})
    (tmp_path / "link").symlink_to("c")
    options = ["--baseline", "link/base", "--decisions", "c/own.jsonl"]
    assert simdup("scan", "c", *options, "--update-baseline").status == 0
    if not typed:
        write(tmp_path, {"simdup.toml": 'baseline = "c/base"\ndecisions = "c/own.jsonl"\n'})
    ran = simdup("scan", "c", *(options if typed else ()))
    assert "left out" not in ran.err
    assert "Read 2 documents" in ran.err
    assert "c/own.jsonl: left out: a result" in simdup("scan", "c", "--config", "none").err
    # The copy of a folder is whole.
    assert simdup("dedupe", "c", "-o", "out", *options[2:]).status == 0
    assert (tmp_path / "out/own.jsonl").read_text() == row


def test_a_run_does_not_read_its_own_output(simdup: Command, tmp_path: Path) -> None:
    """Earlier, a model was a document of the next run that wrote it."""
    write(tmp_path / "c", {"a.txt": prose(1), "b.txt": prose(2)})
    first = simdup("fit", "c", "-o", "c/model").err
    assert first.startswith("Read 2 documents")
    left_out = "simdup: c/model: left out: this run writes to it\n"
    assert simdup("fit", "c", "-o", "c/model").err == left_out + first
    (tmp_path / "l.csv").symlink_to("c/found.csv")
    for _ in range(2):
        ran = simdup("scan", "c", "--exclude", "model", "-o", "l.csv")
        assert (ran.status, ran.out) == (0, b"")
    assert "simdup: c/found.csv: left out: this run writes to it\n" in ran.err
