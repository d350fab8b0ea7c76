"""The values of facts: equal for equal facts, in whatever spelling.

`UNITS` has what can be measured, and how it is written.  Each function makes the value of one kind
from the named groups of the form that was found (`simdup.text.facts`).
"""

from __future__ import annotations

import re
from decimal import Decimal

from simdup.base.when_used import pattern

# All that numerals are made of.
HAN = "零〇一二两三四五六七八九十百千万亿廿卅"
FINANCIAL = "壹贰叁肆伍陆柒捌玖拾佰仟"
HAN_DIGITS = "零一二三四五六七八九"
_PLAIN_HAN = str.maketrans(
    dict(zip("〇两壹贰叁肆伍陆柒捌玖拾佰仟", "零二一二三四五六七八九十百千", strict=True))
    | {"廿": "二十", "卅": "三十", "俩": "二", "仨": "三"}
)
STEMS = ("thir", "four", "fif", "six", "seven", "eigh", "nine")
ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS = ("ten", "eleven", "twelve", *(f"{stem}teen" for stem in STEMS))
TENS = ("twenty", *(f"{stem}ty" for stem in ("thir", "for", *STEMS[2:])))
NTHS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
         "tenth", "eleventh", "twelfth", *(f"{stem}teenth" for stem in STEMS))  # fmt: skip
_DIGITS = {
    **{character: i for i, character in enumerate(HAN_DIGITS)},
    **{word: i for words in ((*ONES, *TEENS), NTHS) for i, word in enumerate(words, 1)},
    **{word: 10 * i for i, ten in enumerate(TENS, 2) for word in (ten, f"{ten[:-1]}ieth")},
}
_SCALES = {"十": 10, "百": 100, "千": 1000, "hundred": 100}
# They multiply all that comes before.
_SECTIONS = {
    "k": 10**3,
    "dozen": 12,
    "万": 10**4,
    "亿": 10**8,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
}
# 三万五 is 三万五千.
_NEXT_SCALE = {"百": "十", "千": "百", "万": "千", "亿": "千万"}

ONE = "[一二三四五六七八九]"
_SECTION = f"(?:{ONE}千)?(?:零?{ONE}百)?(?:零?{ONE}?十)?(?:零?{ONE})?"
_SPELLED = pattern(f"百|(?:{_SECTION}亿)?(?:零?{_SECTION}万)?零?{_SECTION}")
_IN_ROW = pattern(f"(?=...|.*零)[{HAN_DIGITS}]{{2,}}")
_SIGN = pattern(r"^(?:-|零下|负|minus)\s?")
# A comma before three digits, or a space, separates thousands.
_DECIMAL_COMMA = pattern("^([0-9]+),([0-9]{1,2})(?![0-9,])")
_SEPARATOR = pattern("[,，]|(?<=[0-9])[ \u202f](?=[0-9])")
_DECIMAL = pattern("[0-9]+(?:[.][0-9]+)?")
_TOKEN = pattern("[0-9]+(?:[.][0-9]+)?|[a-z]+|[^ ]")


def number_of(text: str) -> str:
    """Return a number in plain digits; in Han if its numerals make none, such as 两三."""
    if not text:
        return ""
    unsigned = _SIGN.sub("", text)
    sign = "-" if len(unsigned) < len(text) else ""
    digits = _DECIMAL_COMMA.sub(r"\1.\2", unsigned)
    digits = _SEPARATOR.sub("", "0" + digits if digits[:1] == "." else digits).translate(_PLAIN_HAN)
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
        if not point and whole[-1] in HAN_DIGITS[1:]:
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

