// Random pairs of texts, made inside the page: thousands in one call.  `check` says what is wrong with one.
'use strict';
const random = (seed) => () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32;
const FOLD = {雲: '云', 間: '间'};
const PIECES = ['甲', '乙', '丙', '丁', '雲', '云', '間', '间', '\n', ' ', 'A', 'a', 'Ａ', '\u200b',
  'ab1', '。', '😀', '\u0301', '\ud800', '\u202e', 'word ', 'Words ', '\t', 'ﬁ', 'ş', '한', '\u{e0100}'];
const textOf = (next, most) => Array.from({length: Math.floor(next() * most)},
  () => PIECES[Math.floor(next() * PIECES.length)]).join('');
function pairOf(next) {
  const a = textOf(next, 70);
  if (next() < 0.3) return [a, textOf(next, 70)];
  const [i, k] = [Math.floor(next() * a.length), Math.floor(next() * a.length)];
  const j = i + Math.floor(next() * 30);
  const rest = a.slice(0, i) + textOf(next, 4) + a.slice(j);
  return [a, rest.slice(0, k) + a.slice(i, j) + rest.slice(k)];
}
function check(a, b, unit) {
  const {operations, counts} = Diff.compare(a, b, {unit, fold: FOLD});
  const fold = (text) => Tokens.fold(text, FOLD);
  let [i, j, rebuilt, equal] = [0, 0, '', 0];
  for (const {kind, a: [a0, a1], b: [b0, b1], to, from} of operations) {
    if (a0 !== i || b0 !== j || a1 < a0 || b1 < b0 || (a0 === a1 && b0 === b1)) return 'a gap, or nothing';
    [i, j] = [a1, b1];
    const [old, fresh] = [a.slice(a0, a1), b.slice(b0, b1)];
    rebuilt += kind === 'equal' ? old : fresh;
    if (kind === 'folded' && (old === fresh || fold(old) !== fold(fresh))) return 'folded is not';
    if (kind === 'removed' && fresh || kind === 'added' && old || kind === 'changed' && !(old && fresh)) return 'kind';
    if (to && (fresh || fold(b.slice(...to)) !== fold(old))) return 'moved away, but not there';
    if (from && (old || fold(a.slice(...from)) !== fold(fresh))) return 'moved from where it was not';
    if (to && !operations.some((o) => o.from && `${o.b} ${o.from}` === `${to} ${[a0, a1]}`)) return 'moved alone';
    if (kind === 'equal' || kind === 'folded') equal += old.length + fresh.length;
  }
  if (i !== a.length || j !== b.length || rebuilt !== b) return 'not rebuilt';
  return Math.abs(counts.equal * (a.length + b.length) - equal) > 1e-6 && a + b ? 'share' : '';
}
