"""Open files without waiting for them, and read whole files without filling the memory."""

from __future__ import annotations

import errno
import os
import stat
from typing import IO, Any

from simdup.base.errors import NOT_REGULAR, SimdupError, unreadable
from simdup.base.system import open_at_once

# The most bytes of a file that an option names: a model of 89 million terms.
MOST_NAMED = 1 << 30
_PIECE = 1 << 19  # bytes that are read at a time
# The time to parse a key of TOML grows with the square of its dots.
_MOST_DOTS = 1000


def open_regular(path: str) -> IO[bytes]:
    """Open a regular file; a named pipe in its place would be waited for forever.

    Raises
    ------
    OSError
        If it cannot be opened, or is another kind of file.
    """
    raw = open(path, "rb", opener=open_at_once)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(raw.fileno()).st_mode):
        raw.close()
        raise OSError(errno.EINVAL, NOT_REGULAR)
    return raw


def read_up_to(stream: IO[bytes], size: int) -> bytes:
    """Return the content of a stream, or at most `size` bytes of it."""
    # In pieces, because a stream allocates all the memory it is asked for.
    content = stream.read(min(size, _PIECE))
    if len(content) < _PIECE:
        return content
    pieces = [content]
    size -= len(content)
    while piece := stream.read(min(size, _PIECE)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def read_named(path: str, hint: str = "", most: int = MOST_NAMED) -> bytes:
    """Return the content of a file that an option or a configuration names.

    It must be a regular one: a device may have no end, and a pipe nobody who writes to it.

    Raises
    ------
    SimdupError
        If it cannot be read, is another kind of file, or has more than `most` bytes.
    """
    try:
        with open_regular(path) as stream:
            # The size that is declared is not enough: some files of /proc declare none.
            large = os.fstat(stream.fileno()).st_size > most
            content = b"" if large else read_up_to(stream, most + 1)
    except OSError as error:
        raise unreadable(path, error, hint) from None
    except ValueError:  # a NUL
        raise SimdupError(path, "is not the name of a file", hint) from None
    if large or len(content) > most:
        raise SimdupError(path, f"larger than {most >> 20} MB", hint)
    return content


def parsed_toml(path: str, content: bytes, hint: str = "") -> dict[str, Any]:
    """Return the tables of a TOML file.

    Raises
    ------
    SimdupError
        If it is not valid.
    """
    import tomllib

    nested = SimdupError(path, "is not valid TOML: nested too deeply", hint)
    if any(line.count(b".") > _MOST_DOTS for line in content.split(b"\n")):
        raise nested
    try:
        # Some editors begin a file with a byte order mark.
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise SimdupError(path, "is not UTF-8", hint) from None
    except tomllib.TOMLDecodeError as error:
        what = str(error)
        raise SimdupError(path, f"is not valid TOML: {what[:1].lower()}{what[1:]}", hint) from None
    except ValueError:  # Python converts no more than 4,300 digits
        raise SimdupError(path, "is not valid TOML: a number has too many digits", hint) from None
    except RecursionError:
        raise nested from None
