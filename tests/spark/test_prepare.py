"""Counts as bytes come back as they were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup import Recipe
from simdup.text.analyzer import Analyzer
from simdup.text.counts import Counts
from simdup.text.weights import learn_model

pa = pytest.importorskip("pyarrow")

from simdup.spark.prepare import pack_counts, unpack_counts  # noqa: E402

TEXTS = st.lists(st.text(st.characters(codec="utf-8") | st.sampled_from("的 a\n"), max_size=60))


def count(texts: list[str], recipe: Recipe) -> Counts:
    analyzer = Analyzer.for_recipe(recipe)
    return analyzer.count(analyzer.prepare_all(texts))


def described(counts: Counts) -> list[dict[tuple[int, bytes, str], int]]:
    """For each row, how often it has each term."""
    found = []
    for row in range(len(counts)):
        rows = counts.rows(row, row + 1)
        found.append(
            {
                (int(counts.ids[term]), counts.hashes[term].tobytes(), counts.terms[term]): times
                for term, times in zip(rows.columns.tolist(), rows.values.tolist(), strict=True)
            }
        )
    return found


def through_bytes(counts: Counts, first: int, last: int) -> Counts:
    texts, rows = np.arange(last - first), np.arange(first, last)
    packed = pa.table(pack_counts(counts, first, last, texts, rows))
    ((again, owners),) = unpack_counts(packed, counts.hashes.shape[1])
    assert owners.tolist() == rows.tolist()
    return again


@given(TEXTS, st.sampled_from(["words", "chars:1", "ngrams:2"]), st.data())
def test_a_part_of_counts_survives_as_bytes(
    texts: list[str], tokens: str, data: st.DataObject
) -> None:
    recipe = Recipe(tokens=tokens, hash="md5", bits=128)
    counts = count(texts, recipe)
    first = data.draw(st.integers(0, len(counts)))
    last = data.draw(st.integers(first, len(counts)))
    assert described(through_bytes(counts, first, last)) == described(counts)[first:last]


def test_large_counts_survive() -> None:
    counts = count(["a " * 70_000 + "b", "c"], Recipe())
    assert described(through_bytes(counts, 0, 2)) == described(counts)


def test_terms_of_one_document_may_be_left_out_of_a_model() -> None:
    counts = count(["one two", "two three", "four two three"], Recipe())
    model = learn_model(counts, "")
    several = model.df > 1
    fewer = type(model)("corpus", 3, model.ids[several], model.df[several], "", unlisted=1)
    assert 0 < np.count_nonzero(several) < len(model.ids)
    assert np.array_equal(fewer.factors(counts), model.factors(counts))
    for least in (1, 2, 3):
        found, expected = fewer.frequent(counts, least), model.frequent(counts, least)
        assert found is not None
        assert expected is not None
        assert np.array_equal(found, expected)
    assert fewer.digest() != model.digest()
