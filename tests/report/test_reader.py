"""The pair reader of the report page: simdup/show/report/assets/reader.js, in a real browser."""

import json
from pathlib import Path
from typing import Any

import pytest
from chromium import ASSETS
from pages import low_contrast

from simdup.show.report.page import joined_script

from .reader_words import WORDS

SCRIPTS = (
    "words.js", "dom.js", "tokens.js", "align.js", "diff.js", "rows.js", "spans.js", "ribbon.js",
    "lazy.js", "facts.js", "changes.js", "passages.js", "reader.js",
)  # fmt: skip
FOLD = {"題": "题", "閣": "阁", "雲": "云", "間": "间"}
LINES = [f"第{i}条 这是第{i}条的正文，内容各不相同，编号{i * 7919}。" for i in range(200)]
HOSTILE = (
    '<img src="x" onerror="alert(1)"><script>alert(2)</script></div></textarea>\n'
    "\u202eright to left\u202c zero\u200bwidth \x00\x07\x1b[31m \ud800 \u2028 \ufeff \U000e0041\n"
    "שלום עולם ⁦isolated⁩ \u00ad soft\r\nZ\u0351\u036b\u0343\u036a\u0302 javascript:alert(3)\r\n"
)


@pytest.fixture
def reader(page: Any) -> Any:
    """A page with the reader and its styles."""
    style = "".join((ASSETS / name).read_text("utf-8") for name in ("base.css", "reader.css"))
    style += "body { display: block }"
    page.set_content(f'<!doctype html><meta charset="utf-8"><style>{style}</style><div id="box">')
    page.add_script_tag(content=joined_script(SCRIPTS))
    return page


def show(page: Any, a: str, b: str, /, **options: Any) -> str:
    """Show two texts; return what the container says at once."""
    given = {
        "a": {"letter": "A", "name": "folder/old.txt", "text": a, "lang": "zh-Hans"},
        "b": {"letter": "B", "name": "folder/new.txt", "text": b, "lang": "zh-Hant"},
        "unit": "characters", "layout": "side", "fold": FOLD, "strings": WORDS,
    } | options  # fmt: skip
    said: str = page.evaluate(
        f"""() => {{
          const box = document.getElementById('box');
          window.shown = Reader.show(box, {json.dumps(given)});
          return box.textContent;
        }}"""
    )
    return said


def texts(page: Any, selector: str) -> list[str]:
    found: list[str] = page.locator(selector).all_text_contents()
    return found


def test_sides_show_their_own_text(reader: Any) -> None:
    a, b = "题目\n甲乙丙\n同一行\n", "题目\n甲丁丙\n同一行\n新的一行\n"
    show(reader, a, b)
    assert texts(reader, ".rd-cell.a .rd-text") == ["题目", "甲乙丙", "同一行"]
    assert texts(reader, ".rd-cell.b .rd-text") == ["题目", "甲丁丙", "同一行", "新的一行"]
    assert texts(reader, "del") == ["乙"]
    assert texts(reader, "ins") == ["丁", "新的一行"]
    assert reader.locator(".rd-cell.a.none").count() == 1
    assert texts(reader, ".rd-fact") == ["2 changes", "74.0% equal"]


def test_lines_are_numbered_and_stay_level(reader: Any) -> None:
    show(reader, "甲\n乙。丙\n丁\n", "甲\n乙。\n新\n丙\n丁\n")
    numbers = reader.evaluate(
        """() => [...document.querySelectorAll('.rd-row')].map((row) =>
          [...row.querySelectorAll('.rd-cell')].map((cell) => cell.dataset.line || ''))"""
    )
    assert numbers == [["1", "1"], ["2", "2"], ["", "3"], ["", "4"], ["3", "5"]]


def test_inline_shows_both_texts_in_one_column(reader: Any) -> None:
    show(reader, "甲乙丙\n", "甲丁丙\n", layout="inline")
    assert texts(reader, ".rd-text") == ["甲乙丁丙"]
    assert reader.locator("ins").get_attribute("lang") == "zh-Hant"
    reader.evaluate("shown.setLayout('side')")
    assert texts(reader, ".rd-text") == ["甲乙丙", "甲丁丙"]


def test_differences_that_folding_removes_are_quiet_and_counted_apart(reader: Any) -> None:
    show(reader, "题西林寺水阁", "題西林寺水閣")
    assert texts(reader, ".rd-fact") == ["0 changes", "100.0% equal", "2 same after folding"]
    assert texts(reader, ".rd-cell.a .rd-folded") == ["题", "阁"]
    assert reader.locator(".rd-folded").first.get_attribute("title") == "same after folding: 題"
    assert reader.locator("del, ins, .rd-steps").count() == 0


