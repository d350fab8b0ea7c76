"""The closing report of a run."""

from dataclasses import replace

import pytest

from simdup.model.cleaned import Removed
from simdup.model.clusters import Cluster, Member, Summary
from simdup.model.criteria import Criteria
from simdup.model.documents import InputDocuments, Skipped
from simdup.show.removed import Cleaned, cleaned_words
from simdup.show.result import Result
from simdup.show.summary import report, size_words

SUMMARY = Summary(
    documents=12_000, clusters=1_200, redundant=3_400, skipped=0, pairs=5_600, candidates=7_800,
    candidates_by={"simhash": 6_000, "minhash": 7_700}, seconds=1_234.56, recipe={"digest": "abc"},
)  # fmt: skip


def result(found: tuple[Cluster, ...] = (), /, **figures: object) -> Result:
    return Result(found, (), (), replace(SUMMARY, **figures))  # type: ignore[arg-type]


def lines(found: Result, **fields: object) -> list[str]:
    return report(found, Criteria(**fields)).split("\n")  # type: ignore[arg-type]


def test_every_figure_has_separators() -> None:
    assert lines(result(unchecked=1_000, linked=2_000)) == [
        "Read 12,000 documents in 1,234.6 s.",
        "Found 1,200 clusters with 3,400 redundant documents (kept: the first of each).",
        (
            "2,000 more are linked: near other members, but not near the kept document "
            "(similarity below 0.8)."
        ),
        "7,800 candidate pairs checked, 5,600 confirmed (similarity at least 0.8).",
        "Simhash proposed 6,000 of these pairs, MinHash 7,700.",
        (
            "Up to 1,000 pairs would have cost too much and were left unchecked; "
            "`all_pairs` checks all."
        ),
    ]


def test_one_is_not_many() -> None:
    one = result(
        documents=1, clusters=1, redundant=1, linked=1, pairs=1, candidates=1, star_redundant=2,
        candidates_by={"simhash": 1},
    )  # fmt: skip
    assert lines(one, method="simhash")[0].startswith("Read 1 document in ")
    assert lines(one, method="simhash")[1:] == [
        "Found 1 cluster with 1 redundant document (kept: the first of each).",
        "1 more is linked: near other members, but not near the kept document.",
        "`dedupe` would remove 2 documents: it groups with `linkage` star.",
        "1 candidate pair checked, 1 confirmed (distance at most 3, similarity at least 0.8).",
    ]


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({}, "the first of each"),
        ({"keep": "longest"}, "longest"),
        ({"prefer": ("*.md",), "keep": "newest"}, "preferred ones, then newest"),
    ],
)
def test_it_says_what_is_kept(fields: dict[str, object], kept: str) -> None:
    assert lines(result(), **fields)[1].endswith(f" (kept: {kept}).")
    known = replace(result(), inputs=InputDocuments("abc", 3))
    assert lines(known, **fields)[1].endswith(f" (kept: references, then {kept}).")


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({"cosine": 0.9}, "similarity at least 0.8, cosine at least 0.9"),
        ({"cosine": 0.9, "similarity": 0}, "cosine at least 0.9"),
        ({"similarity": 0, "distance": 5}, "distance at most 5"),
        ({"method": "minhash", "similarity": 0.5}, "similarity at least 0.5"),
    ],
)
def test_the_report_explains_confirmed_pairs(fields: dict[str, object], asked: str) -> None:
    assert f"7,800 candidate pairs checked, 5,600 confirmed ({asked})." in lines(result(), **fields)


def test_pairs_that_were_not_compared_are_not_confirmed() -> None:
    (found,) = (line for line in lines(result(), verify=False) if "candidate" in line)
    assert found == (
        "7,800 candidate pairs found (distance at most 3); the texts were not compared."
    )
    (found,) = (
        line for line in lines(result(), verify=False, method="minhash") if "candidate" in line
    )
    assert found == "7,800 candidate pairs found (by MinHash); the texts were not compared."


def test_only_some_pairs_of_a_large_cluster_are_checked() -> None:
    large = Cluster(1, (), (), complete=False)
    told = lines(result((large, large)))
    assert "7,800 candidate pairs checked (similarity at least 0.8)." in told
    assert told[-1] == (
        "Where candidates connect many documents, only the pairs that decide the clusters were "
        "checked; `all_pairs` checks all."
    )


def test_dedupe_is_mentioned_only_if_it_differs() -> None:
    for number, said in ((None, False), (3_400, False), (3_300, True)):
        told = report(result(star_redundant=number), Criteria())
        assert ("`dedupe` would remove 3,300 documents" in told) == said
        assert ("dedupe" in told) == said


def test_nothing_found() -> None:
    nothing = result(clusters=0, redundant=0, pairs=0, candidates=0)
    assert lines(nothing)[1:] == [
        "Found no near-duplicates.",
        "No candidate pairs to check (similarity at least 0.8).",
    ]


def test_reasons_are_counted_and_shown_harmless() -> None:
    skipped = [Skipped("a", f"line {n}: not valid JSON", error=True) for n in (1, 2)] + [
        Skipped("b", "\x1b[2J")
    ]
    told = report(replace(result(), skipped=tuple(skipped)), Criteria())
    assert "; 3 skipped (2 faulty records, 1 \\x1b[2J).\n" in told


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (1, "1 byte"), (999, "999 bytes"), (1_000, "1.0 kB"), (9_940, "9.9 kB"), (9_960, "10 kB"),
        (999_499, "999 kB"), (999_500, "1.0 MB"), (4_100_000, "4.1 MB"), (12 * 10**9, "12 GB"),
        (5 * 10**15, "5,000 TB"),
    ],
)  # fmt: skip
def test_sizes(size: int, said: str) -> None:
    assert size_words(size) == said


def test_references_are_not_counted_as_kept() -> None:
    members = [
        Member("r", "kept", "0", number=0),
        *(Member(str(n), "redundant", "0", number=n) for n in (2, 3)),
    ]
    found = Result(
        (Cluster(1, tuple(members), ()),), (), (), SUMMARY, inputs=InputDocuments("rq23ab", 2)
    )
    removed = [Removed(name, "near-duplicate", 0, 1.0, "r") for name in ("2", "3")]
    assert cleaned_words(Cleaned(found, removed)) == "2 of 4 documents stay"
    sized = Cleaned(found, removed, "out", 5_600_000, 4_100_000)
    assert cleaned_words(sized) == "2 of 4 documents stay, 4.1 MB of 5.6 MB (27% saved)"
    skipped = replace(found, skipped=(Skipped("e", "empty"),))
    told = cleaned_words(Cleaned(skipped, removed))
    assert told == "2 of 4 documents stay (and what was skipped)", "more files than documents"
