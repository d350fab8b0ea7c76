"""Cut texts into words as jieba does, and count them, as loops over code points.

A batch of texts is one array of code points, `codes` (uint32[m]), and where each text begins in it
and the last one ends, `ends` (int64[texts + 1]).

*Words.*  A run of Han characters is cut along the most probable route through the words of a prefix
dictionary: of the routes from each place to the end of the run, the best begins with the word whose
own weight and that of the best route behind it are the largest; of equal ones, with the longest.
Single characters beside each other that the route leaves are guessed at by a hidden Markov model
whose states are the begin, the middle and the end of a word, and a single one (Viterbi).

*Terms.*  Each different word has a number.  Words of the dictionary are known by their node in it,
and the others by their letters, in a hash table.

Both take time proportional to the text: a word has at most as many characters as the longest one of
the dictionary.

References
----------
jieba 0.42 (`jieba.cut`, `jieba.finalseg`), whose words these are.
A. Viterbi, "Error bounds for convolutional codes", IEEE Transactions on Information Theory 1967.
"""

cimport cython
from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

import os

import numpy as np

from simdup.kernels.arrays cimport GOLDEN, cuts, require

cdef enum:
    CODES = 0x110000
    # The characters of the dictionary.
    FIRST_HAN = 0x4E00
    LAST_HAN = 0x9FD5
    # Kinds of all other characters: between words, a word of its own, part of a word.
    GAP = 0
    ALONE = 1
    LETTER = 2
    # States of the hidden Markov model.
    BEGIN = 0
    END = 1
    MIDDLE = 2
    SINGLE = 3
    # Bits of a node's number, and of a character of the dictionary.
    NODE_BITS = 24
    CODE_BITS = 16

# Of a node that is no word: logarithms of shares are at most 0.
cdef double NO_WORD = 1.0


def check_texts(const uint32_t[::1] codes, const int64_t[::1] ends):
    """Raise ValueError unless `ends` cuts `codes`, which are code points, into texts."""
    cdef int64_t i
    cdef bint good = cuts(ends, codes.shape[0])
    with nogil:
        for i in range(codes.shape[0]):
            good &= codes[i] < CODES
    require(good, "ends that do not cut the codes into texts")


