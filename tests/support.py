"""Helpers that tests import: the command in a process of its own, and made-up texts."""

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import click
import hypothesis

from lab.corpora.made import in_memory
from simdup.cli import _simdup
from simdup.model.criteria import Shingling
from simdup.model.recipe import Recipe
from simdup.near.texts import Texts
from simdup.text.analyzer import Analyzer
from simdup.text.shingles import Shingler, Shingles

ROOT = Path(__file__).resolve().parents[1]

# The pages that people read.
PAGES = [
    *sorted(ROOT.glob("README*.md")),
    ROOT / "CONTRIBUTING.md",
    ROOT / "examples" / "README.md",
    ROOT / "lab" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


class Ran(NamedTuple):
    """The result of a command."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "surrogateescape")

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


Command = Callable[..., Ran]

# A thorough run tries this many times as many random corpora and examples.
ROUNDS = int(os.environ.get("SIMDUP_ROUNDS", "1"))


def seeds(count: int) -> range:
    """Seeds of random corpora."""
    return range(count * ROUNDS)


def leaders(
    order: Sequence[int],
    near: Callable[[int, int], bool],
    takes: Callable[[int, int], bool] = lambda a, b: True,
    distinct: Callable[[int, int], bool] = lambda a, b: False,
) -> tuple[dict[int, int], set[frozenset[int]]]:
    """Who takes whom, and the clusters: the definition, pair by pair in the order of keeping."""
    cluster = {document: frozenset([document]) for document in order}
    taken_by: dict[int, int] = {}
    for a, b in combinations(order, 2):
        if near(a, b) and (
            cluster[a] == cluster[b]
            or not any(distinct(x, y) for x in cluster[a] for y in cluster[b])
        ):
            cluster |= dict.fromkeys(cluster[a] | cluster[b], cluster[a] | cluster[b])
            if a not in taken_by and b not in taken_by and takes(a, b):
                taken_by[b] = a
    return taken_by, {group for group in cluster.values() if len(group) > 1}


def examples(count: int) -> hypothesis.settings:
    """Settings of a property that needs another number of examples than most."""
    return hypothesis.settings(max_examples=count * ROUNDS)


def seconds(call: Callable[[], object]) -> float:
    """The processor time of a call alone: nobody looks for garbage among all that tests hold."""
    gc.disable()
    try:
        began = time.process_time()
        call()
        return time.process_time() - began
    finally:
        gc.enable()


def environment(**changes: str) -> dict[str, str]:
    """The environment of a process that runs this checkout, from any folder."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    left_out = ("NO_COLOR", "FORCE_COLOR", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE")
    kept = {k: v for k, v in os.environ.items() if k not in left_out}
    return kept | {"PYTHONPATH": path, "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"} | changes


def command(*arguments: str | bytes | Path) -> list[str | bytes | Path]:
    """The command line for a separate process."""
    return [sys.executable, "-m", "simdup", *arguments]


def process(
    *arguments: str | bytes | Path,
    stdin: bytes = b"",
    cwd: Path | None = None,
    **changes: str,
) -> Ran:
    """Run the command in a separate process."""
    done = subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=environment(**changes),
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr.decode())


def commands() -> dict[str, click.Command]:
    """Every command that does something, by what people type, such as ``index build``."""

    def below(group: click.Group, path: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
        context = click.Context(group)
        for name in group.list_commands(context):
            found = group.resolve_command(context, [name])[1]
            if isinstance(found, click.Group):
                yield from below(found, (*path, name))
            elif found is not None:
                yield " ".join((*path, name)), found

    return dict(below(_simdup, ()))


def held(texts: Sequence[str], shingle: int = 5) -> Texts:
    """Texts in memory, as verification reads them."""
    known, read = in_memory([text.encode() for text in texts])
    return Texts(known, Analyzer.for_recipe(Recipe()), Shingling(shingle), read)


def shingles(text: str, n: int = 5) -> Shingles:
    """The distinct runs of n characters of a folded text without white space."""
    return Shingler(Shingling(n)).shingles(text)
