"""The page of a query: what has a match in an index, and what is new."""

import json

import pytest
from pages import NAMELESS, OWN, columns, head, hostile, inflate, low_contrast, opened, until

from lab.corpora.made import edited, prose, write

# Fingerprints of short texts that differ in some words are this far from each other.
FAR = ("-d", "20")


def show(page, route):
    """Go to a view, and wait for what it shows in place of texts."""
    page.evaluate("(route) => { location.hash = route; }", route)
    until(page, "!!document.querySelector('.overview, .texts > *')")
    page.wait_for_timeout(50)


@pytest.fixture
def query(simdup, tmp_path):
    """Build an index of stored/, query asked/ with more options, and return where the page is."""

    def run(*options, stored="stored", asked="asked"):
        simdup("index", "build", "seen.index", stored, "-q")
        done = simdup("query", "seen.index", asked, "-o", "page.html", "-q", *FAR, *options)
        assert (done.out, done.err) == (b"", "")
        return tmp_path / "page.html"

    return run


@pytest.fixture
def texts(tmp_path):
    """Stored texts; asked are a copy of one, a text near two others, and a new one."""
    old = edited(prose(2, 300), 1, 2)
    write(tmp_path / "stored", {"1.txt": prose(1), "2.txt": prose(2, 300), "2-old.txt": old})
    near = edited(prose(2, 300), 7, 3)
    write(tmp_path / "asked", {"a/copy.txt": prose(1), "a/near.txt": near, "b/new.txt": prose(9)})


def rows(simdup, *options):
    """Return what `query -f jsonl` says of each document."""
    lines = simdup("query", "seen.index", "asked", "-f", "jsonl", "-q", *FAR, *options).lines
    return [one for one in map(json.loads, lines) if one["type"] in ("match", "new")]


def test_the_overview_says_how_many_are_known(query, texts, browser):
    page = query()
    found = head(page)
    assert found["kind"] == "query"
    known = {"documents": 3, "clusters": 2, "pairs": 3, "stored": 3, "added": 0, "skipped": 0}
    assert known.items() <= found["figures"].items()
    assert found["folders"] == [["asked/a", 2, 2], ["asked/b", 1, 0]]
    with opened(browser, page) as view:
        assert view.inner_text(".sentence").startswith("2 of 3 documents have a near-duplicate in")
        assert view.locator(".figures > div").count() == 6
        assert "estimate (~)" in view.inner_text(".similar")
        view.click("text=中文")
        assert view.inner_text(".sentence") == "3 篇文档中，有 2 篇在索引中已有近似重复。"


def test_a_page_has_what_json_lines_have(query, texts, simdup):
    page = query()
    matches = [one for one in rows(simdup) if one["type"] == "match"]
    names = json.loads(inflate(page, "names"))["names"]
    given = [[one["document"], *(m["document"] for m in one["matches"])] for one in matches]
    assert names == [name for some in given for name in some]
    table = columns(page)
    pairs = [pair for one in matches for pair in one["matches"]]
    assert table["pairDistance"].tolist() == [pair["distance"] for pair in pairs]
    similarities = [round(pair["similarity"] * 1e4) for pair in pairs]
    assert table["pairSimilarity"].tolist() == similarities


def test_a_document_has_its_matches_estimated_and_a_command(query, texts, browser, tmp_path):
    with opened(browser, query()) as page:
        show(page, "#/c/2")
        assert page.inner_text("article h1") == "near.txt"
        assert "2 matches" in page.inner_text(".facts")
        assert "most alike ~" in page.inner_text(".facts")
        similar = page.locator(".member .similarity").all_inner_texts()
        assert similar[0] == ""
        assert all(one.startswith("~0.9") for one in similar[1:])
        assert page.inner_text(".member .chip") == "asked"
        # Only the document that was asked is known to be here.
        links = page.locator(".member a[href^='file:']")
        assert links.evaluate_all("(all) => all.map((one) => one.href)") == [
            f"{tmp_path.as_uri()}/asked/a/near.txt"
        ]
        assert not page.locator(".pairs, .why, .rd-panel").filter(visible=True).count()
        first = page.inner_text(".missing pre")
        page.locator(".member a", has_text="choose").nth(1).click()
        until(page, "location.hash === '#/c/2/0-2'")
        page.wait_for_timeout(50)
        second = page.inner_text(".missing pre")
        assert {first, second} == {
            "simdup compare -- asked/a/near.txt stored/2.txt",
            "simdup compare -- asked/a/near.txt stored/2-old.txt",
        }


