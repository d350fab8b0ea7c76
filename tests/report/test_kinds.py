"""Pages of other commands than scan, and of results in Python."""

import json

import pytest
from pages import columns, corpus, go, head, inflate, opened, until
from support import edited, prose, write

import simdup as library
from simdup import SimdupError


def test_a_comparison_is_one_pair(simdup, browser, tmp_path):
    write(tmp_path, {"a.txt": prose(1), "b.txt": edited(prose(1), 1, 3)})
    assert simdup("compare", "a.txt", "b.txt", "-o", "page.html").status == 0
    assert head(tmp_path / "page.html")["kind"] == "compare"
    with opened(browser, tmp_path / "page.html") as page:
        until(page, "!!document.querySelector('.why .prints')")
        assert "near-duplicates" in page.inner_text(".facts")
        assert page.locator(".list").count() == 0 or not page.locator(".list").is_visible()
        assert page.locator(".texts .rd-panel").count() == 1


def test_documents_of_one_name_are_two(simdup, tmp_path):
    write(tmp_path, {"a.txt": prose(1)})
    simdup("compare", "a.txt", "a.txt", "-o", "page.html")
    table = columns(tmp_path / "page.html")
    assert (table["pairA"].tolist(), table["pairB"].tolist()) == ([0], [1])


def test_dedupe_says_why_a_document_was_removed(simdup, browser, tmp_path):
    corpus(tmp_path / "texts")
    simdup("dedupe", "texts", "-s", "0.5", "-o", "out", "--removed", "removed.html", "-q")
    with opened(browser, tmp_path / "removed.html") as page:
        shown = []
        for i in range(page.evaluate("simdupData.table.count")):
            go(page, f"#/c/{i + 1}")
            shown += page.locator(".member .chip").all_inner_texts()
        assert shown.count("removed: copy") == 2
        removed = simdup("dedupe", "texts", "-s", "0.5", "--dry-run", "-q").lines[1:]
        assert sum(one.startswith("removed") for one in shown) == len(removed)


def test_clusters_of_lines_are_read_again(simdup, browser, tmp_path):
    corpus(tmp_path / "texts")
    lines = simdup("fingerprint", "texts").out
    simdup("cluster", "--verify-from", "texts", "-d", "9", "-o", "page.html", "-q", stdin=lines)
    page = tmp_path / "page.html"
    names = json.loads(inflate(page, "names"))["names"]
    first = json.loads(inflate(page, "c0"))[int(columns(page)["slot"][0])]
    assert first["texts"][0] == (tmp_path / names[0]).read_text()
    with opened(browser, page) as view:
        go(view, "#/c/1")
        assert view.locator(".texts .rd-panel").count() == 1


def test_lines_without_texts_have_no_page(simdup, tmp_path):
    done = simdup("cluster", "-f", "html", stdin=b"0000000000000000  a\n")
    assert done.status == 2
    assert "--verify-from" in done.err


def test_passages_are_pairs(simdup, browser, tmp_path):
    shared = prose(5, 60)
    write(tmp_path / "in", {"a": prose(1) + shared + prose(2), "b": prose(3) + shared})
    simdup("passages", "in", "-o", "page.html", "-q")
    with opened(browser, tmp_path / "page.html") as page:
        go(page, "#/clusters")
        until(page, "!!document.querySelector('.texts .rd-panel')")
        assert shared[20:40].splitlines()[0] in page.inner_text(".texts")
        assert not page.locator(".decisions").count()


@pytest.mark.parametrize("options", [["-s", "0.99"], ["--no-verify"]])
def test_an_overview_without_similarities(simdup, browser, tmp_path, options):
    """Without clusters, and without comparing texts, there is nothing for a threshold to do."""
    write(tmp_path / "texts", {"a": prose(1), "b": edited(prose(1), 1, 3), "c": prose(2)})
    simdup("scan", "texts", *options, "-o", "page.html", "-q")
    with opened(browser, tmp_path / "page.html") as page:
        assert page.locator(".sentence").inner_text()
        assert not page.locator("#threshold").count()
        go(page, "#/clusters")
        assert not page.locator("#least").or_(page.locator(".cell")).is_visible()


def test_a_lone_document_has_a_page(simdup, browser, tmp_path):
    write(tmp_path / "texts", {"a": prose(1)})
    simdup("scan", "texts", "-o", "page.html", "-q")
    with opened(browser, tmp_path / "page.html") as page:
        assert page.inner_text(".sentence") == "There is 1 document, so no near-duplicate."
        page.keyboard.press("j")
        for route in ("#/clusters", "#/c/1", "#/review"):
            go(page, route) if route != "#/c/1" else page.evaluate("location.hash = '#/c/1'")
            assert page.inner_text("main")


def test_results_write_pages(tmp_path):
    folder = corpus(tmp_path / "texts")
    result = library.scan(str(folder), similarity=0.5)
    result.to_html(str(tmp_path / "page.html"))
    assert head(tmp_path / "page.html")["figures"]["clusters"] == len(result.clusters)
    shown = result._repr_html_()
    assert "<svg" in shown
    assert "<script" not in shown


def test_given_texts_are_shown_if_they_can_be_read_again(tmp_path):
    texts = [("empty", ""), ("a", prose(1)), ("b", edited(prose(1), 1)), ("<b>", prose(1))]
    result = library.scan(texts)
    result.to_html(str(tmp_path / "page.html"))
    assert json.loads(inflate(tmp_path / "page.html", "c0"))[0]["texts"][0] == prose(1)
    assert "&lt;b&gt;" in result._repr_html_()
    library.scan(iter(texts)).to_html(str(tmp_path / "gone.html"))
    assert set(columns(tmp_path / "gone.html")["chunk"].tolist()) == {-1}


def test_a_result_without_documents_has_no_page(tmp_path):
    from dataclasses import replace

    result = replace(library.scan([("a", "some text")]), pages=None)
    with pytest.raises(SimdupError, match="report page"):
        result.to_html(str(tmp_path / "page.html"))
