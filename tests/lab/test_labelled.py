"""Folders with labels are read in their formats, and scored as the papers say."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.__main__ import main
from lab.bench.labelled import scores
from lab.corpora.labels import Case, is_plagiarism, read_folder, read_plagiarism
from lab.oracles import plagdet
from simdup.base.errors import SimdupError

WOLF = "天黑以后，守林人提着灯往山谷走，远处传来几声狼叫，他数着脚步，只想早些回到炉火旁边。"
SHIP = "渡船在雾里鸣了三次笛，码头上的人收起雨伞，等着看谁第一个走下跳板，把消息带到岛上来。"
BELL = (
    "学校的旧钟每逢整点敲响，孩子们便从操场跑进教室，留下几只麻雀在沙坑边上啄食中午落下的面包屑。"
)
TEXTS = {"w": WOLF, "w2": WOLF + "\n", "s": SHIP, "b": BELL}


def folder_of(path: Path, labels: str, content: str, texts: dict[str, str] = TEXTS) -> Path:
    lines = [json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items()]
    (path / "docs.jsonl").write_text("".join(lines), "utf-8")
    (path / labels).write_text(content, "utf-8")
    return path


def rows(path: Path, *options: str) -> list[dict[str, object]]:
    """Run the benchmark on a folder, and return the rows that it writes."""
    results = path / "results"
    assert main(["bench", "labelled", str(path), "--results", str(results), *options]) == 0
    tables = json.loads((results / "labelled.json").read_text("utf-8"))["tables"]
    return [row for table in tables for row in table["rows"]]


# -- near-duplicates --


@pytest.mark.parametrize(
    ("labels", "content"),
    [
        ("clusters.txt", "w;w2\ns\nb\n"),
        ("clusters.csv", "cluster,document\n1,w\n1,w2\n2,s\n"),
        ("pairs.tsv", "a\tb\tlabel\nw\tw2\tdup\nw\ts\tdifferent\n"),
        ("pairs.csv", "w,w2,1\nw,s,0\n"),
        ("truth.jsonl", '{"type":"pair","a":"w","b":"w2","distance":1}\n'),
    ],
)
def test_the_format_of_labels_is_recognised(tmp_path: Path, labels: str, content: str) -> None:
    found = read_folder(folder_of(tmp_path, labels, content))
    assert found.texts == TEXTS
    assert [set(cluster) for cluster in found.truth.clusters] == [{"w", "w2"}]
    assert found.different == ({("s", "w")} if labels.startswith("pairs") else set())


def test_records_may_be_compressed_and_documents_files(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for each in (one, other):
        each.mkdir()
        (each / "clusters.txt").write_text("w;w2\n", "utf-8")
    lines = "".join(json.dumps({"id": n, "text": t}) + "\n" for n, t in TEXTS.items())
    (one / "docs.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    for name, text in TEXTS.items():
        (other / f"{name}.txt").write_bytes(text.encode("gbk"))
    assert read_folder(one).texts == TEXTS
    assert read_folder(other).texts == {f"{n}.txt": t for n, t in sorted(TEXTS.items())}
    assert read_folder(other).truth.names == {"w.txt", "w2.txt"}


def test_a_folder_without_labels_or_documents_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SimdupError, match="no labels found"):
        read_folder(tmp_path)
    (tmp_path / "clusters.txt").write_text("a;b\n", "utf-8")
    with pytest.raises(SimdupError, match="no documents found"):
        read_folder(tmp_path)


def test_clusters_are_scored(tmp_path: Path) -> None:
    # Found: w, w2. True: w, w2, s, that is three pairs. Of 6 pairs of 4 documents, both sides join
    # 1; chance would be 1 * 3 / 6 = 0.5, so ARI is (1 - 0.5) / ((1 + 3) / 2 - 0.5) = 1/3.
    (row,) = rows(folder_of(tmp_path, "clusters.txt", "w;w2;s\n"))
    assert (row["documents"], row["true pairs"], row["found"]) == (4, 3, 1)
    assert (row["precision"], row["recall"], row["F1"]) == (1, pytest.approx(1 / 3), 0.5)
    assert row["ARI"] == pytest.approx(1 / 3)


def test_pairs_are_also_scored_among_those_with_a_label(tmp_path: Path) -> None:
    texts = TEXTS | {"s2": SHIP + "。", "b2": BELL + "。"}
    content = "a\tb\tlabel\nw\tw2\tdup\ns\tb\tdup\ns\ts2\tdifferent\nw\ts\tdifferent\n"
    every, labelled = rows(folder_of(tmp_path, "pairs.tsv", content, texts))
    # Found: w and w2, which is right; s and s2, which is wrong; b and b2, without a label.
    assert (every["found"], every["precision"], every["recall"]) == (3, pytest.approx(1 / 3), 0.5)
    assert (labelled["found"], labelled["precision"], labelled["recall"]) == (2, 0.5, 0.5)
    assert labelled["F1"] == 0.5


def test_options_and_the_lowest_score_of_labels_are_used(tmp_path: Path) -> None:
    content = "w\tw2\t0.95\nw\ts\t0.5\n"
    path = folder_of(tmp_path, "pairs.tsv", content)
    (row,) = rows(path, "--min-score", "0.8", "--options=-s 1 --recipe default,fold=false")
    assert (row["true pairs"], row["options"]) == (1, "-s 1 --recipe default,fold=false")
    assert rows(path)[0]["true pairs"] == 2


# -- passages --


def xml(source: str, *features: tuple[int, int, int, int]) -> str:
    rows = "".join(
        f'<feature name="plagiarism" this_offset="{a}" this_length="{b}" '
        f'source_reference="{source}" source_offset="{c}" source_length="{d}" />'
        for a, b, c, d in features
    )
    return f'<document reference="susp1.txt"><feature name="about" />{rows}</document>'


def pan(path: Path) -> Path:
    """Write a corpus as PAN does: one copy, one pair without any."""
    copy, own = WOLF + SHIP, "一" + BELL
    for name, text in {
        "susp/susp1.txt": own + copy, "src/src1.txt": copy + "完", "src/src2.txt": copy,
        "pairs": "susp1.txt src1.txt\n",
        "01-copies/susp1-src1.xml": xml("src1.txt", (len(own), len(copy), 0, len(copy))),
    }.items():  # fmt: skip
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(text, "utf-8")
    return path


def test_a_corpus_of_pan_is_read(tmp_path: Path) -> None:
    assert not is_plagiarism(tmp_path)
    assert is_plagiarism(pan(tmp_path))
    corpus = read_plagiarism(tmp_path)
    size, start = len(WOLF + SHIP), len(BELL) + 1
    assert corpus.cases == {Case("susp1.txt", start, start + size, "src1.txt", 0, size)}
    assert corpus.counts("susp1.txt", "src1.txt")
    assert not corpus.counts("susp1.txt", "src2.txt")


def test_passages_of_pairs_that_count_are_scored(tmp_path: Path) -> None:
    (row,) = rows(pan(tmp_path))
    assert (row["pairs"], row["cases"], row["passages"]) == (1, 1, 1)
    assert (row["granularity"], row["plagdet"]) == (1, pytest.approx(1, abs=0.01))
    assert row["micro recall"] == pytest.approx(1, abs=0.01)


spans = st.tuples(st.integers(0, 12), st.integers(1, 6))
case = st.builds(
    lambda d, here, s, there: Case(d, here[0], sum(here), s, there[0], sum(there)),
    st.sampled_from("de"),
    spans,
    st.sampled_from("st"),
    spans,
)


@given(cases=st.sets(case, max_size=5), found=st.sets(case, max_size=5))
def test_the_measures_are_those_of_the_definition(cases: set[Case], found: set[Case]) -> None:
    ours, slow = scores(sorted(cases), sorted(found)), plagdet.scores(sorted(cases), sorted(found))
    assert ours == pytest.approx(slow)
