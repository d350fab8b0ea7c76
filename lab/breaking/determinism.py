"""The same digests for any workers, batches, hash seeds, locales, processors and Pythons."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

from lab.breaking.recorded import Variant, digests, read_digests, record
from lab.reporting import Table
from lab.trial import Trial, say

# Other Pythons: those that this variable names, separated as in PATH, or these if they are there.
_PYTHONS = "SIMDUP_PYTHONS"
_VERSIONS = ("python3.11", "python3.12", "python3.13", "python3.14")
# How one of them shows that it has what simdup needs, and which it is.
_PROBE = (
    "import platform, numpy, click, jieba, sklearn, rapidfuzz, chardet, regex, rich, tqdm;"
    "import hypothesis;"
    "print(f'Python {platform.python_version()}, numpy {numpy.__version__}')"
)
_USUAL = Variant("-j 1", order=0)


def variants() -> Iterator[tuple[str, Variant]]:
    """Yield one change at a time that must not change what commands say."""
    yield "nothing", _USUAL
    for jobs in range(1, 9):
        yield "1 to 8 workers", _USUAL._replace(options=f"-j {jobs}", batch=20_000)
    for size in (1, 1000, 5000, 1 << 30):
        yield "batches of 1 byte to all", _USUAL._replace(batch=size)
    for seed in range(3):
        yield "hash seeds", _USUAL._replace(environment={"PYTHONHASHSEED": str(seed)})
        yield "orders of files", _USUAL._replace(order=seed + 1)
    for flag in ("-O", "-OO"):
        yield "-O and -OO", _USUAL._replace(python=(sys.executable, flag))
    for name, value in (("LC_ALL", "C"), ("LANG", "zh_CN.UTF-8"), ("TZ", "Asia/Shanghai")):
        yield "locale and time zone", _USUAL._replace(environment={name: value})
    for features in ("X86_V4 AVX512_ICL", "X86_V3 X86_V4 AVX512_ICL"):
        changed = {"NPY_DISABLE_CPU_FEATURES": features}
        yield "instructions that numpy may use", _USUAL._replace(environment=changed)
    named = [one for one in os.environ.get(_PYTHONS, "").split(os.pathsep) if one]
    for python in named or filter(None, map(shutil.which, _VERSIONS)):
        ran = subprocess.run([python, "-c", _PROBE], capture_output=True, text=True, check=False)
        if not ran.returncode:
            yield ran.stdout.strip(), _USUAL._replace(python=(python,))
        elif named:
            raise RuntimeError(f"{python} lacks what simdup needs")


# All at once: what the suite has time for.
TOGETHER = Variant(
    "-j 2", 30_000, 5, (sys.executable, "-OO"),
    {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Shanghai",
     "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL"},
)  # fmt: skip


def run(trial: Trial) -> Iterator[Table]:
    """Compare the digests of each variant with those that the repository keeps."""
    kept = read_digests()["made"]
    rows: dict[str, Counter[str]] = {}
    for kind, variant in trial.pick([("all at once", TOGETHER)], list(variants())):
        say(f"{kind} {variant}")
        taken: dict[str, str] = {}
        try:
            taken = digests("made", dict(record("made", variant)))
        except (EOFError, OSError) as error:
            trial.fail(f"{kind}, {variant}: its Python does not answer: {error!r}")
        different = [name for name in kept | taken if taken.get(name) != kept.get(name)]
        for name in different:
            trial.fail(f"{kind}, {variant}: {name} is different")
        counts = {"runs": 1, "digests compared": len(kept), "different": len(different)}
        rows.setdefault(kind, Counter()).update(counts)
    columns = ("runs", "digests compared", "different")
    cells = [(kind, *(row[name] for name in columns)) for kind, row in rows.items()]
    yield Table("Determinism", ("what changes", *columns), cells)
