"""What the sources of a run have given, and what has to be said of them in the end."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from simdup.errors import SimdupError
from simdup.model.documents import Document, NoField, Skipped
from simdup.model.reading import Reading

_NOTHING = "no document in it"

# A person reads no more names of fields, and no longer ones.
_MOST_FIELDS, _MOST_CHARACTERS = 12, 60


class Given:
    """Notices sources that give no document, and fields that no record has.

    The documents come in batches, and results may stream: so it is told of each batch, and asked
    in the end.

    Parameters
    ----------
    named : iterable of str
        The sources that a person named.
    reading : Reading
        How they are read.
    """

    def __init__(self, named: Iterable[str] = (), reading: Reading | None = None) -> None:
        self._reading = reading or Reading()
        # By the path that `os.path.dirname` returns for what is in it.
        self._waiting = {_place(source): source for source in named}
        self._named = set(self._waiting)
        # Not asked of every document where no source can be one record.
        self._addresses = any("#" in source for source in self._named)
        self._documents = self._values = 0
        self._records = False  # whether any of the documents is a record
        # Of records without it: for each field asked for, the characters of the fields there are.
        self._lacking: dict[str, Counter[str]] = {}

    @property
    def valued(self) -> bool:
        """Whether records have a field that decides which of them is kept."""
        return self._reading.value_field is not None

    def take(self, documents: Sequence[Document]) -> None:
        """Notice documents that sources have given."""
        self._documents += len(documents)
        self._records = self._records or any(document.record for document in documents)
        if self.valued:
            for document in documents:
                self._take_value(document)
        if self._waiting:
            for path in dict.fromkeys(document.path for document in documents):
                self._take_path(path)
        if self._addresses:
            for document in documents:
                self._take_record(document)

    def _take_path(self, place: str) -> None:
        # A document of a folder is one of all folders around it.
        while place:
            self._waiting.pop(place, None)
            above = os.path.dirname(place)
            place = "" if above == place else above

    def _take_record(self, document: Document) -> None:
        """Notice a record that may have been named itself, by its number or its name."""
        for address in (document.place, f"{document.path}#{document.name}"):
            if self._waiting.pop(address, None):
                self._named.add(document.name)

    def _take_value(self, document: Document) -> None:
        self._values += document.value is not None
        if document.value is None:
            self._lack("value_field", dict.fromkeys(document.fields, 0))

    def skip(self, one: Skipped) -> Skipped:
        """Notice a skipped document, and return it: one that was named itself is an error."""
        if isinstance(one, NoField):
            if one.argument:
                self._lack(one.argument, one.fields)
            one = Skipped(one.document, one.reason, one.error)
        if one.error:
            # Of a file whose records are faults, enough is said.
            self._waiting.pop(one.document.rpartition("#")[0], None)
        if one.document not in self._named:
            return one
        self._waiting.pop(one.document, None)
        return replace(one, error=True)

    def _lack(self, argument: str, fields: Mapping[str, int]) -> None:
        found = self._lacking.setdefault(argument, Counter())
        for name, characters in fields.items():
            if name in found or len(found) < 10 * _MOST_FIELDS:
                found[name] += characters

    def finish(self) -> list[Skipped]:
        """Return the sources that gave nothing, once all documents have come.

        Raises
        ------
        SimdupError
            If no record has a field that is asked for.
        """
        for argument in ("field", "id_field"):
            # Of the field that is asked for by default, files of records among others may know
            # nothing: that is no reason to say nothing of the others.
            asked = getattr(self._reading, argument) != getattr(Reading(), argument)
            if argument in self._lacking and not self._records and (asked or not self._documents):
                raise self._no_field(argument)
        if self.valued and self._documents and not self._values:
            raise self._no_field("value_field")
        return [Skipped(source, _NOTHING, error=True) for source in self._waiting.values()]

    def _no_field(self, argument: str) -> SimdupError:
        """Return the error for a field that no record has."""
        wanted = getattr(self._reading, argument)
        found = self._lacking.get(argument, Counter())
        names = ", ".join(repr(_shortened(name)) for name in list(found)[:_MOST_FIELDS])
        more = f" and {len(found) - _MOST_FIELDS:,} more" if len(found) > _MOST_FIELDS else ""
        there = f": there are {names}{more}" if found else ""
        what = f"no record has a field {wanted!r}{there}"
        if argument == "value_field":
            return SimdupError("keep", what, field="keep")
        hint = ""
        if argument == "field" and found:
            # The text is what there is most of.
            longest = max(found, key=lambda name: found[name])
            hint = f"`field` {shlex.quote(longest)}" if found[longest] else ""
        return SimdupError(argument, what, hint, argument)


def _shortened(name: str) -> str:
    return name if len(name) <= _MOST_CHARACTERS else name[:_MOST_CHARACTERS] + "..."


def _place(source: str) -> str:
    return source.rstrip(os.sep) or source
