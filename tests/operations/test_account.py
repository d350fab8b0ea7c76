"""The account of a cleaned corpus: what each group lost, and a limit to that."""

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command

from lab.corpora.made import near, prose, write
from simdup import SimdupError, dedupe

TEXTS = [prose(seed) for seed in range(1, 6)]
# Which text a row has, and which value.
ROWS = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("xyz")), min_size=1, max_size=12)


@given(ROWS)
def test_parts_count_what_each_group_has_and_lost(rows: list[tuple[int, str]]) -> None:
    records = [{"text": TEXTS[text], "source": value} for text, value in rows]
    parts = {part.name: part for part in dedupe(records, by="source").parts}
    seen: set[int] = set()
    documents, removed, size, lost = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for text, value in rows:
        documents[value] += 1
        size[value] += len(TEXTS[text].encode())
        if text in seen:
            removed[value] += 1
            lost[value] += len(TEXTS[text].encode())
        seen.add(text)
    assert {name: part[1:] for name, part in parts.items()} == {
        name: (documents[name], removed[name], size[name], lost[name]) for name in documents
    }
    order = [-part.removed for part in parts.values()]
    assert order == sorted(order), "the largest losses first"


@given(ROWS, st.floats(0, 1))
def test_more_is_an_error_exactly_where_some_group_loses_more(
    rows: list[tuple[int, str]], most: float
) -> None:
    records = [{"text": TEXTS[text], "source": value} for text, value in rows]
    found = dedupe(records, by="source")
    # A group of one document has no share.
    shares = [part.share for part in found.parts if part.documents > 1]
    shares += [len(found.removed) / len(rows)] if len(rows) > 1 else []
    if max(shares, default=0) > most:
        with pytest.raises(SimdupError, match="would lose"):
            dedupe(records, by="source", max_removed=most)
    else:
        assert dedupe(records, by="source", max_removed=most).removed == found.removed


def test_documents_without_the_field_are_a_group() -> None:
    records = [
        {"text": TEXTS[0], "source": "x"}, {"text": TEXTS[1]}, {"text": TEXTS[0], "source": ""},
    ]  # fmt: skip
    parts = dedupe(records, by="source").parts
    assert [(part.name, part.documents, part.removed) for part in parts] == [
        (None, 2, 1), ("x", 1, 0),
    ]  # fmt: skip
    with pytest.raises(SimdupError, match="no record has a field 'author'"):
        dedupe(records, by="author")


def test_a_column_that_a_table_lacks_is_named_with_its_argument() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"text": [TEXTS[0], TEXTS[0]], "source": ["x", "y"]})
    assert [part.removed for part in dedupe(table, by="source").parts] == [1, 0]
    with pytest.raises(SimdupError, match="by: no column 'author'"):
        dedupe(table, by="author")
    with pytest.raises(SimdupError, match="across: no column 'author'"):
        dedupe(table, across="author")


def corpus(tmp_path: Path) -> None:
    write(tmp_path / "in/news", {"a.txt": TEXTS[0], "b.txt": TEXTS[1]})
    write(tmp_path / "in/web", {"c.txt": near(TEXTS[0]), "d.txt": TEXTS[1], "e.txt": TEXTS[2]})


def test_folders_and_what_they_lost(simdup: Command, tmp_path: Path) -> None:
    corpus(tmp_path)
    ran = simdup("dedupe", "in", "-o", "out", "--by", "folder", "--removed", "gone.jsonl")
    assert ran.status == 0
    table = [line.split() for line in ran.err.splitlines()][-2:]
    assert [line[:3] + line[-1:] for line in table] == [
        ["3", "2", "66.7%", "in/web"], ["2", "0", "0.0%", "in/news"],
    ]  # fmt: skip
    lines = list(map(json.loads, (tmp_path / "gone.jsonl").read_bytes().splitlines()))
    size = sum(len((tmp_path / f"in/web/{name}.txt").read_bytes()) for name in "cd")
    (part, _) = [line for line in lines if line["type"] == "part"]
    assert (part["name"], part["removed"], part["removed_bytes"]) == ("in/web", 2, size)


def test_many_groups_do_not_fill_the_screen(simdup: Command, tmp_path: Path) -> None:
    rows = [{"text": TEXTS[0], "source": f"s{n}"} for n in range(50)]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, rows)))
    ran = simdup("dedupe", "r.jsonl", "-o", "out.jsonl", "--by", "source")
    table = ran.err.partition("bytes removed")[2].splitlines()[1:]
    assert len(table) == 21
    assert table[-1] == "29 more removed in 30 other groups"


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_limit_that_is_exceeded_writes_nothing(
    simdup: Command, tmp_path: Path, force: tuple[str, ...]
) -> None:
    corpus(tmp_path)
    if force:
        write(tmp_path / "out", {"mine.txt": "mine"})
    before = sorted(map(str, tmp_path.rglob("*")))
    asked = ("--by", "folder", "--removed", "gone.csv", *force)
    ran = simdup("dedupe", "in", "-o", "out", "--max-removed", "0.5", *asked)
    assert ran.status == 2
    assert "--max-removed: folder 'in/web' would lose 2 of 3 documents" in ran.err
    assert sorted(map(str, tmp_path.rglob("*"))) == before
    assert simdup("dedupe", "in", "-o", "out", "--max-removed", "0.7", *asked).status == 0


