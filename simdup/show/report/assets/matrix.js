/**
 * The pairs of a cluster twice: as a triangle of similarities, and as a ring of documents.
 */
const Matrix = (() => {
  const { h, svg } = Dom;
  const { t } = State;

  // Documents of a cluster that are drawn; their texts are what the file carries at most.
  const MOST = 24;

  /** Return the letter of a document: A ... Z, AA ... */
  function letter(i) {
    return (i >= 26 ? letter(Math.floor(i / 26) - 1) : '') + String.fromCharCode(65 + (i % 26));
  }

  /** Return the pairs of the first documents: {a, b, p}. */
  function pairs(cluster) {
    const { table } = Data;
    const found = [];
    for (let p = table.firstPair[cluster]; p < table.firstPair[cluster + 1]; p += 1) {
      const [a, b] = [Math.min(table.pairA[p], table.pairB[p]), Math.max(table.pairA[p], table.pairB[p])];
      if (b < MOST && a !== b) found.push({ a, b, p });
    }
    return found;
  }

  /** Return whether the first document of a pair took the second. */
  function took(cluster, { a, b }) {
    return Data.table.taker[Data.table.first[cluster] + b] === a;
  }

  /**
   * Return the pair that a person should see first: the weakest one that is drawn, of those in which one
   * document took the other if there are any; where the list is asked for facts, of those that differ in one.
   */
  function weakest(cluster, onlyTaken = false) {
    const { pairSimilarity, pairDistance, pairFacts } = Data.table;
    const all = pairs(cluster);
    const taken = all.filter((pair) => took(cluster, pair));
    const fits = ({ p }) => State.filter !== 'facts' || pairFacts[p];
    const choices = [taken.filter(fits), onlyTaken ? [] : all.filter(fits), taken, onlyTaken ? [] : all];
    return (choices.find((some) => some.length) || []).reduce((best, pair) => {
      if (!best) return pair;
      const lower = pairSimilarity[pair.p] - pairSimilarity[best.p] || pairDistance[best.p] - pairDistance[pair.p];
      return lower < 0 ? pair : best;
    }, null);
  }

  function short(similarity) {
    if (similarity < 0) return '·';
    return similarity === 10000 ? '1' : `.${String(Math.floor(similarity / 100)).padStart(2, '0')}`;
  }

  function cell(cluster, pair, chosen, open) {
    const { pairSimilarity, pairDistance } = Data.table;
    const similarity = pairSimilarity[pair.p];
    const low = Math.min(Data.least, 9000);
    const level = similarity < 0 ? 2 : Math.max(0, Math.min(4, Math.floor((5 * (similarity - low)) / (10001 - low))));
    const weak = similarity >= 0 && similarity < State.threshold;
    const label = t('cell', letter(pair.a), letter(pair.b), State.digits(similarity), pairDistance[pair.p]);
    return h('button', {
      type: 'button', class: `cell level${level}${chosen ? ' chosen' : ''}${weak ? ' weak' : ''}`, title: label,
      // The name begins with what is seen: who speaks to the page says that.
      'aria-label': `${short(similarity)} ${label}`, 'aria-pressed': String(Boolean(chosen)),
      onclick: () => open(pair.a, pair.b),
    }, short(similarity));
  }

  /** Return the cell of two documents that are no listed pair: not near, or nobody knows. */
  function without(cluster, a, b, here, open) {
    const listed = Groups.listed(cluster);
    const label = t(listed ? 'cellNone' : 'cellUnknown', letter(a), letter(b));
    return h('button', {
      type: 'button', class: `cell none${listed ? '' : ' unknown'}${here ? ' chosen' : ''}`, 'aria-label': label,
      title: label, onclick: () => open(a, b),
    }, listed ? '' : '?');
  }

  /** Return the triangle; `open(a, b)` opens a pair. */
  function triangle(cluster, chosen, open) {
    const size = Math.min(Data.table.size[cluster], MOST);
    const known = new Map(pairs(cluster).map((pair) => [pair.a * MOST + pair.b, pair]));
    const rows = [];
    for (let i = 0; i < size; i += 1) {
      const cells = [];
      for (let j = 0; j < i; j += 1) {
        const pair = known.get(j * MOST + i);
        const here = chosen && chosen[0] === j && chosen[1] === i;
        cells.push(pair ? cell(cluster, pair, here, open) : without(cluster, j, i, here, open));
      }
      rows.push(h('div', { class: 'line' }, cells, h('span', { class: 'letter' }, letter(i))));
    }
    const dense = size > 14 ? ' dense tiny' : size > 8 ? ' dense' : '';
    return h('div', { class: `triangle${dense}`, role: 'group', 'aria-label': t('matrix') }, rows);
  }

  /** Return the ring: documents on a circle, kept ones filled, the weakest pair dashed. */
  function ring(cluster, open) {
    const size = Math.min(Data.table.size[cluster], MOST);
    if (size < 3) return null;
    const [middle, radius] = [100, 74];
    const dot = size > 12 ? 8 : 10;
    const place = (i) => {
      const angle = (2 * Math.PI * i) / size - Math.PI / 2;
      return [middle + radius * Math.cos(angle), middle + radius * Math.sin(angle)];
    };
    const weak = weakest(cluster);
    const { pairSimilarity, role, first } = Data.table;
    const lines = pairs(cluster).map((pair) => {
      const [[x1, y1], [x2, y2]] = [place(pair.a), place(pair.b)];
      const similarity = pairSimilarity[pair.p];
      const below = similarity >= 0 && similarity < State.threshold;
      const known = took(cluster, pair) ? ' took' : '';
      const look = `edge${pair.p === weak.p ? ' weakest' : known}${below ? ' weak' : ''}`;
      const shape = { x1, y1, x2, y2, class: look, 'stroke-width': size > 12 ? 1.2 : 2.5 };
      const label = `${letter(pair.a)}–${letter(pair.b)} ${State.digits(similarity)}`;
      return svg('line', { ...shape, onclick: () => open(pair.a, pair.b) }, svg('title', {}, label));
    });
    const dots = Array.from({ length: size }, (_, i) => {
      const [x, y] = place(i);
      return svg('g', { class: role[first[cluster] + i] ? 'dot' : 'dot kept' }, svg('circle', { cx: x, cy: y, r: dot }),
        svg('text', { x, y: y + 3, 'font-size': size > 12 ? 8 : 9.5 }, letter(i)));
    });
    return svg('svg', { viewBox: '0 0 200 200', class: 'ring', role: 'img', 'aria-label': t('graph') }, lines, dots);
  }

  /** Return the section with both; `chosen` is the pair that is read.  Of two documents all is said. */
  function draw(cluster, chosen, open) {
    const { table } = Data;
    if (table.size[cluster] === 2) return null;
    const weak = weakest(cluster);
    const similarity = weak ? table.pairSimilarity[weak.p] : -1;
    const value = similarity < 0 && weak ? t('bits', table.pairDistance[weak.p]) : State.digits(similarity);
    const link = weak ? h('b', { class: 'accent' }, `${letter(weak.a)}–${letter(weak.b)} ${value}`) : '';
    const many = table.size[cluster] > MOST;
    return h('section', { class: 'pairs' }, h('h2', {}, t('pairsTitle')),
      h('div', { class: 'pictures' }, triangle(cluster, chosen, open), ring(cluster, open)),
      h('p', { class: 'note' },
        h('span', { class: 'dash', 'aria-hidden': 'true' }), State.parts('weakestLink', [''], () => link),
        h('span', { class: 'controls' }, t('weakestHint')),
        Groups.listed(cluster) ? '' : [' ', h('span', { class: 'cell none unknown key' }, '?'), ` ${t('unknownKey')}`],
        many ? ` ${t('firstMembers', MOST, table.size[cluster])}` : ''));
  }

  return { MOST, letter, weakest, took, pairs, draw };
})();
