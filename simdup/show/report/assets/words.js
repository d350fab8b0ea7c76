/**
 * Words and their arguments: {0}, {1} ... stand for these; of [one, many] the first argument chooses.
 */
const Words = (() => {
  /** Return the words for a number of things. */
  function choose(words, count) {
    const [one, many = one] = [words].flat();
    return count === 1 ? one : many;
  }

  /** Return words with their arguments, numbers as the language writes them. */
  function fill(words, given, language = 'en') {
    const shown = given.map((value) => (typeof value === 'number' ? value.toLocaleString(language) : value));
    return choose(words, given[0]).replace(/\{(\d)\}/g, (_, i) => shown[i]);
  }

  return { choose, fill };
})();
