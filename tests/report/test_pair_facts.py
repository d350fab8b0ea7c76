"""The facts in which documents differ: in the reader, in the list, in the overview."""

import json

import pytest
from pages import (
    NAMELESS,
    OWN,
    columns,
    elements,
    go,
    head,
    inflate,
    low_contrast,
    opened,
    until,
)

from lab.corpora.made import prose, write
from simdup.model.readings import FactDifference
from simdup.near import fact_differences
from simdup.near.fact_differences import aligned
from simdup.show.report import pair_facts
from simdup.show.report.chunks import CLIP

DOSE = (
    "Take 10 mg of the tablet twice a day with water. Store it below 25 degrees in a dry place. "
    "Patients may drive after the first dose. The leaflet was revised on 3 May 2024 for lot AB-12. "
    "Ask for help if the rash does not go away within 5 days. Of all patients 12% have a headache. "
)
OTHER = DOSE.replace("10 mg", "20 mg").replace("may drive", "must not drive")
MANY = OTHER.replace("3 May", "4 May").replace("5 days", "7 days").replace("12%", "21%")
MANY = MANY.replace("below 25", "below 35")
ZH = (
    "本品每日两次，每次服用10毫克，饭后用温水送服。请置于25摄氏度以下干燥处保存。"
    "说明书修订于2024年5月3日。"
)
LINE = "document.querySelector('.rd-differ')"
MARKED = "[...document.querySelectorAll('.rd-current')].map((one) => one.textContent)"


def texts():
    """Return texts of which some pairs differ in a fact, some in words, and some not at all."""
    rest = prose(3, 40)
    return {
        "dose/a.txt": DOSE + rest,
        "dose/b.txt": MANY + rest,
        "smile/a.txt": f"😀😀 {ZH}{prose(4, 40)}",
        # Lines that end otherwise are no difference, and move what is behind them.
        "smile/b.txt": f"😀😀 {ZH.replace('10', '20')}{prose(4, 40)}".replace("\n", "\r\n"),
        "words/a.txt": prose(6, 60) + "quiet and narrow streets",
        "words/b.txt": prose(6, 60) + "quiet but narrow streets",
        "same/a.txt": DOSE + prose(7),
        "same/b.txt": DOSE + prose(7),
    }


@pytest.fixture
def path(page_of, tmp_path):
    """The page of these texts."""
    return page_of(write(tmp_path / "in", texts()))


def kept(page, block="c0"):
    """Return the facts that a page has, by the first name of their cluster."""
    table, names = columns(page), json.loads(inflate(page, "names"))["names"]
    contents = json.loads(inflate(page, block))
    firsts = table["size"].cumsum() - table["size"]
    return {
        names[first]: contents[slot].get("facts", [])
        for first, slot, chunk in zip(firsts, table["slot"], table["chunk"], strict=True)
        if chunk >= 0
    }


def cluster_of(page, name):
    """Return the number of the cluster that begins with a document."""
    firsts = page.evaluate("[...Data.table.first].slice(0, -1).map((i) => Data.names[i])")
    return firsts.index(name) + 1


def test_a_page_says_what_compare_says(simdup, path):
    table, names = columns(path), json.loads(inflate(path, "names"))["names"]
    facts, firsts = kept(path), table["size"].cumsum() - table["size"]
    found = {}
    for first, count in zip(firsts.tolist(), table["pairFacts"].tolist(), strict=True):
        a, b = names[first : first + 2]
        line = simdup("compare", a, b, "-f", "jsonl").out
        known = json.loads(line)["facts"]
        found[a] = len(known)
        assert count == len(known), a
        if not known:
            assert facts[a] == []
            continue
        ((one, other, count, named),) = facts[a]
        assert (one, other, count) == (0, 1, len(known))
        assert [tuple(each[:3]) for each in named] == [
            (fact["kind"], fact["a"], fact["b"]) for fact in known
        ]
    assert {name.partition("/")[2]: count for name, count in found.items()} == {
        "dose/a.txt": 6, "smile/a.txt": 1, "words/a.txt": 0, "same/a.txt": 0,
    }  # fmt: skip
    assert head(path)["figures"]["differing"] == 2
    assert head(path)["figures"]["compared"] == 4


