"""How the page is seen: on a phone, on paper, in both schemes, and by who does not see it."""

import re

from pages import NAMELESS, corpus, go, hostile, low_contrast, opened, until

from lab.corpora.made import edited, prose, write


def test_nothing_overflows_on_a_phone(page_of, browser, tmp_path):
    path = page_of(hostile(tmp_path / "in"), corpus(tmp_path / "texts"), "--id-field", "id")
    with opened(browser, path, viewport={"width": 400, "height": 800}) as page:
        for route in ("#/", "#/clusters", "#/c/1", "#/c/4", "#/review"):
            go(page, route)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            assert page.evaluate("document.getElementById('detail')?.scrollWidth || 0") <= 400


LONG = "Quarterly report of the regional office for supplies and logistics, approved version"
# Elements whose text is wider than they are, or reaches beyond the row or the box that they are in.
CUT = """() => [...document.querySelectorAll(
    '.row .file, article h1, .member .file, .picked span, .rd-name')]
    .filter((e) => e.checkVisibility()).filter((e) => {
      const [box, own] = [e.closest('.row, .title, .picked') || e, e.getBoundingClientRect()];
      const { right, bottom } = box.getBoundingClientRect();
      return e.scrollWidth > e.clientWidth + 1 && e.clientWidth || own.right > right + 1
        || own.bottom > bottom + 1;
    }).map((e) => e.textContent)"""


def test_names_are_never_cut(page_of, browser, tmp_path):
    names = [f"{LONG} 2024-{i:02}.txt" for i in range(3)] + [
        f"{'会议纪要' * 12}{i}.txt" for i in "12"
    ]
    texts = {name: edited(prose(len(name) // 9), i, 3) for i, name in enumerate(names)}
    path = page_of(write(tmp_path / "in" / "reports", texts))
    for width in (1400, 400):
        with opened(browser, path, viewport={"width": width, "height": 800}) as page:
            three = page.evaluate("[...Data.table.size].indexOf(3)") + 1
            for route in ("#/clusters", f"#/c/{3 - three}", f"#/c/{three}"):
                page.evaluate(f"location.hash = '{route}'")
                page.wait_for_timeout(300)
                assert page.evaluate(CUT) == []
            label = page.inner_text(".side.b .picked span")
            assert label.removesuffix(" ▾").partition(".txt")[0].endswith(("2024-01", "2024-02"))


def test_the_folder_leads_where_names_repeat(page_of, browser, tmp_path):
    texts = {f"{folder}/index.md": edited(prose(4), i, 3) for i, folder in enumerate("abc")}
    texts |= {f"d/only-{i}.md": edited(prose(5), i, 3) for i in range(2)}
    with opened(browser, page_of(write(tmp_path / "in", texts))) as page:
        page.evaluate("location.hash = '#/c/1'")
        until(
            page,
            "document.querySelectorAll('.row').length === 2 && !!document.querySelector('.picked')",
        )
        assert sorted(page.locator(".row .file").all_inner_texts()) == ["in/a/", "only-0.md"]
        assert page.inner_text("article h1") == "in/a/index.md"
        assert page.locator(".member .file").all_inner_texts() == ["in/a/", "in/b/", "in/c/"]
        labels = page.locator(".a .pick option").all_inner_texts()
        assert labels == ["A in/a/index.md", "B in/b/index.md", "C in/c/index.md"]


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
