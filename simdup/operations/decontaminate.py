"""Find evaluation texts in a corpus, and write the corpus without them."""

from __future__ import annotations

import os
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Unpack

import numpy as np

from simdup.base.errors import TEXT, SimdupError, check_names, check_type, counted
from simdup.corpus.batches import TextBatch, read
from simdup.corpus.changes import Change, joined, why_whole
from simdup.corpus.files import File
from simdup.corpus.nested_json import in_own_form
from simdup.corpus.record_fields import without_spans
from simdup.corpus.rows import as_optional_path, cut_rows, select
from simdup.corpus.shapes import shape_notes
from simdup.model.cleaned import DedupeOptions, Outcome
from simdup.model.documents import Document, NoField, Skipped
from simdup.model.settings import Reading, RunOptions, Settings, no_progress
from simdup.model.shared_passages import LeakCriteria, LeakFields
from simdup.near.compared import Compared, References, compared
from simdup.near.cutting import find_in_ranges, units_of
from simdup.near.inputs import Data, Input, open_input
from simdup.reuse.overlaps import concat
from simdup.reuse.rates import find_leaks, grams_of_many
from simdup.reuse.symbols import SymbolTexts, cut, locate, look_up_in
from simdup.search.arrays import I64, Members, distinct, ranges
from simdup.show.cleaned_corpus import Cuts, rewrite_data
from simdup.show.leak_output import MANY, Decontaminated, Leak, LeakRate
from simdup.text.characters import fold_all

Spans = list[tuple[int, int]]

# Evaluation texts that one process gets at a time.
_TEXTS = 1000
# How errors name the arguments of evaluation texts.
_OF_EVALUATIONS = {"data": "against", "text": "against_field", "id": "against_id_field"}
_ARCHIVED = "is in an archive, which is kept whole: unpack it first"
_BOTH = "is both a SOURCE and an EVAL, so all its texts are leaks"
_WITHIN = "has evaluation text within single characters, so it cannot be cut: leave it out"


def decontaminate(
    data: Data,
    against: Data,
    criteria: LeakCriteria | None = None,
    *,
    mask: bool = False,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    against_field: str | tuple[str, ...] | None = None,
    against_id_field: str | None = None,
    reading: Reading | None = None,
    run: RunOptions | None = None,
    jobs: int | None = None,
    text: str | tuple[str, ...] | None = None,
    id: str | None = None,  # noqa: A002
    **fields: Unpack[LeakFields],
) -> Decontaminated:
    """Return data without the documents that have an evaluation text, or write files so.

    Parameters
    ----------
    data
        As for `scan`.
    against
        Evaluation texts: data of any kind, too.
    criteria : LeakCriteria, optional
        When an evaluation text is leaked.
    mask : bool
        Whether documents stay, and lose the spans only.
    output : path, optional
        Where to write files without leaks: one file of records becomes a file, everything else a
        folder.  Data that is not in files cannot be written.
    force
        As for `dedupe`.
    against_field : str or tuple of str, optional
        The field of the text of evaluation records, where it has another name; several are one
        text.
    against_id_field : str, optional
        The field of the ids of evaluation records, where it has another name.
    reading, run, jobs, text, id
        As for `scan`.
    **fields
        Fields of `LeakCriteria`, such as ``share=0.8``; they override those of `criteria`.

    Returns
    -------
    Decontaminated
        ``data``, ``leaks``, ``rates`` and counts.

    Raises
    ------
    SimdupError
        If an argument makes no sense, there is no evaluation text, or `output` must not or cannot
        be written.
    TypeError
        If data is of another kind, or an id is not hashable.

    Examples
    --------
    >>> question = "Which of these birds cannot fly, though it has feathers like the rest?"
    >>> found = decontaminate([("a", "Birds sing."), ("b", f"Quiz. {question}")], [("q", question)])
    >>> found.data, found.leaks[0].share
    ([('a', 'Birds sing.')], 1.0)
    """
    settings = Settings.of(reading=reading, run=run, jobs=jobs, text=text, id=id)
    check_type("criteria", criteria, (LeakCriteria, "a LeakCriteria"), unset=None)
    check_type("mask", mask, (bool, "True or False"))
    check_names(fields, LeakFields.__annotations__)
    criteria = replace(criteria or LeakCriteria(), **fields)
    check_type("against_id_field", against_id_field, TEXT, unset=None)
    names = (against_field,) if isinstance(against_field, str) else against_field
    texts = read_evaluations(against, settings, names, against_id_field)
    target = as_optional_path(output, "output")
    options = DedupeOptions(target, force=force, references=texts.files)
    find = partial(find_leaking, texts=texts, criteria=criteria, mask=mask)
    return rewrite_data(data, options, settings, find, operation="decontaminate")


