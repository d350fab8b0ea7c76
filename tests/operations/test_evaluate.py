"""`simdup evaluate`: files, names, and the measures compared with plain Python and scikit-learn."""

import io
import json
import sys
from collections.abc import Iterable
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from support import Command

from lab.corpora import made
from lab.corpora.made import prose
from lab.oracles import plain
from simdup import evaluate, scan
from simdup.base.errors import SimdupError
from simdup.cli import main
from simdup.operations.evaluate import (
    LabelledPairs,
    from_clusters,
    from_pairs,
    measure,
    read_labels,
    with_names_of,
)

NAMES = "abcdefgh"
NamePairs = set[tuple[str, str]]
names_two = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES))
pairs = st.lists(names_two, max_size=10)


def ordered(pairs: Iterable[tuple[str, str]]) -> NamePairs:
    """Return pairs of different names, the smaller one first."""
    return {(min(pair), max(pair)) for pair in pairs if len(set(pair)) == 2}


def pairs_of(labels: LabelledPairs) -> NamePairs:
    """Return all labelled pairs."""
    linked = ((labels.groups[one], labels.groups[other]) for one, other in labels.links)
    return ordered(pair for one, other in linked for pair in product(one, other))


@given(pairs, pairs)
def test_measures_are_those_of_plain_python(
    found: list[tuple[str, str]], truth: list[tuple[str, str]]
) -> None:
    measured = measure(from_pairs(found), from_pairs(truth))
    ours = {frozenset(pair) for pair in found if len(set(pair)) == 2}
    theirs = {frozenset(pair) for pair in truth if len(set(pair)) == 2}
    both = len(ours & theirs)
    assert (measured.found_pairs, measured.true_pairs) == (len(ours), len(theirs))
    assert measured.both_pairs == both
    assert measured.precision == (both / len(ours) if ours else 1)
    assert measured.recall == (both / len(theirs) if theirs else 1)
    p, r = measured.precision, measured.recall
    assert measured.f1 == pytest.approx(2 * p * r / (p + r) if p + r else 0)

    names = sorted(frozenset().union(*ours, *theirs))
    mine, true = plain.clusters(found, NAMES), plain.clusters(truth, NAMES)
    assert measured.documents == len(names)
    if names:
        rand = adjusted_rand_score([min(true[n]) for n in names], [min(mine[n]) for n in names])
        assert measured.adjusted_rand == pytest.approx(rand)
        precision = sum(len(mine[n] & true[n]) / len(mine[n]) for n in names) / len(names)
        recall = sum(len(mine[n] & true[n]) / len(true[n]) for n in names) / len(names)
        assert measured.bcubed_precision == pytest.approx(precision)
        assert measured.bcubed_recall == pytest.approx(recall)
        f1 = 2 * precision * recall / (precision + recall)
        assert measured.bcubed_f1 == pytest.approx(f1)


@given(pairs)
def test_an_answer_agrees_with_itself(found: list[tuple[str, str]]) -> None:
    measured = measure(from_pairs(found), from_pairs(found))
    shares = (measured.f1, measured.adjusted_rand, measured.bcubed_f1)
    assert shares == pytest.approx((1, 1, 1))


Side = tuple[NamePairs, NamePairs, list[set[str]]]  # pairs, those that are copies, or clusters


def labels_of(side: Side) -> tuple[LabelledPairs, NamePairs]:
    """Return labels, and all their pairs by definition."""
    found, copies, clusters = side
    if clusters:
        within = (pair for cluster in clusters for pair in combinations(cluster, 2))
        return from_clusters(clusters), ordered(within)
    alike = plain.clusters(copies, NAMES)
    across = (pair for a, b in found | copies for pair in product(alike[a], alike[b]))
    return from_pairs(found | copies, copies), ordered(across)


sides = st.tuples(
    st.sets(names_two), st.sets(names_two, max_size=4), st.lists(st.sets(st.sampled_from(NAMES)))
)


@given(sides, sides)
def test_common_pairs_of_copies_and_clusters_are_those_of_the_listed_pairs(
    one: Side, other: Side
) -> None:
    (found, ours), (truth, theirs) = labels_of(one), labels_of(other)
    assert (pairs_of(found), pairs_of(truth)) == (ours, theirs)
    measured = measure(found, truth)
    assert (measured.found_pairs, measured.true_pairs) == (len(ours), len(theirs))
    assert measured.both_pairs == len(ours & theirs)


