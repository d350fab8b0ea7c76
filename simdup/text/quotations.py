"""Quotations that name their source, in Chinese and English.

A quotation is between quotation marks, a block that Markdown or LaTeX marks, or one that is
indented.  It names a source by a mark of a citation or a note behind it, or by whoever says it
beside it: 张三指出：“...”, Smith (2019) argues that "...", “...”[12].  Without one it is text like
any other: whoever puts quotation marks around a copied sentence has not said where it is from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from simdup.base.when_used import pattern
from simdup.model.shared_passages import TextPart
from simdup.text.characters import FOLDED_IN_PLACE

# Lines of one paragraph: where each begins, ends, and the columns before it.
Stretch = list[tuple[int, int, int]]
Span = tuple[int, int]

# Characters before and behind a quotation in which its source is looked for.
_AROUND = 120
# A longer quotation lacks its end.
_LONGEST = 3000

_MARKS = pattern("[“”„‘’「」『』«»＂\"]|``|''")
_CLOSES = dict(zip('“„‘「『«"＂', '”“’」』»"＂', strict=True)) | {"``": "''"}

# -- what names a source --

_YEAR = r"(?:1[5-9]|20)\d\d"
_NOTE = (
    r"[\[〔【]\s?\d{1,3}(?:\s?[-–,，、~:：]\s?\d{1,4}){0,12}[^\[\]]{0,20}[\]〕】]|[①-⑳㉑-㊿⑴-⒇]|[¹²³⁰⁴-⁹]+"
    r"|\^\[?\d{1,3}\]?\^?|\[\^[^\[\]]{1,30}\]|\[[^\[\]@]{0,40}@[^\[\]]{1,100}\]"
    r"|<sup>[^<>]{0,40}</sup>|\$\^\{?\[?\d[^$]{0,20}\$|~?\\footnotemark\b|~?\\footnote\{"
    r"|~?\\(?:\w{0,8}cite\w{0,8}|textsuperscript)\*?\s?(?:\[[^\[\]]{0,60}\]){0,2}\{[^{}]{0,100}\}"
    r"|[(（](?:pp?\.\s?\d|第?\s?\d{1,4}\s?页|ibid|同上|同前)[^()（）]{0,20}[)）]"
)
_AUTHOR_YEAR = (
    r"[(（](?![^()（）]{0,4}公元)[^\d()（）]{1,60}[^()（）]{0,30}?"
    rf"{_YEAR}[^()（）]{{0,40}}[)）]"
)
# A title, with its author before it and a part of the work behind it.
_PART_OF_WORK = r"第?[\d一二三四五六七八九十百千零〇两上中下]{1,12}[条章节款项编篇卷回册页集期版]"
_TITLE = (
    r"(?:见|参见|引自|出自|选自|摘自|语出)?:?(?:[^\s()（）《》,，。；:我你他她它这那的是]{0,12}[,，:：])?"
    r"[^\s()（）《》,，。；:我你他她它这那的是读评论谈析从以对由为]{0,12}《[^《》\n]{1,40}》"
    rf"(?:[,，·\s]{{0,2}}{_PART_OF_WORK}){{0,4}}"
)
_TITLED = rf"[(（]\s?{_TITLE}\s?(?:[,，、\s]{{1,2}}[^()（）]{{1,40}})?[)）]"
_CITED_FORM = rf"[\s,.;:。，；：、!?！？]{{0,3}}(?:{_NOTE}|{_AUTHOR_YEAR}|{_TITLED})"
# A digit that was raised before the text lost its form.
_BEHIND = pattern(rf"{_CITED_FORM}|\d{{1,3}}(?=[\s,.;。，；)）]|$)")
_FARTHER = pattern(rf"[^\s，。；！？,.;!?“”\"「」()（）\[\]]{{1,10}}(?:{_NOTE}|{_AUTHOR_YEAR})")
_DASH = pattern(r"[\s。.]{0,3}(?:[—–―]{1,2}|--)\s?[^\s—].{0,60}$")
_WITHIN = pattern(
    rf"(?:{_NOTE}|{_AUTHOR_YEAR})[\s.。]{{0,3}}$|[a-z\u4e00-\u9fff][.。]\d{{1,3}}$"
    r"|(?:\n|[。”\".!?！？…])[\s>]*(?:[—–―]{1,2}|--)\s?[^\s—][^—\n]{0,60}$"
)
_CITED_LAST = pattern(rf"(?:{_NOTE}|{_AUTHOR_YEAR})[\s.。]{{0,3}}$")
# Not the number of a word, as in m² and a[2].
_CITED_INSIDE = pattern(rf"(?<![a-z0-9])(?:{_NOTE}|{_AUTHOR_YEAR}|{_TITLED})[\s.。]{{0,3}}$")
_TITLE_LINE = pattern(rf"[\s>]*(?:[—–―]{{1,2}}|--)\s?{_TITLE}\s*$")
# What a law, a book or an article says.
_TITLE_SAYS = pattern(
    rf"《[^《》]{{1,40}}》(?:\s?{_PART_OF_WORK}){{0,4}}(?:一[书文诗]|里面?|中|上|还|也|就|则|又|曾|明文){{0,3}}"
    "(?:明确)?(?:规定|记载|载[明道有]?|写明|写有|要求|有(?:这样|如下)?[一几两]?[句段](?:话|诗|名言)?)(?:[是为道说]|如下)?$"
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
    r"\W{0,2}(?:而|但|又|也|并|其中)?(?:正如|诚如|恰如|如同|根据|依据|依照|按照|据|引自|参见|引用|借用)([^，。；]{2,60}?)"
    "(?:的(?:说法|观点|看法|意见|话|结果))?$"
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
    rf"(?:[a-z\u4e00-\u9fff'’.]\s?[(（]\s?{_YEAR}[^()（）]{{0,30}}[)）]|[\w」』”)）]\s?(?:{_NOTE}))[^。；;!?]{{0,40}}$"
)
_SENTENCES = pattern(r"[。！？!?；;]|\.\n|\.\s(?=[A-Z“\"])|\\(?:begin|end)\{\w{1,20}\}")
# Who is no source: the author, and nobody in particular.
_SOME_ZH = (
    "有(?:的|些|一些|[一几数多][位名个]|位|名|个)|[一某几数多][位名个些]|某|不少|许多|很多|众多|诸多|广大|多数"
    "|少数|大部分|部分|个别|若干|所有|有关|相关|业内|知情"
)
_PEOPLE_ZH = (
    "研究者|研究人员|工作人员|管理员|学者|专家|教授|论者|评论家|批评家|评论者|批评者|作家|作者|诗人|哲人|智者|名人|伟人"
    "|读者|观众|听众|用户|顾客|游客|市民|村民|居民|网友|网民|同学|学生|老师|教师|师生|家长|朋友|孩子|老人|年轻人|同事"
    "|记者|医生|员工|志愿者|受访者|被访者|访谈对象|被调查者|调查对象|参与者|人士|人"
)
_PAPERS_ZH = "研究|观点|意见|说法|文章|文献|论文|资料|报道|媒体|调查"
_ASKED_ZH = "问卷|访谈|调查|采访|座谈|反馈|留言|回访|抽样"
_ADVERB_ZH = (
    "都|也|曾经?|还|常|总|就|便|会|所|则|又|往往|一般|普遍|通常|经常|可以|这[样么]|对此|同时"
    "|进一步|进而|明确|特别"
)
_ADVERBS_ZH = f"(?>{_ADVERB_ZH})*+"
_NOBODY = pattern(
    "(?:(?:本文|本研究|本论文|笔者|我们?|本人|人们|大家|常言|俗话|俗语|古话|古人|老话|民间|人家|一般|通常|谁"
    # With a name before them, people are those of that name.
    "|(?!.{0,20}(?:等|代表|为首|作为|这样|[和与及])).{0,20}?"
    f"(?:(?:{_SOME_ZH})(?:[^，]{{0,10}}的)?.{{0,4}}?(?:{_PEOPLE_ZH})|有(?:一[种些])?(?:{_PEOPLE_ZH}|{_PAPERS_ZH})"
    f"|(?<![^里中上下内外时后前间界就也曾常还来都])有.{{0,8}}?(?:{_PEOPLE_ZH}))"
    f"|(?:.{{1,12}}[里中上](?!老师|教授|同学|记者|医生|专家))?(?:{_PEOPLE_ZH})"
    f"|(?:[在从]|本次|这次|此次|两次|我们的?|学生|读者|师生){{0,3}}(?:{_ASKED_ZH}){{1,2}}(?:表|结果)?[里中上]?)们?)"
    rf"{_ADVERBS_ZH}(?:[在从][^，]{{1,16}}[里中上时后])?{_ADVERBS_ZH}"
)
_PRONOUN = pattern(
    f"(?:他们?|她们?|其|它|前者|后者|二人|两人|该作者){_ADVERBS_ZH}(?:在[^，。]{{1,30}})?"
)
_LEADS = pattern(
    "(?:正如|如同|诚如|恰如|根据|依据|按照|据|但是?|而且?|然而|因此|所以|对此|同时|其中|于是|例如|比如|如|还|并|也|又)+"
)
_NO_NAMES = frozenset(
    """A All Also An Another As At But By Each Everybody Everyone For From Hence Here How However I
    If In It Many Most Moreover My No Nobody Now Of On One Or Others Our People Since So Some
    Somebody Someone Such That The Then There These This Those Though Thus To We What When While Who
    Why With Yet You""".split()  # noqa: SIM905
)
_PEOPLE_EN = frozenset(
    """some many most several few others people person critics critic researchers researcher
    scholars scholar experts expert authors writers writer readers reader students student teachers
    teacher pupils parents respondents respondent interviewees interviewee participants participant
    observers commentators reviewers academics scientists historians users visitors citizens
    everyone everybody someone somebody anyone nobody one proverb saying survey surveys
    questionnaire interviews studies sources""".split()  # noqa: SIM905
)
# A name behind these is that of a place.
_PLACE = pattern(r"\b(?:in|at|from|of|on|across|around|within)\s+(?:the\s+)?(?:[A-Z][\w'’-]*\s*)+")
_CAPITAL = pattern(r"\b[A-Z][\w'’-]*")
_HE = pattern(r"\b(?:he|she|they)\b", 2)


def sourced_quotations(text: str, folded: str, stretches: Sequence[Stretch]) -> list[TextPart]:
    """Return the quotations that name a source, in order, each with the citation behind it.

    Parameters
    ----------
    text, folded : str
        The text, and the same in place folded.
    stretches : sequence of Stretch
        The paragraphs to look at, in order.
    """
    found = list[TextPart]()
    before = 0  # where the paragraph before begins
    for stretch, blocks in zip(stretches, _blocks(text, folded, stretches), strict=True):
        found += [TextPart("quotes", *span) for span in blocks]
        start, end = stretch[0][0], stretch[-1][1]
        done = before if text.endswith(_COLONS, 0, start) else start
        spans = _outside(_between_marks(text, start, end), blocks)
        for (first, last), (following, _) in pairwise([*spans, (end, end)]):
            low, high = max(done, first - _AROUND), min(following, last + _AROUND)
            cited = _BEHIND.match(folded, last, high)
            named = cited or _CITED_INSIDE.search(folded, max(first, last - _AROUND), last - 1)
            if named or _names_before(text[low:first]) or _names_behind(text[last:high]):
                last = cited.end() if cited else last
                found.append(TextPart("quotes", first, last))
            # The mark behind a quotation is its own.
            done = last
        before = max(start, end - _AROUND)
    return sorted(found, key=lambda part: part.start)


def _outside(spans: Iterator[Span], blocks: Sequence[Span]) -> list[Span]:
    """Return the spans that are in none of the blocks; both are in order."""
    found, number = list[Span](), 0
    for start, end in spans:
        while number < len(blocks) and blocks[number][1] <= start:
            number += 1
        if number == len(blocks) or end <= blocks[number][0]:
            found.append((start, end))
    return found


def _between_marks(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield where the outermost quotations of a paragraph begin and end."""
    begin, depth, opens, closes = -1, 0, "", ""
    for found in _MARKS.finditer(text, start, end):
        mark, place = found[0], found.start()
        if begin >= 0 and place - begin > _LONGEST:
            begin = -1
        before = text[place - 1] if place > start else "\n"
        behind = text[found.end()] if found.end() < end else "\n"
        if begin >= 0 and mark in closes and not (mark == '"' and before.isspace()):
            if mark == "’" and behind.isalpha() and behind.isascii():
                continue  # an apostrophe
            depth -= 1
            if not depth:
                yield begin, found.end()
                begin = -1
        elif begin >= 0 and mark == opens and before not in "\n\u3000":
            depth += 1
        elif mark in _CLOSES and (begin < 0 or mark == opens):
            # Not 5"; each paragraph of a quotation may begin with a mark.
            if mark == '"' and ((before.isalnum() and before.isascii()) or behind.isspace()):
                continue
            begin, depth, opens, closes = place, 1, mark, _CLOSES[mark]