@dataclass(frozen=True, slots=True)
class Evaluations:
    """Evaluation texts that were read."""

    documents: Sequence[Document]
    symbols: SymbolTexts  # of each
    skipped: Sequence[Skipped]
    notes: Sequence[tuple[str, str]]
    files: tuple[str, ...]  # that they are from
    whole: tuple[str, ...]  # those of which it is not one record
    by_field: bool  # whether some are records, which name their text as the documents do

    def by_file(self) -> Mapping[str, list[int]]:
        """Return the numbers of texts by their file of records, or the folder of their files."""
        numbers = dict[str, list[int]]()
        for number, document in enumerate(self.documents):
            folder = os.path.dirname(document.path) or os.curdir * bool(document.path)
            numbers.setdefault(document.path if document.record else folder, []).append(number)
        return numbers

    def shared(self, criteria: LeakCriteria) -> Members:
        """Return the runs of the least length that too many texts of a file share."""
        (starts, symbols), hashes = self.symbols, [np.zeros(0, np.uint64)]
        for numbers in self.by_file().values():
            texts = [symbols[starts[number] : starts[number + 1]] for number in numbers]
            ends = np.cumsum([0, *map(len, texts)])
            of_file = SymbolTexts(ends, np.concatenate(texts))
            hashes.append(grams_of_many(of_file, criteria.min_run, criteria.most_texts))
        return Members(distinct(np.concatenate(hashes)))

    def references(self, criteria: LeakCriteria) -> References:
        """Return the texts, ready to be read as references; their names are their numbers."""
        texts = [Document(number, one.text) for number, one in enumerate(self.documents)]  # type: ignore[arg-type]
        parts = range(0, len(texts), _TEXTS)
        batches = [TextBatch(tuple(texts[low : low + _TEXTS])) for low in parts]
        shared = self.shared(criteria)
        return References(True, others=batches, share=criteria.share, shared=shared)

    def rates(self, leaks: Iterable[_Leaked], counted: I64, least: int) -> Iterator[LeakRate]:
        """Yield how many of each file are leaked, and have fewer units that count than a run."""
        documents = Counter(leak.number for leak in leaks)
        for file, numbers in self.by_file().items():
            leaked = [documents[number] for number in numbers if number in documents]
            short = int(np.count_nonzero(counted[numbers] < least))
            many = sum(count > MANY for count in leaked)
            yield LeakRate(file, len(numbers), len(leaked), short, many)


