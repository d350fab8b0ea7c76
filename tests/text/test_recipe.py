"""A recipe in words, in a file, and what is wrong with one."""

from dataclasses import replace
from pathlib import Path

import pytest
from support import Command

from lab.corpora.made import prose, write
from simdup import Recipe, SimdupError
from simdup.model.recipe import RECIPES, as_recipe


@pytest.mark.parametrize("name", RECIPES)
def test_a_name_is_a_recipe_and_fields_change_it(name: str) -> None:
    assert as_recipe(name) == RECIPES[name]
    assert as_recipe(f" {name} , top = 7 ") == replace(RECIPES[name], top=7)
    every = (
        "tokens=chars:3,fold=false,weight=tf,idf=m.idf,min-df=0,top=5,cap=0,hash=sha1,bits=32,"
        "ties=zero,dict=own.dict"
    )
    assert as_recipe(f"{name},{every}") == Recipe(
        "chars:3", False, "tf", "m.idf", 0, 5, 0.0, "sha1", 32, "zero", "own.dict"
    )


def test_a_file_has_fields_and_its_paths_start_from_its_folder(tmp_path: Path) -> None:
    write(
        tmp_path, {"r/a.toml": "bits = 128\nidf = 'm'\ndict = 'd'\nstrip = ['x', 'y,z']\ncap = 0"}
    )
    write(tmp_path, {"r/b.toml": "idf = 'corpus'\nstrip = 'x'\nfold = false"})
    folder = str(tmp_path / "r")
    assert as_recipe(f"{folder}/a.toml") == Recipe(
        idf=f"{folder}/m", dictionary=f"{folder}/d", bits=128, strip=("x", "y,z"), cap=0.0
    )
    assert as_recipe(f"{folder}/b.toml", top=3) == Recipe(
        idf="corpus", strip=("x",), fold=False, top=3
    )


def test_words_and_a_file_give_the_same_fingerprints(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "r.toml": "bits = 128\ntop = 0\nstrip = ['的']\n"})
    words = simdup("fingerprint", "c", "--recipe", "default,bits=128,top=0", "--strip", "的")
    file = simdup("fingerprint", "c", "--recipe", "r.toml")
    assert words.lines == file.lines
    assert "bits=128" in words.lines[0]


def test_an_empty_word_is_no_recipe(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1)})
    said = simdup("scan", "c", "--recipe", "")
    assert said.status == 2
    assert said.err.startswith("simdup: --recipe: no recipe ''")


@pytest.mark.parametrize(
    ("words", "where", "what", "hint"),
    [
        ("defalt", "recipe", "no recipe 'defalt'", "did you mean 'default'?"),
        ("bits=128", "recipe", "no recipe 'bits=128'", ""),
        ("default,128", "recipe", "'128' is no field with its value", ""),
        ("default,bitz=128", "recipe", "'bitz': no such field", "did you mean 'bits'?"),
        ("default,bits=x", "recipe", "bits: invalid value 'x' (expected a whole number)", ""),
        ("default,bits=12", "recipe", "bits: invalid value 12 (expected a multiple of 8", ""),
        ("default,min-df=-1", "recipe", "min-df: invalid value -1", ""),
        ("default,fold=no", "recipe", "fold: invalid value 'no' (expected true or false)", ""),
        ("default,strip=a", "recipe", "'strip=a' is no field", "expressions have an option"),
        ("lost.toml", "lost.toml", "no such file", ""),
        ("a.toml", "a.toml", "bits: invalid value '128' (expected a whole number)", ""),
        ("b.toml", "b.toml", "'x': no such field", "fields are tokens, fold, weight, idf"),
        ("c.toml", "c.toml", "is not valid TOML", ""),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, where: str, what: str, hint: str
) -> None:
    write(tmp_path, {"a.toml": "bits = '128'", "b.toml": "x = 1", "c.toml": "bits"})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SimdupError) as caught:
        as_recipe(words)
    assert (caught.value.where, caught.value.field) == (where, where * (where == "recipe"))
    assert caught.value.what.startswith(what)
    assert caught.value.hint.startswith(hint)
