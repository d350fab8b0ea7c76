"""What differs between Linux, macOS and Windows: no other module asks which system it runs on."""

from __future__ import annotations

import errno
import glob
import os
import re
import signal
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]
try:
    import resource
except ImportError:  # nor limits of a process
    resource = None  # type: ignore[assignment]

WINDOWS = sys.platform == "win32"
# Whether processes are forked, and so share what the parent has loaded.  On macOS a forked process
# may crash in the system's libraries.
FORKS = sys.platform == "linux"
# How a person ends what is typed.
END_OF_INPUT = "Ctrl-Z and Enter end" if WINDOWS else "Ctrl-D ends"
# Signals that ask a process to end.
END_SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
]
# The mode of a folder for this process alone.  Windows takes this one for a list of who may read
# it, which the files keep that are moved out of it.
PRIVATE = 0o777 if WINDOWS else stat.S_IRWXU
# Windows waits for 63 processes at a time.
MOST_PROCESSES = 60 if WINDOWS else sys.maxsize
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)  # Windows opens links only
# What imports and a small corpus need.  numpy, scipy and scikit-learn alone need 285 MB of address
# space: with less, imports fail halfway, or OpenBLAS retries for ten minutes.
_LEAST = {"RLIMIT_AS": ("address space", 350_000_000), "RLIMIT_DATA": ("data", 100_000_000)}
# Errors of a pipe whose reader has ended.
_GONE = (errno.EPIPE, errno.EINVAL) if WINDOWS else (errno.EPIPE,)
# Seconds to wait for a scanner, which on Windows keeps open what was just written.
_WAITS = (0, 0.05, 0.1, 0.2, 0.4, 0.8) if WINDOWS else ()


# -- the machine --


def cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def free_memory() -> int:
    """Return the bytes of free memory if the system reports them, otherwise 4 GiB."""
    with suppress(OSError), open("/proc/meminfo", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    try:
        # If only the total is known, assume that half of it is free.
        return int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES")) // 2
    except (AttributeError, ValueError, OSError):
        return 4 << 30


def slow_features() -> str:
    """Return the processor features that slow numpy down, as it names them; empty if none do.

    Its AVX-512 sort uses an instruction that is slow on AMD processors: sorting a million numbers
    takes 127 ms with it and 20 ms with AVX2.
    """
    with suppress(OSError), open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        processor = file.read(4096)
        if "AuthenticAMD" in processor and "avx512f" in processor:
            return "X86_V4 AVX512_ICL"
    return ""


def low_limit() -> tuple[str, int, int] | None:
    """Return a limit of this process that leaves too little for imports: its name, bytes, need."""
    for name, (what, least) in _LEAST.items():
        number = getattr(resource, name, None)
        if resource is None or number is None:
            continue
        limit = resource.getrlimit(number)[0]
        if limit != resource.RLIM_INFINITY and limit < least:
            return what, limit, least
    return None


def user_language() -> str:
    """Return the language of the user as Windows names it; elsewhere, variables say it."""
    if not WINDOWS:
        return ""
    import locale

    return locale.setlocale(locale.LC_CTYPE)


# -- signals --


@contextmanager
def without_signals() -> Iterator[None]:
    """Hold back the signals that ask this thread to end."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, END_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# -- paths --


def portable(path: str) -> str:
    """Return a path with slashes, so that documents have the same names on every system."""
    return path.replace("\\", "/") if WINDOWS else path


def without_dot(path: str) -> str:
    """Return a path without the `./` that it may begin with: `./docs` and `docs` are the same."""
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


def ends_as_folder(path: str) -> bool:
    """Return whether a path ends with a separator, and so can only mean a folder."""
    return portable(path).endswith("/")


def expanded(source: str) -> list[str]:
    """Return the paths that a SOURCE means: Windows shells leave wildcards to the program."""
    if not WINDOWS or os.path.lexists(source):
        return [source]
    return sorted(glob.glob(source)) or [source]


def is_link(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a symbolic link, or a junction, which Windows has beside them."""
    if entry.is_symlink() or not WINDOWS:
        return entry.is_symlink()
    tag = getattr(entry.stat(follow_symlinks=False), "st_reparse_tag", 0)
    return bool(tag) and tag == getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)


def parents(path: str) -> list[str]:
    """Return the folders above a path, the nearest first, as far as it names any."""
    above = [os.path.dirname(path)]
    while above[-1] and (upper := os.path.dirname(above[-1])) != above[-1]:
        above.append(upper)
    return [folder or os.curdir for folder in above]