def read_evaluations(
    against: Data,
    settings: Settings,
    fields: tuple[str, ...] | None = None,
    id_field: str | None = None,
) -> Evaluations:
    """Read evaluation texts.

    Raises
    ------
    SimdupError
        If there is none, `fields` are in no record, or a file of records is read as one text.
    """
    reading = settings.reading
    if fields:
        reading = replace(reading, field=fields[0] if len(fields) == 1 else fields)
    if id_field is not None:
        reading = replace(reading, id_field=id_field)
    try:
        opened = open_input(against, replace(settings, reading=reading))
    except SimdupError as error:
        own = _OF_EVALUATIONS.get(error.field, error.field)
        hint = error.hint.replace("text=", "against_field=")
        where = own if error.where == error.field else error.where
        raise SimdupError(where, error.what, hint, own) from None
    report, found, lacking = opened.report, list[Document](), list[NoField]()
    shapes = Counter[str]()
    report.skipped += opened.skipped
    report.notes += opened.notes
    for batch in opened.batches:
        for one in read(batch, opened.settings.reading):
            if isinstance(one, Document):
                found.append(one)
                shapes.update([one.shape] if one.shape else ())
                continue
            if isinstance(one, NoField):
                lacking.append(one)
            report.leave(one)
    records = opened.rows is not None or any(text.record for text in found)
    if reading.input_format == "auto":
        for text in found:
            # A benchmark in a form of its own would be a text that nobody has.
            if not text.record and (fault := in_own_form(text.path, text.text, reading)):
                raise SimdupError(text.path, fault[0], _against(fault[1]))
    read_files = {text.path for text in found}
    for one in lacking:
        # One file of several would be passed over without a word.
        if not records or str(one.document).rpartition("#")[0] not in read_files:
            refused = report.refuse(one)
            raise SimdupError(str(one.document), refused.what, _against(refused.hint))
    if fields and not records and not report.skipped:
        raise _no_records("against_field", fields)
    if opened.rows is not None:
        found = [one._replace(name=report.ids[one.record - 1], record=0) for one in found]
    starts, symbols = cut(fold_all([one.text for one in found]))
    sizes = np.diff(starts)
    for row in np.flatnonzero(sizes == 0).tolist():
        report.leave(found[row].skip("empty"))
    texts = [one for one, size in zip(found, sizes.tolist(), strict=True) if size]
    if not texts:
        first = next((one for one in report.skipped if one.error), None)
        if first is None:
            raise SimdupError("against", "has no text", field="against")
        raise SimdupError(str(first.document), first.fault, _against(first.hint))
    files = tuple(dict.fromkeys(file.on_disk.path for file in opened.files))
    whole = tuple(file.on_disk.path for file in opened.files if not file.record)
    # Whether an option has an effect, the SOURCEs decide.
    notes = [note for note in report.notes if not note[0].startswith("`")]
    if shapes and reading.field is None:
        notes += shape_notes(shapes, "against_field")
    cut_texts = SymbolTexts(np.append(0, starts[1:][sizes > 0]), symbols)
    by_field = records and not fields
    return Evaluations(texts, cut_texts, report.skipped, notes, files, whole, by_field)


def _against(hint: str) -> str:
    return hint.replace("`field`", "`against_field`")


def _no_records(argument: str, fields: tuple[str, ...]) -> SimdupError:
    what = f"no record has a field {fields[0]!r}: there are texts only"
    return SimdupError(argument, what, "name files of records, or leave it out", argument)


@dataclass(kw_only=True)
class _CorpusLeaks(Cuts[Decontaminated]):
    """The leaks of a corpus, and what is to be cut or left out."""

    texts: Evaluations
    mask: bool
    spans: Mapping[int, Spans]  # of each document with a leak, by its row
    uncut: set[int]  # documents that have a leak in characters that are more than it
    about: dict[str, Any]  # of `Decontaminated`, but for what becomes of documents
    left_out: int = 0
    kept: int = 0

    def changes(self, files: Sequence[File]) -> Mapping[str, Change]:
        """Return what is cut or left out in each file, by its path."""
        by_file = self.by_file(
            self.spans, lambda rows: f"{counted(len(rows), 'document')} with a leak"
        )
        self.kept += len(self.spans) - sum(map(len, by_file.values()))
        for path, rows in by_file.items():
            file, records = (
                self.files[path],
                dict(zip(self.records[rows].tolist(), rows, strict=True)),
            )
            if file.member is not None:
                self.keep(rows, _ARCHIVED)
                continue
            change = self.changed[path] = Change(file, self.reading)
            why = why_whole(file, self.reading) if self.mask else ""
            self.notes += [(str(self.names[row]), f"left out: {why}") for row in rows if why]
            if why or not self.mask:
                self.left_out += len(rows)
                change.removed = records.keys()
            else:
                self.keep(row for row in rows if row in self.uncut)
                change.spans_of = partial(_spans_of, self.spans, records)
        return self.changed

    def rows(self, data: Any) -> Any:
        """Return data without leaks."""
        self.keep(self.uncut)
        spans = {int(self.records[row]) - 1: cut for row, cut in self.spans.items()}
        if self.mask:
            return cut_rows(data, self.reading, spans)
        self.left_out = len(spans)
        return select(data, np.delete(np.arange(len(data)), list(spans)))

    def keep(self, rows: Iterable[int], why: str = _WITHIN) -> None:
        """Take documents for errors that stay though they have a leak."""
        rows = sorted(rows, key=lambda row: (self.paths[row], self.records[row]))
        self.skipped += [Skipped(self.names[row], why, error=True) for row in rows]
        self.kept += len(rows)

    def result(self, outcome: Outcome) -> Decontaminated:
        """Return what was found; what had to be kept whole is an error."""
        for row in self.spans:
            change = self.changed.get(self.paths[row])
            if change is not None and (why := change.whole.get(int(self.records[row]))):
                self.keep([row], why)
        # What is both in a SOURCE and an evaluation text is said once.
        again = {(one.document, one.reason) for one in self.skipped}
        first = (one for one in self.texts.skipped if (one.document, one.reason) not in again)
        values = self.about | {
            "affected": len(self.spans),
            "left_out": self.left_out,
            "kept": self.kept,
            "skipped": outcome.not_copied((*first, *self.skipped)),
            "notes": tuple(dict.fromkeys((*self.texts.notes, *self.notes, *outcome.notes))),
        }
        return outcome.of_kind(Decontaminated, **values)


