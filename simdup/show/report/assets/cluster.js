/**
 * One cluster: its documents, its pairs, the texts of the pair that is chosen, and why.
 */
const Cluster = (() => {
  const { h, name, shown, growing, langOf } = Dom;
  const { t } = State;
  const { letter } = Matrix;

  // Documents that are listed at once.
  const LISTED = 50;
  const [REFERENCE, FILE, ESTIMATED, REMOVED, EDITED] = [1, 2, 4, 8, 16];

  let reader = null; // handle of the pair reader
  let shownNow = null; // the cluster and the pair that are read
  let drawn = 0; // counts drawings: what arrives late must not be shown

  /** Return the address of a file: each part of the path escaped. */
  function address(path) {
    const whole = /^(\/|[A-Za-z]:\/)/.test(path) ? path : `${Data.head.root}/${path}`;
    const parts = whole.split('/').map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '')));
    return `file://${parts.join('/').replace(/^([A-Za-z])%3A/, '/$1:')}`; // a drive of Windows
  }

  /** Copy a text, and say so. */
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      App.say(t('copied'));
    } catch {
      App.say(t('copyFailed', text));
    }
  }

  function chips(document_) {
    const { role, flags, exact: same } = Data.table;
    if (flags[document_] & REFERENCE && !Kind.asked) return h('span', { class: 'chip cool' }, t('reference'));
    if (!role[document_]) return Kind.roles ? h('span', { class: 'chip cool' }, t('kept')) : null;
    if (Kind.judged) return Kind.roles ? h('span', { class: 'chip warn' }, t('goes')) : null;
    const exact = same[document_];
    if (flags[document_] & REMOVED) return h('span', { class: 'chip' }, t(exact ? 'removedExact' : 'removedNear'));
    return Kind.roles && exact ? h('span', { class: 'chip' }, t('exact')) : null;
  }

  function member(cluster, i, chosen) {
    const { table } = Data;
    const d = table.first[cluster] + i;
    const side = chosen ? ['a', 'b'][chosen.indexOf(i)] : '';
    const figures = !Kind.pairs && !Kind.judged;
    const joint = !Kind.roles || table.role[d] ? null : nearest(cluster, i);
    const similarity = joint ? table.pairSimilarity[joint.p] : table.similarity[d];
    const distance = joint ? table.pairDistance[joint.p] : table.distance[d];
    const weak = Kind.asked && similarity >= 0 && similarity < State.threshold;
    const edited = table.flags[d] & EDITED && !table.exact[d];
    return h('li', { class: Kind.roles && table.role[d] ? 'member taken' : 'member' },
      h('span', { class: `tag ${side || ''}` }, letter(i)),
      Names.lines(d),
      h('span', { class: 'role' }, chips(d), joint
        ? h('span', { class: 'num near' }, ` ${t('near', letter(joint.a === i ? joint.b : joint.a))}`) : null,
        edited && figures ? h('span', { class: 'chip', title: t('editedText') }, t('edited')) : null),
      h('span', { class: 'num size' }, table.bytes[d] ? State.bytes(table.bytes[d]) : ''),
      h('span', { class: `num similarity${weak ? ' weak' : ''}` },
        i && similarity >= 0 && figures ? State.digits(similarity, table.flags[d] & ESTIMATED) : ''),
      h('span', { class: 'num distance' }, i && distance >= 0 && figures ? t('bits', distance) : ''),
      // Without a picture of the pairs, a document is chosen here.
      actions(Data.names[d], table.flags[d] & FILE, Data.names[d],
        Kind.asked && i && table.size[cluster] > 2 ? chooser(cluster, i, side) : null));
  }

  /** Return what can be done with a document: its file is opened, if it is one, and a text is copied. */
  function actions(path, file, copied, before = null) {
    const linked = file && !/\p{Cs}/u.test(path);
    return h('span', { class: 'actions' }, before,
      linked ? h('a', { href: address(path), class: 'quiet', rel: 'noreferrer' }, t('open')) : null,
      h('button', { type: 'button', class: 'quiet', onclick: () => copy(copied) }, t('copy')));
  }

  /** Return the most similar pair of a further kept document with one that it did not take; null if none is listed. */
  function nearest(cluster, i) {
    if (!i || i >= Matrix.MOST) return null;
    const joints = Matrix.pairs(cluster).filter((pair) => (
      (pair.a === i && !Matrix.took(cluster, pair)) || pair.b === i));
    const { pairSimilarity } = Data.table;
    return joints.reduce((best, pair) => (
      best && pairSimilarity[best.p] >= pairSimilarity[pair.p] ? best : pair), null);
  }

  function chooser(cluster, i, side) {
    const chosen = { 'aria-current': side ? 'true' : null, 'aria-label': t('choosePair', letter(i)) };
    return h('a', { class: 'quiet', href: `#/c/${cluster + 1}/0-${i}`, ...chosen }, t('choosePair', '').trim());
  }

  function members(cluster, chosen) {
    return h('section', { class: 'documents' }, h('h2', {}, t('documentsTitle')),
      h('div', { class: 'notices' }, notice(cluster)),
      growing(h('ul', { class: 'members' }), Data.table.size[cluster], LISTED, (i) => member(cluster, i, chosen),
        (rest) => [t('moreMembers', rest), t('beyond', rest)]));
  }

  /** Return what the threshold and decisions make of a cluster. */
  function notice(cluster) {
    const raised = Kind.live && State.threshold > Data.least;
    const decided = Kind.roles && !Kind.asked && !Kind.judged ? Review.entry(cluster) : undefined;
    const parted = decided && (decided.verdict === 'distinct' || decided.apart.length || decided.keep >= 0);
    if (!raised && !parted) return [];
    return h('p', { class: 'notice cool' }, Groups.follows(cluster) ? left(cluster, raised, decided)
      : t('notRecomputed'));
  }

  /** Return which documents are left of a cluster: of each group the kept ones, each before those that it takes. */
  function left(cluster, raised, decided) {
    const { groups, taker } = Groups.lead(cluster, raised ? State.threshold : Data.least, decided);
    const value = State.short(State.threshold);
    if (!groups.length) return raised ? t('apartNone', value) : t('decidedNone');
    if (Kind.asked) return t('apart', value, groups[0].length - 1, Data.table.size[cluster] - 1);
    const taken = (kept, group) => group.filter((i) => taker.get(i) === kept);
    const words = groups.map((group) => group.filter((i) => !taker.has(i)).map((kept) => {
      const below = taken(kept, group).map(letter);
      const more = below.length > 12 ? ', …' : '';
      return below.length ? `${letter(kept)} (${below.slice(0, 12).join(', ')}${more})` : letter(kept);
    }).join(' · '));
    return raised ? t('apart', value, words.join(' | ')) : t('decided', words.join(' | '));
  }

  /** Return what the title says of a cluster. */
  function factsOf(cluster) {
    const { table } = Data;
    if (Kind.pairs) return [];
    if (Kind.asked) {
      const best = table.best[cluster];
      const matches = t('documentsOf', table.size[cluster] - 1);
      return best < 0 ? [matches] : [matches, t('similarity', Kind.alike(best))];
    }
    const facts = [t('documentsOf', table.size[cluster])];
    const two = table.size[cluster] === 2;
    const weakest = table.weakest[cluster];
    if (weakest >= 0) facts.push(t(two ? 'similarity' : 'weakest', State.digits(weakest)));
    facts.push(t(two ? 'distance' : 'farthest', table.farthest[cluster]));
    return facts;
  }

  /** Return what a comparison says first: how the two texts are, and why. */
  function answer(cluster) {
    const { verdict: said } = Data.head;
    if (!said) return null;
    const [first, sentence] = said[State.lang];
    return h('p', { class: `answer ${Data.table.redundant[cluster] ? 'cool' : 'warn'}` },
      h('strong', {}, first), sentence.slice(first.length));
  }

  function title(cluster) {
    if (Kind.judged) return Judge.title(cluster);
    const { table } = Data;
    const { lead, rest, leads } = Names.of(table.first[cluster]);
    const several = Kind.roles && table.kept[cluster] > 1 ? [h('span', { class: 'chip warn' }, t('several'))] : [];
    return heading(cluster, {
      before: answer(cluster),
      folder: rest && !leads ? h('p', { class: 'over' }, name(rest)) : null,
      title: name(leads ? lead + rest : lead),
      facts: [...factsOf(cluster), ...several],
    });
  }

  /** Return the heading of what is shown beside the list. */
  function heading(cluster, { before = null, over = [], folder = null, title: words, facts }) {
    return h('header', { class: 'title' }, before,
      h('a', { class: 'back', href: '#/clusters' }, `‹ ${t('back')}`),
      h('p', { class: 'over' }, t('cluster', cluster + 1), over), folder,
      h('h1', { tabindex: '-1' }, words),
      h('p', { class: 'facts' }, facts.map((fact, i) => [i ? dot() : null, h('span', {}, fact)])));
  }

  /** Return what stands between two facts. */
  function dot() {
    return h('span', { class: 'mid', 'aria-hidden': 'true' }, '·');
  }

  /** Return a name as an argument of a shell. */
  function quoted(text) {
    return /^[\w./:@%+=,-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replace(/'/g, "'\\''")}'`;
  }

  /** Return what is shown where the texts are not in the file. */
  function missing(cluster, content, a, b, words = t('textsMissing')) {
    const first = Data.table.first[cluster];
    const [one, other] = [Data.names[first + a], Data.names[first + b]];
    const lost = content ? [a, b].filter((i) => content.texts[i] === null) : [];
    if (lost.length) return h('section', { class: 'missing' }, lost.map((i) => h('p', {}, t('oneMissing', letter(i)))));
    if (Kind.asked && one === other) return h('section', { class: 'missing' }, h('p', {}, t('sameName')));
    if (Kind.judged) return h('section', { class: 'missing' }, h('p', {}, words));
    const command = `simdup compare -- ${quoted(one)} ${quoted(other)}`;
    return h('section', { class: 'missing' }, h('p', {}, words), h('pre', {}, shown(command)),
      h('button', { type: 'button', class: 'button', onclick: () => copy(command) }, t('copyCommand')));
  }

  /** Return the choice of the document on one side. */
  function side(cluster, i, which, open) {
    const first = Data.table.first[cluster];
    const size = Math.min(Data.table.size[cluster], Matrix.MOST);
    const labels = Names.choices(Array.from({ length: size }, (_, j) => first + j));
    const options = labels.map((label, j) => (
      h('option', { value: String(j), selected: j === i }, `${letter(j)} ${label}`)));
    const select = h('select', { 'aria-label': t('choose', which === 'a' ? 1 : 2) }, options);
    select.addEventListener('change', () => open(Number(select.value)));
    return h('div', { class: `side ${which}` },
      h('span', { class: `tag ${which}` }, letter(i)), List.whole(select, labels));
  }

  /** Put the texts of a pair into the page, or where they differ, if that is all that is carried. */
  function read(box, cluster, content, [a, b], open) {
    const pieces = content?.pieces && Matrix.took(cluster, { a, b }) ? content.pieces[b] : null;
    const cut = Boolean(pieces && pieces[0] + pieces[1]);
    const texts = cut ? { [a]: pieces[0], [b]: pieces[1] } : content?.texts || [];
    if (typeof texts[a] !== 'string' || typeof texts[b] !== 'string') {
      box.replaceChildren(missing(cluster, content?.pieces ? null : content, a, b));
      return;
    }
    const place = h('div', { class: 'reader' });
    const picks = Data.table.size[cluster] > 2 ? h('div', { class: 'picks' },
      side(cluster, a, 'a', (i) => i !== b && open(i, b)), side(cluster, b, 'b', (i) => i !== a && open(a, i))) : '';
    const notes = [a, b].filter((i) => content.clipped.includes(i))
      .map((i) => h('p', { class: 'note' }, t('clipped', letter(i))));
    box.replaceChildren(cut ? missing(cluster, null, a, b, t('pieces')) : picks, place, ...notes);
    show(place, cluster, { ...content, texts }, [a, b], cut);
  }

  /** Show two texts in the reader. */
  function show(place, cluster, content, [a, b], cut) {
    const first = Data.table.first[cluster];
    const document_ = (i) => {
      const text = content.texts[i];
      return { letter: letter(i), name: Data.names[first + i], text, lang: langOf(text, Data.folds) };
    };
    reader = Reader.show(place, {
      a: document_(a), b: document_(b), unit: State.unit, layout: State.layout, fold: Data.folds,
      blind: Kind.judged && !Review.has(cluster), passages: content.passages, left: content.left,
      shares: content.shares, counted: content.counted, facts: Facts.of(content.facts, a, b), cut,
      strings: Data.words[State.lang],
      changed: (choice) => Object.assign(State, choice),
    });
  }

  function close() {
    if (reader) reader.destroy();
    reader = null;
  }

  /**
   * Return a function that keeps the place and the focus of a reader who chose another pair of the same
   * cluster: `keep(texts)` while the texts are to come, `keep(null)` once they are there.
   */
  function holding(main, same) {
    const { scrollTop } = main;
    const controls = () => [...main.querySelectorAll('button, select, input, a')];
    const focused = same ? controls().indexOf(document.activeElement) : -1;
    const high = same ? main.scrollHeight : 0;
    let waiting = null;
    return (texts) => {
      if (texts) texts.style.minHeight = `${high}px`;
      else if (waiting) waiting.style.minHeight = '';
      waiting = texts;
      if (focused >= 0 && document.activeElement === document.body) controls()[focused]?.focus({ preventScroll: true });
      main.scrollTop = same ? scrollTop : 0;
    };
  }

  /** Draw a cluster and the pair `chosen`, or the weakest one. */
  async function draw(main, cluster, chosen) {
    close();
    drawn += 1;
    const mine = drawn;
    // The matches of a query are in order, the best one first.
    const weak = Kind.asked ? null : Matrix.weakest(cluster);
    const pair = chosen || (weak ? [weak.a, weak.b] : [0, 1]);
    const keep = holding(main, chosen && shownNow && shownNow[0] === cluster);
    shownNow = [cluster, pair];
    const open = (a, b) => { window.location.hash = `#/c/${cluster + 1}/${Math.min(a, b)}-${Math.max(a, b)}`; };
    const texts = h('section', { class: 'texts', 'aria-label': t('readPair', letter(pair[0]), letter(pair[1])) });
    const why = h('div', {});
    main.replaceChildren(h('article', { class: 'cluster' }, title(cluster),
      Kind.decided ? Review.bar(cluster, pair) : [],
      h('div', { class: 'columns' }, members(cluster, pair), Kind.judged ? [] : Matrix.draw(cluster, pair, open)),
      texts, why));
    keep(texts);
    const content = await Data.texts(cluster);
    if (mine !== drawn) return;
    const [a, b] = pair;
    if (!chosen && content && content.pieces && !Matrix.took(cluster, { a, b })) {
      // Of pieces only pairs in which one document took the other can be read.
      const other = Matrix.weakest(cluster, true);
      draw(main, cluster, other ? [other.a, other.b] : [0, 1]);
      return;
    }
    read(texts, cluster, content, pair, open);
    if (Kind.why) why.replaceChildren(Why.draw(cluster, content, ...pair));
    keep(null);
  }

  /** Draw the decisions again. */
  function decided() {
    const bar = document.querySelector('.cluster > .decisions');
    if (!bar || !shownNow) return;
    if (Kind.judged) document.querySelector('.cluster > .title').replaceWith(Judge.title(shownNow[0]));
    document.querySelector('.notices').replaceChildren(...[notice(shownNow[0])].flat());
    const focused = [...bar.children].indexOf(document.activeElement.closest('.decisions > *'));
    const fresh = Review.bar(...shownNow);
    bar.replaceWith(fresh);
    const again = fresh.children[focused];
    if (again) (again.matches('label') ? again.querySelector('select') : again).focus();
  }

  return { actions, dot, heading, draw, close, copy, decided, reader: () => reader, shown: () => shownNow };
})();
