"""Families: scans of pages of one template, of numbered messages, of equal fingerprints.

Each corpus is scanned at one size and at twice that size: what costs the square takes four times as
long. The texts are made of syllables, so nothing else is needed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from lab import measuring
from lab.measuring import SIMDUP, peak_memory
from lab.reporting import Cell, Table
from lab.trial import Trial, say

JOBS = "2"
MB = 1e6
COLUMNS = (
    "corpus", "documents", "s", "CPU s", "peak MB", "candidates", "clusters", "unchecked",
    "twice as many, s", "ratio of CPU s",
)  # fmt: skip

# The characters of texts: everyday ones, from one block.
_FIRST, _MANY = 0x4E00, 2500


def run(trial: Trial) -> Iterator[Table]:
    """Scan families at two sizes."""
    pages = trial.pick(200, 20_000)
    messages = trial.pick(1000, 100_000)
    shuffled = trial.pick(500, 50_000)
    cases = [
        ("pages of one template, 0.9 alike", pages, lambda n: _pages(n, 50)),
        ("pages of one template, 0.8 alike", pages, lambda n: _pages(n, 110)),
        ("pages of one template, 0.67 alike", pages, lambda n: _pages(n, 200)),
        ("messages that differ in a number", messages, _messages),
        ("words in any order, equal fingerprints", shuffled, _shuffled),
    ]
    rows = [_row(trial, *case) for case in cases]
    note = f"default method, {JOBS} jobs; peak: PSS of all processes"
    yield Table("Large families", COLUMNS, rows, note)


def _row(
    trial: Trial, name: str, count: int, make: Callable[[int], Iterator[str]]
) -> tuple[Cell, ...]:
    say(name)
    path = trial.folder / "family.jsonl"
    _write(path, make(count))
    command = [*SIMDUP, "scan", "-q", "-j", JOBS, "-f", "jsonl", str(path)]
    once = measuring.run(command)
    summary = json.loads(once.output.splitlines()[-1])
    peak = peak_memory(command)
    _write(path, make(2 * count))
    twice = measuring.run(command)
    return (
        name, summary["documents"], once.seconds, once.cpu, peak and peak / MB,
        summary["candidates"], summary["clusters"], summary["unchecked"],
        twice.seconds, twice.cpu / once.cpu,
    )  # fmt: skip


def _write(path: Path, texts: Iterator[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for text in texts:
            file.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")


def _text(chance: random.Random, length: int) -> str:
    return "".join(chr(_FIRST + int(_MANY * chance.random() ** 2)) for _ in range(length))


def _pages(count: int, own: int, length: int = 1000) -> Iterator[str]:
    """Pages that share all but some characters."""
    chance = random.Random(1)
    page = _text(chance, length - own)
    middle = len(page) // 2
    for _ in range(count):
        yield page[:middle] + _text(chance, own) + page[middle:]


def _messages(count: int, length: int = 120, digits: int = 9) -> Iterator[str]:
    """Messages that share all but a number."""
    chance = random.Random(2)
    words = _text(chance, length - digits)
    middle = len(words) // 2
    for _ in range(count):
        number = chance.randrange(10**digits)
        yield f"{words[:middle]}{number:0{digits}d}{words[middle:]}"


def _shuffled(count: int, words: int = 20, times: int = 3) -> Iterator[str]:
    """The same words, each as often, in any order: terms and weights are equal."""
    chance = random.Random(3)
    every = [_text(chance, 2) for _ in range(words)] * times
    for _ in range(count):
        chance.shuffle(every)
        yield " ".join(every)
