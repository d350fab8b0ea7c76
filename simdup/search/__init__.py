"""All pairs within a distance, and queries; arrays only.

`plans` says which tables find every pair and at what cost, `skew` whether that holds for the keys
as they are, `tables` builds and walks one, and `allpairs` combines them. `queries` joins a batch of
queries with existing tables, which `compressed` makes smaller; `joins` contains what both share.
`duplicates` handles identical fingerprints, `baselines` contains the searches without tables, and
`banding` proposes candidates by equal band keys. `runs` sorts more pairs than fit in memory.

`grouping` joins many rows without checking all their pairs, along `lists` of rows that have
something in common: keys, or rare elements or parts of sets (`prefixes`).
"""

from simdup.search.allpairs import Pairs, all_pairs, iter_pairs
from simdup.search.pieces import HammingBall
from simdup.search.plans import Plan, explain, plan
from simdup.search.queries import Hits, SearchIndex, build, iter_hits

__all__ = [
    "HammingBall",
    "Hits",
    "Pairs",
    "Plan",
    "SearchIndex",
    "all_pairs",
    "build",
    "explain",
    "iter_hits",
    "iter_pairs",
    "plan",
]
