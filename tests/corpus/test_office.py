"""Office files: the text is what was put in, and whatever cannot be read is said."""

import io
import json
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command

from lab.corpora.made import prose
from lab.corpora.office_files import (
    WORD,
    docx,
    epub,
    odt,
    paragraphs,
    patched,
    pptx,
    related,
    zipped,
)
from simdup.corpus.batches import read_content
from simdup.corpus.files import File
from simdup.corpus.office import parts
from simdup.model.documents import Document, Skipped
from simdup.model.settings import Reading

SAMPLES = Path(__file__).parent / "samples"

FIRST = (
    "我们小组在十月里量了三次雨。第一次下了二十七毫米，操场上的积水过了两个钟头才退；"
    "第二次只有六毫米，排水沟几乎没有声音。"
)
NOTE = "雨量由科技楼顶的雨量筒读出，每隔半小时记一次。"
GAUGE = "The gauge on the roof reads 0.2 mm per tip, so the “dry” days"
BOX = "文本框：请在雨停之后再量一次。"
RARE = "生僻字也要认得：㛃、𠮷野家、邨。"
WAFFLES = (
    "We write numbers as they were read, and the fluffy offices of the afflicted "
    "waffle efficiently."
)
END = "结论：铺了透水砖的小路比水泥路早一个半钟头变干。"
REPORT = [
    "校园雨水的去向",
    f"{FIRST}第三次夜里下的，没有人去量。",
    f"{GAUGE}\tmay still have had dew.",
    "We write numbers as they were read.",
    *("日期", "雨量（毫米）", "十月九日", "27.4"),
]
BOOK = FIRST.replace("，排水沟几乎没有声音", "")
WRITTEN = {
    # The anchor of the text box is at the end of the paragraph, or before it.
    "libreoffice.docx": [*REPORT, RARE, BOX, END, NOTE],
    "libreoffice.odt": [*REPORT, BOX, RARE, END, NOTE],
    "libreoffice.pptx": [
        "校园雨水的去向",
        "量了三次雨，二十七毫米、六毫米，一次没有量。",
        "Rain gauge: 0.2 mm per tip.",
        "备注：先问大家有没有听见排水沟的声音。",
        "透水砖的小路早一个半钟头变干。",
    ],
    "pandoc.docx": [
        *("校园雨水的去向", "量雨", BOOK, "Results & 结论"),
        "生僻字也要认得：㛃、𠮷野家。The gauge reads 0.2 mm per tip.",
        *("铺了透水砖的小路比水泥路早一个半钟头变干。", "雨量由科技楼顶的雨量筒读出。"),
    ],
    "pandoc.epub": [
        *("校园雨水的去向", "量雨", f"{BOOK}1", "雨量由科技楼顶的雨量筒读出。↩︎", "Results & 结论"),
        "生僻字也要认得：㛃、𠮷野家。The gauge reads 0.2 mm per tip.",
        "铺了透水砖的小路比水泥路早一个半钟头变干。",
    ],
    "libreoffice.pdf": [
        "校园雨水的去向",
        f"{FIRST}1第三次夜里下的，没有人去量。",
        f"{GAUGE} may still have had dew.",
        *("We write numbers as they were read.", "日期 雨量（毫米）", "十月九日 27.4"),
        *(RARE, END, f"1 {NOTE}", BOX),
    ],
    "tex.pdf": [
        "校园雨水的去向",
        f"{FIRST}1第三次夜里下的，没有人去量。",
        "The gauge on the roof reads 0.2 mm per tip, so the",
        f"“dry” days may still have had dew. {WAFFLES}",
        f"{RARE}{END}",
        f"1{NOTE}",
    ],
}


def read(content: bytes, kind: str, **limits: int) -> Document | Skipped:
    return read_content(File(f"x.{kind}", format=kind, **limits), content, Reading())


def lines(content: bytes, kind: str) -> list[str]:
    found = read(content, kind)
    assert isinstance(found, Document), found
    return found.text.split("\n")


@pytest.mark.parametrize("name", WRITTEN)
def test_the_text_is_what_was_put_in(name: str) -> None:
    kind = name.rpartition(".")[2]
    if kind == "pdf":
        pytest.importorskip("pypdfium2", reason="needs the extra simdup[office]")
    assert lines((SAMPLES / name).read_bytes(), kind) == WRITTEN[name]


# Not what XML cannot hold, nor what divides lines.
_TEXTS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), min_size=1
).filter(lambda text: text == text.strip(" \t") != "")


@given(st.lists(_TEXTS, min_size=1, max_size=5))
def test_paragraphs_come_back_as_they_were(texts: list[str]) -> None:
    assert lines(docx(paragraphs(*texts)), "docx") == texts


