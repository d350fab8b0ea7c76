"""Leaders inside components: which rows are kept, whom they take, what is connected, with few questions.

Rows are numbered in the order of keeping.  Rows that may be near share a list: a band key, a block
of bits, a rare shingle.  Whether two rows are near is expensive to tell, so `Leaders` says what to
ask, and takes the answers in batches.

*Lead.*  A row that nobody took leads.  It asks about the later rows in its lists that nobody took,
and takes those that are near.  In each list the rows that were taken and those that lead move to
its two ends, so each moves once, and a family of m rows costs O(m) questions.  Answers come in
batches, so rows ask ahead: whoever is asked about is expected to be taken, and does not ask until
it turns out that it was not.  Answers are used in the order of keeping, so they give what asking
one row after the other gives.

*Join.*  Then rows ask about taken ones of other components, until near ones are joined.  A list
remembers where its runs of rows of one component end, so that these are passed over in one step.
A row never asks again about one that it asked while that was free, nor a leader about a leader.

`PairBounds` that are never wrong drop most pairs before anybody asks:

- *Rest.*  Elements have one order in all sets, so if the sets of two rows share enough, they share
  it from their first common element on: neither has fewer elements left.
- *Odd sketches*: bit b says whether an odd number of elements map to it.  In the exclusive or of
  two sketches common elements cancel out, and every other one changes one bit.  So two sets differ
  in at least as many elements as their sketches differ in bits.
- What two sets share, counted, where these are held in memory: frequent elements are bits, and
  those of a single set are left out, so few are gone through one by one.
- *Edits* between short texts, counted by bits of the places of their characters.

References
----------
B. Galler, M. Fischer, "An improved equivalence algorithm", CACM 7 (1964).
G. Blelloch, J. Fineman, J. Shun, "Greedy sequential maximal independent set and matching are
parallel on average", SPAA 2012: answers that are used in order give the sequential result.
C. Xiao, W. Wang, X. Lin, J. Yu, "Efficient similarity joins for near duplicate detection", WWW
2008: the bound by the elements left.
G. Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic
programming", J. ACM 46 (1999), for any number of words: H. Hyyrö, "A bit-vector algorithm for
computing Levenshtein and Damerau edit distances", Nordic J. Computing 10 (2003).
M. Mitzenmacher, R. Pagh, N. Pham, "Efficient estimation for high similarities using odd sketches",
WWW 2014.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cimport cython
import numpy as np

from simdup.kernels.arrays cimport cuts, mix, require, shared

# How a list shows that its rows may be near.
cpdef enum:
    SKETCHED  # by a band key, and sketches of bytes
    PRINTED  # by a block of fingerprints, and their distance
    LISTED  # by nothing else
    KINDS

cdef enum:
    # Elements that at least this share of the sets have get bits: so many at most, 64 MB in all.
    FREQUENT = 64
    MOST_BITS = 2048
    HELD_BITS = 1 << 29
    # The largest table of counts takes 32 MB.
    MOST_SLOTS = 1 << 24
    MOST_COUNTED = 65535
    # Questions of a batch, while rows lead.
    BATCH = 4096
    # Visits that take as long as counting edits.
    EDITED = 64
    # Questions of a row in one batch, while rows join.
    WIDEST = 32
    # Answers, in bits: the rows are near, and the first may take the second.
    NEAR = 1
    TAKES = 2
# A tolerance for rounding errors.
cdef double ROUNDED = 1e-6


cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__GNUC__)
    #define ONES(value) __builtin_popcountll(value)
    #else
    static int ONES(uint64_t v) {
        v -= v >> 1 & 0x5555555555555555ULL;
        v = (v & 0x3333333333333333ULL) + (v >> 2 & 0x3333333333333333ULL);
        return (int)((v + (v >> 4) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL >> 56);
    }
    #endif
    /* Whether two sketches differ in at most so many bits; looks after every fourth word. */
    #define NEAR_WORDS(name) static int name( \\
            const uint64_t *a, const uint64_t *b, int64_t words, double most) { \\
        int64_t word, differ = 0; \\
        for (word = 0; word < words; word++) { \\
            differ += ONES(a[word] ^ b[word]); \\
            if ((word & 3) == 3 && differ > most) return 0; \\
        } \\
        return differ <= most; \\
    }
    /* How many bits two rows of them have both. */
    #define BOTH(name) static int64_t name(const uint64_t *a, const uint64_t *b, int64_t words) { \\
        int64_t word, found = 0; \\
        for (word = 0; word < words; word++) found += ONES(a[word] & b[word]); \\
        return found; \\
    }
    NEAR_WORDS(near_anywhere)
    BOTH(both_anywhere)
    /* How many of so many bytes are equal: a multiple of 16, and at most 4,080. */
    #if defined(__SSE2__) || defined(_M_X64)
    #include <emmintrin.h>
    static int64_t equal_bytes(const uint8_t *a, const uint8_t *b, int64_t size) {
        __m128i sum = _mm_setzero_si128();
        for (int64_t i = 0; i < size; i += 16)
            sum = _mm_sub_epi8(sum, _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(a + i)),
                                                   _mm_loadu_si128((const __m128i *)(b + i))));
        sum = _mm_sad_epu8(sum, _mm_setzero_si128());
        return _mm_cvtsi128_si32(sum) + _mm_extract_epi16(sum, 4);
    }
    #else
    static int64_t equal_bytes(const uint8_t *a, const uint8_t *b, int64_t size) {
        int64_t equal = 0;
        for (int64_t i = 0; i < size; i++) equal += a[i] == b[i];
        return equal;
    }
    #endif
    /* The instruction that counts bits takes a third of the time; older processors have none. */
    #if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    __attribute__((target("popcnt"))) NEAR_WORDS(near_counted)
    __attribute__((target("popcnt"))) BOTH(both_counted)
    #define near_words(a, b, words, most) (__builtin_cpu_supports("popcnt") \\
        ? near_counted(a, b, words, most) : near_anywhere(a, b, words, most))
    #define both(a, b, words) (__builtin_cpu_supports("popcnt") \\
        ? both_counted(a, b, words) : both_anywhere(a, b, words))
    #else
    #define near_words near_anywhere
    #define both both_anywhere
    #endif
    """
    bint near_words(const uint64_t *a, const uint64_t *b, int64_t words, double most) noexcept nogil
    int64_t both(const uint64_t *a, const uint64_t *b, int64_t words) noexcept nogil
    int64_t equal_bytes(const uint8_t *a, const uint8_t *b, int64_t size) noexcept nogil


