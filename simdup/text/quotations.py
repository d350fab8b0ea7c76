"""Quotations that name their source, in Chinese and English.

A quotation is between quotation marks, a block that Markdown or LaTeX marks, or one that is
indented.  It names a source by a mark of a citation or a note behind it, or by whoever says it
beside it: 张三指出：“...”, Smith (2019) argues that "...", “...”[12].  Without one it is text like
any other: whoever puts quotation marks around a copied sentence has not said where it is from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from simdup.base.when_used import pattern
from simdup.model.shared_passages import Part

# Lines of one paragraph: where each begins, ends, and the columns before it.
Stretch = list[tuple[int, int, int]]

# Characters before and behind a quotation in which its source is looked for.
_AROUND = 120
# A longer quotation lacks its end.
_LONGEST = 3000

_MARKS = pattern("[“”„‘’「」『』«»＂\"]|``|''")
_CLOSES = dict(zip('“„‘「『«"＂', '”“’」』»"＂', strict=True)) | {"``": "''"}

# -- what names a source --

_YEAR = r"(?:1[5-9]|20)\d\d"
_NOTE = (
    r"[\[〔【]\s?\d{1,3}(?:\s?[-–,，、~:：]\s?\d{1,4}){0,12}(?:[^\[\]]{0,20})?[\]〕】]|[①-⑳㉑-㊿⑴-⒇]|[¹²³⁰⁴-⁹]+"
    r"|\^\[?\d{1,3}\]?|\[\^[^\[\]]{1,30}\]|\[[^\[\]@]{0,40}@[^\[\]]{1,100}\]|<sup>|\$\^\{?\[?\d"
    r"|~?\\(?:\w{0,8}cite\w{0,8}|footnote\w{0,6}|textsuperscript)\*?\s?(?:\[[^\[\]]{0,60}\]){0,2}\{"
    r"|[(（](?:pp?\.\s?\d|第?\s?\d{1,4}\s?页|ibid|同上|同前)"
)
_AUTHOR_YEAR = (
    r"[(（](?![^()（）]{0,4}公元)[^\d()（）]{1,60}[^()（）]{0,30}?"
    rf"{_YEAR}[^()（）]{{0,40}}[)）]"
)
_CITED_FORM = rf"[\s,.;:。，；：、!?！？]{{0,3}}(?:{_NOTE}|{_AUTHOR_YEAR})"
_CITED = pattern(_CITED_FORM)
# A digit that was raised before the text lost its form.
_BEHIND = pattern(rf"{_CITED_FORM}|\d{{1,3}}(?=[\s,.;。，；)）]|$)")
_FARTHER = pattern(rf"[^\s，。；！？,.;!?“”\"「」()（）\[\]]{{1,10}}(?:{_NOTE}|{_AUTHOR_YEAR})")
_DASH = pattern(r"[\s。.]{0,3}(?:[—–―]{1,2}|--)\s?[^\s—].{0,60}$")
_WITHIN = pattern(
    rf"(?:{_NOTE}|{_AUTHOR_YEAR})[\s.。]{{0,3}}$"
    r"|(?:\n|[。”\".!?！？…])[\s>]*(?:[—–―]{1,2}|--)\s?[^\s—][^—\n]{0,60}$"
)
_SAYS_ZH = (
    "指出|认为|写道|写到|写下|强调|主张|提出|论述|论及|论道|阐述|阐释|阐明|断言|宣称|声称|评价|评论|批评|总结|概括|归纳"
    "|定义|界定|描述|表述|提到|提及|谈到|谈及|所言|所述|所云|曾言|有言"
)
_SPOKEN_ZH = "所说|说过|说道|(?<![小学据传])说|云|曰|(?<![名简职通统所])称(?!为)|(?<![知味])道"
_SPOKEN = ("说", "说道", "说过", "道", "曰", "云", "表示", "称")
_SAYS_BEFORE_ZH = pattern(
    rf"(?:(?:{_SAYS_ZH}|{_SPOKEN_ZH})(?:[了过的道为是到]{{0,2}}|如下|:|其为|之为)|的(?:定义|观点|说法|看法|话|论述|表述)(?:是|为|来?说|来?讲)?)$"
)
_BY_ZH = pattern(
    r"\W{0,2}(?:而|但|又|也|并|其中)?(?:正如|诚如|恰如|如同|根据|依据|按照|据|引自|参见|引用|借用)[^，。；]{2,60}$"
)
_SPOKEN_EN = "says?|said|calls?|called|adds?|added"
_SAYS_EN = (
    r"(?:writes?|wrote|written|argue[sd]?|states?|stated|notes?|noted|observe[sd]?|claim(?:s|ed)?"
    r"|suggest(?:s|ed)?|point(?:s|ed)? out|remark(?:s|ed)?|assert(?:s|ed)?|conclude[sd]?"
    r"|maintain(?:s|ed)?|contend(?:s|ed)?|explain(?:s|ed)?|describe[sd]?|define[sd]?"
    r"|emphasi[sz]e[sd]?|insist(?:s|ed)?|declare[sd]?|hold(?:s)?|held|put(?:s)? it|propose[sd]?"
    r"|report(?:s|ed)?|warn(?:s|ed)?|acknowledge[sd]?|admit(?:s|ted)?|according to"
    rf"|in the words of|{_SPOKEN_EN})"
)
_SAYS_BEFORE_EN = pattern(rf"\b{_SAYS_EN}\b(?:[\s,:]+[\w'’-]+){{0,7}}$")
_SPOKEN_LAST = pattern(rf"\b(?:{_SPOKEN_EN})\b(?:[\s,:]+[\w'’-]+){{0,3}}$")
_SAYS_BEHIND_EN = pattern(
    rf"[\s,.]{{0,3}}(?:(?:[A-Z][\w.'’-]*\s+){{1,3}}(?:\([^()]{{1,30}}\)\s+)?(?:\w+ly\s+)?(?i:{_SAYS_EN})\b"
    rf"|(?i:{_SAYS_EN})\s+(?:[A-Z][\w.'’-]+))"
)
_SAYS_BEHIND_ZH = pattern(
    rf"[\s，,。]{{0,2}}(?:这是|这便是)?([\u4e00-\u9fff·a-z\s]{{2,12}}?)(?:{_SAYS_ZH})(?:[道过了]{{0,2}})(?=[。，,；;\n]|$)"
)
_NARRATIVE = pattern(
    rf"(?:[a-z\u4e00-\u9fff'’.]\s?[(（]\s?{_YEAR}[^()（）]{{0,30}}[)）]|{_NOTE})[^。；;!?]{{0,40}}$"
)
_SENTENCES = pattern(r"[。！？!?；;\n]|\.\s(?=[A-Z“\"])")
# Who is no source: the author, and nobody.
_NOBODY = pattern(
    "(?:本文|本研究|本论文|笔者|我们?|本人|有人|有的人?|有些人|某人|某些人|人们|大家|不少人|很多人|许多人|一些人|常言|俗话|俗语|古人|老话"
    "|民间|人家|老师|同学们?|一般|通常|谁)(?:都|也|曾|还|常|常常|总|就|便|会|所|则|又|往往|一般|普遍|通常|经常|可以)*"
)
_PRONOUN = pattern(
    "(?:他们?|她们?|其|它|前者|后者|二人|两人|该作者)(?:都|也|曾|还|就|便|则|又|进一步|同时|进而|明确|特别|在[^，。]{1,16})*"
)
_LEADS = pattern(
    "(?:正如|如同|诚如|恰如|但是?|而且?|然而|因此|所以|对此|同时|其中|于是|例如|比如|如|还|并|也|又)+"
)
_NO_NAMES = frozenset(
    """A All Also An Another As At But By Each Everybody Everyone For From Hence Here How However I
    If In It Many Most Moreover My No Nobody Now Of On One Or Others Our People Since So Some
    Somebody Someone Such That The Then There These This Those Though Thus To We What When While Who
    Why With Yet You""".split()  # noqa: SIM905
)
_CAPITAL = pattern(r"\b[A-Z][\w'’-]*")
_HE = pattern(r"\b(?:he|she|they)\b", 2)


def sourced_quotations(text: str, folded: str, stretches: Sequence[Stretch]) -> list[Part]:
    """Return the quotations that name a source, in order.

    Parameters
    ----------
    text, folded : str
        The text, and the same in place folded.
    stretches : sequence of Stretch
        The paragraphs to look at, in order.
    """
    found = list[Part]()
    blocks = _blocks(text, folded, stretches)
    for stretch, quoted in zip(stretches, blocks, strict=True):
        found += [Part("quotes", *span) for span in quoted]
        start, end = stretch[0][0], stretch[-1][1]
        spans = [span for span in _between_marks(text, start, end) if not _overlap(span, quoted)]
        for number, (first, last) in enumerate(spans):
            low = max(start, first - _AROUND)
            if number and spans[number - 1][1] >= low:
                low = spans[number - 1][1]
                # The mark behind the quotation before is its own.
                own = _BEHIND.match(folded, low, first)
                low = own.end() if own else low
            high = min(
                end, last + _AROUND, spans[number + 1][0] if number + 1 < len(spans) else end
            )
            if _names_before(text[low:first], folded[low:first]) or _names_behind(
                text[last:high], folded[last:high]
            ):
                found.append(Part("quotes", first, last))
    return sorted(found, key=lambda part: part.start)


def _overlap(span: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def _between_marks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the outermost quotations of a paragraph begin and end."""
    begin, opened, marks = -1, "", ""
    for found in _MARKS.finditer(text, start, end):
        mark, place = found[0], found.start()
        if begin >= 0 and place - begin > _LONGEST:
            begin, marks = -1, ""
        before, behind = (
            text[place - 1 : place] if place > start else "",
            text[found.end() : found.end() + 1],
        )
        if begin >= 0 and mark in marks and mark != "" and not (mark == '"' and before.isspace()):
            if mark == "’" and behind.isalpha() and behind.isascii():
                continue  # an apostrophe
            yield begin, found.end()
            begin, marks = -1, ""
        elif mark in _CLOSES and (begin < 0 or (mark == opened and mark not in '"＂')):
            # Not 5" or a mark at the end of a line.
            if mark == '"' and ((before.isalnum() and before.isascii()) or not behind.strip()):
                continue
            begin, opened, marks = place, mark, _CLOSES[mark]


