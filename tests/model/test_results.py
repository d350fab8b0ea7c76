"""What a result answers: groups, names, ratios, in input order."""

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from lab.corpora.made import near, prose, write
from simdup import dedupe, scan
from simdup.model.clusters import Cluster, Member
from simdup.model.documents import InputDocuments

A, B, C = prose(1), prose(2), prose(3)


def test_skipped_documents_have_their_place() -> None:
    found = scan([("a", ""), ("b", A), ("c", B), ("d", "。"), ("e", near(A)), ("f", C), ("g", B)])
    assert found.documents == ["a", "b", "c", "d", "e", "f", "g"]
    assert found.labels.tolist() == [0, 1, 2, 3, 1, 4, 2]
    assert found.labels.dtype == np.int64
    assert (found.kept, found.redundant, found.unique) == (["b", "c"], ["e", "g"], ["d", "f"])
    assert found.duplicate_ratio == 2 / 6
    assert len(found) == 2
    assert repr(found) == "<Result clusters=2 redundant=2 documents=6 skipped=1>"


def test_documents_of_function_words_have_their_place() -> None:
    found = scan([("a", A), ("f", "the of and"), ("b", near(A))])
    assert found.skipped == ()
    assert found.labels.tolist() == [0, 1, 0]
    assert found.unique == ["f"]


def test_nothing_gives_nothing() -> None:
    found = scan([])
    assert (found.labels.tolist(), found.documents, len(found)) == ([], [], 0)
    assert found.duplicate_ratio == 0


def test_files_and_records_are_input_documents(tmp_path: Path) -> None:
    lines = '{"text": "lantern by the harbour at night"}\n{broken\n{"a": 1}'
    write(tmp_path, {"a.txt": A, "b.txt": "", "c.jsonl": lines, "d.txt": near(A)})
    (tmp_path / "e.txt").write_bytes(b"\0\1\2" * 100)
    found = scan([str(tmp_path), str(tmp_path / "missing.txt")])
    names = ["a.txt", "b.txt", "c.jsonl#1", "c.jsonl#2", "c.jsonl#3", "d.txt", "e.txt"]
    assert found.documents == [str(tmp_path / name) for name in names]
    assert found.labels.tolist() == [0, 1, 2, 3, 4, 0, 5]


def test_references_are_no_input_documents(tmp_path: Path) -> None:
    known = tmp_path / "known"
    write(known, {"1.txt": A, "2.txt": "", "3.txt": B, "4.txt": ""})
    found = scan([("x", ""), ("a", near(A)), ("y", ""), ("b", A)], references=[str(known)])
    assert found.documents == ["x", "a", "y", "b"]
    assert found.labels.tolist() == [0, 1, 2, 1], "both are near the same reference"
    assert (found.kept, found.redundant, found.duplicate_ratio) == ([], ["a", "b"], 1)


def test_the_order_does_not_depend_on_processes(tmp_path: Path) -> None:
    texts = [("" if n % 7 == 3 else prose(n % 40, 400)) for n in range(400)]
    write(tmp_path, {f"{n:03}.txt": text for n, text in enumerate(texts)})
    one, two = (scan([str(tmp_path)], jobs=jobs) for jobs in (1, 2))
    assert one.documents == two.documents == sorted(one.documents)
    assert one.labels.tolist() == two.labels.tolist()


@st.composite
def runs(draw: st.DrawFn) -> tuple[InputDocuments, tuple[Cluster, ...], list[tuple[str, int]]]:
    """Documents in input order: the group of each, -1 for one that is alone, -2 for a skipped."""
    references = draw(st.integers(0, 3))
    groups = draw(st.lists(st.integers(-2, 3), max_size=12))
    names, members = [f"r{n}" for n in range(references)], dict[int, list[int]]()
    for number in range(references):
        members.setdefault(draw(st.integers(0, 3)), []).append(number)
    listed = []
    for place, group in enumerate(groups):
        listed.append((f"d{place}", group))
        if group >= 0:
            members.setdefault(group, []).append(len(names))
        names.append(f"d{place}")
    skipped = tuple(i for i, name in enumerate(names) if dict(listed).get(name) == -2)
    clusters = tuple(
        Cluster(n, tuple(Member(names[i], "kept", "", None, number=i) for i in some), ())
        for n, some in enumerate(draw(st.permutations(list(members.values()))), 1)
    )
    return InputDocuments(names, references, skipped), clusters, listed


@given(runs())
def test_labels_are_the_groups_in_order_of_their_first_documents(
    run: tuple[InputDocuments, tuple[Cluster, ...], list[tuple[str, int]]],
) -> None:
    inputs, clusters, listed = run
    numbers: dict[object, int] = {}
    expected = [
        numbers.setdefault(group if group >= 0 else name, len(numbers)) for name, group in listed
    ]
    assert inputs.labels(clusters).tolist() == expected
    assert inputs.listed() == [name for name, _ in listed]
    assert len(inputs) == len(listed)
    assert inputs.unique(clusters) == [name for name, group in listed if group == -1]
    assert inputs.taking_part == sum(group != -2 for _, group in listed)


@examples(40)
@given(st.lists(st.sampled_from(["", "  ", "!?", None, "a", "b", "c"]), max_size=12))
def test_numbers_count_every_row(kinds: list[str | None]) -> None:
    """Blank rows and rows without a text have a place too."""
    known = {"a": prose(1), "b": prose(2), "c": prose(3), "!?": "!?"}
    rows = [(f"row {i}", known.get(kind or "", kind)) for i, kind in enumerate(kinds)]
    found = scan(rows)
    cleaned = dedupe(rows)
    for result in (found, cleaned.result):
        for member in (m for cluster in result.clusters for m in cluster.members):
            assert rows[member.number][0] == member.name
            assert kinds[member.beside] == kinds[member.number]
        assert result.documents == [name for name, _ in rows]
    numbers = [int(number) for number in cleaned.numbers]
    assert [rows[number][0] for number in numbers] == [one.document for one in cleaned.removed]
    assert cleaned.positions.tolist() == numbers
    copies = sum(max(kinds.count(kind) - 1, 0) for kind in known)
    assert (len(numbers), cleaned.documents) == (copies, sum(kind in known for kind in kinds))


def test_numbers_of_spared_documents_count_every_row() -> None:
    text = prose(1, 200)
    rows = [("b", ""), ("a", text), ("x", None), ("c", text + prose(2, 12))]
    (spared,) = dedupe(rows, lossless=True).result.spared
    assert (spared.name, spared.number, spared.beside) == ("c", 3, 1)
