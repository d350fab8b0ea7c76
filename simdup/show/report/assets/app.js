/**
 * The page as a whole: views by address, keys, languages.
 */
const App = (() => {
  const { h, name } = Dom;
  const { t } = State;

  const main = document.getElementById('main');
  let ready = false; // the table is there
  let view = '';
  let cluster = -1;

  /** Say something to those who listen rather than look, and show it for a moment. */
  function say(words) {
    const status = document.getElementById('status');
    status.textContent = words;
    status.classList.remove('unseen');
    clearTimeout(say.waiting);
    say.waiting = setTimeout(() => status.classList.add('unseen'), 2500);
  }

  /** Draw the bar at the top in the chosen language. */
  function bar() {
    const [lang, other, code] = State.lang === 'zh' ? ['zh-Hans', 'en', 'en'] : ['en', 'zh', 'zh-Hans'];
    const switched = () => State.set({ lang: other });
    document.documentElement.lang = lang;
    document.getElementById('skip').textContent = t('skip');
    document.getElementById('source').replaceChildren(name(Data.head.title));
    const current = view === 'overview' || view === 'review' ? view : Kind.single ? 'cluster' : 'clusters';
    document.getElementById('tabs').replaceChildren(...Kind.tabs.map(([href, key]) => (
      h('a', { href, 'aria-current': key === current ? 'page' : null }, t(key)))));
    document.getElementById('tools').replaceChildren(
      h('button', { type: 'button', class: 'tool print', onclick: () => window.print() }, t('print')),
      h('button', { type: 'button', class: 'tool', 'aria-label': t('help'), title: t('help'), onclick: keys }, '?'),
      h('button', { type: 'button', class: 'tool', lang: code, onclick: switched }, t('language')));
  }

  /** Return the view, cluster and pair of the address. */
  function route() {
    const parts = window.location.hash.replace(/^#\/?/, '').split('/');
    if (parts[0] === 'c') return { view: 'cluster', cluster: Number(parts[1]) - 1, pair: pair(parts[2]) };
    if (parts[0] === 'review' && Kind.decided) return { view: 'review' };
    if (Kind.single) return { view: 'cluster', cluster: 0, pair: null };
    if (parts[0] === 'clusters') return { view: 'clusters' };
    return { view: Kind.judged ? 'clusters' : 'overview' };
  }

  function pair(words) {
    const found = /^(\d+)-(\d+)$/.exec(words || '');
    return found ? [Number(found[1]), Number(found[2])] : null;
  }

  /** Draw what the address says. */
  function draw() {
    const asked = route();
    const both = [view, asked.view];
    const same = view === asked.view || (both.includes('cluster') && both.includes('clusters'));
    Cluster.close();
    view = asked.view;
    cluster = view === 'cluster' ? asked.cluster : -1;
    bar();
    document.body.dataset.view = view;
    document.body.dataset.kind = Data.head.kind;
    if (view === 'overview') Overview.draw(main);
    else if (!ready) main.replaceChildren(h('p', { class: 'wait' }, t('loading')));
    else if (view === 'review') Review.draw(main);
    else clusters(asked, same);
  }

  /** Draw the list, unless it is there, and the cluster beside it. */
  function clusters(asked, same) {
    if (!Data.table.count) {
      main.replaceChildren(h('h1', { class: 'wait' }, t(...Kind.sentence(0))));
      return;
    }
    let detail = document.getElementById('detail');
    if (!same || !detail) {
      detail = h('div', { class: 'detail', id: 'detail' });
      main.replaceChildren(h('div', { class: 'studio' }, List.make(), detail));
      List.update();
    }
    List.select(cluster);
    if (asked.view === 'clusters') {
      detail.replaceChildren(h('p', { class: 'wait' }, t(List.first() < 0 ? 'countNone' : 'select')));
      // Beside the list there is room for the first one; on a phone the list comes first.
      const start = Kind.judged ? Math.max(Judge.next(), 0) : List.first();
      if (window.innerWidth >= 760 && List.first() >= 0) window.location.replace(`#/c/${start + 1}`);
      return;
    }
    if (!(cluster >= 0 && cluster < Data.table.count)) {
      detail.replaceChildren(h('h1', { class: 'wait' }, t('none')));
      return;
    }
    const size = Math.min(Data.table.size[cluster], Kind.asked ? Infinity : Matrix.MOST);
    const chosen = asked.pair && asked.pair[0] < asked.pair[1] && asked.pair[1] < size ? asked.pair : null;
    if (Kind.conflicts) Conflicts.draw(detail, cluster);
    else Cluster.draw(detail, cluster, chosen).catch(fail);
  }

  function fail(error) {
    main.replaceChildren(h('p', { class: 'wait' }, t('broken', String(error.message))));
  }

  function go(step) {
    // The address is ahead of what is drawn when a key is held down.
    const asked = route();
    const next = List.beside(asked.view === 'cluster' ? asked.cluster : -1, step);
    if (next >= 0) window.location.hash = `#/c/${next + 1}`;
  }

  const KEYS = [
    ['j', 'keyNext', () => go(1)],
    ['k', 'keyPrevious', () => go(-1)],
    ['o', 'keyOpen', () => document.querySelector('.texts')?.scrollIntoView({ block: 'start' })],
    ['u', 'keyUp', up],
    ['/', 'keySearch', search],
    ['n', 'keyChange', () => Cluster.reader()?.next()],
    ['p', 'keyBefore', () => Cluster.reader()?.previous()],
    ['s', 'keySide', flip],
    ...(Kind.judged ? Judge.keys((verdict) => decide(([pair]) => Judge.say(pair, verdict))) : [
      ['1', 'keyDuplicates', () => decide((now) => Review.duplicates(now[0]))],
      ['2', 'keyDistinct', () => decide((now) => Review.distinct(...now))],
      ['3', 'keyKeep', () => document.getElementById('keeper')?.focus()],
    ]),
    ['?', 'keyHelp', () => keys()],
  ].filter(([key]) => !Kind.without.includes(key));

  /** Decide on the cluster that is read. */
  function decide(how) {
    const now = Cluster.shown();
    // Until the next cluster is drawn, a key would decide on the one before it a second time.
    if (view === 'cluster' && now && route().cluster === now[0]) how(now);
  }

  /** Go from a cluster to the list, and from there to the overview. */
  function up() {
    if (Kind.judged) {
      window.location.hash = view === 'review' ? '#/clusters' : '#/review';
      return;
    }
    const box = view === 'cluster' && document.querySelector('.rows');
    if (box && !box.checkVisibility()) window.location.hash = '#/clusters';
    else if (box && document.activeElement !== box) box.focus();
    else window.location.hash = '#/';
  }

  /** Go to the search of the list. */
  function search() {
    const focus = () => document.getElementById('search')?.focus();
    if (document.getElementById('search')?.checkVisibility()) {
      focus();
      return;
    }
    window.addEventListener('hashchange', focus, { once: true });
    window.location.hash = '#/clusters';
  }

  /** Change between side by side and inline. */
  function flip() {
    State.layout = State.layout === 'side' ? 'inline' : 'side';
    Cluster.reader()?.setLayout(State.layout);
  }

  /** Show the list of keys. */
  function keys() {
    const known = document.querySelector('dialog');
    if (known) {
      known.close();
      return;
    }
    const dialog = h('dialog', { 'aria-labelledby': 'keys' }, h('h2', { id: 'keys' }, t('keysTitle')),
      h('dl', { class: 'keys' },
        KEYS.map(([key, words]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, t(words))))),
      h('button', { type: 'button', class: 'button', onclick: () => dialog.close() }, t('close')));
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest?.('input:not([type=range]), select, textarea');
    const elsewhere = document.querySelector('dialog') && event.key !== '?';
    if (typing || elsewhere || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.getAttribute?.('role') === 'listbox' && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      go(event.key === 'ArrowDown' ? 1 : -1);
      return;
    }
    const found = KEYS.find(([key]) => key === event.key);
    if (!found) return;
    event.preventDefault();
    found[2]();
  });

  document.getElementById('skip').addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });

  State.on((changed) => {
    if (changed.includes('lang')) {
      document.getElementById('detail')?.remove();
      view = '';
      draw();
      return;
    }
    if (view === 'overview' && changed.includes('threshold')) Overview.update();
    if (changed.includes('decided')) {
      List.rows();
      Cluster.decided();
      return;
    }
    List.update();
    if (view === 'cluster' && changed.includes('threshold')) draw();
  });

  window.addEventListener('hashchange', draw);
  draw();
  const loaded = new Promise((resolve) => {
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', resolve);
    else resolve();
  });
  const done = loaded.then(() => Data.load()).then(() => {
    Review.restore();
    ready = true;
    List.refresh();
    if (view === 'overview') Overview.update();
    else draw();
  }).catch(fail);

  return { say, keys: KEYS, ready: done };
})();
