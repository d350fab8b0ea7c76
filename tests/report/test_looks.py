"""How the page is seen: on a phone, on paper, in both schemes, and by who does not see it."""

import re

from pages import NAMELESS, corpus, go, hostile, low_contrast, opened


def test_nothing_overflows_on_a_phone(page_of, browser, tmp_path):
    path = page_of(hostile(tmp_path / "in"), corpus(tmp_path / "texts"), "--id-field", "id")
    with opened(browser, path, viewport={"width": 400, "height": 800}) as page:
        for route in ("#/", "#/clusters", "#/c/1", "#/c/4", "#/review"):
            go(page, route)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            assert page.evaluate("document.getElementById('detail')?.scrollWidth || 0") <= 400


def test_paper_has_the_view_and_no_controls(report, browser):
    with opened(browser, report) as page:
        for route, most in (("#/", 2), ("#/c/1", 3), ("#/review", 1)):
            go(page, route)
            pdf = page.pdf(format="A4")
            assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= most, route
        page.evaluate("Review.duplicates(0)")
        page.emulate_media(media="print")
        # Names, figures, and what stands for equal text are words on paper, too.
        buttons = "button:not(.link, .cell, .more, .rd-hidden, .rd-more, .bars button)"
        for route in ("#/", "#/c/1", "#/review"):
            go(page, route)
            found = page.locator(f"{buttons}, input, select, .list, .tabs, .tools, .controls").all()
            assert [one.inner_html() for one in found if one.is_visible()] == []


def test_paper_has_the_layout_of_the_screen(report, browser):
    across = "(e) => getComputedStyle(e).gridTemplateColumns.split(' ').length"
    screen, paper = ({"width": width, "height": 1000} for width in (1400, 680))  # 680 is A4
    with opened(browser, report) as page:
        go(page, "#/c/2")
        for layout, columns in (("side", 2), ("inline", 1)):
            page.emulate_media(media="screen")
            page.set_viewport_size(screen)
            page.evaluate("(layout) => Cluster.reader().setLayout(layout)", layout)
            page.set_viewport_size(paper)
            page.emulate_media(media="print")
            for part in (".rd-head", ".rd-row"):
                assert page.eval_on_selector(part, across) == columns
            breaks = "(row) => getComputedStyle(row).breakInside"
            rows = page.evaluate(f"[...document.querySelectorAll('.rd-row')].map({breaks})")
            assert set(rows) == {"avoid"}
            assert "show" not in page.inner_text(".texts")


def test_texts_have_enough_contrast_and_every_control_has_a_name(report, browser):
    with opened(browser, report) as page:
        for route in ("#/", "#/c/1", "#/c/2", "#/c/3", "#/review"):
            go(page, route)
            assert low_contrast(page) == []
            assert page.evaluate(NAMELESS) == []
