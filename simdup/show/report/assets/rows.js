/**
 * Rows: operations of a diff as aligned lines, and which of them are hidden because nothing changed.
 *
 * A line end that both texts share ends a row on both sides.  One that only one text has ends the row
 * too: the other side goes on in the next row without a line number.  So both sides stay level, whatever
 * was inserted.  Very long lines are cut, for a browser lays out whole rows.
 */
const Rows = (() => {
  /** Characters of one row. */
  const LONGEST = 2000;
  /** Rows that stay visible before and after a change. */
  const CONTEXT = 2;
  /** Fewer equal characters or rows are not worth a button. */
  const HIDDEN_CHARACTERS = 30;
  const HIDDEN_ROWS = 3;
  /** Rows that are shown where nothing differs at all. */
  const PREVIEW = 12;

  /**
   * @typedef {{operation: number, kind: string, a: [number, number], b: [number, number]}} Span
   * @typedef {{spans: Span[], lineA: number, lineB: number, hasA: boolean, hasB: boolean,
   *   changed: boolean, blank: boolean, size: number}} Row line numbers are 0 where a line goes on;
   *   `size` counts characters, of the longer side of each span
   * @typedef {{rows: [number, number], hidden: number}} Item rows to show, or to hide if `hidden`, the
   *   number of their characters, is not 0
   */

  /** @returns {Row[]} */
  function build(/** @type {string} */ a, /** @type {string} */ b, operations) {
    /** @type {Row[]} */
    const rows = [];
    const line = { a: 1, b: 1 };
    let next = emptyRow(line.a, line.b);
    operations.forEach(({ kind, a: rangeA, b: rangeB }, operation) => {
      const [inA, inB] = [piecesOf(a, rangeA), piecesOf(b, rangeB)];
      for (let i = 0; i < Math.max(inA.length, inB.length); i += 1) {
        const pieceA = inA[i] || { range: [rangeA[1], rangeA[1]], ends: false };
        const pieceB = inB[i] || { range: [rangeB[1], rangeB[1]], ends: false };
        addSpan(next, { operation, kind, a: pieceA.range, b: pieceB.range });
        if (pieceA.ends) line.a += 1;
        if (pieceB.ends) line.b += 1;
        if (!pieceA.ends && !pieceB.ends && next.size < LONGEST) continue;
        rows.push(next);
        const goesOnA = !pieceA.ends && (next.hasA || !next.lineA);
        const goesOnB = !pieceB.ends && (next.hasB || !next.lineB);
        next = emptyRow(goesOnA ? 0 : line.a, goesOnB ? 0 : line.b);
      }
    });
    if (next.spans.length) rows.push(next);
    for (const row of rows) finish(row, a, b);
    return rows;
  }

  /** @returns {Row} */
  function emptyRow(lineA, lineB) {
    return { spans: [], lineA, lineB, hasA: false, hasB: false, changed: false, blank: true, size: 0 };
  }

  function addSpan(/** @type {Row} */ row, /** @type {Span} */ span) {
    row.spans.push(span);
    row.hasA = row.hasA || span.a[1] > span.a[0];
    row.hasB = row.hasB || span.b[1] > span.b[0];
    row.changed = row.changed || !(span.kind === 'equal' || span.kind === 'folded');
    row.size += Math.max(span.a[1] - span.a[0], span.b[1] - span.b[0]);
  }

  /** Number only sides that have something. */
  function finish(/** @type {Row} */ row, /** @type {string} */ a, /** @type {string} */ b) {
    if (!row.hasA) row.lineA = 0;
    if (!row.hasB) row.lineB = 0;
    row.blank = !row.changed && row.spans.every((s) => !/\S/.test(a.slice(...s.a)) && !/\S/.test(b.slice(...s.b)));
  }

  /** Cut a range after line ends, and long lines. */
  function piecesOf(/** @type {string} */ text, /** @type {[number, number]} */ [start, end]) {
    const pieces = [];
    let from = start;
    for (const [line] of text.slice(start, end).matchAll(/[^\n]*\n|[^\n]+$/g)) {
      const stop = from + line.length;
      for (; stop - from > LONGEST; from = pieces[pieces.length - 1].range[1]) {
        pieces.push({ range: [from, wholeCharacter(text, from + LONGEST)], ends: false });
      }
      pieces.push({ range: [from, stop], ends: line.endsWith('\n') });
      from = stop;
    }
    return pieces;
  }

  /** Do not cut between the two units of one character. */
  function wholeCharacter(/** @type {string} */ text, /** @type {number} */ i) {
    return /[\udc00-\udfff]/.test(text[i]) ? i + 1 : i;
  }

  /** @returns {Item[]} stretches of rows, shown and hidden */
  function group(/** @type {Row[]} */ rows) {
    const shown = new Uint8Array(rows.length);
    markNear(rows, shown, rows.map((_, i) => i));
    markNear(rows, shown, rows.map((_, i) => rows.length - 1 - i));
    if (!rows.some((row) => row.changed)) shown.fill(1, 0, PREVIEW);
    const items = [];
    for (let start = 0; start < rows.length; ) {
      let end = start;
      while (end < rows.length && shown[end] === shown[start]) end += 1;
      const hidden = shown[start] ? 0 : worthHiding(rows.slice(start, end));
      const last = items[items.length - 1];
      if (last && !last.hidden && !hidden) last.rows[1] = end;
      else items.push({ rows: [start, end], hidden });
      start = end;
    }
    return items;
  }

  /** Mark changed rows and those that follow in this order; blank ones do not count as context. */
  function markNear(/** @type {Row[]} */ rows, /** @type {Uint8Array} */ shown, /** @type {number[]} */ order) {
    let left = 0;
    for (const i of order) {
      if (rows[i].changed) left = CONTEXT + 1;
      if (left > 0) shown[i] = 1;
      if (left > 0 && !rows[i].blank) left -= 1;
    }
  }

  function worthHiding(/** @type {Row[]} */ rows) {
    const size = rows.reduce((sum, row) => sum + row.size, 0);
    const solid = rows.filter((row) => !row.blank).length;
    return size >= HIDDEN_CHARACTERS && solid >= HIDDEN_ROWS ? size : 0;
  }

  return Object.freeze({ build, group });
})();
