"""simdup: near-duplicate texts, found, verified and explained.

>>> from simdup import compare, scan
>>> compare("a text", "another text").duplicates
False
>>> scan(["./corpus"]).clusters  # doctest: +SKIP

The names below are imported when they are first used: `import simdup` itself costs nothing.
"""

from typing import TYPE_CHECKING, Any

from simdup._version import __version__

if TYPE_CHECKING:
    from simdup.api import compare as compare
    from simdup.api import fingerprint as fingerprint
    from simdup.api import scan as scan
    from simdup.errors import SimdupError as SimdupError
    from simdup.index.index import Index as Index
    from simdup.lsh.simhash import distance as distance
    from simdup.lsh.simhash import simhash as simhash
    from simdup.model.recipe import Recipe as Recipe
    from simdup.search import all_pairs as all_pairs

_ROOMS = {
    "Index": "simdup.index.index",
    "Recipe": "simdup.model.recipe",
    "SimdupError": "simdup.errors",
    "all_pairs": "simdup.search",
    "compare": "simdup.api",
    "distance": "simdup.lsh.simhash",
    "fingerprint": "simdup.api",
    "scan": "simdup.api",
    "simhash": "simdup.lsh.simhash",
}

__all__ = [
    "Index",
    "Recipe",
    "SimdupError",
    "__version__",
    "all_pairs",
    "compare",
    "distance",
    "fingerprint",
    "scan",
    "simhash",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'simdup' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_ROOMS[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
