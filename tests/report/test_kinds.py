"""Pages of other commands than scan, and of results in Python."""

import gc
import json
import pickle

import pytest
from pages import (
    CONTRAST,
    NAMELESS,
    columns,
    corpus,
    go,
    head,
    inflate,
    low_contrast,
    opened,
    until,
)

import simdup as library
from lab.corpora.made import edited, prose, write
from simdup import SimdupError
from simdup.show.report.columns import folder_of

VERDICT = ".cluster > .title > :first-child"
LINKS = "[...document.querySelectorAll('.member a')].map((one) => one.href)"


def test_a_comparison_is_one_pair(simdup, browser, tmp_path):
    write(tmp_path, {"a.txt": prose(1), "b.txt": edited(prose(1), 1, 3)})
    assert simdup("compare", "a.txt", "b.txt", "-o", "page.html").status == 0
    assert head(tmp_path / "page.html")["kind"] == "compare"
    with opened(browser, tmp_path / "page.html") as page:
        until(page, "!!document.querySelector('.why .prints')")
        assert page.inner_text(VERDICT) == "near-duplicates"
        assert page.locator(".list").count() == 0 or not page.locator(".list").is_visible()
        assert page.locator(".texts .rd-panel").count() == 1


def test_a_comparison_begins_with_its_verdict(simdup, browser, tmp_path):
    dose, shared, rest = "Take 10 mg of it twice a day. ", prose(5, 30), prose(3, 80)
    other = dose.replace("10 mg", "20 mg")
    write(tmp_path, {"a.txt": dose + rest, "b.txt": other + rest})
    write(tmp_path, {"c.txt": shared + prose(1), "d.txt": prose(9, 300) + shared})
    differing = "near-duplicates that differ in 1 fact"
    for names, options, said in (
        # The facts are above the texts, where there are any.
        ("a.txt b.txt", "", differing),
        ("a.txt b.txt", "--report-texts none", f"{differing}: 10 mg -> 20 mg"),
        ("c.txt d.txt", "", "partly copied: 1 passage, 20 % of A and 9 % of B"),
    ):
        simdup("compare", *names.split(), *options.split(), "-o", "page.html")
        with opened(browser, tmp_path / "page.html") as page:
            until(page, f"!!document.querySelector('{VERDICT}')")
            assert page.inner_text(VERDICT) == said
            assert page.evaluate(NAMELESS) == []
            assert low_contrast(page) == []
    with opened(browser, tmp_path / "page.html", locale="zh-CN") as page:
        until(page, f"!!document.querySelector('{VERDICT}')")
        assert page.inner_text(VERDICT) == "部分雷同：共 1 段，占 A 的 20%，占 B 的 9%"


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
        for i in range(page.evaluate("Data.table.count")):
            go(page, f"#/c/{i + 1}")
            shown += page.locator(".member .chip").all_inner_texts()
        assert shown.count("removed: copy") == 2
        removed = simdup("dedupe", "texts", "-s", "0.5", "--dry-run", "-q").lines[1:]
        assert sum(one.startswith("removed") for one in shown) == len(removed)


def test_both_texts_of_a_comparison_can_be_opened(simdup, browser, tmp_path):
    write(tmp_path / "in", {"a b.txt": prose(1), "c.txt": edited(prose(1), 1)})
    simdup("compare", "in/a b.txt", "in/c.txt", "-o", "page.html")
    with opened(browser, tmp_path / "page.html") as page:
        until(page, "!!document.querySelector('.rd-panel')")
        folder = tmp_path.as_uri()
        assert page.evaluate(LINKS) == [f"{folder}/in/a%20b.txt", f"{folder}/in/c.txt"]


def test_records_and_standard_input_are_no_files(simdup, browser, tmp_path):
    line = json.dumps({"text": prose(1)})
    (tmp_path / "a.jsonl").write_text(f"{line}\n")
    simdup("compare", "a.jsonl#1", "-", "-o", "page.html", stdin=prose(1).encode())
    with opened(browser, tmp_path / "page.html") as page:
        until(page, "!!document.querySelector('.rd-panel')")
        assert page.evaluate(LINKS) == []


