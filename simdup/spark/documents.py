"""The documents of a task, joined with their fingerprints, as the library knows documents."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from simdup.clustering.clusters import ScannedDocuments
from simdup.features.text import DIGEST_TYPE
from simdup.fingerprints.bands import Signatures
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.ingest.titles import share_titles
from simdup.model.settings import Settings
from simdup.spark.arrays import to_array, to_rows


def in_order(table: pa.Table, carried: pa.Schema) -> pa.Table:
    """Return documents in input order: references first; what is equal in all, by row."""
    names = [name for name in carried.names if name.startswith("order")]
    columns = [pc.invert(table["reference"]).cast(pa.int8())]
    for name in (*names, "id", "row"):
        # As Spark does: nulls first.
        columns += [table[name].is_valid().cast(pa.int8()), table[name]]
    keys = pa.table(columns, list(map(str, range(len(columns)))))
    places = pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in keys.column_names])
    return table.take(places)


def scanned(table: pa.Table, settings: Settings) -> ScannedDocuments:
    """Return what is known of documents in input order, but how they are measured."""
    digests = np.frombuffer(b"".join(table["digest"].to_pylist()), DIGEST_TYPE)
    bits, values = settings.recipe.bits, to_rows(table["fingerprint"], np.uint64)
    titles = None
    if settings.criteria.same_title:
        keys = to_array(table["title"]).view(np.uint64)
        titles = share_titles(keys, to_array(table["named"]), digests)
    return ScannedDocuments(
        table["id"].to_pylist(),
        Fingerprints(values, bits, to_array(table["terms"])),
        digests,
        range(int(to_array(table["reference"]).sum())),
        titles=titles,
    )


def signatures_from(table: pa.Table, look: Signatures | None) -> Signatures | None:
    """Return the signatures of documents, which look like those of no document."""
    if look is None:
        return None
    keys = to_rows(table["keys"], look.keys.dtype)
    sketches = None if look.sketches is None else to_rows(table["sketch"], np.uint8)
    return look._replace(keys=keys, sketches=sketches)
