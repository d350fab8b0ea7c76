"""`simdup/show/jsonl.schema.json`: what each typed line of JSON has, from the fields of values.

A definition is a line of the file: of each type of lines, and of each class of what is in them.
"""

import json
from types import NoneType
from typing import Annotated, Any, Literal, NotRequired, get_args, get_origin, get_type_hints

from simdup.index.file import IndexInfo
from simdup.index.match import Match
from simdup.model.cleaned import Part, Removed, RemovedPart
from simdup.model.clusters import Member, Pair, Spared, Summary
from simdup.model.comparison import (
    COPIED,
    DIFFERING,
    EQUAL,
    EXCLUDED,
    NEAR,
    NEITHER,
    Comparison,
)
from simdup.model.criteria import SHARES
from simdup.model.documents import Skipped
from simdup.model.formats import (
    ALWAYS,
    Share,
    one_of,
    value_class,
    what_is_written,
    written_fields,
)
from simdup.model.readings import Conflict, ConflictSummary, FactDifference
from simdup.model.shared_passages import Overlap, Passage, PassageSummary, Rate
from simdup.near.audit_sample import BandPrecision, Precision
from simdup.show.evaluation import Evaluation
from simdup.show.leak_output import Decontaminated, Leak

HEAD = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A line of JSONL that simdup writes",
    "description": "Explained in docs/formats.md.",
}

# What else lines and what is in them have, beside the fields of their class.
_ABOUT: dict[str, Any] = {"schema": Literal[1], "simdup": str}
_MORE: dict[type, dict[str, Any]] = {
    Summary: _ABOUT,
    PassageSummary: _ABOUT,
    ConflictSummary: _ABOUT,
    Decontaminated: _ABOUT,
    Passage: {"text": NotRequired[str], "text_b": NotRequired[str]},
    # A kept document has neither.
    Member: {"distance": NotRequired[int | None], "similarity": NotRequired[Share | None]},
    # Places are those of a comparison.
    FactDifference: {"at_a": NotRequired[tuple[int, int]], "at_b": NotRequired[tuple[int, int]]},
    Removed: {"facts": NotRequired[list[FactDifference]], "beginning": str},
    Precision: {
        name: hint
        for name, hint in get_type_hints(BandPrecision, include_extras=True).items()
        if name not in ("low", "high")
    },
}

# A resolved recipe, in a list of its own: only the first two are always known.
_RECIPE = {
    "digest": str, "bits": int, "tokens": str, "fold": bool, "weight": str, "idf": str,
    "min-df": int, "top": int, "cap": float, "hash": str, "ties": str, "phrases": str,
    "dictionary": str, "strip": list[str],
}  # fmt: skip

_VERDICTS = EQUAL, NEAR, DIFFERING, EXCLUDED, COPIED, NEITHER
_COMPARED = (
    "duplicates", "distance", "bits", "agreement", "ratio", "similarity", "measure",
    "fingerprints", "bands", "searches", "proposed_by", "shared", "only_a", "only_b", "recipe",
    "facts", "passages", "share_a", "share_b",
)  # fmt: skip


def _hint(kind: type, name: str) -> Any:
    """Return the annotation of a field or a property."""
    member = getattr(kind, name)
    if isinstance(member, property):
        return get_type_hints(member.fget, include_extras=True)["return"]
    return get_type_hints(kind, include_extras=True)[name]


def _comparison() -> dict[str, Any]:
    """Return what a comparison has, of which some only where it was asked for."""
    return {
        "a": str, "b": str, "verdict": Annotated[str, one_of(*_VERDICTS)],
        **{name: _hint(Comparison, name) for name in _COMPARED},
        **dict.fromkeys(SHARES[1:], NotRequired[Share]),
        "contained": NotRequired[Annotated[str, one_of("a", "b", "both")]],
        **{name: NotRequired[_hint(Comparison, name)] for name in ("run", "fields", "diff")},
    }  # fmt: skip


