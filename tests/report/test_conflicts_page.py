"""The page of conflicts: who says what, and the text around it."""

import json
import math
import re
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from pages import HOSTILE, NAMELESS, OWN, columns, head, inflate, low_contrast, opened, until

from simdup.model.documents import Skipped
from simdup.model.formats import PageOptions
from simdup.model.readings import (
    KINDS,
    Conflict,
    ConflictCriteria,
    ConflictResult,
    ConflictSummary,
    FactReading,
    ReadingPlace,
)
from simdup.show.report.places_page import conflicts_page

DAY = 86_400
NEW_YEAR = 1_767_268_800  # noon of 2026-01-01, the same day in the time zones of most machines
UNKNOWN = math.nan


def place(name, line=1, start=10, end=15, modified=UNKNOWN):
    return ReadingPlace(name, start, end, line, modified)


def reading(value, *places):
    return FactReading(value, places)


def result(conflicts, documents=12, known=0, skipped=(), notes=(), forms=0):
    affected = {p.document for one in conflicts for r in one.readings for p in r.documents}
    figures = documents, len(conflicts), len(affected), len(skipped), known, 0.1, forms
    return ConflictResult(tuple(conflicts), skipped, notes, ConflictSummary(*figures))


DOSE = Conflict(
    "amount",
    "Adults take one tablet of ",
    " twice a day.\nNo alcohol.",
    (
        reading("20 mg", place("old/leaflet 1.txt", 14, 812, 817, NEW_YEAR - 400 * DAY)),
        reading(
            "10 mg",
            *(place(f"wards/{i}.txt", 20 + i, 7, 12, NEW_YEAR + i * DAY) for i in range(4)),
        ),
    ),
)
MAINS = Conflict(
    "negation",
    "The device may ",
    "be opened while it is connected.",
    (
        reading("", place("b.md", 3, 120, 120, NEW_YEAR + 90 * DAY)),
        reading(
            "not ",
            place("mail.jsonl#1"),
            place("mail.jsonl#2"),
            place("wards/0.txt", 5, 7, 11, NEW_YEAR),
        ),
    ),
)
OFFICE = Conflict(
    "address",
    "Send the form to ",
    " 并保留副本。",
    (
        reading("forms@example.org", place("c.md", modified=NEW_YEAR)),
        reading("info@example.org", place("d.md", modified=NEW_YEAR)),
    ),
)
THREE = result([DOSE, MAINS, OFFICE])


@pytest.fixture
def written(tmp_path):
    """Write the page of a result, and return where it is."""

    def write(found=THREE, **options):
        path = tmp_path / "page.html"
        with path.open("wb") as file:
            file.writelines(conflicts_page(found, ConflictCriteria(), PageOptions(**options)))
        return path

    return write


def show(page, route):
    """Go to a view, and wait until it is there."""
    page.evaluate("(route) => { location.hash = route; }", route)
    kind = {"#/": ".overview", "#/clusters": ".list"}.get(route, ".reading")
    until(page, f"!!document.querySelector('{kind}')")
    page.wait_for_timeout(50)


def rows(page):
    """Return the readings of each row of the list."""
    return [" ".join(one.split()) for one in page.locator(".row .head").all_inner_texts()]


def test_the_overview_counts_conflicts_and_filters_the_list(written, browser):
    notes = [("n.txt", "read as GB18030")]
    found = result([DOSE, MAINS, OFFICE], 12, 0, [Skipped("x.png", "binary file")], notes)
    path = written(found, command="simdup conflicts in -o page.html")
    assert head(path)["kind"] == "conflicts"
    known = {"documents": 12, "matched": 10, "pairs": 3, "listed": 3, "skipped": 1}
    assert known.items() <= head(path)["figures"].items()
    with opened(browser, path) as page:
        words = page.inner_text(".sentence").replace("\xa0", " ")
        assert words == "3 conflicts in 12 documents: 10 documents contradict others."
        figures = page.locator(".figures dd").all_inner_texts()
        assert figures == ["3", "10", "83.3%", "1"]
        folders = page.locator("tbody tr").all_inner_texts()
        assert [one.split() for one in folders] == [
            ["wards", "4", "2", "66%"],
            ["(top", "level)", "3", "2", "66%"],
            ["mail.jsonl", "2", "1", "33%"],
            ["old", "1", "1", "33%"],
        ]
        titles = page.locator("thead th").all_inner_texts()
        assert [one.lower() for one in titles] == ["folder", "in conflicts", "conflicts", "share"]
        page.click("summary")
        how = page.inner_text(".how")
        for said in ("simdup conflicts in -o page.html", "context", "read as GB18030", "x.png"):
            assert said in how
        page.click(".bars button:has-text('negation')")
        until(page, "!!document.querySelector('.row')")
        assert rows(page) == ["not ×3 / (nothing) ×1"]
        show(page, "#/")
        page.click(".link:has-text('old')")
        until(page, "!!document.querySelector('.row')")
        assert rows(page) == ["10 mg ×4 / 20 mg ×1"]


