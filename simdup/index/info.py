"""Facts about an index, found without reading its documents or importing numpy."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from simdup.index.storage import Storage

# More bytes than any recipe needs.
_MOST_BITS = 1 << 12


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """Facts about an index.

    Attributes
    ----------
    path : str
        The file.
    documents, bytes : int
        The number of documents, and the size of the file.
    created, changed : str
        Times in UTC and ISO 8601.
    simdup : str
        The version of simdup that created it.
    recipe : dict
        The resolved recipe; for fingerprint lines only digest and bits.
    model_documents : int or None
        How many documents its own IDF model was learned from; None if it has no model.
    """

    path: str
    documents: int
    bytes: int
    created: str
    changed: str
    simdup: str
    recipe: dict[str, Any]
    model_documents: int | None


def read_stored(storage: Storage) -> dict[str, Any]:
    """Return the stored recipe: ``fields``, ``resolved``, and ``model_documents``."""
    content = storage.get("recipe")
    try:
        stored: dict[str, Any] = json.loads(content)
        resolved, fields = stored["resolved"], stored["fields"]
        fits = (
            isinstance(resolved["digest"], str)
            and isinstance(resolved["bits"], int)
            and 0 < resolved["bits"] <= _MOST_BITS
            and isinstance(stored["model_documents"], int | None)
            and (fields is None or {*fields, "idf"} <= set(resolved))
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        fits = False
    if not fits:
        raise storage.damaged("its recipe is damaged")
    return stored


def index_info(storage: Storage) -> IndexInfo:
    """Return facts about an open index."""
    stored = read_stored(storage)
    with storage.reading():
        about = storage.about()
        documents = sum(documents for _, documents in storage.blocks())
    return IndexInfo(
        path=storage.path,
        documents=documents,
        bytes=os.path.getsize(storage.path),
        created=about["created"],
        changed=about["changed"],
        simdup=about["simdup"],
        recipe=stored["resolved"],
        model_documents=stored["model_documents"],
    )
