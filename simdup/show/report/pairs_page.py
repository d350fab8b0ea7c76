"""The page of texts side by side: of a scan, a cleaned corpus, a query, a comparison, an audit.

Each of them gives clusters: the rows of the list, of which two texts at a time are compared.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from simdup.base.system import common_folder, quoted
from simdup.corpus.files import STDIN
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.criteria import Criteria
from simdup.model.documents import Document
from simdup.model.formats import PageOptions
from simdup.model.settings import Settings
from simdup.near.findings import Findings, Origins
from simdup.show.report.chunks import add_texts
from simdup.show.report.columns import by_folder, folder_of, overview
from simdup.show.report.page import write_clusters
from simdup.show.streams import open_output
from simdup.show.words import CHINESE, ENGLISH

if TYPE_CHECKING:
    from simdup.index.match import QueryResult, QueryResults
    from simdup.model.comparison import Comparison
    from simdup.near.audit_sample import Sample
    from simdup.text.fingerprinter import Fingerprinter


def scan_page(
    result: Findings, options: PageOptions, removed: Collection[str] = ()
) -> Iterator[bytes]:
    """Return the page of a result.

    Parameters
    ----------
    result : Findings
        Of a scan, or of the cleaning of a corpus.
    options : PageOptions
        What the page carries.
    removed : collection of str
        The documents that a cleaned corpus lacks.
    """
    origins, clusters = result.origins, result.clusters
    about = {
        "title": _title(origins),
        "criteria": criteria_values(origins.criteria),
        "recipe": result.summary.recipe,
        "hint": result.hint,
        **overview(
            clusters, _figures(result, origins), _folders(result, origins),
            result.skipped, result.notes,
        ),
    }  # fmt: skip
    add = partial(add_texts, clusters=clusters, origins=origins, differing=result.facts)
    return write_clusters(
        clusters, about, options, origins.documents, add, result.references, frozenset(removed)
    )


def write_page(result: Findings, path: str, options: PageOptions) -> None:
    """Write the page of a result to a file, whole or not at all."""
    page = scan_page(result, options)
    with open_output(path) as stream:
        stream.writelines(page)


def comparison_page(
    compared: Comparison,
    documents: tuple[Document, Document],
    fingerprinter: Fingerprinter,
    options: PageOptions,
) -> Iterator[bytes]:
    """Return the page of two documents; the second is redundant if they are near-duplicates."""
    from simdup.show.verdict import verdict

    origins = Origins.of_texts(documents, Settings(criteria=compared.criteria), fingerprinter)
    a, b = (document.name for document in documents)
    prints = [(digits or "").zfill(compared.bits // 4) for digits in compared.fingerprints]
    role = "redundant" if compared.duplicates else "kept"
    figures: Any = {"similarity": compared.similarity, "measure": compared.measure}
    second = Member(b, role, prints[1], compared.distance, number=1, beside=0, **figures)
    pair = Pair(a, b, compared.distance, compared.identical, **figures)
    members = (Member(a, "kept", prints[0], None, number=0, beside=0), second)
    clusters = [Cluster(1, members, (pair,))]
    texts, verdicts = (documents[0].text, documents[1].text), {}
    for words in (ENGLISH, CHINESE):
        # Where the texts are in the page, the reader lists the facts.
        judged = verdict(compared, texts, words, ("A", "B"), brief=options.texts != 0)
        verdicts[words.language] = judged.answer, judged.sentence(words)
    about = {
        "title": "",  # the heading has both names
        "verdict": verdicts,
        "criteria": criteria_values(compared.criteria),
        "recipe": compared.recipe,
        **overview(clusters, {"clusters": 1, "pairs": 1}, [], (), ()),
    }
    add = partial(add_texts, clusters=clusters, origins=origins)
    return write_clusters(clusters, about, replace(options, kind="compare"), origins.documents, add)


def audit_page(
    sample: Sample, origins: Origins, options: PageOptions, path: str = ""
) -> Iterator[bytes]:
    """Return the page of a sample: pairs, to be judged one after another.

    What might sway a judge, the similarity of a pair, is shown once it is judged.  Pairs are in the
    order in which they were drawn, so that a page that is judged in part is a smaller sample.

    Parameters
    ----------
    sample : Sample
        The pairs.
    origins : Origins
        Has their documents, as far as there are texts.
    options : PageOptions
        What the page carries.
    path : str
        The file that the pairs were found in; empty for a result in Python.
    """
    rows = {str(name): row for row, name in enumerate(origins.documents["name"].tolist())}

    def member(name: str, role: str, **figures: Any) -> Member:
        # One whose text is missing has a row that no text has.
        return Member(name, role, None, None, number=rows.get(name, len(rows)), **figures)

    clusters = []
    for i, pair in enumerate(sample.pairs, 1):
        goes = member(pair.goes, "redundant", similarity=pair.similarity)
        listed = Pair(pair.stays, pair.goes, None, similarity=pair.similarity)
        clusters.append(Cluster(i, (member(pair.stays, "kept"), goes), (listed,)))
    judged = ["simdup", "evaluate", path or "FOUND", "--judged", "decisions.jsonl"]
    about = {
        "title": os.path.basename(path),
        "criteria": {},
        **overview(clusters, {"clusters": len(clusters)}, [], (), ()),
        "audit": {
            "seed": sample.seed,
            "removal": sample.removal,
            "bands": sample.bands,
            "next": quoted(judged),
        },
    }
    add = partial(add_texts, clusters=clusters, origins=origins)
    return write_clusters(clusters, about, replace(options, kind="audit"), origins.documents, add)


def query_page(
    answers: Iterable[QueryResult],
    results: QueryResults,
    index: str,
    stored: int,
    criteria: Criteria,
    recipe: dict[str, Any],
    options: PageOptions,
) -> Iterator[bytes]:
    """Return the page of a query: each document that has matches, with these.

    An index keeps no texts, so a pair has its figures only; of documents without a match nothing is
    kept but their folders.

    Parameters
    ----------
    answers, results
        The results as they arrive, and what is known of the query at their end.
    index, stored : str, int
        The path of the index, and how many documents it had before the query.
    criteria, recipe, options
        How documents were compared, and what the page carries.
    """
    clusters: list[Cluster] = []
    folders: Counter[str] = Counter()
    added = 0
    for answer in answers:
        folders[folder_of(answer.document)] += 1
        added += answer.added
        if not answer.matches:
            continue
        members = [Member(answer.document, "kept", None, None, number=len(clusters))]
        pairs = []
        for name, distance, similarity in answer.matches:
            figures: Any = {"estimated": similarity is not None, "similarity": similarity}
            members.append(Member(name, "redundant", None, distance, **figures))
            pairs.append(Pair(answer.document, name, distance, **figures))
        clusters.append(Cluster(len(clusters) + 1, tuple(members), tuple(pairs)))
    figures = {
        "documents": folders.total(),
        "clusters": len(clusters),
        "pairs": sum(len(cluster.pairs) for cluster in clusters),
        "added": added,
        "stored": stored,
        "skipped": len(results.skipped),
        "redundant": 0,
    }
    asked = (folder_of(cluster.members[0].name) for cluster in clusters)
    least = {"similarity": criteria.similarity} if criteria.verify else {}
    about = {
        "title": os.path.basename(index),
        "criteria": {"distance": criteria.distance, **least, "verify": criteria.verify},
        "recipe": recipe,
        **overview(
            clusters, figures, by_folder(folders.elements(), asked), results.skipped, results.notes
        ),
    }  # fmt: skip
    return write_clusters(clusters, about, replace(options, kind="query", texts=0), None)


def criteria_values(criteria: Criteria) -> dict[str, Any]:
    """Return criteria as a page shows them."""
    values = asdict(criteria) | {"shingle": str(criteria.shingle)}
    del values["decisions"]
    return values


def _members(clusters: Iterable[Cluster]) -> list[Member]:
    return [member for cluster in clusters for member in cluster.members]


def _figures(result: Findings, origins: Origins) -> dict[str, Any]:
    summary, clusters, sizes = result.summary, result.clusters, origins.documents["size"]
    roles = [Counter(member.role for member in cluster.members) for cluster in clusters]
    redundant = [m.number for m in _members(clusters) if m.role == "redundant"]
    return {
        "documents": summary.documents - result.references,
        "clusters": summary.clusters,
        "redundant": summary.redundant,
        "unique": len(result.unique),
        "pairs": summary.pairs,
        "checked": summary.checked,
        "unchecked": summary.unchecked,
        "several": sum(count["kept"] > 1 for count in roles),
        "skipped": summary.skipped,
        "saved": int(sizes[redundant].sum()),
    }


def _folders(result: Findings, origins: Origins) -> list[list[Any]]:
    """Return [folder, documents, redundant] by falling redundancy, without references."""
    names, skipped = origins.documents["name"].tolist(), {*result.inputs.skipped}
    rows = range(result.references, len(names))
    listed = [m for m in _members(result.clusters) if m.number >= result.references]
    redundant = (folder_of(str(member.name)) for member in listed if member.role == "redundant")
    return by_folder((folder_of(str(names[row])) for row in rows if row not in skipped), redundant)


def _title(origins: Origins) -> str:
    """Return the name of what was scanned: that of the folder that all files are in."""
    paths = dict.fromkeys(origins.documents["path"].tolist())
    named = [os.path.abspath(path) for path in paths if path not in ("", STDIN)]
    if not named:
        return ""
    return os.path.basename(common_folder(named) if len(named) > 1 else named[0])
