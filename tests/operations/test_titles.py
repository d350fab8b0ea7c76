"""Pairs of equal titles only, compared with slow definitions."""

import json
import random
import unicodedata
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, examples, seeds

from lab.corpora.made import near, prose, write
from simdup import Criteria, Result, compare, dedupe, scan
from simdup.model.settings import RunOptions
from simdup.near import join, walk

ALONE = RunOptions(jobs=1)
LETTERS = "岸树芽云洋虫星桥路竹梅兰菊荷墨笔纸杯盘铺柜窗柱梯砖瓦钉绳线布衫帽鞋袜伞扇镜"
# The same title in several forms.
FORMS = ("# {}", "{}\n====", "**{}**", " {} ", "## Ｔｉｔｌｅ{}", "# title {}")

Texts = list[tuple[str, str]]


def some(random_: random.Random, length: int) -> str:
    return "".join(random_.choice(LETTERS) for _ in range(length))


def corpus(random_: random.Random, many: int) -> Texts:
    """Pages of a template, with few titles and some other versions, and copies."""
    page, titles = some(random_, 70), [some(random_, 2) for _ in range(3)]
    bodies = [some(random_, random_.choice((0, 4, 20))) for _ in range(4)]
    texts = []
    for _ in range(many):
        title = random_.choice(FORMS).format(random_.choice(titles))
        head = random_.choice((title, title, "----"))
        texts.append(f"{head}\n\n{page}{random_.choice(bodies)}")
    for text in random_.choices(texts, k=many // 4):
        # The same text with another first line.
        texts.append(random_.choice((text, text[:3] + "\n" + text[3:])))
    random_.shuffle(texts)
    return [(f"{i:03}", text) for i, text in enumerate(texts)]


def compact(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def title_of(text: str) -> str:
    """The title of such a text in plain Python."""
    lines = (line for line in text.split("\n") if any(map(str.isalnum, line)))
    return compact(next(lines).strip("#* "))


def classes(texts: Texts) -> list[Texts]:
    """The texts of each title; identical ones have the title of the first of them."""
    first: dict[str, str] = {}
    found: dict[str, Texts] = {}
    for name, text in texts:
        title = first.setdefault(compact(text), title_of(text))
        found.setdefault(title, []).append((name, text))
    return list(found.values())


def told(results: list[Result]) -> list[Any]:
    """Clusters with roles and figures, sorted as one result sorts them."""
    every = [cluster for result in results for cluster in result.clusters]
    every.sort(key=lambda one: (-len(one.members), min(member.name for member in one.members)))
    return [
        [(m.name, m.role, m.distance, m.similarity, m.containment, m.cosine) for m in one.members]
        for one in every
    ]


def listed(results: list[Result]) -> set[Any]:
    return {pair for result in results for pair in result.pairs}


SETTINGS: list[dict[str, Any]] = [
    {"similarity": 0.5},
    {"similarity": 0.6},
    {"similarity": 0.5, "keep": "longest", "all_pairs": True},
    {"method": "simhash", "distance": 12, "similarity": 0.5},
    {"method": "minhash", "similarity": 0.7},
    {"method": "pstable", "similarity": 0.0, "cosine": 0.6},
    {"containment": 0.8},
    {"verify": False, "distance": 8},
    {"verify": False, "method": "minhash"},
    {"shingle": "words:1", "similarity": 0.7},
]


@pytest.mark.parametrize("fields", SETTINGS, ids=str)
def test_a_scan_equals_scans_of_each_title(
    fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (join, walk):
        monkeypatch.setattr(module, "LARGE", 3)
    clusters = without = 0
    for seed in seeds(2):
        # Families are searched by their keys in one half, and by their shingles in the other.
        monkeypatch.setattr(walk, "_VISITS", 4 * (seed % 2))
        texts = corpus(random.Random(seed), 14)
        clusters += check_each_title(texts, fields)
        without += len(scan(texts, "plain", Criteria(**fields), run=ALONE).clusters)
    assert clusters > without


def check_each_title(texts: Texts, fields: dict[str, Any]) -> int:
    """Compare a scan with scans of the texts of each title; return how many clusters it has."""
    found = scan(texts, "plain", Criteria(**fields), run=ALONE, same="title")
    each = [scan(one, "plain", Criteria(**fields), run=ALONE) for one in classes(texts)]
    assert told([found]) == told(each)
    assert listed([found]) == listed(each)
    return len(found.clusters)


@examples(4)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 0.8]))
def test_a_scan_finds_what_compare_says(seed: int, similarity: float) -> None:
    # Of two texts, nobody knows which title a third that is identical gives to one of them.
    texts = list(
        {compact(text): (name, text) for name, text in corpus(random.Random(seed), 9)}.values()
    )
    texts.sort()
    fields: dict[str, Any] = {"similarity": similarity, "same": "title"}
    found = {(pair.a, pair.b) for pair in scan(texts, run=ALONE, **fields).pairs}
    said = set[tuple[str, str]]()
    for (a, one), (b, other) in combinations(texts, 2):
        answer = compare(one, other, **fields)
        if answer.duplicates and answer.proposed_by:
            said.add((a, b))
    assert found == said


