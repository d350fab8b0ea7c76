"""The page of an audit: judged by keys, saved, loaded again, and evaluated."""

import json

import pytest
from pages import NAMELESS, OWN, corpus, go, head, hostile, low_contrast, opened, until

from simdup.model.decisions import VERDICTS


@pytest.fixture
def sample(simdup, tmp_path):
    corpus(tmp_path / "texts")
    simdup("scan", "texts", "-s", "0.5", "-o", "found.jsonl", "-q")
    assert simdup("audit", "found.jsonl", "-o", "sample.html", "-q").status == 0
    return tmp_path / "sample.html"


def read(page, pair):
    """Open a pair, counted from 1."""
    page.evaluate(f"location.hash = '#/c/{pair}'")
    until(page, "!!document.querySelector('.texts .rd-panel, .texts .missing')")


def press(page, key):
    """Press a key, and wait until the page shows what follows."""
    before = page.evaluate("location.hash")
    page.keyboard.press(key)
    until(page, f"location.hash !== '{before}'")
    until(page, "[undefined, `${Cluster.shown()[0] + 1}`].includes(location.hash.split('#/c/')[1])")
    until(page, "!!document.querySelector('.texts .rd-panel, .review')")


def save(page, path):
    go(page, "#/review")
    with page.expect_download() as saved:
        page.click("text=Save decisions.jsonl")
    saved.value.save_as(path)


def test_pairs_are_judged_by_keys(simdup, browser, sample, tmp_path):
    with opened(browser, sample, accept_downloads=True) as page:
        until(page, "!!document.querySelector('.texts .rd-panel')")
        pairs = page.evaluate("Data.table.count")
        assert "0 of" in page.inner_text(".title")
        verdicts = [VERDICTS[min(i, 2)] for i in range(pairs)]
        for i, verdict in enumerate(verdicts):
            assert f"{i} of {pairs} judged" in page.inner_text(".title")
            press(page, str(VERDICTS.index(verdict) + 1))
        assert page.evaluate("location.hash") == "#/review"
        assert page.inner_text("h1") == f"{pairs} of {pairs} pairs are judged."
        assert "simdup evaluate found.jsonl --judged decisions.jsonl" in page.inner_text("pre")
        save(page, tmp_path / "decisions.jsonl")
    saved = [json.loads(one) for one in (tmp_path / "decisions.jsonl").read_text().splitlines()]
    assert [one["decision"] for one in saved] == verdicts
    assert {(one["seed"], one["sample"]) for one in saved} == {(1, pairs)}
    out = simdup("evaluate", "found.jsonl", "--judged", "decisions.jsonl", "-f", "jsonl")
    total = json.loads(out.lines[-1])
    counts = [total["duplicates"], total["distinct"], total["unsure"], total["not_drawn"]]
    assert counts == [1, 1, pairs - 2, 0] or total["drawn"] < pairs
    assert simdup("dedupe", "texts", "--decisions", "decisions.jsonl", "--dry-run").status == 0


def test_the_similarity_is_shown_afterwards(browser, sample):
    with opened(browser, sample) as page:
        until(page, "!!document.querySelector('.texts .rd-panel')")
        similarity = page.evaluate("State.digits(Data.table.pairSimilarity[0])")
        assert similarity not in page.inner_text("body")
        assert "% equal" not in page.inner_text("body")
        press(page, "1")
        page.evaluate("location.hash = '#/c/1'")
        until(page, f"document.querySelector('.title').innerText.includes('{similarity}')")


def test_a_verdict_is_taken_back(browser, sample):
    with opened(browser, sample) as page:
        until(page, "!!document.querySelector('.texts .rd-panel')")
        press(page, "2")
        read(page, 1)
        page.keyboard.press("3")
        assert page.evaluate("Review.entry(0).verdict") == "unsure"
        page.keyboard.press("3")
        assert page.evaluate("Review.lines()") == []
        assert page.evaluate("location.hash") == "#/c/1"
        page.keyboard.press("u")
        until(page, "location.hash === '#/review'")


