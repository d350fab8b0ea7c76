"""The cost model of the search: seconds on one core, from the number of fingerprints.

A table costs one sort and three passes, a candidate a few operations, and a plain scan one
comparison per pair. Only the ratios of these costs matter for a plan.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds on one core, measured with numpy 2.4 on a 2 GHz server core (AVX2 sorting).

    Processor seconds of `all_pairs`, random fingerprints:

    ======= ========= ========= ========= =========
    n       4 tables  10 tables 16 tables 20 tables
    ======= ========= ========= ========= =========
    10**4   0.0012    0.0032    0.0047    0.0057
    10**5   0.0114    0.0169    0.0255    0.0305
    10**6   0.168     0.173     0.260     0.321
    10**7             2.04      3.01      3.71
    ======= ========= ========= ========= =========
    """

    sort: float = 0.55e-9  # per value and doubling of n: 10**6 10.9 ms, 10**7 123 ms
    passes: float = 4.0e-9  # per value: pack 2.9 ns, walk 0.8 ns
    candidate: float = 3.0e-9  # per pair with equal keys, by the differences in the table above
    scan: float = 1.1e-9  # per pair and word, compared directly
    table: float = 80e-6  # per table of any size, for the calls themselves: n = 1,000
    lookup: float = 150e-9  # per binary search in an array larger than the caches

    def search_tables(self, n: int, tables: int, candidates: float) -> float:
        """Return the seconds that building and walking the tables of n fingerprints takes."""
        each = n * (self.sort * math.log2(max(n, 2)) + self.passes) + self.table
        return tables * each + candidates * self.candidate


COSTS = Costs()
