"""The report page in a real browser, and its data in Python."""

import hashlib
import json
import re
from base64 import b64decode
from pathlib import Path

import pytest
from pages import columns, corpus, elements, go, head, hostile, inflate, opened, until

OWN = {
    "html", "head", "meta", "title", "style", "script", "body", "noscript", "header", "nav", "main",
    "div", "a", "span", "svg", "rect", "bdi", "button", "article", "section", "aside", "h1", "h2",
    "h3", "p", "ul", "li", "label", "input", "select", "option", "output", "line", "circle", "text",
    "g", "path", "pre", "br", "kbd", "b", "strong", "dl", "dt", "dd", "table", "thead", "tbody",
    "tr", "th", "td", "details", "summary", "dialog", "ins", "del", "code", "wbr",
}  # fmt: skip


@pytest.fixture
def page_of(simdup, tmp_path):
    """Scan sources and return where the page is."""

    def make(*arguments):
        given = [one.relative_to(tmp_path) if isinstance(one, Path) else one for one in arguments]
        done = simdup("scan", *given, "-s", "0.5", "-o", "report.html", "-q")
        assert done.err == ""
        return tmp_path / "report.html"

    return make


def test_the_policy_allows_exactly_the_script_and_the_style(page_of, tmp_path):
    content = page_of(corpus(tmp_path / "texts")).read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', content)[1]
    for element, allowed in (("script", r"script-src"), ("style", "style-src")):
        (own,) = re.findall(rf"<{element}>(.*?)</{element}>", content, re.S)
        (digest,) = re.findall(rf"{allowed} 'sha256-([^']+)'", policy)
        assert b64decode(digest) == hashlib.sha256(own.encode()).digest()
    assert "default-src 'none'" in policy


def test_columns_say_what_the_json_lines_say(page_of, simdup, tmp_path):
    page = page_of(corpus(tmp_path / "texts"))
    out = simdup("scan", "texts", "-s", "0.5", "-f", "jsonl", "-q").lines
    clusters = [one for one in map(json.loads, out) if one["type"] == "cluster"]
    table = columns(page)
    names = json.loads(inflate(page, "names"))["names"]
    documents = [one for cluster in clusters for one in cluster["documents"]]
    pairs = [one for cluster in clusters for one in cluster["pairs"]]
    assert names == [one["document"] for one in documents]
    assert table["size"].tolist() == [cluster["size"] for cluster in clusters]
    assert table["pairs"].tolist() == [len(cluster["pairs"]) for cluster in clusters]
    roles = ["kept", "redundant", "linked"]
    assert [roles[i] for i in table["role"].tolist()] == [one["role"] for one in documents]
    assert table["distance"].tolist() == [one.get("distance", -1) for one in documents]
    similarities = [round(one.get("similarity", -1e-4) * 1e4) for one in documents]
    assert table["similarity"].tolist() == similarities
    assert table["fingerprint"].tobytes().hex() == "".join(one["fingerprint"] for one in documents)
    assert table["pairDistance"].tolist() == [one["distance"] for one in pairs]
    assert table["pairSimilarity"].tolist() == [round(one["similarity"] * 1e4) for one in pairs]
    starts = table["size"].cumsum() - table["size"]
    first = [start for start, n in zip(starts, table["pairs"], strict=True) for _ in range(n)]
    for column, key in (("pairA", "a"), ("pairB", "b")):
        places = zip(first, table[column].tolist(), strict=True)
        assert [names[start + i] for start, i in places] == [one[key] for one in pairs]


def test_texts_are_the_originals(page_of, tmp_path):
    page = page_of(corpus(tmp_path / "texts"))
    table = columns(page)
    names = json.loads(inflate(page, "names"))["names"]
    chunk = json.loads(inflate(page, "c0"))
    at = 0
    for size, slot in zip(table["size"].tolist(), table["slot"].tolist(), strict=True):
        for i in range(size):
            assert chunk[slot]["texts"][i] == (tmp_path / names[at + i]).read_text()
        at += size


def test_without_texts_the_page_has_none(page_of, tmp_path):
    page = page_of(corpus(tmp_path / "texts"), "--report-texts", "none")
    assert "c0" not in elements(page)
    assert set(columns(page)["chunk"].tolist()) == {-1}


