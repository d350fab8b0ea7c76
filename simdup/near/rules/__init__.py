"""The rules: which documents may be a pair, whatever their texts say; a row each.

A rule is a column of the documents, and a module whose `allows` tells which pairs it allows, given
two sides of one table or of two.  Without the column there is no rule.  What must be equal is one
column, which searches mix into their keys.  Where fields decide, `column` of the module makes it
(`simdup.near.field_groups`).

Some rules forbid that documents share a cluster.  Their modules have a function `divide`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from simdup.model.criteria import Criteria
from simdup.model.table import Side, Table
from simdup.near.features import Feature, asked_for, load
from simdup.search.arrays import Bools


class Rule(NamedTuple):
    """A rule: its module, which the argument of its fields is called after.

    `parts` says whether it may forbid a pair of identical documents: the search for these does not
    see to it itself.
    """

    module: str
    parts: bool = False

    @property
    def loaded(self) -> Any:
        """The module."""
        return load(__name__, self.module)


RULES = {
    "reference": Rule("references"),
    "terms": Rule("terms"),
    "different": Rule("across", parts=True),
    "equal": Rule("same"),
    "name_key": Rule("versions"),
}
DIVIDING = (
    Feature("decisions", lambda criteria: bool(criteria.decisions.each)),
)  # fmt: skip


def parting(documents: Table) -> list[str]:
    """Return the columns of the rules that may forbid a pair of identical documents."""
    return [column for column, rule in RULES.items() if rule.parts and column in documents]


def apart(a: Side, b: Side) -> Bools:
    """Return which of the pairs (a[k], b[k]) the rules of `parting` allow."""
    good = np.ones(len(a.rows), np.bool_)
    for column in parting(a.table):
        good &= RULES[column].loaded.allows(a, b)
    return good


def allowed(a: Side, b: Side) -> Bools:
    """Return which of the pairs (a[k], b[k]) all rules allow."""
    good = np.ones(len(a.rows), np.bool_)
    for allows in judged(a, b).values():
        good &= allows
    return good


def dividing(criteria: Criteria) -> Iterator[Any]:
    """Return the modules of the rules that may divide clusters."""
    return asked_for(__name__, DIVIDING, criteria)


def notes(criteria: Criteria, names: Iterable[Any]) -> list[tuple[str, str]]:
    """Return what a person should know of the rules that may divide clusters of `names`."""
    return [note for module in dividing(criteria) for note in module.notes(criteria, names)]


def judged(a: Side, b: Side) -> dict[str, Bools]:
    """Return which of the pairs (a[k], b[k]) each rule allows, by its column."""
    columns = (column for column in RULES if column in a and column in b)
    return {column: RULES[column].loaded.allows(a, b) for column in columns}
