"""Near-duplicate groups as an estimator of scikit-learn."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.model_selection import GroupKFold
from sklearn.utils import InputTags, get_tags, validation
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from lab.corpora.made import near, prose
from simdup import Criteria, Recipe, SimdupError, scan
from simdup.sklearn import NearDuplicateGroups

TEXTS = [text for n in range(12) for text in (prose(n), near(prose(n)), "", prose(n))]


class OfNumbers(NearDuplicateGroups):
    """The estimator for rows of numbers, spelled out: most checks of scikit-learn know no texts."""

    def fit(self, X: Any, y: Any = None) -> "OfNumbers":  # noqa: N803
        rows = validation.validate_data(self, X)
        super().fit([" ".join(f"n{number:.6g}" for number in row) for row in rows])
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = InputTags()
        return tags


@parametrize_with_checks([OfNumbers(n_jobs=1)])
def test_the_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_scikit_learn_knows_that_it_takes_texts() -> None:
    tags = get_tags(NearDuplicateGroups()).input_tags
    assert (tags.string, tags.one_d_array, tags.two_d_array) == (True, True, False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        check_estimator(NearDuplicateGroups())


def test_groups_are_the_labels_of_a_scan() -> None:
    fitted = NearDuplicateGroups(n_jobs=1).fit(TEXTS)
    labels = scan([(str(n), text) for n, text in enumerate(TEXTS)]).labels
    assert fitted.groups_.tolist() == labels.tolist()
    assert fitted.groups_.dtype == np.int64
    assert fitted.n_groups_ == len(set(labels.tolist())) == 24


def test_splits_by_group_do_not_leak() -> None:
    groups = NearDuplicateGroups(n_jobs=1).fit(TEXTS).groups_
    pairs = [(int(p.a), int(p.b)) for p in scan([(str(n), t) for n, t in enumerate(TEXTS)]).pairs]
    for train, test in GroupKFold(4).split(TEXTS, groups=groups):
        assert not {TEXTS[i] for i in train if TEXTS[i]} & {TEXTS[i] for i in test}
        assert all((a in train) == (b in train) for a, b in pairs)


@pytest.mark.parametrize("kind", [tuple, np.array, iter, lambda texts: np.array(texts, object)])
def test_texts_of_any_sequence(kind: Any) -> None:
    assert NearDuplicateGroups().fit(kind(TEXTS)).n_groups_ == 24


def test_columns_of_tables() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": TEXTS}, index=range(len(TEXTS), 0, -1))
    frame["group"] = NearDuplicateGroups().fit(frame["text"]).groups_
    assert frame["group"].nunique() == 24


def test_no_texts_have_no_groups() -> None:
    fitted = NearDuplicateGroups().fit([])
    assert (fitted.groups_.tolist(), fitted.n_groups_) == ([], 0)


def test_parameters() -> None:
    given = {"recipe": Recipe(idf="builtin"), "criteria": Criteria(distance=6), "similarity": 0.9}
    cloned = clone(NearDuplicateGroups(**given, n_jobs=1))
    assert cloned.get_params() == given | {"n_jobs": 1, "distance": None}
    # The third text of each four is the same as the first, the second is only near.
    assert cloned.set_params(similarity=1).fit(TEXTS).n_groups_ == 36
    assert NearDuplicateGroups(similarity=2).get_params()["similarity"] == 2, "nothing is checked"
    with pytest.raises(SimdupError, match="similarity"):
        NearDuplicateGroups(similarity=2).fit(TEXTS)


@pytest.mark.parametrize("wrong", ["a text", 5, None, [1, 2], [["a"]], np.zeros((2, 2))])
def test_errors_name_the_argument(wrong: Any) -> None:
    with pytest.raises(TypeError, match="X"):
        NearDuplicateGroups().fit(wrong)
