"""Characters by table: what each folds to, what kind it is, and what is left of a text.

A *table* has a value for each code point.  It fills itself: Python is asked once a character, so a
loop only looks up what occurs.  A batch of texts is one array of code points, `codes` (uint32[m]),
and where each text begins in it and the last one ends, `ends` (int64[texts + 1]).

All take time proportional to the text.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t

import numpy as np

from simdup.kernels.arrays cimport cuts, require

cdef enum:
    CODES = 0x110000
    # Marks above every code point; see `simdup.text.characters`.
    COMBINING = CODES + 1
    SEVERAL = CODES + 2
    # Kinds; see `simdup.text.short_texts`.
    AFTER_LATIN = 2
    KEPT = 3
    LATIN = 4

ctypedef fused value_t:
    uint8_t
    uint32_t


def look_up(value_t[::1] table, const uint32_t[::1] codes, value_t unknown, find):
    """Return the value of each character.

    Parameters
    ----------
    table : uint8[0x110000] or uint32[0x110000]
        Is filled where it is `unknown`.
    codes : uint32[m]
    unknown : int
    find : callable
        From a character to its value.

    Returns
    -------
    uint8[m] or uint32[m]

    Raises
    ------
    ValueError
        If `codes` has what is no code point.
    """
    require(table.shape[0] == CODES, "a table of the wrong size")
    made = np.empty(codes.shape[0], np.uint8 if value_t is uint8_t else np.uint32)
    cdef value_t[::1] values = made
    cdef value_t value
    cdef int64_t i
    with nogil:
        for i in range(codes.shape[0]):
            value = table[codes[i]] if codes[i] < CODES else unknown
            if value == unknown:
                with gil:
                    value = find(chr(codes[i]))  # `chr` raises for what is no code point
                table[codes[i]] = value
            values[i] = value
    return made


def fold(
    const uint32_t[::1] marks, const int64_t[::1] ends, const uint32_t[::1] several,
    const int64_t[::1] several_ends,
):
    """Return folded texts, and which of them must be folded step by step.

    Parameters
    ----------
    marks, ends : uint32[m], int64[texts + 1]
        What each character becomes: one code point, none or several, or nobody knows.
    several, several_ends : uint32[k], int64[strings + 1]
        The strings of marks that are no code points.

    Returns
    -------
    codes, ends : uint32[n], int64[texts + 1]
    combining : bool[texts]
        Of these texts, `codes` has what can be folded character by character.

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    """
    require(cuts(ends, marks.shape[0]) and cuts(several_ends, several.shape[0]), "ends")
    cdef int64_t texts = ends.shape[0] - 1, text, i, k, out = 0, size = 0
    cdef uint32_t mark, strings = <uint32_t>(several_ends.shape[0] - 1)
    for i in range(marks.shape[0]):
        mark = marks[i]
        if mark >= SEVERAL:
            require(mark - SEVERAL < strings, "marks of no string")
            size += several_ends[mark - SEVERAL + 1] - several_ends[mark - SEVERAL]
        else:
            size += mark < CODES
    made, made_ends = np.empty(size, np.uint32), np.zeros(texts + 1, np.int64)
    made_combining = np.zeros(texts, np.uint8)
    cdef uint32_t[::1] codes = made
    cdef int64_t[::1] new_ends = made_ends
    cdef uint8_t[::1] combining = made_combining
    with nogil:
        for text in range(texts):
            for i in range(ends[text], ends[text + 1]):
                mark = marks[i]
                if mark < CODES:
                    codes[out] = mark
                    out += 1
                elif mark >= SEVERAL:
                    for k in range(several_ends[mark - SEVERAL], several_ends[mark - SEVERAL + 1]):
                        codes[out] = several[k]
                        out += 1
                else:
                    combining[text] |= mark == COMBINING
            new_ends[text + 1] = out
    return made, made_ends, made_combining.view(np.bool_)


def letters(const uint32_t[::1] codes, const int64_t[::1] ends, const uint8_t[::1] kinds):
    """Return texts without what is no letter, digit or mark.

    The first two signs after a Latin letter stay: C++ and C# are not C.

    Parameters
    ----------
    codes, ends : uint32[m], int64[texts + 1]
    kinds : uint8[m]

    Returns
    -------
    codes, ends : uint32[n], int64[texts + 1]

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    """
    require(cuts(ends, codes.shape[0]) and kinds.shape[0] == codes.shape[0], "ends or kinds")
    cdef int64_t texts = ends.shape[0] - 1, text, i, out = 0
    made, made_ends = np.empty(codes.shape[0], np.uint32), np.zeros(texts + 1, np.int64)
    cdef uint32_t[::1] left = made
    cdef int64_t[::1] new_ends = made_ends
    cdef int signs  # that may follow
    with nogil:
        for text in range(texts):
            signs = 0
            for i in range(ends[text], ends[text + 1]):
                if kinds[i] >= KEPT or kinds[i] == AFTER_LATIN and signs:
                    left[out] = codes[i]
                    out += 1
                if kinds[i] == LATIN:
                    signs = 2
                else:
                    signs = signs - 1 if kinds[i] == AFTER_LATIN and signs else 0
            new_ends[text + 1] = out
    return made[:out], made_ends


cdef enum:
    # Kinds of characters that facts begin with; see `simdup.text.facts`.
    LETTER = 1
    DIGIT = 2
    NUMERAL = 3
    ALONE = 4  # begins a fact whatever follows
    BEFORE_NUMBER = 5  # begins one before a digit or a numeral
    PATH = 6  # begins a path, or a number without its zero
    MARGIN = 7  # begins an item or a mark at the beginning of a line, or a number
    NEW_LINE = 8
    HASH = 35  # what it marks has a name
    BRACKET = 40
    MINUS = 45
    DOT = 46
    SLASH = 47
    COLON = 58
    AT = 64
    SQUARE = 91
    Q = 113  # of a question, before its number
    # Sets of forms.
    OF_DIGITS = 0
    OF_NUMERALS = 1
    OF_HAN = 2
    OF_SIGNS = 3
    OF_WORDS = 4
    OF_JOINED = 5
    OF_BOTH = 6


cdef inline bint begins_path(
    const uint32_t[::1] codes, const uint8_t[::1] kinds, int64_t i
) noexcept nogil:
    cdef uint32_t before = codes[i - 1] if i else 0, behind
    cdef uint8_t kind = kinds[i - 1] if i else NEW_LINE, next_kind
    if i + 1 == kinds.shape[0] or kind == LETTER or kind == DIGIT:
        return False
    behind, next_kind = codes[i + 1], kinds[i + 1]
    if codes[i] == DOT and next_kind == DIGIT:
        return True
    if kind == PATH or before == COLON or before == MINUS:
        return False
    if codes[i] == SLASH:
        return (
            next_kind == LETTER or next_kind == DIGIT
            or behind == DOT or behind == MINUS or behind == AT
        )
    return behind == SLASH or codes[i] == DOT and behind == DOT


cdef inline bint begins_item(
    const uint32_t[::1] codes, const uint8_t[::1] kinds, int64_t i
) noexcept nogil:
    """Whether there can be an item's number or a mark behind the margin of a line."""
    cdef int64_t size = kinds.shape[0]
    while i < size and kinds[i] == MARGIN:
        if codes[i] == BRACKET or codes[i] == SQUARE or codes[i] >= 0x2E80:
            return True
        i += 1
    if i < size and kinds[i] == LETTER:
        return codes[i] == Q or i + 1 == size or kinds[i + 1] != LETTER
    return i < size and (kinds[i] == DIGIT or kinds[i] == NUMERAL)


