"""The diff of the report page: simdup/show/report/assets/diff.js, in a real browser."""

import json
from pathlib import Path
from typing import Any

import pytest

from simdup.show.report.page import joined_script

PAIRS = Path(__file__).with_name("pairs.js")
FOLD = {"雲": "云", "間": "间", "題": "题", "閣": "阁"}


@pytest.fixture
def diff(page: Any) -> Any:
    """A page with the diff."""
    page.add_script_tag(content=joined_script(["tokens.js", "align.js", "diff.js"]))
    page.add_script_tag(content=PAIRS.read_text("utf-8"))
    return page


def compare(page: Any, a: str, b: str, unit: str = "characters") -> dict[str, Any]:
    given = json.dumps([a, b, {"unit": unit, "fold": FOLD}])
    found: dict[str, Any] = page.evaluate(f"Diff.compare(...{given})")
    return found


def kinds(page: Any, a: str, b: str, unit: str = "characters") -> list[tuple[str, str, str]]:
    """Return the operations with their texts, which must have no astral characters."""
    return [
        (o["kind"], a[slice(*o["a"])], b[slice(*o["b"])])
        for o in compare(page, a, b, unit)["operations"]
    ]


@pytest.mark.parametrize("unit", ["characters", "words"])
def test_operations_turn_one_text_into_the_other(diff: Any, unit: str) -> None:
    wrong = diff.evaluate(
        """(unit) => {
          const next = random(11);
          for (let i = 0; i < 3000; i += 1) {
            const [a, b] = pairOf(next);
            const wrong = check(a, b, unit);
            if (wrong) return [wrong, a, b];
          }
          return null;
        }""",
        unit,
    )
    assert wrong is None


def test_short_sequences_are_aligned_with_the_fewest_edits(diff: Any) -> None:
    wrong = diff.evaluate(
        """() => {
          const next = random(5);
          const sequence = () => Int32Array.from({length: next() * 30}, () => next() * 4);
          const common = (a, b) => {
            let row = new Int32Array(b.length + 1);
            for (const x of a) {
              const last = row;
              row = new Int32Array(b.length + 1);
              b.forEach((y, j) => {
                row[j + 1] = x === y ? last[j] + 1 : Math.max(last[j + 1], row[j]);
              });
            }
            return row[b.length];
          };
          for (let i = 0; i < 2000; i += 1) {
            const [a, b] = [sequence(), sequence()];
            const {runs} = Align.align(a, b);
            let [x, y, length] = [0, 0, 0];
            for (const [p, q, size] of runs) {
              const same = a.subarray(p, p + size).join() === b.subarray(q, q + size).join();
              if (p < x || q < y || !same) return ['order', [...a], [...b]];
              [x, y, length] = [p + size, q + size, length + size];
            }
            if (length !== common(a, b)) return ['length', [...a], [...b]];
          }
          return null;
        }"""
    )
    assert wrong is None


def test_long_texts_are_anchored_and_rebuilt(diff: Any) -> None:
    wrong = diff.evaluate(
        """() => {
          const next = random(3);
          const line = () => `${textOf(next, 9)}${Math.floor(next() * 1e6)}${textOf(next, 9)}\\n`;
          for (let i = 0; i < 6; i += 1) {
            const lines = Array.from({length: 900}, line);
            const edit = (l) => (next() < 0.1 ? [] : next() < 0.2 ? [l, line()] : [l]);
            const edited = lines.flatMap(edit);
            edited.push(...edited.splice(100, 20));
            const [a, b] = [lines.join(''), edited.join('')];
            if (check(a, b, 'characters')) return check(a, b, 'characters');
            if (Diff.compare(a, b, {}).counts.equal < 0.6) return 'too little in common';
          }
          return '';
        }"""
    )
    assert wrong == ""


def test_scripts_widths_and_cases_are_the_same_after_folding(diff: Any) -> None:
    assert kinds(diff, "題西林寺水閣，ＡＢＣ", "题西林寺水阁，abc") == [
        ("folded", "題", "题"),
        ("equal", "西林寺水", "西林寺水"),
        ("folded", "閣", "阁"),
        ("equal", "，", "，"),
        ("folded", "ＡＢＣ", "abc"),
    ]
    assert compare(diff, "雲間", "云间")["counts"] == {
        "changes": 0, "moved": 0, "folded": 1, "equal": 1,
    }  # fmt: skip


