"""Formats: what reading costs and how well it is done."""

from __future__ import annotations

import csv
import gzip
import os
import random
import shutil
import statistics
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from lab.corpora import real, web_pages
from lab.corpora.office_files import WORD, related, zipped
from lab.corpora.real import Corpus
from lab.measuring import CHECKOUT, clock, in_turn, median_seconds, ratio, simdup
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial
from simdup.corpus.batches import read_content, read_file
from simdup.corpus.decoding import NotText, decode
from simdup.corpus.files import File
from simdup.corpus.html import extract_text
from simdup.corpus.sources import list_files
from simdup.model.documents import Document
from simdup.model.settings import Reading

FINGERPRINT = ("fingerprint", "--recipe", "default,idf=builtin", "-q", "-o", os.devnull)

# -- the same texts in many formats --

LONG, SHORT = 3500, 350  # characters of a passage: about 10 kB and 1 kB


def formats(trial: Trial) -> Iterator[Table]:
    """Formats: how fast plain files, JSON lines, CSV, Parquet and HTML are read, compressed or not.

    The same passages of real texts are fingerprinted with the built-in table in every format.
    "share of unpacking" is the part of the CPU time that decompression, or finding the main text,
    takes alone.
    """
    forms = _write_forms(trial.folder, trial.pick(200_000, 30_000_000))
    works = [partial(simdup, *FINGERPRINT, form.path) for form in forms.values()]
    rows: list[Row] = []
    plain: list[float] = []
    for (name, form), rans in zip(forms.items(), in_turn(trial.rounds, *works), strict=True):
        seconds, cpu = median_seconds(rans), [ran.cpu for ran in rans]
        own = [one / form.size for one in cpu]
        plain = plain or own
        rows.append(
            {"format": name, "documents/s": form.documents / seconds,
             "MB/s": form.size / 1e6 / seconds, "ratio": ratio(plain, own),
             "share of unpacking": _unpacking(form.path) / statistics.median(cpu)}
        )  # fmt: skip
    yield tabulate("Formats", rows, "ratio: CPU time per byte of text, plain files to this format")


def _write_forms(place: Path, size: int) -> dict[str, Corpus]:
    """Write the same texts in every format; the size of each is that of its text."""
    texts, short = real.passages(size, LONG), real.passages(size, SHORT)
    of_texts = real.write_files(texts, place / "plain")
    forms = {
        "files of 10 kB": of_texts,
        "files of 1 kB": real.write_files(short, place / "short"),
        "jsonl of 1 kB": real.write_records(real.numbered(short), place / "short.jsonl"),
    }
    lines = real.write_records(real.numbered(texts), place / "texts.jsonl").path
    table = place / "texts.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["text"], *([text] for text in texts)])
    for path in (lines, table):
        forms[path.suffix[1:]] = of_texts._replace(path=path)
        for suffix, module in _packers().items():
            packed = path.with_name(path.name + suffix)
            with path.open("rb") as source, module.open(packed, "wb") as target:
                shutil.copyfileobj(source, target)
            forms[path.suffix[1:] + suffix] = of_texts._replace(path=packed)
    if find_spec("pyarrow"):
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"text": texts}), place / "texts.parquet", compression="zstd")
        forms["parquet"] = of_texts._replace(path=place / "texts.parquet")
    if find_spec("justext"):
        pages = real.write_files(texts, place / "html", ".html", _page)
        forms["html"] = pages._replace(size=of_texts.size)
    return forms


def _page(text: str) -> bytes:
    body = "".join(f"<p>{line}</p>" for line in text.splitlines() if line.strip())
    menu = "<li><a href=/>首页</a></li>" * 20
    return f"<html><body><ul>{menu}</ul>{body}</body></html>".encode()


def _packers() -> dict[str, Any]:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return {".gz": gzip, ".zst": zstd}


def _unpacking(path: Path) -> float:
    """Return the CPU seconds of decompression alone; 0 for uncompressed files."""
    started = time.process_time()
    if path.suffix in (".gz", ".zst"):
        with _packers()[path.suffix].open(path, "rb") as stream:
            while stream.read(1 << 19):
                pass
    elif path.name == "html":
        for file in path.rglob("*.html"):
            extract_text(file.read_text(encoding="utf-8"), "main")
    elif path.suffix == ".parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as table:
            for _ in table.iter_batches(use_threads=False):
                pass
    else:
        return 0.0
    return time.process_time() - started


# -- encodings --


