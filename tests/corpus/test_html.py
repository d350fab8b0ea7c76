"""HTML: main text, all text or markup, in files and records; charset from the meta element."""

import json
import sys
import time
from pathlib import Path

import pytest
from support import Command

from lab.corpora.made import prose, write
from simdup.corpus.html import decode_html, extract_text

LINKS = "".join(
    f'<li><a href="/{n}">{word}</a></li>' for n, word in enumerate(["首页", "新闻"] * 9)
)


def page(text: str, around: str = "", charset: str = "") -> str:
    """A page with a text between navigation and a footer; only `around` differs from others."""
    body = "".join(f"<p>{part}</p>\n" for part in text.split("\n") if part)
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">'
    return (
        f"<html><head>{meta if charset else ''}<title>{around}</title>"
        f"<style>p {{ color: red }}</style></head><body><div>{around} <ul>{LINKS}</ul></div>"
        f"<script>if (a < b) alert('{around}')</script><!-- {around} --><div>{body}</div>"
        f'<div><a href="/about">关于 {around}</a></div></body></html>'
    )


def long(seed: int) -> str:
    """A text in paragraphs as long as those of news."""
    return "\n".join(prose(seed * 10 + n, 40).replace("\n", "") for n in range(5))


def clusters(out: bytes) -> list[list[str]]:
    lines = [json.loads(line) for line in out.splitlines()]
    return [[d["document"] for d in x["documents"]] for x in lines if x["type"] == "cluster"]


@pytest.fixture
def _justext() -> None:
    pytest.importorskip("justext", reason="needs the extra simdup[html]")


@pytest.mark.usefixtures("_justext")
def test_the_main_text_is_found_in_any_surroundings(simdup: Command, tmp_path: Path) -> None:
    write(
        tmp_path / "c",
        {
            "a.html": page(long(1), "甲报" * 30),
            "b.HTM": page(long(1), "乙网" * 30),
            "c.html": page(long(2), "甲报" * 30),
            "d.txt": long(1),
        },
    )
    ran = simdup("scan", "c", "-f", "jsonl", "-s", "0.95")
    assert (ran.status, clusters(ran.out)) == (0, [["c/a.html", "c/b.HTM", "c/d.txt"]])
    assert simdup("compare", "c/a.html", "c/d.txt").status == 0
    assert simdup("compare", "c/a.html", "c/d.txt", "--extract", "none").status == 1
    # Pages as a whole share their tags, but not what surrounds the text.
    written = simdup("scan", "c", "-f", "jsonl", "-s", "0.95", "--input-format", "text")
    assert clusters(written.out) == []


