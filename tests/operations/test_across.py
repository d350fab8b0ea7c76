"""Pairs of different groups only, or of one group, compared with a slow definition."""

import json
import random
import re
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import Command, examples, leaders, seeds

from lab.corpora.made import near, prose, write
from lab.oracles.plain import shingles, within
from lab.oracles.short_texts import contents
from simdup import Criteria, Result, SimdupError, compare, dedupe, scan
from simdup.model.clusters import FEW
from simdup.model.decisions import Decision, Decisions
from simdup.model.settings import RunOptions
from simdup.near import join, walk

ALONE = RunOptions(jobs=1)
LETTERS = "岸树芽云洋虫星桥路竹梅兰菊荷墨笔纸杯盘铺柜窗柱梯砖瓦钉绳线布衫帽鞋袜伞扇镜"


class Record(NamedTuple):
    text: str
    author: str | None
    reference: bool = False


def some(random_: random.Random, length: int) -> str:
    return "".join(random_.choice(LETTERS) for _ in range(length))


def corpus(random_: random.Random, many: int) -> list[Record]:
    """Pages of a template, chains and copies by few authors, some of them unknown."""
    page, whole = some(random_, 90), some(random_, 200)
    texts = [page + some(random_, random_.choice((0, 4, 12, 25))) for _ in range(many // 2)]
    texts += [whole[6 * i : 6 * i + 60] for i in range(many // 4)]
    texts += ["河岸 老树", "河岸老树", "星"]  # too few words for anything but copies
    texts += random_.choices(texts, k=many // 2)
    random_.shuffle(texts)
    authors = random_.choice((["a"], ["a", "b"], ["a", "a", "a", "b", None], ["a", "b", "c", None]))
    return [Record(text, random_.choice(authors)) for text in texts]


def alike(texts: list[str], fields: dict[str, Any]) -> set[tuple[int, int]]:
    """All pairs of documents without groups: those of distinct texts, and copies."""
    distinct = list(dict.fromkeys("".join(text.split()) for text in texts))
    near = scan(enumerate(distinct), "plain", Criteria(**fields), run=ALONE, all_pairs=True).pairs
    found = {(pair.a, pair.b) for pair in near} | {(i, i) for i in range(len(distinct))}
    of = [distinct.index("".join(text.split())) for text in texts]
    return {
        (i, j)
        for i, j in combinations(range(len(texts)), 2)
        if (min(of[i], of[j]), max(of[i], of[j])) in found
    }


def may_pair(one: Record, other: Record, how: str) -> bool:
    """The rule about authors, of whom some are unknown."""
    unknown, same = None in (one.author, other.author), one.author == other.author
    return same and not unknown if how == "same" else unknown or not same


def check(
    records: list[Record], fields: dict[str, Any], result: Result, how: str = "across"
) -> None:
    """Compare a result with the slow definition: every pair one by one."""
    near = {
        (i, j)
        for i, j in alike([one.text for one in records], fields)
        if may_pair(records[i], records[j], how)
        if not (records[i].reference and records[j].reference)
    }
    least = fields.get("containment")
    texts = ["".join(one.text.split()) for one in records]

    def takes(kept: int, one: int) -> bool:
        if least is None or texts[kept] == texts[one]:
            return True
        inner, outer = contents(texts[one], texts[kept])
        return len(inner & outer) >= least * len(inner)

    def rank(i: int) -> tuple[int, int, int]:
        keep = fields.get("keep", "first" if least is None else "longest")
        sign = {"longest": -1, "shortest": 1}.get(keep, 0)
        return (0 if records[i].reference else 1, sign * len(texts[i]), i)

    order = sorted(range(len(records)), key=rank)
    taken_by, clusters = leaders(order, lambda i, j: (min(i, j), max(i, j)) in near, takes)
    found = result.clusters
    assert {frozenset(m.number for m in one.members) for one in found} == clusters
    members = [member for one in found for member in one.members]
    assert {m.number: m.beside for m in members if m.role == "redundant"} == taken_by
    for one in found:
        number = {m.name: m.number for m in one.members}
        listed = {tuple(sorted((number[p.a], number[p.b]))) for p in one.pairs}
        redundant = {tuple(sorted((m.number, m.beside))) for m in one.members} & near
        assert redundant <= listed <= near
        if len(one.members) <= FEW:
            assert listed == {pair for pair in near if {*pair} <= {*number.values()}}
        for pair in one.pairs if "containment" in fields else ():
            both = ("".join(records[number[name]].text.split()) for name in (pair.a, pair.b))
            assert pair.contained == within(*contents(*both), fields["containment"])


SETTINGS: list[dict[str, Any]] = [
    {},
    {"similarity": 0.6},
    {"similarity": 0.6, "keep": "longest"},
    {"method": "simhash", "distance": 12},
    {"method": "minhash", "similarity": 0.6},
    {"method": "pstable", "similarity": 0.0, "cosine": 0.6},
    {"containment": 0.8},
    {"containment": 0.7, "keep": "longest"},
    {"containment": 0.6, "keep": "shortest"},
    {"containment": 0.6, "keep": "first"},
    {"verify": False, "distance": 8},
    {"verify": False, "method": "minhash"},
    {"shingle": "words:1", "similarity": 0.7},
]


def rows(records: list[Record]) -> list[dict[str, Any]]:
    return [
        {"id": i, "text": one.text} | ({"author": one.author} if one.author else {})
        for i, one in enumerate(records)
    ]


def found(
    records: list[Record], fields: dict[str, Any], how: str = "across", **more: Any
) -> Result:
    # A field that no record has is an error.
    given = [*rows(records), {"id": "one", "text": "", "author": "a"}]
    return scan(given, "plain", Criteria(**fields), run=ALONE, **more, **{how: "author"})


@pytest.mark.parametrize("large", [3, 64])
@pytest.mark.parametrize("fields", SETTINGS, ids=str)
@pytest.mark.parametrize("how", ["across", "same"])
def test_a_scan_is_all_pairs_of_different_groups_or_of_one(
    how: str, fields: dict[str, Any], large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (join, walk):
        monkeypatch.setattr(module, "LARGE", large)
    for seed in seeds(2):
        monkeypatch.setattr(walk, "_VISITS", 4 * (seed % 2))
        records = corpus(random.Random(seed), 16)
        check(records, fields, found(records, fields, how), how)


# Of two identical texts of one author the second is contained in one that comes between them.
@example(45, {"containment": 0.7, "keep": "longest"}, False, False)
@examples(12)
@given(st.integers(0, 10**6), st.sampled_from(SETTINGS), st.booleans(), st.booleans())
def test_any_corpus(seed: int, fields: dict[str, Any], every: bool, same: bool) -> None:
    random_, how = random.Random(seed), "same" if same else "across"
    records = corpus(random_, random_.randint(4, 40))
    check(records, fields, found(records, fields, how, all_pairs=every), how)


@pytest.mark.parametrize("large", [3, 64])
def test_references_of_the_same_group_are_no_pairs(
    large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (join, walk):
        monkeypatch.setattr(module, "LARGE", large)
    for seed in seeds(2):
        records = corpus(random.Random(seed), 24)
        # One that is identical to another of its group adds nothing, and is left out.
        known = [one._replace(reference=True) for one in dict.fromkeys(records[::3])]
        records = known + records[1::2]
        file = tmp_path / f"{seed}.jsonl"
        lines = [{k: v for k, v in row.items() if k != "id"} for row in rows(known)]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        fields = {"similarity": 0.6}
        given = rows(records)[len(known) :]
        result = scan(given, "plain", Criteria(**fields), run=ALONE, across="author",
                      references=[str(file)])  # fmt: skip
        check(records, fields, result)


@pytest.mark.parametrize("large", [3, 64])
def test_nothing_is_lost_to_another_author_only(
    large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (join, walk):
        monkeypatch.setattr(module, "LARGE", large)
    removed = 0
    for seed in seeds(4):
        records = corpus(random.Random(seed), 30)
        result = found(records, {"similarity": 0.5, "keep": "longest", "lossless": True})
        members = (m for one in result.clusters for m in one.members)
        for member in (m for m in members if m.role == "redundant"):
            one, kept = records[member.number], records[member.beside]
            assert one.author is None or one.author != kept.author
            a, b = shingles(one.text), shingles(kept.text)
            assert len(a & b) >= 0.98 * len(a)
            removed += 1
    assert removed


def test_the_number_of_processes_does_not_matter() -> None:
    records = rows(corpus(random.Random(3), 200))
    one, two = (scan(records, across="author", similarity=0.6, jobs=jobs) for jobs in (1, 2))
    assert (one.clusters, one.pairs) == (two.clusters, two.pairs)


def test_one_group_alone_has_no_pairs_and_is_no_candidate() -> None:
    page = prose(1)
    records = [
        {"id": i, "text": page + prose(100 + i, 4) * (i % 3 > 0), "author": "a"} for i in range(200)
    ]
    found = scan(records, across="author", run=ALONE)
    assert (found.clusters, found.summary.checked, found.summary.unchecked) == ((), 0, 0)
    assert len(scan(records, run=ALONE).clusters) == 1


def test_decisions_and_groups_together() -> None:
    records = [{"id": f"{a}{i}", "text": prose(1), "author": a} for i, a in enumerate("aab")]
    decided = Decisions((Decision("distinct", ("a0", "b2")),))
    found = scan(records, across="author", decisions=decided, run=ALONE)
    assert [[m.name for m in one.members] for one in found.clusters] == [["a1", "b2"]]


RECORDS = [
    {"text": prose(1), "author": "A"},
    {"text": near(prose(1)), "author": "A"},
    {"text": prose(1) + "。", "author": "B"},
    {"text": near(near(prose(1)))},
    {"text": prose(2), "author": "A"},
    {"text": prose(2), "author": "A"},
]


def test_dedupe_keeps_the_pages_of_one_author(simdup: Command, tmp_path: Path) -> None:
    lines = "".join(json.dumps(one) + "\n" for one in RECORDS)
    write(tmp_path, {"r.jsonl": lines})
    ran = simdup("dedupe", "r.jsonl", "--across", "author", "-o", "out.jsonl")
    note = "simdup: --across: 1 without 'author' compared with all others\n"
    assert (ran.status, ran.err.count(note)) == (0, 1)
    left = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert left == [RECORDS[0], RECORDS[1], RECORDS[4], RECORDS[5]]
    assert list(dedupe(RECORDS, across="author").data) == left
    ran = simdup("scan", "r.jsonl", "--across", "author")
    assert "(similarity at least 0.8, different author)" in ran.err


def test_groups_may_be_folders(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {name: prose(1) for name in ("a/x.txt", "a/y.txt", "b/x.txt", "z.txt")})
    write(tmp_path / "c", {"d/p.txt": prose(2), "d/q.txt": prose(2)})
    ran = simdup("scan", "c", "--across", "folder", "-f", "csv")
    rows = [line.split(",")[:3] for line in ran.lines[1:]]
    assert rows == [
        ["1", "kept", "c/a/x.txt"], ["1", "redundant", "c/b/x.txt"],
        ["1", "redundant", "c/z.txt"], ["1", "kept", "c/a/y.txt"],
    ]  # fmt: skip
    assert "(similarity at least 0.8, different folder)" in ran.err


def test_what_has_no_groups_says_so(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "r.jsonl": json.dumps(RECORDS[0])})
    assert not simdup("index", "build", "i", "c").status
    ran = simdup("scan", "c", "--reference", "i", "--across", "folder")
    assert (ran.status, ran.err.partition("\n")[0]) == (
        2, "simdup: --across: i is an index, which has no fields of documents",
    )  # fmt: skip
    ran = simdup("scan", "r.jsonl", "--across", "none")
    assert (ran.status, ran.err) == (2, "simdup: --across: no record has a field 'none'\n")
    ran = simdup("scan", "r.jsonl", "c", "--reference", "i", "--same", "author")
    assert ran.err.startswith("simdup: --same: i is an index, which has no fields")
    for rule in ("same", "across"):
        with pytest.raises(SimdupError, match=f"{rule}: two texts have only titles"):
            compare("a", "b", criteria=Criteria(**{rule: "folder"}))  # type: ignore[arg-type]
        for wrong in ("", "folder:", "folder:0", "folder:x"):
            with pytest.raises(SimdupError, match=f"{rule}: invalid value '{wrong}'"):
                Criteria(**{rule: wrong})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="across: expected names of fields"):
        Criteria(across=3)  # type: ignore[arg-type]


def test_documents_within_a_group(simdup: Command, tmp_path: Path) -> None:
    lines = "".join(json.dumps(one) + "\n" for one in RECORDS)
    write(tmp_path, {"r.jsonl": lines})
    ran = simdup("dedupe", "r.jsonl", "--same", "author", "-o", "out.jsonl")
    note = "simdup: --same: 1 without 'author' compared with none\n"
    assert (ran.status, ran.err.count(note)) == (0, 1)
    left = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    assert left == [RECORDS[0], RECORDS[2], RECORDS[3], RECORDS[4]]
    assert list(dedupe(RECORDS, same="author").data) == left
    ran = simdup("scan", "r.jsonl", "--same", "author")
    assert "(similarity at least 0.8, same author)" in ran.err


def test_documents_within_a_folder(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {name: prose(1) for name in ("a/x.txt", "a/y.txt", "b/x.txt", "z.txt")})
    ran = simdup("scan", "c", "--same", "folder", "-f", "csv")
    rows = [line.split(",")[:3] for line in ran.lines[1:]]
    assert rows == [["1", "kept", "c/a/x.txt"], ["1", "redundant", "c/a/y.txt"]]
    ran = simdup("scan", "c/a/x.txt", str(tmp_path / "c" / "a" / "y.txt"), "--same", "folder")
    assert "--same: all documents have the same folder, 'c/a'; it changes nothing" in ran.err
    assert len(ran.lines) == 4
    ran = simdup("scan", "c/a/x.txt", "c/b", "--same", "folder")
    assert "--same: no two documents have the same folder; none are compared" in ran.err


def test_other_authors_of_one_site() -> None:
    records = [
        {"id": f"{author}{site}{i}", "text": prose(1), "author": author, "path": f"{site}/{i}"}
        for i, (author, site) in enumerate(["ax", "ax", "bx", "by"])
    ]
    sited = [record | {"site": str(record["path"])[0]} for record in records]
    found = scan(sited, across="author", same="site", run=ALONE)
    assert [[m.name for m in one.members] for one in found.clusters] == [["ax0", "bx2", "ax1"]]
    with pytest.raises(SimdupError, match="cannot be in `same` too"):
        scan(records, across="author", same="author", run=ALONE)


def test_titles_within_groups() -> None:
    records = [
        {"id": f"{title}{author}{i}", "text": f"# {title}\n\n{prose(1)}", "author": author}
        for i, (title, author) in enumerate(["Xa", "Xa", "Xb", "Ya", "Ya", "Za"])
    ]
    found = scan(records, same=("author", "title"), similarity=0.5, run=ALONE)
    assert [[m.name for m in one.members] for one in found.clusters] == [
        ["Xa0", "Xa1"], ["Ya3", "Ya4"]
    ]  # fmt: skip


def test_pages_of_other_groups_are_no_candidates() -> None:
    page = prose(1)
    records = [
        {"id": i, "text": page + prose(100 + i, 4), "author": str(i % 150)} for i in range(300)
    ]
    found = scan(records, same="author", run=ALONE)
    assert {len(one.members) for one in found.clusters} == {2}
    # Of 44,850 pairs of the template.
    assert found.summary.checked < 200


def test_one_group_alone_is_said(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a/1.txt": prose(1), "a/2.txt": prose(1)})
    ran = simdup("scan", "a", "--across", "folder")
    assert "--across: all documents have the same folder, 'a'; none are compared" in ran.err
    write(tmp_path, {"b/1.txt": prose(1)})
    assert "--across" not in simdup("scan", "a", "b", "--across", "folder").err


def test_documents_must_agree_in_no_field_of_several() -> None:
    records = [
        {"id": f"{author}{site}{i}", "text": prose(1), "author": author, "site": site}
        for i, (author, site) in enumerate(["ax", "ay", "bx", "by"])
    ]
    found = scan(records, across=("author", "site"), run=ALONE)
    assert [[m.name for m in one.members] for one in found.clusters] == [
        ["ax0", "by3"], ["ay1", "bx2"],
    ]  # fmt: skip


def test_values_are_compared_folded_and_without_white_space() -> None:
    records = [
        {"id": i, "text": prose(1), "author": author}
        for i, author in enumerate(["Ann Lee", "ＡＮＮ　lee", "漢字", "汉字", "", None])
    ]
    found = scan(records, same="author", run=ALONE)
    assert [[m.name for m in one.members] for one in found.clusters] == [[0, 1], [2, 3]]


def test_levels_of_folders_are_counted_from_the_source(simdup: Command, tmp_path: Path) -> None:
    """So are the works of a student, whatever is above."""
    names = ("ann/1/a.txt", "ann/2/b.txt", "ben/1/c.txt", "d.txt")
    write(tmp_path / "c" / "class", {name: prose(1) for name in names})
    for source, folder in (("c/class", "folder:1"), ("c", "folder:2"), (str(tmp_path), "folder:3")):
        ran = simdup("scan", source, "--same", folder, "-f", "csv")
        found = [line.split(",")[2][-11:] for line in ran.lines[1:]]
        assert found == ["ann/1/a.txt", "ann/2/b.txt"]
        assert ("1 without 'folder:1' compared with none" in ran.err) == (folder == "folder:1")
    ran = simdup("scan", "c/class", "--across", "folder:1", "-f", "csv")
    assert [line.split(",")[1] for line in ran.lines[1:]] == [
        "kept", "redundant", "redundant", "kept",
    ]  # fmt: skip
    ran = simdup("dedupe", "c/class", "--same", "folder:1", "--by", "folder:1", "--dry-run", "-v")
    assert re.search(r" 2 +1 .* ann$", ran.err, re.MULTILINE), ran.err


def test_records_of_one_file_or_of_several(simdup: Command, tmp_path: Path) -> None:
    line = json.dumps({"text": prose(1)}) + "\n"
    write(tmp_path, {"a.jsonl": line * 2, "b.jsonl": line})
    same = simdup("scan", "a.jsonl", "b.jsonl", "--same", "file", "-f", "csv")
    assert [row.split(",")[2] for row in same.lines[1:]] == ["a.jsonl#1", "a.jsonl#2"]
    across = simdup("dedupe", "a.jsonl", "b.jsonl", "--across", "file", "-o", "out")
    assert across.status == 0
    assert len((tmp_path / "out" / "a.jsonl").read_text().splitlines()) == 2


def test_a_field_may_have_the_name_of_something_else() -> None:
    records = [{"text": prose(1), "folder": value} for value in "aab"]
    found = scan(records, same="field:folder", run=ALONE)
    assert [len(one.members) for one in found.clusters] == [2]


def test_two_documents_are_compared_by_the_rules(simdup: Command, tmp_path: Path) -> None:
    lines = "".join(json.dumps(one) + "\n" for one in RECORDS)
    write(tmp_path, {"r.jsonl": lines})
    for rule, other, status in (("same", 2, 0), ("same", 3, 1), ("across", 3, 0), ("across", 2, 1)):
        pair = ("r.jsonl#1", f"r.jsonl#{other}")
        ran = simdup("compare", *pair, f"--{rule}", "author", "-f", "jsonl")
        (verdict,) = json.loads(ran.out)["fields"]
        assert (ran.status, verdict["holds"]) == (status, not status)
        assert (verdict["rule"], verdict["a"]) == (rule, "A")
    ran = simdup("compare", "r.jsonl#1", "r.jsonl#3", "--same", "author")
    assert "author: different" in ran.text
    assert "they do not agree in author" in ran.text