def test_the_reader_names_the_facts(path, browser):
    with opened(browser, path) as page:
        go(page, f"#/c/{cluster_of(page, 'in/dose/a.txt')}")
        lines = page.inner_text(".rd-differ").split("\n")
        assert lines[0] == "6 facts differ:"
        assert {"10 mg / 20 mg", "3 May 2024 / 4 May 2024"} <= {*lines}
        assert (len(lines), lines[-1]) == (7, "and 1 more")
        assert page.locator(".rd-pair").first.get_attribute("title") == "amount"
        for name in ("words", "same"):
            go(page, f"#/c/{cluster_of(page, f'in/{name}/a.txt')}")
            assert page.locator(".rd-panel").count() == 1
            assert page.locator(".rd-differ").count() == 0
        page.evaluate("State.set({ lang: 'zh' })")
        go(page, f"#/c/{cluster_of(page, 'in/smile/a.txt')}")
        assert page.inner_text(".rd-differ").split("\n") == [
            "1 处关键信息不同：", "10毫克 / 20毫克",
        ]  # fmt: skip
        assert page.locator(".rd-pair").get_attribute("title") == "数量"


def test_a_fact_leads_to_its_place(path, browser):
    with opened(browser, path) as page:
        go(page, f"#/c/{cluster_of(page, 'in/dose/a.txt')}")
        for layout, unit in (("side", "characters"), ("inline", "words")):
            page.evaluate(f"Cluster.reader().setLayout('{layout}')")
            page.evaluate(f"Cluster.reader().setUnit('{unit}')")
            page.get_by_role("button", name="3 May 2024 / 4 May 2024").click()
            assert page.evaluate(MARKED) == ["3", "4"]
            page.get_by_role("button", name="10 mg / 20 mg").click()
            assert page.evaluate(MARKED) == ["10", "20"]
        # What follows characters of two UTF-16 units, too.
        go(page, f"#/c/{cluster_of(page, 'in/smile/a.txt')}")
        page.evaluate("Cluster.reader().setUnit('characters')")
        page.locator(".rd-pair").click()
        assert page.evaluate(MARKED) == ["10", "20"]
        assert page.inner_text(".rd-position") == "1 of 1"


def test_facts_are_marked_in_both_texts(path, browser):
    boxes = "[...document.querySelectorAll('.rd-cell{} .rd-box')].map((one) => one.textContent)"
    with opened(browser, path) as page:
        go(page, f"#/c/{cluster_of(page, 'in/dose/a.txt')}")
        for unit in ("characters", "words"):
            page.evaluate(f"Cluster.reader().setUnit('{unit}')")
            # Also the one that the line does not name.
            a, b = ("".join(page.evaluate(boxes.format(side))) for side in (".a", ".b"))
            assert a == "10 mg25 degreesmay3 May 20245 days12%"
            assert b == "20 mg35 degreesmust not4 May 20247 days21%"
        assert page.locator(".rd-box").first.get_attribute("title") == "amount"
        page.evaluate("Cluster.reader().setLayout('inline')")
        assert "".join(page.evaluate(boxes.format(""))).startswith("1020 mg")
        go(page, f"#/c/{cluster_of(page, 'in/words/a.txt')}")
        assert page.locator(".rd-panel").count() == 1
        assert page.locator(".rd-box").count() == 0


def test_what_clusters_differ_in_filters_the_list(path, browser):
    kinds = dict(head(path)["kinds"])
    assert (kinds["amount"], kinds["wording"], kinds["same"]) == (2, 1, 1)
    assert list(kinds)[-2:] == ["wording", "same"]
    with opened(browser, path) as page:
        for words, name in (("negation", "dose"), ("wording only", "words"), ("same text", "same")):
            go(page, "#/")
            page.locator(".kinds button", has_text=words).click()
            until(page, "document.querySelectorAll('.row').length === 1")
            assert page.inner_text(".row .folder") == f"in/{name}" or name in page.inner_text(
                ".row"
            )
        page.evaluate("State.set({ filter: 'amount' })")
        until(page, "document.querySelectorAll('.row').length === 2")


def test_the_list_has_those_that_differ_in_a_fact(path, browser):
    with opened(browser, path) as page:
        assert "differ in a fact\n2" in page.inner_text(".figures")
        page.locator(".figures .link").click()
        until(page, "document.querySelectorAll('.row').length === 2")
        assert page.locator("select option:checked").all_inner_texts()[1] == "differ in a fact"
        assert page.inner_text(".found") == "2 clusters"
        until(page, f"!!{LINE}")
        page.evaluate("State.set({ filter: 'all' })")
        until(page, "document.querySelectorAll('.row').length === 4")


