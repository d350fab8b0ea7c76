"""What is computed of texts, words and similarities, compared with plain Python and jieba."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np

from lab.corpora import real
from lab.corpora.made import in_memory
from lab.measuring import clock, in_turn, ratio
from lab.oracles import plain
from lab.oracles.segmenting import segmenter
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial
from simdup.model.criteria import Criteria
from simdup.model.recipe import Recipe
from simdup.near.measures import measured
from simdup.near.texts import Texts
from simdup.text.analyzer import Analyzer
from simdup.text.characters import fold
from simdup.text.counts import CsrRows
from simdup.text.tokens import tokenizer

# -- similarities --


def verification(trial: Trial) -> Iterator[Table]:
    """Verification: pairs a second by Jaccard similarity, containment and cosine."""
    rows = (row for length in (667, 2000) for row in _verified(length, trial))
    note = "ratio: to the intersection and union of Python sets made before"
    yield tabulate("Verification", rows, note)


def _verified(length: int, trial: Trial) -> Iterator[Row]:
    pairs = trial.pick(100, 2000)
    texts = real.edited_pairs(pairs, length)
    first = range(0, 2 * pairs, 2)
    sets = [{text[i : i + 5] for i in range(len(text) - 4)} for text in texts]
    # Two characters are a term here: the cost of the cosine depends only on the number of terms.
    counts = [Counter(text[i : i + 2] for i in range(0, len(text) - 1, 2)) for text in texts]
    column = {term: i for i, term in enumerate(sorted(set().union(*counts)))}
    weighted = [
        CsrRows(
            np.array([0, len(one)], np.int64),
            np.array([column[term] for term in one], np.int32),
            np.array([*one.values()], np.float64),
        )
        for one in counts
    ]
    known, read = in_memory([text.encode() for text in texts])

    def plain() -> float:
        return clock(
            lambda: [len(sets[i] & sets[i + 1]) / len(sets[i] | sets[i + 1]) for i in first]
        )

    def verified(criteria: Criteria) -> list[float]:
        # New texts are read for the first time, and then again.
        analyzer, room = Analyzer.for_recipe(Recipe()), 1 << 30
        held = Texts(known, analyzer, criteria.shingle, read, weighted.__getitem__, room)
        i = np.array(first)
        return [clock(lambda: measured(i, i + 1, held, criteria)) for _ in range(2)]

    for measures, criteria in {
        "similarity": Criteria(),
        "similarity, containment": Criteria(containment=0.9),
        "similarity, cosine": Criteria(cosine=0.9),
        "similarity, containment, cosine": Criteria(containment=0.9, cosine=0.9),
    }.items():
        ours, floor = in_turn(
            trial.rounds, lambda criteria=criteria: verified(criteria), lambda: [plain()]
        )
        made, cached = zip(*ours, strict=True)
        (sets_only,) = zip(*floor, strict=True)
        rates = [pairs / statistics.median(taken) for taken in (cached, made, sets_only)]
        yield {
            "characters": length, "measures": measures,
            "pairs/s, shingles cached": rates[0], "ratio": ratio(sets_only, cached),
            "pairs/s, shingles made": rates[1], "ratio, made": ratio(sets_only, made),
            "pairs/s of Python sets": rates[2],
        }  # fmt: skip


# -- words --


def words(trial: Trial) -> Iterator[Table]:
    """Cutting texts into words: the compiled loop and jieba, and whether they agree."""
    yield tabulate("Cutting folded texts", (_cut(name, trial) for name in real.NAMES))


def _cut(name: str, trial: Trial) -> Row:
    folded = [fold(text) for text in real.texts(name, trial.pick(20, None)).values()]
    size = sum(len(text.encode()) for text in folded) / 1e6
    own, segment = tokenizer(Recipe()), segmenter()
    own(["第一次会读词典"])
    # Text by text and in turn, so that other work on the machine affects both.
    seconds, different = [0.0, 0.0], 0
    for text in folded:
        begun = time.perf_counter()
        spans = own([text])
        done = time.perf_counter()
        expected = plain.words(text, segment)
        seconds[0] += done - begun
        seconds[1] += time.perf_counter() - done
        different += spans.lists() != [expected]
    return {
        "texts": name, "MB": size, "MB/s": size / seconds[0], "MB/s jieba": size / seconds[1],
        "ratio": seconds[1] / seconds[0], "texts cut otherwise": different,
    }  # fmt: skip