def _names_behind(text: str, folded: str) -> bool:
    """Return whether the text behind a quotation names its source."""
    if _BEHIND.match(folded) or _FARTHER.match(folded) or _DASH.match(folded.partition("\n")[0]):
        return True
    if _SAYS_BEHIND_EN.match(text) and not _starts_with_nobody(text):
        return True
    behind = _SAYS_BEHIND_ZH.match(folded)
    return behind is not None and _is_somebody(behind[1], spoken=False)


def _starts_with_nobody(text: str) -> bool:
    found = _CAPITAL.search(text[:60])
    return found is not None and found[0] in _NO_NAMES | {"He", "She", "They"}


def _names_before(text: str, folded: str) -> bool:
    """Return whether the text before a quotation names its source."""
    sentence = max((found.end() for found in _SENTENCES.finditer(text.rstrip(" \n:："))), default=0)
    text, folded = text[sentence:].rstrip(" \n:：,，"), folded[sentence:].rstrip(" \n:：,，")
    if found := _SAYS_BEFORE_ZH.search(folded):
        who = folded[: found.start()]
        return _is_somebody(who, spoken=found[0].rstrip("了过的:") in _SPOKEN)
    clause = folded[max(folded.rfind("，"), folded.rfind(",")) + 1 :]
    if _BY_ZH.match(clause):
        return True
    if _SAYS_BEFORE_EN.search(folded):
        names = [name for name in _CAPITAL.findall(text) if name not in _NO_NAMES]
        spoken = bool(_SPOKEN_LAST.search(folded))
        return (bool(names) and (names[-1] not in ("He", "She", "They") or not spoken)) or (
            not spoken and bool(_HE.search(text))
        )
    return bool(_NARRATIVE.search(folded))


