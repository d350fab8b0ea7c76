/**
 * What the pair reader shows of two texts: their lines with what changed, moved or was folded.
 */
const Changes = (() => {
  const { h } = Dom;

  /**
   * Compare the texts of a view and fill `body` with their rows.
   *
   * @returns what the reader needs: choices, facts and notes to show; `stops`, the changes one after the
   *   other, `mark` which gives the elements of one, `at` the stop at a place of the texts, `find` the
   *   element of an operation
   */
  function draw(body, view, percent) {
    const { options: { a, b, fold }, unit, say } = view;
    const { operations, counts, note } = Diff.compare(a.text, b.text, { unit, fold });
    const rows = Rows.build(a.text, b.text, operations);
    const context = { operations, view, partners: partnersOf(operations) };
    const list = Lazy.list(body, Rows.group(rows), {
      sizeOf: (i) => rows[i].size,
      draw: (i) => drawRow(rows[i], context),
      label: (hidden) => Spans.hiddenWords(hidden, say),
    });
    const firstRow = firstRows(rows, operations.length);
    const mark = ([from, to]) => {
      for (let i = from; i < to; i += 1) list.reveal(firstRow[i]);
      return Array.from({ length: to - from }, (_, i) => elementsOf(body, from + i)).flat();
    };
    followMoves(body, context, (operation) => mark([operation, operation + 1]));
    const stops = stopsOf(operations);
    return {
      list,
      mark,
      stops,
      at: (place) => stops.findIndex(([from, to]) => operations.slice(from, to).some((one) => meets(one, place))),
      find: (operation) => list.show(firstRow[operation]),
      stretches: (scale) => Ribbon.stretchesOf(operations, scale),
      choices: [['layout', ['side', 'inline']], ['unit', ['characters', 'words']]],
      facts: factsOf(counts, a.text === b.text, say, view.options.blind ? null : percent),
      notes: note ? [say(note)] : [],
    };
  }

  function factsOf(counts, identical, say, percent) {
    if (identical) return [say('identical')];
    const facts = [say('changes', counts.changes)];
    if (percent) facts.push(say('equalShare', percent(counts.equal)));
    if (counts.moved) facts.push(say('movedCount', counts.moved));
    if (counts.folded) facts.push(say('foldedCount', counts.folded));
    return facts;
  }

  /** @returns {[number, number][]} adjacent operations that differ are one stop */
  function stopsOf(operations) {
    const stops = [];
    operations.forEach(({ kind }, i) => {
      if (kind === 'equal' || kind === 'folded') return;
      const last = stops[stops.length - 1];
      if (last && last[1] === i) last[1] = i + 1;
      else stops.push([i, i + 1]);
    });
    return stops;
  }

  /** Return whether an operation has some of a place: of one that is empty on one side, on the other. */
  function meets(operation, place) {
    return ['a', 'b'].some((side) => {
      const [[start, end], [from, to]] = [operation[side], place[side]];
      return Math.max(start, from) < Math.min(end, to);
    });
  }

  /** @returns {Map<number, number>} for a moved piece the operation at its other place */
  function partnersOf(operations) {
    const arrivals = new Map();
    operations.forEach(({ from }, i) => from && arrivals.set(from[0], i));
    const partners = new Map();
    operations.forEach(({ to, a }, i) => {
      if (!to) return;
      partners.set(i, arrivals.get(a[0]));
      partners.set(arrivals.get(a[0]), i);
    });
    return partners;
  }

  /** @returns {Int32Array} the first row of each operation */
  function firstRows(rows, count) {
    const first = new Int32Array(count).fill(-1);
    rows.forEach((row, i) => {
      for (const { operation } of row.spans) if (first[operation] < 0) first[operation] = i;
    });
    return first;
  }

  function elementsOf(body, operation) {
    return [...body.querySelectorAll(`[data-mark="${operation}"]`)];
  }

  /** What moved leads to its other place. */
  function followMoves(body, context, mark) {
    body.addEventListener('click', ({ target }) => {
      const moved = target.closest('.rd-moved');
      if (!moved || String(window.getSelection())) return;
      for (const old of body.querySelectorAll('.rd-current')) old.classList.remove('rd-current');
      const elements = mark(context.partners.get(Number(moved.dataset.mark)));
      for (const element of elements) element.classList.add('rd-current');
      if (elements.length) context.view.bringIntoView(elements[0]);
    });
  }

  function drawRow(row, context) {
    const kind = row.changed ? ' changed' : row.blank ? ' blank' : '';
    const inline = context.view.layout === 'inline';
    const cells = inline ? [inlineCell(row, context)] : ['a', 'b'].map((side) => cell(row, side, context));
    return h('div', { class: `rd-row${kind}` }, cells);
  }

  /** One side of a row. */
  function cell(row, side, context) {
    const has = side === 'a' ? row.hasA : row.hasB;
    if (!has && row.changed) return h('div', { class: `rd-cell ${side} none` });
    const line = side === 'a' ? row.lineA : row.lineB;
    const nodes = row.spans.flatMap((span) => nodesOf(span, side, context, !(row.hasA && row.hasB)));
    return h('div', { class: `rd-cell ${side}`, 'data-line': line || null },
      h('div', { class: 'rd-text', dir: 'auto', lang: context.view.options[side].lang }, nodes));
  }

  /** Both sides of a row in one line: what was removed, then what replaces it. */
  function inlineCell(row, context) {
    const { a, b } = context.view.options;
    const nodes = row.spans.flatMap((span) => {
      const old = nodesOf(span, 'a', context, !row.hasB);
      if (span.kind === 'equal' || span.kind === 'folded') return old;
      const fresh = nodesOf(span, 'b', context, !row.hasA);
      if (a.lang !== b.lang) for (const node of fresh) node.lang = b.lang;
      return [...old, ...fresh];
    });
    const side = row.lineA || !row.lineB ? 'a' : 'b';
    return h('div', { class: `rd-cell ${side}`, 'data-line': row.lineA || row.lineB || null },
      h('div', { class: 'rd-text', dir: 'auto', lang: a.lang }, nodes));
  }

  /** A span of a row as nodes of one side, facts that differ in boxes. */
  function nodesOf(span, side, { operations, view }, alone) {
    const { options: { a, b }, say } = view;
    const [own, other] = side === 'a' ? [a, b] : [b, a];
    const [start, end] = span[side];
    const text = own.text.slice(start, end);
    // Where a whole line differs, an arrow at its end would say nothing.
    const shown = alone && /\S/.test(text) ? text.replace(/\n$/, '') : text;
    if (!shown) return [];
    const { kind, operation } = span;
    const { to, from } = operations[operation];
    const tip = to ? say('movedTo', b.letter) : from ? say('movedFrom', a.letter) : null;
    const counterpart = other.text.slice(...span[side === 'a' ? 'b' : 'a']);
    const draw = (part) => Spans.draw({ kind, text: part, other: counterpart, mark: operation, say, tip }, side);
    return Facts.boxed(shown, start, view, side, draw);
  }

  return Object.freeze({ draw });
})();
