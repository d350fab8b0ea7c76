/**
 * The facts in which two texts differ: as a line above them, 10 mg / 20 mg, and in boxes in the texts.
 *
 * `simdup.show.report.pair_facts` says which pairs are compared and what a cluster holds of them.
 */
const Facts = (() => {
  const { h } = Dom;

  /** Facts that the line names. */
  const NAMED = 5;

  /** Return what is known of a pair: {count, first: [{kind, values, at}]}, or null. */
  function of(/** @type {any[]} */ pairs, a, b) {
    const pair = pairs.find(([x, y]) => x === a && y === b);
    if (!pair) return null;
    const first = pair[3].map(([kind, valueA, valueB, atA, atB]) => (
      { kind, values: [valueA, valueB], at: { a: atA, b: atB } }));
    return { count: pair[2], first };
  }

  /** Return a stretch of a text by `draw`, what is in a fact that differs in a box. */
  function boxed(text, start, { options: { facts, cut }, say }, side, draw) {
    const inside = facts && !cut ? facts.first : [];
    const ranges = inside.map(({ kind, at: { [side]: [from, to] } }) => ({ kind, from, to }));
    const title = (kind) => say(`filter${kind[0].toUpperCase()}${kind.slice(1)}`);
    const wrap = ({ kind }, nodes) => h('span', { class: 'rd-box', title: title(kind) }, nodes);
    return Spans.wrapped(text, start, ranges.sort((x, y) => x.from - y.from), draw, wrap);
  }

  /**
   * Return the line.
   *
   * @param {{count: number, first: {kind: string, values: string[], at: object}[]}} facts
   * @param {{a: {lang: string}, b: {lang: string}}} texts
   * @param {Function} say
   * @param {Function|null} go goes to a place of the texts, if these are there as a whole
   */
  function draw({ count, first }, texts, say, go) {
    const named = first.slice(0, NAMED);
    const more = count - named.length;
    return h('div', { class: 'rd-differ' },
      h('span', { class: 'rd-differ-count' }, say('factsDiffer', count)),
      h('ul', {}, named.map((fact) => h('li', {}, pair(fact, texts, say, go))),
        more > 0 ? h('li', {}, say('moreFacts', more)) : null));
  }

  function pair({ kind, values, at }, texts, say, go) {
    const words = [value(values[0], texts.a, say), ' / ', value(values[1], texts.b, say)];
    const title = say(`filter${kind[0].toUpperCase()}${kind.slice(1)}`);
    if (!go) return h('span', { class: 'rd-pair', title }, words);
    return h('button', { type: 'button', class: 'link rd-pair', title, onclick: () => go(at) }, words);
  }

  function value(text, { lang }, say) {
    if (!text) return h('span', { class: 'nothing' }, say('nothing'));
    return h('bdi', { lang }, Spans.nodesOf(text));
  }

  return Object.freeze({ of, draw, boxed });
})();
