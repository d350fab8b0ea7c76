"""The facts of a text: addresses, dates, amounts, numbers and what else copies may differ in.

`_ROWS` is the table of them all, at the end of this file.  At each place of a text its forms are
tried from top to bottom, and the first that matches decides.  The named groups of a form make the
value, which is equal for equal facts in whatever spelling: 十毫克, 10mg and 10 milligrams are
"10 mg".  Case is ignored, also in addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import cache, lru_cache
from itertools import pairwise, zip_longest
from typing import NamedTuple

from simdup.base.when_used import pattern
from simdup.text.characters import FOLDED_IN_PLACE


class Fact(NamedTuple):
    """A fact of a text.

    Attributes
    ----------
    kind : str
        One of `simdup.model.readings.FACT_KINDS`.
    value : str
        Equal for equal facts, in whatever spelling.
    start, end : int
        Characters of the text, end exclusive.
    """

    kind: str
    value: str
    start: int
    end: int


def find_facts(text: str, terms: re.Pattern[str] | None = None) -> list[Fact]:
    """Return the facts of a text, in order; they do not overlap.

    Parameters
    ----------
    text : str
        The text as it is written, in any case and width.
    terms : re.Pattern or None
        What else is a fact; see `term_pattern`.  Other kinds come first.

    Examples
    --------
    >>> [fact.value for fact in find_facts("２０２４年5月1日上午九点，每次二十毫克。")]
    ['2024-05-01', '09:00', '20 mg']
    """
    folded = text.translate(FOLDED_IN_PLACE)
    facts = [fact for fact in _found(folded) if fact.kind]
    if terms is None:
        return facts
    ends = [0, *(place for fact in facts for place in fact[2:]), len(folded)]
    for start, end in list(pairwise(ends))[::2]:
        for found in terms.finditer(folded, start, end):
            facts.append(Fact("term", " ".join(found[0].split()), found.start(), found.end()))
    return sorted(facts, key=lambda fact: fact.start)


@cache
def sign_of_facts() -> re.Pattern[str]:
    """Return what is in nearly every fact of a folded text, or beside it, but for addresses.

    To look for it takes less time than to look for facts.
    """
    return re.compile(_filled(
        rf"(?u:\d)|[HAN%‰№¥$€£{_FINANCIAL}周午夜没不未无非别勿禁]|星期|礼拜|\b(?:{{small}}|{{nth}}|{{named}}"
        r"|{weekday}|noon|midnight|not?|never|without|cannot|neither|nor|{do}n't)(?![a-z])"
    ), _FLAGS)  # fmt: skip


def agree(a: Fact, b: Fact) -> bool:
    """Return whether two facts are equal, or differ only because one says less.

    One says less in 5月1日 and 2024年5月1日, or in 20 and "20 mg"; not in 20 and "20%".
    """
    return _says_less(a[:2], b[:2]) or _says_less(b[:2], a[:2])


# Kinds and values.
Said = frozenset[tuple[str, str]]


def facts_of(text: str) -> Said:
    """Return the facts of a text that are no negations, and the numbers of its places.

    Examples
    --------
    >>> sorted(facts_of("三点 5 mg (lot ab-12) on 3 may 2024, 见第九条"))
    [('', '9'), ('amount', '5 mg'), ('code', 'ab-12'), ('date', '2024-05-03'), ('time', '03:00')]
    """
    found = _found(text.translate(FOLDED_IN_PLACE))
    return frozenset(fact[:2] for fact in found if fact.kind != "negation")


def lost_facts(removed: Said, kept: Said) -> list[str]:
    """Return the facts of a removed text that the kept one lacks, sorted."""
    missing = removed - kept
    return sorted({one[1] for one in missing if not any(_says_less(one, more) for more in kept)})


def _found(folded: str) -> Iterator[Fact]:
    """Yield the facts of a folded text, and numbered places of a text as facts without a kind."""
    for found in _any_form().finditer(folded):
        form = (found.lastindex or 0) - 1
        if value := _value(form, found[0]):
            yield Fact(_FORMS[form][0].kind, value, found.start(), found.end())


def _says_less(less: tuple[str, str], more: tuple[str, str]) -> bool:
    """Return whether what one fact says is what another one says, or a part of it."""
    if less[1] == more[1]:
        return True
    kinds = less[0], more[0]
    if kinds == ("date", "date"):
        fields = [value.replace("--", "-", 1).split("-") for _, value in (less, more)]
        return all(not x or x == y for x, y in zip_longest(*fields, fillvalue=""))
    if kinds == ("number", "amount"):
        return more[1].partition(" ")[0] == less[1]
    return kinds == ("amount", "amount") and more[1].startswith(less[1] + "/")


def term_pattern(terms: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds terms in `find_facts`, the longest first; None without any.

    Case, width and white space do not matter.  What begins or ends with a letter of an alphabet is
    only found as a whole word.
    """
    folded = {" ".join(term.translate(FOLDED_IN_PLACE).split()) for term in terms} - {""}
    if not folded:
        return None
    inside = r"(?<=[^\W\u3040-\u30ff\u3400-\u9fff])(?=[^\W\u3040-\u30ff\u3400-\u9fff])"
    return re.compile(rf"(?!{inside}){_either(folded)}(?!{inside})")