# Each line: its name here, its type, and its class, or what it has.
LINES: tuple[tuple[str, str, type | dict[str, Any]], ...] = (
    ("cluster", "cluster",
     {"cluster": int, "size": int, "documents": list[Member], "pairs": list[Pair]}),
    ("pair", "pair", Pair),
    ("skipped", "skipped", Skipped),
    ("summary", "summary", Summary),
    ("query_summary", "summary",
     {"documents": int, "matched": int, "new": int, "added": int, "skipped": int,
      "seconds": float, "simdup": str, "recipe": dict[str, Any]}),
    ("overlap", "overlap", Overlap),
    ("rate", "rate", Rate),
    ("passage_summary", "summary", PassageSummary),
    ("conflict", "conflict", Conflict),
    ("form", "form", Conflict),
    ("conflict_summary", "summary", ConflictSummary),
    ("leak", "leak", Leak),
    ("leak_summary", "summary", Decontaminated),
    ("comparison", "comparison", _comparison()),
    ("match", "match", {"document": str, "matches": list[Match]}),
    ("new", "new", {"document": str, "added": NotRequired[Literal[True]]}),
    ("removed", "removed", Removed),
    ("removed_part", "removed_part", RemovedPart),
    ("spared", "spared", Spared),
    ("part", "part", Part),
    ("evaluation", "evaluation", Evaluation),
    ("band", "band", BandPrecision),
    ("precision", "precision", Precision),
    ("index", "index", IndexInfo),
)  # fmt: skip

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    Any: {"type": "string"},  # a name
    int: {"type": "integer", "minimum": 0},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    dict[str, Any]: {"$ref": "#/$defs/recipe"},
}


class _Schema:
    """The definitions of classes that were needed so far."""

    def __init__(self) -> None:
        recipe = {name: NotRequired[hint] for name, hint in _RECIPE.items()}
        self.definitions: dict[str, Any] = {"recipe": self.object(recipe)}

    def object(self, hints: dict[str, Any], about: str = "") -> dict[str, Any]:
        """Return the definition of an object that has these fields."""
        properties, required = {}, []
        for name, hint in hints.items():
            if get_origin(hint) is NotRequired:
                hint = get_args(hint)[0]
            else:
                required.append(name)
            properties[name] = self.value(hint)
        return {
            **({"description": about} if about else {}),
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }

    def value(self, hint: Any) -> dict[str, Any]:
        """Return the schema of values of a type."""
        kind, about = what_is_written(hint)
        schema = self._plain(kind) | dict(about.schema)
        if NoneType not in get_args(hint):
            return schema
        if isinstance(schema.get("type"), str):
            return schema | {"type": [schema["type"], "null"]}
        return {"anyOf": [schema, {"type": "null"}]}

    def _plain(self, kind: Any) -> dict[str, Any]:
        if kind in _PLAIN:
            return _PLAIN[kind]
        parts = get_args(kind)
        if get_origin(kind) is Literal:
            return {"const": parts[0]}
        if get_origin(kind) is dict:
            return {"type": "object", "additionalProperties": self.value(parts[1])}
        if value_class(kind) is kind:
            return {"$ref": f"#/$defs/{self._define(kind)}"}
        if parts[1:] and parts[1] is not Ellipsis:
            same = len(set(parts)) == 1
            each = [self.value(part) for part in parts]
            items = {"items": each[0]} if same else {"prefixItems": each}
            return {"type": "array", **items, "minItems": len(parts), "maxItems": len(parts)}
        return {"type": "array", "items": self.value(parts[0])}

    def _define(self, kind: type) -> str:
        """Return the name of the definition of a class."""
        name = kind.__name__
        if name not in self.definitions:
            self.definitions[name] = self.object(fields(kind), first_line(kind))
        return name


def fields(kind: type) -> dict[str, Any]:
    """Return what values of a class are written with."""
    hints: dict[str, Any] = {}
    for field in written_fields(kind):
        plain, about = what_is_written(field.hint)
        hints[field.key] = field.hint
        if field.default is False:
            hints[field.key] = NotRequired[Literal[True]]
        elif field.default is not ALWAYS:
            hints[field.key] = NotRequired[Annotated[plain, about]]
    return hints | _MORE.get(kind, {})


def first_line(kind: type) -> str:
    """Return the first line of the docstring of a class."""
    return str(kind.__doc__).split("\n", 1)[0]


def page() -> str:
    """Return the schema."""
    schema, lines = _Schema(), dict[str, Any]()
    for name, type_, of in LINES:
        hints, about = (of, "") if isinstance(of, dict) else (fields(of), first_line(of))
        lines[name] = schema.object({"type": Literal[type_], **hints}, about)
    defined = (f"{json.dumps(name)}: {json.dumps(of)}" for name, of in
               (lines | schema.definitions).items())  # fmt: skip
    head = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in HEAD.items())
    listed = (json.dumps({"$ref": f"#/$defs/{name}"}) for name in lines)
    return "\n".join([
        "{", *(f"  {line}," for line in head),
        '  "oneOf": [', "    " + ",\n    ".join(listed), "  ],",
        '  "$defs": {', "    " + ",\n    ".join(defined), "  }", "}", "",
    ])  # fmt: skip
