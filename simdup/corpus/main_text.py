"""Find the main text of a page in linear time; the only module that uses justext and lxml.

The main text is what jusText (Pomikálek 2011) does not classify as boilerplate.  It has no stop
words for Chinese, so none are used: only length and share of links decide about a paragraph.  On 46
Chinese news pages and 194 manual pages its F1 was 0.92 and 0.96, that of trafilatura 0.87 and 0.82.
On the generated pages of `lab/corpora/web_pages.py`, whose markup names their parts, it was 0.90
compared with 0.95, at three times the speed and with one dependency instead of seven.

`justext.justext` itself takes quadratic time in three places: lxml appends to long lists of
attributes and removes elements from long lists of siblings, and each paragraph searches for its own
neighbours.  This module builds the paragraphs while it parses the page, without a tree, and finds
all neighbours in one pass each way.  1 MB of ``<p>ab</p>`` takes 1.6 s; before, 0.14 MB took 69 s.
Ordinary pages take half the time.
"""

from __future__ import annotations

from typing import Any

from simdup.base.when_used import pattern
from simdup.corpus.decoding import NotReadable

_NEEDS = "finding the main text of HTML needs justext"
_INSTALL = "python -m pip install 'simdup[html]', or set `extract` to all or none"

# Paragraphs with fewer characters are short, with more are long: a third of jusText's limits for
# English, because a Chinese character says about as much as half a word.
_SHORT, _LONG = 25, 60
_MOST_LINKS = 0.3

# A short heading belongs to a good paragraph that begins at most this many characters later.
_HEADING_DISTANCE = 200

# lxml's own limit for trees. An end tag is looked up among all open elements.
_DEEPEST = 256
_PIECE = 1 << 16  # characters parsed before the depth is checked again

# 10 MB can contain two million elements, which take 15 s; this many tags take 3 to 5 s.
_MOST_TAGS = 500_000

# What lxml's Cleaner removes for jusText: elements with their content, and tags alone.
_HIDDEN = pattern("head|base|script|style|button|input|select|textarea|applet").fullmatch
_TRANSPARENT = pattern("form|iframe|embed|layer|object|param").fullmatch

_HEADING = pattern(r"\bh\d\b")

_DECLARATION = pattern(r"\s*<\?xml[^>]*\?>")


class NotParsed(Exception):
    """The page cannot be parsed, has too many elements, or nests them too deeply."""


def main_text(page: str) -> str:
    """Return the main text of a page.

    Raises
    ------
    NotParsed
        If it cannot be found.
    """
    if page.count("<") > _MOST_TAGS:
        raise NotParsed("too many elements")
    try:
        from justext.core import classify_paragraphs
    except ImportError:
        raise NotReadable(_NEEDS, hint=_INSTALL) from None
    paragraphs = parse_paragraphs(page)
    classify_paragraphs(paragraphs, frozenset(), _SHORT, _LONG, 0.0, 0.0, _MOST_LINKS)
    revise(paragraphs)
    kept = [p.text for p in paragraphs if not p.is_boilerplate]
    if not kept:
        # A short notice has no long paragraph next to which middling ones count as main text.
        # Without this, 12 of the 192 generated pages were empty, and F1 was 0.875.
        kept = [p.text for p in paragraphs if p.cf_class == "neargood"]
    return "\n".join(kept)


def parse_paragraphs(page: str) -> list[Any]:
    """Return the paragraphs of a page as jusText builds them, not yet classified.

    Raises
    ------
    NotParsed
        If the page cannot be parsed.
    """
    from lxml import etree

    parser = etree.HTMLParser(target=_Paragraphs())
    declaration = _DECLARATION.match(page)
    begin = declaration.end() if declaration else 0
    try:
        for place in range(begin, len(page), _PIECE):
            parser.feed(page[place : place + _PIECE])
        paragraphs: list[Any] = parser.close()
    except (etree.LxmlError, ValueError) as error:
        raise NotParsed("broken HTML") from error
    return paragraphs