def decoding(trial: Trial) -> Iterator[Table]:
    """Decoding: GBK texts padded with NULs, and what detecting costs where no encoding is named.

    The texts are passages of laws, for news, and of manual pages, where Chinese is between code.
    """
    chance, count = random.Random(1), trial.pick(20, 1000)
    texts = [*_passages("laws", count // 2, 1000), *_passages("vsdocs", count // 2, 1000)]
    rows: list[Row] = []
    for name, pad in PADDINGS.items():
        outcomes = Counter(_outcome(text, pad(text.encode("gb18030"), chance)) for text in texts)
        counts = {one: outcomes[one] for one in ("read right", "called binary", "read wrong")}
        rows.append({"NULs": name, "texts": len(texts), **counts})
    yield tabulate("Texts in GBK with NULs", rows)
    cases = (("laws", 300), ("laws", 1000), ("laws", 3000), ("vsdocs", 1000))
    timed = (row for name, length in cases for row in _detected(name, length, trial))
    note = "decode: bytes in memory; read: open, read, decode; fingerprint: the whole command"
    yield tabulate("GBK with and without --encoding", timed, note)


def _passages(name: str, count: int, length: int) -> list[str]:
    """Return passages of a collection, with LF at line ends, as all decoded texts have."""
    source = "\n".join(real.texts(name).values()).replace("\r", "")
    chance = random.Random(2)
    starts = (chance.randrange(len(source) - length) for _ in range(count))
    return [source[start : start + length] for start in starts]


def _outcome(text: str, data: bytes) -> str:
    try:
        decoded = decode(data)
    except NotText:
        return "called binary"
    right = (decoded.text, decoded.dropped) == (text, data.count(b"\0"))
    return "read right" if right else "read wrong"


def _insert(data: bytes, places: list[int], count: int = 1) -> bytes:
    return bytes(count).join(data[i:j] for i, j in pairwise([0, *places, len(data)]))


def _anywhere(data: bytes, chance: random.Random, places: int, count: int = 1) -> bytes:
    return _insert(data, sorted(chance.sample(range(len(data)), places)), count)


def _regularly(data: bytes, _: random.Random, step: int) -> bytes:
    return _insert(data, list(range(step, len(data), step)))


PADDINGS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "none": lambda data, _: data,
    "one": partial(_anywhere, places=1),
    "12": partial(_anywhere, places=12),
    "1 in 50 bytes": partial(_regularly, step=50),
    "1 in 25 bytes, all of one parity": partial(_regularly, step=25),
    "3 holes of 200": partial(_anywhere, places=3, count=200),
    "up to a multiple of 4,096": lambda data, _: data + bytes(-len(data) % 4096),
    "a thousand first": lambda data, _: bytes(1000) + data,
}


def _detected(name: str, length: int, trial: Trial) -> Iterator[Row]:
    """Time calls of `decode`, reading of files, and `simdup fingerprint`, each both ways."""
    count = trial.pick(200_000, 4_000_000) // 2 // length
    texts, encode = _passages(name, count, length), partial(str.encode, encoding="gb18030")
    contents = [encode(text) for text in texts]
    folder = real.write_files(texts, trial.folder / f"{name}{length}", encode=encode).path

    def decoded(encoding: str | None) -> float:
        started = time.process_time()
        for content in contents:
            decode(content, encoding)
        return time.process_time() - started

    def read(encoding: str | None) -> float:
        reading = Reading(encoding=encoding)
        files = list_files([str(folder)], reading).files
        started = time.process_time()
        for file in files:
            read_file(file, reading)
        return time.process_time() - started

    def fingerprinted(encoding: str | None) -> float:
        option = ("--encoding", encoding) if encoding else ()
        return simdup(*FINGERPRINT, *option, folder).cpu

    for work, call in {"decode": decoded, "read": read, "fingerprint": fingerprinted}.items():
        times = 2 * trial.rounds + 1
        named, detected = in_turn(times, partial(call, "gb18030"), partial(call, None))
        ours, guessed = (1e6 * statistics.median(one) / count for one in (named, detected))
        yield {
            "texts": f"{name}, {length:,} characters", "work": work, "given, us a file": ours,
            "detected, us a file": guessed, "ratio": ratio(detected, named),
        }  # fmt: skip


# -- office files --

PAGES, CHARACTERS = 5, 700  # of a document; of a page
RUN = 40  # characters that have one form: programs for texts cut paragraphs so
SAMPLES = CHECKOUT / "tests" / "corpus" / "samples"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/'
    'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)


def office(trial: Trial) -> Iterator[Table]:
    """Office files: 1,000 Word documents of five pages, beside the same texts as plain files.

    Readers of one Word document and of one PDF file are compared with other libraries, where these
    are installed: python-docx, pypdf, pdfminer.six. Their texts are compared too: "found" is the
    share of the character 5-grams of a sample that a reader found, "right" that of what it found.
    """
    count = trial.pick(50, 1000)
    texts = real.passages(count * PAGES * CHARACTERS * 4, PAGES * CHARACTERS)[:count]
    words = real.write_files(texts, trial.folder / "docx", ".docx", _paragraphs)
    archive = trial.folder / "all.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as packed:
        for path in words.files():
            packed.write(path, os.path.basename(path))
    places = {
        "files of text": real.write_files(texts, trial.folder / "txt").path,
        "Word documents": words.path,
        "Word documents in a zip archive": archive,
    }
    works = [
        partial(simdup, "scan", "-q", "-o", os.devnull, "-f", "csv", path)
        for path in places.values()
    ]
    rans = in_turn(trial.rounds, *works)
    cpu = [[ran.cpu for ran in of_form] for of_form in rans]
    rows = (
        {"form": name, "documents": count, "seconds": median_seconds(of_form),
         "ratio": ratio(cpu[0], own)}
        for name, of_form, own in zip(places, rans, cpu, strict=True)
    )  # fmt: skip
    yield tabulate("Scans", rows, "ratio: CPU time of plain files to this form")
    readers = _readers(Path(words.files()[0]), trial.pick(3, 30))
    yield tabulate("Readers", readers, "ms: a Word document of five pages, a page of PDF")


def _paragraphs(text: str) -> bytes:
    """Return a Word document with a run of text and its form every few characters."""
    form = '<w:rPr><w:rFonts w:ascii="Times" w:eastAsia="宋体"/><w:sz w:val="24"/></w:rPr>'
    runs = (
        (f"<w:r>{form}<w:t>{escape(line[i : i + RUN])}</w:t></w:r>"
         for i in range(0, len(line), RUN))
        for line in text.splitlines()
    )  # fmt: skip
    head = "<w:p><w:pPr><w:ind w:firstLine='480'/></w:pPr>"
    body = "".join(f"{head}{''.join(of_line)}</w:p>" for of_line in runs)
    main = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    relation = related({"r": ("officeDocument", "word/document.xml")})
    parts = {"[Content_Types].xml": _TYPES, "_rels/.rels": relation, "word/document.xml": main}
    return zipped(parts.items())


def _readers(document: Path, rounds: int) -> Iterator[Row]:
    """Return how fast and how well each reader reads; some are of libraries, if installed."""
    word, book = SAMPLES / "libreoffice.docx", SAMPLES / "libreoffice.pdf"
    wanted = _grams(_ours(None, word))
    for name, needs, read, sample, timed in (
        ("docx: simdup", "simdup", _ours, word, document),
        ("docx: python-docx", "docx", _python_docx, word, document),
        ("pdf: pypdfium2", "pypdfium2", _ours, book, book),
        ("pdf: pypdf", "pypdf", _pypdf, book, book),
        ("pdf: pdfminer.six", "pdfminer.high_level", _pdfminer, book, book),
    ):
        try:
            reader = partial(read, import_module(needs))
        except ImportError:
            continue
        grams = _grams(reader(sample))
        both = len(wanted.keys() & grams.keys())
        took = clock(lambda reader=reader, timed=timed: [reader(timed) for _ in range(rounds)])
        yield {
            "reader": name, "ms": 1000 * took / rounds,
            "found": both / len(wanted), "right": both / len(grams),
        }  # fmt: skip


def _ours(_: Any, path: Path) -> str:
    read = read_content(File(str(path), format=path.suffix[1:]), path.read_bytes(), Reading())
    return read.text if isinstance(read, Document) else ""


def _python_docx(docx: Any, path: Path) -> str:
    document = docx.Document(str(path))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def _pypdf(pypdf: Any, path: Path) -> str:
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)