def _spans_of(spans: Mapping[int, Spans], rows: Mapping[int, int], record: int) -> Spans:
    """Return what is cut from a record, given the row of each document of its file."""
    return spans[rows[record]] if record in rows else []


def find_leaking(
    opened: Input, sources: Sequence[str], texts: Evaluations, criteria: LeakCriteria, mask: bool
) -> _CorpusLeaks:
    """Read all documents, and find their leaks; masked ones are searched again."""
    started = time.monotonic()
    reading = opened.settings.reading
    held = opened.rows is not None or any(file.records for file in opened.files)
    if reading.field != Reading().field and not held and not texts.by_field:
        raise _no_records("field", reading.text_fields)
    references = texts.references(criteria)
    with compared(opened, criteria.passages, references=references) as pile:
        documents, report = pile.cut.documents, pile.cut.report
        leaks = list(_leaks_of(pile, criteria, references, opened.settings.run))
        rows = dict[int, Spans]()
        for one in leaks:
            rows.setdefault(one.row, []).extend(one.spans)
        names = documents["name"].tolist()
        again = rows, pile, references, criteria, opened.settings
        uncut = _search_again(*again) if mask else set()
        sizes = np.diff(texts.symbols.starts)
        common = units_of(references.shared, texts.symbols, criteria.min_run)
        rates = texts.rates(leaks, sizes - common, criteria.min_run)
        about = {
            "leaks": [
                Leak(names[row], texts.documents[number].name, share, spans, eval_spans)
                for row, number, share, spans, eval_spans in leaks
            ],
            "rates": tuple(rates),
            "documents": pile.documents - len(texts.documents),
            "evaluations": len(texts.documents),
            "lengths": (int(sizes.min()), int(np.median(sizes)), int(sizes.max())),
            "common_units": int(common.sum()),
            "common_texts": int(np.count_nonzero(common)),
            "masked": mask,
            "seconds": time.monotonic() - started,
        }
        found = _CorpusLeaks(
            names=names,
            paths=documents["path"].tolist(),
            records=documents["record"],
            skipped=report.skipped,
            notes=report.notes,
            files={file.path: file for file in opened.files},
            reading=opened.settings.reading,
            texts=texts,
            mask=mask,
            spans={row: joined(spans) for row, spans in rows.items()},
            uncut=uncut,
            about=about,
        )
    real = set(map(os.path.realpath, texts.whole))
    places = {os.path.realpath(one.on_disk.path) for one in opened.files}
    if places and places <= real:
        what = "is the SOURCE and the evaluation texts: nothing would be left"
        raise SimdupError(opened.files[0].path, what, "name another file as `against`")
    both = (one for one in opened.files if os.path.realpath(one.on_disk.path) in real)
    found.notes += [(one.path, _BOTH) for one in both]
    return found


class _Leaked(NamedTuple):
    """A leak, by the row of its document and the number of the evaluation text."""

    row: int
    number: int
    share: float
    spans: Spans
    eval_spans: Spans


