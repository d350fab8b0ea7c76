"""The facts of texts: equal in every spelling, and different where a reader would say so."""

import re
from datetime import date
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import seconds

from simdup.model.readings import FACT_KINDS
from simdup.text import facts
from simdup.text.characters import FOLDED_IN_PLACE
from simdup.text.facts import Fact, agree, facts_of, find_facts, lost_facts, term_pattern

# Characters and words that facts are made of.
PIECES = [
    *"0123456789.,:/-%$@()（）+#'\n 一二三十百千万亿点年月日时分第条不非别元天个次至v",
    " mg", " May ", " two ", " hundred", " no", "n't", "http://", "example.com/", " and ",
    "毫克", "上午", "百分之", "分之", "星期", "version ", "section ",
]  # fmt: skip

SMALL = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
         "nineteen"]  # fmt: skip
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def only(text: str) -> Fact:
    """The only fact of a text, which is all of it."""
    found = find_facts(text)
    assert [text[fact.start : fact.end] for fact in found] == [text]
    return found[0]


def values(text: str) -> list[str]:
    return [fact.value for fact in find_facts(text)]


def in_han(number: int) -> str:
    """A number as it is written in Chinese."""
    if number >= 10_000:
        low = number % 10_000
        zero = "零" if 0 < low < 1000 else ""
        return f"{in_han(number // 10_000)}万{zero}{in_han(low) if low else ''}"
    spelled = "".join(
        "零一二三四五六七八九"[int(digit)] + (unit if digit != "0" else "")
        for digit, unit in zip(f"{number:04}", "千百十 ", strict=True)
    )
    spelled = re.sub("零+", "零", spelled.replace(" ", "")).strip("零")
    return spelled.removeprefix("一" if spelled.startswith("一十") else "") or "零"


