"""What people are told about the sources of a run: what was skipped, and what was missing."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simdup.base.errors import SimdupError
from simdup.model.documents import LeftOut, NoField, Skipped, Unread
from simdup.model.settings import Reading
from simdup.model.table import Documents

_NOTHING = "contains no document"

# Messages list at most this many field names, of at most this length.
_MOST_FIELDS, _MOST_CHARACTERS = 12, 60


class SourceReport:
    """Collects what is skipped and noted; finds sources without documents, and missing fields.

    Documents come in batches, and results may be streamed, so each batch is passed in, and what is
    known only at the end is added by `finish`.

    Parameters
    ----------
    named : iterable of str
        The sources that the user named.
    reading : Reading
        How they are read.
    """

    def __init__(self, named: Iterable[str] = (), reading: Reading | None = None) -> None:
        self._reading = reading or Reading()
        self._told = frozenset(map(os.path.realpath, self._reading.told))
        self.skipped: list[Skipped] = []
        self.unread: list[Unread] = []  # which of these were next to documents
        self.notes: list[tuple[str, str]] = []  # names, and what a person should know about them
        self.unchanged = 0  # how many documents were left out because they are known
        # Of the texts passed from Python, by number; filled while they are cut into batches.
        self.ids: list[Any] = []
        # Keyed by the path that `os.path.dirname` returns for its contents.
        self._waiting = {_place(source): source for source in named}
        self._named = set(self._waiting)
        # Not asked of every document where no source can be one record.
        self._addresses = any("#" in source for source in self._named)
        self._documents = self._values = self._titled = self._lacking_text = 0
        self._records = False  # whether any of the documents is a record
        # For each wanted field: the fields of records without it, with their number of characters.
        self._lacking: dict[str, Counter[str]] = {}
        self.stripped: set[str] = set()  # the expressions of `Recipe.strip` that matched something

    def take(self, documents: Documents, stripped: Iterable[str] = ()) -> None:
        """Record documents that sources have given, and which `stripped` expressions matched."""
        self.stripped.update(stripped)
        records = documents["record"] > 0
        self._documents += len(documents)
        self._records = self._records or bool(records.any())
        if "lacking" in documents:
            self._lacking_text += int(np.count_nonzero(documents["lacking"]))
        for present, argument in (("valued", "value_field"), ("titled", "title_field")):
            if present in documents:
                lacking = documents["fields"][~documents[present]]
                for fields in filter(None, lacking.tolist()):
                    self._lack(argument, dict.fromkeys(fields, 0))
        if "valued" in documents:
            self._values += int(np.count_nonzero(documents["valued"]))
        if "titled" in documents:
            self._titled += int(np.count_nonzero(documents["titled"] & records))
        if self._waiting:
            for path in dict.fromkeys(documents["path"].tolist()):
                self._take_path(path)
        if self._addresses:
            for row in range(len(documents)):
                self._take_record(*(documents[name][row] for name in ("path", "record", "name")))

    def _take_path(self, place: str) -> None:
        # A document in a folder also belongs to all parent folders.
        while place:
            self._waiting.pop(place, None)
            above = os.path.dirname(place)
            place = "" if above == place else above

    def _take_record(self, path: str, record: int, name: str) -> None:
        """Notice a record that may have been named itself, by its number or its name."""
        for address in (f"{path}#{record}", f"{path}#{name}"):
            if self._waiting.pop(address, None):
                self._named.add(name)

    def skip(self, one: Skipped) -> Skipped:
        """Record a skipped document and return it; if the user named it, it becomes an error."""
        if one.number:
            return replace(one, document=self.ids[one.number - 1])
        if isinstance(one, NoField):
            if one.argument:
                self._lack(one.argument, one.fields)
            one = Skipped(one.document, one.reason, one.error)
        if one.error:
            # A file with faulty records already has messages.
            self._waiting.pop(one.document.rpartition("#")[0], None)
        if one.document not in self._named:
            return one
        self._waiting.pop(one.document, None)
        return replace(one, error=True)

    def leave(self, one: Skipped) -> Skipped | None:
        """Record what does not take part; return it if it was skipped, not left out of a folder."""
        if not isinstance(one, LeftOut):
            self.skipped.append(self.skip(one))
            return self.skipped[-1]
        if os.path.realpath(str(one.document)) not in self._told:
            self.notes.append((one.document, one.reason))
        return None

    def _lack(self, argument: str, fields: Mapping[str, int]) -> None:
        found = self._lacking.setdefault(argument, Counter())
        for name, characters in fields.items():
            if name in found or len(found) < 10 * _MOST_FIELDS:
                found[name] += characters

    def finish(self, strip: Sequence[str] = ()) -> None:
        """Add sources that gave nothing, and notes, once all documents have been read.

        One of these tells which of the expressions `strip` have matched nothing.

        Raises
        ------
        SimdupError
            If no record has a wanted field.
        """
        for argument in ("field", "id_field"):
            # Some files of records may not have the default field; this must not hide the
            # results of other files.
            asked = getattr(self._reading, argument) != getattr(Reading(), argument)
            if argument in self._lacking and not self._records and (asked or not self._documents):
                raise self._no_field(argument)
        valued = self._reading.value_field is not None
        if valued and self._documents and not self._values:
            raise self._no_field("value_field")
        if "title_field" in self._lacking and not self._titled:
            raise self._no_field("title_field")
        for source in self._waiting.values():
            self.skipped.append(Skipped(source, _NOTHING, error=True))
        repeated = len(self.ids) - len(set(self.ids))
        what = f"{repeated:,} of {len(self.ids):,} texts have the id of an earlier one"
        if repeated:
            self.notes.append(("`id`", what))
        if self._lacking_text:
            count = f"{self._lacking_text:,} of {self._documents:,}"
            what = f"{count} documents have no text in at least one of the fields"
            self.notes.append(("`field`", what))
        unused = (one for one in strip if one not in self.stripped)
        self.notes += [("`strip`", f"nothing matches {one!r}") for one in unused]

    def refuse(self, one: Skipped) -> SimdupError:
        """Return the error for a document that was skipped and is needed."""
        if not isinstance(one, NoField) or not one.argument:
            return SimdupError(one.document, one.fault)
        self._lack(one.argument, one.fields)
        return self._no_field(one.argument, one.document)

    def _no_field(self, argument: str, record: str = "") -> SimdupError:
        """Return the error for a field that no record has, or not the only one that is needed."""
        found = self._lacking.get(argument, Counter())
        wanted = getattr(self._reading, argument)
        if argument == "field":
            fields = self._reading.text_fields
            wanted = next((name for name in fields if name not in found), fields[0])
        names = ", ".join(repr(_shortened(name)) for name in list(found)[:_MOST_FIELDS])
        more = f" and {len(found) - _MOST_FIELDS:,} more" if len(found) > _MOST_FIELDS else ""
        there = f" (fields: {names}{more})" if found else ""
        what = f"{'no' if record else 'no record has a'} field {wanted!r}{there}"
        if argument == "value_field":
            return SimdupError("keep", what, field="keep")
        hint = ""
        if argument == "field" and found:
            # The longest field is most likely the text.
            longest = max(found, key=lambda name: found[name])
            hint = f"`field` {shlex.quote(longest)}" if found[longest] else ""
        return SimdupError(record or argument, what, hint, "" if record else argument)


def _shortened(name: str) -> str:
    return name if len(name) <= _MOST_CHARACTERS else name[:_MOST_CHARACTERS] + "..."


def _place(source: str) -> str:
    return source.rstrip(os.sep) or source
