"""Indexes as `--reference` of `scan` and `dedupe`."""

import csv
import json
import random
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from support import Command, examples

from lab.corpora.made import edited, prose, write
from simdup import Index, Recipe, Result, SimdupError, scan
from simdup.model.settings import RunOptions
from simdup.near import collection, crew

ALONE = RunOptions(jobs=1)
Texts = list[tuple[str, str]]


def build(path: Path, texts: Texts, **options: Any) -> str:
    with Index.build(str(path), texts, run=ALONE, **options):
        return str(path)


def roles(found: Result, names: set[str]) -> dict[str, str]:
    """The role of each document, but for those that are never redundant."""
    members = (member for cluster in found.clusters for member in cluster.members)
    return {member.name: member.role for member in members if member.name in names}


def mixed(one: str, other: str) -> str:
    """A text of which so much is another's that it is clearly no near-duplicate."""
    return one[: len(one) // 2] + other[len(other) // 2 :]


@pytest.fixture
def archive(simdup: Command, tmp_path: Path) -> Path:
    write(tmp_path, {f"old/{i}.txt": prose(i) for i in range(12)})
    texts = {
        "same": prose(5), "near": edited(prose(6)), "x": prose(70), "y": edited(prose(70)),
        "other": prose(80),
    }  # fmt: skip
    write(tmp_path, {f"new/{name}.txt": text for name, text in texts.items()})
    assert simdup("index", "build", "old.index", "old").status == 0
    return tmp_path


# What is found.


def test_an_index_is_as_good_as_its_documents(simdup: Command, archive: Path) -> None:
    held = (archive / "old.index").read_bytes()
    tables = []
    for reference in ("old", "old.index"):
        ran = simdup("scan", "new", "--reference", reference, "-f", "csv")
        tables.append([line.split(",")[1:5] for line in ran.lines])
    assert tables[0] == tables[1]
    assert sorted(row[:2] for row in tables[1][1:]) == [
        ["kept", "new/x.txt"], ["kept", "old/5.txt"], ["kept", "old/6.txt"],
        ["redundant", "new/near.txt"], ["redundant", "new/same.txt"], ["redundant", "new/y.txt"],
    ]  # fmt: skip
    assert (archive / "old.index").read_bytes() == held
    assert not list(archive.glob("old.index?*"))


def test_estimates_are_marked(simdup: Command, archive: Path) -> None:
    asked = ("scan", "new", "--reference", "old.index")
    lines = simdup(*asked).lines
    assert [line.split()[2] for line in lines if "new/same.txt" in line] == ["~1.0000"]
    assert [line.split()[2][0] for line in lines if "new/y.txt" in line] == ["0"]
    table = csv.DictReader(simdup(*asked, "-f", "csv").lines)
    measures = {row["document"]: row["measure"] for row in table}
    assert [measures[f"new/{name}.txt"] for name in ("same", "near", "x", "y")] == [
        "estimated", "estimated", "", "jaccard",
    ]  # fmt: skip
    assert measures["old/5.txt"] == ""
    *clusters, summary = map(json.loads, simdup(*asked, "-f", "jsonl").lines)
    estimated = {
        (pair["a"], pair["b"]): pair.get("estimated") for one in clusters for pair in one["pairs"]
    }
    assert estimated["old/5.txt", "new/same.txt"] is True
    assert estimated["new/x.txt", "new/y.txt"] is None
    members = {m["document"]: m.get("estimated") for one in clusters for m in one["documents"]}
    assert members["new/same.txt"] is True
    assert members["new/y.txt"] is members["old/5.txt"] is None
    assert summary["indexed"] == 12
    assert summary["documents"] == 5


def test_the_report_says_how_an_index_was_searched(simdup: Command, archive: Path) -> None:
    said = simdup("scan", "new", "--reference", "old.index", "-d", "4").err
    assert "(order of keeping: documents of indexes, then input order)" in said
    assert (
        "Indexes (12 documents) were searched by fingerprint, within distance 4, and by shared "
        "text; similarities to them (~) are estimates.\n" in said
    )
    simdup("index", "build", "shared.index", "old", "--method", "minhash")
    said = simdup("scan", "new", "--reference", "shared.index", "--method", "minhash").err
    assert "searched by shared text alone; similarities" in said
    said = simdup("scan", "new", "--reference", "old.index", "--no-verify").err
    assert said.splitlines()[-1].endswith("by fingerprint alone, within distance 3.")
    assert "indexes" not in simdup("scan", "new", "--reference", "old").err


def test_dedupe_leaves_out_what_an_index_has(simdup: Command, archive: Path) -> None:
    listed = ("--removed", "-")
    ran = simdup("dedupe", "new", "--reference", "old.index", "-o", "clean", *listed)
    assert ran.status == 0
    assert [row[:6] for row in csv.reader(ran.lines)] == [
        ["document", "reason", "distance", "similarity", "kept", "measure"],
        ["new/near.txt", "near-duplicate", *_beside(ran.lines[1]), "old/6.txt", "estimated"],
        ["new/same.txt", "near-duplicate", "0", "1.0000", "old/5.txt", "estimated"],
        ["new/y.txt", "near-duplicate", *_beside(ran.lines[3]), "new/x.txt", "jaccard"],
    ]
    assert sorted(path.name for path in (archive / "clean").iterdir()) == ["other.txt", "x.txt"]
    ran = simdup("dedupe", "new", "--reference", "old.index", "--dry-run", "--removed", "r.jsonl")
    entries = [json.loads(line) for line in (archive / "r.jsonl").read_text("utf-8").splitlines()]
    assert [entry.get("estimated") for entry in entries] == [True, True, None]


def _beside(row: str) -> list[str]:
    return row.split(",")[2:4]


def test_what_only_a_source_is_near_to_is_kept_in_its_cluster(tmp_path: Path) -> None:
    """A chain: the second is near the document of the index, the third near the second only."""
    first = prose(1, 400)
    chain = [first]
    for step in range(1, 4):
        chain.append(
            chain[-1].replace(chain[-1][step * 150 : step * 150 + 90], prose(900 + step, 24))
        )
    index = build(tmp_path / "x.index", [("known", first)])
    sources = [(f"s{i}", text) for i, text in enumerate(chain[1:], 1)]
    found = scan(sources, references=[index], run=ALONE, distance=64, similarity=0.8)
    (cluster,) = found.clusters
    assert [(one.name, one.role) for one in cluster.members] == [
        ("known", "kept"), ("s1", "redundant"), ("s2", "kept"), ("s3", "redundant"),
    ]  # fmt: skip
    assert (found.kept, found.redundant) == (["s2"], ["s1", "s3"])


def test_copies_of_what_is_near_a_text_of_an_index_are_redundant(tmp_path: Path) -> None:
    """Also the second of two equal texts that only letters tell near."""
    text = "猎人电梯剧院比赛利息樱桃森林沙滩"
    near = text.replace("赛", "站")
    index = build(tmp_path / "x.index", [("known", text)])
    sources = [("near", near), ("same", text), ("copy", near)]
    found = scan(sources, references=[index], run=ALONE)
    assert sorted(found.redundant) == ["copy", "near", "same"]
    (cluster,) = found.clusters
    assert {member.beside for member in cluster.members} == {-1}
    assert all(pair.estimated == (pair.a == "known") for pair in cluster.pairs)


def test_a_pair_with_a_text_of_an_index_is_listed_once(tmp_path: Path) -> None:
    """It is found by sketches, and measured, for a document has the text."""
    path = build(tmp_path / "x.index", [("old", prose(1))])
    data = [("copy", prose(1)), ("near", edited(prose(1), 1))]
    found = scan(data, references=path, prefer=("n*",), jobs=1)
    assert [(pair.a, pair.b) for pair in found.pairs] == [
        ("old", "copy"), ("old", "near"), ("copy", "near")
    ]  # fmt: skip
    assert found.redundant == ["copy", "near"]


def test_large_clusters_meet_an_index(tmp_path: Path) -> None:
    page = prose(3, 300)
    sources = [(f"s{i}", edited(page, i)) for i in range(100)] + [("alone", prose(4))]
    index = build(tmp_path / "x.index", [("known", page), ("unknown", prose(5))])
    found = scan(sources, references=[index], run=ALONE, distance=12)
    (cluster,) = found.clusters
    assert cluster.members[0].name == "known"
    assert {member.role for member in cluster.members[1:]} == {"redundant"}
    assert len(cluster.members) == 101
    assert list(found.unique) == ["alone"]


@examples(25)
@given(st.integers(0, 10**6), st.sampled_from(["simhash", "minhash", "auto"]))
def test_roles_are_those_that_the_documents_themselves_give(
    tmp_path_factory: pytest.TempPathFactory, seed: int, method: str
) -> None:
    """Where all similarities are clearly above or below the threshold."""
    chance, folder = random.Random(seed), tmp_path_factory.mktemp("oracle")
    bases = [prose(seed + i, 90) for i in range(8)]
    known = [(f"known{i}.txt", bases[i]) for i in range(4)]
    makers = (
        lambda text: text, edited, lambda text: mixed(text, chance.choice(bases)),
        lambda text: text.upper(),
    )  # fmt: skip
    sources = [(f"s{i}", chance.choice(makers)(chance.choice(bases))) for i in range(20)]
    write(folder / "known", dict(known))
    index = build(folder / "x.index", known, method=method)
    names = {name for name, _ in sources}
    expected, found = (
        scan(sources, references=[one], run=ALONE, method=method, similarity=0.85)
        for one in (str(folder / "known"), index)
    )
    assert roles(found, names) == roles(expected, names)
    assert found.unique == expected.unique
    with Index.open(index) as opened:
        results = opened.query(sources, 3, 0.85, method=method, run=ALONE)
        matched = {one.document for one in results if one.matches}
    redundant = {name for name, role in roles(found, names).items() if role == "redundant"}
    assert matched <= redundant


def test_processes_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection, "WORTH_WORKERS", 0)
    monkeypatch.setattr(crew, "WORTH_CREW", 0)
    texts = [(f"s{i}", edited(prose(i % 40, 90), i)) for i in range(700)]
    index = build(tmp_path / "x.index", [(f"k{i}", prose(i, 90)) for i in range(20)])
    one, two = (
        scan(texts, references=[index], run=RunOptions(jobs=jobs), distance=6) for jobs in (1, 2)
    )
    assert one.clusters == two.clusters
    assert one.summary.redundant > 300


