"""`simdup index` and `simdup query`, for people and for programs."""

import csv
import io
import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.typing import NDArray
from support import Command, command, environment

from lab.corpora.made import edited, prose, write
from lab.oracles.search import Hits, compared, in_order, tuples
from simdup import Index, SimdupError, all_pairs, scan
from simdup.cli.index import command as index_group
from simdup.search import queries
from simdup.search.plans import HammingBall
from simdup.search.queries import Searcher, SearchSetup, build


def jsonl(output: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.decode("utf-8", "surrogatepass").splitlines()]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write(tmp_path, {f"corpus/{i}.txt": prose(i) for i in range(12)})


# From the command.


def test_the_way_of_a_new_user(simdup: Command, corpus: Path) -> None:
    built = simdup("index", "build", "seen.index", "corpus")
    assert built.status == 0
    assert "Wrote seen.index: 12 documents added, 12 in all." in built.err
    write(corpus, {f"corpus/{i}.txt": prose(100 + i) for i in range(3)})
    again = simdup("index", "add", "seen.index", "corpus")
    assert again.err == "Wrote seen.index: 0 documents added, 3 replaced, 9 unchanged, 12 in all.\n"
    write(
        corpus,
        {"new/same.txt": prose(5), "new/near.txt": edited(prose(6)), "new/x.txt": prose(7777)},
    )
    asked = simdup("query", "seen.index", "new")
    assert asked.status == 0
    lines = asked.text.splitlines()
    assert lines[0] == "  bits  similar  document"
    assert lines[1] == "new/near.txt: 1 match"
    assert lines[2].split()[2] == "corpus/6.txt"
    assert lines[3:] == ["new/same.txt: 1 match", "     0  ~1.0000  corpus/5.txt", "new/x.txt: new"]
    removed = simdup("index", "remove", "seen.index", "corpus/5.txt", "corpus/none.txt")
    assert removed.status == 2
    assert "simdup: corpus/none.txt: no such document in the index" in removed.err
    assert "Wrote seen.index: 1 document removed, 11 in all." in removed.err
    checked = simdup("index", "check", "seen.index")
    assert (checked.status, checked.err) == (0, "11 documents, all intact\n")
    assert simdup("query", "seen.index", "new", "--new").lines == ["new/same.txt", "new/x.txt"]


def test_formats(simdup: Command, corpus: Path) -> None:
    simdup("index", "build", "seen.index", "corpus")
    write(corpus, {"new/a.txt": prose(5), "new/b.txt": prose(900), "new/empty.txt": ""})
    lines = jsonl(simdup("query", "seen.index", "new", "-f", "jsonl").out)
    match = {"document": "corpus/5.txt", "distance": 0, "similarity": 1.0}
    assert lines[:3] == [
        {"type": "match", "document": "new/a.txt", "matches": [match]},
        {"type": "new", "document": "new/b.txt"},
        {"type": "skipped", "document": "new/empty.txt", "reason": "empty"},
    ]
    summary = lines[3]
    found = [summary[key] for key in ("documents", "matched", "new", "added", "skipped")]
    assert found == [2, 1, 1, 0, 1]
    assert summary["recipe"]["digest"]
    only_new = jsonl(simdup("query", "seen.index", "new", "-f", "jsonl", "--new").out)
    assert [line["type"] for line in only_new] == ["new", "skipped", "summary"]
    simdup("query", "seen.index", "new", "-o", "found.csv")
    rows = list(csv.reader(io.StringIO((corpus / "found.csv").read_text("utf-8"))))
    assert rows == [
        ["document", "match", "distance", "similarity"],
        ["new/a.txt", "corpus/5.txt", "0", "1.0000"],
        ["new/b.txt", "", "", ""],
    ]


