"""What programs make of the documentation is what they would make today."""

import re
from functools import cache

import pytest
from support import ROOT

from docs.make import MADE, TABLES, figures, pages
from docs.make.tables import BLOCK, put_tables, read_result

made = cache(pages)


@pytest.mark.parametrize("path", [*MADE, *TABLES])
def test_what_is_made_is_fresh(path: str) -> None:
    content = (ROOT / path).read_text("utf-8")
    assert content == made()[path], "run `python -m docs.make` and commit what it writes"


@pytest.mark.parametrize("path", [path for path in MADE if path.endswith(".svg")])
def test_pictures_load_nothing(path: str) -> None:
    content = made()[path].replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"://|@import|@font-face|<script|<image|href", content)


def test_every_table_of_the_figures_comes_from_a_stored_run() -> None:
    page = (ROOT / "docs" / "figures.md").read_text("utf-8")
    assert "|" not in BLOCK.sub("", page), "a table by hand"
    stored = [name for name in figures.VIEWS if read_result("bench", figures.benchmark_of(name))]
    assert sorted(block[2] for block in BLOCK.finditer(page)) == sorted(stored)


def test_a_table_of_which_nothing_is_stored_stays() -> None:
    page = "<!-- made by docs.make: none -->\n| by | hand |\n<!-- end -->\n"
    assert put_tables(page, lambda name: None) == page
    assert put_tables(page, str.upper).splitlines()[1:] == ["NONE", "<!-- end -->"]
