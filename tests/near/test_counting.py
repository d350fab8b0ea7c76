"""The batch counter: independent batches, in any process or on any machine."""

import pickle
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab.corpora.made import prose, simplified_characters
from lab.oracles import plain
from simdup import Recipe, scan
from simdup.corpus.batches import TextBatch
from simdup.corpus.spool import Slot, SpoolReader
from simdup.model.criteria import Criteria
from simdup.model.documents import Document
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.model.table import Documents
from simdup.near.batch_reader import BatchReader
from simdup.near.collection import Collector, ingest
from simdup.near.counting import Counting, Maker, keys_of_titles, originals
from simdup.near.inputs import SourceReport, open_input
from simdup.near.methods.minhash import sketches
from simdup.text.analyzer import Analyzer
from simdup.text.counts import join
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.tokens import tokenizer

TEXTS = [(f"d{n}", prose(n % 40, 300)) for n in range(60)]
SKETCHED = [partial(sketches, criteria=Criteria())]


def alone(analyzer: Analyzer, makers: Sequence[Maker] = ()) -> BatchReader:
    return BatchReader(Reading(), Counting(analyzer, makers), analyzer.recipe)


def collector(analyzer: Analyzer, folder: str = "") -> Collector:
    return Collector(analyzer, SourceReport(), SpoolReader(folder))


def batches(size: int) -> list[TextBatch]:
    documents = [Document(*one) for one in TEXTS]
    chunks = (documents[i : i + size] for i in range(0, len(documents), size))
    return [TextBatch(tuple(chunk), sum(len(one.text) for one in chunk)) for chunk in chunks]


@pytest.mark.parametrize(
    "recipe", [Recipe(), Recipe(bits=128, hash="md5"), Recipe(tokens="chars:2")]
)
def test_independent_batches_give_the_counts_of_the_corpus(recipe: Recipe) -> None:
    analyzer = Analyzer.for_recipe(recipe)
    reader = pickle.loads(pickle.dumps(alone(analyzer, SKETCHED)))
    # Each batch as if from another machine, and in another order.
    found = {i: reader.read(batch) for i, batch in reversed(list(enumerate(batches(7))))}
    chunks = [found[i].counts for i in range(len(found))]
    apart = join(chunks, analyzer.hash_bytes, row_of=np.arange(len(TEXTS)))
    with ingest(open_input(TEXTS, Settings(recipe, run=RunOptions(jobs=1)))) as corpus:
        together = corpus.counts
        assert apart.ids.tolist() == together.ids.tolist()
        assert apart.hashes.tolist() == together.hashes.tolist()
        for number in range(len(TEXTS)):
            ours, theirs = apart.document(number), together.document(number)
            assert dict(zip(*ours[1:], strict=True)) == dict(zip(*theirs[1:], strict=True))
        bands = Documents.concat([found[i].tables["texts"] for i in range(len(found))])["keys"]
        assert bands.shape == (60, 18)
        assert (bands[0] == bands[40]).all()


def test_a_fingerprinter_that_travels_makes_the_same_fingerprints() -> None:
    analyzer = Analyzer.for_recipe(Recipe(idf="corpus"))
    joined = collector(analyzer)
    for batch in batches(60):
        joined.add(alone(analyzer).read(batch))
    corpus = joined.take()
    fingerprinter = Fingerprinter.for_corpus(analyzer, corpus.counts)
    travelled = pickle.loads(pickle.dumps(fingerprinter))
    assert travelled.digest == fingerprinter.digest
    assert travelled.fields == fingerprinter.fields
    expected = fingerprinter.fingerprints(corpus.counts)
    found = [travelled.fingerprints(analyzer.count([analyzer.prepare(t)])) for _, t in TEXTS]
    assert [one.hexes()[0] for one in found] == expected.hexes()


def test_columns_of_documents_have_copies_and_those_of_texts_do_not(tmp_path: Path) -> None:
    analyzer = Analyzer.for_recipe(Recipe())
    work = Counting(analyzer, [keys_of_titles, originals])
    read = BatchReader(Reading(), work, analyzer.recipe, str(tmp_path))(0)
    texts = [Document("a", "red  lantern"), Document("b", "red  lantern"), Document("c", " ")]
    found = read(TextBatch(tuple(texts), 30))
    documents = found.tables["documents"]
    assert documents["name"].tolist() == ["a", "b"]
    assert documents["first"].tolist() == [True, False]
    assert len(set(documents["title_key"].tolist())) == 1
    assert found.tables["texts"]["length"].tolist() == [10]
    left = [(one.before, one.skipped.document, one.skipped.reason) for one in found.left]
    assert left == [(2, "c", "empty")]
    joined = collector(analyzer, str(tmp_path))
    joined.add(found)
    corpus = joined.take()
    with closing(corpus.spool):
        assert [corpus.text(row) for row in range(2)] == ["red  lantern"] * 2


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
    documents = [Document(str(i), text) for i, text in enumerate(texts)]
    batches = [TextBatch((), 0)]
    batches += [TextBatch(tuple(documents[i : i + size]), 1) for i in range(0, len(texts), size)]
    with TemporaryDirectory() as folder:
        spool = None if standalone else folder
        read = BatchReader(Reading(), Counting(analyzer), analyzer.recipe, spool)(0)
        joined = collector(analyzer, folder)
        for batch in batches:
            joined.add(read(batch))
        corpus = joined.take()
        counts = corpus.counts
        rows = [counts.document(i) for i in range(len(corpus))]
        corpus.spool.close()

    skipped, kept = [], []
    for document in documents:
        text = document.text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text = plain.fold(text, simplified_characters()) if fold else text
        words = plain.words(text, lambda run: tokenizer(Recipe())([run]).lists()[0])
        if plain.solid(text):
            kept.append((document.name, plain.solid(text), Counter(words)))
        else:
            skipped.append((document.name, "empty"))
    assert [(one.document, one.reason) for one in corpus.report.skipped] == skipped
    digests = [blake2b(solid.encode(), digest_size=16).digest() for _, solid, _ in kept]
    assert corpus["digest"].tobytes() == b"".join(digests)
    found = [
        {counts.terms[column]: int(n) for column, n in zip(row.columns, row.values, strict=True)}
        for row in rows
    ]
    assert list(zip(corpus["name"], corpus["length"], found, strict=True)) == [
        (name, len(solid), words) for name, solid, words in kept
    ]


def test_a_skipped_document_needs_no_file_of_the_spool(tmp_path: Path) -> None:
    assert SpoolReader(str(tmp_path)).read(Slot(0, 0, 0)) == b""
