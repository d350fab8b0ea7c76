/**
 * The live threshold: clusters as they would be if pairs had to be more alike.
 *
 * Single linkage joins whatever pairs connect, so a higher threshold only cuts clusters apart: the
 * pairs that are left are joined again with union-find.  That is exact where all pairs of a cluster
 * are known; other clusters, and those of star linkage, stay as they are and say so.
 */
const Groups = (() => {
  const REDUNDANT = 1;
  const REFERENCE = 1;
  const EXACT = 1;
  // The first or the second document of a pair is not contained in the other, and stays.
  const STAYS = [4, 8];

  // Pairs of a query and of passages are not joined into clusters, so they follow as well.
  const linkage = Data.head.criteria.linkage || 'single';

  /** Return whether a cluster follows the threshold. */
  function follows(cluster) {
    return linkage === 'single' && Data.table.complete[cluster] === 1;
  }

  /** Return whether a pair is not alike enough; one without a similarity stays at any threshold. */
  function below(similarity, threshold) {
    return similarity >= 0 && similarity < threshold;
  }

  /** Return the groups of a cluster's documents (places in the cluster, rising), those of one included. */
  function groups(cluster, threshold) {
    const { table } = Data;
    const parent = Array.from({ length: table.size[cluster] }, (_, i) => i);
    const root = (i) => {
      let at = i;
      while (parent[at] !== at) {
        parent[at] = parent[parent[at]];
        at = parent[at];
      }
      return at;
    };
    for (let p = table.firstPair[cluster]; p < table.firstPair[cluster + 1]; p += 1) {
      if (below(table.pairSimilarity[p], threshold)) continue;
      const a = root(table.pairA[p]);
      const b = root(table.pairB[p]);
      parent[Math.max(a, b)] = Math.min(a, b);
    }
    const found = new Map();
    parent.forEach((_, i) => {
      const at = root(i);
      if (!found.has(at)) found.set(at, []);
      found.get(at).push(i);
    });
    return [...found.values()];
  }

  /** Return which documents of a cluster one of `some`, copies of it included, may stand for. */
  function near(cluster, some, threshold) {
    const { table } = Data;
    const wanted = new Set(some);
    const found = new Set();
    const pairs = [];
    for (let p = table.firstPair[cluster]; p < table.firstPair[cluster + 1]; p += 1) {
      if (below(table.pairSimilarity[p], threshold)) continue;
      pairs.push([table.pairA[p], table.pairB[p], table.pairFlags[p] & EXACT, table.pairFlags[p]]);
    }
    // Of identical documents only the first is compared with others: what is near it is near all.
    for (const [a, b, exact] of pairs) {
      if (exact && wanted.has(b)) wanted.add(a);
    }
    for (const [a, b, exact] of pairs) {
      if (exact && wanted.has(a)) { wanted.add(b); found.add(b); }
    }
    for (const [a, b, , flags] of pairs) {
      if (wanted.has(a) && !(flags & STAYS[1])) found.add(b);
      if (wanted.has(b) && !(flags & STAYS[0])) found.add(a);
    }
    for (const [a, b, exact] of pairs) {
      if (exact && found.has(a)) found.add(b);
    }
    return found;
  }

  /** Return how many documents of a group would be redundant. */
  function redundantIn(cluster, group, threshold) {
    const { table } = Data;
    const first = table.first[cluster];
    const references = group.filter((i) => table.flags[first + i] & REFERENCE);
    const kept = group.reduce((best, i) => (table.order[first + i] < table.order[first + best] ? i : best));
    const close = near(cluster, references.length ? references : [kept], threshold);
    const others = group.filter((i) => i !== kept && !references.includes(i));
    return others.filter((i) => {
      if (kept === 0 && table.role[first + i] === REDUNDANT && table.similarity[first + i] >= threshold) return true;
      return close.has(i);
    }).length;
  }

  /** Return [clusters, redundant, documents] that are left of a cluster. */
  function left(cluster, threshold) {
    const { table } = Data;
    const { weakest } = table;
    if (threshold <= Data.least || !follows(cluster) || weakest[cluster] < 0 || weakest[cluster] >= threshold) {
      return [1, table.redundant[cluster], table.size[cluster]];
    }
    const some = groups(cluster, threshold).filter((group) => group.length > 1);
    return [
      some.length,
      some.reduce((sum, group) => sum + redundantIn(cluster, group, threshold), 0),
      some.reduce((sum, group) => sum + group.length, 0),
    ];
  }

  /** Return the figures at a threshold, and how many documents are left of each cluster. */
  function figures(threshold) {
    const { table } = Data;
    const found = { clusters: 0, redundant: 0, fixed: 0, sizes: new Uint32Array(table.count) };
    for (let i = 0; i < table.count; i += 1) {
      const [clusters, redundant, size] = left(i, threshold);
      found.clusters += clusters;
      found.redundant += redundant;
      found.sizes[i] = size;
      if (!follows(i)) found.fixed += 1;
    }
    return found;
  }

  return { linkage, follows, groups, figures };
})();
