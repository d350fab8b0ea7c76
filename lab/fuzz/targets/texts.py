"""Bytes to text, pages to text, and what is made of texts."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from functools import cache

from lab.fuzz.oracle import expect, expect_harmless, expect_same, expect_sayable
from lab.fuzz.target import Taken, Target
from lab.fuzz.terminal import Screen
from lab.oracles import plain
from lab.oracles.segmenting import segmenter
from simdup.corpus.decoding import Decoded, NotText, decode
from simdup.corpus.html import decode_html, page_text, page_title
from simdup.model.documents import Document, Skipped
from simdup.model.recipe import Recipe
from simdup.model.settings import Settings
from simdup.operations.compare import compare_documents
from simdup.operations.passages import passages
from simdup.show.diff import diff_text
from simdup.show.text import Painter
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.tokens import tokenizer

_ENCODINGS = (
    None, None, None, "utf-8", "gb18030", "big5", "utf-16", "utf-16-le", "utf-32", "shift_jis",
    "euc_kr", "euc_jp", "cp1252", "hz", "iso2022_jp", "utf-7", "utf-8-sig", "cp037",
)  # fmt: skip


def decoder(data: bytes) -> object:
    """Bytes to text: detected encodings, given ones, byte order marks, NULs."""
    taken = Taken(data)
    if taken.number() == 255:
        encoding: str | None = taken.part().decode("latin-1")
    else:
        taken = Taken(data)
        encoding = taken.choice(_ENCODINGS)
    content = taken.rest()
    try:
        decoded = decode(content, encoding)
    except NotText as error:
        expect_sayable([Skipped("a.txt", str(error), error=True)])
        return False
    _expect_text(decoded)
    if encoding is None and b"\0" not in content:
        try:
            plain = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return True
        expect_same(decoded.text, plain, "well-formed UTF-8")
    return True


def _expect_text(decoded: Decoded) -> None:
    expect("\0" not in decoded.text, "NUL in a decoded text")
    decoded.text.encode()
    expect_harmless(decoded.note)


def html(data: bytes) -> object:
    """Pages: the declared charset, main text, all text, title."""
    taken = Taken(data)
    extract = taken.choice(("main", "all", "none"))
    try:
        decoded = decode_html(taken.rest())
    except NotText:
        return False
    _expect_text(decoded)
    text, note = page_text(decoded.text, extract)
    text.encode()
    expect_sayable([Skipped("a.html", note or "none", error=True)])
    title = page_title(decoded.text)
    expect(title is None or len(title) <= 2000, "a long title")
    return True


# The built-in table takes 20 ms for a text; one recipe that uses it is enough.
_RECIPES = (
    Recipe(weight="tf"), Recipe(weight="tf", tokens="split"), Recipe(weight="tf", tokens="tagged"),
    Recipe(weight="tf", tokens="chars:2"), Recipe(weight="tf", tokens="ngrams:2"),
    Recipe(weight="binary", hash="md5", bits=128), Recipe(weight="logtf", fold=False),
    Recipe(weight="tf2", hash="bkdr", bits=32), Recipe(hash="string"),
)  # fmt: skip


def text(data: bytes) -> None:
    """A text to a fingerprint: folding, segmenting, weighing, hashing."""
    taken = Taken(data)
    recipe = taken.choice(_RECIPES)
    words = taken.rest().decode("utf-8", "replace")
    fingerprinter = _fingerprinter(recipe)
    prepared = [fingerprinter.analyzer.prepare(part) for part in (words, words[::-1], words)]
    found = fingerprinter.fingerprints(fingerprinter.analyzer.count(prepared)).hexes()
    expect_same(found[0], found[2], "the same text again")
    folded = prepared[0].folded
    cut = tokenizer(Recipe())([folded]).lists()[0]
    expect_same(cut, plain.words(folded, _jieba()), "the words of jieba")


@cache
def _jieba() -> Callable[[str], list[str]]:
    return segmenter()


@cache
def _fingerprinter(recipe: Recipe = _RECIPES[0]) -> Fingerprinter:
    return Fingerprinter.alone(Analyzer.for_recipe(recipe))


def two(data: bytes) -> None:
    """Two texts: how they compare, and their differences as a terminal shows them."""
    a, _, b = data.decode("utf-8", "replace").partition("\0")
    documents = Document("a", a), Document("\x1b[1m\n", b)
    found = compare_documents(documents, _fingerprinter(), Settings(), diff=True)
    turned = compare_documents(documents[::-1], _fingerprinter(), Settings())
    expect_same(found.similarity, turned.similarity, "similarity the other way round")
    for side, whole in ((0, a), (1, b)):
        spans = [(one.a, one.b)[side] for one in found.diff or ()]
        expect_same("".join(whole[slice(*span)] for span in spans), whole, "all spans together")
    screen = Screen()
    expect_harmless(b"".join(diff_text(found, (a, b), Painter(screen, "never"))).decode())


def copied(data: bytes) -> None:
    """Three texts: the passages that they share, and where."""
    parts = data.decode("utf-8", "replace").split("\0")[:3]
    found = passages(list(enumerate(parts)), min_run=8, min_length=10, gap=5, jobs=1)
    for overlap in found.overlaps:
        a, b = parts[int(overlap.a)], parts[int(overlap.b)]
        for one in overlap.passages:
            expect(0 <= one.a[0] < one.a[1] <= len(a), "a passage outside of its text")
            expect(0 <= one.b[0] < one.b[1] <= len(b), "a passage outside of its text")


_CHINESE = "清晨的河岸上有一位老人在钓鱼，远处的石桥下漂来一只木船。\r\n他看了看表。"
_ENGLISH = "The quick brown fox jumps over the lazy dog near the old river bank.\n"
_PAGE = (
    "<html><head><meta charset=gbk><title>标题</title></head><body><nav><a href=x>菜单</a></nav>"
    f"<h1>钓鱼</h1><p>{_CHINESE * 3}</p><script>1<2</script><!-- no --><p>&amp;&#20013;&nbsp;</p>"
)

TARGETS = (
    Target(
        decoder,
        (
            *(b"\0" + _CHINESE.encode(one) for one in ("utf-8", "gb18030", "utf-16")),
            *(bytes([n]) + _ENGLISH.encode() for n in range(len(_ENCODINGS))),
            b"\0" + codecs.BOM_UTF8 + b"a\0b\0",
            b"\0" + codecs.BOM_UTF32_LE + _CHINESE.encode("utf-32-le"),
            b"\0" + "清晨的河岸上有一位老人".encode("big5"),
            b"\xff\x04big5" + "石橋下漂來一隻木船".encode("big5"),
            b"\0caf\xe9 d\xe9j\xe0 vu \x93quoted\x94",
        ),
        (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF8, b"\0", b"\x81\x30\x81\x30",
         b"\xa1\xa3", b"\x1b$B", b"~{", b"\xed\xa0\x80", b"+2AA-"),
    ),
    Target(
        html,
        (*(bytes([n]) + _PAGE.encode("gbk") for n in range(3)),
         b"\0<p>a<p>b</p><table><tr><td>c</table>&#xD800;&#0;&#1114112;&nosuch;",
         b"\0<?xml version='1.0' encoding='utf-16'?><html/>"),
        (b"<p>", b"</p>", b"<script>", b"<!--", b"-->", b"<meta charset=", b"&#x", b"&amp;",
         b"<title>", b"<![CDATA[", b"<svg>", b"<table>", b"<template>", b"xmlns:a=", b"\xff\xfe"),
        most=8000,
    ),
    Target(
        text,
        (*(bytes([n]) + (_CHINESE + _ENGLISH).encode() for n in range(len(_RECIPES))),
         b"\x02" + "河岸/n 老人/n 。/wn".encode(), b"\0" + "Ⅻ ﬁ ß İ 臺灣 \u200b\u0301é".encode()),
        ("臺".encode(), b"\xf0\xa0\x80\x80", b"\xcc\x81", b"\xe2\x80\x8b", b"/wn", b"\xed\xa0\x80"),
    ),
    Target(
        two,
        ((_CHINESE + "\0" + _CHINESE.replace("老人", "少年")).encode(),
         (_ENGLISH * 2 + "\0" + _ENGLISH + "One more line.\n").encode(), b"\0", b"a 1\0a 2"),
        (b"\0", b"\n", b"\x1b[31m", "\u202e".encode(), "ﬁ".encode(), b"\xf0\xa0\x80\x80"),
    ),
    Target(
        copied,
        ((_CHINESE + "\0" + "前言。" + _CHINESE + "后记。\0" + _CHINESE[5:30]).encode(),
         (_ENGLISH + "\0" + "x" + _ENGLISH.upper() + "\0").encode(),
         b"aaaaaaaaaaaa\0aaaaaaaaaaaaaa"),
        (b"\0", b"\n", "ﬁ".encode(), "㍿".encode(), "ΐ".encode()),
    ),
)  # fmt: skip