cdef inline bint near(const uint64_t[:, ::1] sketches, int64_t i, int64_t j,
                      double most) noexcept nogil:
    """Return whether two sketches differ in at most so many bits."""
    if not sketches.shape[1]:
        return most >= 0
    return near_words(&sketches[i, 0], &sketches[j, 0], sketches.shape[1], most)


def odd_sketches(const int64_t[::1] starts, const uint64_t[::1] hashes, int64_t words):
    """Return the odd sketches of sets.

    Parameters
    ----------
    starts, hashes : int64[sets + 1], uint64[m]
        Set i is ``hashes[starts[i]:starts[i + 1]]``.
    words : int
        A sketch is good if it has as many bits as two similar sets have differences.

    Returns
    -------
    uint64[sets, words]
    """
    cdef int64_t sets = starts.shape[0] - 1, one, at
    require(words > 0 and cuts(starts, hashes.shape[0]))
    made = np.zeros((sets, words), np.uint64)
    cdef uint64_t[:, ::1] sketches = made
    cdef uint64_t value
    with nogil:
        for one in range(sets):
            for at in range(starts[one], starts[one + 1]):
                value = mix(hashes[at])
                sketches[one, (value >> 32) % <uint64_t>words] ^= <uint64_t>1 << (value & 63)
    return made


