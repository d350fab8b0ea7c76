/**
 * The list of clusters: searched, filtered, sorted, and drawn only where it is seen.
 */
const List = (() => {
  const { h, name, plain, toldApart, columnsOf, width } = Dom;
  const { t } = State;

  // Pixels of a row beside its names, and of a line of these; Latin letters beside which a folder has room.
  const [BASE, LINE, WIDE] = [41, 22, 28];
  const SPARE = 8; // rows drawn beyond what is seen

  let shown = new Uint32Array(0); // clusters that fit, in order
  let at = new Map(); // the place of each
  let tops = new Uint32Array(1); // where each begins, in pixels, and where the last one ends
  let lines = null; // by cluster how many lines its names take; 0 until that is asked
  let left = null; // documents that are left of each at the threshold
  let parts = null; // elements of the list, while it is on the page
  let selected = -1;

  /** Return the order of two clusters for each way to sort. */
  function orders() {
    const { size, lead, farthest, kept } = Data.table;
    const margin = (i) => (lead[i] < 0 ? 20000 : lead[i]);
    return {
      edge: (a, b) => (kept[b] > 1) - (kept[a] > 1) || margin(a) - margin(b) || farthest[b] - farthest[a]
        || size[b] - size[a] || a - b,
      size: (a, b) => size[b] - size[a] || a - b,
      low: (a, b) => margin(a) - margin(b) || a - b,
      high: (a, b) => lead[b] - lead[a] || a - b,
      order: (a, b) => a - b,
      ...(Kind.conflicts ? Conflicts.orders() : {}),
    };
  }

  const FILTERS = {
    all: () => true,
    several: (i) => Data.table.kept[i] > 1,
    exact: (i) => Data.table.lead[i] === 10000,
    text: (i) => Data.table.chunk[i] >= 0,
    facts: (i) => Data.table.facts[i] > 0,
    counted: (i) => i < Data.head.figures.listed,
    left: (i) => i >= Data.head.figures.listed,
    undecided: (i) => !Review.has(i),
    decided: (i) => Review.has(i),
  };

  /** Return 1 for each cluster with a document of the folder. */
  function inFolder(folder) {
    const { table } = Data;
    const number = Data.folders.indexOf(folder);
    const found = new Uint8Array(table.count);
    for (let i = 0; i < table.count; i += 1) {
      for (let d = table.first[i]; d < table.first[i + 1]; d += 1) if (table.folder[d] === number) found[i] = 1;
    }
    return found;
  }

  /** Choose and sort the clusters again. */
  function refresh() {
    const { table } = Data;
    left = State.threshold > Data.least ? Groups.figures(State.threshold).sizes : table.size;
    const folder = State.folder === '' ? null : inFolder(State.folder);
    const names = State.search ? (Kind.conflicts ? Conflicts : Data).search(State.search) : null;
    const [least, most] = State.sizes || [0, Infinity];
    const bit = 1 << Data.head.kinds.findIndex(([kind]) => kind === State.filter);
    const fits = FILTERS[State.filter] || ((i) => table.kinds[i] & bit);
    const found = [];
    for (let i = 0; i < table.count; i += 1) {
      const sized = left[i] > 1 && table.size[i] >= least && table.size[i] <= most;
      if (sized && (!folder || folder[i]) && (!names || names[i]) && fits(i)) found.push(i);
    }
    shown = Uint32Array.from(found.sort(orders()[State.sort]));
    at = new Map(Array.from(shown, (cluster, place) => [cluster, place]));
  }

  /** Return how alike the documents of a cluster are: where texts were not compared, in bits. */
  function figure(cluster) {
    const { lead, farthest } = Data.table;
    return lead[cluster] < 0 ? t('distance', farthest[cluster]) : Kind.alike(lead[cluster]);
  }

  /** Return the documents that a row names: of two, how each is told from the other. */
  function named(cluster) {
    const first = Data.table.first[cluster];
    if (!Kind.pairs && !Kind.judged) return [Names.of(first)];
    const both = [Names.of(first), Names.of(first + 1)];
    const [lead, other] = toldApart(both.map((parts) => (parts.leads ? parts.lead + parts.rest : parts.lead)));
    return [{ lead, rest: '' }, { lead: `↔ ${other}`, rest: '' }];
  }

  /** Return how many lines the names of a row take: they are never cut. */
  function linesOf(cluster) {
    if (Kind.conflicts) return Conflicts.linesOf(cluster);
    return named(cluster).reduce((sum, { lead, rest, leads }) => sum + Names.height(leads ? lead + rest : lead), 0);
  }

  /** Return what the row of a cluster shows. */
  function content(cluster) {
    const { table } = Data;
    const low = Math.min(Data.least, 9900);
    const lead = table.lead[cluster];
    const size = left[cluster] - (Kind.asked ? 1 : 0);
    const share = lead < 0 ? 0 : (lead - low) / (10000 - low);
    const heads = named(cluster).map((parts) => (
      h('span', { class: parts.leads ? 'head leads' : 'head' }, name(parts.lead, { class: 'file' }),
        // Beside a long name there is no room for its folder, which does not tell it from others.
        parts.rest && (parts.leads || columnsOf(parts.lead) < WIDE)
          ? h('span', { class: 'folder' }, name(parts.rest.replace(/\/$/, ''))) : null)));
    if (Kind.judged) {
      return [heads, h('span', { class: 'tail' }, h('span', { class: 'num' }, State.number(cluster + 1)),
        Review.badge(cluster))];
    }
    return [heads, h('span', { class: 'tail' },
      Kind.pairs ? null : h('span', { class: 'size' }, State.number(size)),
      lead < 0 ? null : h('span', { class: 'track' }, width(h('span', { class: 'fill' }), share)),
      h('span', { class: 'num' }, figure(cluster)),
      Review.badge(cluster),
      // Those of the pair that differs in most.
      table.facts[cluster] ? h('span', { class: 'chip warn' }, t('factsCount', table.facts[cluster])) : null,
      Kind.roles && table.kept[cluster] > 1 ? h('span', { class: 'chip warn' }, t('several')) : null)];
  }

  /** Return the row at a place of the list. */
  function row(place) {
    const cluster = shown[place];
    const link = h('a', {
      class: 'row', href: `#/c/${cluster + 1}`, role: 'option', id: `row-${cluster}`, tabindex: '-1',
      'aria-selected': String(cluster === selected), 'aria-posinset': place + 1, 'aria-setsize': shown.length,
    }, Kind.conflicts ? Conflicts.row(cluster) : content(cluster));
    link.style.top = `${tops[place]}px`;
    link.style.height = `${tops[place + 1] - tops[place]}px`;
    return link;
  }

  /** Place the rows; one that nobody has seen yet has one line. */
  function layout() {
    tops = Data.starts(shown.map((cluster) => BASE + LINE * (lines[cluster] || 1)));
    parts.inner.style.height = `${tops[shown.length]}px`;
  }

  /** Return the first and the last place that are seen, and some more. */
  function seen() {
    const { scrollTop, clientHeight } = parts.box;
    return [Math.max(0, Data.above(tops, scrollTop) - 1 - SPARE),
      Math.min(shown.length, Data.above(tops, scrollTop + clientHeight) + SPARE)];
  }

  /** Make room for the names of rows that come into sight; what is being read stays where it is. */
  function grow() {
    const [first, last] = seen();
    const fresh = shown.subarray(first, last).filter((cluster) => !lines[cluster]);
    fresh.forEach((cluster) => { lines[cluster] = linesOf(cluster); });
    if (fresh.every((cluster) => lines[cluster] === 1)) return;
    const read = Math.max(0, Data.above(tops, parts.box.scrollTop) - 1);
    const before = tops[read];
    layout();
    parts.box.scrollTop += tops[read] - before;
  }

  /** Draw the rows that are seen. */
  function rows() {
    const { box, inner } = parts;
    grow();
    const [first, last] = seen();
    const made = [];
    for (let place = first; place < last; place += 1) made.push(row(place));
    inner.replaceChildren(...made);
    if (at.has(selected)) box.setAttribute('aria-activedescendant', `row-${selected}`);
    else box.removeAttribute('aria-activedescendant');
  }

  function choice(key, options, label) {
    const select = h('select', { 'aria-label': label },
      options.map(([value, words]) => h('option', { value, selected: value === State[key] }, words)));
    select.addEventListener('change', () => State.set({ [key]: select.value }));
    return select;
  }

  /** Return a choice with all of what is chosen written on it: a select would cut it. */
  function whole(select, words) {
    const chosen = h('span', { 'aria-hidden': 'true' });
    const write = () => chosen.replaceChildren(`${words[select.selectedIndex]} ▾`);
    select.classList.add('pick');
    select.addEventListener('change', write);
    write();
    return h('span', { class: 'picked' }, chosen, select);
  }

  function folderChoice() {
    // A long list of folders is found by search rather than by scrolling.
    const named = Data.head.folders.map(([folder]) => folder);
    const listed = named.filter((folder) => folder && Data.folders.includes(folder)).slice(0, 200);
    if (!listed.length) return null;
    if (State.folder && !listed.includes(State.folder)) listed.unshift(State.folder);
    const words = [t('allFolders'), ...toldApart(listed).map(plain)];
    return whole(choice('folder', ['', ...listed].map((folder, i) => [folder, words[i]]), t('folder')), words);
  }

  function controls() {
    const label = { placeholder: t('searchNames'), 'aria-label': t('searchNames') };
    const search = h('input', { type: 'search', ...label, value: State.search, id: 'search' });
    let waiting = 0;
    search.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => State.set({ search: search.value.trim() }), 120);
    });
    const labelled = (prefix, keys) => keys.map((key) => [key, State.named(prefix, key)]);
    const rest = Overview.unlisted();
    const value = h('output', { class: 'accent num' }, State.short(State.threshold));
    return { value, node: h('div', { class: 'finder' }, search,
      h('div', { class: 'two' },
        Kind.sorts.length > 1 ? choice('sort', labelled('sort', Kind.sorts), t('sort')) : null,
        Kind.filters.length ? choice('filter', labelled('filter', Kind.filters), t('filter')) : null),
      folderChoice(),
      // Where no text was compared, there is nothing to ask more of.
      h('div', { class: 'least', hidden: Kind.judged || !Overview.compared() },
        h('label', { for: 'least' }, t('threshold')), Overview.slider('least'), value),
      h('p', { class: 'found' }),
      rest ? h('p', { class: 'found' }, t('unlisted', rest, Data.head.figures.listed)) : null) };
  }

  /** Say how many clusters fit. */
  function count() {
    const words = shown.length ? t('count', shown.length) : t('countNone');
    parts.node.querySelector('.found').replaceChildren(words);
    if (State.sizes) {
      const clear = () => State.set({ sizes: null });
      const chip = h('button', { type: 'button', class: 'chip', onclick: clear }, t('sizeFilter', State.sizes[2]));
      parts.node.querySelector('.found').append(' ', chip);
    }
    const { compared, clusters, left: silent } = Data.head.figures;
    if (silent) {
      const pressed = State.filter === 'left';
      const turn = () => State.set({ filter: pressed ? Kind.filter : 'left' });
      const look = { type: 'button', class: 'chip', 'aria-pressed': String(pressed), onclick: turn };
      parts.node.querySelector('.found').append(' ', h('button', look, t('leftPairs', silent), pressed ? ' ×' : ''));
    }
    if (State.filter === 'facts' && compared < clusters) {
      parts.node.querySelector('.found').append(h('span', { class: 'known' }, t('factsKnown', compared, clusters)));
    }
    parts.value.textContent = State.short(State.threshold);
    parts.node.querySelector('#least').value = String(Math.round(State.threshold / 100));
  }

  /** Return the list as an element. */
  function make() {
    const { node, value } = controls();
    const inner = h('div', { class: 'inner' });
    const box = h('div', { class: 'rows', role: 'listbox', tabindex: '0', 'aria-label': t('list') }, inner);
    let drawn = 0;
    box.addEventListener('scroll', () => {
      if (!drawn) drawn = requestAnimationFrame(() => { drawn = 0; if (parts && parts.box === box) rows(); });
    });
    parts = { node, value, box, inner };
    // A cluster has a heading of its own; beside none, the list is what the page is about.
    const heading = h('h1', { class: 'unseen' }, t('clusters'));
    return h('aside', { class: 'list', 'aria-label': t('list') }, heading, node, box);
  }

  /** Choose the clusters again and draw the list, which is on the page. */
  function update() {
    if (!parts || !parts.box.isConnected) return;
    refresh();
    lines = lines || new Uint8Array(Data.table.count);
    layout();
    count();
    rows();
  }

  /** Mark a cluster as chosen and scroll to it. */
  function select(cluster) {
    selected = cluster;
    if (!parts || !parts.box.isConnected) return;
    const place = at.get(cluster);
    const { box } = parts;
    if (place !== undefined) {
      const [top, bottom] = [tops[place], tops[place + 1]];
      if (top < box.scrollTop) box.scrollTop = top;
      else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
    }
    rows();
  }

  /** Return the cluster that is `step` places from another, or the first one. */
  function beside(cluster, step) {
    if (!shown.length) return -1;
    const place = at.get(cluster);
    if (place === undefined) return shown[0];
    return shown[Math.max(0, Math.min(shown.length - 1, place + step))];
  }

  return {
    make, refresh, update, select, beside, whole,
    first: () => (shown.length ? shown[0] : -1),
    all: () => shown,
    rows: () => parts && parts.box.isConnected && rows(),
  };
})();
