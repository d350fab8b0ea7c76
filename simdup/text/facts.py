"""Facts: the numbers, dates and codes of a text, without which another text says less.

Numbers are known by their value, in whatever spelling (`simdup.text.short_texts`); those that
a sign joins, such as dates, times and versions, are one fact.  A code is a token with digits and
letters.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from simdup.base.when_used import pattern
from simdup.text.characters import PreparedText
from simdup.text.short_texts import spell_numbers

_NUMBER = pattern(r"(?:(?<![a-zA-Z0-9])-)?\d+(?:[-/.:年月时点]\d+)*[%‰]?")
_SIGNS = pattern(r"[-/.:年月时点]")
_TOKEN = pattern(r"[a-zA-Z0-9]+(?:[-_./][a-zA-Z0-9]+)*")
_NO_CODE = pattern(r"[^a-zA-Z]+|[^0-9]+|[0-9]+(?:st|nd|rd|th)")
_MONTHS = (
    "jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?",
    "aug(?:ust)?", "sept?(?:ember)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?",
)  # fmt: skip
_MONTH = rf"(?<![a-z])(?P<month>{'|'.join(_MONTHS)})(?![a-z])\.?"
_DAY = r"(?<![\d.])(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?P<year>\d{4})(?!\d))?"
_DATES = tuple(
    pattern(expression, re.IGNORECASE)
    for expression in (rf"{_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR}", rf"{_MONTH}\s+{_DAY}(?!\d){_YEAR}")
)


class Facts(NamedTuple):
    """The facts of a text."""

    numbers: frozenset[str]
    codes: frozenset[str]


def facts_of(text: PreparedText) -> Facts:
    """Return the facts of a folded text.

    Examples
    --------
    >>> facts = facts_of(PreparedText("三点 5 mg (lot ab-12) on 3 may 2024, 2024年5月4日 1,000"))
    >>> sorted(facts.numbers), sorted(facts.codes)
    (['1000', '12', '2024-5-3', '2024-5-4', '3', '5'], ['ab-12'])
    """
    spelled, _ = spell_numbers(text.folded)
    for dates in _DATES:
        spelled = dates.sub(_date, spelled)
    numbers = frozenset(_joined(found[0]) for found in _NUMBER.finditer(spelled))
    tokens = set(_TOKEN.findall(text.folded))
    return Facts(numbers, frozenset(one for one in tokens if not _NO_CODE.fullmatch(one)))


def lost_facts(removed: Facts, kept: Facts, text: PreparedText) -> list[str]:
    """Return the facts of a removed text that the kept one, `text`, lacks, sorted."""
    codes = [code for code in removed.codes - kept.codes if not _has(text.compact, code)]
    numbers = removed.numbers - kept.numbers
    return sorted([*codes, *(one for one in numbers if not any(one in code for code in codes))])


def _has(compact: str, code: str) -> bool:
    """Return whether a text has a code, which may have white space in it: 10 mg."""
    before = r"(?<![\d.])" if code[0].isdigit() else ""
    after = r"(?!\d)" if code[-1].isdigit() else ""
    return re.search(before + re.escape(code) + after, compact) is not None


def _date(found: re.Match[str]) -> str:
    month = next(
        i for i, one in enumerate(_MONTHS, 1) if re.fullmatch(one, found["month"], re.IGNORECASE)
    )
    return "-".join(filter(None, (found["year"], str(month), found["day"])))


def _joined(number: str) -> str:
    """Return a number, or several in one spelling: 2024/1/5 is 2024-1-5; 3.5 stays."""
    parts = _SIGNS.split(number)
    return number if len(parts) == 2 and "." in number else "-".join(parts)