def begins(
    const uint32_t[::1] codes,
    const uint8_t[::1] kinds,
    const uint8_t[::1] joining,
    const uint8_t[::1] words,
):
    """Return where in a text facts can begin.

    Parameters
    ----------
    codes : uint32[m]
    kinds : uint8[m]
        What facts each character begins.
    joining : uint8[128]
        Whether a character may follow the letters that a code or an address begins with.
    words : uint8[27 ** 3]
        Whether facts begin with words of these first three letters, 0 for none and 1 for "a".

    Returns
    -------
    places, sets : int64[n], uint8[n]
        Where, and the set of forms that can begin there.

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    """
    cdef int64_t size = codes.shape[0], i, end, out = 0, word, letter
    require(
        kinds.shape[0] == size and joining.shape[0] == 128 and words.shape[0] == 19683,
        "kinds, joining or words",
    )
    made, made_sets = np.empty(size, np.int64), np.empty(size, np.uint8)
    cdef int64_t[::1] places = made
    cdef uint8_t[::1] sets = made_sets
    cdef uint8_t kind, before = NEW_LINE, next_kind
    cdef int joined, begun
    with nogil:
        i = 0
        while i < size:
            kind = kinds[i]
            next_kind = kinds[i + 1] if i + 1 < size else NEW_LINE
            begun = -1
            end = i + 1
            if kind == LETTER:
                word = 0
                while end < size and kinds[end] == LETTER:
                    end += 1
                for letter in range(3):
                    word *= 27
                    if i + letter < end and codes[i + letter] != 95:
                        word += codes[i + letter] - 96
                joined = (
                    end + 1 < size and codes[end] < 128 and joining[codes[end]]
                    and codes[end + 1] != 32 and kinds[end + 1] != NEW_LINE
                )
                joined = joined or (end < size and kinds[end] == DIGIT)
                if words[word]:
                    begun = OF_BOTH if joined else OF_WORDS
                elif joined:
                    begun = OF_JOINED
            elif kind == DIGIT:
                begun = OF_DIGITS
                while end < size and kinds[end] == DIGIT:
                    end += 1
            elif kind == NUMERAL:
                begun = OF_NUMERALS
            elif kind == ALONE:
                begun = OF_HAN if codes[i] >= 0x2E80 else OF_SIGNS
            elif kind == BEFORE_NUMBER and (next_kind == DIGIT or next_kind == NUMERAL):
                begun = OF_HAN if codes[i] >= 0x2E80 else OF_SIGNS
            elif kind == PATH and begins_path(codes, kinds, i):
                begun = OF_SIGNS
            elif kind == MARGIN and (
                next_kind == DIGIT or next_kind == NUMERAL
                or codes[i] == HASH and next_kind == LETTER
                or before == NEW_LINE and begins_item(codes, kinds, i)
            ):
                begun = OF_SIGNS
            if begun >= 0:
                places[out] = i
                sets[out] = begun
                out += 1
            before = kind
            i = end
    return made[:out], made_sets[:out]