def test_a_row_says_in_how_many_facts(path, browser):
    with opened(browser, path) as page:
        go(page, "#/clusters")
        until(page, "document.querySelectorAll('.row').length === 4")
        chips = "[...document.querySelectorAll('.row .chip')].map((one) => one.textContent)"
        assert sorted(page.evaluate(chips)) == ["1 fact differs", "6 facts differ"]
        page.evaluate("State.set({ lang: 'zh' })")
        assert sorted(page.evaluate(chips)) == ["1 处关键信息不同", "6 处关键信息不同"]


def test_what_a_scan_has_compared_is_compared_again_only_for_places(simdup, tmp_path, monkeypatch):
    compared = []

    def counted(pairs):
        pairs = list(pairs)
        compared.extend(pairs)
        return aligned(pairs)

    monkeypatch.setattr(pair_facts, "aligned", counted)
    write(tmp_path / "in", texts())
    simdup("scan", "in", "-s", "0.5", "-o", "page.html", "-q")
    assert [a[:4] for _, a, _ in compared] == ["Take", "😀😀 本"]
    assert head(tmp_path / "page.html")["figures"]["compared"] == 4


def test_the_pair_that_differs_is_read_first(page_of, browser, tmp_path):
    rest = prose(3, 160)
    write(tmp_path / "in", {"a.txt": DOSE + rest, "b.txt": OTHER + rest, "c.txt": rest})
    with opened(browser, page_of(tmp_path / "in")) as page:
        facts = page.evaluate("[...Data.table.pairFacts]")
        assert facts == [2, 0, 0]
        chosen = []
        for choice in ("all", "facts"):
            go(page, "#/")
            page.evaluate(f"State.set({{ filter: '{choice}' }})")
            go(page, "#/c/1")
            chosen.append(page.evaluate("Cluster.shown()[1]"))
        weak = page.evaluate("[...Data.table.pairSimilarity]")
        assert weak[0] > min(weak), "a pair without a fact is the weakest one"
        assert chosen[0] != chosen[1]
        assert page.locator(".rd-differ").count() == 1


def test_facts_are_hostile_text(simdup, browser, tmp_path, monkeypatch):
    bad = FactDifference("code", "<img src=x onerror=alert(1)>", "\u202e</script>", (0, 4), (-3, 0))
    none = FactDifference("number", "", "7" * 500, (10**6, 10**6), (10**6, 10**7))
    facts = "differing_facts"
    monkeypatch.setattr(fact_differences, facts, lambda pairs: [[bad, none] for _ in pairs])
    write(tmp_path / "in", {"a.txt": prose(1), "b.txt": prose(1) + "end"})
    simdup("scan", "in", "-s", "0.5", "-o", "page.html", "-q")
    assert "alert(1)" not in "".join(elements(tmp_path / "page.html").values())
    with opened(browser, tmp_path / "page.html") as page:
        go(page, "#/c/1")
        lines = page.inner_text(".rd-differ").split("\n")
        assert lines[1] == "<img src=x onerror=alert(1)> / U+202E</script>"
        assert lines[2] == f"(nothing) / {'7' * 59}…"
        tags = page.evaluate("[...document.querySelectorAll('*')].map((e) => e.localName)")
        assert set(tags) <= OWN
        for place in page.locator(".rd-pair").all():
            place.click()  # leads nowhere, and does no harm


def test_pieces_have_facts_without_a_place(simdup, browser, tmp_path):
    rest = "".join(prose(90 + i, 200) for i in range(3))
    write(tmp_path / "in", {"a.txt": DOSE + rest, "b.txt": OTHER + rest})
    done = simdup("scan", "in", "-s", "0.5", "-o", "page.html", "-q", "--report-texts", "2kB")
    assert done.status == 0
    assert "pieces" in json.loads(inflate(tmp_path / "page.html", "c0"))[0]
    with opened(browser, tmp_path / "page.html") as page:
        go(page, "#/c/1")
        assert page.inner_text(".rd-differ").startswith("2 facts differ:")
        assert page.locator("span.rd-pair").count() == 2
        assert page.locator("button.rd-pair").count() == 0


