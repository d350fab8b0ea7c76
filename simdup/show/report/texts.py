"""Texts of documents on their way into a page: read again, in a spool, by cluster.

A scan spools folded texts without white space; a person wants to see the original.  So documents
are read again, file by file, into a spool of their own, and taken from there in the order of the
page, where every line ends with LF.  A text that is not the one that was scanned, because its file
has changed meanwhile, is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from simdup.corpus.decoding import unify_line_ends
from simdup.corpus.files import difference
from simdup.corpus.spool import Slot, SpoolReader, SpoolWriter, spool_folder
from simdup.near.source_documents import SourceDocuments
from simdup.show.report.choice import CLIP

# Texts that are folded and written at a time.
_AT_ONCE = 256


class Originals:
    """Texts by the number of their document; missing ones could not be read again."""

    def __init__(self, origins: SourceDocuments, reader: SpoolReader) -> None:
        self.origins = origins
        self._reader = reader
        self._slots: dict[int, Slot] = {}
        self._files = {file.path: file for file in origins.files}
        self._checked: dict[str, bool] = {}  # by path, whether the file is as it was

    def store(self, writer: SpoolWriter, texts: Iterable[tuple[int, str]]) -> None:
        """Write (number, text) to the spool, those that are as they were."""
        stream = iter(texts)
        while some := list(islice(stream, _AT_ONCE)):
            same = self._same(some)
            shown = (unify_line_ends(text)[: CLIP + 1] for _, text in same)
            content = [text.encode("utf-8", "surrogatepass") for text in shown]
            self._slots |= zip((number for number, _ in same), writer.write(content), strict=True)

    def _same(self, some: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Return the texts that are as they were: of files that changed, by their digests."""
        doubtful = [(number, text) for number, text in some if not self._unchanged(number)]
        if not doubtful:
            return some
        prepared = self.origins.analyzer.prepare_all([text for _, text in doubtful])
        other = {
            number
            for (number, _), now in zip(doubtful, prepared, strict=True)
            if now.digest != self.origins.documents["digest"][number].tobytes()
        }
        return [(number, text) for number, text in some if number not in other]

    def _unchanged(self, number: int) -> bool:
        """Return whether a document's file is known to be as it was: a pipe never is."""
        path = self.origins.documents["path"][number]
        if path not in self._checked:
            file = self._files.get(path)
            self._checked[path] = file is not None and file.regular and not difference(file)
        return self._checked[path]

    def text(self, number: int) -> str | None:
        """Return the beginning of a text: one character more than `CLIP` tells that it goes on."""
        slot = self._slots.get(number)
        if slot is None:
            return None
        return self._reader.read(slot).decode("utf-8", "surrogatepass")


@contextmanager
def read_originals(origins: SourceDocuments, numbers: Iterable[int]) -> Iterator[Originals]:
    """Read documents again, and keep their texts on disk meanwhile."""
    with spool_folder() as folder:
        reader = SpoolReader(folder)
        try:
            originals = Originals(origins, reader)
            originals.store(SpoolWriter(folder, 0), origins.read_again(numbers))
            yield originals
        finally:
            reader.close()
