"""Short texts: which facts keep them apart, and what is no other fact."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import seconds

from simdup.text.characters import fold
from simdup.text.differing_facts import (
    KINDS,
    Difference,
    differences,
    located_differences,
    restate,
)
from simdup.text.opposites import formed_opposites, table

PIECES = [
    "不", "可以", "开放", "关闭", "第三", "3", "下午", "点", " not ", " open ", " closed ", "上",
    "下", "5 mg", "，", "\n", "https://example.org/a", "1. ", "A", "B", "春", "秋",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join).map(fold)


def kinds(a: str, b: str) -> list[str]:
    return [one.kind for one in differences(fold(a), fold(b))]


def keys(*some: str) -> set[str]:
    return {one.key for one in restate([fold(text) for text in some])}


@pytest.mark.parametrize(
    ("kind", "a", "b"),
    [
        ("number", "第一集在线观看", "第二集在线观看"),
        ("number", "高一语文试卷", "高二语文试卷"),
        ("number", "初五放假", "初六放假"),
        ("number", "数学（上）练习", "数学（下）练习"),
        ("number", "A卷答案", "B卷答案"),
        ("number", "合同纠纷一审判决", "合同纠纷二审判决"),
        ("number", "Part IV of the story", "Part V of the story"),
        ("number", "Annex III lists the forms", "Annex IV lists the forms"),
        ("number", "graded B+ in March", "graded B- in March"),
        ("number", "server time +0800 is shown", "server time -0800 is shown"),
        ("number", "电话13800138000", "电话13800138001"),
        ("amount", "每次10毫克", "每次20毫克"),
        ("amount", "infusion of 5 mg/h", "infusion of 5 mg/d"),
        ("amount", "28 dollars per hour", "28 dollars per piece"),
        ("amount", "共500美元", "共500元"),
        ("date", "周三开会", "周四开会"),
        ("date", "the meeting in May", "the meeting in June"),
        ("time", "下午3点开会", "下午4点开会"),
        ("percent", "全场九折", "全场八折"),
        ("code", "gate A7 is open", "gate B7 is open"),
        ("address", "see https://example.org/a", "see http://example.org/a"),
        ("address", "host db1.example.net:5432 is down", "host db1.example.net:5433 is down"),
        ("address", "@alice please review", "@bob please review"),
        ("address", "file /var/log/app.log is full", "file /var/log/sys.log is full"),
        ("negation", "可以进入", "不可以进入"),
        ("opposite", "本人有权查看", "本人无权查看"),
        ("negation", "tickets are refundable", "tickets are non-refundable"),
        ("negation", "the lift is working", "the lift isn’t working"),
        ("opposite", "领导同意了申请", "领导拒绝了申请"),
        ("opposite", "本票有效", "本票无效"),
        ("opposite", "饭前服用", "饭后服用"),
        ("opposite", "the invoice is paid", "the invoice is unpaid"),
        ("opposite", "upload the file", "download the file"),
        ("opposite", "parking is allowed here", "parking is forbidden here"),
    ],
)
def test_another_fact_is_another_text(kind: str, a: str, b: str) -> None:
    assert kind in kinds(a, b)
    assert kind in kinds(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("下午3点开会", "15:00开会"),
        ("两点半开会", "2:30开会"),
        ("营业到24:00", "营业到0:00"),
        ("共壹万贰仟元", "共12000元"),
        ("廿三号发货", "二十三号发货"),
        ("总价 1 200 欧元", "总价 1200 欧元"),
        ("三分之一的人", "1/3的人"),
        ("涨了百分之五", "涨了5%"),
        ("礼拜三见", "周三见"),
        ("充电半小时", "充电30分钟"),
        ("weighs 3,5 kg", "weighs 3.5 kg"),
        ("call 555-123-4567", "call 555 123 4567"),
        ("two dozen eggs", "24 eggs"),
        ("Part IV", "part 4"),
        ("we do not open", "we don’t open"),
        # What one of them does not say.
        ("2024年5月1日开会", "5月1日开会"),
        ("每次20", "每次20毫克"),
        ("看这个视频 https://example.org/a", "看这个视频"),
        # No facts: numbers of lists, marks of questions, words that only look like facts.
        ("3. 下列说法正确的是", "12、下列说法正确的是"),
        ("【单选题】（2）下列说法正确的是", "3.(5分)下列说法正确的是"),
        ("科技不断发展", "科技持续发展"),
        ("无论如何要来", "不管如何要来"),
        ("tell us whether or not you come", "tell us whether you come"),
        ("the shop is not open", "the shop is closed"),
    ],
)
def test_the_same_facts_are_no_difference(a: str, b: str) -> None:
    assert kinds(a, b) == kinds(b, a) == []
    assert len(keys(a, b)) == 1


def test_a_text_is_restated() -> None:
    (one,) = restate([fold("3. 第三集下午3点见，共1,000人 https://example.org")])
    assert one.text.split() == ["3集15:00见,共1000人"]
    assert one.key == "3 15:00 1000"
    (one,) = restate([fold("见 https://example.org/a")], addresses=True)
    assert "example.org" in one.text


@given(st.lists(texts, max_size=5))
def test_texts_are_restated_alone(some: list[str]) -> None:
    assert restate(some) == [one for text in some for one in restate([text])]


@given(texts, texts)
def test_the_order_of_two_texts_does_not_matter(a: str, b: str) -> None:
    found = differences(a, b)
    assert sorted(found) == sorted(Difference(k, y, x) for k, x, y in differences(b, a))
    assert {one.kind for one in found} <= set(KINDS)
    for kind, x, y in found:
        assert 0 <= x[0] <= x[1] <= len(a)
        assert 0 <= y[0] <= y[1] <= len(b)
        assert kind
    assert not differences(a, a)


@given(texts, texts)
def test_texts_without_a_difference_have_one_key(a: str, b: str) -> None:
    if not differences(a, b):
        assert len(keys(a, b)) == 1


def test_differences_are_located_in_the_texts_as_written() -> None:
    (fact,) = located_differences("每次１０毫克，早晚各一次", "每次２０毫克，早晚各一次")
    assert (fact.kind, fact.a, fact.b) == ("amount", "１０毫克", "２０毫克")
    (fact,) = located_differences("可以外出", "不可以外出")
    assert (fact.kind, fact.a, fact.b) == ("negation", "", "不可")


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [("paid", "unpaid", True), ("enable", "disable", True), ("careful", "careless", True),
     ("upload", "download", True), ("garden", "winter", False), ("in", "un", False)],
)  # fmt: skip
def test_opposites_by_their_form(x: str, y: str, expected: bool) -> None:
    assert formed_opposites(x, y) == formed_opposites(y, x) == expected


def test_no_line_of_the_table_contradicts_itself() -> None:
    for meanings in table():
        for word, places in meanings.items():
            assert word == fold(word)
            lines = [line for line, _ in places]
            assert len(lines) == len(set(lines)), word


@pytest.mark.parametrize(
    "piece", ["不", "开", "open ", "a ", "春", "第三", "5 mg ", "https://a.b/ "]
)
def test_the_time_is_linear(piece: str) -> None:
    def compare(size: int) -> None:
        differences(
            (piece * size)[:size], (piece * size)[: size // 2] + "关" + (piece * size)[: size // 2]
        )

    table()
    short, long = (seconds(partial(compare, size)) for size in (500, 4000))
    # Words are aligned by bits, 64 at a time.
    assert long < 0.05 + 40 * short