def test_a_page_has_what_the_result_has(written):
    path = written()
    table, labels = columns(path), json.loads(inflate(path, "names"))
    readings = np.repeat(np.arange(6), table["places"]).tolist()
    places = [
        (
            which,
            labels["names"][document],
            *(int(table[one][i]) for one in ("start", "end", "line")),
        )
        for i, (which, document) in enumerate(zip(readings, table["document"], strict=True))
    ]
    every = [r for one in THREE.conflicts for r in one.readings]
    assert places == [(i, *one[:4]) for i, r in enumerate(every) for one in r.documents]
    assert labels["conflicts"][0] == [DOSE.before, DOSE.after, "20 mg", "10 mg"]
    kinds = [kind for kind, _ in head(path)["kinds"]]
    bits = [1 << kinds.index(kind) for kind in ("amount", "negation", "address")]
    assert table["kinds"].tolist() == bits
    modified = dict(zip(labels["names"], table["modified"].tolist(), strict=True))
    assert modified["b.md"] == NEW_YEAR + 90 * DAY
    assert math.isnan(modified["mail.jsonl#1"])


def test_the_list_is_sorted_searched_and_filtered(written, browser):
    dose, mains, office = "10 mg ×4 / 20 mg ×1", "not ×3 / (nothing) ×1", "forms@example.org"
    with opened(browser, written()) as page:
        show(page, "#/clusters")
        assert [one[:17] for one in rows(page)] == [dose[:17], mains[:17], office]
        assert "Adults take one tablet" not in page.inner_text(".row >> nth=0")
        assert "take one tablet of" in page.inner_text(".row >> nth=0")
        for order, first in (("lopsided", dose), ("newest", mains), ("size", dose)):
            page.evaluate(f"State.set({{ sort: '{order}' }})")
            assert rows(page)[0] == first
        found = {
            "10 mg": [dose],
            "of 20 mg twice": [dose],
            "day. no ALCOHOL": [dose],
            "mail.jsonl": [mains],
            "wards/0": [dose, mains],
            "保留": ["forms@example.org ×1 / info@example.org ×1"],
            "15 mg": [],
        }
        for asked, expected in found.items():
            page.fill("#search", asked)
            until(page, f"State.search === {json.dumps(asked)}")
            assert rows(page) == expected, asked
        page.fill("#search", "")
        until(page, "State.search === ''")
        options = page.locator("select[aria-label=Show] option").all_inner_texts()
        assert options == ["all kinds", "amount", "negation", "address"]
        page.select_option("select[aria-label=Show]", "amount")
        assert rows(page) == [dose]


def test_a_conflict_has_its_readings_by_rising_number_of_documents(written, browser):
    path = written()
    with opened(browser, path, timezone_id="UTC") as page:
        show(page, "#/c/1")
        assert page.inner_text("article h1") == "10 mg ×4 / 20 mg ×1"
        facts = page.locator(".title .facts > :not(.mid)").all_inner_texts()
        assert facts == ["amount", "5 documents", "2 readings"]
        passage = page.inner_text(".passage")
        assert passage.startswith("Adults take one tablet of")
        assert passage.endswith("twice a day.\nNo alcohol.")
        assert page.locator(".choice .value").all_inner_texts() == ["20 mg", "10 mg"]
        assert page.locator(".reading h3 .value").all_inner_texts() == ["20 mg", "10 mg"]
        facts = page.locator(".reading .facts").all_inner_texts()
        assert "1 document" in facts[0]
        assert "modified 2024-11-27" in facts[0]
        assert "newest" not in facts[0]
        assert "4 documents" in facts[1]
        assert "modified 2026-01-04" in facts[1]
        assert "newest" in facts[1]
        places = page.locator(".place").all_inner_texts()
        assert "line 14" in places[0]
        assert "characters 812–817" in places[0]
        assert [("newest" in one) for one in places] == [False] * 4 + [True]
        links = page.locator(".place a").evaluate_all("(all) => all.map((one) => one.href)")
        assert links[0] == f"{Path.cwd().as_uri()}/old/leaflet%201.txt"
        assert len(links) == 5