def test_unchanged_lines_are_hidden_behind_a_button(reader: Any) -> None:
    changed = LINES.copy()
    changed[100] = "第100条 全新。"
    show(reader, "\n".join(LINES), "\n".join(changed))
    assert reader.locator(".rd-row").count() == 5
    buttons = reader.locator(".rd-hidden")
    hidden = sum(len(line) + 1 for line in LINES[:98])
    assert texts(reader, ".rd-hidden")[0] == f"show {hidden:,} equal characters"
    buttons.first.click()
    reader.wait_for_function("document.querySelectorAll('.rd-row').length > 40")
    assert texts(reader, ".rd-cell.a .rd-text")[0] == LINES[0]


def test_equal_texts_say_so(reader: Any) -> None:
    show(reader, "\n".join(LINES), "\n".join(LINES))
    assert texts(reader, ".rd-fact") == ["The texts are equal."]
    assert reader.locator(".rd-row").count() > 0


def test_keys_go_through_all_changes_and_stop_at_the_ends(reader: Any) -> None:
    changed = LINES.copy()
    for i in (3, 90, 180):
        changed[i] = changed[i].replace("正文", "條文")
    show(reader, "\n".join(LINES), "\n".join(changed))
    seen = []
    for call in ("next", "next", "next", "next", "previous"):
        reader.evaluate(f"shown.{call}()")
        line = reader.evaluate(
            "document.querySelector('.rd-current').closest('.rd-cell').dataset.line"
        )
        seen.append((line, *texts(reader, ".rd-position")))
        assert reader.locator(".rd-current").count() == 2
    assert seen == [
        ("4", "1 of 3"), ("91", "2 of 3"), ("181", "3 of 3"), ("181", "3 of 3"), ("91", "2 of 3"),
    ]  # fmt: skip
    assert reader.evaluate(
        """() => {
          const {top, bottom} = document.querySelector('.rd-current').getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        }"""
    )


def test_words_are_another_way_to_compare(reader: Any) -> None:
    show(reader, "我们明天去北京大学", "我们明天去北方大学")
    assert texts(reader, "del") == ["京"]
    reader.get_by_role("button", name="words").click()
    assert texts(reader, "del")[0].startswith("北京")
    assert reader.evaluate("document.activeElement.textContent") == "words"


def test_moved_text_leads_to_its_other_place(reader: Any) -> None:
    sentence = "河水缓缓流过村庄和田野。"
    a = LINES[0] + "\n" + sentence + "\n" + "\n".join(LINES[1:150])
    b = LINES[0] + "\n" + "\n".join(LINES[1:150]) + "\n" + sentence
    show(reader, a, b)
    assert [t.strip("↵") for t in texts(reader, "del.rd-moved")] == [sentence]
    reader.locator("del.rd-moved").click()
    assert [t.strip("↵") for t in texts(reader, "ins.rd-current")] == [sentence]
    assert "moved" in reader.locator(".rd-map .moved").get_attribute("class")


def test_the_map_leads_to_what_it_shows(reader: Any) -> None:
    changed = [*LINES[:60], "增补的一条。" * 60, *LINES[60:]]
    show(reader, "\n".join(LINES), "\n".join(changed))
    assert reader.locator(".rd-band").count() == 2
    reader.evaluate("scrollTo(0, 0)")
    reader.locator(".rd-band rect").last.click()
    assert reader.locator(".rd-map").count() == 1
    show(reader, "短文", "短文本")
    assert reader.locator(".rd-map").count() == 0


def test_passages_stand_side_by_side_with_their_offsets(reader: Any) -> None:
    shared = "春天来了，万物生长，山中有一座古老的寺庙。"
    a, b = "😀\r\n" * 40 + shared + "尾", "乙" * 30 + shared.replace("古老", "古旧") + "完"
    passage = [120, 120 + len(shared), 30, 30 + len(shared), len(shared) - 1, 0.95]
    placed = reader.evaluate("(given) => Passages.place(...given)", [[a, b], [passage]])
    show(reader, *placed["texts"], passages=placed["passages"], shares=[1285, 2850])
    assert not texts(reader, ".code")
    assert "".join(texts(reader, ".rd-passage.a .rd-shared, .rd-passage.a del")) == shared
    assert texts(reader, "del") == ["老"]
    assert texts(reader, "ins") == ["旧"]
    assert "characters 120–" in texts(reader, ".rd-where")[0]
    assert texts(reader, ".rd-fact")[1:] == ["12.8% of A", "28.5% of B"]
    reader.evaluate("shown.next()")
    assert reader.locator(".rd-current").count() == 1


