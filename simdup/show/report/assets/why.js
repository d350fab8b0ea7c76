/**
 * Why two documents are a pair: their heaviest terms side by side, and the bits of their fingerprints.
 */
const Why = (() => {
  const { h, svg, shown, width } = Dom;
  const { letter } = Matrix;
  const { t } = State;

  // Bits of a band, as simhash at distance 3 cuts 64 of them.
  const BAND = 16;

  /** Return [term, weight in a, weight in b] by falling sum, shared ones first. */
  function merge(a, b) {
    const both = new Map(a.map(([term, weight]) => [term, [term, weight, 0]]));
    for (const [term, weight] of b) {
      if (!both.has(term)) both.set(term, [term, 0, 0]);
      both.get(term)[2] = weight;
    }
    const shared = ([, one, other]) => (one && other ? 1 : 0);
    const sum = ([, one, other]) => one + other;
    return [...both.values()].sort((x, y) => shared(y) - shared(x) || sum(y) - sum(x) || (x[0] < y[0] ? -1 : 1));
  }

  function termRow([term, a, b], most) {
    return h('div', { class: a && b ? 'term' : 'term alone', role: 'row' },
      h('span', { class: 'bar a' }, width(h('span', {}), a / most)),
      h('span', { class: 'num', role: 'cell' }, a ? a.toFixed(1) : ''),
      h('bdi', { class: 'word', role: 'rowheader' }, shown(term)),
      h('span', { class: 'num', role: 'cell' }, b ? b.toFixed(1) : ''),
      h('span', { class: 'bar b' }, width(h('span', {}), b / most)));
  }

  function terms(content, a, b) {
    const [one, other] = [content && content.terms[a], content && content.terms[b]];
    const box = h('section', { class: 'terms' }, h('h3', {}, t('termsTitle')));
    if (!one || !other) {
      box.append(h('p', { class: 'note' }, t('termsNone')));
      return box;
    }
    const rows = merge(one, other);
    const most = Math.max(1, ...rows.map(([, x, y]) => Math.max(x, y)));
    const shared = rows.filter(([, x, y]) => x && y).length;
    const table = { class: 'table', role: 'table', 'aria-label': t('termsTitle') };
    box.append(h('p', { class: 'note' }, t('termsShared', shared, rows.length)),
      h('div', table, rows.map((row) => termRow(row, most))));
    return box;
  }

  /** Return the bytes of a document's fingerprint. */
  function print(document_) {
    const { fingerprint, printBytes } = Data.table;
    return fingerprint.subarray(document_ * printBytes, (document_ + 1) * printBytes);
  }

  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const bit = (bytes, i) => (bytes[i >> 3] >> (7 - (i & 7))) & 1;

  function band(one, other, start) {
    const cells = [];
    let differing = 0;
    const end = Math.min(start + BAND, one.length * 8);
    for (let i = start; i < end; i += 1) {
      const [x, y] = [bit(one, i), bit(other, i)];
      differing += x === y ? 0 : 1;
      const at = { x: ((i - start) % 8) * 11 + 5, y: Math.floor((i - start) / 8) * 11 + 5, width: 9, height: 9, rx: 2 };
      cells.push(svg('rect', { ...at, class: x === y ? (x ? 'one' : 'zero') : 'other' }));
      if (x !== y) cells.push(svg('path', { d: `M${at.x + 2} ${at.y + 4.5}h5`, class: 'cross' }));
    }
    const label = t('band', start + 1, end, differing);
    const box = { viewBox: '0 0 97 31', class: differing ? 'band' : 'band same', role: 'img', 'aria-label': label };
    return svg('svg', box, svg('title', {}, label), cells);
  }

  function bits(cluster, a, b) {
    const first = Data.table.first[cluster];
    const [one, other] = [print(first + a), print(first + b)];
    const total = one.length * 8;
    let differing = 0;
    for (let i = 0; i < total; i += 1) differing += bit(one, i) ^ bit(other, i);
    const bands = [];
    for (let start = 0; start < total; start += BAND) bands.push(band(one, other, start));
    return h('section', { class: 'prints' }, h('h3', {}, t('printTitle')),
      h('p', { class: 'note' }, t('printText', differing, total)),
      h('div', { class: 'bands' }, bands),
      h('p', { class: 'hex' },
        h('span', {}, letter(a)), ` ${hex(one)}`, h('br'), h('span', {}, letter(b)), ` ${hex(other)}`));
  }

  /** Return the section about a pair; `content` are the texts and terms of the cluster, or null. */
  function draw(cluster, content, a, b) {
    return h('section', { class: 'why' }, h('h2', {}, t('why')),
      h('div', { class: 'columns' }, terms(content, a, b), bits(cluster, a, b)));
  }

  return { draw };
})();
