"""Folders with documents and labels, in the formats that public collections have.

A folder of near-duplicates has ``docs.jsonl`` or ``docs.jsonl.gz`` (``id`` and ``text`` a line) or
text files in any encoding, and one file of labels: ``pairs``, ``clusters``, ``truth`` or ``labels``
with the suffix ``.tsv``, ``.csv``, ``.txt`` or ``.jsonl``, in any format that `simdup evaluate`
reads.

A folder of plagiarism has ``susp/`` and ``src/`` with text files, files of XML anywhere, as in the
corpora for text alignment of PAN, and files named ``pairs`` if only these pairs count.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from lab.corpora.edits import NamePair
from simdup.base.errors import SimdupError
from simdup.corpus.decoding import decode
from simdup.operations.evaluate import (
    NEGATIVE,
    LabelledPairs,
    from_clusters,
    read_labels,
    with_names_of,
)

_NAMES = ("pairs", "clusters", "truth", "labels")
_SUFFIXES = (".tsv", ".csv", ".txt", ".jsonl")
_RECORDS = ("docs.jsonl", "docs.jsonl.gz")
_SUSPICIOUS, _SOURCES = "susp", "src"


class LabelledFolder(NamedTuple):
    """Texts by name, the pairs that are near-duplicates, and those that are labelled as none."""

    texts: dict[str, str]
    truth: LabelledPairs
    different: frozenset[NamePair]


def labels_of(folder: Path) -> Path:
    """Return the file of labels of a folder."""
    for name in _NAMES:
        for suffix in _SUFFIXES:
            if (path := folder / f"{name}{suffix}").is_file():
                return path
    known = ", ".join(f"{name}.tsv" for name in _NAMES)
    hint = f"expected {known}, or {_SUSPICIOUS}/ and {_SOURCES}/ as PAN has them"
    raise SimdupError(str(folder), "no labels found", hint)


def read_folder(folder: Path, least_score: float | None = None) -> LabelledFolder:
    """Read the documents and labels of a folder of near-duplicates."""
    labels = labels_of(folder)
    texts = dict(_records(folder) or _files(folder, labels))
    if not texts:
        raise SimdupError(str(folder), "no documents found", f"expected {_RECORDS[0]} or *.txt")
    known = LabelledPairs(tuple((name,) for name in texts))
    truth = with_names_of(known, read_labels(str(labels), least_score))
    return LabelledFolder(texts, truth, frozenset(_different(labels, known)))


def _records(folder: Path) -> list[tuple[str, str]]:
    path = next((folder / name for name in _RECORDS if (folder / name).is_file()), None)
    if path is None:
        return []
    content = path.read_bytes()
    lines = (gzip.decompress(content) if path.suffix == ".gz" else content).splitlines()
    records = [json.loads(line) for line in lines if line.strip()]
    return [(str(record["id"]), record["text"]) for record in records]


def _files(folder: Path, labels: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*.txt")):
        if path != labels:
            yield path.relative_to(folder).as_posix(), decode(path.read_bytes()).text


def _different(path: Path, known: LabelledPairs) -> Iterator[NamePair]:
    """Yield the pairs of a table that are labelled as no near-duplicates."""
    if path.suffix == ".jsonl":
        return
    content = path.read_text("utf-8-sig")
    delimiter = "\t" if "\t" in content.split("\n", 1)[0] else ","
    rows = [row for row in csv.reader(content.splitlines(), delimiter=delimiter) if len(row) > 2]
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    column = head.index("label") if "label" in head else 2
    for row in rows:
        if row[column].strip().lower() in NEGATIVE:
            pair = with_names_of(known, from_clusters([row[:2]])).groups
            yield from ((min(a, b), max(a, b)) for a, b in pair)


# -- passages, as in the corpora of PAN --


class Case(NamedTuple):
    """A passage of a suspicious document, and where its source has it: characters, end excluded."""

    document: str
    start: int
    end: int
    source: str
    source_start: int
    source_end: int


class Plagiarism(NamedTuple):
    """A corpus for text alignment: two folders, the pairs that count (or all), and the cases."""

    suspicious: Path
    sources: Path
    pairs: frozenset[NamePair]
    cases: frozenset[Case]

    def counts(self, document: str, source: str) -> bool:
        """Return whether passages of these two documents count."""
        return not self.pairs or (document, source) in self.pairs


def is_plagiarism(folder: Path) -> bool:
    """Return whether a folder is one for text alignment."""
    return (folder / _SUSPICIOUS).is_dir() and (folder / _SOURCES).is_dir()


def read_plagiarism(folder: Path) -> Plagiarism:
    """Read pairs and cases of a corpus for text alignment."""
    pairs = {
        (words[0], words[1])
        for path in sorted(folder.rglob("pairs"))
        for words in map(str.split, path.read_text("utf-8").splitlines())
        if len(words) == 2
    }
    cases = {case for path in sorted(folder.rglob("*.xml")) for case in _cases(path)}
    return Plagiarism(folder / _SUSPICIOUS, folder / _SOURCES, frozenset(pairs), frozenset(cases))


def _cases(path: Path) -> Iterator[Case]:
    root = ElementTree.parse(path).getroot()
    for feature in root.iter("feature"):
        # The corpora for detection also have "artificial-plagiarism", and features of other kinds.
        if feature.get("name", "").endswith("plagiarism") and feature.get("source_reference"):
            start, length = int(feature.attrib["this_offset"]), int(feature.attrib["this_length"])
            there = int(feature.attrib["source_offset"])
            end = there + int(feature.attrib["source_length"])
            source = feature.attrib["source_reference"]
            yield Case(root.attrib["reference"], start, start + length, source, there, end)