@cython.final
cdef class PairBounds:
    """What rules out that two rows are similar enough, without asking.

    Attributes
    ----------
    sets : bool
        Whether sets of shingles decide, except for short texts.
    forms : bool
        Whether the letters of short texts decide about their pairs.
    """

    cdef double similarity, covering, apart
    cdef uint64_t[:, ::1] bits  # of the frequent elements of each row
    cdef uint32_t[::1] rare  # the others that may be in several sets, ascending in each row
    cdef int64_t[::1] rare_starts
    cdef int64_t shortest
    cdef readonly int64_t rows
    cdef readonly bint sets, forms
    cdef const uint64_t[:, ::1] sketches, singles, doubles
    cdef const int64_t[::1] sizes, letters
    cdef const uint64_t[::1] numbers
    # Forms, and those of the row that is compared: the bits of the places of each character.
    cdef const int64_t[::1] code_starts
    cdef const uint32_t[::1] codes
    cdef int64_t words, placed
    cdef uint64_t[:, ::1] places
    cdef uint64_t[::1] up, down
    cdef uint32_t[::1] slot_code
    cdef int32_t[::1] slot_row

    def __init__(self, int64_t rows, double similarity, double covering):
        self.rows, self.similarity, self.covering = rows, similarity, covering
        # Sets that differ in d of a + b elements share (a + b - d) / 2.
        self.apart = (1 - similarity) / (1 + similarity)
        self.sets = self.forms = False
        self.words = 0

    def by_sets(self, const uint64_t[:, ::1] sketches, const int64_t[::1] starts,
                const uint32_t[::1] elements, uint32_t[::1] rare):
        """Take the odd sketches of sets, and the sets: half of each element, ascending.

        Elements with an equal half make sets seem more similar, never less.  `rare` is room for
        as many elements.
        """
        require(sketches.shape[0] == self.rows == starts.shape[0] - 1)
        require(cuts(starts, elements.shape[0]) and rare.shape[0] == elements.shape[0])
        self.sets, self.sketches, self.sizes = True, sketches, np.diff(starts)
        self.hold(starts, elements, rare)

    cdef hold(self, const int64_t[::1] starts, const uint32_t[::1] elements, uint32_t[::1] rare):
        """Keep sets so that two are compared fast: a bit for each frequent element.

        Those of a single set are in no other, so they are left out.  Elements are counted in a
        table in which some share a count, so what seems frequent may be rare, but never vice versa.
        """
        cdef int64_t m = elements.shape[0], row, at, bit, slots = 1024, kept = 0, room = 1024, bits
        cdef int64_t numbered = 0
        cdef uint32_t often = <uint32_t>min(max(self.rows // FREQUENT, 2), MOST_COUNTED), count
        cdef uint64_t place
        # Few elements of a single set seem to be in several.
        while slots < 4 * m and slots < MOST_SLOTS:
            slots *= 2
        bits = max(min(MOST_BITS, HELD_BITS // max(self.rows, 1)) // 64, 1) * 64
        while room < 2 * bits:
            room *= 2
        cdef uint16_t[::1] counts = np.zeros(slots, np.uint16)
        cdef uint32_t[::1] known = np.zeros(room, np.uint32)
        cdef int32_t[::1] bit_of = np.zeros(room, np.int32)
        self.rare_starts = np.zeros(self.rows + 1, np.int64)
        self.bits = np.zeros((self.rows, bits // 64), np.uint64)
        with nogil:
            for at in range(m):
                place = mix(elements[at]) & <uint64_t>(slots - 1)
                counts[place] += counts[place] < MOST_COUNTED
            for row in range(self.rows):
                for at in range(starts[row], starts[row + 1]):
                    place = mix(elements[at])
                    count = counts[place & <uint64_t>(slots - 1)]
                    if count == 1:
                        continue
                    bit = -1
                    # The second of two elements with one half is rare: a bit counts once.
                    if count >= often and (at == starts[row] or elements[at - 1] != elements[at]):
                        place = place >> 20 & <uint64_t>(room - 1)
                        while bit_of[place] and known[place] != elements[at]:
                            place = (place + 1) & <uint64_t>(room - 1)
                        if bit_of[place] == 0 and numbered < bits:
                            numbered += 1
                            known[place], bit_of[place] = elements[at], <int32_t>numbered
                        bit = bit_of[place] - 1
                    if bit >= 0:
                        self.bits[row, bit >> 6] |= <uint64_t>1 << (bit & 63)
                    else:
                        rare[kept] = elements[at]
                        kept += 1
                self.rare_starts[row + 1] = kept
        self.bits = np.ascontiguousarray(self.bits[:, :(numbered + 63) // 64])
        self.rare = rare

    def by_forms(self, const int64_t[::1] letters, const uint64_t[::1] numbers, int64_t shortest,
                 const uint64_t[:, ::1] singles, const uint64_t[:, ::1] doubles):
        """Take what is known of forms: letters (0: of none), a hash of numbers, and odd sketches.

        Pairs are measured by them if one has fewer letters than `shortest`.  The sketches are of
        characters and of runs of two: one edit changes two of the one, and four of the other.
        """
        require(letters.shape[0] == self.rows == numbers.shape[0])
        require(singles.shape[0] == self.rows == doubles.shape[0])
        self.forms, self.letters, self.numbers, self.shortest = True, letters, numbers, shortest
        self.singles, self.doubles = singles, doubles

    def by_letters(self, const int64_t[::1] starts, const uint32_t[::1] codes):
        """Take the forms themselves, so that edits are counted: those of row i are the characters
        ``codes[starts[i]:starts[i + 1]]``.
        """
        require(self.forms and starts.shape[0] == self.rows + 1 and cuts(starts, codes.shape[0]))
        longest = int(np.diff(starts).max(initial=1))
        self.code_starts, self.codes, self.words = starts, codes, (longest + 63) // 64
        size = 64
        while size < 4 * longest:
            size *= 2
        self.slot_code, self.slot_row = np.zeros(size, np.uint32), np.zeros(size, np.int32)
        self.places = np.zeros((longest + 1, self.words), np.uint64)
        self.up, self.down = np.zeros((2, self.words), np.uint64)
        self.placed = -1

    cdef inline double least(self, int64_t i, int64_t j) noexcept nogil:
        """Return how many elements similar sets of rows share at least."""
        return (1 - self.apart) / 2 * (self.sizes[i] + self.sizes[j]) * (1 - ROUNDED)

    cdef inline bint edited(self, int64_t i, int64_t j) noexcept nogil:
        """Return whether a pair is measured by its forms."""
        return self.forms and (0 < self.letters[i] < self.shortest
                               or 0 < self.letters[j] < self.shortest)

    cdef inline bint may(self, int64_t i, int64_t j) noexcept nogil:
        """Return whether two rows may be similar enough, by their sketches."""
        cdef double most
        cdef int64_t one, other
        if self.edited(i, j):
            one, other = self.letters[i], self.letters[j]
            if not one or not other or self.numbers[i] != self.numbers[j]:
                return False
            most = (1 - self.similarity) * max(one, other) + ROUNDED
            return (max(one, other) - min(one, other) <= most
                    and near(self.singles, i, j, 2 * most)
                    and near(self.doubles, i, j, 4 * most))
        if not self.sets:
            return True
        one, other = self.sizes[i], self.sizes[j]
        return near(self.sketches, i, j, self.apart * (one + other) + ROUNDED)

    cdef inline bint similar(self, int64_t i, int64_t j) noexcept nogil:
        """Return whether two sets that are held are similar enough, if they decide."""
        cdef int64_t one, other, most
        if self.edited(i, j):
            if not self.words:
                return True
            one, other = self.letters[i], self.letters[j]
            most = <int64_t>((1 - self.similarity) * max(one, other) + ROUNDED)
            return self.edits(i, j, most) <= most
        return not self.sets or self.common(i, j, self.least(i, j)) >= self.least(i, j)

    cdef inline bint may_take(self, int64_t i, int64_t j) noexcept nogil:
        """Return whether the first of two rows may have as much of the second as it has to."""
        if not self.sets or self.edited(i, j):
            return True
        return self.common(i, j, 0) >= self.covering * self.sizes[j] - ROUNDED

    cdef int64_t common(self, int64_t i, int64_t j, double least) noexcept nogil:
        """Return how many elements two sets seem to share; less than that need not be counted."""
        cdef int64_t found = 0, rare
        if self.bits.shape[1]:
            found = both(&self.bits[i, 0], &self.bits[j, 0], self.bits.shape[1])
        rare = min(self.rare_starts[i + 1] - self.rare_starts[i],
                   self.rare_starts[j + 1] - self.rare_starts[j])
        if found + rare >= least:
            found += shared(self.rare, self.rare_starts[i], self.rare_starts[i + 1],
                            self.rare_starts[j], self.rare_starts[j + 1])
        return found

    cdef int64_t edits(self, int64_t x, int64_t y, int64_t most) noexcept nogil:
        """Return how many edits two forms are apart, or more than `most`."""
        cdef int64_t m = self.code_starts[x + 1] - self.code_starts[x], w, c, i
        cdef int64_t n = self.code_starts[y + 1] - self.code_starts[y], words = (m + 63) // 64
        cdef int64_t score = m, row
        cdef uint64_t equal, up, down, changed, plus, minus, plus_in, minus_in, out
        cdef uint64_t last = <uint64_t>1 << ((m - 1) & 63)
        if self.placed != x:
            self.place_letters(x)
        for w in range(words):
            self.up[w], self.down[w] = ~<uint64_t>0, 0
        for c in range(n):
            row = self.slot_row[self.slot(self.codes[self.code_starts[y] + c])]
            plus_in, minus_in = 1, 0
            for w in range(words):
                equal = self.places[row, w]
                up, down = self.up[w], self.down[w]
                changed = equal | down
                equal |= minus_in
                out = (((equal & up) + up) ^ up) | equal
                plus, minus = down | ~(out | up), up & out
                if w == words - 1:
                    score += (plus & last) != 0
                    score -= (minus & last) != 0
                out = plus >> 63
                plus, plus_in = plus << 1 | plus_in, out
                out = minus >> 63
                minus, minus_in = minus << 1 | minus_in, out
                self.up[w], self.down[w] = minus | ~(changed | plus), plus & changed
            if score - (n - 1 - c) > most:
                break
        return score

    cdef void place_letters(self, int64_t x) noexcept nogil:
        """Note where each character of a form is; row 0 is for those that it lacks."""
        cdef int64_t i, at, known = 0, m = self.code_starts[x + 1] - self.code_starts[x]
        self.slot_row[:] = 0
        for i in range(m):
            at = self.slot(self.codes[self.code_starts[x] + i])
            if not self.slot_row[at]:
                known += 1
                self.slot_code[at] = self.codes[self.code_starts[x] + i]
                self.slot_row[at] = <int32_t>known
                self.places[known, :] = 0
            self.places[self.slot_row[at], i >> 6] |= <uint64_t>1 << (i & 63)
        self.placed = x

    cdef inline int64_t slot(self, uint32_t code) noexcept nogil:
        """Return the slot of a character, or the free one where it would be."""
        cdef int64_t size = self.slot_row.shape[0], at = code * <uint32_t>0x9E3779B1 >> 7 & (size - 1)
        while self.slot_row[at] and self.slot_code[at] != code:
            at = (at + 1) & (size - 1)
        return at

    def possible(self, const int64_t[::1] i, const int64_t[::1] j):
        """Return which pairs of rows may be similar enough."""
        cdef int64_t pair
        require(i.shape[0] == j.shape[0])
        for pair in range(i.shape[0]):
            require(0 <= i[pair] < self.rows and 0 <= j[pair] < self.rows)
        made = np.empty(i.shape[0], np.bool_)
        cdef uint8_t[::1] good = made.view(np.uint8)
        with nogil:
            for pair in range(i.shape[0]):
                good[pair] = self.may(i[pair], j[pair]) and self.similar(i[pair], j[pair])
        return made


@cython.final
cdef class Leaders:
    """The questions of rows that share lists; the first lines of this page say how they are asked.

    Parameters
    ----------
    bounds : PairBounds
        Of n rows, in the order of keeping.
    apart : int64[n, columns]
        Rows with an equal number in a column are never near; numbers below 0 are equal to none.
    sketches : uint8[n, size], fewest : int
        How many bytes of two rows of a list of the kind `SKETCHED` must be equal; the size is a
        multiple of 16.
    prints : uint64[n, words], distance : int
        How many bits of two rows of a list of the kind `PRINTED` may differ.
    held : bool[n]
        Rows that somebody else took: they neither lead nor are taken.

    Attributes
    ----------
    keeper : int32[n]
        The row that took each one; n for those that are `held`, -1 for those that are kept.
    spared : int32[n]
        For rows that are kept, the first one before them that is near and may not take them, or -1.
    at, visits, checked : int
        Of how many rows it is known whether they lead, how many entries of lists were looked at,
        and how many answers were used.
    joining, done : bool
        Whether it is known who leads, and whether there are no more questions.

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    """

    cdef readonly int64_t at
    cdef int64_t n, fewest, distance, front, used, answered, leading, width, active
    cdef readonly int64_t visits, checked
    cdef readonly bint joining
    cdef bint missed, rested
    cdef PairBounds bounds
    cdef const int64_t[:, ::1] apart
    cdef const uint8_t[:, ::1] sketches
    cdef const uint64_t[:, ::1] prints
    cdef readonly object keeper, spared
    cdef int32_t[::1] taken, sparing, above
    # Lists: where they begin, where the rows that may be free begin and end, and their kinds.
    cdef int64_t[::1] begins, mids, ends
    cdef const uint8_t[::1] kinds
    # Entries, list by list: rows, their rests, and where the run of a component ends.
    cdef int32_t[::1] rows, rest, list_of, skip
    # The entries of each row, list by list, and their rests.
    cdef int64_t[::1] owns
    cdef int32_t[::1] own, own_rest
    # Questions: who asks, about whom, and the answers.
    cdef int32_t[::1] one, other
    cdef uint8_t[::1] answers
    # Of rows that lead: the range of their questions, how many have asked about each and wait for
    # the answer, who looked at it last in a list of each kind, and who asked last.
    cdef int64_t[::1] firsts, lasts
    cdef int32_t[::1] waiting, asked
    cdef int32_t[:, ::1] seen
    # Of rows that join: those that still ask, the entry of each, and the place in its list.
    cdef int32_t[::1] queue
    cdef int64_t[::1] entry, place

    def __init__(self, PairBounds bounds, apart, sketches, int64_t fewest, prints,
                 int64_t distance, held):
        n = bounds.rows
        for column in (apart, sketches, prints, held):
            require(len(column) == n)
        require(n < 1 << 31 and sketches.shape[1] % 16 == 0 and sketches.shape[1] <= 4080)
        self.n, self.bounds, self.apart = n, bounds, apart
        self.sketches, self.fewest, self.prints, self.distance = sketches, fewest, prints, distance
        self.keeper = np.where(held, n, -1).astype(np.int32)
        self.spared = np.full(n, -1, np.int32)
        self.taken, self.sparing = self.keeper, self.spared
        self.above, self.waiting = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
        self.firsts, self.lasts = np.full(n, -1), np.zeros(n, np.int64)
        self.asked, self.seen = np.full(n, -1, np.int32), np.full((KINDS, n), -1, np.int32)
        self.one, self.other = np.empty((2, 0), np.int32)
        self.answers = np.empty(0, np.uint8)
        none = np.zeros(0, np.int64)
        self.use(none, none, np.zeros(0, np.uint8))

    def use(self, lists, rows, const uint8_t[::1] kinds, rest=None):
        """Take the lists of rows, also in the place of others, while no question is open.

        Parameters
        ----------
        lists, rows : int32[entries]
            The list of each entry, ascending, and its row.
        kinds : uint8[lists]
            `SKETCHED`, `PRINTED` or `LISTED`.
        rest : int64[entries], optional
            How many elements of the row do not come before that of the list, or enough of them;
            `bounds` has sets then.
        """
        entries, steps = len(rows), np.diff(lists)
        require(len(lists) == entries < 1 << 31 and not self.joining)
        require(not entries or 0 <= rows.min() and rows.max() < self.n)
        require((steps >= 0).all())
        require(rest is None or self.bounds.sets and len(rest) == entries)
        begins = np.append(np.flatnonzero(np.append(True, steps > 0)[:entries]), entries)
        require(len(begins) == kinds.shape[0] + 1 and self.used == self.answered)
        self.begins, self.kinds, self.rested = begins, kinds, rest is not None
        self.mids, self.ends = begins[:kinds.shape[0]].copy(), begins[1:].copy()
        self.rows = rows.astype(np.int32)
        self.rest = (rows[:0] if rest is None else rest).astype(np.int32)
        self.index()

    cdef index(self):
        """Note the entries of each row, list by list."""
        cdef int64_t e, x, l, entries = self.rows.shape[0]
        self.owns, self.own = np.zeros(self.n + 1, np.int64), np.empty(entries, np.int32)
        self.own_rest = np.empty(entries if self.rested else 0, np.int32)
        self.list_of = np.empty(entries, np.int32)
        for e in range(entries):
            self.owns[self.rows[e] + 1] += 1
        for x in range(self.n):
            self.owns[x + 1] += self.owns[x]
        cdef int64_t[::1] free = self.owns.copy()
        for l in range(self.kinds.shape[0]):
            for e in range(self.begins[l], self.begins[l + 1]):
                x = self.rows[e]
                self.own[free[x]], self.list_of[e] = <int32_t>e, <int32_t>l
                if self.rested:
                    self.own_rest[free[x]] = self.rest[e]
                free[x] += 1

    def questions(self, int64_t visits):
        """Return pairs of rows to be asked about: who asks, and about whom.

        After that many visits there may be none, though there are more; see `done`.
        """
        cdef int64_t most = self.visits + visits
        while not self.joining and self.used == self.answered and self.visits < most:
            self.make_room(2 * self.n + BATCH if self.at < self.n else 0)
            with nogil:
                self.lead(most)
            if self.at == self.n:
                self.begin_join()
        while self.joining and self.active and self.used == self.answered and self.visits < most:
            self.make_room(self.active * WIDEST)
            with nogil:
                self.join(most)
        return (np.array(self.one[self.answered:self.used], np.int64),
                np.array(self.other[self.answered:self.used], np.int64))

    def answer(self, const uint8_t[::1] answers):
        """Take the answers to the last questions: whether `NEAR`, and whether it `TAKES` (2)."""
        cdef int64_t q
        require(answers.shape[0] == self.used - self.answered)
        for q in range(answers.shape[0]):
            self.answers[self.answered + q] = answers[q]
        if self.joining:
            for q in range(self.answered, self.used):
                if self.answers[q] & NEAR:
                    self.unite(self.one[q], self.other[q])
            self.checked += self.used
            self.used = 0
        self.answered = self.used

    def stop(self):
        """End without further questions; return how many rows had not asked all of theirs."""
        cdef int64_t x, left = self.active
        for x in range(self.at, self.n):
            left += self.taken[x] < 0
        self.at, self.joining, self.active, self.used = self.n, True, 0, self.answered
        return left

    @property
    def done(self):
        """Whether there are no more questions."""
        return self.joining and not self.active and self.used == self.answered

    @property
    def roots(self):
        """A row that represents the component of each one (int64[n])."""
        cdef int64_t x
        return np.array([self.root(x) for x in range(self.n)], np.int64)

    @property
    def coming(self):
        """How many pairs of lists rows that lead may still look at, at most."""
        cdef int64_t l, e, free, pairs = 0
        for l in range(self.kinds.shape[0]):
            free = 0
            for e in range(self.begins[l], self.begins[l + 1]):
                free += self.taken[self.rows[e]] < 0 and self.rows[e] >= self.at
            pairs += free * (self.begins[l + 1] - self.begins[l]) - free * (free + 1) // 2
        return pairs

    cdef make_room(self, int64_t room):
        """Make room for so many further questions."""
        if self.used + room <= self.one.shape[0]:
            return
        # Doubled, so that what is copied is as much as what is added.
        size = max(2 * self.one.shape[0], self.used + room)
        one, other, answers = (np.empty(size, kind) for kind in (np.int32, np.int32, np.uint8))
        one[:self.used], other[:self.used] = self.one[:self.used], self.other[:self.used]
        answers[:self.used] = self.answers[:self.used]
        self.one, self.other, self.answers = one, other, answers

    # -- lead --

    cdef void lead(self, int64_t most) noexcept nogil:
        """Ask the questions of rows that lead, as far as answers let tell who does."""
        cdef int64_t x
        self.resolve()
        x = self.at
        while x < self.n and self.used < self.answered + BATCH and self.visits < most:
            # Whoever is asked about is expected to be taken.
            if self.taken[x] < 0 and self.firsts[x] < 0 and not self.waiting[x]:
                self.gather(x)
                if self.used == self.answered:
                    self.resolve()
            x += 1
        self.front = max(self.front, x)
        # Where that was wrong, and the batch has room, they ask as well.
        x = self.at
        while self.missed and x < self.n and 2 * (self.used - self.answered) < BATCH:
            if self.taken[x] < 0 and self.firsts[x] < 0:
                self.gather(x)
            x += 1

    cdef void resolve(self) noexcept nogil:
        """Let rows take others, one after the other, as far as their answers are known."""
        cdef int64_t x = self.at, q, y
        self.missed = False
        while x < self.n:
            if self.taken[x] < 0 and self.firsts[x] < 0:
                self.missed = x < self.front
                break
            if self.firsts[x] >= 0:
                for q in range(self.firsts[x], self.lasts[x]):
                    y = self.other[q]
                    self.waiting[y] -= 1
                    if self.taken[x] >= 0 or self.taken[y] >= 0:
                        continue
                    self.checked += 1
                    if self.answers[q] & NEAR:
                        self.unite(x, y)
                    if self.answers[q] & TAKES:
                        self.taken[y] = <int32_t>x
                    elif self.answers[q] & NEAR and self.sparing[y] < 0:
                        self.sparing[y] = <int32_t>x
                self.leading -= 1
                if not self.leading:
                    self.used = self.answered = 0
            x += 1
        self.at = x

    cdef void gather(self, int64_t x) noexcept nogil:
        """Ask about all later rows that share a list and may be near."""
        cdef int64_t k, l, p, y, end, mid
        self.firsts[x] = self.used
        for k in range(self.owns[x], self.owns[x + 1]):
            l = self.list_of[self.own[k]]
            p, mid, end = self.mids[l], self.mids[l], self.ends[l]
            while p < end:
                y = self.rows[p]
                self.visits += 1
                if self.taken[y] >= 0:
                    self.swap(p, mid)
                    mid += 1
                elif y < self.at:
                    end -= 1
                    self.swap(p, end)
                    continue
                elif y > x and self.asks(x, y, k, p):
                    self.one[self.used], self.other[self.used] = <int32_t>x, <int32_t>y
                    self.used += 1
                    self.waiting[y] += 1
                p += 1
            self.mids[l], self.ends[l] = mid, end
        self.lasts[x] = self.used
        self.leading += 1

    cdef inline void swap(self, int64_t p, int64_t q) noexcept nogil:
        self.rows[p], self.rows[q] = self.rows[q], self.rows[p]
        if self.rested:
            self.rest[p], self.rest[q] = self.rest[q], self.rest[p]

    cdef inline bint asks(self, int64_t x, int64_t y, int64_t k, int64_t p) noexcept nogil:
        """Return whether a row asks about a later one, given their entries, for the first time."""
        cdef int kind = self.kinds[self.list_of[p]]
        if self.asked[y] == x or self.seen[kind, y] == x:
            return False
        if self.rested and min(self.own_rest[k], self.rest[p]) < self.least(x, y):
            return False
        self.seen[kind, y] = <int32_t>x
        if not self.may(x, y, kind):
            return False
        self.asked[y] = <int32_t>x
        # Who is joined and spared already is asked only whether it may be taken.
        if (self.bounds.covering and self.sparing[y] >= 0 and self.root(x) == self.root(y)
                and not self.bounds.may_take(x, y)):
            return False
        return self.similar(x, y)

    cdef inline double least(self, int64_t x, int64_t y) noexcept nogil:
        return 0 if self.bounds.edited(x, y) else self.bounds.least(x, y)

    cdef inline bint may(self, int64_t x, int64_t y, int kind) noexcept nogil:
        """Return whether two rows that share a list of a kind may be near."""
        cdef int64_t column
        if kind == SKETCHED and equal_bytes(&self.sketches[x, 0], &self.sketches[y, 0],
                                            self.sketches.shape[1]) < self.fewest:
            return False
        if kind == PRINTED and not near(self.prints, x, y, self.distance):
            return False
        for column in range(self.apart.shape[1]):
            if self.apart[x, column] >= 0 and self.apart[x, column] == self.apart[y, column]:
                return False
        return self.bounds.may(x, y)

    cdef inline bint similar(self, int64_t x, int64_t y) noexcept nogil:
        """Return whether two rows are similar enough, as far as is known; edits take a while."""
        self.visits += EDITED if self.bounds.edited(x, y) else 0
        return self.bounds.similar(x, y)

    # -- join --

    cdef begin_join(self):
        """Put the taken rows of each list first, and let all others ask about them."""
        cdef int64_t l, p, x
        for l in range(self.kinds.shape[0]):
            self.ends[l] = self.mids[l]
            for p in range(self.mids[l], self.begins[l + 1]):
                if self.taken[self.rows[p]] >= 0:
                    self.swap(p, self.ends[l])
                    self.ends[l] += 1
        self.index()
        self.skip = np.arange(-1, self.rows.shape[0] - 1, dtype=np.int32)
        self.entry, self.place = np.array(self.owns[:self.n]), np.zeros(self.n, np.int64)
        self.queue = np.flatnonzero(np.diff(self.owns)).astype(np.int32)
        self.joining, self.active, self.width = True, self.queue.shape[0], 1
        self.used = self.answered = 0
        for x in range(self.n):
            self.begin(x)

    cdef inline void begin(self, int64_t x) noexcept nogil:
        """Begin with the list of a row's entry, at its end."""
        cdef int64_t e
        if self.entry[x] < self.owns[x + 1]:
            e = self.own[self.entry[x]]
            self.place[x] = min(e, self.ends[self.list_of[e]]) - 1

    cdef void join(self, int64_t most) noexcept nogil:
        """Ask a few questions of each row about taken ones of other components."""
        cdef int64_t q, x, y, before, still = 0
        for q in range(self.active):
            x, before, y = self.queue[q], self.used, 0
            while y >= 0 and self.visits < most and self.used < before + self.width:
                y = self.next(x)
                if y >= 0:
                    self.one[self.used], self.other[self.used] = <int32_t>x, <int32_t>y
                    self.used += 1
            if y >= 0:
                self.queue[still] = <int32_t>x
                still += 1
        self.active, self.width = still, min(2 * self.width, WIDEST)

    cdef int64_t next(self, int64_t x) noexcept nogil:
        """Return the next row that a row asks about, or -1."""
        cdef int64_t p, y, begin, root = self.root(x)
        while self.entry[x] < self.owns[x + 1]:
            p = self.place[x]
            begin = self.begins[self.list_of[self.own[self.entry[x]]]]
            while p >= begin:
                y = self.rows[p]
                self.visits += 1
                if self.root(y) == root:
                    p = self.run_end(p, begin, root)
                elif self.joins(x, y, self.entry[x], p):
                    self.place[x] = p - 1
                    return y
                else:
                    p -= 1
            self.entry[x] += 1
            self.begin(x)
        return -1

    cdef inline int64_t run_end(self, int64_t p, int64_t begin, int64_t root) noexcept nogil:
        """Return the next entry that has a row of another component, and remember it."""
        cdef int64_t q = self.skip[p]
        while q >= begin and self.root(self.rows[q]) == root:
            q = self.skip[q]
        self.skip[p] = <int32_t>q
        return q

    cdef inline bint joins(self, int64_t x, int64_t y, int64_t k, int64_t p) noexcept nogil:
        """Return whether a row asks about a taken one, given their entries: in the first list only."""
        cdef int64_t i, j, a, b, l = self.list_of[p]
        # While that was free, it was asked about.
        if self.taken[x] < 0 and x < self.taken[y] < self.n:
            return False
        if self.rested and min(self.own_rest[k], self.rest[p]) < self.least(x, y):
            return False
        if not self.may(x, y, self.kinds[l]):
            return False
        i, j = self.owns[x], self.owns[y]
        while i < k and j < self.owns[y + 1]:
            a, b = self.list_of[self.own[i]], self.list_of[self.own[j]]
            if a == b and self.may(x, y, self.kinds[a]):
                return False
            i += a <= b
            j += b <= a
        return self.similar(x, y)

    cdef inline int64_t root(self, int64_t x) noexcept nogil:
        while self.above[x] != x:
            self.above[x] = self.above[self.above[x]]
            x = self.above[x]
        return x

    cdef inline void unite(self, int64_t x, int64_t y) noexcept nogil:
        cdef int64_t a = self.root(x), b = self.root(y)
        self.above[max(a, b)] = <int32_t>min(a, b)
