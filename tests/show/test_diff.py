"""The texts of a comparison on the terminal: marks and widths."""

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
from simdup.near.differences import find_differences
from simdup.show.diff import diff_text
from simdup.show.text import Painter
from simdup.text.analyzer import Analyzer

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


def test_every_character_of_both_texts_is_there() -> None:
    a, b = prose(1, 60), prose(2, 60)
    for one, other in ((a, b), (a, near(a))):
        said = diff(one, other)
        left = re.sub(r"\{\+.*?\+\}", "", said).replace("[-", "").replace("-]", "")
        right = re.sub(r"\[-.*?-\]", "", said).replace("{+", "").replace("+}", "")
        assert "".join(left.split()) == "".join(one.split())
        assert "".join(right.split()) == "".join(other.split())


@given(HOSTILE, HOSTILE, st.integers(20, 90))
def test_no_line_is_wider_than_the_terminal_or_drives_it(a: str, b: str, width: int) -> None:
    for color in ("never", "always"):
        for line in diff(a, b, color, width).split("\n"):
            plain = re.sub("\x1b\\[[0-9;]*m", "", line) if color == "always" else line
            assert cell_len(plain) <= width, plain
            assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u202e\ufeff]", plain)


def test_the_command_shows_texts_and_keeps_its_status(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": A, "b.txt": B})
    plain = simdup("compare", "a.txt", "b.txt")
    ran = simdup("compare", "a.txt", "b.txt", "--diff")
    assert ran.status == plain.status == 1
    assert plain.text.startswith("".join(f"{line}\n" for line in ran.lines[:5]))
    assert "terms" not in ran.text, "they would push the verdict off the screen"
    assert "[-only in a-]  {+only in b+}" in ran.text
    assert "[-去-]" in ran.text
    assert "{+在+}" in ran.text
    assert simdup("compare", "a.txt", "a.txt", "--diff").status == 0


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
    assert said.startswith("partly copied: 1 passage, ")
    assert a[:10] in said
    assert "passage" not in simdup("compare", "a.txt", "c.txt").text


def test_from_python_the_spans_are_there_if_asked_for() -> None:
    assert compare(A, B).diff is None
    spans = compare(A, B, diff=True).diff or ()
    assert "".join(A[slice(*span.a)] for span in spans) == A
