"""Rates of all works of a person: what others have of them, and who has most."""

import random
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from simdup import passages

# Units are characters: no word, no mark, no white space.
LETTERS = [chr(code) for code in range(0x4E00, 0x9000)]


@st.composite
def works(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Names and texts of works, a folder each person; some have paragraphs of others."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    common = ["".join(chance.sample(LETTERS, chance.randrange(60, 120))) for _ in range(3)]
    made = []
    for number in range(chance.randrange(2, 8)):
        parts = ["".join(chance.sample(LETTERS, 80)), *chance.sample(common, chance.randrange(3))]
        chance.shuffle(parts)
        made.append((f"p{chance.randrange(3)}/{number}", "".join(parts)))
    return made


@given(works())
def test_the_works_of_a_person_are_one_text(made: list[tuple[str, str]]) -> None:
    found = passages(
        [{"id": name, "text": text, "who": name[:2]} for name, text in made], by="who", jobs=1
    )
    has, sizes = defaultdict[str, dict[str, set[tuple[str, int]]]](dict), defaultdict[str, int](int)
    for name, text in made:
        sizes[name[:2]] += len(text)
    for overlap in found.overlaps:
        for passage in overlap.passages:
            for mine, other, (start, end) in ((overlap.a, overlap.b, passage.a),
                                              (overlap.b, overlap.a, passage.b)):  # fmt: skip
                assert mine[:2] != other[:2]
                places = has[mine[:2]].setdefault(other[:2], set())
                places |= {(mine, place) for place in range(start, end)}
    rates = {rate.document: rate for rate in found.rates}
    assert rates.keys() == sizes.keys()
    for who, rate in rates.items():
        covered = {other: len(places) for other, places in has[who].items()}
        assert round(rate.share * sizes[who]) == len(set().union(*has[who].values()))
        assert rate.sources == len(covered)
        assert round(rate.largest_share * sizes[who]) == max(covered.values(), default=0)
        assert covered.get(str(rate.largest_source), 0) == max(covered.values(), default=0)
