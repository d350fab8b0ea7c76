"""`strip`: what expressions match is removed from texts before anything else."""

import json
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given
from support import Command, environment, examples

from lab.corpora.made import near, prose, write
from simdup import Index, Recipe, Result, SimdupError, compare, fingerprint, scan
from simdup.text import stripping
from simdup.text.stripping import strip_texts

FOOT = "^Copyright .*$"


def figures(found: Result) -> object:
    """Everything but the recipe and the time."""
    return found.clusters, found.pairs, found.labels.tolist(), found.summary.checked


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.text("ab 1\n", max_size=30)), max_size=8
    ),
    st.lists(
        st.sampled_from(["[ab]+", "^.*1$", "a*", "河.", r"(?s)\n.", "。", "(?i)HARBOUR"]),
        max_size=3,
    ),
)
@examples(15)
def test_a_scan_that_strips_is_a_scan_of_stripped_texts(
    texts: list[tuple[int, int, str]], strip: list[str]
) -> None:
    whole = [more + prose(seed, 40) * (seed > 0) + more * copies for seed, copies, more in texts]
    bare = whole
    for expression in strip:
        bare = [re.sub(expression, "", text, flags=re.MULTILINE) for text in bare]
    found = scan(enumerate(whole), Recipe(strip=tuple(strip)), jobs=1)
    expected = scan(enumerate(bare), jobs=1)
    assert figures(found) == figures(expected)
    assert [one.document for one in found.skipped] == [one.document for one in expected.skipped]


def test_texts_that_differ_in_stripped_parts_only_are_identical(
    simdup: Command, tmp_path: Path
) -> None:
    write(
        tmp_path / "c", {f"{n}.txt": f"Copyright {n} {prose(n, 9)}\n{prose(9)}" for n in range(3)}
    )
    for jobs in ("1", "2"):
        ran = simdup("scan", "c", "--strip", "^Copyright (.|\n)*?。\n", "-f", "csv", "-j", jobs)
        figures = [line.split(",")[4:6] for line in ran.lines[1:]]
        assert figures == [["", ""], ["0", "1.0000"], ["0", "1.0000"]]


def test_what_nothing_is_left_of_is_skipped(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.txt": "Copyright me", "b.txt": "", "d.txt": prose(1)})
    ran = simdup("scan", "c", "--strip", FOOT)
    assert "2 skipped (1 empty after --strip, 1 empty)" in ran.err
    ran = simdup("scan", "c/a.txt", "c/d.txt", "--strip", FOOT)
    assert (ran.status, ran.err.splitlines()[0]) == (2, "simdup: c/a.txt: empty after --strip")
    ran = simdup("compare", "c/a.txt", "c/d.txt", "--strip", FOOT)
    assert (ran.status, ran.err) == (2, "simdup: c/a.txt: empty after --strip\n")
    # Everything, and nothing.
    assert scan({"a": prose(1)}, Recipe(strip=(r"(?s).*",))).summary.documents == 0
    assert scan({"a": prose(1)}, Recipe(strip=("x*",))).summary.documents == 1


@pytest.mark.parametrize(
    "command", ["scan", "fingerprint", "fingerprint --recipe default,idf=builtin", "fit -o m"]
)
def test_an_expression_without_a_match_is_noted(
    simdup: Command, tmp_path: Path, command: str
) -> None:
    write(tmp_path / "c", {"a.txt": "Copyright me\n" + prose(1), "b.txt": prose(2)})
    ran = simdup(
        *command.split(), "c", "--strip", FOOT, "--strip", "^\x1bCopyrigth", "--strip", "y*"
    )
    assert ran.status == 0
    notes = [line for line in ran.err.splitlines() if line.startswith("simdup: ")]
    assert notes == [r"simdup: --strip: nothing matches '^\x1bCopyrigth'"]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("(a", "invalid expression '(a': missing ), unterminated subpattern at position 0"),
        ("a\n[", r"invalid expression 'a\n[': unterminated character set at position 2"),
        ("a{99999999999}", "invalid expression 'a{99999999999}': the repetition number is too"),
        ("(" * 4000 + ")" * 4000, "invalid expression"),
        ("\x1b[2J(", r"invalid expression '\x1b[2J(': "),
    ],
)
def test_a_faulty_expression_is_one_line(
    simdup: Command, tmp_path: Path, expression: str, said: str
) -> None:
    write(tmp_path / "c", {"a.txt": prose(1)})
    ran = simdup("scan", "c", "--strip", expression)
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert ran.err.startswith(f"simdup: --strip: {said}")
    with pytest.raises(SimdupError, match="invalid expression") as caught:
        Recipe(strip=("b", expression))
    assert caught.value.field == "strip"


def test_a_single_expression_is_taken_as_one_and_other_types_are_refused() -> None:
    assert Recipe(strip="a+") == Recipe(strip=["a+"]) == Recipe(strip=("a+",))  # type: ignore[arg-type]
    wrong: Iterable[object] = (3, [3], None)
    for value in wrong:
        with pytest.raises(TypeError, match="strip: expected"):
            Recipe(strip=value)  # type: ignore[arg-type]


