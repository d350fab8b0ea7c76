"""Symbols, equal runs of them around seeds, and what two stretches have in common.

*Symbols* are what `simdup.reuse.symbols` says.

*Runs.*  Seeds on one diagonal, with one distance between their two places, that lie in one run
extend to the same run.  So seeds come in order of diagonals and places, and those that lie in the
run before are passed over: however long a copy is, it is gone through once.

*Chains.*  A run follows another if it begins and ends later in both texts, and at most `gap`
symbols lie between.  Two runs are joined if each is the nearest of the other, so one run has at
most one before it.  Only runs that begin about where another ends are looked at, and none of a
stretch whose runs together are too short.

*Behind a difference* two texts are in step again where enough symbols are equal: the nearest such
places, by the sum of both distances, and of those the ones most alike.

*In common* is the longest common subsequence, by the rows of the usual table.

References
----------
R. Wagner, M. Fischer, "The string-to-string correction problem", JACM 21, 1974.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from simdup.kernels.arrays cimport GOLDEN, cuts, mix, require

cdef enum:
    # Kinds of characters.
    SPACE = 1
    WORD = 3
    # Characters.
    FEED = 10
    RETURN = 13
    TYPED_HYPHEN = 0x2D
    HYPHEN = 0x2010

cdef uint32_t HALF = <uint32_t>1 << 31


cdef int64_t divided(const uint32_t[::1] codes, const uint8_t[::1] kinds, int64_t begin,
                     int64_t end, int64_t most, int64_t longest) noexcept nogil:
    """Return the end of a word, with the rest of it if a hyphen divides it at the end of a line.

    Digits are no word that a hyphen divides: they are years, or pages.
    """
    cdef int64_t at = end, letters = end - begin, last
    if at >= most or codes[at] not in (HYPHEN, TYPED_HYPHEN) or digit(codes[at - 1]):
        return end
    at += 1
    if at < most and codes[at] == RETURN:
        at += 1
    if at >= most or codes[at] != FEED:
        return end
    at += 1
    while at < most and kinds[at] == SPACE and codes[at] not in (RETURN, FEED):
        at += 1
    if at >= most or kinds[at] != WORD or digit(codes[at]):
        return end
    last = at
    while last < most and kinds[last] == WORD:
        last += 1
    return last if letters + last - at <= longest else end


cdef inline bint digit(uint32_t code) noexcept nogil:
    return 48 <= code <= 57


def cut(const uint32_t[::1] codes, const int64_t[::1] ends, const uint8_t[::1] kinds, int longest):
    """Return texts as symbols.

    Parameters
    ----------
    codes, ends : uint32[m], int64[texts + 1]
        Code points, where each text begins, and the end.
    kinds : uint8[m]
        1 for white space, 3 for the letters of words, 2 for all other characters.
    longest : int
        Letters of a word; those of a longer run are symbols of their own.

    Returns
    -------
    starts : int64[texts + 1]
        Where the symbols of each text begin, and the end.
    symbols : uint32[n]
    begins, ends : int64[n]
        Where the characters of each symbol begin and end in `codes`.

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    """
    require(cuts(ends, codes.shape[0]) and kinds.shape[0] == codes.shape[0])
    cdef int64_t texts = ends.shape[0] - 1, text, i, k, end, out = 0
    cdef uint64_t value, power
    # Pages of these arrays that are not used take no memory.
    made_starts, made = np.zeros(texts + 1, np.int64), np.empty(2 * codes.shape[0], np.uint32)
    places = np.empty((2, 2 * codes.shape[0]), np.int64)
    cdef int64_t[::1] starts = made_starts
    cdef uint32_t[::1] symbols = made
    cdef int64_t[:, ::1] spans = places
    with nogil:
        for text in range(texts):
            i = ends[text]
            while i < ends[text + 1]:
                end = i + 1
                while kinds[i] == WORD and end < ends[text + 1] and kinds[end] == WORD:
                    end += 1
                if kinds[i] == WORD and end - i <= longest:
                    end = divided(codes, kinds, i, end, ends[text + 1], longest)
                    value, power = 0, 1
                    for k in range(i, end):
                        if kinds[k] != WORD:
                            continue
                        power *= GOLDEN
                        value += codes[k] * power
                    value = mix(value)
                    symbols[out] = <uint32_t>(value >> 32) | HALF
                    symbols[out + 1] = <uint32_t>value | HALF
                    for k in range(2):
                        spans[0, out], spans[1, out] = i, end
                        out += 1
                elif kinds[i] != SPACE:
                    for k in range(i, end):
                        symbols[out] = codes[k]
                        spans[0, out], spans[1, out] = k, k + 1
                        out += 1
                i = end
            starts[text + 1] = out
    return made_starts, made[:out], places[0, :out], places[1, :out]


def equal_runs(const uint32_t[::1] symbols, const uint64_t[::1] seeds, int64_t k):
    """Return the maximal equal runs around seeds, each once.

    Parameters
    ----------
    symbols : uint32[m]
        All texts; a symbol behind each is in no other place.
    seeds : uint64[n]
        Ascending: the distance from the first place to the second, times 2**32, and the first.
    k : int
        Symbols from a seed on that are equal at least: seeds may be equal by their hashes only.

    Returns
    -------
    a, b, lengths : int64[runs]
        Where each begins, by diagonals, and its length.

    Raises
    ------
    ValueError
        If seeds are not in order, or not places of `symbols`.
    """
    cdef int64_t n = symbols.shape[0], count = seeds.shape[0], seed, runs = 0
    cdef int64_t a, gap, left, right, last = 0, end = -1
    for seed in range(count):
        require(not seed or seeds[seed - 1] <= seeds[seed])
        require(<int64_t>(seeds[seed] >> 32) + <int64_t><uint32_t>seeds[seed] < n)
    made = np.empty((3, count), np.int64)
    cdef int64_t[:, ::1] found = made
    with nogil:
        for seed in range(count):
            gap, a = <int64_t>(seeds[seed] >> 32), <int64_t><uint32_t>seeds[seed]
            if gap == last and a < end or not gap:
                continue
            right, left = 0, 0
            while a + gap + right < n and symbols[a + right] == symbols[a + gap + right]:
                right += 1
            if right < k:
                continue
            while left < a and symbols[a - left - 1] == symbols[a + gap - left - 1]:
                left += 1
            found[0, runs], found[1, runs] = a - left, a + gap - left
            found[2, runs] = left + right
            last, end = gap, a + right
            runs += 1
    return made[0, :runs], made[1, :runs], made[2, :runs]


def chains(
    const int64_t[::1] a, const int64_t[::1] b, const int64_t[::1] lengths,
    const int64_t[::1] pairs, int64_t gap, int64_t least,
):
    """Join runs that follow each other.

    Parameters
    ----------
    a, b, lengths : int64[n]
        Where each run begins, and its length: by pair of texts, then by a and b.
    pairs : int64[n]
        The pair that each belongs to, ascending.
    gap : int
        Most symbols between two that are joined, in either text.
    least : int
        Symbols of a chain: runs that can be of none with so many stay alone.

    Returns
    -------
    first, before, overlaps : int64[n]
        The first run of the chain that each is in, the run before it, -1 for none, and how many of
        its symbols belong to that one.

    Raises
    ------
    ValueError
        If the arrays are not of one length, or not in order.
    """
    cdef int64_t n = len(pairs), low = 0, high, row, reach, symbols
    require(len(a) == n and len(b) == n and len(lengths) == n)
    for row in range(1, n):
        require(pairs[row - 1] < pairs[row] or pairs[row - 1] == pairs[row] and a[row - 1] <= a[row])
    made, spaces = np.zeros((3, n), np.int64), np.empty((3, n), np.int64)
    made[0], made[1] = np.arange(n), -1
    cdef int64_t[:, ::1] found = made, space = spaces
    with nogil:
        while low < n:
            # Runs farther than a gap from all others in a are of no chain with these.
            high, reach, symbols = low, a[low], 0
            while high < n and pairs[high] == pairs[low] and a[high] - reach <= gap:
                reach = max(reach, a[high] + lengths[high])
                symbols += lengths[high]
                high += 1
            if symbols >= least:
                join(a, b, lengths, low, high, gap, found, space)
            low = high
    return made[0], made[1], made[2]


cdef void join(
    const int64_t[::1] a, const int64_t[::1] b, const int64_t[::1] lengths,
    int64_t low, int64_t high, int64_t gap, int64_t[:, ::1] found, int64_t[:, ::1] space,
) noexcept nogil:
    cdef int64_t[::1] first = found[0], before = found[1], overlaps = found[2]
    # The nearest run after each, its distance, and that of the nearest one before.
    cdef int64_t[::1] after = space[0], to_after = space[1], to_before = space[2]
    cdef int64_t i, j, end, left, middle, right, distance
    for i in range(low, high):
        after[i], to_after[i], to_before[i] = -1, gap + 1, gap + 1
    for i in range(low, high):
        # What begins long before a run ends is not its continuation, but a repetition within it.
        end, left, right = a[i] + lengths[i], i + 1, high
        while left < right:
            middle = (left + right) // 2
            if a[middle] < end - gap:
                left = middle + 1
            else:
                right = middle
        for j in range(left, high):
            if a[j] > end + gap:
                break
            if (
                a[j] == a[i] or b[j] <= b[i]
                or a[j] + lengths[j] <= end or b[j] + lengths[j] <= b[i] + lengths[i]
            ):
                continue
            distance = max(a[j] - a[i], b[j] - b[i]) - lengths[i] + overlap(a, b, lengths, i, j)
            if distance < to_after[i]:
                after[i], to_after[i] = j, distance
            if distance < to_before[j]:
                before[j], to_before[j] = i, distance
    for j in range(low, high):
        i = before[j]
        if i >= 0 and after[i] == j:
            first[j], overlaps[j] = first[i], overlap(a, b, lengths, i, j)
        else:
            before[j] = -1


cdef inline int64_t overlap(
    const int64_t[::1] a, const int64_t[::1] b, const int64_t[::1] lengths, int64_t i, int64_t j,
) noexcept nogil:
    """Return how many symbols of run i the run j after it has again, in either text."""
    return max(0, lengths[i] - min(a[j] - a[i], b[j] - b[i]))


def in_step_again(
    const uint32_t[::1] symbols, const int64_t[:] a, const int64_t[:] b,
    const int64_t[:] most_a, const int64_t[:] most_b, int64_t least, int step,
):
    """Return where two texts are equal again behind a difference, and for how long.

    Parameters
    ----------
    symbols : uint32[m]
        All texts; a symbol behind each is in no other place.
    a, b : int64[n]
        Where both texts begin to differ.
    most_a, most_b : int64[n]
        Symbols of a difference.
    least : int
        Symbols that are equal behind it.
    step : int
        1 forwards; -1 backwards, then differences end before `a` and `b`.

    Returns
    -------
    int64[3, n]
        Symbols of the difference in either text, and those that are equal behind it; 0 for the last
        if there are not enough.

    Raises
    ------
    ValueError
        If the differences are not in `symbols`, or reach its end.
    """
    cdef int64_t n = symbols.shape[0], count = a.shape[0], row, total, i, x, y, equal, nearest
    require(b.shape[0] == count and most_a.shape[0] == count and most_b.shape[0] == count)
    require((step == 1 or step == -1) and least > 0)
    for row in range(count):
        require(most_a[row] >= 0 and most_b[row] >= 0 and 0 <= a[row] <= n and 0 <= b[row] <= n)
        for x, y in ((a[row], most_a[row]), (b[row], most_b[row])):
            require(x + y < n if step > 0 else x > y)
    made = np.zeros((3, count), np.int64)
    cdef int64_t[:, ::1] found = made
    # Backwards, the symbol before a place is the first one.
    cdef int64_t back = step < 0
    nearest = 0
    with nogil:
        for row in range(count):
            for total in range(most_a[row] + most_b[row] + 1):
                for i in range(max(0, total - most_b[row]), min(total, most_a[row]) + 1):
                    x, y, equal = a[row] - back + step * i, b[row] - back + step * (total - i), 0
                    while 0 <= x < n and 0 <= y < n and symbols[x] == symbols[y]:
                        x, y, equal = x + step, y + step, equal + 1
                    if equal >= least and (
                        not found[2, row] or max(2 * i - total, total - 2 * i) <= nearest
                    ):
                        nearest = max(2 * i - total, total - 2 * i)
                        found[0, row], found[1, row], found[2, row] = i, total - i, equal
                if found[2, row]:
                    break
    return made


def common_lengths(const uint32_t[::1] symbols, const int64_t[:, ::1] a, const int64_t[:, ::1] b):
    """Return the length of the longest common subsequence of each pair of stretches.

    Parameters
    ----------
    symbols : uint32[m]
    a, b : int64[n, 2]
        Where each stretch begins and ends.  The time is the product of both lengths.

    Returns
    -------
    int64[n]

    Raises
    ------
    ValueError
        If a stretch is not one of `symbols`.
    """
    cdef int64_t n = symbols.shape[0], count = a.shape[0], pair, i, j, above, before, widest = 0
    require(b.shape[0] == count and a.shape[1] == 2 and b.shape[1] == 2)
    for pair in range(count):
        require(0 <= a[pair, 0] <= n and a[pair, 1] <= n)
        require(0 <= b[pair, 0] <= n and b[pair, 1] <= n)
        widest = max(widest, b[pair, 1] - b[pair, 0])
    made = np.zeros(count, np.int64)
    cdef int64_t[::1] found = made, row = np.empty(widest + 1, np.int64)
    with nogil:
        for pair in range(count):
            if a[pair, 0] >= a[pair, 1] or b[pair, 0] >= b[pair, 1]:
                continue
            row[:] = 0
            for i in range(a[pair, 0], a[pair, 1]):
                before = 0  # of the row above, one place before
                for j in range(b[pair, 1] - b[pair, 0]):
                    above = row[j + 1]
                    if symbols[i] == symbols[b[pair, 0] + j]:
                        row[j + 1] = before + 1
                    else:
                        row[j + 1] = max(above, row[j])
                    before = above
            found[pair] = row[b[pair, 1] - b[pair, 0]]
    return made
