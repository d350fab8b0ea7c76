"""A feature is one file and one row: without both, the package does all else as before."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, environment

from lab.corpora.features import FEATURES, Part
from lab.corpora.made import edited, prose

# Settings, and the features that they ask for.
CASES: list[tuple[dict[str, object], set[str]]] = [
    ({}, set()),
    ({"method": "simhash"}, set()),
    ({"method": "minhash", "similarity": 0.6, "keep": "longest"}, set()),
    ({"all_pairs": True}, set()),
    ({"cosine": 0.8}, {"cosine"}),
    ({"containment": 0.8}, {"containment", "passages"}),
    ({"lossless": True}, {"lossless"}),
    ({"same": "facts"}, {"facts"}),
    ({"method": "pstable", "similarity": 0.5}, {"pstable"}),
    ({"same": "folder", "across": "file"}, {"same", "across"}),
]

SMOKE = """
import json, sys
from simdup import scan
from simdup.__main__ import main
cases = json.loads(sys.argv[2])
found = []
for fields in cases:
    result = scan(sys.argv[1], jobs=1, **fields)
    found.append([[[m.name, m.role, m.similarity] for m in c.members] for c in result.clusters])
print(json.dumps(found), file=sys.stderr)
sys.argv[1:] = ["scan", "--help"]
main()
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for number in range(6):
        text = prose(number)
        parts = [text, edited(text, number, 3), text[: len(text) // 3], f"{text[:40]} {number}"]
        for place, part in enumerate(parts):
            path = folder / f"{place // 2}" / f"{number}-{place}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(part, "utf-8")
    return folder


def smoke(package: Path, corpus: Path, without: str = "") -> list[object]:
    """What the cases find that do not ask for a feature, with the package in a folder."""
    cases = [fields for fields, asked in CASES if without not in asked]
    done = subprocess.run(
        [sys.executable, "-c", SMOKE, corpus, json.dumps(cases)],
        env=environment(PYTHONPATH=os.fspath(package)),
        cwd=package,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "--similarity" in done.stdout
    found: list[object] = json.loads(done.stderr.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def whole(corpus: Path) -> list[object]:
    found = smoke(ROOT, corpus)
    assert all(found)
    return found


@pytest.mark.parametrize(
    "part", [part for part in FEATURES if ".near." in part.table], ids=lambda part: part.module
)
def test_a_feature_is_deleted_with_its_file_and_its_row(
    part: Part, tmp_path: Path, corpus: Path, whole: list[object]
) -> None:
    results = zip(whole, CASES, strict=True)
    kept = [result for result, (_, asked) in results if part.module not in asked]
    assert smoke(part.copied_without(tmp_path), corpus, part.module) == kept
