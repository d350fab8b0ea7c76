"""Made corpora for `brute_force`, and settings to compare their documents by."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lab.corpora.made import HAN, LATIN, traditional_characters

TRADITIONAL = traditional_characters()
# The same number in several spellings, and what stands around it.
NUMBERS = ("2", "3", "7", "12", "15", "20", "24", "2024", "1000", "3.5", "50%")
SPELLINGS = {
    "2": ("2", "２", "02", "ii"), "3": ("3", "３", "iii", "III", "Ⅲ"), "7": ("7", "VII", "007"),
    "12": ("12", "十二", "XII", "１２"), "15": ("15", "十五", "xv"), "20": ("20", "二十", "XX"),
    "24": ("24", "二十四", "XXIV"), "2024": ("2024", "二〇二四", "2,024", "２０２４"),
    "1000": ("1000", "1,000", "一千"), "3.5": ("3.5", "3.50", "３.５"), "50%": ("50%", "50.0%"),
}  # fmt: skip
SINGLE = {"2": "二", "3": "三", "7": "七"}
MARKS = (
    "https://example.com/a?b=1", "http://t.cn/x7", "www.example.org/news", "@anna", "@王小明",
    "me@example.com", "😀", "🎉🎉", "！！！", "……", "#harbour", "½", "ﬁne",
)  # fmt: skip
STARTS = ("harbour", "notice", "河岸", "公告")


class Row(NamedTuple):
    """A document as it is passed; its further fields may be missing."""

    id: str
    text: str
    title: str | None = None
    group: str | None = None
    value: float | None = None


class Case(NamedTuple):
    """A corpus, how it is compared, and its references."""

    seed: int
    rows: tuple[Row, ...]
    references: tuple[Row, ...]
    criteria: dict[str, Any]  # as keywords of `scan`
    decisions: tuple[tuple[str, tuple[str, ...]], ...] = ()  # as (kind, names)
    titled: bool = False  # whether titles are a field
    indexed: bool = False  # whether the references are an index
    kinds: tuple[str, ...] = ()  # what made its texts


class Writer(random.Random):
    """Makes texts: all chance comes from one seed."""

    def __init__(self, seed: str) -> None:
        super().__init__(seed)
        self.script = self.choice(("han", "latin", "mixed"))
        # A small vocabulary makes texts alike by chance.
        few = self.choice((8, 30, 200))
        self.han = self.sample(HAN, min(few, len(HAN)))
        self.latin = self.sample(LATIN, min(few, len(LATIN)))

    def word(self) -> str:
        """Return a word."""
        latin = {"han": 0.02, "latin": 1.0, "mixed": 0.5}[self.script]
        return self.choice(self.latin if self.random() < latin else self.han)

    def words(self, count: int) -> list[str]:
        """Return words, with a sign between some of them."""
        found = []
        for _ in range(count):
            word = self.word()
            if self.random() < 0.1:
                word += self.choice(("，", "。", ", ", ". ", "\n", "；"))
            found.append(word)
        return found

    def number(self) -> str:
        """Return a number in one of its spellings."""
        value = self.choice(NUMBERS)
        if value in SINGLE and self.random() < 0.4:
            around = self.choice(("第{}集", "星期{}", "{}楼", "{}点"))
            return around.format(self.choice((value, SINGLE[value])))
        return f" {self.choice(SPELLINGS[value])} "

    def edited(self, words: list[str], share: float) -> list[str]:
        """Return words of which a share was replaced, left out, doubled or exchanged."""
        found: list[str] = []
        for word in words:
            act = self.random() / share if share else 2.0
            if act >= 1:
                found.append(word)
            elif act < 0.5:
                found.append(self.word())
            elif act < 0.7:
                found += [word, self.word()]
        return found or [self.word()]


def joined(words: list[str]) -> str:
    """Return words as a text: Latin ones apart."""
    text = ""
    for word in words:
        apart = text[-1:].isascii() and text[-1:].isalnum() and word[:1].isascii()
        text += f" {word}" if apart else word
    return text


def _length(writer: Writer) -> int:
    """A number of words: very short texts, some around 120 letters, long ones."""
    letters = 2 if writer.script == "han" else 6
    around = 120 // letters
    ranges = ((1, 4), (5, 20), (around - 6, around + 6), (around - 3, around + 3), (60, 150),
              (60, 400))  # fmt: skip
    return writer.choice([writer.randint(*one) for one in ranges])


def _copies(writer: Writer, words: list[str]) -> list[str]:
    text = joined(words)
    changes: tuple[Callable[[str], str], ...] = (
        lambda t: t, lambda t: t.upper(), lambda t: t.replace("，", " ， "),
        lambda t: t.translate(TRADITIONAL), lambda t: t.replace("，", ","), lambda t: f"{t}\n",
        lambda t: t.replace("a", "ａ"),
    )  # fmt: skip
    return [writer.choice(changes)(text) for _ in range(writer.randint(2, 5))]


def _edits(writer: Writer, words: list[str]) -> list[str]:
    share = writer.choice((0.02, 0.05, 0.1, 0.2, 0.4))
    count = writer.randint(1, 7)
    return [joined(writer.edited(words, share)) for _ in range(count)] + [joined(words)]


def _letters(writer: Writer, words: list[str]) -> Iterator[str]:
    """Versions in which some characters are others."""
    for _ in range(writer.randint(2, 6)):
        characters = list(joined(words))
        for _ in range(writer.choice((1, 1, 2, 4, 10))):
            place = writer.randrange(len(characters))
            characters[place] = writer.choice(("天", "q", "", "人", "z"))
        yield "".join(characters)


def _numbers(writer: Writer, words: list[str]) -> Iterator[str]:
    """One sentence with another number, or another spelling of one, in each version."""
    for _ in range(writer.randint(2, 6)):
        more = [writer.number()] if writer.random() < 0.3 else []
        yield joined([*words[:5], writer.number(), *words[5:], *more])


def _marks(writer: Writer, words: list[str]) -> Iterator[str]:
    """Versions that differ in links, names, signs."""
    text = joined(words)
    yield text
    for _ in range(writer.randint(1, 4)):
        mark = " ".join(writer.choices(MARKS, k=writer.randint(1, 2)))
        yield writer.choice((f"{text} {mark}", f"{mark} {text}", f"{text}{mark} "))


def _excerpts(writer: Writer, words: list[str]) -> Iterator[str]:
    """A text and parts of it, changed a little or not."""
    whole = words + writer.words(writer.randint(20, 120))
    yield joined(whole)
    for _ in range(writer.randint(1, 4)):
        size = writer.randint(1, len(whole))
        start = writer.randint(0, len(whole) - size)
        part = whole[start : start + size]
        yield joined(writer.edited(part, writer.choice((0.0, 0.0, 0.05))))


def _wordless(writer: Writer, words: list[str]) -> list[str]:
    """Texts without words, beside some with few."""
    signs = ("……！！", "…… ！！", "😀", "——", joined(words[:1]), joined(words[:2]))
    return writer.choices(signs, k=writer.randint(2, 4))


def _repeats(writer: Writer, words: list[str]) -> list[str]:
    """One sentence again and again: few words, short against long."""
    few = words[:6]
    times = writer.sample(range(1, 12), writer.randint(2, 4))
    return [joined(few * number) for number in times]


def _template(writer: Writer, words: list[str]) -> list[str]:
    """Pages that have most of their text in common."""
    count = writer.randint(3, 9)
    return [joined([*words, *writer.words(max(1, len(words) // 6))]) for _ in range(count)]


def _moved(writer: Writer, words: list[str]) -> list[str]:
    """Versions whose parts stand in another order."""
    cut = writer.randint(0, len(words))
    return [joined(words), joined(words[cut:] + words[:cut])]


KINDS = (
    _copies, _edits, _edits, _letters, _numbers, _marks, _excerpts, _repeats, _template, _moved,
    _wordless,
)  # fmt: skip


def _family(writer: Writer) -> list[str]:
    """More than 64 or 128 texts that candidates connect, some of them copies."""
    words = writer.words(writer.choice((12, 20, 40)))
    share = writer.choice((0.03, 0.08, 0.15))
    count = writer.choice((65, 70, 80, 129, 135))
    texts = [joined(writer.edited(words, share)) for _ in range(count)]
    return [*texts, *writer.choices(texts, k=writer.choice((0, 4)))]


def _texts(writer: Writer) -> tuple[list[str], set[str]]:
    texts: list[str] = []
    kinds: set[str] = set()
    most = writer.choice((4, 5, 6, 8, 10, 12, 14, 16, 20, 25, 30, 40, 50))
    if writer.random() < 0.05:
        texts, kinds = _family(writer), {"family"}
        most = len(texts) + writer.choice((0, 5))
    while len(texts) < most:
        kind = writer.choice(KINDS)
        kinds.add(kind.__name__.strip("_"))
        # Empty texts take no part.
        texts += filter(None, kind(writer, writer.words(_length(writer))))
        if writer.random() < 0.3:
            texts.append(joined(writer.words(_length(writer))))
    texts = texts[:most]
    writer.shuffle(texts)
    return texts, kinds


def _criteria(chance: random.Random) -> dict[str, Any]:
    """Options at random; those that contradict each other do not come together."""
    found: dict[str, Any] = {}

    def perhaps(probability: float, name: str, *values: Any) -> None:
        if chance.random() < probability:
            found[name] = chance.choice(values)

    found["method"] = chance.choice(("auto",) * 6 + ("simhash", "minhash", "minhash", "pstable"))
    perhaps(0.4, "distance", 0, 1, 6, 10, 16, 32, 64)
    perhaps(0.6, "similarity", 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.9, 0.95, 1)
    perhaps(0.3, "shingle", 1, 2, 3, 4, 8, 12, "words:1", "words:2", "words:3")
    perhaps(0.5, "keep", "first", "longest", "shortest", "max:value", "min:value")
    perhaps(0.2, "prefer", ("*3",), ("*7", "*1*"))
    same = [name for name in ("title", "facts", "group") if chance.random() < 0.08]
    if same:
        found["same"] = tuple(same)
    if "group" not in same:
        perhaps(0.15, "across", "group")
    perhaps(0.12, "lossless", True)
    perhaps(0.25, "all_pairs", True)
    if found["method"] == "pstable":
        found["cosine"] = chance.choice((0.8, 0.85, 0.9, 0.95))
    else:
        perhaps(0.08, "cosine", 0.5, 0.8, 0.9)
    perhaps(0.15, "containment", 0.3, 0.5, 0.8, 0.9, 1)
    if chance.random() < 0.07 and found["method"] in ("auto", "simhash"):
        found["verify"] = False
        for name in ("similarity", "cosine", "containment", "shingle", "lossless"):
            found.pop(name, None)
        found["same"] = tuple(name for name in found.get("same", ()) if name != "facts")
    if found["method"] in ("minhash", "pstable"):
        found.pop("distance", None)
    if found["method"] == "minhash" and not found.get("similarity", 0.8):
        del found["similarity"]
    return found


def _decided(chance: random.Random, names: list[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    decisions = []
    for _ in range(chance.randint(1, 6)):
        kind = chance.choice(("distinct", "distinct", "duplicates", "keep"))
        number = 1 if kind == "keep" else min(len(names), chance.choice((2, 2, 3)))
        decisions.append((kind, tuple(chance.sample(names, number))))
    return tuple(decisions)


def make(seed: int) -> Case:
    """Return the corpus and the settings of a seed."""
    chance = Writer(f"brute force {seed}")
    texts, kinds = _texts(chance)
    criteria = _criteria(chance)
    headed = "title" in criteria.get("same", ())
    titled = headed and chance.random() < 0.5
    rows = []
    for number, text in enumerate(texts):
        start = chance.choice(STARTS)
        if headed and not titled and chance.random() < 0.9:
            text = f"{chance.choice(('# ', ''))}{start}\n{text}"
        title = chance.choice((*STARTS, start.upper(), None))
        group = chance.choice(("p", "q", "r", None))
        value = chance.choice((1.0, 2.5, -3.0, 10.0, None))
        rows.append(Row(f"d{number}", text, title, group, value))
    references: list[Row] = []
    indexed = False
    if chance.random() < 0.25:
        count = chance.randint(1, max(1, len(rows) // 3))
        references, rows = rows[:count], rows[count:]
        unknown = {"same", "across", "cosine", "containment", "lossless"} & {*criteria}
        indexed = chance.random() < 0.5 and not unknown and criteria["method"] != "pstable"
        if indexed:
            criteria.pop("shingle", None)
    decisions: tuple[tuple[str, tuple[str, ...]], ...] = ()
    if chance.random() < 0.2:
        decisions = _decided(chance, [row.id for row in references + rows])
    if not rows:
        rows, references, indexed = references, [], False
    return Case(
        seed, tuple(rows), tuple(references), criteria, decisions, titled, indexed,
        tuple(sorted(kinds)),
    )  # fmt: skip
