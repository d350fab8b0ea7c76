"""Decoding: GBK texts padded with NULs, and the cost of detecting instead of giving an encoding.

The texts are passages of laws, for news, and of manual pages, where Chinese stands between code.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from lab import measuring
from lab.corpora import real
from lab.measuring import SIMDUP
from lab.reporting import Cell, Table
from lab.trial import Trial


def run(trial: Trial) -> Iterator[Table]:
    """Pad and read texts; then time detection, from one call to a whole run."""
    yield _padded(trial.pick(20, 1000))
    yield _times(trial)


# -- NULs ------------------------------------------------------------------------------------------


def _padded(count: int) -> Table:
    """Read texts with NULs in many places."""
    chance = random.Random(1)
    rows: list[tuple[Cell, ...]] = []
    for name, pad in PADDINGS.items():
        outcomes = Counter(
            _outcome(text, pad(text.encode("gb18030"), chance))
            for text in _texts("laws", count // 2, 1000) + _texts("vsdocs", count // 2, 1000)
        )
        rows.append((name, outcomes.total(), *(outcomes[o] for o in ("right", "binary", "wrong"))))
    columns = ("NULs", "texts", "read right", "called binary", "read wrong")
    return Table("Texts in GBK with NULs", columns, rows)


def _outcome(text: str, data: bytes) -> str:
    from simdup.corpus.decoding import decode
    from simdup.corpus.encoding_detection import NotText

    try:
        found = decode(data)
    except NotText:
        return "binary"
    right = (found.text, found.dropped) == (text, data.count(b"\0"))
    return "right" if right else "wrong"


def _insert(data: bytes, places: list[int], count: int = 1) -> bytes:
    pieces = [data[i:j] for i, j in zip([0, *places], [*places, None], strict=True)]
    return bytes(count).join(pieces)


PADDINGS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "none": lambda data, _: data,
    "one": lambda data, chance: _insert(data, [chance.randrange(len(data))]),
    "12": lambda data, chance: _insert(data, sorted(chance.sample(range(len(data)), 12))),
    "1 in 50 bytes": lambda data, _: _insert(data, list(range(50, len(data), 50))),
    "1 in 25 bytes, all of one parity": lambda data, _: _insert(
        data, list(range(25, len(data), 25))
    ),
    "3 holes of 200": lambda data, chance: _insert(
        data, sorted(chance.sample(range(len(data)), 3)), 200
    ),
    "up to a multiple of 4,096": lambda data, _: data + bytes(-len(data) % 4096),
    "a thousand first": lambda data, _: bytes(1000) + data,
}


# -- time ------------------------------------------------------------------------------------------


def _times(trial: Trial) -> Table:
    """Time calls of `decode`, reading of files, and `simdup fingerprint`, each both ways."""
    rows = []
    size = trial.pick(200_000, 4_000_000)
    for name, length in (("laws", 300), ("laws", 1000), ("laws", 3000), ("vsdocs", 1000)):
        contents = [text.encode("gb18030") for text in _texts(name, size // 2 // length, length)]
        folder = trial.folder / f"{name}{length}"
        folder.mkdir()
        for number, content in enumerate(contents):
            (folder / f"{number}.txt").write_bytes(content)
        works = {
            "decode": partial(_decode, contents),
            "read": partial(_read, folder),
            "fingerprint": partial(_fingerprint, folder),
        }
        for work, call in works.items():
            given, detected = measuring.in_turn(
                2 * trial.rounds + 1, partial(call, "gb18030"), partial(call, None)
            )
            ms = [statistics.median(seconds) / len(contents) * 1e6 for seconds in (given, detected)]
            rows.append(
                (f"{name}, {length:,} characters", work, *ms, measuring.ratio(detected, given))
            )
    columns = ("texts", "work", "given, us a file", "detected, us a file", "ratio")
    note = "decode: bytes in memory; read: open, read, decode; fingerprint: the whole command"
    return Table("GBK with and without --encoding", columns, rows, note)


def _decode(contents: list[bytes], encoding: str | None) -> float:
    from simdup.corpus.decoding import decode

    started = time.process_time()
    for content in contents:
        decode(content, encoding)
    return time.process_time() - started


def _read(folder: Path, encoding: str | None) -> float:
    from simdup.corpus.batches import read_file
    from simdup.corpus.sources import list_files
    from simdup.model.reading import Reading

    reading = Reading(encoding=encoding)
    files, _ = list_files([str(folder)], reading)
    started = time.process_time()
    for file in files:
        read_file(file, reading)
    return time.process_time() - started


def _fingerprint(folder: Path, encoding: str | None) -> float:
    how = ["--idf", "builtin", "-q", "-o", os.devnull] + (
        ["--encoding", encoding] if encoding else []
    )
    return measuring.run([*SIMDUP, "fingerprint", *how, str(folder)]).cpu


def _texts(name: str, count: int, length: int) -> list[str]:
    """Return passages of a collection, with LF at line ends, as all decoded texts have."""
    source = "\n".join(text for _, text in real.texts(name)).replace("\r", "")
    chance = random.Random(2)
    starts = (chance.randrange(len(source) - length) for _ in range(count))
    return [source[start : start + length] for start in starts]
