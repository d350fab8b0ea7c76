"""Pairs of short texts in classical style: one takes over a phrase of the other, or does not.

The texts are made of clauses with one content character a slot; none is a quotation.  Each has 8 to
119 letters: a third of them 8 to 19, a third 20 to 49, a third 50 to 119, for both sides
independently, so that two in nine pairs are very unequal.  The content characters of the two sides
and of the phrase are different ones, so that beside the phrase two texts share function words and
common nouns (之, 而, 天下, 君) only, and true pairs as many of them as others.

A phrase has 4 to 12 characters, no two of them equal.  The other text has it, a quarter each

unchanged
    as it is;
replaced
    with a synonym or a variant of one character;
inserted
    with one of 之, 而 and 也 more, not at an end;
swapped
    with its two halves around a particle in the other order; from 5 characters on.

In a pair that is not true, the other text has the characters of what it would have, in an order in
which no two that are neighbours in the phrase are neighbours in the same order; and no other place
of that text has two such neighbours.  From 8 characters on, half of the phrases have a comma in the
middle, in each text independently.
"""

from __future__ import annotations

import random
import re
from typing import NamedTuple

from lab.corpora.manuals import grammar

UNCHANGED, REPLACED, INSERTED, SWAPPED = "unchanged", "replaced", "inserted", "swapped"
CHANGES = (UNCHANGED, REPLACED, INSERTED, SWAPPED)

LENGTHS = ((8, 19), (20, 49), (50, 119))
PHRASE = (4, 12)
PARTICLES = "之而也"
# The shares of the content characters that the sides have; the phrase has the others.
_SIDES = (0.38, 0.38)
# A phrase of at least this length may have a comma in it.
_LONG = 8
# A cut clause of fewer letters is a part of the one before it.
_SHORT = 3

Chance = random.Random
Words = dict[str, list[str]]


class Parallel(NamedTuple):
    """Two texts, and what they share."""

    texts: tuple[str, str]
    true: bool
    change: str
    phrases: tuple[str, str]  # in each text, without commas; of a pair that is not true scrambled


def parallels(count: int = 300, seed: int = 73) -> list[Parallel]:
    """Return `count` true pairs, and as many of the others."""
    chance = random.Random(seed)
    pairs = []
    for number in range(2 * count):
        true, change = number % 2 == 0, CHANGES[number // 2 % len(CHANGES)]
        pairs.append(_pair(true, change, chance))
    return pairs


def letters(text: str) -> str:
    """Return a text without punctuation."""
    return re.sub(r"\W", "", text)


def bigrams(text: str) -> set[str]:
    """Return the pairs of neighbouring letters of a text."""
    bare = letters(text)
    return {bare[i : i + 2] for i in range(len(bare) - 1)}


def _pair(true: bool, change: str, chance: Chance) -> Parallel:
    words = _divided(chance)
    sizes = [chance.randint(*chance.choice(LENGTHS)) for _ in words[:2]]
    phrase, other = _phrases(change, min(*sizes) - 2, words[2], chance)
    if not true:
        other = _scrambled(other, phrase, chance)
    one = _text(phrase, sizes[0], words[0], chance)
    while True:
        another = _text(other, sizes[1], words[1], chance)
        if true or bigrams(phrase).isdisjoint(bigrams(another)):
            break
    if chance.random() < 0.5:
        return Parallel((another, one), true, change, (other, phrase))
    return Parallel((one, another), true, change, (phrase, other))


def _divided(chance: Chance) -> tuple[Words, Words, Words]:
    """Return content characters for each of two texts, and for a phrase."""
    parts: tuple[Words, Words, Words] = ({}, {}, {})
    for name in "nva":
        known = grammar("classical")[name][0].split()
        chance.shuffle(known)
        first = round(len(known) * _SIDES[0])
        second = first + round(len(known) * _SIDES[1])
        for part, some in zip(parts, (known[:first], known[first:second], known[second:]),
                              strict=True):  # fmt: skip
            part[name] = some
    return parts


def _filled(section: str, words: Words, chance: Chance) -> str:
    pattern = chance.choice([one for one in grammar("classical")[section] if one])
    return re.sub(r"\{(\w)\}", lambda name: chance.choice(words[name[1]]), pattern)


# -- phrases --


def _phrases(change: str, most: int, words: Words, chance: Chance) -> tuple[str, str]:
    """Return a phrase of at most `most` characters, and what another text makes of it."""
    synonyms = {one[0]: one[1] for one in grammar("classical")["synonym"][0].split()}
    size = chance.randint(5 if change == SWAPPED else PHRASE[0], min(PHRASE[1], most))
    while True:
        phrase = ""
        while len(phrase) < size:
            phrase += _filled("phrase", words, chance)
        phrase = phrase[:size]
        middle = size // 2
        if change == SWAPPED or (size >= 6 and chance.random() < 0.5):
            phrase = phrase[:middle] + chance.choice(PARTICLES) + phrase[middle + 1 :]
        known = [place for place, one in enumerate(phrase) if one in synonyms]
        if len(set(phrase)) == size and (known or change != REPLACED):
            break
    if change == REPLACED:
        place = chance.choice(known)
        return phrase, phrase[:place] + synonyms[phrase[place]] + phrase[place + 1 :]
    if change == INSERTED:
        place = chance.randint(1, size - 1)
        particle = chance.choice([one for one in PARTICLES if one not in phrase])
        return phrase, phrase[:place] + particle + phrase[place:]
    if change == SWAPPED:
        return phrase, phrase[middle + 1 :] + phrase[middle] + phrase[:middle]
    return phrase, phrase


def _scrambled(other: str, phrase: str, chance: Chance) -> str:
    """Return characters in an order in which they have no two neighbours of a phrase."""
    known, mixed = bigrams(phrase), [*other]
    while bigrams("".join(mixed)) & known:
        chance.shuffle(mixed)
    return "".join(mixed)


# -- texts --


def _text(phrase: str, size: int, words: Words, chance: Chance) -> str:
    """Return clauses of `size` letters in all, with a phrase somewhere between them."""
    around = size - len(phrase)
    before = chance.randint(0, around)
    clauses = _clauses(before, words, chance)
    if len(phrase) >= _LONG and chance.random() < 0.5:
        middle = len(phrase) // 2
        phrase = f"{phrase[:middle]}，{phrase[middle:]}"
    # Half of the phrases go on without a comma.
    after = _clauses(around - before, words, chance)
    if after and chance.random() < 0.5:
        phrase, after = phrase + after[0], after[1:]
    clauses += [phrase, *after]
    text = ""
    for number, clause in enumerate(clauses):
        last = number == len(clauses) - 1
        text += clause + ("。" if last or chance.random() < 0.3 else "，")
    return text


def _clauses(size: int, words: Words, chance: Chance) -> list[str]:
    """Return clauses of `size` letters in all; the last one is cut."""
    clauses: list[str] = []
    while size > 0:
        clauses.append(_filled("clause", words, chance)[:size])
        size -= len(clauses[-1])
    if len(clauses) > 1 and len(clauses[-1]) < _SHORT:
        clauses[-2:] = ["".join(clauses[-2:])]
    return clauses
