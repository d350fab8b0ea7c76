"""Run targets by name: ``python -m fuzz decoder --seconds 60``; without a name, list them.

``python -m fuzz NAME FILE`` tries one input again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import traceback
from contextlib import chdir
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz import watching

if TYPE_CHECKING:
    from fuzz.driving import Figures, Limits
    from fuzz.target import Target


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="targets, or one and a FILE")
    parser.add_argument("--all", action="store_true", help="run all targets")
    parser.add_argument("--seconds", type=float, help="how long each target runs [60]")
    parser.add_argument("--runs", type=int, help="how many inputs each target is given")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers [1]")
    parser.add_argument("--corpus", help="a folder where what reaches new code is kept")
    parser.add_argument("--found", default=os.curdir, help="a folder for failing inputs [.]")
    parser.add_argument("--figures", type=Path, help="a JSON file for the figures")
    return parser.parse_args()


def replay(target: Target, path: str) -> int:
    """Try the input in a file again; return 1 if something goes wrong."""
    from fuzz.oracle import Wrong, judge

    data = Path(path).read_bytes()
    try:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as work, chdir(work):
            verdict = judge(target.check, data)
    except Wrong as wrong:
        traceback.print_exc()
        print(f"{target.name}: {wrong}", file=sys.stderr)
        return 1
    how = "refused, as it should be" if verdict.refused else "a result"
    print(f"{target.name}: {how}, {verdict.seconds:.3f} s")
    return 0


def run(target: Target, limits: Limits) -> Figures:
    """Run one target, and say what it has shown."""
    from fuzz.driving import drive

    with tempfile.TemporaryDirectory(prefix="fuzz-") as work:
        figures = drive(target, limits, Path(work))
    cells = "  ".join(f"{name} {value}" for name, value in figures.cells().items())
    print(f"{target.name:<14} {cells}", flush=True)
    for what, path in figures.faults.items():
        again = f"python -m fuzz {target.name} {path}"
        print(f"FAILED: {target.name}: {what}\n  again: {again}", file=sys.stderr, flush=True)
    return figures


def main() -> int:
    """List the targets, or run some; return 1 if something went wrong, 2 if it cannot run."""
    given = arguments()
    file = given.names[1] if len(given.names) == 2 and os.path.isfile(given.names[1]) else None
    names = given.names[:1] if file else given.names
    fuzzing = not file and bool(names or given.all)
    if fuzzing and not watching.installed():
        print(watching.MISSING, file=sys.stderr)
        return 2
    if fuzzing:
        watching.instrument()
    targets = watching.load_targets()
    if unknown := [name for name in names if name not in targets]:
        print(f"no such target: {', '.join(unknown)}", file=sys.stderr)
        return 2
    if file:
        return replay(targets[names[0]], file)
    if not fuzzing:
        print("\n".join(f"{name:<14} {one.summary}" for name, one in targets.items()))
        return 0
    seconds = 60 if given.seconds is None and given.runs is None else given.seconds
    from fuzz.driving import Limits, warm_up

    corpus = given.corpus and os.path.abspath(given.corpus)
    limits = Limits(os.path.abspath(given.found), given.runs, seconds, given.seed, corpus)
    chosen = list(targets) if given.all else names
    warm_up(targets[name] for name in chosen)
    every = {name: run(targets[name], limits) for name in chosen}
    if given.figures:
        given.figures.write_text(json.dumps({name: asdict(one) for name, one in every.items()}))
    return int(any(one.faults for one in every.values()))


if __name__ == "__main__":
    sys.exit(main())
