"""Formats of one document a file: the same text in each, unrelated texts, and what is refused."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from email.header import Header
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest
from support import Command, environment, seconds

from lab.corpora.features import FEATURES, Part
from lab.corpora.made import prose
from simdup import scan
from simdup.corpus.batches import read_content
from simdup.corpus.files import File
from simdup.corpus.formats import _ROWS, FORMAT_OF
from simdup.model.documents import Document, Skipped
from simdup.model.settings import Reading
from simdup.operations.passages import passages

ROOT = Path(__file__).parents[2]


def found(content: bytes, name: str = "a.txt", **reading: object) -> Document | Skipped:
    """What is read of a file with this content."""
    kind = FORMAT_OF.get(Path(name).suffix, "text")
    return read_content(File(name, format=kind), content, Reading(**reading))  # type: ignore[arg-type]


def text(content: bytes, name: str = "a.txt", **reading: object) -> str:
    document = found(content, name, **reading)
    assert isinstance(document, Document), document
    return document.text


# -- the same text in each format ------------------------------------------------------------------


def rtf_unicode(body: str) -> bytes:
    """As programs that know Unicode write it, with a character of a code page for others."""
    units = body.encode("utf-16-be")
    numbers = (
        int.from_bytes(units[i : i + 2], "big", signed=True) for i in range(0, len(units), 2)
    )
    written = "".join(
        "\\par\n" if n == 10 else chr(n) if 0 < n < 128 else f"\\u{n}\\'3f" for n in numbers
    )
    head = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}}{\colortbl;\red0;}\uc1\f0 "
    return f"{head}{written}}}".encode()


def rtf_code_page(body: str) -> bytes:
    """As WordPad writes it in Chinese: bytes of the code page of a font."""
    written = "".join(
        "\\par\n" if c == "\n" else c if c.isascii() else
        "".join(f"\\'{byte:02x}" for byte in c.encode("gb18030")) for c in body
    )  # fmt: skip
    head = r"{\rtf1\ansi\ansicpg936\deff0{\fonttbl{\f0\fnil\fcharset134 \'cb\'ce\'cc\'e5;}}"
    generator = r"{\*\generator Riched20 10.0;}\viewkind4\uc1 \pard\lang2052\f0\fs20 "
    return f"{head}{generator}{written}}}".encode()


def notebook(body: str) -> bytes:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": [f"{line}\n"]}
        for line in body.split("\n")
    ]
    code = {"cell_type": "code", "source": "import os", "outputs": [{"text": ["x" * 500]}]}
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    whole = {"cells": [*cells, code], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1).encode()


def subtitles(body: str) -> bytes:
    blocks = (
        f"{i + 1}\r\n00:00:{i:02},000 --> 00:00:{i:02},900\r\n{line}\r\n"
        for i, line in enumerate(body.split("\n"))
    )
    return "\r\n".join(blocks).encode("utf-8-sig")


def web_subtitles(body: str) -> bytes:
    blocks = (
        f"line {i}\n00:{i:02}.0 --> 00:{i:02}.9 align:start\n<v 张三><00:{i:02}.1>{line}</v>\n"
        for i, line in enumerate(body.split("\n"))
    )
    return ("WEBVTT - 字幕\nKind: captions\n\nNOTE\n注释\n\n" + "\n".join(blocks)).encode()


def mail(body: str, charset: str = "gb18030") -> bytes:
    whole = MIMEMultipart("alternative")
    whole["From"], whole["To"] = "zhang@example.com", "li@example.com"
    whole["Subject"] = Header("关于通知", "utf-8")  # type: ignore[assignment]
    quoted = "\n在 2026年11月27日，李四 <li@example.com> 写道：\n> 请问会议在哪里？\n> 谢谢\n"
    whole.attach(MIMEText(body + quoted, "plain", charset))
    whole.attach(MIMEText(f"<p>{body}</p>", "html", "utf-8"))
    return b"Delivered-To: li@example.com\n" + whole.as_bytes()


def saved_page(body: str) -> bytes:
    whole = MIMEMultipart("related")
    whole.attach(MIMEText(xhtml(body).decode(), "html", "utf-8"))
    whole.attach(MIMEText("p { color: red }", "css"))
    return (
        b"From: <Saved by Blink>\nSnapshot-Content-Location: https://example.com/\n"
        + whole.as_bytes()
    )


def xhtml(body: str) -> bytes:
    lines = "".join(f"<p>{line}</p>\n" for line in body.split("\n"))
    head = (
        '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>页</title>'
    )
    return f"{head}</head><body>{lines}</body></html>".encode()


def tex(body: str) -> bytes:
    lines = body.split("\n")
    middle = len(lines) // 2
    return (
        "\\documentclass[a4paper]{ctexart} % 文章\n\\usepackage{amsmath}\n"
        "\\newcommand{\\high}[1]{\\textbf{#1}}\n\\begin{document}\n\\section*{"
        + "\\par\n".join([lines[0] + "}\\label{sec:a}", *lines[1:middle]])
        + "\n\n\\begin{itemize}\\item[] \\high{"
        + "} \\emph{\n".join(lines[middle:])
        + "}~\\cite[p.~3]{knuth}\n\\end{itemize}\n\\end{document}\n"
    ).encode()


FORMATS: dict[str, Callable[[str], bytes]] = {
    "unicode.rtf": rtf_unicode, "page.rtf": rtf_code_page, "word.doc": rtf_code_page,
    "a.ipynb": notebook, "a.srt": subtitles, "a.vtt": web_subtitles, "a.eml": mail,
    "a.mht": saved_page, "a.xhtml": xhtml, "a.tex": tex,
}  # fmt: skip


def body(seed: int) -> str:
    return "\n".join(prose(seed * 20 + n, 40).replace("\n", "") for n in range(8))


@pytest.fixture
def _justext() -> None:
    pytest.importorskip("justext", reason="needs the extra simdup[html]")


@pytest.mark.usefixtures("_justext")
def test_the_same_text_is_a_near_duplicate_in_every_format(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text(body(1), "utf-8")
    for name, write in FORMATS.items():
        (tmp_path / name).write_bytes(write(body(1)))
    result = scan(str(tmp_path))
    assert not result.skipped
    assert [len(cluster.members) for cluster in result.clusters] == [len(FORMATS) + 1]
    assert min(pair.similarity or 0 for pair in result.pairs) > 0.95


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.usefixtures("_justext")
def test_unrelated_texts_in_a_format_share_nothing(name: str, tmp_path: Path) -> None:
    for i in range(4):
        (tmp_path / f"{i}-{name}").write_bytes(FORMATS[name](body(i)))
    assert not scan(str(tmp_path), similarity=0.05).pairs
    shared = passages(str(tmp_path), min_length=20, min_run=10)
    assert shared.summary.documents == 4
    assert not shared.overlaps


def test_how_a_file_begins_decides_before_its_suffix(simdup: Command, tmp_path: Path) -> None:
    for name in ("a.txt", "b.md", "c", "d.doc", "e.tex"):
        (tmp_path / name).write_bytes(rtf_code_page(body(1)))
    assert len(scan(str(tmp_path)).clusters[0].members) == 5
    assert text(rtf_code_page("中文"), input_format="text").startswith("{\\rtf1")
    assert text(mail("你好"), "1764292800.M1P2.host") == text(mail("你好"), "a.eml")


def test_pages_that_programs_export_as_office_files() -> None:
    page = "<html xmlns:o='urn:schemas-microsoft-com:office:office'><body><p>正文</p></body></html>"
    assert text(b"\r\n" + page.encode(), "a.doc", extract="all") == "正文"
    whole = MIMEMultipart("related")
    whole.attach(MIMEText(page, "html", "gbk"))
    content = b"MIME-Version: 1.0\n" + whole.as_bytes().replace(b"MIME-Version: 1.0\n", b"", 1)
    assert text(content, "a.doc", extract="all") == "正文"
    # Elsewhere such bytes are what somebody writes about, or an unsent mail.
    assert text(page.encode(), "a.txt") == page
    assert text(content, "a.eml") == "正文"


def test_what_begins_otherwise_is_text() -> None:
    assert text(b"plain words", "a.rtf") == "plain words"
    assert text("正文".encode("gbk"), "a.doc") == "正文"


@pytest.mark.parametrize("suffix", [".doc", ".wps", ".et", ".hwp", ".key", ".xlsx", ".caj", ".rar"])
def test_binary_formats_are_named_with_what_to_do(
    simdup: Command, tmp_path: Path, suffix: str
) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / f"c/a{suffix}").write_bytes(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(range(256)) * 4
    )
    (tmp_path / "c/b.txt").write_text(body(1), "utf-8")
    ran = simdup("scan", "c")
    assert ran.status == 0
    assert "1 skipped" in ran.err
    ran = simdup("scan", f"c/a{suffix}")
    assert ran.status == 2
    line = ran.err.splitlines()[0]
    assert line.startswith(f"simdup: c/a{suffix}: ")
    assert f"({suffix}): " in line


def test_parts_are_not_cut_out_of_what_only_looks_like_text(
    simdup: Command, tmp_path: Path
) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c/a.txt").write_text(body(1), "utf-8")
    content = rtf_code_page(body(1))
    (tmp_path / "c/b.txt").write_bytes(content)
    ran = simdup("dedupe", "c", "--unit", "sentence", "-o", "out")
    assert "nothing can be cut from RTF" in ran.err
    assert (tmp_path / "out/b.txt").read_bytes() == content


# -- what each format leaves out -------------------------------------------------------------------


def test_rtf() -> None:
    source = (
        rb"{\rtf1\ansi\ansicpg936\deff0{\fonttbl{\f0\fnil\fcharset134 \'cb\'ce\'cc\'e5;}"
        rb"{\f1\froman\fcharset0 Times;}}{\info{\title \'b1\'ea\'cc\'e2}{\author A}}"
        rb"{\*\unknown gone}\uc1\f0 \'d6\'d0\'81@\f1 caf\'e9 \u20013?\u-10179?\u-8704?"
        rb"{\header head}{\footnote note \f0\'d6\'d0} {\b bold}{\v hidden} shown\v no\v0\par"
        rb'{\field{\*\fldinst{HYPERLINK "u"}}{\fldrslt link}}{\pict\bin5 a{}}b}'
        rb" \{x\}\line y{\shp{\*\shpinst{\sp{\sn s}{\sv 1}}{\shptxt box}}}"
        rb"{\uc2\u20013\'d6\'d0z}}behind"
    )
    document = found(source)
    assert isinstance(document, Document)
    assert document.text.split("\n") == [
        "中丂café 中😀 bold shown", "link {x}", "ybox中z", "note 中",
    ]  # fmt: skip
    assert (document.title, document.note) == ("标题", "")
    cut = found(source[:400])
    assert isinstance(cut, Document)
    assert "a part may be missing" in cut.note


def test_bytes_of_a_chinese_page_in_a_western_font() -> None:
    head = rb"{\rtf1\ansi\ansicpg936{\fonttbl{\f0\fcharset0 Arial;}}\f0 "
    assert text(head + rb"\'d6\'d0\'b9\'fa}") == "中国"
    assert text(head + rb"caf\'e9s}") == "cafés"
    assert text(rb"{\rtf1\mac caf\'8e}") == "café"
    assert text(rb"{\rtf1\ansi caf\'e9 na\'efve}") == "café naïve"
    # The second half of a character looks like a brace.
    raw = "{\\rtf1\\ansi\\ansicpg950 掀開一角。\\par}".encode("big5")
    assert b"}" in raw[:-1]
    assert text(raw) == "掀開一角。"
    unnamed = "".join(f"\\'{byte:02x}" for byte in "没有写明代码页的文字".encode("gbk"))
    assert text(f"{{\\rtf1\\ansi {unnamed}}}".encode()) == "没有写明代码页的文字"


def test_notebooks() -> None:
    assert text(notebook("一\n二"), "a.ipynb").split() == ["一", "二", "import", "os"]
    old = {"nbformat": 3, "worksheets": [{"cells": [{"input": ["a\n", "b"]}, {"source": "c"}]}]}
    assert text(json.dumps(old).encode(), "a.ipynb") == "a\nb\nc"
    for content in (
        b"{",
        b"[]",
        b'{"cells": 1}',
        b'{"cells": [{"source": 1}]}',
        b"[" * 9999,
        b"text",
    ):
        damaged = found(content, "a.ipynb")
        assert damaged == Skipped("a.ipynb", "not a notebook, or damaged", error=True)


def test_subtitles() -> None:
    assert text(subtitles("一\n2\n三"), "a.srt") == "一\n2\n三"
    tags = b"1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>a</i> &amp; b\n<font color=red>c</font>\n"
    assert text(tags, "a.srt") == "a & b\nc"
    assert text(web_subtitles("一\n二"), "a.txt") == "一\n二"
    rolling = (
        b"WEBVTT\n\n00:01.000 --> 00:02.000\n \na<00:01.500><c> b</c>\n\n"
        b"00:02.000 --> 00:02.010\na b\n \n\n00:02.010 --> 00:03.000\na b\n- c\n"
    )
    assert text(rolling, "a.vtt") == "a b\nc"
    assert text(b"1\n00:00:01,000 --> 00:00:02,000\n-5 degrees\n- Cold!\n", "a.srt") == (
        "-5 degrees\nCold!"
    )


def test_mail() -> None:
    document = found(mail("第一行\n第二行", "gbk"), "a.eml")
    assert isinstance(document, Document)
    assert document.text.split() == ["第一行", "第二行"]
    assert document.title == "关于通知"
    raw = found("From: a\nSubject: 关于\n\n通知".encode("gbk"), "a.eml")
    assert isinstance(raw, Document)
    assert raw.title == "关于"
    head = b"From: a@b.c\nSubject: s\n"
    cases = {
        b"\nNew.\n\n-----Original Message-----\nFrom: b\nOld.": "New.",
        b"\nNew.\n\nFrom: b\nSent: Monday\nTo: a\nSubject: s\nOld.": "New.",
        b"\nFrom: Rome\nTo: Paris\nDate: 2 May": "From: Rome\nTo: Paris\nDate: 2 May",
        b"\n-----Original Message-----\nForwarded": "-----Original Message-----\nForwarded",
        b"Content-Type: text/html\n\n<p>New.</p><blockquote type=cite>Old<blockquote>Older"
        b"</blockquote></blockquote><p>End.</p>": "New.\nEnd.",
        b"Content-Type: text/plain\nContent-Disposition: attachment\n\nx": "",
    }
    quoted = 'Subject: s\n\n在 2024-02-04 09:12:33，"李四" <li@163.com> 写道：\n旧文'
    assert text(quoted.encode(), "a.eml").strip() == quoted.partition("\n\n")[2]
    assert text(quoted.replace("\n\n", "\n\n新文\n").encode(), "a.eml").strip() == "新文"
    headers = "From: b <b@c.d>\nDate: Sun, Feb 4, 2024\nSubject: x\nTo: a\n\n"
    for mark in ("---------- Forwarded message ---------", "Begin forwarded message:"):
        forwarded = f"Subject: s\n\n{mark}\n\n{headers}What it is about."
        assert text(forwarded.encode(), "a.eml").strip() == "What it is about."
    ruled = f"Subject: Fwd: s\n\nSee below.\n________________\n{headers}Old."
    assert text(ruled.encode(), "a.eml").split() == ["See", "below.", "Old."]
    for rest, expected in cases.items():
        document = found(head + rest, "a.eml")
        assert expected == (document.text.strip() if isinstance(document, Document) else "")


def test_tex() -> None:
    source = r"""\title{A \emph{title}}\begin{document}
