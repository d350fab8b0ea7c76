"""Files that targets write and read; they are in the working folder."""

from __future__ import annotations

from collections.abc import Sequence

from lab.fuzz.oracle import expect, expect_sayable
from simdup.corpus import archives
from simdup.corpus.batches import batches, read
from simdup.corpus.sources import list_files
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading


def write(name: str, content: bytes) -> str:
    """Write a file, and return its name."""
    with open(name, "wb") as file:
        file.write(content)
    return name


def documents(source: str, reading: Reading) -> list[Document]:
    """Return the documents of a source; what is left out must say so in one line."""
    # It tells archives by size and time, and these are written within the same tick.
    archives.list_archive.cache_clear()
    archives._unpacked.cache_clear()
    listing = list_files([source], reading)
    found = [one for batch in batches(listing.files, reading) for one in read(batch, reading)]
    skipped = [*listing.skipped, *(one for one in found if isinstance(one, Skipped))]
    expect_sayable(skipped)
    kept = [one for one in found if isinstance(one, Document)]
    expect_texts(kept)
    return kept


def expect_texts(found: Sequence[Document]) -> None:
    """Raise unless texts can be written as UTF-8, and documents have names of their own."""
    for one in found:
        one.text.encode()
        (one.title or "").encode()
        (one.group or "").encode()
    places = [one.place if one.record else one.path for one in found]
    expect(len(set(places)) == len(places), "two documents with one place")
