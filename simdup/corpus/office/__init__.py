"""Office documents: the text of Word, OpenDocument, PowerPoint, EPUB and PDF files."""

from __future__ import annotations

import os

from simdup.corpus.files import File
from simdup.corpus.office.epub import read_epub
from simdup.corpus.office.found import NotReadable, OfficeText
from simdup.corpus.office.odf import read_odt
from simdup.corpus.office.ooxml import read_docx, read_pptx
from simdup.corpus.office.package import Package
from simdup.corpus.office.pdf import read_pdf
from simdup.model.documents import Document, Skipped

_READERS = {"docx": read_docx, "pptx": read_pptx, "odt": read_odt, "epub": read_epub}

# Word and WPS keep such a file beside each document that is open.
_OWNER_FILE = "~$"


def read_office(file: File, content: bytes) -> Document | Skipped:
    """Return the document in an office file, or why it is skipped."""
    try:
        found = _read(file, content)
    except NotReadable as error:
        return Skipped(file.path, str(error), error=error.error)
    return Document(
        file.path, found.text, file.modified, found.note, path=file.path, title=found.title
    )


def _read(file: File, content: bytes) -> OfficeText:
    if not content:
        raise NotReadable("empty", error=False)
    if os.path.basename(file.path).startswith(_OWNER_FILE):
        raise NotReadable("lock file of an open document", error=False)
    if file.format != "pdf":
        return _READERS[file.format](Package(content, file))
    found = read_pdf(content, file.max_size)
    if not found.text:
        raise NotReadable("no text: scanned pages?", error=False)
    return found
