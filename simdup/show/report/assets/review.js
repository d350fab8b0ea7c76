/**
 * Decisions: made beside a cluster, kept by the browser, saved and loaded as a file of JSON lines.
 *
 * Documents go by their names, which outlive a new scan.  A decision on a whole cluster is
 * `duplicates` or `distinct`; that two of its documents are distinct concerns these two; `keep`
 * names the one to keep.  In an audit a cluster is a pair, and `unsure` is a decision too; lines have
 * the seed and the size of the sample.  Lines about documents that this report does not have are kept as they are.
 */
const Review = (() => {
  const { h, name, growing, table } = Dom;
  const { t } = State;
  const { letter } = Matrix;

  // Rows of the review that are there at once.
  const ROWS = 100;

  /** Of each cluster {verdict, apart: [[i, j]], keep, note, time}. */
  const made = new Map();
  let foreign = []; // lines of documents that are not here
  let kept = true; // the browser remembers decisions

  const key = `decisions:${Data.head.id}`;

  function entry(cluster) {
    return made.get(cluster) || { verdict: '', apart: [], keep: -1, note: '', time: '' };
  }

  function isEmpty({ verdict, apart, keep, note }) {
    return !verdict && !apart.length && keep < 0 && !note;
  }

  /** Change the decision on a cluster; the browser remembers all of them. */
  function change(cluster, changes) {
    const next = { ...entry(cluster), ...changes, time: new Date().toISOString() };
    if (isEmpty(next)) made.delete(cluster);
    else made.set(cluster, next);
    store();
    State.set({ decided: (State.decided || 0) + 1 });
  }

  function store() {
    kept = State.remember(key, lines().join('\n'));
  }

  /** Return one line of JSON, as Python spaces it: a walk knows by it that this is no document. */
  function line(values) {
    const fields = Object.entries(values).map(([field, value]) => `${JSON.stringify(field)}: ${JSON.stringify(value)}`);
    return `{${fields.join(', ')}}`;
  }

  /** Return the lines of a cluster's decision. */
  function linesOf(cluster, { verdict, apart, keep, note, time }) {
    const first = Data.table.first[cluster];
    const all = Data.names.slice(first, Data.table.first[cluster + 1]);
    const { recipe, id } = Data.head;
    const common = { note, time, report: id, recipe: recipe.digest || '', ...(Kind.judged ? Judge.about : {}) };
    const write = (decision, documents, more) => line({ type: 'decision', decision, ...more, documents, ...common });
    const found = [];
    if (verdict) found.push(write(verdict, all));
    for (const [a, b] of apart) found.push(write('distinct', [all[a], all[b]]));
    if (keep >= 0) found.push(write('keep', all, { keep: all[keep] }));
    return found;
  }

  function lines() {
    return [...[...made].sort(([a], [b]) => a - b).flatMap(([cluster, one]) => linesOf(cluster, one)), ...foreign];
  }

  /** Return the clusters that each name is in; of a query that each is asked in. */
  function index() {
    const clusters = new Map();
    for (let cluster = 0; cluster < Data.table.count; cluster += 1) {
      const [first, size] = [Data.table.first[cluster], Kind.asked ? 1 : Data.table.size[cluster]];
      for (const name of new Set(Data.names.slice(first, first + size))) {
        if (clusters.has(name)) clusters.get(name).push(cluster);
        else clusters.set(name, [cluster]);
      }
    }
    return clusters;
  }

  /** Return the cluster that all these documents are in, their places, and those of all names; null for none. */
  function find(documents, clusters) {
    // Of a query the first one was asked, which may have the name of a match.
    const asked = Kind.asked ? [0] : [];
    for (const cluster of clusters.get(documents[0]) || []) {
      const at = new Map();
      for (let i = Data.table.size[cluster] - 1; i >= asked.length; i -= 1) {
        at.set(Data.names[Data.table.first[cluster] + i], i);
      }
      const members = [...asked, ...documents.slice(asked.length).map((name) => at.get(name))];
      if (members.length > asked.length && !members.includes(undefined)) return { cluster, members, at };
    }
    return null;
  }

  /** Take in one line; return whether it is a decision about this report's documents. */
  function take(values, clusters) {
    const known = find(values.documents, clusters);
    if (!known) return false;
    const { cluster, members, at } = known;
    const one = { ...entry(cluster), note: String(values.note || ''), time: String(values.time || '') };
    if (Kind.judged) {
      if (members.length !== 2 || !Judge.VERDICTS.includes(values.decision)) return false;
      made.set(cluster, { ...one, verdict: values.decision });
      return true;
    }
    const whole = members.length === Data.table.size[cluster];
    if (values.decision === 'keep') {
      if (!at.has(values.keep)) return false;
      one.keep = at.get(values.keep);
    } else if (values.decision === 'duplicates') {
      one.verdict = 'duplicates';
      one.apart = [];
    } else if (Kind.asked) {
      // What is in the index is not decided upon: only the asked document is distinct from it.
      if (one.verdict === 'duplicates') one.verdict = '';
      members.slice(1).forEach((b) => { one.apart = toggled(one.apart, 0, b, true); });
    } else if (whole && members.length > 2) one.verdict = 'distinct';
    else {
      if (one.verdict === 'duplicates') one.verdict = '';
      members.forEach((a, i) => members.slice(i + 1).forEach((b) => { one.apart = toggled(one.apart, a, b, true); }));
    }
    made.set(cluster, one);
    return true;
  }

  /** Take in a file of decisions; return how many lines it had, or -1 for no such file. */
  function read(text) {
    const clusters = index();
    const values = [];
    try {
      for (const one of text.replace(/^\ufeff/, '').split('\n')) {
        if (one.trim()) values.push([one.trim(), JSON.parse(one)]);
      }
    } catch {
      return -1;
    }
    let count = 0;
    for (const [raw, one] of values) {
      if (!one || one.type !== 'decision' || !Array.isArray(one.documents)) continue;
      count += 1;
      if (!take(one, clusters) && !foreign.includes(raw)) foreign.push(raw);
    }
    return count;
  }

  /** Take in what the browser remembers. */
  function restore() {
    const remembered = State.recall(key);
    if (remembered) read(remembered);
    kept = State.remember(key, remembered || '');
  }

  function toggled(apart, a, b, on) {
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    const others = apart.filter(([x, y]) => x !== low || y !== high);
    if (!on && others.length < apart.length) return others;
    return [...others, [low, high]].sort((x, y) => x[0] - y[0] || x[1] - y[1]);
  }

  function duplicates(cluster) {
    const on = entry(cluster).verdict !== 'duplicates';
    change(cluster, { verdict: on ? 'duplicates' : '', apart: on ? [] : entry(cluster).apart });
  }

  /** Judge a pair; the same verdict again takes it back. */
  function judge(cluster, verdict) {
    change(cluster, { verdict: entry(cluster).verdict === verdict ? '' : verdict });
  }

  function distinct(cluster, pair) {
    const verdict = entry(cluster).verdict === 'duplicates' ? '' : entry(cluster).verdict;
    change(cluster, { verdict, apart: toggled(entry(cluster).apart, ...pair) });
  }

  function none(cluster) {
    if (Kind.asked) {
      const every = Array.from({ length: Data.table.size[cluster] - 1 }, (_, i) => [0, i + 1]);
      change(cluster, { verdict: '', apart: allApart(cluster) ? [] : every });
      return;
    }
    change(cluster, { verdict: entry(cluster).verdict === 'distinct' ? '' : 'distinct', apart: [] });
  }

  /** Return whether none of the documents is a duplicate. */
  function allApart(cluster) {
    const { verdict, apart } = entry(cluster);
    return Kind.asked ? apart.length === Data.table.size[cluster] - 1 : verdict === 'distinct';
  }

  /** Let another document be kept: the next of those that are read, or one that was chosen. */
  function keep(cluster, i) {
    change(cluster, { keep: i === 0 && entry(cluster).keep >= 0 ? -1 : i });
  }

  function button(number, words, on, press) {
    const look = `button decide${on ? ' on' : ''}`;
    return h('button', { type: 'button', class: look, 'aria-pressed': String(on), onclick: press },
      number ? h('kbd', {}, number) : null, words);
  }

  function keeper(cluster) {
    const size = Math.min(Data.table.size[cluster], 200);
    const now = Math.max(entry(cluster).keep, 0);
    const options = Array.from({ length: size }, (_, i) => (
      h('option', { value: String(i), selected: i === now }, t('keepThis', letter(i)))));
    const select = h('select', { class: 'button keeper', 'aria-label': t('keepAnother'), id: 'keeper' }, options);
    select.addEventListener('change', () => keep(cluster, Number(select.value)));
    return h('label', { class: `button decide keep${now ? ' on' : ''}` }, h('kbd', {}, '3'), select);
  }

  /** Return the decisions on a cluster, of which `pair` is read, as controls. */
  function bar(cluster, pair) {
    const one = entry(cluster);
    const many = Data.table.size[cluster] > 2;
    const separate = one.apart.some(([a, b]) => a === pair[0] && b === pair[1]);
    const named = { placeholder: t('note'), 'aria-label': t('note') };
    const note = h('input', { type: 'text', class: 'remark', ...named, value: one.note, maxlength: 2000 });
    note.addEventListener('change', () => change(cluster, { note: note.value }));
    const words = many ? t('distinctPair', letter(pair[0]), letter(pair[1])) : t('distinct');
    const group = { class: 'decisions', role: 'group', 'aria-label': t('review') };
    if (Kind.judged) {
      return h('div', group, Judge.VERDICTS.map((verdict, i) => (
        button(String(i + 1), t(verdict), one.verdict === verdict, () => Judge.say(cluster, verdict)))), note);
    }
    return h('div', group,
      button('1', t('duplicates'), one.verdict === 'duplicates', () => duplicates(cluster)),
      button('2', words, separate, () => distinct(cluster, pair)),
      many ? button('', t('distinctAll'), allApart(cluster), () => none(cluster)) : null,
      Kind.asked ? null : keeper(cluster), note);
  }

  /** Return the mark of a cluster that is decided. */
  function badge(cluster) {
    const one = made.get(cluster);
    if (!one) return null;
    const marks = [
      one.verdict === 'duplicates' && '✓',
      one.verdict === 'unsure' && '?',
      (one.verdict === 'distinct' || one.apart.length) && '≠',
      one.keep > 0 && letter(one.keep),
    ];
    return h('span', { class: 'chip cool' }, marks.filter(Boolean).join(' ') || '…');
  }

  function words(one) {
    if (Kind.judged) return one.verdict ? t(one.verdict) : '';
    const parts = [];
    if (one.verdict === 'duplicates') parts.push(t('duplicates'));
    if (one.verdict === 'distinct') parts.push(t('distinctAll'));
    for (const [a, b] of one.apart) parts.push(t('distinctPair', letter(a), letter(b)));
    if (one.keep > 0) parts.push(t('keepThis', letter(one.keep)));
    return parts.join('; ');
  }

  function save() {
    const content = new Blob([`${lines().join('\n')}\n`], { type: 'application/jsonl' });
    const link = h('a', { href: URL.createObjectURL(content), download: 'decisions.jsonl' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /** Load a file that was chosen. */
  async function open(input, main) {
    const file = input.files[0];
    if (!file) return;
    const count = read(await file.text());
    store();
    App.say(count < 0 ? t('loadFailed') : t('loadedLines', count));
    draw(main);
  }

  function rows() {
    const sorted = [...made].sort(([a], [b]) => a - b);
    const row = (i) => {
      const [cluster, decided] = sorted[i];
      return h('tr', {},
        h('td', {}, h('a', { href: `#/c/${cluster + 1}` }, name(Data.names[Data.table.first[cluster]]))),
        h('td', {}, words(decided)), h('td', {}, name(decided.note)));
    };
    const [body, more] = growing(h('tbody', {}), sorted.length, ROWS, row,
      (rest) => [t('more', rest), t('beyond', rest)]);
    return [table(['clusterOf', 'decision', 'noteTitle'].map((key) => [t(key)]), body), more];
  }

  /** Return the command that reads the decisions. */
  function command() {
    if (Kind.judged) return Data.head.audit.next;
    return `${(Kind.reads && Data.head.command) || Kind.command} --decisions decisions.jsonl`;
  }

  /** Draw the review. */
  function draw(main) {
    const file = { type: 'file', accept: '.jsonl,.ndjson,.json', id: 'load', 'aria-label': t('load') };
    const input = h('input', { ...file, class: 'unseen', tabindex: '-1' });
    input.addEventListener('change', () => open(input, main));
    const decided = Kind.judged ? Judge.count() : made.size;
    const button = { type: 'button', class: 'button' };
    const press = (words, disabled, onclick) => h('button', { ...button, disabled, onclick }, t(words));
    const copy = { ...button, class: 'button controls', onclick: () => Cluster.copy(command()) };
    main.replaceChildren(h('div', { class: 'overview review' },
      h('h1', { class: 'sentence' }, t('reviewed', decided, Data.table.count)),
      h('p', { class: 'note controls' }, kept ? t('remembered') : t('notRemembered')),
      h('p', { class: 'decisions' },
        press('save', !decided && !foreign.length, save), press('load', false, () => input.click()), input,
        press('nextUndecided', decided === Data.table.count, next)),
      Kind.judged ? Judge.bands() : null,
      decided ? rows() : null,
      foreign.length ? h('p', { class: 'note' }, t('foreign', foreign.length)) : null,
      decided ? [h('h2', {}, t('useTitle')), h('p', { class: 'note' }, t('useText')),
        h('pre', {}, Dom.shown(command())), h('button', copy, t('copyCommand'))] : null));
  }

  /** Go to the first cluster of the list that is not decided. */
  function next() {
    const found = List.all().find((cluster) => !has(cluster));
    window.location.hash = found === undefined ? '#/clusters' : `#/c/${found + 1}`;
  }

  const has = (cluster) => (Kind.judged ? Boolean(entry(cluster).verdict) : made.has(cluster));

  return { restore, bar, badge, draw, has, entry, duplicates, distinct, judge, lines, read };
})();
