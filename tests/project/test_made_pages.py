"""What programs make of the documentation is what they would make today."""

import re
from functools import cache

import pytest
from support import ROOT

from docs.make import MADE, METHODS, TESTING, pages

made = cache(pages)


@pytest.mark.parametrize("path", [*MADE, METHODS, TESTING])
def test_what_is_made_is_fresh(path: str) -> None:
    content = (ROOT / path).read_text("utf-8")
    assert content == made()[path], "run `python -m docs.make` and commit what it writes"


@pytest.mark.parametrize("path", [path for path in MADE if path.endswith(".svg")])
def test_pictures_load_nothing(path: str) -> None:
    content = made()[path].replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"://|@import|@font-face|<script|<image|href", content)
