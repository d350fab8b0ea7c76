"""Atheris watches what is imported after `instrument`; nothing here imports simdup."""

from __future__ import annotations

import io
from contextlib import redirect_stderr
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.fuzz.target import Target

MISSING = "Atheris is not installed: python -m pip install 'simdup[fuzz]'"


def installed() -> bool:
    """Return whether Atheris is installed."""
    return find_spec("atheris") is not None


def instrument() -> None:
    """Let Atheris watch what is imported of simdup from now on, also within functions."""
    import atheris

    atheris.instrument_imports(include=["simdup"]).__enter__()


def load_targets() -> dict[str, Target]:
    """Return all targets by name."""
    with redirect_stderr(io.StringIO()):  # Atheris lists every module
        from lab.fuzz.targets import TARGETS
    return TARGETS
