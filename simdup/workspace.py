"""Folders to work in, and locks on what is being written.

What is being made is in a work folder beside its target, which nobody else can read.  A process
holds the lock (`flock`) of its work folders as long as it lives, so the next run can tell what a
killed one left behind, whatever the process numbers.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from simdup.errors import SimdupError, unwritable

try:
    import fcntl
except ImportError:  # Windows: no locks, and nothing is cleaned up after killed runs
    fcntl = None  # type: ignore[assignment]

_OURS = re.compile(r"\.simdup-(\d+-[a-z0-9_]{8}|[0-9a-f]{16}\.lock)")
# Descriptors that hold locks. Workers close them: the lock of a killed run must not live on.
_held: set[int] = set()


@contextmanager
def work_folder(parent: str) -> Iterator[str]:
    """Yield a new folder in a folder, for the time being; remove what killed runs left there."""
    _remove_leftovers(parent)
    path, descriptor = "", None
    # A signal may come as soon as the folder is there.
    try:
        while not path:
            path = os.path.join(parent, f".simdup-{os.getpid()}-{os.urandom(4).hex()}")
            try:
                descriptor = _lock_new(path)
            except (FileExistsError, BlockingIOError):
                path = ""
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
        try:
            if parents:
                stack.enter_context(_parents(folder))
            descriptor = _lock_file(path, target)
        except OSError as error:
            raise unwritable(target, error) from None
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


def walk(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the folders below a folder as `os.walk` does, but however deep they are."""
    pending = [top]
    while pending:
        folder = pending.pop()
        with suppress(OSError), os.scandir(folder) as found:
            folders, files = list[str](), list[str]()
            for one in found:
                (folders if one.is_dir(follow_symlinks=False) else files).append(one.name)
            yield folder, folders, files
            pending += [os.path.join(folder, name) for name in reversed(folders)]


def make_folders(folder: str) -> None:
    """Make a folder and those that it is in, however deep."""
    for one in reversed(_missing(folder)):
        with suppress(FileExistsError):
            os.mkdir(one)


def _missing(folder: str) -> list[str]:
    """Return a folder and those that it is in, up to the first that exists."""
    missing = []
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


@contextmanager
def _parents(folder: str) -> Iterator[None]:
    """Make a folder and those it is in; remove those that are still empty in the end."""
    made = _missing(folder)
    try:
        make_folders(folder)
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


def _lock_new(path: str) -> int | None:
    """Make a folder for this process alone; return the descriptor that holds its lock.

    It raises FileExistsError or BlockingIOError if another process was quicker.
    """
    os.mkdir(path, stat.S_IRWXU)
    descriptor = _open_locked(path)
    # Before it was locked, another run may have taken it for a leftover.
    if _is(descriptor, path) if descriptor is not None else os.path.isdir(path):
        return descriptor
    _release(descriptor)
    raise BlockingIOError


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
    # Some folders are made after those of a SOURCE, which their owner must not write to.
    folders = [path]
    with suppress(OSError):
        os.chmod(path, stat.S_IRWXU)
    for folder, below, files in walk(path):
        for name in files:
            with suppress(OSError):
                os.unlink(os.path.join(folder, name))
        for name in below:
            folders.append(os.path.join(folder, name))
            with suppress(OSError):
                os.chmod(folders[-1], stat.S_IRWXU)
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)
