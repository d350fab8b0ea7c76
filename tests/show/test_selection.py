"""What a scan lists: pairs or clusters, some of them, in an order of choice."""

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from support import Command

from lab.corpora.made import edited, prose, write
from simdup import scan
from simdup.show.text import Painter, _alike, cluster_text, shortened, told_apart


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three clusters: of two copies, of three texts, of two texts that differ most."""
    a, b, c = prose(1), prose(2), prose(3)
    texts = {
        "a1.txt": a, "a2.txt": a,
        "b1.txt": b, "b2.txt": edited(b), "b3.txt": edited(b, 1),
        "c1.txt": c, "c2.txt": edited(c, 0, 4),
        "d.txt": prose(4),
    }  # fmt: skip
    write(tmp_path / "c", texts)
    return tmp_path


def rows(out: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(out.decode().splitlines()))


def listed(simdup: Command, *options: str) -> list[str]:
    """The kept document of each cluster."""
    ran = simdup("scan", "c", "-f", "csv", "-q", *options)
    assert ran.status == 0, ran.err
    return [row["document"][2:4] for row in rows(ran.out) if row["role"] == "kept"]


@pytest.mark.usefixtures("corpus")
def test_clusters_in_every_order(simdup: Command) -> None:
    assert listed(simdup) == ["b1", "a1", "c1"]
    assert listed(simdup, "--sort", "similarity") == ["a1", "b1", "c1"]
    assert listed(simdup, "--sort", "name") == ["a1", "b1", "c1"]
    assert listed(simdup, "--sort", "name", "-n", "1") == ["a1"]
    assert listed(simdup, "--sort", "distance")[0] == "a1"


@pytest.mark.usefixtures("corpus")
def test_clusters_keep_their_numbers(simdup: Command) -> None:
    """So the same number is the same cluster in a list, a table and a page."""
    out = simdup("scan", "c", "-f", "jsonl", "--sort", "name", "-n", "2").lines
    found = [json.loads(line) for line in out]
    assert [(x["cluster"], x["size"]) for x in found if x["type"] == "cluster"] == [(2, 2), (1, 3)]
    assert found[-1]["clusters"] == 3


def test_each_kept_document_stands_above_those_that_it_took(
    simdup: Command, tmp_path: Path
) -> None:
    text = prose(7, 60)
    write(tmp_path / "c", {f"{n}.txt": text[n * 6 : n * 6 + 110] for n in range(6)})
    table = rows(simdup("scan", "c", "-f", "csv").out)
    assert [row["role"] for row in table].count("kept") == 3
    leader = ""
    for row in table:
        leader = row["document"] if row["role"] == "kept" else leader
        assert row["kept"] == leader
    head, _, *lines = simdup("scan", "c").lines
    assert [line.rpartition(" ")[2] for line in lines] == [row["document"] for row in table]
    assert {line.index("c/") for line in lines} == {head.index("document")}
    depths = {row["role"]: len(line) - len(line.lstrip())
              for row, line in zip(table, lines, strict=True)}  # fmt: skip
    assert depths == {"kept": 2, "redundant": 4}
    (cluster, _) = map(json.loads, simdup("scan", "c", "-f", "jsonl").lines)
    members = [(one["document"], one["kept"]) for one in cluster["documents"]]
    assert members == [(row["document"], row["kept"]) for row in table]
    kept = simdup("scan", "c", "--list", "kept").lines
    assert kept == sorted({row["kept"] for row in table})


@pytest.mark.usefixtures("corpus")
def test_pairs_by_falling_similarity(simdup: Command) -> None:
    ran = simdup("scan", "c", "--pairs", "-f", "csv")
    found = rows(ran.out)
    more = ["containment", "cosine", "measure"]
    assert list(found[0]) == ["a", "b", "distance", "similarity", *more]
    assert (found[0]["a"], found[0]["b"]) == ("c/a1.txt", "c/a2.txt")
    assert (found[-1]["a"], found[-1]["b"]) == ("c/c1.txt", "c/c2.txt")
    similarities = [float(row["similarity"]) for row in found]
    assert similarities == sorted(similarities, reverse=True)


@pytest.mark.usefixtures("corpus")
def test_pairs_in_jsonl_are_those_of_the_clusters(simdup: Command) -> None:
    clusters = [json.loads(line) for line in simdup("scan", "c", "-f", "jsonl").lines]
    pairs = [json.loads(line) for line in simdup("scan", "c", "-f", "jsonl", "--pairs").lines]
    inside = [pair for x in clusters if x["type"] == "cluster" for pair in x["pairs"]]
    alone = [x for x in pairs if x["type"] == "pair"]
    for pair in alone:
        assert {key: value for key, value in pair.items() if key != "type"} in inside
    assert len(alone) == len(inside) == pairs[-1]["pairs"]


@pytest.mark.usefixtures("corpus")
def test_pairs_as_text_and_what_the_report_says(simdup: Command) -> None:
    ran = simdup("scan", "c", "--pairs", "-n", "1", "--sort", "name")
    assert ran.text.splitlines() == [
        "bits  similar  documents",
        "   0   1.0000  c/a1.txt",
        "               c/a2.txt",
    ]
    assert "Listed 1 of 5 pairs.\n" in ran.err
    assert "Listed 1 of 3 clusters.\n" in simdup("scan", "c", "-n", "1").err
    assert "Listed" not in simdup("scan", "c").err


@pytest.mark.usefixtures("corpus")
def test_pairs_with_further_measures(simdup: Command) -> None:
    found = rows(simdup("scan", "c", "--pairs", "-f", "csv", "--containment", "0.5").out)
    assert (found[0]["containment"], found[0]["cosine"]) == ("1.0000", "")


@pytest.mark.usefixtures("corpus")
def test_pairs_of_fingerprint_lines_come_nearest_first(simdup: Command) -> None:
    prints = simdup("fingerprint", "c").out
    ran = simdup("cluster", "--pairs", "-d", "20", "-f", "csv", stdin=prints)
    distances = [int(row["distance"]) for row in rows(ran.out)]
    assert distances == sorted(distances)
    assert distances[-1] > 0


@pytest.mark.usefixtures("corpus")
def test_pairs_have_no_size(simdup: Command) -> None:
    ran = simdup("scan", "c", "--pairs", "--sort", "size")
    assert (ran.status, ran.err) == (2, "simdup: --sort: pairs have no size\n")


@given(st.text(alphabet="ab图书\u0301/", max_size=60), st.integers(24, 60))
def test_a_shortened_name_fits_and_keeps_both_ends(name: str, width: int) -> None:
    short = shortened(name, width)
    assert cell_len(short) <= max(width, 0)
    if cell_len(name) <= width:
        assert short == name
        return
    head, _, tail = short.partition("…")
    assert name.startswith(head)
    assert name.endswith(tail)
    assert cell_len(short) >= width - 2


@given(
    st.text(alphabet="ab图/", min_size=20, max_size=40),
    st.lists(st.text(alphabet="12", min_size=1, max_size=5), min_size=2, max_size=20, unique=True),
    st.text(alphabet="cd书/", min_size=20, max_size=40),
    st.integers(24, 60),
)
@example("a" * 20, ["1", "11"], "c" * 17 + "书书书", 24)
@example("a" * 20, ["1", "11"], "c" * 18 + "书书", 24)
def test_names_are_cut_where_they_are_equal(
    before: str, values: list[str], after: str, width: int
) -> None:
    names = [f"{before}{value}{after}" for value in values]
    cut = told_apart([*names, names[0]], width)
    assert len(set(cut)) == len(names)
    begin = _alike(values)
    end = _alike([value[begin:][::-1] for value in values])
    differing = (value[begin : len(value) - end] for value in values)
    assert all(part in name for name, part in zip(cut, differing, strict=False))
    assert all(cell_len(name) <= width for name in cut)
    for name, short in zip(names, cut, strict=False):
        assert short == name or "…" in short


@given(st.lists(st.text(alphabet="ab书", max_size=60), min_size=1, max_size=30))
def test_names_that_differ_look_different(names: list[str]) -> None:
    cut = told_apart(names, 24)
    assert len(set(cut)) == len(set(names))
    assert [cut[names.index(name)] for name in names] == cut
    whole = [name for name, short in zip(names, cut, strict=True) if cell_len(short) > 24]
    # Only those that cannot be told apart are whole.
    assert len(set(whole)) != 1


def test_a_limit_may_be_any_number(simdup: Command, corpus: Path) -> None:
    for limit in (10**5, 10**30):
        assert simdup("scan", "c", "--limit", str(limit)).out == simdup("scan", "c").out


def test_a_terminal_shows_ten_members() -> None:
    text = prose(1)
    (cluster,) = scan([(str(n), text) for n in range(30)]).clusters
    for width, expected in ((80, 10), (0, 30)):
        paint = Painter(io.StringIO())
        paint.width = width
        lines = b"".join(cluster_text([cluster], paint)).decode().splitlines()
        more = [f"  … and {30 - expected} more"] if expected < 30 else []
        assert len(lines) == 2 + expected + len(more)
        assert lines[2 + expected :] == more
