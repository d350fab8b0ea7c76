"""Scan: the whole pipeline compared with a slow oracle, and the contracts of results."""

import csv
import io
import itertools
import json
import math
import os
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, examples, leaders, process

from lab.corpora.made import LATIN, edited, prose, write
from lab.oracles import plain
from simdup import Recipe, SimdupError, scan
from simdup.model.clusters import FEW
from simdup.near import collection

SPLIT = Recipe(tokens="split", fold=False, idf="corpus")


def names(found: Any) -> list[list[str]]:
    return [[member.name for member in cluster.members] for cluster in found.clusters]


def pairs(found: Any) -> set[tuple[str, str]]:
    return {(pair.a, pair.b) for pair in found.pairs}


# The whole pipeline, slowly.


def family(seed: int) -> list[tuple[str, str]]:
    """Texts: some are copies, shuffled copies, edits and edits of edits of others."""
    chance = random.Random(seed)
    vocabulary = [a + b for a in LATIN for b in LATIN[:9]]
    texts: list[list[str]] = []
    for _ in range(50):
        kind = chance.random()
        if not texts or kind < 0.4:
            texts.append(chance.choices(vocabulary, k=chance.choice([0, 1, 2, 3, 10, 40, 60])))
            continue
        text = list(chance.choice(texts))
        if kind < 0.5:
            chance.shuffle(text)
        elif kind < 0.9 and text:
            text[chance.randrange(len(text))] = chance.choice(vocabulary)
        texts.append(text)
    return [(f"t{n:02}", " ".join(text)) for n, text in enumerate(texts)]


def expected_pairs(
    texts: list[tuple[str, str]], distance: int, similarity: float | None
) -> dict[tuple[str, str], tuple[int, float | None]]:
    """All pairs by brute force."""
    tokens = {name: text.split() for name, text in texts}
    corpus = list(tokens.values())
    weights = {name: plain.weights(cut, corpus) for name, cut in tokens.items()}
    prints = {name: plain.fingerprint(weights[name]) for name in tokens}
    found: dict[tuple[str, str], tuple[int, float | None]] = {}
    for (a, text_a), (b, text_b) in itertools.combinations([t for t in texts if t[1]], 2):
        first, second = prints[a], prints[b]
        assert first is not None
        assert second is not None
        apart = (first ^ second).bit_count()
        few = min(len(set(tokens[a])), len(set(tokens[b]))) < 3
        if text_a == text_b:
            found[a, b] = (0, None if similarity is None else 1.0)
        elif apart <= distance and not few:
            alike = None if similarity is None else plain.resemblance(text_a, text_b)
            if alike is None or similarity is None or alike >= similarity:
                found[a, b] = (apart, alike)
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("distance", "similarity"), [(3, 0.8), (8, 0.3), (0, 0.0), (12, None)])
def test_the_whole_way_as_brute_force(seed: int, distance: int, similarity: float | None) -> None:
    texts = family(seed)
    verify = similarity is not None
    found = scan(
        texts, SPLIT, method="simhash", distance=distance, similarity=similarity or 0.0,
        verify=verify, jobs=1,
    )  # fmt: skip
    expected = expected_pairs(texts, distance, similarity)
    assert expected
    numbers = {name: number for number, (name, _) in enumerate(texts)}
    near = {(numbers[a], numbers[b]) for a, b in expected}
    taken_by, clusters = leaders(range(len(texts)), lambda a, b: (a, b) in near)
    members = [member for cluster in found.clusters for member in cluster.members]
    assert {m.number: m.beside for m in members if m.role == "redundant"} == taken_by
    assert {frozenset(m.number for m in one.members) for one in found.clusters} == clusters
    # Of a large cluster only the pairs of those that are redundant are listed.
    few = {number for cluster in clusters if len(cluster) <= FEW for number in cluster}
    shown = {
        (a, b): figures
        for (a, b), figures in expected.items()
        if numbers[a] in few or taken_by.get(numbers[b]) == numbers[a]
    }
    assert {(p.a, p.b): (p.distance, p.similarity) for p in found.pairs} == shown
    sizes = [(-len(members), min(members)) for members in names(found)]
    assert sizes == sorted(sizes)
    for cluster in found.clusters:
        listed = [(pair.a, pair.b) for pair in cluster.pairs]
        assert listed == sorted(listed)
        measured = [one.similarity for one in cluster.members if one.similarity is not None]
        assert cluster.weakest == (min(measured) if verify else None)
    summary = found.summary
    empty = sum(not text for _, text in texts)
    assert (summary.documents, summary.skipped) == (len(texts) - empty, empty)
    assert (summary.pairs, summary.redundant) == (len(shown), len(taken_by))
    assert bool(summary.checked) == verify
    assert summary.clusters == len(found.clusters)


