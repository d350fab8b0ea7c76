"""The index searched by bands of its sketches, compared with a look at every pair."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import Command, examples

from lab.corpora.made import edited, prose, write
from simdup import Index, SimdupError, scan
from simdup.index import match, segments
from simdup.index.match import IndexRows, QueryOptions, best, choose_new, judge
from simdup.index.segments import line_documents, sketched
from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.settings import RunOptions
from simdup.model.table import Documents, Side
from simdup.search.plans import HammingBall
from simdup.search.queries import SearchSetup
from simdup.text import sketch_bands
from simdup.text.families import SKETCH_BYTES, bbit_estimate
from simdup.text.sketch_bands import BandSearcher, SketchSource, overlap, sketch_banding

ALONE = RunOptions(jobs=1)
METHODS = ["auto", "simhash", "minhash"]
SIMILARITIES = st.sampled_from([0.3, 0.5, 0.8, 0.95])


def documents(count: int, seed: int, folder: str = "d") -> Documents:
    """Made documents: families of sketches with some bytes changed, some without a text."""
    chance = np.random.default_rng(seed)
    bases = np.random.default_rng(7).integers(0, 256, (3, SKETCH_BYTES), dtype=np.uint8)
    sketches = bases[chance.integers(0, 3, count)]
    changed = chance.random((count, SKETCH_BYTES)) < chance.random((count, 1)) * 0.6
    sketches[changed] = chance.integers(0, 256, int(changed.sum()), dtype=np.uint8)
    values = chance.integers(0, 32, (count, 1), dtype=np.uint64)
    terms = np.where(chance.random(count) < 0.2, 0, chance.integers(1, 30, count))
    made = line_documents([f"{folder}/{i}" for i in range(count)], values)
    texts = terms > 0
    sketches[~texts] = 0
    return made.and_columns(
        length=np.where(texts, 500, 0), terms=terms.astype(np.uint8), sketch=sketches
    )


def in_a_band(a: Documents, i: int, b: Documents, j: int, similarity: float) -> bool:
    if not (a["terms"][i] and b["terms"][j]):
        return False
    banding = sketch_banding(similarity)
    one, other = a["sketch"][i].tolist(), b["sketch"][j].tolist()
    cuts = range(0, banding.size, banding.rows)
    return any(one[cut : cut + banding.rows] == other[cut : cut + banding.rows] for cut in cuts)


def apart(a: Documents, i: int, b: Documents, j: int) -> int:
    return (int(a["fingerprint"][i, 0]) ^ int(b["fingerprint"][j, 0])).bit_count()


def proposed(a: Documents, b: Documents, criteria: Criteria) -> dict[tuple[int, int], list[str]]:
    """Each candidate, with the searches that propose it."""
    found = {}
    for i in range(len(a)):
        for j in range(len(b)):
            near = apart(a, i, b, j) <= criteria.distance
            by = ["simhash"] if near else []
            likely = not criteria.verify or similar_enough(a, i, b, j, criteria.similarity)
            agree = in_a_band(a, i, b, j, criteria.similarity) and likely
            by += ["minhash"] if agree else []
            if by := [one for one in by if one in criteria.searches]:
                found[i, j] = by
    return found


def similar_enough(a: Documents, i: int, b: Documents, j: int, similarity: float) -> bool:
    return float(bbit_estimate(a["sketch"][[i]], b["sketch"][[j]])[0]) >= similarity


class Held:
    """Documents as an index has them."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def column(self, name: str) -> Any:
        return self._documents[name]

    def sketches(self) -> Any:
        return iter([sketched(self._documents)])

    def look_up(self, rows: Any) -> Documents:
        return self._documents.take(rows)


def rows_of(documents: Documents, criteria: Criteria) -> IndexRows:
    setup = SearchSetup(HammingBall(64, criteria.distance))
    return IndexRows(Held(documents), setup, criteria)  # type: ignore[arg-type]


