"""The texts of clusters in blocks that the page inflates one by one.

A cluster's texts are side by side, so that deflate's window sees what they have in common;
beyond `LONG` characters, which the window does not hold, a text is stored as its delta against the
first one.

Whose text travels: the clusters a person has most reason to look at, first.

*Texts* are those that were scanned, as they were decoded; on the page every line ends with LF.

*Delta*: of long texts that are nearly equal one is whole, the others are what they copy from it.
Tridgell and Mackerras, "The rsync algorithm" (1996), without the rolling checksum: Python compares
slices faster than it rolls.  The base is cut into blocks; wherever the text has one of these blocks
the match is extended in both directions.  Time grows with the texts, not with their product.

*Pieces*: where two texts differ, with what surrounds it, for clusters whose whole texts do not fit.
Both texts are cut alike: long equal stretches lose their middle on both sides, so the page compares
what is left as it compares whole texts.

*Terms* say why documents are alike: the heaviest ones, as a fingerprint is made of them.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.decoding import unify_line_ends
from simdup.near.findings import Origins
from simdup.show.report.columns import MEMBERS, RowGroup
from simdup.show.report.pair_facts import PairFacts
from simdup.text.characters import to_codes
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.weights import UNIT

# Characters at which a text is clipped: nobody reads more on a page.
CLIP = 400_000

# Texts shrink about fourfold as whole texts and far more as pieces: from so many times the budget
# on, nothing more would fit.
_SHRINK = 8


def reachable(groups: Sequence[RowGroup], origins: Origins, budget: float) -> list[int]:
    """Return the positions of the groups whose texts may fit, in their order."""
    left = _SHRINK * budget
    sizes = np.minimum(origins.documents["size"], 4 * CLIP).tolist()
    found = []
    for i in edge_first(groups):
        size = sum(map(sizes.__getitem__, groups[i].carried))
        if size > left:
            # A smaller one may still fit, but not many.
            left -= min(size, left) // 16
            continue
        left -= size
        found.append(i)
    return found


def edge_first(groups: Sequence[RowGroup]) -> list[int]:
    """Return the positions of groups, those first whose pairs are most in doubt.

    Groups with several kept documents come first, then those with the least similar redundant
    document, then those whose fingerprints differ most, then large ones.  The list of the page has
    the same order.
    """

    def need(i: int) -> tuple[object, ...]:
        documents = groups[i].documents
        several = sum(row.role == "kept" for row in documents) > 1
        measured = (row.similarity for row in documents if row.similarity is not None)
        distance = max(row.distance or 0 for row in documents)
        return (not several, min(measured, default=2.0), -distance, -len(documents), i)

    return sorted(range(len(groups)), key=need)


BLOCK = 32

# A stretch of the base as [start, length], or characters that it does not have.
Delta: TypeAlias = "list[list[int] | str]"


def as_units(text: str) -> str:
    """Return a text with a character for each UTF-16 unit: a page counts in these."""
    content = text.encode("utf-16-le", "surrogatepass")
    if len(content) == 2 * len(text):
        return text
    return "".join(map(chr, memoryview(content).cast("H")))


def delta(base: str, text: str) -> Delta:
    """Return what rebuilds `text` from `base`; both hold UTF-16 units."""
    blocks: dict[str, int] = {}
    for start in range(0, len(base) - BLOCK + 1, BLOCK):
        blocks.setdefault(base[start : start + BLOCK], start)
    parts: Delta = []
    done = position = 0
    while position <= len(text) - BLOCK:
        found = blocks.get(text[position : position + BLOCK])
        if found is None:
            position += 1
            continue
        start = found
        length = _common(base, start, text, position)
        # Further back is a block that would have been found.
        near = max(start - 2 * BLOCK, 0), max(position - 2 * BLOCK, done)
        back = _common_before(base[near[0] : start], text[near[1] : position])
        if position - back > done:
            parts.append(text[done : position - back])
        parts.append([start - back, length + back])
        done = position = position + length
    if done < len(text):
        parts.append(text[done:])
    return parts


def _common_before(base: str, text: str) -> int:
    """Return how many characters at the ends of two texts are equal."""
    length, longest = 0, min(len(base), len(text))
    while length < longest and base[-length - 1] == text[-length - 1]:
        length += 1
    return length


def _common(base: str, start: int, text: str, position: int) -> int:
    """Return how many characters from these positions on are equal; by doubling steps."""
    length, step = BLOCK, BLOCK
    longest = min(len(base) - start, len(text) - position)
    while length < longest:
        step = min(step, longest - length)
        here, there = start + length, position + length
        if base[here : here + step] == text[there : there + step]:
            length += step
            step *= 2
        elif step == 1:
            break
        else:
            step //= 2
    return length


# Equal characters that are kept before and after a change, and what is shown for those between.
CONTEXT = 40
GAP = "\n⋯\n"

# Characters of one change, and of all that is kept of a text.
CHANGE = 200
MOST = 1_000


def pieces(base: str, text: str) -> tuple[str, str]:
    """Return what is left of two texts where they differ; both empty if it shows no difference."""
    a, b = _left(as_units(base), as_units(text)) if base != text else ("", "")
    return (a, b) if a != b else ("", "")


def _left(base: str, text: str) -> tuple[str, str]:
    a, b = "", ""
    last = 0  # how much of the base is dealt with
    for part in delta(base, text):
        if isinstance(part, str):
            b += part[:CHANGE]
            continue
        start, length = part
        equal = base[start : start + length]
        if start < last:  # it was earlier in the base
            b += equal[:CHANGE]
            continue
        a += base[last:start][:CHANGE]
        equal = _shortened(equal, after=bool(a or b))
        a, b, last = a + equal, b + equal, start + length
        if max(len(a), len(b)) > MOST:
            return a, b
    return a + base[last:][:CHANGE], b


def _shortened(equal: str, after: bool) -> str:
    """Return an equal stretch without its middle, or without its beginning before any change."""
    if not after:
        return equal[-CONTEXT:]
    if len(equal) <= 2 * CONTEXT + len(GAP):
        return equal
    return equal[:CONTEXT] + GAP + equal[-CONTEXT:]


# Terms of a document that a page lists.
MOST_TERMS = 20


def heaviest_terms(texts: Sequence[str], fingerprinter: Fingerprinter) -> list[list[list[object]]]:
    """Return [term, weight] of each text, by falling weight; weights have one decimal."""
    analyzer = fingerprinter.analyzer
    counts = analyzer.count(analyzer.prepare_all(texts))
    found: list[list[list[object]]] = []
    for top in fingerprinter.weigh(counts).top_terms():
        for columns, weights in zip(top.columns.tolist(), top.weights.tolist(), strict=True):
            found.append(
                [
                    [counts.terms[column], round(weight * UNIT, 1)]
                    for column, weight in list(zip(columns, weights, strict=True))[:MOST_TERMS]
                    if weight
                ]
            )
    return found


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


def deflate(content: bytes) -> bytes:
    """Return raw deflate of the content in base64, as blocks of a page hold it."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return b64encode(packer.compress(content) + packer.flush())


