"""Commands on a fixed corpus, and a digest of what each says: ``python -m lab.breaking.digests``.

Prints JSON: the digest by command. Seconds, the version of simdup, command lines and the path of
the folder are left out, and how a report page looks. Everything else counts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
import tempfile
import zlib
from base64 import b64decode
from collections.abc import Iterable, Iterator
from contextlib import chdir
from pathlib import Path

import simdup.ingest.corpus
from lab.breaking.commands import run_command
from lab.corpora.mixed import build_corpus
from simdup.corpus import batches, lines
from simdup.ingest import rows

# What is run, in this order, in the folder of the corpus. A later command may read what an earlier
# one wrote; `{}` is where the options of a run go, such as ``-j 3``.
COMMANDS = {
    "fingerprint": "fingerprint c g {}",
    "fingerprint, other recipe": "fingerprint c g {} --tokens chars:2 --hash md5 --bits 128",
    "scan as JSONL": "scan c g {} -f jsonl",
    "scan as CSV": "scan c g {} -o r.csv",
    "scan of short texts": "scan short.jsonl {} --id-field id -f jsonl",
    "scan of HTML": "scan pages {} --html --extract all -f jsonl",
    "scan of a table": "scan table.csv {} --field text --id-field id -f jsonl",
    "scan of records": "scan rows.jsonl {} --id-field id -f csv",
    "scan by MinHash": "scan c g {} --method minhash -s 0.6 --pairs -f csv",
    "scan by p-stable projections": "scan c g {} --method pstable -s 0 --cosine 0.8 -f jsonl",
    "scan, containment": "scan c g {} --containment 0.5 -f jsonl",
    "report page": "scan c g {} -o page.html",
    "passages": "passages c g {} -f jsonl",
    "dedupe": "dedupe c g {} -o clean --removed removed.csv",
    "fingerprint lines": "fingerprint c g {} -o prints",
    "pairs": "pairs prints -d 12",
    "cluster": "cluster prints -d 12 -f jsonl",
    "index build": "index build seen.index c g {}",
    "index add": "index add seen.index short.jsonl --id-field id {}",
    "index export": "index export seen.index",
    "query": "query seen.index g {} -s 0.5 -f jsonl",
    "query of new texts": "query seen.index asked {} -s 0.3 -d 12 -f jsonl",
    "fit": "fit c g {} -o model",
    "tune": "tune c g {} -f jsonl",
    "evaluate": "evaluate r.csv truth.tsv -f jsonl",
}
# What the others need; what they say depends on the folder, or is a file for SQLite.
_UNSAID = ("fingerprint lines", "index build", "index add")

_DATA = re.compile(r'<script type="application/([a-z-]+)" id="([a-z0-9]+)">(.*?)</script>', re.S)


def take_digests(options: str) -> dict[str, str]:
    """Return the digest of what each command says and writes in the working folder."""
    found = {}
    for name, line in COMMANDS.items():
        words = line.format(options).split()
        before = set(Path().rglob("*"))
        ran = run_command(*words)
        if ran.status not in (0, 1) and name != "dedupe":
            raise RuntimeError(f"{line}: status {ran.status}: {ran.err}")
        if name in _UNSAID:
            continue
        found[name] = digest_of(_contents(ran.out, sorted(set(Path().rglob("*")) - before)))
    return found


def digest_of(parts: Iterable[str]) -> str:
    """Return the digest of some texts."""
    content = hashlib.blake2b(digest_size=8)
    for part in parts:
        content.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return content.hexdigest()


def shuffled_digest(options: str, seed: int) -> str:
    """Return the digest of all fingerprint lines, sorted, if files come in another order."""
    files = sorted(str(path) for path in Path("g").iterdir())
    random.Random(seed).shuffle(files)
    Path("list").write_text("\n".join(files), "utf-8")
    ran = run_command("fingerprint", "--files-from", "list", *options.split())
    return digest_of(sorted(ran.out.splitlines()))


def _contents(out: str, written: list[Path]) -> Iterator[str]:
    yield _timeless(out)
    for path in written:
        if path.is_file():
            text = path.read_bytes().decode("utf-8", "surrogateescape")
            said = page_data(text) if path.suffix == ".html" else _timeless(text)
            yield f"{path}: {said}"


def page_data(page: str) -> str:
    """Return what a report page is about, block by block; how it looks changes more often.

    Blocks are inflated: other versions of zlib make other bytes of the same data.
    """
    found = _DATA.findall(page)
    if not found:
        raise RuntimeError("the report page lacks its data")
    return "\n".join(
        f"{name}: {_timeless(data) if kind == 'json' else _inflated(data)}"
        for kind, name, data in found
    )


def _inflated(block: str) -> str:
    return zlib.decompress(b64decode(block, validate=True), -15).decode("latin-1")


def _timeless(text: str) -> str:
    return re.sub(r'"(seconds|simdup|command|root)": ?("[^"]*"|[0-9.]+)', "", text)


def shrink_batches(size: int) -> None:
    """Let batches have this many bytes, and workers be worth it for any corpus."""
    for module in (lines, batches, rows):
        module.BATCH_BYTES = size  # type: ignore[attr-defined]
    batches.BATCH_FILES = max(1, size >> 11)
    simdup.ingest.corpus.WORTH_WORKERS = 0


def main() -> None:
    """Print the digests."""
    parser = argparse.ArgumentParser(prog="python -m lab.breaking.digests", description=__doc__)
    parser.add_argument("--options", default="-j 1", help="what every command gets")
    parser.add_argument("--batch", type=int, help="bytes of a batch")
    parser.add_argument("--order", type=int, default=0, help="seed of an order of files")
    given = parser.parse_args()
    if given.batch:
        shrink_batches(given.batch)
    with tempfile.TemporaryDirectory() as folder:
        # A page is titled by the folder.
        corpus = Path(folder) / "corpus"
        corpus.mkdir()
        with chdir(corpus):
            build_corpus(corpus)
            found = take_digests(given.options)
            found["fingerprints, other order"] = shuffled_digest(given.options, given.order)
    json.dump(found, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
