/**
 * Diff: what changed between two texts, in operations that turn the first into the second.
 *
 *     Diff.compare(a, b, {unit: 'characters', fold: {雲: '云'}})
 *     -> {operations, counts: {changes, moved, folded, equal}, note}
 *
 * `operations` cover both texts without a gap, in order; `a` and `b` are [start, end] in UTF-16 units:
 *
 * - equal: the same text on both sides
 * - folded: the same after folding (another script, width or case); counted apart
 * - changed, removed (b is empty), added (a is empty)
 * - moved: text that was removed here and inserted elsewhere, equal after folding.  At its old place b
 *   is empty and `to` is its place in b; at its new place a is empty and `from` is its place in a.
 *
 * Whoever copies a from equal operations and b from all others gets b.  `counts.equal` is the share of
 * both texts that is equal or folded, `counts.moved` the number of pieces.  `note` is 'replaced' where a
 * bound was met, else null.
 *
 * Tokens (tokens.js) are aligned by their folded form (align.js).  Four steps make the result readable:
 * an insertion slides to where a line or sentence starts, one that ends with the start of a changed line
 * gives it back, changes that only a chance match keeps apart are joined, and moved pieces are looked for
 * in what is left.
 */
const Diff = (() => {
  const { align, equals, uniqueRuns } = Align;

  /**
   * Equal stretches of at most so many tokens are chance if the changes around them are so many times
   * larger: 1993年9月 keeps its 年, but rewritten sentences do not share each 的.
   */
  const CHANCE = 2;
  const LARGER = 4;
  /** An insertion slides at most so many tokens. */
  const SLIDE = 400;
  /** Tokens by which pieces that may have moved are looked up. */
  const MOVED_TOKENS = 6;
  /** Letters and digits of a sentence or clause that counts as moved, and of any other piece. */
  const MOVED_CLAUSE = 10;
  const MOVED_ANYTHING = 30;

  /**
   * @typedef {[number, number, number, number]} Box tokens: start and end in a, start and end in b
   * @typedef {{text: string, starts: number[], ids: Int32Array}} Side
   * @typedef {{a: [number, number], b: [number, number]}} Piece tokens that moved
   * @typedef {{kind: string, a: [number, number], b: [number, number], to?: [number, number],
   *   from?: [number, number]}} Operation
   */

  /**
   * Compare two texts.
   *
   * @param {string} a
   * @param {string} b
   * @param {{unit?: 'characters'|'words', fold?: Object<string, string>}} options
   * @returns {{operations: Operation[], counts: Object<string, number>, note: string|null}}
   */
  function compare(a, b, { unit = 'characters', fold = {} } = {}) {
    const tokenize = Tokens.tokenizer(unit, fold);
    const sides = { a: { text: a, ...tokenize(a) }, b: { text: b, ...tokenize(b) } };
    const { runs, replaced } = align(sides.a.ids, sides.b.ids);
    const changes = joinChanges(splitAll(slideAll(changesBetween(runs, sides), sides), sides), sides);
    const operations = describe(changes, findMoved(changes, sides), sides);
    return { operations, counts: count(operations, a.length + b.length), note: replaced ? 'replaced' : null };
  }

  /** @returns {Box[]} what lies between runs of equal tokens */
  function changesBetween(runs, { a, b }) {
    const changes = [];
    let [i, j] = [0, 0];
    for (const [x, y, size] of [...runs, [a.ids.length, b.ids.length, 0]]) {
      if (x > i || y > j) changes.push([i, x, j, y]);
      [i, j] = [x + size, y + size];
    }
    return changes;
  }

  /** Slide what was only removed or only added to where it reads best. */
  function slideAll(/** @type {Box[]} */ changes, { a, b }) {
    changes.forEach((box, index) => {
      const [a0, a1, b0, b1] = box;
      if (a1 > a0 && b1 > b0) return;
      const [before, after] = [changes[index - 1], changes[index + 1]];
      const room = [
        Math.min(SLIDE, a0 - (before ? before[1] : 0)),
        Math.min(SLIDE, (after ? after[0] : a.ids.length) - a1),
      ];
      const shift = a1 > a0 ? bestShift(a, a0, a1, room) : bestShift(b, b0, b1, room);
      for (let i = 0; i < 4; i += 1) box[i] += shift;
    });
    return changes;
  }

  /** Return how far tokens start..end can slide, one of the texts staying as it is, to start well. */
  function bestShift(/** @type {Side} */ side, start, end, [left, right]) {
    const { ids } = side;
    let first = 0;
    while (-first < left && ids[start + first - 1] === ids[end + first - 1]) first -= 1;
    let last = 0;
    while (last < right && ids[start + last] === ids[end + last]) last += 1;
    let [best, score] = [0, startScore(side, start)];
    for (let shift = first; shift <= last; shift += 1) {
      const next = startScore(side, start + shift);
      if (next > score) [best, score] = [shift, next];
    }
    return best;
  }

  /** Say how well a token starts a stretch: a line does best, then a sentence, then a word. */
  function startScore({ text, starts }, /** @type {number} */ i) {
    const before = i ? text[starts[i] - 1] : '\n';
    const blank = /\s/.test(text[starts[i]] || '');
    if (before === '\n') return blank ? 4 : 5;
    if (/[。！？；.!?;]/.test(before)) return 3;
    if (/[\s，、：,:]/.test(before)) return blank ? 1 : 2;
    return 0;
  }

  /**
   * Split changes that begin in one line and end in another one with the same beginning.
   *
   * Between 第十一条 and 第十二条 … 第十三条 the fewest edits keep the first 第十; that of the last line
   * belongs to what follows.  The lines before it are then an insertion, or a removal, of their own.
   */
  function splitAll(/** @type {Box[]} */ changes, { a, b }) {
    let end = 0;
    return changes.flatMap(([a0, a1, b0, b1]) => {
      const room = a0 - end;
      end = a1;
      const inB = sharedStart(b, b0, b1, room);
      if (inB) return [[a0 - inB.size, a0 - inB.size, b0 - inB.size, inB.line], [a0, a1, inB.line + inB.size, b1]];
      const inA = sharedStart(a, a0, a1, room);
      if (inA) return [[a0 - inA.size, inA.line, b0 - inA.size, b0 - inA.size], [inA.line + inA.size, a1, b0, b1]];
      return [[a0, a1, b0, b1]];
    });
  }

  function startsLine(/** @type {Side} */ { text, starts }, /** @type {number} */ i) {
    return i === 0 || text[starts[i] - 1] === '\n';
  }

  /** Return where the last line in tokens start..end starts, if it does as the line of `start` does. */
  function sharedStart(/** @type {Side} */ side, start, end, room) {
    let size = 0;
    while (size < Math.min(room, SLIDE) && !startsLine(side, start - size)) size += 1;
    if (!size || !startsLine(side, start - size)) return null;
    let line = end - size;
    while (line > start && !startsLine(side, line)) line -= 1;
    return line > start && equals(side.ids, start - size, side.ids, line, size) ? { size, line } : null;
  }

  /** Join changes that only a chance match or a blank keeps apart, within a line. */
  function joinChanges(/** @type {Box[]} */ changes, { a, b }) {
    const size = (/** @type {Box} */ box) => Math.max(box[1] - box[0], box[3] - box[2]);
    const joined = changes.slice(0, 1);
    for (const box of changes.slice(1)) {
      const last = joined[joined.length - 1];
      const apart = box[0] - last[1];
      const between = a.text.slice(a.starts[last[1]], a.starts[box[0]]);
      const chance = apart <= CHANCE && apart * LARGER < size(last) + size(box);
      const inLine = !between.includes('\n') && !startsLine(a, last[1]) && !startsLine(b, last[3]);
      if (between === '' || (inLine && (chance || /^\s+$/.test(between)))) [, last[1], , last[3]] = box;
      else joined.push(box);
    }
    return joined;
  }

  /** Find pieces that were removed in one place and inserted in another, unique among such. */
  function findMoved(/** @type {Box[]} */ changes, { a, b }) {
    const removed = changedRuns(a.ids, changes, 0);
    const inserted = changedRuns(b.ids, changes, 2);
    const taken = new Uint8Array(b.ids.length);
    /** @type {Piece[]} */
    const pieces = [];
    let end = 0;
    for (const [hash, [i, from]] of removed) {
      const [j, to] = inserted.get(hash) || [-1, null];
      if (i < end || j < 0 || !equals(a.ids, i, b.ids, j, MOVED_TOKENS)) continue;
      const piece = extend({ a, b }, [i, j], [Math.max(end, from[0]), from[1], to[2], to[3]], taken);
      if (!piece || !isMove(a, piece.a)) continue;
      taken.fill(1, ...piece.b);
      end = piece.a[1];
      pieces.push(piece);
    }
    return pieces;
  }

  /** @returns {Map<number, [number, Box|null]>} runs that occur once in what changed: place, change */
  function changedRuns(ids, changes, side) {
    const places = new Map();
    for (const box of changes) {
      for (const [hash, i] of uniqueRuns(ids, box[side], box[side + 1], MOVED_TOKENS)) {
        places.set(hash, places.has(hash) || i < 0 ? [-1, null] : [i, box]);
      }
    }
    return places;
  }

  /** Extend a run that starts at i and j as far as both stretches go; null where it is taken. */
  function extend({ a, b }, [i, j], [a0, a1, b0, b1], taken) {
    const alike = (/** @type {number} */ k) => !taken[j + k] && a.ids[i + k] === b.ids[j + k];
    let [start, end] = [0, 0];
    while (i + start > a0 && j + start > b0 && alike(start - 1)) start -= 1;
    while (i + end < a1 && j + end < b1 && alike(end)) end += 1;
    if (end - start < MOVED_TOKENS) return null;
    return { a: [i + start, i + end], b: [j + start, j + end] };
  }

  /** Tell whether a piece is more than a phrase that occurs here and there, as names of offices do. */
  function isMove({ text, starts }, /** @type {[number, number]} */ [first, last]) {
    const [start, end] = [starts[first], starts[last]];
    const letters = text.slice(start, end).replace(/[^\p{L}\p{N}]/gu, '').length;
    const edge = /[\p{P}\n]/u;
    const startsClause = start === 0 || edge.test(text.slice(start - 1, start + 1));
    const endsClause = end === text.length || edge.test(text.slice(end - 1, end + 1));
    return letters >= (startsClause && endsClause ? MOVED_CLAUSE : MOVED_ANYTHING);
  }

  /** @returns {Operation[]} equal stretches, changes and moved pieces in order, in UTF-16 units */
  function describe(/** @type {Box[]} */ changes, /** @type {Piece[]} */ pieces, sides) {
    const { a, b } = sides;
    const arriving = [...pieces].sort((p, q) => p.b[0] - q.b[0]);
    const operations = [];
    let [i, j, leaves, arrives] = [0, 0, 0, 0];
    const [n, m] = [a.ids.length, b.ids.length];
    for (const [a0, a1, b0, b1] of [...changes, [n, n, m, m]]) {
      pushEqual(operations, [i, a0, j, b0], sides);
      const [fromA, fromB] = [leaves, arrives];
      while (leaves < pieces.length && pieces[leaves].a[0] < a1) leaves += 1;
      while (arrives < arriving.length && arriving[arrives].b[0] < b1) arrives += 1;
      const moved = { a: pieces.slice(fromA, leaves), b: arriving.slice(fromB, arrives) };
      pushChange(operations, [a0, a1, b0, b1], moved, sides);
      [i, j] = [a1, b1];
    }
    return operations;
  }

  /** Push tokens that are equal after folding: as equal where they are equal as they are. */
  function pushEqual(operations, /** @type {Box} */ [a0, a1, b0, b1], { a, b }) {
    if (a1 > a0 && a.text.slice(a.starts[a0], a.starts[a1]) === b.text.slice(b.starts[b0], b.starts[b1])) {
      push(operations, 'equal', [a.starts[a0], a.starts[a1]], [b.starts[b0], b.starts[b1]]);
      return;
    }
    for (let k = 0; a0 + k < a1; k += 1) {
      const inA = [a.starts[a0 + k], a.starts[a0 + k + 1]];
      const inB = [b.starts[b0 + k], b.starts[b0 + k + 1]];
      push(operations, a.text.slice(...inA) === b.text.slice(...inB) ? 'equal' : 'folded', inA, inB);
    }
  }

  /** Push an operation, or extend the last one of the same kind. */
  function push(operations, kind, inA, inB) {
    const last = operations[operations.length - 1];
    if (last && last.kind === kind) [last.a[1], last.b[1]] = [inA[1], inB[1]];
    else operations.push({ kind, a: [...inA], b: [...inB] });
  }

  /** Push a change without its moved pieces, and these where they leave and arrive. */
  function pushChange(operations, /** @type {Box} */ [a0, a1, b0, b1], moved, { a, b }) {
    const inA = (s, e) => [a.starts[s], a.starts[e]];
    const inB = (s, e) => [b.starts[s], b.starts[e]];
    let [i, j] = [a0, b0];
    for (let k = 0; k <= Math.max(moved.a.length, moved.b.length); k += 1) {
      const [leaving, arriving] = [moved.a[k], moved.b[k]];
      const [endA, endB] = [leaving ? leaving.a[0] : a1, arriving ? arriving.b[0] : b1];
      if (endA > i || endB > j) {
        const kind = endB === j ? 'removed' : endA === i ? 'added' : 'changed';
        operations.push({ kind, a: inA(i, endA), b: inB(j, endB) });
      }
      [i, j] = [endA, endB];
      if (leaving) {
        operations.push({ kind: 'moved', a: inA(...leaving.a), b: inB(j, j), to: inB(...leaving.b) });
        i = leaving.a[1];
      }
      if (arriving) {
        operations.push({ kind: 'moved', a: inA(i, i), b: inB(...arriving.b), from: inA(...arriving.a) });
        j = arriving.b[1];
      }
    }
  }

  /** Count operations by what a reader asks for. */
  function count(/** @type {Operation[]} */ operations, /** @type {number} */ length) {
    const counts = { changes: 0, moved: 0, folded: 0, equal: length ? 0 : 1 };
    for (const { kind, a, b, to } of operations) {
      if (kind === 'moved') counts.moved += to ? 1 : 0;
      else if (kind === 'folded') counts.folded += 1;
      else if (kind !== 'equal') counts.changes += 1;
      if (kind === 'equal' || kind === 'folded') counts.equal += (a[1] - a[0] + b[1] - b[0]) / length;
    }
    // Summed up from many parts, all of a text can come to a little more or less than 1.
    if (!counts.changes && !counts.moved) counts.equal = 1;
    return counts;
  }

  return Object.freeze({ compare });
})();
