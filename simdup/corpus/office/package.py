"""The parts of a document that is a zip file of XML."""

from __future__ import annotations

import io
import posixpath

from simdup.corpus.files import File
from simdup.corpus.office.found import NotReadable
from simdup.corpus.office.xml import attributes_of
from simdup.corpus.zipped import BOMB, ENCRYPTED, MOST_RATIO, SMALL, directory, part_of, read_part
from simdup.corpus.zipped import unreadable_member as fault_of

# The first bytes of Word 97 files, and of the files that Office encrypts, which name this part.
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")


class Package:
    """A document that is a zip file.

    Parameters
    ----------
    content : bytes
        The file.
    file : File
        What it should be, and the most bytes of all parts that are read.
    """

    def __init__(self, content: bytes, file: File) -> None:
        self._stream = io.BytesIO(content)
        self._file, self._left = file, file.max_size
        self._unpackable = SMALL + MOST_RATIO * len(content)
        try:
            listed = directory(self._stream)
        except OSError:
            raise _fault(content, file.format.upper()) from None
        # Of two parts with one name, the last one counts, as in zipfile.
        self._parts = {info.filename.replace("\\", "/").lower(): info for info in listed}

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._parts

    def read(self, name: str) -> bytes:
        """Return a part.

        Raises
        ------
        NotReadable
            If it is missing, damaged or too large.
        """
        info = self._parts.get(name.lower())
        if info is None:
            raise NotReadable(f"lacks its part {name}")
        if fault := fault_of(info):
            raise NotReadable(fault)
        self._left -= info.file_size
        self._unpackable -= info.file_size
        if self._unpackable < 0:
            raise NotReadable(BOMB)
        if self._left < 0:
            raise NotReadable(self._file.too_large)
        try:
            return read_part(self._stream, part_of(info))
        except OSError as error:
            raise NotReadable(error.strerror or "damaged") from None

    def targets(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the relations of a part of an Office document: by id, what it is and which part.

        Those to places outside are left out.
        """
        folder, base = posixpath.split(name)
        relations = posixpath.join(folder, "_rels", base + ".rels")
        found = {}
        if relations in self:
            for element, given in attributes_of(self.read(relations)):
                if element.endswith("Relationship") and given.get("TargetMode") != "External":
                    kind = given.get("Type", "").rpartition("/")[2]
                    found[given.get("Id", "")] = kind, resolve(folder, given.get("Target", ""))
        return found


def resolve(folder: str, target: str) -> str:
    """Return the name of a part that another one in this folder refers to."""
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def _fault(content: bytes, kind: str) -> NotReadable:
    """Return why a file cannot be read that is not a zip file."""
    if not content.startswith(_OLE):
        return NotReadable(f"not {kind}, or damaged")
    locked = _ENCRYPTED_PACKAGE in content
    return NotReadable(ENCRYPTED if locked else f"not {kind}, but an older format")
