"""HTML: its charset and its text; the only place that knows justext.

The main text is what jusText (Pomikálek 2011) takes for no boilerplate, without a list of stop
words, for it has none of Chinese: paragraphs go by their length and their share of links alone.
`benchmarks/html_pages.py` measures it beside others.
"""

from __future__ import annotations

import codecs
import re
from html.parser import HTMLParser

from simdup.corpus.decoding import Decoded, decode, known_encoding
from simdup.errors import SimdupError

# Characters of a paragraph below which it is short, and above which long: a third of what jusText
# takes for English, as a Chinese character says about as much as half a word.
_SHORT, _LONG = 25, 60
_MOST_LINKS = 0.3

# A browser looks for the charset in the first 1,024 bytes; pages have it later, too.
_META = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([a-zA-Z0-9_.:-]+)", re.IGNORECASE)
_META_BYTES = 8192

_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")

_BLOCKS = re.compile(
    "address|article|aside|blockquote|body|br|caption|d[dlt]|div|fieldset|figcaption|figure|footer"
    "|form|h[1-6r]|head|header|html|legend|li|main|nav|[ou]l|option|p|pre|section|select|table"
    "|tbody|t[dhr]|tfoot|thead|title"
)
_HIDDEN = frozenset({"script", "style", "template", "noscript"})


def require_justext(where: str) -> None:
    """Refuse work that needs justext where it is missing.

    Raises
    ------
    SimdupError
        If it is not installed.
    """
    try:
        import justext  # noqa: F401
    except ImportError:
        raise SimdupError(
            where,
            "finding the main text of HTML needs justext",
            "python -m pip install 'simdup[html]', or --extract all, or none",
        ) from None


def decode_html(content: bytes, encoding: str | None = None) -> Decoded:
    """Read the bytes of a page.

    What the bytes themselves say goes first (a byte order mark, well-formed UTF-8), then the page's
    meta element, unless its word leaves more bytes malformed than guessing does.

    Raises
    ------
    NotText
        Where the bytes are no text.
    """
    found = decode(content, encoding)
    if encoding is not None or content.startswith(_MARKS):
        return found
    if found.encoding == "utf-8" and not found.replaced:
        return found
    meta = _META.search(content, 0, _META_BYTES)
    if meta is None:
        return found
    try:
        named = known_encoding(meta[1].decode("ascii"))
    except SimdupError:
        return found
    # A page that says UTF-16 in ASCII letters is not in it.
    if named.replace("_", "-").startswith(("utf-16", "utf-32")):
        return found
    told = decode(content, named)
    return told if told.replaced <= found.replaced else found


_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def text_of(page: str, extract: str) -> str:
    """Return the text of a page.

    Parameters
    ----------
    page : str
        HTML.
    extract : str
        ``main``: without navigation and other boilerplate; ``all``: all text but scripts, styles
        and comments; ``none``: the page as it is.
    """
    if extract == "none":
        return page
    return _main_text(page) if extract == "main" else _all_text(page)


def _main_text(page: str) -> str:
    from justext.core import justext
    from lxml.etree import LxmlError

    try:
        paragraphs = justext(
            _DECLARATION.sub("", page, count=1),
            frozenset(),
            length_low=_SHORT,
            length_high=_LONG,
            stopwords_low=0.0,
            stopwords_high=0.0,
            max_link_density=_MOST_LINKS,
        )
    except (LxmlError, ValueError, RecursionError):
        # A page that is no tree at all still has characters.
        return _all_text(page)
    kept = [p.text for p in paragraphs if not p.is_boilerplate]
    if not kept:
        # A short notice has no long paragraph that would vouch for its middling ones.
        kept = [p.text for p in paragraphs if p.cf_class == "neargood"]
    return "\n".join(kept)


class _Text(HTMLParser):
    """Collects the text between tags."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HIDDEN:
            self._hidden += 1
        elif _BLOCKS.fullmatch(tag):
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif _BLOCKS.fullmatch(tag):
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def _all_text(page: str) -> str:
    parser = _Text()
    parser.feed(page)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).split("\n"))
    return "\n".join(line for line in lines if line)