@examples(12)
@given(st.permutations(range(50)))
def test_the_order_of_the_input_does_not_change_clusters(order: list[int]) -> None:
    texts = family(3)
    before = scan(texts, SPLIT, jobs=1)
    after = scan([texts[n] for n in order], SPLIT, jobs=1)
    assert {frozenset(m) for m in names(before)} == {frozenset(m) for m in names(after)}
    texts_of = dict(texts)

    def different(found: Any) -> set[frozenset[str]]:
        return {frozenset({texts_of[a], texts_of[b]}) for a, b in pairs(found)}

    assert different(before) == different(after)


# What is a pair.


def test_empty_texts_are_never_pairs() -> None:
    found = scan([("a", ""), ("b", ""), ("c", " \n"), ("d", "\ufe0f\u200b")])
    assert found.clusters == ()
    assert [(s.document, s.reason) for s in found.skipped] == [(name, "empty") for name in "abcd"]
    assert not any(skipped.error for skipped in found.skipped)
    assert found.summary.documents == 0


WORDLESS = [
    ("a", "。！"), ("b", prose(1)), ("c", "👍"), ("d", "。 !"), ("e", "the of"), ("f", "👍\ufe0f"),
    ("g", "!" * 30), ("h", "!" * 29), ("i", "The  of"), ("j", "\ue000\ue001"),
    ("k", "\ue000\ue001"),
]  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [
        {}, {"method": "simhash"}, {"method": "minhash"}, {"similarity": 1}, {"similarity": 0.5},
        {"all_pairs": True}, {"containment": 0.5}, {"keep": "longest"},
    ],
)  # fmt: skip
def test_texts_without_words_are_pairs_if_they_are_equal(fields: dict[str, Any]) -> None:
    found = scan(WORDLESS, jobs=1, **fields)
    assert names(found) == [["a", "d"], ["c", "f"], ["e", "i"], ["j", "k"]]
    assert found.unique == ["b", "g", "h"]
    assert (found.skipped, found.summary.documents) == ((), len(WORDLESS))
    for cluster in found.clusters:
        kept, other = cluster.members
        assert (kept.role, kept.fingerprint, kept.distance) == ("kept", None, None)
        assert (other.role, other.fingerprint, other.distance) == ("redundant", None, None)
        assert other.similarity == 1
        assert [(one.distance, one.similarity, one.exact) for one in cluster.pairs] == [
            (None, 1, True)
        ]