# The recipe of the index.


def test_the_idf_model_of_the_index_is_used(tmp_path: Path) -> None:
    """Of 200 documents on a corpus learns its own; the few that are asked about do not."""
    known = [(f"k{i}", prose(i, 60)) for i in range(220)]
    index = build(tmp_path / "x.index", known)
    found = scan([("a", prose(7, 60)), ("b", prose(999, 60))], references=[index], run=ALONE)
    (cluster,) = found.clusters
    assert [member.name for member in cluster.members] == ["k7", "a"]
    assert cluster.members[1].distance == 0
    with Index.open(index) as opened:
        assert found.summary.recipe["digest"] == opened.recipe["digest"]
    assert found.summary.recipe["idf"] == index


def test_many_sources_learn_nothing_of_their_own(tmp_path: Path) -> None:
    index = build(tmp_path / "x.index", [("k", prose(7, 60))])
    found = scan([(f"s{i}", prose(i, 60)) for i in range(300)], references=[index], run=ALONE)
    assert [member.name for member in found.clusters[0].members] == ["k", "s7"]
    assert found.clusters[0].members[1].distance == 0
    assert found.summary.recipe["idf"] == "builtin"


def test_another_recipe_is_the_error_of_a_query(simdup: Command, archive: Path) -> None:
    for recipe in ("default,top=30", "default,bits=128", "string128"):
        typed = ["--recipe", recipe]
        asked = simdup("query", "old.index", "new", *typed)
        for verb in (["scan", "new"], ["dedupe", "new", "-o", "clean"]):
            ran = simdup(*verb, "--reference", "old.index", *typed)
            assert (ran.status, ran.err) == (2, asked.err)
    assert not (archive / "clean").exists()
    same = ("--recipe", "default,top=20")
    ran = simdup("scan", "new", "--reference", "old.index", *same, "--list", "redundant")
    assert (ran.status, len(ran.lines)) == (0, 3)


