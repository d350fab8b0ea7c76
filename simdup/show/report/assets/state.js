/**
 * What the reader of the page has chosen: language, threshold, filters.  Listeners hear of changes.
 */
const State = (() => {
  const listeners = [];

  /** Return what a browser remembers, or null: it may forbid to remember anything. */
  function recall(key) {
    try {
      return window.localStorage.getItem(`simdup:${key}`);
    } catch {
      return null;
    }
  }

  /** Remember a value; return whether that worked. */
  function remember(key, value) {
    try {
      window.localStorage.setItem(`simdup:${key}`, value);
      return true;
    } catch {
      return false;
    }
  }

  const preferred = /^zh/i.test(navigator.language) ? 'zh' : 'en';

  const state = {
    lang: recall('language') in Data.words ? recall('language') : preferred,
    threshold: Data.least,
    search: '',
    sort: Kind.sort,
    filter: Kind.filter,
    folder: '',
    sizes: null,
    layout: window.innerWidth < 760 ? 'inline' : 'side',
    unit: 'characters',
    recall,
    remember,
    on: (listener) => listeners.push(listener),
    set,
    t,
    named,
    parts,
    number,
    percent,
    digits,
    short,
    bytes,
  };

  /** Change some of the state; listeners get the names of what changed. */
  function set(changes) {
    const changed = Object.keys(changes).filter((key) => state[key] !== changes[key]);
    Object.assign(state, changes);
    if (changed.includes('lang')) remember('language', state.lang);
    if (changed.length) listeners.forEach((listener) => listener(changed));
  }

  /** Return the words for a key with their arguments. */
  function t(key, ...given) {
    return Words.fill(Data.words[state.lang][key], given, locale());
  }

  /** Return the words for one of several: `named('sort', 'edge')` has the key `sortEdge`. */
  function named(prefix, key) {
    return t(prefix + key[0].toUpperCase() + key.slice(1));
  }

  /** Return the words for a key as a list, each argument drawn by `draw(i, value)`. */
  function parts(key, given, draw) {
    const words = Words.choose(Data.words[state.lang][key], given);
    return words.split(/\{(\d)\}/).map((part, i) => (i % 2 ? draw(Number(part), given[part]) : part));
  }

  function locale() {
    return state.lang === 'zh' ? 'zh-CN' : 'en';
  }

  function number(value) {
    return value.toLocaleString(locale());
  }

  /** Return a share in percent, rounded down like all figures of results. */
  function percent(share, places = 1) {
    const digitsOf = { style: 'percent', minimumFractionDigits: places, maximumFractionDigits: places };
    const unit = 100 * 10 ** places;
    const down = Math.floor(Number((share * unit).toFixed(6))) / unit;
    return down.toLocaleString(locale(), digitsOf);
  }

  /** Return a similarity of ten-thousandths with its four digits. */
  function digits(value, estimated) {
    return value < 0 ? '–' : `${estimated ? '~' : ''}${(value / 10000).toFixed(4)}`;
  }

  /** Return a similarity of ten-thousandths as a threshold has it. */
  function short(value) {
    return (value / 10000).toFixed(2);
  }

  function bytes(size) {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let value = size;
    let unit = 0;
    while (value >= 1000 && unit < units.length - 1) {
      value /= 1000;
      unit += 1;
    }
    return `${value.toFixed(unit && value < 10 ? 1 : 0)} ${units[unit]}`;
  }

  return state;
})();
