"""Texts cut and counted together give what each gives alone in plain Python."""

from collections import Counter
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab.oracles import plain
from simdup import Recipe
from simdup.features import counts
from simdup.features.counts import GAP, Counts, TermCounter, join
from simdup.features.tokens import NO_DICTIONARY, Dictionary, Tokenizer, tokenizer

DICTIONARY = Dictionary("user.dict", "河岸边 100\n中市 9999\n".encode())
# Runs that would form words with those of the next text, gaps, and characters that are not gaps.
TEXTS = st.lists(
    st.text() | st.text("中市场河岸边的老人 \n\x00\u2028aZ_9，。㐀𠀀〇é\u0301\ud800"), max_size=6
)


@cache
def cutter(kind: str, engine: str, with_dictionary: bool) -> Tokenizer:
    return tokenizer(Recipe(tokens=kind), engine, DICTIONARY if with_dictionary else NO_DICTIONARY)


def cut(kind: str, text: str, engine: str, with_dictionary: bool) -> list[str]:
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
    one = cutter("words", engine, with_dictionary)

    def segment(run: str) -> list[str]:
        return next(iter(one([run])))

    words = plain.words(text, segment)
    if name == "words" or not words:
        return words
    return [" ".join(words[i : i + n]) for i in range(max(1, len(words) - n + 1))]


ENGINES = (("rjieba", False), ("jieba", False), ("jieba", True))


@pytest.mark.parametrize(
    ("kind", "engine", "own"),
    [("words", *one) for one in ENGINES]
    + [("ngrams:2", *one) for one in ENGINES]
    + [(kind, "auto", False) for kind in ("split", "tagged", "chars:1", "chars:3", "ngrams:1")],
)
@given(TEXTS)
@example(["中", "市", "", "场a", "b", "\n", "河岸", "边"])
@example(["abc 中", "def", "市"])
def test_tokens_are_those_of_each_text_alone(
    kind: str, engine: str, own: bool, texts: list[str]
) -> None:
    found = [Counter(tokens) for tokens in cutter(kind, engine, own)(texts)]
    for tokens in found:
        tokens.pop(GAP, None)
    assert found == [Counter(cut(kind, text, engine, own)) for text in texts]


def counted(chunks: list[list[list[str]]]) -> list[dict[str, int]]:
    """The result of a counter, chunk by chunk: the terms of each document."""
    counter = TermCounter()
    matrix: Counts = join([counter.count(iter(chunk)) for chunk in chunks], 8)
    rows = [matrix.document(i) for i in range(len(matrix))]
    return [
        {matrix.terms[column]: int(n) for column, n in zip(row.columns, row.values, strict=True)}
        for row in rows
    ]


TOKENS = st.lists(st.sampled_from(["red", "hill", "河岸", "", "\ud800", GAP]), max_size=9)


@pytest.mark.parametrize("remembered", [2, 500_000])
@given(chunks=st.lists(st.lists(TOKENS, max_size=5), max_size=4))
def test_counts_are_those_of_each_document(remembered: int, chunks: list[list[list[str]]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "REMEMBERED_TERMS", remembered)
        found = counted(chunks)
    expected = [Counter(tokens) for chunk in chunks for tokens in chunk]
    for each in expected:
        each.pop(GAP, None)
    assert found == expected


def test_documents_without_terms_can_be_dropped() -> None:
    chunk = TermCounter().count([[], ["a", "b"], [GAP], ["a"], []])
    assert chunk.sizes.tolist() == [0, 2, 0, 1, 0]
    assert chunk.without_empty_rows().sizes.tolist() == [2, 1]
    assert TermCounter().count([[]]).without_empty_rows().starts.tolist() == [0]
