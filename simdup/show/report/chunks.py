"""The texts of clusters in blocks that the page inflates one by one.

A cluster's texts are side by side, so that deflate's window sees what they have in common;
beyond `LONG` characters, which the window does not hold, a text is stored as its delta against the
first one.

Whose text travels: the clusters a person has most reason to look at, first.

*Texts* are those that were read, as they were decoded; on the page every line ends with LF.

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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Postfix

from simdup.corpus.decoding import unify_line_ends
from simdup.model.clusters import Cluster
from simdup.model.readings import FactDifference
from simdup.near.findings import Origins
from simdup.show.report.columns import MEMBERS, takers
from simdup.show.report.pair_facts import PairFacts, marked
from simdup.text.characters import to_codes
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.weights import UNIT

# Characters at which a text is clipped: nobody reads more on a page.
CLIP = 400_000


def edge_first(clusters: Sequence[Cluster]) -> list[int]:
    """Return the positions of clusters, those first that are most in doubt.

    Clusters with several kept documents come first, then those with the least similar redundant
    document, then those whose fingerprints differ most, then large ones.  The list of the page has
    the same order.
    """

    def need(i: int) -> tuple[object, ...]:
        members = clusters[i].members
        several = sum(member.role == "kept" for member in members) > 1
        weakest = clusters[i].weakest
        distance = max(member.distance or 0 for member in members)
        return (not several, 2.0 if weakest is None else weakest, -distance, -len(members), i)

    return sorted(range(len(clusters)), key=need)


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
        start = blocks.get(text[position : position + BLOCK], -1)
        if start < 0:
            position += 1
            continue
        length = _common(base, start, text, position)
        # Further back is a block that would have been found.
        before = (
            base[max(start - 2 * BLOCK, 0) : start],
            text[max(position - 2 * BLOCK, done) : position],
        )
        back = Postfix.similarity(*before)
        if position - back > done:
            parts.append(text[done : position - back])
        parts.append([start - back, length + back])
        done = position = position + length
    if done < len(text):
        parts.append(text[done:])
    return parts


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
    a, b = _shortened(as_units(base), as_units(text)) if base != text else ("", "")
    return (a, b) if a != b else ("", "")


def _shortened(base: str, text: str) -> tuple[str, str]:
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
        equal = _without_middle(equal, after=bool(a or b))
        a, b, last = a + equal, b + equal, start + length
        if max(len(a), len(b)) > MOST:
            return a, b
    return a + base[last:][:CHANGE], b


def _without_middle(equal: str, after: bool) -> str:
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
    return [
        [
            [counts.terms[column], round(weight * UNIT, 1)]
            for column, weight in list(zip(columns, weights, strict=True))[:MOST_TERMS]
            if weight
        ]
        for top in fingerprinter.weigh(counts).top_terms()
        for columns, weights in zip(top.columns.tolist(), top.weights.tolist(), strict=True)
    ]


# The texts of a cluster; None for those that nobody has.
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


def deflate(content: bytes) -> bytes:
    """Return raw deflate of the content in base64, as blocks of a page hold it."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return b64encode(packer.compress(content) + packer.flush())


def script_json(value: Any) -> str:
    """Return JSON that is safe in a script element: nothing in it ends the element.

    Lone surrogates, which names may hold and UTF-8 does not have, are escaped.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


@dataclass
class Chunks:
    """The blocks of a page, on disk once they are many, and which cluster is where."""

    budget: float  # most bytes of all blocks
    place: dict[int, tuple[int, int]] = field(default_factory=dict)  # by cluster: block, slot
    # By cluster whose facts were compared, and by the place of a pair: in what its texts differ.
    facts: dict[int, dict[int, list[FactDifference]]] = field(default_factory=dict)
    # Whether a character occurs in the texts, by its code point.
    characters: NDArray[np.bool_] = field(
        default_factory=lambda: np.zeros(sys.maxunicode + 1, np.bool_)
    )
    size: int = 0
    _file: IO[bytes] = field(
        default_factory=lambda: tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
    )
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
            self.place[i] = len(self._ends), slot
        seen = "".join(text for i, _ in pending for text in texts[i] if text)
        self.characters[to_codes(seen)] = True
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


def add_texts(
    chunks: Chunks,
    clusters: Sequence[Cluster],
    origins: Origins,
    differing: Collection[int] | None = None,
) -> None:
    """Add the texts of clusters in blocks, as many as the budget allows, and compare their facts.

    `differing` is as in `PairFacts`.
    """
    terms_left = _TERMS
    whole = True
    pair_facts = PairFacts(clusters, differing)
    for texts_of in _blocks(clusters, origins):
        facts = pair_facts.compare(texts_of)
        named = {i: marked(clusters[i], facts[i], texts_of[i]) for i in facts}
        terms = _terms(texts_of.values(), origins) if whole and terms_left > 0 else {}
        terms_left -= sum(len(text or "") for texts in texts_of.values() for text in texts)
        fits = False
        if whole:
            pending = [(i, _content(texts, terms, named.get(i))) for i, texts in texts_of.items()]
            whole = fits = chunks.add(pending, texts_of, _WHOLE)
        # What does not fit as a whole goes on as pieces, and all after it.
        if not whole:
            rest = {i: texts for i, texts in texts_of.items() if i not in chunks.place}
            pending = [(i, _pieces(clusters[i], rest[i], named.get(i))) for i in rest]
            fits = chunks.add(pending, rest)
        chunks.facts |= {i: facts[i] for i in facts if i in chunks.place}
        if not fits:
            return


def _blocks(clusters: Sequence[Cluster], origins: Origins) -> Iterator[dict[int, Texts]]:
    """Yield the texts of clusters, so many at a time as a block holds."""
    texts_of: dict[int, Texts] = {}
    size = 0
    for i in edge_first(clusters):
        texts = [shown_text(origins, member.number) for member in clusters[i].members[:MEMBERS]]
        if any(texts):
            texts_of[i] = texts
            size += sum(len(text or "") for text in texts)
        if size >= CHUNK:
            yield texts_of
            texts_of, size = {}, 0
    if texts_of:
        yield texts_of


def shown_text(origins: Origins, row: int) -> str | None:
    """Return the beginning of a text: one character more than `CLIP` tells that it goes on."""
    text = origins.text(row)
    return None if text is None else unify_line_ends(text)[: CLIP + 1]


def _terms(texts_of: Iterable[Texts], origins: Origins) -> dict[str, Any]:
    """Return the terms of texts that are not clipped, by text."""
    if origins.fingerprinter is None:
        return {}
    texts = dict.fromkeys(t for texts in texts_of for t in texts if t and len(t) <= CLIP)
    return dict(zip(texts, heaviest_terms(list(texts), origins.fingerprinter), strict=True))


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
    content = {
        "texts": stored,
        "clipped": [i for i, text in enumerate(texts) if text is not None and len(text) > CLIP],
        "terms": [terms.get(text or "") for text in texts] if terms else [],
        "facts": facts,
    }
    return script_json({name: value for name, value in content.items() if value})


def _pieces(cluster: Cluster, texts: Texts, facts: list[Any] | None) -> str:
    """Return the JSON of a cluster: where each text differs from that of who took its document."""
    cut: list[Any] = [None] * len(texts)
    for i, (text, taker) in enumerate(zip(texts, takers(cluster.members), strict=False)):
        base = texts[taker]
        if taker != i and base is not None and text is not None:
            cut[i] = pieces(base[:CLIP], text[:CLIP])
    return script_json({"pieces": cut} | ({"facts": facts} if facts else {}))
