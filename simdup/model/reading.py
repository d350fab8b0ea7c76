"""How sources are read: encoding, patterns, formats."""

from __future__ import annotations

from dataclasses import dataclass

from simdup.errors import check_patterns

INPUT_FORMATS = ("auto", "text", "jsonl", "json", "csv", "tsv", "parquet")
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
    ignore : bool
        Whether a walk follows the ``.simdupignore`` files that it meets; False reads what they
        leave out.
    input_format : str
        One of `INPUT_FORMATS`; ``auto`` uses the suffix, and takes a ``.json`` file for records
        only where it is an array of objects, or lines of objects.
    field : str or tuple of str
        The field of a record with its text; several are read as one text, a line apart.  Dots reach
        into objects: ``body.content``.  It also names the columns and keys of what is passed from
        Python.
    id_field : str or None
        The field of a record with its name.  Of what is passed from Python ``id`` holds the ids,
        if it exists and no other one is named.
    group_field : str or None
        The field of a record that tells which group it is of.
    group_argument : str
        The argument that asks for these groups, for messages.
    title_field : str or None
        The field of a record with its title; by default its text has it.
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
    told : tuple of str
        Results of simdup that the run is told of, such as a baseline: that a walk leaves them out
        is not noted.
    """

    encoding: str | None = None
    glob: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    input_format: str = "auto"
    field: str | tuple[str, ...] = "text"
    id_field: str | None = None
    html: bool = False
    extract: str = "main"
    # Larger than any book; a text of this size takes 3 GB while it is read and counted.
    max_size: int = 100 << 20
    outputs: tuple[str, ...] = ()
    value_field: str | None = None
    group_field: str | None = None
    group_argument: str = "across"
    title_field: str | None = None
    ignore: bool = True
    told: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Reject patterns that would take too long."""
        check_patterns("glob", self.glob)
        check_patterns("exclude", self.exclude)

    @property
    def text_fields(self) -> tuple[str, ...]:
        """The fields of a record that are its text."""
        return (self.field,) if isinstance(self.field, str) else self.field
