"""Corpora have the evaluation texts where their truth names them, and the others nowhere."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from lab.corpora.leak_texts import RUN, runs
from lab.corpora.leaks import (
    AS_IS,
    CHANGED,
    EMBEDDED,
    LEAKS,
    TEMPLATE,
    TOPIC,
    WRAPPED,
    LeakCorpus,
    write_leaks,
)

COUNT, CONTROLS, MEGABYTES = 40, 8, 1.5


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> LeakCorpus:
    return written(tmp_path_factory.mktemp("leaks"))


def written(folder: Path, seed: int = 43) -> LeakCorpus:
    return write_leaks(folder, MEGABYTES, seed, count=COUNT, controls=CONTROLS, real=False)


def records(path: Path) -> dict[str, str]:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert all(set(line) == {"id", "text"} for line in lines)
    found = {line["id"]: line["text"] for line in lines}
    assert len(found) == len(lines)
    return found


def asked(made: LeakCorpus) -> dict[str, str]:
    return {name: text for path in made.evaluations for name, text in records(path).items()}


def bare(text: str) -> str:
    return "".join(text.split())


def test_a_seed_makes_the_same_files(made: LeakCorpus, tmp_path: Path) -> None:
    again = written(tmp_path / "again")
    for one, other in zip(
        [*made.evaluations, made.corpus], [*again.evaluations, again.corpus], strict=True
    ):
        assert one.read_bytes() == other.read_bytes()
    assert again.truth == made.truth
    assert again.controls == made.controls
    assert written(tmp_path / "other", 1).corpus.read_bytes() != made.corpus.read_bytes()


def test_records_have_what_is_planted_in_them(made: LeakCorpus) -> None:
    texts, pages = asked(made), records(made.corpus)
    for one in made.truth:
        text, page = texts[one.evaluation], pages[one.record]
        if one.kind == AS_IS:
            assert page == text
        elif one.kind in (WRAPPED, EMBEDDED):
            assert bare(text) in bare(page)
            assert text not in page or "\n" not in text
            assert not page.startswith(text[:20])
        elif one.kind == CHANGED:
            assert bare(text) not in bare(page)


def shares(made: LeakCorpus) -> dict[tuple[str, str], float]:
    """The share of each evaluation text that a record has, in runs of 15 characters."""
    texts = {name: bare(text) for name, text in asked(made).items()}
    places = defaultdict(list)
    for name, text in texts.items():
        for place, one in enumerate(runs(text)):
            places[one].append((name, place))
    found = {}
    for record, page in records(made.corpus).items():
        covered = defaultdict[str, set[int]](set)
        for one in set(runs(page)):
            for name, place in places.get(one, ()):
                covered[name].update(range(place, place + RUN))
        for name, some in covered.items():
            found[name, record] = len(some) / len(texts[name])
    return found


def test_leaks_are_leaks_and_nothing_else_is(made: LeakCorpus) -> None:
    kinds = {(one.evaluation, one.record): one.kind for one in made.truth}
    found = shares(made)
    for pair, kind in kinds.items():
        if kind in LEAKS:
            assert found[pair] > 0.6
    for pair, share in found.items():
        if kinds.get(pair) not in LEAKS:
            assert share < 0.5


def test_instructions_are_around_all_texts(made: LeakCorpus, tmp_path: Path) -> None:
    again = write_leaks(tmp_path, MEGABYTES, 43, count=COUNT, controls=CONTROLS, real=False,
                        instructed=True)  # fmt: skip
    texts, pages = asked(again), records(again.corpus)
    for name, text in asked(made).items():
        before, _, behind = texts[name].partition(text)
        assert min(len(before), len(behind)) > 20
    for one in again.truth:
        assert (pages[one.record] == texts[one.evaluation]) == (one.kind == AS_IS)
        if one.kind in (WRAPPED, EMBEDDED, CHANGED):
            assert bare(texts[one.evaluation])[:30] not in bare(pages[one.record])


def test_the_texts_of_controls_are_nowhere(made: LeakCorpus) -> None:
    planted = {one.evaluation for one in made.truth if one.kind not in (TEMPLATE, TOPIC)}
    assert made.controls.isdisjoint(planted)
    assert made.controls < set(asked(made))
