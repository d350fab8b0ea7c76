"""Tell which libraries the files of a run need, before any of them is read."""

from collections.abc import Iterable

from simdup.base.errors import SimdupError
from simdup.corpus.files import RECORDS, File
from simdup.corpus.main_text import require_justext
from simdup.corpus.parquet import require_pyarrow
from simdup.model.documents import Skipped
from simdup.model.settings import Reading


def require_extras(files: Iterable[File], reading: Reading) -> None:
    """Raise if files need an extra that is not installed.

    Raises
    ------
    SimdupError
        If an extra is missing; the error names the first file that needs it.
    """
    first = {file.format: file for file in reversed(list(files))}
    if "parquet" in first:
        require_pyarrow(first["parquet"].path)
    pages = [
        file.path
        for kind, file in first.items()
        if kind == "html" or (reading.html and kind in RECORDS)
    ]
    if pages and reading.extract == "main":
        require_justext(pages[0])


def without_missing(file: File, reading: Reading) -> File | Skipped:
    """Return a file, or that it is skipped because it needs an extra that is not installed."""
    try:
        require_extras([file], reading)
    except SimdupError as error:
        return Skipped(file.path, f"{error.what}: {error.hint}")
    return file
