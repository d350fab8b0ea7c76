"""The parts of a text that a rate may leave out: what everybody has, or takes from a named source.

A thesis has a list of references, a table of contents, a statement of originality, and lines at the
edges of its pages; none of them is written, all of them are shared.  They are recognised as a
reader does it at a glance, by headings and by form, in Chinese and English:

1. *Headers*, the lines at the edges of pages; see `simdup.text.outline`.
2. *Contents*.  Under a heading, lines that end with a page number, or come again as headings;
   anywhere, three lines in a row with dot leaders.
3. *Statements*.  From the heading to the line with the signature or the date.
4. *References*.  From a heading to the next one that is not followed by more entries; anywhere,
   lines that begin and end as entries do.
5. *Quotations* of what is left; see `simdup.text.quotations`.

No expression that is used here looks at more than the few hundred characters of a line's beginning
or end, so time is linear.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from simdup.base.when_used import pattern
from simdup.model.shared_passages import PARTS, TextPart
from simdup.text.outline import LETTERS, SHORT, Outline, mark_headers
from simdup.text.quotations import Stretch, sourced_quotations

# Characters of a line that is an entry of the contents.
_ENTRY = 160


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
    lines = Outline(text)
    for recognise in (mark_headers, _mark_contents, _mark_statements, _mark_references):
        recognise(lines)
    found = _joined(lines)
    quotations = sourced_quotations(text, lines.folded, _stretches(lines))
    found += without(quotations, [part for part in found if part.kind == "headers"])
    return sorted((part for part in found if part.kind in kinds), key=lambda part: part.start)


def _joined(lines: Outline) -> list[TextPart]:
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


def _stretches(lines: Outline) -> list[Stretch]:
    """Return the text outside parts as paragraphs of lines; they go on over the edge of a page."""
    found = list[Stretch]()
    before = ""
    for kind, line in zip(lines.kinds, lines.lines, strict=True):
        if not kind:
            place = (line.start, line.end, line.indent)
            if found and (before == "headers" or (not before and not line.apart)):
                found[-1].append(place)
            else:
                found.append([place])
        if kind != "headers" or not before:
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


# -- contents --------------------------------------------------------------------------------------

_ENTRY_END = pattern(r"(\d{1,4}|[ivxlcⅰ-ⅻ]{1,7})[)）]?$")
_LEADERS = " \t\u3000.·•…_‥⋯-—․。・"
_LINK = pattern(r"(?:[-*+•]|\d{1,3}[.)]?)?\s*(?:\*\*)?\[[^\[\]]{1,120}\]\([^()]{1,200}\)(?:\*\*)?$")
_NO_ENTRY = pattern(r"(?:chapter|part|section|appendix|第|图|表|figure|table|page|in|年|月)$")
# Entries in a row that are contents without a heading.
_ENTRIES = 3
# Lines without a page number between two entries: those of a long title.
_WRAPPED = 2


class _Entry(NamedTuple):
    """A line of the contents."""

    page: int
    leaders: bool  # whether dots, a tab or wide space leads to the page number
    dots: bool


def _entry(text: str) -> _Entry | None:
    """Return a line as an entry of the contents, if it ends with a page number."""
    if len(text) > _ENTRY:
        return None
    found = _ENTRY_END.search(text)
    if found is None:
        return _Entry(0, True, False) if _LINK.match(text) else None
    before = text[: found.start()]
    title = before.rstrip("(（").rstrip(_LEADERS)
    between = before[len(title) :]
    dots = sum(one not in " \t\u3000" for one in between) >= 3 or "…" in between
    if not found[1].isdecimal() and not between:  # the end of a word
        return None
    page = int(found[1]) if found[1].isdecimal() else 0
    leaders = dots or "\t" in between or "  " in between
    if not leaders and (not title or _NO_ENTRY.search(title) or _SENTENCE_INSIDE.search(title)):
        return None
    return _Entry(page, leaders, dots)


_SENTENCE_INSIDE = pattern(r"[。；，,;]|\.\s")


def _mark_contents(lines: Outline) -> None:
    """Mark tables of contents, and lists of figures and tables."""
    later = dict[str, int]()  # the last line with this title
    for number, line in enumerate(lines.lines):
        if line.end - line.start <= SHORT and not lines.kinds[number]:
            later[_bare(line.text)] = number
    number = 0
    while number < len(lines):
        if lines.headings[number] == "contents" and not lines.kinds[number]:
            last = _last_entry(lines, number, later)
            if last > number:
                lines.mark("contents", range(number, last + 1))
                number = last
        number += 1
    run, page = list[int](), 0
    for number, line in enumerate(lines.lines):
        if lines.kinds[number]:
            continue
        found = _entry(line.text)
        if found is None or not found.dots or found.page < page:
            lines.mark("contents", run if len(run) >= _ENTRIES else [])
            run, page = [], 0
        if found and found.dots:
            run.append(number)
            page = found.page
    lines.mark("contents", run if len(run) >= _ENTRIES else [])


def _bare(text: str) -> str:
    """Return a title without what markup and spaces add."""
    return "".join(text.strip("#*-+ ").split())


def _last_entry(lines: Outline, heading: int, later: dict[str, int]) -> int:
    """Return the last line of the contents under a heading; the heading if there is none."""
    last, waiting, page, numbered = heading, 0, 0, 0
    for number in lines.open_after(heading):
        text = lines[number].text
        if lines.headings[number] == "contents":
            break
        found = _entry(text)
        plain = found is not None and not found.leaders
        if found and (plain and (waiting or (found.page and found.page < page))):
            found = None
        if found:
            last, waiting, page = number, 0, found.page
            numbered += 1
            continue
        # Contents without page numbers are titles that come again.
        again = later.get(_bare(text), -1) > number + 1 and bool(LETTERS.search(text))
        if again and not numbered and not waiting:
            last = number
            continue
        waiting += 1
        if waiting > _WRAPPED or lines[number].end - lines[number].start > SHORT:
            break
    return last


# -- statements ------------------------------------------------------------------------------------

_SIGNATURE = pattern(
    r"签\s*[名字章]|(?:^|[\s_:：])日\s*期\s*[:：]|年[\s_]*月[\s_]*日"
    r"|\d{4}\s*年\s*\d{1,2}\s*月\s*\d{1,2}\s*日$|^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$"
    r"|\bsign(?:ature|ed)\b|^(?:date|place|name|city)\b[\w ,]{0,30}[:：_(]|_{4,}"
    r"|^(?:声明人|承诺人|学号|student\s(?:id|no|number))\b"
)
_SENTENCES = pattern(r"[。；;]|\w\.\s")
_DECLARES = pattern(
    r"(?:[^。：:]{0,20}(?:声明|承诺书?)[:：]\s*)?(?:本人|我)(?:在此)?(?:郑重|慎重|谨|庄严)?(?:地)?(?:声明|承诺|保证)"
    r"|(?:declaration[.:]\s*)?i,?[^.]{0,60}?\b(?:hereby|solemnly)\s(?:declare|certify|confirm|affirm)\b"
)
# A statement takes a page.
_STATEMENT_LINES, _STATEMENT_SIZE = 60, 6000


def _mark_statements(lines: Outline) -> None:
    """Mark statements of originality, and what authors allow with their signature."""
    number = 0
    while number < len(lines):
        line, opens = lines[number], lines.headings[number] == "statement"
        if not lines.kinds[number] and (opens or _DECLARES.match(line.text)):
            last = _last_of_statement(lines, number)
            if last > number or not opens:
                lines.mark("statement", range(number, last + 1))
                number = last
        number += 1


def _last_of_statement(lines: Outline, first: int) -> int:
    """Return the last line of a statement."""
    signed, last, paragraph = -1, first, -1
    for count, number in enumerate(lines.open_after(first)):
        line = lines[number]
        short = line.end - line.start <= 2 * SHORT
        if short and _SIGNATURE.search(line.text) and not _SENTENCES.search(line.text):
            signed = number
            continue
        heading = lines.headings[number] in ("title", "contents", "references", "statement")
        too_far = count > _STATEMENT_LINES or line.start - lines[first].start > _STATEMENT_SIZE
        if signed >= 0 or heading or too_far:
            break
        if paragraph < 0 and line.apart and count:
            paragraph = last
        last = number
    else:
        too_far = False
        number = len(lines)
    if signed >= 0:
        return signed
    if len(lines) > number and too_far:
        return paragraph if paragraph >= 0 else first
    return last


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


def _mark_references(lines: Outline) -> None:
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


def _end_of_list(lines: Outline, first: int) -> int:
    """Return the line that ends a list of LaTeX."""
    last = first
    for last in lines.open_after(first):
        if _END_LIST.search(lines[last].text):
            break
    return last


def _is_reference(text: str) -> bool:
    """Return whether a line has a sign of an entry."""
    return bool(_LABEL.match(text) or _TYPE.search(text) or _SOURCE.search(text))


def _is_whole_entry(lines: Outline, number: int) -> bool:
    """Return whether a line is an entry wherever it is: a label, the type of a work, a year."""
    text = lines[number].text
    return bool(_LABEL.match(text) and _TYPE.search(text) and _SOURCE.search(text))


def _last_reference(lines: Outline, heading: int) -> int:
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


def _is_inside(lines: Outline, number: int) -> bool:
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