def script_json(value: Any) -> str:
    """Return JSON that is safe in a script element: nothing in it ends the element.

    Lone surrogates, which names may hold, are escaped.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return escape_surrogates(text)


def escape_surrogates(text: str) -> str:
    """Return JSON with its lone surrogates, which UTF-8 does not have, as escapes."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass
class Chunks:
    """The blocks of a page, on disk once they are many, and which cluster is where."""

    budget: float  # most bytes of all blocks
    place: dict[int, tuple[int, int]] = field(default_factory=dict)  # by cluster: block, slot
    # By cluster whose facts were compared: in how many each pair differs that does, by its place.
    differ: dict[int, dict[int, int]] = field(default_factory=dict)
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


def shown_text(origins: Origins, number: int) -> str | None:
    """Return the beginning of a text: one character more than `CLIP` tells that it goes on."""
    text = origins.text(number)
    return None if text is None else unify_line_ends(text)[: CLIP + 1]


def add_originals(chunks: Chunks, groups: Sequence[RowGroup], origins: Origins) -> None:
    """Add the texts of groups in blocks, as many as the budget allows."""
    order = reachable(groups, origins, chunks.budget)
    terms_left = _TERMS
    whole = True
    facts = PairFacts(groups)
    for some in _blocks(groups, order, origins):
        compared = facts.compare(some)
        for i, found in compared.items():
            chunks.differ[i] = {place: len(of_pair) for place, of_pair in found.items() if of_pair}
        differ = {i: facts.values(i, found, some[i]) for i, found in compared.items()}
        known = _terms(some.values(), origins) if whole and terms_left > 0 else {}
        terms_left -= sum(len(text or "") for texts in some.values() for text in texts)
        if whole:
            pending = [(i, _content(texts, known, differ.get(i))) for i, texts in some.items()]
            whole = chunks.add(pending, some, _WHOLE)
        # What does not fit as a whole goes on as pieces, and all after it.
        if not whole:
            left = {i: texts for i, texts in some.items() if i not in chunks.place}
            pending = [(i, _pieces(groups[i], left[i], differ.get(i))) for i in left]
            if not chunks.add(pending, left):
                return


def _blocks(
    groups: Sequence[RowGroup], order: Sequence[int], origins: Origins
) -> Iterator[dict[int, Texts]]:
    """Yield the texts of clusters, so many at a time as a block holds."""
    some: dict[int, Texts] = {}
    size = 0
    for i in order:
        # A document of an index has none.
        texts = [shown_text(origins, row.number) for row in groups[i].documents[:MEMBERS]]
        if any(texts):
            some[i] = texts
            size += sum(len(text or "") for text in texts)
        if size >= CHUNK:
            yield some
            some, size = {}, 0
    if some:
        yield some


def _terms(every: Iterable[Texts], origins: Origins) -> dict[str, Any]:
    """Return the terms of texts that are not clipped, by text."""
    fingerprinter = origins.fingerprinter
    known = dict.fromkeys(t for texts in every for t in texts if t and len(t) <= CLIP)
    if fingerprinter is None:
        return {}
    return dict(zip(known, heaviest_terms(list(known), fingerprinter), strict=True))


def _content(texts: Texts, terms: dict[str, Any], facts: list[Any] | None) -> str:
    """Return the JSON of a cluster: its texts, which of them are clipped, terms, and facts."""
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
    if facts:
        content["facts"] = facts
    return script_json(content)


def _pieces(group: RowGroup, texts: Texts, facts: list[Any] | None) -> str:
    """Return the JSON of a cluster: where each text differs from that of who took its document."""
    found: list[Any] = [None] * len(texts)
    for i, (text, taker) in enumerate(zip(texts, group.takers, strict=False)):
        base = texts[taker]
        if taker != i and base is not None and text is not None:
            found[i] = pieces(base[:CLIP], text[:CLIP])
    content: dict[str, Any] = {"pieces": found}
    return script_json(content | {"facts": facts} if facts else content)
