/**
 * A lazy list: rows that are drawn when they come near the screen, and hidden ones behind a button.
 *
 * Rows are of any height, so what is not drawn yet has an estimated one; browsers keep in place what is
 * being read while something above it is drawn.  A text of 400,000 characters opens as fast as a page.
 */
window.simdupLazy = (() => {
  'use strict';

  const { h } = window.simdupDom;

  /** A block is drawn at once: rows and characters it has at most. */
  const ROWS = 40;
  const CHARACTERS = 8000;
  /** Pixels of a row that is not drawn, and around the screen within which blocks are drawn. */
  const ROW_HEIGHT = 34;
  const NEAR = '1200px';

  /**
   * Fill a box with rows.
   *
   * @param {HTMLElement} box
   * @param {{rows: [number, number], hidden: number}[]} items stretches of rows; `hidden` is what the
   *   button says, or 0
   * @param {{sizeOf: (row: number) => number, draw: (row: number) => HTMLElement,
   *   label: (hidden: number) => string}} given
   * @returns {{reveal: (row: number) => HTMLElement, show: (row: number) => HTMLElement,
   *   destroy: () => void}} `reveal` draws a row, opening what hides it; `show` leaves that closed
   */
  function list(box, items, { sizeOf, draw, label }) {
    /** @type {{rows: [number, number], element: HTMLElement, open: (() => void)|null}[]} */
    let blocks = [];
    const near = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) blocks.find(({ element }) => element === target)?.open?.();
      }
    }, { rootMargin: NEAR, scrollMargin: NEAR });

    /** @returns blocks that hold the rows of an item, or its button */
    function blocksOf({ rows: [start, end], hidden }) {
      if (hidden) return [hiddenBlock([start, end], hidden)];
      const made = [];
      let [from, size] = [start, 0];
      for (let row = start; row < end; row += 1) {
        size += sizeOf(row);
        if (row + 1 === end || row + 1 - from === ROWS || size > CHARACTERS) {
          made.push(lazyBlock([from, row + 1]));
          [from, size] = [row + 1, 0];
        }
      }
      return made;
    }

    function lazyBlock(rows) {
      const element = h('div', { class: 'rd-block' });
      element.style.minHeight = `${(rows[1] - rows[0]) * ROW_HEIGHT}px`;
      const block = { rows, element, open };
      near.observe(element);
      function open() {
        near.unobserve(element);
        block.open = null;
        for (let row = rows[0]; row < rows[1]; row += 1) element.append(draw(row));
        element.style.minHeight = '';
      }
      return block;
    }

    function hiddenBlock(rows, hidden) {
      const element = h('button', { type: 'button', class: 'rd-hidden' }, label(hidden));
      const block = { rows, element, open };
      function open() {
        const inside = blocksOf({ rows, hidden: 0 });
        const focused = document.activeElement === element;
        element.replaceWith(...inside.map((b) => b.element));
        const place = blocks.indexOf(block);
        blocks = [...blocks.slice(0, place), ...inside, ...blocks.slice(place + 1)];
        inside[0].open();
        if (focused) focus(inside[0].element);
      }
      element.addEventListener('click', open);
      return block;
    }

    /** Whoever pressed a button with a key goes on from where it was. */
    function focus(element) {
      element.tabIndex = -1;
      element.focus({ preventScroll: true });
    }

    function blockOf(row) {
      return blocks.find(({ rows }) => rows[0] <= row && row < rows[1]);
    }

    function reveal(row) {
      let block = blockOf(row);
      while (block.open) {
        block.open();
        block = blockOf(row);
      }
      return block.element.children[row - block.rows[0]];
    }

    function show(row) {
      const { element } = blockOf(row);
      return element.tagName === 'BUTTON' ? element : reveal(row);
    }

    /** Paper has no screen to come near: what is not hidden is drawn. */
    function drawAll() {
      for (const { element, open } of blocks) if (element.tagName !== 'BUTTON') open?.();
    }

    blocks = items.flatMap(blocksOf);
    box.replaceChildren(...blocks.map(({ element }) => element));
    if (blocks.length && !items[0].hidden) blocks[0].open();
    window.addEventListener('beforeprint', drawAll);
    return {
      reveal,
      show,
      destroy() {
        near.disconnect();
        window.removeEventListener('beforeprint', drawAll);
      },
    };
  }

  return Object.freeze({ list });
})();
