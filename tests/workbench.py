"""A folder in which the commands of the pages run: the examples, and what the pages name."""

import gzip
import json
import os
import shutil
import sys
from pathlib import Path

from support import ROOT

from lab.corpora.made import near, prose, write
from lab.corpora.office_files import docx, paragraphs, zipped

_HANDED_IN = (("ann", 13), ("ben", 14))
_CRAWLED = "https://example.org/"


def build(folder: Path) -> None:
    """Fill a folder with what the pages take for granted."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copytree(ROOT / "examples" / "corpus", folder / "corpus")
    a = prose(1)
    write(folder, {"a.txt": a, "b.txt": near(a), "c.txt": prose(2)})
    write(folder / "more", {"one.txt": prose(3)})
    write(folder / "delivery", {"again.txt": near(prose(3)), "new.txt": prose(4)})
    write(folder / "archive", {"old.txt": prose(3)})
    write(folder / "pages", {f"{n}.html": _page(prose(n)) for n in (5, 6)})
    write(folder / "corpus" / "drafts", {"draft.txt": prose(7), "draft.md": prose(8)})
    write(folder / "corpus" / "checked", {"checked.txt": prose(7)})
    copied = f"{prose(12)} {prose(13)}"
    write(folder / "essays", {"ann.txt": copied, "ben.txt": f"{prose(14)} {prose(12)}"})
    write(folder / "homework", {"ann.txt": copied, "ben.txt": near(copied)})
    _write_office_files(folder)
    write(folder / "classes", {"1/ann.txt": copied, "1/ben.txt": prose(12), "2/eve.txt": copied})
    write(folder / "handbook", {f"{n}.txt": f"{prose(12)} {prose(n)}" for n in (13, 14, 15)})
    write(folder / "library", {"book.txt": prose(12)})
    write(folder, {"task.txt": prose(13), "mine.toml": "bits = 128\n"})
    write(folder / "docs", {"install.md": prose(21), "windows.md": near(prose(21))})
    write(folder / "docs", {"usage.md": prose(22)})
    posts = [{"text": copied, "author": "ann"}, {"text": prose(12), "author": "ben"}]
    write(folder, {"posts.jsonl": "".join(json.dumps(post) + "\n" for post in posts)})
    (folder / "fresh").mkdir()
    _write_records(folder)
    _write_programs(folder / "bin")


def _page(text: str) -> str:
    return f"<html><head><title>Page</title></head><body><p>{text}</p></body></html>"


def _write_records(folder: Path) -> None:
    texts = [prose(1), prose(2), near(prose(1)), prose(9)]
    records = [
        {"text": text, "content": text, "html": _page(text), "url": f"{_CRAWLED}{n}",
         "date": f"2026-01-{n:02}", "source": "web" if n % 2 else "news"}
        for n, text in enumerate(texts, 1)
    ]  # fmt: skip
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    names = ("train", "crawl", "monday", "tuesday")
    write(folder, {f"{name}.jsonl": lines for name in names})
    table = "text\n" + "".join(f'"{text}"\n' for text in texts)
    (folder / "feed.csv.gz").write_bytes(gzip.compress(table.encode()))


def _write_office_files(folder: Path) -> None:
    files = {f"{name}.docx": docx(paragraphs(prose(12), prose(seed))) for name, seed in _HANDED_IN}
    for name in ("hand-ins", "作业"):
        (folder / name).mkdir()
        for file, content in files.items():
            (folder / name / file).write_bytes(content)
        inner = [(f"class 2/{file}", content) for file, content in files.items()]
        (folder / f"{name}.zip").write_bytes(zipped(inner))


def _write_programs(folder: Path) -> None:
    """Write `simdup` and `crawl` for the shell."""
    scripts = {"simdup": f'exec "{sys.executable}" -m simdup "$@"', "crawl": "cat crawl.jsonl"}
    write(folder, {name: f"#!/bin/sh\n{line}\n" for name, line in scripts.items()})
    for name in scripts:
        os.chmod(folder / name, 0o755)