UNITS = {
    "mg": "mgs?|milligrams?|毫克|㎎", "μg": "[μu]g|mcg|micrograms?|微克", "g": "g|grams?|克",
    "kg": "kgs?|kilos?|kilograms?|千克|公斤|㎏", "t": "t|tons?|tonnes?|公?吨", "斤": "斤",
    "lb": "lbs?|pounds?(?! sterling)|磅", "oz": "oz|ounces?|盎司", "gal": "gal|gallons?"
          "|加仑", "ml": "ml|cc|millilit(?:er|re)s?|毫升|㎖",
    "l": "l|lit(?:er|re)s?|公?升(?![级序降高至到温值华职学为])",
    "nm": "nm|nanomet(?:er|re)s?|纳米", "μm": "[μu]m|micromet(?:er|re)s?|微米",
    "mm": "mm|millimet(?:er|re)s?|毫米(?!汞)|㎜", "cm": "cm|centimet(?:er|re)s?|厘米|公分|㎝",
    "m": "m(?![²³])|met(?:er|re)s?|公?米", "km": "kms?(?![²³])|kilomet(?:er|re)s?|公里|千米|㎞",
    "inch": "inch(?:es)?|英寸", "ft": "ft|foot|feet|英尺", "yd": "yds?|yards?"
            "|码", "mile": "miles?|英里",
    "m²": "m[2²]|square met(?:er|re)s?|平方米|平米|㎡", "ha": "ha|hectares?|公顷", "亩": "亩",
    "km²": "km[2²]|square kilomet(?:er|re)s?|平方公里|平方千米",
    "m³": "m[3³]|cubic met(?:er|re)s?|立方米|㎥",
    "ns": "ns|nanoseconds?|纳秒", "μs": "(?:μs|us(?! dollars?))|microseconds?|微秒",
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
    "tb": "tb|terabytes?", "kbps": "kbps|kbit/s", "mbps": "mbps|mbit/s"
          "|兆比特每秒", "gbps": "gbps|gbit/s",
    "hz": "hz|hertz|赫兹?", "khz": "khz|千赫兹?", "mhz": "mhz|兆赫兹?", "ghz": "ghz|吉赫兹?",
    "v": "v|volts?|伏特?", "kv": "kv|千伏特?", "mv": "mv|毫伏", "a": r"amps?|amperes?|安培"
         "|安(?![全排装徽])|a(?<![a-z]a)(?! (?:day|week|month|year|time|person|night|man)\b)",
    "ma": "ma|毫安(?!时)", "mah": "mah|毫安时", "w": "w|watts?|瓦特?",
    "kw": "kw|kilowatts?|千瓦(?!时)", "mw": "mw|兆瓦", "kwh": "kwh|千瓦时", "pa": "pa|帕",
    "kpa": "kpa|千帕", "mpa": "mpa|兆帕", "bar": "bar", "mmhg": "mmhg|毫米汞柱",
    "kcal": "kcal|千卡|大卡", "j": "j|焦耳?", "kj": "kj|千焦耳?", "db": "db|分贝",
    "mol": "mol|摩尔", "mmol": "mmol|毫摩尔", "iu": "iu|国际单位", "ppm": "ppm", "rpm": "rpm",
    "dpi": "dpi", "mph": "mph", "px": "px|pixels?|像素",
    "cny": "元人民币|元(?![件素旦宵音数化])|圆(?!形)|块钱|块(?![头状儿])|yuan|rmb|cny|人民币"
           "|¥", "角": "角(?![度落色])|毛(?![病巾衣笔])",
    "usd": "美元|美金|(?:us )?dollars?|usd|us[$]|[$]", "cent": "美分|cents?",
    "eur": "欧元|euros?|eur|€", "gbp": "英镑|pounds sterling|gbp|£", "jpy": "日元|yen|jpy",
    "hkd": "港元|港币|hkd|hk[$]", "krw": "韩元|won|krw", "twd": "新?台币|twd", "inr": "卢比"
           "|rupees?|inr",
    "aud": "澳元|aud", "cad": "加元|cad", "chf": "瑞士法郎|francs?|chf", "sgd": "新加坡元|新元|sgd",
    "rub": "卢布|roubles?|rubles?|rub", "btc": "比特币|bitcoins?|btc", "knot": "knots?"
           "|节(?![目日约能省课假奏])",
    "unit": "units?",
}  # fmt: skip
_UNIT = pattern("|".join(f"({spellings})" for spellings in UNITS.values()))


def _unit(text: str) -> str:
    found = _UNIT.fullmatch(text)
    return list(UNITS)[(found.lastindex or 0) - 1] if found else ""


# -- values, from the named groups of a form --

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun", "sun")
_WEEKDAYS = dict(zip("一二三四五六日天", _DAYS, strict=True))
_SHARES = {"百": "%", "千": "‰", "万": "‱", "‰": "‰", "‱": "‱"}
SHARES = frozenset(("%", "‰", "‱", "折"))
_MINUTES = {"半": "30", "一刻": "15", "三刻": "45"}

Parts = dict[str, str]


def no_fact(_: Parts) -> str:
    """Return nothing: what was matched is no fact."""
    return ""


def place(part: Parts) -> str:
    """Return the numbers of a place, or what names it."""
    if "roman" in part:
        return _roman(part["roman"])
    if "level" in part:
        return part["level"] + number_of(part["number"])
    if "number" in part:
        return number_of(part["number"])
    return "-".join(map(number_of, re.findall(f"[{HAN}]+|[0-9]+", part["place"])))


