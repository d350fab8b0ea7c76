"""The pages are right: their examples run, and the files and rooms they name exist."""

import doctest
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from support import ROOT, near, prose, write

PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def python_blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = prose(1), prose(2)
    write(tmp_path / "corpus", {"a.txt": a, "b.txt": near(a)})
    write(tmp_path / "delivery", {"c.txt": near(a), "d.txt": b})
    monkeypatch.chdir(tmp_path)
    # Names that the examples use.
    known = {
        "rows": [{"id": "a", "text": a}, {"id": "b", "text": near(a)}],
        "text_a": a,
        "text_b": b,
        "text": b,
        "array_of_uint64": np.arange(8, dtype=np.uint64),
    }
    assert doctest.testfile(str(page), module_relative=False, globs=known).failed == 0
    for block in python_blocks(page):
        if ">>>" not in block:
            exec(block, dict(known))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_the_files_of_the_architecture_exist() -> None:
    for path in set(re.findall(r"\b[a-z_]+/(?:[a-z_0-9]+/)*[a-z_0-9]+\.py\b", ARCHITECTURE)):
        assert any((base / path).is_file() for base in (ROOT, ROOT / "simdup")), path


def test_the_architecture_draws_the_rooms_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    drawing = ARCHITECTURE.split("```")[1]
    drawn = [
        re.split(r"\s\s\s+", line.strip())[0] for line in drawing.splitlines() if line.strip(" |")
    ]
    expected = contracts["contracts"][0]["layers"]
    assert [re.sub(r"\s+", " ", line) for line in drawn] == expected


def test_the_glossary_is_in_order() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    words = re.findall(r"^\| ([^|]+?) \|", page, re.MULTILINE)[1:]
    assert len(words) > 50
    assert words == sorted(words, key=str.lower)
    assert len(words) == len(set(words))
