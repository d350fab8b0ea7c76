/**
 * Spans: text of the two sides as elements, with what differs and what is invisible marked.
 *
 * Text is put into the page as text nodes and never as markup.  Control, bidirectional and zero-width
 * characters become small boxes with their code; a line end that was removed or added becomes an arrow.
 */
const Spans = (() => {
  const { h, shown, plain, either } = Dom;

  /** An equal stretch within a row that is longer shows only its ends. */
  const LONG = 500;
  const END = 160;

  /** Return text as nodes.  Rows end where lines end, so a line end is shown only where it differs. */
  function nodesOf(/** @type {string} */ text, kind = 'equal') {
    const end = () => (kind === 'equal' || kind === 'folded' ? [] : [h('span', { class: 'rd-end' }, '↵')]);
    return text.split(/([\t\n])/).flatMap((part) => (part === '\n' ? end() : part === '\t' ? part : shown(part)));
  }

  /**
   * Return a stretch of one side as nodes.
   *
   * @param {{kind: string, text: string, other: string, mark: number, say: Function, tip?: string}} span
   *   `other` is the counterpart, `mark` the number of the operation
   * @param {'a'|'b'} side
   */
  function draw({ kind, text, other, mark, say, tip }, side) {
    if (kind === 'equal') return shortened(text, say);
    const nodes = nodesOf(text, kind);
    if (!nodes.length) return [];
    if (kind === 'folded') {
      return [h('span', { class: 'rd-folded', title: say('foldedAs', plain(other.slice(0, 80))) }, nodes)];
    }
    const given = { 'data-mark': String(mark), class: kind === 'moved' ? 'rd-moved' : 'rd-changed', title: tip };
    return [h(side === 'a' ? 'del' : 'ins', given, nodes)];
  }

  /** Return a stretch of a text by `draw`, and what of it is in ranges by `wrap(range, nodes)`. */
  function wrapped(/** @type {string} */ text, /** @type {number} */ start, ranges, draw, wrap) {
    const nodes = [];
    let at = 0;
    for (const range of ranges) {
      const [from, to] = [Math.max(at, range.from - start), Math.min(text.length, range.to - start)];
      if (from >= to) continue;
      if (from > at) nodes.push(...draw(text.slice(at, from)));
      nodes.push(wrap(range, draw(text.slice(from, to))));
      at = to;
    }
    return at < text.length ? [...nodes, ...draw(text.slice(at))] : nodes;
  }

  /** Return what stands for equal text that is not shown: on paper nothing can be pressed. */
  function hiddenWords(/** @type {number} */ hidden, /** @type {Function} */ say) {
    return either(say('showEqual', hidden), say('equalHere', hidden));
  }

  /** Return equal text by `nodes`; a long stretch as its ends, with a button between that shows the rest. */
  function shortened(/** @type {string} */ text, /** @type {Function} */ say, nodes = nodesOf) {
    if (text.length <= LONG) return nodes(text);
    const middle = text.slice(END, -END);
    const button = h('button', { type: 'button', class: 'rd-more' }, hiddenWords(middle.length, say));
    button.addEventListener('click', () => button.replaceWith(...nodes(middle)));
    return [...nodes(text.slice(0, END)), button, ...nodes(text.slice(-END))];
  }

  return Object.freeze({ draw, nodesOf, wrapped, hiddenWords, shortened });
})();