def test_a_comparison_names_the_facts(simdup, browser, tmp_path):
    write(tmp_path, {"a.txt": DOSE + prose(1), "b.txt": OTHER + prose(1)})
    simdup("compare", "a.txt", "b.txt", "-o", "page.html")
    with opened(browser, tmp_path / "page.html") as page:
        until(page, f"!!{LINE}")
        assert page.inner_text(".rd-differ").split("\n")[1:] == ["10 mg / 20 mg", "may / must not"]


def test_the_limit_is_kept_and_said(simdup, browser, tmp_path, monkeypatch):
    write(tmp_path / "in", texts())
    limit = 2 * len(DOSE + prose(3, 40)) + 500
    monkeypatch.setattr(pair_facts, "EXAMINED", limit)
    monkeypatch.setattr(pair_facts, "_CLUSTER", 1)
    seen = []

    def counted(pairs):
        pairs = list(pairs)
        seen.extend(len(text) for _, *texts in pairs for text in texts)
        return [(name, []) for name, _, _ in pairs]

    monkeypatch.setattr(pair_facts, "aligned", counted)
    simdup("scan", "in", "-s", "0.5", "-o", "page.html", "-q")
    figures = head(tmp_path / "page.html")["figures"]
    assert 0 < sum(seen) <= limit
    # The copies are known to be equal, and those that differ in words to agree.
    assert (figures["differing"], figures["compared"]) == (0, len(seen) // 2 + 2)
    with opened(browser, tmp_path / "page.html") as page:
        assert "fact" not in page.inner_text(".figures")
        page.evaluate("State.set({ filter: 'facts' })")
        go(page, "#/clusters")
        known = f"Facts are compared in {figures['compared']} of 4 clusters"
        assert known in page.inner_text(".found")


@pytest.mark.parametrize("command", ["without texts", "passages"])
def test_where_facts_are_not_known_nothing_is_said(simdup, browser, tmp_path, command):
    write(tmp_path / "in", texts())
    if command == "passages":
        simdup("passages", "in", "-o", "page.html", "-q")
    else:
        simdup("scan", "in", "-s", "0.5", "-o", "page.html", "-q", "--report-texts", "none")
    assert "compared" not in head(tmp_path / "page.html")["figures"]
    assert not columns(tmp_path / "page.html")["pairFacts"].any()
    with opened(browser, tmp_path / "page.html") as page:
        go(page, "#/clusters")
        until(page, "document.querySelectorAll('.row').length > 0")
        assert "differ in a fact" not in page.inner_text(".finder")


def test_texts_are_those_of_their_documents_beside_an_index(simdup, browser, tmp_path):
    rest = prose(3, 40)
    write(tmp_path, {"old/a.txt": DOSE + rest, "new/b.txt": OTHER + rest, "new/c.txt": MANY + rest})
    simdup("index", "build", "old.index", "old", "-q")
    simdup("scan", "new", "--reference", "old.index", "-s", "0.3", "-o", "page.html", "-q")
    (facts,) = kept(tmp_path / "page.html").values()
    assert [one[:2] for one in facts] == [[1, 2]]
    content = json.loads(inflate(tmp_path / "page.html", "c0"))[0]
    assert content["texts"] == [None, OTHER + rest, MANY + rest]
    with opened(browser, tmp_path / "page.html") as page:
        go(page, "#/c/1/1-2")
        assert "20 mg" in page.inner_text(".rd-text")
        go(page, "#/c/1/0-1")
        assert "an index keeps no texts" in page.inner_text(".missing")


def test_the_line_is_seen_on_a_phone_on_paper_and_in_both_schemes(path, browser):
    with opened(browser, path, viewport={"width": 400, "height": 800}) as page:
        go(page, f"#/c/{cluster_of(page, 'in/dose/a.txt')}")
        assert low_contrast(page) == []
        assert page.evaluate(NAMELESS) == []
        assert page.evaluate("document.getElementById('detail').scrollWidth") <= 400
        page.emulate_media(media="print")
        assert page.locator(".rd-differ").is_visible()


def test_a_corpus_without_facts_has_no_figure(report, browser):
    figures = head(report)["figures"]
    assert (figures["differing"], figures["compared"]) == (0, figures["clusters"])
    with opened(browser, report) as page:
        assert page.locator(".figures > div").count() == 6


def test_the_longest_texts_of_a_page_are_compared():
    assert 2 * CLIP + fact_differences.PAIR <= pair_facts._CLUSTER * pair_facts.EXAMINED