def _unwrapped(text: str) -> str:
    """Return text on one line; between Chinese characters, a line end is no space."""
    return _WRAP.sub("", text).replace("\n", " ")


_WRAP = pattern(r"(?<=[\u3000-\u9fff])\s*\n\s*|\s*\n\s*(?=[\u3000-\u9fff])")


def _names_behind(text: str) -> bool:
    """Return whether the text behind a quotation names its source, but for a mark at once."""
    dash = _DASH.match(text.partition("\n")[0])
    text = _unwrapped(text)
    folded = text.translate(FOLDED_IN_PLACE)
    if dash or _FARTHER.match(folded):
        return True
    if _SAYS_BEHIND_EN.match(text) and not _starts_with_nobody(text):
        return True
    behind = _SAYS_BEHIND_ZH.match(folded)
    return behind is not None and _is_somebody(behind[1], spoken=False)


def _starts_with_nobody(text: str) -> bool:
    found = _CAPITAL.search(text[:60])
    if found is None:
        return False
    return found[0] in _NO_NAMES | {"He", "She", "They"} or found[0].lower() in _PEOPLE_EN


def _says_nobody(text: str, verb: Span) -> bool:
    """Return whether those who say something are people without a name, such as critics."""
    clauses = [one for one in _PAUSE.split(text[: verb[0]]) if one.strip()]
    # "Many critics, such as Smith, argue" has a subject of several clauses.
    pause = _PAUSE.search(text[: verb[0]].rstrip()[-1:])
    clause = ",".join(clauses if pause else clauses[-1:])
    said = _PLACE.sub("", f"{clause} {text[slice(*verb)]}")
    if not any(word in _PEOPLE_EN for word in _WORDS.findall(said.lower())):
        return False
    names = (name for name in _CAPITAL.findall(said) if name not in _NO_NAMES | {"According"})
    return all(name.lower() in _PEOPLE_EN for name in names)


