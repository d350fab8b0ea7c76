"""Documents with the same text, and what is compared with what."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdup.reuse.finding import Sides
from simdup.reuse.overlaps import Holders

Document = tuple[int, bool, int]  # its text, whether it is a reference, its group


def holders(documents: list[Document], referring: bool) -> Holders:
    texts = sorted({text for text, _, _ in documents}, key=[t for t, _, _ in documents].index)
    text_of = np.array([texts.index(text) for text, _, _ in documents], np.int64)
    references = np.array([reference for _, reference, _ in documents], np.bool_)
    groups = np.array([group for _, _, group in documents], np.int64)
    every = np.ones(len(documents), np.bool_)
    keys = np.zeros(len(documents), np.uint64)
    both = (~references, references) if referring else (every, every)
    sides = Sides(*both, groups, keys)
    return Holders.of(text_of, len(texts), sides)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.integers(-1, 2)), min_size=1),
    st.booleans(),
)
def test_whoever_is_compared_is_in_a_pair(documents: list[Document], referring: bool) -> None:
    held = holders(documents, referring)
    sides = held.sides

    def allowed(a: int, b: int) -> bool:
        return bool(sides.allow(np.array([a]), np.array([b]))[0])

    texts = len(held.firsts) - 1
    pairs = held.copies(np.arange(texts)).tolist()
    assert all(allowed(a, b) and a < b for a, b in pairs)
    for text in range(texts):
        own = held(text).tolist()
        inside = [d for pair in pairs for d in pair if d in own]
        for document in own:
            compared = any(allowed(document, other) for other in own if other != document)
            assert (document in inside) == compared
        assert len(inside) <= 2 * 4 * len(own)
    for a in range(texts):
        for b in range(a + 1, texts):
            possible = {(x, y) for x in held(a) for y in held(b) if allowed(x, y)}
            pair = tuple(held.pairs(np.array([[a, b]]))[0].tolist())
            assert pair in possible if possible else pair == (-1, -1)
            if possible:
                assert held.text_sides.allow(np.array([a]), np.array([b]))[0]
