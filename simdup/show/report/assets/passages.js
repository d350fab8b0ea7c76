/**
 * What the pair reader shows of passages: each shared stretch with its context, side by side.
 */
const Passages = (() => {
  const { h } = Dom;

  /** Characters of context before and after a passage. */
  const CONTEXT = 60;

  /** The words for parts that do not count. */
  const PARTS = {
    references: 'partReferences', quotes: 'partQuotes', template: 'partTemplate',
  };

  /**
   * Return two texts as they are shown, and the places of their passages there.
   *
   * Offsets of passages (`at`) count the characters of a document.  Here every line ends with LF, and
   * JavaScript counts UTF-16 units.
   *
   * @param {string[]} texts
   * @param {number[][]} passages
   * @param {[string, number, number][][]} left  parts of each text that do not count
   */
  function place(texts, passages, left = [[], []]) {
    const [toA, toB] = texts.map(unitsOf);
    return {
      texts: texts.map((text) => text.replace(/\r\n?/g, '\n')),
      passages: passages.map(([a0, a1, b0, b1, length, similarity]) => (
        { a: [toA(a0), toA(a1)], b: [toB(b0), toB(b1)], at: { a: [a0, a1], b: [b0, b1] }, length, similarity })),
      left: {
        a: left[0].map(([kind, from, to]) => ({ kind, from: toA(from), to: toA(to) })),
        b: left[1].map(([kind, from, to]) => ({ kind, from: toB(from), to: toB(to) })),
      },
    };
  }

  /** Say what is shaded. */
  function legend({ left }, say) {
    const kinds = new Set(left ? [...left.a, ...left.b].map(({ kind }) => kind) : []);
    const known = Object.keys(PARTS).filter((kind) => kinds.has(kind));
    if (!known.length) return [];
    const names = known.map((kind) => h('span', { class: 'rd-kind' }, say(PARTS[kind])));
    return [[h('span', { class: 'rd-left' }, say('leftOut')), ' ', names]];
  }

  /** Fill `body` with one row a passage; see changes.js for what is returned. */
  function draw(body, view, percent) {
    const { options: { passages }, say } = view;
    const found = [...passages].sort((p, q) => p.a[0] - q.a[0] || p.b[0] - q.b[0]);
    const list = Lazy.list(body, found.length ? [{ rows: [0, found.length], hidden: 0 }] : [], {
      sizeOf: (i) => found[i].a[1] - found[i].a[0],
      draw: (i) => drawPassage(found[i], view),
      label: String,
    });
    return {
      list,
      mark: (i) => [list.reveal(i)],
      stops: found.map((_, i) => i),
      find: (i) => list.reveal(i),
      stretches: () => stretchesOf(found),
      choices: [],
      facts: factsOf(found, view.options, say, percent),
      notes: legend(view.options, say),
    };
  }

  /** Return a function from characters to UTF-16 units as they are shown, for offsets in any order. */
  function unitsOf(/** @type {string} */ text) {
    if (!/\r\n|[\ud800-\udbff]/.test(text)) return (/** @type {number} */ offset) => offset;
    const units = [0];
    let last = '';
    for (const character of text) {
      units.push(units[units.length - 1] + (last + character === '\r\n' ? 0 : character.length));
      last = character;
    }
    return (/** @type {number} */ offset) => units[Math.min(offset, units.length - 1)];
  }

  function factsOf(found, { a, b, shares, counted }, say, percent) {
    const length = found.reduce((sum, passage) => sum + passage.length, 0);
    return [
      say('passagesCount', found.length, length),
      ...[a, b].map(({ letter }, i) => (counted
        ? say('coverageCounted', percent(shares[i] / 10000), letter, percent(counted[i] / 10000))
        : say('coverage', percent(shares[i] / 10000), letter))),
    ];
  }

  /** Return bands of the map; those that are out of the order of b have moved. */
  function stretchesOf(found) {
    const chain = Align.longestChain(found.map(({ b }, mark) => [mark, b[0], 1]));
    const inOrder = new Set(chain.map(([mark]) => mark));
    const bands = found.map(({ a, b }, mark) => ({ a, b, moved: !inOrder.has(mark), mark }));
    return bands.sort((p, q) => Number(p.moved) - Number(q.moved));
  }

  function drawPassage(passage, view) {
    const { a, b } = passage;
    const { options, say, unit } = view;
    const texts = { a: options.a.text.slice(...a), b: options.b.text.slice(...b) };
    const { operations } = Diff.compare(texts.a, texts.b, { unit, fold: options.fold });
    const side = (key, [start, end]) => {
      const { text, lang } = options[key];
      const [before, after] = [Math.max(0, start - CONTEXT), Math.min(end + CONTEXT, text.length)];
      const shade = shader(text, options.left ? options.left[key] : [], say);
      return h('div', { class: `rd-cell rd-passage ${key}` }, where(passage, key, options[key], say),
        h('div', { class: 'rd-text', dir: 'auto', lang },
          h('span', { class: 'rd-context' }, before > 0 ? '…' : '', shade(before, start, whole)),
          operations.flatMap((o) => {
            const [from, to] = o[key];
            return nodesOf(o, key, texts, say, (nodes) => shade(start + from, start + to, nodes));
          }),
          h('span', { class: 'rd-context' }, shade(end, after, whole), after < text.length ? '…' : '')));
    };
    return h('div', { class: 'rd-row rd-passages' }, side('a', a), side('b', b));
  }

  /** Return what draws a stretch of a text by `nodes`, with parts that do not count shaded. */
  function shader(text, left, say) {
    const named = new Set();
    const wrap = (part, inside) => {
      const label = named.has(part) ? null : h('span', { class: 'rd-kind' }, say(PARTS[part.kind]));
      named.add(part);
      return h('span', { class: 'rd-left' }, label, inside);
    };
    return (from, to, nodes) => Spans.wrapped(text.slice(from, to), from, left, nodes, wrap);
  }

  /** The line above a passage: where it is, and on the right how alike both are. */
  function where(passage, key, { letter }, say) {
    const figures = say('passageFigures', passage.length, passage.similarity.toFixed(2));
    return h('p', { class: 'rd-where' },
      h('span', { class: `tag ${key}` }, letter),
      say('passageAt', ...passage.at[key]),
      key === 'b' ? h('span', { class: 'rd-figures' }, figures) : null);
  }

  /** Text around a passage, without the half of a character at its ends. */
  function whole(/** @type {string} */ text) {
    return lines(text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ''));
  }

  /** Lines stay lines here, for a passage is one row. */
  function lines(/** @type {string} */ text) {
    return text.split('\n').flatMap((line, i) => [...(i ? ['\n'] : []), ...Spans.nodesOf(line)]);
  }

  function nodesOf(operation, side, texts, say, shade) {
    const text = texts[side].slice(...operation[side]);
    if (!text) return [];
    const other = side === 'a' ? 'b' : 'a';
    const { kind } = operation;
    if (kind === 'equal') {
      return [h('span', { class: 'rd-shared' }, shade((part) => Spans.shortened(part, say, lines)))];
    }
    const counterpart = texts[other].slice(...operation[other]);
    return shade((part) => Spans.draw({ kind, text: part, other: counterpart, mark: -1, say }, side));
  }

  return Object.freeze({ draw, place });
})();
