"""Articles and their reprints, with labels: which documents are the same article.

A third of the articles has one to three reprints, each edited in one way, as editors and web sites
edit. Two kinds of documents share text with others without being reprints: a *follow-up* quotes up
to a third of the sentences of an article between new ones, and *notices* are made from one form and
have 30 to 60 % of their sentences for themselves.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from lab.corpora.edits import Edit, replaced, reworded
from lab.corpora.facts import CHINESE, ENGLISH
from lab.corpora.made import traditional_characters
from lab.corpora.manuals import Writer

MIXED = "mixed"

# Sentences of an article, of a paragraph, and of the form of a notice.
SENTENCES, PARAGRAPH, FORM = (8, 30), 4, 16
# Shares: of articles with reprints, with a follow-up; notices for each article.
_REPRINTED, _FOLLOWED, _NOTICES = 1 / 3, 1 / 5, 1 / 6
_REPRINTS = (1, 1, 1, 2, 2, 3)

# Sentences, each with the white space behind it.
_SENTENCE = re.compile(r".+?(?:。|[.;:]\s|$)\s*", re.DOTALL)


class Labelled(NamedTuple):
    """Documents by name in a random order, and the groups of those that are one article."""

    texts: dict[str, str]
    groups: list[list[str]]


def reprints(language: str, articles: int, seed: int = 1) -> Labelled:
    """Return articles, reprints, follow-ups and notices in Chinese, English or both (`MIXED`)."""
    chance = random.Random(seed)
    writer = Writer(chance)
    languages = (CHINESE, ENGLISH) if language == MIXED else (language,)
    edits = {one: (*EDITS[one], *(SCRIPTS[one] if language == MIXED else ())) for one in languages}
    groups: list[list[str]] = []
    for _ in range(articles):
        used = chance.choice(languages)
        article = _article(writer, used, chance)
        group = [article]
        if chance.random() < _REPRINTED:
            chosen = chance.sample(edits[used], chance.choice(_REPRINTS))
            group += [edit(article, chance) for edit in chosen]
        groups.append(group)
        if chance.random() < _FOLLOWED:
            groups.append([_follow_up(article, writer, used, chance)])
    for used in languages:
        groups += ([one] for one in _notices(writer, used, articles, len(languages), chance))
    count = sum(map(len, groups))
    names = [f"{number:05}" for number in chance.sample(range(count), count)]
    named = [[(names.pop(), text) for text in group] for group in groups]
    texts = dict(sorted(pair for group in named for pair in group))
    return Labelled(texts, [[name for name, _ in group] for group in named if len(group) > 1])


def _sentences(writer: Writer, language: str, count: int) -> list[str]:
    made: list[str] = []
    for _ in range(count):
        made.append(writer.sentence(language, before="".join(made[-1:])))
    return made


def _laid_out(sentences: Sequence[str], language: str) -> str:
    """Return sentences as paragraphs."""
    between = "" if language == CHINESE else " "
    starts = range(0, len(sentences), PARAGRAPH)
    return "\n".join(between.join(sentences[i : i + PARAGRAPH]) for i in starts) + "\n"


def _article(writer: Writer, language: str, chance: random.Random) -> str:
    return _laid_out(_sentences(writer, language, chance.randint(*SENTENCES)), language)


def _follow_up(article: str, writer: Writer, language: str, chance: random.Random) -> str:
    """Return another article that quotes up to a third of this one's sentences."""
    quoted = [one.strip() for one in _SENTENCE.findall(article)]
    quoted = quoted[: max(1, round(len(quoted) * chance.uniform(0.1, 1 / 3)))]
    own = _sentences(writer, language, chance.randint(*SENTENCES))
    return _laid_out([*own[:2], *quoted, *own[2:]], language)


def _notices(
    writer: Writer, language: str, articles: int, languages: int, chance: random.Random
) -> list[str]:
    """Return notices that share a form."""
    form = _sentences(writer, language, FORM)
    made = []
    for _ in range(round(articles * _NOTICES / languages)):
        own = round(FORM * chance.uniform(0.3, 0.6))
        places = sorted(chance.sample(range(FORM), own))
        text = list(form)
        for place, sentence in zip(places, _sentences(writer, language, own), strict=True):
            text[place] = sentence
        made.append(_laid_out(text, language))
    return made


# -- reprints --


def _moved(text: str, chance: random.Random) -> str:
    """Move a sentence in ten."""
    sentences = _SENTENCE.findall(text)
    for _ in range(max(1, len(sentences) // 10)):
        sentence = sentences.pop(chance.randrange(len(sentences)))
        sentences.insert(chance.randrange(len(sentences) + 1), sentence)
    return "".join(sentences)


def _cut(text: str, chance: random.Random) -> str:
    """Leave out 5 to 20 % at the end."""
    return text[: round(len(text) * (1 - chance.uniform(0.05, 0.2)))]


def _framed(text: str, chance: random.Random, before: str, after: str) -> str:
    """Add what a site puts before and after an article."""
    values = {"day": f"{chance.randint(1, 28):02}", "number": chance.randint(10_000, 99_999)}
    return before.format(**values) + text + after.format(**values)


_TYPING: tuple[Edit, ...] = (
    partial(replaced, share=0.01),
    partial(reworded, share=0.02),
    _moved,
    _cut,
)
EDITS: dict[str, tuple[Edit, ...]] = {
    CHINESE: (
        *_TYPING,
        partial(
            _framed,
            before="来源：{number}号专栏　发布日期：2024年5月{day}日　字号：大 中 小\n",
            after="（责任编辑：第{number}号）分享到：微信　微博　收藏　打印本页\n",
        ),
    ),
    ENGLISH: (
        *_TYPING,
        partial(
            _framed,
            before="Home > Notices > No. {number}   Published {day} May 2024   Print this page\n",
            after="Edited by desk {number}. Share this article: mail, feed, bookmark.\n",
        ),
    ),
}

_TRADITIONAL = traditional_characters()
# ASCII letters and digits in the width of a Chinese character.
_WIDE = {code: code + 0xFEE0 for code in range(0x30, 0x7B) if chr(code).isalnum()}


def _wrapped(text: str, chance: random.Random) -> str:
    """Return lines of one length, as in an e-mail."""
    return "\n".join(textwrap.wrap(text, chance.randint(36, 72))) + "\n"


# How the same text is written elsewhere: in another script, width, case or line length.
SCRIPTS: dict[str, tuple[Edit, ...]] = {
    CHINESE: (
        _wrapped,
        lambda text, chance: text.translate(_TRADITIONAL),
        lambda text, chance: text.translate(_WIDE),
    ),
    ENGLISH: (_wrapped, lambda text, chance: text.upper()),
}
