"""Help in two lengths, and library messages in terms of the command line."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from support import ROOT, Command

from lab.corpora.made import write
from simdup.cli import COMMANDS, _simdup
from simdup.cli.help import Option
from simdup.cli.messages import Status, as_option, as_typed, status, typed
from simdup.cli.options import TABLE
from simdup.index.match import QueryResults
from simdup.model.documents import Skipped


def commands() -> list[tuple[str, click.Command]]:
    """All commands by what people type, including those of `index`."""
    found: list[tuple[str, click.Command]] = []
    for name in COMMANDS:
        command = _simdup.resolve_command(click.Context(_simdup), [name])[1]
        assert command is not None
        if isinstance(command, click.Group):
            found += [(f"{name} {below}", one) for below, one in command.commands.items()]
        else:
            found.append((name, command))
    return found


NAMES = [name for name, _ in commands()]


@pytest.mark.parametrize("name", ["", "index", *NAMES])
def test_short_help_fits_a_screen_and_full_help_has_everything(
    simdup: Command, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    short, full = simdup(*name.split(), "-h"), simdup(*name.split(), "--help")
    assert (short.status, short.err, full.status, full.err) == (0, "", 0, "")
    assert len(short.lines) <= 45
    assert len(full.lines) <= 117
    assert len(short.lines) <= len(full.lines)
    assert max(map(len, short.lines + full.lines)) <= 80
    assert "Examples:" in short.text
    for option in re.findall(r"--[a-z-]+", short.text.partition("Examples:")[0]):
        assert option in full.text


@pytest.mark.parametrize("name", sorted({*NAMES} - {"completion"}))
def test_every_option_has_a_panel_a_help_and_its_default(simdup: Command, name: str) -> None:
    command = dict(commands())[name]
    text = re.sub(r"\s+", " ", simdup(*name.split(), "--help").text)
    headings = re.findall(r"^(\w+):$", simdup(*name.split(), "--help").text, re.MULTILINE)
    assert [h for h in headings if h in TABLE] == sorted(
        (h for h in headings if h in TABLE), key=list(TABLE).index
    )
    for option in command.params:
        if isinstance(option, click.Option):
            assert isinstance(option, Option), option.name
            assert option.row.panel in TABLE
            assert option.help
            assert max(option.opts + option.secondary_opts, key=len) in text
            plain = not option.is_flag and isinstance(option.default, str | int | float)
            default = f"{option.default:g}" if isinstance(option.default, float) else option.default
            assert not plain or f"[default: {option.row.shown or default}]" in text
            for other in option.secondary_opts:
                assert re.search(rf"{other} .*?\[default: ", text), other
            assert option.is_flag or re.fullmatch("[A-Z]+", option.metavar or ""), option.name
            for choice in getattr(option.type, "choices", ()):
                assert re.search(rf"\b{choice}\b", text), (option.name, choice)


@pytest.mark.parametrize(
    ("skipped", "no", "expected"),
    [
        ([], False, Status.DONE),
        ([], True, Status.NO),
        ([Skipped("a", "empty")], False, Status.DONE),
        ([Skipped("a", "empty")], True, Status.NO),
        ([Skipped("a", "gone", error=True)], False, Status.ERROR),
        ([Skipped("a", "gone", error=True)], True, Status.ERROR),
    ],
)
def test_an_error_beats_a_no(skipped: list[Skipped], no: bool, expected: Status) -> None:
    assert status(skipped, no) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("lower `distance` or raise `similarity`",
         "lower --distance or raise --similarity"),
        ("set `id_field`", "set --id-field"),
        ("a `dictionary`", "a --dict"),
        ("`fit` writes models", "simdup fit SOURCE -o MODEL writes models"),
        ("a smaller `distance`; `iter_pairs` yields blocks", "a smaller --distance"),
        ("a line `word [frequency] [tag]`", "a line `word [frequency] [tag]`"),
        ("", ""),
    ],
)  # fmt: skip
def test_python_names_become_options(words: str, expected: str) -> None:
    assert as_typed(words) == expected
    assert typed(QueryResults(iter(()), [Skipped("a", words)])).skipped == [Skipped("a", expected)]


def test_an_argument_at_fault_is_named_as_its_option(simdup: Command) -> None:
    assert as_option("min_df") == "--min-df"
    ran = simdup("scan", "--recipe", "default,bits=12", ".")
    assert ran.err == (
        "simdup: --recipe: bits: invalid value 12 (expected a multiple of 8 from 8 to 256)\n"
    )


def words_of_errors() -> Iterator[str]:
    """The texts of errors, hints and reasons in the library."""
    for path in sorted((ROOT / "simdup").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        documented = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in documented:
                yield str(node.value)


def test_every_name_in_an_error_is_something_to_type() -> None:
    typed_options = {
        name
        for _, command in commands()
        for p in command.params
        for name in (*p.opts, *p.secondary_opts)
    }
    names = {name for words in words_of_errors() for name in re.findall(r"`([a-zA-Z_.]+)`", words)}
    assert "distance" in names
    for name in names:
        said = as_option(name)
        assert not said or said.startswith("simdup ") or said in typed_options, name


def test_a_wide_term_leaves_its_table_narrow(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "x" * 500 + " one two " + "汉" * 90, "b.txt": "six seven"})
    ran = simdup("compare", "--recipe", "default,tokens=split", "a.txt", "b.txt")
    assert max(map(len, ran.lines)) < 100
    assert "x" * 39 + "…" in ran.text
