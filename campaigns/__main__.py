"""Run campaigns by name: ``python -m campaigns faults kills``; without a name, list them."""

from __future__ import annotations

import argparse
import ast
import importlib
import sys
import tempfile
from pathlib import Path

from benchmarks.reporting import Table, environment, render, save
from campaigns.trying import Trial, say

NAMES = (
    "oracles",
    "brute_force",
    "mutants",
    "branches",
    "fuzz",
    "faults",
    "kills",
    "concurrency",
    "hostile",
    "growth",
    "damage",
    "determinism",
)
RESULTS = Path(__file__).parent / "results"


def summary(name: str) -> str:
    """Return the first line of a campaign's docstring."""
    source = (RESULTS.parent / f"{name}.py").read_text("utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def attempt(name: str, size: str) -> tuple[list[Table], list[str]]:
    """Run one campaign; print its tables as they arrive, and return them with its failures."""
    try:
        module = importlib.import_module(f"campaigns.{name}")
    except ModuleNotFoundError as error:
        sys.exit(f"campaigns: {error.name} is not installed: python -m pip install -e '.[test]'")
    tables = []
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
        trial = Trial(Path(folder), size)
        for table in module.run(trial):
            print("\n" + render(table), flush=True)
            tables.append(table)
    return tables, trial.failures


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m campaigns", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], metavar="NAME")
    parser.add_argument("--all", action="store_true", help="run all campaigns")
    parser.add_argument(
        "--small", action="store_true", help="what the suite runs; nothing is written"
    )
    parser.add_argument("--results", type=Path, help="where NAME.json goes [campaigns/results]")
    return parser.parse_args()


def main() -> int:
    """List the campaigns, or run some and write their figures; return 1 if something failed."""
    given = arguments()
    names = NAMES if given.all else given.names
    if not names:
        print("\n".join(f"{name:<13} {summary(name)}" for name in NAMES))
        return 0
    size = "small" if given.small else "full"
    # A small run is not a result: it is written only to a folder that was requested.
    folder = given.results or (None if given.small else RESULTS)
    failed = 0
    for name in names:
        say(name)
        where = environment()
        tables, failures = attempt(name, size)
        if failures:
            failed += 1
            print(f"\n{name}: {len(failures)} failed", file=sys.stderr)
        if folder is not None:
            save(folder / f"{name}.json", tables, where | {"size": size, "failed": len(failures)})
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
