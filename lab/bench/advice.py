"""What `tune` advises, and whether a scan with it finds the share of true pairs that is promised.

Truth: all pairs of different texts with the similarity that the advice is for, by edits or by its
shingles. Each text is compared with each. Made corpora have an edited copy of each text, with up to
twice the given share of its characters replaced.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lab import measuring
from lab.corpora import real
from lab.measuring import SIMDUP
from lab.reporting import Cell, Table
from lab.trial import Trial, say

COLUMNS = (
    "texts", "documents", "truth", "true pairs", "advice", "promised", "found", "of all pairs",
    "seconds",
)  # fmt: skip
MADE = ((40, 0.01), (40, 0.06), (400, 0.01), (400, 0.06), (4000, 0.03), (4000, 0.1))

NumberPair = tuple[int, int]


def run(trial: Trial) -> Iterator[Table]:
    """Measure made corpora, then real texts."""
    rows = []
    for documents, share in trial.pick(MADE[:1], MADE):
        name = f"made, {share:.0%} edited"
        rows.append(_row(name, made(documents, share), trial.folder))
    for name in ("laws", "vsdocs", "poems"):
        texts = [text for _, text in real.texts(name)][: trial.pick(300, None)]
        rows.append(_row(name, texts, trial.folder))
    note = (
        "promised: by tune; found: by a scan with the advice; true pairs: those that tune judges by"
    )
    yield Table("Advice of tune, followed", COLUMNS, rows, note)


def made(documents: int, share: float) -> list[str]:
    """Return texts of 100 to 300 characters, half of them copies with characters replaced."""
    chance = np.random.default_rng(documents)
    often = 1 / np.arange(20, 3020)  # as in a language, few words are most of a text
    words = np.array([chr(a) + chr(b) for a, b in chance.integers(0x4E00, 0x9000, (3000, 2))])
    texts = []
    for _ in range(documents // 2):
        text = "".join(chance.choice(words, chance.integers(50, 150), p=often / often.sum()))
        copy = list(text)
        for place in chance.integers(0, len(text), round(len(text) * chance.uniform(0, 2 * share))):
            copy[place] = chr(chance.integers(0x4E00, 0x9000))
        texts += [text, "".join(copy)]
    return texts


def _row(name: str, texts: list[str], folder: Path) -> tuple[Cell, ...]:
    say(f"{name}, {len(texts)} texts")
    path = folder / "texts.jsonl"
    lines = (json.dumps({"id": n, "text": text}) + "\n" for n, text in enumerate(texts))
    path.write_text("".join(lines), "utf-8")
    told = measuring.run([*SIMDUP, "tune", "-q", "-f", "jsonl", str(path)])
    advice = next(one for one in map(json.loads, told.output.splitlines()) if "judged" in one)
    asked = [*SIMDUP, "scan", "-q", "-f", "jsonl", "--all-pairs", "--id-field", "id"]
    scanned = measuring.run([*asked, *shlex.split(advice["options"]), str(path)])
    found = {
        (int(pair["a"]), int(pair["b"]))
        for line in map(json.loads, scanned.output.splitlines())
        if line["type"] == "cluster"
        for pair in line["pairs"]
    }
    true = true_pairs(texts, advice)
    held = len(found & true) / len(true) if true else None
    return (
        name, len(texts), advice["truth"], advice["true"], advice["options"], advice["recall"],
        held, len(true), told.cpu,
    )  # fmt: skip


def true_pairs(texts: list[str], advice: dict[str, Any]) -> set[NumberPair]:
    """Return the pairs of different texts that meet what the advice is for."""
    from simdup.clustering.short_texts import ShortTexts, longest_form
    from simdup.features.analyzer import Analyzer
    from simdup.features.short_texts import forms_of
    from simdup.model.criteria import Criteria
    from simdup.model.recipe import Recipe
    from simdup.model.shingling import Shingling
    from simdup.verify.edits import Edits
    from simdup.verify.join import edited_pairs, similar_pairs

    analyzer, least = Analyzer.for_recipe(Recipe()), advice["similarity"]
    prepared = analyzer.prepare_all(texts)
    first = {text.compact: number for number, text in reversed(list(enumerate(prepared)))}
    kept = np.array(sorted(first.values()))
    prepared = [prepared[number] for number in kept.tolist()]
    forms = forms_of(prepared, longest_form(Criteria(similarity=least)))
    row_of = np.full(len(kept), -1)
    row_of[forms.rows] = np.arange(len(forms.rows))
    short = ShortTexts(row_of, forms.lengths, forms.number_hashes)
    edits = Edits(short, lambda some: [forms.texts[row_of[one]] for one in some])
    shingler = analyzer.shingler(Shingling.parse(advice["shingle"]))
    sets = [shingler.shingles(shingler.text_of(text)) for text in prepared]
    counted = similar_pairs(sets, least)
    counted = counted.where(~short.measures(counted.i, counted.j))
    return {
        pair
        for found in (counted.of(kept), edited_pairs(edits, least).of(kept))
        for pair in zip(found.i.tolist(), found.j.tolist(), strict=True)
    }
