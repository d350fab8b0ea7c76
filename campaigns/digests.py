"""A fixed corpus, commands on it, and a digest of what each says: ``python -m campaigns.digests``.

Prints JSON: the digest by command. Seconds, the version of simdup, command lines and the path of
the folder are left out, and how a report page looks. Everything else counts.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import random
import re
import shutil
import sys
import tempfile
import zlib
from base64 import b64decode
from collections.abc import Iterable, Iterator
from contextlib import chdir
from pathlib import Path

import simdup.ingest.corpus
from campaigns.commands import run_command
from simdup.corpus import batches, lines
from simdup.ingest import rows
from tests.support import HAN, LATIN, edited, near, prose

_EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
_DATE = 1_700_000_000  # of every file

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


def build_corpus(folder: Path) -> None:
    """Write the corpus: the examples, families of generated texts, records, and web pages."""
    shutil.copytree(_EXAMPLES / "corpus", folder / "c")
    generated = {f"g/{i:03}.txt": edited(prose(i // 3, 60), i, i % 7) for i in range(150)}
    template = prose(900, 50)
    generated |= {f"g/t{i:02}.txt": edited(template, i, i % 9) for i in range(70)}
    generated |= {f"g/n{i}.txt": near(prose(i, 60)) for i in range(5)}
    generated |= {f"g/w{i}.txt": _english(i // 2, i % 2) for i in range(12)}
    generated |= {f"asked/{i}.txt": edited(prose(i, 60), 50 + i, 9) for i in range(8)}
    generated |= {f"pages/{i}.html": _page(i) for i in range(8)}
    records = [{"id": f"s{i}", "text": _short(i)} for i in range(60)]
    generated["short.jsonl"] = "".join(
        json.dumps(one, ensure_ascii=False) + "\n" for one in records
    )
    generated["rows.jsonl"] = "".join(
        json.dumps(row, ensure_ascii=False) + "\n" for row in make_rows()
    )
    pairs = [(f"g/{i:03}.txt", f"g/{i + 1:03}.txt") for i in range(0, 150, 3)]
    generated["truth.tsv"] = "".join(f"{a}\t{b}\t1\n" for a, b in pairs)
    for name, text in generated.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text.encode())
    with open(folder / "table.csv", "w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["id", "text"])
        table.writerows((i, edited(prose(i // 2 + 300, 40), i, i % 3)) for i in range(40))
    for path in folder.rglob("*"):
        os.utime(path, (_DATE, _DATE))


def make_rows() -> list[dict[str, str]]:
    """Return records that a scan on Spark gets, too."""
    return [
        {"id": f"r{i:03}", "text": edited(prose(i // 3 + 500, 40), i, i % 5)} for i in range(90)
    ]


def _english(seed: int, edits: int) -> str:
    words = [LATIN[(seed * 7 + i * i * (seed + 3)) % len(LATIN)] for i in range(60)]
    words[edits * 5] = "changed" if edits else words[0]
    return " ".join(words) + ".\n"


def _short(number: int) -> str:
    words = "".join(HAN[(number // 3 * 11 + i * 5) % len(HAN)] for i in range(6))
    return (
        words[: len(words) - number % 3]
        + f"第{number % 2 + 1}集 @{LATIN[number % 9]} https://a.example/{number}"
    )


def _page(number: int) -> str:
    body = "".join(f"<p>{line}</p>" for line in edited(prose(number // 2, 60), number).split("\n"))
    return f"<html><head><title>{number // 2}</title></head><body><nav>x</nav>{body}</body></html>"


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
    """Let batches have so many bytes, and workers be worth it for any corpus."""
    for module in (lines, batches, rows):
        module.BATCH_BYTES = size  # type: ignore[attr-defined]
    batches.BATCH_FILES = max(1, size >> 11)
    simdup.ingest.corpus.WORTH_WORKERS = 0


def main() -> None:
    """Print the digests."""
    parser = argparse.ArgumentParser(prog="python -m campaigns.digests", description=__doc__)
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
