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


class Language(NamedTuple):
    """Words by falling frequency, and how they are written."""

    words: Sequence[str]
    frequencies: Sequence[float]
    space: str
    stop: str

    def sentence(self, chance: random.Random) -> list[str]:
        """Return the words of a sentence."""
        return chance.choices(self.words, cum_weights=self.frequencies, k=SENTENCE)

    def write(self, sentences: Sentences) -> str:
        """Return a paragraph."""
        return "".join(self.space.join(one) + self.stop for one in sentences)


class Page(NamedTuple):
    """A page that can be written in other versions."""

    language: Language
    title: str
    frame: Sentences  # of the template
    own: Sentences

    def text(self) -> str:
        """Return the page: a heading, and what is its own between parts of the template."""
        write, half = self.language.write, len(self.frame) // 2
        parts = (self.frame[:half], self.own, self.frame[half:])
        return "\n\n".join((f"# {self.title}", *map(write, parts)))

    def changed(self, chance: random.Random) -> Page:
        """Return another version."""
        share = chance.uniform(0.05, 0.3) / 2
        own = [
            self.language.sentence(chance) if chance.random() < share else
            [self.language.sentence(chance)[0] if chance.random() < share else w for w in one]
            for one in self.own
        ]  # fmt: skip
        return self._replace(own=own)


def pages(count: int, share: float, others: int) -> tuple[dict[str, str], set[NamePair]]:
    """Return texts by name, and the pairs of versions of one page.

    Some have so many other versions: a share of the pages.
    """
    chance = random.Random(17)
    languages = _chinese(chance), _english(chance)
    templates = [
        (language, [language.sentence(chance) for _ in range(LONGEST // SENTENCE)])
        for language in languages
        for _ in range(TEMPLATES)
    ]
    texts, true = dict[str, str](), set[NamePair]()
    titles: dict[Language, list[str]] = {language: [] for language in languages}
    for number in range(count):
        language, frame = chance.choice(templates)
        page = _page(language, frame, chance)
        titles_before = titles[language]
        if titles_before and chance.random() < SAME_TITLE:
            page = page._replace(title=chance.choice(titles_before))
        titles_before.append(page.title)
        versions = [page]
        if chance.random() < share:
            versions += [page.changed(chance) for _ in range(others)]
        names = [f"{number:05}-{i}" for i in range(len(versions))]
        true.update(combinations(names, 2))
        texts |= {name: one.text() for name, one in zip(names, versions, strict=True)}
    return texts, true


def _page(language: Language, frame: Sentences, chance: random.Random) -> Page:
    """Return a page of a template; a sentence in four of its own has the name."""
    size, boilerplate = chance.randint(SHORTEST, LONGEST) // SENTENCE, chance.uniform(0.3, 0.95)
    name = language.space.join(chance.choices(language.words, k=3))
    shared = max(1, round(size * boilerplate))
    own = [language.sentence(chance) for _ in range(size - shared)]
    for one in own:
        if chance.random() < 0.25:
            one[chance.randrange(len(one))] = name
    return Page(language, name, frame[:shared], own)


# How often words occur: in a language, few words are most of a text.
FREQUENCIES = tuple(accumulate(1 / (rank + 3) for rank in range(WORDS)))


def _chinese(chance: random.Random) -> Language:
    characters = [chr(code) for code in range(0x4E00, 0x9000, 7)]
    words = (
        "".join(chance.choices(characters, k=chance.choice((1, 2, 2, 3)))) for _ in range(WORDS)
    )
    return Language(tuple(words), FREQUENCIES, "", "。")


def _english(chance: random.Random) -> Language:
    syllables = [
        a + b for a in ("b", "d", "f", "l", "m", "n", "r", "s", "st", "t") for b in "aeiou"
    ]
    words = ("".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(WORDS))
    return Language(tuple(words), FREQUENCIES, " ", ". ")
