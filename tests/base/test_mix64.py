"""The mixer equals plain Python, is a bijection, and every input bit affects every output bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.oracles import families
from simdup.base.mix64 import mix64, scatter, stream, unscatter

numbers = st.integers(0, 2**64 - 1)


@given(st.lists(numbers, min_size=1, max_size=9), st.integers(0, 200))
def test_as_in_plain_python(values: list[int], number: int) -> None:
    array = np.array(values, np.uint64)
    assert mix64(array).tolist() == [families.mix(value) for value in values]
    assert stream(array, number).tolist() == [families.stream(value, number) for value in values]
    assert array.tolist() == values


@given(numbers, numbers)
def test_different_values_stay_different(a: int, b: int) -> None:
    for mixed in (mix64, scatter):
        one, other = mixed(np.array([a, b], np.uint64)).tolist()
        assert (one == other) == (a == b)


@given(st.lists(numbers, max_size=9))
def test_half_a_mix_can_be_undone(values: list[int]) -> None:
    array = np.array(values, np.uint64)
    assert unscatter(scatter(array)).tolist() == values
    assert array.tolist() == values


@pytest.mark.parametrize("step", [1, 0x9E3779B97F4A7C15])
def test_every_input_bit_moves_every_output_bit(step: int) -> None:
    values = np.arange(20_000, dtype=np.uint64) * np.uint64(step)
    mixed = mix64(values)
    for bit in range(64):
        flipped = mixed ^ mix64(values ^ np.uint64(1 << bit))
        share = np.unpackbits(flipped.view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
        # The deviation of a share of 20,000 is 0.0035; this is eight of them.
        assert np.abs(share - 0.5).max() < 0.028, bit