def test_documents_with_passages_can_be_opened(simdup, browser, tmp_path):
    shared = prose(5, 60)
    write(tmp_path / "in", {"a.txt": prose(1) + shared, "b.txt": prose(3) + shared})
    line = json.dumps({"text": prose(4) + shared})
    (tmp_path / "in" / "c.jsonl").write_text(f"{line}\n")
    simdup("passages", "in", "-o", "page.html", "-q")
    with opened(browser, tmp_path / "page.html") as page:
        found = set()
        for i in range(3):
            page.evaluate(f"location.hash = '#/c/{i + 1}'")
            until(page, f"document.querySelector('.over')?.textContent === 'Pair {i + 1}'")
            found.update(page.evaluate(LINKS))
        assert found == {f"{tmp_path.as_uri()}/in/{name}.txt" for name in "ab"}


@pytest.fixture
def passages(simdup, tmp_path):
    """Find passages in three documents that share one, and in one that shares none."""
    shared = prose(5, 60)
    texts = {f"x/{i}.txt": prose(i) + shared + prose(9) * (i == 2) for i in range(3)}
    write(tmp_path / "in", texts | {"y/alone.txt": prose(8)})

    def run():
        assert simdup("passages", "in", "-o", "page.html", "-q").status == 0
        return tmp_path / "page.html"

    return run


def test_passages_have_an_overview(passages, browser):
    path = passages()
    known = {"documents": 4, "matched": 3, "pairs": 3, "passages": 3, "listed": 3}
    assert known.items() <= head(path)["figures"].items()
    assert head(path)["folders"] == [["in/x", 3, 3], ["in/y", 1, 0]]
    with opened(browser, path) as page:
        assert page.inner_text(".sentence") == "3 of 4 documents share a passage with another."
        assert not page.locator(".notice").count()
        shares = page.evaluate("[...Data.table.weakest].sort()")
        page.evaluate(f"State.set({{ threshold: {shares[-1]} }})")
        left = sum(one == shares[-1] for one in shares)
        assert page.inner_text(".figures dd") == str(left)
        page.evaluate("location.hash = '#/clusters'")
        until(page, "!!document.querySelector('.found')")
        assert page.inner_text(".found").startswith(f"{left} pair")
        page.evaluate("State.set({ threshold: Data.least })")
        page.select_option("select[aria-label=Sort]", "low")
        assert page.evaluate("Array.from(List.all(), (i) => Data.table.weakest[i])") == shares
        page.click("text=中文")
        page.evaluate("location.hash = '#/'")
        until(page, "!!document.querySelector('.sentence')")
        assert page.inner_text(".sentence") == "4 篇文档中，有 3 篇与别的文档有雷同段落。"


def test_a_share_is_one_figure_everywhere(simdup, browser, tmp_path):
    """Words count two units, however long: by characters the shares would be others."""
    words = " ".join(f"extraordinarily{i}" for i in range(40))
    texts = {"a.txt": f"{prose(1, 40)} {words}", "b.txt": f"{prose(2, 90)} {words} {prose(3)}"}
    write(tmp_path / "in", texts)
    simdup("passages", "in", "-o", "page.html", "-q")
    one = json.loads(simdup("passages", "in", "-f", "jsonl", "-q").lines[0])
    a, b = (f"{int(one[share] * 1e4 + 1e-6) // 10 / 10:.1f}%" for share in ("share_a", "share_b"))
    with opened(browser, tmp_path / "page.html") as page:
        go(page, "#/clusters")
        until(page, "!!document.querySelector('.rd-fact')")
        assert page.locator(".rd-fact").all_inner_texts()[1:] == [f"{a} of A", f"{b} of B"]
        assert a in page.locator(".row").first.inner_text()


def test_long_names_of_a_pair_are_told_apart(simdup, browser, tmp_path):
    names = [f"{'高等数学课程作业' * 4}_{who}_{'期末' * 8}.txt" for who in ("李雷", "韩梅梅")]
    write(tmp_path / "in", {name: prose(1) + prose(2 + i) for i, name in enumerate(names)})
    simdup("passages", "in", "-o", "page.html", "-q")
    # What of each name is on the screen before the room of its row ends.
    seen = """[...document.querySelectorAll('.row .file bdi, .row bdi.file')].map((file) => {
      const [text, range] = [file.firstChild, new Range()];
      const { right } = file.closest('.file').getBoundingClientRect();
      const fits = (end) => (range.setEnd(text, end), range.getBoundingClientRect().right <= right);
      range.setStart(text, 0);
      return [...text.data].filter((_, i) => fits(i + 1)).join('');
    })"""
    with opened(browser, tmp_path / "page.html") as page:
        go(page, "#/clusters")
        until(page, "!!document.querySelector('.row')")
        a, b = page.evaluate(seen)
        assert ("李雷" in a, "韩梅梅" in b) == (True, True)


