"""Every view of the page, by axe-core: the rules of WCAG 2 A and AA, and its best practices.

axe-core is no dependency: `npm install --no-save --prefix . axe-core` puts it where these tests
look, and `SIMDUP_AXE` may name an `axe.min.js` elsewhere.
"""

import os
from pathlib import Path

import pytest
from pages import corpus, go, hostile, opened
from support import ROOT

from lab.corpora.made import prose, write
from simdup.model.formats import PageOptions
from simdup.model.readings import (
    Conflict,
    ConflictCriteria,
    ConflictResult,
    ConflictSummary,
    FactReading,
    ReadingPlace,
)
from simdup.show.report.places_page import conflicts_page

RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice")

# Of language, colours and width any two values meet in one of these.
READERS = [
    ("en-US", "light", 1400),
    ("en-US", "dark", 400),
    ("zh-CN", "light", 400),
    ("zh-CN", "dark", 1400),
]


def _named(reader):
    return "-".join(map(str, reader))


# Each value once, where a page has little that the page of a scan has not.
each_value = pytest.mark.parametrize(
    "check", [("en-US", "dark", 400), ("zh-CN", "light", 1400)], ids=_named, indirect=True
)

RUN = """(rules) => axe.run({ runOnly: rules }).then(({ violations }) => violations.flatMap(
  ({ id, nodes }) => nodes.map((n) => [id, n.target.join(' '), n.any[0]?.message || n.html])))"""


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core; skipped with a reason where there is none."""
    path = Path(os.environ.get("SIMDUP_AXE") or ROOT / "node_modules" / "axe-core" / "axe.min.js")
    if path.is_file():
        return path.read_text("utf-8")
    if os.environ.get("SIMDUP_REQUIRE_AXE") == "1":
        pytest.fail(f"SIMDUP_REQUIRE_AXE is set, but there is no {path}")
    return pytest.skip("axe-core is not installed (npm), and SIMDUP_AXE names no axe.min.js")


@pytest.fixture(params=READERS, ids=_named)
def check(request, axe, browser):
    """Open a page as a reader does, go to its views, and return what axe-core finds in them."""
    language, colours, width = request.param
    size = {"width": width, "height": 900}

    def found(path, views):
        # The policy of the page would not let axe-core in; other tests are about the policy.
        options = {"locale": language, "color_scheme": colours, "viewport": size}
        with opened(browser, path, bypass_csp=True, **options) as page:
            page.evaluate(axe)
            for view, action in views:
                go(page, view)
                if action:
                    page.evaluate(action)
                    page.wait_for_timeout(50)
                yield from ((view, action, *one) for one in page.evaluate(RUN, RULES))

    return lambda *given: list(found(*given))


# Beside the list there is the first cluster, after a moment.
WAITING = [("#/clusters", "new Promise((done) => setTimeout(done, 300))")]

LAYOUTS = ("Cluster.reader().setLayout('side')", "Cluster.reader().setLayout('inline')")
VIEWS = [
    ("#/", ""),
    ("#/", "document.querySelector('.how').open = true"),
    ("#/", "State.set({ threshold: 9000 })"),
    ("#/clusters", ""),
    *((f"#/c/{cluster}", LAYOUTS[cluster % 2]) for cluster in (1, 2, 3)),
    ("#/c/1", "Cluster.reader().next()"),
    ("#/c/1", "Review.distinct(0, [0, 1])"),
    ("#/review", ""),
    ("#/review", "location.hash = '#/c/99'"),
    ("#/review", "App.keys.find(([key]) => key === '?')[2]()"),
]


def test_a_scan(check, report):
    assert check(report, VIEWS) == []


@each_value
def test_hostile_names_and_texts(check, simdup, tmp_path):
    hostile(tmp_path / "in")
    simdup("scan", "in", "--id-field", "id", "-s", "0.5", "-o", "page.html", "-q")
    views = [("#/", ""), *((f"#/c/{cluster}", "") for cluster in (1, 4, 7, 9))]
    assert check(tmp_path / "page.html", views) == []


@each_value
def test_pages_with_little_in_them(check, simdup, tmp_path):
    write(tmp_path / "none", {f"{i}.txt": prose(i) for i in range(3)})
    corpus(tmp_path / "texts")
    simdup("scan", "none", "-o", "none.html", "-q")
    simdup("scan", "texts", "--no-verify", "--report-texts", "none", "-o", "prints.html", "-q")
    views = [("#/", ""), ("#/clusters", ""), ("#/review", "")]
    assert check(tmp_path / "none.html", views) == []
    assert check(tmp_path / "prints.html", [*views, ("#/c/1", "")]) == []


@each_value
def test_a_comparison_and_passages(check, simdup, tmp_path):
    shared = prose(5, 60)
    write(tmp_path / "in", {"a": prose(1) + shared + prose(2), "b": prose(3) + shared})
    simdup("compare", "in/a", "in/b", "-o", "pair.html")
    simdup("passages", "in", "-o", "passages.html", "-q")
    assert check(tmp_path / "pair.html", [("#/c/1", one) for one in LAYOUTS]) == []
    assert check(tmp_path / "passages.html", WAITING) == []


@each_value
def test_conflicts(check, tmp_path):
    place = ReadingPlace("<b>/a.txt", 3, 5, 1, 1_767_268_800.0)
    readings = (FactReading("", [place]), FactReading("not ", [place._replace(document="b")] * 2))
    conflict = Conflict("negation", "It may ", "be opened\n while it is on.", readings)
    for count, views in ((0, [("#/", ""), ("#/clusters", "")]), (3, [("#/", ""), *WAITING])):
        summary = ConflictSummary(3, count, 3, 0, 0, 0.1)
        found = ConflictResult((conflict,) * count, (), (), summary)
        with (tmp_path / "page.html").open("wb") as file:
            file.writelines(conflicts_page(found, ConflictCriteria(), PageOptions()))
        assert check(tmp_path / "page.html", views) == []
