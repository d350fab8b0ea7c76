"""The benchmark of conflicts counts what is found, what is not, and what should not be."""

import math
from collections.abc import Iterable

from lab.bench.conflicts import ALL, Verdict, _planted, _reported, _respelled, _unplanted, judge
from lab.corpora.conflicts import FACTUAL, PHRASE, SPELLING, Copy, Planted, pages
from lab.reporting import Cell, Row
from simdup.model.readings import Conflict, FactReading, ReadingPlace

MADE = pages(300)
FACTS = [one for one in MADE.planted if one.differs == FACTUAL]
SPELLED = [one for one in MADE.planted if one.differs == SPELLING]


def reported(planted: Planted) -> Conflict:
    """A conflict as the truth says it."""
    readings = [FactReading(v, [*map(place, copies)]) for v, copies in planted.readings.items()]
    return Conflict(planted.kind, "", "", tuple(readings))


def place(copy: Copy) -> ReadingPlace:
    return ReadingPlace(copy.page, copy.value_start, copy.value_end, 1, math.nan)


def column(rows: Iterable[Row], key: str, value: str) -> dict[str, Cell]:
    return {str(row[key]): row[value] for row in rows}


def test_all_that_was_planted_is_found() -> None:
    verdict = judge(MADE, map(reported, FACTS))
    rows = [*_planted(verdict)]
    for name in ("share", "readings right", "kind right"):
        assert set(column(rows, "planted", name).values()) <= {1.0, None}
    assert rows[-1]["passages"] == rows[-1]["found"] == rows[-1]["reported"] == len(FACTS)
    assert column(_unplanted(verdict), "kind", "unplanted")[ALL] == 0


def test_a_missing_copy_is_no_right_reading() -> None:
    wanted = next(one for one in FACTS if len(one.copies) > 2)
    conflict = reported(wanted)
    rare, common = conflict.readings
    cut = conflict._replace(readings=(rare, common._replace(documents=common.documents[:-1])))
    row = [*_planted(judge(MADE, [cut]))][-1]
    assert (row["found"], row["readings right"]) == (1, 0)


def test_spellings_are_unplanted() -> None:
    verdict = judge(MADE, [*map(reported, FACTS), *map(reported, SPELLED)])
    assert [*_respelled(verdict)][-1]["reported"] == len(SPELLED)
    assert column(_unplanted(verdict), "kind", "unplanted")[ALL] == len(SPELLED)
    assert column(_reported(verdict), "differs", "unplanted conflicts")[SPELLING] == len(SPELLED)


def test_phrases_and_other_places_are_unplanted() -> None:
    phrase = next(one for one in MADE.planted if one.differs == PHRASE and len(one.readings) > 1)
    texts = [*MADE.texts]
    elsewhere = [FactReading(name, [ReadingPlace(name, 0, 1, 1, math.nan)]) for name in texts[:2]]
    verdict: Verdict = judge(MADE, [reported(phrase), Conflict("number", "", "", tuple(elsewhere))])
    found = column(_reported(verdict), "differs", "unplanted conflicts")
    assert {name: count for name, count in found.items() if count} == {PHRASE: 1, "elsewhere": 1}
