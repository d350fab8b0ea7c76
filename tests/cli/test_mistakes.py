"""What people mistype, and what they read then."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from support import Command, command, commands, environment

from lab.corpora.made import prose, write

MISTAKES = [
    ("dedup", "simdup: no such command 'dedup'", "did you mean 'dedupe'?"),
    ("index buidl", "simdup: index: no such command 'buidl'", "did you mean 'build'?"),
    ("xyzzy", "simdup: no such command 'xyzzy'", "simdup --help"),
    ("--nonsense", "simdup: no such option '--nonsense'", "simdup --help"),
    ("scan c -s 2", "simdup: --similarity: 2 is not between 0 and 1", ""),
    ("scan c -s 80%", "simdup: --similarity: '80%' is not a number", ""),
    ("scan c -d x", "simdup: --distance: 'x' is not a whole number", ""),
    ("scan c -j 0", "simdup: --jobs: 0 is not between 1 and 1024", ""),
    ("scan c -d 65", "simdup: --distance: 65 is more than the 64 bits of a fingerprint", ""),
    ("scan c -f json", "simdup: --format: 'json' is not one of text, csv, jsonl, html, github",
     "did you mean 'jsonl'?"),
    ("scan c --method simhsh",
     "simdup: --method: 'simhsh' is not one of auto, simhash, minhash, pstable",
     "did you mean 'simhash'?"),
    ("scan c --max-size 9999999999999999",
     "simdup: --max-size: '9999999999999999' is not a size (expected a number such as 500M or 2G)",
     ""),
    ("scan c -d", "simdup: -d: needs a value", ""),
    ("scan c --verify=no", "simdup: --verify: takes no value", ""),
    ("fit c", "simdup: fit: missing --output MODEL", "simdup fit --help"),
    ("compare a", "simdup: compare: missing B", "simdup compare --help"),
    ("compare a b c", "simdup: compare: unexpected argument: c", "simdup compare --help"),
    ("compare - -", "simdup: compare: only one of A and B can be standard input",
     "simdup compare --help"),
    ("scan c -o none/r.csv", "simdup: none: no such folder", ""),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "said", "hint"), MISTAKES, ids=[one[0] for one in MISTAKES])
def test_a_mistake_is_explained(
    simdup: Command, tmp_path: Path, typed: str, said: str, hint: str
) -> None:
    write(tmp_path / "c", {"a.txt": prose(1)})
    ran = simdup(*typed.split())
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err.splitlines() == [said, *([f"hint: {hint}"] if hint else [])]


@pytest.mark.parametrize("name", commands())
def test_mistyped_options_name_the_near_ones(simdup: Command, name: str) -> None:
    ran = simdup(*name.split(), "--halp")
    assert (ran.status, ran.err) == (
        2, f"simdup: {name}: no such option '--halp'\nhint: did you mean '--help'?\n"
    )  # fmt: skip


@pytest.mark.parametrize("name", ["-x.txt", "-d5.txt", "-q.txt", "--draft.txt", "-s"])
def test_a_file_that_begins_with_a_dash(simdup: Command, tmp_path: Path, name: str) -> None:
    write(tmp_path, {name: prose(1), "a.txt": prose(1)})
    ran = simdup("scan", "a.txt", name)
    assert ran.status == 2
    assert ran.err.splitlines()[1:] == [
        f"hint: for the file {name!r} write './{name}', or '--' before it"
    ]
    for arguments in (["a.txt", f"./{name}"], ["--", "a.txt", name]):
        assert "cluster 1: 2 documents" in simdup("scan", *arguments).text
    assert "hint: for the file" not in simdup("scan", "--glub", "--", name).err


def test_help_is_also_a_command(simdup: Command) -> None:
    assert simdup("help") == simdup("--help")


def test_nothing_is_said_of_nothing(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "list").touch()
    ran = simdup("scan", "--files-from", "list")
    assert (ran.status, ran.err.splitlines()[1:]) == (0, ["Nothing to compare."])
    ran = simdup("scan", "empty")
    assert (ran.status, ran.err.splitlines()[2:]) == (2, ["Nothing to compare."])


def test_a_folder_that_nobody_may_write_in_is_named(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.txt": prose(1)})
    (tmp_path / "closed").mkdir(mode=0o555)
    if os.access(tmp_path / "closed", os.W_OK):
        pytest.skip("this user may write everywhere")
    for arguments in (["scan", "c", "-o", "closed/r.csv"], ["dedupe", "c", "-o", "closed/a/b"]):
        ran = simdup(*arguments)
        assert ran.status == 2
        assert ran.err == "simdup: closed: no permission to write in this folder\n"


@pytest.mark.parametrize(
    ("output", "said"), [([], ""), (["-o", "r.csv"], "; r.csv was not written")]
)
def test_an_interruption_is_one_line(tmp_path: Path, output: list[str], said: str) -> None:
    with subprocess.Popen(
        command("scan", "-", *output),
        stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=tmp_path,
    ) as started:  # fmt: skip
        with pytest.raises(subprocess.TimeoutExpired):
            started.wait(3)
        started.send_signal(signal.SIGINT)
        assert started.wait(20) == 130
        assert started.stderr is not None
        assert started.stderr.read().decode() == f"simdup: interrupted{said}\n"


def test_an_index_and_a_source_the_other_way_round(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.txt": prose(1)})
    simdup("index", "build", "i", "c")
    ran = simdup("query", "c", "i")
    assert ran.status == 2
    assert ran.err.endswith("hint: the index comes first: simdup query INDEX SOURCE...\n")


def test_compare_names_the_fields_of_a_record(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"r.jsonl": '{"n": 1, "story": "A b c d e."}\n' * 2})
    ran = simdup("compare", "r.jsonl#1", "r.jsonl#2")
    assert ran.status == 2
    assert ran.err == (
        "simdup: r.jsonl#1: no field 'text' (fields: 'n' = '1', 'story' = 'A b c d e.')\n"
        "hint: --field story\n"
    )


def test_preferred_ones_are_not_named_where_none_is(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": prose(1)})
    assert "(order of keeping: input order)" in simdup("scan", "c", "--prefer", "x*").err
    assert "(order of keeping: preferred ones, " in simdup("scan", "c", "--prefer", "c/b*").err


def test_fingerprints_of_other_bits_are_told(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1)})
    simdup("fingerprint", "c", "-o", "long", "--recipe", "default,bits=128")
    simdup("fingerprint", "c", "-o", "short")
    ran = simdup("cluster", "long", "short")
    assert ran.status == 2
    assert (
        "different recipes: 64 bits, 128 before\nhint: make all with the same --recipe\n" in ran.err
    )
