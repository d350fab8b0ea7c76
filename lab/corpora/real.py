"""The corpora of the benchmarks: real texts as files, and corpora made of them.

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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

# Files of one folder: more make some file systems slow.
_FOLDER_FILES = 1000

# One document in this many is an edited copy of one of the `_BACK` documents before it.
_COPY_EVERY = 10
_BACK = 1000


class Corpus(NamedTuple):
    """Texts as UTF-8 files.

    Attributes
    ----------
    folder : Path
        What to scan.
    documents : int
        Its files.
    size : int
        Bytes of them all.
    """

    folder: Path
    documents: int
    size: int

    def files(self) -> list[str]:
        """Return the paths of all files, in order."""
        return sorted(str(path) for path in self.folder.rglob("*.txt"))


class NoTexts(Exception):
    """The real texts that a benchmark needs are missing."""


def data_folder() -> Path:
    """Return the folder of the real texts.

    Raises
    ------
    NoTexts
        If there is none.
    """
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("SIMDUP_DATA", beside))
    if not folder.is_dir():
        raise NoTexts(f"no real texts in {folder}; set SIMDUP_DATA to the folder with them")
    return folder


def texts(name: str) -> list[tuple[str, str]]:
    """Return (id, text) of all documents of a real collection."""
    with gzip.open(data_folder() / name / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [(record["id"], record["text"]) for record in map(json.loads, lines)]


def true_pairs(name: str) -> list[tuple[str, str, str]]:
    """Return (id, id, last column) of the known pairs of a real collection."""
    path = data_folder() / name / "pairs.tsv"
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(rows)
        return [(row[0], row[1], row[3]) for row in rows]


def write(contents: Iterable[str], folder: Path) -> Corpus:
    """Write texts as files whose names count them, a thousand in a folder."""
    documents = size = 0
    for text in contents:
        below = folder / f"{documents // _FOLDER_FILES:04d}"
        if documents % _FOLDER_FILES == 0:
            below.mkdir(parents=True)
        content = text.encode()
        (below / f"{documents:07d}.txt").write_bytes(content)
        documents += 1
        size += len(content)
    return Corpus(folder, documents, size)


def real(folder: Path, most: int | None = None) -> Corpus:
    """Write all laws and manual pages, or some of them."""
    every = (text for name in ("laws", "vsdocs") for _, text in texts(name))
    return write(itertools.islice(every, most), folder)


def large(folder: Path, size: int) -> Corpus:
    """Write passages of 350 to 7,000 characters (about 1 to 20 kB) of laws and manual pages."""
    return write(_until(size, _with_copies(_passages(350, 7000, seed=1), seed=2)), folder)


def short(folder: Path, documents: int) -> Corpus:
    """Write the poems and passages of 50 to 300 characters."""
    poems = (text for _, text in texts("poems"))
    originals = itertools.chain(poems, _passages(50, 300, seed=3))
    return write(itertools.islice(_with_copies(originals, seed=4), documents), folder)


def passages(size: int, length: int) -> list[str]:
    """Return passages of `length` characters, `size` bytes in total."""
    return list(_until(size, _passages(length, length, seed=7)))


def edited_pairs(pairs: int, length: int) -> list[str]:
    """Return passages without white space, each followed by an edited copy of the same length."""
    chance = random.Random(5)
    found: list[str] = []
    for passage in _passages(2 * length, 2 * length, seed=6):
        compact = "".join(passage.split())
        if len(compact) >= length + length // 10:
            found += compact[:length], _edited(compact, chance)[:length]
        if len(found) == 2 * pairs:
            return found
    raise AssertionError("passages never end")


def _passages(shortest: int, longest: int, seed: int) -> Iterator[str]:
    """Yield passages from random places of the laws and manual pages, endlessly."""
    chance = random.Random(seed)
    source = "\n".join(text for name in ("laws", "vsdocs") for _, text in texts(name))
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
            yield _edited(chance.choice(recent), chance)


def _edited(text: str, chance: random.Random) -> str:
    """Replace, insert or delete 1 to 4 characters in 1 place, or in up to a hundredth of them."""
    for _ in range(chance.randint(1, max(1, len(text) // 100))):
        start, taken = chance.randrange(len(text)), chance.randrange(len(text))
        size = chance.randint(1, 4)
        gone, new = chance.choice([(size, size), (0, size), (size, 0)])
        text = text[:start] + text[taken : taken + new] + text[start + gone :]
    return text


def _until(size: int, contents: Iterable[str]) -> Iterator[str]:
    """Yield texts until they are that many bytes."""
    for text in contents:
        yield text
        size -= len(text.encode())
        if size <= 0:
            return