class TestWord:
    def test_nested_content(self) -> None:
        inner = paragraphs("一", "二")
        body = (
            f"<w:sdt><w:sdtContent><w:sdt><w:sdtContent>{inner}</w:sdtContent></w:sdt>"
            f"</w:sdtContent></w:sdt><w:tbl><w:tr><w:tc>{paragraphs('格')}<w:tbl><w:tr><w:tc>"
            f"{paragraphs('内格')}</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>"
            "<w:p><w:hyperlink><w:r><w:t>链</w:t></w:r></w:hyperlink><w:ins><w:r><w:t>接</w:t></w:r>"
            "</w:ins></w:p>"
        )
        assert lines(docx(body), "docx") == ["一", "二", "格", "内格", "链接"]

    def test_a_text_box_with_a_fallback_is_read_once(self) -> None:
        box = f"<w:txbxContent>{paragraphs('框里')}</w:txbxContent>"
        mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
        body = (
            f'<w:p><w:r><w:t>前</w:t></w:r><mc:AlternateContent xmlns:mc="{mc}"><mc:Choice>{box}'
            f"</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
            "<w:r><w:t>后</w:t></w:r></w:p>"
        )
        assert lines(docx(body), "docx") == ["前", "框里", "后"]

    def test_what_a_reader_does_not_see_is_left_out(self) -> None:
        body = (
            "<w:p><w:del><w:r><w:delText>删</w:delText></w:r></w:del>"
            "<w:moveFrom><w:r><w:t>移走</w:t></w:r></w:moveFrom>"
            "<w:r><w:instrText>PAGE</w:instrText></w:r>"
            "<w:r><w:ruby><w:rt><w:r><w:t>hàn</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>汉</w:t></w:r>"
            "</w:rubyBase></w:ruby></w:r><w:r><w:t>字</w:t><w:noBreakHyphen/><w:br/><w:t>新行</w:t>"
            "<w:tab/><w:t>后</w:t></w:r></w:p>"
        )
        assert lines(docx(body), "docx") == ["汉字-", "新行\t后"]

    def test_notes_follow_the_body(self) -> None:
        content = docx(
            paragraphs("正文"), endnotes=paragraphs("尾注"), footnotes=paragraphs("脚注")
        )
        assert lines(content, "docx") == ["正文", "脚注", "尾注"]

    def test_the_strict_form(self) -> None:
        strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
        assert lines(docx(paragraphs("严格"), space=strict), "docx") == ["严格"]

    def test_a_part_with_another_name(self) -> None:
        root = f'<w:document xmlns:w="{WORD}">'
        content = zipped(
            [
                ("_rels/.rels", related({"x": ("officeDocument", "/word/document2.xml")})),
                ("word\\document2.xml", f"{root}{paragraphs('另名')}</w:document>"),
            ]
        )
        assert lines(content, "docx") == ["另名"]


def test_opendocument_spaces_notes_and_comments() -> None:
    body = (
        "<text:tracked-changes><text:p>删去</text:p></text:tracked-changes>"
        '<text:p>一<text:s text:c="3"/>二 \n  三<text:note><text:note-citation>1'
        "</text:note-citation><text:note-body><text:p>注<text:note><text:note-body>"
        "<text:p>注中注</text:p></text:note-body></text:note></text:p></text:note-body>"
        "</text:note>四<office:annotation><text:p>批注</text:p></office:annotation></text:p>"
        "<text:h><text:span>题</text:span><text:line-break/>"
        '<text:s text:c="999999999999"/>行</text:h>'
    )
    assert lines(odt(body), "odt") == ["一   二 三四", "题", "行", "注", "注中注"]


def test_slides_come_in_the_order_in_which_they_are_shown() -> None:
    slides = {"slide1": "first made", "slide2": "shown first", "slide3": "left over"}
    content = pptx(slides, ["slide2", "slide1"])
    assert lines(content, "pptx") == ["shown first", "first made"]


class TestBooks:
    def test_pages_come_in_reading_order(self) -> None:
        pages = {"b": "<p>第二章</p>", "a": "<h1>第一章</h1><p>a&amp;b</p>"}
        nav = '<item id="n" href="b%20.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        found = read(epub(pages, ["n", "a", "b", "gone"], nav), "epub")
        assert isinstance(found, Document)
        assert (found.text, found.title) == ("第一章\na&b\n第二章", "书名")
        assert found.note == "1 of 3 chapters are missing"

    def test_chapters_that_a_book_lacks_are_said(self) -> None:
        kinds = {"lost": "application/xhtml+xml", "picture": "image/svg+xml"}
        items = "".join(
            f'<item id="{one}" href="{one}" media-type="{kind}"/>' for one, kind in kinds.items()
        )
        for spine, note in ((["a", "picture"], ""), (["a", "lost"], "1 of 2 chapters are missing")):
            found = read(epub({"a": "<p>文</p>"}, spine, items), "epub")
            assert isinstance(found, Document)
            assert (found.text, found.note) == ("文", note)
        found = read(epub({"a": "<p>文</p>"}, ["lost", "gone"], items), "epub")
        assert isinstance(found, Skipped)
        assert (found.reason, found.error) == ("2 of 2 chapters are missing", True)

    def test_a_protected_book(self) -> None:
        content = epub({"a": "<p>文</p>"}, ["a"])
        for uri, expected in (("in/a .xhtml", "encrypted"), ("in/font.otf", "文")):
            copied = _with(
                content, "META-INF/encryption.xml", f'<e><CipherReference URI="{uri}"/></e>'
            )
            found = read(copied, "epub")
            assert (found.text if isinstance(found, Document) else found.reason) == expected


