"""All pairs within a distance, and queries; arrays only.

`plans` says which tables find every pair and at what cost, `tables` builds and walks one, and
`allpairs` puts them together; `queries` joins a batch of queries with tables that are kept,
which `compressed` makes smaller; `duplicates` takes care of identical fingerprints; `baselines`
holds the searches that need no plan.
"""

from simdup.search.allpairs import Pairs, all_pairs, iter_pairs
from simdup.search.plans import Plan, explain, plan
from simdup.search.queries import Found, SearchIndex, build, query

__all__ = [
    "Found",
    "Pairs",
    "Plan",
    "SearchIndex",
    "all_pairs",
    "build",
    "explain",
    "iter_pairs",
    "plan",
    "query",
]
