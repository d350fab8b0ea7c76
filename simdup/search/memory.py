"""The memory limit of results, so that a request that is too large fails early."""

import os

from simdup.errors import SimdupError


def free_memory() -> int:
    """Return the bytes of free memory if the system reports them, otherwise 4 GiB."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        # If only the total is known, assume that half of it is free.
        return int(os.sysconf("SC_PAGE_SIZE")) * int(os.sysconf("SC_PHYS_PAGES")) // 2
    except (AttributeError, ValueError, OSError):
        return 4 << 30


def too_many(pairs: int, copies: str) -> SimdupError:
    """Return the error for at least `pairs` pairs."""
    hint = "`iter_pairs` yields them in chunks; a smaller `distance` finds fewer; raise `memory`"
    if copies == "all":
        hint = "set `copies` to first to pair each duplicate with the first only; " + hint
    return SimdupError("pairs", f"{pairs:,} or more pairs do not fit in memory", hint)
