"""Every option of every command has an effect: two calls, of which only one has it, differ.

The row of an option says which calls; an option without them fails.  What a call does is its
status, what it prints and writes and, for options that must not change the
result, what the run was told: processes, memory, compressed tables.
"""

import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import option_trials
import pytest
import tqdm
from support import Command, commands

import simdup.index.match
from simdup.cli.help import Option
from simdup.cli.options import TABLE
from simdup.model.settings import RunOptions
from simdup.operations import cluster

OPTIONS = [
    (name, one)
    for name, command in commands().items()
    for one in command.params
    if isinstance(one, Option) and name != "completion"
]


# What is in a folder: the kind, size and time of each name.
Stamps = dict[str, tuple[int, int, int]]


class Seen(NamedTuple):
    """What a call did."""

    status: int
    out: str
    err: str
    written: dict[str, str]
    told: frozenset[str]


def timeless(text: str) -> str:
    text = re.sub(r"\d+\.\d s\b", "_ s", text)
    text = re.sub(r'"(seconds|made|written|modified|created)": ?[^,}]+', "", text)
    # A report page holds the command.
    text = re.sub(r'"command": ?"[^"]*"', "", text)
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?", "", text)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trials")
    option_trials.build(folder / "bench")
    shutil.copytree(folder / "bench", folder / "whole")
    return folder / "bench"


@pytest.fixture(scope="module")
def whole(bench: Path) -> Stamps:
    """What the folder is like before anything is called."""
    return stamps(bench.parent / "whole")


@pytest.fixture(scope="module")
def baselines() -> dict[str, Seen]:
    """Calls that many options share."""
    return {}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """What the rooms below the command line are told of how to run."""
    found: set[str] = set()

    def spy(module: Any, name: str, say: Callable[..., str]) -> None:
        original = getattr(module, name)

        def called(*given: Any, **named: Any) -> Any:
            found.add(say(*given, **named))
            return original(*given, **named)

        monkeypatch.setattr(module, name, called)

    processes = RunOptions.processes.fget  # type: ignore[attr-defined]

    def count(run: RunOptions) -> int:
        found.add(f"processes {processes(run)}")
        return int(processes(run))

    monkeypatch.setattr(RunOptions, "processes", property(count))
    spy(cluster, "iter_pairs", lambda *_, tables, search, **__: f"plan {tables}, {search}")
    # Tables are built for many queries only.
    spy(simdup.index.match, "SearchSetup", lambda *given: f"compress {given[2]}")
    # Bars appear after half a second, which no call here takes.
    spy(tqdm, "tqdm", lambda *_, **__: "progress")
    return found


Watch = Callable[..., Seen]


@pytest.fixture
def watch(
    simdup: Command,
    bench: Path,
    whole: Stamps,
    told: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Watch:
    """Call a command in a folder that is as it was at first, but for a configuration."""
    monkeypatch.chdir(bench)

    def call(line: str, configured: str = "") -> Seen:
        told.clear()
        if configured:
            (bench / "simdup.toml").write_text(configured)
        try:
            with closing(sqlite3.connect("i")) if "--timeout" in line else nullcontext() as writer:
                if writer is not None:
                    writer.execute("BEGIN IMMEDIATE")
                ran = simdup(*line.split())
                if writer is not None:
                    writer.rollback()
            run = frozenset(told)
            written = {}
            for path in sorted(changed(bench, whole)):
                written[path] = content(simdup, bench / path)
        finally:
            restore(bench, whole)
        return Seen(ran.status, timeless(ran.text), timeless(ran.err), written, run)

    return call


def changed(bench: Path, before: Stamps) -> list[str]:
    """The files that are new, or are not as they were."""
    whole = bench.parent / "whole"
    return [
        name
        for name, stamp in stamps(bench).items()
        if before.get(name) != stamp
        and (bench / name).is_file()
        and (name not in before or (whole / name).read_bytes() != (bench / name).read_bytes())
    ]


def stamps(folder: Path) -> Stamps:
    """What is in a folder, with its kind, size and time, which copies have too."""
    found = {}
    start = len(os.path.join(folder, ""))
    pending = [str(folder)]
    for above in pending:
        with os.scandir(above) as entries:
            for one in entries:
                status = one.stat(follow_symlinks=False)
                is_folder = one.is_dir(follow_symlinks=False)
                pending += [one.path] * is_folder
                stamp = status.st_mode, status.st_size, status.st_mtime_ns
                found[one.path[start:]] = (0, 0, 0) if is_folder else stamp
    return found


def restore(bench: Path, before: Stamps) -> None:
    """Put the folder back as it was; it stays the same folder, because calls run in it."""
    whole = bench.parent / "whole"
    now = stamps(bench)
    for name in sorted(now.keys() - before.keys()):
        path = bench / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for name in sorted(name for name, stamp in before.items() if now.get(name) != stamp):
        if (whole / name).is_dir():
            (bench / name).mkdir(exist_ok=True)
        else:
            (bench / name).unlink(missing_ok=True)
            shutil.copy2(whole / name, bench / name, follow_symlinks=False)


def content(simdup: Command, path: Path) -> str:
    """What a file holds; of an index the lines and the recipe, because it also holds the time."""
    if path.read_bytes().startswith(b"SQLite"):
        info = simdup("index", "info", path, "--config", "none").text
        recipe = re.findall(r".*(?:recipe|document|method|passages).*", info)
        return simdup("index", "export", path, "--config", "none").text + "\n".join(recipe)
    link = "link " if path.is_symlink() else ""
    return link + timeless(path.read_bytes().decode("utf-8", "surrogateescape"))


@pytest.mark.parametrize(
    ("name", "one"), OPTIONS, ids=[f"{name} {max(one.opts, key=len)}" for name, one in OPTIONS]
)
def test_an_option_has_an_effect(
    watch: Watch, baselines: dict[str, Seen], name: str, one: Option
) -> None:
    assert one.row.metavar is None or one.row.option in option_trials.TRIALS, "it needs a value"
    without, typed = option_trials.lines(name, one.row)
    spellings = {*one.opts, *one.secondary_opts}
    assert spellings & set(typed[len(without) :].split()), "the second call must have the option"
    if without not in baselines:
        baselines[without] = watch(without)
        # Pages, models and indexes could hold a time, which alone would make calls differ.
        if baselines[without].written:
            assert watch(without) == baselines[without], "the same call twice differs"
    plain, seen = baselines[without], watch(typed)
    assert seen != plain
    assert "has no effect" not in seen.err
    assert "no such option" not in seen.err
    assert "internal error" not in seen.err


def test_no_trial_is_left_over() -> None:
    options = {one.row.option: set() for _, one in OPTIONS}
    for name, one in OPTIONS:
        options[one.row.option].add(name)
    for option, trials in option_trials.TRIALS.items():
        assert option in options
        assert isinstance(trials, str) or trials.keys() <= options[option] | {"*"}, option
    for row in (row for rows in TABLE.values() for row in rows):
        commands_of = set(row.commands.split(", "))
        assert all(commands_of.issuperset(names.split(", ")) for names in row.per), row.spelling