def test_matches_come_best_first_and_limited(simdup: Command, corpus: Path) -> None:
    text = prose(5)
    write(corpus, {"more/b.txt": edited(text, 1, 6), "more/a.txt": edited(text, 2, 1)})
    simdup("index", "build", "seen.index", "corpus", "more")
    asked = ["query", "seen.index", "corpus/5.txt", "-f", "jsonl", "-d", "20", "-s", "0.5"]
    matches = jsonl(simdup(*asked).out)[0]["matches"]
    assert [m["document"] for m in matches] == ["corpus/5.txt", "more/a.txt", "more/b.txt"]
    similarities = [m["similarity"] for m in matches]
    assert similarities == sorted(similarities, reverse=True)
    assert jsonl(simdup(*asked, "-n", "2").out)[0]["matches"] == matches[:2]
    few = jsonl(simdup(*asked, "-s", "0.99").out)[0]["matches"]
    assert [m["document"] for m in few] == ["corpus/5.txt"]
    assert len(jsonl(simdup(*asked[:-2], "--no-verify").out)[0]["matches"]) == 3


@pytest.mark.skipif(os.name == "nt", reason="names are not bytes there")
def test_names_of_every_kind(simdup: Command, corpus: Path) -> None:
    hostile = [
        b"new/a\nb.txt",
        b"new/\xff\xfe.txt",
        b"new/\xe2\x80\xae.txt",
        b"new/back\\slash.txt",
    ]
    (corpus / "new").mkdir()
    for number, name in enumerate(hostile):
        (os.fsencode(corpus) + b"/" + name).decode("utf-8", "surrogateescape")
        with open(os.fsencode(corpus) + b"/" + name, "wb") as file:
            file.write(prose(40 + number).encode())
    simdup("index", "build", "seen.index", "corpus")
    assert sorted(
        simdup("query", "seen.index", "new", "--new", "-0").out.split(b"\0")[:-1]
    ) == sorted(hostile)
    assert simdup("query", "seen.index", "new", "--add", "-q").status == 0
    shown = simdup("query", "seen.index", "new").text
    assert "new/a\\nb.txt: 1 match" in shown
    assert "new/\\xff\\xfe.txt" in shown
    assert "\u202e" not in shown
    exported = simdup("index", "export", "seen.index").out
    assert simdup("index", "build", "two.index", "--fingerprints", "-", stdin=exported).status == 0
    assert simdup("index", "export", "two.index").out == exported
    names = [name.decode("utf-8", "surrogateescape") for name in hostile]
    assert simdup("index", "remove", "seen.index", *names).status == 0
    assert simdup("index", "check", "seen.index").err == "12 documents, all intact\n"


def test_new_as_a_list_for_other_programs(simdup: Command, corpus: Path) -> None:
    simdup("index", "build", "seen.index", "corpus/1.txt", "corpus/2.txt")
    listed = b"corpus/1.txt\0corpus/3.txt\0"
    found = simdup("query", "seen.index", "--files-from", "-", "-0", "--new", stdin=listed)
    assert found.out == b"corpus/3.txt\0"
    assert simdup("query", "seen.index", "-0", "corpus").status == 2


def test_other_recipe_options_are_an_error_that_shows_both(simdup: Command, corpus: Path) -> None:
    simdup("index", "build", "seen.index", "corpus", "--recipe", "default,top=30")
    for words in (["index", "add", "seen.index", "corpus"], ["query", "seen.index", "corpus"]):
        wrong = simdup(*words, "--recipe", "default,top=25,fold=false")
        assert wrong.status == 2
        assert "top 25 was requested, but the index has 30" in wrong.err
        assert "fold False was requested, but the index has True" in wrong.err
        assert "top 20 was requested" in simdup(*words, "--recipe", "default").err
        assert simdup(*words, "--recipe", "default,top=30,idf=builtin").status == 0
    assert (
        "idf corpus was requested"
        in simdup("query", "seen.index", "corpus", "--recipe", "default,idf=corpus").err
    )


