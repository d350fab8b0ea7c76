"""The groups of documents: by a field of their records, or by the folder of their file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError
from simdup.model.table import Documents

# Groups are folders, not values of a field.
FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class GroupBy:
    """What documents are grouped by."""

    argument: str  # that asks for it
    name: str  # of a field of records, or `FOLDER`

    @property
    def field(self) -> str | None:
        """The field of records that has to be read; None for folders."""
        return None if self.name == FOLDER else self.name

    def group(self, documents: Documents) -> Groups:
        """Return the groups of documents.

        Raises
        ------
        SimdupError
            If no document has the field.
        """
        if self.field is None:
            places = zip(documents["path"].tolist(), documents["name"].tolist(), strict=True)
            values = [os.path.dirname(path or str(name)) or os.curdir for path, name in places]
            # One folder may be written in several ways: as it is written first.
            written: dict[str, str] = {}
            first = {
                one: written.setdefault(os.path.abspath(one), one) for one in dict.fromkeys(values)
            }
            values = [first[one] for one in values]
        else:
            # An empty cell of a table counts as missing.
            values = documents["group"].tolist()
            if values and not any(values):
                what = f"no record has a field {self.name!r}"
                raise SimdupError(self.argument, what, field=self.argument)
        numbers: dict[str, int] = {}
        of = [numbers.setdefault(value, len(numbers)) if value else -1 for value in values]
        return Groups(list(numbers), np.array(of, np.int64))


@dataclass(frozen=True, slots=True)
class Groups:
    """Which group each document belongs to."""

    names: Sequence[str]  # of the groups, in the order of their first documents
    of: NDArray[np.int64]  # int64[documents]: the place of each one's group; -1 for none
