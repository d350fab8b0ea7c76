/**
 * Alignment: which tokens of two sequences correspond.
 *
 * Equal ends are trimmed.  Where much is left, runs of tokens that occur once in both sequences are
 * anchors: of those in the same order, the longest chain is kept (patience diff; Szymanski 1975 for the
 * chain).  What lies between anchors is small, and the greedy algorithm of Myers finds the fewest edits
 * there (An O(ND) difference algorithm and its variations, Algorithmica 1, 1986).
 *
 * Both are bounded: a stretch that needs too many edits counts as replaced as a whole.  The bounds count
 * steps, not time, so the same texts give the same answer on every machine.
 */
const Align = (() => {
  /** Stretches with fewer tokens on both sides go to Myers at once: 1,600 tokens cost him 5 ms. */
  const SMALL = 1600;
  /** Lengths of the runs that are anchors: long ones first, they are hardly ever chance. */
  const ANCHORS = [8, 3];
  /** Edits in one stretch: the way back through 2,048 of them takes 17 MB. */
  const EDITS = 2048;
  /** Steps for a whole text: some 0.2 s. */
  const STEPS = 1e7;

  /**
   * @typedef {[number, number, number, number]} Box start and end in a, start and end in b
   * @typedef {[number, number, number]} Run start in a, start in b, length
   * @typedef {{a: Int32Array, b: Int32Array, runs: Run[], steps: number, replaced: boolean}} Task
   */

  /**
   * Align two sequences of numbers.
   *
   * @param {Int32Array} a
   * @param {Int32Array} b
   * @returns {{runs: Run[], replaced: boolean}} runs of equal numbers, in order; and whether a bound
   *   was met, so that there may be more in common
   */
  function align(a, b) {
    /** @type {Task} */
    const task = { a, b, runs: [], steps: STEPS, replaced: false };
    solve(task, [0, a.length, 0, b.length], 0);
    return { runs: join(task.runs), replaced: task.replaced };
  }

  /** Align what is in a box: ends, then anchors, then Myers. */
  function solve(/** @type {Task} */ task, /** @type {Box} */ [a0, a1, b0, b1], level = 0) {
    const { a, b, runs } = task;
    const room = Math.min(a1 - a0, b1 - b0);
    let head = 0;
    while (head < room && a[a0 + head] === b[b0 + head]) head += 1;
    let tail = 0;
    while (tail < room - head && a[a1 - 1 - tail] === b[b1 - 1 - tail]) tail += 1;
    if (head) runs.push([a0, b0, head]);
    /** @type {Box} */
    const inner = [a0 + head, a1 - tail, b0 + head, b1 - tail];
    if (room > head + tail) divide(task, inner, level);
    if (tail) runs.push([a1 - tail, b1 - tail, tail]);
  }

  /** Align the boxes between anchors; where there are none, the box as a whole. */
  function divide(/** @type {Task} */ task, /** @type {Box} */ box, /** @type {number} */ level) {
    const [a0, a1, b0, b1] = box;
    if (level >= ANCHORS.length || Math.max(a1 - a0, b1 - b0) <= SMALL) {
      findEdits(task, box);
      return;
    }
    let [a, b] = [a0, b0];
    for (const run of anchors(task, box, ANCHORS[level])) {
      solve(task, [a, run[0], b, run[1]], level + 1);
      task.runs.push(run);
      [a, b] = [run[0] + run[2], run[1] + run[2]];
    }
    solve(task, [a, a1, b, b1], level + 1);
  }

  /** @returns {Run[]} the longest chain of runs of `size` tokens that are unique on both sides */
  function anchors(/** @type {Task} */ { a, b }, /** @type {Box} */ [a0, a1, b0, b1], size = 1) {
    const inB = uniqueRuns(b, b0, b1, size);
    /** @type {Run[]} */
    const shared = [];
    for (const [hash, i] of uniqueRuns(a, a0, a1, size)) {
      const j = inB.get(hash);
      if (i >= 0 && j >= 0 && equals(a, i, b, j, size)) shared.push([i, j, size]);
    }
    return withoutOverlap(longestChain(shared));
  }

  /** @returns {Map<number, number>} where each run starts, by its hash; -1 where there are several */
  function uniqueRuns(/** @type {Int32Array} */ ids, start = 0, end = 0, size = 1) {
    const places = new Map();
    for (let i = start; i + size <= end; i += 1) {
      let hash = 0;
      for (let j = i; j < i + size; j += 1) hash = (Math.imul(hash, 0x01000193) + ids[j] + 1) | 0;
      places.set(hash, places.has(hash) ? -1 : i);
    }
    return places;
  }

  function equals(a, i, b, j, size) {
    for (let k = 0; k < size; k += 1) if (a[i + k] !== b[j + k]) return false;
    return true;
  }

  /** @returns {Run[]} the longest part of runs, which rise in a, that rises in b too */
  function longestChain(/** @type {Run[]} */ runs) {
    const lasts = []; // the run that ends the best chain of each length
    const before = new Int32Array(runs.length);
    runs.forEach(([, j], index) => {
      let [low, high] = [0, lasts.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (runs[lasts[middle]][1] < j) low = middle + 1;
        else high = middle;
      }
      before[index] = low ? lasts[low - 1] : -1;
      lasts[low] = index;
    });
    const chain = [];
    for (let i = lasts.length ? lasts[lasts.length - 1] : -1; i >= 0; i = before[i]) chain.push(runs[i]);
    return chain.reverse();
  }

  /** Join runs that overlap on one diagonal, and drop those that overlap on another. */
  function withoutOverlap(/** @type {Run[]} */ chain) {
    /** @type {Run[]} */
    const kept = [];
    for (const [i, j, size] of chain) {
      const last = kept[kept.length - 1];
      if (!last || (i >= last[0] + last[2] && j >= last[1] + last[2])) kept.push([i, j, size]);
      else if (i - last[0] === j - last[1]) last[2] = i - last[0] + size;
    }
    return kept;
  }

  /** Align a box with the fewest edits, or not at all where that takes too many. */
  function findEdits(/** @type {Task} */ task, /** @type {Box} */ [a0, a1, b0, b1]) {
    const a = task.a.subarray(a0, a1);
    const b = task.b.subarray(b0, b1);
    const trace = furthestPoints(task, a, b);
    if (trace) for (const [i, j, size] of walkBack(trace, a, b)) task.runs.push([a0 + i, b0 + j, size]);
    else task.replaced = true;
  }

  /**
   * Return for each number of edits the furthest x on each diagonal x - y, or null.
   *
   * `furthest[middle + k]` is that of diagonal k; -1 says that it has not been reached.
   */
  function furthestPoints(/** @type {Task} */ task, /** @type {Int32Array} */ a, /** @type {Int32Array} */ b) {
    const [n, m] = [a.length, b.length];
    const most = Math.min(n + m, EDITS);
    const middle = most + 1;
    const furthest = new Int32Array(2 * most + 3).fill(-1);
    furthest[middle + 1] = 0;
    const trace = [];
    for (let edits = 0; edits <= most && task.steps > 0; edits += 1) {
      trace.push(furthest.slice(middle - edits - 1, middle + edits + 2));
      const last = edits - 2 * Math.max(0, edits - n);
      for (let k = 2 * Math.max(0, edits - m) - edits; k <= last; k += 2) {
        const [left, right] = [furthest[middle + k - 1], furthest[middle + k + 1]];
        let x = left < right ? right : left + 1;
        const from = x;
        while (x < n && x - k < m && a[x] === b[x - k]) x += 1;
        furthest[middle + k] = x;
        task.steps -= x - from + 1;
        if (x >= n && x - k >= m) return trace;
      }
    }
    return null;
  }

  /** @returns {Run[]} the diagonals of the way from the end to the start, in order of the texts */
  function walkBack(/** @type {Int32Array[]} */ trace, /** @type {Int32Array} */ a, /** @type {Int32Array} */ b) {
    /** @type {Run[]} */
    const runs = [];
    let [x, y] = [a.length, b.length];
    for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
      const furthest = trace[edits];
      const middle = edits + 1;
      const k = x - y;
      const down = furthest[middle + k - 1] < furthest[middle + k + 1];
      const start = down ? furthest[middle + k + 1] : furthest[middle + k - 1] + 1;
      if (x > start) runs.push([start, start - k, x - start]);
      x = down ? start : start - 1;
      y = down ? start - k - 1 : start - k;
    }
    return runs.reverse();
  }

  /** Join runs that touch in both sequences. */
  function join(/** @type {Run[]} */ runs) {
    /** @type {Run[]} */
    const joined = [];
    for (const [i, j, size] of runs) {
      const last = joined[joined.length - 1];
      if (last && last[0] + last[2] === i && last[1] + last[2] === j) last[2] += size;
      else joined.push([i, j, size]);
    }
    return joined;
  }

  return Object.freeze({ align, equals, longestChain, uniqueRuns });
})();
