"""The texts of clusters in blocks that the page inflates one by one.

A cluster's texts are side by side, so that deflate's window sees what they have in common;
beyond `LONG` characters, which the window does not hold, a text is stored as its delta against the
first one.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.model.clusters import Cluster
from simdup.show.report.choice import CLIP, carried, edge_first, within_reach
from simdup.show.report.columns import deflate, script_json
from simdup.show.report.delta import as_units, delta
from simdup.show.report.pieces import pieces
from simdup.show.report.terms import heaviest_terms
from simdup.show.report.texts import Originals
from simdup.text.characters import to_codes

# The texts of a cluster; None for what could not be read again.
Texts: TypeAlias = list[str | None]

# Characters in a block: it opens in a few milliseconds, and the page keeps twelve of them.
CHUNK = 192_000

# Half of deflate's window of 32 kB, were each character to take three bytes.
LONG = 12_000

# Characters of texts that are cut into terms again, those that the list begins with: the slower of
# the two segmenters takes some seconds for them.
_TERMS = 2_500_000

# The share of the budget for whole texts; the rest is for pieces of those that do not fit.
_WHOLE = 0.75

# Bytes of blocks that are kept in memory.
_IN_MEMORY = 1 << 25


def _no_characters() -> NDArray[np.bool_]:
    return np.zeros(sys.maxunicode + 1, np.bool_)


def _spooled() -> IO[bytes]:
    return tempfile.SpooledTemporaryFile(_IN_MEMORY)


@dataclass
class Chunks:
    """The blocks of a page, on disk once they are many, and which cluster is where."""

    budget: float  # most bytes of all blocks
    place: dict[int, tuple[int, int]] = field(default_factory=dict)  # by cluster: block, slot
    # Whether a character occurs in the texts, by its code point.
    characters: NDArray[np.bool_] = field(default_factory=_no_characters)
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

    def add(
        self, contents: Sequence[tuple[int, str]], texts: Mapping[int, Texts], share: float = 1
    ) -> bool:
        """Append a block of clusters and their contents; return whether all of it fits.

        If not, as much of it is added as fits into this share of the budget.
        """
        pending = list(contents)
        while pending:
            block = deflate(f"[{','.join(content for _, content in pending)}]".encode())
            if self.size + len(block) <= share * self.budget:
                break
            pending = pending[: len(pending) // 2]
        else:
            return not contents
        self._file.write(block)
        for slot, (i, _) in enumerate(pending):
            self.place[i] = self.count, slot
        seen = "".join(text for i, _ in pending for text in texts[i] if text)
        self.characters[to_codes(seen)] = True
        self.count += 1
        self.size += len(block)
        self._ends.append(self.size)
        return len(pending) == len(contents)

    def blocks(self) -> Iterator[bytes]:
        """Yield the blocks in order."""
        self._file.seek(0)
        done = 0
        for end in self._ends:
            yield self._file.read(end - done)
            done = end


def reachable(
    clusters: Sequence[Cluster], originals: Any, similarity: float, budget: float
) -> list[int]:
    """Return the positions of the clusters whose texts are to be read again, in their order."""
    order = edge_first(clusters, similarity)
    return list(within_reach(order, clusters, originals, budget))


def add_texts(
    chunks: Chunks, clusters: Sequence[Cluster], order: Sequence[int], originals: Originals
) -> None:
    """Add the texts of clusters in blocks, in this order, as many as the budget allows."""
    terms_left = _TERMS
    whole = True
    for some in _blocks(clusters, order, originals):
        known = _terms(some.values(), originals) if whole and terms_left > 0 else {}
        terms_left -= sum(len(text or "") for texts in some.values() for text in texts)
        if whole:
            pending = [(i, _content(texts, known)) for i, texts in some.items()]
            whole = chunks.add(pending, some, _WHOLE)
        # What does not fit as a whole goes on as pieces, and all after it.
        if not whole:
            left = {i: texts for i, texts in some.items() if i not in chunks.place}
            if not chunks.add([(i, _pieces(texts)) for i, texts in left.items()], left):
                return


def _blocks(
    clusters: Sequence[Cluster], order: Sequence[int], originals: Originals
) -> Iterator[dict[int, Texts]]:
    """Yield the texts of clusters, so many at a time as a block holds."""
    some: dict[int, Texts] = {}
    size = 0
    for i in order:
        texts = [originals.text(number) for number in carried(clusters[i])]
        if any(texts):
            some[i] = texts
            size += sum(len(text or "") for text in texts)
        if size >= CHUNK:
            yield some
            some, size = {}, 0
    if some:
        yield some


def _terms(every: Iterable[Texts], originals: Originals) -> dict[str, Any]:
    """Return the terms of texts that are not clipped, by text."""
    fingerprinter = originals.origins.fingerprinter
    known = dict.fromkeys(t for texts in every for t in texts if t and len(t) <= CLIP)
    if fingerprinter is None:
        return {}
    return dict(zip(known, heaviest_terms(list(known), fingerprinter), strict=True))


def _content(texts: Texts, terms: dict[str, Any]) -> str:
    """Return the JSON of a cluster: its texts, which of them are clipped, and its terms."""
    stored: list[Any] = []
    base = ""
    for text in texts:
        units = as_units((text or "")[:CLIP])
        if text is None:
            stored.append(None)
        elif not base or len(units) <= LONG:
            base = base or units
            stored.append(units)
        else:
            stored.append({"delta": delta(base, units)})
    content: dict[str, Any] = {"texts": stored}
    clipped = [i for i, text in enumerate(texts) if text is not None and len(text) > CLIP]
    if clipped:
        content["clipped"] = clipped
    if terms:
        content["terms"] = [terms.get(text or "") for text in texts]
    return script_json(content)


def _pieces(texts: Texts) -> str:
    """Return the JSON of a cluster: of each text but the first where it differs from that one."""
    base = texts[0]
    found = [
        None if text is None or base is None else pieces(base[:CLIP], text[:CLIP])
        for text in texts[1:]
    ]
    return script_json({"pieces": [None, *found]})
