"""Checks with a baseline: what is new is reported once, whatever names, order and sizes are."""

import gzip
import json
import random
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, examples

from lab.corpora.made import edited, near, prose, write
from simdup import scan
from simdup.model.decisions import Baseline
from simdup.model.formats import BASELINE_HEAD as HEAD
from simdup.operations.baseline import baseline_of, new_since
from simdup.show.result import Result

Texts = list[tuple[str, str]]


def new_pairs(result: Result) -> list[set[str]]:
    return [{pair.a, pair.b} for pair in result.pairs if pair.new]


def compared(texts: Texts, before: Texts, **fields: Any) -> Result:
    """The texts, compared with the baseline of those before."""
    return new_since(scan(texts, **fields), baseline_of(scan(before, **fields)))


def family(seed: int, size: int = 12) -> Texts:
    """Texts, some of which are copies or edits of others."""
    chance = random.Random(seed)
    texts: list[str] = []
    for _ in range(size):
        kind = chance.random()
        if not texts or kind < 0.4:
            texts.append(prose(chance.randrange(1000), 60))
        elif kind < 0.6:
            texts.append(chance.choice(texts))
        else:
            texts.append(edited(chance.choice(texts), chance.randrange(1000), 2))
    return [(f"{n:02}", text) for n, text in enumerate(texts)]


@examples(6)
@given(st.integers(0, 10_000))
def test_names_and_order_do_not_matter(seed: int) -> None:
    texts = family(seed)
    shuffled = [(f"other {name}", text) for name, text in texts]
    random.Random(seed).shuffle(shuffled)
    found = compared(shuffled, texts)
    assert (len(found), found.summary.new, found.summary.stale) == (0, 0, 0)
    assert found.summary.known == scan(shuffled).summary.pairs


@examples(6)
@given(st.integers(0, 10_000))
def test_a_page_that_is_added_is_in_every_new_pair(seed: int) -> None:
    texts = family(seed)
    place = seed % len(texts)
    before = texts[:place] + texts[place + 1 :]
    whole, found = scan(texts), compared(texts, before)
    name, text = texts[place]
    new = new_pairs(found)
    assert bool(new) == (name not in whole.unique)
    if all(other != text for _, other in before):
        # A text that was not there: all its pairs, and no others.
        assert new == [{p.a, p.b} for p in whole.pairs if name in (p.a, p.b)]
    else:
        assert len(new) == 1
    assert found.summary.new == len(new)
    assert found.summary.known == whole.summary.pairs - len(new)


@examples(6)
@given(st.integers(0, 10_000))
def test_nothing_is_new_when_pages_go(seed: int) -> None:
    texts = family(seed)
    found = compared(texts[3:], texts)
    assert len(found) == 0
    before, now = (
        sum(len(one.members) for one in scan(some).clusters) for some in (texts, texts[3:])
    )
    assert found.summary.stale == before - now


def template(size: int) -> Texts:
    """Pages so many that only one pair of each is listed."""
    common = prose(1, 160)
    return [(f"{n:03}", common + prose(100 + n, 4)) for n in range(10, 10 + size)]


@pytest.mark.parametrize("name", ["000", "050x", "999"])
def test_a_page_that_joins_a_large_cluster_is_reported_alone(name: str) -> None:
    """Even where it comes first, is kept, and each other one lists its pair with it."""
    texts = template(80)
    page = (name, prose(1, 160) + prose(7, 4))
    found = compared(sorted([*texts, page]), texts)
    new = new_pairs(found)
    assert new
    assert all(name in pair for pair in new)
    assert [m.name for m in found.clusters[0].members if m.new] == [name]


def test_a_page_that_only_joins_a_large_cluster_is_new() -> None:
    """It is near a redundant document alone: it is kept, and no pair with it is listed."""
    parts = [prose(seed, 30) for seed in range(10)]
    first, second, third = ("".join(parts[i : i + 8]) for i in range(3))
    texts = [("a", first), ("b", second)]
    texts += [(f"c{i}", first + prose(100 + i, 4)) for i in range(20)]
    found = compared([*texts, ("x", third)], texts, method="minhash", similarity=0.7)
    assert [m.name for one in found.clusters for m in one.members if m.new] == ["x"]
    assert (found.clusters[0].member(22).role, found.summary.new) == ("kept", 0)


def test_a_cluster_that_becomes_small_has_nothing_new() -> None:
    """All pairs of a small cluster are listed, of a large one only some."""
    texts = template(80)
    found = compared(texts[40:], texts)
    assert (len(found), found.summary.new, found.summary.stale) == (0, 0, 40)


def test_a_page_that_changes_in_a_large_cluster() -> None:
    texts = template(80)
    for place in (0, 40):
        name, text = texts[place]
        changed = [*texts[:place], (name, near(text)), *texts[place + 1 :]]
        found = compared(changed, texts)
        assert all(name in pair for pair in new_pairs(found))
        assert (len(found), found.summary.stale) == (1, 1)