def test_the_recipe_is_the_one_of_the_index(simdup: Command, archive: Path) -> None:
    own = ("--recipe", "default,tokens=chars:2,bits=128")
    simdup("index", "build", "own.index", "old", *own)
    for typed in ((), own):
        ran = simdup("scan", "new", "--reference", "own.index", *typed, "-f", "jsonl")
        recipe = json.loads(ran.lines[-1])["recipe"]
        assert (recipe["tokens"], recipe["bits"]) == ("chars:2", 128)
        assert [json.loads(line)["type"] for line in ran.lines] == ["cluster"] * 3 + ["summary"]
    ran = simdup("scan", "new", "--reference", "own.index", "--recipe", "default,tokens=chars:2")
    assert "another recipe: bits 64 was requested, but the index has 128" in ran.err


# Several references.


def test_an_index_beside_a_folder(simdup: Command, archive: Path) -> None:
    write(archive, {"more/x.txt": edited(prose(70), 4), "more/6.txt": prose(6)})
    both = ("--reference", "more", "--reference", "old.index")
    kept = {}
    ran = simdup("dedupe", "new", *both, "--dry-run")
    for row in (line.split(",") for line in ran.lines[1:]):
        kept[row[0]] = row[4]
    assert kept == {
        "new/near.txt": "old/6.txt", "new/same.txt": "old/5.txt",
        "new/x.txt": "more/x.txt", "new/y.txt": "more/x.txt",
    }  # fmt: skip
    ran = simdup("scan", "new", *both, "--list", "redundant")
    assert ran.lines == ["new/near.txt", "new/same.txt", "new/x.txt", "new/y.txt"]
    assert simdup("scan", "new", *both, "--list", "kept").lines == []
    clusters = simdup("scan", "new", *both, "-f", "csv").lines
    assert "more/6.txt,kept" not in clusters, "references are not reported against each other"


