"""What is known of an index without looking at its documents, nor importing numpy."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from simdup.index.storage import File


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What an index says of itself.

    Attributes
    ----------
    path : str
        Its file.
    documents, bytes : int
        How many; how large the file is.
    created, changed : str
        When, in UTC as ISO 8601 has it.
    simdup : str
        The version that made it.
    recipe : dict
        The resolved recipe; of fingerprint lines its digest and bits only.
    model_documents : int or None
        How many documents its own IDF model was learnt from; None without one.
    """

    path: str
    documents: int
    bytes: int
    created: str
    changed: str
    simdup: str
    recipe: dict[str, Any]
    model_documents: int | None


def index_info(file: File) -> IndexInfo:
    """Return what an open file says of itself."""
    stored = json.loads(file.get("recipe", 0))
    with file.reading():
        about = file.about()
        documents = sum(documents for _, documents in file.blocks())
    return IndexInfo(
        path=file.path,
        documents=documents,
        bytes=os.path.getsize(file.path),
        created=about.get("created", ""),
        changed=about.get("changed", ""),
        simdup=about.get("simdup", ""),
        recipe=stored["resolved"],
        model_documents=stored["model_documents"],
    )
