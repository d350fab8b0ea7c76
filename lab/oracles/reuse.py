"""Passages by their definitions: all pairs, all windows, all tables."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import NamedTuple

# How the names of characters begin whose scripts have no spaces between words.
UNSPACED = (
    "CJK ", "IDEOGRAPHIC ", "HIRAGANA ", "KATAKANA", "BOPOMOFO ", "TANGUT ", "NUSHU ", "KHITAN ",
    "YI ", "THAI ", "LAO ", "KHMER ", "MYANMAR ", "TAI ", "NEW TAI LUE ",
)  # fmt: skip


class Unit(NamedTuple):
    """What counts as one, or a word, which counts as two: its text and where it is."""

    text: str
    start: int
    end: int
    word: bool


def units(text: str) -> list[Unit]:
    """The words and characters of a folded text that count."""
    found: list[Unit] = []
    start = 0
    while start < len(text):
        end = start
        while end < len(text) and in_word(text[end]):
            end += 1
        if 0 < end - start <= 24:
            word = text[start:end]
            if rest := divided(text, end, 24 - len(word)):
                end = rest[0] + len(rest[1])
                word += rest[1]
            found.append(Unit(word, start, end, True))
        else:
            end = max(end, start + 1)
            every = (Unit(text[i], i, i + 1, False) for i in range(start, end))
            found += [one for one in every if not one.text.isspace()]
        start = end
    return found


def divided(text: str, end: int, most: int) -> tuple[int, str] | None:
    """Where the rest of a word is that a hyphen divides at the end of a line, and the rest."""
    behind = text[end:]
    if behind[:1] not in ("-", "\u2010") or text[end - 1] in "0123456789":
        return None
    for line_end in ("\n", "\r\n"):
        if behind[1:].startswith(line_end):
            start = end + 1 + len(line_end)
            while text[start : start + 1].isspace() and text[start] not in "\r\n":
                start += 1
            rest = start
            while rest < len(text) and in_word(text[rest]):
                rest += 1
            if 0 < rest - start <= most and text[start] not in "0123456789":
                return start, text[start:rest]
    return None


def in_word(character: str) -> bool:
    """Whether a character is of a word in a script with spaces."""
    name = unicodedata.name(character, "")
    return unicodedata.category(character)[0] in "LMN" and not name.startswith(UNSPACED)


def is_row(gram: Sequence[int]) -> bool:
    """Whether a k-gram repeats a pattern of at most four symbols, twice at least, and is not just a
    doubled symbol.
    """
    most = min(4, len(gram) // 2)
    return len(gram) > 2 and any(gram[p:] == gram[:-p] for p in range(1, most + 1))


def equal_runs(x: Sequence[int], y: Sequence[int], least: int) -> Iterator[tuple[int, int, int]]:
    """Every maximal equal run: where it begins in either, and its length."""
    for i in range(len(x)):
        for j in range(len(y)):
            if x[i] != y[j] or (i and j and x[i - 1] == y[j - 1]):
                continue
            length = 0
            while i + length < len(x) and j + length < len(y) and x[i + length] == y[j + length]:
                length += 1
            if length >= least:
                yield i, j, length


def lcs(x: Sequence[int], y: Sequence[int]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(y) + 1)
    for one in x:
        last = row[:]
        for j, other in enumerate(y):
            row[j + 1] = last[j] + 1 if one == other else max(last[j + 1], row[j])
    return row[-1]


Run = tuple[int, int, int]  # where it begins in a and in b, its length


def joined(runs: Sequence[Run], gap: int) -> list[list[Run]]:
    """Chains of runs of one pair: two follow each other if each is the nearest of the other."""

    def distance(x: Run, y: Run) -> int | None:
        (a, b, n), (c, d, m) = x, y
        overlap = max(a + n - c, b + n - d, 0)
        later = c > a and d > b and c + m > a + n and d + m > b + n
        near = -gap <= c - a - n <= gap
        between = max(c - a - n, d - b - n) + overlap
        return between if later and near and between <= gap else None

    def nearest(found: list[tuple[int | None, Run]]) -> Run | None:
        some = [(d, one) for d, one in found if d is not None]
        return min(some)[1] if some else None

    after = {x: nearest([(distance(x, y), y) for y in runs]) for x in runs}
    before = {y: nearest([(distance(x, y), x) for x in runs]) for y in runs}
    chains = []
    for run in sorted(runs):
        last = before[run]
        if last is None or after[last] != run:
            chains.append([run])
            while (following := after[chains[-1][-1]]) and before[following] == chains[-1][-1]:
                chains[-1].append(following)
    return chains


def in_step_again(
    x: Sequence[int], y: Sequence[int], most: tuple[int, int], least: int
) -> tuple[int, int, int]:
    """Where two sequences are equal again, the nearest place, and for how long; zeros if nowhere.

    The place has the least sum of both distances; of those the one with the least difference of
    both, and of two such the one that is farther in `x`.
    """
    places = [(i, j) for i in range(most[0] + 1) for j in range(most[1] + 1)]
    for i, j in sorted(places, key=lambda place: (sum(place), abs(place[0] - place[1]), -place[0])):
        pairs = zip(x[i:], y[j:], strict=False)
        equal = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(x) - i, len(y) - j))
        if equal >= least:
            return i, j, equal
    return 0, 0, 0


def leaked_share(
    x: Sequence[int], y: Sequence[int], counting: Collection[int], least: int
) -> float:
    """The share of the symbols of `x` that count, by place, which are in equal runs with `y`.

    Of a run so many symbols count at least; all of `x` is shared if both are equal.
    """
    counting = set(counting)
    if x == y:
        return float(bool(counting))
    covered = set[int]()
    for i, j in product(range(len(x)), range(len(y))):
        if not (i and j and x[i - 1] == y[j - 1]):
            pairs = enumerate(zip(x[i:], y[j:], strict=False))
            size = next((n for n, (a, b) in pairs if a != b), min(len(x) - i, len(y) - j))
            own = counting & set(range(i, i + size))
            covered |= own if len(own) >= least else set()
    return len(covered) / len(counting) if counting else 0.0


def counting_places(texts: Sequence[Sequence[int]], k: int, most: int) -> list[set[int]]:
    """The places of each text that are in no k-gram which more than `most` different texts have."""
    common = {gram for gram, count in gram_counts(texts, k).items() if count > most}
    places = []
    for text in texts:
        starts = (i for i in range(len(text) - k + 1) if tuple(text[i : i + k]) in common)
        places.append(set(range(len(text))) - {i + step for i in starts for step in range(k)})
    return places


def gram_counts(texts: Sequence[Sequence[int]], k: int) -> Counter[tuple[int, ...]]:
    """How many different texts have each k-gram."""
    different = {tuple(text) for text in texts}
    grams = ({text[i : i + k] for i in range(len(text) - k + 1)} for text in different)
    return Counter(gram for within in grams for gram in within)
