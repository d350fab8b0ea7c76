"""One record of a file, addressed as ``train.jsonl#5``: by its number or by its own name."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain

from simdup.corpus.files import File
from simdup.corpus.record_batches import RecordBatch
from simdup.corpus.records import read_records
from simdup.model.documents import Document, NoField, Skipped
from simdup.model.settings import Reading

Cut = RecordBatch | Skipped

# Names before and behind a mistyped one in their order, among which those like it are looked for:
# of long ones a thousand take 0.7 s.
_NEAR = 200


def find_record(cuts: Iterable[Cut], file: File, reading: Reading) -> Document | Skipped:
    """Return the record that `file.record` names, or what is said where there is none.

    Records count from 1, as in their names.  With `Reading.id_field` the first record of that name
    is taken, and the one of that number only where no record has the name.  Nothing is read behind
    a record that decides.

    Parameters
    ----------
    cuts : iterable of (RecordBatch or Skipped)
        The file, cut into batches.
    file : File
        A file of records of which one is wanted.
    reading : Reading
        How the file is read.
    """
    number = _number(file.record)
    if reading.id_field is None:
        cuts = _batches_around(cuts, number)
    names: list[str] = []
    numbered = unnamed = None
    last = 0
    for one in _read_all(cuts, reading):
        if isinstance(one, Skipped) and one.document == file.path:
            # The rest of the file cannot be read.
            return numbered or replace(one, document=file.address)
        last = _number_of(one)
        if last == number:
            numbered = one
            if reading.id_field is None:
                break
        if isinstance(one, NoField) and one.argument == "id_field":
            unnamed = one
        elif isinstance(one, Document) and reading.id_field is not None:
            if one.name == file.record:
                return one
            names.append(one.name)
    if numbered:
        return numbered
    if unnamed and not names:
        return unnamed
    return Skipped(file.address, _missing(file.record, last, names), error=True)


def _number(record: str) -> int:
    """Return the number of a record, or -1 for a name; no file has numbers of 18 digits."""
    plain = record.isascii() and record.isdigit() and len(record) < 18
    # A name such as 01 is not a number: nothing else calls the record so.
    return int(record) if plain and record[0] != "0" else -1


def _number_of(one: Document | Skipped) -> int:
    if isinstance(one, Document):
        return one.record
    return int(one.document.rpartition("#")[2])


def _batches_around(cuts: Iterable[Cut], number: int) -> Iterator[Cut]:
    """Yield the batch that may hold the record of a number, so that no other is parsed.

    What was skipped while cutting is yielded too.
    """
    held: RecordBatch | None = None
    for cut in cuts:
        if isinstance(cut, Skipped):
            if held is not None:
                yield held
                held = None
            yield cut
        elif held is not None and cut.record > number:
            break
        else:
            held = cut
    if held is not None:
        yield held


def _read_all(cuts: Iterable[Cut], reading: Reading) -> Iterator[Document | Skipped]:
    return chain.from_iterable(
        [cut] if isinstance(cut, Skipped) else read_records(cut, reading) for cut in cuts
    )


def _missing(record: str, last: int, names: list[str]) -> str:
    """Return why there is no such record, and which are near."""
    if not names:
        return f"no such record: there are {last:,}, counted from 1"
    names.sort()
    at = bisect(names, record)
    near = get_close_matches(record, names[max(0, at - _NEAR) : at + _NEAR], cutoff=0.5)
    like = f"; near it: {', '.join(map(repr, near))}"
    return f"no such record among {last:,}{like if near else ''}"
