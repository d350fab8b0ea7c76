"""What people and programs see of hostile names and texts: pages, terminals, tables, warnings."""

from __future__ import annotations

import csv
import io
import json
import zlib
from base64 import b64decode
from functools import cache
from html.parser import HTMLParser
from unicodedata import category, normalize

from lab.fuzz.oracle import expect, expect_harmless, expect_same
from lab.fuzz.target import Target
from lab.fuzz.terminal import Screen
from simdup.corpus.decoding import unify_line_ends
from simdup.corpus.names import from_bytes, unescape
from simdup.model.formats import PageOptions
from simdup.model.recipe import Recipe
from simdup.operations.scan import scan
from simdup.show.escaping import shown, shown_in_json
from simdup.show.github import warning_lines
from simdup.show.lines import cluster_csv, cluster_jsonl, pair_lines
from simdup.show.report.pairs_page import scan_page
from simdup.show.result import Result
from simdup.show.summary import report
from simdup.show.text import Painter, cluster_text, pair_text
from simdup.show.words import CHINESE, ENGLISH

_TEXT = "清晨的河岸上有一位老人在钓鱼，石桥下漂来一只木船。The quick brown fox jumps. " * 3


def _scan(data: bytes) -> tuple[Result, list[str], list[str]]:
    """Return the result of a scan of some near-duplicates, their names and their texts."""
    names, _, text = from_bytes(data).partition("\n\n")
    text = text.encode("utf-8", "replace").decode()
    found = [name for name in dict.fromkeys(names.split("\0")[:4]) if name] or ["a"]
    texts = [f"{_TEXT}{text}{number}" for number in range(len(found) + 1)]
    found.append(found[0] + "b")
    passed = dict(zip(found, texts, strict=True))
    # Any measure is exceeded, and the weights of terms are the cheapest.
    result = scan(
        passed, Recipe(weight="tf"), similarity=0.1, method="simhash", distance=20, jobs=1
    )
    return result, list(passed), list(passed.values())


class _Parser(HTMLParser):
    """Remembers the elements of a page, and what is in them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, object]] = []
        self.texts: list[str] = []
        self.blocks: dict[str, str] = {}
        self._block = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element, but for the blocks, of which there may be several."""
        given = dict(attrs)
        self._block = str(given.get("id")) if tag == "script" and "type" in given else ""
        if not self._block:
            self.elements.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        """Note the text of a block, or of the page."""
        if self._block:
            self.blocks[self._block] = self.blocks.get(self._block, "") + data
        elif data.strip():
            self.texts.append(data)

    def handle_endtag(self, tag: str) -> None:
        """Note that a block ends."""
        self._block = ""


def _parsed(result: Result) -> _Parser:
    page = b"".join(scan_page(result, PageOptions())).decode()
    # Its own style and script, which it allows by their digest, need not be parsed each time.
    for element in ("style", "script"):
        begin = page.index(f"<{element}>")
        page = page[:begin] + page[page.index(f"</{element}>", begin) :]
    found = _Parser()
    found.feed(page)
    found.close()
    return found


@cache
def _plain() -> _Parser:
    return _parsed(_scan(b"a\0b\n\ntext")[0])


def page(data: bytes) -> None:
    """The report page: nothing of names and texts becomes markup, and all of it is there."""
    result, names, texts = _scan(data)
    found, plain = _parsed(result), _plain()
    expect_same(found.elements, plain.elements, "the elements of the page")
    expect_same(len(found.texts), len(plain.texts), "the texts of the page")
    # Browsers have states within scripts that this parser does not know.
    expect("<" not in "".join(found.blocks.values()), "markup in a block")
    json.loads(found.blocks["head"])
    blocks = {
        name: zlib.decompress(b64decode(block), -15)
        for name, block in found.blocks.items()
        if name not in ("head", "words")
    }
    listed = [str(one.name) for cluster in result.clusters for one in cluster.members]
    expect_same(json.loads(blocks["names"])["names"], listed, "the names in the page")
    carried = [one["texts"] for one in json.loads(blocks["c0"])] if result.clusters else []
    members = [[one.number for one in cluster.members] for cluster in result.clusters]
    wanted = [[unify_line_ends(texts[number]) for number in some] for some in members]
    expect_same(sorted(carried), sorted(wanted), "the texts in the page")
    expect(len(names) == result.summary.documents, "documents are missing")
    notebook = _Parser()
    notebook.feed(result._repr_html_())
    allowed = {"div", "p", "table", "tr", "th", "td", "br", "bdi", "svg", "rect"}
    expect({tag for tag, _ in notebook.elements} <= allowed, "an element in a notebook")