def _leaks_of(
    pile: Compared, criteria: LeakCriteria, references: References, run: RunOptions
) -> Iterator[_Leaked]:
    """Yield the leaks of documents, by these and by the evaluation texts."""
    documents, holders = pile.cut.documents, pile.holders
    found = concat(find_in_ranges(pile.finder, run))
    how = criteria.share, criteria.gap, references.shared
    leaks = find_leaks(found, pile.finder, *how)
    held = list[tuple[int, int, int]]()
    for leak, (text, other) in enumerate(leaks.texts.tolist()):
        evaluations, others = holders(text), holders(other)
        held += (
            (row, evaluation, leak)
            for row in others[holders.sides.sources[others]].tolist()
            for evaluation in evaluations[holders.sides.references[evaluations]].tolist()
        )
    held.sort()
    own = np.array(held, np.int64).reshape(-1, 3)
    counts = np.diff(leaks.firsts)[own[:, 2]]
    rows = ranges(leaks.firsts[own[:, 2]], counts)
    pairs = np.repeat(own[:, :2], counts, axis=0)
    look_up = look_up_in(partial(pile.cut.spool.text, documents["original"]))
    places, spans = locate(look_up, pairs, leaks.places[rows], leaks.spans[rows])
    ends = np.cumsum(counts).tolist()
    for (row, evaluation, leak), low, high in zip(held, [0, *ends], ends, strict=False):
        # Of what cannot be cut in either text, nothing is left.
        some = slice(low, high)
        there = spans[some][places[some, 1] > 0], places[some][places[some, 1] > 0]
        eval_spans, own_spans = ([(start, end) for start, end in one.tolist()] for one in there)
        number = int(documents["name"][evaluation])
        yield _Leaked(row, number, float(leaks.shares[leak]), own_spans, eval_spans)


def _search_again(
    rows: dict[int, Spans],
    pile: Compared,
    references: References,
    criteria: LeakCriteria,
    settings: Settings,
) -> set[int]:
    """Add what is a leak once the spans of documents are gone, by row, until nothing is.

    Return the rows with a leak that has no characters of its own.
    """
    original = partial(pile.cut.spool.text, pile.cut.documents["original"])
    # The line break between two pieces of a text is in neither, so it is never cut.
    pieced = pile.cut.documents["pieced"]
    for row in filter(pieced.__getitem__, rows):
        rows[row] = _within_lines(rows[row], original(row))
    run = replace(settings.run, progress=no_progress)
    plain, waiting, uncut = Settings.of(run=run), set(rows), set[int]()
    while waiting:
        cuts = {row: joined(rows[row]) for row in sorted(waiting)}
        masked = [(row, without_spans(original(row), some)) for row, some in cuts.items()]
        uncut -= waiting
        waiting = set()
        opened = open_input(masked, plain)
        with compared(opened, criteria.passages, references=references) as left:
            for one in _leaks_of(left, criteria, references, run):
                row = left.cut.documents["name"][one.row]
                if one.spans:
                    spans = _spans_before(one.spans, cuts[row])
                    rows[row] += _within_lines(spans, original(row)) if pieced[row] else spans
                (waiting if one.spans else uncut).add(row)
    return uncut - waiting


def _spans_before(spans: Iterable[tuple[int, int]], cuts: Iterable[tuple[int, int]]) -> Spans:
    """Return where spans of a text without `cuts` were before, with the cuts that they enclose.

    Neither is empty; cuts are `joined`.

    >>> _spans_before([(1, 3), (3, 4)], [(2, 12)])
    [(1, 13), (13, 14)]
    """
    starts, lost = list[int](), [0]
    for start, end in cuts:
        starts.append(start - lost[-1])
        lost.append(lost[-1] + end - start)

    def before(place: int) -> int:
        return place + lost[bisect_right(starts, place)]

    return [(before(start), before(end - 1) + 1) for start, end in spans]


def _within_lines(spans: Spans, text: str) -> Spans:
    """Return the parts of spans between line breaks."""
    found = Spans()
    for start, end in spans:
        for part in text[start:end].split("\n"):
            if part:
                found.append((start, start + len(part)))
            start += len(part) + 1
    return found