def test_a_cluster_is_counted_without_its_pairs() -> None:
    names = [str(number) for number in range(200_000)]
    whole, halves = from_clusters([names]), from_clusters([names[::2], names[1::2]])
    measured = measure(halves, whole)
    assert measured.true_pairs == 200_000 * 199_999 // 2
    assert measured.both_pairs == measured.found_pairs == 100_000 * 99_999


def test_clusters_count_all_their_pairs() -> None:
    answer = from_clusters([["c", "a", "b"], ["x"], ["z", "y"]])
    assert pairs_of(answer) == {("a", "b"), ("a", "c"), ("b", "c"), ("y", "z")}
    assert answer.clusters == [("c", "a", "b"), ("z", "y")]


def test_a_document_of_two_clusters_joins_them_but_not_their_pairs() -> None:
    answer = from_clusters([["a", "b"], ["b", "c"]])
    assert pairs_of(answer) == {("a", "b"), ("b", "c")}
    assert sorted(answer.clusters[0]) == ["a", "b", "c"]


def test_all_copies_share_the_pairs_of_one_of_them() -> None:
    answer = from_pairs(
        [("a", "c"), ("a", "b"), ("x", "y"), ("x", "x2"), ("x", "x3"), ("y", "y2")],
        copies=[("a", "c"), ("x", "x2"), ("x", "x3"), ("y", "y2")],
    )
    ours = {("a", "b"), ("a", "c"), ("b", "c")}
    assert pairs_of(answer) == ours | set(combinations(["x", "x2", "x3", "y", "y2"], 2))


def write(folder: Path, content: str) -> str:
    path = folder / "answer"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    return str(path)


PQ = {("p", "q")}


@pytest.mark.parametrize(
    "content",
    [
        "a,b\np,q\n",
        "a\tb\tlabel\nq\tp\tdup\nr\ts\tno\n",
        "q,p\n",
        "\ufeffp\tq\tnear\n",
        "p,q,1\np,r,no\n",
        "p,q,1\np,r,0\n",
        "label,B,A\nNo,p,r\n,q,p\n",
        "document,cluster\np,1\nq,1\nr,2\n",
        "p;q\nr\n",
        "r\r\np; q;\r\n",
        "a;b;label\np;q;dup\np;r;no\n",
        "cluster;document\n1;p\n1;q\n",
        "cluster,role,document,fingerprint,distance,similarity\n1,kept,q,0f,,\n1,redundant,p,0,1,1\n",
        '{"type":"pair","a":"p","b":"q","distance":2}\n',
        (
            '{"type":"cluster","documents":[{"document":"p"},{"document":"q"}],"pairs":[]}\n'
            '{"type":"skipped","document":"r","reason":"empty"}\n{"type":"summary","pairs":0}\n'
        ),
        (
            '{"type":"cluster","documents":[{"document":"p"},{"document":"q"},{"document":"r"}],'
            '"pairs":[{"a":"p","b":"q","distance":1,"similarity":0.9}]}\n'
            '{"type":"summary","all_pairs":true}\n'
        ),
    ],
)
def test_what_files_may_hold(tmp_path: Path, content: str) -> None:
    assert pairs_of(read_labels(write(tmp_path, content))) == PQ


def test_an_empty_file_is_an_answer_without_pairs(tmp_path: Path) -> None:
    assert read_labels(write(tmp_path, "")) == LabelledPairs()
    assert pairs_of(read_labels(write(tmp_path, "a,b,distance,similarity\n"))) == set()


@pytest.mark.parametrize(
    "content",
    [
        "a\tb\tlabel\tjaccard\np\tq\tnear\t0.8\np\tr\tnear\t0.79\n",
        "p,q,0.9\np,r,0.2\n",
        "a,b,distance,similarity\np,q,9,0.8\np,r,9,0.7\n",
        (
            '{"type":"pair","a":"p","b":"q","similarity":0.8}\n'
            '{"type":"pair","a":"p","b":"r","similarity":0.7}\n'
        ),
    ],
)
def test_pairs_below_the_least_score_are_left_out(tmp_path: Path, content: str) -> None:
    assert pairs_of(read_labels(write(tmp_path, content), 0.8)) == PQ
    assert len(pairs_of(read_labels(write(tmp_path, content)))) == 2


