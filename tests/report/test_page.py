"""The report page in a real browser, and its data in Python."""

import hashlib
import json
import re
from base64 import b64decode

from pages import OWN, columns, corpus, elements, go, head, hostile, inflate, opened, until

from lab.corpora.made import edited, prose, write


def test_the_policy_allows_exactly_the_script_and_the_style(report):
    content = report.read_text()
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
    roles = ["kept", "redundant"]
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


def test_texts_are_the_originals_but_for_line_ends(page_of, tmp_path):
    for path in (corpus(tmp_path / "texts") / "archive").iterdir():
        path.write_bytes("\r\n".join(path.read_text().split()).encode())
    page = page_of(tmp_path / "texts")
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


def test_texts_are_those_that_were_scanned(tmp_path):
    from simdup import scan
    from simdup.model.formats import PageOptions
    from simdup.show.report.pairs_page import scan_page

    folder = corpus(tmp_path / "texts")
    result = scan(str(folder), similarity=0.5)
    changed = folder / "news" / "pair-0-a.txt"
    text = changed.read_text("utf-8")
    changed.write_text("quite another text")
    page = tmp_path / "page.html"
    page.write_bytes(b"".join(scan_page(result, PageOptions())))
    texts = [one for cluster in json.loads(inflate(page, "c0")) for one in cluster["texts"]]
    assert text in texts
    assert "quite another text" not in texts


def test_standard_input_has_texts(simdup, tmp_path):
    lines = hostile(tmp_path / "in").read_bytes()
    simdup("scan", "-", "--input-format", "jsonl", "-o", "report.html", "-q", stdin=lines)
    assert json.loads(inflate(tmp_path / "report.html", "c0"))[0]["texts"][0]


def test_a_walk_leaves_reports_out(simdup, tmp_path):
    folder = corpus(tmp_path / "texts")
    simdup("scan", "texts", "-o", "texts/old.html", "-q")
    assert b"old.html" not in simdup("scan", "texts", "-f", "csv", "-o", "x.csv", "-q").out
    assert "left out" in simdup("scan", "texts").err
    assert (folder / "old.html").exists()


def test_hostile_texts_and_names_stay_texts(page_of, browser, tmp_path):
    path = page_of(hostile(tmp_path / "in"), "--id-field", "id")
    with opened(browser, path) as page:
        count = page.evaluate("Data.table.count")
        assert count >= 13
        for route in ["#/", "#/review", *(f"#/c/{i + 1}" for i in range(count))]:
            go(page, route)
            found = page.evaluate("[...document.querySelectorAll('*')].map((e) => e.localName)")
            assert set(found) <= OWN
        assert page.evaluate("document.querySelectorAll('main [style*=url], [onload]').length") == 0


def test_hidden_characters_of_names_are_boxes(page_of, browser, tmp_path):
    path = page_of(hostile(tmp_path / "in"), "--id-field", "id")
    with opened(browser, path) as page:
        shown = page.evaluate("Dom.shown('a\\u202eb\\udc80').map((p) => p.textContent || p)")
        assert shown == ["a", "U+202E", "b", "\\x80"]


def test_overview_list_and_reader(report, browser):
    with opened(browser, report) as page:
        figures = head(report)["figures"]
        assert str(figures["redundant"]) in page.inner_text(".sentence")
        go(page, "#/c/1")
        assert page.locator(".row").count() == figures["clusters"]
        assert page.locator(".row[aria-selected=true]").count() == 1
        assert page.locator(".texts .reader").inner_text().strip()
        assert page.locator(".term").count() > 5
        assert page.locator(".band").count() == 4


def test_search_and_filters_choose_clusters(report, browser):
    with opened(browser, report) as page:
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
    path = page_of(corpus(tmp_path / "texts"), "--all-pairs")
    out = simdup("scan", "texts", "-s", "0.5", "-f", "jsonl", "-q").lines
    clusters = [one for one in map(json.loads, out) if one["type"] == "cluster"]
    script = """(t) => { const { table, names } = Data; const found = [];
        for (let i = 0; i < table.count; i += 1) for (const g of Groups.lead(i, t).groups)
            found.push(g.map((j) => names[table.first[i] + j]).sort());
        return found; }"""
    with opened(browser, path) as page:
        for least in (5500, 7000, 9000, 10000):
            assert sorted(page.evaluate(script, least)) == _regrouped(clusters, least / 1e4)
            figures = page.evaluate("(t) => Groups.figures(t)", least)
            assert figures["clusters"] == len(_regrouped(clusters, least / 1e4))
            again = simdup("scan", "texts", "-s", str(least / 1e4), "-f", "jsonl", "-q").lines
            assert figures["redundant"] == json.loads(again[-1])["redundant"]


