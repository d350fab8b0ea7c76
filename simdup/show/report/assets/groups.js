/**
 * Clusters as they would be if pairs had to be more alike, or as people decided.
 *
 * In the order of keeping a document that nobody took takes every later one that is near it: the same as
 * `simdup.near.leading.lead`.  That is exact where all near pairs are listed.  Unless they are for all
 * clusters, the threshold only chooses which of them are listed.
 */
const Groups = (() => {
  const REFERENCE = 1;
  // The first or the second document of a pair is not contained in the other, and stays.
  const STAYS = [2, 4];
  // All near pairs of clusters of so many documents are listed.
  const FEW = 12;

  // Nobody knows here what a document has that only it has.
  const { all_pairs: every, lossless } = Data.head.criteria;

  /** Return whether all near pairs of a cluster are listed. */
  function listed(cluster) {
    return every || Kind.asked || Data.table.size[cluster] <= FEW;
  }

  /** Return whether a cluster follows the threshold and decisions. */
  function follows(cluster) {
    return !lossless && listed(cluster);
  }

  /** Return whether a pair is not alike enough; one without a similarity stays at any threshold. */
  function below(pair, threshold) {
    const similarity = Data.table.pairSimilarity[pair];
    return similarity >= 0 && similarity < threshold;
  }

  /** Return the near pairs of a cluster in the order of keeping: [first, second, whether it may be taken]. */
  function near(cluster, threshold, keep) {
    const { table } = Data;
    const [first, size] = [table.first[cluster], table.size[cluster]];
    const rank = Array.from({ length: size }, (_, i) => {
      if (table.flags[first + i] & REFERENCE) return table.order[first + i];
      return i === keep ? size - 0.5 : size + table.order[first + i];
    });
    const found = [];
    for (let p = table.firstPair[cluster]; p < table.firstPair[cluster + 1]; p += 1) {
      if (below(p, threshold)) continue;
      const [a, b, flags] = [table.pairA[p], table.pairB[p], table.pairFlags[p]];
      found.push(rank[a] < rank[b] ? [a, b, !(flags & STAYS[1])] : [b, a, !(flags & STAYS[0])]);
    }
    return found.sort((p, q) => rank[p[0]] - rank[q[0]] || rank[p[1]] - rank[q[1]]);
  }

  /**
   * Return what is left of a cluster.
   *
   * @param {number} cluster
   * @param {number} threshold
   * @param {{keep: number, apart: number[][], verdict: string}} decided
   * @returns {{groups: number[][], taker: Map<number, number>}} places of the documents of each group, and of
   *   each redundant document who took it
   */
  function lead(cluster, threshold, { keep, apart, verdict } = { keep: -1, apart: [], verdict: '' }) {
    const above = Array.from({ length: Data.table.size[cluster] }, (_, i) => i);
    const root = (i) => {
      let at = i;
      while (above[at] !== at) {
        above[at] = above[above[at]];
        at = above[at];
      }
      return at;
    };
    const taker = new Map();
    for (const [a, b, takes] of verdict === 'distinct' ? [] : near(cluster, threshold, keep)) {
      const [x, y] = [root(a), root(b)];
      const parted = ([i, j]) => (root(i) === x && root(j) === y) || (root(i) === y && root(j) === x);
      if (x !== y && apart.some(parted)) continue;
      above[Math.max(x, y)] = Math.min(x, y);
      if (takes && !taker.has(a) && !taker.has(b)) taker.set(b, a);
    }
    const groups = above.map(() => []);
    above.forEach((_, i) => groups[root(i)].push(i));
    return { groups: groups.filter((group) => group.length > 1), taker };
  }

  /** Return [clusters, redundant, documents] that are left of a cluster. */
  function left(cluster, threshold) {
    const { table } = Data;
    const whole = [1, table.redundant[cluster], table.size[cluster]];
    if (!Kind.live) return table.best[cluster] < 0 || table.best[cluster] >= threshold ? whole : [0, 0, 0];
    let [p, end] = [table.firstPair[cluster], table.firstPair[cluster + 1]];
    while (p < end && !below(p, threshold)) p += 1;
    if (p === end) return whole;
    const { groups, taker } = lead(cluster, threshold);
    return [groups.length, taker.size, groups.reduce((sum, group) => sum + group.length, 0)];
  }

  /** Return the figures at a threshold, and how many documents are left of each cluster. */
  function figures(threshold) {
    const { table } = Data;
    const now = { clusters: 0, redundant: 0, sizes: new Uint32Array(table.count) };
    for (let i = 0; i < table.count; i += 1) {
      const [clusters, redundant, size] = left(i, threshold);
      now.clusters += clusters;
      now.redundant += redundant;
      now.sizes[i] = size;
    }
    return now;
  }

  return { listed, follows, lead, figures };
})();
