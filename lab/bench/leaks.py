"""Leaks: planted evaluation texts found, what else is found, what is left after a mask; speed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from lab.corpora.leaks import DECOYS, LEAKS, LeakCorpus, write_leaks
from lab.measuring import MB, Ran, in_turn, peak_memory, simdup
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial, say

# Where nothing was planted.
ELSEWHERE = "elsewhere"


def leaks(trial: Trial) -> Iterator[Table]:
    """Leaks: evaluation texts found in a corpus, and none left after a mask; speed, memory."""
    counts = {"count": trial.pick(40, 300), "controls": trial.pick(8, 60)}
    say("leaks: writing corpora")
    corpora = {
        word: write_leaks(
            trial.folder / word, trial.pick(2, 30), instructed=word == "yes", **counts
        )
        for word in ("no", "yes")
    }
    made = corpora["no"]
    note = (
        "instructed: all texts of an evaluation have the same instructions; "
        "found: planted texts that are found in their record; only leaks should be; "
        "elsewhere: found in a record in which the text was not planted"
    )
    rows = (row for word, one in corpora.items() for row in _planted(one, word))
    yield tabulate("Planted evaluation texts", rows, note)
    note = "checked: the files of the first run, read again"
    yield tabulate("Rates before and after", _again(trial, made), note)
    note = "one process, in turns; the least processor time; peak: PSS of all processes"
    yield tabulate("Speed, reading included", _speed(trial), note)


def _command(made: LeakCorpus, *more: object) -> tuple[object, ...]:
    against = (part for path in made.evaluations for part in ("--against", path))
    return ("decontaminate", made.corpus, *against, "--id-field", "id", "-q", *more)


def _planted(made: LeakCorpus, instructed: str) -> Iterator[Row]:
    """Count what is found by how it was planted, and in all: what is found, and what is false."""
    lines = simdup(*_command(made, "--evidence", "-")).records
    found = {(one["eval"], one["document"]) for one in lines if one["type"] == "leak"}
    planted = defaultdict[str, set[tuple[str, str]]](set)
    for one in made.truth:
        planted[one.kind].add((one.evaluation, one.record))
    for kind in (*LEAKS, *DECOYS):
        hits = len(planted[kind] & found)
        yield {
            "instructed": instructed, "planted": kind, "leak": "yes" if kind in LEAKS else "no",
            "texts": len(planted[kind]), "found": hits, "share": hits / len(planted[kind]),
        }  # fmt: skip
    others = found - {pair for pairs in planted.values() for pair in pairs}
    yield {
        "instructed": instructed, "planted": ELSEWHERE, "leak": "no", "texts": None,
        "found": len(others), "share": None,
    }  # fmt: skip
    leaked = set[tuple[str, str]]().union(*(planted[kind] for kind in LEAKS))
    say(
        f"leaks: instructed {instructed}: found {len(leaked & found) / len(leaked):.4f}, "
        f"false {len(found - leaked)}"
    )


def _again(trial: Trial, made: LeakCorpus) -> Iterator[Row]:
    """Write the corpus without leaks in both ways, and look for leaks again."""
    for name, options in {"left out": [], "masked": ["--mask"]}.items():
        say(f"leaks: {name}")
        target = trial.folder / "clean.jsonl"
        target.unlink(missing_ok=True)
        before = simdup(*_command(made, *options, "-o", target, "--evidence", "-")).records[-1]
        cleaned = made._replace(corpus=target)
        after = simdup(*_command(cleaned, "--check", "0", "--evidence", "-")).records[-1]
        yield {
            "documents are": name, "texts": before["evaluations"],
            "leaked": sum(one["leaked"] for one in before["rates"]),
            "documents with a leak": before["affected"],
            "leaked when checked again": sum(one["leaked"] for one in after["rates"]),
            "documents before": before["documents"], "documents after": after["documents"],
            "MB before": made.corpus.stat().st_size / MB, "MB after": target.stat().st_size / MB,
        }  # fmt: skip


def _speed(trial: Trial) -> Iterator[Row]:
    """Run `decontaminate` beside `passages --reference` on records in which little is planted."""
    say("leaks: writing more")
    made = write_leaks(trial.folder / "large", trial.pick(3, 300))
    evaluations = _joined(made, trial.folder / "evaluations.jsonl")
    size, target = made.corpus.stat().st_size / MB, trial.folder / "large.jsonl"
    one = made._replace(evaluations=[evaluations])
    passages = ("passages", made.corpus, "--reference", evaluations, "-f", "jsonl", "-q")
    commands = {
        "decontaminate": _command(one, "-j", 1),
        "decontaminate -o": _command(one, "-j", 1, "-o", target, "--force"),
        "decontaminate --mask -o": _command(one, "-j", 1, "--mask", "-o", target, "--force"),
        "passages --reference": (*passages, "-j", 1),
    }
    works: list[Callable[[], Ran]] = [partial(simdup, *command) for command in commands.values()]
    done = in_turn(trial.pick(1, min(trial.rounds, 2)), *works)
    for (name, command), runs in zip(commands.items(), done, strict=True):
        say(f"leaks: {name}")
        cpu = min(ran.cpu for ran in runs)
        yield {
            "command": name, "MB": size, "s": min(ran.seconds for ran in runs), "CPU s": cpu,
            "MB a CPU s": size / cpu, "peak MB": peak_memory(*command),
        }  # fmt: skip


def _joined(made: LeakCorpus, path: Path) -> Path:
    """Write all evaluation texts to one file: `passages` takes several as several options."""
    with path.open("w", encoding="utf-8") as lines:
        for one in made.evaluations:
            for line in one.read_text("utf-8").splitlines():
                lines.write(json.dumps(json.loads(line), ensure_ascii=False) + "\n")
    return path