def pages(many: int, versions: int, seed: int = 7) -> Texts:
    """Pages of one template about a name each, and other versions of the first ones."""
    random_ = random.Random(seed)
    frame = prose(seed, 40)
    texts = []
    for i in range(many):
        name = f"component{random_.randrange(10**9)}"
        body = f"{prose(1000 + i, 8)}\nThe {name} is made here.\n"
        texts.append((f"p{i:03}", f"# About {name}\n\n{frame}\n{body}"))
        if i < versions:
            texts.append((f"p{i:03}b", f"# ABOUT {name}\n\n{frame}\n{near(body)}"))
    return texts


def test_a_template_family_is_no_candidate() -> None:
    texts = pages(150, 20)
    found = scan(texts, same="title", similarity=0.5, run=ALONE)
    assert [len(one.members) for one in found.clusters] == [2] * 20
    # Copies need no comparison.
    assert found.summary.checked == 0
    assert len(scan(texts, similarity=0.5, run=ALONE).clusters[0].members) == 170


def test_a_hint_names_the_titles_of_templates() -> None:
    hint = scan(pages(60, 12), run=ALONE, similarity=0.6).hint
    found = scan(pages(60, 12), run=ALONE, similarity=0.6)
    same = {(f"p{i:03}", f"p{i:03}b") for i in range(12)}
    equal = sum((pair.a, pair.b) in same for pair in found.pairs)
    assert f"{equal:,} of the {len(found.pairs):,} pairs found have equal titles" in hint
    assert "`same` title and `similarity` 0.5" in hint
    assert not scan(pages(60, 12), run=ALONE, similarity=0.6, same="title").hint
    assert not scan(pages(4, 2), run=ALONE, similarity=0.6).hint


def edited(text: str, random_: random.Random, share: float) -> str:
    letters = list(text)
    for i in range(len(letters)):
        if random_.random() < share and not letters[i].isspace():
            letters[i] = random_.choice(LETTERS)
    return "".join(letters)


@pytest.mark.parametrize("head", ["", "# {}\n\n", "{}\n\n"])
@pytest.mark.parametrize("share", [0.01, 0.03])
def test_no_hint_for_copied_essays(head: str, share: float) -> None:
    random_ = random.Random(3)
    texts = []
    for essay in range(12):
        whole = head.format("我的家乡和小河") + some(random_, 600)
        for copy in range(4):
            author = f"{some(random_, 3)}\n" if head.startswith("{") else ""
            texts.append((f"{essay}-{copy}", author + edited(whole, random_, share)))
    found = scan(texts, run=ALONE, similarity=0.5)
    assert len(found.pairs) >= 60
    assert not found.hint


def test_real_collections_get_the_hint_where_they_are_templates(
    shared_data: Path,
) -> None:
    files = {name: shared_data / name / "docs.jsonl.gz" for name in ("vsdocs", "laws", "poems")}
    hints = {name: scan(file).hint for name, file in files.items()}
    assert "`same` title" in hints.pop("vsdocs")
    assert set(hints.values()) == {""}


RECORDS = [
    {"id": "a", "text": prose(1), "title": "One"},
    {"id": "b", "text": near(prose(1)), "title": " ＯＮＥ"},
    {"id": "c", "text": prose(1), "title": "Two"},
    {"id": "d", "text": prose(1), "title": None},
    {"id": "e", "text": prose(1), "title": ""},
    {"id": "f", "text": near(prose(1)), "title": ""},
]


def groups(result: Result) -> list[list[Any]]:
    return [[str(member.name) for member in one.members] for one in result.clusters]


