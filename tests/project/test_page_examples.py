"""The examples of the pages run: commands, what they print, and Python."""

import doctest
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import workbench
from support import PAGES, ROOT, Command, Ran, environment

from lab.corpora.made import near, prose

# What installs is run by `.ci/run`.
INSTALLING = ("python3 -m venv", ".venv/bin/", "pip install")

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="pages are written for GNU tools")


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    pattern = rf"^```{language}\n(.*?)^```"
    return re.findall(pattern, page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


class Example(NamedTuple):
    """A command of a page."""

    command: str
    status: int  # as its comment says
    printed: str | None  # what the page shows of it, if anything


def examples(page: Path) -> Iterator[Example]:
    for block in blocks(page, "(?:sh|console)"):
        if block.startswith("$ "):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, printed = part.partition("\n")
                yield Example(command, 0, printed.rstrip())
            continue
        for line in block.splitlines():
            said = re.search(r"# exit status (\d+)", line)
            if line.strip() and not line.startswith(INSTALLING):
                yield Example(line, int(said[1]) if said else 0, None)


# The commands of CONTRIBUTING.md are those that run the tests.
WITH_EXAMPLES = [page for page in PAGES if page.name != "CONTRIBUTING.md" and list(examples(page))]
WITH_PYTHON = [page for page in PAGES if blocks(page, "(?:python|pycon)")]


def in_shell(line: str, folder: Path) -> Ran:
    path = f"{folder / 'bin'}:{environment()['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], cwd=folder, env=environment(PATH=path),
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr.decode())


def timeless(text: str) -> str:
    return re.sub(r"(in|用时) \d+\.\d (s|秒)", r"\1 0.0 \2", text)


@on_linux
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=page_id)
def test_the_commands_of_a_page_do_what_it_says(
    page: Path, simdup: Command, tmp_path: Path
) -> None:
    workbench.build(tmp_path)
    for example in examples(page):
        # Most need no shell, and run in this process in a tenth of the time.
        typed, _, target = re.sub(r" +# .*", "", example.command).partition(" > ")
        commands = [part.split(maxsplit=1)[0] for part in typed.split(" | ")]
        if set(commands) == {"simdup"} and not re.search(r"[<>;&]", typed):
            ran = Ran(0, b"", "")
            for part in typed.split(" | "):
                ran = simdup(*shlex.split(part)[1:], stdin=ran.out)
                assert ran.status == example.status, (example.command, ran.err)
            if target:
                (tmp_path / target).write_bytes(ran.out)
        else:
            ran = in_shell(example.command, tmp_path)
        assert ran.status == example.status, (example.command, ran.err)
        if example.printed is not None:
            shown = "\n".join(filter(None, [ran.text, ran.err]))
            assert timeless(shown.rstrip()) == timeless(example.printed), example.command


@pytest.mark.parametrize("page", WITH_PYTHON, ids=page_id)
def test_the_python_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench.build(tmp_path)
    monkeypatch.chdir(tmp_path)
    # What the examples take for granted.
    text = prose(1)
    rows = [{"id": "a", "text": text}, {"id": "b", "text": near(text)}]
    known = {"rows": rows, "text": text, "array_of_uint64": np.arange(8, dtype=np.uint64)}
    assert doctest.testfile(str(page), module_relative=False, globs=dict(known)).failed == 0
    for block in blocks(page, "python"):
        exec(block, dict(known))


def test_every_command_has_an_example() -> None:
    from simdup.cli import COMMANDS

    used = {
        word
        for page in WITH_EXAMPLES
        for one in examples(page)
        for word in re.findall(r"simdup ([a-z]+)", one.command)
    }
    assert set(COMMANDS) - used == set()
