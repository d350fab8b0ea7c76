"""Every input of the fuzz targets once more, without Atheris: those to begin with, and those that
once went wrong."""

from pathlib import Path

import pytest
from support import ROOT

from lab.fuzz.oracle import judge
from lab.fuzz.targets import TARGETS

CORPUS = ROOT / "lab" / "fuzz" / "corpus"


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_goes_wrong(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    target = TARGETS[name]
    kept = [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]
    refused = [judge(target.check, data).refused for data in (*target.seeds, *kept, b"")]
    # Inputs that all are refused get nowhere.
    assert not all(refused)


def test_the_corpus_belongs_to_targets() -> None:
    assert {path.name for path in CORPUS.glob("*")} <= set(TARGETS)
