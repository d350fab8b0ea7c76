"""What is computed of texts: words, signatures, similarities; compared with other programs."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from lab.bench.accuracy import LEAST, NamePair, compact, jaccard, labelled, ordered, scan, score
from lab.corpora import real
from lab.corpora.made import in_memory
from lab.measuring import clock, fastest, in_turn, ratio
from lab.oracles import plain
from lab.oracles.segmenting import segmenter
from lab.reporting import Cell, Row, Table, tabulate
from lab.trial import Trial, say
from simdup.kernels import sketches as families
from simdup.model.criteria import Criteria, Shingling
from simdup.model.recipe import Recipe
from simdup.near.verifier import Texts as ReadTexts
from simdup.near.verifier import Verifier, vector
from simdup.search.equal_keys import candidates
from simdup.text.analyzer import Analyzer
from simdup.text.bands import minhash_signatures
from simdup.text.characters import fold
from simdup.text.counts import CsrRows
from simdup.text.shingles import Shingler
from simdup.text.tokens import tokenizer

# -- signatures --

COLLECTIONS = ("laws", "vsdocs")
# The slow way of datasketch gets one in this many documents.
SAMPLE = 10
# Texts hashed at a time, in characters: about one batch of a scan.
BATCH = 1 << 18

Texts = dict[str, str]


class Timed(NamedTuple):
    """How many documents took how long, and their pairs, by one measure or two."""

    documents: int
    seconds: float
    pairs: list[set[NamePair]]


def minhash(trial: Trial) -> Iterator[Table]:
    """MinHash: signatures, search and verification in memory, compared with datasketch.

    Both get the texts in memory, without white space, in one process. The time of simdup is that of
    signatures, search and verification; that of datasketch is of signatures, index and queries,
    because it does not verify: its pairs are what its index proposes, or those of them whose
    signatures agree in 0.8 of their places. The time of a scan is that of the whole command:
    start-up, reading, words, weights and fingerprints too.
    """
    originals = {name: real.texts(name, trial.pick(200, None)) for name in COLLECTIONS}
    texts = {
        name: {key: compact(text) for key, text in collection.items()}
        for name, collection in originals.items()
    }
    every = [text for collection in texts.values() for text in collection.values()]
    yield tabulate("Signatures, one process", _signatures(every, trial.rounds))
    paths = {
        name: real.write_records(collection.items(), trial.folder / f"{name}.jsonl").path
        for name, collection in originals.items()
    }

    def scanned(name: str, jobs: int) -> Timed:
        done = scan(paths[name], f"--method minhash --no-fold -j {jobs}")
        return Timed(len(texts[name]), done.ran.seconds, [done.pairs])

    ways: dict[str, Callable[[str], Timed]] = {
        "simdup in memory": lambda name: _in_memory(texts[name]),
        "simdup scan, 2 jobs": lambda name: scanned(name, 2),
        "simdup scan, 1 job": lambda name: scanned(name, 1),
    }
    works = [lambda way=way: [way(name) for name in COLLECTIONS] for way in ways.values()]
    turns = dict(zip(ways, in_turn(trial.rounds, *works), strict=True))
    if find_spec("datasketch"):
        say("datasketch")
        samples = [dict(list(one.items())[::SAMPLE]) for one in texts.values()]
        turns |= {
            "datasketch, update_batch": [
                [_datasketch(one, at_once=True) for one in texts.values()]
            ],
            # A sample has hardly any pairs, so it has no F1.
            f"datasketch, update, 1 document in {SAMPLE}": [
                [_datasketch(one, at_once=False)._replace(pairs=[]) for one in samples]
            ],
        }
    rates = {
        way: sum(one.documents for one in rounds[0])
        / statistics.median(sum(one.seconds for one in timed) for timed in rounds)
        for way, rounds in turns.items()
    }
    true = {name: labelled(name, collection) for name, collection in originals.items()}

    def f1(name: str, timed: Timed) -> Cell:
        scores = [score(pairs, true[name])["F1"] for pairs in timed.pairs]
        return scores[0] if len(scores) == 1 else " / ".join(f"{one:.4f}" for one in scores) or None

    rows = (
        {"way": way, "documents/s": rates[way]}
        | {f"F1 {name}": f1(name, one) for name, one in zip(COLLECTIONS, rounds[0], strict=True)}
        | {f"ratio to {peer}": rates[way] / rate if way in ways else None
           for peer, rate in rates.items() if peer not in ways}
        for way, rounds in turns.items()
    )  # fmt: skip
    yield tabulate(
        "Pairs", rows, "" if turns.keys() > ways.keys() else "datasketch is not installed"
    )


def _signatures(texts: list[str], rounds: int) -> Iterator[Row]:
    shingler, batches = Shingler(Shingling()), list(_batches(texts))
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    works: dict[str, Callable[[], object]] = {
        "5-grams hashed": lambda: [shingler.sets(batch) for batch in batches],
        "signatures of 128 of them": lambda: [
            families.signatures(*shingler.sets(batch), 128) for batch in batches
        ],
    }
    for name, work in works.items():
        seconds = fastest(work, rounds)
        yield {"work": name, "s": seconds, "MB/s": megabytes / seconds}


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if sum(map(len, batch)) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _in_memory(texts: Texts) -> Timed:
    """Return the seconds and the pairs, by the steps of the library."""
    names, contents = list(texts), list(texts.values())
    pairs: set[NamePair] = set()
    started = time.perf_counter()
    criteria = Criteria(similarity=LEAST)
    shingler = Shingler(criteria.shingle)
    parts = [minhash_signatures(shingler.sets(batch), criteria) for batch in _batches(contents)]
    keys, sketches = (np.concatenate(column) for column in list(zip(*parts, strict=True))[:2])
    signed = parts[0]._replace(keys=keys, sketches=sketches)
    sets: dict[int, np.ndarray] = {}
    for i, j in candidates(signed.keys):
        good = signed.propose(i, j)
        for a, b in zip(i[good].tolist(), j[good].tolist(), strict=True):
            for one in (a, b):
                if one not in sets:
                    sets[one] = shingler.shingles(contents[one])
            if jaccard(sets[a], sets[b]) >= LEAST:
                pairs.add(ordered(names[a], names[b]))
    return Timed(len(texts), time.perf_counter() - started, [pairs])


def _datasketch(texts: Texts, at_once: bool = True) -> Timed:
    """Return the candidates, and those with an estimate of 0.8 or more."""
    from datasketch import MinHash, MinHashLSH

    pairs: set[NamePair] = set()
    started = time.perf_counter()
    index = MinHashLSH(threshold=LEAST, num_perm=128)
    signatures = {}
    for name, text in texts.items():
        signature = signatures[name] = MinHash(num_perm=128)
        grams = {text[i : i + 5].encode() for i in range(max(1, len(text) - 4))}
        if at_once:
            signature.update_batch(list(grams))
        else:
            for gram in grams:
                signature.update(gram)
        pairs.update(ordered(name, other) for other in index.query(signature))
        index.insert(name, signature)
    seconds = time.perf_counter() - started
    agree = {(a, b) for a, b in pairs if signatures[a].jaccard(signatures[b]) >= LEAST}
    return Timed(len(texts), seconds, [pairs, agree])


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
        # A new verifier reads each document for the first time, and then again.
        held = ReadTexts(known, Analyzer.for_recipe(Recipe()), criteria.shingle, read)
        verifier = Verifier(held, criteria, lambda i: vector(weighted[i]), cache_bytes=1 << 30)
        i = np.array(first)
        return [clock(lambda: verifier.measure(i, i + 1)) for _ in range(2)]

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