def _either(words: Iterable[str]) -> str:
    """Return an expression for words, the longest first; the first letter is looked at once."""
    begun: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        begun.setdefault(word[0], []).append(re.escape(word[1:]).replace(r"\ ", r"\s+"))
    either = "|".join(f"{re.escape(one)}(?:{'|'.join(rest)})" for one, rest in begun.items())
    return f"(?=[{''.join(map(re.escape, begun))}])(?:{either})"


# -- numbers --

_HAN_DIGITS = "零一二三四五六七八九"
_PLAIN_HAN = str.maketrans("〇两壹贰叁肆伍陆柒捌玖拾佰仟", "零二一二三四五六七八九十百千")
_STEMS = ("thir", "four", "fif", "six", "seven", "eigh", "nine")
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", *(f"{stem}teen" for stem in _STEMS))
_TENS = ("twenty", *(f"{stem}ty" for stem in ("thir", "for", *_STEMS[2:])))
_NTHS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
         "tenth", "eleventh", "twelfth", *(f"{stem}teenth" for stem in _STEMS))  # fmt: skip
_DIGITS = {
    **{character: i for i, character in enumerate(_HAN_DIGITS)},
    **{word: i for words in ((*_ONES, *_TEENS), _NTHS) for i, word in enumerate(words, 1)},
    **{word: 10 * i for i, ten in enumerate(_TENS, 2) for word in (ten, f"{ten[:-1]}ieth")},
}
_SCALES = {"十": 10, "百": 100, "千": 1000, "hundred": 100}
# They multiply all that comes before.
_SECTIONS = {"万": 10**4, "亿": 10**8, "thousand": 10**3, "million": 10**6, "billion": 10**9}
# 三万五 is 三万五千.
_NEXT_SCALE = {"百": "十", "千": "百", "万": "千", "亿": "千万"}

_ONE = "[一二三四五六七八九]"
_SECTION = f"(?:{_ONE}千)?(?:零?{_ONE}百)?(?:零?{_ONE}?十)?(?:零?{_ONE})?"
_SPELLED = pattern(f"百|(?:{_SECTION}亿)?(?:零?{_SECTION}万)?零?{_SECTION}")
_IN_ROW = pattern(f"(?=...|.*零)[{_HAN_DIGITS}]{{2,}}")
_DECIMAL = pattern("[0-9]+(?:[.][0-9]+)?")
_TOKEN = pattern("[0-9]+(?:[.][0-9]+)?|[a-z]+|[^ ]")


def _number(text: str) -> str:
    """Return a number in plain digits; in Han if its numerals make none, such as 两三."""
    text = re.sub("[,，]", "", text).translate(_PLAIN_HAN)
    sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text)
    if not _DECIMAL.fullmatch(digits):
        digits = _spelled(digits)
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return sign + re.sub("^0+(?=[0-9])", "", digits)


def _spelled(text: str) -> str:
    whole, point, decimals = text.partition("点")
    if _IN_ROW.fullmatch(whole):
        whole = "".join(str(_DIGITS[c]) for c in whole)
    elif whole[0].isascii() or _SPELLED.fullmatch(whole):
        if not point and whole[-1] in _HAN_DIGITS[1:]:
            whole += _NEXT_SCALE.get(whole[-2:-1], "")
        whole = f"{_sum(whole):f}"
    else:
        return text
    return whole + ("." if point else "") + "".join(str(_DIGITS[c]) for c in decimals)


