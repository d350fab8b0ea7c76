"""Text reuse: the passages that texts share, with a guarantee.

`symbols` makes units of texts, `winnowing` chooses k-grams of them, `seeds` groups equal ones and
says which pairs of them are worth a look, `finding` extends these to maximal equal runs and joins
runs to passages, and `overlaps` says which documents have them.  `sharing` only counts equal seeds,
to say which texts may be part of others.
"""

from simdup.reuse.overlaps import between

__all__ = ["between"]
