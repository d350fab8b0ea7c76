"""Progress bars, shown to Python users on request only."""

import subprocess
import sys

import pytest
from support import environment, near, prose

from simdup import progress_bars, scan
from simdup.model.settings import RunOptions

TEXTS = [("a", prose(1)), ("b", near(prose(1)))]


def test_bars_are_shown_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simdup.progress._DELAY", 0)
    plain = scan(TEXTS)
    assert capsys.readouterr() == ("", "")
    with progress_bars() as progress:
        assert scan(TEXTS, run=RunOptions(progress=progress)).pairs == plain.pairs
    said = capsys.readouterr()
    assert said.out == ""
    assert "reading" in said.err
    assert "verifying" in said.err


def test_a_notebook_shows_widgets() -> None:
    # A stand-in for tqdm's choice, which it makes when it is imported.
    code = (
        "import sys, tqdm.std, types\n"
        "made = []\n"
        "class Widget(tqdm.std.tqdm):\n"
        "    def __init__(self, **looks):\n"
        "        made.append(looks['desc'])\n"
        "        super().__init__(**looks)\n"
        "auto = types.ModuleType('tqdm.auto')\n"
        "auto.tqdm = Widget\n"
        "sys.modules['tqdm.auto'] = auto\n"
        "from simdup import progress_bars\n"
        "with progress_bars() as show: show('reading', 1, 2)\n"
        "with progress_bars(terminal=True) as show: show('verifying', 1, 2)\n"
        "print(made)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout == "['reading']\n"
