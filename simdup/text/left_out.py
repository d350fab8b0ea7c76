"""The parts of a text that a rate may leave out: what is taken from a named source.

They are recognised as a reader does it at a glance, by headings and by form, in Chinese and
English:

1. *References*.  From a heading to the next one that is not followed by more entries; anywhere,
   lines that begin and end as entries do.
2. *Quotations* of what is left; see `simdup.text.quotations`.

A heading is a short line alone, and nothing else: "参考文献" in a sentence is none, and neither is
the line of the table of contents that has a page number behind it.  Running heads and feet beside
form feeds are in no part, and none ends with them.

No expression that is used here looks at more than the few hundred characters of a line's beginning
or end, so time is linear.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from simdup.base.when_used import pattern
from simdup.model.shared_passages import PARTS, TextPart
from simdup.text.characters import FOLDED_IN_PLACE
from simdup.text.quotations import Stretch, sourced_quotations

# What lines are, beside references: running heads and feet.
_HEADS = "heads"


def left_out(text: str, kinds: Collection[str] = PARTS) -> list[TextPart]:
    """Return the parts of a text, in order; they do not overlap.

    Parameters
    ----------
    text : str
        The text as it was decoded.
    kinds : collection of str
        Of `PARTS`.  What a character belongs to does not depend on which are asked for.

    Examples
    --------
    >>> [tuple(part) for part in left_out("正文。\\n参考文献\\n[1] 张三. 文[J]. 刊, 2019.")]
    [('references', 4, 31)]
    """
    if not kinds:
        return []
    lines = _Outline(text)
    _mark_heads(lines)
    _mark_references(lines)
    found = _joined(lines)
    quotations = sourced_quotations(text, lines.folded, _stretches(lines))
    found += without(quotations, [part for part in found if part.kind == _HEADS])
    return sorted((part for part in found if part.kind in kinds), key=lambda part: part.start)


def _joined(lines: _Outline) -> list[TextPart]:
    """Return lines of one kind that follow each other as one part."""
    found = list[TextPart]()
    before = ""
    for kind, line in zip(lines.kinds, lines.lines, strict=True):
        if kind and kind == before:
            found[-1] = found[-1]._replace(end=line.end)
        elif kind:
            found.append(TextPart(kind, line.start, line.end))
        before = kind
    return found


def _stretches(lines: _Outline) -> list[Stretch]:
    """Return the text outside parts as paragraphs of lines; they go on over the edge of a page."""
    found = list[Stretch]()
    before = ""
    for kind, line in zip(lines.kinds, lines.lines, strict=True):
        if not kind:
            place = (line.start, line.end, line.indent)
            if found and (before == _HEADS or (not before and not line.apart)):
                found[-1].append(place)
            else:
                found.append([place])
        if kind != _HEADS or not before:
            before = kind
    return found


def without(parts: Sequence[TextPart], edges: Sequence[TextPart]) -> Iterator[TextPart]:
    """Yield what is left of parts, in order, without others, which are in order too."""
    first = 0
    for part in parts:
        while first < len(edges) and edges[first].end <= part.start:
            first += 1
        start = part.start
        for number in range(first, len(edges)):
            if edges[number].start >= part.end:
                break
            if start < edges[number].start:
                yield TextPart(part.kind, start, edges[number].start)
            start = edges[number].end
        if start < part.end:
            yield TextPart(part.kind, start, part.end)


# -- lines -----------------------------------------------------------------------------------------

# Characters of a line that is a heading, and those that are kept of any line.
_SHORT = 80
_KEPT = 320


class _LineOfText(NamedTuple):
    """A line that is not blank, without the white space around it."""

    start: int
    end: int
    indent: int  # columns before it
    apart: bool  # whether a blank line is before it
    page: int  # how many form feeds are before it
    text: str  # folded; its beginning, if it is long


class _Outline:
    """The lines of a text, and what each is a part of."""

    def __init__(self, text: str) -> None:
        self.folded = text.translate(FOLDED_IN_PLACE)
        self.lines = list(_split(text, self.folded))
        self.kinds = [""] * len(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, number: int) -> _LineOfText:
        return self.lines[number]

    def mark(self, kind: str, numbers: Iterable[int]) -> None:
        """Say of lines what they are a part of, unless it is known."""
        for number in numbers:
            self.kinds[number] = self.kinds[number] or kind

    def open_after(self, number: int) -> Iterator[int]:
        """Yield the lines behind one, without running heads, as far as nothing is known of them."""
        for other in range(number + 1, len(self)):
            if not self.kinds[other]:
                yield other
            elif self.kinds[other] != _HEADS:
                return

    @cached_property
    def headings(self) -> list[str]:
        """What each line is as a heading: a key of `_TITLES`, ``numbered``, or nothing."""
        texts = [line.text if line.end - line.start <= _SHORT else "" for line in self.lines]
        return [
            _heading(text, following) if text else "" for text, following in pairwise([*texts, ""])
        ]


_LINE_END = pattern("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_COLUMNS = {"\t": 4, "\u3000": 2}


def _split(text: str, folded: str) -> Iterator[_LineOfText]:
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
            yield _LineOfText(
                first, last, indent, apart, page, folded[first : min(last, first + _KEPT)]
            )
            apart = False
        elif text[start - 1 : start] != "\r" or text[end : end + 1] != "\n":
            apart = True
        if text[end : end + 1] == "\f":
            page += 1
        start = end + 1


_DIGITS = pattern(r"\d+")
# Pages on which a running head or foot is, at least.
_PAGES = 3


def _mark_heads(lines: _Outline) -> None:
    """Mark running heads and feet: lines beside form feeds that recur, but for numbers."""
    pages = [line.page for line in lines.lines]
    edges = [n + side for n, (a, b) in enumerate(pairwise(pages)) if a != b for side in (0, 1)]
    signs = [_DIGITS.sub("", lines[n].text) for n in edges]
    counts = Counter(signs)
    found = (n for n, sign in zip(edges, signs, strict=True) if counts[sign] >= _PAGES)
    lines.mark(_HEADS, (n for n in found if not lines.headings[n]))


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
# Tables of contents, statements of originality, and of what may be done with the work.
_FRONT_ZH = (
    "目[录次]|内容目录|[插附]?[图表](?:目录|目次|清单|索引)|图表(?:目录|清单|索引)"
    "|.{0,18}(?:声明|承诺书?|保证书|授权书?|(?:授权|使用)的?说明|(?:使用|版权)(?:许可|协议)).{0,12}"
)
_FRONT_EN = (
    "(?:tableof)?contents|listof(?:figures?|tables?|illustrations|plates|charts)(?:and.{6,8})?|toc"
    "|(?:(?:student|author|candidate|writer)'?s?'?)?(?:statutory|sworn|solemn)?(?:declaration"
    "|statement|affirmation|certificat(?:e|ion)|affidavit|permission|authori[sz]ation|licen[cs]e)"
    "(?:(?:of|on|to|for).{1,60})?|(?:originality|authorship|plagiarism|integrity|honesty|copyright"
    "|academic.{6,9})(?:declaration|statement|pledge|notice|form)|honou?r(?:code|pledge)"
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
        ("references", _REFERENCES_ZH, _REFERENCES_EN),
        ("front", _FRONT_ZH, _FRONT_EN),
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


# -- references ------------------------------------------------------------------------------------

_LABEL = pattern(
    r"(?:\\bibitem\b|[-*+•]\s|\[\^?[\w:+-]{1,24}\][:：]?|[〔【(（]\d{1,3}[〕】)）]|\d{1,3}[.、．)\]]|\d{1,3}\s+(?=[^\W\d])"
    r"|[①-⑳])"
)
_TYPE = pattern(r"\[(?:[jmcdsrpgnabz]|db|cp|eb|ds|cm|j/ol|[a-z]{1,2}/[a-z]{2})\]|\[\d{4}\b")
_SOURCE = pattern(
    r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)|\bdoi\b|https?:|\bvol\.|\bpp?\.\s?\d|出版社|学报|大学|\bpress\b|\bjournal\b"
    r"|\bproceedings\b|\barxiv\b|\b(?:eds?|trans)\.|\bin press\b|n\.d\."
)
_OWN_WORKS = pattern("期间|发表|成果|publications?")
_BEGIN_LIST = pattern(r"\\begin\{thebibliography\}")
_END_LIST = pattern(r"\\end\{thebibliography\}")
# Characters without a sign of an entry that a list may have: an entry of several lines.
_UNSIGNED = 400


def _mark_references(lines: _Outline) -> None:
    """Mark lists of references."""
    number, own = 0, False  # whether entries are works of the author
    while number < len(lines):
        line, last = lines[number], -1
        if lines.kinds[number]:
            pass
        elif _BEGIN_LIST.match(line.text):
            last = _end_of_list(lines, number)
        elif lines.headings[number] == "references":
            last = _last_reference(lines, number)
        elif lines.headings[number]:
            own = bool(_OWN_WORKS.search(line.text))
        elif not own and _is_whole_entry(lines, number):
            last = number
        if last >= 0:
            lines.mark("references", range(number, last + 1))
            number = last
        number += 1


def _end_of_list(lines: _Outline, first: int) -> int:
    """Return the line that ends a list of LaTeX."""
    last = first
    for last in lines.open_after(first):
        if _END_LIST.search(lines[last].text):
            break
    return last


def _is_reference(text: str) -> bool:
    """Return whether a line has a sign of an entry."""
    return bool(_LABEL.match(text) or _TYPE.search(text) or _SOURCE.search(text))


def _is_whole_entry(lines: _Outline, number: int) -> bool:
    """Return whether a line is an entry wherever it is: a label, the type of a work, a year."""
    text = lines[number].text
    return bool(_LABEL.match(text) and _TYPE.search(text) and _SOURCE.search(text))


def _last_reference(lines: _Outline, heading: int) -> int:
    """Return the last line of a list under a heading; -1 if there is no entry."""
    last, end, unsigned = -1, heading, 0
    for number in lines.open_after(heading):
        line = lines[number]
        if lines.headings[number] and not _is_inside(lines, number):
            break
        end = number
        if _END_LIST.match(line.text):
            return end
        if _is_reference(line.text):
            last, unsigned = number, 0
            continue
        unsigned += line.end - line.start
        if unsigned > _UNSIGNED:
            return last
    return end if last >= 0 else -1


def _is_inside(lines: _Outline, number: int) -> bool:
    """Return whether what looks like a heading is an entry, or the title of a part of the list."""
    text, kind = lines[number].text, lines.headings[number]
    if _OWN_WORKS.search(text) and kind == "title":
        return False
    if kind == "numbered" and _SOURCE.search(text):
        return True
    if kind != "numbered" and (kind != "title" or not _PART_OF_LIST.search(text)):
        return False
    following = next(lines.open_after(number), -1)
    if following < 0 or lines.headings[following] == "title":
        return False
    text = lines[following].text
    return _is_reference(text) and (not lines.headings[following] or bool(_SOURCE.search(text)))


_PART_OF_LIST = pattern(
    "文献|著作|论文|期刊|专著|书籍|书目|资料|报纸|网站|网页|标准|专利|[中外英]文|books?|articles?|journals?"
    "|sources?|websites?|primary|secondary|internet|online|chinese|english|theses|reports"
)
