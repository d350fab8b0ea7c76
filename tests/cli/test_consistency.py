"""The same option has the same spelling, meaning and help in every command that it fits."""

from pathlib import Path

import click
from support import Command, commands

from lab.corpora.made import near, prose, write
from simdup.cli.help import Option

COMMANDS = commands()


def spellings(command: click.Command) -> set[str]:
    return {name for one in command.params for name in (*one.opts, *one.secondary_opts)}


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
