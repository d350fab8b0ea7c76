"""The measures of PAN by their definition: sets of characters, a passage and a case at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lab.corpora.labels import Case

Place = tuple[str, str, int]  # which side, its document, its character


def places(case: Case) -> set[Place]:
    """Return the characters of a case, in both documents."""
    here = {("suspicious", case.document, place) for place in range(case.start, case.end)}
    there = {("source", case.source, place) for place in range(case.source_start, case.source_end)}
    return here | there


def shared(case: Case, passage: Case) -> set[Place]:
    """Return the characters of a case that a passage has, or none if it does not detect it."""
    both = places(case) & places(passage)
    same = (case.document, case.source) == (passage.document, passage.source)
    detects = same and len({side for side, _, _ in both}) == 2
    return both if detects else set()


def scores(cases: Sequence[Case], found: Sequence[Case]) -> dict[str, float]:
    """Return macro and micro precision and recall, granularity and plagdet."""
    if cases and found:
        recall = sum(
            len(set[Place]().union(*(shared(s, r) for r in found))) / len(places(s)) for s in cases
        ) / len(cases)
        precision = sum(
            len(set[Place]().union(*(shared(s, r) for s in cases))) / len(places(r)) for r in found
        ) / len(found)
    else:
        precision = recall = float(not cases and not found)
        if not cases and found:
            recall = 0.0
    numbers = [sum(bool(shared(s, r)) for r in found) for s in cases]
    detected = [number for number in numbers if number]
    granularity = sum(detected) / len(detected) if detected else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    both = set[Place]().union(*(shared(s, r) for s in cases for r in found))
    of_cases = set[Place]().union(*map(places, cases))
    of_found = set[Place]().union(*map(places, found))
    return {
        "precision": precision, "recall": recall, "F1": f1, "granularity": granularity,
        "plagdet": f1 / math.log2(1 + granularity),
        "micro precision": len(both) / len(of_found) if of_found else 1.0,
        "micro recall": len(both) / len(of_cases) if of_cases else 1.0,
    }  # fmt: skip