def test_a_field_of_that_name_decides_even_about_identical_texts() -> None:
    assert groups(scan(RECORDS, same="title")) == [["a", "b"], ["d", "e"]]
    # Otherwise the first lines decide, which `near` has changed.
    plain = [{name: one[name] for name in ("id", "text")} for one in RECORDS]
    assert groups(scan(plain, same="title")) == [["a", "c", "d", "e"], ["b", "f"]]
    assert [one["id"] for one in dedupe(RECORDS, same="title").data] == ["a", "c", "d", "f"]


def test_titles_in_tables() -> None:
    frame = pd.DataFrame(RECORDS)
    assert groups(scan(frame, same="title")) == [["a", "b"], ["d", "e"]]
    frame = frame.drop(columns="title")
    assert groups(scan(frame, same="title")) == [["a", "c", "d", "e"], ["b", "f"]]


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "parquet"])
def test_titles_in_files_of_records(form: str, tmp_path: Path, simdup: Command) -> None:
    file = tmp_path / f"r.{form}"
    frame = pd.DataFrame([one | {"title": one["title"] or ""} for one in RECORDS])
    if form == "parquet":
        frame.to_parquet(file)
    elif form == "csv":
        frame.to_csv(file, index=False)
    else:
        frame.to_json(file, orient="records", lines=form == "jsonl", force_ascii=False)
    ran = simdup("scan", file.name, "--id-field", "id", "--same", "title", "-f", "jsonl")
    clusters = [one for one in map(json.loads, ran.lines) if one["type"] == "cluster"]
    assert [[m["document"] for m in one["documents"]] for one in clusters] == [
        ["a", "b"],
        ["d", "e"],
    ]


def test_titles_of_pages(simdup: Command, tmp_path: Path) -> None:
    page = "<html><head><title>{}</title></head><body><h1>{}</h1><p>{}</p></body></html>"
    texts = prose(1), near(prose(1)), prose(1)
    for name, title, text in zip("abc", ("One", "ONE ", "Two"), texts, strict=True):
        write(tmp_path / "w", {f"{name}.html": page.format(title, "Docs", text)})
    ran = simdup("scan", "w", "--extract", "all", "--same", "title", "-f", "csv")
    assert [line.split(",")[2] for line in ran.lines[1:]] == ["w/a.html", "w/b.html"]


def test_references_with_titles(tmp_path: Path) -> None:
    write(tmp_path / "known", {"a.md": "# One\n\n" + prose(1), "b.md": "# Two\n\n" + prose(2)})
    new = [("x", "# one\n\n" + near(prose(1))), ("y", "# One\n\n" + near(prose(2)))]
    found = scan(new, references=[str(tmp_path / "known")], same="title", similarity=0.5)
    assert list(found.redundant) == ["x"]


def test_an_index_has_no_titles(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.md": prose(1)})
    assert not simdup("index", "build", "i", "c").status
    ran = simdup("scan", "c", "--reference", "i", "--same", "title")
    assert ran.status == 2
    assert "--same: i is an index, which has no fields of documents" in ran.err


ONE, OTHER = "# One\n\n" + prose(1), "# Other\n\n" + prose(1)


def test_a_comparison_says_whether_titles_are_equal(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.md": ONE, "b.md": OTHER, "c.md": ONE.replace("# One", "ONE\n===")})
    ran = simdup("compare", "a.md", "b.md", "--same", "title")
    assert ran.status == 1
    assert ran.lines[0] == "not near-duplicates: they do not agree in title"
    at = ran.lines.index("  field         title: different")
    assert [line.strip() for line in ran.lines[at + 1 : at + 3]] == ["One", "Other"]
    ran = simdup("compare", "a.md", "c.md", "--same", "title", "-f", "jsonl")
    answer = json.loads(ran.text)
    verdict = {"rule": "same", "field": "title", "a": "One", "b": "ONE", "holds": True}
    assert (ran.status, answer["fields"]) == (0, [verdict])
    ran = simdup("compare", "a.md", "b.md", "-f", "jsonl")
    assert ran.status == 0
    assert "fields" not in json.loads(ran.text)


def test_a_hostile_title_does_not_drive_the_terminal(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "# \x1b[31mred\n\n" + prose(1), "b.md": ONE})
    ran = simdup("compare", "a.md", "b.md", "--same", "title")
    assert b"\x1b" not in ran.out
    assert "[31mred" in ran.text


def test_identical_texts_have_one_title() -> None:
    wrapped = ONE.replace("One", "One\n")
    for a, b in ((ONE, wrapped), ("--\n--", "----"), ("", "")):
        assert compare(a, b, same="title").fields[0].holds
