"""Sentences of manuals, notices and rules in Chinese and English, from a grammar.

Sentences are made of patterns and words, which `grammar/` has.  Two of them share a few words;
`Writer` sees to it that they never share 50 characters.
"""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

from lab.corpora.facts import CHINESE, KINDS, stated

# Where a sentence has the fact that it was asked for.
FACT = "\ufffc"

_GRAMMAR = Path(__file__).parent / "grammar"

# Texts share no 50 characters if they share none of 38 at places 13 apart.
_EQUAL = 50
_STEP = 13
_WINDOW = _EQUAL - _STEP + 1

# How often a sentence is made anew: after a common heading, nearly all may be known.
_TRIES = 1000

# Of sentences that were not asked for a fact, one in this many has one.
_WITH_FACT = 3


@cache
def grammar(language: str) -> dict[str, tuple[str, ...]]:
    """Return the lines of each section of a grammar.

    A section named ``sentence`` or ``phrase`` has patterns without a fact, ``sentence date`` those
    with a date.  Other sections have words: a name stands for one word of each line.
    """
    found: dict[str, list[str]] = {}
    for line in (_GRAMMAR / f"{language}.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), [])
        else:
            section.append(line)
    return {name: tuple(lines) for name, lines in found.items()}


@cache
def words(language: str, name: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each line of a section; an underscore is a space."""
    return tuple(
        tuple(word.replace("_", " ") for word in line.split()) for line in grammar(language)[name]
    )


def filled(pattern: str, language: str, chance: random.Random, fact: str = "") -> str:
    """Return a pattern with words, with facts, and with `FACT` where this kind of fact is."""

    def fill(name: re.Match[str]) -> str:
        if name[1] == fact:
            return FACT
        if name[1] in KINDS:
            return stated(name[1], language, chance)
        chosen = [chance.choice(one) for one in words(language, name[1])]
        return ("" if language == CHINESE else " ").join(chosen)

    text = re.sub(r"\{(\w+)\}", fill, pattern)
    return text[0].upper() + text[1:]


class Writer:
    """Writes sentences, no two of which share 50 characters, also across their borders."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._seen: set[str] = set()

    def sentence(self, language: str, fact: str = "", before: str = "") -> str:
        """Return a sentence that follows another text, with a fact of this kind if one is named."""
        text = ""
        for _ in range(_TRIES):
            text = self._any(language, fact)
            if self._is_new(before[1 - _WINDOW :] + text):
                break
        return text

    def _any(self, language: str, fact: str) -> str:
        """Return any sentence."""
        kind = fact
        if not fact and self._chance.randrange(_WITH_FACT) == 0:
            kind = self._chance.choice(KINDS)
        patterns = grammar(language)[f"sentence {kind}".strip()]
        return filled(self._chance.choice(patterns), language, self._chance, fact)

    def _is_new(self, text: str) -> bool:
        """Return whether a text is new, and remember it then."""
        starts = range(max(0, len(text) - _WINDOW + 1))
        if any(text[i : i + _WINDOW] in self._seen for i in starts):
            return False
        self._seen.update(text[i : i + _WINDOW] for i in starts[::_STEP])
        return True
