"""The same digests for any workers, batches, hash seeds, locales, processors and Pythons."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

from lab.breaking.recorded import ENVIRONMENT, read_digests
from lab.measuring import CHECKOUT
from lab.reporting import Table
from lab.trial import Trial, say

# Other Pythons: those that this variable names, separated as in PATH, or these if they are there.
_PYTHONS = "SIMDUP_PYTHONS"
_VERSIONS = ("python3.11", "python3.12", "python3.13", "python3.14")


class Variant(NamedTuple):
    """A way to run the commands that must not change what they say."""

    kind: str
    arguments: tuple[str, ...] = ()  # of `recorded`
    flags: tuple[str, ...] = ()  # of Python
    python: str = sys.executable
    environment: tuple[tuple[str, str], ...] = ()


def variants() -> Iterator[Variant]:
    """Yield one change at a time."""
    yield Variant("nothing")
    for jobs in range(1, 9):
        yield Variant("1 to 8 workers", ("--options", f"-j {jobs}", "--batch", "20000"))
    for size in (1, 1000, 5000, 1 << 30):
        yield Variant("batches of 1 byte to all", ("--batch", str(size)))
    for seed in range(3):
        yield Variant("hash seeds", environment=(("PYTHONHASHSEED", str(seed)),))
        yield Variant("orders of files", ("--order", str(seed + 1)))
    for flag in ("-O", "-OO"):
        yield Variant("-O and -OO", flags=(flag,))
    for name, value in (("LC_ALL", "C"), ("LANG", "zh_CN.UTF-8"), ("TZ", "Asia/Shanghai")):
        yield Variant("locale and time zone", environment=((name, value),))
    for features in ("X86_V4 AVX512_ICL", "X86_V3 X86_V4 AVX512_ICL"):
        changed = (("NPY_DISABLE_CPU_FEATURES", features),)
        yield Variant("instructions that numpy may use", environment=changed)
    for python in _pythons():
        yield Variant(_version(python), python=python)


# All at once: what the suite has time for.
TOGETHER = Variant(
    "all at once",
    ("--options", "-j 2", "--batch", "30000", "--order", "5"),
    ("-OO",),
    environment=(
        ("PYTHONHASHSEED", "7"), ("LC_ALL", "C"), ("TZ", "Asia/Shanghai"),
        ("NPY_DISABLE_CPU_FEATURES", "X86_V4 AVX512_ICL"),
    ),
)  # fmt: skip


def run(trial: Trial) -> Iterator[Table]:
    """Compare the digests of each variant with those that the repository keeps."""
    kept = read_digests()["made"]
    rows: dict[str, list[int]] = {}
    for variant in trial.pick([TOGETHER], list(variants())):
        say(f"{variant.kind} {' '.join(variant.arguments)}")
        try:
            digests = take(variant)
        except RuntimeError as error:
            digests = {}
            trial.fail(str(error))
        different = [name for name, digest in kept.items() if digests.get(name) != digest]
        for name in different:
            trial.fail(f"{variant}: {name} is different")
        row = rows.setdefault(variant.kind, [0, 0, 0])
        for i, count in enumerate((1, len(kept), len(different))):
            row[i] += count
    columns = ("what changes", "runs", "digests compared", "different")
    yield Table("Determinism", columns, [(kind, *row) for kind, row in rows.items()])


def take(variant: Variant) -> dict[str, str]:
    """Return the digests of a variant, taken in a process of its own."""
    words = [variant.python, *variant.flags, "-m", "lab.breaking.recorded", *variant.arguments]
    environment = os.environ | ENVIRONMENT | {"PYTHONPATH": str(CHECKOUT)}
    environment |= dict(variant.environment)
    ran = subprocess.run(words, cwd=CHECKOUT, env=environment, capture_output=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{words}: {ran.stderr.decode(errors='replace')}")
    digests: dict[str, str] = json.loads(ran.stdout)
    return digests


def _pythons() -> Iterator[str]:
    """Yield other Pythons that have what simdup needs."""
    named = [one for one in os.environ.get(_PYTHONS, "").split(os.pathsep) if one]
    for python in named or filter(None, map(shutil.which, _VERSIONS)):
        needs = "import click, jieba, sklearn, rapidfuzz, chardet, rich, tqdm, hypothesis"
        if subprocess.run([python, "-c", needs], capture_output=True, check=False).returncode == 0:
            yield python
        elif named:
            raise RuntimeError(f"{python} lacks what simdup needs")


def _version(python: str) -> str:
    says = "import platform, numpy; print(platform.python_version(), numpy.__version__)"
    ran = subprocess.run([python, "-c", says], capture_output=True, check=True)
    version, numpy = ran.stdout.decode().split()
    return f"Python {version}, numpy {numpy}"