@pytest.mark.parametrize("rest", [[], template(80)], ids=["alone", "in a large cluster"])
@pytest.mark.parametrize("name", ["000", "555", "999"])
def test_a_third_copy_is_reported_once(rest: Texts, name: str) -> None:
    text = prose(1, 160) + prose(8, 4)
    texts = [("400", text), ("600", text), *rest]
    found = compared(sorted([*texts, (name, text)]), texts)
    (pair,) = new_pairs(found)
    assert name in pair
    assert [m.name for m in found.clusters[0].members if m.new] == [name]
    assert new_pairs(compared(texts, texts)) == []


def test_two_further_copies_are_two_pairs() -> None:
    text = prose(1)
    before = [("m", text), ("x", near(text))]
    for names in (["a", "b"], ["a", "z"], ["y", "z"]):
        texts = sorted([*before, *((name, text) for name in names)])
        found = compared(texts, before)
        assert len(new_pairs(found)) == 2
        assert [m.name for m in found.clusters[0].members if m.new] == names


def test_white_space_and_case_make_no_new_text() -> None:
    texts = [("a", prose(1)), ("b", near(prose(1)))]
    other = [(name, text.upper().replace("\n", "\n\n  ")) for name, text in texts]
    assert len(compared(other, texts)) == 0


def test_what_is_known_is_not_unique() -> None:
    texts = [("a", prose(1)), ("b", near(prose(1))), ("c", prose(2))]
    found = compared([*texts, ("d", prose(3)), ("e", prose(3))], texts)
    assert found.unique == ["c"]
    assert found.labels.tolist() == [0, 0, 1, 2, 2]
    assert found.summary.pairs == 1
    assert found.notes == (("baseline", "1 known pair not listed"),), "what a report page says"


def test_clusters_are_numbered_anew() -> None:
    texts = [("a", prose(1)), ("b", near(prose(1))), ("c", prose(1) + "完")]
    found = compared([*texts, ("d", prose(3)), ("e", prose(3))], texts, keep="longest")
    assert [one.number for one in found.clusters] == [1]


def test_an_empty_baseline_knows_nothing() -> None:
    whole = scan(family(5))
    found = new_since(whole, Baseline())
    assert found.summary.new == whole.summary.pairs > 0
    assert [m.name for one in found.clusters for m in one.members if m.new] == [
        m.name for one in whole.clusters for m in one.members
    ]


def check(simdup: Command, *more: str) -> tuple[int, dict[str, Any]]:
    ran = simdup("scan", "docs", "--check", "--baseline", "known", "-f", "jsonl", *more)
    return ran.status, json.loads(ran.lines[-1])


def test_a_changed_page_fails_the_check_once(simdup: Command, tmp_path: Path) -> None:
    a = prose(1)
    write(tmp_path / "docs", {"a.md": a, "b.md": near(a), "c.md": prose(2)})
    assert simdup("scan", "docs", "--check").status == 1
    missing = simdup("scan", "docs", "--check", "--baseline", "known")
    assert (missing.status, missing.out) == (2, b"")
    assert missing.err == (
        "simdup: known: no such file or folder\nhint: add --update-baseline to write it\n"
    )
    made = simdup("scan", "docs", "--check", "--baseline", "known", "--update-baseline")
    assert made.status == 0
    assert "Wrote known: 2 documents in 1 cluster.\n" in made.err
    status, summary = check(simdup)
    assert (status, summary["new"], summary["known"], summary["stale"]) == (0, 0, 1, 0)

    write(tmp_path / "docs", {"b.md": edited(a, 3, 2)})
    status, summary = check(simdup)
    assert (status, summary["new"], summary["known"], summary["stale"]) == (1, 1, 0, 1)
    ran = simdup("scan", "docs", "--check", "--baseline", "known")
    said = "1 new pair (0 known). 1 entry of the baseline no longer found: see --update-baseline."
    assert said in ran.err.splitlines()
    assert ran.lines[2].split() == ["kept", "docs/a.md"]
    assert ran.lines[3].split()[-2:] == ["new", "docs/b.md"]
    assert check(simdup, "--update-baseline")[0] == 0
    status, summary = check(simdup)
    assert (status, summary["new"], summary["stale"]) == (0, 0, 0)


