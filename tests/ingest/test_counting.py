"""The batch counter: independent batches, in any process or on any machine."""

import pickle
from collections import Counter
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab.corpora.made import prose, simplified_characters
from lab.oracles import plain
from simdup import Recipe, scan
from simdup.corpus.batches import TextBatch
from simdup.features.analyzer import Analyzer
from simdup.features.counts import join
from simdup.features.tokens import tokenizer
from simdup.fingerprints.fingerprinter import Fingerprinter
from simdup.ingest.corpus import Corpus, ingest
from simdup.ingest.counting import BatchCounter, BatchOptions
from simdup.ingest.sources import open_input
from simdup.model.criteria import Criteria
from simdup.model.documents import Document
from simdup.model.reading import Reading
from simdup.model.settings import RunOptions, Settings
from simdup.model.shingling import Shingling

TEXTS = [(f"d{n}", prose(n % 40, 300)) for n in range(60)]
ALONE = BatchOptions(Shingling(5), signatures=Criteria(), standalone=True)


def batches(size: int) -> list[TextBatch]:
    documents = [Document(*one) for one in TEXTS]
    chunks = (documents[i : i + size] for i in range(0, len(documents), size))
    return [TextBatch(tuple(chunk), sum(len(one.text) for one in chunk)) for chunk in chunks]


@pytest.mark.parametrize(
    "recipe", [Recipe(), Recipe(bits=128, hash="md5"), Recipe(tokens="chars:2")]
)
def test_independent_batches_give_the_counts_of_the_corpus(recipe: Recipe) -> None:
    analyzer = Analyzer.for_recipe(recipe)
    counter = pickle.loads(pickle.dumps(BatchCounter(analyzer, Reading(), ALONE)))
    # Each batch as if from another machine, and in another order.
    counted = {i: counter.count(batch) for i, batch in reversed(list(enumerate(batches(7))))}
    alone = join([(i, counted[i].counts) for i in range(len(counted))], analyzer.hash_bytes)
    with ingest(open_input(TEXTS, Settings(recipe, run=RunOptions(jobs=1)))) as corpus:
        together = corpus.counts
        assert alone.ids.tolist() == together.ids.tolist()
        assert alone.hashes.tolist() == together.hashes.tolist()
        for number in range(len(TEXTS)):
            ours, theirs = alone.document(number), together.document(number)
            assert dict(zip(*ours[1:], strict=True)) == dict(zip(*theirs[1:], strict=True))
        bands = np.concatenate([counted[i].signatures.keys for i in range(len(counted))])
        assert bands.shape == (60, 18)
        assert (bands[0] == bands[40]).all()


def test_a_fingerprinter_that_travels_makes_the_same_fingerprints() -> None:
    analyzer = Analyzer.for_recipe(Recipe(idf="corpus"))
    corpus = Corpus(analyzer)
    counter = BatchCounter(analyzer, Reading(), ALONE)
    for batch in batches(60):
        corpus.add(0, counter.count(batch))
    fingerprinter = Fingerprinter.for_corpus(analyzer, corpus.counts)
    travelled = pickle.loads(pickle.dumps(fingerprinter))
    assert travelled.digest == fingerprinter.digest
    assert travelled.fields == fingerprinter.fields
    expected = fingerprinter.fingerprints(corpus.counts)
    found = [travelled.fingerprints(analyzer.count([analyzer.prepare(t)])) for _, t in TEXTS]
    assert [one.hexes()[0] for one in found] == expected.hexes()


def test_extras_see_copies_too_and_the_rest_does_not() -> None:
    options = BatchOptions(extras=lambda document, text: text.compact[:3].encode())
    counter = BatchCounter(Analyzer.for_recipe(Recipe()), Reading(), options)
    texts = [Document("a", "red  lantern"), Document("b", "red  lantern"), Document("c", " ")]
    counted = counter(0)(TextBatch(tuple(texts), 30))
    assert [document.name for document in counted.documents] == ["a", "b"]
    assert list(counted.first_seen) == [1, 0]
    assert list(counted.lengths) == [10]
    assert counted.extras == [b"red", b"red"]
    assert [(one.document, one.reason) for one in counted.skipped] == [("c", "empty")]


@pytest.mark.parametrize("method", ["simhash", "minhash"])
def test_copies_share_the_data_of_their_text(method: str) -> None:
    texts = [*TEXTS, ("copy", TEXTS[5][1]), ("again", TEXTS[5][1])]
    found = scan(texts, method=method, similarity=0.9, jobs=1)
    (cluster,) = [c for c in found.clusters if c.members[0].name == "d5"]
    assert [member.name for member in cluster.members] == ["d5", "d45", "copy", "again"]


# Few different texts, so that many are copies, within a batch and of an earlier one.
FEW = st.text("中市場a \n\u0301e，\u200b\x00", max_size=3)
ANALYZERS = {fold: Analyzer.for_recipe(Recipe(fold=fold)) for fold in (True, False)}


@given(st.lists(FEW | st.text(), max_size=9), st.integers(1, 9), st.booleans(), st.booleans())
@example(["e", "\u0301", "中", "市", "", "，", "e", "，", "中"], 9, True, False)
def test_batches_agree_with_single_texts(
    texts: list[str], size: int, fold: bool, standalone: bool
) -> None:
    analyzer = ANALYZERS[fold]
    count = BatchCounter(analyzer, Reading(), BatchOptions(standalone=standalone))(0)
    corpus = Corpus(analyzer)
    documents = [Document(str(i), text) for i, text in enumerate(texts)]
    for process, first in enumerate(range(0, len(texts), size)):
        batch = TextBatch(tuple(documents[first : first + size]), 1)
        corpus.add(process if standalone else 0, count(batch))
    corpus.resolve_copies()

    skipped, kept = [], []
    for document in documents:
        text = document.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text = plain.fold(text, simplified_characters()) if fold else text
        words = plain.words(text, lambda run: next(iter(tokenizer(Recipe())([run]))))
        if words:
            kept.append((document.name, plain.solid(text), Counter(words)))
        else:
            reason = "no words" if plain.solid(text) else "empty"
            skipped.append((document.name, reason))
    assert [(one.document, one.reason) for one in corpus.skipped] == skipped
    digests = [blake2b(solid.encode(), digest_size=16).digest() for _, solid, _ in kept]
    assert corpus.digests.tobytes() == b"".join(digests)
    counts = corpus.counts
    rows = [counts.document(i) for i in range(len(corpus))]
    found = [
        {counts.terms[column]: int(n) for column, n in zip(row.columns, row.values, strict=True)}
        for row in rows
    ]
    assert list(zip(corpus.names, corpus.lengths, found, strict=True)) == [
        (name, len(solid), words) for name, solid, words in kept
    ]