def test_each_source_has_the_limit(simdup: Command, tmp_path: Path) -> None:
    corpus(tmp_path)
    both = ("dedupe", "in/news", "in/web", "-o", "out", "--max-removed", "0.5")
    ran = simdup(*both)
    assert (ran.status, (tmp_path / "out").exists()) == (2, False)
    assert "source 'in/web' would lose 2 of 3 documents" in ran.err
    # The corpus as a whole loses 2 of 5, and files that are one document are no sources.
    assert simdup("dedupe", "in", "-o", "out", "--max-removed", "0.5").status == 0
    files = ("in/news/a.txt", "in/web/c.txt", "in/web/e.txt")
    assert simdup("dedupe", *files, "-o", "files", "--max-removed", "0.5").status == 0


def test_a_trial_lists_what_would_be_too_much(simdup: Command, tmp_path: Path) -> None:
    corpus(tmp_path)
    ran = simdup("dedupe", "in", "--dry-run", "--max-removed", "0.1")
    assert ran.status == 2
    assert [row["document"] for row in csv.DictReader(io.StringIO(ran.text))] == [
        "in/web/c.txt", "in/web/d.txt",
    ]  # fmt: skip
    assert "the corpus would lose 2 of 5 documents, more than 0.1" in ran.err


def test_removed_texts_show_how_they_begin(simdup: Command, tmp_path: Path) -> None:
    text = "第一行。\n\n  第二行，\x1b[31m红色。" + TEXTS[0]
    rows = [{"text": one} for one in (TEXTS[1], text, TEXTS[2], TEXTS[1], text)]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, rows)))
    write(tmp_path / "more", {"a.txt": TEXTS[2]})
    ran = simdup("dedupe", "r.jsonl", "more", "-o", "out", "--removed", "gone.jsonl")
    assert ran.status == 0
    lines = list(map(json.loads, (tmp_path / "gone.jsonl").read_bytes().splitlines()))
    assert [(line["document"], line["beginning"]) for line in lines] == [
        ("r.jsonl#4", " ".join(TEXTS[1].split())[:80]),
        ("r.jsonl#5", " ".join(text.split())[:80]),
        ("more/a.txt", " ".join(TEXTS[2].split())[:80]),
    ]


def test_removed_documents_have_all_figures_of_their_pair(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "in", {"a.txt": TEXTS[0], "b.txt": near(TEXTS[0])})
    asked = ("--containment", "0.5", "--cosine", "0.5", "--removed", "gone.csv")
    assert simdup("dedupe", "in", "-o", "out", *asked).status == 0
    (row,) = csv.DictReader(io.StringIO((tmp_path / "gone.csv").read_text()))
    further = ["containment", "cosine", "measure", "facts", "beginning"]
    assert list(row) == ["document", "reason", "distance", "similarity", "kept", *further]
    assert all(0.5 <= float(row[name]) <= 1 for name in ("similarity", "containment", "cosine"))


def test_values_are_spelled_as_in_their_files(simdup: Command, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
    import pyarrow.parquet as pq

    days = pa.array([19724, 19725], pa.int32()).cast(pa.date32())
    kinds = (pa.date32(), pa.timestamp("ns"), pa.timestamp("ms", "Asia/Shanghai"))
    for kind in kinds:
        table = pa.table({"text": [TEXTS[0], TEXTS[0]], "day": days.cast(kind)})
        pq.write_table(table, tmp_path / "r.parquet")
        for keep in ((), ("--keep", "max:day")):
            ran = simdup("dedupe", "r.parquet", "--dry-run", "--by", "day", *keep)
            assert ran.status == 0
            assert "  2024-01-02" in ran.err
            assert "  2024-01-03" in ran.err
            assert f"r.parquet#{1 if keep else 2}," in ran.lines[1]
    values = [True, {"a": "甲"}, [1, 2], 7, "text"]
    rows = [json.dumps({"text": TEXTS[0], "value": value}) + "\n" for value in values]
    write(tmp_path, {"r.jsonl": "".join(rows)})
    ran = simdup("dedupe", "r.jsonl", "--dry-run", "--by", "value")
    names = [line.split(" bytes  ")[1] for line in ran.err.splitlines() if "%" in line]
    assert sorted(names) == sorted(["true", '{"a": "甲"}', "[1, 2]", "7", "text"])