def test_a_larger_sample_loads_what_was_judged(simdup, browser, sample, tmp_path):
    """Documents that are in several pairs do not mix them up."""
    simdup("audit", "found.jsonl", "-o", "small.html", "--sample", "4", "-q")
    with opened(browser, tmp_path / "small.html", accept_downloads=True) as page:
        until(page, "!!document.querySelector('.texts .rd-panel')")
        for key in "1231":
            press(page, key)
        save(page, tmp_path / "decisions.jsonl")
    with opened(browser, sample, accept_downloads=True) as page:
        go(page, "#/review")
        page.set_input_files("#load", tmp_path / "decisions.jsonl")
        until(page, "document.querySelector('h1').innerText.startsWith('4 of')")
        verdicts = page.evaluate("[0, 1, 2, 3].map((pair) => Review.entry(pair).verdict)")
        assert verdicts == ["duplicates", "distinct", "unsure", "duplicates"]
        page.click("text=Next to judge")
        until(page, "location.hash === '#/c/5'")


def test_a_key_before_the_next_pair_is_drawn_changes_no_verdict(browser, sample):
    with opened(browser, sample) as page:
        until(page, "!!document.querySelector('.texts .rd-panel')")
        event = "new KeyboardEvent('keydown', { key })"
        page.evaluate(f"for (const key of '12') document.dispatchEvent({event})")
        verdicts = page.evaluate("[0, 1].map((pair) => Review.entry(pair).verdict || '')")
        assert verdicts == ["duplicates", ""]


def test_what_was_judged_is_remembered(browser, sample):
    with opened(browser, sample) as page:
        until(page, "!!document.querySelector('.texts .rd-panel')")
        press(page, "3")
        page.reload()
        page.evaluate("App.ready")
        assert page.evaluate("Review.entry(0).verdict") == "unsure"


def test_the_page_says_what_the_sample_is(browser, sample):
    audit = head(sample)["audit"]
    with opened(browser, sample) as page:
        go(page, "#/review")
        rows = page.locator(".review tbody tr").all_inner_texts()
        assert [row.split()[1:] for row in rows] == [
            [str(pairs), str(drawn), "0"] for _, _, pairs, drawn in audit["bands"]
        ]
        assert f"seed {audit['seed']}" in page.inner_text(".review")


def test_listed_pairs_have_no_roles(simdup, browser, sample, tmp_path):
    simdup("scan", "texts", "-s", "0.5", "--pairs", "-o", "pairs.jsonl", "-q")
    simdup("audit", "pairs.jsonl", "-o", "pairs.html", "-q")
    with opened(browser, tmp_path / "pairs.html") as page:
        until(page, "!!document.querySelector('.texts .rd-panel')")
        assert page.inner_text("h1:not(.unseen)") == "Are A and B duplicates of each other?"
        assert not page.locator(".member .chip").count()
    with opened(browser, sample) as page:
        until(page, "!!document.querySelector('.texts .rd-panel')")
        assert page.locator(".member .chip").all_inner_texts() == ["stays", "would go"]


def test_a_text_that_is_gone_is_missing(simdup, browser, sample, tmp_path):
    (tmp_path / "texts/copies/1.txt").unlink()
    simdup("audit", "found.jsonl", "-o", "sample.html", "-q")
    with opened(browser, sample) as page:
        at = page.evaluate("Data.names.indexOf('texts/copies/1.txt') >> 1")
        read(page, at + 1)
        assert "could not be read again" in page.inner_text(".missing")
        press(page, "3")


def test_hostile_texts_stay_texts(simdup, browser, tmp_path):
    name = hostile(tmp_path).name
    simdup("scan", name, "--id-field", "id", "-o", "found.jsonl", "-q")
    done = simdup("audit", "found.jsonl", name, "--id-field", "id", "-o", "page.html", "-q")
    assert done.status == 0
    with opened(browser, tmp_path / "page.html") as page:
        for pair in range(page.evaluate("Data.table.count")):
            read(page, pair + 1)
            page.keyboard.press("1")
        go(page, "#/review")
        tags = page.evaluate("[...document.querySelectorAll('*')].map((e) => e.localName)")
        assert set(tags) <= OWN


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_pairs_are_readable_on_a_phone(browser, sample, locale):
    view = {"viewport": {"width": 400, "height": 800}, "locale": locale}
    with opened(browser, sample, **view) as page:
        for route in ("#/clusters", "#/c/2", "#/review"):
            page.evaluate(f"location.hash = '{route}'")
            page.wait_for_timeout(300)
            if route == "#/c/2":
                page.keyboard.press("1")
                page.wait_for_timeout(300)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            assert low_contrast(page) == []
            assert page.evaluate(NAMELESS) == []
