"""The batch counter: batches that stand alone, in any process or on any machine."""

import pickle

import numpy as np
import pytest
from support import prose

from simdup import Recipe, scan
from simdup.corpus.batches import TextBatch
from simdup.features.analyzer import Analyzer
from simdup.features.counts import join
from simdup.fingerprints.fingerprinter import Fingerprinter
from simdup.ingest.corpus import Corpus, ingest
from simdup.ingest.counting import BatchCounter, BatchOptions
from simdup.ingest.sources import open_input
from simdup.lsh.families import Banding
from simdup.model.documents import Document
from simdup.model.reading import Reading
from simdup.model.settings import RunOptions, Settings
from simdup.model.shingling import Shingling

TEXTS = [(f"d{n}", prose(n % 40, 300)) for n in range(60)]
ALONE = BatchOptions(Shingling(5), banding=Banding(4, 8), standalone=True)


def batches(size: int) -> list[TextBatch]:
    documents = [Document(*one) for one in TEXTS]
    chunks = (documents[i : i + size] for i in range(0, len(documents), size))
    return [TextBatch(tuple(chunk), sum(len(one.text) for one in chunk)) for chunk in chunks]


@pytest.mark.parametrize(
    "recipe", [Recipe(), Recipe(bits=128, hash="md5"), Recipe(tokens="chars:2")]
)
def test_batches_that_stand_alone_give_the_counts_of_the_corpus(recipe: Recipe) -> None:
    analyzer = Analyzer.for_recipe(recipe)
    counter = pickle.loads(pickle.dumps(BatchCounter(analyzer, Reading(), ALONE)))
    # Each batch as from a machine of its own, and in another order.
    counted = {i: counter.count(batch) for i, batch in reversed(list(enumerate(batches(7))))}
    alone = join([(i, counted[i].counts) for i in range(len(counted))], analyzer.hash_bytes)
    with ingest(open_input(TEXTS, Settings(recipe, run=RunOptions(jobs=1)))) as corpus:
        together = corpus.counts
        assert alone.ids.tolist() == together.ids.tolist()
        assert alone.hashes.tolist() == together.hashes.tolist()
        for number in range(len(TEXTS)):
            ours, theirs = alone.document(number), together.document(number)
            assert dict(zip(*ours[1:], strict=True)) == dict(zip(*theirs[1:], strict=True))
        bands = np.concatenate([counted[i].bands for i in range(len(counted))])
        assert bands.shape == (60, 8)
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
    assert counted.lengths == [10]
    assert counted.extras == [b"red", b"red"]
    assert [(one.document, one.reason) for one in counted.skipped] == [("c", "empty")]


@pytest.mark.parametrize("method", ["simhash", "minhash"])
def test_copies_share_what_is_known_about_their_text(method: str) -> None:
    texts = [*TEXTS, ("copy", TEXTS[5][1]), ("again", TEXTS[5][1])]
    found = scan(texts, method=method, similarity=0.9, jobs=1)
    (cluster,) = [c for c in found.clusters if c.members[0].name == "d5"]
    assert [member.name for member in cluster.members] == ["d5", "d45", "copy", "again"]
