"""How well simdup finds what a folder of labelled documents says: near-duplicates, or passages."""

from __future__ import annotations

import math
import shlex
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean

from sklearn.metrics import adjusted_rand_score

from lab.corpora import real
from lab.corpora.edits import NamePair
from lab.corpora.labels import (
    Case,
    LabelledFolder,
    Plagiarism,
    is_plagiarism,
    labels_of,
    read_folder,
    read_plagiarism,
)
from lab.measuring import JOBS, Ran, simdup
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial, say
from simdup.operations.evaluate import (
    LabelledPairs,
    from_clusters,
    from_pairs,
    measure,
    read_labels,
)

Span = tuple[int, int]


def labelled(trial: Trial) -> Iterator[Table]:
    """Folders with labels that you name: precision, recall, F, ARI, plagdet of scan or passages."""
    if not trial.folders:
        raise real.NoTexts("name a folder with labels: python -m lab bench labelled FOLDER")
    for folder in trial.folders:
        say(f"labelled: {folder}")
        if is_plagiarism(folder):
            yield tabulate(f"Passages: {folder.name}", _passages(folder, trial.options))
        else:
            found = read_folder(folder, trial.least_score)
            path = real.write_records(found.texts.items(), trial.folder / "docs.jsonl").path
            kind = labels_of(folder).name
            note = "ARI: of all documents; one without near-duplicates is a cluster by itself"
            rows = _scans(found, path, kind, trial.options)
            yield tabulate(f"Near-duplicates: {folder.name}", rows, note)


# -- near-duplicates --


def _scans(folder: LabelledFolder, path: Path, kind: str, options: str) -> Iterator[Row]:
    """Score what a scan finds: all of it, then only the pairs that have a label.

    Against clusters, all pairs within a found cluster count; against pairs, those that hold.
    """
    output = path.with_name("found.jsonl")
    arguments = ("scan", path, "-q", "--id-field", "id", "-j", JOBS, "--all-pairs", "-o", output)
    ran = simdup(*arguments, *shlex.split(options))
    found, truth = read_labels(str(output)), folder.truth
    are_clusters = all(a == b for a, b in truth.links)
    if are_clusters:
        found = from_clusters(found.clusters)
    figures = measure(found, truth)
    yield {
        "labels": kind, "options": options or "(default)",
        "counted": "pairs within clusters" if are_clusters else "pairs",
        "documents": len(folder.texts), "true pairs": figures.true_pairs,
        "found": figures.found_pairs, "precision": figures.precision, "recall": figures.recall,
        "F1": figures.f1, "ARI": rand_index(folder.texts, found, truth), "CPU s": ran.cpu,
    }  # fmt: skip
    if folder.different:
        wrong = measure(found, from_pairs(folder.different)).both_pairs
        right = figures.both_pairs
        yield {
            "labels": kind, "options": options or "(default)", "counted": "pairs with a label",
            "documents": len(folder.texts), "true pairs": figures.true_pairs,
            "found": right + wrong, "precision": _share(right, right + wrong),
            "recall": figures.recall, "F1": _share(2 * right, right + wrong + figures.true_pairs),
            "ARI": None, "CPU s": ran.cpu,
        }  # fmt: skip


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def rand_index(names: Collection[str], found: LabelledPairs, truth: LabelledPairs) -> float:
    """Return the adjusted Rand index of two partitions of all documents."""
    sides = []
    for side in (found, truth):
        number = {name: i for i, cluster in enumerate(side.clusters, 1) for name in cluster}
        sides.append([number.get(name, -place) for place, name in enumerate(names)])
    return float(adjusted_rand_score(*sides))


# -- passages --


def _passages(folder: Path, options: str) -> Iterator[Row]:
    """Score the passages that are found, as PAN does."""
    corpus = read_plagiarism(folder)
    arguments = ("passages", corpus.suspicious, "--reference", corpus.sources, "-q", "-f", "jsonl")
    ran = simdup(*arguments, "-j", JOBS, *shlex.split(options))
    found = detections(corpus, ran)
    yield {
        "options": options or "(default)", "pairs": len(corpus.pairs) or None,
        "cases": len(corpus.cases), "passages": len(found),
        **scores(sorted(corpus.cases), found), "CPU s": ran.cpu,
    }  # fmt: skip


