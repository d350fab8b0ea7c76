"""Conflicts: copies that contradict each other."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple, Unpack

import numpy as np

from simdup.base.errors import SimdupError, check_names, check_type
from simdup.base.regular_files import read_named
from simdup.base.when_used import pattern
from simdup.corpus.files import split_indexes
from simdup.corpus.rows import Paths, as_paths
from simdup.model.criteria import Criteria
from simdup.model.readings import (
    Conflict,
    ConflictCriteria,
    ConflictFields,
    ConflictResult,
    ConflictScope,
    ConflictSummary,
    FactReading,
    ReadingPlace,
)
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.near.collection import Collection, collected
from simdup.near.cutting import Cutting, assemble, find_in_ranges, sides_of
from simdup.near.inputs import Data, Input, open_input
from simdup.reuse.contradictions import Contradiction, find_contradictions
from simdup.reuse.overlaps import Holders
from simdup.reuse.shared_places import KeptTexts, seeds_beside
from simdup.reuse.slots import COPIED, Alignment, SlotFinder
from simdup.reuse.symbols import SymbolTexts, spans_in
from simdup.reuse.winnowing import Window
from simdup.search.arrays import I64, Bools, run_starts
from simdup.text.characters import lines_of
from simdup.text.facts import term_pattern
from simdup.text.markdown_code import without_code

# Characters of the text around a place that are shown.
_AROUND = 40
# Fewer that all documents have do not say what a place is about.
_SOME = 12
_PART_OF_WORD = pattern(r"(?<=\s)[!-~]{1,15}\Z")
# Of so few documents, each may have its own value.
_FEW = 3
# The share of documents whose value leads: the others may be wrong, however many there are.
_LEADING = 0.5


def conflicts(
    data: Data,
    criteria: ConflictCriteria | None = None,
    *,
    references: Paths = (),
    scope: ConflictScope | None = None,
    reading: Reading | None = None,
    run: RunOptions | None = None,
    jobs: int | None = None,
    text: str | tuple[str, ...] | None = None,
    id: str | None = None,  # noqa: A002
    **fields: Unpack[ConflictFields],
) -> ConflictResult:
    """Find copied text whose copies differ in a fact.

    Parameters
    ----------
    data
        As for `scan`.
    criteria : ConflictCriteria, optional
        When copies contradict each other.
    references : path or iterable of path
        Files and folders: documents are compared with these only.
    scope : ConflictScope, optional
        Which documents are compared, and a file of terms.
    reading : Reading, optional
        Encoding, patterns and formats of files.
    run : RunOptions, optional
        What the run may use.
    jobs : int, optional
        Processes, instead of those of `run`; the result does not depend on it.
    text, id : str, optional
        As for `scan`.
    **fields
        Fields of `ConflictCriteria`, such as ``kinds=("date", "amount")``; they override those of
        `criteria`.

    Returns
    -------
    ConflictResult
        ``conflicts``, ``skipped``, ``notes``, ``summary`` and ``forms``.

    Raises
    ------
    SimdupError
        If an argument makes no sense, none of the paths exists, or a column is missing.  Documents
        that cannot be read are listed in ``skipped``.
    TypeError
        If the data is of another kind, or an id is not hashable.

    Examples
    --------
    >>> rule = "Keep the solution in the dark, and give {} twice a day, always with a meal. "
    >>> rule += "Wash your hands before you open the bottle, and write down when you opened it."
    >>> found = conflicts([("a", rule.format("10 mg")), ("b", rule.format("20 mg"))])
    >>> [reading.value for reading in found.conflicts[0].readings]
    ['10 mg', '20 mg']
    """
    settings = Settings.of(reading=reading, run=run, jobs=jobs, text=text, id=id)
    check_type("criteria", criteria, (ConflictCriteria, "a ConflictCriteria"), unset=None)
    check_type("scope", scope, (ConflictScope, "a ConflictScope"), unset=None)
    check_names(fields, ConflictFields.__annotations__)
    # `ConflictCriteria` takes a string as the one kind.
    criteria = replace(criteria or ConflictCriteria(), **fields)  # type: ignore[arg-type]
    scope = scope or ConflictScope()
    return examine(open_conflicts(data, settings, references, scope), criteria, scope)


def open_conflicts(
    data: Data, settings: Settings, references: Paths, scope: ConflictScope
) -> Input:
    """List what is to be read; see `conflicts`."""
    grouped = Criteria(same=scope.same, across=scope.across)
    settings = replace(settings, criteria=grouped, recipe=Recipe(strip=scope.strip))
    indexes, others = split_indexes(as_paths(references, "references"))
    for path in indexes:
        what = "is an index: it has no texts that passages could be found in"
        raise SimdupError(path, what, "name the documents themselves as `references`")
    return replace(open_input(data, settings, others), required=others, in_place=True)


def examine(opened: Input, criteria: ConflictCriteria, scope: ConflictScope) -> ConflictResult:
    """Find the conflicts of opened documents."""
    started = time.monotonic()
    terms = _read_terms(scope.terms) if scope.terms else None
    clean = None if scope.code else without_code
    work = Cutting(Window.of(COPIED.min_run), lines=True, clean=clean)
    with collected(opened, opened.analyzer(), work) as cut:
        sides = sides_of(cut, opened, scope)
        text_of, starts, symbols, seeds, lines = assemble(cut, sides, by_size=True)
        texts = SymbolTexts(starts, symbols)
        finder = SlotFinder.of(texts, seeds, lines, criteria.context)
        del seeds, symbols
        aligned = Alignment.concat(find_in_ranges(finder, opened.settings.run))
        holders = Holders.of(text_of, len(starts) - 1, sides)
        places = find_contradictions(
            aligned,
            finder,
            # Of documents with these symbols, whichever: not the one that comes first.
            KeptTexts(
                lambda text: min(_titled(document, cut) for document in holders(text).tolist()),
                starts,
            ),
            criteria.kinds,
            terms,
            beside=seeds_beside,
        )
        held = [one for place in places for one in _held(place, starts, holders)]
        located = _located(held, cut)
        forms = [one.is_form(sides.references & ~sides.sources) for one in held]
    report = cut.report
    summary = ConflictSummary(
        documents=len(cut),
        conflicts=0,
        affected=0,
        skipped=len(report.skipped),
        known=0,
        seconds=time.monotonic() - started,
    )
    found = ConflictResult((), tuple(report.skipped), tuple(report.notes), summary)
    return found.listing(
        [place for place, is_form in zip(located, forms, strict=True) if not is_form],
        [place for place, is_form in zip(located, forms, strict=True) if is_form],
    )


def _read_terms(path: str) -> re.Pattern[str]:
    """Return what finds the terms of a file, a term per line; lines that begin with # are comments.

    Raises
    ------
    SimdupError
        If it cannot be read, or has no term.
    """
    lines = read_named(path).decode("utf-8-sig", "replace").splitlines()
    terms = term_pattern(line for line in lines if not line.startswith("#"))
    if terms is None:
        raise SimdupError(path, "has no term", "write a term per line; # begins a comment")
    return terms


def _titled(document: int, cut: Collection) -> tuple[str, str]:
    """Return the text of a document, and its title."""
    text, title = (cut.spool.text(cut.documents[name], document) for name in ("original", "title"))
    return text, title


class Held(NamedTuple):
    """A place in documents, in input order."""

    kind: str
    documents: I64
    spans: I64  # int64[n, 2]: symbols of each document's text
    values: list[str]

    def is_form(self, references: Bools) -> bool:
        """Return whether many documents have a value of their own, as in a form to be filled in.

        Where one value leads, the others contradict it, however many there are; and so they do
        where it is that of a reference.
        """
        if references[self.documents].any():
            return False
        counts = Counter(self.values)
        few = len(self.documents) <= _FEW or len(counts) <= 1 + len(self.documents) ** 0.5
        return not few and max(counts.values()) < _LEADING * len(self.documents)


def _held(place: Contradiction, starts: I64, holders: Holders) -> Iterator[Held]:
    """Yield a place as documents have it: those that contradict another that they may."""
    texts = np.searchsorted(starts, place.spans[:, 0], "right") - 1
    # A text that says it twice says it once.
    rows = run_starts(texts)
    own = [holders(text) for text in texts[rows].tolist()]
    documents = np.concatenate(own)
    rows = np.repeat(rows, list(map(len, own)))
    order = np.argsort(documents)
    documents, rows = documents[order], rows[order]
    values = [place.values[row] for row in rows.tolist()]
    some = np.flatnonzero(holders.sides.opposed(documents, values))
    documents, rows, values = documents[some], rows[some], [values[row] for row in some.tolist()]
    if len(set(values)) > 1:
        yield Held(place.kind, documents, place.spans[rows] - starts[texts[rows], None], values)


def _located(held: Sequence[Held], cut: Collection) -> list[Conflict]:
    """Return conflicts with the characters, the lines and the text of each reading."""
    if not held:
        return []
    read = partial(cut.spool.text, cut.documents["original"])
    names = cut.documents["name"].tolist()
    is_file = (cut.documents["record"] == 0) & (cut.documents["modified"] > 0)
    modified = np.where(is_file, cut.documents["modified"], np.nan).tolist()
    documents = np.concatenate([one.documents for one in held])
    spans = np.concatenate([one.spans for one in held])
    found, shown = dict[int, ReadingPlace](), dict[int, tuple[str, str, str]]()
    order = np.argsort(documents, kind="stable")
    for low, high in pairwise([*run_starts(documents[order]).tolist(), len(order)]):
        rows = order[low:high]
        document = int(documents[rows[0]])
        text = read(document)
        places = spans_in(text, spans[rows])
        lines = lines_of(text, places[:, 0])
        for row, (start, end), line in zip(
            rows.tolist(), places.tolist(), lines.tolist(), strict=True
        ):
            found[row] = ReadingPlace(names[document], start, end, line, modified[document])
            before = _words(text[max(start - _AROUND, 0) : start][::-1], start > _AROUND)[::-1]
            after = _words(text[end : end + _AROUND], end + _AROUND < len(text))
            shown[row] = before, text[start:end], after
    first, conflicts = 0, list[Conflict]()
    for one in held:
        rows_of = dict[str, list[int]]()
        for row, value in enumerate(one.values, first):
            rows_of.setdefault(value, []).append(row)
        first += len(one.values)
        by_count = sorted(rows_of.items(), key=lambda value: (len(value[1]), value[0]))
        # As most documents have it, whichever comes first.
        usual = {fact: _most_common(fact, [shown[row] for row in rows]) for fact, rows in by_count}
        around = [usual[fact] for fact, _ in reversed(by_count)]
        before = _shared([text[::-1] for text, _, _ in around])[::-1]
        after = _shared([text for _, _, text in around])
        readings = tuple(
            FactReading(" ".join(usual[fact][1].split()), [found[row] for row in rows], fact)
            for fact, rows in by_count
        )
        conflicts.append(Conflict(one.kind, before, after, readings))
    return conflicts


def _most_common(fact: str, rows: Sequence[tuple[str, str, str]]) -> tuple[str, str, str]:
    """Return the most common spelling of a fact, in its most common context.

    Of several, it is the one that is spelled as the fact, and then the first by its characters.
    """
    contexts, spelled = Counter(rows), {row: " ".join(row[1].split()) for row in rows}
    spellings = Counter(spelled[row] for row in rows)
    return min(
        contexts,
        key=lambda row: (-spellings[spelled[row]], spelled[row] != fact, -contexts[row], row),
    )


def _shared(texts: Sequence[str]) -> str:
    """Return how the first of some texts begins, as far as all begin so, in whole words.

    If that is next to nothing, it is more of the first one.
    """
    whole, *others = (" ".join(text.split()) for text in texts)
    first = whole
    for other in others:
        pairs = zip(first, other, strict=False)
        equal = (n for n, (a, b) in enumerate(pairs) if a.casefold() != b.casefold())
        shared = next(equal, min(len(first), len(other)))
        first = first if shared == len(first) else _words(first[:shared], cut=True).rstrip()
    return first if len(first) >= _SOME else whole


def _words(text: str, cut: bool) -> str:
    """Return the beginning of a text, without a part of a word at its end if it was cut."""
    return _PART_OF_WORD.sub("", text) if cut else text
