"""The documents of a task, joined with their fingerprints, as the library knows documents."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from simdup.clustering.clusters import ScannedDocuments, never
from simdup.clustering.short_texts import ShortTexts
from simdup.features.text import DIGEST_TYPE
from simdup.features.titles import share_titles
from simdup.fingerprints.bands import Signatures
from simdup.fingerprints.edit_bands import EditSignatures, edit_signatures
from simdup.fingerprints.fingerprinter import Fingerprints
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


def scanned(table: pa.Table, settings: Settings, short: ShortTexts | None) -> ScannedDocuments:
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
        by_edit=never if short is None else short.measures,
        titles=titles,
    )


def short_texts(
    table: pa.Table, settings: Settings
) -> tuple[ShortTexts | None, EditSignatures | None]:
    """Return the short texts among documents, and the signatures that propose pairs of them."""
    has = to_array(table["form"].is_valid())
    if not has.any():
        return None, None
    some = table.filter(pa.array(has))
    forms = [one.decode("utf-8", "surrogatepass") for one in some["form"].to_pylist()]
    numbers = to_array(some["numbers"]).view(np.uint64)
    row_of = np.where(has, np.cumsum(has) - 1, -1)
    lengths = np.fromiter(map(len, forms), np.int64, len(forms))
    signatures, criteria = None, settings.criteria
    if criteria.edits_decide and "minhash" in criteria.searches:
        signatures = edit_signatures(forms, numbers, criteria)._replace(row_of=row_of)
    return ShortTexts(row_of, lengths, numbers), signatures


def signatures_from(table: pa.Table, look: Signatures | None) -> Signatures | None:
    """Return the signatures of documents, which look like those of no document."""
    if look is None:
        return None
    keys = to_rows(table["keys"], look.keys.dtype)
    sketches = None if look.sketches is None else to_rows(table["sketch"], np.uint8)
    return look._replace(keys=keys, sketches=sketches)
