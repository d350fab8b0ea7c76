"""Corpora have the evaluation texts where their truth names them, and the others nowhere."""

import json
import re
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from pathlib import Path
from random import Random

import pytest

from lab.corpora.facts import CHINESE, ENGLISH, LANGUAGES
from lab.corpora.leak_texts import LENGTHS, RUN, TYPES, runs
from lab.corpora.leaks import (
    AS_IS,
    CHANGED,
    DECOYS,
    EMBEDDED,
    LEAKS,
    PART,
    TEMPLATE,
    TOPIC,
    WRAPPED,
    LeakCorpus,
    changed,
    evaluations,
    wrapped,
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


def test_there_are_so_many_of_each(made: LeakCorpus) -> None:
    assert len(made.evaluations) == 3
    assert len(asked(made)) == COUNT + CONTROLS
    assert len(made.controls) == CONTROLS
    counts = Counter(one.kind for one in made.truth)
    assert {kind: counts[kind] for kind in LEAKS} == dict.fromkeys(LEAKS, COUNT)
    assert all(counts[kind] for kind in DECOYS)
    pairs = {(one.evaluation, one.kind) for one in made.truth}
    assert len(pairs) == len(made.truth)
    assert MEGABYTES <= made.corpus.stat().st_size / 1e6 < MEGABYTES + 0.1


def test_evaluation_texts_are_of_every_type() -> None:
    texts = evaluations(80)
    assert Counter(one.type for one in texts) == dict.fromkeys(TYPES, 20)
    assert Counter(one.language for one in texts) == dict.fromkeys(LANGUAGES, 40)
    assert all(LENGTHS[0] <= len(one.text) <= LENGTHS[1] for one in texts)
    assert len({one.id for one in texts}) == 80
    assert evaluations(80) == texts


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


def test_decoys_look_like_leaks(made: LeakCorpus) -> None:
    texts, pages = asked(made), records(made.corpus)
    for one in made.truth:
        text, page = texts[one.evaluation], pages[one.record]
        match = SequenceMatcher(None, bare(text), bare(page), autojunk=False)
        longest = match.find_longest_match().size
        if one.kind == PART:
            assert 0.1 * len(text) < longest < 0.4 * len(text)
        elif one.kind == TOPIC:
            assert longest >= 5
        elif one.kind == TEMPLATE:
            assert longest >= 3


def test_the_texts_of_controls_are_nowhere(made: LeakCorpus) -> None:
    planted = {one.evaluation for one in made.truth if one.kind not in (TEMPLATE, TOPIC)}
    assert made.controls.isdisjoint(planted)
    assert made.controls < set(asked(made))


def test_lines_have_eight_words() -> None:
    text = "One two, three\nfour  five (six) seven eight nine ten"
    assert wrapped(text) == "One two, three four five (six) seven eight\nnine ten"
    lines = wrapped("所谓大数据，并不只是数量很大的数据，还要看它的来源。").split("\n")
    assert len(re.findall(r"[\u4e00-\u9fff]", lines[0])) <= 16
    assert bare("".join(lines)) == "所谓大数据，并不只是数量很大的数据，还要看它的来源。"


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_word_in_twenty_is_changed(language: str) -> None:
    text = {ENGLISH: "apple pears " * 50, CHINESE: "苹果梨子" * 50}[language]
    words = re.findall(r"\w{2}|\w+" if language == CHINESE else r"\w+", text)
    other = changed(text, language, Random(3))
    found = re.findall(r"苹果|梨子" if language == CHINESE else r"\bapple\b|\bpears\b", other)
    assert len(words) - len(found) == len(words) // 20
