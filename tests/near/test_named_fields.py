"""Records compared field by field: what a scan finds is what all pairs give, one by one."""

import random
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.oracles.named_fields import Record, SlowFields
from simdup import SimdupError, scan
from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.near.collection import ingest, rule_columns
from simdup.near.counting import columns_for
from simdup.near.inputs import open_input
from simdup.near.named_fields import combined_pairs, identifiers_of

MATCH, DIFFER = {"title": 0.9, "authors": 0.5}, {"doi": 0.0, "year": 1.0, "pages": 0.0}
TITLES = ["", "Editorial", "Editorail", "Deep learning in medicine", "deep learning in medicine."]
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "title": st.sampled_from([*TITLES, "Deep learning in medicine, part II"]),
            "authors": st.sampled_from(["", "Smith, John", "J. Smith", "Jones P, Smith J", "王伟"]),
            "doi": st.sampled_from(["", "", "10.1000/a", "10.1000/b"]),
            "year": st.sampled_from(["", "2019", "2020", "2021"]),
            "pages": st.sampled_from(["", "1-2", "1", "5-9"]),
        }
    ).filter(lambda record: record["title"] or record["authors"]),
    min_size=2,
    max_size=9,
)


def whole(records: Sequence[Record]) -> list[Record]:
    """Return records with all fields."""
    return [dict.fromkeys([*MATCH, *DIFFER], "") | dict(record) for record in records]


def pairs_of(records: Sequence[Record], **more: object) -> set[tuple[int, int]]:
    """Return the pairs that a scan lists, of which none are left out or divided."""
    found = scan(whole(records), match=MATCH, differ=DIFFER, **more)  # type: ignore[arg-type]
    return {(min(pair.a, pair.b), max(pair.a, pair.b)) for pair in found.pairs}


def groups_of(found: object) -> list[list[int]]:
    return [sorted(one.name for one in cluster.members) for cluster in found.clusters]  # type: ignore[attr-defined]


def columns_of(records: Sequence[Record]) -> tuple[Mapping[str, np.ndarray], object, object]:
    asked = Settings.of(match=MATCH, differ=DIFFER)
    with ingest(open_input(whole(records), asked), columns_for(asked.criteria)) as read:
        columns = rule_columns(read, asked.criteria)
        rows = np.arange(len(read))
        values = read.values(asked.criteria)
        return columns, combined_pairs(read.documents, values, rows, asked.criteria), values


@settings(max_examples=25)
@given(RECORDS)
def test_what_identifies_a_record_is_what_all_pairs_say(records: list[Record]) -> None:
    columns, _, _ = columns_of(records)
    slow = SlowFields(records, MATCH, DIFFER)
    names = (*MATCH, *DIFFER)
    parts = [
        (tuple(names[field] for field in part.fields), part.bit)
        for part in identifiers_of(Criteria(match=MATCH, differ=DIFFER))
    ]
    for row, bits in enumerate(columns["identifying"].tolist()):
        found = {fields for fields, bit in parts if bits >> bit & 1}
        assert found == slow.identifying(row)


@settings(max_examples=15)
@given(RECORDS)
def test_pairs_are_those_that_agree(records: list[Record]) -> None:
    slow = SlowFields(records, MATCH, DIFFER)
    agreeing = set(slow.pairs())
    records = whole(records)
    found = scan(records, match=MATCH, differ=DIFFER, all_pairs=True)
    inside = [set(group) for group in groups_of(found)]
    listed = {(min(pair.a, pair.b), max(pair.a, pair.b)) for pair in found.pairs}
    # A cluster is divided where two of its documents differ; pairs across are not listed.
    assert listed <= agreeing
    for a, b in agreeing:
        if not any({a, b} <= group for group in inside):
            assert not all(
                slow.meet(i, j) for i in _connected(a, agreeing) for j in _connected(a, agreeing)
            )
    for group in inside:
        assert all(slow.meet(i, j) for i in group for j in group)


def _connected(start: int, pairs: set[tuple[int, int]]) -> set[int]:
    found, new = set[int](), {start}
    while new:
        found |= new
        new = {b for pair in pairs for a, b in (pair, pair[::-1]) if a in found} - found
    return found


