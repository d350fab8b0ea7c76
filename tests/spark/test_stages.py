"""The stages of a job on Spark, without Spark: what they group is what a scan groups."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simdup
from lab.corpora.made import edited, near, prose
from simdup.model.decisions import Decision, Decisions
from simdup.model.settings import Settings

pa = pytest.importorskip("pyarrow")

from spark_stages import Grouped, InProcess  # noqa: E402


def corpus(seed: int, n: int) -> pa.Table:
    """Documents of a few families, some of them copies, empty, or not in this order."""
    chance = random.Random(seed)
    words = chance.choice([2, 7, 20, 60])
    texts = [prose(chance.randrange(max(n // 4, 1)), words) for _ in range(n)]
    texts = [edited(text, i, chance.choice([0, 0, 1, 4, 12, 30])) for i, text in enumerate(texts)]
    texts = [chance.choice([text, text, near(text), f"\n {text}"]) for text in texts]
    given = [chance.choice(["", None, "。", "了"]) if chance.random() < 0.03 else t for t in texts]
    columns = {
        "reference": sorted((chance.random() < 0.1 for _ in range(n)), reverse=True),
        "id": [f"d{i}" for i in range(n)], "order0": [i // 2 for i in range(n)],
        "text0": given, "value": [chance.choice([None, 1.5, float(i)]) for i in range(n)],
    }  # fmt: skip
    # Ids decide where the order does not.
    columns["id"] = [f"d{i:05d}" for i in range(n)]
    return pa.table(columns)


def by_scan(table: pa.Table, settings: Settings) -> Grouped:
    """What `scan` finds; its references are files, so there must be none."""
    rows = table.rename_columns(["reference", "id", "order0", "text", "v"])
    found = simdup.scan(rows, settings.recipe, settings.criteria, id="id", jobs=1)
    first = {c.number: min(m.number for m in c.members) for c in found.clusters}
    members = [
        (first[c.number], place, m.name, m.role, m.fingerprint, m.distance, m.similarity,
         m.containment, m.cosine, m.measure)
        for c in found.clusters
        for place, m in enumerate(c.members)
    ]  # fmt: skip
    pairs = [
        (first[c.number], place, p.a, p.b, p.distance, p.similarity, p.cosine, p.exact, p.measure)
        for c in found.clusters
        for place, p in enumerate(c.pairs)
    ]
    return Grouped(sorted(members), sorted(pairs), {(s.document, s.reason) for s in found.skipped})


def without_numbers(rows: list[tuple[Any, ...]]) -> list[list[tuple[Any, ...]]]:
    """The rows of each cluster, whatever number it has."""
    clusters: dict[int, list[tuple[Any, ...]]] = {}
    for first, *rest in rows:
        clusters.setdefault(first, []).append(tuple(rest))
    return sorted(clusters.values(), key=repr)


DECISIONS = Decisions(
    (Decision("keep", ("d00005",)), Decision("distinct", tuple(f"d{i:05}" for i in range(9, 30))))
)
CRITERIA: list[dict[str, Any]] = [
    {}, {"method": "minhash", "similarity": 0.5}, {"method": "simhash"},
    {"verify": False, "distance": 8}, {"cosine": 0.7}, {"shingle": "words:2"},
    {"method": "pstable", "cosine": 0.6, "similarity": 0.0}, {"keep": "longest"},
    {"keep": "max:v"}, {"prefer": ("d0001*",)}, {"distance": 64},
    {"similarity": 0.6},
    {"same": "title"}, {"same": "title", "method": "simhash"},
    {"containment": 0.5, "same": "title"}, {"containment": 0.6}, {"same": "facts"},
    {"containment": 0.4, "similarity": 0.1}, {"lossless": True}, {"decisions": DECISIONS},
    {"all_pairs": True}, {"all_pairs": True, "method": "simhash"},
]  # fmt: skip
RECIPES = [
    {}, {"idf": "corpus"}, {"idf": "corpus", "min_df": 3}, {"hash": "md5", "bits": 128},
    {"weight": "tf"}, {"tokens": "chars:2"},
]  # fmt: skip


@given(
    st.integers(0, 1000), st.integers(1, 70), st.sampled_from(CRITERIA), st.sampled_from(RECIPES)
)
def test_stages_find_what_a_scan_finds(
    seed: int, n: int, criteria: dict[str, Any], recipe: dict[str, Any]
) -> None:
    table = corpus(seed, n)
    table = table.set_column(0, "reference", pa.array([False] * n))
    settings = Settings.of(simdup.Recipe(**recipe), jobs=1, text="text", id="id", **criteria)
    found, expected = InProcess(settings, seed).run(table), by_scan(table, settings)
    assert without_numbers(found.members) == without_numbers(expected.members)
    assert without_numbers(found.pairs) == without_numbers(expected.pairs)
    assert found.skipped == expected.skipped


def test_a_family_of_hundreds_is_grouped_as_by_a_scan() -> None:
    text = prose(1, 200)
    texts = (
        [edited(text, i, i % 12) for i in range(300)]
        + [text] * 200
        + [prose(i) for i in range(2, 9)]
    )
    n = len(texts)
    table = pa.table(
        {"reference": [False] * n, "id": [f"{i:04d}" for i in range(n)], "order0": [0] * n,
         "text0": texts, "value": pa.nulls(n, pa.float64())}
    )  # fmt: skip
    for criteria in ({}, {"method": "minhash"}):
        settings = Settings.of(jobs=1, text="text", id="id", **criteria)
        found, expected = InProcess(settings, 3).run(table), by_scan(table, settings)
        assert without_numbers(found.members) == without_numbers(expected.members)
        assert without_numbers(found.pairs) == without_numbers(expected.pairs)


def test_facts_part_a_family_as_in_a_scan() -> None:
    n, before, after = 90, prose(1, 60), prose(2, 60)
    texts = [f"{before} {10 * (i % 3 + 1)} mg {after} {'abc'[i % 2]}" for i in range(n)]
    table = pa.table(
        {"reference": [False] * n, "id": [f"{i:04d}" for i in range(n)], "order0": [0] * n,
         "text0": texts, "value": pa.nulls(n, pa.float64())}
    )  # fmt: skip
    for criteria in ({}, {"same": ("title", "facts")}):
        fields = {"same": "facts", **criteria}
        settings = Settings.of(jobs=1, text="text", id="id", **fields)  # type: ignore[arg-type]
        found, expected = InProcess(settings, 3).run(table), by_scan(table, settings)
        assert without_numbers(found.members) == without_numbers(expected.members)
        assert len(without_numbers(found.members)) == 3
