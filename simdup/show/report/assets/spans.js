/**
 * Spans: text of the two sides as elements, with what differs and what is invisible marked.
 *
 * Text is put into the page as text nodes and never as markup.  Control, bidirectional and zero-width
 * characters become small boxes with their code; a line end that was removed or added becomes an arrow.
 */
const Spans = (() => {
  const { h, either } = Dom;

  // Invisible characters and those that turn the text around.  Selectors of glyphs belong to what they
  // vary; a tab is a blank.
  const KINDS = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';
  const SPECIAL = new RegExp(`(?![\\t\\u{fe00}-\\u{fe0f}\\u{e0100}-\\u{e01ef}])[${KINDS}]`, 'gu');
  /** An equal stretch within a row that is longer shows only its ends. */
  const LONG = 500;
  const END = 160;

  /**
   * Return text as nodes.
   *
   * Rows end where lines end, so a line end is shown only where it differs.
   *
   * @param {string} text
   * @param {string} kind
   * @returns {(string|HTMLElement)[]}
   */
  function nodesOf(text, kind = 'equal') {
    const nodes = [];
    let end = 0;
    for (const { 0: found, index } of text.matchAll(SPECIAL)) {
      if (index > end) nodes.push(text.slice(end, index));
      const last = nodes[nodes.length - 1];
      if (found !== '\n') {
        if (index === end && last && last.code === found) repeat(last);
        else nodes.push(codeBox(found));
      } else if (kind !== 'equal' && kind !== 'folded') nodes.push(h('span', { class: 'rd-end' }, '↵'));
      end = index + found.length;
    }
    if (end < text.length) nodes.push(text.slice(end));
    return nodes;
  }

  function codeBox(/** @type {string} */ character) {
    const code = character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    const box = h('code', { class: 'rd-code' }, `U+${code}`);
    return Object.assign(box, { code: character, times: 1, digits: `U+${code}` });
  }

  /** Thousands of one character are one box. */
  function repeat(box) {
    box.times += 1;
    box.textContent = `${box.digits} ×${box.times}`;
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
      return [h('span', { class: 'rd-folded', title: say('foldedAs', visible(other.slice(0, 80))) }, nodes)];
    }
    const given = { 'data-mark': String(mark), class: kind === 'moved' ? 'rd-moved' : 'rd-changed', title: tip };
    return [h(side === 'a' ? 'del' : 'ins', given, nodes)];
  }

  /** Return text for a tooltip, which knows no elements. */
  function visible(/** @type {string} */ text) {
    return nodesOf(text).map((node) => (typeof node === 'string' ? node : node.textContent)).join('');
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

  return Object.freeze({ draw, nodesOf, visible, hiddenWords, shortened });
})();