def in_english(number: int) -> str:
    for unit, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= unit:
            low = number % unit
            rest = "" if not low else (" and " if low < 100 else " ") + in_english(low)
            return f"{in_english(number // unit)} {name}{rest}"
    if number < 20:
        return SMALL[number]
    return TENS[number // 10 - 2] + (f"-{SMALL[number % 10]}" if number % 10 else "")


@pytest.mark.parametrize(
    ("kind", "value", "spellings"),
    [
        ("address", "https://example.com/x", ["https://example.com/x", "HTTPS://Example.com/x/"]),
        ("address", "www.example.com", ["www.example.com", "WWW.example.com/"]),
        ("address", "a.b@example.com", ["a.b@example.com", "A.B@EXAMPLE.COM"]),
        ("address", "10.0.0.1", ["10.0.0.1"]),
        ("date", "2024-05-01", [
            "2024年5月1日", "2024-05-01", "2024/5/1", "2024.5.1", "May 1, 2024", "1 May 2024",
            "1st of May, 2024", "1-May-2024", "May 1st 2024", "二〇二四年五月一日", "05/01/2024",
            "二零二四年五月一号", "2024 年 5 月 1 日", "２０２４年５月１日",
        ]),
        ("date", "2024-01-13", ["13/01/2024", "01/13/2024", "2024-1-13", "二〇二四年一月十三日"]),
        ("date", "--05-01", ["5月1日", "5月1号", "五月一日", "May 1", "1st of May", "1 May"]),
        ("date", "2024-05", ["2024年5月", "May 2024", "二零二四年五月", "2024-05", "May, 2024"]),
        ("date", "2024", ["2024年", "二〇二四年", "二○二四年"]),
        ("date", "--06", ["6月", "六月", "June"]),
        ("date", "wed", ["星期三", "周三", "礼拜三", "Wednesday"]),
        ("time", "09:00", [
            "9:00", "09:00", "9 am", "9:00 a.m.", "上午九点", "9点", "九時", "9 o'clock",
            "９：００",
        ]),
        ("time", "21:00", ["9 p.m.", "21:00", "晚上9点", "下午九點整"]),
        ("time", "15:30", ["下午3点半", "3:30 pm", "15时30分", "十五时三十分", "3.30 pm"]),
        ("time", "09:15", ["九点一刻", "9:15", "上午9点15分"]),
        ("time", "12:00", ["noon", "中午12点", "12 pm", "正午"]),
        ("time", "10:00", ["中午10点", "上午10点"]),
        ("time", "13:00", ["中午1点", "下午1点"]),
        ("time", "00:00", ["midnight", "12 am", "0点", "凌晨12点"]),
        ("version", "1.2.3", ["v1.2.3", "1.2.3", "version 1.2.3", "版本 1.2.3", "版本号：V1.2.3"]),
        ("version", "2.4.x", ["2.4.x", "v2.4.X"]),
        ("percent", "5 %", [
            "5%", "5％", "百分之五", "5 percent", "five per cent", "5 个百分点", "5.0%",
        ]),
        ("percent", "3 ‰", ["3‰", "千分之三"]),
        ("amount", "10 mg", [
            "10 mg", "10mg", "10毫克", "十毫克", "１０ ｍｇ", "ten milligrams", "10.0 MG",
        ]),
        ("amount", "5 kg", ["5千克", "五公斤", "5 kilograms", "5kg"]),
        ("amount", "100 cny", [
            "￥100", "¥100", "100元", "RMB 100", "CNY 100", "100 yuan", "人民币100元", "一百元",
            "壹佰圆",
        ]),
        ("amount", "5 usd", ["$5", "US$5", "5 美元", "USD 5", "five dollars", "$5.00"]),
        ("amount", "30000 cny", ["3万元", "30,000元", "三萬元", "叁万元", "30000 yuan"]),
        ("amount", "3 day", ["3 days", "three days", "三天", "3天", "3-day", "三日"]),
        ("amount", "2 h", ["2小时", "两小时", "兩個小時", "two hours", "2 h"]),
        ("amount", "10 km/h", ["10 km/h", "10公里/小时", "10 kilometers per hour"]),
        ("amount", "25 °c", ["25 °C", "25摄氏度", "25℃"]),
        ("code", "ab-1234", ["AB-1234", "ab-1234", "ＡＢ－１２３４"]),
        ("code", "x7", ["X7"]),
        ("number", "20", ["20", "二十", "twenty", "020", "20.0", "贰拾", "２０"]),
        ("number", "1000", ["1,000", "1000.0", "一千", "one thousand", "１，０００"]),
        ("number", "35000", ["三万五千", "三万五", "3.5万", "3万5千", "35,000", "叁万伍仟"]),
        ("number", "105", ["one hundred and five", "一百零五", "105", "一百〇五"]),
        ("number", "2400", ["两千四", "两千四百", "two thousand four hundred"]),
        ("number", "5000000", ["5 million", "五百万", "five million", "500万"]),
        ("number", "3", ["third", "3rd", "第三", "第3", "No. 3", "no.3"]),
        ("number", "23", ["twenty-third", "23rd", "第二十三"]),
        ("number", "3.5", ["3.5", "三点五", "3.50"]),
        ("number", "-5", ["-5", "−5"]),
        ("number", "1/3", ["1/3", "三分之一", "one third"]),
        ("number", "13800000000", [
            "138-0000-0000", "13800000000", "138－0000－0000", "+86 138-0000-0000",
        ]),
        ("number", "1062345678", ["010-62345678", "+86 10 62345678"]),
        ("number", "5551234567", ["555-123-4567", "+1 (555) 123-4567", "+1 555-123-4567"]),
        ("negation", "not", [
            "不", "不得", "不要", "禁止", "严禁", "嚴禁", "切勿", "未", "无", "無", "没有", "非",
            "别", "not", "no", "cannot", "can't",
            "don’t", "never", "without", "neither", "nor",
            "NOT",
        ]),
    ],
)  # fmt: skip
def test_spellings_of_a_fact_have_one_value(kind: str, value: str, spellings: list[str]) -> None:
    assert {(only(text).kind, only(text).value) for text in spellings} == {(kind, value)}
    assert kind in FACT_KINDS


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("5月1日", "2024年5月1日"),
        ("2024年5月", "2024年5月1日"),
        ("2024年", "May 1, 2024"),
        ("2024", "2024年"),
        ("20", "20 mg"),
        ("二十人", "20 people"),
        ("20", "twenty days"),
        ("5 mg", "5 mg/day"),
        ("第三", "3"),
    ],
)
def test_facts_agree_where_one_says_less(a: str, b: str) -> None:
    first, second = find_facts(a)[0], find_facts(b)[0]
    assert agree(first, second)
    assert agree(second, first)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("20", "20%"),
        ("20 mg", "20 g"),
        ("20 mg", "20%"),
        ("5%", "5‰"),
        ("1 kg", "1000 g"),
        ("5月1日", "2024年5月2日"),
        ("2024年5月", "5月1日"),
        ("2024年", "2023年5月1日"),
        ("星期三", "星期四"),
        ("9:00", "21:00"),
        ("9 am", "9 pm"),
        ("8月1日", "9月1日"),
        ("v1.2.3", "v1.2.4"),
        ("AB-1234", "AB-1235"),
        ("example.com/a", "example.com/b"),
        ("5元", "5美元"),
        ("两三", "二十三"),
        ("十二五", "十三五"),
        ("10", "-10"),
        ("18岁", "18年"),
        ("3.14159265358979323846264338327950288", "3.14159265358979323846264338327950289"),
    ],
)
def test_facts_that_differ_do_not_agree(a: str, b: str) -> None:
    assert not agree(only(a), only(b))
    assert not agree(only(b), only(a))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024年5月1日上午9点开会", ["2024-05-01", "09:00"]),
        ("2024-05-01T09:30:15Z", ["2024-05-01 09:30:15z"]),
        ("见https://example.com/a。另见（www.example.com）", [
            "https://example.com/a", "www.example.com",
        ]),
        ("At https://example.com/x, 'ftp://example.com/y'.", ["https://example.com/x", "ftp://example.com/y"]),
        ("9:00-17:00", ["09:00", "17:00"]),
        ("每日三次，每次两片，一周后复查", ["3", "2", "1 week"]),
        ("三至五日内，处二至三倍罚款", ["3", "5 day", "2", "3 times"]),
        ("5月1日至3日", ["--05-01", "3 day"]),
        ("3月-5月", ["--03", "--05"]),
        ("100元-200元", ["100 cny", "200 cny"]),
        ("10-20 mg", ["10", "20 mg"]),
        ("气温-5℃", ["-5 °c"]),
        ("in 2024, on 1 May", ["2024", "--05-01"]),
        ("Windows 10升级到2016日志", ["10", "2016"]),
        ("一周三次，每周三开会", ["1 week", "3", "wed"]),
        ("GB 2312, 10x and 5th-generation, a 5-step plan", ["2312", "10x", "5", "5"]),
        ("one of them; one hour; one hundred", ["1 h", "100"]),
        ("one in twenty-one t-shirts", ["21"]),
        ("不要，百分之百", ["not", "100 %"]),
        ("10毫克每天", ["10 mg/day"]),
        ("共1,000人、1,50", ["1000", "1.5"]),
        ("1.5.2.7.9", ["1.5.2.7.9"]),
        ("2024.The next", ["2024"]),
        ("二〇二四年", ["2024"]),
        ("值为 1 时，大于5时，于9时开始", ["1", "5", "09:00"]),
        ("只要不违反，对不符合的", ["not", "not"]),
        # Numerals that count nothing.
        ("一些、一样、一起、一般、统一、万一、一一、一个、一种、十分、千万", []),
        ("进一步、同一天、四川", []),
        ("非常未来不仅不但不断不同不过不管不论无论无限无线不锈钢不动产不足非洲", []),
        ("除非莫非差不多对不起不久不少要不然不妨无疑", []),
        ("特别分别区别级别个别类别性别告别别的别人", []),
        ("not only; nothing; a dozen; may; next to none", ["12"]),
        # Places of the text itself.
        ("第三条 第十二章 第2款 第(三)项 第（三）项 第三节 第5页 第三至五条 第一、三款", []),
        ("（一）甲\n(二)乙\n1. a\n2) b\n3、c\n四、d\n（5）e\n- 6. f\n## 3.2 g\n1.2. h", []),
        ("Section 4.2, section 3, Chapter 5, Figure 3, Fig. 2, Table 1, page 5, line 12", []),
        ("pages 3, 4 and 5; 图3、表2、图 3-1、附件2、附录1、步骤3 [12] [3, 4]", []),
        ("10 mg is the dose\n3 天内\n2024年5月1日起\n2.5 mg\n20%", [
            "10 mg", "3 day", "2024-05-01", "2.5 mg", "20 %",
        ]),
        ("代表20人，图3个，step 3 minutes", ["20", "3", "3 min"]),
    ],
)  # fmt: skip
def test_facts_of_a_sentence(text: str, expected: list[str]) -> None:
    assert values(text) == expected