_PAUSE = pattern(r"[,;:，；：]")
_WORDS = pattern(r"[a-z]+")


def _names_before(text: str) -> bool:
    """Return whether the text before a quotation names its source."""
    text = text.rstrip(" \n:：,，")
    if text.endswith(" al."):
        text = text.removesuffix(".")
    if _FULL_STOP.search(text, max(len(text) - 3, 0)):
        return False
    text = text[max((found.end() for found in _SENTENCES.finditer(text)), default=0) :]
    text = _unwrapped(text)
    folded = text.translate(FOLDED_IN_PLACE)
    if found := _SAYS_BEFORE_ZH.search(folded):
        who = folded[: found.start()]
        return _is_somebody(who, spoken=found[0].rstrip("了过的:") in _SPOKEN)
    if _TITLE_SAYS.search(folded):
        return True
    clause = folded[max(folded.rfind("，"), folded.rfind(",")) + 1 :]
    if by := _BY_ZH.match(clause):
        return not _NOBODY.fullmatch(by[1])
    if found := _SAYS_BEFORE_EN.search(folded):
        if _says_nobody(text, found.span()):
            return False
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
    if not clause or _NOBODY.fullmatch(clause) or clause.endswith(("这样", "那样", "如此", "类似")):
        return False
    return not (spoken and _PRONOUN.fullmatch(clause))