def test_what_is_not_known_is_not_shown(written, browser):
    with opened(browser, written(), timezone_id="UTC") as page:
        show(page, "#/c/2")
        assert page.inner_text(".choice >> nth=0").split() == ["A", "(nothing)"]
        places = page.locator(".place")
        assert "character 120" in places.nth(0).inner_text()
        assert [one.locator("a").count() for one in places.all()] == [1, 0, 0, 1]
        assert not re.search(r"newest|20\d\d-", places.nth(1).inner_text())
        page.click("text=中文")
        until(page, "document.documentElement.lang === 'zh-Hans'")
        assert page.inner_text(".reading h3 >> nth=0").split() == ["A", "（无）"]
        show(page, "#/")
        words = page.inner_text(".sentence").replace("\xa0", " ")
        assert words == "12 篇文档中有 3 处矛盾，涉及 10 篇。"


def test_equally_new_files_are_not_marked(written, browser):
    with opened(browser, written()) as page:
        show(page, "#/c/3")
        assert page.locator(".place").count() == 2
        assert "newest" not in page.inner_text("article")


def test_names_beyond_the_first_plane_have_a_link_and_broken_ones_none(written, browser):
    whole, broken = (reading(n, place(n, modified=NEW_YEAR)) for n in ("𠮷😀.txt", "b\udcff.txt"))
    conflict = Conflict("number", "", "", (whole, broken))
    with opened(browser, written(result([conflict]))) as page:
        show(page, "#/c/1")
        links = page.locator(".place a").evaluate_all("(all) => all.map((one) => one.href)")
        assert [unquote(one) for one in links] == [f"file://{Path.cwd().as_posix()}/𠮷😀.txt"]


def test_a_place_can_be_copied(written, browser):
    with opened(browser, written(), permissions=["clipboard-read", "clipboard-write"]) as page:
        show(page, "#/c/1")
        page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        page.click(".place button >> nth=0")
        until(page, "window.copied === 'old/leaflet 1.txt:14'")


def test_keys_go_through_the_list(written, browser):
    with opened(browser, written()) as page:
        show(page, "#/clusters")
        page.keyboard.press("j")
        until(page, "location.hash === '#/c/2'")
        page.keyboard.press("j")
        until(page, "location.hash === '#/c/3'")
        page.keyboard.press("k")
        until(page, "document.querySelector('.title .over')?.textContent === 'Conflict 2'")
        page.keyboard.press("?")
        assert page.locator("dialog dt").all_inner_texts() == ["j", "k", "u", "/", "?"]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (result([]), "None of 12 documents contradicts another."),
        (result([], 1), "There is 1 document, so no conflict."),
        (result([], 12, known=3), "There is no new conflict in 12 documents."),
        (result([], 12, known=4, forms=2), "There is no new conflict in 12 documents."),
        (
            result([OFFICE], 12, known=3),
            "1 new conflict in 12 documents: 2 documents contradict others.",
        ),
    ],
)
def test_the_sentence_is_that_of_the_result(written, browser, found, words):
    with opened(browser, written(found)) as page:
        assert page.inner_text(".sentence").replace("\xa0", " ") == words
        known = found.summary.known
        assert ("more in the baseline" in page.inner_text(".figures")) == bool(known)
        left_out = page.locator(".overview > .note").all_inner_texts()
        assert [one[:33] for one in left_out] == ["2 places were left out as forms: "] * (
            known == 4
        )
        if not found.conflicts:
            page.keyboard.press("j")
            page.evaluate("location.hash = '#/clusters'")
            until(page, "!!document.querySelector('h1.wait')")
            assert page.inner_text("main") == words


