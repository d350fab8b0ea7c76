"""The hostile corpus in small sizes: each entry by one command, by turns."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("limits, devices and terminals as Linux has them", allow_module_level=True)

from lab.breaking.hostile import ENTRIES
from lab.breaking.hostile.entries import READERS, Entry, prepare, start_server, try_entry
from lab.breaking.running import Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with start_server() as started:
        yield started


@pytest.fixture(scope="module")
def known(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("known") / "k"
    prepare(server, folder)
    return folder


@pytest.mark.parametrize(
    ("number", "entry"),
    [(number, entry) for number, (_, entry) in enumerate(ENTRIES) if not entry.large],
    ids=[entry.name for _, entry in ENTRIES if not entry.large],
)
def test_entry(server: Server, known: Path, tmp_path: Path, number: int, entry: Entry) -> None:
    named = {word for command in entry.commands for word in command if word.startswith("/dev/")}
    if plain := [one for one in sorted(named) if not stat.S_ISCHR(os.stat(one).st_mode)]:
        pytest.skip(f"{plain[0]} is an ordinary file here, which commands have written to")
    wrong = [
        f"{' '.join(command)}: {what}"
        for command, _, found in try_entry(
            server, entry, "small", tmp_path, known, turn(entry, number)
        )
        for what in found
    ]
    assert not wrong, "\n".join(wrong)


def turn(entry: Entry, number: int) -> slice:
    """One of the commands of each entry; the campaign tries all."""
    count = len(entry.commands) or len(READERS)
    return slice(number % count, number % count + 1)
