"""Rules: one more column and one more function are all that a new rule takes."""

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from simdup import scan
from simdup.model import table
from simdup.model.table import Side
from simdup.near import rules
from simdup.near.collection import Collection

TEXT = "The old harbour sleeps in the fog until the first boats come home with the morning tide {}."


@pytest.fixture
def of_other_authors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that the package does not have: documents of one author are never a pair."""

    def others(a: Side, b: Side) -> NDArray[np.bool_]:
        apart: NDArray[np.bool_] = a["author_number"] != b["author_number"]
        return apart

    def authors(read: Collection, fields: Any) -> NDArray[np.int64]:
        return np.array([hash_of_author(name) for name in read["name"].tolist()], np.int64)

    module = SimpleNamespace(allows=others, column=authors)
    monkeypatch.setitem(sys.modules, f"{rules.__name__}.across", module)  # type: ignore[misc]
    monkeypatch.setitem(table.SCHEMA, "author_number", np.int64)  # type: ignore[arg-type]
    monkeypatch.delitem(rules.RULES, "different")
    monkeypatch.setitem(rules.RULES, "author_number", rules.Rule("across", parts=True))


def hash_of_author(name: str) -> int:
    return ord(name[0])


def pairs(texts: dict[str, str]) -> set[tuple[str, str]]:
    # What the new rule is made of stands in for the folder.
    found = scan(list(texts.items()), similarity=0.6, jobs=1, across="folder")
    return {(pair.a, pair.b) for cluster in found.clusters for pair in cluster.pairs}


@pytest.mark.usefixtures("of_other_authors")
@pytest.mark.parametrize("same", [True, False], ids=["identical", "similar"])
def test_a_scan_follows_a_new_rule(same: bool) -> None:
    texts = {name: TEXT.format("" if same else name) for name in ("ax", "ay", "bx")}
    found = pairs(texts)
    assert ("ax", "ay") not in found
    assert ("ax", "bx") in found


@pytest.mark.usefixtures("of_other_authors")
def test_texts_of_one_author_alone_are_no_cluster() -> None:
    assert pairs({"a1": TEXT, "a2": TEXT, "a3": TEXT.format("again")}) == set()


@pytest.mark.usefixtures("of_other_authors")
@pytest.mark.parametrize("same", [True, False], ids=["identical", "similar"])
def test_large_components_follow_a_new_rule(same: bool) -> None:
    names = [author + x + y for author in "ab" for x in "efghkm" for y in "pqrstuvwxy"]
    found = pairs({name: TEXT.format("" if same and name[1:] < "h" else name) for name in names})
    assert found
    assert not [pair for pair in found if pair[0][0] == pair[1][0]]
