"""How much a result may take: known before it is taken, so that a request too large is told so."""

import os

from simdup.errors import SimdupError


def free_memory() -> int:
    """Give the bytes of memory that are free, as far as the system tells; else 4 GiB."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        # Where only the whole is known, half of it is a guess at what is free.
        return int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES")) // 2
    except (AttributeError, ValueError, OSError):
        return 4 << 30


def room_for(each: int, memory: int | None) -> int:
    """Count the pairs of `each` bytes that fit in `memory` bytes, or in what is free."""
    return (free_memory() if memory is None else memory) // each


def too_many(pairs: int, copies: str) -> SimdupError:
    """Give the error for so many pairs, or more."""
    hint = "iter_pairs gives them in blocks; a smaller distance finds fewer"
    if copies == "all":
        hint = 'copies="first" pairs each copy with the first only; ' + hint
    return SimdupError("pairs", f"{pairs:,} or more pairs do not fit in memory", hint)
