"""Run benchmarks by name: ``python -m benchmarks start search``; without a name, list them."""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

from benchmarks.corpora import NoTexts
from benchmarks.measuring import Options, say
from benchmarks.reporting import Table, environment, render, save

# From the whole to the parts.
NAMES = (
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
RESULTS = Path(__file__).parent / "results"


def summary(name: str) -> str:
    """Return the first line of a benchmark's docstring."""
    return (importlib.import_module(f"benchmarks.{name}").__doc__ or "").partition("\n")[0]


def measure(name: str, size: str, rounds: int) -> list[Table]:
    """Run one benchmark and print its tables as they arrive."""
    module = importlib.import_module(f"benchmarks.{name}")
    tables = []
    with tempfile.TemporaryDirectory(prefix="simdup-bench-") as folder:
        for table in module.run(Options(Path(folder), size, rounds)):
            print("\n" + render(table), flush=True)
            tables.append(table)
    return tables


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], metavar="NAME")
    parser.add_argument("--all", action="store_true", help="run all benchmarks")
    size = parser.add_mutually_exclusive_group()
    sizes = {"small": "try it in seconds; nothing is written", "large": "add the largest inputs"}
    for name, purpose in sizes.items():
        size.add_argument(
            f"--{name}", dest="size", action="store_const", const=name, default="full", help=purpose
        )
    parser.add_argument("--rounds", type=int, help="rounds of what is timed [3; small: 1]")
    parser.add_argument("--results", type=Path, help="where NAME.json goes [benchmarks/results]")
    return parser.parse_args()


def main() -> None:
    """List the benchmarks, or run some and write their results."""
    given = arguments()
    names = NAMES if given.all else given.names
    if not names:
        print("\n".join(f"{name:<13} {summary(name)}" for name in NAMES))
        return
    rounds = given.rounds or (1 if given.size == "small" else 3)
    # A small run is not a result: it is written only to a file that was requested.
    folder = given.results or (None if given.size == "small" else RESULTS)
    where = environment()
    print(
        ", ".join(f"{key} {value}" for key, value in (where["machine"] | where["versions"]).items())
    )
    for name in names:
        say(name)
        try:
            tables = measure(name, given.size, rounds)
        except NoTexts as error:
            print(f"\n{name}: skipped: {error}", file=sys.stderr)
            continue
        if folder is not None:
            save(folder / f"{name}.json", tables, where | {"size": given.size, "rounds": rounds})


if __name__ == "__main__":
    main()
