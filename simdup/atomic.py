"""Files and folders that appear whole or not at all, and never in the place of something new.

What is being made is in a work folder beside its target, which nobody else can read.  A process
holds the lock (`flock`) of its work folders as long as it lives, so the next run can tell what a
killed one left behind, whatever the process numbers.  `docs/files.md` says what users may rely on.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO

from simdup.errors import SimdupError, unwritable

try:
    import fcntl
except ImportError:  # Windows: no locks, and nothing is cleaned up after killed runs
    fcntl = None  # type: ignore[assignment]

_OURS = re.compile(r"\.simdup-(\d+-[a-z0-9_]{8}|[0-9a-f]{16}\.lock)")
# What systems say where a file cannot have two names.
_NO_LINKS = (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
# Synced at the same time: ext4 then commits many files at once, 3,000 in 0.34 s rather than 0.65.
_SYNCS = 16

# Descriptors that hold locks. Workers close them: the lock of a killed run must not live on.
_held: set[int] = set()


@contextmanager
def beside(target: str, name: str = "", replace: bool = True) -> Iterator[str]:
    """Yield an unused name; what is made there becomes the target if all goes well.

    It is synced, and then published in one step.  A file replaces a file that was there at the
    beginning, if `replace` is set, and never one that appeared meanwhile.  A folder replaces at
    most an empty folder.  A symbolic link is replaced, not followed.  The target is as it was if
    the block raises; nothing is left beside it either way.  Errors call it by `name`, if not by
    its path.

    Raises
    ------
    SimdupError
        If what was made cannot take the target's place, or must not.
    """
    folder, base = os.path.split(os.path.abspath(target))
    replace = replace and os.path.lexists(target)
    with ExitStack() as stack:
        with _explain(name or target):
            path = os.path.join(stack.enter_context(work_folder(folder)), base)
        yield path
        with _explain(name or target):
            _publish(path, os.path.join(folder, base), replace)


@contextmanager
def work_folder(parent: str) -> Iterator[str]:
    """Yield a new folder in a folder, for the time being; remove what killed runs left there."""
    _remove_leftovers(parent)
    path, descriptor = _make_locked(parent)
    try:
        yield path
    finally:
        _remove(path)
        _release(descriptor)


@contextmanager
def reserve(target: str, parents: bool = False) -> Iterator[None]:
    """Keep other runs from writing to a target; make the folders it is in if `parents` is set.

    The lock file is beside the target, or in it if it is a folder that is written into.

    Raises
    ------
    SimdupError
        If another run is writing to it; it says which process.
    """
    real = os.path.realpath(target)
    folder, base = (real, "") if writes_into(real) else os.path.split(real)
    path = os.path.join(folder, f".simdup-{_digest(base)}.lock")
    with ExitStack() as stack:
        with _explain(target):
            if parents:
                stack.enter_context(_parents(folder))
            descriptor = _lock_file(path, target)
        try:
            yield
        finally:
            with suppress(OSError):
                os.unlink(path)
            _release(descriptor)


def writes_into(folder: str) -> bool:
    """Return whether a target is a folder that cannot be replaced: a filled one, or a disk."""
    return os.path.isdir(folder) and (bool(entries(folder)) or os.path.ismount(folder))


def entries(folder: str) -> list[str]:
    """Return the names in a folder, without those of work that goes on."""
    return [name for name in os.listdir(folder) if not _OURS.fullmatch(name)]


def sync(stream: IO[bytes]) -> None:
    """Wait until what was written has reached the disk."""
    stream.flush()
    os.fsync(stream.fileno())


def sync_path(path: str) -> None:
    """Wait until a file, or all that is in a folder, has reached the disk."""
    if os.path.islink(path):
        return
    paths = [path]
    for folder, _, files in os.walk(path):
        paths.append(folder)
        paths += [os.path.join(folder, name) for name in files]
    if len(paths) == 1:
        sync_one(path)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_SYNCS) as pool:
        list(pool.map(sync_one, paths))


def sync_one(path: str) -> None:
    """Sync one file or folder; what other names lead to was on the disk before."""
    status = os.lstat(path)
    linked = stat.S_ISREG(status.st_mode) and status.st_nlink > 1
    if os.name == "nt" or linked or stat.S_ISLNK(status.st_mode):
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:
        return  # its owner may write it and not read it
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
    """Rename a folder; the system refuses if that would replace anything but an empty one."""
    mode = stat.S_IMODE(os.stat(path).st_mode)
    # A folder that its owner must not write to cannot be moved to another one.
    os.chmod(path, mode | stat.S_IRWXU)
    os.rename(path, target)
    if mode | stat.S_IRWXU != mode:
        os.chmod(target, mode)


def _link(path: str, target: str) -> None:
    """Rename a file, if there is nothing at the target."""
    try:
        os.link(path, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Without links, an empty file takes the place first; a kill just now leaves it there.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(path, target)


@contextmanager
def _explain(name: str) -> Iterator[None]:
    """Name the target that cannot be written as the user does."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY):
            what = "appeared while this ran, and stays as it is"
            raise SimdupError(name, what, "run it again with another name") from None
        raise unwritable(name, error) from None