def test_a_missing_fingerprint_is_empty_or_null(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a": "👍", "b": "👍\n", "c": "👎"})
    rows = simdup("scan", "a", "b", "c", "-f", "csv").lines[1:]
    assert rows == ["1,kept,a,,,,,,,a,", "1,redundant,b,,,1.0000,,,edit,a,"]
    cluster, _ = map(json.loads, simdup("scan", "a", "b", "c", "-f", "jsonl").lines)
    kept, other = cluster["documents"]
    assert kept == {"document": "a", "role": "kept", "fingerprint": None, "kept": "a"}
    assert (other["fingerprint"], other["distance"], other["similarity"]) == (None, None, 1.0)
    assert [one["distance"] for one in cluster["pairs"]] == [None]
    assert simdup("scan", ".", "-o", "page.html").status == 0
    assert simdup("compare", "a", "b").status == 0
    assert simdup("compare", "a", "c").status == 1
    assert simdup("dedupe", "a", "b", "c", "-o", "out").status == 0
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["a", "c"]
    lines = simdup("fingerprint", "a", "b", "c")
    assert len(lines.lines) == 1
    assert "3 without words" in lines.err


def test_many_equal_texts_without_words_are_one_cluster_for_any_rule() -> None:
    rows = [{"id": n, "text": "!" * (n % 2 + 9), "author": str(n % 3)} for n in range(180)]
    assert [len(c.members) for c in scan(rows, jobs=1).clusters] == [90, 90]
    assert [len(c.members) for c in scan(rows, jobs=1, same="author").clusters] == [30] * 6
    apart = scan(rows[:12], jobs=1, across="author")
    assert [len(c.members) for c in apart.clusters] == [6, 6]
    authors = {row["id"]: row["author"] for row in rows}
    assert all(authors[one.a] != authors[one.b] for one in apart.pairs)


@pytest.mark.parametrize("bits", [8, 24, 64, 72, 128, 256])
def test_every_width(bits: int) -> None:
    text = prose(3)
    texts = [
        ("a", text),
        ("b", edited(text, 1)),
        ("c", text),
        *((str(n), prose(n)) for n in range(9, 15)),
    ]
    found = scan(texts, Recipe(bits=bits), distance=bits, similarity=0.8)
    assert pairs(found) == {("a", "b"), ("a", "c"), ("b", "c")}
    assert {len(m.fingerprint) for m in found.clusters[0].members} == {bits // 4}


# Which document is kept.


def test_keep(simdup: Command, tmp_path: Path) -> None:
    text = prose(5)
    texts = {"a.txt": text, "b.txt": text + "完了。", "c.txt": text[:-4], "d.txt": text}
    write(tmp_path / "c", texts)
    for number, name in enumerate(["b.txt", "a.txt", "d.txt", "c.txt"]):
        os.utime(tmp_path / "c" / name, (1_000_000 + number, 1_000_000 + number))
    for keep, kept in [
        ("first", "a"), ("longest", "b"), ("shortest", "c"), ("newest", "c"), ("oldest", "b"),
    ]:  # fmt: skip
        ran = simdup("scan", "c", "-f", "csv", "--keep", keep, "-q")
        rows = list(csv.DictReader(io.StringIO(ran.text)))
        assert [row["role"] for row in rows] == ["kept", *["redundant"] * 3]
        order = [row["document"] for row in rows]
        assert order[0] == f"c/{kept}.txt"
        assert order[1:] == sorted(order[1:])
        assert (rows[0]["distance"], rows[0]["similarity"]) == ("", "")
        for row in rows[1:]:
            alike = plain.resemblance(*(texts[r["document"][2:]] for r in (rows[0], row)))
            assert row["similarity"] == f"{math.floor(alike * 1e4) / 1e4:.4f}"


def test_of_equals_the_first_is_kept() -> None:
    text = prose(5)
    for keep in ("longest", "shortest", "newest", "oldest"):
        assert names(scan([("b", text), ("a", text), ("c", text)], keep=keep)) == [["b", "a", "c"]]
    with pytest.raises(SimdupError, match="keep"):
        scan([("a", text)], keep="best")


def test_the_text_of_a_pair_lists_similarity_rounded_down(simdup: Command, tmp_path: Path) -> None:
    # Two of three shingles: 0.6666..., which must not be shown as 0.6667.
    write(tmp_path, {"a.txt": "abcdefgh", "b.txt": "abcdefghi"})
    options = ("-s", "0", "-d", "64", "--recipe", "default,tokens=chars:2", "--shingle", "7")
    options += ("--method", "simhash")
    record = json.loads(simdup("scan", "-f", "jsonl", *options, "a.txt", "b.txt").lines[0])
    assert record["pairs"][0]["similarity"] == 0.6666


# Any number of processes, every run.


def without_seconds(lines: Iterable[bytes]) -> list[Any]:
    records = [json.loads(line) for line in lines]
    return [{k: v for k, v in record.items() if k != "seconds"} for record in records]


@pytest.fixture
def larger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus large enough for several processes: 200 kB, 420 files, some of them bad."""
    monkeypatch.setattr(collection, "WORTH_WORKERS", 100_000)
    folder = tmp_path / "corpus"
    texts = {}
    for number in range(420):
        text = prose(number // 3, words=80)
        texts[f"{number:03}.txt"] = edited(text, number, number % 3)
    write(folder, texts | {"100x.txt": "", "200x.txt": "。"})
    assert sum(path.stat().st_size for path in folder.iterdir()) > 120_000
    (folder / "300x.bin").write_bytes(b"\0" * 5000)
    (folder / "400x.txt").write_bytes(prose(400).encode("gb18030") + b"\xff")
    records = [json.dumps({"id": n // 2, "text": prose(n)}) for n in range(40)]
    (folder / "500x.jsonl").write_text("\n".join([*records, "broken"]), "utf-8")
    return folder


@pytest.mark.parametrize(("idf", "jobs"), [("corpus", "123"), ("builtin", "12")])
def test_every_number_of_jobs_gives_the_same_bytes(
    simdup: Command, larger: Path, idf: str, jobs: str
) -> None:
    options = (larger, "--recipe", f"default,idf={idf}", "--id-field", "id")
    runs = [simdup("scan", *options, "-f", "jsonl", "-j", n) for n in jobs]
    assert {run.status for run in runs} == {2}
    first = without_seconds(runs[0].out.splitlines())
    assert first[-1]["clusters"] > 100
    assert first[-1]["skipped"] == 3
    for run in runs[1:]:
        assert without_seconds(run.out.splitlines()) == first
        cut = [err.partition(" s; ")[2] for err in (run.err, runs[0].err)]
        assert cut[0] == cut[1] != ""


def test_every_number_of_jobs_streams_the_same_lines(simdup: Command, larger: Path) -> None:
    options = (larger, "--recipe", "default,idf=builtin", "-q")
    one, other = (simdup("fingerprint", *options, "-j", n) for n in "13")
    assert one == other
    assert len(one.lines) > 420


def test_the_seed_of_hashes_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, {f"c/{n}.txt": edited(prose(n // 2), n) for n in range(20)})
    options = ("c", "-f", "jsonl", "--recipe", "default,idf=corpus")
    one, other = (process("scan", *options, cwd=tmp_path, PYTHONHASHSEED=seed) for seed in "01")
    assert without_seconds(one.out.splitlines()) == without_seconds(other.out.splitlines())


# Statuses.


def test_check(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": prose(1), "b.txt": prose(1), "c.txt": prose(2), "empty.txt": ""})
    assert simdup("scan", "a.txt", "b.txt").status == 0
    assert simdup("scan", "--check", "a.txt", "b.txt").status == 1
    assert simdup("scan", "--check", "a.txt", "c.txt").status == 0
    both = simdup("scan", "--check", "a.txt", "b.txt", "missing.txt")
    assert both.status == 2
    assert "cluster 1: 2 documents" in both.text


def test_unreadable_files_are_reported_and_the_rest_is_done(
    simdup: Command, tmp_path: Path
) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": prose(1), "records": '{"text": "x"}'})
    (tmp_path / "dangling").symlink_to("nowhere")
    ran = simdup("scan", "c", "missing", "dangling", "-f", "jsonl")
    assert ran.status == 2
    records = [json.loads(line) for line in ran.lines]
    assert [record["type"] for record in records] == ["cluster", "skipped", "skipped", "summary"]
    reason = "no such file or folder"
    assert records[1] == {"type": "skipped", "document": "missing", "reason": reason}
    assert records[2]["document"] == "dangling"
    assert f"simdup: missing: {reason}\n" in ran.err
    listed = simdup("scan", "--files-from", "c")
    assert listed.status == 2
    assert listed.err.startswith("simdup: c: ")
    assert simdup("scan", "--files-from", "gone").status == 2


def test_empty_and_binary_files_are_not_an_error(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": ""})
    (tmp_path / "c/c.bin").write_bytes(bytes(range(256)) * 20)
    os.mkfifo(tmp_path / "c" / "pipe")
    ran = simdup("scan", "c", "-f", "jsonl")
    assert ran.status == 0
    skipped = [json.loads(line) for line in ran.lines[:-1]]
    assert {s["document"]: s["reason"] for s in skipped} == {
        "c/b.txt": "empty", "c/c.bin": "binary", "c/pipe": "not a regular file",
    }  # fmt: skip
    assert "3 skipped (1" in ran.err


# Sources.


def test_a_folder_is_walked_in_byte_order_without_hidden_files(
    simdup: Command, tmp_path: Path
) -> None:
    text = prose(1)
    files = ["b.txt", "B.txt", "a/z.txt", "a.txt", "é.txt", "河.txt", ".hidden", ".git/x", "a/.h/y"]
    write(tmp_path / "c", dict.fromkeys(files, text))
    (tmp_path / "c" / "link.txt").symlink_to("b.txt")
    (tmp_path / "c" / "folder").symlink_to("a")
    ran = simdup("fingerprint", "c", "-q")
    found = [line.split("  ", 1)[1] for line in ran.lines[1:]]
    # The order of the entries of one folder, each folder's files in its place.
    assert found == [f"c/{n}" for n in ["B.txt", "a/z.txt", "a.txt", "b.txt", "é.txt", "河.txt"]]


def test_a_source_that_is_a_link_lists_no_file_twice(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "c/d/b.txt": prose(2), "-": prose(3)})
    (tmp_path / "link").symlink_to("c")
    (tmp_path / "b.txt").symlink_to("c/d/b.txt")
    sources = ("./link/", "c", "b.txt", "c/d", "-", "./-")
    ran = simdup("fingerprint", "-q", *sources, stdin=prose(4).encode())
    found = [line.split("  ", 1)[1] for line in ran.lines[1:]]
    assert found == ["./link/a.txt", "./link/d/b.txt", "-", "./-"]


# Records.


def scanned(simdup: Command, *options: str) -> tuple[int, list[dict[str, Any]]]:
    ran = simdup("scan", "r.jsonl", "-f", "jsonl", *options)
    return ran.status, [json.loads(line) for line in ran.lines]


def test_records_are_numbered_and_broken_ones_reported_by_line(
    simdup: Command, tmp_path: Path
) -> None:
    text = prose(1)
    lines = [
        json.dumps({"text": text}).encode(),
        b"",
        b"{broken",
        json.dumps({"name": text}).encode(),
        b"[1, 2]",
        json.dumps({"text": 7}).encode(),
        b'{"text": "\xff"}',
        b"  ",
        json.dumps({"text": text}, ensure_ascii=False).encode() + b"\r",
        json.dumps({"text": ""}).encode(),
        b'{"text": ' + b"[" * 100_000,
    ]
    (tmp_path / "r.jsonl").write_bytes(b"\n".join(lines))
    status, records = scanned(simdup)
    assert status == 2
    assert [d["document"] for d in records[0]["documents"]] == ["r.jsonl#1", "r.jsonl#7"]
    assert {r["document"]: r["reason"] for r in records[1:-1]} == {
        "r.jsonl#2": "line 3: not valid JSON",
        "r.jsonl#3": "line 4: no field 'text'",
        "r.jsonl#4": "line 5: not a JSON object",
        "r.jsonl#5": "line 6: field 'text' is not a string",
        "r.jsonl#6": "line 7: not valid UTF-8: see --encoding",
        "r.jsonl#8": "empty",
        "r.jsonl#9": "line 11: not valid JSON",
    }


def test_records_longer_than_any_buffer(simdup: Command, tmp_path: Path) -> None:
    long = json.dumps({"text": prose(1, 150_000)}, ensure_ascii=False)
    short = json.dumps({"text": prose(2)})
    (tmp_path / "r.jsonl").write_text("\n".join([short, long, short, long]), "utf-8")
    assert (tmp_path / "r.jsonl").stat().st_size > 2_000_000
    status, records = scanned(simdup, "-j", "1")
    assert status == 0
    found = [[d["document"] for d in record["documents"]] for record in records[:-1]]
    assert found == [["r.jsonl#1", "r.jsonl#3"], ["r.jsonl#2", "r.jsonl#4"]]


def test_ids_and_fields(simdup: Command, tmp_path: Path) -> None:
    text = prose(1)
    ids: list[Any] = ["one", "two", "one", 7, True, None, 1.5, "r.jsonl#2", "", "一\n二"]
    lines = [
        json.dumps({"key": key, "body": text, "text": prose(50 + n)}) for n, key in enumerate(ids)
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    status, records = scanned(simdup, "--field", "body", "--id-field", "key")
    assert status == 2
    found = [d["document"] for d in records[0]["documents"]]
    assert found == ["one", "two", "r.jsonl#3", "7", "r.jsonl#2", "一\n二"]
    nameless = [r["document"] for r in records[1:-1]]
    assert nameless == ["r.jsonl#5", "r.jsonl#6", "r.jsonl#7", "r.jsonl#9"]
    assert scanned(simdup)[1][-1]["documents"] == 10


def test_lone_surrogates_of_records_are_harmless(simdup: Command, tmp_path: Path) -> None:
    text = json.dumps(prose(1) + "\ud800x\udfff")
    lines = [f'{{"id": "a\\ud800", "text": {text}}}', f'{{"id": "b", "text": {text}}}']
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    for form in ("jsonl", "csv", "text"):
        ran = simdup("scan", "r.jsonl", "-f", form, "--id-field", "id")
        assert ran.status == 0
        assert "a\ufffd" in ran.out.decode()


# Encodings.


def test_files_of_one_text_in_every_encoding_share_a_cluster(
    simdup: Command, shared_data: Path
) -> None:
    folder = shared_data / "encodings" / "files"
    ran = simdup("scan", folder, "-f", "jsonl")
    assert ran.status == 0
    records = [json.loads(line) for line in ran.lines]
    assert records[-1]["documents"] == 373
    found = [
        [Path(member["document"]).stem for member in record["documents"]]
        for record in records
        if record["type"] == "cluster"
    ]
    files = [path.stem for path in folder.rglob("*.txt")]
    together = {frozenset(members) for members in found if len(set(members)) > 1}
    joined = [{"poem01", "poem02"}, {"eng05", "engq01"}, {"rare03", "trad01"}]
    assert together <= {frozenset(join) for join in joined}
    assert frozenset(joined[0]) in together
    for text in set(files):
        homes = [members for members in found if text in members]
        assert len(homes) == 1, text
        assert homes[0].count(text) == files.count(text)


def test_a_bad_byte_is_noted(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(prose(1).encode("gb18030") + b"\xff tail of it")
    write(tmp_path, {"b.txt": prose(1) + " tail of it"})
    ran = simdup("scan", "a.txt", "b.txt", "-f", "csv")
    assert ran.status == 0
    assert "simdup: a.txt: read as gb18030 with 1 bad character replaced\n" in ran.err
    assert ran.out.count(b"redundant") == 1


def test_hostile_files(simdup: Command, shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "encodings" / "hostile"
    if not (folder / "expect.tsv").is_file():
        pytest.skip("no hostile files")
    ran = simdup("scan", folder, "--exclude", "*.py", "--exclude", "*.tsv", "-f", "jsonl")
    assert ran.status == 2  # broken.jsonl
    assert b"\x1b" not in ran.err.encode()
    assert "Traceback" not in ran.err
    records = [json.loads(line) for line in ran.lines]
    skipped = {
        r["document"].rpartition("/")[2]: r["reason"] for r in records if r["type"] == "skipped"
    }
    together = [
        {d["document"].rpartition("/")[2] for d in r["documents"]}
        for r in records
        if r["type"] == "cluster"
    ]

    def cluster_of(name: str) -> set[str]:
        return next((members for members in together if name in members), {name})

    for name in ("empty.txt", "empty2.txt", "whitespace.txt", "bom_only.txt", "bom16_only.txt"):
        assert skipped[name] == "empty"
    for name in ("nul.txt", "image.png", "image_named.txt", "noise.txt"):
        assert skipped[name] == "binary"
    for name in ("truncated_utf8.txt", "truncated_gbk.txt", "odd_utf16.txt"):
        assert "truncated_whole.txt" in cluster_of(name), name
    for one, other in [
        ("zero_width.txt", "zero_width_plain.txt"), ("fullwidth.txt", "halfwidth.txt"),
        ("nfd.txt", "nfc.txt"), ("three_words.txt", "three_words_b.txt"),
    ]:  # fmt: skip
        assert {one, other} <= cluster_of(one)
    for alone in ("three_han.txt", "one_char.txt", "one_han_10000.txt", "ansi.txt"):
        assert cluster_of(alone) == {alone}, alone
    assert not {"one_word_10000.txt", "three_words.txt"} <= cluster_of("one_word_10000.txt")
    for name, reason in skipped.items():
        if name.startswith("broken.jsonl#"):
            assert reason.startswith("line ") or reason == "no words but function words"
    assert sum(reason.startswith("line ") for reason in skipped.values()) >= 5
    # All of them are accounted for.
    for line in (folder / "expect.tsv").read_text("utf-8").splitlines()[1:]:
        name = line.split("\t")[0]
        if not name.endswith(".jsonl") and (folder / name).exists():
            told = simdup("fingerprint", folder / name, "-q")
            assert told.status == (2 if name in skipped else 0), name
            assert len(told.lines) == (1 if name in skipped else 2), name


# From Python.