def _is_somebody(who: str, spoken: bool) -> bool:
    """Return whether the words before a verb are a source; of spoken words, no pronoun is one."""
    clause = who[max(who.rfind("，"), who.rfind(",")) + 1 :].strip()
    clause = (clause or who).strip(" ,，")
    if lead := _LEADS.match(clause):
        clause = clause[lead.end() :]
    if not clause:
        return False
    if _NOBODY.fullmatch(clause):
        return False
    return not (spoken and _PRONOUN.fullmatch(clause))


# -- blocks --

_BEGIN = pattern(r"\\begin\{(?:quote|quotation|displayquote|displaycquote|verse)\}")
_END = pattern(r"\\end\{(?:quote|quotation|displayquote|displaycquote|verse)\}")
_DEEP = 4


def _blocks(
    text: str, folded: str, stretches: Sequence[Stretch]
) -> Iterator[list[tuple[int, int]]]:
    """Yield the block quotations with a source of each paragraph."""
    first = Counter(lines[0][2] for lines in stretches if lines[-1][1] - lines[0][0] > 20)
    usual = max(first, key=lambda indent: (first[indent], -indent), default=0)
    before = ""
    for number, lines in enumerate(stretches):
        following = stretches[number + 1][0] if number + 1 < len(stretches) else (0, 0, 0)
        behind = text[following[0] : min(following[1], following[0] + _AROUND)]
        found = []
        for kind, group in groupby(lines, key=lambda line: text.startswith(">", line[0])):
            some = list(group)
            start, end = some[0][0], some[-1][1]
            if kind:
                found.append((start, end, before))
            elif _BEGIN.match(text, start) or _BEGIN.search(text, start, end):
                found += _latex(text, some, before)
            elif len(some) == len(lines) and min(one[2] for one in some) >= max(_DEEP, usual + 2):
                found.append((start, end, before))
            before = text[max(start, end - _AROUND) : end]
        named = []
        for start, end, intro in found:
            rest = text[end : min(lines[-1][1], end + _AROUND)].lstrip() or behind
            if _is_sourced(text, folded, (start, end), intro, rest):
                named.append((start, end))
        yield named


def _latex(text: str, lines: Stretch, before: str) -> Iterator[tuple[int, int, str]]:
    """Yield the block quotations of LaTeX in a paragraph, each with the text before it."""
    end = lines[-1][1]
    place = lines[0][0]
    while found := _BEGIN.search(text, place, end):
        close = _END.search(text, found.end(), end)
        last = close.end() if close else end
        intro = text[max(place, found.start() - _AROUND) : found.start()].strip() or before
        yield found.start(), last, intro
        place = last


def _is_sourced(text: str, folded: str, span: tuple[int, int], before: str, behind: str) -> bool:
    """Return whether a block names its source: within, in the paragraph before or behind it."""
    start, end = span
    inside = folded[max(start, end - _AROUND) : end]
    close = _END.search(inside)
    if close:
        inside = inside[: close.start()].rstrip()
    if _WITHIN.search(inside.rstrip(" \n>")):
        return True
    before = before.rstrip()
    if before.endswith((":", "：", ",", "，")) and _names_before(before, before.lower()):
        return True
    return bool(_CITED.match(behind.lower()) or _DASH.match(behind.lower().partition("\n")[0]))