def test_a_recipe_without_it_has_the_digest_that_it_had(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.txt": prose(1)})
    assert simdup("fingerprint", "c").lines[0] == "# simdup 1 recipe=4e031589caa2 bits=64"
    heads = {simdup("fingerprint", "c", "--strip", one).lines[0] for one in ("a", "b", "ab")}
    assert len(heads) == 3


def test_compare_and_fingerprint_strip(simdup: Command, tmp_path: Path) -> None:
    a, b = f"Copyright A\n{prose(1)}", f"{prose(1)}\nCopyright B {prose(2)[:20]}"
    recipe = Recipe(strip=(FOOT,))
    assert compare(a, b, recipe).identical
    assert fingerprint(a, recipe) == fingerprint(prose(1))
    write(tmp_path, {"a.txt": a, "b.txt": b.replace("老人", "农夫")})
    ran = simdup("compare", "a.txt", "b.txt", "--strip", FOOT, "--diff", "-f", "jsonl")
    # Offsets are those of the stripped texts.
    spans = json.loads(ran.text)["diff"]
    assert spans[-1]["a"][1] == len(prose(1)) + 1
    assert "Copyright" not in simdup("compare", "a.txt", "b.txt", "--strip", FOOT, "--diff").text


def test_a_page_has_the_texts_without_it(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {f"{n}.txt": f"Copyright me{n}\n{near(prose(1)) * n}" for n in (1, 2)})
    assert simdup("scan", "c", "--strip", FOOT, "--containment", "0.9", "-o", "r.html").status == 0


# What takes too long.


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Expressions are given up after a fifth of a second."""
    monkeypatch.setattr(stripping, "MOST_SECONDS", 0.2)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_expression_in_exponential_time_is_named_and_ends_the_run(
    simdup: Command, tmp_path: Path, jobs: str, request: pytest.FixtureRequest
) -> None:
    """Earlier, a configuration of a parent folder could stop a run for ever."""
    seconds = "5"
    if jobs == "2":  # once with the limit that users have is enough
        request.getfixturevalue("impatient")
        seconds = "0.2"
    strip = "strip = ['^Copyright .*$', '(a|aa)+$']\n"
    write(tmp_path, {"simdup.toml": strip, "c/a.txt": prose(1), "c/b.txt": "a" * 40 + "b"})
    ran = simdup("scan", "c", "-j", jobs)
    limit = f"{seconds} seconds of processor time, or too much memory"
    assert (ran.status, ran.out, ran.err.splitlines()) == (2, b"", [
        f"simdup: simdup.toml: strip: '(a|aa)+$' takes more than {limit}, on c/b.txt",
        "hint: simplify it, such as (a|aa)+ to a+",
    ])  # fmt: skip


@pytest.mark.usefixtures("impatient")
def test_every_function_names_what_takes_too_long() -> None:
    """Also of a thread, where no signal reaches Python."""
    slow, recipe = "a" * 40 + "b", Recipe(strip=("x", "(?:a|aa)+$"))
    for call, name in (
        (lambda: fingerprint(slow, recipe), "text"),
        (lambda: compare(prose(1), slow, recipe), "text_b"),
        (lambda: scan({"a": prose(1), "b": slow}, recipe, jobs=1), "b"),
    ):
        with ThreadPoolExecutor(1) as pool, pytest.raises(SimdupError) as caught:
            pool.submit(call).result()
        assert str(caught.value).endswith(f"memory, on {name}")
        assert "'(?:a|aa)+$' takes" in str(caught.value)


@pytest.mark.usefixtures("impatient")
def test_all_expressions_of_a_text_share_its_time() -> None:
    slow = [f"(?:a|aa){{{n},}}$" for n in range(1, 100)]
    started = time.process_time()
    with pytest.raises(SimdupError, match="takes more than"):
        strip_texts(["a" * 24 + "b"], slow, ["text"])
    assert time.process_time() - started < 3


def left_by_re(text: str, strip: Iterable[str]) -> tuple[str, set[str]]:
    """What `re` leaves of a text, and the expressions that matched something."""
    left, matched = re.sub("\r\n?", "\n", text), set[str]()
    for expression in strip:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            left, count = re.subn(expression, "", left, flags=re.MULTILINE)
        matched |= {expression} if count else set()
    return left, matched


# Characters that Python's Unicode knows; the library may know more.
ODD = "ab1_ \n\x1c\u0301²字[]{e}:"
CHARACTERS = st.characters(exclude_categories=("Cn",)) | st.sampled_from(ODD)


@given(
    st.text(CHARACTERS, max_size=20),
    st.lists(st.sampled_from(["a*", r"\w+", r"\b.", "\ud800", "(?i)ß|ſ", "$", r"(?<!\s)."])),
)
@examples(50)
def test_texts_come_back_as_re_leaves_them(text: str, strip: list[str]) -> None:
    expected, matched = left_by_re(text, strip)
    found_in = set[str]()
    left = strip_texts([text, ""], strip, "ab", found_in)
    assert left[0] == (expected if strip else text)
    assert found_in >= matched


# What another library could read in another way.
PARTS = [
    r"\w", r"\W", r"\s", r"\S", r"\d", r"\D", r"\b", r"\B", r"[^\W\d]", r"[\s\S]", r"[^\S\n]",
    r"[\W\d]", "[[:alpha:]]", "[^[a]", "[]a]", "[^]b]", "[a&&b]", "[a~~b]", r"[\b\]]", "a{e}",
    "b{i<=1}", "{", "}", "a{,}", "a{,2}", "a{1,2}+", "a*+", "(?>a|ab)", "(?:a|ab)??", "(?#[)",
    r"\N{DIGIT ONE}", "(?i:A)", "(?s:.)", "(a)?", "^", "$", ".", r"\Z", "#[", "é", "[a-c]", " ",
]  # fmt: skip


@given(
    st.sampled_from(["", "(?i)", "(?s)", "(?a)", "(?x)"]),
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=5),
    st.lists(st.text(CHARACTERS, max_size=12), min_size=3, max_size=3),
)
@examples(200)
def test_an_expression_means_what_it_means_for_re(
    flags: str, parts: list[str], texts: list[str]
) -> None:
    expression = flags + "".join(parts)
    # In any case, these are i for `re` alone.
    texts = [re.sub("[ıİ]", "", text) for text in texts]
    try:
        expected = [left_by_re(text, [expression])[0] for text in texts]
    except re.error:
        return
    assert strip_texts(texts, [expression], texts) == expected


def test_what_the_library_alone_reads_is_refused(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1)})
    for expression in (r"\p{L}", r"(?R)", r"(?<=a+)b"):
        ran = simdup("scan", "c", "--strip", expression)
        assert (ran.status, ran.err.count("\n")) == (2, 1)
        assert ran.err.startswith(f"simdup: --strip: invalid expression {expression!r}: ")


def test_expressions_have_a_limit(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1)})
    ran = simdup("scan", "c", "--strip", "a" * 6_000, "--strip", "b" * 4_001)
    said = "simdup: --strip: the expressions have more than 10,000 characters in all\n"
    assert (ran.status, ran.err) == (2, said)


def test_only_runs_that_strip_import_the_library(tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1)})
    script = "import sys; from simdup import *; scan('c', {}jobs=1); print(*sys.modules)"
    for recipe, imported in (("", False), ("Recipe(strip='x'), ", True)):
        done = subprocess.run(
            [sys.executable, "-c", script.format(recipe)],
            cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert ("regex" in done.stdout.split()) == imported


# Indexes.


@pytest.mark.usefixtures("impatient")
def test_an_index_with_such_an_expression_ends_too(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"k/a.txt": prose(1), "c/b.txt": "a" * 40 + "b"})
    assert simdup("index", "build", "i", "k", "--strip", "(a|aa)+$").status == 0
    ran = simdup("query", "i", "c")
    assert ran.status == 2
    assert "'(a|aa)+$' takes more than 0.2 seconds of processor time" in ran.err


def test_an_index_keeps_it_and_asks_for_the_same(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"k/a.txt": f"Copyright 1\n{prose(1)}", "c/b.txt": f"{prose(1)}\nCopyright 2"})
    assert simdup("index", "build", "i", "k", "--strip", FOOT).status == 0
    assert "strip '^Copyright .*$'" in simdup("index", "info", "i").text
    found = simdup("query", "i", "c", "-f", "csv").lines[1].split(",")
    assert found[:2] == ["c/b.txt", "k/a.txt"]
    # What changed in stripped parts only did not change.
    write(tmp_path, {"k/a.txt": f"Copyright 3\n{prose(1)}"})
    assert "1 unchanged" in simdup("index", "add", "i", "k").err
    ran = simdup("query", "i", "c", "--strip", "x")
    assert ran.err.startswith(
        "simdup: i: another recipe: --strip 'x' was requested, but the index has '^Copyright .*$'\n"
    )
    ran = simdup("scan", "c", "--reference", "i", "--list", "redundant")
    assert ran.lines == ["c/b.txt"]
    with Index.open("i") as index:
        assert index.recipe["strip"] == ["^Copyright .*$"]
    assert simdup("index", "build", "j", "k").status == 0
    ran = simdup("query", "j", "c", "--strip", "x")
    assert "--strip 'x' was requested, but the index has none" in ran.err


def test_a_model_may_be_learned_without_boilerplate(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": f"Copyright 1\n{prose(1)}", "c/b.txt": f"Copyright 2\n{prose(2)}"})
    assert simdup("fit", "c", "--strip", FOOT, "-o", "stripped").status == 0
    assert simdup("fit", "c", "-o", "whole").status == 0
    for model in ("stripped", "whole"):
        assert (
            simdup("fingerprint", "c", "--strip", FOOT, "--recipe", f"default,idf={model}").status
            == 0
        )
