"""How many pairs of short texts a fact keeps apart, by the kind of the fact."""

from __future__ import annotations

from typing import Any

import numpy as np

from simdup.near.rows import Scanned


def step(scanned: Scanned) -> dict[str, Any]:
    """Return ``kept_apart``."""
    corpus = scanned.rows.corpus
    if "frame" not in corpus.forms:
        return {"kept_apart": {}}
    # What reads facts takes a while to import, and only short texts need it.
    from simdup.text.differing_facts import KINDS
    from simdup.text.short_texts import count_kept_apart

    # Two processes may have met a text first: then it has two forms.
    rows = corpus["form"]
    formed = np.flatnonzero(rows >= 0)
    _, firsts = np.unique(corpus["folded"][formed].view("S16"), return_index=True)
    forms = corpus.forms.take(rows[formed[firsts]])
    frames, kinds, facts = (forms[name] for name in ("frame", "kind", "facts"))
    differing, measured = scanned.joined.differing, list[str]()
    if len(differing):
        # A pair may have been measured twice.
        sides = np.sort([differing["a"], differing["b"]], axis=0)
        _, firsts = np.unique(sides, axis=1, return_index=True)
        measured = [KINDS[kind - 1] for kind in differing["differing"][firsts].tolist()]
    return {"kept_apart": count_kept_apart(frames, kinds, facts, measured)}