# -- blocks --

_BEGIN = pattern(r"\\begin\{(?:quote|quotation|displayquote|displaycquote|verse)\}")
_END = pattern(r"\\end\{(?:quote|quotation|displayquote|displaycquote|verse)\}")
_COLONS = (":", "：", ":\n", "：\n", ":\n\n", "：\n\n")
# Columns before an indented block.
_DEEP = 4
# Lines of a block that nothing but its citation marks.
_LINES = 12
# What is said in so many words.
_VERBATIM = pattern(
    r"(?:写[道到下]|说道|曰|原[文话][是为如下]{0,2}|如是说|\b(?:writes?|wrote|says|said|follows|words|quote[sd]?)"
    r"(?:\s[\w ]{0,30})?)\s*[:：]\s*$"
)
_FULL_STOP = pattern(r"[。.！？!?…][”\"'’]?$")


def _blocks(text: str, folded: str, stretches: Sequence[Stretch]) -> Iterator[list[Span]]:
    """Yield the block quotations with a source of each paragraph."""
    indents = Counter(line[2] for lines in stretches for line in lines)
    deep = max(_DEEP, max(indents, key=lambda one: (indents[one], -one), default=0) + 2)

    def form(line: tuple[int, int, int]) -> str:
        start, _, indent = line
        return ">" if text.startswith(">", start) else "deep" * (indent >= deep)

    before = ""
    for number, lines in enumerate(stretches):
        following = stretches[number + 1][0] if number + 1 < len(stretches) else (0, 0, 0)
        behind = folded[following[0] : min(following[1], following[0] + _AROUND)]
        found = list[Span]()
        for kind, group in groupby(lines, key=form):
            some = list(group)
            start, end = some[0][0], some[-1][1]
            spans = [(start, end)] if kind else _latex(text, start, end)
            for span in spans:
                intro = text[max(start, span[0] - _AROUND) : span[0]].strip() or before
                rest = folded[span[1] : min(lines[-1][1], span[1] + _AROUND)].lstrip() or behind
                if _is_sourced(folded, span, intro, rest):
                    found.append(span)
            if not kind and not spans:
                found += _introduced(text, folded, some, before)
                # The line may be a paragraph of its own.
                near = not text[end : following[0]].strip()
                some += stretches[number + 1][:1] if near and following[1] else []
                found += _with_title(text, folded, some, found[-1][1] if found else -1)
            before = text[max(start, end - _AROUND) : end]
        yield found