@given(st.integers(2, 99_999_999))
def test_numerals_say_what_digits_say(number: int) -> None:
    spellings = [f"{number}", f"{number:,}", f"第{in_han(number)}", in_english(number)]
    assert {only(text).value for text in spellings} == {str(number)}
    units = [f"{number} mg", f"{in_han(number)}毫克", f"{in_english(number)} milligrams"]
    assert {only(text).value for text in units} == {f"{number} mg"}


@given(st.dates(date(1000, 1, 1), date(2999, 12, 31)))
def test_dates_have_one_value(day: date) -> None:
    year = "".join("〇一二三四五六七八九"[int(digit)] for digit in f"{day:%Y}")
    spellings = [
        f"{day}", f"{day:%B} {day.day}, {day:%Y}", f"{day.day} {day:%b %Y}", f"{day:%m/%d/%Y}",
        f"{day.year}年{day.month}月{day.day}日", f"{day.year}/{day.month}/{day.day}",
        f"{year}年{in_han(day.month)}月{in_han(day.day)}日",
    ]  # fmt: skip
    assert {only(text).value for text in spellings} == {day.isoformat()}


@given(st.integers(1, 11), st.integers(1, 59))
def test_times_have_one_value(hour: int, minute: int) -> None:
    spellings = [
        f"{hour + 12}:{minute:02}", f"{hour}:{minute:02} pm", f"下午{hour}点{minute}分",
        f"下午{in_han(hour)}点{in_han(minute)}分", f"{hour + 12}时{minute:02}分",
    ]  # fmt: skip
    assert {only(text).value for text in spellings} == {f"{hour + 12}:{minute:02}"}


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_facts_are_in_order_and_make_their_value_alone(text: str) -> None:
    found = find_facts(text)
    ends = [place for fact in found for place in (fact.start, fact.end)]
    assert ends == sorted(ends)
    for fact in found:
        assert 0 <= fact.start < fact.end <= len(text)
        assert fact.kind in FACT_KINDS
        # One numeral is a number only before what it counts.
        alone = find_facts(text[fact.start : fact.end]) or [fact]
        assert [(one.kind, one.value) for one in alone] == [(fact.kind, fact.value)]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_the_look_at_what_facts_begin_with_misses_none(text: str) -> None:
    folded = text.translate(FOLDED_IN_PLACE)
    found = [fact[2:] for fact in facts.read(folded)]
    with pytest.MonkeyPatch.context() as patch:
        # Of a word all forms that begin with letters.
        patch.setattr(facts, "_begins", lambda text: product(range(len(text)), (0, 1, 2, 3, 6)))
        assert found == [fact[2:] for fact in facts.read(folded)]


