"""Measure simdup and try to break it; without a name, list what there is.

python -m lab bench scan search     benchmarks
python -m lab break faults kills    campaigns, which fail if simdup does
python -m lab fuzz decoder          made-up inputs; with a FILE, that input again
python -m lab record                what every command prints and writes
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import sys
import tempfile
from pathlib import Path

from lab.corpora.real import NoTexts
from lab.reporting import RESULTS, Table, environment, render, save
from lab.trial import Trial, say

LAB = Path(__file__).parent

# From the whole to the parts.
BENCHMARKS = (
    "start",
    "scan",
    "accuracy",
    "planted",
    "passages",
    "minhash",
    "families",
    "short_texts",
    "verification",
    "search",
    "queries",
    "index",
    "index_recall",
    "template_pages",
    "advice",
    "segmenters",
    "decoding",
    "formats",
    "hostile",
    "html_pages",
    "office",
    "report",
)
CAMPAIGNS = (
    "oracles",
    "brute_force",
    "mutants",
    "branches",
    "faults",
    "kills",
    "concurrency",
    "hostile",
    "growth",
    "damage",
    "determinism",
)
# The keyword cannot name a package.
ROOMS = {"bench": ("bench", BENCHMARKS), "break": ("breaking", CAMPAIGNS)}


def summary(room: str, name: str) -> str:
    """Return the first line of a module's docstring, without importing it."""
    path = LAB / room / f"{name}.py"
    source = path if path.exists() else LAB / room / name / "__init__.py"
    return (ast.get_docstring(ast.parse(source.read_text("utf-8"))) or "").partition("\n")[0]


def attempt(room: str, name: str, size: str, rounds: int) -> tuple[list[Table], list[str]]:
    """Run one benchmark or campaign; print its tables as they arrive.

    Returns
    -------
    tables : list of Table
        What it measured or counted.
    failures : list of str
        What went wrong, a line each.
    """
    tables = []
    with tempfile.TemporaryDirectory(prefix="simdup-lab-") as folder:
        trial = Trial(Path(folder), size, rounds)
        for table in importlib.import_module(f"lab.{room}.{name}").run(trial):
            print("\n" + render(table), flush=True)
            tables.append(table)
    return tables, trial.failures


def run_named(kind: str, given: argparse.Namespace) -> int:
    """List benchmarks or campaigns, or run some and write their figures."""
    room, known = ROOMS[kind]
    names = known if given.all else given.names
    if not names:
        print("\n".join(f"{name:<14} {summary(room, name)}" for name in known))
        return 0
    # A small run is not a result: it is written only to a folder that was requested.
    folder = given.results or (None if given.size == "small" else RESULTS / kind)
    rounds = getattr(given, "rounds", None) or (1 if given.size == "small" else 3)
    status = 0
    for name in names:
        say(name)
        # The load of the machine before it, not of itself.
        where = environment() | {"size": given.size, "rounds": rounds}
        try:
            tables, failures = attempt(room, name, given.size, rounds)
        except NoTexts as error:
            print(f"\n{name}: skipped: {error}", file=sys.stderr)
            continue
        except ModuleNotFoundError as error:
            sys.exit(f"lab: {error.name} is not installed: python -m pip install -e '.[test]'")
        if failures:
            status = 1
            print(f"\n{name}: {len(failures)} failed", file=sys.stderr)
        if folder is not None:
            save(folder / f"{name}.json", tables, where | {"failed": len(failures)})
    return status


def run_fuzz(given: argparse.Namespace) -> int:
    """List the targets, or run some; or try one input again."""
    from lab.fuzz import running

    if len(given.names) == 2 and os.path.isfile(given.names[1]):
        return running.replay(*given.names)
    return running.run(given)


def run_record(given: argparse.Namespace) -> int:
    """Record what every command prints and writes."""
    from lab.breaking import recorded

    recorded.write(given.names, given.checkout, given.keep)
    return 0


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m lab",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    for kind, (_, known) in ROOMS.items():
        verb = verbs.add_parser(kind)
        verb.add_argument("names", nargs="*", choices=[*known, []], metavar="NAME")
        size = verb.add_mutually_exclusive_group()
        _size(size, "small", "try it in seconds; nothing is written")
        if kind == "bench":
            _size(size, "large", "add the largest inputs")
            verb.add_argument("--rounds", type=int, help="rounds of what is timed [3; small: 1]")
    fuzz = verbs.add_parser("fuzz")
    fuzz.add_argument("names", nargs="*", metavar="NAME", help="targets, or one and a FILE")
    fuzz.add_argument("--seconds", type=float, default=10, help="how long each target runs [10]")
    fuzz.add_argument("--runs", type=int, help="how many inputs each target is given")
    fuzz.add_argument("--seed", type=int, default=1, help="of the random numbers [1]")
    fuzz.add_argument("--corpus", help="a folder where what reaches new code is kept")
    fuzz.add_argument("--found", default=os.curdir, help="a folder for failing inputs [.]")
    for verb in verbs.choices.values():
        verb.add_argument("--all", action="store_true", help="run all")
        verb.add_argument("--results", type=Path, help="where NAME.json goes [lab/results]")
    record = verbs.add_parser("record")
    record.add_argument("names", nargs="*", choices=["examples", "made", "real", []])
    record.add_argument("--checkout", type=Path, default=LAB.parent, help="which simdup runs")
    record.add_argument("--keep", type=Path, help="write all as text to this folder instead")
    return parser.parse_args(words)


def _size(group: argparse._MutuallyExclusiveGroup, name: str, purpose: str) -> None:
    group.add_argument(
        f"--{name}", dest="size", action="store_const", const=name, default="full", help=purpose
    )


def main(words: list[str] | None = None) -> int:
    """Do what the command line asks for; return 1 if something failed, 2 if it cannot run."""
    given = arguments(words)
    if given.verb == "fuzz":
        return run_fuzz(given)
    return run_record(given) if given.verb == "record" else run_named(given.verb, given)


if __name__ == "__main__":
    sys.exit(main())
