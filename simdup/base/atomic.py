"""Write files and folders atomically, without replacing anything that appeared meanwhile.

Output is created in a work folder beside its target, which nobody else can read.  A process holds
the lock (`flock`) of its work folders as long as it lives, so the next run can recognize what a
killed run left behind, even if process numbers are reused.  `docs/files.md` lists the guarantees
for users.
"""

from __future__ import annotations

import atexit
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import takewhile

from simdup.base.errors import SimdupError, unwritable
from simdup.base.system import (
    NO_FOLLOW,
    PRIVATE,
    WINDOWS,
    lock,
    move,
    open_for_lock,
    parents,
    sync,
    unlink,
)
from simdup.base.when_used import pattern

# Errors of file systems without hard links.
_NO_LINKS = (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
# Files synced in parallel: ext4 then commits many at once, 3,000 in 0.34 s instead of 0.65.
_SYNCS = 16
_TRIES = 3


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
    paths = [path]
    for folder, _, files in walk(path):
        paths.append(folder)
        paths += [os.path.join(folder, name) for name in files]
    if len(paths) == 1:
        sync(path)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_SYNCS) as pool:
        list(pool.map(sync, paths))


def _publish(path: str, target: str, replace: bool) -> None:
    sync_path(path)
    if os.path.isdir(path):
        if WINDOWS and os.path.isdir(target):
            os.rmdir(target)  # a folder is renamed to no other there, not even to an empty one
        move_folder(path, target)
    elif replace:
        move(path, target)
    else:
        _link(path, target)
    with suppress(OSError):
        sync(os.path.dirname(target))


def move_folder(path: str, target: str) -> None:
    """Rename a folder; the system refuses to replace anything but an empty folder."""
    mode = stat.S_IMODE(os.stat(path).st_mode)
    # A folder without write permission cannot be moved into another folder.
    os.chmod(path, mode | stat.S_IRWXU)
    move(path, target, replace=False)
    if mode | stat.S_IRWXU != mode:
        os.chmod(target, mode)


def _link(path: str, target: str) -> None:
    """Rename a file if the target does not exist."""
    if WINDOWS:  # where a rename replaces nothing
        move(path, target, replace=False)
        return
    try:
        os.link(path, target)
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


# -- what is removed at the end --

# What removes that which this process makes: each is here before anything is made, and until it is
# removed.  A signal may arrive between any two steps, and no `finally` can be sure to be reached.
_unfinished: list[Callable[[], object]] = []


def begin(clean: Callable[[], object]) -> Callable[[], object]:
    """Note what is to be cleaned up, before it is made; return it."""
    _unfinished.append(clean)
    return clean


def finish(clean: Callable[[], object]) -> None:
    """Clean up, and forget it."""
    _surely(clean)
    drop(clean)


def _surely(clean: Callable[[], object]) -> None:
    """Clean up; do it again if a signal interrupts it, because that asks for cleaning up too."""
    try:
        clean()
    except BaseException:
        clean()
        raise


def drop(clean: Callable[[], object]) -> None:
    """Forget what has been cleaned up, or was not made."""
    with suppress(ValueError):
        _unfinished.remove(clean)


def clean_up() -> None:
    """Clean up whatever is left, the last first: what ends the process calls it as its last act."""
    _release_all()
    while _unfinished:
        _unfinished[-1]()
        _unfinished.pop()


atexit.register(clean_up)


# -- work folders and locks --

_OURS = pattern(r"\.simdup-(\d+-[a-z0-9_]{8}|[0-9a-f]{16}\.lock)")
# Descriptors that hold locks. Workers close them: the lock of a killed run must not live on.
_held: set[int] = set()


@contextmanager
def work_folder(parent: str) -> Iterator[str]:
    """Yield a temporary folder in `parent`; remove what killed runs left there."""
    _remove_leftovers(parent)
    path, descriptor = "", None
    while not path:
        path = os.path.join(parent, f".simdup-{os.getpid()}-{os.urandom(4).hex()}")
        clean = begin(partial(_remove, path))
        try:
            descriptor = _lock_new(path)
        except (FileExistsError, BlockingIOError):
            drop(clean)
            path = ""
        except OSError:
            drop(clean)
            raise
    try:
        yield path
    finally:
        # Else it was cleaned up meanwhile, and the number of the lock may be that of another one.
        if clean in _unfinished:
            try:
                finish(clean)
            finally:
                _release(descriptor)


@contextmanager
def reserve(target: str, parents: bool = False) -> Iterator[None]:
    """Keep other runs from writing to a target; with `parents`, create its parent folders.

    The lock file is beside the target, or inside if the target is a folder that is written into.

    Raises
    ------
    SimdupError
        If another run is writing to it; the error names the process.
    """
    real = os.path.realpath(target)
    folder, base = (real, "") if writes_into(real) else os.path.split(real)
    path = os.path.join(folder, f".simdup-{_digest(base)}.lock")
    with ExitStack() as stack:
        # Until it is held, it may be the lock of another run.
        unheld = partial(_remove_leftover, path)
        try:
            if parents:
                stack.enter_context(_parents(folder))
            begin(unheld)
            descriptor = _lock_file(path, target)
            clean = begin(partial(_remove, path))
        except OSError as error:
            drop(unheld)
            # A symbolic link in place of the lock file is not followed; its name helps to find it.
            raise unwritable(path if os.path.islink(path) else target, error) from None
        except SimdupError:
            drop(unheld)
            raise
        try:
            yield
        finally:
            try:
                finish(clean)
                drop(unheld)
            finally:
                _release(descriptor)