def _sum(text: str) -> Decimal:
    """Return what numerals or words add up to: 三万五千, 3.5万, two hundred and five."""
    total = part = digit = Decimal(0)
    for token in _TOKEN.findall(text):
        if scale := _SCALES.get(token):
            part, digit = part + (digit or Decimal(1)) * scale, Decimal(0)
        elif section := _SECTIONS.get(token):
            low = part + digit
            total = (
                (total + low or Decimal(1)) * section if total < section else total + low * section
            )
            part = digit = Decimal(0)
        else:
            digit += Decimal(token if token[0] in "0123456789" else _DIGITS.get(token, 0))
    return total + part + digit


# -- units: what is equal, and how it is written --

_UNITS = {
    "mg": "mgs?|milligrams?|毫克|㎎", "μg": "[μu]g|mcg|micrograms?|微克", "g": "g|grams?|克",
    "kg": "kgs?|kilos?|kilograms?|千克|公斤|㎏", "t": "t|tons?|tonnes?|公?吨", "斤": "斤",
    "lb": "lbs?|pounds?(?! sterling)|磅", "ml": "ml|cc|millilit(?:er|re)s?|毫升|㎖",
    "l": "l|lit(?:er|re)s?|公?升(?![级序降高至到温值华职学为])",
    "nm": "nm|nanomet(?:er|re)s?|纳米", "μm": "[μu]m|micromet(?:er|re)s?|微米",
    "mm": "mm|millimet(?:er|re)s?|毫米(?!汞)|㎜", "cm": "cm|centimet(?:er|re)s?|厘米|公分|㎝",
    "m": "m(?![²³])|met(?:er|re)s?|公?米", "km": "kms?(?![²³])|kilomet(?:er|re)s?|公里|千米|㎞",
    "inch": "inch(?:es)?|英寸", "ft": "ft|foot|feet|英尺", "mile": "miles?|英里",
    "m²": "m[2²]|square met(?:er|re)s?|平方米|平米|㎡", "ha": "ha|hectares?|公顷", "亩": "亩",
    "km²": "km[2²]|square kilomet(?:er|re)s?|平方公里|平方千米",
    "m³": "m[3³]|cubic met(?:er|re)s?|立方米|㎥",
    "ns": "ns|nanoseconds?|纳秒", "μs": "[μu]s|microseconds?|微秒",
    "ms": "ms|msecs?|milliseconds?|毫秒", "s": "s|secs?|seconds?|秒钟?",
    "min": "mins?|minutes?|分钟", "h": "h|hrs?|hours?|个?小时|个?钟头",
    "workday": "(?:work(?:ing)?|business)[ -]?days?|个?工作日",
    "day": "days?|天(?![然津气空下地])|日(?![本语文志期历程记常均元])",
    "week": "weeks?|周(?![边围期末转知密岁年])|个?星期(?![一二三四五六日天])|个?礼拜",
    "month": "months?|个月", "year": "(?:years?|yrs?)(?![ -]old)|周?年(?!代)",
    "岁": "years?[ -]old|周?岁", "times": "倍",
    "分": "分(?![钟贝别布类为配成析开组支期离割之段级步号局公])",
    "degree": "degrees?(?! (?:c|f|celsius|fahrenheit))|°(?![cf])|度",
    "°c": "°c|degrees? (?:celsius|c)|摄氏度|℃", "°f": "°f|degrees? (?:fahrenheit|f)|华氏度|℉",
    "bit": "bits?|比特", "b": "b|bytes?|字节", "kb": "kb|kilobytes?|千字节",
    "mb": "mb|megabytes?|兆(?:字节)?(?![赫瓦帕])", "gb": "gb|gigabytes?|吉字节",
    "tb": "tb|terabytes?", "kbps": "kbps", "mbps": "mbps", "gbps": "gbps",
    "hz": "hz|hertz|赫兹?", "khz": "khz|千赫兹?", "mhz": "mhz|兆赫兹?", "ghz": "ghz|吉赫兹?",
    "v": "v|volts?|伏特?", "kv": "kv|千伏特?", "mv": "mv|毫伏", "a": "amps?|amperes?|安培",
    "ma": "ma|毫安(?!时)", "mah": "mah|毫安时", "w": "w|watts?|瓦特?",
    "kw": "kw|kilowatts?|千瓦(?!时)", "mw": "mw|兆瓦", "kwh": "kwh|千瓦时", "pa": "pa|帕",
    "kpa": "kpa|千帕", "mpa": "mpa|兆帕", "bar": "bar", "mmhg": "mmhg|毫米汞柱",
    "kcal": "kcal|千卡|大卡", "j": "j|焦耳?", "kj": "kj|千焦耳?", "db": "db|分贝",
    "mol": "mol|摩尔", "mmol": "mmol|毫摩尔", "iu": "iu|国际单位", "ppm": "ppm", "rpm": "rpm",
    "dpi": "dpi", "mph": "mph", "px": "px|pixels?|像素",
    "cny": "元人民币|元(?![件素旦宵音数化])|圆(?!形)|块钱|yuan|rmb|cny|人民币|¥",
    "usd": "美元|美金|(?:us )?dollars?|usd|us[$]|[$]", "cent": "美分|cents?",
    "eur": "欧元|euros?|eur|€", "gbp": "英镑|pounds sterling|gbp|£", "jpy": "日元|yen|jpy",
    "hkd": "港元|港币|hkd|hk[$]",
}  # fmt: skip
_UNIT = pattern("|".join(f"({spellings})" for spellings in _UNITS.values()))