def as_written(part: Parts) -> str:
    """Return an address or a version, without a sign at its end."""
    return part["value"].rstrip("/.")


def code(part: Parts) -> str:
    """Return a code."""
    return as_written(part)


def date(part: Parts) -> str:
    """Return a day, as far as it is known: 2024-05-01, --05-01, 2024, mon."""
    if "weekday" in part:
        return _WEEKDAYS.get(part["weekday"], part["weekday"][:3])
    month = part.get("month", "")
    if month[:3] in MONTHS:
        month = str(MONTHS.index(month[:3]) + 1)
    numbers = [number_of(one).zfill(2) for one in (month, part.get("day")) if one]
    day = "-".join([number_of(part["year"]) if "year" in part else "-", *numbers])
    return f"{day} {time(part)}{part.get('zone', '')}" if "hour" in part else day


def time(part: Parts) -> str:
    """Return a time of day in 24 hours."""
    if "noon" in part:
        return "12:00" if part["noon"] in ("noon", "正午") else "00:00"
    half, hour = (part.get("half") or part.get("late") or "-")[0], int(number_of(part["hour"]))
    if "past" in part:
        after = {"half": 30, "quarter": 15}.get(part["past"]) or int(number_of(part["past"]))
        hour, minutes = (hour, after) if part["way"] == "past" else (hour - 1, 60 - after)
        return f"{hour:02}:{minutes:02}"
    if hour == 12 and half in "a凌":
        hour = 0
    elif half in "晚夜深今当":
        hour += 12 if 4 < hour <= 12 else 0
    elif hour < 12 and (half in "p下午傍" or (half == "中" and hour < 10)):
        hour += 12
    minute, second = part.get("minute", "0"), number_of(part.get("second", "0"))
    minute = _MINUTES.get(minute) or number_of(minute)
    return f"{hour % 24:02}:{minute:0>2}" + (f":{second:0>2}" if second != "0" else "")


def percent(part: Parts) -> str:
    """Return a share and its sign."""
    return f"{number_of(part['number'])} {_SHARES.get(part['share'], '%')}"


def amount(part: Parts) -> str:
    """Return a number and its unit."""
    number, unit = number_of(part.get("number", "0")), part.get("halved") or part.get("unit", "元")
    if "half" in part:
        number = f"{Decimal(number) + Decimal('0.5'):f}"
    if "tenths" in part:
        number += f".{number_of(part['tenths'])}{number_of(part.get('hundredths', ''))}"
    per = "day" if part.get("per") == "d" else _unit(part.get("per", ""))
    if (number, _unit(unit)) == ("0.5", "h"):
        number, unit = "30", "min"
    per = per or part.get("per", "")
    return f"{number} {'/'.join(filter(None, (_unit(unit), per)))}"


def quantity(part: Parts) -> str:
    """Return a number, with what it counts or is a share of."""
    if "share" in part:
        return percent(part)
    if "discount" in part:
        # 八五折 and 85折 are 8.5 tenths.
        digits = "".join(str(_DIGITS.get(c, c)) for c in part["number"])
        return f"{digits[0]}.{digits[1:]} 折" if digits[1:].isdigit() else f"{digits} 折"
    measured = {"unit", "halved", "yuan"} & part.keys()
    return amount(part) if measured else number_of(part["number"])


def plain(part: Parts) -> str:
    """Return a number."""
    return number_of(part["number"])


def zone(part: Parts) -> str:
    """Return the offset of a time zone."""
    return part["number"].replace(":", "")


def _roman(numeral: str) -> str:
    values = [_ROMAN[c] for c in numeral]
    following = [*values[1:], 0]
    return str(sum(-v if v < n else v for v, n in zip(values, following, strict=True)))


_ROMAN = {"i": 1, "v": 5, "x": 10}


def phone(part: Parts) -> str:
    """Return a telephone number without its code of the country."""
    digits = re.sub("[^0-9]", "", part["number"])
    # With the code of the country or with a zero in its place, the last ten digits are the same;
    # those of a mobile phone in China are eleven.
    last = 11 if digits.startswith("861") and len(digits) == 13 else 10
    return number_of(digits[-last:] if part["number"][0] in "+(0" else digits)


def fraction(part: Parts) -> str:
    """Return a fraction in digits."""
    if "half" in part:
        return "1/2"
    over = part["over"].rstrip("s").replace("quarter", "fourth")
    over = "2" if over[:3] == "hal" else over
    return f"{number_of(part['number'])}/{number_of(over)}"


def negated(_: Parts) -> str:
    """Return that there is a negation."""
    return "not"
