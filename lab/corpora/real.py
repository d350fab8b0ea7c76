"""The corpora of the benchmarks: real texts, passages and edited copies of them, as files.

The project does not include the real texts. They are in the folder that the environment variable
SIMDUP_DATA names, or in ``../shared/data`` beside the checkout.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import json
import os
import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from lab.corpora.edits import spliced

# The collections: laws, pages of a manual, poems.
NAMES = ("laws", "vsdocs", "poems")

# Files of one folder: more make some file systems slow.
_FOLDER_FILES = 1000

# One document in this many is an edited copy of one of the `_BACK` documents before it.
_COPY_EVERY = 10
_BACK = 1000


class Corpus(NamedTuple):
    """Texts in a folder or a file: where, how many, and how many bytes."""

    path: Path
    documents: int
    size: int

    def files(self) -> list[str]:
        """Return the paths of all files, in order."""
        return sorted(str(path) for path in self.path.rglob("*.*"))


class NoTexts(Exception):
    """The real texts that a benchmark needs are missing."""


def data_folder() -> Path:
    """Return the folder of the real texts; `NoTexts` if there is none."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("SIMDUP_DATA", beside))
    if not folder.is_dir():
        raise NoTexts(f"no real texts in {folder}; set SIMDUP_DATA to the folder with them")
    return folder


def texts(name: str, most: int | None = None) -> dict[str, str]:
    """Return the texts of a real collection by id, all or the first ones."""
    with gzip.open(data_folder() / name / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = map(json.loads, itertools.islice(lines, most))
        return {record["id"]: record["text"] for record in records}


def true_pairs(name: str) -> list[tuple[str, str, str]]:
    """Return (id, id, last column) of the known pairs of a real collection."""
    path = data_folder() / name / "pairs.tsv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [(row[0], row[1], row[3]) for row in rows]


# -- files --


def write_files(
    contents: Iterable[str],
    folder: Path,
    suffix: str = ".txt",
    encode: Callable[[str], bytes] = str.encode,
) -> Corpus:
    """Write texts as files whose names count them, a thousand in a folder."""
    documents = size = 0
    for text in contents:
        below = folder / f"{documents // _FOLDER_FILES:04d}"
        if documents % _FOLDER_FILES == 0:
            below.mkdir(parents=True)
        size += (below / f"{documents:07d}{suffix}").write_bytes(encode(text))
        documents += 1
    return Corpus(folder, documents, size)


def write_records(contents: Iterable[tuple[str, str]], path: Path) -> Corpus:
    """Write (id, text) as JSON lines."""
    documents = size = 0
    with path.open("w", encoding="utf-8") as file:
        for name, text in contents:
            file.write(json.dumps({"id": name, "text": text}, ensure_ascii=False) + "\n")
            documents += 1
            size += len(text.encode())
    return Corpus(path, documents, size)


def numbered(contents: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each text with its number."""
    return ((str(number), text) for number, text in enumerate(contents))


# -- passages and copies --


def laws_and_manual(most: int | None = None) -> Iterator[str]:
    """Yield all laws and manual pages, or the first ones."""
    every = (text for name in ("laws", "vsdocs") for text in texts(name).values())
    return itertools.islice(every, most)


def long_texts(size: int) -> Iterator[str]:
    """Yield passages of 350 to 7,000 characters, about 1 to 20 kB, and edited copies."""
    return until(size, _with_copies(_passages(350, 7000, seed=1), seed=2))


def short_texts(documents: int) -> Iterator[str]:
    """Yield the poems and passages of 50 to 300 characters, and edited copies."""
    originals = itertools.chain(texts("poems").values(), _passages(50, 300, seed=3))
    return itertools.islice(_with_copies(originals, seed=4), documents)


def records(documents: int) -> Iterator[str]:
    """Yield passages of about 1 kB, and edited copies."""
    return itertools.islice(_with_copies(_passages(300, 550, seed=8), seed=9), documents)


def passages(size: int, length: int) -> list[str]:
    """Return passages of `length` characters, `size` bytes in total."""
    return list(until(size, _passages(length, length, seed=7)))


def edited_pairs(pairs: int, length: int) -> list[str]:
    """Return passages without white space, each followed by an edited copy of the same length."""
    chance = random.Random(5)
    edited: list[str] = []
    for passage in _passages(2 * length, 2 * length, seed=6):
        compact = "".join(passage.split())
        if len(compact) >= length + length // 10:
            edited += compact[:length], spliced(compact, chance)[:length]
        if len(edited) == 2 * pairs:
            return edited
    raise AssertionError("passages never end")


def until(size: int, contents: Iterable[str]) -> Iterator[str]:
    """Yield texts until they are that many bytes."""
    for text in contents:
        yield text
        size -= len(text.encode())
        if size <= 0:
            return


def _passages(shortest: int, longest: int, seed: int) -> Iterator[str]:
    """Yield passages from random places of the laws and manual pages, endlessly."""
    chance = random.Random(seed)
    source = "\n".join(laws_and_manual())
    while True:
        size = chance.randint(shortest, longest)
        start = chance.randrange(len(source) - size)
        yield source[start : start + size]


def _with_copies(originals: Iterable[str], seed: int) -> Iterator[str]:
    """Yield the originals, with edited copies in between."""
    chance = random.Random(seed)
    recent: deque[str] = deque(maxlen=_BACK)
    for original in originals:
        recent.append(original)
        yield original
        if chance.randrange(_COPY_EVERY - 1) == 0:
            yield spliced(chance.choice(recent), chance)