def _unit(text: str) -> str:
    found = _UNIT.fullmatch(text)
    return list(_UNITS)[(found.lastindex or 0) - 1] if found else ""


# -- values, from the named groups of a form --

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun", "sun")
_WEEKDAYS = dict(zip("一二三四五六日天", _DAYS, strict=True))
_SHARES = {"百": "%", "千": "‰", "万": "‱", "‰": "‰", "‱": "‱"}
_MINUTES = {"半": "30", "一刻": "15", "三刻": "45"}

Parts = dict[str, str]


def _no_fact(_: Parts) -> str:
    return ""


def _place(part: Parts) -> str:
    return "-".join(map(_number, re.findall(f"[{_HAN}]+|[0-9]+", part["place"])))


def _as_written(part: Parts) -> str:
    return part["value"].rstrip("/")


def _date(part: Parts) -> str:
    if "weekday" in part:
        return _WEEKDAYS.get(part["weekday"], part["weekday"][:3])
    month = part.get("month", "")
    if month[:3] in _MONTHS:
        month = str(_MONTHS.index(month[:3]) + 1)
    numbers = [_number(one).zfill(2) for one in (month, part.get("day")) if one]
    return "-".join([_number(part["year"]) if "year" in part else "-", *numbers])


def _time(part: Parts) -> str:
    if "noon" in part:
        return "12:00" if part["noon"] in ("noon", "正午") else "00:00"
    half, hour = (part.get("half") or part.get("late") or "-")[0], int(_number(part["hour"]))
    if hour == 12 and half in "a凌":
        hour = 0
    elif half in "晚夜深今当":
        hour += 12 if 4 < hour <= 12 else 0
    elif hour < 12 and (half in "p下午傍" or (half == "中" and hour < 10)):
        hour += 12
    minute, second = part.get("minute", "0"), _number(part.get("second", "0"))
    minute = _MINUTES.get(minute) or _number(minute)
    return f"{hour:02}:{minute:0>2}" + (f":{second:0>2}" if second != "0" else "")


def _percent(part: Parts) -> str:
    return f"{_number(part['number'])} {_SHARES.get(part['share'], '%')}"


def _amount(part: Parts) -> str:
    units = (_unit(one) for one in (part["unit"], part.get("per")) if one)
    return f"{_number(part['number'])} {'/'.join(units)}"


def _plain(part: Parts) -> str:
    return _number(part["number"])


def _phone(part: Parts) -> str:
    digits = re.sub("[^0-9]", "", part["number"])
    # With the code of the country or with a zero in its place, the last ten digits are the same;
    # those of a mobile phone in China are eleven.
    last = 11 if digits.startswith("861") and len(digits) == 13 else 10
    return _number(digits[-last:] if part["number"][0] in "+(0" else digits)


