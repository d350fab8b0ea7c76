"""Words of Taiwan read as those of the mainland: a field of the recipe."""

import re
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given
from support import Command, examples

from lab.corpora.made import write
from simdup import Recipe, SimdupError, compare, fingerprint, scan
from simdup.text import phrases
from simdup.text.characters import fold
from simdup.text.phrases import with_mainland_words

TAIWAN = Recipe(phrases="taiwan")
PAGES = (
    "請用滑鼠點選軟體的視窗，在伺服器的網路設定裡讀取程式碼，把檔案儲存到硬碟，再列印預設的選單。資訊會傳送到螢幕。",
    "请用鼠标点击软件的窗口，在服务器的网络设置里读取代码，把文件保存到硬盘，再打印默认的菜单。信息会发送到屏幕。",
)


def slow(text: str) -> str:
    """By the definition: at each place the longest word of the table."""
    lines = phrases._TABLE.read_text("utf-8").splitlines()
    table = dict(line.split(" ") for line in lines if line[0] != "#")  # type: ignore[misc]
    made, at = [], 0
    while at < len(text):
        words = [text[at : at + size] for size in range(20, 0, -1) if text[at : at + size] in table]
        made.append(table[words[0]] if words else text[at])
        at += len(words[0]) if words else 1
    return "".join(made)


@given(st.lists(st.sampled_from([*phrases._words(), "的", "程", "a", " "]), max_size=30))
@examples(200)
def test_the_longest_word_at_each_place_counts(parts: list[str]) -> None:
    text = "".join(parts)
    assert with_mainland_words([text]) == [slow(text)]


def test_the_table_is_of_folded_words_and_ends_where_it_leads_to() -> None:
    assert len(phrases._words()) > 700
    for word, mainland in phrases._words().items():
        assert (fold(word), fold(mainland)) == (word, mainland)
        assert phrases._words().get(mainland, mainland) == mainland
    assert phrases._TABLE.stat().st_size < 200_000


def test_pages_of_both_sides_are_near_duplicates_if_the_recipe_says_so() -> None:
    data = list(enumerate(PAGES))
    assert not scan(data).pairs
    (pair,) = scan(data, recipe="default,phrases=taiwan").pairs
    assert pair.similarity == 1
    comparison = compare(text_a=PAGES[0], text_b=PAGES[1], recipe=TAIWAN)
    assert (comparison.distance, comparison.similarity) == (0, 1)
    assert compare(text_a=PAGES[0], text_b=PAGES[1]).similarity < 0.6


def test_fingerprints_with_and_without_are_of_different_recipes() -> None:
    plain, read = fingerprint("軟體"), fingerprint("軟體", recipe=TAIWAN)
    assert plain != read
    assert read == fingerprint("软件", recipe=TAIWAN)
    assert fingerprint("软件") == fingerprint("软件", recipe=Recipe())


def test_passages_of_an_index_are_those_of_texts_as_they_are(
    simdup: Command, tmp_path: Path
) -> None:
    write(tmp_path, {"a/a.txt": PAGES[0] * 2, "b.txt": PAGES[0] + "別的"})
    assert simdup("index", "build", "x.index", "a", "--passages", "--recipe",
                  "default,phrases=taiwan").status == 0  # fmt: skip
    ran = simdup("passages", "b.txt", "--reference", "x.index", "-f", "csv")
    assert ran.out == simdup("passages", "b.txt", "--reference", "a", "-f", "csv").out
    assert len(ran.lines) > 1


def test_it_needs_folded_texts() -> None:
    with pytest.raises(SimdupError, match=re.escape("remove fold=false")):
        Recipe(fold=False, phrases="taiwan")
    with pytest.raises(SimdupError, match="one of taiwan"):
        Recipe(phrases="hongkong")