@pytest.mark.usefixtures("_justext")
def test_html_in_records(simdup: Command, tmp_path: Path) -> None:
    rows = [page(long(1), "甲报" * 30), page(long(1), "乙网" * 30), page(long(2), "甲报" * 30)]
    lines = "".join(json.dumps({"text": row}, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "r.jsonl").write_text(lines)
    ran = simdup("scan", "r.jsonl", "--input-format", "html", "-f", "jsonl", "-s", "0.95")
    assert (ran.status, clusters(ran.out)) == (0, [["r.jsonl#1", "r.jsonl#2"]])
    assert clusters(simdup("scan", "r.jsonl", "-f", "jsonl", "-s", "0.95").out) == []
    ran = simdup("compare", "--input-format", "html", "-", "t.txt", stdin=rows[0].encode())
    assert ran.status == 2, "there is no t.txt"


def test_extracting_all_text_needs_no_extra(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("justext", "justext.core"):
        monkeypatch.setitem(sys.modules, module, None)
    write(tmp_path / "c", {"a.html": page(long(1), "甲"), "b.html": page(long(1), "乙")})
    ran = simdup("scan", "c", "--extract", "all", "-f", "jsonl")
    assert (ran.status, clusters(ran.out)) == (0, [["c/a.html", "c/b.html"]])
    ran = simdup("scan", "c")
    assert ran.status == 2
    error, hint, *_ = ran.err.splitlines()
    what = "finding the main text of HTML needs justext (1 more document like it)"
    assert error == f"simdup: c/a.html: {what}"
    assert hint.startswith("hint: python -m pip install 'simdup[html]', or set")
    assert "extract" in hint


def test_all_text_is_without_scripts_styles_and_comments() -> None:
    text = extract_text(page("第一段 &amp; &#31532;\n第二段", "外面"), "all")
    assert text.splitlines()[-3:] == ["第一段 & 第", "第二段", "关于 外面"]
    assert "alert" not in text
    assert "color" not in text
    assert extract_text("<p>a<b>b</b>c<br>d", "all") == "abc\nd"
    assert extract_text("1 < 2 & 3", "none") == "1 < 2 & 3"


@pytest.mark.parametrize(
    ("charset", "codec"),
    [
        ("gb2312", "gbk"),
        ("GBK", "gb18030"),
        ("big5", "big5"),
        ("shift_jis", "shift_jis"),
        ("utf-8", "utf-8"),
        ("", "utf-8"),
        ("iso-8859-1", "utf-8"),
        ("gbk", "utf-8-sig"),
        ("no-such-charset", "utf-8"),
        ("utf-16", "utf-8"),
        ("windows-1251", "windows-1251"),
    ],
)
def test_charset_of_the_bytes_or_of_the_meta_element(charset: str, codec: str) -> None:
    text = {"shift_jis": "東京の天気", "windows-1251": "Погода"}.get(codec, "天氣")
    content = f'<title>-</title><meta charset="{charset}"><p>{text}</p>'.encode(codec)
    decoded = decode_html(content)
    assert text in decoded.text
    assert decoded.replaced == 0


def test_the_meta_element_decides_for_short_pages() -> None:
    """Two characters are too few to detect an encoding: these are also well-formed in GBK."""
    content = '<meta charset="big5"><p>資料</p>'.encode("big5")
    assert "資料" in decode_html(content).text
    wrong = page(prose(1), charset="utf-8").encode("gb18030")
    assert prose(1)[:20].split("，")[0] in decode_html(wrong).text, "the element may be wrong"
    declared = page(prose(1), charset="big5").encode("gb18030")
    assert decode_html(declared, "gb18030").encoding == "gb18030", "a person knows best"


@pytest.mark.usefixtures("_justext")
@pytest.mark.parametrize(
    "hostile",
    [
        "",
        "<",
        "\0" * 10,
        "<!-- never closed",
        "<div>" * 20_000 + "深" * 99,
        "<?xml version='1.0' encoding='gb2312'?><html><p>" + "正文" * 60 + "</p></html>",
        "<a " * 50_000,
        "<!--" * 50_000,
        "<script " * 50_000,
        "&" * 5000 + "&#xD800;&#99999999;",
        "<script>" * 50_000,
    ],
    ids=range(11),
)
def test_hostile_pages_do_not_fall_over(hostile: str) -> None:
    for extract in ("main", "all", "none"):
        assert isinstance(extract_text(hostile, extract), str)
    if hostile.startswith("<?xml"):
        assert extract_text(hostile, "main") == "正文" * 60


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("1" * 5000, "\ufffd"), ("0" * 5000 + "65", "A"), ("00000020013", "中"),
        ("1114109", "\U0010fffd"), ("1114112", "\ufffd"), ("0000000038;amp", "&amp"),
    ],
)  # fmt: skip
def test_a_character_by_a_number_of_many_digits(number: str, text: str) -> None:
    """More than 4,300 digits used to be an internal error."""
    assert extract_text(f"<p>x&#{number};</p>", "all").rstrip(";") == f"x{text}"


@pytest.mark.usefixtures("_justext")
def test_a_page_without_main_text_is_skipped(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.html": page("", "甲"), "b.html": "<p> </p>", "c.txt": prose(1)})
    ran = simdup("scan", "c", "-f", "jsonl")
    reasons = [json.loads(line).get("reason") for line in ran.lines[:-1]]
    assert (ran.status, reasons) == (0, ["no main text found: set --extract to all", "empty"])


@pytest.mark.usefixtures("_justext")
def test_of_a_page_with_too_many_elements_all_text_is_read(simdup: Command, tmp_path: Path) -> None:
    """10 MB of such elements took 17 s."""
    write(tmp_path / "c", {"a.html": "<p>" + prose(1) + "<i>" * 500_000 + "<p>" + prose(2)})
    begun = time.process_time()
    ran = simdup("fingerprint", "c", "--recipe", "default,idf=builtin")
    assert time.process_time() - begun < 5
    note = "simdup: c/a.html: too many elements: reading all of its text instead of the main text\n"
    assert (ran.status, ran.err) == (0, note)
