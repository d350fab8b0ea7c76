"""Made pages with copied passages, and what differs between the copies: facts, or something else.

A quarter of the passages is a conflict: some copies have another fact.  The other ones are not:
copies spell a fact otherwise, use other words, number items otherwise, or have other line ends.
Pages share short phrases by chance, too.
"""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from lab.corpora.facts import (
    CHINESE,
    ENGLISH,
    KINDS,
    LANGUAGES,
    RESPELLED,
    different,
    han,
    respelled,
    stated,
)
from lab.corpora.manuals import FACT, Writer, filled, grammar, words

# What differs between the copies of a passage.
FACTUAL, SPELLING, WORDING, NUMBERING, NOTHING, PHRASE = (
    "fact", "spelling", "wording", "numbering", "nothing", "phrase",
)  # fmt: skip

# Characters of a page and of a passage.
PAGE, PASSAGE = (300, 6000), (60, 400)
MIXED = "mixed"
_PAGES_IN = {CHINESE: 0.45, ENGLISH: 0.45, MIXED: 0.1}
# Numbers of copies, and how often a passage has them.
_COPIES = {2: 8, 3: 5, 4: 3, 5: 2, 6: 1, 8: 1, 12: 1}
# The least units of equal text on either side of a fact.
MARGIN = 10
# Shares: of conflicts where several copies have the other fact, of copies with other line ends, of
# passages in both languages, of paragraphs that are a list, and of sentences before a phrase.
_SEVERAL, _WRAPPED, _BOTH, _LISTS, _PHRASES = 0.3, 0.3, 0.1, 0.3, 0.05
# Characters that a page needs around a passage.
_OWN = 200

# Marks in a text until their places are known.  The one before a passage has its number.
_FIRST, _LAST = 0xF0000, 0xFFFFD
_FACT_START, _FACT_END, _END = "\ue000", "\ue001", "\ue002"
_MARK = re.compile(f"([{_FACT_START}{_FACT_END}{_END}{chr(_FIRST)}-{chr(_LAST)}])")

# How items are numbered: three styles in Chinese, three in English.
_STYLES = ("第{han}条　", "（{han}）", "{n}）", "{n}. ", "({n}) ", "Section {n}: ")


class Copy(NamedTuple):
    """Where a page has a passage and, in characters, the fact in it."""

    page: str
    start: int
    end: int
    value: str  # as it is spelled; empty without one
    value_start: int
    value_end: int


@dataclass(frozen=True)
class Planted:
    """A passage with its copies.

    Attributes
    ----------
    differs : str
        What differs between the copies: `FACTUAL`, `SPELLING`, `WORDING`, `NUMBERING`, `NOTHING`;
        `PHRASE` is a short phrase with any fact.
    kind, how : str
        The kind of the fact and its spelling, or how the wording was changed.
    language : str
        Of the sentence with the fact.
    units : int
        Its length without the fact: a Chinese character is one, a word of letters or digits two.
    copies : tuple of Copy
        In the order of the pages.
    """

    differs: str
    kind: str
    how: str
    language: str
    units: int
    copies: tuple[Copy, ...] = ()

    @property
    def readings(self) -> dict[str, list[Copy]]:
        """The copies by what they say, the rarest first."""
        found = defaultdict[str, list[Copy]](list)
        for copy in self.copies:
            found[copy.value].append(copy)
        return dict(sorted(found.items(), key=lambda item: len(item[1])))


class MadePages(NamedTuple):
    """Texts by name, and the passages that some of them share."""

    texts: dict[str, str]
    planted: list[Planted]


def units(text: str) -> int:
    """Return the length of a text in units, without punctuation."""
    characters = len(re.findall(r"[\u3400-\u9fff]", text))
    return characters + 2 * len(re.findall(r"[^\W\u3400-\u9fff]+", text))


# -- passages --


@dataclass
class _Passage:
    """The sentences of a passage, and what its copies have where it has `FACT`."""

    planted: Planted
    sentences: list[str]
    values: list[str]  # of each copy
    mixed: bool

    @property
    def size(self) -> int:
        """About the characters of a copy."""
        return sum(map(len, self.sentences)) + max(map(len, self.values))


def _space(text: str, sentence: str) -> str:
    """Return what separates a sentence from the text before it: nothing in Chinese."""
    # Behind the marks.
    last, first = text.rstrip(_END)[-1:], sentence[sentence[0] > _END]
    return " " if " " < last < "\u2e80" and " " < first < "\u2e80" else ""


