"""Sets as arrays, compared with sets of Python; arrays that do not fit each other."""

import pickle
from copy import copy
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup.kernels.sets import common, distinct
from simdup.kernels.sketches import runs, signatures
from simdup.kernels.words import Dictionary, Terms, check_texts
from simdup.text.characters import cut_at, from_codes
from simdup.text.tokens import join_tokens

# Also values with equal high bytes, which are dealt out again and again.
HASHES = st.integers(0, 2**64 - 1) | st.integers(0, 99) | st.integers(2**63, 2**63 + 300)
SETS = st.lists(st.lists(HASHES, max_size=80), max_size=5)


def rows(sets: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return starts, np.array([x for one in sets for x in one], np.uint64)


@given(SETS)
def test_distinct_elements_are_in_order(sets: list[list[int]]) -> None:
    starts, hashes = distinct(*rows(sets))
    found = [hashes[a:b].tolist() for a, b in pairwise(starts.tolist())]
    assert found == [sorted(set(one)) for one in sets]


def test_a_large_set_of_few_elements() -> None:
    hashes = np.repeat(np.arange(300, dtype=np.uint64), 10_000)
    starts, found = distinct(np.array([0, len(hashes)]), hashes)
    assert starts.tolist() == [0, 300]
    assert found.tolist() == list(range(300))


@given(SETS.filter(len), st.data())
def test_pairs_share_what_sets_of_python_share(sets: list[list[int]], data: st.DataObject) -> None:
    place = st.integers(0, len(sets) - 1)
    pairs = data.draw(st.lists(st.tuples(place, place), max_size=9))
    i, j = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    found = common(*distinct(*rows(sets)), i, j)
    assert found.tolist() == [len(set(sets[a]) & set(sets[b])) for a, b in pairs]


ONE, TWO = np.array([0, 1]), np.array([0, 2])
HASH, CODE = np.ones(1, np.uint64), np.ones(1, np.uint32)
PLACE, SPAN = np.array([0]), np.array([[0, 1, 0]], np.int32)


@pytest.mark.parametrize(
    "call",
    [
        lambda: distinct(TWO, HASH),
        lambda: distinct(np.array([0, 2, 1]), HASH),
        lambda: distinct(np.array([], np.int64), HASH[:0]),
        lambda: common(ONE, HASH, PLACE, PLACE + 1),
        lambda: common(ONE, HASH, PLACE - 1, PLACE),
        lambda: common(ONE, HASH, PLACE, PLACE[:0]),
        lambda: common(TWO, HASH, PLACE, PLACE),
        lambda: runs(TWO, CODE, 5),
        lambda: runs(ONE, CODE, 0),
        lambda: signatures(TWO, HASH, 8),
        lambda: signatures(ONE, HASH, 0),
        lambda: check_texts(CODE + 0x110000, ONE),
        lambda: check_texts(CODE, TWO),
        lambda: Terms().count(CODE, ONE, SPAN + 1, PLACE + 1),
        lambda: Terms().count(CODE, ONE, SPAN * 0, PLACE + 1),
        lambda: Terms().count(CODE, ONE, SPAN, PLACE),
        lambda: Terms().count(CODE, ONE, SPAN, PLACE + 2),
        lambda: Terms().count(CODE, ONE, SPAN[:, :2].copy(), PLACE + 1),
        lambda: Terms().codes(1),
        lambda: common(ONE, HASH.astype(np.int64), PLACE, PLACE),
        lambda: signatures(TWO, np.ones(4, np.uint64)[::2], 8),
    ],
)
def test_arrays_that_do_not_fit_are_refused(call) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        call()


def test_a_few_elements_are_looked_up_in_many() -> None:
    hashes = np.concatenate([np.arange(0, 3000, 3, dtype=np.uint64), [3, 4, 2997, 5000]])
    starts = np.array([0, 1000, 1004])
    for i, j in ((0, 1), (1, 0)):
        found = common(starts, hashes.astype(np.uint64), np.array([i]), np.array([j]))
        assert found.tolist() == [2]


def test_terms_are_numbered_as_they_are_met_however_many_there_are() -> None:
    terms, words = Terms(), [f"w{i}" for i in range(5000)]
    for _ in range(2):
        starts, numbers, counts = terms.count(*join_tokens([words[:3000], words * 2]))
        assert starts.tolist() == [0, 3000, 8000]
        assert numbers.tolist() == [*range(3000), *range(5000)]
        assert set(counts[3000:].tolist()) == {2}
    codes, ends = terms.codes(4998)
    assert cut_at(from_codes(codes), ends) == ["w4998", "w4999"]


def test_what_holds_arrays_is_not_copied_unseen() -> None:
    for call in (lambda: copy(Terms()), lambda: pickle.dumps(Terms()), lambda: new(Dictionary)):
        with pytest.raises(TypeError):
            call()


def new(kind: type) -> object:
    return kind.__new__(kind)