@settings(max_examples=10)
@given(RECORDS, st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(records: list[Record], random: random.Random) -> None:
    order = list(range(len(records)))
    random.shuffle(order)
    named = [{"id": i, **record} for i, record in enumerate(whole(records))]
    found = scan(named, match=MATCH, differ=DIFFER, all_pairs=True)
    again = scan([named[i] for i in order], match=MATCH, differ=DIFFER, all_pairs=True)
    if not _divided(records):  # which pair of equal ones goes first follows the input
        assert sorted(groups_of(found)) == sorted(groups_of(again))


def _divided(records: list[Record]) -> bool:
    slow = SlowFields(records, MATCH, DIFFER)
    agreeing = set(slow.pairs())
    return any(
        not slow.meet(i, j)
        for start in range(len(records))
        for i in _connected(start, agreeing)
        for j in _connected(start, agreeing)
    )


def library(works: int, seed: int) -> list[Record]:
    """Return records of works, some with a mistake in the title or without a field."""
    chosen = random.Random(seed)
    words = [
        f"{a}{b}" for a in ("neuro", "cardio", "poly", "micro") for b in ("logy", "tomy", "gen")
    ]
    records = []
    for work in range(works):
        title = (
            " ".join(chosen.choices(words, k=6)) + f" {chr(97 + work % 26)}{chr(97 + work // 26)}q"
        )
        author = f"{chosen.choice('ABCDEFG')}{chosen.choice(['smith', 'jones', 'brown', 'miller'])}"
        for _ in range(chosen.randrange(1, 4)):
            place = chosen.randrange(len(title))
            written = title if chosen.random() < 0.5 else title[:place] + title[place + 1 :]
            record = {"title": written, "authors": author, "doi": f"10.1000/{work}", "year": "2019"}
            if chosen.random() < 0.4:
                del record[chosen.choice(["authors", "doi", "year"])]
            records.append(record)
    for number in range(80):
        record = {"title": "Editorial", "authors": f"{chosen.choice(words)} {number % 20}"}
        records.append(record | ({"pages": f"{number}-{number + 1}"} if number % 3 else {}))
    return records


def test_a_scan_finds_what_all_pairs_give() -> None:
    records = whole(library(150, 1))
    every, found = (
        groups_of(scan(records, match=MATCH, differ=DIFFER, all_pairs=wanted))
        for wanted in (True, False)
    )
    assert len(every) > 100
    assert sum(group in every for group in found) >= 0.99 * len(every)


def test_processes_do_not_matter() -> None:
    records = library(60, 2)
    assert pairs_of(records, jobs=1) == pairs_of(records, jobs=3)


def test_a_value_that_many_records_share_says_nothing_alone() -> None:
    # More than 50: nothing contradicts, but nobody has so many records of one work.
    records = [{"title": "Editorial"} for _ in range(60)]
    assert not pairs_of([*records, {"title": "Editorial"}])
    same = [{"title": "Editorial", "authors": "Wang", "pages": "1-2"} for _ in range(3)]
    assert pairs_of([*records, *same]) == {(60, 61), (60, 62)}  # of copies, those with the first


def test_combined_values_propose_each_pair_once() -> None:
    records = [{"title": "Editorial", "authors": "Wang", "pages": f"{n // 2}"} for n in range(8)]
    _, (a, b), _ = columns_of(records)
    assert list(zip(a.tolist(), b.tolist(), strict=True)) == [(0, 1), (2, 3), (4, 5), (6, 7)]


def test_a_crowd_is_not_compared_pair_by_pair() -> None:
    crowd = [{"title": "Editorial", "authors": "Wang", "pages": f"{n % 2000}"} for n in range(3000)]
    _, (a, _), _ = columns_of(crowd)
    # Each of 1,000 pages has two records; the words and the title of all say nothing.
    assert len(a) < 3 * len(crowd)
    assert {(n, n + 2000) for n in range(1000)} <= pairs_of(crowd)


def test_a_record_without_a_doi_does_not_join_two_with_different_ones() -> None:
    title = {"title": "Deep learning in medicine"}
    records = [title, title | {"doi": "10.1000/a"}, title | {"doi": "10.1000/b"}]
    # The title names two works, so alone it says nothing.
    assert not pairs_of(records)
    # As texts they are equal, and the first goes with one of them.
    found = scan(whole(records), text="title", differ="doi")
    assert groups_of(found) == [[0, 1]]


def test_differ_works_without_match() -> None:
    records = [
        {"text": "The quick brown fox jumps over the lazy dog near the old river.", "year": year}
        for year in (2019, 2020, "2022", None)
    ]
    assert groups_of(scan(records, differ="year:1")) == [[0, 1, 3]]
    assert len(groups_of(scan(records))[0]) == 4


def test_fields_of_many_kinds_are_read() -> None:
    records = [
        {"title": "Deep learning in medicine", "authors": ["John Smith", "Jane Doe"],
         "year": 2019.0},
        {"title": "Deep Learning in Medicine", "authors": [{"family": "Smith", "given": "J"}],
         "year": "2019", "pages": float("nan")},
        {"title": None, "authors": [], "year": True},
    ]  # fmt: skip
    found = scan(records, match="title:0.9,authors:0.5", differ="year")
    assert groups_of(found) == [[0, 1]]
    assert [(one.document, one.reason) for one in found.skipped] == [
        (2, "no value in 'title', 'authors'")
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"match": "title"}, "match: invalid value 'title'"),
        ({"match": "title:2"}, "match: invalid value 'title:2'"),
        ({"match": "title:nan"}, "match: invalid value 'title'"),
        ({"match": ""}, "match: invalid value ''"),
        ({"match": "title:0.9,title:0.8"}, "match: invalid value 'title'"),
        ({"differ": "doi:-1"}, "differ: invalid value 'doi:-1'"),
        ({"match": "title:1", "differ": "title"}, "differ: invalid value 'title'"),
        ({"match": "title:1", "verify": False}, "verify: `match` needs verification"),
        ({"match": "title:1", "method": "minhash"}, "method: with `match`"),
        ({"match": {f"f{n}": 1 for n in range(11)}}, "match: 11 fields, but at most 10"),
        ({"match": "titel:0.9"}, "match: no record has a field 'titel'"),
        ({"match": "title:0.9", "differ": "dio"}, "differ: no record has a field 'dio'"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: dict[str, object], message: str) -> None:
    records = [{"title": "Editorial", "doi": "10.1000/a"}, {"title": "Preface", "doi": ""}]
    with pytest.raises(SimdupError) as raised:
        scan(records, **arguments)  # type: ignore[arg-type]
    assert str(raised.value).startswith(message)


def test_texts_have_no_fields() -> None:
    with pytest.raises(SimdupError, match="texts with ids have no fields"):
        scan([("a", "one"), ("b", "two")], match="title:1")


def test_fields_in_which_no_record_has_a_value_are_all_named() -> None:
    records = [{"title": "Editorial", "year": "", "isbn": None}, {"title": "Preface", "year": " "}]
    notes = scan(records, match="year:1,title:0.9,isbn:1").notes
    assert [what for name, what in notes if name == "`match`"] == [
        "no record has a value in 'year'", "no record has a value in 'isbn'",
    ]  # fmt: skip
