"""A state of simdup that later ones are compared with: ``python -m lab freeze FOLDER``.

Before something is rebuilt, the folder gets a wheel of the newest commit, the same installed, and
what every command prints and writes with it::

    python -m lab freeze ../before                                   # once
    PYTHONPATH=../before/installed python -m simdup scan corpus      # as it was
    python -m lab record --keep ../now && diff -r ../before/recorded ../now
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from lab.breaking import recorded
from lab.corpora.real import NoTexts, data_folder
from lab.measuring import CHECKOUT


def freeze(folder: Path) -> None:
    """Build a wheel of the newest commit, install it in a folder of its own, and record with it.

    Parameters
    ----------
    folder : Path
        Where it goes: ``*.whl``, ``installed/`` for PYTHONPATH, and ``recorded/``.  What the
        commit needs is taken from the environment that runs this.

    Raises
    ------
    FileExistsError
        If the folder has an installed state already: what was frozen stays.
    """
    installed = folder / "installed"
    if installed.exists():
        raise FileExistsError(f"{installed} exists: freeze into another folder")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="simdup-lab-") as temporary:
        # A clone has what is committed, and nothing else.
        _run("git", "clone", "-q", str(CHECKOUT), temporary)
        _pip("wheel", "-q", "--no-deps", "-w", str(folder), temporary)
    wheel = max(folder.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    _pip("install", "-q", "--no-deps", "--target", str(installed), str(wheel))
    try:
        data_folder()
        corpora = [*recorded.CORPORA]
    except NoTexts:
        corpora = [name for name in recorded.CORPORA if name != "real"]
    recorded.write(corpora, installed, folder / "recorded")


def _pip(*words: str) -> None:
    _run(sys.executable, "-m", "pip", *words)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
