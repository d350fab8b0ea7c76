"""How sources are read: encoding, patterns, formats."""

from __future__ import annotations

from dataclasses import dataclass

INPUT_FORMATS = ("auto", "text", "jsonl", "csv", "tsv", "parquet")
EXTRACTS = ("main", "all", "none")


@dataclass(frozen=True, slots=True)
class Reading:
    """How sources are read.

    Attributes
    ----------
    encoding : str or None
        The encoding of all files; None detects it for each file.
    glob, exclude : tuple of str
        Shell patterns of the files to read, and of the files and folders to leave out.  A pattern
        with a slash is matched against the path below the SOURCE, one without against the name;
        ``{a,b}`` matches either.
    input_format : str
        One of `INPUT_FORMATS`; ``auto`` uses the suffix.
    field, id_field : str, str or None
        The fields of a record with its text and its name.  Dots reach into objects:
        ``body.content``.  They also name the columns and keys of what is passed from Python; there
        ``id`` holds the ids, if it exists and no other one is named.
    group_field : str or None
        The field of a record that tells which group it is of.
    value_field : str or None
        The field of a record with a number or a date; see `Criteria.keep`.
    html : bool
        Whether all texts are HTML, regardless of suffixes.
    extract : str
        Which part of HTML is the text, one of `EXTRACTS`: the main text, all text, or the markup.
    max_size : int
        The most bytes of a document, decompressed; larger ones are skipped.
    outputs : tuple of str
        Files that the run writes; a walk leaves them out.
    """

    encoding: str | None = None
    glob: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    input_format: str = "auto"
    field: str = "text"
    id_field: str | None = None
    html: bool = False
    extract: str = "main"
    # Larger than any book; a text of this size takes 3 GB while it is read and counted.
    max_size: int = 100 << 20
    outputs: tuple[str, ...] = ()
    value_field: str | None = None
    group_field: str | None = None
