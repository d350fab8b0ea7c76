"""How right the methods' answers are, and what they cost: one table a measure.

    python -m benchmarks.methods                          all measures
    python -m benchmarks.methods --only truth planted     some

`truth`         F1 of scans against the known pairs of laws, manual pages and poems
`planted`       copies of laws, made in ways that are known: which of them each method finds
`speed`         a scan by minhash beside one by simhash, and the making of signatures alone
`peer`          MinHash LSH of datasketch, if installed, beside minhash: 20 times as fast, better F1
`verification`  pairs a second, by resemblance, containment and cosine

Found pairs are closed over identical texts, of which a scan pairs each with the first only: if two
texts are a pair, so are all that are identical to them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import corpora
from benchmarks.measuring import SIMDUP, Ran, aligned, in_turn, ratio, run, say

LEAST = 0.8
JOBS = "2"

# A file's name without its suffix.
NamePair = tuple[str, str]
Table = list[tuple[str, ...]]


class Bench(NamedTuple):
    """How to measure: a folder for corpora, and rounds of what is timed."""

    folder: Path
    rounds: int


class Collection(NamedTuple):
    """A real collection as files.

    Attributes
    ----------
    folder : Path
        What to scan.
    texts : dict of (str, str)
        The texts by the names of their files.
    pairs : dict of (tuple of str, str)
        The known pairs, the smaller name first, and the last column of each.
    """

    folder: Path
    texts: dict[str, str]
    pairs: dict[NamePair, str]

    def alike(self) -> set[NamePair]:
        """Return the known pairs with a Jaccard coefficient of at least 0.8."""
        return {pair for pair, last in self.pairs.items() if float(last) >= LEAST}


class Scanned(NamedTuple):
    """What a scan found.

    Attributes
    ----------
    pairs : set of tuple of str
        Its pairs, closed.
    candidates : float
        How many it looked at, a document.
    ran : Ran
        Its times.
    """

    pairs: set[NamePair]
    candidates: float
    ran: Ran


def collection(name: str, folder: Path) -> Collection:
    """Write a collection as files and read its known pairs."""
    named = corpora.texts(name)
    stems = {identity: f"{number:07d}" for number, (identity, _) in enumerate(named)}
    corpora.write((text for _, text in named), folder)
    pairs = {_ordered(stems[a], stems[b]): last for a, b, last in corpora.true_pairs(name)}
    return Collection(folder, {stems[identity]: text for identity, text in named}, pairs)


def scan(folder: Path, texts: dict[str, str], options: Sequence[str]) -> Scanned:
    """Scan files with the command."""
    from simdup.evaluation.metrics import from_pairs
    from simdup.features.folding import fold

    ran = run([*SIMDUP, "scan", "-q", "-f", "jsonl", "-j", JOBS, *options, str(folder)])
    lines = [json.loads(line) for line in ran.output.splitlines()]
    found = [
        (Path(pair["a"]).stem, Path(pair["b"]).stem)
        for line in lines
        if line["type"] == "cluster"
        for pair in line["pairs"]
    ]
    folded: Callable[[str], str] = str if "--no-fold" in options else fold
    copies = [(a, b) for a, b in found if _solid(folded(texts[a])) == _solid(folded(texts[b]))]
    each = lines[-1]["candidates"] / max(lines[-1]["documents"], 1)
    return Scanned(set(from_pairs(found, copies).pairs), each, ran)


def _ordered(a: str, b: str) -> NamePair:
    return (a, b) if a < b else (b, a)


def _solid(text: str) -> str:
    return "".join(text.split())


def _reached(yes: bool) -> str:
    return "yes" if yes else "NO"


class Scores(NamedTuple):
    """How found pairs agree with true ones."""

    precision: float
    recall: float
    f1: float

    def cells(self) -> tuple[str, ...]:
        """Return them as cells of a table."""
        return tuple(f"{score:.4f}" for score in self)


def scores(found: set[NamePair], true: set[NamePair]) -> Scores:
    """Compare found pairs with true ones."""
    both = len(found & true)
    return Scores(
        both / len(found) if found else 1.0, both / len(true), 2 * both / (len(found) + len(true))
    )


def measure_truth(bench: Bench) -> list[Table]:
    """Hold scans against what is known of the collections.

    The truth of laws and manual pages is that of their texts as they are; folding makes some pairs
    more alike, so that a scan that folds is also held against a truth of folded texts, all pairs
    of which are counted here.
    """
    heads = ("texts", "truth", "options", "found", "precision", "recall", "F1", "target", "reached")
    rows: Table = [heads]
    for name in ("laws", "vsdocs"):
        rows += _alike_rows(name, collection(name, bench.folder / name))
    return [rows + _poem_rows(collection("poems", bench.folder / "poems"))]


def _alike_rows(name: str, texts: Collection) -> Table:
    known = f"Jaccard {LEAST}"
    truths = {False: (known, texts.alike()), True: (f"{known}, folded", _folded_truth(texts.texts))}
    rows: Table = []
    for options in ("--method minhash --no-fold", "--method minhash", "--no-fold", ""):
        say(f"{name} {options}")
        found = scan(texts.folder, texts.texts, options.split()).pairs
        folds = "--no-fold" not in options
        for folded in (False, True) if folds else (False,):
            truth, true = truths[folded]
            scored = scores(found, true)
            target, reached = "", ""
            # What folding makes alike is no mistake of the scan that was told to fold.
            if folded == folds and "minhash" in options:
                target, reached = "F1 at least 0.98", _reached(scored.f1 >= 0.98)
            elif folded == folds:
                target = "precision at least 0.98"
                reached = _reached(scored.precision >= 0.98)
            said = options or "(default recipe)"
            cells = (said, str(len(found)), *scored.cells(), target, reached)
            rows.append((name, f"{truth} ({len(true)})", *cells))
    return rows


def _folded_truth(texts: dict[str, str]) -> set[NamePair]:
    """Return all pairs of folded texts with a Jaccard coefficient of at least 0.8, by counting."""
    from simdup.features.folding import fold
    from simdup.verify.join import similar_pairs
    from simdup.verify.resemblance import shingles

    names = list(texts)
    sets = [shingles(_solid(fold(text))) for text in texts.values()]
    found = similar_pairs(sets, LEAST)
    return {(names[i], names[j]) for i, j in zip(found.i.tolist(), found.j.tolist(), strict=True)}


def _poem_rows(texts: Collection) -> Table:
    from simdup.ingest.counting import Effort
    from simdup.model.criteria import Criteria
    from simdup.model.reading import Reading
    from simdup.model.recipe import Recipe
    from simdup.operations.tune import tune

    say("poems")
    told = tune([str(texts.folder)], Recipe(), Criteria(), Reading(), Effort())
    advised = f"-s {told.similarity:g}"
    known = set(texts.pairs)
    rows: Table = []
    for options, note in [
        (told.advice, " (as tune advises)"),
        (f"{told.advice} --no-fold", ""),
        ("--method minhash", ""),
        (advised, ""),
        ("", "(default recipe)"),
    ]:
        found = scan(texts.folder, texts.texts, options.split()).pairs
        scored = scores(found, known)
        target, reached = "", ""
        if "advises" in note:
            target, reached = "F1 at least 0.95", _reached(scored.f1 >= 0.95)
        cells = (str(len(found)), *scored.cells(), target, reached)
        rows.append(("poems", f"the same poem ({len(known)})", options + note, *cells))
    return rows


# Copies of each kind, each of another text, and the texts' characters.
COPIES = 200
SHORTEST, LONGEST = 500, 20_000


def _changed(share: float) -> Callable[[str, random.Random], str]:
    """Return the change of a share of a text's characters, white space left alone."""

    def change(text: str, chance: random.Random) -> str:
        characters = list(text)
        places = [place for place, one in enumerate(characters) if not one.isspace()]
        others = sorted({characters[place] for place in places})
        for place in chance.sample(places, max(1, round(share * len(places)))):
            characters[place] = chance.choice([one for one in others if one != characters[place]])
        return "".join(characters)

    return change