def test_text_that_starts_no_passage_is_told(simdup, browser, tmp_path):
    statement = "".join(chr(0x5000 + i) for i in range(60))
    write(tmp_path / "in", {f"{i:02}.txt": f"{prose(i, 40)}{statement}{i}" for i in range(12)})
    simdup("passages", "in", "-o", "page.html", "-q")
    with opened(browser, tmp_path / "page.html") as page:
        words = "720 units in 12 documents are text that more than 5 share: it starts no passage"
        assert page.inner_text(".overview > .note") == f"{words} (--template, --common)."


def rated(simdup, tmp_path, *options):
    """Find passages in two documents with one list of references, of which one is copied too."""
    listed = (
        "\n参考文献\n[1] 张三. 文本复用与检测方法的研究综述及展望[J]. 情报学报, 2019, 38(2): 1-9.\n"
        * 2
    )
    texts = {"a.txt": prose(1) + listed, "b.txt": prose(2) + prose(1)[:150] + listed}
    write(tmp_path / "in", texts | {"<b>.txt": prose(3)})
    done = simdup("passages", "in", "-o", "page.html", "-q", "--leave-out", "references", *options)
    assert done.status == 0
    return tmp_path / "page.html"


def test_what_does_not_count_is_shaded(simdup, browser, tmp_path):
    path = rated(simdup, tmp_path)
    assert head(path)["rates"] == []
    with opened(browser, path) as page:
        assert not page.locator(".rates").count()
        page.evaluate("location.hash = '#/c/1'")
        for words in ("references", "参考文献"):
            until(page, "!!document.querySelector('.rd-note .rd-left')")
            assert page.inner_text(".rd-note .rd-kind") == words
            shaded = page.locator(".rd-passage .rd-left").all_inner_texts()
            assert len(shaded) >= 2
            assert all(words in one for one in shaded[:2])
            assert "张三" in "".join(shaded)
            if words == "references":
                page.click("text=中文")
                until(page, "document.documentElement.lang === 'zh-Hans'")


def test_rates_are_a_table(simdup, browser, tmp_path):
    path = rated(simdup, tmp_path, "--rates")
    with opened(browser, path) as page:
        rows = page.locator(".rates tbody tr").all_inner_texts()
        assert [row.split()[0] for row in rows] == ["in/a.txt", "in/b.txt", "in/<b>.txt"]
        assert rows[2].split()[1:] == ["0.0%", "0.0%", "0", "0.0%", "–"]
        share, counted = rows[0].split()[1:3]
        assert float(counted.rstrip("%")) < float(share.rstrip("%"))
        assert [page.evaluate(f"State.percent({share})") for share in (0.8478, 0.29, 0.99999)] == [
            "84.7%", "29.0%", "99.9%",
        ]  # fmt: skip
        assert not page.evaluate(NAMELESS)
        assert not page.evaluate(CONTRAST)


def test_pairs_that_share_only_what_is_left_out_are_behind_the_others(simdup, browser, tmp_path):
    path = rated(simdup, tmp_path)
    # Three documents more have the same list of references, and nothing else.
    listed = (tmp_path / "in" / "a.txt").read_text("utf-8").partition("参考文献")[2]
    write(tmp_path / "in", {f"{i}.txt": f"{prose(i)}\n参考文献{listed}" for i in (5, 6, 7)})
    simdup("passages", "in", "-o", "page.html", "-q", "--rates", "--leave-out", "references")
    known = {"pairs": 1, "passages": 2, "matched": 2, "listed": 1, "left": 9}
    assert known.items() <= head(path)["figures"].items()
    assert head(path)["folders"] == [["in", 6, 2]]
    assert sum(head(path)["histogram"]) == 1
    rates = {one[0]: one[1:3] for one in head(path)["rates"]}
    with opened(browser, path) as page:
        assert page.inner_text(".sentence") == "2 of 6 documents share a passage with another."
        assert page.evaluate("Data.names.slice(0, 2).sort()") == ["in/a.txt", "in/b.txt"]
        counted = max(rates["in/a.txt"][1], rates["in/b.txt"][1])
        assert page.evaluate("Data.table.weakest[0]") == counted
        wide = page.evaluate("document.querySelector('.rates .fill').style.width")
        assert float(wide.rstrip("%")) == pytest.approx(counted / 100)
        page.click("text=9 pairs share only what is left out")
        until(page, "document.querySelectorAll('.rows .row').length === 9")
        page.click(".found .chip")
        until(page, "document.querySelectorAll('.rows .row').length === 1")
        assert page.inner_text(".found") == "1 pair 9 pairs share only what is left out"
        page.evaluate("location.hash = '#/c/2'")
        until(page, "document.querySelector('.over')?.textContent === 'Pair 2'")
        until(page, "!!document.querySelector('.rd-facts')")
        assert "0.0% counted" in page.inner_text(".texts")
        assert not page.evaluate(NAMELESS)
        assert not page.evaluate(CONTRAST)