def test_the_budget_bounds_the_texts(page_of, tmp_path):
    page = page_of(corpus(tmp_path / "texts"), "--report-texts", "3000")
    blocks = [one for name, one in elements(page).items() if name.startswith("c")]
    assert 0 < sum(map(len, blocks)) <= 3000
    assert -1 in columns(page)["chunk"].tolist()


def test_beyond_the_budget_there_are_pieces(page_of, browser, tmp_path):
    path = page_of(corpus(tmp_path / "texts"), "--report-texts", "4500")
    contents = [one for i in range(9) for one in _chunk(path, i)]
    assert any("pieces" in one for one in contents)
    with opened(browser, path) as page:
        chunks = columns(path)["chunk"].tolist()
        slots = columns(path)["slot"].tolist()
        some = [i for i, at in enumerate(chunks) if at >= 0]
        cut = next(i for i in some if "pieces" in _chunk(path, chunks[i])[slots[i]])
        go(page, f"#/c/{cut + 1}/0-1")
        assert "simdup compare" in page.inner_text(".missing")


def _chunk(page, number):
    name = f"c{number}"
    return json.loads(inflate(page, name)) if name in elements(page) else []


def test_a_text_that_changed_since_is_left_out(tmp_path):
    from simdup import scan
    from simdup.model.page import PageOptions
    from simdup.report.scan import scan_page

    folder = corpus(tmp_path / "texts")
    result = scan(str(folder), similarity=0.5)
    changed = folder / "news" / "pair-0-a.txt"
    changed.write_text("quite another text")
    page = tmp_path / "page.html"
    page.write_bytes(b"".join(scan_page(result, PageOptions())))
    texts = [one for cluster in json.loads(inflate(page, "c0")) for one in cluster["texts"]]
    assert None in texts
    assert "quite another text" not in texts


def test_standard_input_is_read_again(simdup, tmp_path):
    lines = hostile(tmp_path / "in").read_bytes()
    simdup("scan", "-", "--input-format", "jsonl", "-o", "report.html", "-q", stdin=lines)
    assert json.loads(inflate(tmp_path / "report.html", "c0"))[0]["texts"][0]


def test_the_page_does_not_depend_on_processes(simdup, tmp_path):
    corpus(tmp_path / "texts")
    made = []
    for jobs in (1, 3):
        simdup("scan", "texts", "-j", jobs, "-o", "report.html", "-q")
        blocks = elements(tmp_path / "report.html")
        del blocks["head"]  # it says how long the run took
        made.append(blocks)
    assert made[0] == made[1]


def test_a_walk_leaves_reports_out(simdup, tmp_path):
    folder = corpus(tmp_path / "texts")
    simdup("scan", "texts", "-o", "texts/old.html", "-q")
    assert b"old.html" not in simdup("scan", "texts", "-f", "csv", "-o", "x.csv", "-q").out
    assert "left out" in simdup("scan", "texts").err
    assert (folder / "old.html").exists()


def test_hostile_texts_and_names_stay_texts(page_of, browser, tmp_path):
    path = page_of(hostile(tmp_path / "in"), "--id-field", "id")
    with opened(browser, path) as page:
        count = page.evaluate("simdupData.table.count")
        assert count >= 13
        for route in ["#/", "#/review", *(f"#/c/{i + 1}" for i in range(count))]:
            go(page, route)
            found = page.evaluate("[...document.querySelectorAll('*')].map((e) => e.localName)")
            assert set(found) <= OWN
        assert page.evaluate("document.querySelectorAll('main [style*=url], [onload]').length") == 0


def test_hidden_characters_of_names_are_boxes(page_of, browser, tmp_path):
    path = page_of(hostile(tmp_path / "in"), "--id-field", "id")
    with opened(browser, path) as page:
        shown = page.evaluate("simdupDom.shown('a\\u202eb\\udc80').map((p) => p.textContent || p)")
        assert shown == ["a", "U+202E", "b", "\\x80"]