def test_copies_are_known_by_similarity_or_else_by_distance(tmp_path: Path) -> None:
    header = "a,b,distance,similarity\n"
    closed = {("a", "b"), ("a", "c"), ("b", "c")}
    for rows in ("a,b,2,0.9000\na,c,1,1.0000\n", "a,b,2,\na,c,0,\n"):
        assert pairs_of(read_labels(write(tmp_path, header + rows))) == closed
    assert len(pairs_of(read_labels(write(tmp_path, header + "a,b,2,0.9\na,c,0,0.9\n")))) == 2
    # A table of known pairs is used as it is.
    assert len(pairs_of(read_labels(write(tmp_path, "a,b,similarity\na,b,0.9\na,c,1\n")))) == 2


@pytest.mark.parametrize(
    ("content", "score", "what"),
    [
        ("one\n", None, "row 1: 2 columns needed, found 1"),
        ("a,b,label\nx,y,dup\nx,y\n", None, "row 3: 3 columns needed, found 2"),
        ("{broken\n", None, ":1: not a line written by simdup"),
        ('{"type":"pair","a":"x"}\n', None, ":1: not a line written by simdup"),
        ("a,b\nx,y\n", 0.5, "no score found"),
        ("a,b,score\nx,y,high\n", 0.5, "the score 'high' is not a number"),
        ("document,match,distance,similarity\nx,y,0,1\n", None, "not those of pairs"),
        ("left,right\na.txt,b.txt\n", None, "columns left, right: not those of pairs"),
        ("cluster,document\n1,x\n", 0.5, "clusters have no score"),
        ("x;y;z\n", 0.5, "clusters have no score"),
        (
            '{"type":"cluster","documents":[{"document":"x"}],"pairs":[]}',
            0.5,
            "clusters have no score",
        ),
    ],
)
def test_a_file_in_another_format_is_an_error(
    tmp_path: Path, content: str, score: float | None, what: str
) -> None:
    with pytest.raises(SimdupError) as caught:
        read_labels(write(tmp_path, content), score)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"pair","a":1,"b":"y"}',
        '{"type":"pair","a":["x"],"b":["y"]}',
        '{"type":"pair","a":null,"b":{}}',
        '{"type":"cluster","documents":[],"pairs":[{"a":{},"b":"y"}]}',
        '{"type":"cluster","documents":[{"document":1}],"pairs":[]}',
        '{"type":"pair","a":"x","b":' + "[" * 100_000,
        '{"type":"pair","a":"x","b":"y","score":' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"type":"pair","a":"x","b":"y","distance":' + "9" * 5_000 + "}",
        '{"type":"cluster","documents":7,"pairs":[]}',
    ],
    ids=range(9),
)
def test_an_invalid_pair_line_is_an_error(tmp_path: Path, line: str) -> None:
    with pytest.raises(SimdupError, match="not a line written by simdup"):
        read_labels(write(tmp_path, line + "\n"))


def test_nested_values_other_than_names_are_ignored(tmp_path: Path) -> None:
    nested = "[" * 400 + "]" * 400
    line = f'{{"type":"pair","a":"x","b":"y","label":{nested}}}\n'
    assert pairs_of(read_labels(write(tmp_path, line))) == {("x", "y")}


@pytest.mark.parametrize(
    ("found", "truth"),
    [
        (("a", "b"), ("a", "b")),
        (("x/a.txt", "x/b.txt"), ("a.txt", "b.txt")),
        (("x/y/a.txt", "x/y/b.txt"), ("y/a", "y/b")),
        (("./a.txt", "b.txt"), ("data/a.txt", "data/b.txt")),
        (("n/1.0.md", "n/1.md"), ("1.0", "1.md")),
    ],
)
def test_names_that_mean_the_same(found: tuple[str, str], truth: tuple[str, str]) -> None:
    answer = from_pairs([found])
    renamed = with_names_of(answer, from_pairs([truth]))
    assert pairs_of(renamed) == pairs_of(answer)
    assert renamed.names == set(found)