@examples(40)
@given(
    st.integers(0, 20), st.integers(0, 20), st.integers(0, 10**6), SIMILARITIES,
    st.sampled_from(METHODS), st.sampled_from([1, 7, 1000]),
)  # fmt: skip
def test_candidates_are_those_of_fingerprints_and_bands(
    asked: int, held: int, seed: int, similarity: float, method: str, most: int
) -> None:
    a, b = documents(asked, seed), documents(held, seed + 1)
    criteria = Criteria(1, similarity, method=method)
    every = proposed(a, b, criteria)
    index = rows_of(b, criteria)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match, "MOST", most)
        pairs = index.find(a)
    assert (pairs is None) == (len(a) > 1 and len(every) > most) or method == "auto"
    if pairs is not None:
        i, j = pairs
        assert list(zip(i.tolist(), j.tolist(), strict=True)) == sorted(every)
    i, j = (one.ravel() for one in np.mgrid[: len(a), : len(b)])
    close = np.flatnonzero(index.propose(Side(a, i), Side(b, j)))
    assert list(zip(i[close].tolist(), j[close].tolist(), strict=True)) == sorted(every)


@examples(30)
@given(st.integers(0, 25), st.integers(0, 10**6), SIMILARITIES, st.sampled_from(METHODS))
def test_a_document_is_new_unless_it_matches_a_new_one_before_it(
    count: int, seed: int, similarity: float, method: str
) -> None:
    made = documents(count, seed).and_columns(number=np.arange(count))
    criteria = Criteria(1, similarity, method=method)
    every = proposed(made, made, criteria)
    options, rows = QueryOptions(criteria), np.arange(count)

    def match(i: int, j: int) -> bool:
        return len(judge(*(Side(made, np.array([row])) for row in (i, j)), options)) > 0

    known = np.flatnonzero(np.random.default_rng(seed).random(count) < 0.2)
    for without in ([], known.tolist()):
        new: list[int] = []
        for i in range(count):
            if i not in without and not any((i, j) in every and match(i, j) for j in new):
                new.append(i)
        unmatched = np.setdiff1d(rows, without)
        found, matches = choose_new(made, unmatched, rows_of(made, criteria), options)
        assert found.tolist() == new
        assert sorted(zip(matches["a"].tolist(), matches["b"].tolist(), strict=True)) == [
            (i, j) for i in range(count) for j in new if j < i and (i, j) in every and match(i, j)
        ]


