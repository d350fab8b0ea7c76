/**
 * Words and their arguments: {0}, {1} ... stand for these; of [one, many] the first argument chooses,
 * of [one|many] within a text the argument before it.
 */
const Words = (() => {
  /** Return the words for some arguments. */
  function choose(words, given) {
    const [one, many = one] = [words].flat();
    const text = given[0] === 1 ? one : many;
    return text.replace(/\{(\d)\}([^{]*?)\[(\w+)\|(\w+)\]/g,
      (_, i, between, single, several) => `{${i}}${between}${given[i] === 1 ? single : several}`);
  }

  /** Return words with their arguments, numbers as the language writes them. */
  function fill(words, given, language = 'en') {
    const shown = given.map((value) => (typeof value === 'number' ? value.toLocaleString(language) : value));
    return choose(words, given).replace(/\{(\d)\}/g, (_, i) => shown[i]);
  }

  return { choose, fill };
})();
