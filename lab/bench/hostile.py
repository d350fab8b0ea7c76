"""Hostile archives: 20 MB of zip bombs, overlaps, long lists and deep XML end with a note each.

All of them together would unpack to more than a petabyte.
"""

from __future__ import annotations

import io
import random
import statistics
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from lab import measuring
from lab.measuring import SIMDUP
from lab.reporting import Cell, Table
from lab.trial import Trial

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="r" Type="{_OFFICE}" Target="word/document.xml"/></Relationships>'
)


def run(trial: Trial) -> Iterator[Table]:
    """Scan all kinds together, and each alone."""
    size = trial.pick(1 << 20, 20 << 20)
    everything = trial.folder / "all"
    everything.mkdir()
    rows: list[tuple[Cell, ...]] = []
    for name, make in _KINDS.items():
        folder = trial.folder / name.replace(" ", "-")
        folder.mkdir()
        content = make()
        suffix = ".docx" if "document" in name else ".zip"
        count = max(1, size // len(_KINDS) // len(content))
        for number in range(min(count, 20)):  # most are small
            for place in (folder, everything):
                (place / f"{folder.name}-{number}{suffix}").write_bytes(content)
        rows.append((name, *_scan(folder, trial.rounds)))
    rows.append(("all", *_scan(everything, trial.rounds)))
    columns = ("archives", "MB", "files", "notes", "seconds")
    yield Table("Hostile archives", columns, rows)


def _scan(folder: Path, rounds: int) -> tuple[float, int, int, float]:
    files = list(folder.iterdir())
    command = [*SIMDUP, "scan", str(folder), "-f", "jsonl"]
    ran = [measuring.run(command, statuses=(2,)) for _ in range(rounds)]
    notes = ran[0].output.count(b'"type": "skipped"')
    size = sum(path.stat().st_size for path in files) / 1e6
    seconds = statistics.median(one.seconds for one in ran)
    return size, len(files), notes, seconds


def _zipped(members: Iterable[tuple[str, bytes | str]]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def _document(body: str, declared: str = "") -> bytes:
    main = f'{declared}<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    return _zipped([("_rels/.rels", _RELATIONS), ("word/document.xml", main)])


def _layers() -> bytes:
    """Return an archive of 16 archives, and so on, six layers deep."""
    content = _zipped([("0.txt", bytes(100 << 20))])
    for _ in range(5):
        content = _zipped((f"{i}.zip", content) for i in range(16))
    return content


def _overlapping() -> bytes:
    """Return 60,000 members that are the same bytes."""
    content = _zipped([("a.txt", bytes(20 << 20))])
    end = content.rfind(b"PK\5\6")
    start = struct.unpack_from("<L", content, end + 16)[0]
    count = 60_000
    entries = b"".join(content[start:end].replace(b"a.txt", b"%05d" % i) for i in range(count))
    tail = bytearray(content[end:])
    struct.pack_into("<HHL", tail, 8, count, count, len(entries))
    return content[:start] + entries + bytes(tail)


def _laughs() -> bytes:
    letters = "abcdefghijk"
    entities = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise(letters))
    return _document("<w:p>&k;</w:p>", f'<!DOCTYPE x [<!ENTITY a "ha">{entities}]>')


def _elements() -> bytes:
    """Return a document of five million elements that hardly repeat."""
    chance = random.Random(0)
    return _document("".join(chance.choices(("<w:t/>", "<w:p/>"), k=5_000_000)))


_KINDS: dict[str, Callable[[], bytes]] = {
    "bombs": lambda: _zipped([("a.txt", bytes(300 << 20))]),
    "bombs in layers": _layers,
    "overlapping members": _overlapping,
    "long lists": lambda: _zipped((f"{i}", b"") for i in range(120_000)),
    "document bombs": lambda: _document(" " * (300 << 20)),
    "documents with entities": _laughs,
    "documents of many elements": _elements,
    "deep documents": lambda: _document("<w:p>" * 100_000 + "</w:p>" * 100_000),
}
