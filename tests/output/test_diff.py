"""The texts of a comparison on the terminal: marks, columns, widths."""

import io
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from support import Command

from lab.corpora.made import near, prose, write
from simdup import Comparison, Recipe, compare
from simdup.corpus.decoding import unify_line_ends
from simdup.features.analyzer import Analyzer
from simdup.output.columns import align_rows, columns_text
from simdup.output.diff import diff_text, is_change
from simdup.output.text import Painter
from simdup.verify.differences import find_differences

ANALYZER = Analyzer.for_recipe(Recipe())
A = "第一条 我们去公园散步。\n\n第二条 The quick fox runs.\n第三条 没有了。\n"
B = "第一條 我们在公园跑步。\n\n第二条 The slow fox runs.\n第四条 新的一条在这里。\n"

HOSTILE = st.lists(
    st.sampled_from(
        ["今天", "天气", "天氣", "。", " ", "\n", "\r", "\r\n", "\t", "word", "Word", "in", "to",
         "\x1b[31m", "\u202e", "\u200d", "👨", "e\u0301", "\x07", "\x85", "\u2028", "\udc80",
         "x" * 50, "哈" * 30, "[-", "+}", "\u3000", "カ", "ﾊﾞ", "한글", "\ufeff"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@cache
def comparison() -> Comparison:
    return compare("a", "b")


def compared(a: str, b: str) -> Comparison:
    """A comparison of which only the spans matter: the other steps take longer."""
    return replace(comparison(), diff=find_differences(a, b, ANALYZER))


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")


def painter(color: str, width: int) -> Painter:
    paint = Painter(Terminal() if width else io.StringIO(), color)
    paint.width = width
    return paint


def diff(a: str, b: str, color: str = "never", width: int = 0) -> str:
    """The texts with marks, without the heading."""
    found = compared(a, b)
    said = b"".join(diff_text(found, (a, b), painter(color, width))).decode()
    return said.split("\n\n", 1)[1]


def columns(a: str, b: str, color: str = "never", width: int = 0) -> list[str]:
    """The rows of two columns, without the heading."""
    found = compared(a, b)
    said = b"".join(columns_text(found, (a, b), painter(color, width))).decode()
    return said.split("\n")[4:-1]


def test_what_differs_has_marks_on_every_line() -> None:
    assert diff(A, B).splitlines() == [
        "第一条 我们[-去-]{+在+}公园[-散步-]{+跑步+}。",
        "",
        "第二条 The [-quick-]{+slow+} fox runs.",
        "[-第三条 没有了-]{+第四条 新的一条在这里+}。",
    ]
    assert diff("a b\n", "a b\nc d\n\ne f\n") == "a b\n{+c d+}\n\n{+e f+}\n"


def test_colors_come_beside_the_marks_and_what_folding_makes_the_same_is_dim() -> None:
    painted = diff(A, B, "always")
    assert re.sub("\x1b\\[[0-9;]*m", "", painted) == diff(A, B)
    assert "\x1b[31m[-去-]\x1b[0m" in painted
    assert "\x1b[32m{+在+}\x1b[0m" in painted
    assert "\x1b[2m第一条\x1b[0m" in painted
    assert "\x1b[2m" not in diff(A, A, "always")


def test_long_unchanged_stretches_are_left_out() -> None:
    text = prose(1, 3000)
    other = "新的开头在这里。" + text + "新的结尾在这里。"
    said = diff(text, other)
    assert said.startswith("{+新的开头在这里。+}" + text[:5])
    assert re.search(r"\n… \d+,\d\d\d characters unchanged …\n", said)
    assert said.rstrip().endswith("{+新的结尾在这里。+}")
    assert len(said) < 300
    folded = diff(text, other.replace("harbour", "HARBOUR"))
    assert "characters alike …" in folded
    assert len(columns(text, other)) < 40


def test_every_character_of_both_texts_is_there() -> None:
    a, b = prose(1, 60), prose(2, 60)
    for one, other in ((a, b), (a, near(a))):
        said = diff(one, other)
        left = re.sub(r"\{\+.*?\+\}", "", said).replace("[-", "").replace("-]", "")
        right = re.sub(r"\[-.*?-\]", "", said).replace("{+", "").replace("+}", "")
        assert "".join(left.split()) == "".join(one.split())
        assert "".join(right.split()) == "".join(other.split())


def test_rows_are_lines_beside_those_they_share_most_with() -> None:
    a = "一行不变的文字在这里\n要删去的一行文字\n第三行 the quick fox\n最后一行也不变\n"
    b = "一行不变的文字在这里\n第三行 the slow fox\n最后一行也不变\nsomething else entirely\n"
    assert columns(a, b, width=63) == [
        "一行不变的文字在这里             一行不变的文字在这里",
        "[-要删去的一行文字-]           <",
        "第三行 the [-quick-] fox       | 第三行 the {+slow+} fox",
        "最后一行也不变                   最后一行也不变",
        "                               > {+something else entirely+}",
    ]


def test_many_rows_without_a_change_are_left_out() -> None:
    lines = [f"第{n}行 {prose(n, 4)}".replace("\n", "") for n in range(50)]
    a, b = "\n".join(lines), "\n".join([*lines[:40], "另外一行", *lines[40:]])
    rows = columns(a, b)
    assert len([row for row in rows if "characters unchanged" in row]) == 2
    assert len(rows) < 20


def test_of_a_long_line_the_parts_that_differ_have_the_sign() -> None:
    words = [f"word{n:04}" for n in range(90)]
    a, b = " ".join(words[:9]), " ".join([*words[:8], "zebra"])
    signs = [line[30:33] for line in columns(a, b, width=63)]
    assert signs == ["   ", "   ", " | "]


def test_what_is_left_out_of_a_long_line_has_a_row_of_its_own() -> None:
    long = " ".join(f"word{n:04}" for n in range(90))
    rows = columns(f"{long} tiger", f"{long} zebra", width=100)
    (note,) = (row for row in rows if "…" in row)
    assert re.fullmatch(r"… [\d,]+ characters unchanged … +… [\d,]+ characters unchanged …", note)


@given(HOSTILE, HOSTILE, st.integers(20, 90))
def test_no_line_is_wider_than_the_terminal_or_drives_it(a: str, b: str, width: int) -> None:
    for color in ("never", "always"):
        for line in [*diff(a, b, color, width).split("\n"), *columns(a, b, color, width)]:
            plain = re.sub("\x1b\\[[0-9;]*m", "", line) if color == "always" else line
            # The shortest columns have 10 cells each.
            assert cell_len(plain) <= max(width, 23), plain
            assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u202e\ufeff]", plain)


@given(HOSTILE, HOSTILE)
def test_rows_hold_the_lines_of_both_texts(a: str, b: str) -> None:
    rows = align_rows(find_differences(a, b, ANALYZER), a, b)
    for text, lines in ((a, [row.a for row in rows]), (b, [row.b for row in rows])):
        there = ["".join(piece.text for piece in line) for line in lines if line is not None]
        text = unify_line_ends(text)
        assert there == (text[:-1] if text.endswith("\n") else text).split("\n") or not text
    for row in rows:
        assert (row.sign == " ") == row.same
        if row.sign in "<>":
            assert (row.a is None) != (row.b is None)
            assert all(is_change(p) or p.text.isspace() for p in (row.a or row.b or ()))


def test_the_command_shows_texts_and_keeps_its_status(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": A, "b.txt": B})
    plain = simdup("compare", "a.txt", "b.txt")
    for option in ("--diff", "--side-by-side"):
        ran = simdup("compare", "a.txt", "b.txt", option)
        assert ran.status == plain.status == 1
        assert plain.text.startswith("".join(f"{line}\n" for line in ran.lines[:5]))
        assert "terms" not in ran.text, "they would push the verdict off the screen"
        assert "[-only in a-]  {+only in b+}" in ran.text
        assert "[-去-]" in ran.text
        assert "{+在+}" in ran.text
        assert simdup("compare", "a.txt", "a.txt", option).status == 0
    assert "a.txt".ljust(38) + "   b.txt" in ran.lines
    assert all(cell_len(line) <= 80 for line in ran.lines[-6:])
    assert (
        "--side-by-side: has no effect"
        in simdup("compare", "a.txt", "b.txt", "--side-by-side", "-f", "jsonl").err
    )


def test_json_lines_carry_the_spans_with_their_places(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(A.replace("\n", "\r\n").encode("gb18030"))
    (tmp_path / "r.jsonl").write_text(json.dumps({"text": B}) + "\n", "utf-8")
    ran = simdup("compare", "a.txt", "r.jsonl#1", "--diff", "-f", "jsonl")
    spans = json.loads(ran.out)["diff"]
    # Offsets are those of the decoded text, whose lines end as they do in the file.
    windows = A.replace("\n", "\r\n")
    assert "".join(windows[slice(*span["a"])] for span in spans) == windows
    assert "".join(B[slice(*span["b"])] for span in spans) == B
    assert {"kind": "removed", "a": [6, 7], "b": [6, 6]} in spans
    assert {"kind": "added", "a": [7, 7], "b": [6, 7]} in spans
    without = simdup("compare", "a.txt", "r.jsonl#1", "-f", "jsonl")
    assert "diff" not in json.loads(without.out)


def test_shared_passages_are_listed_with_what_they_cover(simdup: Command, tmp_path: Path) -> None:
    a, b = prose(1), prose(2, 60) + prose(1) + prose(3, 60)
    write(tmp_path, {"a.txt": a, "b.txt": b, "c.txt": prose(4)})
    found = json.loads(simdup("compare", "a.txt", "b.txt", "-f", "jsonl").out)
    (passage,) = found["passages"]
    assert a[slice(*passage["a"])].strip() == b[slice(*passage["b"])].strip()
    assert passage["similarity"] == 1
    assert found["share_a"] > 0.99
    assert 0.4 < found["share_b"] < 0.6
    said = simdup("compare", "a.txt", "b.txt").text
    assert "1 shared passage: " in said
    assert a[:10] in said
    assert "passage" not in simdup("compare", "a.txt", "c.txt").text


def test_from_python_the_spans_are_there_if_asked_for() -> None:
    assert compare(A, B).diff is None
    spans = compare(A, B, diff=True).diff or ()
    assert "".join(A[slice(*span.a)] for span in spans) == A
