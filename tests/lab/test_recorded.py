"""What commands print and write of the examples is what the repository keeps."""

import os
from pathlib import Path

import pytest

from lab.breaking import recorded
from lab.breaking.freezing import freeze
from lab.corpora.real import NoTexts

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="paths are recorded as POSIX has them"
)


def test_commands_say_what_they_said() -> None:
    """After a change that was meant: `python -m lab record`, and read the diff."""
    folder = recorded.RECORDED / "examples"
    found = dict(recorded.record("examples"))
    assert sorted(found) == sorted(path.stem for path in folder.iterdir())
    for name, one in found.items():
        assert one.text() == (folder / f"{name}.txt").read_bytes().decode(), name


def test_commands_say_the_same_of_real_texts() -> None:
    """`python -m lab record --keep FOLDER` writes the texts, here and before the change.

    The made corpus is that of `test_determinism.py`.
    """
    try:
        found = recorded.digests("real", dict(recorded.record("real")))
    except NoTexts as error:
        pytest.skip(str(error))
    kept = recorded.read_digests()["real"]
    assert {one for one in found if found[one] != kept.get(one)} == set()
    assert found.keys() == kept.keys()


def test_another_command_has_another_digest() -> None:
    """Otherwise nothing is compared."""
    for kept in recorded.read_digests().values():
        assert len(set(kept.values())) == len(kept)
        assert len(kept) > 20


def test_what_was_frozen_stays(tmp_path: Path) -> None:
    (tmp_path / "installed").mkdir()
    with pytest.raises(FileExistsError, match="into another folder"):
        freeze(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["installed"]
