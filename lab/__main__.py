"""Measure simdup and try to break it; without a name, a verb lists what there is.

python -m lab bench scan search     benchmarks
python -m lab bench labelled FOLDER one on documents of your own that have labels
python -m lab break kills damage    campaigns, which fail if simdup does
python -m lab fuzz decoder          made-up inputs; with a FILE, that input again
python -m lab record                what every command prints and writes
python -m lab freeze FOLDER         today's state, to compare later ones with
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
import tempfile
from os.path import isdir
from pathlib import Path
from pkgutil import resolve_name

from lab.corpora.real import NoTexts
from lab.reporting import RESULTS, environment, render, save
from lab.trial import Trial, all_known, say

LAB = Path(__file__).parent

# From the whole to the parts: a benchmark is a function of its name.
BENCHMARKS = {
    name: f"lab.bench.{module}:{name}"
    for module, names in {
        "commands": ("start", "scan", "large_groups", "report"),
        "accuracy": ("accuracy", "planted", "short_texts", "template_pages"),
        "passages": ("passages",),
        "units": ("units",),
        "conflicts": ("conflicts",),
        "leaks": ("leaks",),
        "peers": ("peers",),
        "labelled": ("labelled",),
        "parallels": ("parallels",),
        "audit": ("audit",),
        "texts": ("verification", "words"),
        "fingerprints": ("search", "queries"),
        "index": ("index", "index_recall", "passage_index"),
        "formats": ("formats", "decoding", "office", "html_pages"),
    }.items()
    for name in names
}
# A campaign is a module.
CAMPAIGNS = {
    name: f"lab.breaking.{name}:run"
    for name in (
        "brute_force", "kills", "concurrency", "hostile", "growth", "damage", "determinism",
        "features",
    )
}  # fmt: skip
KINDS = {"bench": BENCHMARKS, "break": CAMPAIGNS}


def summary(place: str) -> str:
    """Return the first line of what a function, or its module, says; without importing it."""
    module, _, function = place.partition(":")
    path = LAB.parent.joinpath(*module.split("."))
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    tree = ast.parse(source.read_text("utf-8"))
    functions = (one for one in tree.body if isinstance(one, ast.FunctionDef))
    own = next((one for one in functions if one.name == function != "run"), tree)
    return (ast.get_docstring(own) or "").partition("\n")[0]


def run_named(options: argparse.Namespace) -> int:
    """List benchmarks or campaigns, or run some, print their tables and write their figures."""
    kind, places = options.verb, KINDS[options.verb]
    own = {name: Path(name) for name in options.names if name not in places and isdir(name)}
    names = [*places] if options.all else [name for name in options.names if name not in own]
    if not all_known(names, places):
        return 2
    if not names:
        print("\n".join(f"{name:<14} {summary(place)}" for name, place in places.items()))
        return 0
    # A small run and one on folders of your own are no results of the project: they are written
    # only to a folder that was requested.
    stored = options.size != "small" and not own
    folder = options.results or (RESULTS / kind if stored else None)
    rounds = getattr(options, "rounds", None) or (1 if options.size == "small" else 3)
    status = 0
    for name in names:
        say(name)
        # The load of the machine before it, not of itself.
        where = environment() | {"size": options.size, "rounds": rounds}
        tables = []
        with tempfile.TemporaryDirectory(prefix="simdup-lab-") as empty:
            trial = Trial(Path(empty), options.size, rounds, folders=[*own.values()])
            trial.options = getattr(options, "options", "")
            trial.least_score = getattr(options, "min_score", None)
            trial.corpora, trial.seed = (
                getattr(options, "corpora", None),
                getattr(options, "seed", 0),
            )
            try:
                for table in resolve_name(places[name])(trial):
                    print("\n" + render(table), flush=True)
                    tables.append(table)
            except NoTexts as error:
                print(f"\n{name}: skipped: {error}", file=sys.stderr)
                continue
            except ModuleNotFoundError as error:
                sys.exit(f"lab: {error.name} is not installed: python -m pip install -e '.[test]'")
        failed = len(trial.failures)
        if failed:
            status = 1
            print(f"\n{name}: {failed} failed", file=sys.stderr)
        if folder is not None:
            save(folder / f"{name}.json", tables, where | {"failed": failed})
    return status


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m lab",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    sizes = {"small": "try it in seconds; nothing is written", "large": "add the largest inputs"}
    for kind in KINDS:
        verb = verbs.add_parser(kind)
        verb.add_argument("names", nargs="*", metavar="NAME", help="names, and folders for some")
        either = verb.add_mutually_exclusive_group()
        for size in sizes if kind == "bench" else ["small"]:
            either.add_argument(
                f"--{size}", dest="size", action="store_const", const=size, default="full",
                help=sizes[size],
            )  # fmt: skip
    verbs.choices["bench"].add_argument(
        "--rounds", type=int, help="rounds of what is timed [3; small: 1]"
    )
    verbs.choices["bench"].add_argument(
        "--options", default="", help="of simdup, for the benchmark `labelled`: --options='-s 0.7'"
    )
    verbs.choices["bench"].add_argument(
        "--min-score", type=float, help="count only labelled pairs that are scored this or more"
    )
    verbs.choices["break"].add_argument(
        "--corpora",
        type=int,
        help="how many `brute_force` makes, or `features` tries",
    )
    verbs.choices["break"].add_argument("--seed", type=int, default=0, help="of the first [0]")
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
    record.add_argument("names", nargs="*", metavar="CORPUS", help="examples, made, real [all]")
    record.add_argument("--checkout", type=Path, default=LAB.parent, help="which simdup runs")
    record.add_argument("--keep", type=Path, help="write all as text to this folder instead")
    freeze = verbs.add_parser("freeze")
    freeze.add_argument("folder", type=Path, help="where a wheel and what it prints go")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    """Do what the command line asks for; return 1 if something failed, 2 if it cannot run."""
    options = arguments(words)
    if options.verb == "fuzz":
        from lab.fuzz import running

        if len(options.names) == 2 and os.path.isfile(options.names[1]):
            return running.replay(*options.names)
        return running.run(options)
    if options.verb == "record":
        from lab.breaking import recorded

        if not all_known(options.names, recorded.CORPORA):
            return 2
        recorded.write(options.names, options.checkout, options.keep)
        return 0
    if options.verb == "freeze":
        from lab.breaking.freezing import freeze

        freeze(options.folder)
        return 0
    return run_named(options)


if __name__ == "__main__":
    sys.exit(main())