def _fraction(part: Parts) -> str:
    over = part["over"].rstrip("s").replace("quarter", "fourth")
    return f"{_number(part['number'])}/{_number(over)}"


def _not(_: Parts) -> str:
    return "not"


# -- the table --

_HAN = "零〇一二两三四五六七八九十百千万亿"
_FINANCIAL = "壹贰叁肆伍陆柒捌玖拾佰仟"
_TEN = "|".join(_TENS)
# What forms are made of: {names} of other parts, and HAN for all of `_HAN`.
_PARTS = {
    # Numbers in digits, in Han and in words.  A dash behind a unit makes a range.
    "minus": r"(?<![\w%°℃)\]元度日月年时分秒天个人次克米升吨-])-",
    "digits": r"\b\d++(?:[,，]\d{3}(?!\d))*+(?:\.\d++)?+",
    "thousands": r"千(?![克米瓦卡赫帕伏焦字])",
    "big": r"(?:hundred|thousand|million|billion)\b",
    "figure": r"{minus}?{digits}(?:(?:\s?(?:[百千]?万|亿)|百|{thousands})++(?:\d++[百千万]++)*+"
              r"|(?:[\s-]{big})++)?+",
    "han": r"(?<![HAN])(?!一一)[零〇一二两三四五六七八九十]"
           r"(?:[零〇一二两三四五六七八九十百万亿]|{thousands})*+"
           r"(?:点[零〇一二三四五六七八九]++(?![十分])|(?<=[HAN][HAN]))"
           rf"|[{_FINANCIAL}][零万亿{_FINANCIAL}]++|[壹贰叁肆伍柒捌玖](?=[元圆])",
    "small": rf"(?:(?:{_TEN})(?:[\s-](?:{'|'.join(_ONES)})\b)?|{'|'.join((*_TEENS, *_ONES))})\b",
    "words": r"\b{small}(?:(?:[\s-]{big})++(?:\s(?:and\s)?{small})?+){0,4}+",
    "nth": rf"(?:(?:{_TEN})[\s-])?(?:{'|'.join(_NTHS)})\b|(?:{_TEN.replace('y', 'ieth')})\b",
    # One numeral is a number where it counts something; 一 often says no more than "a".
    "one": r"(?<![HAN])(?:[二两三四五六七八九]|十(?!分(?!钟)|字)"
           r"|(?<![同任另某这那每唯统单专逐上下])一(?=(?![分度]){unit}|[人名次级期届号层楼至到]))",
    "counted": r"[个人名次份件张台页篇条部家本项种户辆位只头棵株粒颗片瓶盒袋箱包支根套双对组批间层"
               r"楼栋座号室班级届期季册卷例场所处艘架字词行步遍类方余多]",
    "any": r"{figure}|{han}|{one}|{words}",
    "unit": rf"(?:{'|'.join(_UNITS.values())})(?!(?<=[a-z])[a-z0-9])",
    "currency": r"人民币|[¥$€£]|\b(?:rmb|cny|usd|us[$]|hkd|hk[$]|eur|gbp|jpy)(?![a-z])",
    # Dates and times.
    "numeric": r"\b[12]\d{3}(?:-\d+-|/\d+/|\.\d+\.)",
    "year": r"\b[12]\d{3}|(?<![HAN])[〇零一二三四五六七八九]{4}",
    "month": rf"1[0-2]|0?[1-9]|十[一二]?|{_ONE}",
    "day": rf"3[01]|[12]\d|0?[1-9]|三十一?|二?十{_ONE}?|{_ONE}",
    "named": r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
             r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b",
    "certain": r"\b(?:january|february|april|june|july|august|(?:septem|octo|novem|decem)ber)\b",
    "th": r"(?:st|nd|rd|th)?\b",
    "weekday": r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day\b|(?=[.,]))",
    "half": r"凌晨|清晨|早晨|早上|上午|中午|下午|午后|傍晚|晚上|晚间|夜间|夜里|深夜|今晚|当晚"
            r"|(?<!最)[早晚]",
    "late": r"(?:[ap]m|[ap]\.m\b\.?)(?!\w)",
    "hour": rf"\b(?:2[0-4]|[01]?\d)|(?<![HAN])(?:二十[一二三四]?|十{_ONE}?|[零〇两]|{_ONE})",
    # 一点 alone is "a little", and 大于 5 时 means "if it is above 5".
    "clock": r"(?!一[点时](?![半钟整\d一二三四五]))(?<![为是=])(?<![为是=]\s)(?<![大小等低高]于)"
             r"(?<![大小等低高]于\s)(?<!达到)",
    "sixty": rf"[0-5]?\d|[二三四五]?十{_ONE}?|[零〇]?{_ONE}",
    # Places, addresses, versions, negations.
    "margin": r"[ \t#>*]*(?:[-+•·] )?[(（]?",
    "heading": r"section|chapter|part|figure|fig\.?|table|step|page|p\.|line|appendix|annex|article"
             r"|clause|paragraph|item|equation|eq\.|example",
    "headings": r"sections|chapters|parts|figures|figs\.?|tables|steps|pages|pp\.|lines|articles"
              r"|clauses|paragraphs|items",
    # A session, an amendment and a decree have their number as a name.
    "article": r"条|章|款|项|节|页|编|目|部分|小节|行|列|题|步|段|届"
               r"|次(?=全体|会议|修[正订])|号(?=公布|公告|令|发布)",
    "place": r"\d++(?:[.-]\d++)*+(?![\w%]|[.-]\w)(?![,.]\d|\s?(?:{unit}|{counted}))",
    "label": r"[a-z0-9][a-z0-9-]{0,62}+",
    "path": r"[!#-&*-;=?@_a-z~]*[#-&+/-9=@_a-z~]",
    "release": r"\d+(?:\.\d+)*(?:\.x)?(?:[-.]?(?:alpha|beta|rc|sp|build|preview|dev)[-.]?\d*)?"
               r"(?!\.?\w)",
    "do": r"do|does|did|is|are|was|were|has|have|had|ca|wo|would|should|could|must|need|might",
}  # fmt: skip


