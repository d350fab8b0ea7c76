"""Exit statuses, and library messages in the terms of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from enum import IntEnum

from simdup.model.documents import Skipped


class Status(IntEnum):
    """Exit statuses."""

    DONE = 0
    NO = 1
    ERROR = 2
    INTERRUPTED = 130


def status(skipped: Iterable[Skipped] = (), no: bool = False) -> Status:
    """Return the status of a run: unreadable documents are an error, which outranks `no`."""
    if any(one.error for one in skipped):
        return Status.ERROR
    return Status.NO if no else Status.DONE


# Python names that library messages have in backquotes, and what people type instead.  An empty
# string means that the command has no counterpart; that part of a hint is dropped.
_TYPED = {
    "dictionary": "--dict",
    "verify": "--no-verify",
    "ignore": "--no-ignore",
    "least_score": "--min-score",
    "id": "--id-field",
    "references": "--reference",
    "templates": "--template",
    "dedupe": "simdup dedupe",
    "fit": "simdup fit SOURCE -o MODEL",
    "fingerprint": "simdup fingerprint SOURCE",
    "Index.build": "simdup index build INDEX SOURCE",
    "Index.add": "simdup index add INDEX SOURCE",
    "Index.query": "simdup query INDEX SOURCE",
    "Index.check": "simdup index check INDEX",
    "Index.repair": "simdup index repair INDEX",
    "iter_pairs": "",
    "copies": "",
}


def as_option(field: str) -> str:
    """Return what people type for a Python name."""
    return _TYPED.get(field, "--" + field.replace("_", "-"))


def as_typed(text: str) -> str:
    """Return a library message with the names in backquotes replaced by what people type."""
    parts = (
        part
        for part in text.split("; ")
        if not any(as_option(name) == "" for name in _NAME.findall(part))
    )
    return _NAME.sub(lambda match: as_option(match[1]), "; ".join(parts))


def typed(skipped: Iterable[Skipped]) -> tuple[Skipped, ...]:
    """Return skipped documents with reasons in terms of the command line."""
    return tuple(replace(one, reason=as_typed(one.reason)) for one in skipped)


_NAME = re.compile(r"`([A-Za-z_][A-Za-z_.]*)`")