def test_the_live_threshold_is_a_query_at_that_similarity(query, simdup, browser, tmp_path):
    write(tmp_path / "stored", {f"{i}.txt": prose(i, 200) for i in range(8)})
    near = {f"{i}.txt": edited(prose(i % 8, 200), i, i // 2) for i in range(16)}
    write(tmp_path / "asked", near)
    with opened(browser, query("-s", "0.5")) as view:
        for threshold in (0.9, 0.95, 1.0):
            again = [one for one in rows(simdup, "-s", str(threshold)) if one["type"] == "match"]
            show(view, "#/")
            view.evaluate(f"State.set({{ threshold: {threshold * 10000} }})")
            shown = view.locator(".figures dd").all_inner_texts()
            assert shown[0] == str(len(again))
            assert shown[2] == str(16 - len(again))
            assert shown[3] == str(sum(len(one["matches"]) for one in again))
            show(view, "#/clusters")
            assert view.inner_text(".found") == f"{len(again)} documents with a match"


def test_fingerprint_lines_have_no_similarity(query, texts, simdup, browser, tmp_path):
    simdup("index", "build", "seen.index", "stored", "-q")
    lines = simdup("index", "export", "seen.index").out
    (tmp_path / "lines").write_bytes(lines)
    done = simdup("query", "seen.index", "--fingerprints", "lines", "-o", "page.html", "-q")
    assert done.status == 0
    with opened(browser, tmp_path / "page.html") as page:
        assert "no similarity" in page.inner_text(".similar")
        show(page, "#/c/1")
        assert not page.locator("#least").is_visible()
        assert set(page.locator(".member .similarity").all_inner_texts()) == {""}
        # It was asked about itself.
        assert "of this very name" in page.inner_text(".missing")


def test_a_match_without_similarity_stays_at_any_threshold(simdup, query, texts, browser, tmp_path):
    lines = simdup("fingerprint", "asked/a/near.txt").out.replace(b"asked/a/near", b"line")
    (tmp_path / "lines").write_bytes(lines)
    simdup("index", "build", "seen.index", "stored", "-q")
    simdup("index", "add", "seen.index", "--fingerprints", "lines", "-q")
    simdup("query", "seen.index", "asked", "-o", "page.html", "-q", *FAR)
    with opened(browser, tmp_path / "page.html") as page:
        page.evaluate("State.set({ threshold: 10000 })")
        assert page.inner_text(".figures dd") == "2"
        show(page, "#/c/2")
        assert "keeps 1 of 3 matches" in page.inner_text(".notice")
        assert page.locator(".member .similarity.weak").count() == 2


def test_documents_are_added_as_without_a_page(query, texts, simdup, browser):
    page = query("--add")
    assert head(page)["figures"]["added"] == 1
    assert simdup("query", "seen.index", "asked", "--new", "-q", *FAR).out == b""
    with opened(browser, page) as view:
        assert "new, added to the index" in view.inner_text(".figures")


def test_nothing_is_known(query, browser, tmp_path):
    write(tmp_path / "stored", {"1.txt": prose(1)})
    write(tmp_path / "asked", {"2.txt": prose(2)})
    with opened(browser, query()) as page:
        words = "The 1 document has no near-duplicate in the index."
        assert page.inner_text(".sentence") == words
        show(page, "#/review")
        page.evaluate("location.hash = '#/clusters'")
        until(page, "!!document.querySelector('h1.wait')")
        assert page.inner_text("main") == words


def test_decisions_outlive_the_page_and_reach_a_scan(query, texts, simdup, browser, tmp_path):
    page = query()
    with opened(browser, page) as view:
        show(view, "#/c/1")
        view.keyboard.press("2")
        show(view, "#/c/2")
        view.click("text=None is a duplicate")
        lines = view.evaluate("Review.lines()")
        assert [json.loads(one)["documents"] for one in lines] == [
            ["asked/a/copy.txt", "stored/1.txt"],
            ["asked/a/near.txt", view.evaluate("Data.names[3]")],
            ["asked/a/near.txt", view.evaluate("Data.names[4]")],
        ]
        view.reload()
        view.evaluate("App.ready")
        assert [json.loads(one)["documents"] for one in view.evaluate("Review.lines()")] == [
            json.loads(one)["documents"] for one in lines
        ]
        show(view, "#/review")
        assert view.inner_text(".sentence") == "2 of 2 documents with a match are decided."
        assert "simdup scan SOURCE --reference INDEX" in view.inner_text("pre")
    (tmp_path / "decisions.jsonl").write_text("\n".join(lines))
    against = "scan", "asked", "--reference", "seen.index", "--list", "redundant", "-q", *FAR
    assert simdup(*against).lines == ["asked/a/copy.txt", "asked/a/near.txt"]
    assert simdup(*against, "--decisions", "decisions.jsonl").lines == []


def test_many_documents_may_have_one_match(query, browser, tmp_path):
    write(tmp_path / "stored", {"1.txt": prose(1)})
    write(tmp_path / "asked", {"a.txt": prose(1), "b.txt": prose(1)})
    with opened(browser, query()) as page:
        show(page, "#/c/2")
        page.keyboard.press("1")
        page.reload()
        page.evaluate("App.ready")
        assert page.evaluate("[0, 1].map(Review.has)") == [False, True]


def test_hostile_names_stay_text(simdup, browser, tmp_path):
    source = hostile(tmp_path / "in").relative_to(tmp_path)
    simdup("index", "build", "seen.index", source, "--id-field", "id", "-q")
    simdup("query", "seen.index", source, "--id-field", "id", "-o", "page.html", "-q")
    with opened(browser, tmp_path / "page.html") as page:
        for i in range(page.evaluate("Data.table.count")):
            show(page, f"#/c/{i + 1}")
            used = page.evaluate(
                "[...new Set([...document.querySelectorAll('*')].map((e) => e.localName))]"
            )
            assert set(used) <= OWN
            assert page.locator("a[href^='javascript']").count() == 0


def test_a_query_is_readable_on_a_phone_and_on_paper(query, texts, browser):
    with opened(browser, query(), viewport={"width": 400, "height": 800}) as page:
        for route in ("#/", "#/c/1", "#/c/2", "#/review"):
            show(page, route)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            assert page.evaluate("document.getElementById('detail')?.scrollWidth || 0") <= 400
            assert low_contrast(page) == []
            assert page.evaluate(NAMELESS) == []
        show(page, "#/c/2")
        page.emulate_media(media="print")
        for hidden in (".list", ".tabs", ".decisions", ".tools", ".actions"):
            assert not page.locator(hidden).first.is_visible()
        assert page.locator(".member").first.is_visible()
