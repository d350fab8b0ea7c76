"""`index check --sample`: lists are checked as a whole, contents of some blocks."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command

from lab.corpora.crafted import edit
from simdup import Index, SimdupError
from simdup.index.sample import Sample


@given(st.integers(1, 60), st.sets(st.integers(1, 10**6), max_size=80))
def test_parts_are_disjoint_and_together_everything(parts: int, numbers: set[int]) -> None:
    chosen = [Sample.parse(f"{i}/{parts}").choose(numbers) for i in range(1, parts + 1)]
    assert set().union(*chosen) == numbers
    if len(numbers) >= parts:
        assert sum(map(len, chosen)) == len(numbers)
        assert max(map(len, chosen)) - min(map(len, chosen)) <= 1


@given(st.sets(st.integers(1, 10**6), min_size=1, max_size=80))
def test_a_share_is_the_first_part(numbers: set[int]) -> None:
    assert Sample.parse("5%").choose(numbers) == Sample.parse("1/20").choose(numbers)
    assert Sample.parse("100%").choose(numbers) == numbers
    assert len(Sample.parse("0.001%").choose(numbers)) == 1
    assert Sample.parse("2.5%").choose(numbers) <= Sample.parse("50%").choose(numbers)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "seen.index"
    prints = [(f"d{i}", i * i) for i in range(10 * 1024)]
    Index.build(str(path), prints, fingerprints=True).close()
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "seen.index"))


def test_damage_is_found_in_one_part(path: Path) -> None:
    edit(path, "UPDATE part SET content = x'00' WHERE kind = 'names' AND number = 7")
    with Index.open(str(path)) as index:
        found = [index.check(f"{i}/5") for i in range(1, 6)]
        again = [index.check(f"{i}/5") for i in range(1, 6)]
        everything = index.check()
    assert found == again
    assert sorted(found, key=len)[-1] == everything == ["section names 7 is damaged"]
    assert sum(map(bool, found)) == 1


def faults(path: Path, sample: str) -> str:
    try:
        with Index.open(str(path)) as index:
            return "; ".join(index.check(sample))
    except SimdupError as error:
        return str(error)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM block WHERE number = 4",
        "DELETE FROM part WHERE kind = 'names' AND number = 4",
        "DELETE FROM part WHERE kind = 'sketches' AND number = 4",
        "UPDATE part SET content = x'00' WHERE kind = 'recipe'",
        "UPDATE block SET documents = 5 WHERE number = 4",
        "UPDATE part SET kind = 'more' WHERE kind = 'ends' AND number = 4",
    ],
)
def test_lists_are_checked_whatever_the_sample(path: Path, statement: str) -> None:
    edit(path, statement)
    assert all(faults(path, f"{i}/10") for i in (1, 4, 8))


def test_pages_of_other_blocks_are_not_read(path: Path) -> None:
    """Otherwise a large index would take long."""
    content = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path)) as file:
        (found,) = file.execute(
            "SELECT content FROM part WHERE kind = 'fingerprints' AND number = 7"
        ).fetchone()
    at = content.index(found[4096:4160])
    content[at] ^= 1
    path.write_bytes(content)
    with Index.open(str(path)) as index:
        assert sum(bool(index.check(f"{i}/10")) for i in range(1, 11)) == 1


@pytest.mark.parametrize(
    "sample",
    ["", "5", "0%", "101%", "0/20", "21/20", "1/0", "-5%", "٣/٢٠", "5 %", "9" * 5000 + "%"],
)
def test_other_samples_are_refused(simdup: Command, path: Path, sample: str) -> None:
    with Index.open(str(path)) as index, pytest.raises(SimdupError, match="expected a share"):
        index.check(sample)
    done = simdup("index", "check", "seen.index", "--sample", sample)
    assert done.status == 2
    assert "a share such as 5%, or a part such as 3/20" in done.err


def test_a_report_names_the_sample(simdup: Command, path: Path) -> None:
    done = simdup("index", "check", "seen.index", "--sample", "3/20")
    said = "10,240 documents; the lists and the sampled blocks (3/20) are intact\n"
    assert (done.status, done.err) == (0, said)