def _pdfminer(pdfminer: Any, path: Path) -> str:
    return str(pdfminer.extract_text(path))


def _grams(text: str) -> Counter[str]:
    """Return how often a text has each run of five characters, without white space."""
    compact = "".join(text.split())
    return Counter(compact[i : i + 5] for i in range(max(1, len(compact) - 4)))


# -- the main text of web pages --


def html_pages(trial: Trial) -> Iterator[Table]:
    """HTML: which reader finds the main text best, on pages with known main text.

    Each text of `examples/corpus` is put into pages of six kinds, with the navigation, side
    columns, related links, comments and footers that such pages have. Precision, recall and F1 are
    those of the character 5-grams of what a reader took, mean over the pages.
    """
    pages = list(web_pages.pages())[:: trial.pick(10, 1)]
    size = sum(len(page.encode()) for _, page in pages) / 1e6
    rows: list[Row] = []
    readers: dict[str, Callable[[str], str]] = {"all": lambda page: extract_text(page, "all")}
    if find_spec("justext"):
        readers["main (justext)"] = lambda page: extract_text(page, "main")
    if find_spec("trafilatura"):
        from trafilatura import extract

        readers["trafilatura"] = lambda page: extract(page, include_comments=False) or ""
    for name, reader in readers.items():
        reader(pages[0][1])
        started = time.perf_counter()
        taken = [reader(page) for _, page in pages]
        seconds = time.perf_counter() - started
        scores = [_score(text, read) for (text, _), read in zip(pages, taken, strict=True)]
        means = (statistics.mean(column) for column in zip(*scores, strict=True))
        rows.append(
            {"reader": name, **dict(zip(("precision", "recall", "F1"), means, strict=True)),
             "empty": sum(not read.strip() for read in taken), "MB/s": size / seconds}
        )  # fmt: skip
    yield tabulate(f"Main text of {len(pages)} pages, {len(web_pages.KINDS)} kinds", rows)


def _score(wanted: str, text: str) -> tuple[float, float, float]:
    a, b = _grams(wanted), _grams(text)
    both = (a & b).total()
    precision, recall = both / max(1, b.total()), both / max(1, a.total())
    return precision, recall, 2 * precision * recall / ((precision + recall) or 1)
