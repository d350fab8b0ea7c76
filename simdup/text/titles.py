"""The title of a text: it distinguishes pages that were made from one template.

It is the `title` of front matter, else the first heading, else the first line with words, each
without its markup.  A record or an HTML page may name its title itself.

`looks_templated` tells by titles and texts whether a collection was made from templates.
"""

from __future__ import annotations

import hashlib
import heapq
import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from simdup.base.when_used import pattern
from simdup.corpus.decoding import unify_line_ends
from simdup.model.documents import Document
from simdup.search.equal_keys import collapse
from simdup.text.characters import DIGEST_BYTES, PreparedText, fold_all

# Characters in which the title is looked for: a heading further down is not that of the text.
_HEAD = 4096

# Characters of a line that are a title: what is longer is a paragraph.
MOST = 200
# Characters of a line with its markup.
_LINE = 1000

# Bytes of a key: no two of 10**8 different titles should have the same key by chance.
KEY_BYTES = 8

_FRONT_MATTER = pattern(
    r"\s*(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_NAMED = pattern(r"^title[ \t]*[:=][ \t]*(.+)$", re.MULTILINE | re.IGNORECASE)
# These begin with a line feed, because a literal is found many times faster than a line's begin.
_CODE = pattern(r"\n[ \t]*(?:```|~~~)")
# The usual case, without a look at the rest.
_BEGIN = pattern(r"\s*#{1,6}[ \t]+([^\s][^\n]*)")
_LINES = pattern(r"[^\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
# Kinds of headings, each with what every text with such a heading contains: most have none.
_HEADINGS = (
    ("#", pattern(r"\n {0,3}#{1,6}[ \t]+([^\s][^\n]*)")),
    ("=", pattern(r"\n={1,6}[ \t]+([^\s][^\n]*)")),
    ("===", pattern(r"\n([^\s][^\n]{0,200})\n={3,}[ \t]*(?![^\n])")),
    ("---", pattern(r"\n([^\s][^\n]{0,200})\n-{3,}[ \t]*(?![^\n])")),
    ("<", pattern(r"<h[1-6]\b[^<>]*>(.{1,2000}?)</h[1-6]\b", re.DOTALL | re.IGNORECASE)),
)

# One line of words, which is its own title.
_PLAIN = pattern(r"[^\W_][^#=*_~|<&`\]\n\r\v\f\x1c-\x1e\x85\u2028\u2029]{0,199}")

_TAG = pattern(r"<!--.*?-->|</?[a-zA-Z][^<>]*>")
# Only what is set apart: a title may end in C# or C++.
_CLOSES = tuple("#=|*_~")
_CLOSING = pattern(r"(?:[ \t]+[#=|*_~]+|={2,}|[*_])$")
_LINK = pattern(r"!?\[([^\[\]]*)\]\([^()]*\)")
_WORD = pattern(r"[^\W_]")


def title_of(document: Document) -> str:
    """Return the title of a document on one line, without markup; empty if it has none."""
    if document.title is not None:
        return " ".join(document.title.split())
    return title_in(document.text)


def title_in(text: str) -> str:
    """Return the title that a text has, as `title_of` does."""
    if _PLAIN.fullmatch(text):
        return " ".join(text.split())
    head = unify_line_ends(text[: 2 * _HEAD])[:_HEAD]
    for line in _candidates(head):
        title = _without_markup(line)
        if _WORD.search(title):
            return title
    return ""


def name_of(document: Document) -> str:
    """Return the title of a document, unless it is the beginning of a paragraph or the whole text.

    A title says what the text is about, and a paragraph says more.
    """
    title = title_of(document)
    if document.title is None and (len(title) >= MOST or "\n" not in document.text.strip()):
        return ""
    return title


def _candidates(head: str) -> Iterator[str]:
    """Yield what may be the title, the best first."""
    if "---" in head or "+++" in head:
        front = _FRONT_MATTER.match(head)
        if front is not None:
            yield from (named[1].strip().strip("\"'") for named in _NAMED.finditer(front[2]))
            head = head[front.end() :]
    begin = _BEGIN.match(head)
    if begin is not None:
        yield begin[1]
    kinds = [heading for needed, heading in _HEADINGS if needed in head]
    if kinds:
        yield from _headings("\n" + head, kinds)
    yield from (line[0] for line in _LINES.finditer(head))


def _headings(head: str, kinds: Iterable[re.Pattern[str]]) -> Iterator[str]:
    """Yield the headings in order, up to a block of code, where comments look like headings."""
    done = 0
    found = (kind.finditer(head) for kind in kinds)
    for heading in heapq.merge(*found, key=lambda one: one.start()):
        if _CODE.search(head, done, heading.start()):
            return
        yield heading[1]
        done = heading.start()


def _without_markup(line: str) -> str:
    """Return a line without the markup of headings, links and tags; the beginning of a long one."""
    line = line[:_LINE]
    if "<" in line:
        line = _TAG.sub("", line)
    if "&" in line:
        line = html.unescape(line)
    if "](" in line:
        line = _LINK.sub(r"\1", line)
    line = line.replace("**", "").replace("`", "").rstrip()
    if line[-1:] in _CLOSES:
        line = _CLOSING.sub("", line)
    return " ".join(line.lstrip("#=*_~>|+- \t").split())[:MOST]


def title_keys(titles: Sequence[str], texts: Sequence[PreparedText]) -> list[bytes]:
    """Return a key of each title, equal for titles that are equal after folding.

    White space does not matter, as in texts.  An empty title has a key of the text, so that it
    is equal only to that of the same text.
    """
    compact = ("".join(folded.split()) for folded in fold_all(titles))
    return [
        hashlib.blake2b(one.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()
        if one
        else text.digest[:KEY_BYTES]
        for one, text in zip(compact, texts, strict=True)
    ]


def share_titles(
    keys: NDArray[np.uint64], named: NDArray[np.bool_], digests: NDArray[np.void]
) -> NDArray[np.uint64]:
    """Return the keys of titles, those of identical texts as the first of these has it (uint64[n]).

    Identical texts, by their digests, have one title: one may have other line breaks.  A title that
    a page or a record names (`named`, bool[n]) is its own.
    """
    keys = keys.copy()
    own = np.flatnonzero(~named)
    words = digests[own].view(np.uint64).reshape(-1, DIGEST_BYTES // 8)
    same = collapse(words)
    firsts = np.repeat(same.members[same.starts], same.sizes)
    keys[own[same.members]] = keys[own[firsts]]
    return keys


# -- titles of pages that share a template --

# With at least this many pairs, and at least this share of which titles distinguish, a collection
# looks as if it was made from templates.
_ENOUGH_PAIRS = 20
_TOLD_SHARE = 0.5

# Pairs whose texts are read again.
_TOLD_BY = 100

# Latin words, and single characters of scripts without spaces.
_NAME_WORDS = pattern(r"[a-z0-9]+|\w")

# A single character occurs in every text.
_LEAST_LETTERS = 2

# A title and the folded text below it.
Page = tuple[str, str]


def looks_templated(
    pairs: Sequence[tuple[int, int]], read: Callable[[Sequence[int]], dict[int, Page]]
) -> bool:
    """Return whether a collection looks as if it was made from templates.

    Pages of one template share its words and differ in what they are about.  A page's title says
    that: what its title has and another's has not, the text repeats, and the other text never has.
    An edit in the title of a copied essay, or the name of another author, is not.  Of the similar
    pairs with different titles, 97 % are such in 1,500 manual pages, 0 to 2 % among poems and
    copied essays.

    `pairs` are similar; `read` returns the folded title of each document, and its folded text.
    """
    if len(pairs) < _ENOUGH_PAIRS:
        return False
    sample = pairs[:: -(-len(pairs) // _TOLD_BY)]
    pages = read(sorted({document for pair in sample for document in pair}))
    apart = sum(titles_tell(pages[a], pages[b]) for a, b in sample)
    return apart >= _TOLD_SHARE * len(sample)


def titles_tell(a: Page, b: Page) -> bool:
    """Return whether the texts differ in a name in which the titles differ."""
    words_a, words_b = _NAME_WORDS.findall(a[0]), _NAME_WORDS.findall(b[0])
    return any(_repeats(piece, a[1], b[1]) for piece in _pieces(words_a, words_b)) or any(
        _repeats(piece, b[1], a[1]) for piece in _pieces(words_b, words_a)
    )


def _pieces(own: list[str], other: list[str]) -> Iterator[str]:
    """Yield the runs of words that one title has and the other has not."""
    for kind, start, end, _, _ in SequenceMatcher(None, own, other, False).get_opcodes():
        if kind != "equal" and end > start:
            yield "".join(own[start:end])


def _repeats(piece: str, own: str, other: str) -> bool:
    return len(piece) >= _LEAST_LETTERS and own.count(piece) > 1 and piece not in other
