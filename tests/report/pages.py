"""Reports as tests open them: written by the command, and read again in Python or in a browser."""

import base64
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lab.corpora.made import edited, prose, write

TYPES = {"u8": "u1", "u16": "<u2", "i16": "<i2", "u32": "<u4", "i32": "<i4", "f64": "<f8"}

# Texts and names that somebody may choose to harm whoever opens the page.
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<img src=x onerror=alert(3)>",
    "<!--<script>",
    "]]></style><svg onload=alert(4)>",
    "\u202egnp.exe\u202c",
    "a\u200bb\u2028c\u2029d",
    "javascript:alert(5)",
    "\x00\x07\x1b[31m",
    "{{constructor.constructor('alert(6)')()}}",
    "';alert(7);//",
    "__proto__",
    "𠀀😀\ufeff",
)

# Elements that pages make.
OWN = {
    "html", "head", "meta", "title", "style", "script", "body", "noscript", "header", "nav", "main",
    "div", "a", "span", "svg", "rect", "bdi", "button", "article", "section", "aside", "h1", "h2",
    "h3", "p", "ul", "li", "label", "input", "select", "option", "output", "line", "circle", "text",
    "g", "path", "pre", "br", "kbd", "b", "strong", "dl", "dt", "dd", "table", "thead", "tbody",
    "tr", "th", "td", "details", "summary", "dialog", "ins", "del", "code", "wbr",
}  # fmt: skip

# Texts that are too pale: their elements and beginnings.
CONTRAST = """() => {
  const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number)
    .map((v, i) => (c.startsWith('color(') && i < 3 ? 255 * v : v));
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const c = parse(getComputedStyle(at).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const bad = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest('svg')) continue;
    const [x, y] = [light(parse(getComputedStyle(e).color)), light(paper(e))].sort((p, q) => q - p);
    if ((x + 0.05) / (y + 0.05) < 4.5) bad.push([e.className, e.textContent.slice(0, 20)]);
  }
  return bad;
}"""

# Controls without a name.
NAMELESS = """() => [...document.querySelectorAll('button, input, select, a')]
    .filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label')
        || e.labels?.length || e.closest('label')) && e.checkVisibility())
    .map((e) => e.outerHTML)"""


def corpus(folder: Path) -> Path:
    """Write some clusters: two alike, three alike, a chain, copies, and documents on their own."""
    texts = {f"alone/{i}.txt": prose(100 + i) for i in range(4)}
    for i in range(3):
        texts[f"news/pair-{i}-a.txt"] = prose(i)
        texts[f"archive/pair-{i}-b.txt"] = edited(prose(i), i, 2 + 4 * i)
    for i in range(3):
        texts[f"news/three-{i}.txt"] = edited(prose(10), i, 3 * i)
    parts = [prose(20 + i, 40) for i in range(4)]
    texts |= {f"chain/{i}.txt": "".join(parts[: 2 + i] if i < 2 else parts) for i in range(3)}
    texts |= {f"copies/{i}.txt": prose(30) for i in range(3)}
    return write(folder, texts)


def joined(folder: Path) -> Path:
    """Write a family with several kept documents, of which some are near what others take."""
    parts = [prose(900 + i, 30) for i in range(14)]
    texts = {}
    for name, start in (("a", 0), ("m", 1), ("y", 2), ("z", 3)):
        text = "".join(parts[start : start + 10])
        texts |= {f"{name}-1.txt": text, f"{name}-2.txt": edited(text, start, 2) + " more" * start}
    return write(folder, texts)


def hostile(folder: Path) -> Path:
    """Write a file of records whose names, texts and fields are hostile."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for i, words in enumerate(HOSTILE):
        text = prose(i, 60) + words
        for copy in range(2):
            record = {"id": f"{words}/{copy}{words}", "text": text + words * copy}
            lines.append(json.dumps(record))
    path = folder / "hostile<b>.jsonl"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def elements(page: Path) -> dict[str, str]:
    """Return the content of each script of a page that has an id."""
    found = re.findall(r'<script type="[^"]+" id="(\w+)">(.*?)</script>', page.read_text(), re.S)
    return dict(found)


def head(page: Path) -> dict[str, Any]:
    """Return the small JSON of a page."""
    values: dict[str, Any] = json.loads(elements(page)["head"])
    return values


def inflate(page: Path, name: str) -> bytes:
    """Return a block of a page."""
    return zlib.decompress(base64.b64decode(elements(page)[name]), -15)


def columns(page: Path) -> dict[str, Any]:
    """Return the columns of a page's table."""
    content = inflate(page, "table")
    length = int.from_bytes(content[:4], "little")
    described = json.loads(content[4 : 4 + length])
    return {
        name: np.frombuffer(content, TYPES[kind], count, 4 + length + offset)
        for name, (kind, offset, count) in described.items()
    }


# Pages that no test has now, by the options of their contexts: to open one takes longer than most
# of what tests do in it.
_KEPT: dict[str, Any] = {}


@contextmanager
def borrowed(browser: Any, address: str = "-", **options: Any) -> Iterator[Any]:
    """Take an empty page; fail on any dialog, message, error, or request but for an address."""
    size = options.pop("viewport", {"width": 1400, "height": 900})
    scheme = options.pop("color_scheme", "light")
    options = {"locale": "en-US"} | options
    page = _KEPT.pop(repr(options), None) or browser.new_context(**options).new_page()
    page.set_viewport_size(size)
    page.emulate_media(media="null", color_scheme=scheme, reduced_motion="null")
    heard: list[str] = []
    listeners = {
        "console": lambda message: heard.append(f"console: {message.text}"),
        "pageerror": lambda error: heard.append(f"error: {error}"),
        "dialog": lambda dialog: (heard.append("dialog"), dialog.dismiss()),
        "request": lambda r: None if r.url.startswith(address) else heard.append(r.url),
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    try:
        yield page
        page.evaluate("try { localStorage.clear(); } catch { /* a page without an address */ }")
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        page.goto("about:blank")
    except BaseException:
        page.context.close()
        raise
    _KEPT[repr(options)] = page
    assert heard == []


@contextmanager
def opened(browser: Any, path: Path, **options: Any) -> Iterator[Any]:
    """Open a page of a report."""
    address = path.absolute().as_uri()
    with borrowed(browser, address, **options) as page:
        page.goto(address)
        page.evaluate("App.ready")
        yield page


def go(page: Any, route: str) -> None:
    """Go to a view of a page and wait until it is drawn."""
    page.evaluate("(route) => { location.hash = route; }", route)
    page.wait_for_timeout(50)
    if route.startswith("#/c/"):
        page.wait_for_selector(".why .prints")


def low_contrast(page: Any) -> list[Any]:
    """Return the texts that are too pale in light colours, or in dark ones."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += page.evaluate(CONTRAST)
    return found


def until(page: Any, condition: str) -> None:
    """Wait until a condition holds; the policy of a page forbids playwright's own way to wait."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"never: {condition}")
