"""When an evaluation text is leaked, and how many of a file are."""

import pytest

from simdup import LeakCriteria, PassageCriteria, SimdupError
from simdup.show.leak_output import LeakRate


@pytest.mark.parametrize(("field", "value"), [
    ("share", 0), ("share", 1.01), ("share", -1), ("share", float("nan")), ("min_run", 1),
    ("min_run", 1001), ("gap", -1), ("common", 0),
])  # fmt: skip
def test_a_value_without_sense_names_its_field(field: str, value: float) -> None:
    with pytest.raises(SimdupError, match=f"^{field}: invalid value") as raised:
        LeakCriteria(**{field: value})
    assert raised.value.field == field


def test_a_share_is_a_number() -> None:
    with pytest.raises(TypeError, match=r"^share: expected a number, got str"):
        LeakCriteria(share="0.5")  # type: ignore[arg-type]


def test_a_single_run_is_a_passage() -> None:
    assert LeakCriteria(min_run=20, gap=3, common=7).passages == PassageCriteria(20, 0, 20, 1000)
    assert LeakCriteria(common=2000).passages.common == 2000
    assert LeakCriteria().min_run == PassageCriteria().min_run


def test_a_rate_is_the_share_of_the_texts() -> None:
    assert LeakRate("a.jsonl", 8, 2, 0, 0).rate == 0.25


@pytest.mark.parametrize(("texts", "most"), [
    (1, 5), (119, 5), (120, 6), (90_000, 4500)
])  # fmt: skip
def test_more_texts_may_share_text_of_a_larger_file(texts: int, most: int) -> None:
    assert LeakCriteria().most_texts(texts) == most
    assert LeakCriteria(common=3).most_texts(texts) == 3
