"""What simdup computes, once more, slowly and in plain Python: nothing here is imported from it."""

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from hashlib import blake2b


def simhash(hashes: Iterable[int], weights: Iterable[float], bits: int, ties: str = "one") -> int:
    """For each bit: the weights of the hashes that have it, less those of the others."""
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


def fold(text: str, simplified: dict[int, int]) -> str:
    """The definition, step by step, until nothing changes."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    while True:
        folded = "".join(c for c in text if unicodedata.category(c) != "Cf")
        folded = unicodedata.normalize("NFKC", folded).casefold().translate(simplified)
        if folded == text:
            return text
        text = folded


def weights(
    tokens: Sequence[str],
    corpus: Sequence[Sequence[str]],
    weight: str = "tfidf",
    min_df: int = 2,
    top: int = 20,
    cap: float = 0.10,
) -> dict[str, float]:
    """The weights of a document's kept terms, its corpus's document frequencies being the IDF."""
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
    """The simhash of weighted terms, the weights in units of 2^-20."""
    units = [round(value * 2**20) for value in values.values()]
    return simhash(map(term_hash, values), units, bits, ties) if values else None


def solid(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())


def shingles(text: str, n: int = 5) -> set[str]:
    """All runs of n characters; a shorter text is one."""
    text = solid(text)
    return {text[i : i + n] for i in range(max(1, len(text) - n + 1))} - {""}


def resemblance(a: str, b: str, n: int = 5) -> float:
    """The share of the shingles of either text that both have."""
    first, second = shingles(a, n), shingles(b, n)
    return len(first & second) / len(first | second) if first and second else 0.0


def groups(pairs: Iterable[tuple[Hashable, Hashable]]) -> set[frozenset[Hashable]]:
    """What pairs connect."""
    found: list[set[Hashable]] = []
    for pair in pairs:
        met = [group for group in found if group & set(pair)]
        found = [group for group in found if group not in met] + [set(pair).union(*met)]
    return {frozenset(group) for group in found}
