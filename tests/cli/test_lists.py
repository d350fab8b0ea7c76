"""Lists of names, and exact copies, which are cut once."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import Command

from lab.corpora.made import near, prose, write
from simdup import scan
from simdup.near.batch_reader import Seen
from simdup.text import counts as counting

TEXTS = {
    "1.txt": prose(1),
    "2.txt": prose(2),
    "3.txt": near(prose(1)),
    "4.txt": prose(4),
    "5.txt": prose(2),
    "empty.txt": "",
}


def test_lists_of_names(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", TEXTS)
    expected = {
        "redundant": ["c/3.txt", "c/5.txt"],
        "kept": ["c/1.txt", "c/2.txt"],
        "unique": ["c/4.txt"],
    }
    for which, names in expected.items():
        ran = simdup("scan", "c", "--list", which)
        assert (ran.status, ran.lines) == (0, names)
        ran = simdup("scan", "c", "--list", which, "-0", "-q")
        assert ran.out == b"".join(name.encode() + b"\0" for name in names)
    assert simdup("scan", "c", "--list", "kept", "-o", "l.txt", "--check").status == 1
    assert (tmp_path / "l.txt").read_text().splitlines() == expected["kept"]
    assert scan([str(tmp_path / "c")]).unique == [str(tmp_path / "c" / "4.txt")]


def test_lists_with_references_are_of_the_sources(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "old", {"1.txt": prose(1), "9.txt": prose(9)})
    write(tmp_path / "c", TEXTS)
    lists = {
        which: simdup("scan", "c", "--reference", "old", "--list", which, "-q").lines
        for which in ("redundant", "kept", "unique")
    }
    assert lists == {
        "redundant": ["c/1.txt", "c/3.txt", "c/5.txt"],
        "kept": ["c/2.txt"],
        "unique": ["c/4.txt"],
    }


def test_names_on_lists_are_bytes(simdup: Command, tmp_path: Path) -> None:
    import os

    for name in (b"a\nb.txt", b"\xff.txt"):
        (tmp_path / "c").mkdir(exist_ok=True)
        (tmp_path / "c" / os.fsdecode(name)).write_text(prose(1))
    ran = simdup("scan", "c", "--list", "redundant", "-0", "-q")
    assert ran.out == b"c/\xff.txt\0"
    assert simdup("scan", "c", "--list", "kept", "-0", "-q").out == b"c/a\nb.txt\0"
    assert simdup("dedupe", "c", "-o", "d", "-q").status == 0
    assert os.listdir(os.fsencode(tmp_path / "d")) == [b"a\nb.txt"]


# -- exact copies ----------------------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of documents cut and counted, batch by batch."""
    sizes: list[int] = []
    original: Callable[..., Any] = counting.TermCounter.count

    def count(self: Any, tokens: Any) -> Any:
        sizes.append(len(tokens.sizes))
        return original(self, tokens)

    monkeypatch.setattr(counting.TermCounter, "count", count)
    return sizes


def clusters(ran: Any) -> list[dict[str, Any]]:
    return [x for x in map(json.loads, ran.lines) if x["type"] == "cluster"]


def test_copies_are_cut_once_and_marked(
    simdup: Command, tmp_path: Path, counted: list[int]
) -> None:
    texts = {f"{n}.txt": prose(n % 5) for n in range(40)}
    texts |= {"wide.txt": prose(1).replace("，", ","), "upper.txt": prose(2).upper()}
    write(tmp_path / "c", texts | {"near.txt": near(prose(3))})
    ran = simdup("scan", "c", "-f", "jsonl", "-j", "1")
    assert sum(counted) == 6, "five texts and the near one; width and case are folded"
    found = clusters(ran)
    assert sorted(c["size"] for c in found) == [8, 8, 9, 9, 9]
    pairs = [pair for c in found for pair in c["pairs"]]
    inexact = [pair for pair in pairs if "exact" not in pair]
    assert {pair["b"] for pair in inexact} == {"c/near.txt"}
    assert all(pair["exact"] is True for pair in pairs if pair not in inexact)


def test_copies_do_not_change_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that differ only in white space have different words; a corpus counts every copy."""
    chance = random.Random(3)
    texts = [prose(n % 40, 30) for n in range(300)]
    texts += [text.replace("harbour", "har bour") for text in texts[:40]] + ["", "。", "。"] * 2
    chance.shuffle(texts)
    named = [(str(n), text) for n, text in enumerate(texts)]
    found = scan(named, jobs=1)
    monkeypatch.setattr(Seen, "__contains__", lambda self, digest: False)
    every = scan(named, jobs=1)
    assert found.clusters == every.clusters
    assert found.skipped == every.skipped
    assert found.summary.checked == every.summary.checked


def test_the_table_of_digests_forgets_but_never_errs() -> None:
    seen = Seen()
    chance = random.Random(5)
    digests = [chance.randbytes(16) for _ in range(2000)]
    crowded = [b"\1\2\3\4" + chance.randbytes(12) for _ in range(40)]
    for one in digests + crowded:
        assert one not in seen
        seen.add(one)
        assert one in seen
    assert sum(one in seen for one in digests) == 2000
    assert sum(one in seen for one in crowded) == 8
