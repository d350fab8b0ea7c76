"""The page of groups: each passage once, with all its places.

It is a page of conflicts (`conflicts_page`) in which all documents of a place say the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import inf, nan

import numpy as np

from simdup.model.formats import PageOptions
from simdup.model.readings import Conflict, FactReading, ReadingPlace
from simdup.model.shared_passages import PassageCriteria, PassageResult
from simdup.near.cutting import GroupTexts
from simdup.show.report.chunks import CLIP
from simdup.show.report.conflicts_page import CONFLICTS, listing_page


def groups_page(
    found: PassageResult, criteria: PassageCriteria, text_of: GroupTexts, options: PageOptions
) -> Iterator[bytes]:
    """Return the page of groups; of a passage, it has the text of a place of median length.

    Parameters
    ----------
    found : PassageResult
        What it shows.
    criteria : PassageCriteria
        How that was found.
    text_of : GroupTexts
        The texts.
    options : PageOptions
        What the page carries.
    """
    left = inf if options.texts is None else options.texts
    listed = list[Conflict]()
    groups = found.groups[:CONFLICTS]
    for number, group in enumerate(groups):
        place, text = group.places[group.typical], ""
        if left > 0:
            text = text_of(number, group.typical)[place.start : place.end][:CLIP]
            left -= len(text.encode("utf-8", "surrogatepass"))
        places = [ReadingPlace(*place, nan) for place in group.places]
        listed.append(Conflict("", "", "", (FactReading(text, places),)))
    summary = found.summary
    figures = {
        "documents": summary.documents,
        "matched": summary.affected,
        "clusters": len(listed),
        "pairs": summary.groups,
        "listed": len(listed),
        "passages": summary.places,
        "skipped": summary.skipped,
        "redundant": 0,
        "incomplete": 0,
    }
    columns = {
        "units": np.array([group.length for group in groups], np.uint32),
        "documents": np.array([group.documents for group in groups], np.uint32),
    }
    about = {
        "criteria": {name: getattr(criteria, name) for name in criteria.__slots__},
        "figures": figures,
        "kinds": Counter[str]().most_common(),
    }
    yield from listing_page(listed, columns, about, found, replace(options, kind="groups"))