def test_conflicts_beyond_the_limit_are_counted(written, browser, monkeypatch):
    monkeypatch.setattr("simdup.show.report.places_page.CONFLICTS", 2)
    path = written()
    with opened(browser, path) as page:
        assert page.evaluate("Data.table.count") == 2
        words = (
            "1 more conflict has fewer documents and is not listed: this page lists the first 2."
        )
        assert page.inner_text(".notice") == words
        assert page.inner_text(".sentence").startswith("3 conflicts")


def test_long_readings_are_told_apart_in_a_row(written, browser):
    same = "每次饭后用温水送服" * 6
    doses = [reading(f"{same}{dose} mg{same}", place(f"{dose}")) for dose in (10, 20)]
    far = reading("", place("none"))
    with opened(browser, written(result([Conflict("amount", "", "", (far, *doses))]))) as page:
        show(page, "#/c/1")
        [row] = rows(page)
        assert "10 mg" in row
        assert "20 mg" in row
        assert all(same in one for one in page.locator(".choice .value").all_inner_texts())


def test_long_lists_are_drawn_as_they_are_asked_for(written, browser):
    documents = [place(f"all/{i}.txt", i, modified=NEW_YEAR - i) for i in range(10_000)]
    many = Conflict("number", "page ", " of", (reading("7", place("a")), reading("8", *documents)))
    codes = [reading(f"AB-{i}", one) for i, one in enumerate(documents[:2_000])]
    with opened(browser, written(result([many, Conflict("code", "", "", tuple(codes))]))) as page:
        show(page, "#/c/1")
        assert page.locator(".place").count() == 51
        page.click("text=show 9,950 more documents")
        assert page.locator(".place").count() == 551
        show(page, "#/c/2")
        until(page, "document.querySelectorAll('.reading').length === 30")
        assert page.locator(".choice").count() == 8
        assert "AB-0 ×1 / AB-1 ×1 / AB-2 ×1 +1,997" in rows(page)
        page.click("text=show 1,970 more readings")
        assert page.locator(".reading").count() == 330


@pytest.fixture
def hostile():
    """Hostile names, values and texts, long ones among them."""
    found = []
    for i, words in enumerate(HOSTILE):
        other = HOSTILE[i - 1]
        readings = (
            reading(words, place(f"{words}/a{words}", modified=NEW_YEAR)),
            reading(other + "long" * 60, place(f"b{words}\udcff"), place("very-long-name" * 20)),
        )
        texts = f"before {words}\nx\ty ", f" {other} after\udc80"
        found.append(Conflict(KINDS[i % len(KINDS)], *texts, readings))
    skipped = [Skipped("<b>x</b>", "binary file")]
    return result(found, 50, 0, skipped, [("<i>", "<u>note</u>")])


def test_hostile_names_and_values_are_text(written, browser, hostile):
    with opened(browser, written(hostile)) as page:
        for route in ("#/", "#/clusters", *(f"#/c/{i + 1}" for i in range(len(HOSTILE)))):
            show(page, route)
            names = "[...new Set([...document.querySelectorAll('*')].map((e) => e.localName))]"
            assert set(page.evaluate(names)) <= OWN
            assert page.locator("a[href^='javascript']").count() == 0
            shown = page.evaluate("document.querySelector('main').textContent")
            assert not re.search("[\x00-\x08\x0e-\x1f\u200b\u2028-\u202e\ufeff]", shown)


def test_conflicts_are_readable_on_a_phone_and_on_paper(written, browser, hostile):
    everything = result([*hostile.conflicts, *THREE.conflicts], 60)
    with opened(browser, written(everything), viewport={"width": 400, "height": 800}) as page:
        for route in ("#/", "#/clusters", "#/c/3", "#/c/9", "#/c/14", "#/c/15"):
            show(page, route)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            assert page.evaluate("document.getElementById('detail')?.scrollWidth || 0") <= 400
            assert low_contrast(page) == []
            assert page.evaluate(NAMELESS) == []
        show(page, "#/c/14")
        page.set_viewport_size({"width": 680, "height": 1000})
        page.emulate_media(media="print")
        for hidden in (".list", ".tabs", ".tools", ".actions"):
            assert not page.locator(hidden).first.is_visible()
        assert page.locator(".place").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 680
