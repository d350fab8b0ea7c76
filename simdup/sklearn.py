"""Near-duplicates as an estimator of scikit-learn: groups for splits that do not leak.

>>> from sklearn.model_selection import GroupKFold
>>> texts = ["The ferry leaves at seven and at noon.", "THE FERRY leaves at seven and at noon!",
...          "Snow fell on the harbour all night long.", "The market opens at nine on Monday."]
>>> groups = NearDuplicateGroups(similarity=0.7).fit(texts).groups_
>>> groups
array([0, 0, 1, 2])
>>> for train, test in GroupKFold(2).split(texts, groups=groups):
...     assert not set(groups[train]) & set(groups[test])
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

if TYPE_CHECKING:
    from simdup import Criteria, Recipe


class NearDuplicateGroups(BaseEstimator):  # type: ignore[misc]
    """Groups of near-duplicate texts.

    Parameters
    ----------
    recipe : Recipe or str
        As in `simdup.scan`.
    criteria : Criteria, optional
        As in `simdup.scan`.
    similarity : float, optional
        The lowest similarity of near-duplicates, 0 to 1; None for that of `criteria`.
    distance : int, optional
        The Hamming distance up to which simhash proposes pairs; None for that of `criteria`.
    n_jobs : int, optional
        Number of processes; None for one per core.  The groups do not depend on it.

    Attributes
    ----------
    groups_ : int64[texts]
        The group of each text, numbered from 0 in the order of their first texts: see
        `Result.labels`.  A text without near-duplicates, or without words, is alone.
    n_groups_ : int
        The number of groups.
    """

    groups_: NDArray[np.int64]

    def __init__(
        self,
        recipe: Recipe | str = "default",
        *,
        criteria: Criteria | None = None,
        similarity: float | None = None,
        distance: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.recipe = recipe
        self.criteria = criteria
        self.similarity = similarity
        self.distance = distance
        self.n_jobs = n_jobs

    def fit(self, X: Iterable[str], y: object = None) -> NearDuplicateGroups:  # noqa: N803
        """Find the groups of texts.

        Parameters
        ----------
        X : sequence of str
            The texts: a list, or a one-dimensional array or column.
        y : object
            Ignored.

        Returns
        -------
        NearDuplicateGroups
            This estimator.

        Raises
        ------
        TypeError
            If `X` does not consist of strings.
        SimdupError
            If a parameter is invalid.
        """
        from simdup import scan

        fields: dict[str, Any] = {"similarity": self.similarity, "distance": self.distance}
        given = {name: value for name, value in fields.items() if value is not None}
        found = scan(_named(X), self.recipe, self.criteria, jobs=self.n_jobs, **given)
        self.groups_ = found.labels
        self.n_groups_ = int(self.groups_.max(initial=-1)) + 1
        return self

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn should know: texts, not numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """Return the same for scikit-learn before 1.6."""
        return {"X_types": ["string"]}


def _named(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return texts with their positions as names."""
    table = isinstance(texts, Mapping) or hasattr(texts, "columns")
    if table or isinstance(texts, str) or not isinstance(texts, Iterable):
        also = ": pass one column of it" if table else ""
        raise TypeError(f"X: expected a sequence of texts, got {type(texts).__name__}{also}")
    named = [(str(position), text) for position, text in enumerate(texts)]
    for position, text in named:
        if not isinstance(text, str):
            raise TypeError(f"X: item {position} is not a string, but {type(text).__name__}")
    return named