@examples(20)
@given(st.integers(1, 60), st.integers(0, 10**6), SIMILARITIES, st.sampled_from([1, 2]))
@example(1, 4253, 0.3, 1)
def test_tables_and_reading_find_the_same(
    held: int, seed: int, similarity: float, threads: int
) -> None:
    """In parts that arrive one after another, as documents are added."""
    b, asked = documents(held, seed), sketched(documents(4, seed + 1))[1]
    banding = sketch_banding(similarity)
    stored = [b.take(np.arange(held // 2))]

    def whole() -> Documents:
        return b.take(np.arange(sum(map(len, stored))))

    source = SketchSource(lambda: iter([sketched(whole())]), lambda rows: whole()["sketch"][rows])
    searcher = BandSearcher(source, banding, threads)

    def found() -> list[tuple[int, int]]:
        parts = searcher.join(
            asked,
            lambda bands, chunk: [
                (i, int(chunk[0][j]))
                for some, others in bands.join(chunk[1])
                for i, j in zip(some.tolist(), others.tolist(), strict=True)
            ],
        )
        return sorted(pair for part in parts for pair in part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sketch_bands, "_FEW_ROWS", 1e9)
        for first in range(held // 2, held, 7):
            for _ in range(sketch_bands._WORTH_TABLES + 2):
                expected = [
                    (i, int(row))
                    for i in range(len(asked))
                    for row, sketch in zip(*sketched(whole()), strict=True)
                    if shared(asked[i].tolist(), sketch.tolist(), banding)
                ]
                assert found() == sorted(expected)
            more = b.take(np.arange(first, min(first + 7, held)))
            stored.append(more)
            rows, sketches = sketched(more)
            searcher.append(first + rows, sketches)
    # Without stored rows, tables suit one sketch at most.
    assert has_tables(searcher) == (b["terms"][:first].any() or len(asked) <= 1)


def has_tables(searcher: BandSearcher) -> bool:
    return searcher._tables is not None


def shared(one: list[int], other: list[int], banding: tuple[int, int]) -> bool:
    rows, bands = banding
    cuts = range(0, rows * bands, rows)
    return any(one[cut : cut + rows] == other[cut : cut + rows] for cut in cuts)


def test_tables_are_sorted_only_where_they_help(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for bands that propose many rows by chance, and not for many questions at a time."""
    b = documents(400, 1)
    source = SketchSource(lambda: iter([sketched(b)]), lambda rows: b["sketch"][rows])
    for similarity, asked, few in ((0.8, 2, True), (0.2, 2, False), (0.8, 40, False)):
        monkeypatch.setattr(sketch_bands, "_FEW_ROWS", 0.05)
        searcher = BandSearcher(source, sketch_banding(similarity), 1)
        for _ in range(sketch_bands._WORTH_TABLES + 2):
            assert not has_tables(searcher)
            list(searcher.join(sketched(b)[1][:asked], lambda *_: None))
        assert has_tables(searcher) == few


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_work_that_overlaps_keeps_its_order(threads: int) -> None:
    assert list(overlap(str, range(20), threads)) == [str(i) for i in range(20)]
    assert next(overlap(str, iter(range(20)), threads)) == "0"


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 3), st.sampled_from([None, 0.0, 0.5, 1.0])),
        max_size=30,
    ),
    st.none() | st.integers(1, 4),
    st.sampled_from([0, 1 << 40]),
)
def test_the_best_matches_come_first_and_ties_in_order(drawn, limit, first) -> None:
    # The possible estimates of sketches: shares of 128 bytes, corrected for chance.
    drawn = [(q, d, None if s is None else round(s * 127.5) / 127.5) for q, d, s in drawn]
    shares = np.array([np.nan if s is None else s for _, _, s in drawn], float)
    queries = np.array([q for q, _, _ in drawn], np.int64)
    distances = np.array([d for _, d, _ in drawn], np.int64)
    columns = {"a": queries + first, "b": np.arange(len(drawn)), "distance": distances}
    found = best(MeasuredPairs(columns | {"similarity": shares}), limit)
    expected = []
    for query in range(5):
        own = [i for i, one in enumerate(drawn) if one[0] == query]
        own.sort(key=lambda i: (-(drawn[i][2] or 0.0), drawn[i][1]))
        expected += own[:limit]
    assert found["b"].tolist() == expected


# From texts.


def family(folder: str, seed: int, members: int = 30) -> list[tuple[str, str]]:
    """Texts with so many edits that their fingerprints differ, but not most of their shingles."""
    texts = [edited(prose(n % 6, 300), seed + n, 4 + n % 9) for n in range(members)]
    return [(f"{folder}/{n}", text) for n, text in enumerate(texts)]


def matches(answers: Iterable[Any]) -> list[Any]:
    return [(one.document, one.matches, one.added) for one in answers]


def test_more_is_found_than_by_fingerprints(tmp_path: Path) -> None:
    asked, count = family("new", 100), dict[str, int]()
    for method in METHODS:
        path = str(tmp_path / method)
        with Index.build(path, family("old", 1), method=method, run=ALONE) as index:
            count[method] = sum(len(one.matches) for one in index.query(asked, 3, run=ALONE))
    with Index.open(str(tmp_path / "auto")) as index:
        assert count["simhash"] < count["minhash"] <= count["auto"]
        assert count["auto"] > 100
        # Without similarity, fingerprints alone decide.
        for less in ({"similarity": 0.0}, {"verify": False}):
            for one in index.query(asked, 3, **less):
                assert all(match.distance <= 3 for match in one.matches)


@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("limit", [None, 1, 3])
def test_pieces_processes_and_tables_make_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, add: bool, limit: int | None
) -> None:
    def answers(name: str, jobs: int) -> list[Any]:
        with Index.build(str(tmp_path / name), family("old", 1), run=ALONE) as index:
            run = RunOptions(jobs=jobs)
            found = matches(index.query(family("new", 9), 3, add=add, limit=limit, run=run))
            return [*found, *index.export()]

    expected = answers("whole", 1)
    assert answers("two", 2) == expected
    for hits, worth, size, rows in ((1, 1, 1, 1), (7, 0, 5, 3), (9, -1, 1000, 5)):
        monkeypatch.setattr(match, "MOST", hits)
        monkeypatch.setattr(match, "ADDING_CHUNKS", (size,))
        for name in ("_QUERIES", "_ROWS", "_RESULTS", "_CHUNK"):
            monkeypatch.setattr(match, name, rows)
        monkeypatch.setattr(sketch_bands, "_WORTH_TABLES", worth)
        monkeypatch.setattr(sketch_bands, "_FEW_ROWS", 1e9)
        monkeypatch.setattr(segments, "FULL", 1000)
        assert answers(f"{hits}", 1) == expected


def test_one_by_one_is_the_same_as_together_after_changes(tmp_path: Path) -> None:
    with Index.build(str(tmp_path / "x.index"), family("old", 1), run=ALONE) as index:
        index.add(family("more", 50), run=ALONE)
        index.remove([f"old/{n}" for n in range(0, 30, 2)])
        index.add([("line", 7)], fingerprints=True)
        index.add(family("last", 70), run=ALONE)
        asked = family("new", 9)
        together = matches(index.query(asked, run=ALONE))
        assert [one for text in asked for one in matches(index.query([text]))] == together
        assert len({name for _, found, _ in together for name, *_ in found}) > 40
        assert index.check() == []


def test_fingerprint_lines_have_no_bands(tmp_path: Path) -> None:
    texts = [("a", prose(1)), ("b", prose(2))]
    with Index.build(str(tmp_path / "texts.index"), texts) as index:
        lines = [(name, value) for name, value in index.export()]
        assert all(one.matches for one in index.query(lines, fingerprints=True))
    path = str(tmp_path / "minhash.index")
    with Index.build(path, lines, method="minhash", fingerprints=True) as index:
        assert all(one.new for one in index.query(texts))
        with pytest.raises(SimdupError, match="fingerprint lines have no texts"):
            index.query(lines, fingerprints=True)
    with Index.build(str(tmp_path / "lines.index"), lines, fingerprints=True) as index:
        assert not any(one.new for one in index.query(texts))


def test_an_index_has_the_keys_of_one_method(tmp_path: Path) -> None:
    texts = [("a", prose(1)), ("b", prose(2))]
    with pytest.raises(SimdupError, match="one of auto, simhash, minhash"):
        Index.build(str(tmp_path / "pstable"), texts, method="pstable")
    assert not (tmp_path / "pstable").exists()
    for method in METHODS:
        path = str(tmp_path / method)
        with Index.build(path, texts, method=method) as index:
            assert all(one.matches for one in index.query(texts, method=method))
        for other in (one for one in METHODS if one != method):
            said = f"which was built for method {method}"
            with Index.open(path) as index, pytest.raises(SimdupError, match=said):
                index.query(texts, method=other)
            with pytest.raises(SimdupError, match=said):
                scan(texts, references=path, method=other)


def test_a_damaged_sketch_is_never_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    with Index.build(str(path), family("old", 1), run=ALONE) as index:
        sketch = next(iter(index._opened.segments)).column("sketch")[3].tobytes()
    content = bytearray(path.read_bytes())
    content[content.index(sketch[:40])] ^= 1
    path.write_bytes(content)
    with Index.open(str(path)) as index, pytest.raises(SimdupError, match="damaged"):
        list(index.query([("x", prose(900))]))


# A document and its own earlier version.


def test_a_changed_document_does_not_match_its_earlier_version(tmp_path: Path) -> None:
    old, new = prose(1, 300), edited(prose(1, 300), 1, 3)
    with Index.build(str(tmp_path / "x.index"), [("page", old), ("copy", old)]) as index:
        changed, same, other = index.query([("page", new), ("copy", old), ("else", new)])
        assert [match.document for match in changed.matches] == ["copy"]
        assert [match.document for match in same.matches] == ["page", "copy"]
        assert len(other.matches) == 2
        (alone,) = index.query([("copy", old)], exclude_self=True)
        assert [match.document for match in alone.matches] == ["page"]
        index.remove("copy")
        (added,) = index.query([("page", new)], add=True)
        assert added.added
        assert len(index) == 1
        # It is the stored one now.
        assert next(iter(index.query([("page", new)]))).matches
        assert next(iter(index.query([("page", old)]))).new


def test_versions_in_one_delivery_are_as_in_several(tmp_path: Path) -> None:
    # The second page is near the first, the other is near the second page only.
    lines = [("page", 1), ("page", 3), ("other", 0b111011), ("page", 3)]

    def answers(name: str, batches: list[list[tuple[str, int]]]) -> list[Any]:
        with Index.build(str(tmp_path / name), fingerprints=True) as index:
            found = [
                one
                for lines in batches
                for one in matches(index.query(lines, add=True, fingerprints=True))
            ]
            return [*found, *index.export()]

    together = answers("all", [lines])
    assert answers("each", [[one] for one in lines]) == together
    assert [added for _, _, added in together[:4]] == [True, True, False, False]


def test_a_reference_is_not_the_earlier_version(simdup: Command, tmp_path: Path) -> None:
    old = {f"{n}.txt": prose(n, 300) for n in range(4)}
    write(tmp_path, {f"site/{name}": text for name, text in old.items()})
    simdup("index", "build", "seen.index", "site")
    write(tmp_path, {"site/1.txt": edited(old["1.txt"], 1, 3)})
    found = simdup("scan", "site", "--reference", "seen.index", "--list", "redundant").lines
    assert found == ["site/0.txt", "site/2.txt", "site/3.txt"]


# From the command line.


def test_check_tells_by_the_status(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"old/a.txt": prose(1), "new/a.txt": prose(1), "new/b.txt": prose(2)})
    simdup("index", "build", "seen.index", "old")
    assert simdup("query", "seen.index", "new").status == 0
    assert simdup("query", "seen.index", "new", "--check").status == 1
    assert simdup("query", "seen.index", "new/b.txt", "--check").status == 0
    assert simdup("query", "seen.index", "new", "--check", "--new").lines == ["new/b.txt"]
    assert simdup("query", "seen.index", "new", "none", "--check").status == 2
    assert simdup("query", "seen.index", "old", "--check").status == 1
    assert simdup("query", "seen.index", "old", "--check", "--exclude-self").status == 0


def test_an_index_finds_what_a_scan_finds(tmp_path: Path) -> None:
    """Of all pairs at 0.87 or more, as they are measured on the texts."""
    old, new = family("old", 1, 60), family("new", 300, 60)
    found = scan([*old, *new], similarity=0.87, all_pairs=True, run=ALONE)
    pairs = {(one.b, one.a) for one in found.pairs if one.a[0] == "o" and one.b[0] == "n"}
    with Index.build(str(tmp_path / "x.index"), old, run=ALONE) as index:
        answers = list(index.query(new, run=ALONE))
    matched = {(one.document, match.document) for one in answers for match in one.matches}
    assert len(pairs) > 60
    assert len(pairs & matched) >= 0.98 * len(pairs)
