"""What files of earlier versions hold still means the same; docs/compatibility.md promises it."""

import hashlib
import json
import shutil
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, Command

from lab.corpora.made import prose, write
from simdup import Index, SimdupError
from simdup.corpus.decision_files import read_baseline
from simdup.corpus.fingerprint_lines import read_lines
from simdup.corpus.found_pairs import read_population
from simdup.model.recipe import Recipe
from simdup.text.characters import fold_all
from simdup.text.tokens import tokenizer
from simdup.text.weights import read_model

GOLDEN = ROOT / "tests" / "golden"
VERSIONS = sorted(path.name for path in GOLDEN.iterdir() if (path / "texts.list").exists())
RECIPES = {
    (version, name): options.split()
    for version in VERSIONS
    for line in (GOLDEN / version / "recipes.txt").read_text("utf-8").splitlines()
    for name, _, options in [line.partition(":")]
}
ALL = ("--config", "none", "-q", "--files-from", "texts.list")
# Two pages that contradict each other: 10 mg and 20mg.
PAGES = ("--config", "none", "-q", "texts/en-night.txt", "texts/en-ward.txt")
# What a run says about itself.
_OF_THE_RUN = {"seconds", "simdup", "checked"}


@pytest.fixture(params=VERSIONS)
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of what a version wrote, in the working folder of `simdup`."""
    return shutil.copytree(GOLDEN / request.param, tmp_path, dirs_exist_ok=True)


# -- fingerprints ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("version", "name"), RECIPES)
def test_a_recipe_gives_the_same_fingerprints(
    version: str, name: str, simdup: Command, tmp_path: Path
) -> None:
    shutil.copytree(GOLDEN / version, tmp_path, dirs_exist_ok=True)
    ran = simdup("fingerprint", *ALL, *RECIPES[version, name])
    assert ran.status == 0
    assert ran.text == (GOLDEN / version / "fingerprints" / f"{name}.txt").read_text("utf-8")


def test_lines_give_the_same_pairs(simdup: Command, golden: Path) -> None:
    ran = simdup("pairs", "-q", "fingerprints/default.txt", "-d", "16")
    assert ran.text == (golden / "pairs.txt").read_text("utf-8")


def test_a_model_that_is_fitted_now_is_the_same(simdup: Command, golden: Path) -> None:
    assert simdup("fit", *ALL, "-o", "now.idf").status == 0
    assert (golden / "now.idf").read_bytes() == (golden / "words.idf").read_bytes()


def test_characters_of_unicode_14_fold_and_part_words_alike_in_every_python() -> None:
    """Later ones are as the Python has them: its Unicode is from 14 (3.11) to 16 (3.14)."""
    recorded = (GOLDEN / "unicode-14.txt").read_text("ascii")
    spans = (line.split()[0].split("-") for line in recorded.splitlines()[1:])
    codes = [code for first, last in spans for code in range(int(first, 16), int(last, 16) + 1)]
    assert _characters(codes) == recorded
    if unicodedata.unidata_version == "14.0.0":
        assigned = (c for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs"))
        assert codes == list(assigned)


def _characters(codes: Iterable[int]) -> str:
    """Return a digest of how characters fold, and which are in a word, a word, or between words."""
    characters = list(map(chr, codes))
    forms = fold_all([text for c in characters for text in (c, f"e{c}", f"{c}e")])
    digest = hashlib.sha256("\0".join(forms).encode()).hexdigest()
    counts = tokenizer(Recipe())([f"e{c}e" for c in characters]).sizes.tolist()
    kinds = {1: "in a word", 2: "between words", 3: "a word"}
    lines = [f"# folded: {digest}\n"]
    numbered = enumerate(zip(map(ord, characters), counts, strict=True))
    for (_, count), run in groupby(numbered, lambda one: (one[1][0] - one[0], one[1][1])):
        spans = [code for _, (code, _) in run]
        lines.append(f"{spans[0]:04X}-{spans[-1]:04X} {kinds[count]}\n")
    return "".join(lines)


# -- indexes ---------------------------------------------------------------------------------------


def test_an_index_answers_as_it_did_and_takes_more(simdup: Command, golden: Path) -> None:
    assert simdup("index", "check", "seen.index").status == 0
    ran = simdup("query", "seen.index", *ALL, "-d", "16", "-s", "0.3", "-f", "jsonl")
    assert ran.status == 0
    _assert_holds(_lines(golden / "query.jsonl"), ran.lines)

    write(golden, {"more/prose.txt": prose(1)})
    known = golden / "texts" / "zh-metro.txt"
    shutil.copy(known, golden / "more")
    assert simdup("index", "add", "seen.index", "more", "-q").status == 0
    assert simdup("index", "check", "seen.index").status == 0
    ran = simdup("query", "seen.index", "more/zh-metro.txt", "-q", "-f", "csv")
    assert {line.split(",")[1] for line in ran.lines[1:]} == {
        "more/zh-metro.txt", "texts/zh-metro.txt", "texts/zh-metro-reprint.txt",
    }  # fmt: skip
    ran = simdup("index", "remove", "seen.index", "texts/zh-metro.txt", "-q")
    assert (ran.status, simdup("index", "check", "seen.index").status) == (0, 0)


def test_an_index_of_passages_finds_them_and_takes_more(simdup: Command, golden: Path) -> None:
    assert simdup("index", "check", "passages.index").status == 0
    ran = simdup("passages", *ALL, "--reference", "passages.index", "-f", "csv")
    assert ran.text == (golden / "passages.csv").read_text("utf-8")

    write(golden, {"new.txt": prose(1), "asked.txt": prose(1)})
    assert simdup("index", "add", "passages.index", "new.txt", "-q").status == 0
    ran = simdup("passages", "asked.txt", "--reference", "passages.index", "-q", "-f", "csv")
    assert [line.split(",")[3] for line in ran.lines[1:]] == ["new.txt"]


# -- results, and what runs are told ---------------------------------------------------------------


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def _assert_holds(earlier: list[str], now: list[str]) -> None:
    """Every line of JSON has all that it had, in the same order; there may be more of it."""
    assert len(earlier) == len(now)
    for one, other in zip(map(json.loads, earlier), map(json.loads, now), strict=True):
        _holds(one, other, one["type"])


def _holds(earlier: Any, now: Any, where: str) -> None:
    if isinstance(earlier, dict):
        for key in earlier.keys() - _OF_THE_RUN:
            assert key in now, f"{where} lacks {key}"
            _holds(earlier[key], now[key], f"{where}, {key}")
    elif isinstance(earlier, list):
        assert len(earlier) == len(now), where
        for one, other in zip(earlier, now, strict=True):
            _holds(one, other, where)
    else:
        assert now == earlier, where


SCAN = ("--containment", "0.1", "-s", "0.5")


def test_results_have_all_that_they_had(simdup: Command, golden: Path) -> None:
    ran = simdup("scan", *ALL, *SCAN, "-f", "jsonl")
    _assert_holds(_lines(golden / "scan.jsonl"), ran.lines)
    ran = simdup("conflicts", *PAGES, "-f", "jsonl")
    _assert_holds(_lines(golden / "conflicts.jsonl"), ran.lines)
    ran = simdup("scan", *ALL, *SCAN, "-f", "csv")
    for earlier, now in zip(_lines(golden / "scan.csv"), ran.lines, strict=True):
        assert f"{now},".startswith(f"{earlier},")


@pytest.mark.parametrize("found", ["scan.csv", "scan.jsonl"])
def test_results_can_be_read(found: str, simdup: Command, golden: Path) -> None:
    assert simdup("evaluate", found, "scan.jsonl", "-q").status == 0
    ran = simdup("evaluate", found, "--judged", "judged.jsonl", "-f", "jsonl")
    figures = json.loads(ran.lines[-1])
    assert (figures["duplicates"], figures["distinct"], figures["not_drawn"]) == (1, 1, 0)


def test_decisions_have_their_effect(simdup: Command, golden: Path) -> None:
    ran = simdup("scan", *ALL, "--decisions", "decisions.jsonl", "-f", "csv")
    roles = {name: role for _, role, name, *_ in (line.split(",") for line in ran.lines)}
    assert roles["texts/zh-water-utf8.txt"] == "kept"
    assert roles["texts/zh-water-gbk.txt"] == "redundant"
    assert not {"texts/en-bees.txt", "texts/en-bees-edited.txt"} & roles.keys()


@pytest.mark.parametrize(
    "check",
    [("scan", *ALL, "--baseline", "known.txt"),
     ("conflicts", *PAGES, "--baseline", "known-conflicts.txt")],
    ids=lambda check: check[0],
)  # fmt: skip
def test_what_a_baseline_has_is_known(
    check: tuple[str, ...], simdup: Command, golden: Path
) -> None:
    assert simdup(*check[:-2], "--check").status == 1
    assert simdup(*check, "--check").status == 0
    page = (golden / "texts" / "en-night.txt").read_text("utf-8")
    write(golden, {"copy.txt": page.replace("10 mg", "90 mg")})
    assert simdup(*check, "copy.txt", "--check").status == 1


def test_a_configuration_is_followed(simdup: Command, golden: Path) -> None:
    ran = simdup("scan", "--files-from", "texts.list", "--config", "settings.toml", "-f", "csv")
    kept = {line.split(",")[2] for line in ran.lines if ",kept," in line}
    assert kept >= {"texts/short-b.txt"}  # the longest
    assert "texts/en-bees.txt" not in ran.text  # similarity = 0.99


# -- files of a later version ----------------------------------------------------------------------


def _later(folder: Path) -> Iterator[tuple[Any, Path]]:
    """Yield files of a format that is not known yet, each with what reads it."""
    files = {
        "prints": "# simdup 2 recipe=4e031589caa2 bits=64\n",
        "known": "# simdup-baseline 2\n",
        "words.idf": "# simdup-idf 2 documents=1\n",
        "found.jsonl": '{"type": "summary", "schema": 2}\n',
    }
    write(folder, files)
    yield lambda path: read_lines([path]), folder / "prints"
    yield read_baseline, folder / "known"
    yield lambda path: read_baseline(path, replace=True), folder / "known"
    yield read_model, folder / "words.idf"
    yield read_population, folder / "found.jsonl"
    index = folder / "seen.index"
    content = bytearray((GOLDEN / "0.9" / "seen.index").read_bytes())
    content[60:64] = (99).to_bytes(4, "big")
    index.write_bytes(content)
    yield Index.open, index


def test_what_a_later_version_wrote_is_refused_with_the_next_step(tmp_path: Path) -> None:
    for read, path in _later(tmp_path):
        before = path.read_bytes()
        with pytest.raises(SimdupError, match="this simdup only reads") as caught:
            read(str(path))
        assert caught.value.hint == "a newer simdup made it: update simdup"
        assert path.read_bytes() == before
