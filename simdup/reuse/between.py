"""The passages of two texts."""

from __future__ import annotations

import numpy as np

from simdup.features.folding import fold_all
from simdup.model.passages import Passage, PassageCriteria, SharedText
from simdup.reuse.finding import Finder, shares
from simdup.reuse.offsets import locate, look_up_in
from simdup.reuse.symbols import cut
from simdup.reuse.winnowing import Window, winnow


def between(text_a: str, text_b: str, criteria: PassageCriteria | None = None) -> SharedText:
    """Return the passages that two texts share.

    Examples
    --------
    >>> text = "The old harbour sleeps in the fog until the first boats come home with the tide."
    >>> shared = between(text, f"He wrote: {text.upper()}", PassageCriteria(min_length=20))
    >>> shared.passages
    (Passage(a=(0, 80), b=(10, 90), length=33, similarity=1.0),)
    """
    criteria = criteria or PassageCriteria()
    texts = cut(fold_all([text_a, text_b]))
    found = Finder.of(texts, winnow(texts, Window.of(criteria.min_run)), criteria).find(0, 2)
    covered = shares(found, np.diff(texts.starts))[1]
    read = (text_a, text_b).__getitem__
    a, b = locate(look_up_in(read), found.texts, found.a, found.b)
    passages = map(
        Passage,
        map(tuple, a.tolist()),
        map(tuple, b.tolist()),
        found.lengths.tolist(),
        found.similarities.tolist(),
    )
    share_a, share_b = covered[0].tolist() if len(covered) else (0.0, 0.0)
    return SharedText(tuple(one for one in passages if one.a[1]), share_a, share_b)
