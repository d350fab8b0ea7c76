"""Evaluation texts: questions with options, passages to read, word problems and tasks of code."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from lab.corpora.facts import CHINESE, ENGLISH, LANGUAGES
from lab.corpora.manuals import grammar, words

QUESTION, READING, PROBLEM, CODE = "question", "reading", "problem", "code"
TYPES = (QUESTION, READING, PROBLEM, CODE)

# Characters of a text.
LENGTHS = (60, 1500)
# Texts differ if they share few runs of this many characters without white space.
RUN = 15
_COMMON = 0.33
_TRIES = 2000

Chance = random.Random


class Evaluation(NamedTuple):
    """A text that measures a model."""

    id: str
    type: str
    language: str
    text: str


def runs(text: str) -> list[str]:
    """Return all runs of `RUN` characters of a text without white space."""
    bare = "".join(text.split())
    return [bare[i : i + RUN] for i in range(len(bare) - RUN + 1)]


# -- words and sentences --


def _word(language: str, name: str, chance: Chance) -> str:
    """Return some word of a section of the grammar."""
    chosen = [chance.choice(line) for line in words(f"evaluation.{language}", name)]
    return ("" if language == CHINESE else " ").join(chosen)


def _filled(section: str, language: str, chance: Chance) -> str:
    def fill(name: re.Match[str]) -> str:
        if name[1] in "np":
            return str(chance.randint(11, 96 if name[1] == "p" else 2400))
        filling = _word(language, name[1], chance)
        return filling.lower() if name.start() and language == ENGLISH else filling

    pattern = chance.choice(grammar(f"evaluation.{language}")[section])
    text = re.sub(r"\{(\w+)\}", fill, pattern)
    return text[0].upper() + text[1:]


def sentence(language: str, chance: Chance) -> str:
    """Return a sentence; two of them share few words."""
    return _filled("sentence", language, chance)


def heading(language: str, chance: Chance) -> str:
    """Return the heading of a section."""
    text = _filled("heading", language, chance)
    return text if language == CHINESE else re.sub(r"\b[a-z]", lambda one: one[0].upper(), text)


def joined(texts: list[str], language: str) -> str:
    """Return sentences as a paragraph."""
    return ("" if language == CHINESE else " ").join(texts)


def _author(language: str, chance: Chance) -> str:
    """Return a family name and a given name."""
    family, given = _word(language, "family", chance), _word(language, "given", chance)
    return family + given if language == CHINESE else f"{given} {family}"


# -- questions --


def _question(language: str, chance: Chance) -> str:
    topic, thing = _word(language, "topic", chance), _word(language, "object", chance)
    long = chance.random() < 0.6
    name = "sentence" if long else chance.choice(("object", "reason", "method", "data"))

    def option() -> str:
        text = sentence(language, chance) if long else _word(language, name, chance)
        return text[0].upper() + text[1:]

    options = [option() for _ in range(chance.choice((4, 4, 4, 5)))]
    if language == CHINESE:
        stem = chance.choice((
            f"下列说法正确的是（　　）\n（题干：{topic}与{thing}）",
            f"关于{topic}对{thing}的作用，下列哪一项是错误的？",
            f"单项选择题：{_author(language, chance)}在调查{topic}时最先记录的是（　　）",
            f"请选出最符合题意的一项。\n{sentence(language, chance)}这句话强调的是",
        ))  # fmt: skip
        marks = chance.choice(("{}. ", "（{}）", "{}、"))
    else:
        stem = chance.choice((
            f"Answer the following question.\n\nWhich is true of {topic} and {thing}?",
            f"Question: What do {_word(language, 'actor', chance)} learn from {topic}?",
            f"Choose the best answer.\n\n{sentence(language, chance)} This implies that",
            (f"Which of the following is NOT a result of {topic} in the study of "
            f"{_author(language, chance)}?"),
        ))  # fmt: skip
        marks = chance.choice(("{}. ", "({}) ", "{}) "))
    listed = [marks.format("ABCDE"[i]) + one for i, one in enumerate(options)]
    return "\n".join([stem, *listed])


def _reading(language: str, chance: Chance) -> str:
    # Sentences of English are more than twice as long.
    most = 34 if language == CHINESE else 15
    said = [sentence(language, chance) for _ in range(int(2 + most * chance.random() ** 2))]
    if len(said) > 6:
        said.insert(len(said) // 2, "\n")
    body = joined(said, language).replace(" \n ", "\n")
    thing = _word(language, "object", chance)
    if language == CHINESE:
        return f"阅读下面的短文，回答问题。\n\n{body}\n\n问题：文中怎样看待{thing}？"
    return f"Read the passage and answer the question.\n\n{body}\n\nWhat does it say about {thing}?"


# -- word problems --


def _problem(language: str, chance: Chance) -> str:
    patterns = grammar(f"evaluation.{language}")
    people = [_author(language, chance) for _ in range(2)]

    def fill(name: re.Match[str]) -> str:
        if name[1] in "nmk":
            return str(chance.randint(2, {"n": 990, "m": 95, "k": 12}[name[1]]))
        if name[1] == "who":
            return chance.choice(people)
        return chance.choice(words(f"evaluation.{language}", name[1])[0])

    steps = [*chance.sample(patterns["step"], chance.randint(3, 7)), chance.choice(patterns["end"])]
    lines = [re.sub(r"\{(\w+)\}", fill, one) for one in steps]
    lead = ("应用题：", "") if language == CHINESE else ("Solve the problem. ", "")
    return chance.choice(lead) + joined(lines, language)


# -- code --

_TESTS = {
    "x % {k} == {m}": ("除以{k}余{m}的数", "numbers that leave {m} when divided by {k}"),
    "x > {n}": ("大于{n}的数", "numbers above {n}"),
    "str(x) == str(x)[::-1]": ("正读反读相同的数", "numbers that read the same backwards"),
    "sum(map(int, str(x))) < {k}": (
        "各位数字之和小于{k}的数", "numbers whose digits add up to less than {k}"),
    "bin(x).count('1') == {m}": ("二进制有{m}个1的数", "numbers with {m} ones in binary"),
    "str({m}) in str(x)": ("含有数字{m}的数", "numbers that contain the digit {m}"),
}  # fmt: skip
_CHANGES = {
    "x * {k} - {n}": ("乘以{k}再减去{n}", "multiplies them by {k} and takes {n} away"),
    "x ** 2 % {n}": ("平方后对{n}取余", "squares them modulo {n}"),
    "int(str(x)[::-1])": ("把数字倒过来", "turns their digits round"),
    "x ^ {n}": ("与{n}按位异或", "combines them with {n} by exclusive or"),
    "abs({n} - x)": ("求与{n}的距离", "takes their distance from {n}"),
}


def _code(language: str, chance: Chance) -> str:
    numbers = {"k": chance.randint(3, 19), "m": chance.randint(1, 7), "n": chance.randint(20, 900)}
    test, change = chance.choice([*_TESTS]), chance.choice([*_CHANGES])
    place = LANGUAGES.index(language)
    which, does = (one[place].format(**numbers) for one in (_TESTS[test], _CHANGES[change]))
    subject, noun = (
        chance.choice(words(f"evaluation.{ENGLISH}", name)[0]) for name in ("place", "thing")
    )
    name = f"{subject}_{noun}"
    if language == CHINESE:
        said = f"编写函数 {name}：从列表中选出{which}，{does}，{sentence(language, chance)}"
    else:
        said = f"Write {name}: it selects {which}, {does}. {sentence(language, chance)}"
    examples = []
    for _ in range(chance.randint(1, 4)):
        values = [chance.randint(1, 999) for _ in range(chance.randint(3, 7))]
        results = [chance.randint(1, 9999) for _ in values[: chance.randint(1, 4)]]
        examples.append(f"    >>> {name}({values})\n    {results}")
    return (
        f'{said}\n\ndef {name}({noun}):\n    """{which}\n\n' + "\n".join(examples) + '\n    """\n'
        f"    return [{change.format(**numbers)} for x in {noun} if {test.format(**numbers)}]\n"
    )


_MAKERS: dict[str, Callable[[str, Chance], str]] = {
    QUESTION: _question, READING: _reading, PROBLEM: _problem, CODE: _code,
}  # fmt: skip


class Examiner:
    """Writes evaluation texts, two of which share little."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._sizes: list[int] = []
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)

    def know(self, text: str) -> None:
        """Write nothing that shares much with this text."""
        found = runs(text)
        for place, one in enumerate(found):
            self._places[one].append((len(self._sizes), place))
        self._sizes.append(len(found) + RUN - 1)

    def text(self, type_: str, language: str) -> str:
        """Return another text of `LENGTHS`."""
        for _ in range(_TRIES):
            text = _MAKERS[type_](language, self._chance)
            if LENGTHS[0] <= len(text) <= LENGTHS[1] and self._share(text) < _COMMON:
                self.know(text)
                return text
        raise ValueError(f"no more different texts: {type_}, {language}")

    def _share(self, text: str) -> float:
        """Return how much of a known text this one has at most, or the other way round."""
        found = runs(text)
        known = defaultdict[int, set[int]](set)
        own = defaultdict[int, set[int]](set)
        for place, one in enumerate(found):
            for number, other in self._places.get(one, ()):
                own[number].update(range(place, place + RUN))
                known[number].update(range(other, other + RUN))
        shares = [len(places) / self._sizes[number] for number, places in known.items()]
        shares += [len(places) / (len(found) + RUN - 1) for places in own.values()]
        return max(shares, default=0)
