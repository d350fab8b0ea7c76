"""The facts of a text: addresses, dates, amounts, numbers and what else copies may differ in.

`_ROWS` is the table of them all, at the end of this file.  At each place of a text its forms are
tried from top to bottom, and the first that matches decides.  The named groups of a form make the
value, which is equal for equal facts in whatever spelling: 十毫克, 10mg and 10 milligrams are
"10 mg".  Case is ignored, also in addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise, zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.when_used import pattern
from simdup.kernels.characters import begins
from simdup.text.characters import CODE_POINTS, FOLDED_IN_PLACE, to_codes
from simdup.text.fact_values import (
    FINANCIAL,
    HAN,
    NTHS,
    ONE,
    ONES,
    SHARES,
    TEENS,
    TENS,
    UNITS,
    Parts,
    amount,
    as_written,
    code,
    date,
    fraction,
    negated,
    no_fact,
    percent,
    phone,
    place,
    plain,
    quantity,
    time,
    zone,
)


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


def find_facts(
    text: str, terms: re.Pattern[str] | None = None, last: int | None = None
) -> list[Fact]:
    """Return the facts of a text, in order; they do not overlap.

    Parameters
    ----------
    text : str
        The text as it is written, in any case and width.
    terms : re.Pattern or None
        What else is a fact; see `term_pattern`.  Other kinds come first.
    last : int, optional
        The last character that a fact may begin with.

    Examples
    --------
    >>> [fact.value for fact in find_facts("２０２４年5月1日上午九点，每次二十毫克。")]
    ['2024-05-01', '09:00', '20 mg']
    """
    folded = text.translate(FOLDED_IN_PLACE)
    last = len(text) if last is None else last
    facts = [fact for fact in read(folded, last) if fact.kind and fact.value]
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
        rf"(?u:\d)|[HAN%‰№¥$€£{FINANCIAL}周午夜没不未无非别勿禁]|星期|礼拜|\b(?:{{small}}|{{nth}}|{{named}}"
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
    facts = read(text.translate(FOLDED_IN_PLACE))
    return frozenset(fact[:2] for fact in facts if fact.value and fact.kind != "negation")


def lost_facts(removed: Said, kept: Said) -> list[str]:
    """Return the facts of a removed text that the kept one lacks, sorted."""
    missing = removed - kept
    return sorted({one[1] for one in missing if not any(_says_less(one, more) for more in kept)})


def read(folded: str, last: int | None = None) -> Iterator[Fact]:
    """Yield the facts of a folded text, and its numbered places as facts without a kind.

    Numbers of lists are places without a value.  Behind its `last` character, none begins.
    """
    done, last = 0, len(folded) if last is None else last
    for start, begin in _begins(folded):
        if start < done:
            continue
        if start > last:
            return
        match, forms = _forms(begin)
        if found := match(folded, start):
            form, groups = forms[found.lastindex or 0]
            row, end = _FORMS[form].row, found.end()
            fact = None
            if row.value is quantity or row.value is code:
                fact = _quantity(folded, start, end, row)
            if fact is None and row.value is not quantity:
                value = _value(form, found.group(*groups))
                fact = Fact(row.kind, value, start, end)
            if fact is not None:
                done = fact.end
                yield fact


def _quantity(folded: str, start: int, end: int, row: _Row) -> Fact | None:
    """Return a number and what it counts as a fact; None for a code, or if it counts nothing."""
    if row.value is code:
        # 10mg looks like a code.
        number = _number().match(folded, start)
        suffix = number and _suffix().match(folded, number.end())
        if not number or max(number.end(), suffix.end() if suffix else 0) < end:
            return None
        end = number.end()
    else:
        suffix = _suffix().match(folded, end)
    if suffix:
        value = _measured(folded[start:end], suffix.groups())
        kind = "percent" if value.partition(" ")[2] in SHARES else "amount"
        return Fact(kind, value, start, suffix.end())
    written = folded[start:end]
    alone = written in _ALONE
    counter = (_COUNTED if written != "一" else _COUNTED_ONE).match(folded, end)
    if alone and not counter:
        return None
    end = counter.end() if counter and alone else end
    return Fact("number", _measured(written, ()), start, end)


# The same facts are written again and again.
@lru_cache(1 << 14)
def _measured(number: str, suffix: tuple[str | None, ...]) -> str:
    names = _suffix().groupindex
    parts = {name: suffix[group - 1] or "" for name, group in names.items()} if suffix else {}
    return quantity({name: part for name, part in parts.items() if part} | {"number": number})


def _says_less(less: tuple[str, str], more: tuple[str, str]) -> bool:
    """Return whether what one fact says is what another one says, or a part of it."""
    if less[1] == more[1]:
        return True
    kinds = less[0], more[0]
    if kinds == ("date", "date"):
        fields = [value.replace("--", "-", 1).split("-") for _, value in (less, more)]
        return all(not x or x == y for x, y in zip_longest(*fields, fillvalue=""))
    if kinds == ("address", "address"):
        return more[1].endswith(f"://{less[1]}")
    if kinds == ("number", "amount"):
        return more[1].partition(" ")[0] == less[1]
    if kinds != ("amount", "amount"):
        return False
    # A pound is one or the other.
    return more[1].startswith(less[1] + "/") or more[1] == less[1].removesuffix("lb") + "gbp"


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


# -- the table --

_TEN = "|".join(TENS)
# What forms are made of: {names} of other parts, and HAN for all of `HAN`.
_PARTS = {
    # Numbers in digits, in Han and in words.  A dash behind a unit makes a range.
    "dash": r"(?<![\w%°℃)\]元度日月年时分秒天个人次克米升吨-])-",
    "minus": r"(?:{dash}|零下\s?|负(?=[\dHAN])|\bminus\s)",
    "digits": r"\b\d++(?:(?:[,，]\d{3}(?!\d))++|(?<!\d \d)(?<!\d \d\d)"
              r"(?:[ \u202f]\d{3}(?![\d,.%]))++(?! \d)"
              r"|,\d{1,2}(?!,?\d)(?<!\d,\d,\d)(?<!,\d\d,\d))?+(?:\.\d++)?+",
    "thousands": r"千(?![克米瓦卡赫帕伏焦字])",
    "big": r"(?:dozen|hundred|thousand|million|billion)\b",
    "figure": r"{minus}?{plain}",
    "plain": r"{digits}(?:(?:\s?(?:[百千]?万|亿)|百|{thousands})++(?:\d++[百千万]++)*+"
              r"|(?:[\s-]{big})++|k(?!\w))?+",
    "han": r"(?<![HAN])(?!一一)[零〇一二两三四五六七八九十廿卅]"
           r"(?:[零〇一二两三四五六七八九十百万亿廿卅]|{thousands})*+"
           r"(?:点[零〇一二三四五六七八九]++(?![十分])|(?<=[HAN][HAN]))"
           rf"|[{FINANCIAL}][零万亿{FINANCIAL}]++|[壹贰叁肆伍柒捌玖](?=[元圆])",
    "small": rf"(?:(?:{_TEN})(?:[\s-](?:{'|'.join(ONES)})\b)?|{'|'.join((*TEENS, *ONES))})\b",
    "words": r"\b{small}(?:(?:[\s-]{big})++(?:\s(?:and\s)?{small})?+){0,4}+",
    "nth": rf"(?:(?:{_TEN})[\s-])?(?:{'|'.join(NTHS)})\b|(?:{_TEN.replace('y', 'ieth')})\b",
    # One numeral is a number where it counts something; 一 often says no more than "a".
    "one": r"(?<![HAN])(?:[二两三四五六七八九廿卅]|十(?!分(?!钟)|字)"
           r"|(?<![同任另某这那每唯统单专逐上下])一(?![分度]))",
    "counted": r"[个人名次份件张台页篇条部家本项种户辆位只头棵株粒颗片瓶盒袋箱包支根套双对组批间层"
               r"楼栋座号室班级届期季册卷审模诊轮例场所处艘架字词行步遍类方余多]",
    # Numbers as they begin.
    "several": r"{figure}|{minus}?{han}|{minus}?(?!one\b(?![\s-]{big})){words}",
    "several9": r"{plain}",
    "several@": r"(?!)",
    "severala": r"(?:\bminus\s{plain}|(?:\bminus\s)?(?!one\b(?![\s-]{big})){words})",
    "several数": r"{han}",
    "several汉": r"(?:零下\s?|负)(?:{plain}|{han}|{one})",
    "several.": r"{dash}(?:{plain}|{han}|{words})|(?<![\w.])\.\d++(?![\w.])",
    "unit": rf"(?:{'|'.join(UNITS.values())})(?!(?<=[a-z])[a-z0-9])",
    "suffix": r"(?:\s?(?P<share>[%‰‱]|per\s?cent\b|个?百分点|percentage points?\b)"
              r"|\s?(?P<discount>折)(?![叠扣磨腾线射断返])"
              r"|个?(?P<half>半)(?P<halved>小时|钟头|月|星期|年)"
              r"|\s?(?P<yuan>[元块])(?P<tenths>[一二三四五六七八九\d](?![\dHAN年月个人]))"
              r"(?:[角毛](?:(?P<hundredths>[一二三四五六七八九\d])分?)?)?"
              r"|(?:(?<![a-z])[\s-]?|[\s-](?![a-z]\b))(?P<unit>{unit})(?:(?:\s?/\s?|每| per )"
              r"(?P<per>{unit}|d\b|[a-z]{2,12}\b))?)",
    "currency": r"人民币|[¥$€£]|\b(?:rmb|cny|usd|us[$]|hkd|hk[$]|eur|gbp|jpy)(?![a-z])",
    # Dates and times.
    "numeric": r"\b[12]\d{3}(?:-\d+-|/\d+/|\.\d+\.)",
    "year": r"\b[12]\d{3}|(?<![HAN])[〇零一二三四五六七八九]{4}",
    "month": rf"1[0-2]|0?[1-9]|十[一二]?|{ONE}",
    "day": rf"3[01]|[12]\d|0?[1-9]|三十一?|二?十{ONE}?|{ONE}",
    "named": r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
             r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b",
    "certain": r"\b(?:january|february|april|june|july|august|(?:septem|octo|novem|decem)ber)\b",
    "th": r"(?:st|nd|rd|th)?\b",
    "weekday": r"\b(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?\b|(?=[.,]))"
               r"|(?:tues?|wed|thurs?|thu|fri)\b|(?:mon|sat|sun)(?=\s(?:\d|to\b|and\b|or\b"
               r"|through\b|at\b)|-))",
    "during": r"(?:(?<=\bin )|(?<=\bby )|(?<=\bof )|(?<=\bsince )|(?<=\buntil )|(?<=\btill )"
              r"|(?<=\bthis )|(?<=\blast )|(?<=\bnext )|(?<=\bearly )|(?<=\blate )|(?<=\bmid-)"
              r"|(?<=\bfrom )|(?<=\bduring )|(?<=\bfor ))",
    "half": r"凌晨|清晨|早晨|早上|上午|中午|下午|午后|傍晚|晚上|晚间|夜间|夜里|深夜|今晚|当晚"
            r"|(?<!最)[早晚]",
    "late": r"(?:[ap]m|[ap]\.m\b\.?)(?!\w)",
    "hour": rf"\b(?:2[0-4]|[01]?\d)|(?<![HAN])(?:二十[一二三四]?|十{ONE}?|[零〇两]|{ONE})",
    # 一点 alone is "a little", and 大于 5 时 means "if it is above 5".
    "clock": r"(?!一[点时](?![半钟整\d一二三四五]))(?<![为是=])(?<![为是=]\s)(?<![大小等低高]于)"
             r"(?<![大小等低高]于\s)(?<!达到)",
    "english": r"\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve",
    "sixty": rf"[0-5]?\d|[二三四五]?十{ONE}?|[零〇]?{ONE}",
    # Places, addresses, versions, negations.
    "margin": r"[ \t#>*]*(?:[-+•·] )?(?:[【\[][^\]】\n\d]{1,10}[\]】][ \t]?)?[(（]?",
    # What kind of question it is.
    "mark": r"[【\[(（][^】\])）\n]{0,12}(?:题|choice|question|true[ /]false|fill in)"
            r"[^】\])）\n]{0,12}[】\])）]",
    "score": r"(?:[ \t]?[(（](?:本题)?\d{1,3}(?:\.5)?\s?(?:分|points?|pts?|marks?)[)）])?",
    "heading": r"section|chapter|part|figure|fig\.?|table|step|page|p\.|line|appendix|annex|article"
             r"|clause|paragraph|item|equation|eq\.|example",
    "numbered": r"annex|section|chapter|part|figure|table|volume|vol\.?|book|act|scene|season"
                r"|episode|war"
                r"|type|phase|class|grade|level|stage|group|appendix|article|title|schedule|round"
                r"|league|bowl|king|pope|henry|louis|elizabeth",
    "roman": r"(?:xl|x{1,3})?(?:ix|iv|v?i{0,3})",
    "headings": r"sections|chapters|parts|figures|figs\.?|tables|steps|pages|pp\.|lines|articles"
              r"|clauses|paragraphs|items",
    # A session, an amendment and a decree have their number as a name.
    "article": r"条|章|款|项|节|页|编|目|部分|小节|行|列|题|步|段|届"
               r"|次(?=全体|会议|修[正订])|号(?=公布|公告|令|发布)",
    "place": r"\d++(?:[.-]\d++)*+(?![\w%]|[.-]\w)(?![,.]\d|\s?(?:{lasting}"
             r"|[克千公毫厘米吨升度元块天日周年月分秒小岁])|{counted})",
    "lasting": r"(?:(?:second|minute|hour|day|week|month|year)s?|secs?|mins?|hrs?|[mk]?g"
               r"|[cmk]?m|ml|percent)\b",
    "domain": r"(?:com|org|net|edu|gov|info|io|co|ai|dev|app|local|internal|lan|cn|uk|de|fr|jp"
              r"|eu|us|ru|tw|hk)",
    "label": r"[a-z0-9][a-z0-9-]{0,62}+",
    "path": r"[!#-&*-;=?@_a-z~]*[#-&+/-9=@_a-z~]",
    "release": r"\d+(?:\.\d+)*(?:\.x)?(?:[-.]?(?:alpha|beta|rc|sp|build|preview|dev)[-.]?\d*)?"
               r"(?!\.?\w)",
    "do": r"do|does|did|is|are|was|were|has|have|had|ca|wo|would|should|could|must|need|might",
}  # fmt: skip


class _Row(NamedTuple):
    kind: str
    value: Callable[[Parts], str]
    # Each begins with the sets of characters that it can begin with (`_SETS`), and a space.
    forms: tuple[str, ...]


_ROWS = (
    # Places of the text itself: items of lists, headings; articles, references, labels.
    _Row("", no_fact, (
        (
            r"9数.a@ ^{margin}(?:q(?:uestion)?[. ]?)?(?:\d{1,3}(?:\.\d{1,3})*"
            r"|[一二三四五六七八九十百零]{1,5}|[a-h](?=[)）]))"
            r"(?:[)）、]|\.(?![\d年]|x\b|\w+\.\w|[\w/-]+\d)|(?<=q\d)[:：]|(?<=q\d\d)[:：])"
            r"{score}{mark}?"
        ),
        r". ^[ \t]*{mark}",
        r". ^#+[ \t]*\d{1,3}(?:\.\d{1,3})*(?=\s)",
        r". \[\d{1,3}(?:\s?[,，-]\s?\d{1,3}){0,9}\]|&#\d+;",
    )),
    _Row("", place, (
        r"汉 (?P<place>第\s?[(（]?[HAN\d]+[)）]?(?:[、,，和或至到-]第?[HAN\d]+){0,9}\s?{article})",
        r". [(（](?P<number>[一二三四五六七八九十]{1,3})[)）]",
        r"a (?P<place>\b{heading}\s?{place})",
        r"a (?P<place>\b{headings}\s?{place}(?:(?:,|,? and|,? or| to)\s{place}){0,9})",
        r"汉 (?P<place>(?:图|(?<![代列])表|附件|附录|步骤|示例|公式)\s?{place})",
        r"a \b{numbered}\s(?P<roman>(?=[ivx]){roman})(?![\w'’])",
        r"a (?<![\w'’-])(?P<roman>(?=[ivx][ivxl])(?!xl\b){roman})(?![\w'’-])",
        # School years, days of the moon.
        (
            r"汉 (?P<level>(?<![最提较很更增])"
            r"[高大](?=[一二三四五六](?![些点成倍次元万千百十米层般致概体号样首])))"
            r"(?P<number>[一二三四五六])"
        ),
        r"汉 (?P<level>初|研(?=[一二三]))(?P<number>[一二三四五六七八九十])(?![中等步期])",
        r"数 (?<=[卷篇之其])(?P<number>[一二三四五六七八九十])(?![HAN些次间样个])",
    )),
    _Row("address", as_written, (
        r"@ (?P<value>\b[a-z][a-z+.-]{1,9}://{path}|\bwww\.{path})",
        r"9@ \b(?P<value>[a-z0-9][\w.%+-]{0,63}+@{label}(?:\.{label})+)",
        r"9@ \b(?P<value>{label}(?:\.{label}){0,9}\.[a-z]{2,63}/{path})",
        r"9 (?<![\w.])(?P<value>(?:\d{1,3}\.){3}\d{1,3}(?:[:/]\d{1,5})?)(?!\w|\.\d)",
        r"9@ \b(?P<value>(?:{label}\.){1,9}{domain}(?![\w@-]|\.\w)(?::\d{1,5})?)",
        (
            r"9@ \b(?P<value>(?:localhost|{label}(?:\.{label}){1,9}|[a-z]+-?\d+"
            r"|[a-z]+(?:-[a-z0-9]+){1,9}):\d{2,5})(?![\w:]|\.\d)"
        ),
        # Paths of files, but for links to other pages of one place; and names of people.
        (
            r"9@. (?<!\]\()(?<![\w./:~-])(?P<value>(?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@-]+)*"
            r"|[a-z]:(?:\\[\w.@-]+)+\\?|[\w-]+(?:/[\w.-]+)+\.[a-z][a-z0-9]{0,4}\b)"
        ),
        r". (?<![\w#&])(?P<value>#[a-z]\w+)",
        r". (?<![\w.])(?P<value>@(?:\w[\w.-]*|(?u:[^\W\d_]){1,20}(?=[\s:：]|$)))",
    )),
    _Row("date", date, (
        r"9数 (?P<year>{year})\s?年(?:\s?(?P<month>{month})\s?月(?:\s?(?P<day>{day})\s?[日号])?)?",
        (
            r"9数 (?<![\w.HAN])(?P<month>{month})\s?月(?![球亮饼票薪刊龄])(?:\s?(?P<day>{day})"
            r"\s?[日号])?"
        ),
        # A timestamp is one fact.
        (
            r"9 (?={numeric})(?P<year>\d{4})[-/](?P<month>{month})[-/](?P<day>{day})"
            r"[t ](?P<hour>\d\d):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)"
            r"(?:[.,]\d+)?(?P<zone>z|\s?[+-]\d\d:?\d\d)"
            r"?(?![\w:])"
        ),
        r"9 (?={numeric})(?P<year>\d{4})[-/.](?P<month>{month})[-/.](?P<day>{day})(?![-/.]?\d)",
        r"9 (?<![\w-])(?P<year>(?:19|20)\d\d)-(?P<month>0[1-9]|1[0-2])(?![\w-])",
        r"9 (?<![\w/-])(?P<month>0?[1-9]|1[0-2])/(?P<day>{day})/(?P<year>[12]\d{3})\b",
        r"9 (?<![\w/-])(?P<day>{day})/(?P<month>0?[1-9]|1[0-2])/(?P<year>[12]\d{3})\b",
        (
            r"a (?P<month>{named})\.?\s(?P<day>{day}){th}(?![:%]|[.,]\d)"
            r"(?:[,，]?\s?(?P<year>{year})\b)?"
        ),
        (
            r"9 \b(?P<day>{day}){th}[\s-](?:of )?(?P<month>{named})"
            r"\.?(?:[,，]?[\s-](?P<year>{year})\b)?"
        ),
        r"a (?P<month>{named})\.?[,，]?\s(?P<year>[12]\d{3})\b",
        r"a (?P<month>{certain})",
        r"a {during}(?P<month>{named})\b(?!\s(?:be|have|not|i|you|we|they|the)\b)",
        r"汉 (?:星期|礼拜|周)(?P<weekday>[一二三四五六日天])(?![次个天名种小])",
        r"a (?P<weekday>{weekday})",
    )),
    _Row("time", time, (
        (
            r"9汉 (?:(?P<half>{half})\s?|\b|(?<=\dt))(?<![\d:.])(?P<hour>2[0-4]|[01]?\d)"
            r":(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?(?![\d:])(?:\s?(?P<late>{late})"
            r"|\s(?:noon|midnight)\b)?"
        ),
        (
            r"9 \b(?P<hour>1[0-2]|0?[1-9])(?:\.(?P<minute>[0-5]\d))?\s?(?:(?P<late>{late})"
            r"|o['’]clock\b)"
        ),
        (
            r"9 (?<=\bat )(?P<hour>2[0-3]|[01]?\d)\.(?P<minute>[0-5]\d)"
            r"(?!\d|\.\d|\s?(?:{lasting}|[%°$€£]|(?:usd|eur|gbp|dollars|euros)\b))"
        ),
        r"9a \b(?P<hour>{english})\s?(?:(?P<late>{late})|o['’]clock\b)",
        (
            r"9数汉 (?:(?P<half>{half})\s?|{clock})(?P<hour>{hour})\s?[点时]"
            r"(?:(?P<minute>半|[一三]刻|{sixty}(?=\s?分(?!钟))|[0-5]\d(?![\d分个人]))(?:\s?分)?"
            r"(?:(?<=分)\s?(?P<second>{sixty})\s?秒)?|[钟整]|(?![\dHAN半]))"
        ),
        (
            r"a \b(?P<past>half|quarter|five|ten|twenty|twenty-five) (?P<way>past|to)"
            r" (?P<hour>{english})\b"
        ),
        r"9 \b12\s(?P<noon>noon|midnight)\b",
        r"a汉 (?P<noon>\bnoon\b|\bmidnight\b|(?:正午|午夜)(?!\s?[\dHAN]))",
    )),
    _Row("number", phone, (
        (
            r"9. (?<![\w.-])(?P<number>(?=(?:[ ()+/.-]{0,2}\d){9,15}(?![ ()-]?\d))"
            r"(?:0\d{2,4}/\d{4,9}|\+\d{1,3}(?:[ -]?\(?\d{2,8}\)?){1,4}|\(?0\d{1,4}\)"
            r"?(?:[ -]?\d{2,8}){1,3}"
            r"|\d{3}\.\d{3}\.\d{4}|\d{1,4}(?:[ -]\d{3,4}){1,2}[ -]\d{4}))(?![\w-]|\.\d)"
        ),
    )),
    _Row("version", as_written, (
        r"a@ \bv(?:er(?:sion)?)?[.:]?\s?(?P<value>{release})",
        r"汉 版本号?:?\s?v?(?P<value>{release})(?!\s?{counted})",
        r"9 (?<![\w.])(?P<value>(?=\d+\.\d+\.[\dx]|\d+(?:\.\d+)*\.x){release})",
    )),
    _Row("percent", percent, (r"数 (?P<share>[百千万])分之(?P<number>{han}|{figure}|[HAN])",)),
    _Row("amount", amount, (
        (
            r"a汉. (?P<unit>{currency})\s?(?P<number>{plain}|{han})"
            r"(?:\s?(?:[美欧日港]?元(?:人民币)?|yuan|dollars))?"
        ),
        r"汉 (?P<half>半)个?(?P<unit>小时|钟头|月(?!刊))",
        r"a \b(?P<half>half) an (?P<unit>hour)\b",
    )),
    _Row("number", zone, (
        r"a@ \b(?:utc|gmt)\s?(?P<number>[+-]\d{1,2}(?::?[0-5]\d)?)(?!\d)",
        r". (?<![\w+.-])(?P<number>[+-](?:0\d|1[0-4]):?[0-5]\d)(?![\d.:%])",
    )),
    _Row("code", code, (
        # Not no.5, 5th or 5-step, nor a part of a path.
        (
            r"9@ (?<![/\\])\b(?!no\.|\d+(?:st|nd|rd|th)\b|\d+(?:\.\d+)?[-./][a-z]+\b(?![-./]\w*\d))"
            r"(?=(?:[a-z_]|[-./](?=\w)){1,200}+\d|\d(?:[\d_]|[-./](?=\w)){0,40}+[a-z])"
            r"(?P<value>\w+(?:[-./]\w+)*+)"
        ),
    )),
    _Row("number", fraction, (
        r"数 (?P<over>[HAN]{1,9})分之(?P<number>[HAN]{1,9})",
        r"9 (?<![\w/.])(?P<number>\d{1,4})[/⁄](?P<over>\d{1,4})(?![\w/])",
        (
            r"a \b(?P<number>one|two|three|four|five|six|seven)[\s-](?P<over>hal(?:f|ves)"
            r"|thirds?|quarters?|fifths?|sixths?|eighths?|tenths?)\b"
        ),
        r"a \b(?P<half>half)\b(?! past\b| an hour\b|-)",
    )),
    _Row("number", plain, (
        r"9a (?<!per )(?<!\ba )(?<!\beach )\b(?P<number>\d+(?=st|nd|rd|th)|{nth}){th}",
        r"a. (?:\bno\.?|№)\s?(?P<number>{figure})(?!\w)",
        r"汉 (?P<number>[俩仨])(?=[人个位]|[^\w]|$)",
        r"汉 第\s?(?P<number>(?!\d{4}年)\d++(?=[\u4e00-\u9fff]|$)|{han}|[一二三四五六七八九十])",
    )),
    # A number, with what it counts (`_quantity`).
    _Row("number", quantity, (
        r"9a数汉. {several}",
        r"a \bone\b",
        r"a \bdozen\b",
        r"数 {one}",
    )),
    # Without words in which the character is no more than a syllable.
    _Row("negation", negated, (
        (
            r"a \b(?:(?<!or )not(?! (?:only|just|merely)\b)|no(?!\.)|never|without|cannot"
            r"|neither|nor|non(?=-)|{do}n['’]?t)\b"
        ),
        (
            r"汉 禁止|严禁|切勿|[勿毋甭]|(?<!有)没有|(?<![淹出沉埋覆])没(?!收(?!到|齐)|[落入]"
            r"|有)|未(?!来)|无(?![论疑限线锡])"
        ),
        (
            r"汉 不(?![仅但断同过管论锈动产足久妨如止只光单独惜料禁愧堪定良法错])"
            r"(?!(?<=[对了]不)起|(?<=差不)多|(?<=要不)[然是]|少(?!于)"
            r"|(?<=是不)是|(?<=[能会要好对行可来去用想]不)[能会要好对行可来去用想])"
            r"[得要能可应准许必用]?"
        ),
        r"汉 (?<![除莫是南北东西])非(?![常洲但])",
        (
            r"汉 (?<![特个区级性差告送分识鉴辨类派国久离永道惜辞阔话作拜死诀])"
            r"别(?![的人处致墅称名离样论号克针])"
        ),
    )),
)  # fmt: skip
# Where a form can begin: most characters begin none.  The first letters of words that begin one:
_WORDS = """zer one two thr fou fiv six sev eig nin ten ele twe thi for fif hun fir sec jan feb mar
apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun noo mid min hal qua q utc gmt v ver
www rmb cny usd us hk hkd eur gbp jpy not no nev wit can nei nor non do doe don did is isn are was
wer has hav had ca won wou sho cou mus nee mig cha par fig tab ste pag p pp lin app ann art cla ite
equ eq exa vol boo act sce sea epi war typ pha gra lev sta gro tit sch rou lea bow kin pop hen lou
eli per ann ii iii iv ix vii vi xi xii xiv xvi xv xx xix
xxi xxv xxx xli xlv doz"""
# Characters by what they begin, in the order of the kinds of `kernels.characters.begins`.
_KINDS = (
    "abcdefghijklmnopqrstuvwxyz_", "0123456789", HAN + FINANCIAL,
    "第不未无没非别勿毋甭切公人图表附步示版星礼周凌清早上中下正午傍晚夜深今当严禁半零俩仨№¥$€£@",
    "高大初研负", "~./", " \t#>*-+•·【[(（&", "\n",
)  # fmt: skip
# What may follow the letters that a code or an address begins with.
_JOINING = "0123456789@:/\\-._"
# With these, 一 is no number.
_NO_ONE = (*"些样起般个直定种切",)
# Characters that begin a form only before others.
_HAN_NUMERALS = (*"一二三四五六七八九十", *"0123456789")
_FOLLOWING = {
    pair[0]: (pair[1:],)
    for pair in """人民币 公式 当晚 中午 上午 下午 正午 步骤 示例 版本 星期 礼拜 凌晨 清晨 傍晚
    深夜 今晚 严禁 禁止 切勿""".split()  # noqa: SIM905
} | {
    "午": ("后", "夜"), "夜": ("间", "里"), "周": (*"一二三四五六日天",),
    "零": (*"〇一二两三四五六七八九十点下",), "早": ("晨", "上", *_HAN_NUMERALS),
    "表": (" ", *_HAN_NUMERALS), "图": (" ", *_HAN_NUMERALS), "附": ("件", "录"),
}  # fmt: skip


def _begins(folded: str) -> Iterator[tuple[int, int]]:
    """Yield where a form can begin, in order, and the set of forms."""
    codes = to_codes(folded)
    places, sets = begins(codes, _table()[codes], _joining(), _first_letters())
    for start, begin in zip(places.tolist(), sets.tolist(), strict=True):
        if 0 < begin < 3:
            first = folded[start]
            following = _FOLLOWING.get(first)
            if following and not folded.startswith(following, start + 1):
                continue
            if (
                first == "一"
                and folded.startswith(_NO_ONE, start + 1)
                and not folded.startswith("个半", start + 1)
            ):
                continue
        yield start, begin


@cache
def _table() -> NDArray[np.uint8]:
    table = np.zeros(CODE_POINTS, np.uint8)
    for kind, characters in enumerate(_KINDS, 1):
        table[list(map(ord, characters))] = kind
    return table


@cache
def _joining() -> NDArray[np.uint8]:
    return np.isin(np.arange(128), list(map(ord, _JOINING))).astype(np.uint8)


@cache
def _first_letters() -> NDArray[np.uint8]:
    table = np.zeros((27, 27, 27), np.uint8)
    for word in _WORDS.split():
        table[tuple(ord(letter) - 96 for letter in word) + (0,) * (3 - len(word))] = 1
    return table.ravel()


# The sets of forms, in the order of `kernels.characters.begins`: by digits, numerals, other Han
# characters, signs, words, what is joined to letters, or both.
_SETS = ("9", "数", "汉", ".", "a", "@", "a@")


def _filled(expression: str, begin: str = "") -> str:
    """Return an expression with the parts that it names, numbers as they can begin."""
    expression = expression.replace("{several}", f"{{several{begin}}}")
    for _ in range(6):
        expression = re.sub(
            r"\{([a-z]+[9.汉数@]?)\}", lambda part: f"(?:{_PARTS[part[1]]})", expression
        )
    return expression.replace("HAN", HAN)


_FLAGS = re.ASCII | re.MULTILINE


class _Form(NamedTuple):
    row: _Row
    sets: str  # of what it can begin with
    text: str


_FORMS = [_Form(row, *form.split(" ", 1)) for row in _ROWS for form in row.forms]


# Compiled when a text is first asked for its facts: that takes longer than a start without.
@cache
def _number() -> re.Pattern[str]:
    return re.compile(_filled("{plain}"), _FLAGS)


@cache
def _suffix() -> re.Pattern[str]:
    """Return an expression for what can follow a number: a share, a unit."""
    return re.compile(_filled("{suffix}"), _FLAGS)


# Numerals that are numbers only where they count something.
_ALONE = frozenset("一二两三四五六七八九十廿卅") | {"one"}
_COUNTED = pattern(_filled("{counted}|[至到](?=[HAN]|$)|比(?=[HAN])|(?<=比[HAN])(?![HAN])"))
_COUNTED_ONE = pattern(_filled("[人名次级期届号层楼]|[至到](?=[HAN]|$)"))


@lru_cache(1 << 14)
def _value(form: int, parts: tuple[str | None, ...]) -> str:
    """Return the value of what a form matched; empty for no fact."""
    row, _, text = _FORMS[form]
    names = ("", "", *re.findall("[?]P<([a-z]+)>", _filled(text)))
    return row.value({name: part for name, part in zip(names, parts, strict=True) if part})


# A form, and the groups of its parts, behind the whole twice: of one group there is no tuple.
_Parted = tuple[int, tuple[int, ...]]


@cache
def _forms(begin: int) -> tuple[Callable[[str, int], re.Match[str] | None], Mapping[int, _Parted]]:
    """Return what matches the forms that begin with a set of characters, by their groups.

    It is compiled when a text is first asked for its facts: that takes longer than a start without.
    """
    sets = _SETS[begin]
    some = [form for form, (_, begun, _) in enumerate(_FORMS) if {*sets} & {*begun}]
    filled = {form: _filled(_FORMS[form].text, sets[0]) for form in some}
    # Groups of several forms have the same name.
    numbered = (
        re.sub("(?<=[?]P<)[a-z]+(?=>)", rf"\g<0>{form}", text) for form, text in filled.items()
    )
    named = (f"(?P<form{form}>{text})" for form, text in zip(some, numbered, strict=True))
    either = re.compile("|".join(named), _FLAGS)
    forms = dict[int, _Parted]()
    for form, text in filled.items():
        names = re.findall("[?]P<([a-z]+)>", text)
        groups = (0, 0, *(either.groupindex[f"{name}{form}"] for name in names))
        forms[either.groupindex[f"form{form}"]] = form, groups
    return either.match, forms
