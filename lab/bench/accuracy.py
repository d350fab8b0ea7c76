"""What scans and an index find, compared with the pairs that there are.

A scan pairs each of identical texts with the first only. Pairs are therefore closed over identical
texts: if two texts are a pair, so are all that are identical to them.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein
from scipy.sparse import csr_matrix

from lab.corpora import real, templates
from lab.corpora.edits import OF_DOCUMENTS, OF_SHORT_TEXTS, NamePair, with_copies
from lab.measuring import JOBS, Ran, simdup
from lab.oracles.short_texts import same_facts
from lab.reporting import Cell, Row, Table, tabulate
from lab.trial import Trial, say
from simdup.model.criteria import SHORT, Shingling
from simdup.model.measures import MeasuredPairs
from simdup.model.recipe import Recipe
from simdup.operations.evaluate import from_pairs
from simdup.text.analyzer import Analyzer
from simdup.text.characters import fold
from simdup.text.shingles import Shingler, Shingles
from simdup.text.short_texts import forms_of

LEAST = 0.8  # the lowest similarity of near-duplicates
_ROWS = 256  # texts that are compared with all others at a time


# -- a scan and a truth --


class Scanned(NamedTuple):
    """What a scan finds: its pairs, those that share a cluster, its summary and its times."""

    pairs: set[NamePair]
    grouped: set[NamePair]
    by_edits: set[NamePair]  # pairs that edit similarity found, without identical ones
    summary: dict[str, Any]
    ran: Ran


def scan(path: Path, options: str = "") -> Scanned:
    """Scan records with the command; list all pairs, even of large clusters."""
    say(f"scan {options}")
    always = ("-q", "-f", "jsonl", "-j", JOBS, "--all-pairs", "--id-field", "id")
    ran = simdup("scan", *always, *shlex.split(options), path)
    records = ran.records
    clusters = [record for record in records if record["type"] == "cluster"]
    grouped = {
        ordered(a["document"], b["document"])
        for cluster in clusters
        for a, b in combinations(cluster["documents"], 2)
    }
    listed, identical, edits = list[NamePair](), list[NamePair](), set[NamePair]()
    for pair in (pair for cluster in clusters for pair in cluster["pairs"]):
        named = ordered(pair["a"], pair["b"])
        listed.append(named)
        if pair.get("exact"):
            identical.append(named)
        elif pair.get("measure") == "edit":
            edits.add(named)
    labels = from_pairs(listed, identical)
    groups = labels.groups
    closed = {
        ordered(*pair)
        for a, b in labels.links
        for pair in (combinations(groups[a], 2) if a == b else product(groups[a], groups[b]))
    }
    return Scanned(closed, grouped, edits, records[-1], ran)


def ordered(a: str, b: str) -> NamePair:
    """Return a pair, the smaller name first."""
    return (a, b) if a < b else (b, a)


def score(pairs: set[NamePair], true: set[NamePair]) -> dict[str, float]:
    """Compare found pairs with true ones."""
    both = len(pairs & true)
    return {
        "precision": both / len(pairs) if pairs else 1.0,
        "recall": both / len(true) if true else 1.0,
        "F1": 2 * both / (len(pairs) + len(true)) if pairs or true else 1.0,
    }


def share(true: Iterable[NamePair], pairs: set[NamePair]) -> float | None:
    """Return the share of true pairs among others."""
    wanted = set(true)
    return len(wanted & pairs) / len(wanted) if wanted else None


# -- truths --


def compact(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


def grams(text: str) -> Shingles:
    """Return the 5-grams of a folded text, hashed."""
    return Shingler(Shingling()).shingles(compact(fold(text)))


def jaccard(a: Shingles, b: Shingles) -> float:
    """Return the Jaccard similarity of the 5-grams of two texts."""
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / max(len(a) + len(b) - shared, 1)


def similar(texts: Iterable[str]) -> MeasuredPairs:
    """Return all pairs of texts that share 0.8 of their 5-grams, counted exactly."""
    sets = Shingler(Shingling()).distinct_sets(compact(fold(text)) for text in texts)
    sizes, columns = np.diff(sets.starts), np.unique(sets.hashes, return_inverse=True)[1]
    # Which text has which shingle: times its transpose, this counts what two texts share.
    ones = np.ones(len(columns), np.int32)
    matrix = csr_matrix((ones, columns, sets.starts))
    found = []
    for first in range(0, len(sizes), _ROWS):
        common = (matrix[first : first + _ROWS] @ matrix.T).tocoo()
        a, b = common.row.astype(np.int64) + first, common.col.astype(np.int64)
        share = common.data / (sizes[a] + sizes[b] - common.data)
        pairs = MeasuredPairs({"a": a, "b": b, "similarity": share})
        found.append(pairs.take((a < b) & (share >= LEAST)))
    return MeasuredPairs.concat(found)


def labelled(name: str, texts: dict[str, str]) -> set[NamePair]:
    """Return the known pairs: of poems by label, of others by similarity, unfolded."""
    return {
        ordered(a, b)
        for a, b, last in real.true_pairs(name)
        if a in texts and b in texts and (name == "poems" or float(last) >= LEAST)
    }


# -- real texts --

SIMHASH = "--method simhash"
OPTIONS = (
    "",  # auto
    "--recipe default,fold=false",
    SIMHASH,
    f"{SIMHASH} --recipe default,fold=false",
    f"{SIMHASH} -d 6",
    f"{SIMHASH} --recipe plain",
    f"{SIMHASH} --no-verify",
    "--method minhash",
    "--method minhash --recipe default,fold=false",
    f"{SIMHASH} --recipe default,hash=md5",
    f"{SIMHASH} --recipe default,hash=sha1",
    f"{SIMHASH} --recipe default,hash=sha256",
)


def accuracy(trial: Trial) -> Iterator[Table]:
    """Accuracy: precision, recall and F1 of scans against the known pairs of real texts.

    Truth: for laws and manual pages all pairs with a Jaccard similarity of at least 0.8 over
    character 5-grams, unfolded; for poems the label (the same poem, in another edition or script).
    Folding makes some texts more alike, so a second truth has all pairs of texts that are folded as
    a scan folds them.
    """
    for name in real.NAMES:
        texts = real.texts(name, trial.pick(300, None))
        path = real.write_records(texts.items(), trial.folder / f"{name}.jsonl").path
        names, pairs = list(texts), similar(texts.values())
        folded = zip(pairs["a"].tolist(), pairs["b"].tolist(), strict=True)
        truths = {
            "the same poem" if name == "poems" else f"Jaccard {LEAST}": labelled(name, texts),
            f"Jaccard {LEAST}, folded": {ordered(names[i], names[j]) for i, j in folded},
        }
        rows: list[Row] = []
        for options in trial.pick(OPTIONS[:1], OPTIONS):
            label = options or "(default: auto)"
            pairs = scan(path, options).pairs
            rows += [
                {"texts": name, "truth": truth, "true pairs": len(true), "options": label,
                 "found": len(pairs), **score(pairs, true)}
                for truth, true in truths.items()
            ]  # fmt: skip
        yield tabulate(f"Accuracy: {name}", rows)


# -- planted copies --

# Copies of each kind, each of another text; lengths of these texts in characters.
COPIES = 200
SHORTEST, LONGEST = 500, 20_000

METHODS = {
    "auto": "", "simhash -d 3": f"{SIMHASH} -d 3", "simhash -d 6": f"{SIMHASH} -d 6",
    "minhash": "--method minhash",
}  # fmt: skip
# For each similarity, what is measured beside these on pairs of at least that similarity.
# At 0.8 a scan should find few kinds; at 0.4 all of them.
PSTABLE = {0.8: "pstable", 0.4: "pstable, --cosine 0.9"}


def planted(trial: Trial) -> Iterator[Table]:
    """Planted copies of laws, changed in known ways, and which of them each method finds."""
    laws = list(real.texts("laws", trial.pick(300, None)).values())
    # Of equal laws the first may be an original.
    first = {compact(fold(text)): number for number, text in reversed(list(enumerate(laws)))}
    fit = sorted(n for n in first.values() if SHORTEST <= len(laws[n]) <= LONGEST)
    chance = random.Random(11)
    originals = chance.sample(fit, min(COPIES * len(OF_DOCUMENTS), len(fit)))
    texts, pairs = with_copies([laws[number] for number in originals], OF_DOCUMENTS, chance)
    every = {**pairs, "all": [pair for of_kind in pairs.values() for pair in of_kind]}
    alike = {(a, b): jaccard(grams(texts[a]), grams(texts[b])) for a, b in every["all"]}
    others = {f"law {n}": text for n, text in enumerate(laws) if n not in set(originals)}
    path = real.write_records((texts | others).items(), trial.folder / "planted.jsonl").path
    for least, pstable in PSTABLE.items():
        settings = METHODS | {pstable: f"--method {pstable.replace(',', '')}"}
        lower = f" -s {least}" if least < LEAST else ""
        scans = {name: scan(path, options + lower) for name, options in settings.items()}
        true_copies = f"at {least:g} or more"
        rows: list[Row] = []
        for kind, copies in every.items():
            true = [pair for pair in copies if alike[pair] >= least]
            recalls = {name: share(true, one.pairs) for name, one in scans.items()}
            rows.append(
                {"kind of copy": kind, "copies": len(copies), true_copies: len(true), **recalls}
            )
        costs = {
            "pairs checked a document": {
                name: one.summary["checked"] / one.summary["documents"]
                for name, one in scans.items()
            },
            f"seconds, {JOBS} jobs": {name: one.ran.seconds for name, one in scans.items()},
        }
        for cost, by_setting in costs.items():
            rows.append({"kind of copy": cost, "copies": None, true_copies: None, **by_setting})
        yield tabulate(f"Recall of planted copies, -s {least:g}", rows)


# With brute force, all pairs of so many short texts and their copies are compared.
COMPARED = 2000


def short_texts(trial: Trial) -> Iterator[Table]:
    """Short texts with one planted edit: what a scan finds, and whether it is right.

    Lines of 30 to 140 characters of the real texts are the originals. A pair is right if a brute
    force over all pairs, by the definition of edit similarity, has it too.
    """
    every = (text for name in real.NAMES for text in real.texts(name).values())
    lines = {line.strip() for text in every for line in text.splitlines()}
    originals = sorted(line for line in lines if 30 <= len(line) <= 140)
    random.Random(1).shuffle(originals)
    originals = originals[: trial.pick(300, 9500)]
    texts, pairs = with_copies(originals, OF_SHORT_TEXTS, random.Random(2))
    path = real.write_records(texts.items(), trial.folder / "short.jsonl").path
    rows: list[Row] = []
    for name, options in (("short texts", ""), (f"{SIMHASH} -d 64", f"{SIMHASH} -d 64")):
        scanned = scan(path, options)
        every = [pair for of_kind in pairs.values() for pair in of_kind]
        shares = {kind: share(true, scanned.grouped) for kind, true in pairs.items()}
        found = share(every, scanned.grouped)
        rows.append({"rule": name, "found": found, **shares, "s": scanned.ran.seconds})
    yield tabulate(f"{len(originals):,} short texts, each with one edit", rows)
    compared = dict(list(texts.items())[: 2 * trial.pick(150, COMPARED)])
    title = "All pairs by the definition of edit similarity"
    yield tabulate(title, [_compared(compared, trial.folder)])


def _compared(texts: dict[str, str], folder: Path) -> Row:
    """Compare all pairs by the definition of edit similarity."""
    names = list(texts)
    prepared = Analyzer.for_recipe(Recipe()).prepare_all(list(texts.values()))
    forms = forms_of(prepared)
    true = {
        ordered(names[i], names[j])
        for (i, a), (j, b) in combinations(zip(forms.rows.tolist(), forms.texts, strict=True), 2)
        if prepared[i].compact != prepared[j].compact
        and min(len(a), len(b)) < SHORT
        and Levenshtein.normalized_similarity(a, b, score_cutoff=LEAST) >= LEAST
        and same_facts(prepared[i].folded, prepared[j].folded)
    }
    path = real.write_records(texts.items(), folder / "compared.jsonl").path
    pairs = scan(path, f"-s {LEAST}").by_edits
    scores = score(pairs, true)
    del scores["F1"]
    return {"texts": len(texts), "true pairs": len(true), "found": len(pairs), **scores}


# -- pages of templates --

TEMPLATE_OPTIONS = ("-s 0.8", "-s 0.8 --cosine 0.9", "--same title -s 0.5")


def template_pages(trial: Trial) -> Iterator[Table]:
    """Templates: which settings tell a page's other versions from its siblings of one template."""
    rows: list[Row] = []
    for kind, (of_pages, others) in templates.CORPORA.items():
        texts, true = templates.pages(trial.pick(60, 1500), of_pages, others)
        path = real.write_records(texts.items(), trial.folder / "pages.jsonl").path
        for options in TEMPLATE_OPTIONS:
            scanned = scan(path, options)
            scores: dict[str, Cell] = dict(score(scanned.pairs, true))
            scores["F1 of clusters"] = score(scanned.grouped, true)["F1"]
            rows.append(
                {"other versions": kind, "pages": len(texts), "true pairs": len(true),
                 "settings": options, "pairs": len(scanned.pairs),
                 **(scores if true else dict.fromkeys(scores)),
                 "checked": scanned.summary["checked"], "processor seconds": scanned.ran.cpu}
            )  # fmt: skip
    note = "of the pairs of documents that share a cluster. Without true pairs, empty."
    yield tabulate("Versions of pages among their siblings", rows, f"F1 of clusters: {note}")
