"""PDF files: text in lines, and a reader that may hang or crash."""

import subprocess
import sys
from pathlib import Path

import pytest
from support import Command

from lab.corpora.made import prose, write
from lab.corpora.office_files import pdf
from simdup.corpus.batches import read_content
from simdup.corpus.files import File
from simdup.corpus.office import pdf as reader
from simdup.corpus.office.pdf import Child, join_lines
from simdup.model.documents import Document, Skipped
from simdup.model.settings import Reading

_NEEDED = pytest.mark.skipif(
    reader.find_spec("pypdfium2") is None, reason="needs the extra simdup[office]"
)


def read(content: bytes, **limits: int) -> Document | Skipped:
    return read_content(File("x.pdf", format="pdf", **limits), content, Reading())


def end_children() -> None:
    for child in list(Child._started.values()):
        child.close()


def _paged(page: str, end: str) -> str:
    return end.join(page.format(number) for number in (1, 2, 3))


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("这一行很长很长一直到\r\n行尾才换行", "这一行很长很长一直到行尾才换行"),
        ("标题\r\n这一行很长很长一直到行尾", "标题\n这一行很长很长一直到行尾"),
        ("这一行在句号处结束了。\r\n新的一段", "这一行在句号处结束了。\n新的一段"),
        ("跨页的一句话从这里写\f到下一页", "跨页的一句话从这里写到下一页"),
        (_paged("某大学\n写到页末没有写完", "\f"), _paged("某大学\n写到页末没有写完", "\n")),
        (_paged("写到页末没写完\n第 {} 页", "\f"), _paged("写到页末没写完\n第 {} 页", "\n")),
        ("a line of words\r\ngoes on", "a line of words\ngoes on"),
        ("we write num\ufffe\r\nbers", "we write numbers"),
        ("we write num\u2011\r\nbers", "we write numbers"),
        ("pages 3\u2011\r\n5", "pages 3\u2011\n5"),
        ("soft\u00adhyphen", "softhyphen"),
        ("\r\n \f\r\n", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_lines_are_joined_where_a_sentence_goes_on(text: str, joined: str) -> None:
    assert join_lines(text) == joined


@_NEEDED
class TestReading:
    def test_pages_in_order(self) -> None:
        found = read(pdf("first page", "", "third page"))
        assert isinstance(found, Document)
        assert (found.text, found.note) == ("first page\nthird page", "")

    def test_scanned_pages_are_no_error(self) -> None:
        assert read(pdf("", "")) == Skipped("x.pdf", "no text: scanned pages?")

    def test_other_files_are_errors(self) -> None:
        for content in (b"plain text", pdf("a")[:200]):
            found = read(content)
            assert found == Skipped("x.pdf", "not PDF, or damaged", error=True)

    def test_too_much_text(self) -> None:
        found = read(pdf("a" * 50), max_size=20)
        assert found == Skipped("x.pdf", "more than 20 characters", error=True)

    def test_a_reader_that_dies_is_replaced(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        child = tmp_path / "child.py"
        child.write_text("import os, sys; sys.stdin.buffer.readline(); os._exit(9)")
        end_children()
        with monkeypatch.context() as patch:
            patch.setattr(reader, "_CHILD", child)
            found = read(pdf("a" * 500_000))
            assert isinstance(found, Skipped)
            assert found.error
            assert found.reason.startswith("PDFium fails on it")
        found = read(pdf("read again"))
        assert isinstance(found, Document)

    def test_a_file_that_takes_too_long_is_given_up(self, tmp_path: Path) -> None:
        # A form that draws itself twice 30 times over.
        code = reader._CHILD.read_text("utf-8").replace("MOST_SECONDS = 60", "MOST_SECONDS = 0.5")
        child = tmp_path / "child.py"
        child.write_text(code, "utf-8")
        content = _doubling(30)
        process = subprocess.run(
            [sys.executable, "-P", str(child)],
            input=b"%d 1000\n" % len(content) + content,
            capture_output=True, timeout=30, check=False,
        )  # fmt: skip
        assert (process.returncode, process.stdout) == (1, b"")

    @pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")
    @pytest.mark.parametrize("share", [0.5, 1])
    def test_a_file_that_takes_too_much_memory_is_given_up(
        self, share: float, simdup: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        code, start = reader._CHILD.read_text("utf-8"), "    import pypdfium2 as pdfium\n"
        assert start in code
        child = tmp_path / "child.py"
        child.write_text(code.replace(start, f"{start}    bytearray({int(share * (2 << 30))})\n"))
        write(tmp_path, {"c/b.txt": prose(1)})
        (tmp_path / "c" / "a.pdf").write_bytes(pdf("a page"))
        end_children()
        with monkeypatch.context() as patch:
            patch.setattr(reader, "_CHILD", child)
            ran = simdup("scan", "c", "-j", "1")
            end_children()
        said = "simdup: c/a.pdf: PDFium fails on it, or takes more than 60 seconds"
        assert (ran.status, said in ran.err) == ((2, True) if share == 1 else (0, False))

    def test_in_several_processes(self, simdup: Command, tmp_path: Path) -> None:
        (tmp_path / "c").mkdir()
        for number in range(6):
            text = "".join(c for c in f"text {number % 3} " * 20 if c.isascii())
            (tmp_path / "c" / f"{number}.pdf").write_bytes(pdf(text))
        (tmp_path / "c" / "large.txt").write_text(prose(1, 90_000), "utf-8")
        runs = [simdup("scan", "c", "-j", jobs, "--list", "redundant").lines for jobs in "12"]
        assert runs[0] == runs[1] == ["c/3.pdf", "c/4.pdf", "c/5.pdf"]


def _doubling(depth: int) -> bytes:
    """A page whose drawing draws another one twice, and so on."""
    base = pdf("a")
    form = b"/Type/XObject/Subtype/Form/BBox[0 0 600 800]"
    added = b""
    for number in range(10, 10 + depth):
        inner = b"/Resources<</XObject<</X %d 0 R>>>>" % (number + 1)
        added += b"%d 0 obj\n<<%s%s/Length 11>>stream\n/X Do /X Do\nendstream\nendobj\n" % (
            number, form, inner,
        )  # fmt: skip
    # PDFium repairs the table of objects, which is wrong now.
    base = base.replace(b"/Font<</F 3 0 R>>", b"/XObject<</X 10 0 R>>")
    start, end = base.find(b"<</Length"), base.find(b"endstream")
    drawn = b"<</Length 11>>stream\n/X Do /X Do\n"
    body = base[:start] + drawn + base[end:]
    cut = body.find(b"xref")
    last = b"%d 0 obj\n<<%s/Length 0>>stream\n\nendstream\nendobj\n" % (10 + depth, form)
    return body[:cut] + added + last + b"trailer<</Root 1 0 R>>\n%%EOF"


def test_without_the_extra_a_note_says_what_to_install(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "find_spec", lambda name: None)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "a.pdf").write_bytes(pdf("a"))
    (tmp_path / "c" / "b.txt").write_text(prose(1), "utf-8")
    ran = simdup("scan", "c", "-j", "1")
    install = "PDF: needs python -m pip install 'simdup[office]'"
    assert (ran.status, install in ran.err) == (0, True)
    ran = simdup("scan", "c/a.pdf")
    assert (ran.status, ran.err.startswith(f"simdup: c/a.pdf: {install}\n")) == (2, True)


def test_nobody_waits_for_a_reader_without_a_parent(tmp_path: Path) -> None:
    """The reader ends with the process that asks it."""
    ended = subprocess.run(
        [sys.executable, "-P", str(reader._CHILD)],
        stdin=subprocess.DEVNULL,
        timeout=30,
        check=False,
    )
    assert ended.returncode == 0
