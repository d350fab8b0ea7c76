"""Jupyter notebooks: the sources of their cells, text and code; what the code printed is left out.

Cells are in one list since format 4, and in worksheets before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simdup.corpus.decoding import NotReadable, decode
from simdup.corpus.files import File
from simdup.corpus.formats import Extracted
from simdup.corpus.json_text import parse_json
from simdup.model.settings import Reading


def read(content: bytes, _: File, reading: Reading) -> Extracted:
    """Return the sources of a notebook's cells."""
    if not content.strip():
        raise NotReadable("empty", error=False)
    decoded = decode(content, reading.encoding)
    try:
        notebook = parse_json(decoded.text)
        return Extracted("\n".join(_sources(notebook)), None, decoded.note)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise NotReadable("not a notebook, or damaged") from None


def _sources(notebook: Any) -> Iterator[str]:
    sheets = [notebook] if "cells" in notebook else notebook["worksheets"]
    for cell in (cell for sheet in sheets for cell in sheet["cells"]):
        source = cell["input"] if "input" in cell else cell["source"]
        yield source if isinstance(source, str) else "".join(source)
