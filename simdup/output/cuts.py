"""Which documents a cleaned corpus leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from simdup.corpus.files import File
from simdup.ingest.source_documents import SourceDocuments
from simdup.model.cleaned import Removed
from simdup.model.result import Result
from simdup.output.corpus_writer import RemovedDocument


def list_cuts(
    result: Result, files: Sequence[File]
) -> tuple[list[RemovedDocument], list[tuple[str, str]]]:
    """Return the documents to leave out, in input order, and notes on those that stay after all.

    Files in archives are never left out: an archive that is written again may lack what only the
    program that packed it knows.
    """
    archives = {file.path: file.member.archive for file in files if file.member}
    cuts = _cuts(result, archives)
    staying = Counter(archives[cut.path] for cut in cuts if cut.path in archives)
    notes = [
        (path, f"{count:,} redundant in it; archives are kept whole")
        for path, count in staying.items()
    ]
    return [cut for cut in cuts if cut.path not in archives], notes


def _cuts(result: Result, archives: Mapping[str, str]) -> list[RemovedDocument]:
    """Return the redundant documents; `archives` has those of the files in them."""
    origins: SourceDocuments = result.origins
    # A file that was not read completely is kept whole.
    unread = {one.document for one in result.skipped if one.error}
    found: list[RemovedDocument] = []
    paths, records, digests = (origins.documents[name] for name in ("path", "record", "digest"))
    for cluster in result.clusters:
        by_number = {member.number: member for member in cluster.members}
        for one in cluster.members:
            number, kept = one.number, by_number[one.beside]
            if one.role == "redundant" and paths[number] not in unread:
                read = kept.number >= 0  # not in an index, of which neither text nor file is known
                same = read and digests[number] == digests[kept.number]
                reason = "exact copy" if same else "near-duplicate"
                figures = one.distance or 0, one.similarity, kept.name, one.estimated, one.measure
                kept_path = paths[kept.number] if read else ""
                kept_path = archives.get(kept_path, kept_path)
                place = paths[number], int(records[number]), kept_path
                entry = Removed(
                    one.name, reason, *figures, one.containment, one.cosine, one.covered
                )
                found.append(RemovedDocument(entry, *place, number, kept.number))
    return sorted(found, key=lambda cut: cut.number)
