"""What copies say at a place is found whatever the other copies have there."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.corpora.made import prose
from simdup import conflicts

# Between two places, and on either side, there is as much as copied text needs.
TEXT = (
    "Whoever works on the ward at night finds the keys behind the second door on the left side of "
    "the kitchen, and gives {} twice a day, always together with a warm meal and a glass of water "
    "from the tap, unless the doctor said something else in the morning. Before {} you open the "
    "bottle wash your hands, and write down on its label when you did, for nobody remembers this a "
    "week later, when the bottle is half empty and somebody asks. It is kept for {} in the "
    "cupboard of the ward, and then given back to the house that made it, which counts what is "
    "left, pays for it, and burns it in the yard behind the old laundry."
)
DOSES = [f"{n} mg" for n in (10, 20, 30)]
# Nothing, a word, a fact of another kind or number, and more than a difference may be.
OTHERS = ["", "it", "room B-7", "10 mg or 20 mg", "as much as the doctor or the nurse of it says"]


@st.composite
def families(draw: st.DrawFn) -> list[list[str]]:
    """What each of some copies has at three places."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    count = chance.randrange(2, 9)
    return [[chance.choice(DOSES + OTHERS) for _ in range(3)] for _ in range(count)]


@given(families(), st.integers(0, 10**6))
def test_each_place_has_all_doses(copies: list[list[str]], seed: int) -> None:
    made = [
        (f"{n}", f"{prose(seed + n, 20)}\n\n{TEXT.format(*values)}\n\n{prose(seed + 100 + n, 20)}")
        for n, values in enumerate(copies)
    ]
    counts = [Counter(v for v in values if v in DOSES) for values in zip(*copies, strict=True)]
    expected = sorted(sorted(one.items()) for one in counts if len(one) > 1)
    found = conflicts(made).conflicts
    assert all(one.kind == "amount" for one in found if {r.value for r in one.readings} <= {*DOSES})
    doses = (
        [(r.value, len(r.documents)) for r in one.readings if r.value in DOSES] for one in found
    )
    assert sorted(sorted(one) for one in doses if len(one) > 1) == expected


@pytest.mark.parametrize("count", [40, 80])
def test_many_copies_of_a_text_that_says_nothing(count: int) -> None:
    made = [("0", f"{prose(1, 200)}{TEXT.format('', 'that', 'long')}")]
    made += [
        (f"{n}", TEXT.format(DOSES[n % 2], "that", "long") + prose(n, 9)) for n in range(1, count)
    ]
    [one] = conflicts(made).conflicts
    assert sorted(len(r.documents) for r in one.readings) == [(count - 1) // 2, count // 2]
