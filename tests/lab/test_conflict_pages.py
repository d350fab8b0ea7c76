"""Made pages share what was planted in them, where their truth says so, and nothing else."""

from collections import defaultdict
from functools import cache

from lab.corpora.conflicts import (
    FACTUAL,
    MARGIN,
    NUMBERING,
    PASSAGE,
    PHRASE,
    SPELLING,
    WORDING,
    MadePages,
    pages,
    units,
)

COUNT = 400


@cache
def made() -> MadePages:
    return pages(COUNT)


def compact(text: str) -> str:
    return "".join(text.split())


def test_the_truth_has_the_places_of_facts() -> None:
    for one in made().planted:
        assert len({copy.page for copy in one.copies}) == len(one.copies) or one.differs == PHRASE
        assert len(one.readings) == 2 or one.differs not in (FACTUAL, SPELLING)
        for copy in one.copies:
            assert copy.start <= copy.value_start <= copy.value_end <= copy.end
            text = made().texts[copy.page]
            assert compact(text[copy.value_start : copy.value_end]) == compact(copy.value)


def test_copies_differ_in_the_fact_only() -> None:
    for one in made().planted:
        around = set()
        for copy in one.copies:
            text = made().texts[copy.page]
            sides = text[copy.start : copy.value_start], text[copy.value_end : copy.end]
            around.add(tuple(map(compact, sides)))
            if one.differs in (FACTUAL, SPELLING):
                assert min(map(units, sides)) >= MARGIN
            if one.differs != PHRASE:
                assert PASSAGE[0] <= copy.end - copy.start <= 1.2 * PASSAGE[1]
        assert len(around) == 1 or one.differs in (WORDING, NUMBERING)


def test_pages_share_nothing_else() -> None:
    """No 50 characters are in two pages outside of passages."""
    spans = defaultdict[str, list[tuple[int, int]]](list)
    for one in made().planted:
        for copy in one.copies:
            spans[copy.page].append((copy.start, copy.end))
    seen: dict[str, str] = {}
    for name, text in made().texts.items():
        start = 0
        for low, high in [*sorted(spans[name]), (len(text), len(text))]:
            for i in range(start, low - 49):
                assert seen.setdefault(text[i : i + 50], name) == name
            start = high
