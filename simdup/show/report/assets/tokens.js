/**
 * Tokens: what the diff compares.
 *
 * A text is cut into runs of letters, of digits and of blanks, line ends and single characters; letters
 * of scripts that are written without spaces (Chinese) are single, or words of the browser's dictionary.
 * Tokens are compared in folded form (NFKC, lower case, no format characters, traditional
 * characters as simplified ones), so that two texts in different scripts line up.  Marks and format
 * characters belong to the token before them: a zero-width space in a word does not cut it.
 *
 * Every folded token gets a number, shared by both texts; the diff then compares numbers only.
 */
const Tokens = (() => {
  const SINGLE = 1;
  const LETTER = 2;
  const DIGIT = 3;
  const BLANK = 4;
  const ATTACHED = 5;
  const DENSE = 6;
  const LINE_FEED = 10;

  /** Scripts without spaces, and Hangul, whose words are long. */
  const DENSE_SCRIPTS =
    /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]/u;
  /** Characters that are cut into words at once: on long ones the browser takes quadratic time. */
  const RUN = 200;

  /** The classes of UTF-16 units, filled in when a unit is first met; 0 is unknown. */
  const classes = new Uint8Array(0x10000);

  /** @param {number} unit a UTF-16 unit @returns {number} */
  function classify(unit) {
    const character = String.fromCharCode(unit);
    if (/\p{L}/u.test(character)) return DENSE_SCRIPTS.test(character) ? DENSE : LETTER;
    if (/\p{Nd}/u.test(character)) return DIGIT;
    // The high surrogate of variation selectors and tags, which attach to what they vary.
    if (/[\p{M}\p{Cf}]/u.test(character) || unit === 0xdb40) return ATTACHED;
    return /[^\S\n]/u.test(character) ? BLANK : SINGLE;
  }

  /** @param {number} unit @returns {number} */
  function classOf(unit) {
    return classes[unit] || (classes[unit] = classify(unit));
  }

  /** Return where the token that starts at `start` ends. */
  function endOf(/** @type {string} */ text, /** @type {number} */ start) {
    const first = text.charCodeAt(start);
    let end = start + 1;
    if (first === LINE_FEED) return end;
    const kind = classOf(first);
    const runs = kind === LETTER || kind === DIGIT || kind === BLANK;
    if (text.codePointAt(start) > 0xffff) end += 1;
    while (end < text.length) {
      const unit = text.charCodeAt(end);
      const next = classOf(unit);
      if (next === ATTACHED) end += text.codePointAt(end) > 0xffff ? 2 : 1;
      else if (runs && next === kind && unit !== LINE_FEED) end += 1;
      else break;
    }
    return end;
  }

  /** @param {string} text @returns {number[]} where tokens start, and the length of the text */
  function cutCharacters(text) {
    const starts = [];
    for (let start = 0; start < text.length; start = endOf(text, start)) starts.push(start);
    starts.push(text.length);
    return starts;
  }

  /**
   * Return where words start: as above, but runs of dense letters are cut by the browser's dictionary.
   *
   * They are simplified first, for the dictionary would cut 雲間 and 云间 differently.
   */
  function cutWords(/** @type {string} */ text, /** @type {(run: string) => number[]} */ wordsOf) {
    const characters = cutCharacters(text);
    const starts = [];
    for (let i = 0; i < characters.length - 1; ) {
      let next = i + 1;
      if (classOf(text.charCodeAt(characters[i])) === DENSE) {
        while (next - i < RUN && classOf(text.charCodeAt(characters[next])) === DENSE) next += 1;
        for (const word of wordsOf(text.slice(characters[i], characters[next]))) starts.push(characters[i] + word);
      } else starts.push(characters[i]);
      i = next;
    }
    starts.push(text.length);
    return starts;
  }

  /** Return a function that tells where the words of a run start. */
  function dictionary(/** @type {Object<string, string>} */ table) {
    const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
    // Both texts share most of their runs.
    const known = new Map();
    return (/** @type {string} */ run) => {
      if (!known.has(run)) known.set(run, Array.from(segmenter.segment(simplify(run, table)), (s) => s.index));
      return known.get(run);
    };
  }

  /** Replace traditional characters where this moves no offset. */
  function simplify(/** @type {string} */ text, /** @type {Object<string, string>} */ table) {
    return text.replace(/\p{Script=Han}/gu, (c) => {
      const simple = table[c];
      return simple && simple.length === c.length ? simple : c;
    });
  }

  /**
   * Return a text in the form in which it is compared.
   *
   * @param {string} text
   * @param {Object<string, string>} table traditional characters and their simplified ones
   */
  function fold(text, table) {
    if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
    const plain = text.replace(/\p{Cf}/gu, '').normalize('NFKC').toLowerCase();
    return plain.replace(/\p{Script=Han}/gu, (c) => table[c] || c);
  }

  /**
   * Return a function that cuts texts into tokens and numbers them; equal numbers mean equal tokens.
   *
   * @param {'characters'|'words'} unit
   * @param {Object<string, string>} table
   * @returns {(text: string) => {starts: number[], ids: Int32Array}} token i is
   *   `text.slice(starts[i], starts[i + 1])`
   */
  function tokenizer(unit, table) {
    const words = unit === 'words' && 'Segmenter' in Intl ? dictionary(table) : null;
    const numbers = new Map();
    // By token as it is: folding each of them once is what makes long texts fast.
    const known = new Map();
    const number = (/** @type {string} */ token) => {
      const folded = fold(token, table);
      if (!numbers.has(folded)) numbers.set(folded, numbers.size);
      known.set(token, numbers.get(folded));
      return numbers.get(folded);
    };
    return (text) => {
      const starts = words ? cutWords(text, words) : cutCharacters(text);
      const ids = new Int32Array(starts.length - 1);
      for (let i = 0; i < ids.length; i += 1) {
        const token = text.slice(starts[i], starts[i + 1]);
        ids[i] = known.get(token) ?? number(token);
      }
      return { starts, ids };
    };
  }

  return Object.freeze({ fold, tokenizer });
})();