def printed(data: bytes) -> None:
    """Terminals, CSV, JSON lines, warnings of GitHub: harmless, and read back the same."""
    result, _, _ = _scan(data)
    clusters, pairs = result.clusters, result.pairs
    for painter in (Painter(Screen(), "never"), Painter(io.StringIO(), "never", CHINESE)):
        for lines in (cluster_text(clusters, painter), pair_text(pairs, painter)):
            expect_harmless(b"".join(lines).decode())
    for words in (ENGLISH, CHINESE):
        expect_harmless(report(result, result.origins.criteria, words=words))
    listed = [one.name for cluster in clusters for one in cluster.members]
    for bom in (False, True):
        # With a mark for spreadsheets, no name is a formula.
        content = b"".join(cluster_csv(clusters, bom=bom)).removeprefix(b"\xef\xbb\xbf")
        table = csv.reader(io.StringIO(from_bytes(content), newline=""), strict=True)
        names = [row[2] for row in table][1:]
        marked = [f"'{name}" if bom and _is_formula(name) else name for name in listed]
        expect(not (bom and any(map(_is_formula, names))), "a formula in a table")
        expect_same(names, marked, "the names in a table")
    for line in cluster_jsonl(clusters):
        values = json.loads(line)
        spelled = shown_in_json(line.decode().removesuffix("\n"))
        expect_harmless(spelled)
        expect_same(json.loads(spelled), values, "JSON as a terminal shows it")
    for line, pair in zip(pair_lines(pairs), pairs, strict=True):
        distance, *names = from_bytes(line.removesuffix(b"\n")).split("\t")
        expect(distance.isdigit(), "not a line of a pair")
        expect_same([unescape(name) for name in names], [pair.a, pair.b], "names of a pair")
    for warning in warning_lines(result, "advice."):
        expect(warning.startswith(b"::warning ") and warning.count(b"\n") == 1, "a GitHub command")
        expect_harmless(warning.decode())
    expect_harmless(shown(from_bytes(data)).replace("\n", ""))


def _is_formula(name: str) -> bool:
    """Return whether a spreadsheet may take a cell for a formula, or cut it."""
    visible = "".join(c for c in name if category(c) not in ("Cc", "Cf")).lstrip()
    return name.startswith(("\t", "\r", "\n")) or normalize("NFKC", visible[:1])[:1] in {*"=+-@"}


_HOSTILE = (
    b"</script><script>alert(1)</script>", b"<!--<script>", b"\x1b[31m\x07", b"\xff\xfe",
    "\u202egnp.exe".encode(), "\u2028\ufeff\u200b".encode(), b"=1+1", b"a\r\nb", b"\"',;",
    b"::error file=a::b", b"%0A::", b"]]></style><img src=x onerror=y>", b"&lt;&amp;", b"\\n\t",
)  # fmt: skip

TARGETS = tuple(
    Target(
        check,
        (*(one + b"\0x" + one + b"\n\n" + one for one in _HOSTILE), b"a\0b\0c\0d\n\n", b"\n\n\0"),
        (*_HOSTILE, b"\0", b"\n\n", "\U000e0001".encode(), b"__proto__", "\u2067".encode()),
        most=1000,
    )
    for check in (page, printed)
)
