"""How results are written for programs: fields, columns of CSV, first keys of JSON lines.

A line of JSON has the fields of a value, in their order, then the properties whose annotation says
how they are written.  A field that may be unset (its default is None, False or empty) is absent
then.  What else is to say is in the annotation of the field: `show/lines` writes by it, and the
JSON Schema is made of it.  What a report page carries is here, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType
from typing import (
    Annotated,
    Any,
    NamedTuple,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

T = TypeVar("T")


class Written(NamedTuple):
    """How a field is written for programs.

    Attributes
    ----------
    spell : callable or None
        Makes the value that is written.
    key : str
        The name that it has there, if that is another one.
    schema : tuple of (str, object)
        What its values are, by keywords of JSON Schema, where its type does not say it.
    """

    spell: Callable[[Any], Any] | None = None
    key: str = ""
    schema: tuple[tuple[str, Any], ...] = ()


def rounded(similarity: float | None) -> float | None:
    """Return a share with 4 digits, rounded down, so that it is never overstated.

    A share such as 0.57 has no exact binary form and may be stored slightly too low, so what is
    this near the next digit is rounded first, far beyond the digits shown.
    """
    if similarity is None:
        return None
    whole = similarity * 1e4
    down = math.floor(whole)
    return (math.floor(round(whole, 6)) if whole - down > 0.99 else down) / 1e4


def digits(similarity: float | None) -> str:
    """Return `rounded` as text, empty for None."""
    return "" if similarity is None else f"{rounded(similarity):.4f}"


def nearest(figure: float) -> float:
    """Return a figure with 4 digits."""
    return round(figure, 4)


def one_of(*values: str) -> Written:
    """Return how a field is written that has one of these values."""
    return Written(schema=(("enum", values),))


_SHARE = ("minimum", 0), ("maximum", 1)

# A share from 0 to 1, unrounded; shares that are rounded to the nearest, which may be negative in
# the second; two ends of that kind.
Share: TypeAlias = Annotated[float, Written(rounded, schema=_SHARE)]
Figure: TypeAlias = Annotated[float, Written(nearest, schema=_SHARE)]
SignedFigure: TypeAlias = Annotated[float, Written(nearest)]
Interval: TypeAlias = Annotated[tuple[float, float], Written(lambda ends: [*map(nearest, ends)])]
# How long a run took.
Seconds: TypeAlias = Annotated[float, Written(lambda seconds: round(seconds, 3))]
# What is written is how many there are.
Counted: TypeAlias = Annotated[T, Written(len, schema=(("type", "integer"), ("minimum", 0)))]
# What is not written.
_HIDDEN = Written(key="-")
Hidden: TypeAlias = Annotated[T, _HIDDEN]


class WrittenField(NamedTuple):
    """A field that is written, of a class of values."""

    name: str
    key: str
    hint: Any
    default: Any  # absent where it has this value; `ALWAYS` where it never is


# The default of a field that is never absent: of all values, none is this one.
ALWAYS = object()


def written_fields(kind: type) -> Iterator[WrittenField]:
    """Yield the fields of a named tuple or a data class that are written, in order."""
    defaults = getattr(kind, "_field_defaults", None)
    if defaults is None:
        defaults = {field.name: field.default for field in fields(kind)}
    hints = get_type_hints(kind, include_extras=True)
    for name, member in vars(kind).items():
        if isinstance(member, property):
            hint = get_type_hints(member.fget, include_extras=True)["return"]
            hints |= {name: hint} if get_origin(hint) is Annotated else {}
    for name, hint in hints.items():
        _, about = what_is_written(hint)
        if about is not _HIDDEN:
            default = defaults.get(name, ALWAYS)
            unset = any(default is empty for empty in (None, False, ()))
            yield WrittenField(name, about.key or name, hint, default if unset else ALWAYS)


def what_is_written(hint: Any) -> tuple[Any, Written]:
    """Return the type that an annotation is of, without None, and how it is written."""
    options = get_args(hint)
    if NoneType in options:
        hint = next(option for option in options if option is not NoneType)
    if get_origin(hint) is Annotated:
        hint, about = get_args(hint)
        return hint, about
    return hint, Written()


def value_class(hint: Any) -> type | None:
    """Return the class of values of a type that is one, or of which a sequence consists."""
    if get_origin(hint) in (tuple, list, Sequence):
        hint = get_args(hint)[0]
    return hint if hasattr(hint, "_fields") or is_dataclass(hint) else None


CLUSTER_COLUMNS = ("cluster", "role", "document", "fingerprint", "distance", "similarity")
# What further columns say of clusters and of pairs whose texts were read.
MEASURE_COLUMNS = ("containment", "cosine", "measure")
REMOVED_COLUMNS = ("document", "reason", "distance", "similarity", "kept")
REMOVED_PART_COLUMNS = ("document", "start", "end", "kept", "kept_start", "kept_end", "text")
QUERY_COLUMNS = ("document", "match", "distance", "similarity")
PAIR_COLUMNS = ("a", "b", "distance", "similarity")
PASSAGE_COLUMNS = ("a", "a_start", "a_end", "b", "b_start", "b_end", "length", "similarity")
RATE_COLUMNS = ("document", "share", "counted", "largest_source", "largest_share", "sources")
CONFLICT_COLUMNS = (
    "conflict", "kind", "reading", "document", "start", "end", "line", "before", "after",
)  # fmt: skip
TABLES = (
    CLUSTER_COLUMNS, REMOVED_COLUMNS, QUERY_COLUMNS, PAIR_COLUMNS, PASSAGE_COLUMNS,
    CONFLICT_COLUMNS, REMOVED_PART_COLUMNS, RATE_COLUMNS,
)  # fmt: skip

# The first line of a baseline; the number increases with incompatible changes.
BASELINE_HEAD = "# simdup-baseline 1"
# The first line of a report page.
PAGE_LINE = "<!DOCTYPE html><!-- simdup report 1 -->"

# For each type, the keys that may follow it.
TYPED_LINES = {
    "cluster": ("cluster",),
    "pair": ("a",),
    "overlap": ("a",),
    "rate": ("document",),
    "conflict": ("kind",),
    "form": ("kind",),
    "leak": ("document",),
    "removed": ("document",),
    "removed_part": ("document",),
    "spared": ("document",),
    "part": ("name",),
    "match": ("document",),
    "new": ("document",),
    "skipped": ("document",),
    "summary": ("documents", "schema"),
    "comparison": ("a",),
    "evaluation": ("documents",),
    "band": ("low",),
    "precision": ("pairs",),
    "index": ("path",),
}

# The same of what a report page saves.
DECISION_LINES = {"decision": ("decision",)}


# The prototype carries the texts of all clusters of nearly every corpus that was tried, and a mail
# program still takes the file.
TEXT_BYTES = 16 << 20


KINDS = ("scan", "audit", "compare", "conflicts", "dedupe", "passages", "query")


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What a report page carries.

    Attributes
    ----------
    texts : int or None
        Most bytes that texts may take in the file; 0 for no texts, None for all of them.
    command : str
        The command that made the page, as it was typed.
    kind : str
        One of `KINDS`: what made the page.
    """

    texts: int | None = TEXT_BYTES
    command: str = ""
    kind: str = "scan"