@cython.final
@cython.auto_pickle(False)
cdef class Dictionary:
    """A prefix dictionary and the hidden Markov model for what it does not know.

    Parameters
    ----------
    lines : bytes-like
        Lines ``word frequency ...`` in UTF-8, as in jieba's ``dict.txt``.  Words with other than
        Han characters never occur in a run; only their frequencies count.
        A word with a line whose frequency is 0 is cut into characters where the model guesses it.
    whole : float
        The logarithm of the sum of all frequencies; negative to add them up.
    emit : float64[0x9FD6 - 0x4E00, 4]
        For each Han character, the logarithms of its probabilities in the states B, E, M, S.
    steps : float64[12]
        Logarithms of probabilities: to begin with B, E, M, S; to go from E to B, S to B, B to E,
        M to E, B to M, M to M, E to S, S to S.
    """

    # A hash table of the edges of the trie: node, character, child in one value; 0 is empty.
    cdef uint64_t[::1] slots
    cdef uint64_t seed  # odd and random, so that nobody can write words that share a slot
    cdef int32_t[::1] roots  # of each character: the node of the words that begin with it, or 0
    cdef double[::1] weights  # of each node: ln(frequency / total), or `NO_WORD`
    cdef uint8_t[::1] split  # of each node: whether a guess of it is cut into characters
    cdef uint8_t[::1] inner  # of each node: whether longer words begin with it
    cdef const double[:, ::1] emit
    cdef const double[::1] steps
    cdef double unknown  # the weight of a character that is no word
    cdef readonly int64_t nodes

    def __cinit__(self, const uint8_t[::1] lines, double whole,
                  const double[:, ::1] emit, const double[::1] steps):
        require(emit.shape[0] == LAST_HAN + 1 - FIRST_HAN and emit.shape[1] == 4, "emit")
        require(steps.shape[0] == 12, "steps")
        # A node for each character of the words, at most.
        cdef int64_t room = lines.shape[0] // 3 + 2, size = 1 << 10, node
        require(room < 1 << NODE_BITS, "a dictionary that is too large")
        while size < 2 * room:
            size *= 2
        self.seed = int.from_bytes(os.urandom(8), "little") | 1
        self.slots = np.zeros(size, np.uint64)
        self.roots = np.zeros(1 << CODE_BITS, np.int32)
        self.inner, self.split = np.zeros((2, room), np.uint8)
        self.emit, self.steps = emit, steps
        cdef int64_t[::1] frequencies = np.zeros(room, np.int64)
        cdef int64_t total = self.read(lines, frequencies)
        if whole < 0:
            whole = log(<double>max(total, 1))
        self.weights = np.empty(self.nodes)
        with nogil:
            for node in range(self.nodes):
                if frequencies[node]:
                    self.weights[node] = log(<double>frequencies[node]) - whole
                else:
                    self.weights[node] = NO_WORD
        self.unknown = log(1.0) - whole

    cdef int64_t read(self, const uint8_t[::1] lines, int64_t[::1] frequencies):
        """Add the words of lines, and return the sum of their frequencies."""
        cdef int64_t size = lines.shape[0], at = 0, begin, frequency, total = 0, nodes = 1
        cdef uint64_t key, place, last = self.slots.shape[0] - 1
        cdef int32_t node
        cdef uint32_t code
        cdef bint known
        with nogil:
            while at < size:
                begin = at
                known = False
                while at < size and lines[at] != 32 and lines[at] != 10:
                    at += 1
                if at - begin >= 3 and (at - begin) % 3 == 0:
                    known = True
                    node = 0
                    while begin < at:
                        # Only three bytes make a Han character.
                        code = ((<uint32_t>lines[begin] & 0xF) << 12
                                | (<uint32_t>lines[begin + 1] & 0x3F) << 6
                                | (<uint32_t>lines[begin + 2] & 0x3F))
                        if lines[begin] >> 4 != 0xE or not FIRST_HAN <= code <= LAST_HAN:
                            known = False
                            break
                        begin += 3
                        if node == 0:
                            if self.roots[code] == 0:
                                self.roots[code] = <int32_t>nodes
                                nodes += 1
                            node = self.roots[code]
                            continue
                        self.inner[node] = 1
                        key = <uint64_t>node << CODE_BITS | code
                        place = self.place(key, last)
                        while self.slots[place] and self.slots[place] >> NODE_BITS != key:
                            place = (place + 1) & last
                        if self.slots[place] == 0:
                            self.slots[place] = key << NODE_BITS | <uint64_t>nodes
                            nodes += 1
                        node = <int32_t>(self.slots[place] & ((1 << NODE_BITS) - 1))
                frequency = 0
                at += at < size and lines[at] == 32
                while at < size and 48 <= lines[at] <= 57 and frequency < <int64_t>1 << 58:
                    frequency = 10 * frequency + lines[at] - 48
                    at += 1
                total += frequency
                if known and frequency:
                    frequencies[node] = frequency
                elif known:
                    self.split[node] = 1
                while at < size and lines[at] != 10:
                    at += 1
                at += 1
        self.nodes = nodes
        return total

    cdef inline uint64_t place(self, uint64_t key, uint64_t last) noexcept nogil:
        key *= self.seed
        return ((key ^ key >> 32) * GOLDEN >> 32) & last

    cdef inline int32_t child(self, int32_t node, uint32_t code) noexcept nogil:
        """Return the node of the words that go on with a character, or 0."""
        cdef uint64_t key = <uint64_t>node << CODE_BITS | code, last = self.slots.shape[0] - 1
        cdef uint64_t place = self.place(key, last), found = self.slots[place]
        while found and found >> NODE_BITS != key:
            place = (place + 1) & last
            found = self.slots[place]
        return <int32_t>(found & ((1 << NODE_BITS) - 1))


