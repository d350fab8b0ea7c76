"""What `tune` advises, and whether a scan with it finds the share of true pairs that is promised.

Truth: all pairs of different texts with the similarity that the advice is for, by its shingles and,
where one is advised, with its cosine. Each text is compared with each. Made corpora have an edited
copy of each text, with up to twice the given share of its characters replaced.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import corpora, measuring
from benchmarks.measuring import SIMDUP, Options, say
from benchmarks.reporting import Cell, Table

COLUMNS = (
    "texts", "documents", "truth", "true pairs", "advice", "promised", "found", "of all pairs",
    "seconds",
)  # fmt: skip
MADE = ((40, 0.01), (40, 0.06), (400, 0.01), (400, 0.06), (4000, 0.03), (4000, 0.1))

NumberPair = tuple[int, int]


def run(options: Options) -> Iterator[Table]:
    """Measure made corpora, then real texts."""
    rows = []
    for documents, share in options.pick(MADE[:1], MADE):
        name = f"made, {share:.0%} edited"
        rows.append(_row(name, made(documents, share), options.folder))
    for name in ("laws", "vsdocs", "poems"):
        texts = [text for _, text in corpora.texts(name)][: options.pick(300, None)]
        rows.append(_row(name, texts, options.folder))
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
    from simdup.features.folding import fold
    from simdup.features.shingles import Shingler
    from simdup.model.shingling import Shingling
    from simdup.verify.join import similar_pairs

    compact = ["".join(fold(text).split()) for text in texts]
    first = {text: number for number, text in reversed(list(enumerate(compact)))}
    kept = sorted(first.values())
    shingler = Shingler(Shingling.parse(advice["shingle"]))
    found = similar_pairs([shingler.shingles(compact[n]) for n in kept], advice["similarity"])
    pairs = {(kept[i], kept[j]) for i, j in zip(found.i.tolist(), found.j.tolist(), strict=True)}
    return pairs if advice["cosine"] is None else _with_cosine(texts, pairs, advice["cosine"])


def _with_cosine(texts: list[str], pairs: set[NumberPair], least: float) -> set[NumberPair]:
    """Return the pairs whose TF-IDF vectors have at least a cosine."""
    from simdup.fingerprints.fingerprinter import Fingerprinter
    from simdup.ingest.corpus import ingest
    from simdup.ingest.sources import open_input
    from simdup.model.settings import Settings
    from simdup.verify.cosine import cosine, vector

    with ingest(open_input(list(enumerate(texts)), Settings.of("default"))) as corpus:
        weighting = Fingerprinter.for_corpus(corpus.analyzer, corpus.counts).weigh(corpus.counts)
        return {
            pair
            for pair in pairs
            if cosine(*(vector(weighting.document(n)) for n in pair)) >= least
        }
