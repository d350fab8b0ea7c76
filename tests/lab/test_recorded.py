"""What commands print and write of the examples is what the repository keeps."""

import os

import pytest

from lab.breaking import recorded
from lab.corpora.real import NoTexts


@pytest.mark.skipif(not hasattr(os, "fork"), reason="paths are recorded as POSIX has them")
def test_commands_say_what_they_said() -> None:
    """After a change that was meant: `python -m lab record`, and read the diff."""
    folder = recorded.RECORDED / "examples"
    found = dict(recorded.record("examples"))
    assert sorted(found) == sorted(path.stem for path in folder.iterdir())
    for name, text in found.items():
        assert text == (folder / f"{name}.txt").read_bytes().decode(), name


@pytest.mark.skipif(not hasattr(os, "fork"), reason="paths are recorded as POSIX has them")
@pytest.mark.parametrize("name", ["made", "real"])
def test_commands_say_the_same_of_larger_corpora(name: str) -> None:
    """`python -m lab record --keep FOLDER` writes the texts, here and before the change."""
    try:
        found = recorded.digests(dict(recorded.record(name)))
    except NoTexts as error:
        pytest.skip(str(error))
    kept = recorded.read_digests()[name]
    assert {one for one in found if found[one] != kept.get(one)} == set()
    assert found.keys() == kept.keys()
