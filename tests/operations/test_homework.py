"""The homework in mixed formats gives what its pages say."""

import pytest
from support import ROOT

from simdup import passages, scan

FOLDER = ROOT / "examples" / "homework"
TASK = ROOT / "examples" / "homework-task.txt"


def _name(document: str) -> str:
    return document.rpartition("/")[2].partition(".")[0]


def _shares() -> dict[frozenset[str], float]:
    found = passages([str(FOLDER)], templates=[str(TASK)])
    return {
        frozenset(map(_name, (one.a, one.b))): max(one.share_a, one.share_b)
        for one in found.overlaps
    }


def test_one_pair_is_the_same_text() -> None:
    (cluster,) = scan([str(FOLDER)]).clusters
    assert [_name(member.name) for member in cluster.members] == ["李雨", "王小明"]


def test_paragraphs_are_found_in_every_format() -> None:
    pytest.importorskip("pypdfium2", reason="needs the extra simdup[office]")
    shares = _shares()
    assert shares.pop(frozenset({"李雨", "王小明"})) > 0.95
    assert 0.3 < shares.pop(frozenset({"周宁", "赵晴"})) < 0.4
    assert 0.3 < shares.pop(frozenset({"刘洋", "孙悦"})) < 0.4
    copied = [frozenset({"陈浩", other}) for other in ("李雨", "王小明")]
    assert set(shares) == set(copied)
    assert all(0.15 < share < 0.25 for share in shares.values())
