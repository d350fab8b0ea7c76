"""What is compared with references: the same as if all were read, whichever side comes first."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence, Set

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from simdup.corpus.batches import TextBatch
from simdup.model.documents import Document
from simdup.model.settings import Settings
from simdup.model.shared_passages import PassageCriteria
from simdup.near.compared import Compared, References, compared
from simdup.near.cutting import find_in_ranges
from simdup.near.inputs import open_input
from simdup.reuse.finding import Finder, Passages, Sides, surround
from simdup.reuse.overlaps import concat
from simdup.reuse.seeds import Place, Stretches, common_grams, index_known
from simdup.reuse.sought import SoughtSeeds
from simdup.reuse.symbols import SymbolTexts, cut
from simdup.reuse.winnowing import Seeds, Window, positions_of, winnow
from simdup.search.arrays import U64, Members, distinct
from simdup.text.characters import digest_bytes, fold_all

# Both places of a passage: a text, where it begins and where it ends.
Rows = set[frozenset[tuple[str, int, int]]]


def winnowed(texts: Sequence[str], criteria: PassageCriteria) -> tuple[SymbolTexts, Seeds, Place]:
    """Texts with a margin around them, and their seeds."""
    every = cut(texts)
    starts, symbols = surround(every)
    seeds = winnow(every, Window.of(criteria.min_run))
    owners = np.searchsorted(every.starts, seeds.positions, "right") - 1
    moved = seeds.positions + (starts[:-1] - every.starts[:-1])[owners]
    place = Place.of(symbols, criteria, np.zeros(len(texts), np.uint64))
    return SymbolTexts(starts, symbols), seeds._replace(positions=moved), place


def common_in(texts: Sequence[str], criteria: PassageCriteria) -> U64:
    (starts, _), seeds, place = winnowed(list(dict.fromkeys(texts)), criteria)
    return common_grams(seeds, starts, place)


class Stored:
    """Documents that are looked up as those of an index are."""

    def __init__(self, texts: Sequence[str], criteria: PassageCriteria) -> None:
        self._texts = [Document(f"r{number}", text) for number, text in enumerate(texts)]
        self.window = Window.of(criteria.min_run)
        self.documents, self.texts = len(texts), len(set(texts))
        self.common = common_in(texts, criteria)

    def matching(self, sought: SoughtSeeds, digests: Set[bytes]) -> Iterator[TextBatch]:
        for one in self._texts:
            symbols = cut([one.text])
            hashes = distinct(winnow(symbols, self.window).hashes)
            known = digest_bytes(symbols.symbols.data) in digests
            if known or sought.enough(hashes, np.array([len(hashes)]))[0]:
                yield TextBatch((one,))

    def every(self) -> Iterator[TextBatch]:
        yield TextBatch(tuple(self._texts))


def rows_of(found: Passages, texts: Sequence[str]) -> Rows:
    sides = zip(found.texts.tolist(), found.a.tolist(), found.b.tolist(), strict=True)
    return {frozenset([(texts[x], *a), (texts[y], *b)]) for (x, y), a, b in sides}


def rows_in(read: Compared) -> Rows:
    """The passages that are found, and whose they are."""
    found = concat(find_in_ranges(read.finder, Settings.of().run))
    original = read.cut.documents["original"]
    of = [read.cut.spool.text(original, int(own[0])) for own in map(
        read.holders, range(len(read.starts) - 1)
    )]  # fmt: skip
    return rows_of(found, of)


def rows_by_definition(
    sources: Sequence[str], references: Sequence[str], criteria: PassageCriteria
) -> tuple[Rows, list[int]]:
    """Passages of all pairs of texts, of which only those across are kept; units of SOURCEs."""
    every = list(dict.fromkeys([*references, *sources]))
    (starts, symbols), seeds, place = winnowed(every, criteria)
    common = Members(common_in(references, criteria))
    sides = Sides(
        np.array([text in sources for text in every]),
        np.array([text in references for text in every]),
        np.full(len(every), -1),
        np.zeros(len(every), np.uint64),
    )
    given = too_many(sources, criteria)
    kept = ~np.isin(seeds.hashes, given)
    seeds = seeds._replace(hashes=seeds.hashes[kept], positions=seeds.positions[kept])
    index = index_known(seeds, starts, place, common, sides.sources)
    covered = set[int]()
    for text in np.flatnonzero(sides.sources).tolist():
        whole = SymbolTexts(np.array([0, starts[text + 1] - starts[text]]),
                            symbols[starts[text] : starts[text + 1]])  # fmt: skip
        there = positions_of(Members(np.array(sorted(given), np.uint64)), whole, place.k)
        w = Window.of(criteria.min_run).w
        for at in (there + starts[text]).tolist():
            covered |= set(range(at - (w - 1), at + place.k + w - 1))
    flags = np.zeros(len(index.crowded.bits) * 64, np.bool_)
    flags[sorted(covered)] = True
    bits = np.packbits(flags, bitorder="little").view(np.uint64)
    index = index._replace(crowded=Stretches(bits, index.crowded.sums) | index.crowded)
    found = Finder.indexed(starts, symbols, index, criteria, sides).find(0, len(every))
    units = []
    for text in sources:
        (low, *_), own = surround(cut([text]))
        there = positions_of(common, SymbolTexts(starts, own), place.k)
        units.append(Stretches.of(there, place.k, len(own)).within(
            np.array([low]), np.array([len(text)])
        ).sum())  # fmt: skip
    return rows_of(found, every), units


def too_many(texts: Sequence[str], criteria: PassageCriteria) -> list[np.uint64]:
    """The seeds that too many of some texts have."""
    each = list(dict.fromkeys(texts))
    counts = Counter(seed for text in each for seed in set(winnowed([text], criteria)[1].hashes))
    most = criteria.most_documents(len(each))
    return [seed for seed, count in counts.items() if count > most]


@st.composite
def two_sides(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Texts of SOURCEs and of references, which share pieces that some or most of them have."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    # Those that folding leaves as they are.
    letters = fold_all(["".join(map(chr, range(0x4E00, 0x5200)))])[0]
    letters = letters[: draw(st.sampled_from([30, 1000]))]
    pieces = ["".join(chance.choices(letters, k=chance.randrange(8, 60))) for _ in range(5)]

    def text() -> str:
        parts = chance.choices(pieces, k=chance.randrange(4))
        return "".join(
            part + "".join(chance.choices(letters, k=chance.randrange(30))) for part in ["", *parts]
        )

    sources, references = ([text() or "空" for _ in range(draw(st.integers(1, most)))]
                           for most in (6, 9))  # fmt: skip
    return sources + draw(st.sampled_from([[], references[:1]])), references


@examples(30)
@given(
    two_sides(),
    st.sampled_from([4, 8, 15]),
    st.sampled_from([None, 2, 3]),
    st.sampled_from([1, 12, 40]),
)
def test_what_is_left_out_while_reading_shares_nothing(
    tmp_path_factory: pytest.TempPathFactory,
    texts: tuple[list[str], list[str]],
    run: int,
    common: int | None,
    least: int,
) -> None:
    folder = tmp_path_factory.mktemp("references")
    criteria = PassageCriteria(min_run=run, min_length=least, common=common)
    sources, kept = texts
    for number, text in enumerate(kept):
        (folder / f"{number}.txt").write_text(text, "utf-8")
    expected, units = rows_by_definition(sources, kept, criteria)
    given = list(enumerate(sources))
    opened = open_input(given, Settings.of(), [str(folder)])
    with compared(opened, criteria, references=References(True)) as read:
        assert rows_in(read) == expected
        assert read.units.tolist() == units
        assert read.documents == len(sources) + len(kept)
    opened = open_input(given, Settings.of())
    stored = References(True, [Stored(kept, criteria)])
    with compared(opened, criteria, references=stored) as read:
        assert rows_in(read) == expected
        assert read.units.tolist() == units
        assert read.documents == len(sources) + len(kept)


def test_a_text_that_a_tenth_have_copied_is_found_in_each_of_them() -> None:
    chance = random.Random(5)
    text = "".join(chr(0x4E00 + chance.randrange(3000)) for _ in range(100))
    own = "".join(chr(0x6000 + number) for number in range(360))
    copies = [
        (f"s{number}", f"{own[3 * number : 3 * number + 3] * 9}{text * (number < 12)}")
        for number in range(120)
    ]
    stored = References(True, [Stored([text], PassageCriteria())])
    opened = open_input(copies, Settings.of())
    with compared(opened, PassageCriteria(), references=stored) as read:
        assert len(rows_in(read)) == 12
    copies[12] = ("s12", f"甲{text}")
    with compared(open_input(copies, Settings.of()), PassageCriteria(), references=stored) as read:
        assert not rows_in(read)
    with compared(open_input(copies, Settings.of()), PassageCriteria()) as read:
        assert not rows_in(read)
