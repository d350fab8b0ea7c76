"""A fixed corpus of everything: the examples, families of made texts, records, and web pages."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

from lab.corpora.made import HAN, LATIN, edited, near, prose

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_DATE = 1_700_000_000  # of every file


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