def test_reasons_and_criteria_are_in_the_language_of_the_page(simdup, browser, tmp_path):
    write(tmp_path / "in", {"a.txt": prose(1), "b.txt": prose(1), "c.txt": ""})
    simdup("passages", "in", "-o", "page.html", "-q")
    with opened(browser, tmp_path / "page.html") as page:
        page.click("text=中文")
        page.click(".how summary")
        words = page.inner_text(".how")
        assert "in/c.txt: 为空" in words
        assert "连续相同至少（--min-run）" in words
        assert "min_length" not in words


def test_text_of_a_template_is_shaded(simdup, browser, tmp_path):
    write(tmp_path / "in", {"a.txt": prose(7) + prose(1), "b.txt": prose(7) + prose(1)[:300]})
    (tmp_path / "task.txt").write_text(prose(7))
    simdup("passages", "in", "--template", "task.txt", "-o", "page.html", "-q")
    with opened(browser, tmp_path / "page.html") as page:
        assert page.evaluate("Data.table.weakest[0]") == 10000
        page.evaluate("location.hash = '#/c/1'")
        until(page, "!!document.querySelector('.rd-note .rd-left')")
        assert page.inner_text(".rd-note .rd-kind") == "template"
        assert page.locator(".rd-context .rd-left").count() == 2


def test_pairs_beyond_the_limit_are_told(passages, browser, monkeypatch):
    monkeypatch.setattr("simdup.show.report.places_page.PAIRS", 2)
    path = passages()
    assert head(path)["figures"]["pairs"] == 3
    with opened(browser, path) as page:
        assert page.evaluate("Data.table.count") == 2
        words = "1 more pair has less in common and is not listed: this page lists the first 2."
        assert page.inner_text(".notice") == words
        assert page.inner_text(".figures dd") == "3"
        page.evaluate("location.hash = '#/clusters'")
        until(page, "document.querySelectorAll('.found').length === 2")
        assert page.locator(".found").all_inner_texts() == ["2 pairs", words]


def test_documents_without_passages_have_an_overview(simdup, browser, tmp_path):
    write(tmp_path / "in", {"a": prose(1), "b": prose(2)})
    simdup("passages", "in", "-o", "page.html", "-q")
    with opened(browser, tmp_path / "page.html") as page:
        assert page.inner_text(".sentence") == "None of 2 documents shares a passage with another."


def test_passages_are_readable_on_a_phone(passages, browser):
    with opened(browser, passages(), viewport={"width": 400, "height": 800}) as page:
        for route in ("#/", "#/clusters", "#/c/1"):
            page.evaluate(f"location.hash = '{route}'")
            page.wait_for_timeout(300)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            assert low_contrast(page) == []
            assert page.evaluate(NAMELESS) == []


def test_names_tell_folders_and_files_of_records():
    assert folder_of("news/a.txt") == "news"
    assert folder_of("news/a.jsonl#15") == "news/a.jsonl"
    assert folder_of("c#/notes#x.txt") == "c#"
    assert folder_of("a") == ""


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
    assert "<script" not in shown


def test_given_texts_are_shown(tmp_path):
    texts = [("empty", ""), ("a", prose(1)), ("b", edited(prose(1), 1)), ("<b>", prose(1))]
    result = library.scan(texts)
    result.to_html(str(tmp_path / "page.html"))
    assert json.loads(inflate(tmp_path / "page.html", "c0"))[0]["texts"][0] == prose(1)
    assert "&lt;b&gt;" in result._repr_html_()
    library.scan(iter(texts)).to_html(str(tmp_path / "once.html"))
    assert json.loads(inflate(tmp_path / "once.html", "c0"))[0]["texts"][0] == prose(1)
    moved = pickle.loads(pickle.dumps(result))
    del result
    gc.collect()
    moved.to_html(str(tmp_path / "gone.html"))
    assert set(columns(tmp_path / "gone.html")["chunk"].tolist()) == {-1}


def test_a_result_without_documents_has_no_page(tmp_path):
    from dataclasses import replace

    result = replace(library.scan([("a", "some text")]), sources=None)
    with pytest.raises(SimdupError, match="no documents to read again"):
        result.to_html(str(tmp_path / "page.html"))
