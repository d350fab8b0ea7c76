"""`dedupe` from Python: data without its redundant rows, and files."""

from pathlib import Path

import pytest

from lab.corpora.made import near, prose, write
from simdup import SimdupError, dedupe, scan

A, B = prose(1), prose(2)
TEXTS = [("a", A), ("", ""), ("b", B), ("a", near(A)), ("e", "。"), ("f", B), ("g", prose(3))]


def test_rows_without_redundant_ones() -> None:
    cleaned = dedupe(TEXTS)
    # Skipped rows stay, and of two rows with the same id the right one does.
    assert cleaned.data == [TEXTS[i] for i in (0, 1, 2, 4, 6)]
    assert [(one.document, one.reason, one.kept) for one in cleaned.removed] == [
        ("a", "near-duplicate", "a"), ("f", "exact copy", "b"),
    ]  # fmt: skip
    assert cleaned.positions.tolist() == [3, 5]
    assert cleaned.result.labels.tolist() == scan(TEXTS).labels.tolist()
    assert cleaned.written is None


def test_kinds_of_rows() -> None:
    assert dedupe(tuple(TEXTS)).data == tuple(dedupe(TEXTS).data)
    assert dedupe(iter(TEXTS)).data == dedupe(TEXTS).data
    assert dedupe([]).data == []


def test_references(tmp_path: Path) -> None:
    write(tmp_path, {"known.txt": A, "empty.txt": ""})
    for references in (tmp_path, str(tmp_path), [tmp_path]):
        cleaned = dedupe(TEXTS, references=references)
        assert cleaned.data == [TEXTS[i] for i in (1, 2, 4, 6)]
    with pytest.raises(SimdupError, match=r"missing.*is a reference"):
        dedupe(TEXTS, references=[str(tmp_path / "missing")])


def test_files_that_stay(tmp_path: Path) -> None:
    write(tmp_path / "in", {"a.txt": A, "b.txt": near(A), "c.txt": "", "d.txt": B})
    here = [str(tmp_path / "in" / name) for name in ("a.txt", "c.txt", "d.txt")]
    for data in (tmp_path / "in", str(tmp_path / "in"), [tmp_path / "in"]):
        cleaned = dedupe(data)
        assert cleaned.data == here
        assert not (tmp_path / "out").exists()
    cleaned = dedupe(tmp_path / "in", output=tmp_path / "out")
    assert (cleaned.data, cleaned.written) == (here, str(tmp_path / "out"))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.txt", "c.txt", "d.txt"]


def test_records_that_stay(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("".join(f'{{"text": {text!r}}}\n'.replace("'", '"') for text in "xyx"), "utf-8")
    assert dedupe(path, similarity=0).data == [f"{path}#{n}" for n in (1, 2)]
    dedupe(path, output=tmp_path / "out.jsonl", similarity=0)
    assert (tmp_path / "out.jsonl").read_text("utf-8").count("\n") == 2


def test_only_files_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(SimdupError) as raised:
        dedupe(TEXTS, output=tmp_path / "out")
    assert raised.value.field == "output"
