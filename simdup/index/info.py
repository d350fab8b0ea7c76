"""What an index says about itself, without looking at its documents or importing numpy."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from simdup.index.storage import Storage


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an index says about itself.

    Attributes
    ----------
    path : str
        Its file.
    documents, bytes : int
        How many documents; how large the file is.
    created, changed : str
        When, in UTC and ISO 8601.
    simdup : str
        The version that created it.
    recipe : dict
        The resolved recipe; for fingerprint lines only digest and bits.
    model_documents : int or None
        How many documents its own IDF model was learned from; None without one.
    """

    path: str
    documents: int
    bytes: int
    created: str
    changed: str
    simdup: str
    recipe: dict[str, Any]
    model_documents: int | None


def index_info(storage: Storage) -> IndexInfo:
    """Return what an open index says about itself."""
    stored = json.loads(storage.get("recipe", 0))
    with storage.reading():
        about = storage.about()
        documents = sum(documents for _, documents in storage.blocks())
    return IndexInfo(
        path=storage.path,
        documents=documents,
        bytes=os.path.getsize(storage.path),
        created=about.get("created", ""),
        changed=about.get("changed", ""),
        simdup=about.get("simdup", ""),
        recipe=stored["resolved"],
        model_documents=stored["model_documents"],
    )
