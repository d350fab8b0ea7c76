"""Files of decisions: a JSON object a line, as a report page saves them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simdup.base.errors import SimdupError
from simdup.corpus.json_text import parse_json
from simdup.corpus.opening import read_named
from simdup.model.decisions import KINDS, Decision, Decisions


def read_decisions(path: str) -> Decisions:
    """Read a file of decisions.

    Lines of other types are passed over: a file may hold more than decisions.

    Raises
    ------
    SimdupError
        If the file cannot be read, or a line is no JSON object or no decision as documented.
    """
    return Decisions(tuple(_decisions(path, read_named(path))))


def _decisions(path: str, content: bytes) -> Iterator[Decision]:
    lines = content.decode("utf-8-sig", "surrogateescape").split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            values = parse_json(line)
        except ValueError:
            values = None
        if not isinstance(values, dict):
            raise _wrong(path, number, "not a JSON object")
        if values.get("type") == "decision":
            yield _decision(path, number, values)


def _decision(path: str, number: int, values: dict[str, Any]) -> Decision:
    kind, documents = values.get("decision"), values.get("documents")
    if kind not in KINDS:
        raise _wrong(path, number, f"'decision' is none of {', '.join(KINDS)}")
    if not isinstance(documents, list) or not all(isinstance(one, str) for one in documents):
        raise _wrong(path, number, "'documents' is no list of names")
    if kind == "keep":
        keep = values.get("keep")
        if not isinstance(keep, str):
            raise _wrong(path, number, "'keep' is no name")
        documents = [keep, *documents]
    return Decision(str(kind), tuple(dict.fromkeys(documents)))


def _wrong(path: str, number: int, what: str) -> SimdupError:
    hint = "save decisions from a report page, a JSON object a line"
    return SimdupError(path, f"line {number}: {what}", hint, field="decisions")
