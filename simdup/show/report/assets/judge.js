/**
 * An audit: the pairs of a sample, judged one after another.
 *
 * The similarity of a pair is shown once it is judged, so that it sways nobody.
 */
const Judge = (() => {
  const { h, table } = Dom;
  const { t } = State;

  const VERDICTS = ['duplicates', 'distinct', 'unsure'];
  const KEYS = ['keyDuplicates', 'keyDistinct', 'keyUnsure'];
  const { seed, removal, bands: drawn } = Data.head.audit || { bands: [] };

  /** What each line of a decision says of the audit. */
  const about = { seed, sample: drawn.reduce((sum, band) => sum + band[3], 0) };

  /** Return how many pairs are judged. */
  function count() {
    return Array.from(Data.table.size, (_, pair) => Review.has(pair)).filter(Boolean).length;
  }

  /** Return the first pair that is not judged, from one on and then from the beginning; -1 if all are. */
  function next(from = 0) {
    const { count: pairs } = Data.table;
    for (let step = 0; step < pairs; step += 1) {
      const pair = (from + step) % pairs;
      if (!Review.has(pair)) return pair;
    }
    return -1;
  }

  /** Judge a pair, and go to the next one unless the verdict was changed or taken back. */
  function say(pair, verdict) {
    const before = Review.entry(pair).verdict;
    Review.judge(pair, verdict);
    if (before) return;
    App.say(t('progress', count(), Data.table.count));
    const following = next(pair);
    window.location.hash = following < 0 ? '#/review' : `#/c/${following + 1}`;
  }

  /** Return the keys of verdicts, and what they do. */
  function keys(press) {
    return VERDICTS.map((verdict, i) => [String(i + 1), KEYS[i], () => press(verdict)]);
  }

  /** Return the heading of a pair: the question and, once it is answered, the similarity. */
  function title(pair) {
    const similarity = Data.table.weakest[pair];
    const answer = similarity >= 0 ? t('similarity', State.digits(similarity)) : '';
    return Cluster.heading(pair, {
      over: [' · ', t('progress', count(), Data.table.count)],
      title: t(removal ? 'askRemoval' : 'askPair'),
      facts: [Review.has(pair) ? answer : t('similarityLater')],
    });
  }

  /** Return the bands of the sample as a table. */
  function bands() {
    const judged = drawn.map(() => 0);
    for (let pair = 0; pair < Data.table.count; pair += 1) if (Review.has(pair)) judged[bandOf(pair)] += 1;
    const titles = ['bandSimilarity', 'bandPairs', 'bandDrawn', 'bandJudged'];
    const row = ([low, high, pairs, some], i) => {
      const span = low === null ? t('unmeasured') : low === high ? '1' : `${low.toFixed(4)}–${high.toFixed(4)}`;
      const cells = [pairs, some, judged[i]].map((figure) => h('td', { class: 'num' }, State.number(figure)));
      return h('tr', {}, h('td', {}, span), cells);
    };
    return [h('h2', {}, t('bandsTitle')), h('p', { class: 'note' }, t('bandsText', String(seed))),
      table(titles.map((key, i) => [t(key), i ? 'num' : null]), h('tbody', {}, drawn.map(row)))];
  }

  function bandOf(pair) {
    const similarity = Data.table.weakest[pair];
    const value = similarity / 10000;
    return drawn.findIndex(([low, high]) => (low === null ? similarity < 0
      : (low <= value && value < high) || (low === high && value === low)));
  }

  return { VERDICTS, about, count, next, say, keys, title, bands };
})();
