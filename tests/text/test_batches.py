"""Texts cut and counted together give what each gives alone in plain Python."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab.oracles import plain
from simdup import Recipe
from simdup.text import counts
from simdup.text.counts import Counts, TermCounter, join
from simdup.text.tokens import NO_DICTIONARY, Dictionary, Tokenizer, join_tokens, tokenizer

DICTIONARY = Dictionary("user.dict", "河岸边 100\n中市 9999\n".encode())
# Runs that would form words with those of the next text, gaps, and characters that are not gaps.
TEXTS = st.lists(
    st.text() | st.text("中市场河岸边的老人 \n\x00\u2028aZ_9，。㐀𠀀〇é\u0301\ud800"), max_size=6
)


@cache
def cutter(kind: str, with_dictionary: bool) -> Tokenizer:
    return tokenizer(Recipe(tokens=kind), DICTIONARY if with_dictionary else NO_DICTIONARY)


def cut(kind: str, text: str, with_dictionary: bool) -> list[str]:
    """The tokens of one text, as the contract defines them."""
    name, _, number = kind.partition(":")
    n = int(number or 1)
    if name == "split":
        return text.split()
    if name == "tagged":
        items = [item.rsplit("/", 1) for item in text.split() if "/" in item]
        return [word for word, tag in items if word and "wn" not in tag and "wd" not in tag]
    if name == "chars":
        runs = plain.shingles(text, n)
        solid = plain.solid(text)
        return [solid[i : i + n] for i in range(max(1, len(solid) - n + 1))] if runs else []
    one = cutter("words", with_dictionary)
    words = plain.words(text, lambda run: one([run]).lists()[0])
    if name == "words" or not words:
        return words
    return [" ".join(words[i : i + n]) for i in range(max(1, len(words) - n + 1))]


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(
    "kind", ["words", "ngrams:1", "ngrams:2", "split", "tagged", "chars:1", "chars:3"]
)
@given(TEXTS)
@example(["中", "市", "", "场a", "b", "\n", "河岸", "边"])
@example(["abc 中", "def", "市"])
def test_tokens_are_those_of_each_text_alone(kind: str, own: bool, texts: list[str]) -> None:
    found = cutter(kind, own)(texts).lists()
    assert found == [cut(kind, text, own) for text in texts]


def counted(chunks: list[list[list[str]]]) -> list[dict[str, int]]:
    """The result of a counter, chunk by chunk: the terms of each document."""
    counter = TermCounter()
    matrix: Counts = join([counter.count(join_tokens(chunk)) for chunk in chunks], 8)
    rows = [matrix.document(i) for i in range(len(matrix))]
    return [
        {matrix.terms[column]: int(n) for column, n in zip(row.columns, row.values, strict=True)}
        for row in rows
    ]


TOKENS = st.lists(st.sampled_from(["red", "hill", "河岸", "岸", "\ud800"]), max_size=9)


@pytest.mark.parametrize("remembered", [2, 500_000])
@given(chunks=st.lists(st.lists(TOKENS, max_size=5), max_size=4))
def test_counts_are_those_of_each_document(remembered: int, chunks: list[list[list[str]]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "REMEMBERED_TERMS", remembered)
        found = counted(chunks)
    assert found == [Counter(tokens) for chunk in chunks for tokens in chunk]


def test_documents_without_terms_can_be_dropped() -> None:
    chunk = TermCounter().count(join_tokens([[], ["a", "b"], [], ["a"], []]))
    assert chunk.sizes.tolist() == [0, 2, 0, 1, 0]
    assert chunk.without(np.array([0, 4])).sizes.tolist() == [2, 0, 1]
    assert TermCounter().count(join_tokens([[]])).without(np.array([0])).starts.tolist() == [0]
