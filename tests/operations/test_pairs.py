"""Pairs of fingerprint lines, in memory and in temporary files."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import environment, examples

from lab.oracles.search import clustered, words_of
from simdup import SimdupError, all_pairs
from simdup.corpus.fingerprint_lines import FingerprintLines
from simdup.model.settings import RunOptions
from simdup.operations import cluster as operation
from simdup.search import threads


def found_with(least, numbers, bits, distance):
    """The pairs as rows, with room for `room` of them in memory."""
    lines = FingerprintLines(
        [str(i) for i in range(len(numbers))], words_of(numbers, bits), bits, ""
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operation, "PAIR_MEMORY", 1)
        patch.setattr(operation, "_LEAST", least)
        patch.setattr(threads, "_FEWEST_READ", 1)
        with operation.pairs(lines, distance, RunOptions(jobs=1)) as found:
            return [(int(pair.a), int(pair.b), pair.distance) for pair in found]


@examples(60)
@given(clustered(), st.data())
def test_pairs_beyond_memory_are_the_same(drawn, data):
    numbers, bits = drawn
    distance = data.draw(st.integers(0, min(bits, 6)))
    expected = all_pairs(words_of(numbers, bits), distance, bits, "first")
    rows = list(zip(*(column.tolist() for column in expected), strict=True))
    for least in (1, 5, 1 << 18):
        assert found_with(least, numbers, bits, distance) == rows


def lines_of(path: Path, values: np.ndarray) -> Path:
    path.write_text("".join(f"{value:016x}  {i}\n" for i, value in enumerate(values.tolist())))
    return path


_WITH_LITTLE_MEMORY = """
from simdup.__main__ import main
from simdup.operations import cluster

cluster.PAIR_MEMORY = 1
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="folders in use cannot be seen there")
def test_temporary_files_are_gone_when_a_reader_leaves(tmp_path: Path) -> None:
    lines = lines_of(tmp_path / "lines", np.arange(1200, dtype=np.uint64))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    started = subprocess.Popen(
        [sys.executable, "-c", _WITH_LITTLE_MEMORY, "pairs", "-d", "11", lines],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(TMPDIR=str(scratch)),
    )
    with started:
        assert started.stdout is not None
        assert started.stderr is not None
        assert started.stdout.readline() == b"1\t0\t1\n"
        assert any(scratch.glob(".simdup-*/run-0"))
        started.stdout.close()
        assert started.wait() == 0
        assert started.stderr.read() == b""
    assert not list(scratch.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="what is written to a full disk")
def test_a_full_disk_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(values: object, path: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(threads, "_write", full)
    with pytest.raises(SimdupError, match="no space left for the pairs") as caught:
        found_with(1, [1, 2, 3], 64, 3)
    assert caught.value.where == tempfile.gettempdir()