def test_a_model_or_dictionary_with_the_same_content_is_the_same(
    simdup: Command, corpus: Path
) -> None:
    write(corpus, {"a.dict": "延长周末 100\n", "b.dict": "延长周末 100\n", "c.dict": "周末 100\n"})
    simdup("fit", "corpus", "-o", "a.idf", "--dict", "a.dict")
    (corpus / "b.idf").write_bytes((corpus / "a.idf").read_bytes())
    simdup("fit", "corpus/1.txt", "-o", "c.idf", "--dict", "a.dict")
    built = simdup(
        "index",
        "build",
        "seen.index",
        "corpus",
        "--recipe",
        "default,idf=a.idf",
        "--dict",
        "a.dict",
    )
    assert built.status == 0
    add = ["index", "add", "seen.index", "corpus"]
    assert simdup(*add, "--recipe", "default,idf=b.idf", "--dict", "b.dict").status == 0
    assert (
        "idf c.idf was requested, but the index has a.idf"
        in simdup(*add, "--recipe", "default,idf=c.idf").err
    )
    assert (
        "--dict c.dict was requested, but the index has a.dict"
        in simdup(*add, "--dict", "c.dict").err
    )


def test_info(simdup: Command, corpus: Path) -> None:
    simdup("index", "build", "seen.index", "corpus")
    text = simdup("index", "info", "seen.index").lines
    assert text[1] == "documents  12"
    assert text[-1].startswith("recipe ")
    (values,) = jsonl(simdup("index", "info", "seen.index", "-f", "jsonl").out)
    assert values["type"] == "index"
    assert values["documents"] == 12
    assert values["bytes"] == (corpus / "seen.index").stat().st_size
    assert values["recipe"]["tokens"] == "words"
    assert values["created"] <= values["changed"]


@pytest.mark.parametrize("words", [["index", "info"], ["index", "check"], ["index", "export"]])
def test_a_file_that_is_not_an_index_is_one_line_and_a_hint(
    simdup: Command, corpus: Path, words: list[str]
) -> None:
    missing = simdup(*words, "nothing.index")
    assert missing.status == 2
    assert missing.err.splitlines()[0] == "simdup: nothing.index: no such file"
    wrong = simdup(*words, "corpus/1.txt")
    assert wrong.err.splitlines()[0] == "simdup: corpus/1.txt: is not a simdup index"
    assert wrong.out == b""


def test_fingerprint_lines_in_and_out(simdup: Command, corpus: Path) -> None:
    prints = simdup("fingerprint", "corpus").out
    assert simdup("index", "build", "seen.index", "--fingerprints", "-", stdin=prints).status == 0
    assert simdup("index", "export", "seen.index").out == prints
    again = simdup("index", "add", "seen.index", "--fingerprints", "-", stdin=prints)
    assert "0 documents added, 12 unchanged" in again.err
    # The lines have the default recipe, so the index can also fingerprint texts.
    first = jsonl(simdup("query", "seen.index", "corpus/4.txt", "-f", "jsonl").out)[0]
    assert first["matches"] == [{"document": "corpus/4.txt", "distance": 0}]
    asked = simdup("query", "seen.index", "--fingerprints", "-", "-f", "jsonl", stdin=prints)
    assert [line["type"] for line in jsonl(asked.out)] == ["match"] * 12 + ["summary"]


def test_lines_of_an_unknown_or_another_recipe(simdup: Command, corpus: Path) -> None:
    other = simdup("fingerprint", "corpus", "--recipe", "default,top=7").out
    simdup("index", "build", "seen.index", "corpus")
    wrong = simdup("index", "add", "seen.index", "--fingerprints", "-", stdin=other)
    assert wrong.status == 2
    assert "the lines have 64 bits, recipe " in wrong.err
    bare = other.partition(b"\n")[2]
    assert "recipe unknown" in simdup("query", "seen.index", "--fingerprints", "-", stdin=bare).err
    assert simdup("index", "build", "other.index", "--fingerprints", "-", stdin=other).status == 0
    texts = simdup("query", "other.index", "corpus")
    assert "cannot fingerprint texts" in texts.err
    options = ["--recipe", "default,top=7", "--fingerprints", "-"]
    assert simdup("index", "build", "known.index", *options, stdin=other).status == 0
    assert simdup("query", "known.index", "corpus", "--new").out == b""
    assert simdup("index", "build", "bare.index", "--fingerprints", "-", stdin=bare).status == 0
    assert simdup("index", "export", "bare.index").out == bare


