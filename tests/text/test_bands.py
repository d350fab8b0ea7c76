"""p-stable projections find the share of pairs that they promise: against all pairs."""

import gzip
import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from lab.corpora.made import prose
from simdup import scan
from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.near.collection import ingest
from simdup.near.inputs import open_input
from simdup.near.measures.cosine import cosine, vector
from simdup.near.methods.pstable import pstable_signatures
from simdup.text import bands
from simdup.text.bands import LOSS
from simdup.text.fingerprinter import Fingerprinter


def changed(seed: int, share: float) -> str:
    """A text of 150 words, a share of which are not those of the other texts with the seed."""
    words = [f"w{number}" for number in np.random.default_rng(seed).integers(0, 3000, 150)]
    rng = np.random.default_rng([seed, int(share * 1000)])
    for place in np.flatnonzero(rng.random(len(words)) < share).tolist():
        words[place] = f"word{rng.integers(10**6)}"
    return " ".join(words)


def promised_and_found(texts: list[str], least: float, recall: float) -> tuple[int, int]:
    """How many pairs reach a cosine, and how many of these are proposed."""
    criteria = Criteria(similarity=0, cosine=least, method="pstable")
    settings = Settings.of("default", criteria, jobs=1)
    with ingest(open_input(list(enumerate(texts)), settings)) as corpus:
        fingerprinter = Fingerprinter.for_corpus(corpus.analyzer, corpus.counts)
        weighting = fingerprinter.weigh(corpus.counts)
        vectors = [vector(weighting.document(number)) for number in range(len(texts))]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bands, "RECALL", recall)
            known = pstable_signatures(weighting, criteria)
    true = [
        (i, j)
        for i, j in combinations(range(len(texts)), 2)
        if least <= cosine(vectors[i], vectors[j]) < 1
    ]
    i, j = np.array(true, np.int64).reshape(-1, 2).T
    return len(true), int(np.count_nonzero(known.propose(i, j)))


@pytest.mark.parametrize(("least", "recall"), [(0.9, 0.99), (0.8, 0.9), (0.6, 0.99)])
def test_pstable_finds_what_it_promises_of_made_texts(least: float, recall: float) -> None:
    texts = [changed(seed, step / 40) for seed in range(30) for step in range(8)]
    true, found = promised_and_found(texts, least, recall)
    assert true > 50
    # Pairs of one document are not independent, so three errors and a little more.
    error = math.sqrt(recall * (1 - recall) / true)
    assert found / true >= recall - LOSS - 4 * error


@pytest.mark.parametrize("name", ["laws", "vsdocs"])
def test_pstable_finds_what_it_promises_of_real_texts(name: str, shared_data: Path) -> None:
    with gzip.open(shared_data / name / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines][:500]
    true, found = promised_and_found(texts, 0.8, 0.99)
    assert true > 20
    assert found / true >= 0.97


def test_a_scan_says_what_pstable_promises() -> None:
    data = list(enumerate([prose(1), prose(1), prose(2)]))
    found = scan(data, method="pstable", jobs=1)
    assert any("cosine of 0.889" in note for _, note in found.notes)
    assert not scan(data, method="pstable", cosine=0.9, jobs=1).notes


def test_the_cost_of_pstable_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where keys connect everything and visits are few, the clusters are the same."""
    texts = [changed(seed, step / 40) for seed in range(40) for step in (0, 2)]
    asked = Criteria(method="pstable", similarity=0, cosine=0.7)
    whole = scan(list(enumerate(texts)), criteria=asked, jobs=1)
    monkeypatch.setattr("simdup.near.walk._LOOKS", 0)
    bounded = scan(list(enumerate(texts)), criteria=asked, jobs=1)
    names = [[member.name for member in cluster.members] for cluster in whole.clusters]
    assert names == [[m.name for m in cluster.members] for cluster in bounded.clusters]
    assert len(names) >= 30