class _Row(NamedTuple):
    kind: str
    value: Callable[[Parts], str]
    forms: tuple[str, ...]


_ROWS = (
    # Places of the text itself: items of lists, headings; articles, references, labels.
    _Row("", _no_fact, (
        r"^{margin}(?:\d{1,3}(?:\.\d{1,3})*|[一二三四五六七八九十百零]{1,5})[.)）、](?![\w./-]*\d|x\b)",
        r"^#+[ \t]*\d{1,3}(?:\.\d{1,3})*(?=\s)",
        r"[(（][一二三四五六七八九十]{1,3}[)）]|\[\d{1,3}(?:\s?[,，-]\s?\d{1,3}){0,9}\]|&#\d+;",
    )),
    _Row("", _place, (
        r"(?P<place>第\s?[(（]?[HAN\d]+[)）]?(?:[、,，和或至到-]第?[HAN\d]+){0,9}\s?{article})",
        r"(?P<place>\b{heading}\s?{place})",
        r"(?P<place>\b{headings}\s?{place}(?:(?:,|,? and|,? or| to)\s{place}){0,9})",
        r"(?P<place>(?:图|(?<![代列])表|附件|附录|步骤|示例|公式)\s?{place})",
    )),
    _Row("address", _as_written, (
        r"(?:(?:https?|ftp)://|\b(?=www\.))(?P<value>{path})",
        r"\b(?P<value>[a-z0-9][\w.%+-]{0,63}+@{label}(?:\.{label})+)",
        r"\b(?P<value>{label}(?:\.{label}){0,9}\.[a-z]{2,63}/{path})",
        r"(?<![\w.])(?P<value>(?:\d{1,3}\.){3}\d{1,3}(?:[:/]\d{1,5})?)(?!\w|\.\d)",
    )),
    _Row("date", _date, (
        r"(?P<year>{year})\s?年(?:\s?(?P<month>{month})\s?月(?:\s?(?P<day>{day})\s?[日号])?)?",
        r"(?<![\w.HAN])(?P<month>{month})\s?月(?![球亮饼票薪刊龄])(?:\s?(?P<day>{day})\s?[日号])?",
        r"(?={numeric})(?P<year>\d{4})[-/.](?P<month>{month})[-/.](?P<day>{day})(?![-/.]?\d)",
        r"(?<![\w-])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?![\w-])",
        r"(?<![\w/-])(?P<month>0?[1-9]|1[0-2])/(?P<day>{day})/(?P<year>[12]\d{3})\b",
        r"(?<![\w/-])(?P<day>{day})/(?P<month>0?[1-9]|1[0-2])/(?P<year>[12]\d{3})\b",
        r"(?P<month>{named})\.?\s(?P<day>{day}){th}(?![:%]|[.,]\d)(?:[,，]?\s?(?P<year>{year})\b)?",
        r"\b(?P<day>{day}){th}[\s-](?:of )?(?P<month>{named})\.?(?:[,，]?[\s-](?P<year>{year})\b)?",
        r"(?P<month>{named})\.?[,，]?\s(?P<year>[12]\d{3})\b",
        r"(?P<month>{certain})",
        r"(?:星期|礼拜|周)(?P<weekday>[一二三四五六日天])(?![次个天名种小])",
        r"(?P<weekday>{weekday})",
    )),
    _Row("time", _time, (
        (
            r"(?:(?P<half>{half})\s?|\b|(?<=\dt))(?<![\d:.])(?P<hour>2[0-4]|[01]?\d)"
            r":(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?![\d:])(?:\s?(?P<late>{late}))?"
        ),
        r"\b(?P<hour>1[0-2]|0?[1-9])(?:\.(?P<minute>[0-5]\d))?\s?(?:(?P<late>{late})|o'clock\b)",
        (
            r"(?:(?P<half>{half})\s?|{clock})(?P<hour>{hour})\s?[点时]"
            r"(?:(?P<minute>半|[一三]刻|{sixty}(?=\s?分(?!钟)))(?:\s?分)?"
            r"(?:(?<=分)\s?(?P<second>{sixty})\s?秒)?|[钟整]|(?![\dHAN半]))"
        ),
        r"(?P<noon>\bnoon\b|\bmidnight\b|(?:正午|午夜)(?!\s?[\dHAN]))",
    )),
    _Row("version", _as_written, (
        r"\bv(?:er(?:sion)?)?[.:]?\s?(?P<value>{release})",
        r"版本号?:?\s?v?(?P<value>{release})(?!\s?{counted})",
        r"(?<![\w.])(?P<value>(?=\d+\.\d+\.[\dx]|\d+(?:\.\d+)*\.x){release})",
    )),
    _Row("percent", _percent, (
        r"(?P<share>[百千万])分之(?P<number>{han}|{figure}|[HAN])",
        r"(?P<number>{any})\s?(?P<share>[%‰‱]|per\s?cent\b|个?百分点|percentage points?\b)",
    )),
    _Row("amount", _amount, (
        r"(?P<unit>{currency})\s?(?P<number>{any})(?:\s?(?:[美欧日港]?元(?:人民币)?|yuan|dollars))?",
        (
            r"(?P<number>{any})(?:(?<![a-z])[\s-]?|[\s-](?![a-z]\b))(?P<unit>{unit})"
            r"(?:(?:\s?/\s?|每| per )(?P<per>{unit}))?"
        ),
    )),
    _Row("code", _as_written, (
        # Not no.5, 5th or 5-step.
        (
            r"\b(?!no\.|\d+(?:st|nd|rd|th)\b|\d+(?:\.\d+)?[-./][a-z]+\b(?![-./]\w*\d))"
            r"(?=(?:[a-z_]|[-./](?=\w)){1,200}+\d|\d(?:[\d_]|[-./](?=\w)){0,40}+[a-z])"
            r"(?P<value>\w+(?:[-./]\w+)*+)"
        ),
    )),
    _Row("number", _phone, (
        (
            r"(?<![\w.-])(?P<number>(?=(?:[ ()+-]{0,2}\d){9,15}(?![ ()-]?\d))"
            r"(?:\+\d{1,3}(?:[ -]?\(?\d{2,8}\)?){1,4}|\(?0\d{1,4}\)?(?:[ -]?\d{2,8}){1,3}"
            r"|\d{3}-\d{3,4}-\d{4}))(?![\w-]|\.\d)"
        ),
    )),
    _Row("number", _fraction, (
        r"(?P<over>[HAN]{1,9})分之(?P<number>[HAN]{1,9})",
        r"(?<![\w/.])(?P<number>\d{1,4})/(?P<over>\d{1,4})(?![\w/])",
        r"\b(?P<number>one|two|three|four|five)[\s-](?P<over>thirds?|quarters?|fifths?)\b",
    )),
    _Row("number", _plain, (
        r"(?<!per )\b(?P<number>\d+(?=st|nd|rd|th)|{nth}){th}",
        r"(?:\bno\.?|№)\s?(?P<number>{figure})",
        r"第\s?(?P<number>(?!\d{4}年)\d++(?=[\u4e00-\u9fff]|$)|{han}|[一二三四五六七八九十])",
        r"(?P<number>{figure}|{han}|(?!one\b(?![\s-]{big})){words})",
        r"(?P<number>{one})(?:{counted}|[至到](?=[HAN]|$))",
    )),
    # Without words in which the character is no more than a syllable.
    _Row("negation", _not, (
        r"\b(?:not(?! only)|no|never|without|cannot|neither|nor|{do}n't)\b",
        r"禁止|严禁|切勿|勿|没有|(?<![淹出沉埋覆])没(?![收落入])|未(?!来)|无(?![疑论限线锡])",
        (
            r"不(?![仅但断同过管论锈动产足久妨如止只光单独惜料禁愧堪定良法错])"
            r"(?!(?<=[对了]不)起|(?<=差不)多|(?<=要不)[然是要]|少(?!于))[得要能可应准许必用]?"
        ),
        r"(?<![除莫是南北东西])非(?![常洲但])",
        r"(?:(?<![\u4e00-\u9fff])|(?<=[请你们万都先]))别(?![的人处致墅称名离样])",
    )),
)  # fmt: skip
# One look at what a form can begin with, before all the forms: most characters begin none.
_HAN_BEGIN = """第 图 表 附件 附录 步骤 示例 公式 人民币 版本 星期 礼拜 周 凌晨 清晨 早 上午 中午
下午 正午 午后 午夜 傍晚 晚 夜 深夜 今晚 当晚 禁止 严禁 切勿 勿 没 不 未 无 非 别"""
_BEGIN = (
    rf"(?=[\dHAN№¥$€£{_FINANCIAL}]|[-+\[&]#?\d|{_either(_HAN_BEGIN.split())}"
    r"|[(（][HAN]|^{margin}[\dHAN]|(?:https?|ftp)://|\b(?=[a-z_])(?:www|v[.: \d]"
    r"|version|us[$]|hk[$]|(?:{heading}s?|{headings}|{small}|{nth}|{named}|{weekday}|noon|midnight|rmb"
    r"|cny|usd|hkd|eur|gbp|jpy|not?|never|without|cannot|neither|nor|{do}n't)(?![a-z])"
    r"|[a-z_][a-z_.%+/-]{0,200}+[\d@]|[a-z][a-z-]{0,62}+(?:\.[a-z-]{1,63}+){1,10}+/))"
)


