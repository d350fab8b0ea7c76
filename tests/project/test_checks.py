"""The hooks for pre-commit and the action for GitHub do in a repository what their page says."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, environment

from lab.corpora.made import near, prose, write
from simdup.cli.conflicts import command as conflicts
from simdup.cli.scan import command as scan

yaml = pytest.importorskip("yaml")

PAGE = (ROOT / "docs" / "guides" / "checks.md").read_text("utf-8")
HOOKS = {
    hook["id"]: hook
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
}
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))

posix = pytest.mark.skipif(os.name == "nt", reason="for a POSIX shell")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with two near-duplicates, and a `simdup` for the shell."""
    folder = tmp_path / "a repository"
    write(folder / "docs", {"a.md": prose(1), "b.md": near(prose(1)), "c d.md": prose(2)})
    write(tmp_path / "bin", {"simdup": f'#!/bin/sh\nexec "{sys.executable}" -m simdup "$@"\n'})
    (tmp_path / "bin" / "simdup").chmod(0o755)
    return folder


def run(words: list[str], folder: Path, **variables: str) -> Done:
    path = f"{folder.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        words, cwd=folder, env=environment(PATH=path, **variables), capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip


def hook(name: str, folder: Path, *args: str) -> Done:
    """Run a hook as pre-commit does: its entry as words, then its arguments."""
    return run([*shlex.split(HOOKS[name]["entry"]), *(args or HOOKS[name]["args"])], folder)


def git(folder: Path, *words: str) -> None:
    assert run(["git", *words], folder).returncode == 0


@posix
@needs_git
def test_a_hook_compares_the_tracked_files(repository: Path) -> None:
    git(repository, "init", "-q")
    # The one file that is tracked has no near-duplicate among the others that are.
    git(repository, "add", "docs/a.md", "docs/c d.md")
    assert hook("simdup", repository).returncode == 0
    # One file has a near-duplicate that is tracked, another one only a file that is not.
    write(repository, {"new.txt": near(prose(2))})
    git(repository, "add", "new.txt")
    ran = hook("simdup", repository)
    assert ran.returncode == 1
    assert "docs/c d.md" in ran.stdout
    assert "new.txt" in ran.stdout
    assert not re.search(r"\b[ab]\.md", ran.stdout)
    git(repository, "add", "docs")
    assert hook("simdup", repository, "*.txt", "docs/b.md").returncode == 0
    assert hook("simdup", repository, "*.nothing").returncode == 0


@posix
@needs_git
def test_a_hook_takes_its_options_from_a_configuration(repository: Path) -> None:
    git(repository, "init", "-q")
    git(repository, "add", ".")
    write(repository, {"simdup.toml": '[scan]\nbaseline = "simdup.baseline"\n'})
    ran = hook("simdup", repository)
    assert ran.returncode == 2
    assert "hint: add --update-baseline to write it" in ran.stderr
    assert run(["simdup", "scan", "docs", "--update-baseline"], repository).returncode == 0
    assert hook("simdup", repository).returncode == 0


@posix
def test_a_hook_takes_folders_and_options(repository: Path) -> None:
    assert hook("simdup-scan", repository).returncode == 1
    assert hook("simdup-scan", repository, "docs", "--exclude", "b.md").returncode == 0


@posix
def test_a_hook_finds_copies_that_contradict_each_other(repository: Path) -> None:
    assert hook("simdup-conflicts", repository).returncode == 0
    page = f"{prose(3)} Bring it back within {{}} days, and not without the key. {prose(4)}"
    write(repository / "docs", {"rules.md": page.format(14), "help.md": page.format(30)})
    ran = hook("simdup-conflicts", repository)
    assert (ran.returncode, ran.stdout[:10]) == (1, "1  amount:")
    known = ("docs", "--baseline", "known file")
    assert hook("simdup-conflicts", repository, *known, "--update-baseline").returncode == 0
    assert hook("simdup-conflicts", repository, *known).returncode == 0
    write(repository / "docs", {"new.md": page.format(20)})
    assert hook("simdup-conflicts", repository, *known).returncode == 1


