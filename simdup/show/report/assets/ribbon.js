/**
 * The ribbon map: both texts as bars, and bands between what they share.
 *
 * One look says where texts agree: straight bands are equal stretches, slanted ones follow what was
 * inserted before them, those of another colour have moved.  Stretches that would touch on the screen
 * are joined, so a map has some hundred shapes however long the texts are.
 */
const Ribbon = (() => {
  const { svg } = Dom;

  const WIDTH = 1000;
  const HEIGHT = 74;
  const BAR = 12;
  /** Gaps between equal stretches that are narrower than this, in units of the width, are not drawn. */
  const NARROW = 1.2;

  /** @typedef {{a: [number, number], b: [number, number], moved: boolean, mark: number}} Stretch */

  /** @returns {Stretch[]} what both texts share, by the operations of a diff */
  function stretchesOf(operations, scale) {
    /** @type {Stretch[]} */
    const stretches = [];
    let last = null;
    operations.forEach(({ kind, a, b, to }, mark) => {
      if (to) stretches.push({ a, b: to, moved: true, mark });
      if (kind !== 'equal' && kind !== 'folded') return;
      if (last && a[0] - last.a[1] < NARROW / scale && b[0] - last.b[1] < NARROW / scale) {
        [last.a, last.b] = [[last.a[0], a[1]], [last.b[0], b[1]]];
      } else {
        last = { a: [...a], b: [...b], moved: false, mark };
        stretches.push(last);
      }
    });
    // What is too thin to be seen would only be a fog.
    const visible = (s) => Math.max(s.a[1] - s.a[0], s.b[1] - s.b[0]) * scale >= NARROW / 2;
    return stretches.filter((s) => s.moved || visible(s)).sort((s, t) => Number(s.moved) - Number(t.moved));
  }

  /**
   * Draw the map.
   *
   * @param {{a: number, b: number}} lengths
   * @param {(scale: number) => Stretch[]} shared
   * @param {(mark: number) => void} select called with the operation that was clicked
   */
  function draw(lengths, shared, select) {
    const scale = WIDTH / Math.max(lengths.a, lengths.b, 1);
    const size = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none' };
    const picture = svg('svg', { class: 'rd-map', 'aria-hidden': 'true', ...size });
    picture.append(
      svg('rect', { class: 'rd-bar-a', x: 0, y: 0, width: lengths.a * scale, height: BAR }),
      svg('rect', { class: 'rd-bar-b', x: 0, y: HEIGHT - BAR, width: lengths.b * scale, height: BAR }),
    );
    for (const stretch of shared(scale)) picture.append(band(stretch, scale, select));
    return picture;
  }

  /** A band with its part of both bars. */
  function band(/** @type {Stretch} */ { a, b, moved, mark }, /** @type {number} */ scale, select) {
    const [a0, a1, b0, b1] = [...a, ...b].map((x) => Number((x * scale).toFixed(2)));
    const [top, bottom, middle] = [BAR, HEIGHT - BAR, HEIGHT / 2];
    const down = `M${a0} ${top}C${a0} ${middle} ${b0} ${middle} ${b0} ${bottom}`;
    const up = `H${b1}C${b1} ${middle} ${a1} ${middle} ${a1} ${top}Z`;
    const group = svg('g', { class: moved ? 'rd-band moved' : 'rd-band' },
      svg('path', { d: down + up }),
      svg('rect', { x: a0, y: 0, width: a1 - a0, height: BAR }),
      svg('rect', { x: b0, y: bottom, width: b1 - b0, height: BAR }));
    group.addEventListener('click', () => select(mark));
    return group;
  }

  return Object.freeze({ draw, stretchesOf });
})();
