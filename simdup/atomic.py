"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from simdup.errors import unwritable


@contextmanager
def beside(target: str, name: str = "", replace: bool = True) -> Iterator[str]:
    """Yield an unused name beside a target; what is made there replaces it if all goes well.

    The target is a file or an empty folder; a symbolic link is replaced, not followed.  It is as
    it was if the block raises; nothing is left beside it either way.  Errors call it by `name`, if
    not by its path.  Without `replace`, a file that appeared meanwhile stays.

    Raises
    ------
    SimdupError
        If what was made cannot take the target's place.
    """
    path = tempfile.mktemp(prefix=".simdup-", dir=os.path.dirname(os.path.abspath(target)))
    try:
        yield path
        try:
            if os.path.isdir(path) and os.path.isdir(target) and not os.path.islink(target):
                os.rmdir(target)
            if replace:
                os.replace(path, target)
            else:
                os.link(path, target)
        except OSError as error:
            raise unwritable(name or target, error) from None
    finally:
        # After a rename nothing is left, except where both names are links to one file.
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                os.unlink(path)


def sync(stream: IO[bytes]) -> None:
    """Wait until what was written has reached the disk."""
    stream.flush()
    os.fsync(stream.fileno())
