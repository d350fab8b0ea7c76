"""The outline of a text: its lines, which of them are headings, and where its pages end.

A heading is a short line alone, and nothing else: "参考文献" in a sentence is none, and neither is
the line of the table of contents that has a page number behind it.

*Headers* are the running heads and feet at the edges of pages, and page numbers.  Pages end at form
feeds, or else at page numbers that count on at about equal distances.  From each edge inwards,
lines that recur at the same edge of other pages are headers.

No expression here looks at more than the few hundred characters of a line's beginning, so time is
linear.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise, takewhile
from statistics import median
from typing import NamedTuple

from simdup.base.when_used import pattern
from simdup.text.characters import FOLDED_IN_PLACE

# Characters of a line that is a heading or a running head, and those that are kept of any line.
SHORT = 80
_KEPT = 320


class Line(NamedTuple):
    """A line that is not blank, without the white space around it."""

    start: int
    end: int
    indent: int  # columns before it
    apart: bool  # whether a blank line is before it
    page: int  # how many form feeds are before it
    text: str  # folded; its beginning, if it is long


class Outline:
    """The lines of a text, and what each is a part of."""

    def __init__(self, text: str) -> None:
        self.folded = text.translate(FOLDED_IN_PLACE)
        self.lines = list(_split(text, self.folded))
        self.kinds = [""] * len(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, number: int) -> Line:
        return self.lines[number]

    def mark(self, kind: str, numbers: Iterable[int]) -> None:
        """Say of lines what they are a part of, unless it is known."""
        for number in numbers:
            self.kinds[number] = self.kinds[number] or kind

    def open_after(self, number: int) -> Iterator[int]:
        """Yield the lines behind one, without headers, as far as nothing is known of them."""
        for other in range(number + 1, len(self)):
            if not self.kinds[other]:
                yield other
            elif self.kinds[other] != "headers":
                return

    @cached_property
    def headings(self) -> list[str]:
        """What each line is as a heading: a kind, ``title``, ``numbered``, or nothing."""
        texts = [line.text if line.end - line.start <= SHORT else "" for line in self.lines]
        return [
            _heading(text, following) if text else "" for text, following in pairwise([*texts, ""])
        ]


_LINE_END = pattern("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_COLUMNS = {"\t": 4, "\u3000": 2}


def _split(text: str, folded: str) -> Iterator[Line]:
    """Yield the lines of a text that are not blank."""
    start, page, apart = 0, 0, True
    ends = (found.start() for found in _LINE_END.finditer(text))
    for end in [*ends, len(text)]:
        line = text[start:end]
        content = line.strip()
        if content:
            before = line[: line.index(content[0])]
            first = start + len(before)
            last = first + len(content)
            # Two ideographic spaces are the begin of a paragraph.
            indent = sum(_COLUMNS.get(one, 1) for one in before.removeprefix("\u3000\u3000"))
            yield Line(first, last, indent, apart, page, folded[first : min(last, first + _KEPT)])
            apart = False
        elif text[start - 1 : start] != "\r" or text[end : end + 1] != "\n":
            apart = True
        if text[end : end + 1] == "\f":
            page += 1
        start = end + 1


# -- headings --------------------------------------------------------------------------------------

_MARKUP = pattern(
    r"\s*\\(?:part|chapter|(?:sub){0,2}section|paragraph)\*?\s*(?:\[[^\[\]]*\])?\{([^{}]*)\}"
    r"(?:\s*\\label\{[^{}]*\})?\s*|#{1,6}\s+([^#]*)#*|<h[1-6][^<>]*>([^<>]*)</h[1-6]>|=+\s+([^=]*)=*"
)
_UNDERLINE = pattern(r"(?:={3,}|-{3,})$")
_BOLD = pattern(r"[*_]{1,3}([^*_]*)[*_]{1,3}$|[【\[〔]([^【】\[\]〔〕]*)[】\]〕]$")
_HAN = "一二三四五六七八九十百零〇"
_NUMBER = pattern(
    rf"(?:第\s*[\d{_HAN}]{{1,4}}\s*[章节编篇部]|(?:chapter|part|section)\s*(?:\d+|[ivxlc]+)\b"
    rf"|\d{{1,2}}(?:\.\d{{1,2}}){{0,3}}(?![\d.]*\d)|[ivxlc]{{1,6}}(?=\.)|[{_HAN}]{{1,3}}(?=[、.])"
    rf"|[(（][\d{_HAN}]{{1,3}}[)）])[.、:：]?\s*"
)
_CHAPTER = pattern(
    rf"第\s*[\d{_HAN}]{{1,4}}\s*[章编篇部分](?![的中]|节?[里内])"
    r"|(?:chapter|part)\s+(?:\d+|[ivxlc]+|one|two|three|four|five|six|seven|eight|nine|ten)\b"
)
_SENTENCE_END = pattern(r"[。，；！？!?;,…]$|[^\W\d_]{2,}\.$")

_REFERENCES_ZH = (
    "(?:主要|部分|本章|全文|中文|外文|英文)?(?:参考|引用|征引|引证)(?:文献|书目|资料|书籍|著作)"
    "(?:目录|列表|清单|一览)?(?:[及与和]注释)?|注释[及与和]参考文献|引文出处|文献目录"
)
_REFERENCES_EN = (
    "references?|referencelist|listofreferences|(?:selected|select|annotated)?bibliograph(?:y|ies)"
    "|(?:works|literature|references|sources)(?:cited|consulted)|literature|citedreferences"
    "|(?:references|bibliography)(?:and|&)notes|notesandreferences|bibliographicreferences"
)
_CONTENTS_ZH = "目[录次]|内容目录|[插附]?[图表](?:目录|目次|清单|索引)|图表(?:目录|清单|索引)"
_CONTENTS_EN = (
    "(?:tableof)?contents|listof(?:figures?|tables?|illustrations|figuresandtables"
    "|tablesandfigures|plates|charts)|toc"
)
_STATEMENT_ZH = (
    ".{0,18}(?:(?:原创|独创)性?(?:的?(?:声明|说明|承诺)).{0,12}"
    "|(?:诚信|学术(?:诚信|道德|规范|不端)|独立完成|郑重|作者|论文)(?:声明|承诺书?|保证书).{0,8}"
    "|(?:使用|版权|著作权|知识产权).{0,6}(?:声明|说明|授权书?|协议|许可书?|承诺书?).{0,6}"
    "|授权(?:的?(?:声明|说明)|书))"
)
_STATEMENT_EN = (
    "(?:(?:student|author|candidate|writer)(?:'?s)?'?)?(?:statutory|sworn|solemn)?"
    "(?:(?:declaration|statement|affirmation|certificate|certification|affidavit|affirmationof)"
    "(?:of|on|ofthe)?(?:academic|own|student|sole|thesis)?(?:originality|authorship|originalwork"
    "|originalauthorship|integrity|honesty|independentwork|independence|authenticity|plagiarism"
    "|copyright|nonplagiarism|author|candidate)?(?:and.{1,40})?"
    "|(?:originality|authorship|plagiarism|integrity|honesty|copyright|academicintegrity"
    "|academichonesty|nonplagiarism)(?:declaration|statement|pledge|notice|form)"
    "|(?:permission|authori[sz]ation|licen[cs]e)(?:to|for)(?:use|copy|reproduce|publish|publication"
    "|thesisuse).{0,30}|thesis(?:use)?authori[sz]ation|honou?r(?:code|pledge))"
)
_OTHER = (
    "致谢|谢辞|鸣谢|后记|附录.{0,30}|附件.{0,20}|(?:中文|英文|内容)?(?:摘要|提要)|关键词|引言|绪论|导论|导言|前言|序言?"
    "|(?:结论|结语|总结|小结)(?:与展望)?|本章小结|(?:作者|个人|导师)(?:简介|简历|履历)|索引|术语表|注释"
    "|(?:主要)?(?:符号|缩略语|缩写|术语)(?:说明|表|对照表|清单|列表)?"
    "|.{0,12}(?:攻读|在读|在学|学习|研究生|博士|硕士|本科).{0,8}期间.{0,30}"
    "|(?:已|公开)?发表.{0,8}(?:论文|成果|文章).{0,8}|(?:科研|研究|学术)成果.{0,10}"
    "|acknowledge?ments?|appendix(?:[a-z0-9]{1,2})?(?:[.:：].{0,60})?|appendices|abstract|summary"
    "|introduction|preface|foreword|prologue|epilogue|conclusions?|glossary|index|notes|endnotes"
    "|curriculumvitae|vitae?|biograph(?:y|icalsketch)|abouttheauthors?|publications?.{0,50}"
    "|listofpublications.{0,30}|dedication|methods?|methodology|results|discussion"
    "|(?:listof)?abbreviations|(?:listof)?symbols|nomenclature|afterword"
)
_TITLES = {
    kind: pattern(f"(?:{zh})(?:[(（/|·:：]?(?:{en})[)）]?)?|(?:{en})(?:[(（/|·]?(?:{zh})[)）]?)?")
    for kind, zh, en in (
        ("contents", _CONTENTS_ZH, _CONTENTS_EN),
        ("references", _REFERENCES_ZH, _REFERENCES_EN),
        ("statement", _STATEMENT_ZH, _STATEMENT_EN),
    )
} | {"title": pattern(f"(?:{_OTHER})(?:[(（/|·]?[a-z]{{3,24}}[)）]?)?")}


def _heading(text: str, following: str) -> str:
    """Return what a short line is as a heading; `following` is the next line."""
    markup = _MARKUP.fullmatch(text)
    title = next(filter(None, markup.groups()), "").strip() if markup else text
    if bold := _BOLD.match(title):
        title, markup = (bold[1] or bold[2] or "").strip(), markup or bold
    if _SENTENCE_END.search(title):
        return ""
    number = _NUMBER.match(title)
    bare = title[number.end() :] if number else title
    for one in dict.fromkeys((title, bare)):
        key = "".join(one.split()).rstrip(":：")
        for kind, expression in _TITLES.items():
            if expression.fullmatch(key):
                return kind
    if markup or _CHAPTER.match(title) or _UNDERLINE.match(following):
        return "title"
    # A number alone is that of a page, and a mark in the middle of an entry.
    return "numbered" if number and bare and len(bare) <= 40 and not _INSIDE.search(bare) else ""


_INSIDE = pattern(r"[。，；,;\[\]]|\.\s|\d{4}|\d$")


# -- headers ---------------------------------------------------------------------------------------

# Lines at an edge of a page that may recur.
_DEEP = 3
# A title page has fewer lines.
_TITLE_PAGE = 20
# Characters between two page numbers, at least: those of a list are closer.
_PAGE = 150
# How far the distance of two may be from the usual one.
_UNEVEN = 3
# Numbers in order that are convincing without that.
_MANY = 5
# Numbers on either side of one among which the next one is.
_CLOSE = 4

_PAGE_MARK = pattern(
    r"(?:[^\w]{0,4}(?:第\s*(?:\d{1,4}|[ivxlc]{1,7})\s*页[\s,，/]*[(（]?(?:[共总]\s*\d{1,4}\s*页)?[)）]?"
    r"|共\s*\d{1,4}\s*页[\s,，/]*第\s*\d{1,4}\s*页"
    r"|page\s*(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:of|/)\s*\d{1,4})?)[^\w]{0,4})$"
)
_NUMBER_LINE = pattern(
    r"[-–—·•~|\s(（\[]{0,6}(?:(\d{1,4})(?:\s*/\s*\d{1,4})?|([ivxlcⅰ-ⅻ]{1,7}))[-–—·•~|\s)）\].]{0,6}$"
)
_LAST_NUMBER = pattern(r"(.*[^\d.,:：/年月日%-])(\d{1,4})[-–—·•~|\s]{0,4}$")
_FIRST_NUMBER = pattern(r"[-–—·•~|\s]{0,4}(\d{1,4})(?![\d.,:：/年月日%、)）\]-])(.*)$")
LETTERS = pattern(r"[^\W\d_]{2}|[\u4e00-\u9fff]")


class _Numbered(NamedTuple):
    """A line with a page number, perhaps."""

    line: int
    key: str  # what is beside the number
    value: int


def mark_headers(lines: Outline) -> None:
    """Mark running heads and feet, and page numbers."""
    short = [n for n, line in enumerate(lines.lines) if line.end - line.start <= SHORT]
    marks = {n for n in short if _PAGE_MARK.match(lines[n].text)}
    feeds = [n for n in range(1, len(lines)) if lines[n].page > lines[n - 1].page]
    if not feeds:
        counted = [one for n in short if (one := _numbered(n, lines[n].text))]
        marks |= set(_chains(counted, [line.start for line in lines.lines]))
    lines.mark("headers", marks)
    edges = feeds or [n + 1 for n in sorted(marks) if n + 1 not in marks]
    if edges:
        lines.mark("headers", _recurring(lines, edges, bool(feeds)))


def _numbered(number: int, text: str) -> _Numbered | None:
    """Return the page number of a line, if it begins or ends with one."""
    if found := _NUMBER_LINE.match(text):
        return _Numbered(number, "", int(found[1]) if found[1] else _roman(found[2]))
    if found := _LAST_NUMBER.match(text):
        return _Numbered(number, found[1].strip(), int(found[2]))
    if found := _FIRST_NUMBER.match(text):
        return _Numbered(number, found[2].strip(), int(found[1]))
    return None


_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def _roman(text: str) -> int:
    """Return a Roman number; those of front matter count apart from the others."""
    values = [_ROMAN[one] for one in unicodedata.normalize("NFKC", text)]
    return 10_000 + sum(v if v >= after else -v for v, after in pairwise([*values, 0]))


def _chains(numbered: Iterable[_Numbered], starts: Sequence[int]) -> Iterator[int]:
    """Yield the lines whose numbers count on at about equal distances, three at least."""
    by_key = defaultdict[str, list[_Numbered]](list)
    for one in numbered:
        by_key[one.key].append(one)
    for some in by_key.values():
        if len(some) < 3:
            continue
        last = dict[int, int]()  # the place of each number that was met last
        before, length = list[int](), list[int]()
        for place, one in enumerate(some):
            # Odd and even pages may have heads of their own.
            near = (last.get(one.value - step) for step in (1, 2))
            far = [n for n in near if n is not None and
                   starts[one.line] - starts[some[n].line] >= _PAGE]  # fmt: skip
            best = max(far, key=lambda n: length[n], default=-1)
            before.append(best)
            length.append(1 + (length[best] if best >= 0 else 0))
            last[one.value] = place
        yield from _even_chains(some, before, length, starts)


def _even_chains(
    some: Sequence[_Numbered], before: list[int], length: list[int], starts: Sequence[int]
) -> Iterator[int]:
    """Yield the lines of chains, the longest first, but for numbers that are far from the usual."""
    used = set[int]()
    for end in sorted(range(len(some)), key=lambda n: -length[n]):
        chain = list[int]()
        while end >= 0 and end not in used:
            chain.append(end)
            end = before[end]
        if len(chain) < 3:
            continue
        used.update(chain)
        gaps = [
            (starts[some[b].line] - starts[some[a].line]) / (some[b].value - some[a].value)
            for b, a in pairwise(chain)
        ]
        usual = median(gaps)
        # Of many in order, those of short pages are page numbers too.
        least = usual / _UNEVEN if len(chain) < _MANY else 0
        even = [least <= gap <= usual * _UNEVEN for gap in gaps]
        if sum(even) >= 2:
            for place, (left, right) in zip(chain, pairwise([False, *even, False]), strict=True):
                if left or right:
                    yield some[place].line
            yield from _left_out(some, chain, starts)


def _left_out(
    some: Sequence[_Numbered], chain: Sequence[int], starts: Sequence[int]
) -> Iterator[int]:
    """Yield the lines of the numbers that a chain has left out, each if it is the only one.

    A number before a short page is as close to the next one as those of a list.
    """
    known = {some[n].value for n in chain}
    ends = (chain[0], chain[-1]) if len(chain) >= _MANY else ()
    found = defaultdict[int, set[int]](set)
    for place in chain:
        for n in range(max(place - _CLOSE, 0), min(place + _CLOSE + 1, len(some))):
            value, far = some[n].value, abs(starts[some[n].line] - starts[some[place].line])
            inside = value - 1 in known and value + 1 in known
            in_order = value - some[place].value == (1 if n > place else -1)
            if far < _PAGE and value not in known and in_order and (inside or place in ends):
                found[value].add(some[n].line)
    yield from (min(lines) for lines in found.values() if len(lines) == 1)


def _recurring(lines: Outline, edges: Sequence[int], fed: bool) -> Iterator[int]:
    """Yield the lines at the edges of pages that recur, from the edge inwards."""
    zones = [(side, page, list(zone)) for side, page, zone in _zones(lines, edges)]
    tally = Counter[tuple[int, object]]()
    for side, page, zone in zones:
        signs = {sign for n in zone for sign in _signs(lines[n].text, page)}
        tally.update((side, sign) for sign in signs)
    # Heads that name a section have another text on each page, and the number of the page.
    many = max(3, len(edges) // 5)
    opening = _openings(lines, edges)
    heads = {sign for (side, sign), count in tally.items() if not side and count >= many}
    behind = [] if fed else list(_behind_title_page(lines, edges[0], heads))
    yield from behind
    for side, page, zone in zones:
        if behind and not side and not page:
            continue
        seen = set[str]()
        for number in zone:
            text = lines[number].text
            recurs = text not in seen and (
                any(
                    tally[side, sign] >= (many if isinstance(sign, int) else 2)
                    for sign in _signs(text, page)
                    if not (isinstance(sign, str) and number in opening)
                    if fed or not isinstance(sign, int)
                )
                or (not side and number + 1 < len(lines) and lines[number + 1].text == text)
            )
            if not (recurs or lines.kinds[number]):
                break
            seen.add(text)
            yield number


def _behind_title_page(lines: Outline, edge: int, heads: Container[object]) -> Iterator[int]:
    """Yield the head of the first page if a title page without a number is before it.

    The title page has the text of the head too.
    """
    met = set[str]()
    for number in range(edge):
        sign = "".join(lines[number].text.split())
        if sign in met and not lines.headings[number] and sign in heads:
            yield number
        met.add(sign)


def _openings(lines: Outline, edges: Sequence[int]) -> set[int]:
    """Return the lines at the top of a page that running heads of later pages repeat.

    These are the headings of chapters, unless the heading is below, and the lines of a title page.
    """
    met, found = set[str](), set[int]()
    for number, line in enumerate(lines.lines):
        if line.end - line.start <= SHORT and line.text not in met:
            met.add(line.text)
            following = lines[number + 1].text if number + 1 < len(lines) else ""
            if lines.headings[number] and line.text != following:
                found.add(number)
    first = range(edges[0])
    ends = sum(bool(_SENTENCE_END.search(lines[n].text)) for n in first)
    if len(first) < _TITLE_PAGE and ends <= 1:
        found.update(first)
    return found


def _signs(text: str, page: int) -> Iterator[object]:
    """Yield what is equal of a running head on several pages."""
    if LETTERS.search(text):
        yield "".join(text.split())
    if found := _numbered(0, text):
        yield "".join(found.key.split()), found.value - page
        if not _CLAUSES.search(found.key):
            yield found.value - page


_CLAUSES = pattern(r"[。，；,;]")


def _zones(lines: Outline, edges: Sequence[int]) -> Iterator[tuple[int, int, Iterator[int]]]:
    """Yield the short lines at both sides of each edge, outermost first: side, page, numbers."""

    def short(numbers: range) -> Iterator[int]:
        return takewhile(lambda n: lines[n].end - lines[n].start <= SHORT, numbers)

    for page, (low, high) in enumerate(pairwise([0, *edges, len(lines)])):
        middle = min(low + _DEEP, high)
        yield 0, page, short(range(low, middle))
        # What is at the top is not at the bottom too.
        yield 1, page, short(range(high - 1, max(middle, high - _DEEP) - 1, -1))
