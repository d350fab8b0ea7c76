"""MinHash: signatures, search and verification in memory, compared with datasketch.

Both get the texts in memory, without white space, in one process. The time of simdup is that of
signatures, search and verification; that of datasketch is of signatures, index and queries,
because it does not verify: its pairs are what its index proposes, or those of them whose signatures
agree in 0.8 of their places. The time of a scan is that of the whole command: start-up, files,
words, weights and fingerprints too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from lab.bench.labelled import (
    LEAST,
    Collection,
    NamePair,
    collection,
    compact,
    ordered,
    scan,
    score,
)
from lab.measuring import fastest, in_turn
from lab.reporting import Cell, Table
from lab.trial import Trial, say

NAMES = ("laws", "vsdocs")
# The slow way of datasketch gets one in this many documents.
SAMPLE = 10
# Texts hashed at a time, in characters: about one batch of a scan.
BATCH = 1 << 18

Texts = dict[str, str]
Found = tuple[float, set[NamePair]]


def run(trial: Trial) -> Iterator[Table]:
    """Time signatures alone, then find the pairs of laws and manual pages in several ways."""
    most = trial.pick(200, None)
    named = {name: collection(name, trial.folder / name, most) for name in NAMES}
    texts = {
        name: {stem: compact(text) for stem, text in one.texts.items()}
        for name, one in named.items()
    }
    yield _signatures([text for one in texts.values() for text in one.values()], trial)
    yield _pairs(named, texts, trial)


def _signatures(texts: list[str], trial: Trial) -> Table:
    from simdup.features.shingles import Shingler
    from simdup.lsh import minhash
    from simdup.model.shingling import Shingling

    shingler = Shingler(Shingling())
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    batches = list(_batches(texts))

    def shingled() -> None:
        for batch in batches:
            shingler.sets(batch)

    def signed() -> None:
        for batch in batches:
            minhash.signatures(*shingler.sets(batch), 128)

    rows: list[tuple[Cell, ...]] = []
    for name, work in (("5-grams hashed", shingled), ("signatures of 128 of them", signed)):
        seconds = fastest(work, trial.rounds)
        rows.append((name, seconds, megabytes / seconds))
    return Table("Signatures, one process", ("work", "s", "MB/s"), rows)


def _batches(texts: list[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if sum(map(len, batch)) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _pairs(named: dict[str, Collection], texts: dict[str, Texts], trial: Trial) -> Table:
    """Return documents a second and F1 of every way, and simdup's ratios to datasketch."""
    documents = sum(map(len, texts.values()))
    ways: dict[str, Callable[[str], Found]] = {
        "simdup in memory": lambda name: _in_memory(texts[name]),
        "simdup scan, 2 jobs": lambda name: _scan(named[name], "2"),
        "simdup scan, 1 job": lambda name: _scan(named[name], "1"),
    }
    rates: dict[str, float] = {}
    cells: dict[str, list[Cell]] = {}
    works = [lambda way=way: {name: way(name) for name in NAMES} for way in ways.values()]
    for way, rounds in zip(ways, in_turn(trial.rounds, *works), strict=True):
        spent = sorted(sum(seconds for seconds, _ in one.values()) for one in rounds)
        rates[way] = documents / spent[len(spent) // 2]
        cells[way] = [score(rounds[0][name][1], named[name].similar()).f1 for name in NAMES]
    peers = _datasketch_rates(named, texts, documents, cells)
    note = "" if peers else "datasketch is not installed"
    rows = [
        (way, rate, *cells[way], *(rate / peer if way in ways else None for peer in peers.values()))
        for way, rate in (rates | peers).items()
    ]
    columns = ("way", "documents/s", *(f"F1 {name}" for name in NAMES))
    return Table("Pairs", (*columns, *(f"ratio to {way}" for way in peers)), rows, note)


def _datasketch_rates(
    named: dict[str, Collection],
    texts: dict[str, Texts],
    documents: int,
    cells: dict[str, list[Cell]],
) -> dict[str, float]:
    """Return documents a second of both ways of datasketch; add their F1 to the cells."""
    try:
        import datasketch  # noqa: F401
    except ImportError:
        return {}
    say("datasketch")
    batch, single = "datasketch, update_batch", f"datasketch, update, 1 document in {SAMPLE}"
    found = {name: _datasketch(one, "update_batch") for name, one in texts.items()}
    # F1 of the candidates, and of those with an estimated similarity of 0.8 or more.
    cells[batch] = [
        " / ".join(f"{score(pairs, named[name].similar()).f1:.4f}" for pairs in found[name][1:])
        for name in NAMES
    ]
    # A sample has hardly any pairs, so it has no F1.
    cells[single] = [None] * len(NAMES)
    samples = [dict(list(one.items())[::SAMPLE]) for one in texts.values()]
    spent = sum(_datasketch(sample, "update")[0] for sample in samples)
    return {
        batch: documents / sum(seconds for seconds, _, _ in found.values()),
        single: sum(map(len, samples)) / spent,
    }


def _scan(texts: Collection, jobs: str) -> Found:
    options = ["--method", "minhash", "--no-fold", "-j", jobs]
    found = scan(texts.folder, texts.texts, options)
    return found.ran.seconds, found.pairs


def _in_memory(texts: Texts) -> Found:
    """Return the seconds and the pairs, by the steps of the library."""
    from simdup.features.shingles import Shingler
    from simdup.fingerprints.bands import concat_signatures, minhash_signatures
    from simdup.model.criteria import Criteria
    from simdup.search.banding import candidates
    from simdup.verify.resemblance import resemblance

    names, contents = list(texts), list(texts.values())
    pairs: set[NamePair] = set()
    started = time.perf_counter()
    criteria = Criteria(similarity=LEAST)
    shingler = Shingler(criteria.shingle)
    signed = concat_signatures(
        [minhash_signatures(shingler.sets(batch), criteria) for batch in _batches(contents)]
    )
    sets: dict[int, np.ndarray] = {}
    for i, j in candidates(signed.keys):
        good = signed.propose(i, j)
        for a, b in zip(i[good].tolist(), j[good].tolist(), strict=True):
            for one in (a, b):
                if one not in sets:
                    sets[one] = shingler.shingles(contents[one])
            if resemblance(sets[a], sets[b]) >= LEAST:
                pairs.add(ordered(names[a], names[b]))
    return time.perf_counter() - started, pairs


def _datasketch(texts: Texts, way: str) -> tuple[float, set[NamePair], set[NamePair]]:
    """Return the seconds, the candidates, and those with an estimate of 0.8 or more."""
    from datasketch import MinHash, MinHashLSH

    pairs: set[NamePair] = set()
    started = time.perf_counter()
    index = MinHashLSH(threshold=LEAST, num_perm=128)
    signatures = {}
    for name, text in texts.items():
        made = signatures[name] = MinHash(num_perm=128)
        grams = {text[i : i + 5].encode() for i in range(max(1, len(text) - 4))}
        if way == "update_batch":
            made.update_batch(list(grams))
        else:
            for gram in grams:
                made.update(gram)
        pairs.update(ordered(name, other) for other in index.query(made))
        index.insert(name, made)
    seconds = time.perf_counter() - started
    agree = {(a, b) for a, b in pairs if signatures[a].jaccard(signatures[b]) >= LEAST}
    return seconds, pairs, agree
