"""Growth of what is done with one text, or with two."""

from __future__ import annotations

from collections.abc import Callable

from lab.breaking.probes import MILLION, Probe, again, calling, letters
from lab.corpora.made import prose
from simdup.features.analyzer import Analyzer
from simdup.features.folding import fold_all
from simdup.features.shingles import Shingler
from simdup.features.titles import title_of
from simdup.model.documents import Document
from simdup.model.recipe import Recipe
from simdup.model.shingling import Shingling
from simdup.report.delta import delta
from simdup.verify.differences import find_differences
from simdup.verify.edits import edit_similarities

Make = Callable[[int], str]


def han(n: int) -> str:
    """Return n characters of Chinese prose."""
    return (prose(1, 5000) * (n // 10_000 + 1))[:n]


def _marks(n: int) -> str:
    return "a" + "\u0301\u0323" * (n // 2)


FOLDING: dict[str, Make] = {
    "Han": han,
    "marks on one letter": _marks,
    "ligatures of 18 letters": again("\ufdfa"),
    "traditional characters": again("漢"),
    "beyond 16 bits": again("𠮷"),
    "syllables in letters": again("\u1100\u1161\u11a8"),
    "capital I with a dot": again("İ"),
}
TERMS: dict[str, Make] = {
    "Han": han,
    "one Han character": again("中"),
    "two Han characters": lambda n: letters(n, "中国"),
    "one letter": again("a"),
    "a few letters": lambda n: letters(n, "abc def "),
    "digits and points": again("1."),
    "apostrophes": again("a'"),
    "hyphens": again("-"),
    "slashes": again("/"),
    "underscores": again("_"),
}
TITLES = {
    "headings": "# ", "front matter": "---\n", "front matter with a title": "---\ntitle: ",
    "HTML headings": "<h1>", "underlines": "a\n=\n", "code": "```\n", "links": "[a](",
    "brackets": "[", "angle brackets": "<", "ampersands": "&", "stars": "*", "one line": "a",
    "line feeds": "\n", "spaces": " ",
}  # fmt: skip
PAIRS: dict[str, tuple[Make, Make]] = {
    "other texts": (lambda n: prose(1, n), lambda n: prose(2, n)),
    "equal texts": (lambda n: prose(1, n), lambda n: prose(1, n)),
    "one word": (again("a "), lambda n: "a " * (n // 2) + "b"),
    "two words": (lambda n: " ".join(letters(n)), lambda n: " ".join(letters(n, seed=1))),
    "the other way round": (
        lambda n: " ".join(map(str, range(n))),
        lambda n: " ".join(map(str, range(n, 0, -1))),
    ),
}
DELTAS: dict[str, tuple[Make, Make]] = {
    "the other way round": (han, lambda n: han(n)[::-1]),
    "one letter": (again("a"), lambda n: "a" * n + "b"),
    "two letters": (letters, lambda n: letters(n, seed=1)),
}


def _terms(tokens: str) -> Callable[[str], object]:
    analyzer = Analyzer.for_recipe(Recipe(tokens=tokens))
    return lambda text: analyzer.count(analyzer.prepare_all([text]))


def _shingles(texts: list[str]) -> object:
    return Shingler(Shingling(5)).sets(texts)


def _differences(a: str, b: str) -> object:
    return find_differences(a, b, Analyzer.for_recipe(Recipe(tokens="ngrams:1")))


def _edits(texts: list[str]) -> object:
    return edit_similarities(texts, texts[::-1])


def _document(kind: str) -> Callable[[int], Document]:
    return lambda n: Document("a", kind * (n // len(kind)))


TEXTS: list[Probe] = [
    *(
        calling("folding", shape, 10_000, lambda text: fold_all([text]), make)
        for shape, make in FOLDING.items()
    ),
    *(
        calling(f"terms, {tokens}", shape, 20_000, _terms(tokens), make)
        for tokens in ("words", "chars:3", "ngrams:2", "tagged")
        for shape, make in TERMS.items()
    ),
    calling("shingles", "Han", MILLION, _shingles, lambda n: [han(n)]),
    calling("shingles", "one letter", MILLION, _shingles, lambda n: ["a" * n]),
    calling("shingles", "tiny texts", 20_000, _shingles, lambda n: ["ab"] * n),
    *(
        calling("titles", shape, MILLION, title_of, _document(kind))
        for shape, kind in TITLES.items()
    ),
    calling(
        "edit similarity", "short texts", 5000, _edits,
        lambda n: [letters(100, seed=i % 50) for i in range(n)],
    ),
    # At 20,000 words the memory of a block of the comparison is reached.
    *(
        calling("differences", shape, 20_000, _differences, *makes)
        for shape, makes in PAIRS.items()
    ),
    *(
        calling("differences for a page", shape, 50_000, delta, *makes)
        for shape, makes in DELTAS.items()
    ),
]  # fmt: skip
