"""The state of a file of sections, read without trusting it.

A section is compared with its checksum, and with the manifest if that is current.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from simdup.errors import SimdupError
from simdup.index import manifest
from simdup.index.database import Database
from simdup.index.manifest import Manifest
from simdup.when_used import pattern

_CHECKSUM = 8  # bytes of BLAKE2b; a damaged part passes once in 2**64
# No index has more names than this.
_MOST_ABOUT = 100
# The description of a file: two times and a version, and the checksum of what never changes.
DESCRIBED = ("created", "changed", "simdup")
ORIGIN = "origin"
# A time or a version: printed as it is, so it must not drive the terminal.
_PLAIN = pattern("[!-~]{1,60}")
# A time as a simdup without manifests writes it; others write microseconds, too.
_WHOLE_SECONDS = pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")


@dataclass(slots=True)
class State:
    """What is known about one version of the file."""

    version: int
    blocks: dict[int, int]  # the number of documents by block number, ascending
    manifest: Manifest | None
    dirty: bool = False  # whether the manifest still has to be written
    fault: str = ""  # the first of `faults`

    def faults(self) -> list[str]:
        """Return the differences between the blocks and the manifest."""
        noted = self.blocks if self.manifest is None else self.manifest.blocks()
        found = []
        for number in sorted(noted.keys() | self.blocks.keys()):
            has, should = self.blocks.get(number), noted.get(number)
            if has is None:
                found.append(f"block {number} is missing from the list of blocks")
            elif has != should:
                found.append(f"block {number} should have {should or 'no'} documents, not {has}")
        return found


def read_blocks(file: Database) -> dict[int, int]:
    """Return the number of documents of each block, by ascending block number."""
    found: dict[int, int] = {}
    last = 0
    for number, documents in file.rows("SELECT number, documents FROM block ORDER BY number"):
        if not isinstance(documents, int) or not 0 < documents < manifest.MOST:
            raise file.damaged(f"the number of documents of block {number} is damaged")
        if not last < number < manifest.MOST:
            raise file.damaged("the list of blocks is damaged")
        found[number] = documents
        last = number
    return found


def read_manifest(file: Database) -> Manifest | None:
    """Return the manifest, or None if there is none or an outdated one."""
    about = read_about(file)
    require_description(file, about)
    if about.get("sealed") is None or about["sealed"] != about.get("changed"):
        return None
    found = Manifest()
    for number, content in read_sections(file, manifest.KIND):
        try:
            found.read(content)
        except (ValueError, AttributeError, RecursionError):
            raise file.damaged(f"section {manifest.KIND} {number} is damaged") from None
    # Without an entry, no section would be one that it lists, and a repair could save nothing.
    if not found.entries:
        raise file.damaged(f"section {manifest.KIND} 0 is missing")
    return found


def read_about(file: Database) -> dict[str, str]:
    """Return the names and values that a file stores about itself."""
    found = dict(file.execute(f"SELECT name, value FROM about LIMIT {_MOST_ABOUT}"))
    if not all(isinstance(one, str) for item in found.items() for one in item):
        raise file.damaged("the description of the index is damaged")
    return found


def require_description(file: Database, about: dict[str, str]) -> None:
    """Raise if what a file says about itself is not what was written."""
    if not all(_PLAIN.fullmatch(about.get(name, "")) for name in DESCRIBED):
        raise file.damaged("the description of the index is damaged")
    changed, sealed = about.get("changed", ""), about.get("sealed")
    # A simdup without manifests still records the time of its change.
    dated = sealed in (None, changed) or _WHOLE_SECONDS.fullmatch(changed)
    if not dated or about.get(ORIGIN) not in (None, describe_origin(about)):
        raise file.damaged("the description of the index is damaged")


def describe_origin(about: dict[str, str]) -> str:
    """Return the checksum of when a file was created, and by which simdup."""
    content = json.dumps([about.get("created"), about.get("simdup")]).encode()
    return make_checksum("about", 0, content).hex()


def read_sections(
    file: Database, kind: str, noted: Manifest | None = None, only: int | None = None
) -> Iterator[tuple[int, bytes]]:
    """Yield the numbers and contents of the sections of a kind, by number, or of only one.

    Raises
    ------
    SimdupError
        If a section is damaged, or differs from the manifest.
    """
    statement = "SELECT number, checksum, content FROM part WHERE kind = ?"
    statement += " ORDER BY number" if only is None else " AND number = ?"
    values = (kind,) if only is None else (kind, only)
    last = -1
    for number, checksum, content in file.rows(statement, values):
        intact = is_intact(kind, number, checksum, content)
        if not intact or not (noted is None or noted.has(kind, number, checksum)):
            raise file.damaged(f"section {kind} {number} is damaged")
        if number <= last:
            raise file.damaged(f"the list of sections {kind} is damaged")
        last = number
        yield number, content


def find_places(file: Database) -> dict[tuple[str, int], int]:
    """Return the row of each section that can be found, by kind and number."""
    found: dict[tuple[str, int], int] = {}
    # Damaged pages end a scan; further scans go backwards, or use the table's index.
    for scan in ("NOT INDEXED ORDER BY rowid", "NOT INDEXED ORDER BY rowid DESC",
                 "ORDER BY kind, number"):  # fmt: skip
        seen = set()
        with suppress(SimdupError):
            for kind, number, row in file.rows(f"SELECT kind, number, rowid FROM part {scan}"):
                if row in seen:
                    break
                seen.add(row)
                if isinstance(kind, str) and isinstance(number, int):
                    found.setdefault((kind, number), row)
    return found


def list_places(file: Database) -> list[tuple[str, int]]:
    """Return the kind and number of each section as the table's index lists them."""
    rows = file.rows("SELECT kind, number FROM part ORDER BY kind, number")
    return [row for row in rows if isinstance(row[0], str) and isinstance(row[1], int)]


def is_intact(kind: object, number: object, checksum: object, content: object) -> bool:
    """Return whether the row of a section is as it was written."""
    return (
        isinstance(kind, str)
        and isinstance(number, int)
        and isinstance(content, bytes)
        and checksum == make_checksum(kind, number, content)
    )


def make_checksum(kind: str, number: int, content: bytes) -> bytes:
    """Return a section's checksum, which also depends on its kind and number."""
    state = hashlib.blake2b(f"{kind} {number} ".encode(), digest_size=_CHECKSUM)
    state.update(content)
    return state.digest()
