"""Large groups: ask which rows belong together, about few of their pairs.

Rows that may belong together share a list: a band key, a block of bits, a rare shingle.  The
answers are expensive, so they come in batches; a `Walk` says what to ask.  *Every row asks one
question at a time*, about a row before it that it shares a list with, and its next question
depends on the answers so far:

- Rows that are to be *joined* ask about none that is in their own set already.  A group of m rows
  costs O(m) questions.  A list remembers where its runs of rows of one set end, so that these are
  passed over in one step.
- Rows that look for their *star* ask in the order in which they would be kept, and only centres.
  Whoever meets a row of which it is not known yet whether it is a centre waits for that.
- Rows that look for their *first* partner ask about none after the best one so far.

Two rows may share many lists, and ask only in the first of these.  `PairBounds` that are never wrong
drop most pairs that do not belong together, before anybody asks:

- *Rest.*  Elements have one order in all sets, so if the sets of two rows share enough, they share
  it from their first common element on: neither has fewer elements left.
- *Odd sketches*: bit b says whether an odd number of elements map to it.  In the exclusive or of
  two sketches common elements cancel out, and every other one changes one bit.  So two sets differ
  in at least as many elements as their sketches differ in bits.
- What two sets share, counted, where these are held in memory: frequent elements are bits, and
  those of a single set are left out, so few are gone through one by one.

Visits, not questions, take most of the time: each pair of a list once, in all its lists, as long as
its rows are not in one set.  So whoever asks sets a limit for them.

References
----------
B. Galler, M. Fischer, "An improved equivalence algorithm", CACM 7 (1964).
G. Blelloch, J. Fineman, J. Shun, "Greedy sequential maximal independent set and matching are
parallel on average", SPAA 2012: rows that wait for the answers they depend on, and for no others.
C. Xiao, W. Wang, X. Lin, J. Yu, "Efficient similarity joins for near duplicate detection", WWW
2008: the bound by the elements left.
M. Mitzenmacher, R. Pagh, N. Pham, "Efficient estimation for high similarities using odd sketches",
WWW 2014.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from simdup.kernels.arrays cimport cuts, mix, require, shared

# Which rows ask, and about whom.
cpdef enum:
    ALL
    JOIN
    STAR
    FIRST

cdef enum:
    # Of a row that looks for its star.
    UNDECIDED = 0
    CENTRE
    TAKEN
    # Instead of the row that is asked about.
    DONE = -1
    WAITING = -2
    # Rows ask twice as many questions each time, as long as these are not more together.
    TOGETHER = 4096
    # Elements that at least this share of the sets have get bits: so many at most, 64 MB in all.
    FREQUENT = 64
    MOST_BITS = 2048
    HELD_BITS = 1 << 29
    # The largest table of counts takes 16 MB.
    MOST_SLOTS = 1 << 22
    # The room for questions, unless more rows than that ask.
    ROOM = 65536
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
    #define NEAR(name) static int name( \\
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
    NEAR(near_anywhere)
    BOTH(both_anywhere)
    /* The instruction that counts bits takes a third of the time; older processors have none. */
    #if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    __attribute__((target("popcnt"))) NEAR(near_counted)
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
    cdef uint64_t[::1] rare  # the others that may be in several sets, ascending in each row
    cdef int64_t[::1] rare_starts
    cdef int64_t shortest
    cdef readonly int64_t rows
    cdef readonly bint sets, forms, held
    cdef const uint64_t[:, ::1] sketches, singles, doubles
    cdef const int64_t[::1] sizes, letters
    cdef const uint64_t[::1] numbers

    def __init__(self, int64_t rows, double similarity, double covering):
        self.rows, self.similarity, self.covering = rows, similarity, covering
        # Sets that differ in d of a + b elements share (a + b - d) / 2.
        self.apart = (1 - similarity) / (1 + similarity)
        self.sets = self.forms = self.held = False

    def by_sets(self, const uint64_t[:, ::1] sketches, const int64_t[::1] sizes,
                const int64_t[::1] starts, const uint64_t[::1] hashes):
        """Take the odd sketches and the sizes of sets; the sets, ascending, if `starts` has any."""
        require(sketches.shape[0] == self.rows == sizes.shape[0])
        self.held = starts.shape[0] > 1
        self.sets, self.sketches, self.sizes = True, sketches, sizes
        if self.held:
            require(starts.shape[0] == self.rows + 1 and cuts(starts, hashes.shape[0]))
            self.hold(starts, hashes)

    cdef hold(self, const int64_t[::1] starts, const uint64_t[::1] hashes):
        """Keep sets so that two are compared fast: a bit for each frequent element.

        Those of a single set are in no other, so they are left out.  Elements are counted in a
        table in which some share a count, so what seems frequent may be rare, but never vice versa.
        """
        cdef int64_t m = hashes.shape[0], row, at, bit, slots = 1024, kept = 0, room = 1024, bits
        cdef int64_t numbered = 0
        cdef uint32_t often = <uint32_t>max(self.rows // FREQUENT, 2), count
        cdef uint64_t place
        while slots < m and slots < MOST_SLOTS:
            slots *= 2
        bits = max(min(MOST_BITS, HELD_BITS // max(self.rows, 1)) // 64, 1) * 64
        while room < 2 * bits:
            room *= 2
        cdef uint32_t[::1] counts = np.zeros(slots, np.uint32)
        cdef uint64_t[::1] known = np.zeros(room, np.uint64)
        cdef int32_t[::1] bit_of = np.zeros(room, np.int32)
        rare = np.empty(m, np.uint64)
        self.rare, self.rare_starts = rare, np.zeros(self.rows + 1, np.int64)
        self.bits = np.zeros((self.rows, bits // 64), np.uint64)
        with nogil:
            for at in range(m):
                counts[mix(hashes[at]) & <uint64_t>(slots - 1)] += 1
            for row in range(self.rows):
                for at in range(starts[row], starts[row + 1]):
                    place = mix(hashes[at])
                    count = counts[place & <uint64_t>(slots - 1)]
                    if count == 1:
                        continue
                    bit = -1
                    if count >= often:
                        place = place >> 20 & <uint64_t>(room - 1)
                        while bit_of[place] and known[place] != hashes[at]:
                            place = (place + 1) & <uint64_t>(room - 1)
                        if bit_of[place] == 0 and numbered < bits:
                            numbered += 1
                            known[place], bit_of[place] = hashes[at], <int32_t>numbered
                        bit = bit_of[place] - 1
                    if bit >= 0:
                        self.bits[row, bit >> 6] |= <uint64_t>1 << (bit & 63)
                    else:
                        self.rare[kept] = hashes[at]
                        kept += 1
                self.rare_starts[row + 1] = kept
        self.bits = np.ascontiguousarray(self.bits[:, :(numbered + 63) // 64])
        self.rare = rare[:kept].copy()

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

    cdef inline double least(self, int64_t i, int64_t j) noexcept nogil:
        """Return how many elements similar sets of rows share at least."""
        return (1 - self.apart) / 2 * (self.sizes[i] + self.sizes[j]) * (1 - ROUNDED)

    cdef inline bint edited(self, int64_t i, int64_t j) noexcept nogil:
        """Return whether a pair is measured by its forms."""
        return self.forms and (0 < self.letters[i] < self.shortest
                               or 0 < self.letters[j] < self.shortest)

    cdef inline bint may(self, int64_t i, int64_t j, bint directed) noexcept nogil:
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
        most = self.apart * (one + other)
        if directed:
            most = min(most, one + (1 - 2 * self.covering) * other)
        return near(self.sketches, i, j, most + ROUNDED)

    cdef inline bint similar(self, int64_t i, int64_t j) noexcept nogil:
        """Return whether two sets that are held are similar enough, if they decide."""
        cdef int64_t one, other, common
        if not self.held or self.edited(i, j):
            return True
        one, other = self.sizes[i], self.sizes[j]
        common = shared(self.rare, self.rare_starts[i], self.rare_starts[i + 1],
                        self.rare_starts[j], self.rare_starts[j + 1])
        if self.bits.shape[1]:
            common += both(&self.bits[i, 0], &self.bits[j, 0], self.bits.shape[1])
        return <double>common / max(one + other - common, 1) >= self.similarity

    def possible(self, const int64_t[::1] i, const int64_t[::1] j, bint directed=False):
        """Return which pairs of rows may be similar enough; `directed`: i[k] must contain j[k]."""
        cdef int64_t pair
        require(i.shape[0] == j.shape[0])
        for pair in range(i.shape[0]):
            require(0 <= i[pair] < self.rows and 0 <= j[pair] < self.rows)
        made = np.empty(i.shape[0], np.bool_)
        cdef uint8_t[::1] good = made.view(np.uint8)
        with nogil:
            for pair in range(i.shape[0]):
                good[pair] = self.may(i[pair], j[pair], directed) and self.similar(i[pair], j[pair])
        return made


cdef class Walk:
    """The questions of rows that share lists; the first lines of this page say how they are asked.

    Parameters
    ----------
    way : int
        `ALL` asks about each pair once, whatever the answers; `JOIN`, `STAR` or `FIRST`.
    lists, rows : int64[entries]
        The list of each entry, ascending, and its row, ascending in each list (by `ranks`).
    bounds : PairBounds
        Of n rows.
    asking : int64[m]
        The rows that ask, each once.
    ranks : int64[n], optional
        The places of rows in the order in which they would be kept, without it that of their
        numbers.
    rest : int64[entries], optional
        How many elements of the row do not come before that of the list; `bounds` has sets then.
    kinds : int64[n], optional
        Rows of one kind never belong together.
    takeable : bool[entries], optional
        Whether a row that looks for its star may be taken by those of this list.
    parts : int64[n], optional
        First partners are of another part than whoever asks, and not of part -1.
    roots : int64[n], optional
        The set that each row is in already, by the smallest row there.
    directed : bool
        Whether whoever is asked about must contain the row that asks.

    Attributes
    ----------
    visits : int
        How many entries of lists were looked at.

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    """

    cdef int way
    cdef bint directed, down, rested, kinded, chosen, parted
    cdef int64_t n, room, width, coming, asked
    cdef readonly int64_t visits
    cdef PairBounds bounds
    cdef const int64_t[::1] rows, rest, kinds, parts, ranks
    cdef const uint8_t[::1] takeable
    cdef int64_t[::1] begins, owns, at, place, one, other
    cdef int32_t[::1] own, own_lists, skip, jump, above, best, queue, later, waiting, behind
    cdef uint8_t[::1] state

    def __init__(self, int way, lists, rows, PairBounds bounds, asking, *, ranks=None, rest=None,
                 kinds=None, takeable=None, parts=None, roots=None, bint directed=False):
        entries, n = len(rows), bounds.rows
        require(len(lists) == entries and max(n, entries) < 1 << 31)
        for numbers in (rows, asking):
            require(not len(numbers) or 0 <= numbers.min() and numbers.max() < n)
        require(len(np.unique(asking)) == len(asking))
        for column, size in ((rest, entries), (takeable, entries), (ranks, n), (kinds, n),
                             (parts, n), (roots, n)):
            require(column is None or len(column) == size)
        ranks = np.arange(n) if ranks is None else ranks
        steps, order = np.diff(lists), np.diff(ranks[rows])
        require(((steps > 0) | (steps == 0) & (order >= 0)).all())
        require(rest is None or bounds.sets)
        self.way, self.bounds, self.directed, self.n = way, bounds, directed, n
        # Neighbours in the order of the input are the likeliest to belong together.
        self.down = way == ALL or way == JOIN
        self.rested, self.kinded = rest is not None, kinds is not None
        self.chosen, self.parted = takeable is not None and way == STAR, parts is not None
        self.rows, self.rest, self.kinds, self.parts = rows, rest, kinds, parts
        self.ranks, self.takeable = ranks, None if takeable is None else takeable.view(np.uint8)
        list_of = np.append(0, np.cumsum(steps > 0))[:entries].astype(np.int32)
        self.begins = np.concatenate([[0], np.flatnonzero(steps) + 1, [entries]])
        self.own = own = np.argsort(rows, kind="stable").astype(np.int32)
        self.own_lists = list_of[own]
        self.owns = owns = np.searchsorted(rows[own], np.arange(n + 1))
        if way == JOIN:
            self.skip = np.arange(-1, entries - 1, dtype=np.int32)
        if self.kinded:
            self.jump = self._other_kinds(-1 if self.down else 1, list_of)
        self.above = np.arange(n, dtype=np.int32) if roots is None else roots.astype(np.int32)
        require(roots is None or (0 <= roots).all() and (roots <= np.arange(n)).all())
        self.best, self.state = np.full(n, n, np.int32), np.full(n, CENTRE, np.uint8)
        self.waiting, self.behind = np.full((2, n), -1, np.int32)
        self.at, self.place = owns[1:].copy(), np.zeros(n, np.int64)
        self.later, self.queue = asking.astype(np.int32), np.empty(len(asking), np.int32)
        self.visits, self.width, self.asked, self.coming = 0, 1, 0, len(asking)
        self.room = max(ROOM, len(asking))
        self.one, self.other = np.empty((2, self.room), np.int64)
        cdef int64_t x
        for x in asking:
            self.state[x], self.at[x] = UNDECIDED, self.owns[x]
            self.begin(x)

    def _other_kinds(self, int step, const int32_t[::1] list_of):
        """Return the next entry of each one's list that has a row of another kind."""
        cdef int64_t e, entries = self.rows.shape[0], last = -1 if self.down else entries
        made = np.empty(entries, np.int32)
        cdef int32_t[::1] jump = made
        for e in range(entries) if self.down else reversed(range(entries)):
            jump[e] = <int32_t>(e + step)
            if (e + step != last and list_of[e] == list_of[e + step]
                    and self.kinds[self.rows[e]] == self.kinds[self.rows[e + step]]):
                jump[e] = jump[e + step]
        return made

    def questions(self, int64_t visits):
        """Return pairs of rows to be asked about: who asks, and about whom; none at the end.

        After that many visits the walk stops, also if there are more.
        """
        with nogil:
            self.ask(self.visits + visits)
        return np.array(self.one[:self.asked]), np.array(self.other[:self.asked])

    def answer(self, good):
        """Take the answers to the last questions (bool[questions])."""
        cdef int64_t q, x, y, a, b
        cdef const uint8_t[::1] answers = good.view(np.uint8)
        require(answers.shape[0] == self.asked)
        for q in range(self.asked):
            if not answers[q]:
                continue
            x, y = self.one[q], self.other[q]
            if self.way == JOIN:
                a, b = self.root(x), self.root(y)
                self.above[max(a, b)] = <int32_t>min(a, b)
            self.best[x] = <int32_t>min(self.best[x], self.ranks[y])
            self.decide(x, TAKEN)
        self.asked = 0

    @property
    def roots(self):
        """The set of each row, by the smallest row there (int64[n])."""
        cdef int64_t x
        return np.array([self.root(x) for x in range(self.n)], np.int64)

    @property
    def found(self):
        """The rank of the row that each was taken by, or its first partner; n: none (int64[n])."""
        return np.array(self.best, np.int64)

    @property
    def done(self):
        """Whether there are no more questions."""
        return not self.coming and not self.asked

    @property
    def left(self):
        """How many pairs were not visited, at most."""
        cdef int64_t x, k, pairs = 0, first
        for x in range(self.n):
            for k in range(self.at[x], self.owns[x + 1]):
                first = self.place[x] if k == self.at[x] else self.first(k)
                pairs += abs(self.end(k) - first)
        return pairs

    cdef void ask(self, int64_t most) noexcept nogil:
        cdef int64_t active, q, x, y, before
        self.asked = 0
        while self.coming and not self.asked and self.visits < most:
            self.queue, self.later = self.later, self.queue
            active, self.coming = self.coming, 0
            self.width = max(min(2 * self.width, TOGETHER // active), 1)
            if self.way == ALL:
                self.width = self.room
            for q in range(active):
                x, before, y = self.queue[q], self.asked, 0
                while (y >= 0 and self.visits < most
                       and self.asked < min(before + self.width, self.room)):
                    y = self.next(x)
                    if y >= 0:
                        self.one[self.asked], self.other[self.asked] = x, y
                        self.asked += 1
                if y == DONE and self.asked == before:
                    self.decide(x, CENTRE)
                elif y != WAITING:
                    self.later[self.coming] = <int32_t>x
                    self.coming += 1

    cdef void decide(self, int64_t x, uint8_t state) noexcept nogil:
        """Decide whether a row is a centre, unless that is known; who waits for that, asks on."""
        cdef int32_t y = self.waiting[x]
        if self.state[x] == UNDECIDED:
            self.state[x] = state
            self.waiting[x] = -1
            while y >= 0:
                self.later[self.coming] = y
                self.coming += 1
                y = self.behind[y]

    cdef inline int64_t root(self, int64_t x) noexcept nogil:
        while self.above[x] != x:
            self.above[x] = self.above[self.above[x]]
            x = self.above[x]
        return x

    cdef inline int64_t first(self, int64_t k) noexcept nogil:
        """Return the first entry that a row asks about, in the list of one of its own entries."""
        return self.own[k] - 1 if self.down else self.begins[self.own_lists[k]]

    cdef inline int64_t end(self, int64_t k) noexcept nogil:
        """Return the entry after the last one."""
        if self.down:
            return self.begins[self.own_lists[k]] - 1
        return self.own[k] if self.way == STAR else self.begins[self.own_lists[k] + 1]

    cdef inline void begin(self, int64_t x) noexcept nogil:
        """Begin with a row's next list."""
        if self.at[x] < self.owns[x + 1]:
            self.place[x] = self.first(self.at[x])

    cdef int64_t next(self, int64_t x) noexcept nogil:
        """Return the next row that a row asks about, `DONE` or `WAITING`."""
        cdef int64_t e, p, y, end, root = self.root(x)
        while self.at[x] < self.owns[x + 1]:
            e, p = self.own[self.at[x]], self.place[x]
            end = p if self.chosen and not self.takeable[e] else self.end(self.at[x])
            while p > end if self.down else p < end:
                y = self.rows[p]
                self.visits += 1
                if self.way == JOIN and self.root(y) == root:
                    p = self.run_end(p, end, root)
                elif self.kinded and self.kinds[y] == self.kinds[x]:
                    p = self.jump[p]
                elif (self.way == STAR or self.way == FIRST) and self.ranks[y] >= self.best[x]:
                    p = end
                elif self.way == ALL and self.best[y] == x:
                    p -= 1
                elif not self.asks(x, y, e, p):
                    p += -1 if self.down else 1
                elif self.way == STAR and self.state[y] == UNDECIDED:
                    self.place[x], self.behind[x], self.waiting[y] = p, self.waiting[y], <int32_t>x
                    return WAITING
                else:
                    self.place[x] = p + (-1 if self.down else 1)
                    return y
            self.at[x] += 1
            self.begin(x)
        return DONE

    cdef inline int64_t run_end(self, int64_t p, int64_t end, int64_t root) noexcept nogil:
        """Return the next entry that has a row of another set, and remember it."""
        cdef int64_t next = self.skip[p]
        while next > end and self.root(self.rows[next]) == root:
            next = self.skip[next]
        self.skip[p] = <int32_t>next
        return next

    cdef inline bint asks(self, int64_t x, int64_t y, int64_t e, int64_t p) noexcept nogil:
        """Return whether a row asks about another one, given their entries in a list."""
        cdef int64_t i, j, one, other
        if x == y or self.way == STAR and self.state[y] == TAKEN:
            return False
        if self.parted and (self.parts[y] < 0 or self.parts[y] == self.parts[x]):
            return False
        if self.rested and min(self.rest[e], self.rest[p]) < self.bounds.least(x, y):
            return False
        if self.way == ALL:
            self.best[y] = <int32_t>x
            return self.bounds.may(y, x, self.directed) and self.bounds.similar(x, y)
        if not self.bounds.may(y, x, self.directed):
            return False
        # Only in the first list that both are in.
        i, j = self.owns[x], self.owns[y]
        while i < self.at[x] and j < self.owns[y + 1]:
            one, other = self.own_lists[i], self.own_lists[j]
            if one == other and not (self.chosen and not self.takeable[self.own[i]]):
                return False
            i += one <= other
            j += other <= one
        return self.bounds.similar(x, y)
