"""What documents are grouped by: the FIELD of `same`, `across` and `by`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from simdup.base.errors import SimdupError, as_strings, invalid
from simdup.base.when_used import pattern

# The innermost folder, the file, and the title: a record's field of that name, else the first
# heading or line.
FOLDER, FILE, TITLE = "folder", "file", "title"
_LEVELS = pattern(r"folder:([1-9]\d{0,3})")
# A condition of `same` alone: no fact of one text contradicts the other.  It groups nothing.
FACTS = "facts"
# Before the name of a field that is one of these words.
_OF_RECORDS = "field:"
_EXPECTED = "a field of records, title, file, folder, or folder:N from 1 on"
_FACTS_HINT = f"a field of records with this name is {_OF_RECORDS}{FACTS}"


def parse_fields(argument: str, fields: str | Iterable[str]) -> tuple[str, ...]:
    """Return one or several FIELDs as a tuple.

    Raises
    ------
    SimdupError
        If one is empty, has no number of levels after ``folder:``, or is a condition of `same`.
    """
    named = as_strings(argument, fields, "names of fields")
    for field in named:
        if not field or (field.startswith(f"{FOLDER}:") and not folder_levels(field)):
            raise invalid(argument, field, _EXPECTED)
        if field == FACTS and argument == "across":
            what = f"{FACTS} is for `same` only: documents that contradict each other are no pairs"
            raise SimdupError(argument, what, _FACTS_HINT, argument)
    return tuple(dict.fromkeys(named))


def check_fields(same: Iterable[str], across: Iterable[str]) -> None:
    """Raise if documents must agree in a field, and must not.

    Raises
    ------
    SimdupError
        Names the field.
    """
    both = set(same).intersection(across)
    for field in across:
        if field in both:
            what = f"{field!r:.80} cannot be in `same` too: no pair would be left"
            raise SimdupError("across", what, field="across")


def record_field(field: str) -> str | None:
    """Return the field of records that has to be read; None for folders, files and titles."""
    if field.startswith(_OF_RECORDS):
        return field.removeprefix(_OF_RECORDS)
    return None if field in (FOLDER, FILE, TITLE) or folder_levels(field) else field


def folder_levels(field: str) -> int:
    """Return the N of ``folder:N``; 0 for anything else."""
    found = _LEVELS.fullmatch(field)
    return int(found[1]) if found else 0


def check_scope(same: Sequence[str], across: Sequence[str]) -> None:
    """Raise for fields by which passages are not compared.

    Raises
    ------
    SimdupError
        If one is the title or facts, or there are several that must differ.
    """
    check_fields(same, across)
    for argument, fields in (("same", same), ("across", across)):
        if TITLE in fields:
            raise SimdupError(argument, "passages are compared whatever the titles", field=argument)
    if FACTS in same:
        what = "passages are compared whatever the facts around them"
        raise SimdupError("same", what, _FACTS_HINT, "same")
    if len(across) > 1:
        what = f"passages can be compared across one field only, not {' and '.join(across):.80}"
        raise SimdupError("across", what, field="across")
