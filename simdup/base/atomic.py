"""Write files and folders atomically, without replacing anything that appeared meanwhile.

`docs/files.md` lists the guarantees for users.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from simdup.base.errors import SimdupError, unwritable
from simdup.base.workspace import walk, work_folder

# Errors of file systems without hard links.
_NO_LINKS = (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
# Files synced in parallel: ext4 then commits many at once, 3,000 in 0.34 s instead of 0.65.
_SYNCS = 16


@contextmanager
def beside(target: str, name: str = "", replace: bool = True) -> Iterator[str]:
    """Yield an unused path; what is created there becomes the target if the block succeeds.

    It is synced, then published in one step.  With `replace`, a file replaces one that existed at
    the beginning, but never one that appeared meanwhile.  A folder replaces at most an empty
    folder.  A symbolic link is replaced, not followed.  If the block raises, the target is
    unchanged; in either case nothing else is left beside it.  Errors name the target by `name`,
    or by its path.

    Raises
    ------
    SimdupError
        If the target cannot or must not be replaced.
    """
    folder, base = os.path.split(os.path.abspath(target))
    replace = replace and os.path.lexists(target)
    with ExitStack() as stack:
        with _explain(name or target):
            path = os.path.join(stack.enter_context(work_folder(folder)), base)
        yield path
        with _explain(name or target):
            _publish(path, os.path.join(folder, base), replace)


def sync_path(path: str) -> None:
    """Wait until a file, or a folder with all its contents, has reached the disk."""
    if os.path.islink(path):
        return
    paths = [path]
    for folder, _, files in walk(path):
        paths.append(folder)
        paths += [os.path.join(folder, name) for name in files]
    if len(paths) == 1:
        sync_one(path)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_SYNCS) as pool:
        list(pool.map(sync_one, paths))


def sync_one(path: str) -> None:
    """Sync one file or folder; links refer to content that is already on the disk."""
    status = os.lstat(path)
    linked = stat.S_ISREG(status.st_mode) and status.st_nlink > 1
    if os.name == "nt" or linked or stat.S_ISLNK(status.st_mode):
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return  # a file may be writable but not readable for its owner
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems cannot sync folders.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def _publish(path: str, target: str, replace: bool) -> None:
    sync_path(path)
    if os.path.isdir(path) and not os.path.islink(path):
        if os.name == "nt" and os.path.isdir(target):
            os.rmdir(target)
        move_folder(path, target)
    elif replace:
        os.replace(path, target)
    else:
        _link(path, target)
    with suppress(OSError):
        sync_one(os.path.dirname(target))


def move_folder(path: str, target: str) -> None:
    """Rename a folder; the system refuses to replace anything but an empty folder."""
    mode = stat.S_IMODE(os.stat(path).st_mode)
    # A folder without write permission cannot be moved into another folder.
    os.chmod(path, mode | stat.S_IRWXU)
    os.rename(path, target)
    if mode | stat.S_IRWXU != mode:
        os.chmod(target, mode)


def _link(path: str, target: str) -> None:
    """Rename a file if the target does not exist."""
    try:
        os.link(path, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Without links, an empty file reserves the name; a kill at this moment leaves it there.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(path, target)


@contextmanager
def _explain(name: str) -> Iterator[None]:
    """Raise errors that name the target as the user does."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
            what = "was created by another program during the run, and was not replaced"
            raise SimdupError(name, what, "run it again with another output name") from None
        raise unwritable(name, error) from None
