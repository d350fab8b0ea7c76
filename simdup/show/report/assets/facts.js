/**
 * The facts in which two texts differ, as a line above them: 10 mg / 20 mg.
 *
 * `simdup.show.report.pair_facts` says which pairs are compared and what a cluster holds of them.
 */
const Facts = (() => {
  const { h } = Dom;

  /** Return what is known of a pair: {count, some: [{kind, values, at}]}, or null. */
  function of(/** @type {any[]} */ known, a, b) {
    const found = known.find(([one, other]) => one === a && other === b);
    if (!found) return null;
    const some = found[3].map(([kind, ...values]) => (
      { kind, values: values.slice(0, 2), at: { a: values[2], b: values[3] } }));
    return { count: found[2], some };
  }

  /**
   * Return the line.
   *
   * @param {{count: number, some: {kind: string, values: string[], at: object}[]}} facts
   * @param {{a: {lang: string}, b: {lang: string}}} texts
   * @param {Function} say
   * @param {Function|null} go goes to a place of the texts, if these are there as a whole
   */
  function draw({ count, some }, texts, say, go) {
    const more = count - some.length;
    return h('div', { class: 'rd-differ' },
      h('span', { class: 'rd-differ-count' }, say('factsDiffer', count)),
      h('ul', {}, some.map((fact) => h('li', {}, pair(fact, texts, say, go))),
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

  return Object.freeze({ of, draw });
})();
