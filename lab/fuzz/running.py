"""Run targets with inputs that Atheris makes, count them, and try one input again.

Atheris makes those inputs the most often that reach new lines of simdup; it watches what is
imported after it was told to, so nothing here imports simdup before. Each target runs in a child of
its own, forked once simdup is imported and instrumented: libFuzzer, on which Atheris is built,
never returns, and an input may end the process.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import re
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import chdir, redirect_stderr, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.reporting import RESULTS, Row, environment, save, tabulate
from lab.trial import all_known

if TYPE_CHECKING:
    from lab.fuzz.target import Target

MISSING = "Atheris is not installed: python -m pip install 'simdup[fuzz]'"

# A call that does not end for so many seconds ends the child, and so does so much memory.
_HANGS, _MEGABYTES = 60, 4096
# Different faults of one target; more are no news.
_FAULTS = 10
_COVERAGE = re.compile(r"\bcov: (\d+)")

# What a run of a target shows: a row, and what went wrong, with the file of the input.
Outcome = tuple[dict[str, Any], dict[str, str]]


def installed() -> bool:
    """Return whether Atheris is installed."""
    return find_spec("atheris") is not None


def load_targets() -> dict[str, Target]:
    """Return all targets by name."""
    with redirect_stderr(io.StringIO()):  # Atheris lists every module
        from lab.fuzz.targets import TARGETS
    return TARGETS


def replay(name: str, path: str) -> int:
    """Try the input in a file again; return 1 if something goes wrong."""
    from lab.fuzz.oracle import Wrong, judge

    target, data = load_targets()[name], Path(path).read_bytes()
    try:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as work, chdir(work):
            verdict = judge(target.check, data)
    except Wrong as wrong:
        traceback.print_exc()
        print(f"{name}: {wrong}", file=sys.stderr)
        return 1
    how = "refused, as it should be" if verdict.refused else "a result"
    print(f"{name}: {how}, {verdict.seconds:.3f} s")
    return 0


def run(options: argparse.Namespace) -> int:
    """List the targets, or run some; return 1 if something went wrong, 2 if it cannot run."""
    fuzzing = bool(options.names or options.all)
    if fuzzing:
        if not installed():
            print(MISSING, file=sys.stderr)
            return 2
        import atheris

        # It watches what is imported of simdup from now on, also within functions.
        atheris.instrument_imports(include=["simdup"]).__enter__()
    targets = load_targets()
    if not all_known(options.names, targets):
        return 2
    if not fuzzing:
        print("\n".join(f"{name:<14} {one.summary}" for name, one in targets.items()))
        return 0
    where = environment()
    chosen = [targets[name] for name in (targets if options.all else options.names)]
    _warm_up(chosen)
    rows, failed = list[Row](), 0
    for target in chosen:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as work:
            row, faults = drive(target, options, Path(work))
        cells = "  ".join(f"{name} {value}" for name, value in row.items())
        print(f"{target.name:<14} {cells}", flush=True)
        for what, path in faults.items():
            again = f"python -m lab fuzz {target.name} {path}"
            print(f"FAILED: {target.name}: {what}\n  again: {again}", file=sys.stderr, flush=True)
        rows.append({"target": target.name, **row})
        failed += len(faults)
    # Part of the targets is not a result: it is written only to a folder that was requested.
    if options.all or options.results:
        path = (options.results or RESULTS / "break") / "fuzz.json"
        note = f"{options.seconds:g} s of processor time for each target, with coverage measured."
        table = tabulate("Fuzzed inputs", [*rows, _total(rows)], note)
        save(path, [table], where | {"size": "full", "failed": failed})
    return min(failed, 1)


def _total(rows: Sequence[Row]) -> Row:
    """Return the last row: sums and maxima; edges of targets are partly the same ones."""
    how: dict[str, Callable[[list[Any]], Any]] = {
        "target": lambda _: "all", "slowest call s": max, "most memory of a call MB": max,
        "edges reached": lambda _: None,
    }  # fmt: skip
    return {name: how.get(name, sum)([row[name] for row in rows]) for name in rows[0]}


def _warm_up(targets: Sequence[Target]) -> None:
    """Call targets once, so that children need not import and read what this process has."""
    from lab.fuzz.oracle import Wrong, judge

    with tempfile.TemporaryDirectory(prefix="fuzz-") as work, chdir(work):
        for target in targets:
            with suppress(Wrong), redirect_stderr(io.StringIO()):
                judge(target.check, target.seeds[0])


def drive(target: Target, options: argparse.Namespace, work: Path) -> Outcome:
    """Run a target in a child; `work` is an empty folder."""
    folder = os.path.abspath(options.found)  # for inputs for which something went wrong
    for below in ("seeds", "files", "kept"):
        (work / below).mkdir()
    kept = Path(os.path.abspath(options.corpus or work / "kept"), target.name)
    kept.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds):
        (work / "seeds" / str(number)).write_bytes(seed)
    words = ("".join(f"\\x{byte:02x}" for byte in word) for word in target.words or (b"\0",))
    (work / "words").write_text("".join(f'"{word}"\n' for word in words))  # may not be empty
    command = [
        "fuzz",
        f"-max_len={target.most}",
        f"-seed={options.seed}",
        f"-dict={work / 'words'}",
        f"-timeout={_HANGS}",
        f"-rss_limit_mb={_MEGABYTES}",
        f"-artifact_prefix={os.path.join(folder, target.name)}-hard-",
        str(kept),
        str(work / "seeds"),
    ]
    sys.stdout.flush()
    child = os.fork()
    if not child:
        _become(command, _tried(target, options, folder, work / "outcome"), work)
    _, status = os.waitpid(child, 0)
    log = (work / "log").read_text("utf-8", "replace")
    row, faults = _outcome(), dict[str, str]()
    if (work / "outcome").exists():
        row, faults = json.loads((work / "outcome").read_text())
    if status:
        what = f"the process ended, status {status}: {'; '.join(log.splitlines()[-3:])}"
        files = [str(path) for path in Path(folder).glob(f"{target.name}-hard-*")]
        faults[what] = max(files, default=str(work / "log"))
    row["edges reached"] = max(map(int, _COVERAGE.findall(log)), default=0)
    return row | {"failed": len(faults)}, faults


def _outcome() -> dict[str, Any]:
    """Return the cells of a target before its first input.

    Refused is what ended in a `SimdupError`, or of which nothing could be read; seconds are of
    processor time, megabytes what a call raised the memory of the process by, and edges those of
    the code of simdup.
    """
    return {
        "inputs": 0, "refused": 0, "slowest call s": 0.0, "most memory of a call MB": 0,
        "edges reached": 0, "failed": 0,
    }  # fmt: skip


def _become(command: list[str], tried: Callable[[bytes], None], work: Path) -> None:
    """Run a target in this process, and end the process."""
    import atheris

    os.chdir(work / "files")
    log = os.open(work / "log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        # Workers and PDFium must not outlive it.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        atheris.Setup(command, tried)
        atheris.Fuzz()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


def _tried(
    target: Target, options: argparse.Namespace, folder: str, outcome: Path
) -> Callable[[bytes], None]:
    """Return what Atheris calls with each input; it ends the process at the limits."""
    from lab.fuzz.oracle import Wrong, judge

    row, faults, started = _outcome(), dict[str, str](), time.process_time()

    def tried(data: bytes) -> None:
        row["inputs"] += 1
        try:
            refused, seconds, megabytes = judge(target.check, data)
        except Wrong as wrong:
            # What follows a colon differs from input to input.
            kind = str(wrong).partition(": ")[0]
            if kind not in {known.partition(": ")[0] for known in faults}:
                name = f"{target.name}-{hashlib.sha256(data).hexdigest()[:12]}"
                faults[str(wrong)] = os.path.join(folder, name)
                Path(folder, name).write_bytes(data)
        else:
            row["refused"] += refused
            for cell, value in (
                ("slowest call s", round(seconds, 3)),
                ("most memory of a call MB", round(megabytes)),
            ):
                row[cell] = max(row[cell], value)
        late = options.seconds is not None and time.process_time() - started > options.seconds
        if late or row["inputs"] == options.runs or len(faults) == _FAULTS:
            outcome.write_text(json.dumps([row, faults]))
            sys.stderr.flush()
            os._exit(0)

    return tried
