"""The same option has the same spelling, meaning and help in every command that it fits."""

from pathlib import Path

import click
import pytest
from support import Command, commands

from lab.corpora.made import near, prose, write
from simdup.cli.help import Option

COMMANDS = commands()

# What people expect of any command.
EXPECTED = ("--quiet", "--verbose", "--color", "--format", "--output", "--files-from", "--null")

_ONE_FORMAT = "fingerprint lines are its only format"
_WRITES_INDEX = "it prints a report only; its result is the index"
_NO_RECIPE = "no recipe decides what it does"
_NO_SOURCES = "it takes no list of SOURCEs"
_FILES = "a few files of fingerprint lines; cat joins more"
_TWO = "it takes exactly two files"
_PAGE = "it writes a page"
_PLAIN = "its text has nothing to color"

# The commands that lack an option, and why.
EXCEPTIONS = {
    "--quiet": {"completion": "it prints a script only"},
    "--verbose": {
        "passages": _NO_RECIPE, "conflicts": _NO_RECIPE, "pairs": _NO_RECIPE,
        "evaluate": _NO_RECIPE, "audit": _NO_RECIPE, "decontaminate": _NO_RECIPE,
        "fit": "a model has no complete recipe: it only counts documents per term",
        "index remove": _NO_RECIPE, "index check": _NO_RECIPE,
        "index info": "it shows the recipe anyway", "index export": "its header names the recipe",
        "completion": _NO_RECIPE,
    },
    "--color": {
        "fingerprint": _ONE_FORMAT, "index export": _ONE_FORMAT, "dedupe": "it lists CSV or JSONL",
        "decontaminate": _PLAIN, "audit": _PAGE,
        "fit": "a model is not text", "pairs": "tabs between columns, for other programs",
        "evaluate": _PLAIN, "index info": _PLAIN, "completion": "a script",
        **dict.fromkeys(("index build", "index add", "index remove", "index check"),
                        _WRITES_INDEX),
    },
    "--format": {
        "fingerprint": _ONE_FORMAT, "index export": _ONE_FORMAT, "fit": "models have one format",
        "dedupe": "OUT has the format of its SOURCE, --removed that of its suffix",
        "decontaminate": "OUT has the format of its SOURCE, --evidence is JSON lines",
        "audit": _PAGE,
        "completion": "a script for the shell that is named",
        **dict.fromkeys(("index build", "index add", "index remove", "index check"),
                        _WRITES_INDEX),
    },
    "--output": {
        "completion": "a script is redirected where the shell reads it",
        **dict.fromkeys(("index build", "index add", "index remove", "index check"),
                        _WRITES_INDEX),
    },
    "--files-from": {
        "compare": _TWO, "evaluate": _TWO, "cluster": _FILES, "pairs": _FILES,
        **dict.fromkeys(("index info", "index check", "index export", "completion"), _NO_SOURCES),
    },
}  # fmt: skip
EXCEPTIONS["--null"] = EXCEPTIONS["--files-from"]


def spellings(command: click.Command) -> set[str]:
    return {name for one in command.params for name in (*one.opts, *one.secondary_opts)}


@pytest.mark.parametrize("option", EXPECTED)
def test_an_option_is_where_it_makes_sense(option: str) -> None:
    lacking = {name for name, command in COMMANDS.items() if option not in spellings(command)}
    assert lacking == set(EXCEPTIONS[option])


def test_an_option_has_one_short_form_and_one_type() -> None:
    forms: dict[str, set[object]] = {}
    for command in COMMANDS.values():
        for one in command.params:
            if isinstance(one, Option):
                form = (tuple(one.opts), tuple(one.secondary_opts), type(one.type).__name__,
                        one.multiple, one.is_flag)  # fmt: skip
                forms.setdefault(max(one.opts, key=len), set()).add(form)
    # A corpus may have duplicates or none, but leaks up to a rate.
    assert {name for name, found in forms.items() if len(found) > 1} == {"--check"}


def test_a_short_form_means_one_option() -> None:
    meanings: dict[str, set[str]] = {}
    for command in COMMANDS.values():
        for one in command.params:
            for short in (
                name for name in one.opts if not name.startswith("--") and name[0] == "-"
            ):
                meanings.setdefault(short, set()).add(max(one.opts, key=len))
    assert {short for short, names in meanings.items() if len(names) > 1} == {"-h"} & set(meanings)


def test_what_is_written_is_said_unless_quiet(simdup: Command, tmp_path: Path) -> None:
    a = prose(1)
    write(tmp_path, {"c/a.txt": a, "c/b.txt": near(a), "t": "c/a.txt\tc/b.txt\t1\n"})
    (tmp_path / "p").write_bytes(simdup("fingerprint", "c").out)
    simdup("scan", "c", "-o", "r.csv")
    assert simdup("index", "build", "i", "c").status == 0
    operands = {"compare": "c/a.txt c/b.txt", "cluster": "p", "pairs": "p", "query": "i c",
                "decontaminate": "c --against t",
                "evaluate": "r.csv t", "audit": "r.csv", "index info": "i",
                "index export": "i"}  # fmt: skip
    for name, command in COMMANDS.items():
        if "--output" not in spellings(command):
            continue
        for quiet in ([], ["-q"]):
            out = f"out-{name.replace(' ', '-')}{len(quiet)}"
            ran = simdup(*name.split(), *operands.get(name, "c").split(), "-o", out, *quiet)
            assert ran.status == 0, ran.err
            assert (tmp_path / out).exists()
            assert (f"Wrote {out}" in ran.err) != bool(quiet), name
            assert not quiet or ran.err == ""


def test_names_to_remove_come_from_a_file(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {f"c/{name}.txt": prose(n) for n, name in enumerate("abc")})
    simdup("index", "build", "i", "c")
    write(tmp_path, {"gone": "c/a.txt\n", "gone0": "c/b.txt\0"})
    assert (
        "1 document removed, 2 in all" in simdup("index", "remove", "i", "--files-from", "gone").err
    )
    ran = simdup("index", "remove", "i", "c/c.txt", "--files-from", "-", "-0", stdin=b"c/b.txt\0")
    assert "2 documents removed, 0 in all" in ran.err
    assert simdup("index", "remove", "i", "c/a.txt", "-0").err == (
        "simdup: index remove: --null needs --files-from\nhint: simdup index remove --help\n"
    )
    assert simdup("index", "remove", "i").err == (
        "simdup: index remove: missing NAME: name documents as the index does\n"
        "hint: simdup index remove --help\n"
    )
