"""The words in two languages that say the same, and reports in Chinese."""

import json
import re
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from support import ROOT, Command

from simdup.model.readings import KINDS
from simdup.show.report.columns import SAME_TEXT, UNKNOWN
from simdup.show.words import CHINESE, ENGLISH, Template, language_of, page_words
from simdup.show.wrapping import fill

WORDS = ROOT / "simdup" / "show" / "words.json"
ALL = json.loads(WORDS.read_text("utf-8"))
SECTIONS = {"report": ALL["report"], **ALL["page"]}
TEXTS = {(where, key): text for where, texts in SECTIONS.items() for key, text in texts.items()}
CORPUS = str(ROOT / "examples" / "corpus")


def forms(template: Template) -> tuple[str, ...]:
    return (template,) if isinstance(template, str) else tuple(template)


def placeholders(template: Template) -> set[tuple[str, str]]:
    """The placeholders of a text, with how their values are written."""
    found = (part for form in forms(template) for part in Formatter().parse(form))
    return {(name, how or "") for _, name, how, _ in found if name is not None}


def test_each_text_is_there_once_in_both_languages() -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs), pairs
        return dict(pairs)

    json.loads(WORDS.read_text("utf-8"), object_pairs_hook=once)
    assert {tuple(text) for text in TEXTS.values()} == {("en", "zh")}


@pytest.mark.parametrize(("where", "key"), TEXTS)
def test_both_languages_have_the_same_placeholders(where: str, key: str) -> None:
    text = TEXTS[where, key]
    for form in (*forms(text["en"]), *forms(text["zh"])):
        assert placeholders(form) == placeholders(text["en"])


# Of these there are always several, or no number is before them.
SEVERAL = {
    "kept_apart.each", "parts.characters", "cluster", "info.bytes", "info.runs",
    "passages.title", "passages.figures", "leaks.lengths", "leaks.common", "passages.common",
    "diff.unchanged", "diff.alike", "sizeFilter", "firstMembers", "printText", "passagesCount",
    "sentence", "sentenceNew", "common", "skipped.without documents",
}  # fmt: skip


def test_of_one_thing_no_text_says_several() -> None:
    """Nouns are those that some text has in both numbers."""
    english = {key: forms(text["en"]) for key, text in TEXTS.items()}
    counts = (re.findall(r"\{(?:n:,|0)\} (\w+)", form) for form, *_ in english.values())
    many = " ".join(form for _, *more in english.values() for form in more)
    nouns = {f"{one}s" for found in counts for one in found if re.search(rf"\b{one}s\b", many)}
    assert {"documents", "pairs", "files"} < nouns
    several = re.compile(rf"\b1 (?:\w+ )?(?:{'|'.join(nouns | {'matches', 'bits', 'units'})})\b")
    for (where, key), (form, *_) in english.items():
        one = re.sub(r"\[(\w+)\|\w+\]", r"\1", form)
        one = re.sub(r"\{(?:\d|n|\w+:,)\}", "1", one)
        assert not several.search(one) or key in SEVERAL, (where, key, one)


def test_messages_count_things_in_words_that_know_the_number() -> None:
    """`counted` spells a number of things; what is written out has more than one of them."""
    nouns = "documents|texts|records|fields|columns|clusters|pairs|files|leaks|parts|rows"
    found = re.findall(rf"\{{[^{{}}]*:,\}} (?:\w+ )?(?:{nouns})\b.*", source())
    several = (
        "documents share their",
        'documents, "',
        "of the {warnings",
        "records, first on",
        "records have {missing}",
    )
    assert [line for line in found if not any(one in line for one in several)] == []


def test_a_page_has_the_words_of_its_kind() -> None:
    for kind in ("scan", "dedupe", "query", "passages", "conflicts"):
        own = ALL["page"].get(kind, {})
        words = page_words(kind)
        assert list(words["en"]) == list(words["zh"])
        assert set(words["en"]) == set(ALL["page"]["scan"]) | set(own)
        assert {key: words["zh"][key] for key in own} == {key: own[key]["zh"] for key in own}


def test_every_word_of_a_page_is_used() -> None:
    assets = (ROOT / "simdup" / "show" / "report" / "assets").glob("*.js")
    scripts = "".join(path.read_text("utf-8") for path in assets)
    named = {*re.findall(r"'(\w+)'", scripts), *KINDS, SAME_TEXT, UNKNOWN}
    # The choices of the list, by their names.
    choices = {f"{what}{one[:1].upper()}{one[1:]}" for what in ("sort", "filter") for one in named}
    assert [key for where, key in TEXTS if where != "report" and key not in named | choices] == []


def source() -> str:
    return "".join(path.read_text("utf-8") for path in (ROOT / "simdup").rglob("*.py"))


def test_every_key_is_used_and_every_used_key_exists() -> None:
    text = source()
    named = set(re.findall(r'"([a-z][\w. -]*)"', text)) | set(re.findall(r"'([a-z][\w.]*)'", text))
    families = set(re.findall(r'words\(f["\'](\w+\.(?:head\.)?)\{', text))
    families |= set(re.findall(r'f"(skipped\.)\{', text))
    unused = [
        key for key in ALL["report"] if key not in named and not key.startswith(tuple(families))
    ]
    assert unused == []
    used = set(re.findall(r'\bwords\(\s*"([a-z][\w. ]*)"', text)) | set(
        re.findall(r'words\("[\w.]+" if [^"]+ else "([\w.]+)"', text)
    )
    assert used - set(ALL["report"]) == set()


def test_headings_line_up_in_both_languages() -> None:
    for key in ("heading.clusters", "heading.pairs"):
        assert cell_len(ENGLISH(key)) == cell_len(CHINESE(key))


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "de_DE.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, "zh"),
        ({"LC_ALL": "C", "LC_MESSAGES": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LANG": "ZH"}, "zh"),
        ({"LC_CTYPE": "zh_CN.UTF-8"}, "en"),
    ],
)
def test_the_first_variable_that_is_set_decides(environment: dict[str, str], language: str) -> None:
    assert language_of(environment) == language


def test_sentences_of_two_numbers_choose_by_n() -> None:
    assert ENGLISH("new", n=1, known=2) == "1 new pair (2 known)."
    assert ENGLISH("new", n=2, known=1) == "2 new pairs (1 known)."
    assert CHINESE("new", n=1, known=2) == "新增 1 对（已知 2 对）。"


def test_the_option_wins_over_the_file_and_the_file_over_the_environment(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("一篇文档")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "没有发现近似重复。" in simdup("scan", "a.txt").err
    assert "Found no near-duplicates." in simdup("scan", "a.txt", "--lang", "en").err
    (tmp_path / "simdup.toml").write_text('lang = "en"')
    assert "Found no near-duplicates." in simdup("scan", "a.txt").err
    chinese = simdup("scan", "a.txt", "--lang", "zh").err
    assert "没有发现近似重复。" in chinese
    assert "Configured" not in chinese


@given(
    st.text(st.sampled_from("中文（），。：；“”ab -"), max_size=80),
    st.integers(min_value=10, max_value=60),
)
def test_filled_lines_fit_and_lose_nothing_but_spaces(text: str, width: int) -> None:
    lines = fill(text, width).split("\n")
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= width for line in lines)


def test_lines_neither_begin_with_what_closes_nor_end_with_what_opens() -> None:
    sentence = "找到 7 个聚类，其中 9 篇冗余文档（保留次序：按输入顺序）。" * 5
    for width in range(20, 80):
        for line in fill(sentence, width).split("\n"):
            assert line[0] not in "，。）："
            assert line[-1] not in "（"