@pytest.mark.parametrize(
    "text",
    ["Take 10 mg at 9:00 on 2024-05-01 (5%), v1.2.3 or AB-1234: don't", "1/3 of $5, 021-12345678"],
)
def test_width_and_case_change_no_places(text: str) -> None:
    wide = text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
    assert find_facts(wide) == find_facts(text) == find_facts(text.upper())


@pytest.mark.parametrize(
    ("removed", "kept", "lost"),
    [
        ("20 mg", "20", ["20 mg"]),
        ("20", "20 mg", []),
        ("10 g on 2024-05-01", "10 mg on 1 May", ["10 g", "2024-05-01"]),
        ("5月1日", "2024年5月1日", []),
        ("依照第三十五条、图2-1", "依照第三十六条、图2-2", ["2-1", "35"]),
        ("第三十五条", "section 35", []),
        ("1. a\n2. b", "a b", []),
        ("不得外出", "外出", []),
    ],
)
def test_what_a_kept_text_lacks_is_lost(removed: str, kept: str, lost: list[str]) -> None:
    assert lost_facts(facts_of(removed), facts_of(kept)) == lost


def test_terms_are_whole_words_of_an_alphabet_and_han_anywhere() -> None:
    terms = term_pattern(["Aspirin", "阿司匹林", "阿司匹林肠溶片", "vitamin  C", "C++", " "])
    text = "服用ASPIRIN，aspirins或阿司匹林腸溶片10mg，Ｖｉｔａｍｉｎ\nc、阿司匹林、C++11"
    assert [(fact.kind, fact.value) for fact in find_facts(text, terms)] == [
        ("term", "aspirin"), ("term", "阿司匹林肠溶片"), ("amount", "10 mg"), ("term", "vitamin c"),
        ("term", "阿司匹林"), ("term", "c++"), ("number", "11"),
    ]  # fmt: skip
    assert [fact.kind for fact in find_facts("10 mg", term_pattern(["mg", "10"]))] == ["amount"]
    assert term_pattern(["", " "]) is None


@pytest.mark.parametrize(
    "piece",
    ["1", "1,", "1.", "1/", "1-", "1:", "1 ", "1e", "1,000", "a1-", "v1.", "图1-", "5月", "$",
     "Jan ", "一", "十", "千", "壹", "第一", "第一、", "（一", "一点", "百分之", "点", "no ",
     "two hundred ", "a.", "a..", "a-", "a--", "a@", "@", ".", "-", " ", "\n", "#", "> ",
     "section ", "section 1, ", "http://", "www.", "x" * 300 + " "],
)  # fmt: skip
def test_the_time_is_linear(piece: str) -> None:
    short, long = (seconds(partial(find_facts, (piece * size)[:size])) for size in (2500, 20_000))
    assert long < 0.02 + 24 * short
