"""The fingerprinter: which frequencies a recipe uses."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfTransformer

from lab.corpora.made import prose
from simdup import Recipe, SimdupError
from simdup.text.analyzer import Analyzer
from simdup.text.counts import Counts
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.weights import ENOUGH_DOCUMENTS, model_bytes


def counted(analyzer: Analyzer, number: int) -> Counts:
    return analyzer.count([analyzer.prepare(prose(n, 200)) for n in range(number)])


@pytest.mark.parametrize(
    ("recipe", "documents", "name"),
    [
        (Recipe(), ENOUGH_DOCUMENTS, "corpus"),
        (Recipe(), ENOUGH_DOCUMENTS - 1, "builtin"),
        (Recipe(idf="corpus"), 3, "corpus"),
        (Recipe(idf="builtin"), ENOUGH_DOCUMENTS, "builtin"),
        (Recipe(weight="tf"), ENOUGH_DOCUMENTS, "none"),
        (Recipe(weight="tf", idf="corpus"), 3, "corpus"),
    ],
)
def test_the_frequencies_that_a_recipe_means_for_a_corpus(
    recipe: Recipe, documents: int, name: str
) -> None:
    analyzer = Analyzer.for_recipe(recipe)
    made = Fingerprinter.for_corpus(analyzer, counted(analyzer, documents))
    assert (made.idf.name, made.learned) == (name, name == "corpus")
    assert made.fields["idf"] == name
    assert made.fields["digest"] == made.digest


def test_without_a_corpus_its_frequencies_cannot_be_had() -> None:
    assert Fingerprinter.alone(Analyzer.for_recipe(Recipe())).idf.name == "builtin"
    assert Fingerprinter.alone(Analyzer.for_recipe(Recipe(weight="binary"))).idf.name == "none"
    with pytest.raises(SimdupError) as error:
        Fingerprinter.alone(Analyzer.for_recipe(Recipe(idf="corpus")))
    assert error.value.field == "idf"


def test_a_model_of_other_terms_is_refused(tmp_path: Path) -> None:
    analyzer = Analyzer.for_recipe(Recipe(idf="corpus"))
    learned = Fingerprinter.for_corpus(analyzer, counted(analyzer, 5))
    path = tmp_path / "m.idf"
    path.write_bytes(model_bytes(learned.idf))  # type: ignore[arg-type]
    by_model = Fingerprinter.alone(Analyzer.for_recipe(Recipe(idf=str(path))))
    assert by_model.idf.digest() == learned.idf.digest()
    assert by_model.digest == learned.digest
    with pytest.raises(SimdupError, match="learned with other"):
        Fingerprinter.alone(Analyzer.for_recipe(Recipe(idf=str(path), fold=False)))


@pytest.mark.parametrize(("weight", "logarithmic"), [("tfidf", False), ("logtf", True)])
def test_a_corpus_is_weighed_as_by_scikit_learn(weight: str, logarithmic: bool) -> None:
    analyzer = Analyzer.for_recipe(Recipe(weight=weight))
    counts = counted(analyzer, ENOUGH_DOCUMENTS)
    weighting = Fingerprinter.for_corpus(analyzer, counts).weigh(counts)
    (plain,), (ours,) = counts.chunked_rows(), weighting.rows()
    transformer = TfidfTransformer(norm=None, smooth_idf=True, sublinear_tf=logarithmic)
    matrix = csr_matrix((plain.values.astype(float), plain.columns, plain.starts))
    assert np.array_equal(ours.values, transformer.fit_transform(matrix).data)
    one = [rows for first in range(7) for rows in weighting.rows(first, first + 1)]
    assert np.array_equal(
        np.concatenate([rows.values for rows in one]), ours.values[: ours.starts[7]]
    )
