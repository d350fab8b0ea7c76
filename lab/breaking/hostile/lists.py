"""Files that options name: lists, dictionaries, models, decisions, truths, baselines, settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from lab.breaking.hostile.values import EITHER, Entry, Scale, typed

_ROW = json.dumps({"type": "decision", "decision": "distinct", "documents": ["\x1b[31m", "b"]})

# What no file of any kind should be.
CONTENTS: dict[str, Callable[[Scale], bytes]] = {
    "empty": lambda scale: b"",
    "a line feed": lambda scale: b"\n",
    "NULs": lambda scale: bytes(100_000),
    "bytes that are no UTF-8": lambda scale: b"\xff\xfe\xed\xa0\x80\n" * 1000,
    "one long line": lambda scale: b"a" * (4 << 20),
    "many empty lines": lambda scale: b"\n" * (1 << 20),
    "spaces": lambda scale: b"a" + b" " * scale.depth + b"b c\n",
    "brackets": lambda scale: b"[" * scale.depth,
    "braces": lambda scale: b'{"a":' * scale.depth,
    "quotes": lambda scale: b'"' * scale.depth,
    "an unclosed quote": lambda scale: b'a,b\n"' + b"x,y\n" * scale.depth,
    "control characters": lambda scale: b"\x1b[31m,\x07\x9b\xe2\x80\xae = \x1b]0;x\x07\n" * 100,
    "escapes in JSON": lambda scale: (_ROW + "\n").encode() * 10,
    "long numbers": lambda scale: b"9" * scale.depth + b" " + b"9" * scale.depth + b" n\n",
    "a Han word": lambda scale: "桥".encode() * scale.depth,
    "a list of names that do not exist": lambda scale: b"c/gone.txt\n\x1b[31m\nc/a.txt\n" * 1000,
    "an own first line": lambda scale: b"# simdup 1 recipe=\x1b[31m bits=9999999999999\n0  a\n",
    "a baseline of odd lines": lambda scale: b"# simdup-baseline 1\n" + b"\x1b[31m\n" * 100,
    "a model without terms": lambda scale: b"# simdup-idf 1 documents=-1 terms=9 from=\x1b\n",
    "stars": lambda scale: b"*a" * 5000 + b"b\n",
}
READ_BY: Mapping[str, str] = {
    "a list of files": "scan --files-from FILE",
    "a list of files, with NULs": "fingerprint --files-from FILE -0",
    "a dictionary": "fingerprint c --dict FILE",
    "an IDF model": "fingerprint c --idf FILE",
    "decisions": "scan c --decisions FILE",
    "a truth": "evaluate FILE FILE",
    "a baseline": "scan c --baseline FILE",
    "a baseline to write": "scan c --baseline FILE --update-baseline",
    "a template": "passages c --template FILE",
    "a configuration": "scan c --config FILE",
    "fingerprint lines": "pairs FILE",
    "fingerprint lines to cluster": "cluster FILE",
    "an index": "query FILE c",
    "an index to repair": "index check FILE",
    "a reference": "scan c --reference FILE",
}


def _write(folder: Path, scale: Scale) -> None:
    for number, content in enumerate(CONTENTS.values()):
        (folder / f"f{number}.toml").write_bytes(content(scale))


def _ignore(content: Callable[[Scale], bytes]) -> Callable[[Path, Scale], object]:
    return lambda folder, scale: (folder / "c/.simdupignore").write_bytes(content(scale))


LISTS = [
    *(
        Entry(
            f"{what}: {len(CONTENTS)} unsuitable files", _write,
            typed(*(line.replace("FILE", f"f{n}.toml") for n in range(len(CONTENTS)))),
            status=EITHER, seconds=15,
        )
        for what, line in READ_BY.items()
    ),
    *(
        Entry(f".simdupignore: {what}", _ignore(content), typed("scan c"), status=EITHER)
        for what, content in CONTENTS.items()
    ),
]  # fmt: skip
