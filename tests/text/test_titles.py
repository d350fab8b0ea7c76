"""The title of a text: what it is, and when two are equal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup.corpus.html import page_title
from simdup.model.documents import Document
from simdup.text.characters import PreparedText
from simdup.text.titles import MOST, title_keys, title_of


def title(text: str) -> str:
    return title_of(Document("a", text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# 海港条例\n\n第一条", "海港条例"),
        ('# <a name="harbour"></a>Harbour rules\n\ntext', "Harbour rules"),
        ("\n\n  ## Harbour `rules` ##\n", "Harbour rules"),
        ("Harbour\n=======\n\ntext", "Harbour"),
        ("=======\nHarbour\n=======\n", "Harbour"),
        ("Harbour\r\n-------\r\ntext", "Harbour"),
        ("= Harbour rules\n:toc:\n", "Harbour rules"),
        ("== 海港 ==\n正文", "海港"),
        ("* Harbour\n** Rules", "Harbour"),
        ("**Harbour** rules\ntext", "Harbour rules"),
        ("[Harbour](https://example.org) ![plan](a.png)\n", "Harbour plan"),
        ("Skip to content\n\n# Harbour\n", "Harbour"),
        ('---\nauthor: x\ntitle: "Harbour: rules"\n---\n# Other\n', "Harbour: rules"),
        ("---\nauthor: x\n---\n\n# Harbour\n", "Harbour"),
        ('+++\ntitle = "Harbour"\n+++\ntext', "Harbour"),
        ("First line\n\n```sh\n# no heading\n```\n", "First line"),
        ("<h1 align='center'>\n  Harbour &amp; <b>rules</b>\n</h1>\ntext", "Harbour & rules"),
        ("# C#\n", "C#"),
        ("C++\n", "C++"),
        ("#include <a>\n", "include"),
        ("***\n---\n\nHarbour\n", "Harbour"),
        ("# <a></a>\n\n## Harbour", "Harbour"),
        ("----\n====\n", ""),
        ("", ""),
        ("word " * 100, ("word " * 100)[:MOST]),
    ],
)
def test_the_title_is_the_first_heading_or_line(text: str, expected: str) -> None:
    assert title(text) == expected


def test_what_a_source_names_is_the_title() -> None:
    assert title_of(Document("a", "# Harbour", title=" Rules\n of #1 ")) == "Rules of #1"
    assert title_of(Document("a", "# Harbour", title="")) == ""


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<html><head><title>A &lt;b&gt;\n c</title></head><h1>Other</h1>", "A <b>\nc"),
        ("<h2 class='x'>Har<i>bour</i></h2><h1>Other</h1>", "Harbour"),
        ("<title></title><h1>Harbour</h1>", "Harbour"),
        ("<title>never ends", None),
        ("<p>text</p>", None),
    ],
)
def test_the_title_of_a_page(page: str, expected: str | None) -> None:
    assert page_title(page) == expected


def test_a_hostile_page_takes_linear_time() -> None:
    assert page_title("<title>" * 500_000) is None
    assert page_title("<h1" * 500_000) is None
    for line in ("# ", "\n= ", "\n# *", "<h1>", " #", "[](", "=\n", "---\n"):
        assert title(line * 4096) in ("", "h1")


def key(one: str, text: str = "text") -> bytes:
    return title_keys([one], [PreparedText(text)])[0]


def test_titles_are_equal_after_folding() -> None:
    assert key("ＨＡＲＢＯＵＲ 國") == key("harbour国")
    assert key("harbour") != key("harbours")
    assert key("", "one") != key("", "other")
    assert key("", "one text") == key("", "onetext")
    assert key("one") != key("", "one")


@given(st.text(alphabet="a #=*-_`~<>[]()&;\r\n+|:h1/titleé国", max_size=60))
def test_a_title_is_one_line(text: str) -> None:
    found = title(text)
    assert found == " ".join(found.split())
    assert len(found) <= MOST
    assert title(text + "\n") == found or text.endswith("\r")