\section[short]{Long title}\label{x} a\\[2pt] b, $\left[0,1\right]$, \foo[opt]{own
\bar{x}} 50\%% gone
 \verb|a_b{|, c\'afe na\"{\i}ve \c{c}a \def\x#1{hid}\newcommand{\y}[2][d]{hid {den}}\cite[3]{k}
 {group}
\textcolor{red}{text} \begin{tabular}[t]{l|c}x & y\end{tabular}
\begin{verbatim}\emph{as it is}% too\end{verbatim}\begin{comment}gone\end{comment}
\begin{CJK}{UTF8}{gbsn}\url{a%20b}\begin{tikzpicture}gone\end{tikzpicture}\end{CJK} $\alpha\le 1$
\zihao{4}\cmidrule(lr){1-2}\item<1->[甲]乙\\*[2pt]\iffalse gone\fi
\end{document} gone"""
    document = found(source.encode(), "a.tex")
    assert isinstance(document, Document)
    assert document.title == "A title"
    typeset = (
        "A title Long title a b, [0,1], own x 50%a_b{, cáfe naïve ça group text x y "
        r"\emph{as it is}% too a%20b α≤ 1 甲 乙"
    )
    assert document.text.split() == typeset.split()


# -- bad input -------------------------------------------------------------------------------------

HOSTILE: dict[str, tuple[str, Callable[[int], bytes]]] = {
    "groups": ("a.rtf", lambda n: b"{\\rtf1" + b"{" * n),
    "links": ("a.rtf", lambda n: b"{\\rtf1" + b'{\\field{\\*\\fldinst{HYPERLINK "' * (n // 20)),
    "fonts": ("a.rtf", lambda n: b"{\\rtf1" + b"{\\fonttbl\\f1\\fcharset134 " * (n // 20)),
    "binary data": ("a.rtf", lambda n: b"{\\rtf1" + b"\\bin99999999999 " * (n // 20)),
    "characters": ("a.rtf", lambda n: b"{\\rtf1\\uc99999 " + b"\\u-9999999 " * (n // 20)),
    "cells": ("a.ipynb", lambda n: b'{"cells": [' + b'{"source": ["a"]},' * (n // 20) + b"{}]}"),
    "cues": ("a.vtt", lambda n: b"WEBVTT\n\n" + b"00:01.0 --> 00:02.0\n" * (n // 20)),
    "tags": ("a.srt", lambda n: b"<" * n + b"{\\" * n),
    "parts": ("a.eml", lambda n: b"Content-Type: multipart/mixed; boundary=b\n\n" * (n // 20)),
    "mails": ("a.eml", lambda n: b"Content-Type: message/rfc822\n\n" * (n // 20)),
    "forwarded": ("a.eml", lambda n: b"\n" + b"---- Forwarded message ----\nFrom: a\n" * (n // 20)),
    "header": ("a.eml", lambda n: b"Content-Type: text/plain" + b";a" * n + b"\n\nhi"),
    "subject": ("a.eml", lambda n: b"Subject: " + b"=?a?q?" * n + b"\n\nhi"),
    "quotations": ("a.eml", lambda n: b"\n" + b"wrote:\n\n> \n" * (n // 10)),
    "cited": (
        "a.eml",
        lambda n: b"Content-Type: text/html\n\n" + b"<blockquote type=cite>" * (n // 20),
    ),
    "commands": ("a.tex", lambda n: b"\\cite{" * n),
    "brackets": ("a.tex", lambda n: b"\\a[" * n),
    "environments": ("a.tex", lambda n: b"\\begin{verbatim}" * (n // 10)),
    "verb": (
        "a.tex",
        lambda n: "".join(f"\\verb{chr(0x4E00 + i)}" for i in range(n // 30)).encode(),
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_time_is_linear_for_hostile_files(what: str) -> None:
    name, make = HOSTILE[what]
    small, large = (partial(found, make(size), name) for size in (50_000, 400_000))
    small()
    times = [min(seconds(read), seconds(read)) for read in (small, large)]
    # Eight times as much; quadratic time would be 64 times as long.
    assert times[1] < 24 * times[0] + 0.3


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.usefixtures("_justext")
def test_cut_files_are_read_or_refused_in_one_line(name: str) -> None:
    whole = FORMATS[name](body(1))
    for size in range(0, len(whole), len(whole) // 37):
        document = found(whole[:size], name)
        if isinstance(document, Skipped):
            assert document.reason
            assert "\n" not in document.reason
        else:
            document.text.encode()


# -- a format is one module and one row ------------------------------------------------------------

SMOKE = """
import sys
sys.argv[1:] = ["scan", sys.argv[1], "-q", "-f", "csv"]
from simdup.__main__ import main
main()
"""


@pytest.mark.parametrize(
    "part", [part for part in FEATURES if ".formats" in part.table], ids=lambda part: part.module
)
def test_a_format_is_deleted_with_its_module_and_its_rows(part: Part, tmp_path: Path) -> None:
    package = part.copied_without(tmp_path / "p")
    corpus = tmp_path / "c"
    corpus.mkdir()
    gone = {row.name for row in _ROWS if row.module.endswith(f".{part.module}")}
    for name, write in {**FORMATS, "a.txt": str.encode, "b.txt": str.encode}.items():
        needs_html = FORMAT_OF.get(Path(name).suffix) in ("html", "mht")
        rtf = "rtf" in gone and write in (rtf_code_page, rtf_unicode)
        if not (needs_html or rtf or FORMAT_OF.get(Path(name).suffix) in gone):
            (corpus / name).write_bytes(write(body(1)))
    variables = environment(PYTHONPATH=os.fspath(package))
    done = subprocess.run(
        [sys.executable, "-c", SMOKE, corpus],
        env=variables,
        cwd=package,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    members = [line.split(",")[2] for line in done.stdout.splitlines()[1:]]
    assert {Path(member).name for member in members} == set(os.listdir(corpus))


def test_no_two_formats_have_a_suffix_or_begin_alike() -> None:
    for one, other in combinations(_ROWS, 2):
        assert not set(one.suffixes) & set(other.suffixes)
        assert not set(one.begins) & set(other.begins) or one.holds != other.holds
