"""Both segmenting engines: speed, and whether they give the same words and fingerprints."""

from __future__ import annotations

import time
from collections.abc import Iterator

from lab import measuring
from lab.corpora import real
from lab.measuring import SIMDUP
from lab.reporting import Cell, Table
from lab.trial import Trial

ENGINES = ("rjieba", "jieba")
COLUMNS = (
    "texts", "MB", "MB/s rjieba", "MB/s jieba", "ratio", "texts cut otherwise",
    "fingerprint s, rjieba", "s, jieba", "ratio, fingerprint", "bytes",
)  # fmt: skip


def run(trial: Trial) -> Iterator[Table]:
    """Cut all real texts with both engines, and fingerprint them."""
    names = ("laws", "vsdocs", "poems")
    rows = [_row(name, trial) for name in names]
    yield Table("Segmenting folded texts", COLUMNS, rows)


def _row(name: str, trial: Trial) -> tuple[Cell, ...]:
    from simdup.features.folding import fold
    from simdup.features.tokens import tokenizer
    from simdup.model.recipe import Recipe

    texts = [text for _, text in real.texts(name)][: trial.pick(20, None)]
    folded = [fold(text) for text in texts]
    size = sum(len(text.encode()) for text in folded) / 1e6
    cut = {engine: tokenizer(Recipe(), engine) for engine in ENGINES}
    for tokenize in cut.values():
        list(tokenize(["第一次会读词典"]))
    seconds = dict.fromkeys(ENGINES, 0.0)
    different = 0
    # Text by text and in turn, so that other work on the machine affects both engines.
    for text in folded:
        made = []
        for engine, tokenize in cut.items():
            started = time.perf_counter()
            made.append(list(tokenize([text])))
            seconds[engine] += time.perf_counter() - started
        different += made[0] != made[1]
    corpus = real.write(texts, trial.folder / name)
    command = [*SIMDUP, "fingerprint", "-j", "2", str(corpus.folder), "--segmenter"]
    one, other = (measuring.run([*command, engine]) for engine in ENGINES)
    return (
        name, size, size / seconds["rjieba"], size / seconds["jieba"],
        seconds["jieba"] / seconds["rjieba"], different,
        one.seconds, other.seconds, other.seconds / one.seconds,
        "the same" if one.output == other.output else "DIFFERENT",
    )  # fmt: skip
