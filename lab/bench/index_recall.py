"""What an index finds: the candidates of its bands and its matches, compared with all pairs.

Truth is counted exactly: the Jaccard similarity of the sets of character 5-grams of folded texts
without white space.  Each text is asked about in an index of all; pairs with itself are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lab.bench.labelled import LEAST, compact
from lab.corpora import real
from lab.reporting import Cell, Table
from lab.trial import Trial, say
from simdup import Index
from simdup.index.candidates import CandidateSearcher, Searches
from simdup.index.columns import Columns, concat
from simdup.index.searcher import SearchSetup
from simdup.lsh.bbit import bbit_sketch, estimate
from simdup.lsh.families import BBIT, proposed
from simdup.lsh.sketch_bands import AskedBands, sketch_banding
from simdup.search import HammingBall

# From here on an estimate of at least 0.8 is to be expected of 0.99 of the pairs.
SURE = 0.87
MADE = (0.75, LEAST, 0.83, SURE, 0.9, 0.95)
ELEMENTS = 1000

Pairs = NDArray[np.int64]  # pairs of numbers, each as one number


def run(trial: Trial) -> Iterator[Table]:
    """Measure the recall of made sets, then of real texts."""
    say("made sets")
    yield _made(trial.pick(200, 4000))
    rows = [_real(name, trial) for name in ("laws", "vsdocs", "poems")]
    columns = (
        "texts", "documents", f"true pairs, {LEAST}", "candidates, simhash", "bands", "both",
        "matches", f"true pairs, {SURE}", "candidates", "matches", "matches below", "all matches",
    )  # fmt: skip
    yield Table(
        "Recall of an index of real texts", columns, rows, f"matches below: of pairs under {LEAST}"
    )


def _made(pairs: int) -> Table:
    """Measure sets whose similarity is exactly known."""
    banding, chance = sketch_banding(LEAST), np.random.default_rng(8)
    rows: list[tuple[Cell, ...]] = []
    for similarity in MADE:
        found = matched = 0
        common = round(ELEMENTS * similarity)
        own = (ELEMENTS - common) // 2
        for _ in range(pairs):
            every = chance.integers(0, 1 << 64, common + 2 * own, dtype=np.uint64)
            a, b = bbit_sketch(every[: common + own]), bbit_sketch(every[own:])
            agree = any(len(i) for i, _ in AskedBands(a[None], banding).join(b[None]))
            found += agree
            matched += agree and bool(estimate(a, b) >= LEAST)
        exact = common / (common + 2 * own)
        paper = proposed(BBIT, 1 - exact, banding)
        rows.append((exact, pairs, found / pairs, paper, matched / pairs))
    columns = ("similarity", "pairs", "candidates", "on paper", f"estimate at least {LEAST}")
    title = f"Bands of sketches: {banding.bands} of {banding.rows} bytes"
    return Table(title, columns, rows)


def _real(name: str, trial: Trial) -> tuple[Cell, ...]:
    """Measure a real collection."""
    say(name)
    texts = [text for _, text in real.texts(name)][: trial.pick(300, None)]
    path = trial.folder / f"{name}.index"
    named = [(str(number), text) for number, text in enumerate(texts)]
    with Index.build(str(path), named) as index:
        store = index._session.store
        columns = concat(list(store.blocks()), store.words)
        matches = {
            _pair(int(one.document), int(match.document))
            for one in index.query(named)
            for match in one.matches
        }
    numbers = np.array([int(one) for one in columns.names])
    ball = HammingBall(64, 3)
    near = _candidates(columns, numbers, Searches(SearchSetup(ball)))
    bands = _candidates(
        columns, numbers, Searches(SearchSetup(ball), near=False, banding=sketch_banding(LEAST))
    )
    matched = np.array(sorted(one for one in matches if one >> 32 != one & 0xFFFFFFFF), np.int64)
    true, shares = _truth(texts)
    sure = true[shares >= SURE]
    both = np.union1d(near, bands)
    return (
        name, len(texts), len(true), _share(true, near), _share(true, bands), _share(true, both),
        _share(true, matched), len(sure), _share(sure, both), _share(sure, matched),
        len(np.setdiff1d(matched, true)), len(matched),
    )  # fmt: skip


def _share(true: Pairs, found: Pairs) -> float | None:
    """Return the share of true pairs that were found."""
    return float(np.isin(true, found).mean()) if len(true) else None


def _pair(a: int, b: int) -> int:
    return min(a, b) << 32 | max(a, b)


def _candidates(columns: Columns, numbers: Pairs, searches: Searches) -> Pairs:
    """Return all candidates among documents."""
    searcher, first = CandidateSearcher.among(columns, searches), 0
    parts = []
    while first < len(columns):
        some, (hits, _) = searcher.find_first(columns, range(first, len(columns)), 1 << 22)
        i, j = numbers[hits.query + first], numbers[hits.row]
        parts.append(np.unique((np.minimum(i, j) << 32 | np.maximum(i, j))[i != j]))
        first += len(some)
    return np.unique(np.concatenate(parts))


def _truth(texts: list[str]) -> tuple[Pairs, NDArray[np.float64]]:
    """Return all pairs of texts from 0.8 on, and their similarities."""
    from simdup.features.folding import fold
    from simdup.features.shingles import Shingler
    from simdup.model.shingling import Shingling
    from simdup.verify.join import similar_pairs

    shingler = Shingler(Shingling())
    found = similar_pairs([shingler.shingles(compact(fold(text))) for text in texts], LEAST)
    return found.i << 32 | found.j, found.similarity
