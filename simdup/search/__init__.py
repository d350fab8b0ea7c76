"""All pairs within a distance; arrays only."""

from simdup.search.allpairs import Pairs, all_pairs, iter_pairs
from simdup.search.plans import Plan, explain, plan

__all__ = ["Pairs", "Plan", "all_pairs", "explain", "iter_pairs", "plan"]
