"""The verdict of a comparison: the words, and what is not said again below them."""

import io
import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from support import Command, Ran

from lab.corpora.made import prose, write
from simdup import Comparison, compare
from simdup.model.comparison import EXCLUDED
from simdup.show.comparison_output import comparison_text
from simdup.show.text import Painter
from simdup.show.verdict import verdict
from simdup.show.words import CHINESE, ENGLISH

BASE = " ".join(f"{random.Random(n).getrandbits(40):x}" for n in range(80))
BACKWARDS = " ".join(BASE.split()[::-1])
LONGER = f"{BASE} extra"
SIMHASH = ["--method", "simhash"]


def compared(simdup: Command, folder: Path, a: str, b: str, *options: str) -> Ran:
    write(folder, {"a.txt": a, "b.txt": b})
    return simdup("compare", "a.txt", "b.txt", *options)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


DOSE = "Take 10 mg of it twice a day on Monday, with water. "
OTHER_DOSE = DOSE.replace("10 mg", "20 mg")
COPIED = prose(5, 30)


@pytest.mark.parametrize(
    ("a", "b", "options", "status", "line"),
    [
        (BASE, BASE, [], 0, "equal: the texts are the same"),
        (BASE, f"{BASE}\n", [], 0, "equal: the texts are the same but for white space"),
        (
            BASE,
            BASE.upper(),
            [],
            0,
            "equal: the texts are the same but for white space, case, width or script",
        ),
        (BASE, BASE.upper(), ["--no-verify"], 0, "equal: the texts are the same but .*"),
        (BASE, BASE, ["--across", "folder"], 1, "equal, but no pair: they agree in folder"),
        ("", "", [], 1, "equal, but no pair: a.txt has no words to compare"),
        ("copper", "copper", ["--method", "simhash"], 0, "equal: the texts are the same"),
        (BASE, LONGER, [], 0, r"near-duplicates: similarity 0\.99\d\d"),
        (DOSE, f"{DOSE} Today", [], 0, r"near-duplicates: edit similarity 0\.8\d\d\d"),
        (
            BASE,
            LONGER,
            ["--cosine", "0.5"],
            0,
            r"near-duplicates: similarity 0\.\d{4}, cosine 0\.\d{4}",
        ),
        (BASE, BACKWARDS, ["--no-verify"], 0, "near-duplicates: 0 of 64 bits differ, .*"),
        (BASE, BACKWARDS, ["-s", "0"], 0, "near-duplicates: 0 of 64 bits differ, .*"),
        (
            DOSE + prose(3, 80),
            OTHER_DOSE.replace("Monday", "Friday") + prose(3, 80),
            [],
            0,
            "near-duplicates that differ in 2 facts: 10 mg -> 20 mg, Monday -> Friday",
        ),
        (
            DOSE + prose(3, 80),
            OTHER_DOSE + prose(3, 80),
            ["--across", "folder"],
            1,
            "not near-duplicates: they agree in folder",
        ),
        (
            DOSE,
            OTHER_DOSE,
            [],
            1,
            "not near-duplicates: they differ in 1 fact: 10 mg -> 20 mg",
        ),
        (
            BASE,
            LONGER,
            ["--recipe", "default,top=0", "-d", "0", *SIMHASH],
            1,
            r"not near-duplicates: the texts are alike \(similarity 0\.99.*\), but a scan .*",
        ),
        (prose(1), "", [], 1, "not near-duplicates: b.txt has no words to compare"),
        (
            "copper lantern",
            "lantern copper",
            SIMHASH,
            1,
            "not near-duplicates: with so few words, only equal texts are near-duplicates",
        ),
        (
            COPIED + prose(1),
            prose(9, 300) + COPIED,
            [],
            1,
            r"partly copied: 1 passage, \d\d % of a\.txt and \d % of b\.txt",
        ),
        (prose(1), prose(2), [], 1, "neither near-duplicates nor copied"),
        (prose(1), prose(2), ["--across", "folder"], 1, "neither near-duplicates nor copied"),
    ],
)
def test_compare_says_the_verdict_first(
    simdup: Command, tmp_path: Path, a: str, b: str, options: list[str], status: int, line: str
) -> None:
    ran = compared(simdup, tmp_path, a, b, *options)
    assert re.fullmatch(line, ran.lines[0]), ran.lines[0]
    assert ran.status == status
    assert "builtin" in ran.text
    assert re.search(r"^  similarity +\d\.\d{4}", ran.text, re.MULTILINE)
    verdict = json.loads(simdup("compare", "a.txt", "b.txt", *options, "-f", "jsonl").out)[
        "verdict"
    ]
    answer, _, _ = ran.lines[0].replace("differ in 2 facts", "differ in facts").partition(":")
    assert verdict == answer.partition(", but no pair")[0].partition(" near-duplicates nor")[0]


