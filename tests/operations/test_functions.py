"""The functions for Python users: what they take, return and refuse."""

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import Command

import simdup as package
from lab.corpora.made import near, prose, write
from simdup import Recipe, SimdupError, evaluate, fingerprint, fit, scan
from simdup.model.criteria import CriteriaFields
from simdup.model.shared_passages import PassageFields

TEXTS = [("a", prose(1)), ("b", near(prose(1))), ("c", prose(2)), ("d", prose(1)), ("e", prose(3))]
VERBS: list[Callable[..., Any]] = [
    package.scan, package.dedupe, package.fit, package.passages,
]  # fmt: skip
# True and false are what Python says of any value.
SWITCHES = ("verify", "all_pairs", "force")


def arguments() -> Iterator[tuple[Callable[..., Any], str]]:
    for verb in VERBS:
        named = inspect.signature(verb).parameters.values()
        names = [one.name for one in named if one.kind is not one.VAR_KEYWORD]
        if "fields" in inspect.signature(verb).parameters:
            fields = PassageFields if verb is package.passages else CriteriaFields
            names += fields.__annotations__
        yield from ((verb, name) for name in names if name not in (*SWITCHES, "data"))


@pytest.mark.parametrize(
    ("verb", "name"), list(arguments()), ids=lambda one: getattr(one, "__name__", one)
)
def test_errors_name_the_argument(verb: Callable[..., Any], name: str) -> None:
    for wrong in (object(), -1, 1.5):
        with pytest.raises((ValueError, TypeError), match=name):
            verb(TEXTS, **{name: wrong})
    with pytest.raises(TypeError, match="similarty"):
        verb(TEXTS, similarty=0.9)


@pytest.mark.parametrize(
    "name", ["tokens", "weight", "idf", "min_df", "top", "cap", "bits", "hash"]
)
def test_errors_name_the_field_of_a_recipe(name: str) -> None:
    with pytest.raises((ValueError, TypeError), match=name):
        Recipe(**{name: object()})  # type: ignore[arg-type]


def test_one_pattern_is_a_pattern() -> None:
    (cluster,) = scan(TEXTS, prefer="d").clusters  # type: ignore[arg-type]
    assert cluster.members[0].name == "d"


def test_a_model_of_a_corpus(tmp_path: Path) -> None:
    fitted = fit(TEXTS)
    assert fitted.model.documents == 5
    fitted.save(tmp_path / "m.idf")
    assert (tmp_path / "m.idf").read_bytes() == fitted.content
    assert fingerprint(prose(1), Recipe(idf=str(tmp_path / "m.idf"))) is not None
    with pytest.raises(SimdupError, match="no such folder"):
        fitted.save(tmp_path / "missing" / "m.idf")


def test_a_result_is_evaluated_as_its_file(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {f"in/{name}.txt": text for name, text in TEXTS})
    write(tmp_path, {"truth.csv": "a,b\na,b\na,d\nc,e\n"})
    assert simdup("scan", "in", "-o", "found.jsonl").status == 0
    found, truth = scan("in"), tmp_path / "truth.csv"
    from_file = evaluate("found.jsonl", truth)
    assert evaluate(found, truth) == from_file
    pairs = [(f"in/{a}.txt", f"in/{b}.txt") for a, b in ("ab", "ad", "ce")]
    assert evaluate(found, pairs) == from_file
    assert evaluate(found, iter(pairs)) == from_file
    assert (from_file.precision, from_file.recall) == (2 / 3, 2 / 3), "b and d pair as a and b do"
    assert evaluate(found, found).f1 == 1


def test_ids_are_compared_as_strings() -> None:
    assert evaluate([(1, 2), (3, 4)], [("2", "1")]).precision == 0.5


@pytest.mark.parametrize("wrong", [5, ["ab", "cd"], [("a",)], [5]])
def test_what_is_evaluated_is_pairs(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"found: expected a path, a Result or pairs of ids"):
        evaluate(wrong, [("a", "b")])
    with pytest.raises(TypeError, match=r"truth: expected"):
        evaluate([("a", "b")], wrong)


def test_evaluating_what_has_nothing_in_common() -> None:
    with pytest.raises(SimdupError, match="names no document of FOUND"):
        evaluate([("a", "b")], [("c", "d")])
    with pytest.raises(SimdupError, match="least_score"):
        evaluate([("a", "b")], [("a", "b")], least_score=0.5)
    assert evaluate([], [("c", "d")]).recall == 0