def _moved(text: str, chance: random.Random) -> str:
    """Move a tenth of the sentences to other places."""
    sentences = re.findall(r"[^。]*。\s*|[^。]+$", text)
    for _ in range(max(1, len(sentences) // 10)):
        sentence = sentences.pop(chance.randrange(len(sentences)))
        sentences.insert(chance.randrange(len(sentences) + 1), sentence)
    return "".join(sentences)


def _headed(text: str, chance: random.Random) -> str:
    """Add what a site writes above its texts: some 110 characters."""
    day = f"{chance.randint(1990, 2024)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    number, reads = chance.randint(10_000, 99_999), chance.randint(100, 99_999)
    return (
        f"首页 > 资料库 > 法规全文 > 第{number}号\n"
        f"发布日期：{day}　浏览次数：{reads}　字号：大 中 小　打印本页　收藏　关闭窗口\n"
        "【提示】本站转载的内容仅供学习与参考，如与正式文本不一致，以正式文本为准。\n\n" + text
    )


def _cut(text: str, chance: random.Random) -> str:
    """Cut a tail off: a twentieth to three tenths of the text."""
    return text[: round(len(text) * (1 - chance.uniform(0.05, 0.3)))]


KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "1 % of characters changed": _changed(0.01),
    "2 % of characters changed": _changed(0.02),
    "5 % of characters changed": _changed(0.05),
    "10 % of characters changed": _changed(0.1),
    "a tenth of sentences moved": _moved,
    "a header of 110 characters": _headed,
    "a tail of 5 to 30 % cut": _cut,
}


class Planted(NamedTuple):
    """A document, its copy, the kind of copy, and how alike the folded texts are."""

    pair: NamePair
    kind: str
    similarity: float


# The sets of settings that are held against the planted pairs that are alike from some similarity
# on: at the usual one only the pairs that are meant to be found; at a lower one all kinds.
SETTINGS: dict[float, dict[str, str]] = {
    0.8: {
        "simhash -d 3": "-d 3",
        "simhash -d 6": "-d 6",
        "minhash": "--method minhash",
        "pstable": "--method pstable",
    },
    0.4: {
        "simhash -d 3": "-d 3 -s 0.4",
        "simhash -d 6": "-d 6 -s 0.4",
        "minhash": "--method minhash -s 0.4",
        "pstable, --cosine 0.9": "--method pstable --cosine 0.9 -s 0.4",
    },
}


def measure_planted(bench: Bench) -> list[Table]:
    """Plant copies among all laws and find them again."""
    texts, planted = _planted(bench.folder / "planted")
    tables: list[Table] = []
    for least, settings in SETTINGS.items():
        found: dict[str, Scanned] = {}
        for title, options in settings.items():
            say(f"planted, {options}")
            found[title] = scan(bench.folder / "planted", texts, options.split())
        usual = f"truly at {least:g} or more"
        rows: Table = [(f"recall at -s {least:g}", "copies", usual, *settings)]
        for kind in (*KINDS, "all"):
            of_kind = [one for one in planted if kind in (one.kind, "all")]
            true = {one.pair for one in of_kind if one.similarity >= least}
            recalls = (
                f"{len(true & scanned.pairs) / len(true):.3f}" if true else "-"
                for scanned in found.values()
            )
            share = f"{len(true) / len(of_kind):.1%}"
            rows.append((kind, str(len(of_kind)), share, *recalls))
        each = (f"{scanned.candidates:.2f}" for scanned in found.values())
        rows.append(("candidates a document", "", "", *each))
        spent = (f"{scanned.ran.seconds:.1f}" for scanned in found.values())
        rows.append((f"seconds, {JOBS} jobs", "", "", *spent))
        tables.append(rows)
    return tables


def _planted(folder: Path) -> tuple[dict[str, str], list[Planted]]:
    """Write all laws, and behind them copies of some: of each kind so many, each of another law."""
    from simdup.features.folding import fold
    from simdup.verify.resemblance import resemblance, shingles

    chance = random.Random(11)
    contents = [text for _, text in corpora.texts("laws")]
    first = {_solid(fold(text)): place for place, text in reversed(list(enumerate(contents)))}
    fit = sorted(p for p in first.values() if SHORTEST <= len(contents[p]) <= LONGEST)
    originals = chance.sample(fit, min(COPIES * len(KINDS), len(fit)))
    planted: list[Planted] = []
    for number, place in enumerate(originals):
        kind = list(KINDS)[number % len(KINDS)]
        copy = KINDS[kind](contents[place], chance)
        sets = (shingles(_solid(fold(text))) for text in (contents[place], copy))
        pair = (f"{place:07d}", f"{len(contents):07d}")
        planted.append(Planted(pair, kind, resemblance(*sets)))
        contents.append(copy)
    corpora.write(contents, folder)
    return {f"{number:07d}": text for number, text in enumerate(contents)}, planted


def measure_speed(bench: Bench) -> list[Table]:
    """Time scans by both methods, and the making of their signatures from the same tokens."""
    rows: Table = [("measure", "minhash", "simhash", "ratio", "target", "reached")]
    corpus = corpora.real(bench.folder / "real")
    command = [*SIMDUP, "scan", "-q", "-j", JOBS, "-f", "jsonl", str(corpus.folder)]
    by_method = [
        lambda method=method: run([*command, "--method", method])
        for method in ("minhash", "simhash")
    ]
    ours, theirs = in_turn(bench.rounds, *by_method)
    for title, field in (("seconds", "seconds"), ("seconds of work (CPU)", "cpu")):
        minhash, simhash = ([getattr(ran, field) for ran in rans] for rans in (ours, theirs))
        times = ratio(minhash, simhash)
        rows.append(
            (
                f"scan of laws + vsdocs, {corpus.size / 1e6:.0f} MB, {JOBS} jobs: {title}",
                f"{statistics.median(minhash):.2f}",
                f"{statistics.median(simhash):.2f}",
                f"{times:.2f}",
                "at most 1.3" if field == "seconds" else "",
                _reached(times <= 1.3) if field == "seconds" else "",
            )
        )
    return [rows + _signature_rows(bench.rounds)]


def _signature_rows(rounds: int) -> Table:
    """Time signatures and band keys, and fingerprints, of blocks of tokens as a scan cuts them."""
    from simdup.features.counts import join
    from simdup.features.folding import fold
    from simdup.features.tokens import tokenizer
    from simdup.fingerprints.bands import MinhashBands, minhash_banding, ordered_words
    from simdup.fingerprints.fingerprinter import resolve_idf, sketch
    from simdup.ingest.counting import term_counter
    from simdup.model.criteria import Criteria
    from simdup.model.recipe import Recipe

    recipe = Recipe()
    cut = tokenizer(recipe)
    folded = [fold(text) for name in ("laws", "vsdocs") for _, text in corpora.texts(name)]
    tokens = [cut(text) for text in folded]
    solid = [_solid(text) for text in folded]
    blocks = _blocks([len(text.encode()) for text in folded])
    banding = minhash_banding(Criteria())

    def fingerprints() -> None:
        counter = term_counter(recipe)
        counted = [(0, counter.count(tokens[block])) for block in blocks]
        counts = join(counted, recipe.bits // 8)
        sketch(counts, resolve_idf(recipe, counts), recipe)

    words = list(map(ordered_words(recipe), folded))

    def signatures(shingle: int | str) -> None:
        making = MinhashBands(banding, shingle)
        for block in blocks:
            making.keys(solid[block], words[block])

    fingerprints()  # imports what it needs
    shingles: tuple[int | str, ...] = (5, "words:2")
    works = [lambda shingle=shingle: _clocked(lambda: signatures(shingle)) for shingle in shingles]
    *ours, theirs = in_turn(rounds, *works, lambda: _clocked(fingerprints))
    return [
        (
            f"{banding.size} hashes, {banding.bands} keys, --shingle {shingle}: seconds, 1 process",
            f"{statistics.median(taken):.2f}",
            f"{statistics.median(theirs):.2f}",
            f"{ratio(taken, theirs):.2f}",
            "at most 2",
            _reached(ratio(taken, theirs) <= 2),
        )
        for shingle, taken in zip(shingles, ours, strict=True)
    ]


def _blocks(sizes: Iterable[int]) -> list[slice]:
    """Cut documents into blocks of about as many bytes as a scan's."""
    from simdup.corpus.batches import BATCH_BYTES

    blocks, first, held, last = [], 0, 0, 0
    for last, size in enumerate(sizes, 1):
        held += size
        if held >= BATCH_BYTES:
            blocks.append(slice(first, last))
            first, held = last, 0
    return [*blocks, slice(first, last)] if first < last else blocks


def _clocked(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


# Every so many of the documents that go to the way of datasketch that is slow.
SAMPLE = 10


class Raced(NamedTuple):
    """What a way to find pairs makes of the collections.

    Attributes
    ----------
    seconds : float
        All it took.
    documents : int
        Of how many documents.
    rated : list of str
        F1 of each collection, as cells.
    """

    seconds: float
    documents: int
    rated: list[str]

    def times(self, other: Raced) -> float:
        """Return how many times as many documents a second these are."""
        return self.documents / self.seconds / (other.documents / other.seconds)


def measure_peer(bench: Bench) -> list[Table]:
    """Find the pairs of laws and manual pages with datasketch and by minhash.

    datasketch gets the texts in memory, without white space; its time is that of signatures,
    index and queries.  It does not verify: its pairs are what its index proposes, or those of
    them whose signatures agree in 0.8 of their places.  *In memory* gets the same texts, in one
    process as well, and its time is that of signatures, search and verification.  A scan's time is
    that of the whole command: start, files, words, weights and fingerprints as well.
    """
    named = {name: collection(name, bench.folder / name) for name in ("laws", "vsdocs")}
    documents = sum(len(one.texts) for one in named.values())
    solid = {
        name: {stem: _solid(text) for stem, text in one.texts.items()}
        for name, one in named.items()
    }

    def raced(find: Callable[[str], tuple[float, set[NamePair]]]) -> Raced:
        seconds, rated = 0.0, []
        for name, one in named.items():
            spent, found = find(name)
            seconds += spent
            rated.append(f"{scores(found, one.alike()).f1:.4f}")
        return Raced(seconds, documents, rated)

    def scanned(jobs: str) -> Raced:
        def find(name: str) -> tuple[float, set[NamePair]]:
            options = ["--method", "minhash", "--no-fold", "-j", jobs]
            found = scan(named[name].folder, named[name].texts, options)
            return found.ran.seconds, found.pairs

        return raced(find)

    works = [
        lambda: raced(lambda name: _in_memory(solid[name])),
        lambda: scanned("2"),
        lambda: scanned("1"),
    ]
    titles = ("minhash in memory, 1 process", "simdup scan, 2 jobs", "simdup scan, 1 job")
    medians = [sorted(of_work)[len(of_work) // 2] for of_work in in_turn(bench.rounds, *works)]
    ours = dict(zip(titles, medians, strict=True))
    theirs: dict[str, Raced] = {}
    try:
        import datasketch  # type: ignore[import-untyped]
    except ImportError:
        say("datasketch is not installed")
    else:
        version = f"datasketch {datasketch.__version__}"
        say(version)
        of_each = {name: _datasketch(one, "update_batch") for name, one in solid.items()}
        theirs[f"{version}, update_batch"] = raced(lambda name: of_each[name][:2])
        sifted = raced(lambda name: (of_each[name][0], of_each[name][2]))
        # A sample has hardly any pairs: all it tells is the speed.
        samples = [dict(list(one.items())[::SAMPLE]) for one in solid.values()]
        seconds = sum(_datasketch(sample, "update")[0] for sample in samples)
        title = f"{version}, update, one document in {SAMPLE}"
        theirs[title] = Raced(seconds, sum(map(len, samples)), ["-"] * len(named))
    rows: Table = [("way", "documents/s", *(f"F1 {name}" for name in named), *theirs)]
    if not theirs:
        rows[0] += ("datasketch",)
    for title, one in (ours | theirs).items():
        times = [f"{one.times(other):.1f}x" for other in theirs.values()] or ["not installed"]
        cells = times if title in ours else [""] * len(times)
        rows.append((title, f"{one.documents / one.seconds:,.0f}", *one.rated, *cells))
    if theirs:
        title = "update_batch, less pairs that it estimates below 0.8"
        rows.append((title, "", *sifted.rated, *([""] * len(theirs))))
    return [rows]


def _in_memory(texts: dict[str, str]) -> tuple[float, set[NamePair]]:
    """Return the seconds and the pairs by the library's own steps."""
    from simdup.fingerprints.bands import MinhashBands, minhash_banding
    from simdup.model.criteria import Criteria
    from simdup.search.banding import candidates
    from simdup.verify.cosine import Vector
    from simdup.verify.resemblance import shingles
    from simdup.verify.verifier import Verifier

    def no_vector(document: int) -> Vector:
        raise AssertionError(f"nobody asked for the cosine of {document}")

    names, solid = list(texts), list(texts.values())
    blocks = _blocks([len(text.encode()) for text in solid])
    criteria = Criteria(similarity=LEAST)
    pairs: set[NamePair] = set()
    started = time.perf_counter()
    making = MinhashBands(minhash_banding(criteria), criteria.shingle)
    keys = np.concatenate([making.keys(solid[block], []) for block in blocks])
    verifier = Verifier(lambda i: shingles(solid[i]), no_vector, criteria)
    for i, j in candidates(keys):
        for a, b in zip(i.tolist(), j.tolist(), strict=True):
            if criteria.accepts(verifier.measure(a, b)):
                pairs.add(_ordered(names[a], names[b]))
    return time.perf_counter() - started, pairs


def _datasketch(texts: dict[str, str], way: str) -> tuple[float, set[NamePair], set[NamePair]]:
    """Return the seconds, the pairs proposed, and those whose signatures say 0.8 or more."""
    from datasketch import MinHash, MinHashLSH  # type: ignore[import-untyped,unused-ignore]

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
        pairs.update(_ordered(name, other) for other in index.query(made))
        index.insert(name, made)
    seconds = time.perf_counter() - started
    agree = {(a, b) for a, b in pairs if signatures[a].jaccard(signatures[b]) >= LEAST}
    return seconds, pairs, agree


def measure_verification(bench: Bench) -> list[Table]:
    """Verify pairs by all three measures, texts and counts lying in the spool, as a scan does.

    *Made before*: shingles and vectors are at hand, as from the second pair of a document on;
    *made now*: those of both documents must be made first.
    """
    heads = (
        "documents of",
        "measures",
        "made before",
        "made now",
        "target, made before",
        "reached",
    )
    rows: Table = [heads]
    for title, length in (("2 kB (667 characters)", 667), ("2,000 characters", 2000)):
        rows += _verification_rows(title, length, bench.rounds)
    return [rows]


def _verification_rows(title: str, length: int, rounds: int, pairs: int = 2000) -> Table:
    from simdup.fingerprints.fingerprinter import resolve_idf, shingler_for, vectors
    from simdup.ingest.counting import Effort, Wanted, gathered, open_sources
    from simdup.model.criteria import Criteria
    from simdup.model.reading import Reading
    from simdup.model.recipe import Recipe
    from simdup.verify.verifier import Verifier

    say(f"verification, {title}")
    texts = corpora.edited_pairs(pairs, length)
    recipe, reading, numbers = Recipe(), Reading(), range(0, 2 * pairs, 2)
    asked = {
        "resemblance": Criteria(),
        "resemblance, containment": Criteria(containment=0.9),
        "resemblance, cosine": Criteria(cosine=0.9),
        "resemblance, containment, cosine": Criteria(containment=0.9, cosine=0.9),
    }
    intake = open_sources(((str(n), text) for n, text in enumerate(texts)), reading, Effort(jobs=1))
    rows: Table = []
    with gathered(intake, recipe, reading, Wanted(texts=True)) as (_, counts, text_of):
        vector_of = vectors(counts, resolve_idf(recipe, counts), recipe)
        for measures, criteria in asked.items():
            cut = shingler_for(criteria, recipe)

            def verifier(cut: Any = cut, criteria: Criteria = criteria) -> Verifier:
                # More than they need, so that nothing is made twice.
                return Verifier(lambda i: cut(text_of(i)), vector_of, criteria, 1 << 30)

            def verify(made: Verifier) -> float:
                return _clocked(lambda: [made.measure(i, i + 1) for i in numbers])

            # A new verifier meets each document for the first time, and then again.
            fresh = [verifier() for _ in range(rounds)]
            first, again = ([verify(made) for made in fresh] for _ in range(2))
            rates = [pairs / statistics.median(taken) for taken in (again, first)]
            shown = (f"{rate:,.0f} pairs/s" for rate in rates)
            reached = _reached(rates[0] >= 20_000)
            rows.append((title, measures, *shown, "at least 20,000", reached))
    return rows


MEASURES: dict[str, Callable[[Bench], list[Table]]] = {
    "truth": measure_truth,
    "planted": measure_planted,
    "speed": measure_speed,
    "peer": measure_peer,
    "verification": measure_verification,
}


def main() -> None:
    """Measure what is asked for and print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.methods",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", nargs="+", choices=MEASURES, default=MEASURES, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of what is timed [3]")
    given = parser.parse_args()
    corpora.data_folder()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores{load}; medians of rounds")
    for name in given.only:
        say(name)
        with tempfile.TemporaryDirectory(prefix="simdup-methods-") as folder:
            for rows in MEASURES[name](Bench(Path(folder), given.rounds)):
                print("\n" + aligned(rows), flush=True)


if __name__ == "__main__":
    main()