class _Paragraphs:
    """The parser's target: passes to jusText what its Cleaner would leave of a tree."""

    def __init__(self) -> None:
        from justext.core import ParagraphMaker

        self._maker = ParagraphMaker()
        self._maker.path = _Path()
        # jusText joins the texts on both sides of what the Cleaner removes.
        self._text: list[str] = []
        self._depth = 0
        self._hidden = 0  # open elements, counted from the outermost hidden one

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle a start tag."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotParsed("elements nested too deeply")
        sheet = tag == "link" and "stylesheet" in attributes.get("rel", "").lower()
        if self._hidden or _HIDDEN(tag) or sheet:
            self._hidden += 1
        elif not _TRANSPARENT(tag):
            self._end_text()
            self._maker.startElementNS((None, tag), tag, None)

    def end(self, tag: str) -> None:
        """Handle an end tag."""
        self._depth -= 1
        if self._hidden:
            self._hidden -= 1
        elif not _TRANSPARENT(tag):
            self._end_text()
            self._maker.endElementNS((None, tag), tag)

    def data(self, text: str) -> None:
        """Handle text."""
        if not self._hidden:
            self._text.append(text)

    def pi(self, target: str, data: str | None = None) -> None:
        """Handle a processing instruction, which the Cleaner keeps."""
        if not self._hidden:
            self._end_text()

    def comment(self, text: str) -> None:
        """Ignore a comment."""

    def close(self) -> list[Any]:
        """Return all paragraphs."""
        self._end_text()
        self._maker.endDocument()
        paragraphs: list[Any] = self._maker.paragraphs
        return paragraphs

    def _end_text(self) -> None:
        if self._text:
            self._maker.characters("".join(self._text))
            self._text = []


class _Path:
    """The path of the open elements that jusText uses to classify."""

    xpath = ""

    def __init__(self) -> None:
        self._tags: list[str] = []
        self.dom = ""

    def append(self, tag: str) -> None:
        """Open an element."""
        self._tags.append(tag)
        if _decides(tag):
            self.dom += f".{tag}"

    def pop(self) -> None:
        """Close the innermost element."""
        tag = self._tags.pop()
        if _decides(tag):
            self.dom = self.dom.removesuffix(f".{tag}")


def _decides(tag: str) -> bool:
    return "select" in tag or _HEADING.search(tag) is not None


def revise(paragraphs: list[Any]) -> None:
    """Classify the paragraphs that are neither good nor bad by themselves by their neighbours.

    The result is that of `justext.core.revise_paragraph_classification`.
    """
    classes: list[str] = [p.cf_class for p in paragraphs]
    _settle_short(classes)
    after = _nearest(classes[::-1], "good", "bad")[::-1]
    before = "bad"
    for i, one in enumerate(classes):
        if one == "neargood":
            classes[i] = "bad" if before == after[i] == "bad" else "good"
        before = classes[i]
    # A heading classified as bad is good if a good paragraph follows soon.
    distance = _HEADING_DISTANCE + 1
    for i in range(len(classes) - 1, -1, -1):
        p = paragraphs[i]
        rescued = p.heading and classes[i] == "bad" != p.cf_class and distance <= _HEADING_DISTANCE
        distance = 0 if classes[i] == "good" else distance + len(p)
        p.class_type = "good" if rescued else classes[i]


def _settle_short(classes: list[str]) -> None:
    """Classify the short paragraphs as good or bad."""
    before, after = _nearest(classes, "good", "bad"), _nearest(classes[::-1], "good", "bad")[::-1]
    any_before = _nearest(classes, "good", "bad", "neargood")
    any_after = _nearest(classes[::-1], "good", "bad", "neargood")[::-1]
    for i, one in enumerate(classes):
        if one != "short":
            continue
        if before[i] == after[i]:
            classes[i] = before[i]
        else:
            bad_side = any_before[i] if before[i] == "bad" else any_after[i]
            classes[i] = "good" if bad_side == "neargood" else "bad"


def _nearest(classes: list[str], *wanted: str) -> list[str]:
    """Return, for each paragraph, the nearest of the wanted classes before it, or ``bad``."""
    found, last = [], "bad"
    for one in classes:
        found.append(last)
        if one in wanted:
            last = one
    return found