@pytest.mark.parametrize(("a", "b"), [("汉\u200b字", "汉字"), ("a\u00adb", "ab")])
def test_invisible_differences_are_no_changes_but_shown(diff: Any, a: str, b: str) -> None:
    found = compare(diff, a, b)["counts"]
    assert (found["changes"], found["folded"]) == (0, 1)


def test_what_changes_are_made_of(diff: Any) -> None:
    assert kinds(diff, "1993年9月28日", "1992年4月3日") == [
        ("changed", "1993", "1992"),
        ("equal", "年", "年"),
        ("changed", "9", "4"),
        ("equal", "月", "月"),
        ("changed", "28", "3"),
        ("equal", "日", "日"),
    ]
    assert kinds(diff, "我们去北京", "我们去上海", "words")[-1] == ("changed", "北京", "上海")
    assert kinds(diff, "", "") == []
    assert compare(diff, "", "")["counts"]["equal"] == 1
    assert kinds(diff, "", "新") == [("added", "", "新")]


def test_an_insertion_starts_where_a_line_starts(diff: Any) -> None:
    a = "第一条 甲乙\n\n第三条 丙丁\n"
    b = "第一条 甲乙\n\n第二条 戊己\n\n第三条 丙丁\n"
    assert kinds(diff, a, b)[1] == ("added", "", "第二条 戊己\n\n")


def test_a_line_keeps_its_beginning_when_lines_are_inserted_before_it(diff: Any) -> None:
    a = "第十条 甲。\n第十一条 丙丁。\n"
    b = "第十条 甲。\n第十二条 戊己庚。\n第十三条 丙丁。\n"
    assert kinds(diff, a, b)[1:4] == [
        ("added", "", "第十二条 戊己庚。\n"),
        ("equal", "第十", "第十"),
        ("changed", "一", "三"),
    ]
    assert kinds(diff, b, a)[1:3] == [
        ("removed", "第十二条 戊己庚。\n", ""),
        ("equal", "第十", "第十"),
    ]


def test_a_chance_match_between_larger_changes_does_not_cut_them(diff: Any) -> None:
    assert kinds(diff, "甲乙丙的丁戊己。", "子丑寅的卯辰巳。") == [
        ("changed", "甲乙丙的丁戊己", "子丑寅的卯辰巳"),
        ("equal", "。", "。"),
    ]
    assert kinds(diff, "the red house", "the blue car")[1] == ("changed", "red house", "blue car")


def test_a_sentence_elsewhere_has_moved(diff: Any) -> None:
    a = "春天来了万物生长。山中有一座古老的寺庙。河水缓缓流过村庄和田野。"
    b = "河水缓缓流过村庄和田野。春天来了万物生长。山中有一座古老的寺庙。"
    found = compare(diff, a, b)
    assert found["counts"]["moved"] == 1
    moved = [o for o in found["operations"] if o["kind"] == "moved"]
    assert b[slice(*moved[0]["b"])] == "河水缓缓流过村庄和田野。"
    assert a[slice(*moved[0]["from"])] == b[slice(*moved[0]["b"])]
    assert moved[1]["to"] == moved[0]["b"]


def test_texts_without_anything_in_common_are_replaced_with_a_note(diff: Any) -> None:
    found = diff.evaluate(
        """() => {
          const next = random(1);
          const letter = (from) => String.fromCharCode(from + next() * 900);
          const text = (from) => Array.from({length: 60000}, () => letter(from)).join('');
          return Diff.compare(text(0x4e00), text(0x4f00), {});
        }"""
    )
    assert found["note"] == "replaced"
    assert found["counts"]["equal"] < 0.2


def test_texts_of_400000_characters_do_not_freeze_the_page(diff: Any) -> None:
    """Bounds count steps; the time is generous, for a machine may be busy."""
    took = diff.evaluate(
        """() => {
          const next = random(9);
          const of = (f) => Array.from({length: 4e5}, f).join('');
          const plain = of(() => String.fromCharCode(0x4e00 + next() * 3000));
          const pairs = [
            [plain, plain.replace(/[\\u5000-\\u5040]/g, '改')],
            ['甲'.repeat(4e5), '甲乙'.repeat(2e5)],
            ['a '.repeat(2e5), 'b a '.repeat(1e5)],
            [plain, of(() => String.fromCharCode(0x4e00 + next() * 3000))],
          ];
          const start = performance.now();
          for (const [a, b] of pairs) Diff.compare(a, b, {unit: 'characters'});
          return (performance.now() - start) / pairs.length;
        }"""
    )
    assert took < 8000