def test_every_format_lists_what_is_new(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": prose(1), "b.md": near(prose(1)), "z.md": prose(2)})
    simdup("scan", "docs", "--baseline", "known", "--update-baseline")
    write(tmp_path / "docs", {"c.md": edited(prose(1), 3, 2), "y.md": near(prose(2))})
    known = ("--baseline", "known", "-q")
    rows = simdup("scan", "docs", "-f", "csv", "--pairs", *known).lines[1:]
    found = [row.split(",")[:2] for row in rows]
    assert ["docs/a.md", "docs/b.md"] not in found
    assert ["docs/y.md", "docs/z.md"] in found
    rows = simdup("scan", "docs", "-f", "csv", *known).lines
    assert rows[0].endswith(",new")
    assert {row.split(",")[2]: row.rsplit(",", 1)[1] for row in rows[1:]} == {
        "docs/a.md": "", "docs/b.md": "", "docs/c.md": "new", "docs/y.md": "new",
        "docs/z.md": "new",
    }  # fmt: skip
    lines = simdup("scan", "docs", "-f", "jsonl", *known).lines[:-1]
    pairs = [pair for line in lines for pair in json.loads(line)["pairs"]]
    assert [(p["a"], p["b"]) for p in pairs if "new" not in p] == [("docs/a.md", "docs/b.md")]
    assert simdup("scan", "docs", "-o", "new.html", *known).status == 0
    listed = simdup("scan", "docs", "--list", "redundant", *known).lines
    assert listed == ["docs/b.md", "docs/c.md", "docs/z.md"]
    simdup("scan", "docs", "--baseline", "known", "--update-baseline")
    for more in ([], ["--pairs"], ["--list", "redundant"]):
        out = simdup("scan", "docs", *more, *known).lines
        assert [line for line in out if "docs" in line and "documents" not in line] == []


def test_decisions_are_honoured(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": prose(1), "b.md": near(prose(1))})
    assert simdup("scan", "docs", "--baseline", "known", "--update-baseline").status == 0
    write(tmp_path / "docs", {"c.md": prose(2), "d.md": near(prose(2))})
    assert check(simdup)[0] == 1
    for kind, known in (("distinct", 1), ("duplicates", 2)):
        line = {"type": "decision", "decision": kind, "documents": ["docs/c.md", "docs/d.md"]}
        write(tmp_path, {"decided": json.dumps(line) + "\n"})
        status, summary = check(simdup, "--decisions", "decided")
        assert (status, summary["new"], summary["known"]) == (0, 0, known)
    write(tmp_path / "docs", {"e.md": prose(2) + "完"})
    assert check(simdup, "--decisions", "decided")[0] == 1


def test_references_and_indexes(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": near(prose(1)), "b.md": prose(5)})
    write(tmp_path / "old", {"x.md": prose(1), "y.md": prose(2)})
    simdup("index", "build", "i", "old")
    for reference in ("old", "i"):
        write(tmp_path / "docs", {"b.md": prose(5)})
        more = ("--reference", reference)
        assert check(simdup, "--update-baseline", *more)[0] == 0
        assert check(simdup, *more)[0] == 0
        write(tmp_path / "docs", {"b.md": near(prose(2))})
        status, summary = check(simdup, *more)
        assert (status, summary["new"], summary["known"]) == (1, 1, 1)


def test_an_unreadable_document_outranks_what_is_new(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": prose(1), "b.md": near(prose(1))})
    assert check(simdup, "--update-baseline")[0] == 0
    before = (tmp_path / "known").read_bytes()
    write(tmp_path / "docs", {"c.md": prose(1)})
    assert check(simdup, "lost.md")[0] == 2
    ran = simdup("scan", "docs", "lost.md", "--baseline", "known", "--update-baseline")
    assert ran.status == 2
    assert "simdup: known: was not updated: some documents could not be read\n" in ran.err
    assert (tmp_path / "known").read_bytes() == before


def test_the_file_is_sorted_and_the_same_for_the_same_texts(
    simdup: Command, tmp_path: Path
) -> None:
    write(tmp_path / "docs", {f"{n}.md": prose(n // 2) for n in range(8)})
    assert check(simdup, "--update-baseline")[0] == 0
    first = (tmp_path / "known").read_text()
    assert first.splitlines()[0] == HEAD
    names = [line.split("  ")[1] for line in first.splitlines() if line[:1] not in ("", "#")]
    assert names == sorted(names)
    simdup("scan", *sorted(map(str, (tmp_path / "docs").iterdir()), reverse=True),
           "--baseline", "known", "--update-baseline",
           "--recipe", "default,tokens=chars:2")  # fmt: skip
    again = (tmp_path / "known").read_text()
    assert again.replace(f"{tmp_path}/", "") == first


def test_a_hostile_name_is_one_line(simdup: Command, tmp_path: Path) -> None:
    names = ["a\n0123456789abcdef0123456789abcdef  x", "b\x1b[31m‮", "c\udcff"]
    write(tmp_path / "docs", dict.fromkeys(names, prose(1)))
    assert check(simdup, "--update-baseline")[0] == 0
    lines = (tmp_path / "known").read_text("utf-8").splitlines()
    assert [line.partition("  ")[2] for line in lines[-3:]] == [
        r"docs/a\n0123456789abcdef0123456789abcdef  x", r"docs/b\x1b[31m\u202e", r"docs/c\xff",
    ]  # fmt: skip
    assert check(simdup)[0] == 0


DIGEST = "0" * 32


@pytest.mark.parametrize(
    ("content", "what", "hint"),
    [
        ("", f"is not a baseline (its first line is not '{HEAD}')",
         "add --update-baseline to write it anew"),
        ("a note\n", f"is not a baseline (its first line is not '{HEAD}')", "name another file"),
        ("# simdup-baseline 2\n", "is a baseline of format 2; this simdup only reads format 1",
         "a newer simdup made it: update simdup"),
        (f"{HEAD}\n{DIGEST}  a\n<<<<<<< HEAD\n", "line 3: not a digest and a name",
         "add --update-baseline to write it anew"),
        (f"{HEAD}\n{DIGEST[1:]}  a\n", "line 2: not a digest and a name",
         "add --update-baseline to write it anew"),
    ],
)  # fmt: skip
def test_a_broken_file_is_one_clear_line(
    content: str, what: str, hint: str, simdup: Command, tmp_path: Path
) -> None:
    write(tmp_path, {"docs/a.md": prose(1), "known": content})
    ran = simdup("scan", "docs", "--check", "--baseline", "known")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == f"simdup: known: {what}\nhint: {hint}\n"
    ran = simdup("scan", "docs", "--baseline", "known", "--update-baseline")
    if "--update-baseline" not in hint:
        assert (ran.status, (tmp_path / "known").read_text()) == (2, content)
    else:
        assert ran.status == 0


def test_lines_of_windows_and_a_mark_are_read(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": prose(1), "b.md": near(prose(1))})
    assert check(simdup, "--update-baseline")[0] == 0
    content = (tmp_path / "known").read_bytes()
    (tmp_path / "known").write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
    assert check(simdup)[0] == 0


def test_what_it_must_not_replace(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": prose(1), "b.md": near(prose(1)), "empty": ""})
    simdup("index", "build", "i", "docs")
    for name in ("docs/a.md", "docs", "i"):
        ran = simdup("scan", "docs", "--baseline", name, "--update-baseline")
        assert ran.status == 2
        assert ran.err.startswith(f"simdup: {name}: ")
    ran = simdup("scan", "docs", "--baseline", "known", "--update-baseline", "-o", "known")
    assert ran.status == 2
    ran = simdup("scan", "docs", "--update-baseline")
    assert (ran.status, ran.err) == (
        2, "simdup: scan: --update-baseline needs --baseline FILE\nhint: simdup scan --help\n",
    )  # fmt: skip


def test_a_link_to_a_file_that_is_not_there_yet(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": near(prose(1))})
    (tmp_path / "link").symlink_to("base")
    ran = simdup("scan", "c", "--baseline", "link")
    assert (ran.status, ran.err.splitlines()[0]) == (2, "simdup: link: no such file or folder")
    assert simdup("scan", "c", "--baseline", "link", "--update-baseline").status == 0
    assert (tmp_path / "base").read_text().startswith("# simdup-baseline 1\n")


def test_a_walk_leaves_it_out_and_a_configuration_names_it(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": prose(1), "b.md": near(prose(1))})
    write(tmp_path, {"simdup.toml": '[scan]\nbaseline = "docs/known.txt"\n'})
    assert simdup("scan", "docs", "--update-baseline").status == 0
    ran = simdup("scan", "docs", "--check")
    assert ran.status == 0
    assert "Read 2 documents" in ran.err
    write(tmp_path, {"simdup.toml": "[scan]\nupdate-baseline = true\n"})
    assert "cannot be configured" in simdup("scan", "docs").err


def test_a_changed_page_of_real_documentation(
    simdup: Command, tmp_path: Path, shared_data: Path
) -> None:
    """Pages of a product's documentation, among them known near-duplicates."""
    with gzip.open(shared_data / "vsdocs" / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        pages = [json.loads(line)["text"] for line in islice(lines, 300)]
    texts = {f"{n:03}.md": text for n, text in enumerate(pages)}
    write(tmp_path / "docs", texts)
    assert check(simdup, "--update-baseline")[0] == 0
    status, summary = check(simdup)
    assert (status, summary["new"], summary["stale"]) == (0, 0, 0)
    assert summary["known"]
    name = max(texts, key=lambda one: len(texts[one]))
    copied = texts[name].replace("the", "teh", 5)
    for page in ({"copy.md": copied}, {name: f"{texts[name]}\nA closing line, which is new.\n"}):
        write(tmp_path / "docs", page)
        assert check(simdup)[0] == 1
        assert check(simdup, "--update-baseline")[0] == 0
        assert check(simdup)[0] == 0