def test_of_several_indexes_the_nearest_document_counts(tmp_path: Path) -> None:
    text = prose(1, 300)
    far = build(tmp_path / "far.index", [("far", edited(text, 1, 12)), ("one", prose(2))])
    close = build(tmp_path / "close.index", [("close", edited(text, 2)), ("two", prose(3))])
    sources = [("a", text), ("b", prose(2)), ("c", prose(3))]
    found = scan(sources, references=[far, close], run=ALONE, distance=20)
    names = [[member.name for member in cluster.members] for cluster in found.clusters]
    assert sorted(names) == [["close", "a"], ["one", "b"], ["two", "c"]]
    assert found.summary.indexed == 4


def test_indexes_of_different_recipes_are_refused(tmp_path: Path) -> None:
    one = build(tmp_path / "one.index", [("a", prose(1))])
    other = build(tmp_path / "other.index", [("a", prose(1))], recipe=Recipe(top=30))
    with pytest.raises(
        SimdupError, match=r"other\.index: its recipe \w+ is not that of .*one\.index"
    ):
        scan([("x", prose(2))], references=[one, other], run=ALONE)


# What an index cannot tell.


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--method", "pstable", "cannot be searched by pstable"),
        ("--cosine", "0.9", "has no texts to measure"),
        ("--containment", "0.9", "has no texts to measure"),
        ("--shingle", "words:3", "estimates similarity by runs of 5 characters only"),
    ],
)
def test_what_an_index_cannot_answer_is_an_error(
    simdup: Command, archive: Path, option: str, value: str, why: str
) -> None:
    for verb in (["scan", "new"], ["dedupe", "new", "-o", "clean"]):
        ran = simdup(*verb, "--reference", "old.index", option, value)
        assert ran.status == 2
        assert ran.err.splitlines() == [
            f"simdup: {option}: old.index is an index, which {why}",
            f"hint: leave {option} out, or take the documents themselves as --reference",
        ]
    ran = simdup("dedupe", "new", "-o", "clean", "--index", "old.index", option, value)
    assert ran.err.splitlines() == [
        f"simdup: {option}: old.index is an index, which {why}",
        f"hint: leave {option} out",
    ]
    assert not (archive / "clean").exists()


