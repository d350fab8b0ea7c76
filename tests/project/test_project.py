"""The project itself: rooms, imports, types, examples, start-up time."""

import csv
import doctest
import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support import ROOT, Command, environment

import simdup as package
from lab.oracles import plain


def python(code: str) -> str:
    """The output of a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout


def imported(code: str, before: str = "") -> set[str]:
    """The packages that some code loads, beside those that other code has loaded before."""
    loaded = "{name.split('.')[0] for name in sys.modules}"
    known = f"{before}\nknown = {loaded}" if before else "known = set()"
    said = python(f"import sys\n{known}\n{code}\nprint(*{loaded} - known)")
    return set(said.splitlines()[-1].split())


def main(*arguments: str) -> str:
    return (
        f"from simdup.cli import main\ntry: main({list(arguments)!r})\n"
        "except SystemExit as left: assert left.code in (0, 1), left.code"
    )


def test_the_picture_lists_rooms_in_data_order() -> None:
    pytest.importorskip("importlinter")
    code = "import sys; from importlinter.cli import lint_imports_command as c; sys.exit(c())"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"],
        cwd=ROOT, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    assert f"{len(contracts['contracts'])} kept, 0 broken" in done.stdout


HEAVY = {"numpy", "scipy", "sklearn", "jieba", "chardet", "regex", "rich", "tqdm"}


def test_importing_the_package_costs_nothing() -> None:
    found = imported("import simdup")
    assert not found & (HEAVY | {"click", "dataclasses"})


def test_help_costs_next_to_nothing() -> None:
    calls = [main("--help"), main("scan", "--help"), main("compare", "--help")]
    assert not imported("\n".join(calls)) & HEAVY


def test_tables_import_no_library_but_their_own() -> None:
    read = "from simdup.corpus.rows import *; from simdup.model.settings import Reading\n"
    read += "list(row_batches(recognise(data, Reading()), []))"
    tables = {"narwhals", "pandas", "polars", "pyarrow"}
    plain = ("[(1, 'a')]", "{1: 'a'}", "iter([{'text': 'a'}])")
    assert not imported("\n".join(f"data = {data}\n{read}" for data in plain)) & tables
    for library, made, more in (
        ("polars", "DataFrame", {"narwhals"}),
        ("pandas", "DataFrame", {"narwhals"}),
        ("pyarrow", "table", set[str]()),
    ):
        pytest.importorskip(library)
        made = f"import {library}; data = {library}.{made}({{'text': ['a']}})"
        assert imported(read, before=made) & tables == more


def test_a_small_comparison_imports_no_large_library(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a few words on a lantern by the harbour", "utf-8")
    found = imported(main("compare", "-q", str(tmp_path / "a"), str(tmp_path / "a")))
    assert not found & {"sklearn", "scipy", "jieba", "tqdm"}


def test_one_room_alone_knows_each_great_library() -> None:
    knows = {
        "jieba": ("text/tokens.py",), "rich": ("show/",),
        "sklearn": ("text/weights.py", "operations/evaluate.py"),
        "tqdm": ("base/progress.py",), "chardet": ("corpus/decoding.py",),
        "click": ("cli/", "spark/__main__.py"), "regex": ("text/stripping.py",),
    }  # fmt: skip
    for path in sorted((ROOT / "simdup").rglob("*.py")):
        below = path.relative_to(ROOT / "simdup").as_posix()
        for line in path.read_text("utf-8").splitlines():
            met = re.match(rf"\s*(?:import|from) ({'|'.join(knows)})\b", line)
            if met:
                assert below.startswith(knows[met[1]]), (below, line)


def test_the_public_surface() -> None:
    promised = {"Recipe", "simhash", "distance", "fingerprint", "compare", "scan", "all_pairs"}
    assert promised <= set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        value = getattr(package, name)
        if not isinstance(value, str):
            assert inspect.getdoc(value), name
            assert value.__module__.startswith("simdup.")
    with pytest.raises(AttributeError, match="nonsense"):
        _ = package.nonsense
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", package.__version__)


MODULES = [found.name for found in pkgutil.walk_packages(package.__path__, "simdup.")]


@pytest.mark.parametrize("name", [m for m in MODULES if m != "simdup.__main__"])
def test_every_module_has_a_docstring_and_its_examples_run(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__
    assert doctest.testmod(module).failed == 0


def test_the_examples_of_the_public_surface() -> None:
    found = doctest.testmod(package)
    assert (found.failed, found.attempted > 0) == (0, True)
    finder = doctest.DocTestFinder()
    for name in ("scan", "compare", "fingerprint", "simhash"):
        assert any(test.examples for test in finder.find(getattr(package, name))), name


def test_the_example_corpus(simdup: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples")
    with open("truth.tsv", encoding="utf-8", newline="") as lines:
        truth = {(row["a"], row["b"]) for row in csv.DictReader(lines, delimiter="\t")}
    ran = simdup("scan", "corpus", "-f", "jsonl")
    assert ran.status == 0
    records = [json.loads(line) for line in ran.lines]
    found = {
        frozenset(member["document"] for member in record["documents"])
        for record in records
        if record["type"] == "cluster"
    }
    assert found == plain.groups(truth)
    assert records[-1]["skipped"] == 1
    for a, b in sorted(truth):
        assert simdup("compare", a, b).status == 0, (a, b)


def test_nothing_of_a_workplace_is_named() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("git does not answer")
    wrong = re.compile("/(" + "home|root|work|Users" + r")/\w")
    for name in listed.stdout.decode("utf-8", "surrogateescape").split("\0"):
        path = ROOT / name
        if name and path.is_file() and path.suffix in (".py", ".toml", ".md", ".yml", ""):
            content = path.read_bytes().decode("utf-8", "replace")
            assert not wrong.search(content), name
