"""The lab stands on its own; tests of simdup take oracles and corpora from it, and nothing else."""

import ast
from pathlib import Path

import pytest
from support import ROOT

USED_BY_TESTS = ("lab.oracles", "lab.corpora")


def imports(path: Path) -> list[str]:
    """What a module imports, as `package.module`."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [f"{node.module}.{name.name}" for name in node.names]
    return found


@pytest.mark.parametrize(
    "path", sorted((ROOT / "lab").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_lab_imports_nothing_of_the_tests(path: Path) -> None:
    own = {one.stem for one in (ROOT / "tests").iterdir()} - {"lab"}
    assert [name for name in imports(path) if name.split(".")[0] in {"tests", *own}] == []


def test_tests_of_simdup_take_oracles_and_corpora_only() -> None:
    files = [path for path in (ROOT / "tests").rglob("*.py") if path.parts[-2] != "lab"]
    assert files
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files
        for name in imports(path)
        if name.split(".")[0] == "lab" and not name.startswith(USED_BY_TESTS)
    ]
    assert found == []
