"""Office files: 1,000 Word documents of five pages, beside the same texts as plain files.

Readers of one Word document and of one PDF file are compared with other libraries, where these are
installed: python-docx, pypdf, pdfminer.six. Their texts are compared too: "found" is the share of
the character 5-grams of a sample that a reader found, "right" that of what it found.
"""

from __future__ import annotations

import io
import os
import statistics
import time
import zipfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from xml.sax.saxutils import escape

from lab import measuring
from lab.corpora import real
from lab.measuring import CHECKOUT, SIMDUP, Ran
from lab.reporting import Cell, Table
from lab.trial import Trial
from simdup.corpus.files import File
from simdup.corpus.office import read_office
from simdup.model.documents import Document

PAGES, CHARACTERS = 5, 700  # of a document; of a page
RUN = 40  # characters that have one form: programs for texts cut paragraphs so
SAMPLES = CHECKOUT / "tests" / "corpus" / "samples"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/'
    'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)

Reader = Callable[[Path], str]


def run(trial: Trial) -> Iterator[Table]:
    """Scan documents in both forms, and read samples with every reader."""
    count = trial.pick(50, 1000)
    texts = real.passages(count * PAGES * CHARACTERS * 4, PAGES * CHARACTERS)[:count]
    folders = {"files of text": _write(trial.folder / "txt", texts, ".txt", str.encode)}
    folders["Word documents"] = _write(trial.folder / "docx", texts, ".docx", _docx)
    archive = trial.folder / "zip" / "all.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as packed:
        for path in sorted(folders["Word documents"].iterdir()):
            packed.write(path, path.name)
    folders["Word documents in a zip archive"] = archive
    works = [lambda place=place: _scan(place) for place in folders.values()]
    taken = dict(zip(folders, measuring.in_turn(trial.rounds, *works), strict=True))
    rows: list[tuple[Cell, ...]] = []
    plain = [ran.cpu for ran in taken["files of text"]]
    for name in folders:
        seconds = statistics.median(ran.seconds for ran in taken[name])
        cpu = [ran.cpu for ran in taken[name]]
        rows.append((name, len(texts), seconds, measuring.ratio(plain, cpu)))
    note = "ratio: CPU time of plain files to this form"
    yield Table("Scans", ("form", "documents", "seconds", "ratio"), rows, note)
    yield _readers(min(_of(folders["Word documents"])), trial.pick(3, 30))


def _of(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def _scan(place: Path) -> Ran:
    return measuring.run([*SIMDUP, "scan", "-q", "-o", os.devnull, "-f", "csv", str(place)])


def _write(place: Path, texts: list[str], suffix: str, form: Callable[[str], bytes]) -> Path:
    place.mkdir()
    for number, text in enumerate(texts):
        (place / f"{number:04}{suffix}").write_bytes(form(text))
    return place


def _docx(text: str) -> bytes:
    """Return a Word document with a run of text and its form every few characters."""
    form = '<w:rPr><w:rFonts w:ascii="Times" w:eastAsia="宋体"/><w:sz w:val="24"/></w:rPr>'
    body = "".join(
        "<w:p><w:pPr><w:ind w:firstLine='480'/></w:pPr>"
        + "".join(
            f"<w:r>{form}<w:t>{escape(line[i : i + RUN])}</w:t></w:r>"
            for i in range(0, len(line), RUN)
        )
        + "</w:p>"
        for line in text.splitlines()
    )
    relation = f'<Relationship Id="r" Type="{_MAIN}" Target="word/document.xml"/>'
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", _TYPES)
        package.writestr(
            "_rels/.rels", f'<Relationships xmlns="{_RELATIONS}">{relation}</Relationships>'
        )
        package.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
        )
    return target.getvalue()


def _readers(document: Path, rounds: int) -> Table:
    """Return how fast and how well each reader reads."""
    word, book = SAMPLES / "libreoffice.docx", SAMPLES / "libreoffice.pdf"
    wanted = _ours(word)
    rows: list[tuple[Cell, ...]] = []
    for name, reader, sample, timed in (
        ("docx: simdup", _ours, word, document),
        ("docx: python-docx", _python_docx, word, document),
        ("pdf: pypdfium2", _ours, book, book),
        ("pdf: pypdf", _pypdf, book, book),
        ("pdf: pdfminer.six", _pdfminer, book, book),
    ):
        if find_spec(_NEEDS.get(name, "simdup")) is None:
            continue
        found, right = _score(wanted, reader(sample))
        started = time.perf_counter()
        for _ in range(rounds):
            reader(timed)
        rows.append((name, 1000 * (time.perf_counter() - started) / rounds, found, right))
    columns = ("reader", "ms", "found", "right")
    return Table("Readers", columns, rows, "ms: a Word document of five pages, a page of PDF")


_NEEDS = {
    "docx: python-docx": "docx", "pdf: pypdfium2": "pypdfium2", "pdf: pypdf": "pypdf",
    "pdf: pdfminer.six": "pdfminer",
}  # fmt: skip


def _ours(path: Path) -> str:
    found = read_office(File(str(path), format=path.suffix[1:]), path.read_bytes())
    return found.text if isinstance(found, Document) else ""


def _python_docx(path: Path) -> str:
    import docx

    document = docx.Document(str(path))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])


def _pypdf(path: Path) -> str:
    import pypdf

    return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)


def _pdfminer(path: Path) -> str:
    from pdfminer.high_level import extract_text

    text: str = extract_text(path)
    return text


def _score(wanted: str, got: str) -> tuple[float, float]:
    a, b = _grams(wanted), _grams(got)
    return len(a & b) / max(1, len(a)), len(a & b) / max(1, len(b))


def _grams(text: str) -> set[str]:
    compact = "".join(text.split())
    return {compact[i : i + 5] for i in range(len(compact) - 4)}