def writes_into(folder: str) -> bool:
    """Return whether a target is a folder that cannot be replaced: not empty, or a mount point."""
    return os.path.isdir(folder) and (bool(entries(folder)) or os.path.ismount(folder))


def entries(folder: str) -> list[str]:
    """Return the names in a folder, except those of simdup's work folders and locks."""
    return [name for name in os.listdir(folder) if not _OURS.fullmatch(name)]


def walk(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the folders below a folder like `os.walk`, at any depth."""
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
    """Create a folder and its parents, at any depth."""
    for one in reversed(_missing(folder)):
        with suppress(FileExistsError):
            os.mkdir(one)


def _missing(folder: str) -> list[str]:
    """Return a folder and its parents, up to the first that exists."""
    return list(takewhile(lambda one: not os.path.lexists(one), (folder, *parents(folder))))


@contextmanager
def _parents(folder: str) -> Iterator[None]:
    """Create a folder and its parents; at the end, remove those that are still empty."""
    clean = begin(partial(_remove_empty, _missing(folder)))
    try:
        make_folders(folder)
        yield
    except BaseException as error:
        _surely(clean)
        # After a signal, what is in them may be removed only later, by `clean_up`.
        if isinstance(error, Exception):
            drop(clean)
        raise
    finish(clean)


def _remove_empty(folders: list[str]) -> None:
    """Remove folders, the inner ones first, up to one that is not empty."""
    with suppress(OSError):
        for folder in folders:
            with suppress(FileNotFoundError):
                os.rmdir(folder)


def _digest(name: str) -> str:
    return hashlib.blake2b(os.fsencode(name), digest_size=8).hexdigest()


def _lock_file(path: str, target: str) -> int | None:
    """Create a lock file with the process number; return its descriptor, if it can be locked."""
    descriptor = -1
    try:
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_FOLLOW, 0o644)
            if not _lock(descriptor):
                os.close(descriptor)
                return None
            if _is(descriptor, path):
                os.ftruncate(descriptor, 0)
                os.write(descriptor, b"%d\n" % os.getpid())
                return descriptor
            _release(descriptor)  # another run has just ended and removed it
            descriptor = -1
    except BlockingIOError:
        holder = os.read(descriptor, 20).decode("ascii", "replace").strip()
        os.close(descriptor)
        what = f"another simdup is writing to it (process {holder or 'unknown'})"
        raise SimdupError(target, what, "wait until it is done, or choose another output") from None
    except BaseException:
        # A signal arrived, or the disk is full: the file is a leftover as soon as it is closed.
        _held.discard(descriptor)
        with suppress(OSError):
            os.close(descriptor)
        _remove_leftovers(os.path.dirname(path))
        raise


def _lock_new(path: str) -> int | None:
    """Create a folder for this process; return the descriptor that holds its lock.

    Raise FileExistsError or BlockingIOError if another process was faster.
    """
    os.mkdir(path, PRIVATE)
    descriptor = _open_locked(path)
    # Before it was locked, another run may have removed it as a leftover.
    if _is(descriptor, path) if descriptor is not None else os.path.isdir(path):
        return descriptor
    _release(descriptor)
    raise BlockingIOError


def _open_locked(path: str) -> int | None:
    """Open a path and lock it; return None if that is impossible.

    Raise BlockingIOError if another process has the lock.
    """
    descriptor = open_for_lock(path)
    if descriptor is None:
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
    """Lock a descriptor and return True, or False if the system or the disk has no locks.

    Raise BlockingIOError if another process has the lock.
    """
    if not lock(descriptor):
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
        # Nothing was written through it, and it is closed in any case.
        with suppress(OSError):
            os.close(descriptor)


def _release_all() -> None:
    for descriptor in list(_held):
        _release(descriptor)


def _forget_all() -> None:
    """Leave to the parent of a process what it has made."""
    _unfinished.clear()
    _release_all()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def _remove_leftovers(parent: str) -> None:
    """Remove this user's work folders and locks of processes that have ended."""
    try:
        names = [name for name in os.listdir(parent) if _OURS.fullmatch(name)]
    except OSError:
        return
    for name in names:
        _remove_leftover(os.path.join(parent, name))


def _remove_leftover(path: str) -> None:
    with suppress(BlockingIOError):
        descriptor = _open_locked(path)
        if descriptor is not None and os.fstat(descriptor).st_uid == os.geteuid():
            _remove(path)
        _release(descriptor)


def _remove(path: str) -> None:
    """Remove a file or folder, as far as possible."""
    if not os.path.isdir(path) or os.path.islink(path):
        with suppress(OSError):
            unlink(path)
        return
    # A process that is being ended may still write something meanwhile.
    for _ in range(_TRIES):
        _remove_folder(path)
        if not os.path.lexists(path):
            break


def _remove_folder(path: str) -> None:
    # Some folders are copies of SOURCE folders without write permission.
    folders = [path]
    with suppress(OSError):
        os.chmod(path, stat.S_IRWXU)
    for folder, below, files in walk(path):
        for name in files:
            with suppress(OSError):
                unlink(os.path.join(folder, name))
        for name in below:
            folders.append(os.path.join(folder, name))
            with suppress(OSError):
                os.chmod(folders[-1], stat.S_IRWXU)
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)
