/**
 * What differs by kind of page: a kind is as a scan but for what its entry says.
 */
const Kind = (() => {
  const { figures, kinds: differences } = Data.head;

  /** What clusters differ in, as far as that is known. */
  const differing = differences.map(([kind]) => kind);

  const scan = {
    tabs: [['#/', 'overview'], ['#/clusters', 'clusters'], ['#/review', 'review']],
    // Keys that have nothing to act on.
    without: '',
    // There is one cluster, without an overview and a list.
    single: false,
    // A cluster is a pair of documents that share passages.
    pairs: false,
    // A cluster is a conflict: a place in which its documents contradict each other.
    conflicts: false,
    // A cluster is a document that was asked and its matches: no pairs of these, and no texts.
    asked: false,
    // A cluster is a pair of a sample, judged before its similarity is shown.
    judged: false,
    // Documents are kept or redundant.
    roles: true,
    decided: true,
    why: true,
    // Clusters form again while the threshold moves; else it only chooses which are listed.
    live: Data.head.criteria.all_pairs && !Data.head.criteria.lossless,
    // What a cluster is judged by, and how that is written.
    lead: 'weakest',
    alike: (similarity) => State.digits(similarity),
    sorts: ['edge', 'size', 'low', 'high', 'order'],
    sort: 'edge',
    filters: ['all', 'several', 'exact', 'text', ...(differing.length ? ['facts', ...differing] : []),
      'undecided', 'decided'],
    filter: 'all',
    // How many documents are in what is found, and what is said of it.
    found: (now) => now.redundant,
    sentence: (count) => (count ? ['sentence', count, figures.documents] : ['sentenceNone', figures.documents]),
    figures: () => ['figClusters', 'figShare', 'figSaved', 'figPairs', 'figSeveral',
      ...(figures.differing ? ['figDiffering'] : []), 'figSkipped'],
    // The command that made the page reads decisions; where it does not, this one does.
    reads: true,
    command: 'simdup scan SOURCE',
  };

  // Places in texts: nothing is kept or decided.
  const places = {
    tabs: [['#/', 'overview'], ['#/clusters', 'clusters']],
    roles: false,
    decided: false,
    why: false,
    live: true,
    found: () => figures.matched,
  };

  const kinds = {
    scan,
    audit: {
      tabs: [['#/clusters', 'clusters'], ['#/review', 'review']],
      judged: true,
      roles: Data.head.audit?.removal,
      why: false,
      // As they were drawn: who stops early has judged a smaller sample.
      sorts: ['order'],
      sort: 'order',
      filters: ['all', 'undecided', 'decided'],
    },
    dedupe: {},
    compare: {
      tabs: [['#/c/1', 'cluster'], ['#/review', 'review']],
      single: true,
      without: '/',
      roles: false,
      reads: false,
    },
    conflicts: {
      ...places,
      without: 'onps123',
      conflicts: true,
      sorts: ['size', 'lopsided', 'newest'],
      sort: 'size',
      filters: ['all', ...differing],
      sentence: () => {
        const { pairs, documents, matched, known } = figures;
        if (!pairs) return [known ? 'sentenceNoneNew' : 'sentenceNone', documents];
        return [known ? 'sentenceNew' : 'sentence', pairs, documents, matched];
      },
      figures: () => ['figPairs', 'figMatched', 'figShare', ...(figures.known ? ['figKnown'] : []), 'figSkipped'],
    },
    passages: {
      ...places,
      without: '123',
      pairs: true,
      alike: (share) => State.percent(Math.floor(share / 10) / 1000),
      sorts: ['order', 'high', 'low'],
      sort: 'order',
      filters: [],
      // Pairs that share only what is left out are behind the others.
      filter: 'counted',
      figures: (moved) => [moved ? 'figPairsLeft' : 'figPairs',
        'figShare', 'figPassages', 'figIdentical', 'figSkipped'],
    },
    query: {
      without: 'nps3',
      asked: true,
      why: false,
      live: true,
      // That any match holds is what matters.
      lead: 'best',
      alike: (similarity) => State.digits(similarity, true),
      // The edge cases are those that are least alike.
      sorts: ['size', 'low', 'high', 'order'],
      sort: 'low',
      filters: ['all', 'exact', 'undecided', 'decided'],
      found: (now) => now.clusters,
      figures: (moved) => ['figClusters', 'figShare', figures.added && !moved ? 'figAdded' : 'figNew', 'figPairs',
        'figStored', 'figSkipped'],
      reads: false,
      command: 'simdup scan SOURCE --reference INDEX',
    },
  };

  return { ...scan, ...kinds[Data.head.kind] };
})();
