/**
 * A lazy list: rows that are drawn when they come near the screen, and hidden ones behind a button.
 *
 * Rows are of any height, so what is not drawn yet has an estimated one; browsers keep in place what is
 * being read while something above it is drawn.  A text of 400,000 characters opens as fast as a page.
 */
const Lazy = (() => {
  const { h } = Dom;

  /** A block is drawn at once: rows and characters it has at most. */
  const ROWS = 40;
  const CHARACTERS = 8000;
  /** Pixels of a row that is not drawn, and around the screen within which blocks are drawn. */
  const ROW_HEIGHT = 34;
  const NEAR = '1200px';

  /**
   * @typedef {{rows: [number, number], hidden: number}} Item a stretch of rows; `hidden` is the number
   *   that its button tells, or 0 where they are shown
   * @typedef {{rows: [number, number], hidden: number, element: HTMLElement, drawn: boolean}} Block
   * @typedef {{sizeOf: (row: number) => number, draw: (row: number) => HTMLElement,
   *   label: (hidden: number) => Node[]}} Given
   * @typedef {{blocks: Block[], given: Given, near: IntersectionObserver|null}} List
   */

  /**
   * Fill a box with rows.
   *
   * @param {HTMLElement} box
   * @param {Item[]} items
   * @param {Given} given
   * @returns {{reveal: (row: number) => HTMLElement, show: (row: number) => HTMLElement,
   *   destroy: () => void}} `reveal` draws a row, opening what hides it; `show` leaves that closed
   */
  function list(box, items, given) {
    /** @type {List} */
    const all = { blocks: [], given, near: null };
    all.near = new IntersectionObserver((seen) => drawSeen(all, seen), { rootMargin: NEAR, scrollMargin: NEAR });
    all.blocks = items.flatMap((item) => blocksOf(all, item));
    box.replaceChildren(...all.blocks.map(({ element }) => element));
    if (all.blocks.length && !all.blocks[0].hidden) drawBlock(all, all.blocks[0]);
    const print = () => drawAll(all);
    window.addEventListener('beforeprint', print);
    return {
      reveal: (row) => reveal(all, row),
      show: (row) => (blockOf(all, row).hidden ? blockOf(all, row).element : reveal(all, row)),
      destroy() {
        all.near.disconnect();
        window.removeEventListener('beforeprint', print);
      },
    };
  }

  /** @returns {Block[]} blocks with the rows of an item, or one with its button */
  function blocksOf(/** @type {List} */ all, /** @type {Item} */ { rows: [start, end], hidden }) {
    if (hidden) return [hiddenBlock(all, [start, end], hidden)];
    const made = [];
    let [from, size] = [start, 0];
    for (let row = start; row < end; row += 1) {
      size += all.given.sizeOf(row);
      if (row + 1 < end && row + 1 - from < ROWS && size <= CHARACTERS) continue;
      made.push(lazyBlock(all, [from, row + 1]));
      [from, size] = [row + 1, 0];
    }
    return made;
  }

  /** @returns {Block} */
  function lazyBlock(/** @type {List} */ all, /** @type {[number, number]} */ rows) {
    const element = h('div', { class: 'rd-block' });
    element.style.minHeight = `${(rows[1] - rows[0]) * ROW_HEIGHT}px`;
    all.near.observe(element);
    return { rows, hidden: 0, element, drawn: false };
  }

  /** @returns {Block} */
  function hiddenBlock(/** @type {List} */ all, /** @type {[number, number]} */ rows, hidden = 0) {
    const element = h('button', { type: 'button', class: 'rd-hidden' }, all.given.label(hidden));
    const block = { rows, hidden, element, drawn: false };
    element.addEventListener('click', () => open(all, block));
    return block;
  }

  function drawBlock(/** @type {List} */ all, /** @type {Block} */ block) {
    const { element, rows: [start, end] } = block;
    all.near.unobserve(element);
    block.drawn = true;
    for (let row = start; row < end; row += 1) element.append(all.given.draw(row));
    element.style.minHeight = '';
  }

  /** Replace a button by the rows that it hides. */
  function open(/** @type {List} */ all, /** @type {Block} */ block) {
    const focused = document.activeElement === block.element;
    const inside = blocksOf(all, { rows: block.rows, hidden: 0 });
    block.element.replaceWith(...inside.map(({ element }) => element));
    all.blocks.splice(all.blocks.indexOf(block), 1, ...inside);
    drawBlock(all, inside[0]);
    if (!focused) return;
    // Whoever pressed the button with a key goes on from where it was.
    inside[0].element.tabIndex = -1;
    inside[0].element.focus({ preventScroll: true });
  }

  function drawSeen(/** @type {List} */ all, /** @type {IntersectionObserverEntry[]} */ seen) {
    for (const { isIntersecting, target } of seen) {
      const block = isIntersecting && all.blocks.find(({ element }) => element === target);
      if (block && !block.drawn) drawBlock(all, block);
    }
  }

  function blockOf(/** @type {List} */ all, /** @type {number} */ row) {
    return all.blocks.find(({ rows }) => rows[0] <= row && row < rows[1]);
  }

  function reveal(/** @type {List} */ all, /** @type {number} */ row) {
    const closed = blockOf(all, row);
    if (closed.hidden) open(all, closed);
    const block = blockOf(all, row);
    if (!block.drawn) drawBlock(all, block);
    return block.element.children[row - block.rows[0]];
  }

  /** Paper has no screen to come near: what is not hidden is drawn. */
  function drawAll(/** @type {List} */ all) {
    for (const block of all.blocks) if (!block.hidden && !block.drawn) drawBlock(all, block);
  }

  return Object.freeze({ list });
})();