@pytest.mark.parametrize(
    ("a", "b", "options", "sentence"),
    [
        (BASE, LONGER, ["-d", "64"], "A scan finds the pair by simhash and by MinHash."),
        (
            BASE,
            LONGER,
            ["--recipe", "default,top=0", "-d", "0"],
            "A scan finds the pair by MinHash.",
        ),
        (
            BASE,
            BACKWARDS,
            ["-s", "0.99", *SIMHASH],
            "The fingerprints are near, but the texts are not similar enough.",
        ),
        (BASE, BACKWARDS, ["--no-verify"], "Fingerprints alone decide."),
        (BASE, BACKWARDS, ["-s", "0"], "Fingerprints alone decide."),
        (BASE, LONGER, ["--no-verify", "--method", "minhash"], "Bands alone decide."),
        (BASE, BASE, [], ""),
        (prose(1), prose(2), [], ""),
        (BASE, LONGER, ["-d", "64", *SIMHASH], ""),
    ],
)
def test_compare_says_how_a_scan_finds_the_pair(
    simdup: Command, tmp_path: Path, a: str, b: str, options: list[str], sentence: str
) -> None:
    assert compared(simdup, tmp_path, a, b, *options).lines[1] == sentence


def test_compare_says_what_is_required_beside_the_figures(simdup: Command, tmp_path: Path) -> None:
    text = compared(simdup, tmp_path, BASE, BACKWARDS, "-s", "0.99", *SIMHASH).text
    assert re.search(r"^  distance .* bits  \(at most 3 allowed\)$", text, re.MULTILINE)
    assert re.search(r"^  similarity .*; 0\.99 required\)$", text, re.MULTILINE)
    assert "allowed" not in simdup("compare", "a.txt", "b.txt").text


def test_nothing_of_the_verdict_is_said_again(simdup: Command, tmp_path: Path) -> None:
    rest = prose(3, 80)
    ran = compared(simdup, tmp_path, DOSE + rest, OTHER_DOSE + rest)
    assert ran.text.count("10 mg") == 1
    assert "  facts " not in ran.text
    # Where the verdict is of something else, the facts have a line.
    ran = simdup("compare", "a.txt", "b.txt", "-s", "1")
    assert "\n  facts         1 fact differs: 10 mg -> 20 mg\n" in ran.text
    assert ran.lines[0].startswith("partly copied: ")
    assert "\n  shared passages\n" in ran.text
    assert ran.text.count(" % of ") == 2


def words_of(found: Comparison, a: str, b: str, language: str = "en") -> str:
    words = CHINESE if language == "zh" else ENGLISH
    return verdict(found, (a, b), words).sentence(words)


def test_a_container_excludes_its_excerpt_where_nothing_may_be_lost() -> None:
    found = compare(prose(1), f"{prose(1)} {prose(2)[:40]}", lossless=True)
    assert (found.duplicates, found.verdict) == (False, EXCLUDED)
    assert words_of(found, "", "") == "not near-duplicates: b has text that a lacks"


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (BASE, BASE.upper(), "内容相同：两篇只有空白、大小写、全半角或简繁不同"),
        (BASE, f"{BASE}！", r"近似重复：相似度 0\.99\d\d"),
        (DOSE, OTHER_DOSE, "不算近似重复：有 1 处关键信息不同：10 mg → 20 mg"),
        (prose(1), prose(2), "既非近似重复，也没有雷同段落"),
        (COPIED, prose(9, 300) + COPIED, r"部分雷同：共 1 段，占 a 的 100%，占 b 的 \d+%"),
    ],
)
def test_the_verdict_in_chinese(a: str, b: str, said: str) -> None:
    assert re.fullmatch(said, words_of(compare(a, b), a, b, "zh"))


def test_a_share_that_rounds_to_nothing_is_less_than_one_percent() -> None:
    found = compare(COPIED, prose(9, 300) + COPIED)
    found = replace(found, reuse=found.reuse._replace(share_b=0.004))
    assert words_of(found, "", "").endswith("100 % of a and less than 1 % of b")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_long_verdict_fits_a_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: int, language: str
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    days = [f"On day {i} the ward {prose(i, 8)} gives {{}} mg of it." for i in range(1, 12)]
    a, b = ("\n".join(day.format(i * n) for i, day in enumerate(days, 1)) for n in (7, 9))
    for similarity in (0.5, 0.99):
        found = compare(a, b, similarity=similarity)
        assert len(found.facts) > 5
        paint = Painter(Terminal(), "never", CHINESE if language == "zh" else ENGLISH)
        lines = b"".join(comparison_text(found, (a, b), paint)).decode().split("\n")
        said = [
            *lines[: lines.index("")],
            *(line for line in lines if "mg" in line and "→" in line),
        ]
        assert max(map(cell_len, said)) <= columns
        plain = comparison_text(found, (a, b), Painter(io.StringIO(), "never", paint.words))
        unwrapped = b"".join(plain).decode().split("\n", 1)[0]
        assert (
            " ".join(lines[: lines.index("")])
            .replace(" ", "")
            .startswith(unwrapped.replace(" ", ""))
        )