cdef inline bint is_han(uint32_t code) noexcept nogil:
    return FIRST_HAN <= code <= LAST_HAN


@cython.final
@cython.auto_pickle(False)
cdef class Cutter:
    """Cuts the texts of a batch; places are those of `codes`."""

    cdef Dictionary words
    cdef const uint32_t[::1] codes
    cdef const uint8_t[::1] kinds
    # Of the run at hand, from each place on and at its end:
    cdef double[::1] best  # the weight of the best route
    cdef int32_t[::1] step  # how many characters its first word has
    cdef int32_t[::1] node  # that word
    cdef uint8_t[:, ::1] back  # uint8[n, 4]: the state before, for each state
    cdef uint8_t[::1] states  # on the most probable way
    # What is cut so far: begin and end of each word in its text, and its node or 0.
    cdef int32_t[:, ::1] spans
    cdef int64_t count
    cdef int64_t first  # where the text at hand begins

    def __cinit__(self, Dictionary words not None, const uint32_t[::1] codes,
                  const uint8_t[::1] kinds, int32_t[:, ::1] spans, int64_t longest):
        self.words, self.codes, self.kinds, self.spans = words, codes, kinds, spans
        self.best = np.empty(longest + 1)
        self.step, self.node = np.empty((2, longest + 1), np.int32)
        self.back, self.states = np.empty((longest, 4), np.uint8), np.empty(longest, np.uint8)

    cdef inline void put(self, int64_t begin, int64_t end, int32_t node) noexcept nogil:
        self.spans[self.count, 0] = <int32_t>(begin - self.first)
        self.spans[self.count, 1] = <int32_t>(end - self.first)
        self.spans[self.count, 2] = node
        self.count += 1

    cdef inline void put_singles(self, int64_t begin, int64_t end) noexcept nogil:
        cdef int64_t at
        for at in range(begin, end):
            self.put(at, at + 1, self.words.roots[self.codes[at]])

    cdef int32_t find(self, int64_t begin, int64_t end) noexcept nogil:
        """Return the node of some Han characters, or 0."""
        cdef int32_t node = self.words.roots[self.codes[begin]]
        cdef int64_t at = begin + 1
        while node and at < end:
            node = self.words.child(node, self.codes[at])
            at += 1
        return node

    cdef void text(self, int64_t begin, int64_t end) noexcept nogil:
        """Cut a text."""
        cdef int64_t at = begin, stop
        self.first = begin
        while at < end:
            stop = at + 1
            if is_han(self.codes[at]):
                while stop < end and is_han(self.codes[stop]):
                    stop += 1
                self.run(at, stop)
            elif self.kinds[self.codes[at]] == LETTER:
                while (stop < end and not is_han(self.codes[stop])
                       and self.kinds[self.codes[stop]] == LETTER):
                    stop += 1
                self.put(at, stop, 0)
            elif self.kinds[self.codes[at]] == ALONE:
                self.put(at, stop, 0)
            at = stop

    cdef void run(self, int64_t begin, int64_t end) noexcept nogil:
        """Cut a run of Han characters."""
        cdef int64_t n = end - begin, at, to, single = -1
        cdef double value, best
        cdef int32_t node, step, word
        self.best[n] = 0
        for at in range(n - 1, -1, -1):
            step, word, best = 0, 0, 0
            node, to = self.words.roots[self.codes[begin + at]], at
            while node:
                to += 1
                if self.words.weights[node] <= 0:
                    value = self.words.weights[node] + self.best[to]
                    if step == 0 or value >= best:
                        step, word, best = <int32_t>(to - at), node, value
                if to == n or not self.words.inner[node]:
                    break
                node = self.words.child(node, self.codes[begin + to])
            if step == 0:
                step, best = 1, self.words.unknown + self.best[at + 1]
            self.best[at], self.step[at], self.node[at] = best, step, word
        at = 0
        while at < n:
            step = self.step[at]
            if step == 1:
                if single < 0:
                    single = at
            else:
                if single >= 0:
                    self.singles(begin + single, begin + at)
                    single = -1
                self.put(begin + at, begin + at + step, self.node[at])
            at += step
        if single >= 0:
            self.singles(begin + single, end)

    cdef void singles(self, int64_t begin, int64_t end) noexcept nogil:
        """Cut characters that the best route leaves single."""
        cdef int32_t node = self.find(begin, end)
        # Characters that are a word, which another route beat, stay single.
        if end - begin == 1 or (node and self.words.weights[node] <= 0):
            self.put_singles(begin, end)
        else:
            self.guess(begin, end)

    cdef void guess(self, int64_t begin, int64_t end) noexcept nogil:
        """Cut characters by the hidden Markov model."""
        cdef int64_t at, n = end - begin, first = 0, done = 0
        cdef int32_t node
        cdef uint8_t state
        self.follow(begin, n)
        for at in range(n):
            state = self.states[at]
            if state == BEGIN:
                first = at
            elif state != MIDDLE:
                if state == SINGLE:
                    first = at
                node = self.find(begin + first, begin + at + 1)
                if at > first and node and self.words.split[node]:
                    self.put_singles(begin + first, begin + at + 1)
                else:
                    self.put(begin + first, begin + at + 1, node)
                done = at + 1
        if done < n:
            self.put(begin + done, end, self.find(begin + done, end))

    cdef void follow(self, int64_t begin, int64_t n) noexcept nogil:
        """Find the most probable states of some characters."""
        cdef int64_t at, code = self.codes[begin] - FIRST_HAN
        cdef double b = self.words.steps[0] + self.words.emit[code, 0]
        cdef double e = self.words.steps[1] + self.words.emit[code, 1]
        cdef double m = self.words.steps[2] + self.words.emit[code, 2]
        cdef double s = self.words.steps[3] + self.words.emit[code, 3]
        cdef double next_b, next_e, next_m, next_s, x, y
        for at in range(1, n):
            code = self.codes[begin + at] - FIRST_HAN
            # Of two equal ones, the state whose letter comes later: jieba compares these too.
            x = e + self.words.steps[4] + self.words.emit[code, 0]
            y = s + self.words.steps[5] + self.words.emit[code, 0]
            next_b, self.back[at, BEGIN] = x if x > y else y, END if x > y else SINGLE
            x = b + self.words.steps[6] + self.words.emit[code, 1]
            y = m + self.words.steps[7] + self.words.emit[code, 1]
            next_e, self.back[at, END] = x if x > y else y, BEGIN if x > y else MIDDLE
            x = b + self.words.steps[8] + self.words.emit[code, 2]
            y = m + self.words.steps[9] + self.words.emit[code, 2]
            next_m, self.back[at, MIDDLE] = x if x > y else y, BEGIN if x > y else MIDDLE
            x = e + self.words.steps[10] + self.words.emit[code, 3]
            y = s + self.words.steps[11] + self.words.emit[code, 3]
            next_s, self.back[at, SINGLE] = x if x > y else y, END if x > y else SINGLE
            b, e, m, s = next_b, next_e, next_m, next_s
        self.states[n - 1] = END if e > s else SINGLE
        for at in range(n - 1, 0, -1):
            self.states[at - 1] = self.back[at, self.states[at]]