@pytest.mark.parametrize("layout", ["side", "inline"])
def test_hostile_texts_and_names_are_only_text(reader: Any, layout: str) -> None:
    """The page fixture fails on any dialog, request or message."""
    name = "</bdi><img src=x onerror=alert(4)>\u202e/\x1b[2J"
    mine, theirs = (
        {"letter": letter, "name": name, "text": text, "lang": '"><script>'}
        for letter, text in (("A", HOSTILE), ("B", HOSTILE.replace("isolated", "x") + HOSTILE))
    )
    show(reader, "", "", a=mine, b=theirs, layout=layout)
    foreign = reader.locator("#box").locator("img, script, style, a, iframe, [style*=url]")
    assert foreign.count() == 0
    body = "".join(texts(reader, ".rd-panel"))
    assert not set(body) & set("\x00\x07\x1b\u202e\u202c\u200b\u2028\ufeff\u00ad\u2066\u2069")
    for code in ("U+202E", "U+200B", "U+0000", "U+001B", "U+D800", "U+2028", "U+E0041"):
        assert code in texts(reader, ".code")


def test_colours_have_enough_contrast(reader: Any) -> None:
    show(reader, "甲乙丙題閣\n" + "\n".join(LINES[:9]), "甲丁丙题阁\n" + "\n".join(LINES[1:10]))
    assert low_contrast(reader) == []


@pytest.mark.parametrize("layout", ["side", "inline"])
def test_nothing_overflows_on_a_phone(reader: Any, layout: str) -> None:
    reader.set_viewport_size({"width": 400, "height": 800})
    show(reader, HOSTILE + "x" * 900 + "\n" + "长" * 3000, HOSTILE * 2 + "y" * 900, layout=layout)
    assert reader.evaluate("document.documentElement.scrollWidth") == 400


def test_long_texts_are_drawn_near_the_screen_only(reader: Any) -> None:
    a = "\n".join(f"{i} 甲乙丙丁 {i * i}" for i in range(20_000))
    assert show(reader, a, a.replace("丙", "己")) == WORDS["comparing"]
    reader.wait_for_selector(".rd-row")
    assert texts(reader, ".rd-fact")[0] == "20,000 changes"
    assert reader.locator(".rd-row").count() < 2000
    reader.evaluate("for (let i = 0; i < 3; i += 1) shown.previous()")
    reader.evaluate("shown.next()")
    reader.evaluate("scrollTo(0, document.body.scrollHeight)")
    reader.wait_for_timeout(100)
    assert reader.locator(".rd-row").count() < 4000


def test_one_line_of_400000_characters_opens(reader: Any) -> None:
    show(reader, "甲乙" * 200_000, "甲丙" * 200_000)
    reader.wait_for_selector(".rd-row", timeout=20_000)
    assert texts(reader, ".rd-note") == [WORDS["replaced"]]
    assert reader.locator(".rd-row").count() < 50


def test_one_line_that_differs_everywhere_is_cut_into_rows(reader: Any) -> None:
    show(reader, "雲雨間題" * 25_000, "云雨间题" * 25_000)
    reader.wait_for_selector(".rd-row", timeout=20_000)
    assert texts(reader, ".rd-fact")[0] == "0 changes"
    assert 0 < reader.locator(".rd-row").count() < 30
    show(reader, "甲乙" * 30_000, "\n" * 60_000)
    reader.wait_for_selector(".rd-row", timeout=20_000)


def test_columns_show_each_text_whole(reader: Any) -> None:
    """Random pairs; what is invisible or differs at a line end is put back."""
    reader.add_script_tag(content=Path(__file__).with_name("pairs.js").read_text("utf-8"))
    wrong = reader.evaluate(
        """(strings) => {
          const next = random(17);
          const plain = (text) => text.replace(/\\n/g, '');
          const box = document.getElementById('box');
          const read = (cell) => [...box.querySelectorAll(cell)].map((e) => e.textContent).join('');
          for (let i = 0; i < 200; i += 1) {
            const [a, b] = pairOf(next);
            const side = (letter, text) => ({letter, name: letter, text});
            const given = {a: side('A', a), b: side('B', b), fold: FOLD, strings};
            const handle = Reader.show(box, given);
            for (const more of box.querySelectorAll('.rd-hidden')) more.click();
            dispatchEvent(new Event('beforeprint'));
            for (const end of box.querySelectorAll('.rd-end')) end.remove();
            for (const code of box.querySelectorAll('.code')) {
              code.replaceWith(code.code.repeat(code.times));
            }
            const shown = [read('.rd-cell.a .rd-text'), read('.rd-cell.b .rd-text')];
            if (shown[0] !== plain(a) || shown[1] !== plain(b)) return [a, b, ...shown];
            handle.destroy();
          }
          return null;
        }""",
        WORDS,
    )
    assert wrong is None


def test_destroyed_while_it_waits_it_draws_nothing(reader: Any) -> None:
    show(reader, "甲" * 100_000, "乙" * 100_000)
    reader.evaluate("shown.destroy(); shown.next()")
    reader.wait_for_timeout(100)
    assert reader.locator("#box *").count() == 0
