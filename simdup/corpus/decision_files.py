"""Files of decisions, a JSON object a line, as a page saves them; and of known near-duplicates.

The latter have a digest and a name on each line, blank lines between clusters.  The name is a
comment for readers of the file, and of a diff of two versions.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple, TypeGuard

from simdup.base.errors import NEWER, SimdupError
from simdup.base.regular_files import read_named
from simdup.base.when_used import pattern
from simdup.corpus.json_text import object_lines
from simdup.model.decisions import KINDS, UNSURE, VERDICTS, Baseline, Decision, Decisions, Entry
from simdup.model.formats import BASELINE_HEAD


class Judgement(NamedTuple):
    """What somebody said of a pair.

    Attributes
    ----------
    kind : str
        ``duplicates``, ``distinct`` or ``unsure``.
    documents : tuple of (str, str)
        Names, in any order.
    seed, sample : int
        Of the audit.
    """

    kind: str
    documents: tuple[str, str]
    seed: int
    sample: int


class Judgements(NamedTuple):
    """The judgements of a file, in its order, and how many other decisions it has."""

    each: tuple[Judgement, ...]
    others: int = 0


# How the file of an argument is made.
_SAVE = {
    "decisions": "save it from a report page (simdup scan SOURCE -o report.html); "
    "until then, an empty file will do",
    "judged": "save judgements from a page of simdup audit",
}


def read_decisions(path: str) -> Decisions:
    """Read a file of decisions.

    Lines of other types are passed over: a file may hold more than decisions.  So are those of a
    judge who could not tell.

    Raises
    ------
    SimdupError
        If the file cannot be read, or a line is no JSON object or no decision as documented.
    """
    lines = _decision_lines(path, "decisions")
    decided = (_decision(path, *line) for line in lines if line[1].get("decision") != UNSURE)
    return Decisions(tuple(decided))


def read_judgements(path: str) -> Judgements:
    """Read the judgements of an audit from a file of decisions.

    Raises
    ------
    SimdupError
        If the file cannot be read, a line is no JSON object or no judgement as documented, or it
        has judgements of different audits, or none.
    """
    lines = list(_decision_lines(path, "judged"))
    found = [_judgement(path, *line) for line in lines if "seed" in line[1]]
    if not found:
        raise SimdupError(path, "has no judgement of an audit", _SAVE["judged"])
    if len(seeds := sorted({one.seed for one in found})) > 1:
        what = f"has judgements of audits with different seeds: {', '.join(map(str, seeds))}"
        raise SimdupError(path, what, "evaluate each audit by itself")
    return Judgements(tuple(found), len(lines) - len(found))


def _judgement(path: str, number: int, values: dict[str, Any]) -> Judgement:
    kind, documents = values.get("decision"), values.get("documents")
    if kind not in VERDICTS:
        raise _wrong(path, number, f"'decision' is none of {', '.join(VERDICTS)}", "judged")
    if not _are_names(documents) or len(documents) != 2:
        raise _wrong(path, number, "'documents' is no list of two names", "judged")
    for name in ("seed", "sample"):
        if type(values.get(name)) is not int or values[name] < 0:
            raise _wrong(path, number, f"{name!r} is no whole number from 0 on", "judged")
    return Judgement(str(kind), (documents[0], documents[1]), values["seed"], values["sample"])


def _are_names(values: Any) -> TypeGuard[list[str]]:
    return isinstance(values, list) and all(isinstance(one, str) for one in values)


def _decision_lines(path: str, field: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the values of each line that is a decision."""
    text = read_named(path, _SAVE[field] if _is_missing(path) else "").decode(
        "utf-8-sig", "surrogateescape"
    )
    wrong = partial(_wrong, path, what="not a JSON object", field=field)
    for number, values in object_lines(text, wrong):
        if values.get("type") == "decision":
            yield number, values


def _decision(path: str, number: int, values: dict[str, Any]) -> Decision:
    kind, documents = values.get("decision"), values.get("documents")
    if kind not in KINDS:
        raise _wrong(path, number, f"'decision' is none of {', '.join(KINDS)}")
    if not _are_names(documents):
        raise _wrong(path, number, "'documents' is no list of names")
    if kind == "keep":
        keep = values.get("keep")
        if not isinstance(keep, str):
            raise _wrong(path, number, "'keep' is no name")
        documents = [keep, *documents]
    return Decision(str(kind), tuple(documents))


def _wrong(path: str, number: int, what: str, field: str = "decisions") -> SimdupError:
    hint = "save decisions from a report page, a JSON object a line"
    return SimdupError(path, f"line {number}: {what}", hint, field=field)


_ANY_HEAD = pattern(r"# simdup-baseline (\d{1,9})(?: (\w+))?\s*")
_LINE = pattern(r"([0-9a-f]{32})(?:  (.*))?")

_MISSING = "add `update_baseline` to write it"
_AGAIN = "add `update_baseline` to write it anew"


def read_baseline(path: str, kind: str = "", replace: bool = False) -> Baseline:
    """Read a file of known near-duplicates, or of what else `kind` says.

    With `replace` it is about to be written: it may be missing or damaged, and nothing is known
    then.  A file of another kind or format is an error still, for nobody wants it replaced.

    Raises
    ------
    SimdupError
        If the file cannot be read, is of another kind or format, or has a line that is not an
        entry.
    """
    missing = _is_missing(path)
    if missing and replace:
        return Baseline()
    content = read_named(path, _MISSING if missing else "")
    lines = content.decode("utf-8-sig", "replace").split("\n")
    if replace and not content.strip():
        return Baseline()
    head = _ANY_HEAD.fullmatch(lines[0])
    if head is None:
        hint = _AGAIN if not content.strip() else "name another file"
        raise SimdupError(
            path, f"is not a baseline (its first line is not {BASELINE_HEAD!r})", hint
        )
    if (head[2] or "") != kind:
        what = (
            f"is a baseline of {head[2] or 'near-duplicates'}, not of {kind or 'near-duplicates'}"
        )
        raise SimdupError(path, what, "name another file")
    if f"# simdup-baseline {head[1]}" != BASELINE_HEAD:
        what = f"is a baseline of format {head[1]}; this simdup only reads format 1"
        raise SimdupError(path, what, NEWER)
    try:
        return _baseline(path, lines)
    except SimdupError:
        if replace:
            return Baseline()
        raise


def _is_missing(path: str) -> bool:
    """Return whether there is no file, nor behind a link; other faults are those of reading it."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        pass
    return False


def _baseline(path: str, lines: list[str]) -> Baseline:
    clusters: list[list[Entry]] = [[]]
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r")
        if found := _LINE.fullmatch(text):
            clusters[-1].append(Entry(found[1], found[2] or ""))
        elif not text.strip():
            clusters.append([])
        elif not text.startswith("#"):
            raise SimdupError(path, f"line {number}: not a digest and a name", _AGAIN)
    return Baseline(tuple(map(tuple, filter(None, clusters))))
