"""What a run is asked to do, how it reads sources, what it may use: with the defaults of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias, Unpack

from simdup.base.errors import (
    TEXT,
    WHOLE,
    SimdupError,
    as_strings,
    check_names,
    check_patterns,
    check_type,
    invalid,
)
from simdup.base.system import MOST_PROCESSES, cores
from simdup.model.criteria import Criteria, CriteriaFields
from simdup.model.recipe import Recipe, as_recipe

PAGES = "html"
INPUT_FORMATS = ("auto", "text", "jsonl", "json", "csv", "tsv", "parquet", PAGES)
EXTRACTS = ("main", "all", "none")
# The fields of records with their text, if none is named.
DEFAULT_FIELDS = ("text",)


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
        ``{a,b}`` matches either.  A slash at its end means a folder and does not count.
    ignore : bool
        Whether a walk follows the ``.simdupignore`` files that it meets; False reads what they
        leave out.
    input_format : str
        One of `INPUT_FORMATS`; ``auto`` uses the suffix, and takes a ``.json`` file for records
        only where it is an array of objects, or lines of objects; ``html`` does so too, and takes
        every text for HTML, those of records too.
    delimiter : str or None
        The ASCII character between the fields of CSV, or ``tab``; None recognises it in the first
        records of each file.
    field : str, tuple of str or None
        The field of a record with its text; several are read as one text, a line apart.  Dots reach
        into objects, brackets into lists: ``body.content``, ``messages[].content``; the strings of
        a list are its lines.  It also names the columns and keys of what is passed from Python.
        None is ``text``, and where a record has no such field, those of its known shape.
    id_field : str or None
        The field of a record with its name.  Of what is passed from Python ``id`` holds the ids,
        if it exists and no other one is named.
    group_fields : tuple of (str, str)
        Fields of a record that tell which groups it is of, each after the argument that asks for
        it.
    titled : bool
        Whether a record's field ``title`` is its title; otherwise its text has it.
    value_field : str or None
        The field of a record with a number or a date; see `Criteria.keep`.
    extract : str
        Which part of HTML is the text, one of `EXTRACTS`: the main text, all text, or the markup.
    max_size : int
        The most bytes of a document, decompressed; larger ones are skipped.
    outputs : tuple of str
        Files that the run writes; a walk leaves them out.
    told : tuple of str
        Results of simdup that options name, such as a baseline: no note says that a walk leaves
        them out.
    """

    encoding: str | None = None
    glob: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    input_format: str = "auto"
    delimiter: str | None = None
    field: str | tuple[str, ...] | None = None
    id_field: str | None = None
    extract: str = "main"
    # Larger than any book; a text of this size takes 3 GB while it is read and counted.
    max_size: int = 100 << 20
    outputs: tuple[str, ...] = ()
    value_field: str | None = None
    group_fields: tuple[tuple[str, str], ...] = ()
    titled: bool = False
    ignore: bool = True
    told: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Reject patterns that would take too long, and delimiters that are none."""
        check_type("delimiter", self.delimiter, TEXT, unset=None)
        if self.delimiter in ("tab", "\\t"):
            object.__setattr__(self, "delimiter", "\t")
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or not self.delimiter.isascii() or self.delimiter in '\0\r\n"'
        ):
            what = "one ASCII character, such as ';', or tab; not a quote or a line end"
            raise invalid("delimiter", self.delimiter, what)
        for name in ("glob", "exclude"):
            object.__setattr__(self, name, as_strings(name, getattr(self, name), "patterns"))
            check_patterns(name, getattr(self, name))

    @property
    def html(self) -> bool:
        """Whether all texts are HTML, regardless of suffixes."""
        return self.input_format == PAGES

    @property
    def text_fields(self) -> tuple[str, ...]:
        """The fields of a record that are its text, if it is not known by its shape."""
        return (self.field,) if isinstance(self.field, str) else self.field or DEFAULT_FIELDS


# Called with a stage (``reading``, ``fingerprinting``, ``searching``, ``grouping``, ``aligning``,
# ``cutting``, ``writing``, ``listing``, ``comparing``), how much of it is done, and the total, if
# known: bytes that are read and written, pairs, documents or texts.
Progress: TypeAlias = Callable[[str, int, int | None], None]


def no_progress(stage: str, done: int, total: int | None) -> None:
    """Show nothing."""


# More than machines have cores; a configuration could start processes without end.
MOST_JOBS = 1024


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run may use; the result does not depend on it.

    Attributes
    ----------
    jobs : int or None
        Processes; None for one per core.
    progress : callable
        Called with the progress of each stage.
    """

    jobs: int | None = None
    progress: Progress = no_progress

    def __post_init__(self) -> None:
        """Reject invalid values."""
        check_type("jobs", self.jobs, WHOLE, unset=None)
        if self.jobs is not None and not 1 <= self.jobs <= MOST_JOBS:
            raise invalid("jobs", self.jobs, f"1 to {MOST_JOBS} processes")

    @property
    def processes(self) -> int:
        """How many processes to use if there is enough work."""
        return min(self.jobs or cores(), MOST_PROCESSES)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a run is asked to do.

    Attributes
    ----------
    recipe : Recipe
        How documents are fingerprinted.
    criteria : Criteria
        When two documents are near-duplicates, and which one is kept.
    reading : Reading
        How bytes become documents.
    run : RunOptions
        What the run may use.
    """

    recipe: Recipe = field(default_factory=Recipe)
    criteria: Criteria = field(default_factory=Criteria)
    reading: Reading = field(default_factory=Reading)
    run: RunOptions = field(default_factory=RunOptions)

    def check_distance(self) -> None:
        """Raise if no two fingerprints can be that far apart.

        Raises
        ------
        SimdupError
            If the distance is more than the bits of a fingerprint.
        """
        distance, bits = self.criteria.distance, self.recipe.bits
        if distance > bits:
            what = f"{distance} is more than the {bits} bits of a fingerprint"
            raise SimdupError("distance", what, field="distance")

    @classmethod
    def of(
        cls,
        recipe: Recipe | str = "default",
        criteria: Criteria | None = None,
        *,
        reading: Reading | None = None,
        run: RunOptions | None = None,
        jobs: int | None = None,
        text: str | tuple[str, ...] | None = None,
        id: str | None = None,  # noqa: A002
        **fields: Unpack[CriteriaFields],
    ) -> Settings:
        """Return settings with the given values, and defaults for the rest.

        Single `fields` of the criteria override those of the object, `jobs` that of `run`, and
        `text` and `id` the fields of records in `reading`.
        """
        check_names(fields, CriteriaFields.__annotations__)
        given = (("criteria", criteria, Criteria), ("reading", reading, Reading))
        for name, value, kind in (*given, ("run", run, RunOptions)):
            check_type(name, value, (kind, f"a {kind.__name__}"), unset=None)
        check_type("text", text, (str | tuple, "a string, or a tuple of them"), unset=None)
        check_type("id", id, TEXT, unset=None)
        reading, run = reading or Reading(), run or RunOptions()
        if text is not None:
            reading = replace(reading, field=text)
        if id is not None:
            reading = replace(reading, id_field=id)
        return cls(
            as_recipe(recipe),
            # `Criteria` parses the shingle.
            Criteria(**fields) if criteria is None else replace(criteria, **fields),  # type: ignore[arg-type]
            reading,
            run if jobs is None else replace(run, jobs=jobs),
        )
