"""Facts as pages state them: values in the spellings of Chinese and English, and other values."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

CHINESE, ENGLISH = "zh", "en"
LANGUAGES = (CHINESE, ENGLISH)

Chance = random.Random
Spell = Callable[[Any], str]
Spellings = Mapping[str, Spell]


class Difference(NamedTuple):
    """Two spellings: of two facts, or of one fact."""

    how: str  # the names of the spellings
    one: str
    other: str


class Fact(NamedTuple):
    """A kind of fact: how to make two values that differ, and how each language spells them."""

    values: Callable[[Chance], tuple[Any, Any]]
    spellings: Mapping[str, Spellings]


# -- numbers --

_DIGITS = "零一二三四五六七八九"
_WIDE = str.maketrans({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
_YEAR = "January February March April May June July August September October November December"
_MONTHS = _YEAR.split()


def han(number: int) -> str:
    """Return a number below 10,000 in Chinese numerals."""
    text, zeros = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, unit)
        if digit:
            text += ("零" if zeros and text else "") + _DIGITS[digit] + name
        zeros = not digit
    return text.removeprefix("一") if text.startswith("一十") else text or "零"


def wide(text: str) -> str:
    """Return a text in full-width characters."""
    return text.translate(_WIDE)


def _other_number(number: int, chance: Chance) -> int:
    """Return a number of two to four digits as a slip or a new edition makes it."""
    digits = [*str(number)]
    place = chance.randrange(len(digits))
    digits[place] = chance.choice([d for d in "123456789" if d != digits[place]])
    other = chance.choice([number + 1, number * 2, int("".join(digits))])
    return other if 10 < other < 10_000 else int("".join(digits))


def _numbers(low: int, high: int) -> Callable[[Chance], tuple[int, int]]:
    def values(chance: Chance) -> tuple[int, int]:
        number = chance.randint(low, high)
        return number, _other_number(number, chance)

    return values


# -- dates and times --


def _dates(chance: Chance) -> tuple[datetime.date, datetime.date]:
    day = datetime.date(chance.randint(2012, 2025), chance.randint(1, 12), chance.randint(1, 28))
    days = chance.choice((-1, 1, 2, 10, 30, 91))
    return day, chance.choice(
        [day + datetime.timedelta(days), day.replace(year=day.year - 1),
         day.replace(month=day.month % 12 + 1)]
    )  # fmt: skip


def _spoken(number: int) -> str:
    """Return the digits of a year in Chinese numerals."""
    return "".join("〇一二三四五六七八九"[int(digit)] for digit in str(number))


def _times(chance: Chance) -> tuple[int, int]:
    """Return minutes of the day: full hours, or half ones."""
    minutes = 60 * chance.randint(7, 21) + chance.choice((0, 0, 30))
    return minutes, minutes + chance.choice((-60, -30, 30, 60, 120))


def _han_time(minutes: int) -> str:
    hour, part = minutes // 60, "上午" if minutes < 720 else "下午" if minutes < 1080 else "晚上"
    spelled = han(hour if hour <= 12 else hour - 12).replace("二", "两" if hour % 12 == 2 else "二")
    return f"{part}{spelled}点{'半' if minutes % 60 else ''}"


def _mixed_time(minutes: int) -> str:
    part = "上午" if minutes < 720 else "下午" if minutes < 1080 else "晚上"
    hour = minutes // 60 if minutes < 780 else minutes // 60 - 12
    return f"{part}{hour}点{'30分' if minutes % 60 else ''}"


def _english_time(minutes: int) -> str:
    hour = (minutes // 60 - 1) % 12 + 1
    return f"{hour}:{minutes % 60:02} {'am' if minutes < 720 else 'pm'}"


# -- amounts --

# Unit, its name in Chinese and English.
_UNITS = (
    ("mg", "毫克", "milligrams"), ("ml", "毫升", "millilitres"), ("kg", "千克", "kilograms"),
    ("cm", "厘米", "centimetres"), ("mm", "毫米", "millimetres"), ("km", "公里", "kilometres"),
    ("MB", "兆字节", "megabytes"), ("°C", "摄氏度", "degrees Celsius"),
)  # fmt: skip


def _amounts(chance: Chance) -> tuple[tuple[int, int], tuple[int, int]]:
    number, unit = chance.choice((2, 5, 10, 15, 20, 25, 40, 50, 80, 150, 250)), chance.randrange(8)
    if chance.random() < 0.2:
        return (number, unit), (number, {0: 1, 1: 0, 2: 0, 3: 4, 4: 3, 5: 3, 6: 2, 7: 3}[unit])
    return (number, unit), (number + chance.choice((1, 5, number, 9 * number)), unit)


def _amount(form: str) -> Spell:
    def spell(value: tuple[int, int]) -> str:
        number, (sign, chinese, english) = value[0], _UNITS[value[1]]
        return form.format(n=number, sign=sign, zh=chinese, en=english, han=han(number))

    return spell


# -- names --


def _versions(chance: Chance) -> tuple[str, str]:
    parts = [chance.randint(1, 9), chance.randint(0, 14), chance.randint(0, 9)]
    parts = parts[: chance.choice((2, 3, 3))]
    others = [*parts]
    others[chance.randrange(len(parts))] += chance.choice((1, 2))
    return ".".join(map(str, parts)), ".".join(map(str, others))


def _codes(chance: Chance) -> tuple[str, str]:
    letters = "".join(chance.choices("ABCDEFGHKLMNPRSTUVWX", k=chance.choice((1, 2, 3))))
    number = chance.randint(101, 989)
    swapped = int(f"{number}"[0] + f"{number}"[:0:-1])
    other = chance.choice([number + 1, number + 10, swapped if swapped != number else number + 2])
    sign = chance.choice(("-", "", "-"))
    tail = chance.choice(("", "", "B"))
    if chance.random() < 0.25:
        return f"{letters}{sign}{number}{tail}", f"{letters[:-1]}Z{sign}{number}{tail}"
    return f"{letters}{sign}{number}{tail}", f"{letters}{sign}{other}{tail}"


_SITES = ("intranet", "docs", "portal", "wiki", "forms", "service", "status", "archive", "desk")
_PATHS = (
    "setup", "backup", "restore", "safety", "stock", "orders", "training", "access", "records",
    "printing", "repair", "waste", "visitors", "cleaning", "alarms", "transport", "keys", "shifts",
)  # fmt: skip
_DOMAINS = ("example.org", "example.com", "example.net", "example.edu")


def _addresses(chance: Chance) -> tuple[str, str]:
    (site, path, domain), (new_site, new_path, new_domain) = (
        (chance.choice(_SITES), chance.choice(_PATHS), chance.choice(_DOMAINS)) for _ in range(2)
    )
    if chance.random() < 0.4:
        mail = f"{path}@{site}.{domain}", f"{new_path}@{site}.{domain}"
        return mail if path != new_path else (mail[0], f"{path}2@{site}.{domain}")
    one = f"https://{site}.{domain}/{path}"
    others = [
        f"https://{site}.{domain}/{new_path}",
        f"https://{new_site}.{domain}/{path}",
        f"https://{site}.{new_domain}/{path}",
        f"{one}/{new_path}",
    ]
    return one, chance.choice([other for other in others if other != one])


_NEGATIONS = {
    CHINESE: (("可以", "不可以"), ("应当", "不应"), ("能", "不能"), ("允许", "禁止"),
              ("必须", "不得")),
    ENGLISH: (("must", "must not"), ("may", "may not"), ("can", "cannot"), ("should", "should not"),
              ("will", "will never")),
}  # fmt: skip


def _ignored(values: Mapping[str, Spell]) -> Mapping[str, Spellings]:
    """Return the same spellings for both languages."""
    return dict.fromkeys(LANGUAGES, values)


FACTS = {
    "number": Fact(_numbers(11, 4000), {
        CHINESE: {"digits": str, "commas": "{:,}".format, "numerals": han,
                  "full width": lambda n: wide(str(n))},
        ENGLISH: {"digits": str, "commas": "{:,}".format},
    }),
    "date": Fact(_dates, {
        CHINESE: {
            "年月日": lambda d: f"{d.year}年{d.month}月{d.day}日", "ISO": str,
            "slashes": lambda d: f"{d.year}/{d.month}/{d.day}",
            "full width": lambda d: wide(str(d.year)) + f"年{d.month}月{d.day}日",
            "numerals": lambda d: f"{_spoken(d.year)}年{han(d.month)}月{han(d.day)}日",
        },
        ENGLISH: {
            "month first": lambda d: f"{_MONTHS[d.month - 1]} {d.day}, {d.year}",
            "day first": lambda d: f"{d.day} {_MONTHS[d.month - 1]} {d.year}",
            "short": lambda d: f"{d.day} {_MONTHS[d.month - 1][:3]} {d.year}", "ISO": str,
        },
    }),
    "time": Fact(_times, {
        CHINESE: {"clock": lambda m: f"{m // 60}:{m % 60:02}", "numerals": _han_time,
                  "digits": _mixed_time, "full width": lambda m: f"{m // 60}：{m % 60:02}"},
        ENGLISH: {"clock": lambda m: f"{m // 60}:{m % 60:02}", "am and pm": _english_time,
                  "two digits": lambda m: f"{m // 60:02}:{m % 60:02}"},
    }),
    "amount": Fact(_amounts, {
        CHINESE: {"sign": _amount("{n} {sign}"), "no space": _amount("{n}{sign}"),
                  "name": _amount("{n}{zh}"), "numerals": _amount("{han}{zh}")},
        ENGLISH: {"sign": _amount("{n} {sign}"), "no space": _amount("{n}{sign}"),
                  "name": _amount("{n} {en}")},
    }),
    "percent": Fact(_numbers(11, 95), {
        CHINESE: {"sign": "{}%".format, "numerals": lambda n: f"百分之{han(n)}",
                  "full width": lambda n: wide(f"{n}%"), "space": "{} %".format},
        ENGLISH: {"sign": "{}%".format, "space": "{} %".format, "word": "{} percent".format},
    }),
    "version": Fact(_versions, _ignored({"plain": str, "v": "v{}".format})),
    "code": Fact(_codes, _ignored({"plain": str})),
    "address": Fact(_addresses, _ignored({"plain": str})),
}  # fmt: skip
KINDS = (*FACTS, "negation")
# A version with and without its letter is not another spelling to everybody.
RESPELLED = ("number", "date", "time", "amount", "percent")


def different(kind: str, language: str, chance: Chance) -> Difference:
    """Return two facts that contradict each other, in one spelling."""
    if kind == "negation":
        one, other = chance.choice(_NEGATIONS[language])
        return Difference(one, *chance.sample((one, other), 2))
    fact = FACTS[kind]
    how, spell = chance.choice([*fact.spellings[language].items()])
    one, other = fact.values(chance)
    return Difference(how, spell(one), spell(other))


def respelled(kind: str, language: str, chance: Chance) -> Difference:
    """Return one fact in two spellings."""
    fact = FACTS[kind]
    while True:
        (how, spell), (other_how, spell_other) = chance.sample(
            [*fact.spellings[language].items()], 2
        )
        value, _ = fact.values(chance)
        if kind == "number" and "commas" in (how, other_how):
            value += 1000  # smaller ones have none
        one, other = spell(value), spell_other(value)
        if one != other:
            return Difference(" / ".join(sorted((how, other_how))), one, other)


def stated(kind: str, language: str, chance: Chance) -> str:
    """Return a fact in any spelling."""
    return different(kind, language, chance).one
