"""Evaluation texts, and a corpus of any size that has them: as they are, or changed on the way.

Each text of an evaluation is in the corpus once in each of four ways, but for those of a control
set, which are nowhere in it.  What looks like a leak and is none is there too: pages with the same
templates, pages on the same topic with short phrases of a text, and short parts of long texts.

All texts may have an instruction before them and one behind them, longer than many questions.
Then a record that is the text has both, all others have the text alone, and pages with the same
templates have the instructions.

as it is
    The record is the text.
wrapped
    In lines of 8 words, in the middle of a page; two Chinese characters count as a word.
embedded
    In the middle of a page, every line with other white space before it; a text of one line
    has sentences before and after it in that line.
changed
    One word in 20 is another one, in the middle of a page.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from lab.corpora.facts import CHINESE, ENGLISH, LANGUAGES
from lab.corpora.leak_texts import (
    CODE,
    PROBLEM,
    QUESTION,
    READING,
    TYPES,
    Evaluation,
    Examiner,
    heading,
    joined,
    sentence,
)
from lab.corpora.manuals import filled, grammar
from lab.corpora.real import NoTexts, texts
from lab.corpora.web_pages import COMMENTS, HEADLINES, MENU

AS_IS, WRAPPED, EMBEDDED, CHANGED = "as it is", "wrapped", "embedded", "changed"
LEAKS = (AS_IS, WRAPPED, EMBEDDED, CHANGED)
TEMPLATE, TOPIC, PART = "template", "topic", "part"
DECOYS = (TEMPLATE, TOPIC, PART)

# Evaluation files and the types of text in each.
_FILES = {"questions": (QUESTION,), "reading": (READING,), "problems": (PROBLEM, CODE)}

# What is before and behind each text, if they have instructions.
_INSTRUCTIONS = {
    ENGLISH: (
        ("You will be given a task from an examination. Read it twice, think about it step by step "
        "before you decide, and write down nothing but your final answer. Here is the task:\n\n"),
        "\n\nGive your answer on a line of its own, without any explanation, units or full stop.",
    ),
    CHINESE: (
        "以下是一道考试题目，请你先通读两遍，逐步思考之后再作决定，最后只写出你的答案，不要写出过程。题目如下：\n\n",
        "\n\n请把答案单独写在一行里，不要附带任何解释、单位或者标点符号。",
    ),
}  # fmt: skip

# A decoy has this share of a text, if the text has at least this number of characters.
_PART, _LONG = 0.2, 400
# One text in this many has a decoy of a template, and of a topic.
_EVERY = 3
_WORDS_A_LINE, _CHANGED_IN = 8, 20
# The share of records that are real texts, where there are some.
_REAL = 0.4
_REAL_TEXTS = 400
_SENTENCES = 12_000


class Planted(NamedTuple):
    """What a record has of an evaluation text; only the kinds of `LEAKS` are leaks."""

    evaluation: str
    record: str
    kind: str


class LeakCorpus(NamedTuple):
    """Files of evaluation texts, a corpus of records, what is planted, and what is not.

    `controls` has the ids of evaluation texts that no record has; decoys share their templates
    and topics.
    """

    evaluations: list[Path]
    corpus: Path
    truth: list[Planted]
    controls: set[str]


def evaluations(count: int = 360, seed: int = 41) -> list[Evaluation]:
    """Return evaluation texts, as many of each type, half of them Chinese."""
    examiner = Examiner(random.Random(seed))
    made = []
    for number in range(count):
        type_, language = TYPES[number % 4], LANGUAGES[number // 4 % 2]
        text = examiner.text(type_, language)
        made.append(Evaluation(f"{type_}-{number:04}", type_, language, text))
    return made


def _instructed(text: str, language: str) -> str:
    before, behind = _INSTRUCTIONS[language]
    return before + text + behind


# -- what happens to a text --

_WORD = re.compile(r"[\u4e00-\u9fff]{1,2}|[A-Za-z0-9_]+")
_PIECE = re.compile(r"[\u4e00-\u9fff]{1,2}[^\w\s]*|[^\s\u4e00-\u9fff]+")


def wrapped(text: str) -> str:
    """Return a text in lines of 8 words."""
    lines, line, count = [], "", 0
    last = 0
    for piece in _PIECE.finditer(text):
        if count == _WORDS_A_LINE:
            lines.append(line)
            line, count = "", 0
        elif line and piece.start() > last:
            line += " "
        line, count, last = line + piece[0], count + 1, piece.end()
    return "\n".join([*lines, line])


def changed(text: str, language: str, chance: random.Random) -> str:
    """Return a text with one word in 20 changed."""
    found = [*_WORD.finditer(text)]
    others = [one[0] for one in _WORD.finditer(sentence(language, chance))]
    for start in reversed(range(0, len(found), _CHANGED_IN)):
        some = found[start : start + _CHANGED_IN]
        if len(some) < _CHANGED_IN and start:
            continue
        one = chance.choice(some)
        other = chance.choice([word for word in others if word.lower() != one[0].lower()])
        text = text[: one.start()] + other + text[one.end() :]
    return text


def _embedded(text: str, language: str, chance: random.Random) -> str:
    if "\n" not in text:
        around = [sentence(language, chance) for _ in range(2)]
        return joined([around[0], text, around[1]], language)
    indent = chance.choice(("  ", "    ", "\t", "\u3000\u3000"))
    return "\n".join(indent + line.strip() for line in text.split("\n"))


def _phrases(text: str, language: str, chance: random.Random) -> list[str]:
    """Return short phrases of a text."""
    if language == CHINESE:
        whole = re.findall(r"[\u4e00-\u9fff]{5,}", text)
        starts = [chance.randrange(max(1, len(one) - 9)) for one in whole]
        return [one[start : start + 9] for one, start in zip(whole, starts, strict=True)]
    split = text.split()
    places = range(0, max(1, len(split) - 3), 9)
    return [" ".join(split[place : place + 3])[:18] for place in places]


# -- the background --


class _Web:
    """Makes pages; those of the same language mix the same sentences anew."""

    def __init__(self, chance: random.Random, real: bool, many: int = _SENTENCES) -> None:
        self._chance = chance
        self._sentences = {one: self._some(one, many) for one in LANGUAGES}
        self._headings = {one: [heading(one, chance) for _ in range(300)] for one in LANGUAGES}
        self._real = _real_texts() if real else []

    def _some(self, language: str, many: int) -> list[str]:
        chance = self._chance
        patterns = [
            one for name, lines in grammar(language).items() if name.startswith("sentence")
            for one in lines
            if "{negation}" not in one
        ]  # fmt: skip
        made = [sentence(language, chance) for _ in range(many // 3)]
        made += [filled(chance.choice(patterns), language, chance) for _ in range(many * 2 // 3)]
        # What evaluations say, and pages too.
        lines = ("下列说法正确的是（　　）", "阅读下面的短文，回答问题。", "应用题：")
        if language == ENGLISH:
            lines = ("Answer the following question.", "Choose the best answer.",
                     "Read the passage and answer the question.")  # fmt: skip
        return made + [*lines] * max(1, many // 300)

    def paragraphs(self, language: str, count: int) -> str:
        """Return some paragraphs."""
        chance, space = self._chance, "" if language == CHINESE else " "
        pool = self._sentences[language]
        return "\n".join(
            space.join(chance.choices(pool, k=chance.randint(2, 7))) for _ in range(count)
        )

    def page(self, language: str, middle: str = "") -> str:
        """Return a page, with a text in its middle if there is one."""
        chance = self._chance
        parts = [chance.choice(self._headings[language])]
        if language == CHINESE and chance.random() < 0.3:
            parts.insert(0, " | ".join(chance.sample(MENU, 6)))
        parts.append(self.paragraphs(language, chance.randint(1, 5)))
        if middle:
            parts += [middle, self.paragraphs(language, chance.randint(1, 5))]
        if chance.random() < 0.2:
            parts += chance.sample(HEADLINES if language == CHINESE else COMMENTS, 2)
        return "\n".join(parts)

    def record(self) -> str:
        """Return the text of a record in which nothing is planted."""
        chance = self._chance
        if self._real and chance.random() < _REAL:
            text = chance.choice(self._real)
            start = chance.randrange(max(1, len(text) - 400))
            return text[start : start + chance.randint(400, 5000)]
        return self.page(CHINESE if chance.random() < 0.5 else ENGLISH)


def _real_texts() -> list[str]:
    try:
        return [
            text
            for name in ("laws", "vsdocs")
            for text in texts(name, _REAL_TEXTS).values()
            if text
        ]
    except NoTexts:
        return []


# -- the corpus --


def _planted(
    made: Sequence[Evaluation], web: _Web, chance: random.Random, asked: Callable[[str, str], str]
) -> list[tuple[str, str, str]]:
    """Return evaluation, kind and text of each leak."""
    ways: dict[str, Callable[[Evaluation], str]] = {
        AS_IS: lambda one: asked(one.text, one.language),
        WRAPPED: lambda one: web.page(one.language, wrapped(one.text)),
        EMBEDDED: lambda one: web.page(one.language, _embedded(one.text, one.language, chance)),
        CHANGED: lambda one: web.page(one.language, changed(one.text, one.language, chance)),
    }
    return [(one.id, kind, way(one)) for one in made for kind, way in ways.items()]


def _decoys(
    made: Sequence[Evaluation],
    nowhere: Collection[str],
    web: _Web,
    examiner: Examiner,
    chance: random.Random,
    asked: Callable[[str, str], str],
) -> Iterator[tuple[str, str, str]]:
    """Yield evaluation, kind and text of what looks like a leak."""
    for number, one in enumerate(made):
        if number % _EVERY == 0:
            other = asked(examiner.text(one.type, one.language), one.language)
            yield one.id, TEMPLATE, web.page(one.language, other)
        elif number % _EVERY == 1:
            phrases = _phrases(one.text, one.language, chance)
            comma = "，" if one.language == CHINESE else ", "
            said = [
                phrase + comma + sentence(one.language, chance)
                for phrase in chance.sample(phrases, min(4, len(phrases)))
            ]
            yield one.id, TOPIC, web.page(one.language, joined(said, one.language))
        elif len(one.text) >= _LONG and one.id not in nowhere:
            size = int(len(one.text) * _PART)
            start = chance.randrange(len(one.text) - size)
            yield one.id, PART, web.page(one.language, one.text[start : start + size])


def write_leaks(
    folder: Path, megabytes: float = 50, seed: int = 43, *, count: int = 300, controls: int = 60,
    real: bool = True, instructed: bool = False,
) -> LeakCorpus:  # fmt: skip
    """Write evaluation files and a corpus in which their texts are planted.

    Parameters
    ----------
    folder : Path
        Gets three evaluation files and ``corpus.jsonl``, each with ``{"id", "text"}`` a line.
    megabytes : float
        The least size of the corpus in 10^6 bytes; what is planted is 3 MB with 300 texts.
    count, controls : int
        Numbers of evaluation texts that are planted, and that are not.
    real : bool
        Whether a part of the background are real texts, where there are some.
    instructed : bool
        Whether all evaluation texts have the same instructions before and behind them.
    """
    asked = _instructed if instructed else lambda text, language: text
    chance = random.Random(seed)
    made = evaluations(count + controls, seed)
    # Text after text has another type and language: the controls are spread over them.
    nowhere = set(chance.sample([one.id for one in made], controls))
    inside = [one for one in made if one.id not in nowhere]
    web = _Web(chance, real)
    examiner = Examiner(random.Random(f"{seed} decoys"))
    for one in made:
        examiner.know(one.text)
    planted = _planted(inside, web, chance, asked)
    planted += _decoys(made, nowhere, web, examiner, chance, asked)
    chance.shuffle(planted)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, types in _FILES.items():
        path = folder / f"{name}.jsonl"
        with path.open("wb") as lines:
            for one in made:
                if one.type in types:
                    _write(lines, one.id, asked(one.text, one.language))
        paths.append(path)
    corpus = folder / "corpus.jsonl"
    with corpus.open("wb", buffering=1 << 20) as lines:
        truth = [*_written(lines, planted, web, int(megabytes * 1e6), chance)]
    return LeakCorpus(paths, corpus, truth, nowhere)


def _write(lines: IO[bytes], name: str, text: str) -> int:
    record = {"id": name, "text": text}
    return lines.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


def _written(
    lines: IO[bytes],
    planted: Sequence[tuple[str, str, str]],
    web: _Web,
    size: int,
    chance: random.Random,
) -> Iterator[Planted]:
    """Write records of this many bytes, and yield what is planted as it is written."""
    places = sorted(chance.randrange(size) for _ in planted)
    done = number = 0
    for (evaluation, kind, text), place in zip(planted, places, strict=True):
        while done < place:
            done += _write(lines, f"r{number:08}", web.record())
            number += 1
        name = f"r{number:08}"
        done += _write(lines, name, text)
        number += 1
        yield Planted(evaluation, name, kind)
    while done < size:
        done += _write(lines, f"r{number:08}", web.record())
        number += 1
