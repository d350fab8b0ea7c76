"""Counts as bytes come back as they were."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup import Recipe
from simdup.text.analyzer import Analyzer
from simdup.text.counts import Counts
from simdup.text.weights import learn_model

pa = pytest.importorskip("pyarrow")

from simdup.model.settings import Settings  # noqa: E402
from simdup.spark.prepare import (  # noqa: E402
    DOCUMENTS,
    counts_of,
    prepare,
    run_here,
)

TEXTS = st.lists(
    st.text(st.characters(codec="utf-8") | st.sampled_from("的 a\n"), max_size=60), min_size=1
)


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


def through_bytes(texts: list[str], recipe: Recipe) -> Counts:
    """The counts of texts, as they come back from a partition."""
    rows = pa.table({"row": range(len(texts)), "texts": [{"text": text} for text in texts]})
    settings = Settings.of(recipe, jobs=1, text="text")
    work = partial(prepare, analyzer=Analyzer.for_recipe(recipe), settings=settings)
    schema = pa.schema({"row": pa.int64()} | DOCUMENTS)
    made = run_here(iter(rows.to_batches()), work, schema, sliced=True)
    return counts_of(pa.Table.from_batches(made), recipe.bits // 8)


@given(
    TEXTS, st.sampled_from(["words", "chars:1", "ngrams:2"]), st.sampled_from(["md5", "blake2b"])
)
def test_counts_survive_as_bytes(texts: list[str], tokens: str, hash_name: str) -> None:
    recipe = Recipe(tokens=tokens, hash=hash_name, bits=128 if hash_name == "md5" else 64)
    expected = described(count(texts, recipe))
    # Empty texts were skipped, and are not counted.
    assert [row for row in described(through_bytes(texts, recipe)) if row] == [
        row for row, text in zip(expected, texts, strict=True) if row and text.strip()
    ]


def test_large_counts_survive() -> None:
    texts = ["a " * 70_000 + "b", "c"]
    assert described(through_bytes(texts, Recipe())) == described(count(texts, Recipe()))


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
