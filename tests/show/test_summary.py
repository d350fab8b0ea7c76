"""The closing report of a run."""

from dataclasses import replace

import pytest

from simdup.model.cleaned import Removed
from simdup.model.clusters import Cluster, Summary
from simdup.model.criteria import Criteria
from simdup.model.documents import InputDocuments, Skipped
from simdup.show.removed import Cleaned, cleaned_words
from simdup.show.result import Result
from simdup.show.summary import report, size_words

SUMMARY = Summary(
    documents=12_000, clusters=1_200, redundant=3_400, skipped=0, pairs=5_600, checked=7_800,
    seconds=1_234.56, recipe={"digest": "abc"},
)  # fmt: skip


def result(found: tuple[Cluster, ...] = (), /, **figures: object) -> Result:
    return Result(found, (), (), replace(SUMMARY, **figures))  # type: ignore[arg-type]


def lines(found: Result, **fields: object) -> list[str]:
    return report(found, Criteria(**fields)).split("\n")  # type: ignore[arg-type]


def test_every_figure_has_separators() -> None:
    assert lines(result(unchecked=1_000)) == [
        "Read 12,000 documents in 1,234.6 s.",
        (
            "Found 1,200 clusters with 3,400 redundant documents, near what is kept "
            "(order of keeping: input order)."
        ),
        "7,800 pairs compared (similarity at least 0.8).",
        (
            "1,000 documents were not compared with all candidates, which would have cost too "
            "much; `all_pairs` compares all."
        ),
    ]


def test_one_is_not_many() -> None:
    one = result(documents=1, clusters=1, redundant=1, pairs=1, checked=1, unchecked=1)
    told = lines(one, method="simhash")
    assert told[0].startswith("Read 1 document in ")
    assert told[1].startswith("Found 1 cluster with 1 redundant document, near what is kept ")
    assert told[2] == "1 pair compared (distance at most 3, similarity at least 0.8)."
    assert told[3].startswith("1 document was not compared with all candidates, ")


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({}, "input order"),
        ({"keep": "longest"}, "longest first"),
        ({"prefer": ("*.md",), "keep": "newest"}, "preferred ones, then newest first"),
    ],
)
def test_it_says_what_is_kept(fields: dict[str, object], kept: str) -> None:
    assert lines(result(), **fields)[1].endswith(f" (order of keeping: {kept}).")
    known = replace(result(), inputs=InputDocuments("abc", 3))
    assert lines(known, **fields)[1].endswith(f" (order of keeping: references, then {kept}).")


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({"cosine": 0.9}, "similarity at least 0.8, cosine at least 0.9"),
        ({"cosine": 0.9, "similarity": 0}, "cosine at least 0.9"),
        ({"similarity": 0, "distance": 5}, "distance at most 5"),
        ({"method": "minhash", "similarity": 0.5}, "similarity at least 0.5"),
    ],
)
def test_the_report_says_what_was_asked(fields: dict[str, object], asked: str) -> None:
    assert f"7,800 pairs compared ({asked})." in lines(result(), **fields)


def test_texts_may_not_have_been_compared() -> None:
    unread = result(checked=0)
    for fields, asked in (({}, "distance at most 3"), ({"method": "minhash"}, "by MinHash")):
        assert lines(unread, verify=False, **fields)[-1] == f"No texts were compared ({asked})."
    assert "compared" not in "".join(lines(unread)), "of copies they need not be"


def test_nothing_found() -> None:
    nothing = result(clusters=0, redundant=0, pairs=0, checked=0)
    assert lines(nothing)[1:] == [
        "Found no near-duplicates.",
        "No texts were compared (similarity at least 0.8).",
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
    count = InputDocuments("rq23ab", 2).taking_part
    removed = [Removed(name, "near-duplicate", 0, 1.0, "r") for name in ("2", "3")]
    assert cleaned_words(Cleaned(removed=removed, documents=count)) == "2 of 4 documents stay"
    sized = Cleaned(removed=removed, documents=count, bytes_before=5_600_000, bytes_after=4_100_000)
    assert cleaned_words(sized) == "2 of 4 documents stay, 4.1 MB of 5.6 MB (27% saved)"
    skipped = (Skipped("e", "empty"),)
    told = cleaned_words(Cleaned(removed=removed, documents=count, skipped=skipped))
    assert told == "2 of 4 documents stay (and what was skipped)", "more files than documents"