def cut(Dictionary words not None, const uint32_t[::1] codes, const int64_t[::1] ends,
        const uint8_t[::1] kinds):
    """Cut texts into words.

    Parameters
    ----------
    words : Dictionary
    codes, ends : uint32[m], int64[texts + 1]
    kinds : uint8[0x110000]
        For all characters that are not of the dictionary: 2 if a run of them is a word, 1 if one is
        a word of its own, 0 if it is in none.

    Returns
    -------
    spans : int32[words, 3]
        Where each word begins and ends in its text, and its node in the dictionary or 0.
    sizes : int64[texts]
        How many words each text has.

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    """
    check_texts(codes, ends)
    require(kinds.shape[0] == CODES, "kinds")
    cdef int64_t texts = ends.shape[0] - 1, text, before, longest = 0
    for text in range(texts):
        longest = max(longest, ends[text + 1] - ends[text])
    require(longest < 1 << 30, "a text that is too long")
    # Pages of these arrays that are not used take no memory.
    found, made = np.empty((codes.shape[0], 3), np.int32), np.zeros(texts, np.int64)
    cdef int64_t[::1] sizes = made
    cdef Cutter cutter = Cutter(words, codes, kinds, found, longest)
    with nogil:
        for text in range(texts):
            before = cutter.count
            cutter.text(ends[text], ends[text + 1])
            sizes[text] = cutter.count - before
    return found[:cutter.count], made