@contextmanager
def _parents(folder: str) -> Iterator[None]:
    """Make a folder and those it is in; remove those that are still empty in the end."""
    made = []
    while not os.path.lexists(folder):
        made.append(folder)
        folder = os.path.dirname(folder)
    try:
        for folder in reversed(made):
            with suppress(FileExistsError):
                os.mkdir(folder)
        yield
    finally:
        with suppress(OSError):
            for folder in made:
                os.rmdir(folder)


def _digest(name: str) -> str:
    return hashlib.blake2b(os.fsencode(name), digest_size=8).hexdigest()


def _lock_file(path: str, target: str) -> int | None:
    """Make a lock file that says who has it, and return its descriptor, if it can be locked."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        try:
            locked = _lock(descriptor)
        except BlockingIOError:
            holder = os.read(descriptor, 20).decode("ascii", "replace").strip()
            os.close(descriptor)
            what = f"another simdup is writing it (process {holder or 'unknown'})"
            raise SimdupError(target, what, "wait until it is done, or name another one") from None
        if not locked:
            os.close(descriptor)
            return None
        if _is(descriptor, path):
            os.ftruncate(descriptor, 0)
            os.write(descriptor, b"%d\n" % os.getpid())
            return descriptor
        _release(descriptor)  # another run has just ended and removed it


def _make_locked(parent: str) -> tuple[str, int | None]:
    """Make a folder for this process alone; return the descriptor that holds its lock too."""
    while True:
        path = tempfile.mkdtemp(prefix=f".simdup-{os.getpid()}-", dir=parent)
        # Before it is locked, another run may take it for a leftover.
        with suppress(BlockingIOError):
            descriptor = _open_locked(path)
            if _is(descriptor, path) if descriptor is not None else os.path.isdir(path):
                return path, descriptor
            _release(descriptor)


def _open_locked(path: str) -> int | None:
    """Open a path and take its lock; None where that is impossible.

    It raises BlockingIOError if another process has the lock.
    """
    if fcntl is None:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if _lock(descriptor):
            return descriptor
    except BlockingIOError:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _lock(descriptor: int) -> bool:
    """Lock a descriptor and return True; False where the system or the disk cannot.

    It raises BlockingIOError if another process has the lock.
    """
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    _held.add(descriptor)
    return True


def _is(descriptor: int, path: str) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    return False


def _release(descriptor: int | None) -> None:
    if descriptor in _held:
        _held.discard(descriptor)
        os.close(descriptor)


def _release_all() -> None:
    for descriptor in list(_held):
        _release(descriptor)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_all)


def _remove_leftovers(parent: str) -> None:
    """Remove work folders and locks of processes that are gone, if they are this user's."""
    try:
        names = [name for name in os.listdir(parent) if _OURS.fullmatch(name)]
    except OSError:
        return
    for name in names:
        path = os.path.join(parent, name)
        with suppress(BlockingIOError):
            descriptor = _open_locked(path)
            if descriptor is not None and os.fstat(descriptor).st_uid == os.geteuid():
                _remove(path)
            _release(descriptor)


def _remove(path: str) -> None:
    """Remove a file or folder, as far as possible."""
    if not os.path.isdir(path) or os.path.islink(path):
        with suppress(OSError):
            os.unlink(path)
        return
    shutil.rmtree(path, ignore_errors=True)
    if os.path.isdir(path):
        # Folders whose owner must not write to them, made after such ones of a SOURCE.
        for folder, _, _ in os.walk(path):
            with suppress(OSError):
                os.chmod(folder, stat.S_IRWXU)
        shutil.rmtree(path, ignore_errors=True)
