"""The computations of simdup in plain Python: slow, and without importing simdup."""

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from fractions import Fraction
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import groupby

LARGEST = 0.9999  # similarity of texts that differ


def simhash(hashes: Iterable[int], weights: Iterable[float], bits: int, ties: str = "one") -> int:
    """For each bit: the weights of hashes with this bit, minus those of the others."""
    terms = list(zip(hashes, weights, strict=True))
    result = 0
    for bit in range(bits):
        total = sum(weight if hash_ >> bit & 1 else -weight for hash_, weight in terms)
        if total > 0 or (total == 0 and ties == "one"):
            result |= 1 << bit
    return result


def term_hash(term: str) -> int:
    """The first 64 bits of BLAKE2b."""
    return int.from_bytes(blake2b(term.encode()).digest()[:8], "big")


def bkdr(term: str, bits: int) -> int:
    """The hash as in its Java source: a long that overflows, Math.abs, and a remainder."""
    units = term.encode("utf-16-be")
    value = 0
    for i in range(0, len(units), 2):
        value = value * 31 + int.from_bytes(units[i : i + 2], "big")
        value = (value + 2**63) % 2**64 - 2**63
    return abs(value) % 2**bits


def string_hash(term: str, bits: int) -> int:
    """The hash of strings in Python 2, for any number of bits."""
    value = ord(term[0]) << 7
    for character in term:
        value = ((value * 1000003) ^ ord(character)) % 2**bits
    return value ^ len(term)


def fold(text: str, simplified: dict[int, int]) -> str:
    """The definition, step by step, until nothing changes."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    while True:
        folded = "".join(c for c in text if unicodedata.category(c) != "Cf" and not _selects(c))
        folded = unicodedata.normalize("NFKC", folded).casefold().translate(simplified)
        folded = "".join(c for i, c in enumerate(folded) if not _stroke(c) or _sum(folded[:i]))
        if folded == text:
            return text.replace("甚么", "什么")
        text = folded


@cache
def _selects(character: str) -> bool:
    return unicodedata.name(character, "").startswith("VARIATION SELECTOR-")


@cache
def _stroke(character: str) -> bool:
    overlays = unicodedata.name(character, "").endswith(" OVERLAY")
    return overlays and unicodedata.combining(character) == 1


def _sum(before: str) -> bool:
    """Whether the last character that is no mark is a symbol of mathematics."""
    bases = [c for c in before if unicodedata.category(c)[0] != "M"]
    return bool(bases) and unicodedata.category(bases[-1]) == "Sm"


def words(text: str, cut: Callable[[str], list[str]]) -> list[str]:
    """The words of a text, in order, character by character; `cut` cuts the dictionary's runs."""

    def script(c: str) -> str:
        if "\u4e00" <= c <= "\u9fd5":
            return "run"
        if "\u9fd6" <= c <= "\u9fff":
            return "single"
        if c == "\u3007" or "\u3400" <= c <= "\u4dbf" or "\uf900" <= c <= "\ufaff":
            return "single"
        if "\U00020000" <= c <= "\U000323af":
            return "single"
        return "word" if c.isalnum() or c == "_" else "none"

    found: list[str] = []
    for kind, characters in groupby(text, script):
        run = "".join(characters)
        found += {"run": cut, "single": list, "word": lambda w: [w], "none": lambda w: []}[kind](
            run
        )
    return found


def weights(
    tokens: Sequence[str],
    corpus: Sequence[Sequence[str]],
    weight: str = "tfidf",
    min_df: int = 2,
    top: int = 20,
    cap: float = 0.10,
) -> dict[str, float]:
    """The weights of a document's kept terms, with the IDF of its corpus."""
    df = Counter(term for document in corpus for term in set(document))
    n = sum(1 for document in corpus if document)
    tf = Counter(tokens)
    formula: dict[str, Callable[[str], float]] = {
        "tfidf": lambda t: tf[t] * (math.log((1 + n) / (1 + df[t])) + 1),
        "logtf": lambda t: (1 + math.log(tf[t])) * (math.log((1 + n) / (1 + df[t])) + 1),
        "tf": lambda t: tf[t],
        "binary": lambda t: 1,
        "tf2": lambda t: tf[t] ** 2,
    }
    kept = [term for term in tf if df[term] >= min_df]
    kept = sorted(
        kept if len(kept) >= 8 else tf, key=lambda t: (-round(formula[weight](t), 9), term_hash(t))
    )
    kept = kept[:top] if top else kept
    return capped({term: formula[weight](term) for term in kept}, cap)


def capped(values: dict[str, float], cap: float) -> dict[str, float]:
    """Halve the interval of possible levels until the largest share is the cap."""
    if not cap or not values:
        return values
    if cap * len(values) <= 1:
        return dict.fromkeys(values, min(values.values()))
    low, high = 0.0, max(values.values())
    if high <= cap * sum(values.values()):
        return values
    for _ in range(200):
        level = (low + high) / 2
        if level > cap * sum(min(value, level) for value in values.values()):
            high = level
        else:
            low = level
    return {term: min(value, low) for term, value in values.items()}


