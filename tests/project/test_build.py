"""Building and installing: an sdist, a wheel of it, with a C compiler and with none."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from support import ROOT

SOURCES = (
    "simdup", "build_tools", "setup.py", "MANIFEST.in", "pyproject.toml", "README.md", "LICENSE",
)  # fmt: skip


def run(
    *command: str | Path, folder: Path | None = None, **changes: str
) -> subprocess.CompletedProcess[str]:
    """Run a command, by default in a folder from which nothing can be imported."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(part) for part in command],
        env=clean | changes, cwd=folder or tempfile.gettempdir(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(python: Path, *what: str | Path) -> subprocess.CompletedProcess[str]:
    """Install into another Python with the `pip` of this one, and compile only what is used."""
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-compile")
    return run(*pip, *what)


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with all that a build without a compiler says it needs.

    That `pip` fetches the same by itself, each `pip install` of a checkout shows.
    """
    folder = tmp_path_factory.mktemp("builder")
    venv.create(folder)
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    fetched = install(python_of(folder), "build", "ziglang", *needed)
    if fetched.returncode:
        if os.environ.get("SIMDUP_REQUIRE_BUILD"):
            pytest.fail(fetched.stderr)
        pytest.skip("no package index is reachable, from which a build fetches Cython")
    return python_of(folder)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that are built, without what an earlier build made."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            made = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=made)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


# The tests of what is compiled, and of what it does for others.
LOOPS = ("kernels", "text/test_tokens.py", "text/test_batches.py", "text/test_minhash.py")
# Some of these start processes and read dictionaries, and go through no other loop.
OTHERS = "part_of_the_recipe or adds_words or leaves_no_files or absurd"


def test_an_sdist_and_the_wheel_that_is_built_from_it_without_a_compiler(
    builder: Path, checkout: Path, tmp_path: Path
) -> None:
    """The loops check every index, so that they raise where another build reads what is there.

    Whoever runs the tests of a checkout has built it as it is measured, with a compiler if there
    is one.
    """
    (tmp_path / "empty").mkdir()
    # On Windows setuptools needs Visual Studio.
    none = {} if sys.platform == "win32" else {"PATH": str(tmp_path / "empty"), "CC": ""}
    build = (builder, "-m", "build", "--no-isolation", "-o", tmp_path / "dist", checkout)
    built = run(*build, SIMDUP_DEBUG="1", **none)
    assert built.returncode == 0, built.stderr
    backend = "import backend; print(backend.get_requires_for_build_wheel())"
    path = {"PYTHONPATH": str(checkout / "build_tools"), "SIMDUP_DEBUG": "1"}
    asked = run(builder, "-c", backend, folder=checkout, **path, **none)
    assert not none or "ziglang" in asked.stdout, asked.stderr
    (source,) = (tmp_path / "dist").glob("*.tar.gz")
    with tarfile.open(source) as packed:
        names = [name.partition("/")[2] for name in packed.getnames()]
    assert {"simdup/kernels/words.pyx", "build_tools/backend.py", "simdup/py.typed"} <= set(names)
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc", ".c"))]
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    # One wheel for all versions of Python.
    assert re.fullmatch(r"simdup-[\w.]+-cp311-abi3-\S+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as packed_wheel:
        listed = packed_wheel.namelist()
        modules = [name for name in listed if "/kernels/words." in name]
        assert b"Out of bounds on buffer access" in packed_wheel.read(*modules)
    data = ("show/report/assets/page.html", "text/simplified.txt", "show/words.json")
    assert {f"simdup/{name}" for name in data} <= set(listed)
    assert all(name.startswith("simdup") and not name.endswith(".pyx") for name in listed)
    try_out(wheel, tmp_path / "clean")


def try_out(wheel: Path, folder: Path) -> None:
    """Install a wheel where nothing else is, but for what it needs, and try what it can do."""
    venv.create(folder)
    python = python_of(folder)
    installed = install(python, "--no-deps", "--no-index", wheel)
    assert installed.returncode == 0, installed.stderr
    # The libraries are those of this Python; simdup is not.
    place = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
    own = Path(place.stdout.strip())
    (own / "libraries.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    for name in ("tests", "lab"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    where = run(python, "-c", "import simdup.kernels as one; print(one.__file__)", folder=folder)
    assert Path(where.stdout.strip()).is_relative_to(own)
    tests = [f"tests/{name}" for name in ("project/test_smoke.py", *LOOPS)]
    done = run(
        python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", f"not ({OTHERS})", *tests,
        folder=folder, PYTHONPATH=str(folder),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
