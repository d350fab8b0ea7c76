/**
 * Elements, and hostile text in them.
 *
 * Everything the page shows is made here: elements are created, never parsed, so no text becomes
 * markup.  Characters that are invisible or reorder what stands beside them are shown as small boxes.
 */
const Dom = (() => {
  const SVG = 'http://www.w3.org/2000/svg';

  // Invisible characters and those that turn the text around.  Selectors of glyphs belong to what they vary.
  const KINDS = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';
  const HOSTILE = new RegExp(`(?![\\u{fe00}-\\u{fe0f}\\u{e0100}-\\u{e01ef}])[${KINDS}]`, 'gu');

  // Characters of a name that a row has room for, about, and those shown before what differs.
  const [IN_ROW, BEFORE] = [40, 8];

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
      else if (name === 'value') element.value = value;
      else element.setAttribute(name, value === true ? '' : value);
    }
    element.append(...children.flat(Infinity).filter((child) => ![null, undefined, false].includes(child)));
    return element;
  }

  /** Return an element: `h('p', {class: 'x', onclick: f}, 'text', other)`. */
  function h(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
  }

  /** Return an element of SVG. */
  function svg(tag, attributes, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
  }

  /** Return a text with hostile characters as boxes with their code points. */
  function shown(text) {
    const nodes = [];
    let end = 0;
    for (const { 0: character, index } of text.matchAll(HOSTILE)) {
      if (index > end) nodes.push(text.slice(end, index));
      const last = nodes[nodes.length - 1];
      if (index === end && last && last.code === character) {
        // Thousands of one character are one box.
        last.times += 1;
        last.textContent = `${last.digits} ×${last.times}`;
      } else nodes.push(box(character));
      end = index + character.length;
    }
    if (end < text.length) nodes.push(text.slice(end));
    return nodes;
  }

  function box(character) {
    const code = character.codePointAt(0);
    // A byte of a file name that is not UTF-8 stands as a lone surrogate.
    const byte = code >= 0xdc80 && code <= 0xdcff;
    const digits = byte ? `\\x${(code - 0xdc00).toString(16)}`
      : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    return Object.assign(h('code', { class: 'code' }, digits), { code: character, times: 1, digits });
  }

  /** Return a text with such characters for a tooltip or a choice, which know no elements. */
  function plain(text) {
    return shown(text).map((node) => node.textContent ?? node).join('');
  }

  /** Return a name, which may be written in any direction. */
  function name(text, attributes) {
    // Paths break after slashes rather than within words.
    const pieces = text.split(/(?<=\/)(?=[^/])/);
    return h('bdi', attributes, pieces.map((piece, i) => [i ? h('wbr') : null, shown(piece)]));
  }

  /** Return words for the screen, where they say what can be pressed, and others for paper. */
  function either(screen, paper) {
    return [h('span', { class: 'controls' }, screen), h('span', { class: 'paper', 'data-words': paper })];
  }

  /** Return the folder of a name with its slash, and the rest. */
  function split(text) {
    const end = text.lastIndexOf('/') + 1;
    return text.length === end ? ['', text] : [text.slice(0, end), text.slice(end)];
  }

  /**
   * Return texts without most of what all begin with, if one has more than so many characters; with
   * `around` also without most of what all end with, which names keep.
   */
  function toldApart(texts, most = IN_ROW, around = false) {
    const [first, ...others] = texts.filter(Boolean);
    if (!others.length || texts.every((text) => text.length <= most)) return texts;
    const shortest = Math.min(first.length, ...others.map((text) => text.length));
    const same = (at) => {
      let count = 0;
      while (count < shortest && others.every((text) => at(text, count) === at(first, count))) count += 1;
      return count;
    };
    const before = around ? BEFORE / 2 : BEFORE;
    let from = same((text, i) => text[i]) - before;
    // A character is never divided.
    if (/[\udc00-\udfff]/.test(first[from] || '')) from -= 1;
    if (from <= before) from = 0;
    const room = shortest - from - before;
    let to = around ? Math.min(same((text, i) => text[text.length - 1 - i]) - before, room) : 0;
    if (/[\udc00-\udfff]/.test(first[first.length - to] || '')) to -= 1;
    if (to <= before) to = 0;
    return texts.map((text) => text && (from ? '…' : '') + text.slice(from, text.length - to) + (to ? '…' : ''));
  }

  /** Return how many Latin letters are as wide as a text, about. */
  function columnsOf(text) {
    let columns = 0;
    for (let i = 0; i < text.length; i += 1) columns += text[i] > '\u2e80' ? 2 : 1;
    return columns;
  }

  /** Fill a list by `draw(i)` with so many elements, and return it with a button for the others. */
  function growing(list, count, most, draw, label) {
    let drawn = 0;
    const more = h('button', { type: 'button', class: 'quiet more' });
    const add = (step) => {
      const last = Math.min(count, drawn + step);
      for (; drawn < last; drawn += 1) list.append(draw(drawn));
      more.replaceChildren(...either(...label(count - drawn)));
      more.hidden = drawn === count;
    };
    more.addEventListener('click', () => add(10 * most));
    add(count <= most + 10 ? count : most);
    return [list, more];
  }

  /** Return a table that is as wide as it needs, with its titles: [words, class, columns]. */
  function table(titles, body) {
    const heads = titles.map(([words, look, wide]) => h('th', { scope: 'col', class: look, colspan: wide }, words));
    return h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, heads)), body));
  }

  /** Set the width of an element as a share: styles in markup are forbidden, these are not. */
  function width(element, share) {
    element.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
    return element;
  }

  /** Return the language of a text for its glyphs: zh-Hant where it has traditional characters. */
  function langOf(text, folds) {
    const sample = text.slice(0, 4000);
    if (/[\u3040-\u30ff]/.test(sample)) return 'ja';
    if (!/[\u3400-\u9fff]/.test(sample)) return '';
    let traditional = 0;
    let han = 0;
    for (const character of sample) {
      if (character < '\u3400' || character > '\u9fff') continue;
      han += 1;
      if (character in folds) traditional += 1;
    }
    return traditional > han / 20 ? 'zh-Hant' : 'zh-Hans';
  }

  return { h, svg, shown, plain, name, either, split, toldApart, columnsOf, growing, table, width, langOf };
})();
