"""The texts of clusters in blocks that the page inflates one by one.

A cluster's texts stand side by side, so that deflate's window sees what they have in common;
beyond `LONG` characters, which the window does not hold, a text is stored as its delta against the
first one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from simdup.model.clusters import Cluster
from simdup.report.choice import CLIP, carried, edge_first, within_reach
from simdup.report.columns import deflate, script_json
from simdup.report.delta import as_units, delta
from simdup.report.terms import heaviest_terms
from simdup.report.texts import Originals

# Characters of JSON in a block: it opens in a few milliseconds, and the page keeps twelve of them.
CHUNK = 192_000

# Half of deflate's window of 32 kB, were each character to take three bytes.
LONG = 12_000

# Characters of texts that are cut into terms again: the list begins with them, and they take the
# slower of the two segmenters some ten seconds.
_TERMS = 8_000_000

# Bytes of blocks that are kept in memory.
_IN_MEMORY = 1 << 25


def _spooled() -> IO[bytes]:
    return tempfile.SpooledTemporaryFile(_IN_MEMORY)


@dataclass
class Chunks:
    """The blocks of a page, on disk once they are many, and which cluster is where."""

    budget: int | None  # most bytes of all blocks; None for any number
    place: dict[int, tuple[int, int]] = field(default_factory=dict)  # by cluster: block, slot
    characters: set[str] = field(default_factory=set)  # that occur in the texts
    count: int = 0
    size: int = 0
    _file: IO[bytes] = field(default_factory=_spooled)
    _ends: list[int] = field(default_factory=list)

    def __enter__(self) -> Chunks:
        """Return the blocks, whose file is closed at the end."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file."""
        self._file.close()

    def add(self, clusters: Sequence[int], contents: Sequence[str]) -> bool:
        """Append a block with these clusters; return False where it would be too much."""
        block = deflate(f"[{','.join(contents)}]".encode())
        if self.budget is not None and self.size + len(block) > self.budget:
            return False
        self._file.write(block)
        self.place |= {cluster: (self.count, i) for i, cluster in enumerate(clusters)}
        self.count += 1
        self.size += len(block)
        self._ends.append(self.size)
        return True

    def blocks(self) -> Iterator[bytes]:
        """Yield the blocks in order."""
        self._file.seek(0)
        done = 0
        for end in self._ends:
            yield self._file.read(end - done)
            done = end


def reachable(
    clusters: Sequence[Cluster], originals: Any, similarity: float, budget: int | None
) -> list[int]:
    """Return the positions of the clusters whose texts are to be read again, in their order."""
    order = edge_first(clusters, similarity)
    return list(within_reach(order, clusters, originals, budget))


def add_texts(
    chunks: Chunks, clusters: Sequence[Cluster], order: Sequence[int], originals: Originals
) -> None:
    """Add the texts of clusters in blocks, in this order, as many as the budget allows."""
    terms_left = _TERMS
    pending: list[tuple[int, str]] = []
    size = 0
    for i in order:
        texts = [originals.text(number) for number in carried(clusters[i])]
        known = [text for text in texts if text is not None]
        if not known:
            continue
        terms_left -= sum(map(len, known))
        content = _cluster(texts, originals if terms_left > 0 else None)
        chunks.characters.update(*known)
        pending.append((i, content))
        size += len(content)
        if size >= CHUNK:
            if not chunks.add(*zip(*pending, strict=True)):
                break
            pending, size = [], 0
    _fill(chunks, pending)


def _fill(chunks: Chunks, pending: list[tuple[int, str]]) -> None:
    """Add what fits of the last clusters."""
    while pending and not chunks.add(*zip(*pending, strict=True)):
        pending = pending[: len(pending) // 2]


def _cluster(texts: Sequence[str | None], originals: Originals | None) -> str:
    """Return the JSON of a cluster: its texts, which of them are clipped, and its terms."""
    stored: list[Any] = []
    base = ""
    for text in texts:
        if text is None:
            stored.append(None)
            continue
        units = as_units(text[:CLIP])
        if not base:
            base = units
            stored.append(units)
        else:
            stored.append(units if len(units) <= LONG else {"delta": delta(base, units)})
    content: dict[str, Any] = {"texts": stored}
    clipped = [i for i, text in enumerate(texts) if text is not None and len(text) > CLIP]
    if clipped:
        content["clipped"] = clipped
    if originals is not None:
        known = [i for i, text in enumerate(texts) if text is not None and i not in clipped]
        found = heaviest_terms([texts[i] or "" for i in known], originals.origins.fingerprinter)
        content["terms"] = [None] * len(texts)
        for i, terms in zip(known, found, strict=True):
            content["terms"][i] = terms
    return script_json(content)
