"""The oracle notices what must not happen, and targets run by name."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from support import ROOT, environment

from lab.__main__ import main
from lab.fuzz import oracle, running
from lab.fuzz.oracle import Wrong, judge
from lab.fuzz.target import Target
from lab.fuzz.targets import TARGETS
from simdup import SimdupError


def _raise(error: BaseException) -> None:
    raise error


def _forever(data: bytes) -> None:
    while True:
        data += b"."
        data = data[:9]


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (lambda data: _raise(KeyError("a")), "KeyError"),
        (lambda data: _raise(RecursionError()), "RecursionError"),
        (lambda data: warnings.warn("odd", stacklevel=1), "UserWarning"),
        (lambda data: open(os.devnull).read(), "nobody could catch"),  # noqa: SIM115
        (lambda data: _raise(SimdupError("a", "b" * 5000)), "a message of 5,0"),
        (lambda data: oracle.expect_harmless("a\x1b[1m"), "a terminal would get"),
        (lambda data: oracle.expect_same(1, 2, "numbers"), "numbers: 1 is not 2"),
    ],
)
def test_what_must_not_happen_is_wrong(check: Any, said: str) -> None:
    with pytest.raises(Wrong, match=said):
        judge(check, b"")


def test_a_call_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "SECONDS", 0.1)
    with pytest.raises(Wrong, match=r"more than 0\.1 s of processor time, at .*_forever"):
        judge(_forever, b"")


def test_an_error_with_a_hostile_name_is_a_result() -> None:
    assert judge(lambda data: _raise(SimdupError("a\n\x1b[1m", "is \u202e", "no\r")), b"").refused


def call(*arguments: str | Path) -> int:
    return main(["fuzz", *map(str, arguments)])


def test_targets_are_listed_and_an_input_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call() == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == list(TARGETS)
    (tmp_path / "input").write_bytes(b"")
    assert call("decoder", tmp_path / "input") == 0
    assert capsys.readouterr().out.startswith("decoder: a result")
    broken = Target(lambda data: _raise(KeyError("a")), (b"",))
    monkeypatch.setitem(TARGETS, "broken", broken)
    assert call("broken", tmp_path / "input") == 1
    assert "KeyError" in capsys.readouterr().err


@pytest.mark.skipif(not running.installed(), reason=running.MISSING)
def test_made_up_inputs_go_wrong_nowhere(tmp_path: Path) -> None:
    """One of the longest tests: `SIMDUP_FUZZ_SECONDS` says how long each target runs."""
    seconds = os.environ.get("SIMDUP_FUZZ_SECONDS", "0.1")
    # Atheris must watch before anything of simdup is imported.
    ran = subprocess.run(
        [sys.executable, "-m", "lab", "fuzz", "--all", "--seconds", seconds,
         "--found", tmp_path, "--results", tmp_path],
        cwd=ROOT, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    rows = json.loads((tmp_path / "fuzz.json").read_text("utf-8"))["tables"][0]["rows"]
    assert [row["target"] for row in rows] == [*TARGETS, "all"]
    assert all(row["inputs"] for row in rows)


def test_without_atheris_it_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(running, "installed", lambda: False)
    assert call("decoder") == 2
    assert capsys.readouterr().err == f"{running.MISSING}\n"
