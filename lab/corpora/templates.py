"""Pages of templates, and other versions of them.

Pages are made in Chinese and English from six templates each, whose words are 30 to 95 % of a page.
A page is about a name, which its title and its text have; one page in a hundred has the title of
another. Another version has the title, and 5 to 30 % of its own words changed: half of them as
whole sentences, half one by one.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate, combinations
from typing import NamedTuple

from lab.corpora.edits import NamePair

TEMPLATES = 6
# Words of a page; a sentence has so many.
SHORTEST, LONGEST = 150, 500
SENTENCE = 12
SAME_TITLE = 0.01
WORDS = 6000

# How many of the pages have how many other versions.
CORPORA = {
    "none": (0.0, 0),
    "a tenth of the pages, 1 each": (0.1, 1),
    "a third, 1 each": (1 / 3, 1),
    "all, 1 each": (1.0, 1),
    "all, 4 each": (1.0, 4),
}

Sentences = list[list[str]]

# How often words occur: in a language, few words are most of a text.
FREQUENCIES = tuple(accumulate(1 / (rank + 3) for rank in range(WORDS)))


class Language(NamedTuple):
    """Words by falling frequency, and how they are written."""

    words: Sequence[str]
    space: str
    stop: str

    def sentence(self, chance: random.Random) -> list[str]:
        """Return the words of a sentence."""
        return chance.choices(self.words, cum_weights=FREQUENCIES, k=SENTENCE)

    def page(self, title: str, frame: Sentences, own: Sentences) -> str:
        """Return a page: a heading, and what is its own between parts of the template."""
        half = len(frame) // 2
        parts = (
            "".join(self.space.join(sentence) + self.stop for sentence in part)
            for part in (frame[:half], own, frame[half:])
        )
        return "\n\n".join((f"# {title}", *parts))

    def changed(self, own: Sentences, chance: random.Random) -> Sentences:
        """Return what is a page's own in another version."""
        share = chance.uniform(0.05, 0.3) / 2
        return [
            self.sentence(chance) if chance.random() < share else
            [self.sentence(chance)[0] if chance.random() < share else word for word in sentence]
            for sentence in own
        ]  # fmt: skip


def pages(
    count: int, share: float, others: int, seed: int = 17
) -> tuple[dict[str, str], set[NamePair]]:
    """Return texts by name, and the pairs of versions of one page.

    Some have so many other versions: a share of the pages. A sentence in four of what is a page's
    own has its name.
    """
    chance = random.Random(seed)
    languages = _languages(chance)
    templates = [
        (language, [language.sentence(chance) for _ in range(LONGEST // SENTENCE)])
        for language in languages
        for _ in range(TEMPLATES)
    ]
    texts, true = dict[str, str](), set[NamePair]()
    titles: dict[Language, list[str]] = {language: [] for language in languages}
    for number in range(count):
        language, frame = chance.choice(templates)
        size, boilerplate = chance.randint(SHORTEST, LONGEST) // SENTENCE, chance.uniform(0.3, 0.95)
        name = title = language.space.join(chance.choices(language.words, k=3))
        frame = frame[: max(1, round(size * boilerplate))]
        own = [language.sentence(chance) for _ in range(size - len(frame))]
        for sentence in own:
            if chance.random() < 0.25:
                sentence[chance.randrange(len(sentence))] = name
        if titles[language] and chance.random() < SAME_TITLE:
            title = chance.choice(titles[language])
        titles[language].append(title)
        versions = [own]
        if chance.random() < share:
            versions += [language.changed(own, chance) for _ in range(others)]
        names = [f"{number:05}-{i}" for i in range(len(versions))]
        true.update(combinations(names, 2))
        texts |= {
            name: language.page(title, frame, one)
            for name, one in zip(names, versions, strict=True)
        }
    return texts, true


def _languages(chance: random.Random) -> tuple[Language, Language]:
    """Return words like Chinese ones, and like English ones."""
    characters = [chr(code) for code in range(0x4E00, 0x9000, 7)]
    syllables = [
        a + b for a in ("b", "d", "f", "l", "m", "n", "r", "s", "st", "t") for b in "aeiou"
    ]
    chinese = [
        "".join(chance.choices(characters, k=chance.choice((1, 2, 2, 3)))) for _ in range(WORDS)
    ]
    english = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(WORDS)]
    return Language(tuple(chinese), "", "。"), Language(tuple(english), " ", ". ")