def detections(corpus: Plagiarism, ran: Ran) -> list[Case]:
    """Return the passages that a run found between pairs that count."""
    found = []
    for record in ran.records:
        if record["type"] != "overlap":
            continue
        document, source = Path(record["a"]).name, Path(record["b"]).name
        if corpus.counts(document, source):
            spans = ((one["a"], one["b"]) for one in record["passages"])
            found += [Case(document, *here, source, *there) for here, there in spans]
    return found


def scores(cases: Sequence[Case], found: Sequence[Case]) -> dict[str, float]:
    """Return macro and micro precision and recall, granularity and plagdet.

    A passage detects a case if they overlap in both documents.  Precision is the share of a
    passage's characters, of both documents, that cases have which it detects; recall the share of
    a case's characters that its passages have.  Macro figures are means over passages or cases,
    micro figures count characters of all.  Granularity is the mean number of passages of a detected
    case; plagdet is the F1 of the macro figures over log2(1 + granularity).

    References
    ----------
    M. Potthast, B. Stein, A. Barrón-Cedeño, P. Rosso, "An Evaluation Framework for Plagiarism
    Detection", COLING 2010.
    """
    recall, per_case, met = _covered(cases, found)
    precision, _, _ = _covered(found, cases)
    both = sum(map(_length, met.values()))
    detected = [number for number in per_case if number]
    granularity = mean(detected) if detected else 1.0
    f1 = _harmonic(precision, recall)
    return {
        "precision": precision, "recall": recall, "F1": f1, "granularity": granularity,
        "plagdet": f1 / math.log2(1 + granularity),
        "micro precision": _share(both, _extent(found)),
        "micro recall": _share(both, _extent(cases)),
    }  # fmt: skip


def _harmonic(a: float, b: float) -> float:
    return 2 * a * b / (a + b) if a + b else 0.0


def _covered(
    cases: Sequence[Case], others: Sequence[Case]
) -> tuple[float, list[int], dict[str, list[Span]]]:
    """Return the mean share of a case that others have, and how many others each has.

    Last, the spans of all that are shared, by document.
    """
    between = defaultdict[NamePair, list[Case]](list)
    for other in others:
        between[other.document, other.source].append(other)
    shares, numbers, every = [], [], defaultdict[str, list[Span]](list)
    for case in cases:
        here, there = list[Span](), list[Span]()
        for other in between[case.document, case.source]:
            first = max(case.start, other.start), min(case.end, other.end)
            start, end = case.source_start, case.source_end
            second = max(start, other.source_start), min(end, other.source_end)
            if first[0] < first[1] and second[0] < second[1]:
                here.append(first)
                there.append(second)
        numbers.append(len(here))
        # A document may be suspicious in one pair and a source in another.
        every[f"suspicious {case.document}"] += here
        every[f"source {case.source}"] += there
        shares.append((_length(here) + _length(there)) / _size(case))
    return (mean(shares) if shares else float(not others)), numbers, every


def _size(case: Case) -> int:
    return case.end - case.start + case.source_end - case.source_start


def _extent(cases: Iterable[Case]) -> int:
    """Return how many characters of documents are in cases."""
    spans: Mapping[str, list[Span]] = defaultdict(list)
    for case in cases:
        spans[f"suspicious {case.document}"].append((case.start, case.end))
        spans[f"source {case.source}"].append((case.source_start, case.source_end))
    return sum(map(_length, spans.values()))


def _length(spans: Iterable[Span]) -> int:
    """Return how many places spans cover together."""
    covered, reached = 0, 0
    for start, end in sorted(spans):
        covered += max(0, end - max(start, reached))
        reached = max(reached, end)
    return covered