def test_names_that_mean_nothing_found_stay() -> None:
    truth = from_pairs([("a.txt", "q")])
    found = from_pairs([("x/a.txt", "x/b.txt")])
    assert pairs_of(with_names_of(found, truth)) == {("q", "x/a.txt")}
    # `x/a.txt` is an exact name, so `a.txt` means another document.
    truth = from_pairs([("a.txt", "x/a.txt")])
    assert with_names_of(found, truth) == truth


def test_names_that_mean_two_are_errors() -> None:
    with pytest.raises(SimdupError, match=r"a: matches both x/a.txt and y/a.txt"):
        with_names_of(from_pairs([("x/a.txt", "y/a.txt")]), from_pairs([("a", "b")]))
    with pytest.raises(SimdupError, match=r"x/a.txt: has two names in TRUTH: a and a.txt"):
        with_names_of(from_pairs([("x/a.txt", "x/b.txt")]), from_pairs([("a", "a.txt")]))


def test_a_result_counts_clusters_unless_all_pairs_are_listed(
    simdup: Command, tmp_path: Path
) -> None:
    """A chain: the first of three texts is near the second, and not near the third."""
    parts = [prose(seed, 30) for seed in range(10)]
    texts = {str(i): "".join(parts[i : i + 8]) for i in range(3)}
    made.write(tmp_path / "c", texts)
    (tmp_path / "truth").write_text("0;1;2\n")
    for options, found in ((), 3), (("--all-pairs",), 2):
        result = scan(texts, similarity=0.7, all_pairs=bool(options))
        assert evaluate(result, combinations(texts, 2)).found_pairs == found
        simdup("scan", "c", "-s", "0.7", *options, "-o", "found.jsonl", "-q")
        measured = simdup("evaluate", "found.jsonl", "truth", "-f", "jsonl")
        assert json.loads(measured.out)["both_pairs"] == found
    simdup("scan", "c", "-s", "0.7", "--pairs", "-o", "pairs.jsonl", "-q")
    assert "2 found, 3 true, 2 both" in simdup("evaluate", "pairs.jsonl", "truth").text


def run(capsysbinary: pytest.CaptureFixture[bytes], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["evaluate", *arguments])
    out, err = capsysbinary.readouterr()
    return int(left.value.code or 0), out.decode(), err.decode()


def test_the_command(
    tmp_path: Path,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    found, truth = tmp_path / "found.csv", tmp_path / "truth.tsv"
    found.write_text("a,b,distance,similarity\na,b,1,0.9\nc,d,1,0.9\n")
    truth.write_text("a\tb\tscore\na\tb\t0.9\na\te\t0.9\nb\te\t0.2\n")
    status, out, err = run(capsysbinary, str(found), str(truth))
    assert (status, err) == (0, "")
    assert out.splitlines()[:4] == [
        "pairs                2 found, 3 true, 1 both",
        "  precision          0.5000",
        "  recall             0.3333",
        "  F1                 0.4000",
    ]
    status, out, _ = run(capsysbinary, "--min-score", "0.5", "-f", "jsonl", str(found), str(truth))
    assert json.loads(out) == {
        "type": "evaluation",
        "documents": 5,
        "found_pairs": 2,
        "true_pairs": 2,
        "both_pairs": 1,
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
        "found_clusters": 2,
        "true_clusters": 1,
        "adjusted_rand": 0.2105,
        "bcubed_precision": 0.8,
        "bcubed_recall": 0.7333,
        "bcubed_f1": 0.7652,
    }
    output = tmp_path / "report.jsonl"
    assert run(capsysbinary, str(found), str(truth), "-o", str(output), "-q") == (0, "", "")
    assert json.loads(output.read_text())["f1"] == 0.4

    truth.write_text("p\tq\n")
    status, _, err = run(capsysbinary, str(found), str(truth))
    assert status == 2
    assert "names no document of FOUND" in err
    assert run(capsysbinary, str(found), str(truth))[1] == ""
    status, _, err = run(capsysbinary, str(found), str(tmp_path / "missing"))
    assert (status, "missing: no such file" in err) == (2, True)
    assert run(capsysbinary, "-", "-")[0] == 2
    piped = io.TextIOWrapper(io.BytesIO(b"a,b\na,b\nc,d\n"), "utf-8")
    monkeypatch.setattr(sys, "stdin", piped)
    assert "2 found, 2 true, 2 both" in run(capsysbinary, str(found), "-")[1]