def _latex(text: str, start: int, end: int) -> list[Span]:
    """Return the block quotations of LaTeX in a paragraph."""
    found = list[Span]()
    while begin := _BEGIN.search(text, start, end):
        close = _END.search(text, begin.end(), end)
        start = close.end() if close else end
        found.append((begin.start(), start))
    return found


def _introduced(text: str, folded: str, lines: Stretch, before: str) -> Iterator[Span]:
    """Yield what a line that ends with "X writes:" introduces, where no form is left.

    Word text has lost the indent of a block.  It ends with a citation, or is a paragraph on a line.
    """
    done = -1
    for number, (start, end, _) in enumerate(lines):
        intro = before
        before = text[max(start, end - _AROUND) : end]
        if start < done or not intro.endswith((":", "：")) or _MARKS.match(text, start):
            continue
        if not _names_before(intro):
            continue
        for _, last, _ in lines[number : number + _LINES]:
            if _CITED_LAST.search(folded, max(start, last - _AROUND), last):
                done = last
                yield start, last
                break
        else:
            if _VERBATIM.search(intro) and _FULL_STOP.search(text, max(start, end - 3), end):
                done = end
                yield start, end


def _with_title(text: str, folded: str, lines: Stretch, done: int) -> Iterator[Span]:
    """Yield what a line such as "——《荀子·劝学》" is below: lines from the last full stop on."""

    def stops(number: int) -> bool:
        start, end, _ = lines[number]
        return bool(_FULL_STOP.search(text, max(start, end - 3), end))

    for number, (start, end, _) in enumerate(lines):
        if not number or not _TITLE_LINE.match(folded, start, min(end, start + _AROUND)):
            continue
        first = number - 1
        while first and first > number - _LINES and not stops(first - 1):
            first -= 1
        if stops(number - 1) and lines[first][0] >= done:
            yield lines[first][0], end


def _is_sourced(folded: str, span: Span, before: str, behind: str) -> bool:
    """Return whether a block names its source: within, in the paragraph before or behind it."""
    start, end = span
    inside = folded[max(start, end - _AROUND) : end]
    if close := _END.search(inside):
        inside = inside[: close.start()]
    if _WITHIN.search(inside.rstrip(" \n>")):
        return True
    if before.rstrip().endswith((":", "：", ",", "，")) and _names_before(before):
        return True
    line = behind.partition("\n")[0]
    return bool(_CITED_LAST.match(line) or _DASH.match(line))
