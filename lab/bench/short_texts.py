"""Short texts with one planted edit: what a scan finds, and whether it is right.

Lines of 30 to 140 characters of the real texts are the originals.  A pair is right if a brute force
over all pairs, by the definition of edit similarity, has it too.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from rapidfuzz.distance import Levenshtein

from lab.corpora import real
from lab.reporting import Cell, Table
from lab.trial import Trial, say
from simdup import scan
from simdup.features.analyzer import Analyzer
from simdup.features.short_texts import forms_of
from simdup.model.criteria import SHORT
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions

SIMILARITY = 0.8
# With brute force, all pairs of so many texts are compared.
COMPARED = 2000

Edit = Callable[[str, random.Random], str]


def _word(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text) - 2)
    return text[:place] + _two(chance) + text[place + 2 :]


def _added(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text))
    return text[:place] + _two(chance) + text[place:]


def _left_out(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text) - 2)
    return text[:place] + text[place + 2 :]


def _link(text: str, chance: random.Random) -> str:
    return f"{text} {chance.choice('😀🎉👍')} https://t.cn/A{chance.randrange(10**6)}"


def _punctuation(text: str, chance: random.Random) -> str:
    return "".join(chance.choice(" ！，…") if c in "，。、；：！？,.;:!?" else c for c in text)


def _two(chance: random.Random) -> str:
    return "".join(chance.choices("的一是了我不人在他有这上们来到时大地为子中你说生国年", k=2))


EDITS: dict[str, Edit] = {
    "a word changed": _word,
    "a word added": _added,
    "a word left out": _left_out,
    "an emoji and a link": _link,
    "other punctuation": _punctuation,
}


def run(trial: Trial) -> Iterator[Table]:
    """Measure both rules, and the precision of the first."""
    originals = _lines()[: trial.pick(300, 9500)]
    data = _planted(originals)
    rows: list[tuple[Cell, ...]] = []
    for name, fields in (("short texts", {}), ("--no-short-texts", {"short_texts": False})):
        say(name)
        began = time.perf_counter()
        found = scan(data, run=RunOptions(jobs=1), **fields)  # type: ignore[arg-type]
        seconds = time.perf_counter() - began
        label = dict(zip((one for one, _ in data), found.labels.tolist(), strict=True))
        together = [label[f"{i}"] == label[f"{i}'"] for i in range(len(originals))]
        shares = [sum(some) / len(some) for some in (together[k :: len(EDITS)] for k in _kinds())]
        rows.append((name, sum(together) / len(together), *shares, seconds))
    columns = ("rule", "found", *EDITS, "s")
    yield Table(f"{len(originals):,} short texts, each with one edit", columns, rows)
    yield _compared(data[: 2 * trial.pick(150, COMPARED)])


def _kinds() -> range:
    return range(len(EDITS))


def _lines() -> list[str]:
    """Return lines of the real texts, in random order."""
    lines = {
        line.strip()
        for name in ("laws", "vsdocs", "poems")
        for _, text in real.texts(name)
        for line in text.splitlines()
        if 30 <= len(line.strip()) <= 140
    }
    found = sorted(lines)
    random.Random(1).shuffle(found)
    return found


def _planted(originals: Sequence[str]) -> list[tuple[str, str]]:
    chance, edits = random.Random(2), list(EDITS.values())
    data = []
    for i, text in enumerate(originals):
        data += [(f"{i}", text), (f"{i}'", edits[i % len(edits)](text, chance))]
    return data


def _compared(data: list[tuple[str, str]]) -> Table:
    """Compare all pairs by the definition."""
    say("brute force")
    prepared = Analyzer.for_recipe(Recipe()).prepare_all([text for _, text in data])
    forms = forms_of(prepared)
    known = list(zip(forms.rows.tolist(), forms.texts, forms.numbers, strict=True))
    true = {
        (data[i][0], data[j][0])
        for (i, a, m), (j, b, n) in combinations(known, 2)
        if m == n
        and min(len(a), len(b)) < SHORT
        and Levenshtein.normalized_similarity(a, b, score_cutoff=SIMILARITY) >= SIMILARITY
    }
    result = scan(data, run=RunOptions(jobs=1), all_pairs=True, similarity=SIMILARITY)
    found = {(one.a, one.b) for one in result.pairs if one.measure == "edit" and not one.exact}
    true -= {(one.a, one.b) for one in result.pairs if one.exact}
    right = len(found & true)
    columns = "texts", "true pairs", "found", "precision", "recall"
    row = len(data), len(true), len(found), right / len(found), right / len(true)
    return Table("All pairs by the definition of edit similarity", columns, [row])