def _filled(expression: str) -> str:
    """Return an expression with the parts that it names."""
    for _ in range(4):
        expression = re.sub(r"\{([a-z]+)\}", lambda part: f"(?:{_PARTS[part[1]]})", expression)
    return expression.replace("HAN", _HAN)


_FLAGS = re.ASCII | re.MULTILINE
_FORMS = [(row, form) for row in _ROWS for form in row.forms]


# Compiled when a text is first asked for its facts: that takes longer than a start without.
@cache
def _any_form(begin: str = _BEGIN) -> re.Pattern[str]:
    """Return an expression for all forms, each a group."""
    unnamed = (re.sub("[?]P<[a-z]+>", "?:", _filled(form)) for _, form in _FORMS)
    return re.compile(f"{_filled(begin)}(?:{'|'.join(f'({one})' for one in unnamed)})", _FLAGS)


@cache
def _one_form(form: int) -> re.Pattern[str]:
    return re.compile(_filled(_FORMS[form][1]), _FLAGS)


# The same facts are written again and again.
@lru_cache(1 << 14)
def _value(form: int, text: str) -> str:
    """Return the value of what a form matched; empty for no fact."""
    found = _one_form(form).fullmatch(text)
    if not found:
        return ""
    return _FORMS[form][0].value({name: part for name, part in found.groupdict().items() if part})
