/**
 * The data of the page.
 *
 * A small JSON is there at once; tables and texts are blocks of base64 and raw deflate that are
 * inflated when they are asked for.  `simdup.show.report.columns` says how a table is laid out.
 */
const Data = (() => {
  // Blocks of texts that stay inflated.
  const KEPT = 12;
  // The texts of a pair are the same.
  const SAME = 1;

  const TYPES = {
    u8: Uint8Array, u16: Uint16Array, i16: Int16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array,
  };

  const [head, words] = ['head', 'words'].map((id) => JSON.parse(document.getElementById(id).textContent));
  const folds = {};
  const [traditional, simplified] = head.folds.map((line) => [...line]);
  traditional.forEach((character, i) => { folds[character] = simplified[i]; });

  /** Return the bytes of a block. */
  async function inflate(id) {
    const packed = atob(document.getElementById(id).textContent);
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; i += 1) bytes[i] = packed.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return new Response(stream).arrayBuffer();
  }

  async function inflateText(id) {
    return new TextDecoder().decode(await inflate(id));
  }

  /** Return the columns of a table. */
  function columns(buffer) {
    const length = new DataView(buffer).getUint32(0, true);
    const described = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    const found = {};
    for (const [name, [type, offset, count]] of Object.entries(described)) {
      found[name] = new TYPES[type](buffer, 4 + length + offset, count);
    }
    return found;
  }

  /** Return where the items of each cluster begin, and where the last ones end. */
  function starts(sizes) {
    const first = new Uint32Array(sizes.length + 1);
    for (let i = 0; i < sizes.length; i += 1) first[i + 1] = first[i] + sizes[i];
    return first;
  }

  /** Add what follows from the columns: least and most similar documents, largest distance, facts, roles. */
  function derive(table) {
    const count = table.size.length;
    table.count = count;
    table.first = starts(table.size);
    table.firstPair = starts(table.pairs);
    table.weakest = new Int32Array(count).fill(-1);
    table.best = new Int32Array(count).fill(-1);
    table.farthest = new Uint16Array(count);
    table.kept = new Uint32Array(count);
    // Of each document the place of the one that took it: kept ones stand before those that they took.
    table.taker = new Uint32Array(table.role.length);
    table.redundant = new Uint32Array(count);
    // Of each cluster the most facts in which a pair differs; whether a document has the text of its taker.
    table.facts = new Uint16Array(count);
    table.exact = new Uint8Array(table.role.length);
    for (let i = 0; i < count; i += 1) {
      for (let d = table.first[i]; d < table.first[i + 1]; d += 1) {
        table[table.role[d] ? 'redundant' : 'kept'][i] += 1;
        table.taker[d] = table.role[d] ? table.taker[d - 1] : d - table.first[i];
        const similarity = table.similarity[d];
        table.best[i] = Math.max(table.best[i], similarity);
        table.farthest[i] = Math.max(table.farthest[i], table.distance[d]);
        if (similarity >= 0 && (table.weakest[i] < 0 || similarity < table.weakest[i])) table.weakest[i] = similarity;
      }
      for (let p = table.firstPair[i]; p < table.firstPair[i + 1]; p += 1) {
        table.facts[i] = Math.max(table.facts[i], table.pairFacts[p]);
        if (!(table.pairFlags[p] & SAME)) continue;
        const taken = table.first[i] + Math.max(table.pairA[p], table.pairB[p]);
        const taker = Math.min(table.pairA[p], table.pairB[p]);
        if (table.role[taken] && table.taker[taken] === taker) table.exact[taken] = 1;
      }
    }
    const documents = table.role.length;
    table.printBytes = documents ? table.fingerprint.length / documents : 8;
    table.lead = table[Kind.lead];
    return table;
  }

  // The least similarity that was asked for, in ten-thousandths.
  const least = Math.round((head.criteria.similarity || 0) * 10000);

  const data = { head, words, folds, least, table: null, names: [], folders: [], starts, load, texts, search,
    above, leads };

  /** Inflate the table and the names. */
  async function load() {
    const [packed, labels] = await Promise.all([inflate('table'), inflateText('names')]);
    data.table = (Kind.conflicts ? Conflicts.derive : derive)(columns(packed));
    Object.assign(data, JSON.parse(labels));
    document.getElementById('table').remove();
    document.getElementById('names').remove();
  }

  const blocks = new Map();

  /** Return the contents of a block; the least recently used one is forgotten. */
  function block(number) {
    const known = blocks.get(number);
    const found = known || inflateText(`c${number}`).then(JSON.parse);
    blocks.delete(number);
    blocks.set(number, found);
    if (blocks.size > KEPT) blocks.delete(blocks.keys().next().value);
    return found;
  }

  /** Return a text from the parts of its delta: stretches of the base, and new characters. */
  function rebuild(base, stored) {
    if (stored === null || typeof stored === 'string') return stored;
    return stored.delta.map((part) => (typeof part === 'string' ? part : base.substr(part[0], part[1]))).join('');
  }

  /** Return the texts and terms of a cluster; null where it carries none. */
  async function texts(cluster) {
    const { chunk, slot } = data.table;
    if (chunk[cluster] < 0) return null;
    const found = (await block(chunk[cluster]))[slot[cluster]];
    const { facts = [] } = found;
    if (found.pieces) return { texts: [], terms: [], clipped: [], pieces: found.pieces, facts };
    const base = found.texts.find((text) => typeof text === 'string') || '';
    const whole = found.texts.map((text) => rebuild(base, text));
    const shown = found.passages ? Passages.place(whole, found.passages, found.left) : { texts: whole };
    const { shares, counted, terms, clipped } = found;
    return { ...shown, shares, counted, terms: terms || [], clipped: clipped || [], facts };
  }

  let repeated = null;

  /** Return whether the folder of a document comes first: it is the folder that tells its name from others. */
  function leads(document_) {
    if (!repeated) {
      const [once, several] = [new Map(), new Set()];
      for (const name of data.names) {
        const file = name.slice(name.lastIndexOf('/') + 1);
        if (!once.has(file)) once.set(file, name);
        else if (once.get(file) !== name) several.add(file);
      }
      repeated = several;
    }
    return repeated.has(Dom.split(data.names[document_])[1]);
  }

  let joined = null;

  /** Make one lower-case string of all names, and where each begins. */
  function join() {
    const lower = data.names.map((name) => name.toLowerCase());
    const offsets = new Uint32Array(lower.length + 1);
    lower.forEach((name, i) => { offsets[i + 1] = offsets[i] + name.length + 1; });
    joined = { text: lower.join('\0'), offsets };
  }

  /** Return the first position in a rising array whose value is above `value`. */
  function above(array, value) {
    let low = 0;
    let high = array.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (array[middle] <= value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Return 1 for each cluster with a name that holds these characters. */
  function search(asked) {
    if (!joined) join();
    const found = new Uint8Array(data.table.count);
    const needle = asked.toLowerCase();
    let at = joined.text.indexOf(needle);
    while (at >= 0) {
      const cluster = above(data.table.first, above(joined.offsets, at) - 1) - 1;
      found[cluster] = 1;
      const next = data.table.first[cluster + 1];
      at = next < data.names.length ? joined.text.indexOf(needle, joined.offsets[next]) : -1;
    }
    return found;
  }

  return data;
})();