def _above(place: str, real: str) -> str:
    """Return a folder as the path of what is in it spells it; empty for what is elsewhere.

    Folders are compared by what they are: names may differ in case, or in how letters are composed.
    """
    if place != real and place.startswith(os.path.join(real, "")):
        return real
    with suppress(OSError):
        status = os.stat(real)
        for one in parents(place):
            if os.path.isdir(one) and os.path.samestat(os.stat(one), status):
                return one
    return ""


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path, which need not exist, is below a folder."""
    return bool(_above(os.path.realpath(path), os.path.realpath(folder)))


def identity(folder: str) -> object:
    """Return what two paths of one folder have in common, however they are spelled."""
    with suppress(OSError):
        status = os.stat(folder)
        if status.st_ino:
            return status.st_dev, status.st_ino
    return os.path.realpath(folder)


def spellings(folder: str) -> dict[str, str]:
    """Return the names in a folder by what else finds them: other cases, composed otherwise."""
    names = list[str]()
    with suppress(OSError):
        names = [] if FORKS else os.listdir(folder)
    return {composed(one).casefold(): one for one in names} | {one: one for one in names}


def composed(text: str) -> str:
    """Return a path or pattern with composed letters: macOS may list them as they are not typed."""
    if FORKS or text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text)


def listed_name(content: bytes) -> str:
    """Return a name of a list: on Windows it is in UTF-8, or as a console writes it."""
    if not WINDOWS:
        return os.fsdecode(content)
    with suppress(UnicodeDecodeError):
        return content.decode()
    return content.decode("oem", "replace")


def is_hidden(entry: os.DirEntry[str]) -> bool:
    """Return whether the system does not show an entry of a folder."""
    if entry.name.startswith(".") or not WINDOWS:
        return entry.name.startswith(".")
    status = entry.stat(follow_symlinks=False)
    return bool(getattr(status, "st_file_attributes", 0) & stat.FILE_ATTRIBUTE_HIDDEN)


def status_of(entry: os.DirEntry[str]) -> os.stat_result:
    """Return the status of an entry that is no link; a folder of Windows has that of some time."""
    return os.stat(entry.path) if WINDOWS else entry.stat(follow_symlinks=False)


def date_of(seconds: float) -> datetime:
    """Return a time of a file; Windows knows none before 1970."""
    from datetime import datetime

    return datetime.fromtimestamp(max(seconds, 0) if WINDOWS else seconds)


def quoted(words: Iterable[str]) -> str:
    """Return a command as a person types it."""
    if WINDOWS:
        escaped = (word.replace('"', '\\"') for word in words)
        plain = r"[\w\\/.:=,+@-]+"
        return " ".join(one if re.fullmatch(plain, one) else f'"{one}"' for one in escaped)
    from shlex import join

    return join(words)


def relative(path: str, folder: str) -> str:
    """Return a path below a folder, with slashes; empty for one that is elsewhere."""
    with suppress(ValueError):  # on another drive
        parts = os.path.relpath(path, _above(path, folder) or folder).split(os.sep)
        if parts[0] != os.pardir:
            return "/".join(parts)
    return ""


def common_folder(folders: list[str]) -> str:
    """Return the deepest folder that all others are in; empty for those on several drives."""
    with suppress(ValueError):
        return os.path.commonpath(folders)
    return ""


# -- files --


def lock(descriptor: int) -> bool:
    """Lock an open file or folder; return False if the system or the disk has no locks.

    Raises
    ------
    BlockingIOError
        If another process has the lock.
    """
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def open_for_lock(path: str) -> int | None:
    """Return a descriptor of a file or folder, which `lock` takes, or None."""
    if fcntl is None:
        return None
    try:
        return os.open(path, os.O_RDONLY | NO_FOLLOW | os.O_NONBLOCK)
    except OSError:
        return None


def move(path: str, target: str, replace: bool = True) -> None:
    """Rename a file or folder, on Windows over a file that may only be read too."""
    how = os.replace if replace else os.rename
    for seconds in _WAITS:
        time.sleep(seconds)
        try:
            return how(path, target)
        except PermissionError:
            with suppress(OSError):
                os.chmod(target, stat.S_IWRITE)
    return how(path, target)


def unlink(path: str) -> None:
    """Remove a file, on Windows one that may only be read too."""
    try:
        os.unlink(path)
    except PermissionError:
        if not WINDOWS:
            raise
        os.chmod(path, stat.S_IWRITE)
        os.unlink(path)


def sync(path: str) -> None:
    """Wait until a file or folder has reached the disk."""
    if WINDOWS:  # it syncs only what is open for writing
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


def open_at_once(path: str, flags: int) -> int:
    """Open a file without waiting, as the opener of `open`: nobody may write to a named pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def reserve_room(descriptor: int, size: int) -> bool:
    """Reserve room for a file on the disk; return False if the system cannot.

    Raises
    ------
    OSError
        If there is no room.
    """
    reserve = getattr(os, "posix_fallocate", None)
    if reserve is None:
        return False
    reserve(descriptor, 0, size)
    return True


def is_closed_pipe(error: OSError) -> bool:
    """Return whether standard output failed because its reader has ended."""
    return isinstance(error, BrokenPipeError) or (error.errno in _GONE and error.filename is None)


def understands_colors() -> bool:
    """Return whether a terminal can show colours; a console of Windows is told to."""
    if WINDOWS:
        try:
            import colorama
        except ImportError:  # click brings it
            return False
        colorama.just_fix_windows_console()
    return True