def fingerprint(values: dict[str, float], bits: int = 64, ties: str = "one") -> int | None:
    """The simhash of weighted terms, the weights in units of 2**-20."""
    units = [round(value * 2**20) for value in values.values()]
    return simhash(map(term_hash, values), units, bits, ties) if values else None


def tfidf(documents: Sequence[Sequence[str]]) -> list[dict[str, float]]:
    """The vectors of a corpus: raw counts, smooth inverse document frequencies."""
    df = Counter(term for tokens in documents for term in set(tokens))
    n = len(documents)
    return [
        {t: tf * (math.log((1 + n) / (1 + df[t])) + 1) for t, tf in Counter(tokens).items()}
        for tokens in documents
    ]


def solid(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())


@lru_cache(maxsize=1024)
def shingles(text: str, n: int = 5) -> frozenset[str]:
    """All runs of n characters; a shorter text is one.

    They are kept, because a text is compared with each of the others.
    """
    text = solid(text)
    return frozenset(text[i : i + n] for i in range(max(1, len(text) - n + 1))) - {""}


def word_runs(words: Sequence[str], n: int) -> set[tuple[str, ...]]:
    """All runs of n words; a shorter text is one."""
    return {tuple(words[i : i + n]) for i in range(max(1, len(words) - n + 1))} - {()}


def jaccard(a: Set[Hashable], b: Set[Hashable]) -> float:
    """The share of the union of two sets that both have."""
    return len(a & b) / len(a | b) if a and b else 0.0


def resemblance(a: str, b: str, n: int = 5) -> float:
    """The Jaccard similarity of the shingles of two texts."""
    return jaccard(shingles(a, n), shingles(b, n))


def containment(a: str, b: str, n: int = 5) -> float:
    """The share of the smaller set of shingles that the larger one contains."""
    first, second = shingles(a, n), shingles(b, n)
    return len(first & second) / min(len(first), len(second)) if first and second else 0.0


def similarity(a: str, b: str, found: float | None = None) -> float:
    """The similarity of two texts, by 5-grams or as it was found; only of equal texts it is 1."""
    if solid(a) == solid(b):
        return float(solid(a) != "")
    return min(resemblance(a, b) if found is None else found, LARGEST)


def contained(a: str, b: str, least: float) -> str | None:
    """Which of two texts has at least a share of its shingles in the other."""
    return within(shingles(a), shingles(b), least)


def within(a: Set, b: Set, least: float | Fraction) -> str | None:
    """Which of two sets has at least a share of it in the other."""
    common = len(a & b)
    sides = (common >= least * len(a), common >= least * len(b))
    return {(True, False): "a", (False, True): "b", (True, True): "both"}.get(sides)


def cosine(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """The cosine of two vectors."""
    lengths = [math.sqrt(math.fsum(w * w for w in one.values())) for one in (a, b)]
    if not all(lengths):
        return 0.0
    return math.fsum(w * b.get(term, 0.0) for term, w in a.items()) / math.prod(lengths)


def groups(pairs: Iterable[tuple[Hashable, Hashable]]) -> set[frozenset[Hashable]]:
    """The groups that pairs connect."""
    found: list[set[Hashable]] = []
    for pair in pairs:
        met = [group for group in found if group & set(pair)]
        found = [group for group in found if group not in met] + [set(pair).union(*met)]
    return {frozenset(group) for group in found}


def clusters(pairs: Iterable[tuple[str, str]], names: Iterable[str]) -> dict[str, frozenset]:
    """The cluster of each name; a name without a pair is a cluster by itself."""
    alone = {name: frozenset([name]) for name in names}
    return alone | {name: group for group in groups(pairs) for name in group}


def edit_table(a: str, b: str) -> int:
    """The table of Wagner and Fischer: the fewest characters inserted, deleted or replaced."""
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


def edit_distance(a: str, b: str) -> int:
    """The fewest insertions, deletions and replacements: the table's columns as bits of a number.

    Bit i of `up` (`down`) says that the distance grows (falls) by one from row i to row i + 1.
    """
    shorter, longer = sorted((a, b), key=len)
    if not shorter:
        return len(longer)
    where: dict[str, int] = {}
    for i, c in enumerate(shorter):
        where[c] = where.get(c, 0) | 1 << i
    every, last = (1 << len(shorter)) - 1, 1 << len(shorter) - 1
    up, down, distance = every, 0, len(shorter)
    for c in longer:
        equal = where.get(c, 0)
        vertical = equal | down
        horizontal = (((equal & up) + up) ^ up) | equal
        grows = (down | ~(horizontal | up)) & every
        falls = up & horizontal
        distance += bool(grows & last) - bool(falls & last)
        grows, falls = (grows << 1 | 1) & every, falls << 1 & every
        up = (falls | ~(vertical | grows)) & every
        down = grows & vertical
    return distance


def edit_similarity(a: str, b: str) -> float:
    """The share of the longer text that stays."""
    longer = max(len(a), len(b))
    return (longer - edit_distance(a, b)) / longer
