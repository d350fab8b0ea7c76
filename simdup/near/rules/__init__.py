"""The rules: which documents may be a pair, whatever their texts say; a row each.

A rule is a column of the documents, and a module whose `allows` tells which pairs it allows, given
two sides of one table or of two.  Without the column there is no rule.  What must be equal is one
column, which searches mix into their keys.  Where fields decide, `column` of the module makes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.model.table import Side, Table
from simdup.search.arrays import Bools

if TYPE_CHECKING:
    from simdup.near.collection import Collection


class Row(NamedTuple):
    """A rule.

    Attributes
    ----------
    module : str
    parts : bool
        Whether it may forbid a pair of identical documents: the search for these does not see to
        it itself.
    argument : str
        What names the fields that decide, if any do.
    """

    module: str
    parts: bool = False
    argument: str = ""

    @property
    def rule(self) -> Any:
        """The module."""
        return import_module(f"{__name__}.{self.module}")


RULES = {
    "reference": Row("references"),
    "terms": Row("terms"),
    "group_number": Row("across", parts=True, argument="across"),
    "blocking_key": Row("same", argument="same"),
    "name_key": Row("versions"),
}


def rule_columns(read: Collection, fields: Mapping[str, Sequence[str]]) -> dict[str, NDArray[Any]]:
    """Return the columns of the rules on fields, given the fields by argument.

    What follows from a field for many documents is noted.
    """
    asked = ((column, row) for column, row in RULES.items() if fields.get(row.argument))
    return {column: row.rule.column(read, fields[row.argument]) for column, row in asked}


def parting(documents: Table) -> list[str]:
    """Return the columns of the rules that may forbid a pair of identical documents."""
    return [column for column, row in RULES.items() if row.parts and column in documents]


def apart(a: Side, b: Side) -> Bools:
    """Return which of the pairs (a[k], b[k]) the rules of `parting` allow."""
    good = np.ones(len(a.rows), np.bool_)
    for column in parting(a.table):
        good &= RULES[column].rule.allows(a, b)
    return good


def allowed(a: Side, b: Side) -> Bools:
    """Return which of the pairs (a[k], b[k]) all rules allow."""
    good = np.ones(len(a.rows), np.bool_)
    for allows in judged(a, b).values():
        good &= allows
    return good


def judged(a: Side, b: Side) -> dict[str, Bools]:
    """Return which of the pairs (a[k], b[k]) each rule allows, by its column."""
    columns = (column for column in RULES if column in a and column in b)
    return {column: RULES[column].rule.allows(a, b) for column in columns}