def test_records_that_share_a_name(simdup: Command, corpus: Path) -> None:
    def records(*pairs: tuple[str, int]) -> bytes:
        lines = (json.dumps({"id": name, "text": prose(seed)}) for name, seed in pairs)
        return "\n".join(lines).encode()

    def add(*pairs: tuple[str, int]) -> str:
        (corpus / "r.jsonl").write_bytes(records(*pairs))
        added = simdup("index", "add", "seen.index", "r.jsonl", "--id-field", "id")
        return added.err.splitlines()[-1].removeprefix("Wrote seen.index: ").rpartition(", ")[0]

    simdup("index", "build", "seen.index")
    given = [("x", 1), ("y", 2), ("x", 3), ("y", 2)]
    assert add(*given) == "4 documents added"
    assert add(*given) == "0 documents added, 4 unchanged"
    names = [line.split("  ")[1] for line in simdup("index", "export", "seen.index").lines[1:]]
    assert names == ["x", "y", "r.jsonl#3", "r.jsonl#4"]
    assert add(("y", 4), ("x", 1)) == "0 documents added, 1 replaced, 1 unchanged"


# Streams, and adding during a query.


def test_each_line_is_answered_as_it_comes(corpus: Path) -> None:
    Index.build(str(corpus / "seen.index"), [str(corpus / "corpus")]).close()
    options = ["--add", "--input-format", "jsonl", "--id-field", "id", "-f", "jsonl", "-"]
    with subprocess.Popen(
        command("query", "seen.index", *options),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=corpus,
        env=environment(),
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for number, (seed, kind) in enumerate(
            [(50, "new"), (50, "match"), (3, "match"), (51, "new")]
        ):
            line = json.dumps({"id": f"u{number}", "text": prose(seed)})
            running.stdin.write(line.encode() + b"\n")
            running.stdin.flush()
            assert select.select([running.stdout], [], [], 20)[0], "no answer"
            assert json.loads(running.stdout.readline())["type"] == kind
        # Everything answered is in the index, whatever happens next.
        running.kill()
        running.wait()
    with Index.open(str(corpus / "seen.index")) as index:
        assert [name for name, _ in index.export()][12:] == ["u0", "u3"]
        assert index.check() == []


@pytest.mark.parametrize("n", [30, 700])
def test_adding_while_asking_is_a_greedy_deduplication(tmp_path: Path, n: int) -> None:
    rng = np.random.default_rng(n)
    centres = rng.integers(0, 1 << 64, n // 5, dtype=np.uint64)
    flips = np.uint64(1) << rng.integers(0, 64, (2, n)).astype(np.uint64)
    values = centres[rng.integers(0, len(centres), n)] ^ flips[0] ^ flips[1]
    given = [(f"n{i}", value) for i, value in enumerate(values.tolist())]
    kept: list[int] = []
    expected = []
    for value in values.tolist():
        near = [k for k in kept if (k ^ value).bit_count() <= 3]
        expected.append(len(near))
        if not near:
            kept.append(value)
    with Index.build(str(tmp_path / "seen.index")) as index:
        answers = list(index.query(given, add=True, fingerprints=True))
        assert [len(answer.matches) for answer in answers] == expected
        assert [answer.added for answer in answers] == [not near for near in expected]
        assert [value for _, value in index.export()] == kept
        assert index.check() == []


def test_a_name_that_comes_again_and_again_while_asking(tmp_path: Path) -> None:
    asked = [("x", prose(seed)) for seed in range(1, 6)]
    asked += [("y", prose(5)), ("z", prose(2)), ("x", prose(6)), ("v", prose(6))]
    with Index.build(str(tmp_path / "seen.index"), [("a", prose(9)), ("x", prose(8))]) as index:
        found = list(index.query(asked, add=True))
        # What an earlier text of the name is near is no match.
        assert [[one.document for one in result.matches] for result in found] == [
            [], [], [], [], [], ["x"], [], [], ["x"],
        ]  # fmt: skip
        assert sorted(name for name, _ in index.export()) == ["a", "x", "z"]
        assert index.check() == []


def test_a_query_sees_documents_added_meanwhile(tmp_path: Path) -> None:
    path = str(tmp_path / "seen.index")
    with Index.build(path, [("a", prose(1))]) as index:
        assert next(iter(index.query([("x", prose(2))]))).new
        with Index.open(path) as other:
            other.add([("b", prose(2))])
        assert next(iter(index.query([("x", prose(2))]))).matches[0].document == "b"
        with Index.open(path) as other:
            other.remove("b")
        assert next(iter(index.query([("x", prose(2))]))).new


# What a query finds.


def test_query_agrees_with_a_scan_by_fingerprints(tmp_path: Path) -> None:
    texts = [(f"d{i}", edited(prose(i % 30), i, i % 4)) for i in range(90)]
    found = scan(texts, method="simhash")
    with Index.build(str(tmp_path / "seen.index"), texts) as index:
        # The estimate of a sketch may differ; no match above the similarity is lost.
        near = {
            frozenset((answer.document, match.document))
            for answer in index.query(texts, similarity=0.0)
            for match in answer.matches
            if match.document != answer.document
        }
        estimates = {
            frozenset((answer.document, match.document)): match.similarity
            for answer in index.query(texts)
            for match in answer.matches
        }
    pairs = [pair for cluster in found.clusters for pair in cluster.pairs]
    assert pairs
    for pair in pairs:
        assert frozenset((pair.a, pair.b)) in near
        estimated = estimates.get(frozenset((pair.a, pair.b)))
        if estimated is not None and pair.similarity is not None:
            assert abs(estimated - pair.similarity) < 4.5 * 0.035


def test_short_texts_that_differ_in_a_fact_are_no_match(tmp_path: Path) -> None:
    title = "宇宙的边疆：从银河系的中心到可观测宇宙的尽头，关于星系、恒星、行星与生命的片子，第1集"
    held, more = [("1", title)], [("2", title.replace("第1", "第2")), ("again", f"{title}。")]
    # The literature's pipeline knows no facts.
    close = {"auto": ["again"], "minhash": ["again"], "simhash": ["2", "again"]}
    for method, names in close.items():
        with Index.build(str(tmp_path / method), held, method=method) as index:
            assert [one.document for one in index.query(more, 20) if one.matches] == names
    with Index.build(str(tmp_path / "seen.index"), held) as index:
        # In a stream, too, and after they were written.
        assert [one.added for one in index.query(more[:2], add=True)] == [True, False]
    with Index.open(str(tmp_path / "seen.index")) as index:
        (two,) = index.query([("x", more[0][1].replace("。", ""))])
        assert [one.document for one in two.matches] == ["2"]


def test_documents_of_few_terms_match_only_the_same(tmp_path: Path) -> None:
    with Index.build(str(tmp_path / "seen.index"), [("a", "hello"), ("b", "hello hello")]) as index:
        asked = [("x", "Hello"), ("y", "hello hello hello hello")]
        found = [[m.document for m in answer.matches] for answer in index.query(asked)]
        assert found == [["a"], []]


def near(searcher: Searcher, asked: NDArray[np.uint64]) -> Hits:
    found: Hits = in_order(searcher.find(asked))
    return found


@pytest.mark.parametrize("compress", [False, True])
def test_scans_and_tables_find_the_same(compress: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    values = rng.integers(0, 1 << 64, 60_000, dtype=np.uint64)
    values[rng.integers(0, 60_000, 5_000)] = values[:5_000]
    asked = values[rng.integers(0, 60_000, 3_000)] ^ np.uint64(0b1001)
    searcher = Searcher(values[:50_000, None], SearchSetup(HammingBall(64, 3), 2, compress))
    made = Mock(wraps=build)
    monkeypatch.setattr(queries, "build", made)
    expected = compared(asked, values)
    first = near(searcher, asked[:1, None])
    assert not made.called
    assert first.row.tolist() == [row for i, row in expected if i == 0 and row < 50_000]
    searcher.append(values[50_000:, None])
    for _ in range(4):
        assert tuples(near(searcher, asked[:, None])) == expected
    assert made.called


def test_scans_of_wide_fingerprints_by_threads() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 1 << 64, (70_000, 4), dtype=np.uint64)
    asked = values[rng.integers(0, 70_000, 200)]
    asked[:, 3] ^= np.uint64(0b1)
    asked[:, 0] ^= np.uint64(0b1)
    for distance, threads in ((2, 2), (2, 1), (1, 2)):
        searcher = Searcher(values, SearchSetup(HammingBall(256, distance), threads))
        found = near(searcher, asked[:150])
        every = [(values ^ one) for one in asked[:150]]
        rows = [np.flatnonzero(np.bitwise_count(x).sum(axis=1) <= distance) for x in every]
        assert found.row.tolist() == np.concatenate(rows).tolist()


def test_an_index_finds_all_pairs(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    values = rng.integers(0, 1 << 64, 9_000, dtype=np.uint64)
    values[4_000:8_000] = values[:4_000] ^ np.uint64(0x8000000000000001)
    given = [(str(i), value) for i, value in enumerate(values.tolist())]
    with Index.build(str(tmp_path / "seen.index"), given, fingerprints=True) as index:
        found = sorted(
            (int(answer.document), int(match.document), match.distance)
            for answer in index.query(given, fingerprints=True)
            for match in answer.matches
            if int(answer.document) < int(match.document)
        )
    assert found == sorted(zip(*(c.tolist() for c in all_pairs(values)), strict=True))


def test_wrong_numbers_are_refused(tmp_path: Path) -> None:
    with Index.build(str(tmp_path / "seen.index")) as index:
        for value in (-1, 1 << 64):
            with pytest.raises(SimdupError, match="64 bits"):
                index.add([("a", value)], fingerprints=True)
        with pytest.raises(SimdupError):
            index.query(["x"], distance=-1)


def test_info_does_not_import_numpy(tmp_path: Path) -> None:
    Index.build(str(tmp_path / "seen.index")).close()
    code = (
        "import sys\nfrom simdup.cli import main\n"
        "try: main(['index', 'info', 'seen.index'])\n"
        "except SystemExit: print('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        cwd=tmp_path,
        env=environment(),
        check=True,
    )
    assert done.stdout.splitlines()[-1] == b"False"


def test_the_help_of_the_index_shows_examples(simdup: Command) -> None:
    for name in index_group.commands:
        helped = simdup("index", name, "--help").text
        assert f"simdup index {name}" in helped.partition("Examples:")[2]


def test_only_equal_texts_have_a_similarity_of_1(tmp_path: Path) -> None:
    page = "".join(chr(0x4E00 + n * 7 % 997) for n in range(400)) * 2
    asked = [
        ("same", f"{page[:200]} \n{page[200:]}"),
        ("more", page + page[:400]),
        ("dot", page + "。"),
    ]
    held = [("page", page), ("dots", page + "！"), ("short", "明天下午三点开会，请准时到场。")]
    asked.append(("other", "明天下午三點開會,請準時到場。"))
    with Index.build(str(tmp_path / "seen.index"), held) as index:
        best = {one.document: one.matches[0] for one in index.query(asked, distance=64)}
        assert (best["same"].document, best["same"].similarity) == ("page", 1)
        assert best["more"].similarity == 0.9999
        assert best["dot"].similarity < 1
        equal = {one.document: one.matches for one in index.query(asked, similarity=1)}
    assert {name for name, matches in equal.items() if matches} == {"same", "other"}