def _with(archive: bytes, name: str, content: str) -> bytes:
    """A zip file with one more member."""
    with zipfile.ZipFile(io.BytesIO(archive)) as old:
        return zipped([(one, old.read(one)) for one in old.namelist()] + [(name, content)])


_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LAUGHS = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise("abcdefghi"))
BROKEN: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "text": (lambda: b"plain text", "docx", "not DOCX, or damaged"),
    "another zip file": (lambda: zipped([("a.txt", "hi")]), "docx", "not DOCX"),
    "not a book": (lambda: zipped([("a.txt", "hi")]), "epub", "not EPUB"),
    "not OpenDocument": (lambda: zipped([("a.txt", "hi")]), "odt", "not ODT"),
    "Word 97": (lambda: _OLE + bytes(99), "docx", "not DOCX, but an older format"),
    "a password of Office": (
        lambda: _OLE + "EncryptedPackage".encode("utf-16-le"), "docx", "encrypted",
    ),
    "a password of LibreOffice": (
        lambda: odt("", manifest="<encryption-data/>"), "odt", "encrypted",
    ),
    "a password of zip": (lambda: patched(docx(""), "flags", 1), "docx", "encrypted"),
    "truncated": (lambda: docx(paragraphs("一"))[:-40], "docx", "not DOCX, or damaged"),
    "XML that ends": (lambda: docx("<w:p>"), "docx", "its XML is damaged"),
    "deep XML": (lambda: docx("<w:p>" * 2000 + "</w:p>" * 2000), "docx", "its XML is more than"),
    "billion laughs": (
        lambda: _declaring(f'[<!ENTITY a "aaaaaaaaaa">{_LAUGHS}]', "<w:p/>"), "docx",
        "its XML declares entities",
    ),
    "a bomb": (lambda: docx(" " * (5 << 20)), "docx", "unpacks to more than 200 times"),
}  # fmt: skip


def _declaring(declared: str, body: str) -> bytes:
    """A Word document with a document type declaration."""
    main = f'<!DOCTYPE x {declared}><w:document xmlns:w="{WORD}">{body}</w:document>'
    return zipped(
        [
            ("_rels/.rels", related({"r1": ("officeDocument", "word/document.xml")})),
            ("word/document.xml", main),
        ]
    )


@pytest.mark.parametrize("what", BROKEN)
def test_what_cannot_be_read_is_an_error(what: str) -> None:
    make, kind, reason = BROKEN[what]
    found = read(make(), kind)
    assert isinstance(found, Skipped)
    assert found.error
    assert found.reason.startswith(reason)


def test_what_is_empty_or_a_lock_is_no_error() -> None:
    assert read(b"", "docx") == Skipped("x.docx", "empty")
    lock = read_content(File("corpus/~$x.docx", format="docx"), b"\x05Wang" + bytes(99), Reading())
    assert lock == Skipped("corpus/~$x.docx", "lock file of an open document")


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    content = docx(paragraphs(*"abcdef"))
    found = read(content, "docx", max_size=200)
    assert isinstance(found, Skipped)
    assert found.reason == "larger than 200 bytes: see `max_size`"
    monkeypatch.setattr(parts, "MOST_ELEMENTS", 10)
    found = read(content, "docx")
    assert isinstance(found, Skipped)
    assert found.reason == "its XML has more than 10 elements"


def test_an_entity_outside_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    content = _declaring(f'SYSTEM "file://{tmp_path}/secret"', paragraphs("文"))
    assert lines(content, "docx") == ["文"]


def test_formats_meet_in_a_scan(simdup: Command, tmp_path: Path) -> None:
    text = prose(1).split("\n")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "a.docx").write_bytes(docx(paragraphs(*text)))
    (tmp_path / "c" / "b.ODT").write_bytes(odt("".join(f"<text:p>{one}</text:p>" for one in text)))
    (tmp_path / "c" / "c.txt").write_text("\n".join(text), "utf-8")
    (tmp_path / "c" / "d.docx").write_bytes(b"no document")
    ran = simdup("scan", "c", "-f", "jsonl")
    assert ran.status == 2
    (cluster,) = [one for one in map(json.loads, ran.lines) if one["type"] == "cluster"]
    assert [one["document"] for one in cluster["documents"]] == ["c/a.docx", "c/b.ODT", "c/c.txt"]
    assert "simdup: c/d.docx: not DOCX, or damaged" in ran.err
    assert simdup("compare", "c/a.docx", "c/c.txt").status == 0
    ran = simdup("compare", "c/a.docx", "c/d.docx")
    assert (ran.status, ran.err) == (2, "simdup: c/d.docx: not DOCX, or damaged\n")