def test_other_shingles_do_not_matter_where_similarity_does_not(
    simdup: Command, archive: Path
) -> None:
    ran = simdup("scan", "new", "--reference", "old.index", "--shingle", "words:3", "-s", "0")
    assert ran.status == 0


def test_an_index_of_fingerprint_lines_is_no_reference(simdup: Command, archive: Path) -> None:
    lines = archive / "lines.txt"
    lines.write_text("00ff00ff00ff00ff  a\n", "utf-8")
    simdup("index", "build", "lines.index", "--fingerprints", "lines.txt")
    ran = simdup("scan", "new", "--reference", "lines.index")
    assert ran.status == 2
    assert (
        "lines.index: it was built from fingerprint lines, and cannot fingerprint texts" in ran.err
    )


def test_fingerprints_without_a_sketch_remove_nothing(simdup: Command, archive: Path) -> None:
    """Their similarity is unknown; without verification distance decides."""
    lines = simdup("fingerprint", "new/same.txt", "new/other.txt").text
    (archive / "lines.txt").write_text(lines, "utf-8")
    simdup("index", "add", "old.index", "--fingerprints", "lines.txt")
    simdup("index", "remove", "old.index", "new/same.txt")
    ran = simdup("dedupe", "new", "--reference", "old.index", "--dry-run")
    assert "new/other.txt" not in ran.text
    assert (
        "simdup: --reference: fingerprints without a sketch are near 1 of the documents; their "
        "similarity is unknown, so they are not taken for pairs\n" in ran.err
    )
    for less in (["--no-verify"], ["-s", "0"]):
        ran = simdup("dedupe", "new", "--reference", "old.index", "--dry-run", *less)
        assert "new/other.txt,near-duplicate,0,,new/other.txt" in ran.text


def test_what_the_index_cannot_tell_is_said_of_its_option(simdup: Command, archive: Path) -> None:
    lines = simdup("fingerprint", "new/other.txt").text.replace("new/", "seen/")
    (archive / "lines.txt").write_text(lines, "utf-8")
    simdup("index", "add", "old.index", "--fingerprints", "lines.txt")
    simdup("index", "build", "far.index", "old/1.txt")
    asked = {
        "--index": ["--index", "old.index", "--reference", "far.index"],
        "--reference": ["--index", "far.index", "--reference", "old.index"],
    }
    for option, indexes in asked.items():
        said = simdup("dedupe", "new", *indexes, "--dry-run").err.splitlines()
        assert [line.partition(": f")[0] for line in said if "sketch" in line] == [
            f"simdup: {option}"
        ]
    assert "eference" not in simdup("dedupe", "new", "--index", "old.index", "--dry-run").err


def test_documents_of_the_same_name_are_noted(simdup: Command, archive: Path) -> None:
    ran = simdup("scan", "old", "--reference", "old.index", "--list", "redundant")
    assert len(ran.lines) == 12
    assert (
        "simdup: --reference: 12 documents matched under the same name in an index; if it was "
        "built from these documents, they are redundant beside themselves\n" in ran.err
    )
    assert simdup("scan", "new", "--reference", "old.index", "-v").err.count("same name") == 0


def test_a_damaged_index_is_an_error_and_nothing_is_written(simdup: Command, archive: Path) -> None:
    content = bytearray((archive / "old.index").read_bytes())
    content[-2000:] = bytes(2000)
    (archive / "old.index").write_bytes(content)
    ran = simdup("dedupe", "new", "--reference", "old.index", "-o", "clean")
    assert ran.status == 2
    assert "simdup: old.index: " in ran.err
    assert not (archive / "clean").exists()


def test_an_empty_index_and_sources_without_a_match(simdup: Command, archive: Path) -> None:
    build(archive / "empty.index", [])
    ran = simdup("scan", "new", "--reference", "empty.index", "--list", "redundant")
    assert (ran.status, ran.lines) == (0, ["new/y.txt"])
    ran = simdup("scan", "new/other.txt", "--reference", "old.index", "--check")
    assert ran.status == 0
    assert "Found no near-duplicates." in ran.err
    assert simdup("scan", "new/same.txt", "--reference", "old.index", "--check").status == 1
