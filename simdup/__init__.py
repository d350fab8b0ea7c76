"""simdup finds, verifies and explains near-duplicate texts.

>>> from simdup import compare, scan
>>> compare("a text", "another text").duplicates
False
>>> scan(["./corpus"]).clusters  # doctest: +SKIP

The names below are imported when they are first used: `import simdup` itself costs nothing.
"""

from typing import TYPE_CHECKING, Any

from simdup._version import __version__

if TYPE_CHECKING:
    from simdup.base.errors import SimdupError as SimdupError
    from simdup.base.progress import progress_bars as progress_bars
    from simdup.index.index import Index as Index
    from simdup.model.clusters import Cluster as Cluster
    from simdup.model.clusters import Pair as Pair
    from simdup.model.comparison import Comparison as Comparison
    from simdup.model.criteria import Criteria as Criteria
    from simdup.model.readings import ConflictCriteria as ConflictCriteria
    from simdup.model.readings import ConflictScope as ConflictScope
    from simdup.model.recipe import Recipe as Recipe
    from simdup.model.shared_passages import LeakCriteria as LeakCriteria
    from simdup.model.shared_passages import PassageCriteria as PassageCriteria
    from simdup.operations.audit import audit as audit
    from simdup.operations.compare import compare as compare
    from simdup.operations.conflicts import conflicts as conflicts
    from simdup.operations.decontaminate import decontaminate as decontaminate
    from simdup.operations.dedupe import dedupe as dedupe
    from simdup.operations.evaluate import evaluate as evaluate
    from simdup.operations.fingerprint import fingerprint as fingerprint
    from simdup.operations.fit import fit as fit
    from simdup.operations.passages import passages as passages
    from simdup.operations.scan import scan as scan
    from simdup.search.allpairs import all_pairs as all_pairs
    from simdup.show.result import Result as Result
    from simdup.text.simhash import distance as distance
    from simdup.text.simhash import simhash as simhash

_HOMES = {
    "Cluster": "simdup.model.clusters",
    "Comparison": "simdup.model.comparison",
    "ConflictCriteria": "simdup.model.readings",
    "ConflictScope": "simdup.model.readings",
    "Criteria": "simdup.model.criteria",
    "Index": "simdup.index.index",
    "LeakCriteria": "simdup.model.shared_passages",
    "Pair": "simdup.model.clusters",
    "PassageCriteria": "simdup.model.shared_passages",
    "Recipe": "simdup.model.recipe",
    "Result": "simdup.show.result",
    "SimdupError": "simdup.base.errors",
    "all_pairs": "simdup.search.allpairs",
    "audit": "simdup.operations.audit",
    "compare": "simdup.operations.compare",
    "conflicts": "simdup.operations.conflicts",
    "decontaminate": "simdup.operations.decontaminate",
    "dedupe": "simdup.operations.dedupe",
    "distance": "simdup.text.simhash",
    "evaluate": "simdup.operations.evaluate",
    "fingerprint": "simdup.operations.fingerprint",
    "fit": "simdup.operations.fit",
    "passages": "simdup.operations.passages",
    "progress_bars": "simdup.base.progress",
    "scan": "simdup.operations.scan",
    "simhash": "simdup.text.simhash",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'simdup' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
