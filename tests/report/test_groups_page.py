"""The page of groups: each passage once, with its places."""

import pytest
from pages import NAMELESS, columns, head, opened
from support import Command

from lab.corpora.made import prose, write


@pytest.fixture
def made(simdup: Command, tmp_path):
    notice, other = prose(0, 40), prose(90, 60)
    pages = {f"site/{i:02}.txt": f"{prose(i, 30)}\n\n{notice}" for i in range(1, 70)}
    pages |= {f"more/{i}.txt": f"{other}\n{prose(200 + i)}<b>\u202e" for i in range(2)}
    write(tmp_path / "texts", pages)
    simdup("passages", "texts", "--groups", "-o", "groups.html")
    return tmp_path / "groups.html"


def test_the_table_has_passages_and_places(made) -> None:
    table = columns(made)
    assert head(made)["kind"] == "groups"
    assert table["documents"].tolist() == [69, 2]
    assert table["places"].tolist() == [69, 2]
    assert table["readings"].tolist() == [1, 1]
    figures = head(made)["figures"]
    assert (figures["pairs"], figures["passages"], figures["matched"]) == (2, 71, 71)


def test_a_page_without_texts_has_places(simdup: Command, tmp_path) -> None:
    write(tmp_path / "texts", {"a.txt": prose(1), "b.txt": prose(1)})
    simdup("passages", "texts", "--groups", "--report-texts", "none", "-o", "groups.html")
    assert prose(1)[:20] not in (tmp_path / "groups.html").read_text("utf-8")
    assert columns(tmp_path / "groups.html")["places"].tolist() == [2]


def test_a_reader_finds_a_passage_and_its_places(browser, made) -> None:
    with opened(browser, made) as page:
        assert page.locator("h1").first.inner_text().startswith("2 passages are in several of 71")
        page.evaluate("location.hash = '#/c/1'")
        page.locator(".place").first.wait_for()
        assert page.locator("article .facts").first.inner_text().startswith("69 documents")
        assert prose(0, 40)[:10] in page.locator(".passage.whole").inner_text()
        assert page.locator(".place").count() == 50
        page.get_by_role("button", name="show 19 more places").click()
        assert page.locator(".place").count() == 69
        assert page.evaluate(NAMELESS) == []
        page.get_by_label("Search text and names").fill("more/1")
        page.locator(".found", has_text="1 passage").wait_for()
