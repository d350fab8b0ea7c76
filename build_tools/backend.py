"""The build backend: setuptools, with zig as the C compiler where the machine has none."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

# A download of 100 MB, which pip deletes after the build.
ZIG = "ziglang>=0.14"


def has_compiler() -> bool:
    """Return whether setuptools will find a C compiler."""
    if os.environ.get("CC"):
        return True
    if sys.platform == "win32":
        # There setuptools uses Visual Studio only, and says how to get it.
        return True
    own = (sysconfig.get_config_var("CC") or "cc").split()[0]
    return shutil.which(own) is not None


@contextmanager
def compiler() -> Iterator[None]:
    """Let setuptools use zig if there is no other compiler."""
    if has_compiler():
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "cc")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang cc "$@"\n')
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        before = dict(os.environ)
        os.environ.update(CC=f'"{path}"', LDSHARED=f'"{path}" -shared')
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def _with_zig(required: list[str]) -> list[str]:
    return required if has_compiler() else [*required, ZIG]


def get_requires_for_build_wheel(settings: Any = None) -> list[str]:
    """Return what a build needs."""
    return _with_zig(build_meta.get_requires_for_build_wheel(settings))


def get_requires_for_build_editable(settings: Any = None) -> list[str]:
    """Return what an editable build needs."""
    return _with_zig(build_meta.get_requires_for_build_editable(settings))


def _compiled(build: Callable[..., str]) -> Callable[..., str]:
    def run(*given: Any, **named: Any) -> str:
        with compiler():
            return build(*given, **named)

    return run


build_wheel = _compiled(build_meta.build_wheel)
build_editable = _compiled(build_meta.build_editable)