@cython.final
@cython.auto_pickle(False)
cdef class Terms:
    """Numbers terms in the order in which they are first met, and counts those of each text."""

    cdef uint64_t[::1] slots  # a hash table: the high half of a hash, and a number + 1; 0 is empty
    cdef int64_t[::1] begins  # where the letters of each term begin, and the end
    cdef uint32_t[::1] letters
    cdef int32_t[::1] times  # of each term in the text at hand; then 0 again
    cdef int32_t[::1] of_node  # the number + 1 of the term of a node of the dictionary
    cdef int64_t number
    cdef uint64_t seed  # so that nobody can write terms that share a slot

    def __cinit__(self):
        self.seed = int.from_bytes(os.urandom(8), "little")
        # Twice as many slots as there can be terms.
        self.slots = np.zeros(1 << 12, np.uint64)
        self.begins = np.zeros(1 << 11, np.int64)
        self.times = np.zeros(1 << 11, np.int32)
        self.letters = np.zeros(1 << 13, np.uint32)
        self.of_node = np.zeros(1, np.int32)

    def __len__(self):
        return self.number

    def codes(self, int64_t first):
        """Return the code points of the terms from a number on, and where each ends.

        They are as `codes` and `ends` of a batch of texts.
        """
        require(0 <= first <= self.number, "first")
        begin, end = self.begins[first], self.begins[self.number]
        ends = np.asarray(self.begins)[first:self.number + 1] - begin
        return np.array(self.letters[begin:end]), ends

    def count(self, const uint32_t[::1] codes, const int64_t[::1] ends, const int32_t[:, ::1] spans,
              const int64_t[::1] sizes):
        """Count the terms of texts.

        Parameters
        ----------
        codes, ends : uint32[m], int64[texts + 1]
        spans, sizes : int32[terms, 3], int64[texts]
            As `cut` returns them, always with the same dictionary.

        Returns
        -------
        starts : int64[texts + 1]
            Text i has the entries ``starts[i]:starts[i + 1]``.
        numbers, counts : int32[entries]
            Its terms, in the order in which it has them, and how often it has each.

        Raises
        ------
        ValueError
            If the arrays do not fit each other.
        """
        check_texts(codes, ends)
        cdef int64_t texts = ends.shape[0] - 1, text, span, stop, out = 0, first, i, most = 0, size
        cdef bint good = sizes.shape[0] == texts and spans.shape[1] == 3
        require(good, "sizes")
        span = 0
        for text in range(texts):
            size = ends[text + 1] - ends[text]
            require(0 <= sizes[text] <= spans.shape[0] - span, "sizes")
            for i in range(span, span + sizes[text]):
                good &= 0 <= spans[i, 0] < spans[i, 1] <= size
                good &= 0 <= spans[i, 2] < 1 << NODE_BITS
                most = max(most, spans[i, 2])
            span += sizes[text]
        require(good and span == spans.shape[0], "spans")
        require(self.number + span < <int64_t>1 << 31, "terms that are too many")
        if most >= self.of_node.shape[0]:
            self.of_node = extended(self.of_node, 2 * most)
        starts_ = np.zeros(texts + 1, np.int64)
        numbers_, counts_ = np.empty(span, np.int32), np.empty(span, np.int32)
        cdef int64_t[::1] starts = starts_
        cdef int32_t[::1] numbers = numbers_, counts = counts_
        cdef int32_t node
        cdef int64_t one
        with nogil:
            span = 0
            for text in range(texts):
                first, stop = out, span + sizes[text]
                while span < stop:
                    node = spans[span, 2]
                    one = self.of_node[node] - 1
                    if one < 0:
                        one = self.number_of(codes, ends[text] + spans[span, 0],
                                             spans[span, 1] - spans[span, 0])
                        if node:
                            self.of_node[node] = <int32_t>(one + 1)
                    if self.times[one] == 0:
                        numbers[out] = <int32_t>one
                        out += 1
                    self.times[one] += 1
                    span += 1
                for i in range(first, out):
                    counts[i] = self.times[numbers[i]]
                    self.times[numbers[i]] = 0
                starts[text + 1] = out
        return starts_, numbers_[:out], counts_[:out]

    cdef int grow(self, int64_t letters) except -1:
        """Make room for one more term, and for its letters."""
        cdef int64_t i
        letters += self.begins[self.number]
        if letters > self.letters.shape[0]:
            self.letters = extended(self.letters, 2 * letters)
        if self.number + 1 == self.times.shape[0]:
            self.begins = extended(self.begins, 2 * self.times.shape[0])
            self.times = extended(self.times, 2 * self.times.shape[0])
            self.slots = np.zeros(2 * self.times.shape[0], np.uint64)
            for i in range(self.number):
                self.enter(self.hash(&self.letters[self.begins[i]],
                                     self.begins[i + 1] - self.begins[i]), i)
        return 0

    cdef inline uint64_t hash(self, const uint32_t *codes, int64_t n) noexcept nogil:
        cdef uint64_t value = self.seed ^ <uint64_t>n
        cdef int64_t i
        for i in range(n):
            value = (value ^ codes[i]) * GOLDEN
            value ^= value >> 29
        return value ^ value >> 32

    cdef void enter(self, uint64_t hash, int64_t one) noexcept nogil:
        cdef uint64_t last = self.slots.shape[0] - 1, place = hash & last
        while self.slots[place]:
            place = (place + 1) & last
        self.slots[place] = hash >> 32 << 32 | <uint64_t>(one + 1)

    cdef int64_t number_of(self, const uint32_t[::1] codes, int64_t at,
                           int64_t n) except -1 nogil:
        """Return the number of a term; a new one gets the next."""
        cdef uint64_t hash = self.hash(&codes[at], n), last = self.slots.shape[0] - 1
        cdef uint64_t place = hash & last
        cdef int64_t one, begin, i
        while self.slots[place]:
            if self.slots[place] >> 32 == hash >> 32:
                one = <int64_t>(self.slots[place] & 0xFFFFFFFFU) - 1
                begin = self.begins[one]
                if self.begins[one + 1] - begin == n and not memcmp(&self.letters[begin],
                                                                    &codes[at], 4 * n):
                    return one
            place = (place + 1) & last
        one, begin = self.number, self.begins[self.number]
        if one + 1 == self.times.shape[0] or begin + n > self.letters.shape[0]:
            with gil:
                self.grow(n)
        self.enter(hash, one)
        for i in range(n):
            self.letters[begin + i] = codes[at + i]
        self.number += 1
        self.begins[self.number] = begin + n
        return one


cdef extended(held, int64_t size):
    """Return an array with more room; what is new is 0."""
    old = np.asarray(held)
    made = np.zeros(size, old.dtype)
    made[:len(old)] = old
    return made