def test_clusters_follow_the_threshold_only_with_all_pairs(simdup, browser, tmp_path):
    text = prose(1, 200)
    write(tmp_path / "texts", {f"{i:02}.txt": edited(text, 1, 4 * i) for i in range(14)})
    write(tmp_path / "texts", {"far-1.txt": prose(9), "far-2.txt": edited(prose(9), 1, 30)})
    for option in ((), ("--all-pairs",)):
        simdup("scan", "texts", "-s", "0.5", "-o", "report.html", "-q", *option)
        with opened(browser, tmp_path / "report.html") as page:
            before = page.inner_text(".figures")
            page.evaluate("State.set({ threshold: 9000 })")
            # Without all pairs the handle only chooses what is listed.
            assert ("Show 1 of 2 with such a pair" in page.inner_text(".setting")) == (not option)
            assert (page.inner_text(".figures") == before) == (not option)
            large = page.evaluate("[...Data.table.size].indexOf(14)") + 1
            go(page, f"#/c/{large}")
            assert page.evaluate("[...List.all()]") == [large - 1]
            notices = page.locator(".notice").all_inner_texts()
            assert [one[:20] for one in notices] == ["At 0.90 this is left"] * bool(option)
            cell = page.locator(".cell.none").first
            assert cell.get_attribute("title").endswith("no pair" if option else "not listed")
            assert cell.inner_text() == ("" if option else "?")
            assert page.locator(".pairs .note .unknown").count() == (not option)


def test_keys_move_through_the_list(report, browser):
    with opened(browser, report) as page:
        go(page, "#/clusters")
        page.wait_for_selector(".why .prints")
        order = page.evaluate("[...List.all()]")
        for key, at in (("j", 1), ("j", 2), ("k", 1)):
            page.keyboard.press(key)
            until(page, f"location.hash === '#/c/{order[at] + 1}'")
        page.keyboard.press("?")
        assert page.locator("dialog kbd").count() >= 11
        page.keyboard.press("Escape")
        until(page, "!document.querySelector('dialog')")


def test_another_pair_keeps_the_place_and_the_focus(report, browser):
    most = columns(report)["size"].tolist().index(3) + 1
    with opened(browser, report, viewport={"width": 1400, "height": 500}) as page:
        go(page, f"#/c/{most}/0-2")
        page.evaluate("detail.scrollTop = 200; document.querySelector('.b .pick').focus()")
        page.select_option(".b .pick", "1")
        until(page, "location.hash.endsWith('/0-1') && document.querySelector('.rd-panel')")
        until(page, "document.activeElement.matches('.b .pick')")
        assert page.evaluate("detail.scrollTop") == 200


def test_keys_work_in_every_view(report, browser):
    with opened(browser, report) as page:
        for route in ("#/", "#/review", "#/clusters", "#/c/1"):
            for key in ("o", "n", "p", "s", "1", "2", "3", "u", "?", "Escape", "j", "k"):
                go(page, route)
                page.keyboard.press(key)
        # From a cluster to the list, and from there to the overview.
        go(page, "#/c/1")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("u")
        assert page.evaluate("document.activeElement.matches('.rows')")
        page.keyboard.press("u")
        until(page, "location.hash === '#/'")
        for width in (1400, 400):
            page.set_viewport_size({"width": width, "height": 800})
            for route in ("#/", "#/c/1"):
                go(page, route)
                page.keyboard.press("/")
                until(page, "document.activeElement.id === 'search'")
                page.evaluate("document.activeElement.blur()")
        go(page, "#/c/1")
        page.keyboard.press("u")
        until(page, "location.hash === '#/clusters'")


def test_modules_are_no_properties_of_window(report, browser, tmp_path):
    names = "Object.getOwnPropertyNames(window)"
    empty = browser.new_page()
    (tmp_path / "empty.html").write_text("<p>")
    empty.goto((tmp_path / "empty.html").as_uri())
    with opened(browser, report) as page:
        assert page.evaluate("typeof Cluster.draw") == "function"
        assert set(page.evaluate(names)) <= set(empty.evaluate(names))
    empty.close()


def test_the_page_changes_its_language(report, browser):
    with opened(browser, report, locale="zh-CN") as page:
        assert "重复" in page.inner_text(".sentence")
        page.click("text=English")
        assert "near-duplicates" in page.inner_text(".sentence")
        assert page.evaluate("document.documentElement.lang") == "en"


def test_damaged_data_is_one_line(report, browser, tmp_path):
    path = tmp_path / "damaged.html"
    path.write_text(report.read_text().replace('id="table">', 'id="table">!!!!'))
    with opened(browser, path) as page:
        assert "damaged" in page.inner_text("main")