def test_overview_list_and_reader(page_of, browser, tmp_path):
    path = page_of(corpus(tmp_path / "texts"))
    with opened(browser, path) as page:
        figures = head(path)["figures"]
        assert str(figures["redundant"]) in page.inner_text(".sentence")
        go(page, "#/c/1")
        assert page.locator(".row").count() == figures["clusters"]
        assert page.locator(".row[aria-selected=true]").count() == 1
        assert page.locator(".texts .reader").inner_text().strip()
        assert page.locator(".term").count() > 5
        assert page.locator(".band").count() == 4


def test_search_and_filters_choose_clusters(page_of, browser, tmp_path):
    path = page_of(corpus(tmp_path / "texts"))
    with opened(browser, path) as page:
        go(page, "#/c/1")
        page.fill("#search", "PAIR-1")
        until(page, "document.querySelectorAll('.row').length === 1")
        assert "pair-1" in page.inner_text(".row")
        page.fill("#search", "")
        until(page, "document.querySelectorAll('.row').length > 1")
        page.select_option("select[aria-label=Show]", "exact")
        until(page, "document.querySelectorAll('.row').length === 1")
        assert "copies" in page.inner_text(".row")


def _regrouped(clusters, least):
    """The groups that pairs of at least a similarity join: the definition, slowly."""
    found = []
    for cluster in clusters:
        groups = [{one["document"]} for one in cluster["documents"]]
        for pair in cluster["pairs"]:
            if pair["similarity"] >= least:
                a, b = (next(g for g in groups if pair[key] in g) for key in ("a", "b"))
                if a is not b:
                    groups.remove(b)
                    a |= b
        found += [sorted(group) for group in groups if len(group) > 1]
    return sorted(found)


def test_the_threshold_regroups_the_pairs(page_of, simdup, browser, tmp_path):
    path = page_of(corpus(tmp_path / "texts"))
    out = simdup("scan", "texts", "-s", "0.5", "-f", "jsonl", "-q").lines
    clusters = [one for one in map(json.loads, out) if one["type"] == "cluster"]
    script = """(t) => { const { table, names } = simdupData; const found = [];
        for (let i = 0; i < table.count; i += 1) for (const g of simdupGroups.groups(i, t))
            if (g.length > 1) found.push(g.map((j) => names[table.first[i] + j]).sort());
        return found; }"""
    with opened(browser, path) as page:
        for least in (5500, 6000, 7000, 8000, 9000, 10000):
            assert sorted(page.evaluate(script, least)) == _regrouped(clusters, least / 1e4)
            figures = page.evaluate("(t) => simdupGroups.figures(t)", least)
            assert figures["clusters"] == len(_regrouped(clusters, least / 1e4))
            again = simdup("scan", "texts", "-s", str(least / 1e4), "-f", "jsonl", "-q").lines
            assert figures["redundant"] == json.loads(again[-1])["redundant"]


def test_a_star_says_that_it_is_not_recomputed(simdup, browser, tmp_path):
    corpus(tmp_path / "texts")
    simdup("scan", "texts", "-s", "0.5", "--linkage", "star", "-o", "report.html", "-q")
    with opened(browser, tmp_path / "report.html") as page:
        page.evaluate("simdupState.set({ threshold: 9000 })")
        assert "not recomputed" in page.inner_text(".setting")
        go(page, "#/c/1")
        assert "not recomputed" in page.inner_text(".notice.cool")


def test_keys_move_through_the_list(page_of, browser, tmp_path):
    with opened(browser, page_of(corpus(tmp_path / "texts"))) as page:
        go(page, "#/clusters")
        page.wait_for_selector(".why .prints")
        order = page.evaluate("[...simdupList.all()]")
        for key, at in (("j", 1), ("j", 2), ("k", 1)):
            page.keyboard.press(key)
            until(page, f"location.hash === '#/c/{order[at] + 1}'")
        page.keyboard.press("?")
        assert page.locator("dialog kbd").count() >= 11
        page.keyboard.press("Escape")
        until(page, "!document.querySelector('dialog')")


def test_both_languages_have_the_same_words(page_of, browser, tmp_path):
    with opened(browser, page_of(corpus(tmp_path / "texts")), locale="zh-CN") as page:
        assert "重复" in page.inner_text(".sentence")
        tables = page.evaluate("simdupStrings.tables")
        assert list(tables["en"]) == list(tables["zh"])
        for key, words in tables["en"].items():
            arguments = set(re.findall(r"\{\d\}", words))
            assert arguments == set(re.findall(r"\{\d\}", tables["zh"][key])), key
        page.click("text=English")
        assert "near-duplicates" in page.inner_text(".sentence")
        assert page.evaluate("document.documentElement.lang") == "en"


