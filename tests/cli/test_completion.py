"""Completion in shells: what each offers for a line that is not finished."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support import Command, environment

from lab.corpora.made import write
from simdup.cli import COMMANDS
from simdup.cli.completion import SHELLS

Offers = Callable[..., list[str]]

LINES = [
    # What is typed, some of what is offered, and what is not.
    ("", {"scan", "query", "completion"}, {"--help"}),
    ("co", {"compare", "completion"}, {"scan"}),
    ("-", {"--help", "--version"}, {"scan"}),
    ("index ", {"build", "export"}, {"scan"}),
    ("index build --fi", {"--field", "--files-from", "--fingerprints"}, {"--method"}),
    ("scan --me", {"--method"}, {"--keep"}),
    ("scan --no-v", {"--no-verify"}, {"--verify"}),
    ("scan --distance 3 --d", {"--dict", "--decisions"}, {"--distance"}),
    ("scan --exclude x --ex", {"--exclude"}, set()),
    ("scan --method ", {"auto", "simhash", "minhash", "pstable"}, {"text"}),
    ("scan c --format js", {"jsonl"}, {"csv"}),
    ("compare -f ", {"text", "jsonl", "html"}, {"csv"}),
    ("scan -k lo", {"longest"}, {"first"}),
    ("scan --recipe ", {"default", "plain", "string128", "bkdr32"}, set()),
    ("completion ", set(SHELLS), set()),
]
FILES = ["scan ", "scan c", "compare a ", "query i ", "index add i ", "scan -o ", "scan --dict ",
         "scan --reference ", "scan --config ",
         "dedupe c --removed "]  # fmt: skip


@pytest.fixture
def offers(simdup: Command, monkeypatch: pytest.MonkeyPatch) -> Offers:
    """What a shell is told, in this process."""

    def complete(line: str, shell: str = "bash") -> list[str]:
        words = f"simdup {line}"
        count = len(words.split()) - (not words.endswith(" "))
        # Fish gives the last word itself, the others its number.
        last = words.rpartition(" ")[2] if shell == "fish" else str(count)
        monkeypatch.setenv("_SIMDUP_COMPLETE", f"{shell}_complete")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", last)
        ran = simdup()
        assert (ran.status, ran.err) == (0, "")
        return ran.lines

    return complete


@pytest.mark.parametrize(("line", "expected", "others"), LINES, ids=[one[0] for one in LINES])
def test_what_fits_is_offered(
    offers: Offers, line: str, expected: set[str], others: set[str]
) -> None:
    found = {one.partition(",")[2] for one in offers(line) if one.startswith("plain,")}
    assert expected <= found
    assert not others & found


@pytest.mark.parametrize("line", FILES)
def test_the_shell_completes_files(offers: Offers, line: str) -> None:
    assert any(one.startswith("file,") for one in offers(line))


def test_a_configuration_is_not_looked_at(offers: Offers, tmp_path: Path) -> None:
    write(tmp_path, {"simdup.toml": "nonsense = 1"})
    assert offers("scan --keep l") == ["plain,longest"]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(simdup: Command, offers: Offers, shell: str) -> None:
    ran = simdup("completion", shell)
    assert (ran.status, ran.err) == (0, "")
    assert f"_SIMDUP_COMPLETE={shell}_complete" in ran.text
    assert any("compare" in line for line in offers("comp", shell))


def test_an_unknown_shell_is_named(simdup: Command) -> None:
    ran = simdup("completion", "bahs")
    assert (ran.status, ran.err) == (
        2, "simdup: completion: 'bahs' is not one of bash, zsh, fish\nhint: did you mean 'bash'?\n"
    )  # fmt: skip


# What a person's shell does: the script is read, then lines are completed.
_BASH = """
source script || exit 1
compopt() { echo compopt "$@"; }
for line in "$@"; do
    COMPREPLY=(); COMP_WORDS=($line); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _simdup_completion simdup
    printf '%s\\n' "${COMPREPLY[@]}"
done
complete -p simdup
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes(simdup: Command, tmp_path: Path) -> None:
    expected = {
        "simdup ded": ["dedupe"],
        "simdup dedupe --dry": ["--dry-run"],
        "simdup scan --method ps": ["pstable"],
        "simdup scan c": ["compopt -o default", ""],
    }
    (tmp_path / "script").write_bytes(simdup("completion", "bash").out)
    program = write(tmp_path, {"simdup": f'#!/bin/sh\nexec "{sys.executable}" -m simdup "$@"\n'})
    os.chmod(program / "simdup", 0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "--norc", "-c", _BASH, "bash", *expected], cwd=tmp_path,
        env=environment(PATH=path), capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    *found, registered = done.stdout.splitlines()
    assert found == [line for lines in expected.values() for line in lines]
    assert registered == "complete -o nosort -F _simdup_completion simdup"


def test_completing_imports_no_command_that_is_not_typed(tmp_path: Path) -> None:
    """It runs at each press of a key: numpy alone would take a tenth of a second."""
    code = (
        "import sys, atexit; from simdup.cli import main\n"
        "atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))\n"
        "main([])"
    )
    variables = {"_SIMDUP_COMPLETE": "bash_complete", "COMP_WORDS": "simdup s", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(**variables), cwd=tmp_path,
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "plain,scan\n"
    loaded = set(done.stderr.split())
    assert not {"numpy", "rich", "tomllib"} & loaded
    assert not {f"simdup.cli.{name}" for name in COMMANDS} & loaded
