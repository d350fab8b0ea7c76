"""The suite without each feature: what does not ask for a feature does without its file and row.

A test that fails without a feature must name it, in its own text or in its parameters.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lab.corpora.features import FEATURES, Part
from lab.measuring import CHECKOUT, environment
from lab.reporting import Table
from lab.trial import Trial, say

# What tests call features, where it is not the name of the module.
_WORDS = {
    "containment": "contain", "passages": "contain|passages", "facts": "facts|FACTS",
    "facts_lost": "facts", "spared": "spared|lossless|contain", "template_hint": "hint|template",
    "versions": "version|query|index|Index", "similarities": "similarities|valley|histogram",
    "decisions": "decision|decided|distinct|audit", "kept_apart": "apart", "mail": "eml|mht|mail",
    "notebook": "ipynb|notebook", "office": "docx|pptx|odt|epub|pdf|office|Word",
    "subtitles": "srt|vtt|subtitle",
}  # fmt: skip
# They look at the project, or compare all outputs at once.
_WHOLE = ("project", "lab")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py)(?:::([^\[\s]+))?(\[.*?\])?(?: - |$)", re.M)
_PASSED = re.compile(r"(\d+) passed")


def run(trial: Trial) -> Iterator[Table]:
    """Run the suite without each feature: which tests pass, fail because they name it, or fail.

    Each takes as long as the suite: `trial` may say how many, and which is the first.
    """
    rows = []
    many = trial.corpora or trial.pick(1, len(FEATURES))
    for part in FEATURES[trial.seed : trial.seed + many]:
        say(f"without {part.module}")
        folder = trial.folder / part.module
        _copy_checkout(folder)
        part.remove_from(folder)
        rows.append((part.module, *_suite(folder, part, trial)))
        shutil.rmtree(folder)
    yield Table("The suite without a feature", ("without", "passed", "about it", "failed"), rows)


def _copy_checkout(folder: Path) -> None:
    """Copy what the repository has, and what was compiled."""
    ignored = shutil.ignore_patterns(".git", ".venv", "build", "node_modules", "__pycache__")
    shutil.copytree(CHECKOUT, folder, ignore=ignored)


def _suite(folder: Path, part: Part, trial: Trial) -> tuple[int, int, int]:
    """Return how many tests pass, fail and name the feature, and fail for another reason."""
    left_out = [f"--ignore=tests/{name}" for name in _WHOLE]
    options = "-q", "-n", "2", "-p", "no:cacheprovider", "--tb=no", *left_out
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *trial.pick(["tests/model"], [])],
        cwd=folder, env=environment(PYTHONPATH=os.fspath(folder)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    passed = _PASSED.search(ran.stdout)
    about = failed = 0
    for path, test, parameters in _FAILED.findall(ran.stdout):
        if re.search(
            _WORDS.get(part.module, part.module),
            f"{path}{parameters}{_source(folder / path, test)}",
        ):
            about += 1
        else:
            failed += 1
            trial.fail(f"without {part.module}: {path}::{test}{parameters}")
    if passed is None:
        trial.fail(f"without {part.module}: no test passes: {ran.stdout[-200:]}{ran.stderr[-200:]}")
    return int(passed[1]) if passed else 0, about, failed


@cache
def _source(path: Path, test: str) -> str:
    """Return the text of a test with its decorators; of a file that is not imported, all of it."""
    text = path.read_text("utf-8")
    name = test.rpartition("::")[2]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    return text
