"""Pairs of texts that share seeds, against plain Python, and how many they are."""

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup.reuse import sharing
from simdup.reuse.sharing import TextSeeds, sharing_pairs, text_seeds


def slow_pairs(sets: list[set[int]], least: float, crowd: int) -> set[tuple[int, int]]:
    """The pairs that share enough seeds; of a crowd each with the largest and the smallest only."""
    counts: Counter[tuple[int, int]] = Counter()
    for seed in set().union(*sets):
        having = [i for i, one in enumerate(sets) if seed in one]
        by_size = sorted(having, key=lambda i: (-len(sets[i]), i))
        ends = {by_size[0], by_size[-1]}
        for a, b in combinations(having, 2):
            if len(having) <= crowd or ends & {a, b}:
                counts[a, b] += 1
    return {pair for pair, n in counts.items() if n >= least * min(len(sets[i]) for i in pair)}


def of_sets(sets: list[set[int]]) -> TextSeeds:
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    hashes = [value for one in sets for value in sorted(one)]
    return TextSeeds(starts, np.array(hashes, np.uint64))


seeds_of_texts = st.lists(
    st.sets(st.sampled_from([*range(12), *(n << 60 for n in range(1, 12))]), max_size=12),
    max_size=9,
)


@pytest.mark.parametrize(("part", "pairs"), [(1 << 19, 1 << 20), (4, 3)])
@given(seeds_of_texts, st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.sampled_from([2, 3, 50]))
def test_pairs_that_share_enough_seeds(
    part: int, pairs: int, sets: list[set[int]], least: float, crowd: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharing, "CROWD", crowd)
        patch.setattr(sharing, "_PART", part)
        patch.setattr(sharing, "_PAIRS", pairs)
        # Every second text is not asked for.
        rows = np.arange(0, len(sets), 2)
        i, j = sharing_pairs(of_sets(sets), rows, least)
    found = list(zip(i.tolist(), j.tolist(), strict=True))
    assert found == sorted(slow_pairs(sets[::2], least, crowd))


def test_seeds_of_texts_do_not_depend_on_the_others() -> None:
    chance = random.Random(1)
    texts = ["".join(chance.choices("河岸老树新芽春风", k=n)) for n in (0, 5, 15, 80, 300)]
    texts += [" ".join(chance.choices(["harbour", "fog", "tide"], k=60)), texts[3] * 3]
    every = text_seeds(texts)
    for i, text in enumerate(texts):
        own = every.hashes[every.starts[i] : every.starts[i + 1]]
        assert own.tolist() == sorted(set(text_seeds([text]).hashes.tolist()))
    assert np.diff(every.starts).tolist()[:2] == [0, 0]
    assert (np.diff(every.starts)[2:] > 0).all()
    assert len(text_seeds([]).hashes) == 0


def test_a_crowd_has_few_pairs() -> None:
    many = 3000
    seeds = of_sets([{*range(40), 1000 + i} for i in range(many)])
    i, j = sharing_pairs(seeds, np.arange(many), 0.1)
    # The first of the largest and the last of the smallest with all others.
    assert len(i) == 2 * many - 3
    assert ((i == 0) | (j == many - 1)).all()