def test_nothing_overflows_on_a_phone(page_of, browser, tmp_path):
    path = page_of(hostile(tmp_path / "in"), corpus(tmp_path / "texts"), "--id-field", "id")
    with opened(browser, path, viewport={"width": 400, "height": 800}) as page:
        for route in ("#/", "#/clusters", "#/c/1", "#/c/4", "#/review"):
            go(page, route)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            assert page.evaluate("document.getElementById('detail')?.scrollWidth || 0") <= 400


def test_paper_has_the_view_and_no_controls(page_of, browser, tmp_path):
    with opened(browser, page_of(corpus(tmp_path / "texts"))) as page:
        for route, most in (("#/", 2), ("#/c/1", 3), ("#/review", 1)):
            go(page, route)
            pdf = page.pdf(format="A4")
            assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= most, route
        page.evaluate("simdupReview.duplicates(0)")
        page.emulate_media(media="print")
        # Names, figures, and what stands for equal text are words on paper, too.
        buttons = "button:not(.link, .cell, .more, .rd-hidden, .rd-more, .bars button)"
        for route in ("#/", "#/c/1", "#/review"):
            go(page, route)
            found = page.locator(f"{buttons}, input, select, .list, .tabs, .tools, .controls").all()
            assert [one.inner_html() for one in found if one.is_visible()] == []


@pytest.mark.parametrize(("layout", "columns"), [("side", 2), ("inline", 1)])
def test_paper_has_the_layout_of_the_screen(page_of, browser, tmp_path, layout, columns):
    across = "(e) => getComputedStyle(e).gridTemplateColumns.split(' ').length"
    paper = {"width": 680, "height": 1000}  # what a sheet of A4 leaves
    with opened(browser, page_of(corpus(tmp_path / "texts"))) as page:
        go(page, "#/c/2")
        page.evaluate("(layout) => simdupCluster.reader().setLayout(layout)", layout)
        page.set_viewport_size(paper)
        page.emulate_media(media="print")
        for part in (".rd-head", ".rd-row"):
            assert page.eval_on_selector(part, across) == columns
        breaks = "(row) => getComputedStyle(row).breakInside"
        rows = page.evaluate(f"[...document.querySelectorAll('.rd-row')].map({breaks})")
        assert set(rows) == {"avoid"}
        assert "show" not in page.inner_text(".texts")


CONTRAST = """() => {
  const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number)
    .map((v, i) => (c.startsWith('color(') && i < 3 ? 255 * v : v));
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const c = parse(getComputedStyle(at).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest('svg')) continue;
    const [x, y] = [light(parse(getComputedStyle(e).color)), light(paper(e))].sort((p, q) => q - p);
    if ((x + 0.05) / (y + 0.05) < 4.5) bad.push([e.className, e.textContent.slice(0, 20)]);
  }
  return bad;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_enough_contrast(page_of, browser, tmp_path, scheme):
    path = page_of(corpus(tmp_path / "texts"))
    with opened(browser, path, color_scheme=scheme) as page:
        for route in ("#/", "#/c/1", "#/c/2", "#/c/3", "#/review"):
            go(page, route)
            assert page.evaluate(CONTRAST) == []


def test_every_control_has_a_name(page_of, browser, tmp_path):
    script = """() => [...document.querySelectorAll('button, input, select, a')]
        .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label')
            || e.labels?.length || e.closest('label')) && e.checkVisibility())
        .map((e) => e.outerHTML)"""
    with opened(browser, page_of(corpus(tmp_path / "texts"))) as page:
        for route in ("#/", "#/c/1", "#/review"):
            go(page, route)
            assert page.evaluate(script) == []


def test_damaged_data_is_one_line(page_of, browser, tmp_path):
    path = page_of(corpus(tmp_path / "texts"))
    content = path.read_text()
    path.write_text(content.replace('id="table">', 'id="table">!!!!'))
    with opened(browser, path) as page:
        assert "damaged" in page.inner_text("main")