def test_the_hooks_are_what_pre_commit_takes() -> None:
    for name, one in HOOKS.items():
        assert {"id", "name", "entry", "language"} <= set(one), name
        assert one["language"] == "python"
        # Changed files alone would not be compared with the others.
        assert one["pass_filenames"] is False
        assert f"id: {name}\n" in PAGE


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ACTION["runs"]["steps"]
    return found


def look(folder: Path, **inputs: str) -> tuple[Done, str]:
    """Run the last step of the action as GitHub does; return its outputs too."""
    (step,) = (one for one in steps() if one.get("id") == "check")
    given = {name: one["default"] for name, one in ACTION["inputs"].items()} | inputs
    known = {f"inputs.{name}": value for name, value in given.items()}
    known["steps.install.outputs.programs"] = str(folder.parent / "bin")
    variables = {
        name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: known[found[1]], value)
        for name, value in step["env"].items()
    }
    script, outputs = folder.parent / "step.sh", folder.parent / "outputs"
    script.write_text(step["run"])
    outputs.write_text("")
    ran = run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)], folder,
        GITHUB_OUTPUT=str(outputs), GITHUB_WORKSPACE=str(folder), **variables,
    )  # fmt: skip
    return ran, outputs.read_text()


@posix
def test_the_action_warns_of_what_is_new(repository: Path) -> None:
    ran, outputs = look(repository)
    assert (ran.returncode, outputs) == (1, "status=1\n")
    assert ran.stdout.startswith("::warning file=docs/b.md,line=1,title=Near-duplicate::docs/b.md ")
    known = ["simdup", "scan", "docs", "--baseline", "known file", "--update-baseline"]
    assert run(known, repository).returncode == 0
    ran, outputs = look(repository, baseline="known file")
    assert (ran.returncode, ran.stdout, outputs) == (0, "", "status=0\n")
    ran, outputs = look(repository, baseline="lost")
    assert (ran.returncode, outputs) == (2, "status=2\n")


@posix
def test_the_inputs_of_the_action_are_words_and_no_commands(repository: Path) -> None:
    ran, _ = look(repository, path="docs/a.md\ndocs/c d.md\n")
    assert (ran.returncode, ran.stderr.splitlines()[0][:16]) == (0, "Read 2 documents")
    ran, _ = look(repository, args="--exclude 'b.md' --keep longest")
    assert ran.returncode == 0
    hostile = "$(touch x) `touch x`; touch x"
    ran, outputs = look(repository, path=hostile, baseline=hostile)
    assert (ran.returncode, outputs) == (2, "status=2\n")
    ran, _ = look(repository, args=hostile)
    assert ran.returncode == 2
    ran, _ = look(repository, path="--help")
    assert ran.returncode == 2
    ran, outputs = look(repository, args="'a quote that does not end")
    assert (ran.returncode, outputs) == (2, "")
    assert ran.stdout.startswith("::error title=simdup::The input args ")
    assert not (repository / "x").exists()


def test_the_page_explains_every_input_and_output() -> None:
    for name in ACTION["inputs"]:
        assert re.search(rf"^ +{name}: |`{name}`", PAGE, re.MULTILINE), name
    assert all(f"`{name}`" in PAGE for name in ACTION["outputs"])
    for one in steps():
        for value in one.get("env", {}).values():
            found = re.fullmatch(r"\$\{\{ ([\w.-]+) \}\}(/simdup)?", value)
            assert found, value
            kind, _, name = found[1].partition(".")
            assert kind != "inputs" or name in ACTION["inputs"]
    # No input is written into a script, where it could be a command.
    assert not any("${{" in one.get("run", "") for one in steps())


def test_the_options_of_hooks_and_action_exist() -> None:
    known = {
        name
        for one in (*scan.params, *conflicts.params)
        for name in (*one.opts, *one.secondary_opts)
    }
    texts = [one["entry"] for one in HOOKS.values()] + [one.get("run", "") for one in steps()[2:]]
    used = {name for text in texts for name in re.findall(r"(?<= |\()--[a-z-]+", text)}
    assert used
    assert used <= known
