/**
 * The overview: one sentence, six figures, charts, and how all of it was made.
 */
const Overview = (() => {
  const { h, name, shown, growing, table, width } = Dom;
  const { t, named, number, percent } = State;
  const { head } = Data;

  // Rows of a table that are there at once.
  const ROWS = 12;

  // Classes of sizes in the table of sizes: the first and the last size.
  const SIZES = [[2, 2], [3, 3], [4, 4], [5, 9], [10, 24], [25, 64], [65, Infinity]];

  // The words for criteria of passages, and for why documents are skipped.
  const WORDS = {
    __proto__: null,
    min_run: 'fieldMinRun', gap: 'fieldGap', min_length: 'fieldMinLength', common: 'fieldCommon',
    empty: 'whyEmpty', binary: 'whyBinary', 'no words': 'whyNoWords', 'lock file of an open document': 'whyLockFile',
  };

  // Of a query a cluster is a document with its matches, and these are counted.
  const OWN = Kind.asked ? 1 : 0;

  /** Return the figures at the threshold; those of the file until the table is there. */
  function current() {
    const { figures } = head;
    const same = { clusters: figures.clusters, redundant: figures.redundant };
    const now = Kind.live && Data.table && State.threshold > Data.least ? Groups.figures(State.threshold) : same;
    return { ...now, found: Kind.found(now), moved: now !== same };
  }

  /** Return the sentence with its numbers in bold. */
  function sentence(count) {
    const draw = (i, value) => h('strong', { class: count && !i ? 'hot' : null }, number(value));
    const [key, ...given] = Kind.sentence(count);
    // A large type breaks lines at hyphens, where it reads badly.
    const unbroken = (words) => words.split(/(\S+-\S+)/).map((some, i) => (i % 2 ? h('span', {}, some) : some));
    return State.parts(key, given, draw).map((part) => (typeof part === 'string' ? unbroken(part) : part));
  }

  /** Return the bar of redundant, kept and unique documents with its legend. */
  function shares(count) {
    const { documents, unique = documents - count } = head.figures;
    const parts = [['redundant', count], ['kept', documents - unique - count], ['unique', unique]];
    const labels = { redundant: 'barRedundant', kept: 'barKept', unique: 'barUnique' };
    const present = parts.filter(([, count]) => count > 0);
    const lines = present.map(([kind, some]) => {
      const line = h('span', { class: `line ${kind}` });
      line.style.flexGrow = String(some);
      return line;
    });
    return h('div', { class: 'shares' }, h('div', { class: 'whole', 'aria-hidden': 'true' }, lines),
      h('ul', { class: 'legend' }, present.map(([kind, some]) => (
        h('li', { class: kind }, `${t(labels[kind])} `, h('b', {}, number(some)))))));
  }

  /** Return how many matches of a query are left. */
  function matches(now) {
    return now.sizes.reduce((sum, size) => sum + Math.max(0, size - 1), 0);
  }

  function figures(now) {
    const { figures: all } = head;
    const values = {
      figClusters: now.clusters,
      figShare: all.documents ? now.found / all.documents : 0,
      figSaved: all.saved,
      figPairs: Kind.asked && now.moved ? matches(now) : all.pairs,
      figPairsLeft: now.clusters,
      figSeveral: all.several,
      figDiffering: all.differing,
      figNew: all.documents - now.clusters,
      figAdded: all.documents - now.clusters,
      figStored: all.stored,
      figPassages: all.passages,
      figMatched: all.matched,
      figKnown: all.known,
      figIdentical: all.identical,
      figSkipped: all.skipped,
    };
    const written = {
      figShare: percent,
      figSaved: State.bytes,
      figDiffering: (value) => h('button', { type: 'button', class: 'link', onclick: () => show({ filter: 'facts' }) },
        number(value)),
    };
    return h('dl', { class: 'figures' }, Kind.figures(now.moved).map((key) => (
      h('div', {}, h('dt', {}, t(key, values[key])), h('dd', {}, (written[key] ?? number)(values[key]))))));
  }

  /** Return the control of the threshold; `changed` is called while it moves. */
  function slider(id, low = Math.round(Data.least / 100)) {
    const range = { min: low, max: 100, step: 1, value: Math.round(State.threshold / 100) };
    const input = h('input', { type: 'range', id, ...range });
    input.addEventListener('input', () => State.set({ threshold: Math.max(Number(input.value) * 100, Data.least) }));
    return input;
  }

  /** Return what a chart shows, and what can be done with it, which paper leaves out. */
  function note(words, hint) {
    return h('p', { class: 'note' }, t(words), h('span', { class: 'controls' }, t(hint)));
  }

  /** Return whether there are similarities: with `--no-verify` and without clusters there are none. */
  function compared() {
    return head.histogram.some((pairs) => pairs);
  }

  function similarity() {
    const box = h('section', { class: 'card similar' }, h('h2', {}, t('similarTitle')));
    if (!compared()) {
      box.append(h('p', { class: 'note' }, t(head.figures.pairs ? 'similarNone' : 'countNone')));
      return box;
    }
    const { low, ticks, reach } = Charts.scale();
    const value = h('output', { for: 'threshold' }, State.short(State.threshold));
    const least = () => State.set({ threshold: Data.least });
    const words = t('reset', State.short(Data.least));
    const reset = h('button', { type: 'button', class: 'quiet', onclick: least }, words);
    reset.hidden = State.threshold === Data.least;
    const marks = ticks.map((tick) => h('span', {}, (tick / 100).toFixed(2)));
    const scale = h('div', { class: 'scale' }, slider('threshold', low),
      h('div', { class: 'ticks', 'aria-hidden': 'true' }, marks));
    box.append(
      note('similarText', Kind.live ? 'similarHint' : 'similarFilter'),
      h('div', { class: 'plot' }, Charts.histogram(State.threshold), width(scale, reach)),
      h('p', { class: 'setting' }, h('label', { for: 'threshold' }, t('threshold')), ' ', value, reset, fitting()),
    );
    return box;
  }

  /** Return how many clusters the threshold leaves in the list, where these do not form again. */
  function fitting() {
    if (Kind.live || !Data.table || State.threshold === Data.least) return null;
    const count = Groups.figures(State.threshold).clusters;
    const link = { type: 'button', class: 'link listing', onclick: () => show({}) };
    return h('button', link, t('fitting', count, head.figures.clusters));
  }

  /** Go to the list with filters of its own. */
  function show(changes) {
    State.set({ search: '', filter: Kind.filter, folder: '', sizes: null, ...changes });
    window.location.hash = '#/clusters';
  }

  function sizes() {
    if (!head.sizes.length) return null;
    const rows = (OWN ? [[1, 1], ...SIZES] : SIZES).map(([from, to]) => {
      const fitting = head.sizes.filter(([size]) => size >= from + OWN && size <= to + OWN);
      return { from: from + OWN, to: to + OWN, clusters: fitting.reduce((sum, [, clusters]) => sum + clusters, 0) };
    }).filter(({ clusters }) => clusters);
    const most = Math.max(1, ...rows.map(({ clusters }) => clusters));
    const label = ({ from, to }) => {
      if (from === to) return String(from - OWN);
      return to === Infinity ? `${from - OWN}+` : `${from - OWN}–${to - OWN}`;
    };
    return h('section', { class: 'card' }, h('h2', {}, t('sizesTitle')), note('sizesText', 'sizesHint'),
      h('ul', { class: 'bars' }, rows.map((row) => (
        bar(label(row), row.clusters, most, { sizes: [row.from, row.to, label(row)] })))));
  }

  /** Return a bar of so many clusters that shows them in the list. */
  function bar(label, count, most, changes) {
    return h('li', {}, h('button', { type: 'button', onclick: () => show(changes) },
      h('span', { class: 'key' }, label),
      h('span', { class: 'track' }, width(h('span', { class: 'fill' }), count / most)),
      h('span', { class: 'value' }, number(count))));
  }

  /** Return what documents differ in, by kind. */
  function kinds() {
    if (!head.kinds.length) return null;
    const most = Math.max(...head.kinds.map(([, count]) => count));
    return h('section', { class: 'card kinds' }, h('h2', {}, t('kindsTitle')), note('kindsText', 'kindsHint'),
      h('ul', { class: 'bars' }, head.kinds.map(([kind, count]) => (
        bar(named('filter', kind), count, most, { filter: kind })))));
  }

  /** Return how much of each document others have. */
  function rates() {
    if (!head.rates || !head.rates.length) return null;
    const counts = head.rates[0][2] >= 0; // whether something is left out
    const rows = head.rates.map(([document, all, counted, most, largest, sources]) => {
      const share = counts ? counted : all;
      return h('tr', {},
        h('td', {}, name(document)),
        counts ? h('td', { class: 'num' }, percent(all / 10000)) : null,
        meter(share / 10000),
        h('td', { class: 'num' }, percent(share / 10000)),
        h('td', { class: 'num' }, number(sources)),
        h('td', { class: 'num' }, percent(most / 10000)),
        h('td', {}, largest === null ? '–' : name(largest)));
    });
    const shares = counts ? [[t('rateShare'), 'num'], [t('rateCounted'), '', 2]] : [[t('rateShare'), '', 2]];
    const titles = [[t('rateDocument')], ...shares, [t('rateSources'), 'num'], [t('rateLargest'), '', 2]];
    return h('section', { class: 'card wide rates' },
      h('h2', {}, t('ratesTitle')), h('p', { class: 'note' }, t('ratesText')), long(titles, rows));
  }

  function meter(share) {
    return h('td', { class: 'meter' }, h('span', { class: 'track' }, width(h('span', { class: 'fill hot' }), share)));
  }

  /** Return a table that shows its first rows, and a button for the others. */
  function long(titles, rows) {
    const [body, more] = growing(h('tbody', {}), rows.length, ROWS, (i) => rows[i],
      (rest) => [t('more', rest), t('beyond', rest)]);
    return [table(titles, body), more];
  }

  /** Return the charts. */
  function cards() {
    if (Kind.conflicts) return [kinds(), head.folders.length ? folders() : null];
    return [rates(), head.figures.pairs ? [similarity(), kinds(), sizes()] : [], folders()];
  }

  function folderRow([folder, documents, redundant]) {
    const share = redundant / (Kind.conflicts ? head.figures.listed : documents) || 0;
    const link = { type: 'button', class: 'link', onclick: () => show({ folder }) };
    return h('tr', {},
      h('td', {}, h('button', link, folder ? name(folder) : t('top'))),
      h('td', { class: 'num' }, number(documents)),
      h('td', { class: 'num' }, number(redundant)),
      meter(share),
      h('td', { class: 'num' }, percent(share, 0)));
  }

  function folders() {
    const titles = [[t('folder')], [t('documents'), 'num'], [t('redundant'), 'num'], [t('share'), '', 2]];
    return h('section', { class: 'card wide' }, h('h2', {}, t('foldersTitle')), note('foldersText', 'foldersHint'),
      long(titles, head.folders.map(folderRow)));
  }

  /** Return what the program says, in words of the page if there are some. */
  function said(words) {
    return words in WORDS ? t(WORDS[words]) : shown(words);
  }

  function listed(key, rows, count) {
    if (!rows.length) return null;
    const rest = count - rows.length;
    return h('section', { class: 'listed' }, h('h3', {}, t(key)), h('ul', { class: 'plain' },
      rows.map(([who, what]) => h('li', {}, name(who), ': ', said(what))),
      rest > 0 ? h('li', {}, t('beyond', rest)) : null));
  }

  function fields(values) {
    const known = Object.entries(values).filter(([, value]) => value !== null);
    return h('dl', { class: 'fields' }, known.map(([key, value]) => (
      h('div', {}, h('dt', {}, said(key)), h('dd', {}, shown(String(value)))))));
  }

  function how() {
    return h('details', { class: 'card how' }, h('summary', {}, t('how')),
      head.hint ? h('p', {}, shown(head.hint)) : null,
      head.command ? [h('h3', {}, t('command')), h('pre', {}, shown(head.command))] : null,
      head.figures.checked ? h('p', {}, t('checked', head.figures.checked)) : null,
      h('h3', {}, t('criteria')), fields(head.criteria),
      Object.keys(head.recipe).length ? [h('h3', {}, t('recipe')), fields(head.recipe)] : null,
      listed('notes', head.notes, head.notes.length),
      listed('skippedTitle', head.skipped, head.figures.skipped));
  }

  /** Return how many pairs are not listed: a page of passages has a limit. */
  function unlisted() {
    const { pairs, listed = pairs } = head.figures;
    return pairs - listed;
  }

  /** Say how many pairs share only what is left out, and show them when asked to. */
  function leftPairs() {
    const { left } = head.figures;
    const link = { type: 'button', class: 'link', onclick: () => show({ filter: 'left' }) };
    return left ? h('p', { class: 'note' }, h('button', link, t('leftPairs', left))) : null;
  }

  /** Return what follows the threshold. */
  function live(now) {
    return [h('h1', { class: 'sentence' }, sentence(now.found)), shares(now.found), figures(now)];
  }

  /** Draw the overview. */
  function draw(main) {
    const more = unlisted() ? h('p', { class: 'notice' }, t('unlisted', unlisted(), head.figures.listed)) : null;
    const { common, forms, unchecked } = head.figures;
    const note = common ? t('common', ...common) : forms ? t('forms', forms) : unchecked && t('unchecked', unchecked);
    const said = note ? h('p', { class: 'note' }, note) : null;
    const top = h('div', { class: 'live' }, live(current()));
    main.replaceChildren(h('div', { class: 'overview' }, top, more, leftPairs(), said,
      h('div', { class: 'cards' }, cards()), how()));
  }

  /** Draw what the threshold changes; the control keeps the focus. */
  function update() {
    const box = document.querySelector('.live');
    if (!box) return;
    box.replaceChildren(...live(current()));
    const card = document.querySelector('.similar');
    if (!card?.querySelector('.histogram')) return;
    card.querySelector('.histogram').replaceWith(Charts.histogram(State.threshold));
    card.querySelector('output').textContent = State.short(State.threshold);
    card.querySelector('.setting button').hidden = State.threshold === Data.least;
    card.querySelector('.setting .listing')?.remove();
    card.querySelector('.setting').append(fitting() || '');
    card.querySelector('input').value = String(Math.round(State.threshold / 100));
  }

  return { draw, update, slider, unlisted, compared };
})();
