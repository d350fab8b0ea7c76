/**
 * The histogram of similarity.
 */
const Charts = (() => {
  const { svg } = Dom;
  const { t } = State;

  // Scales of similarity, in hundredths below 1: how far down, the width of a bar, and of a tick.
  // Each divides the one before it, so bars are equally wide and ticks are round numbers.
  const SCALES = [[10, 1, 2], [20, 1, 5], [30, 1, 5], [40, 2, 10], [50, 2, 10], [60, 2, 10], [80, 4, 20], [100, 4, 20]];

  /** Return the scale: where it begins, its ticks, and where similarity 1 is, as a share of the width. */
  function scale() {
    const first = Data.head.histogram.findIndex((pairs) => pairs > 0);
    const asked = Math.floor(Data.least / 100 + 1e-9);
    const from = first < 0 ? asked : Math.min(first, asked);
    const [down, step, tick] = SCALES.find(([down_]) => down_ >= 100 - from);
    const low = 100 - down;
    const ticks = Array.from({ length: down / tick + 1 }, (_, i) => low + i * tick);
    return { low, step, ticks, reach: down / (down + step) };
  }

  /** Return [from, pairs] of each bar, in hundredths; identical texts have a bar of their own. */
  function bars({ low, step }) {
    const found = [];
    for (let from = low; from < 100; from += step) {
      const pairs = Data.head.histogram.slice(from, from + step);
      found.push([from, pairs.reduce((sum, one) => sum + one, 0)]);
    }
    found.push([100, Data.head.histogram[100]]);
    return found;
  }

  const WIDE = 700;
  const HIGH = 150;

  /** Return the histogram; bars below the threshold are pale. */
  function histogram(threshold) {
    const { low, step } = scale();
    const found = bars({ low, step });
    const tallest = Math.max(1, ...found.map(([, pairs]) => pairs));
    const slot = WIDE / found.length;
    const shapes = found.map(([from, pairs], i) => {
      const height = pairs ? Math.max(2, (HIGH * pairs) / tallest) : 0;
      const shape = { x: i * slot + 1, y: HIGH - height, width: slot - 2, height, rx: 1.5 };
      const pale = (from + step) * 100 <= threshold;
      const label = t('pairsOf', pairs, (from / 100).toFixed(2));
      return svg('rect', { ...shape, class: pale ? 'pale' : 'solid' }, svg('title', {}, label));
    });
    const line = svg('line', { x1: 0, x2: WIDE, y1: HIGH + 0.5, y2: HIGH + 0.5, class: 'axis' });
    const box = { viewBox: `0 0 ${WIDE} ${HIGH + 2}`, class: 'histogram', preserveAspectRatio: 'none' };
    return svg('svg', { ...box, role: 'img', 'aria-label': t('similarTitle') }, shapes, line);
  }

  return { scale, histogram };
})();
