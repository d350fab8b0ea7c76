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
   * Fill a box with rows.
   *
   * @param {HTMLElement} box
   * @param {{rows: [number, number], hidden: number}[]} items stretches of rows; `hidden` is the number that
   *   the button of one tells, or 0 where its rows are shown
   * @param {{sizeOf: (row: number) => number, draw: (row: number) => HTMLElement,
   *   label: (hidden: number) => Node[]}} given
   * @returns {{reveal: (row: number) => HTMLElement, show: (row: number) => HTMLElement,
   *   destroy: () => void}} `reveal` draws a row, opening what hides it; `show` leaves that closed
   */
  function list(box, items, { sizeOf, draw, label }) {
    const near = new IntersectionObserver((seen) => {
      for (const { isIntersecting, target } of seen) {
        const block = isIntersecting && blocks.find(({ element }) => element === target);
        if (block) drawBlock(block);
      }
    }, { rootMargin: NEAR, scrollMargin: NEAR });
    let blocks = items.flatMap(({ rows, hidden }) => (hidden ? hiddenBlock(rows, hidden) : blocksOf(rows)));
    box.replaceChildren(...blocks.map(({ element }) => element));
    if (blocks.length) drawBlock(blocks[0]);
    // Paper has no screen to come near: what is not hidden is drawn.
    const print = () => blocks.forEach(drawBlock);
    window.addEventListener('beforeprint', print);

    function blocksOf([start, end]) {
      const made = [];
      let [from, size] = [start, 0];
      for (let row = start; row < end; row += 1) {
        size += sizeOf(row);
        if (row + 1 < end && row + 1 - from < ROWS && size <= CHARACTERS) continue;
        const element = h('div', { class: 'rd-block' });
        element.style.minHeight = `${(row + 1 - from) * ROW_HEIGHT}px`;
        near.observe(element);
        made.push({ rows: [from, row + 1], hidden: 0, element, drawn: false });
        [from, size] = [row + 1, 0];
      }
      return made;
    }

    function hiddenBlock(rows, hidden) {
      const element = h('button', { type: 'button', class: 'rd-hidden', onclick: () => open(block) }, label(hidden));
      const block = { rows, hidden, element, drawn: false };
      return block;
    }

    function drawBlock(block) {
      if (block.hidden || block.drawn) return;
      const { element, rows: [start, end] } = block;
      near.unobserve(element);
      block.drawn = true;
      for (let row = start; row < end; row += 1) element.append(draw(row));
      element.style.minHeight = '';
    }

    /** Replace a button by the rows that it hides. */
    function open(block) {
      const focused = document.activeElement === block.element;
      const inside = blocksOf(block.rows);
      block.element.replaceWith(...inside.map(({ element }) => element));
      blocks = blocks.flatMap((other) => (other === block ? inside : other));
      drawBlock(inside[0]);
      if (!focused) return;
      // Whoever pressed the button with a key goes on from where it was.
      inside[0].element.tabIndex = -1;
      inside[0].element.focus({ preventScroll: true });
    }

    const blockOf = (row) => blocks.find(({ rows }) => rows[0] <= row && row < rows[1]);

    function reveal(row) {
      if (blockOf(row).hidden) open(blockOf(row));
      const block = blockOf(row);
      drawBlock(block);
      return block.element.children[row - block.rows[0]];
    }

    return {
      reveal,
      show: (row) => (blockOf(row).hidden ? blockOf(row).element : reveal(row)),
      destroy() {
        near.disconnect();
        window.removeEventListener('beforeprint', print);
      },
    };
  }

  return Object.freeze({ list });
})();