def _joined(sentences: Sequence[str]) -> str:
    """Return sentences as a paragraph."""
    text = ""
    for sentence in sentences:
        text += _space(text, sentence) + sentence
    return text


def _margin(sentences: Sequence[str]) -> int:
    """Return the units on the shorter side of the fact."""
    before, _, after = _joined(sentences).partition(FACT)
    return min(units(before), units(after))


def _sentences(
    writer: Writer, chance: random.Random, planted: Planted, languages: Sequence[str]
) -> list[str]:
    """Return the sentences of a passage: one has the fact, and equal text is around it."""
    kind, aim = planted.kind, math.exp(chance.uniform(*map(math.log, PASSAGE)))
    sentences = [writer.sentence(planted.language, kind)]

    def enough(some: Sequence[str], least: float) -> bool:
        return sum(map(len, some)) >= least and (not kind or _margin(some) >= MARGIN)

    while not enough(sentences, max(aim, PASSAGE[0] + 4)):
        language = chance.choice(languages)
        if chance.random() < 0.5:
            sentences.append(writer.sentence(language, before=_joined(sentences)))
        else:
            sentences.insert(0, writer.sentence(language))
    # The last sentence may be too much.
    while sum(map(len, sentences)) > PASSAGE[1] - 40:
        shorter = [one for one in (sentences[1:], sentences[:-1]) if enough(one, PASSAGE[0])]
        if not shorter:
            break
        sentences = shorter[0]
    return sentences


