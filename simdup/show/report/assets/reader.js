/**
 * The pair reader: two texts, where they agree, and what differs.
 *
 *     const reader = Reader.show(container, {a, b, unit, layout, fold, passages, facts, strings});
 *     reader.next(); reader.previous(); reader.setUnit('words'); reader.setLayout('inline');
 *     reader.destroy();
 *
 * `a` and `b` are {letter, name, text, lang}; `fold` is the table of traditional and simplified
 * characters.  With `passages` (offsets in characters, as the JSON lines have them) it shows these
 * instead of a diff.  `facts`, as facts.js gives them, are named above the texts; with `cut` these are
 * pieces, in which they have no place.  `changed`, if given, is called with {unit, layout} when the user
 * chooses another.  With `blind` the share that is equal is not shown.
 *
 * `strings` has words by key, as words.js fills them: side, inline, characters, words, layout, unit,
 * previous, next, changes, identical, equalShare, movedCount, foldedCount, position, map, mapText,
 * showEqual, equalHere, replaced, comparing, foldedAs, movedTo, movedFrom; with passages: passagesCount,
 * coverage, passageAt, passageFigures; with facts: factsDiffer, moreFacts, nothing, and their kinds.
 */
const Reader = (() => {
  const { h, name, split } = Dom;

  /** Characters of a text from which on a map helps. */
  const MAPPED = 1500;
  /** Characters of both texts from which on the page is painted before they are compared. */
  const SLOW = 100000;
  /** Pixels at the ends of the screen that may be covered. */
  const MARGIN = 150;

  /** Names of files that are read in columns. */
  const CODE = /\.(c|cc|cpp|cs|css|go|h|hpp|java|js|json|kt|lua|php|pl|py|rb|rs|sh|sql|swift|toml|tsx?|xml|ya?ml)$/i;

  /** Return a share in percent with one digit, rounded down: only equal texts are 100 % equal. */
  function percent(/** @type {number} */ share) {
    return `${(Math.floor(Number((share * 1000).toFixed(6))) / 10).toFixed(1)}%`;
  }

  /** Show two texts in a container. */
  function show(container, options) {
    const view = {
      options,
      say: (key, ...given) => Words.fill(options.strings[key], given),
      unit: options.unit || 'characters',
      layout: options.layout || 'side',
      box: h('div', { class: 'rd' }),
      content: null, // {list, stops, reveal}: what is drawn now
      current: -1,
      gone: false,
      bringIntoView,
    };
    container.replaceChildren(view.box);
    draw(view);
    return Object.freeze({
      next: () => step(view, 1),
      previous: () => step(view, -1),
      setUnit: (unit) => choose(view, { unit }),
      setLayout: (layout) => choose(view, { layout }),
      destroy() {
        view.gone = true;
        if (view.content) view.content.list.destroy();
        view.box.remove();
      },
    });
  }

  /** Draw anew with another unit or layout. */
  function choose(view, chosen) {
    if (Object.keys(chosen).every((key) => view[key] === chosen[key])) return;
    Object.assign(view, chosen);
    draw(view);
  }

  function draw(view) {
    const { a, b } = view.options;
    if (a.text.length + b.text.length < SLOW) {
      fill(view);
      return;
    }
    view.box.replaceChildren(h('p', { class: 'rd-note', role: 'status' }, view.say('comparing')));
    window.setTimeout(() => view.gone || fill(view), 30);
  }

  /** Compare, and put together what the reader consists of. */
  function fill(view) {
    if (view.content) view.content.list.destroy();
    const body = h('div', { class: 'rd-body' });
    const kind = view.options.passages ? Passages : Changes;
    view.content = kind.draw(body, view, percent);
    view.current = -1;
    view.position = h('span', { class: 'rd-position', 'aria-live': 'polite' });
    const { a, b, facts, cut } = view.options;
    const to = cut ? null : (at) => go(view, view.content.at(at));
    view.box.dataset.layout = view.layout;
    view.box.classList.toggle('rd-mono', CODE.test(a.name) || CODE.test(b.name));
    view.box.replaceChildren(
      tools(view),
      ...(facts ? [Facts.draw(facts, { a, b }, view.say, to)] : []),
      ...(Math.max(a.text.length, b.text.length) > MAPPED ? [map(view)] : []),
      ...view.content.notes.map((note) => h('p', { class: 'rd-note' }, note)),
      h('div', { class: 'rd-panel' }, h('div', { class: 'rd-head' }, title(a, 'a'), title(b, 'b')), body),
    );
  }

  /** What can be chosen, what was found, and the way through the changes. */
  function tools(view) {
    const { say, content } = view;
    const facts = content.facts.map((fact) => h('span', { class: 'rd-fact' }, fact));
    return h('div', { class: 'rd-tools' },
      content.choices.map(([key, values]) => choice(view, key, values)),
      h('p', { class: 'rd-facts' }, facts),
      content.stops.length ? h('div', { class: 'rd-steps controls' }, view.position,
        arrow(view, '↑', 'previous', -1), arrow(view, '↓', 'next', 1)) : null);
  }

  function arrow(view, sign, key, by) {
    const words = view.say(key);
    return h('button', { type: 'button', 'aria-label': words, title: words, onclick: () => step(view, by) }, sign);
  }

  /** A few buttons of which one is pressed. */
  function choice(view, key, values) {
    const buttons = values.map((value) => h('button', {
      type: 'button',
      'data-value': value,
      'aria-pressed': String(view[key] === value),
      onclick: () => pick(view, key, value),
    }, view.say(value)));
    return h('div', { class: 'rd-choice controls', role: 'group', 'aria-label': view.say(key) }, buttons);
  }

  /** The button that was pressed is a new one after drawing: the focus stays on it. */
  function pick(view, key, value) {
    choose(view, { [key]: value });
    view.box.querySelector(`[data-value="${value}"]`)?.focus({ preventScroll: true });
    if (view.options.changed) view.options.changed({ unit: view.unit, layout: view.layout });
  }

  function map(view) {
    const { options: { a, b }, content, say } = view;
    const lengths = { a: a.text.length, b: b.text.length };
    const hint = h('span', { class: 'controls' }, say('mapText'));
    return h('div', { class: 'rd-mapbox' },
      h('p', { class: 'rd-caption' }, h('strong', {}, say('map')), ' ', hint),
      h('div', { class: 'rd-maprow' },
        h('div', { class: 'rd-letters', 'aria-hidden': 'true' }, tag(a, 'a'), tag(b, 'b')),
        Ribbon.draw(lengths, content.stretches, (mark) => bringIntoView(content.find(mark)))));
  }

  function tag({ letter }, side) {
    return h('span', { class: `tag ${side}` }, letter);
  }

  function title(text, side) {
    const [folder, file] = split(text.name);
    return h('div', { class: `rd-title ${side}` }, tag(text, side),
      h('span', { class: 'rd-name' }, name(folder, { class: 'rd-folder' }), name(file, {})));
  }

  /** Scroll to an element, unless it can be read where it is: a page that moves is harder to follow. */
  function bringIntoView(/** @type {Element} */ element) {
    const { top, bottom } = element.getBoundingClientRect();
    if (top < MARGIN || bottom > window.innerHeight - MARGIN) element.scrollIntoView({ block: 'center' });
  }

  /** Go to the next or the previous change, and mark it. */
  function step(view, by) {
    if (!view.content || view.gone) return;
    go(view, Math.max(0, Math.min(view.content.stops.length - 1, view.current + by)));
  }

  /** Go to a change, and mark it. */
  function go(view, /** @type {number} */ to) {
    const { stops, mark } = view.content;
    if (!(to in stops)) return;
    view.current = to;
    for (const old of view.box.querySelectorAll('.rd-current')) old.classList.remove('rd-current');
    const elements = mark(stops[to]);
    for (const element of elements) element.classList.add('rd-current');
    if (elements.length) bringIntoView(elements[0]);
    view.position.textContent = view.say('position', to + 1, stops.length);
  }

  return Object.freeze({ show });
})();
