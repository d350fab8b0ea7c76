"""The documents of a task, joined with their fingerprints, as the library knows documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simdup.clustering.short_texts import formed
from simdup.features.text import DIGEST_TYPE
from simdup.features.titles import share_titles
from simdup.fingerprints.bands import Signatures
from simdup.fingerprints.edit_bands import edit_signatures
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.model.settings import Settings
from simdup.model.table import Documents, objects
from simdup.spark.arrays import to_array, to_rows
from simdup.verify.searches import EqualKeys, ListedPairs, NearFingerprints, Search


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


def documents_of(table: pa.Table, settings: Settings) -> Documents:
    """Return the table of documents in input order."""
    criteria, digests = (
        settings.criteria,
        to_rows(table["digest"], np.uint8).view(DIGEST_TYPE)[:, 0],
    )
    prints = Fingerprints(
        to_rows(table["fingerprint"], np.uint64), settings.recipe.bits, to_array(table["terms"])
    )
    columns: dict[str, NDArray[Any]] = {
        "name": objects(table["id"].to_pylist()),
        "reference": to_array(table["reference"]),
        "digest": digests,
        **prints.columns,
    }
    if "length" in table.column_names:
        columns["length"] = to_array(table["length"])
    if criteria.same_title:
        keys = to_array(table["title"]).view(np.uint64)
        columns["blocking_key"] = share_titles(keys, to_array(table["named"]), digests)
    if criteria.by_edit:
        forms = _forms(table)
        columns["letters"] = np.fromiter(map(len, forms), np.int64, len(forms))
        columns["numbers"] = to_array(table["numbers"].fill_null(0)).view(np.uint64)
    return Documents(columns)


def _forms(table: pa.Table) -> list[str]:
    """Return the forms of documents, empty where they are not known."""
    known = (one or b"" for one in table["form"].to_pylist())
    return [one.decode("utf-8", "surrogatepass") for one in known]


def searches_of(
    table: pa.Table, documents: Documents, settings: Settings, look: Signatures | None
) -> list[Search]:
    """Return the searches among documents, whose signatures look like those of no document."""
    criteria, searches = settings.criteria, list[Search]()
    if look is not None:
        keys = to_rows(table["keys"], look.keys.dtype)
        sketches, rows = to_rows(table["sketch"], np.uint8), np.arange(len(table))
        known = look._replace(keys=keys, sketches=sketches, row_of=rows)
        name = "pstable" if criteria.method == "pstable" else "minhash"
        searches.append(EqualKeys(name, known))
    if criteria.edits_decide and "minhash" in criteria.searches:
        has = formed(documents)
        forms = [form for form in _forms(table) if form]
        edited = edit_signatures(forms, documents["numbers"][has], criteria)
        row_of = np.where(has, np.cumsum(has) - 1, -1)
        searches.append(EqualKeys("minhash", edited._replace(row_of=row_of)))
    if "simhash" in criteria.searches:
        searches.append(NearFingerprints(settings))
    if "partners" in table.column_names:
        searches.append(_listed(table))
    return searches


def _listed(table: pa.Table) -> ListedPairs:
    """Return the pairs that share passages, by the places of their documents in the table."""
    rows, partners = to_array(table["row"]), table["partners"].to_pylist()
    sizes = [len(some or ()) for some in partners]
    others = np.array([one for some in partners for one in some or ()], np.int64)
    by_row = np.argsort(rows)
    a = np.repeat(np.arange(len(rows)), sizes)
    b = by_row[np.searchsorted(rows, others, sorter=by_row)]
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    return ListedPairs(low[order], high[order])