def _passages(writer: Writer, chance: random.Random, count: int) -> Iterator[_Passage]:
    """Yield some passages with two facts, as many in two spellings, and twice as many others."""
    others = ((WORDING, NUMBERING), (WORDING, NOTHING))
    for turn in range(count):
        language = LANGUAGES[turn % 2]
        for differs in (FACTUAL, SPELLING, *others[turn // 2 % 2]):
            copies = chance.choices([*_COPIES], [*_COPIES.values()])[0]
            kind, how, one, other, differing = "", "", "", "", 0
            if differs == FACTUAL:
                kind = KINDS[turn // 2 % len(KINDS)]
                how, one, other = different(kind, language, chance)
                several = copies > 3 and chance.random() < _SEVERAL
                differing = chance.randint(2, copies // 2) if several else 1
            elif differs == SPELLING:
                kind = RESPELLED[turn // 2 % len(RESPELLED)]
                how, one, other = respelled(kind, language, chance)
                differing = chance.randint(1, copies - 1)
            said = [other] * differing + [one] * (copies - differing)
            chance.shuffle(said)
            planted = Planted(differs, kind, how, language, 0)
            mixed = chance.random() < _BOTH
            languages = LANGUAGES if mixed else (language,)
            sentences = _sentences(writer, chance, planted, languages)
            planted = replace(planted, units=units(_joined(sentences)))
            yield _Passage(planted, sentences, said, mixed)


# -- copies --


def _reworded(text: str, language: str, chance: random.Random) -> tuple[str, str]:
    """Return how the wording of a text was changed, and the text."""
    for way in chance.sample(("a synonym", "a word left out", "a comma"), 3):
        if way == "a comma":
            # None of a number or a date.
            places = [sign.start() for sign in re.finditer("，|(?<=[a-z]),(?= [a-z])", text)]
            if places:
                place, other = chance.choice(places), "；" if language == CHINESE else ";"
                return way, text[:place] + chance.choice(("", other)) + text[place + 1 :]
            continue
        if way == "a synonym":
            pairs = [line.split(" = ") for line in grammar(language)["synonym"]]
        else:
            pairs = [[word, ""] for word in words(language, "spare")[0]]
        found = [(old, new) for old, new in pairs if old in text]
        if found:
            return way, text.replace(*chance.choice(found), 1).replace("  ", " ")
    return "nothing", text


def _number(style: int, number: int) -> str:
    return _STYLES[style].format(n=number, han=han(number))


def _style(language: str, chance: random.Random) -> int:
    return chance.randrange(3) + (0 if language == CHINESE else 3)


def _wrapped(text: str, width: int) -> str:
    """Return a text in lines of about this width."""
    lines, used = "", 0
    for part in re.findall(rf"[!-~{_FACT_START}-{_END}]+|\s|.", text):
        if used + len(part) > width and part == " ":
            lines, used = lines + "\n", 0
            continue
        if used >= width and part >= "\u2e80" and part[0] not in f"，。；：、）{_FACT_END}{_END}":
            lines, used = lines + "\n", 0
        lines, used = lines + part, 0 if part == "\n" else used + len(part)
    return lines


def _written(passage: _Passage, number: int, chance: random.Random) -> Iterator[str]:
    """Yield the copies of a passage, with marks."""
    planted, listed = passage.planted, passage.planted.differs == NUMBERING
    style = _style(planted.language, chance)
    for copy, value in enumerate(passage.values):
        text = _joined(passage.sentences)
        if listed:
            first = 1 + copy + chance.choice((0, 1, 6))
            items = [_number(style, n) + one for n, one in enumerate(passage.sentences, first)]
            text = "\n".join(items)
        elif planted.differs == WORDING and copy % 2:
            how, text = _reworded(text, planted.language, chance)
            passage.planted = replace(planted, how=how)
        text = text.replace(FACT, f"{_FACT_START}{value}{_FACT_END}")
        if not listed and chance.random() < _WRAPPED:
            text = _wrapped(text, chance.randint(24, 90))
        text = f"{chr(_FIRST + number)}{text}{_END}"
        # Items are lines.
        yield f"\n{text}\n" if listed else text


# -- pages --


class _Page:
    """A page that is to be written."""

    def __init__(self, name: str, language: str, aim: float) -> None:
        self.name, self.language, self.aim = name, language, aim
        self.free = aim - _OWN
        self.copies: list[str] = []

    def suits(self, passage: _Passage) -> bool:
        """Return whether a passage has the language of the page."""
        language = MIXED if passage.mixed else passage.planted.language
        return self.language in (language, MIXED)


class _Author:
    """Writes what is a page's own around the copies that it has."""

    def __init__(self, writer: Writer, chance: random.Random, phrases: dict[str, int]) -> None:
        self._writer, self._chance, self._phrases = writer, chance, phrases

    def page(self, page: _Page) -> str:
        """Return the text of a page, with marks."""
        chance = self._chance
        languages: Sequence[str] = LANGUAGES if page.language == MIXED else (page.language,)
        text, ahead = self._heading(languages), chance.sample(page.copies, len(page.copies))
        text = self._paragraph(text, chance.choice(languages))
        least = max(page.aim - _OWN, PAGE[0])
        while ahead or len(text) < least:
            left = max(1, least - len(text) - sum(map(len, ahead)))
            if ahead and chance.random() < len(ahead) * _OWN / left:
                # A copy may be a part of a longer paragraph.
                copy, apart = ahead.pop(), chance.random() < 0.5
                text += ("\n\n" if apart else _space(text, copy)) + copy
                # Other pages have the copy too: a sentence after it may begin as there.
                text += self._after(text, chance.choice(languages), apart)
                continue
            if chance.random() < 0.2:
                text += "\n\n" + self._heading(languages)
            text = self._paragraph(text, chance.choice(languages))
        return text + "\n"

    def _after(self, text: str, language: str, apart: bool) -> str:
        sentence = self._writer.sentence(language)
        return ("\n\n" if apart else _space(text, sentence)) + sentence

    def _heading(self, languages: Sequence[str]) -> str:
        chance, language = self._chance, self._chance.choice(languages)
        sign = chance.choice(("# ", "## ", "", f"{chance.randint(1, 12)} "))
        return sign + filled(chance.choice(grammar(language)["heading"]), language, chance)

    def _paragraph(self, text: str, language: str) -> str:
        """Return the text of a page with one more paragraph, which may be a list."""
        chance, text, count = self._chance, text + "\n\n", self._chance.randint(2, 5)
        style = _style(language, chance) if chance.random() < _LISTS else None
        first, before = chance.randint(1, 9), text
        for number in range(count):
            if style is not None:
                separator = ("\n" if number else "") + _number(style, first + number)
            else:
                separator = " " if language == ENGLISH and number else ""
            sentence = self._writer.sentence(language, before=before + separator)
            text, before = text + separator + sentence, before + separator + sentence
            if style is None and chance.random() < _PHRASES:
                phrase = self._phrase(language)
                # Other pages have it too: a sentence after it may begin as there.
                text, before = text + _space(text, phrase) + phrase, ""
        return text

    def _phrase(self, language: str) -> str:
        """Return a sentence that other pages have too, but for its fact."""
        section = self._chance.choice([one for one in grammar(language) if one[:6] == "phrase"])
        kind = section.split()[1]
        pattern = self._chance.choice(grammar(language)[section])
        fact = f"{_FACT_START}{stated(kind, language, self._chance)}{_FACT_END}"
        text = pattern.replace(f"{{{kind}}}", fact)
        return f"{chr(self._phrases[pattern])}{text}{_END}"


def pages(count: int = 3000, seed: int = 29) -> MadePages:
    """Return made pages; a tenth as many of their passages are a conflict."""
    chance = random.Random(seed)
    writer = Writer(chance)
    languages = chance.choices([*_PAGES_IN], [*_PAGES_IN.values()], k=count)
    made = [
        _Page(f"page {number:04}", language, math.exp(chance.uniform(*map(math.log, PAGE))))
        for number, language in enumerate(languages)
    ]
    passages = [*_passages(writer, chance, count // 10)]
    for number, passage in enumerate(passages):
        suitable = [page for page in made if page.suits(passage)]
        homes = [page for page in suitable if page.free > passage.size + _OWN]
        if len(homes) < len(passage.values):
            homes = sorted(suitable, key=lambda page: page.free)[-len(passage.values) :]
        homes = chance.sample(homes, len(passage.values))
        for page, text in zip(homes, _written(passage, number, chance), strict=True):
            page.copies.append(text)
            page.free -= len(text) + _OWN
    planted = [passage.planted for passage in passages]
    phrases = {}
    for language in LANGUAGES:
        for section, patterns in grammar(language).items():
            for pattern in patterns if section.startswith("phrase") else ():
                phrases[pattern] = _FIRST + len(planted)
                kind, size = section.split()[1], units(pattern)
                planted.append(Planted(PHRASE, kind, "", language, size))
    author = _Author(writer, chance, phrases)
    return _located({page.name: author.page(page) for page in made}, planted)


def _located(marked: dict[str, str], planted: Sequence[Planted]) -> MadePages:
    """Take the marks out of texts, and say where they were."""
    texts, copies = dict[str, str](), defaultdict[int, list[Copy]](list)
    for name, whole in marked.items():
        text = ""
        number = start = fact = fact_end = 0
        for part in _MARK.split(whole):
            if part == _FACT_START:
                fact = len(text)
            elif part == _FACT_END:
                fact_end = len(text)
            elif part == _END:
                # As it is spelled, whatever the line ends.
                value = re.sub(r"(?<=[!-~])\n(?=[!-~])", " ", text[fact:fact_end]).replace("\n", "")
                copies[number].append(Copy(name, start, len(text), value, fact, fact_end))
            elif _MARK.match(part):
                number, start = ord(part) - _FIRST, len(text)
                fact = fact_end = start
            else:
                text += part
        texts[name] = text
    found = [replace(one, copies=tuple(copies[number])) for number, one in enumerate(planted)]
    return MadePages(texts, [one for one in found if one.copies])


# -- a notice --

_NOTICE = (
    "各部门、各班组：因主楼供电线路改造，原定的停电检修安排如下。停电范围包括主楼各层办公室、"
    "地下车库和一层食堂，实验楼与宿舍楼不受影响。停电日期为{}，当天早班照常交接，贵重仪器请提前"
    "关机并拔下插头，冷藏样品由各组自行转到实验楼冷库。检修期间电梯停运，请走东侧楼梯，进出时"
    "出示工作证。恢复供电以后，请先打开照明，再逐台启动设备，发现异常立即联系值班室。未尽事宜由"
    "后勤处负责解释，感谢各位配合。"
)
_DAYS = ("2025年6月14日", "2025年6月15日", "2025年7月14日", "2025年6月4日", "2024年6月14日")


def notices(count: int = 100, readings: int = 3, seed: int = 31) -> MadePages:
    """Return copies of one notice that give several dates: of 100 copies and 3 dates 90, 7 and 3.

    Half of them have text of their own: a heading, and a last line.
    """
    if not 1 <= readings <= len(_DAYS):
        raise ValueError(f"readings={readings}: 1 to {len(_DAYS)}")
    chance = random.Random(seed)
    writer = Writer(chance)
    rare = [max(1, count * (3 + 4 * i) // 100) for i in range(readings - 1)]
    sizes = [count - sum(rare), *reversed(rare)]
    dates = [day for day, size in zip(_DAYS, sizes, strict=False) for _ in range(size)]
    chance.shuffle(dates)
    marked = {}
    for number, date in enumerate(dates):
        fact = f"{_FACT_START}{date}{_FACT_END}"
        text = f"{chr(_FIRST)}{_NOTICE.format(fact)}{_END}\n"
        if number % 2:
            heading = filled("{place}通知", CHINESE, chance)
            text = f"{heading}\n\n{text}\n{writer.sentence(CHINESE)}\n"
        marked[f"notice {number:03}"] = text
    planted = Planted(FACTUAL, "date", "年月日", CHINESE, units(_NOTICE))
    return _located(marked, [planted])
