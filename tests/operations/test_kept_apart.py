"""How many pairs of short texts a fact keeps apart, in a scan and by definition."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simdup import scan
from simdup.corpus import batches, lines
from simdup.near.batch_reader import Seen
from simdup.text.characters import fold
from simdup.text.differing_facts import restate

FRAMES = [
    "第{}期活动报名开始了，请大家在群里接龙报名",
    "明天{}在二楼会议室开会，请大家准时参加，谢谢配合与支持",
]
VALUES = {0: ["一", "2", "3"], 1: ["下午3点", "15:00", "16:00"]}

made = st.tuples(st.integers(0, 1), st.integers(0, 2)).map(
    lambda p: FRAMES[p[0]].format(VALUES[p[0]][p[1]])
)


@given(st.lists(made, max_size=8))
def test_pairs_are_counted_as_all_pairs_are(texts: list[str]) -> None:
    distinct = [restate([fold(text)])[0] for text in dict.fromkeys(texts)]
    expected = Counter(
        a.kind or "several"
        for a, b in combinations(distinct, 2)
        if a.frame == b.frame and a.key != b.key
    )
    assert scan(enumerate(texts), jobs=1).summary.kept_apart == dict(expected.most_common())


def test_what_was_measured_is_counted_too() -> None:
    texts = ["请大家在群里发广告，谢谢配合与理解", "请大家不要在群里发广告，谢谢配合与理解"]
    assert scan(enumerate(texts), jobs=1).summary.kept_apart == {"negation": 1}


def test_fingerprints_alone_count_nothing() -> None:
    texts = ["第1期活动报名开始了，请大家报名", "第2期活动报名开始了，请大家报名"]
    assert not scan(enumerate(texts), verify=False, jobs=1).summary.kept_apart


def test_a_text_that_two_processes_meet_first_is_counted_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Each batch is read as if no other process had met its texts yet.
    monkeypatch.setattr(Seen, "__contains__", lambda self, digest: False)
    for module in (lines, batches):
        monkeypatch.setattr(module, "BATCH_BYTES", 1)
    texts = [FRAMES[0].format(value) for value in ["一", "2", "2", "一", "3"]]
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    assert scan(file, jobs=1).summary.kept_apart == {"number": 3}
