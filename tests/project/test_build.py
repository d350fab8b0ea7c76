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


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that builds packages; a build fetches setuptools and Cython."""
    folder = tmp_path_factory.mktemp("builder")
    venv.create(folder, with_pip=True)
    fetched = run(python_of(folder), "-m", "pip", "install", "-q", "build")
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


def try_out(wheel: Path, folder: Path) -> None:
    """Install a wheel where nothing else is, but for what it needs, and try what it can do."""
    venv.create(folder, with_pip=True)
    python = python_of(folder)
    installed = run(python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel)
    assert installed.returncode == 0, installed.stderr
    # The libraries are those of this Python; simdup is not.
    place = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
    own = Path(place.stdout.strip())
    (own / "libraries.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    where = run(python, "-c", "import simdup; print(simdup.__file__)")
    assert Path(where.stdout.strip()).is_relative_to(own)
    smoke = shutil.copy(ROOT / "tests" / "project" / "test_smoke.py", folder)
    done = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", smoke, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_sdist_and_the_wheel_that_is_built_from_it_without_a_compiler(
    builder: Path, checkout: Path, tmp_path: Path
) -> None:
    """Whoever runs the tests of a checkout has built it with a compiler, if there is one."""
    (tmp_path / "empty").mkdir()
    # On Windows setuptools needs Visual Studio.
    none = {} if sys.platform == "win32" else {"PATH": str(tmp_path / "empty"), "CC": ""}
    built = run(builder, "-m", "build", "-o", tmp_path / "dist", checkout, **none)
    assert built.returncode == 0, built.stderr
    assert not none or "ziglang" in built.stdout + built.stderr
    (source,) = (tmp_path / "dist").glob("*.tar.gz")
    with tarfile.open(source) as packed:
        names = [name.partition("/")[2] for name in packed.getnames()]
    assert {"simdup/kernels/words.pyx", "build_tools/backend.py", "simdup/py.typed"} <= set(names)
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc", ".c"))]
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    # One wheel for all versions of Python.
    assert re.fullmatch(r"simdup-[\d.]+-cp311-abi3-\S+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as packed_wheel:
        listed = packed_wheel.namelist()
    data = ("show/report/assets/page.html", "text/simplified.txt", "show/words.json")
    assert {f"simdup/{name}" for name in data} <= set(listed)
    assert all(name.startswith("simdup") and not name.endswith(".pyx") for name in listed)
    try_out(wheel, tmp_path / "clean")


# The tests of what is compiled, and of what it does for others.
LOOPS = ("kernels", "text/test_tokens.py", "text/test_batches.py", "text/test_minhash.py")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_the_loops_read_nothing_outside_their_arrays(
    builder: Path, checkout: Path, tmp_path: Path
) -> None:
    """A build that checks every index raises IndexError where another reads what is there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = project["build-system"]["requires"]
    fetched = run(builder, "-m", "pip", "install", "-q", "--upgrade", *needed)
    assert fetched.returncode == 0, fetched.stderr
    built = run(
        builder, "setup.py", "-q", "build_ext", "--inplace", folder=checkout, SIMDUP_DEBUG="1"
    )
    assert built.returncode == 0, built.stderr
    source = (checkout / "build/debug/simdup/kernels/words.c").read_text("utf-8")
    assert "__Pyx_RaiseBufferIndexError" in source
    (checkout / "tests").symlink_to(ROOT / "tests")
    (checkout / "lab").symlink_to(ROOT / "lab")
    where = "import simdup.kernels.words as words; print(words.__file__)"
    found = run(sys.executable, "-c", where, folder=checkout, PYTHONPATH=str(checkout))
    assert found.stdout.startswith(str(checkout)), found
    tests = [f"tests/{name}" for name in LOOPS]
    done = run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests,
        folder=checkout, PYTHONPATH=str(checkout),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
