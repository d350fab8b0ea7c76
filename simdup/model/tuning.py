"""How good a result is, and what trying settings on a sample has found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from simdup.model.documents import Skipped

# With fewer true pairs, even a whole corpus does not tell: of 20 pairs, one alone is 0.05.
FEW_PAIRS = 20


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The measures: shares from 0 to 1, except the Rand index, which may be negative."""

    documents: int  # how many documents either side names
    found_pairs: int
    true_pairs: int
    both_pairs: int  # those in both
    # Of pairs.  If nothing was found, precision is 1; if nothing is true, recall is 1.
    precision: float
    recall: float
    f1: float
    found_clusters: int  # of two documents or more
    true_clusters: int  # likewise
    adjusted_rand: float  # 1 for equal partitions, about 0 for unrelated ones
    # Means over documents.
    bcubed_precision: float
    bcubed_recall: float
    bcubed_f1: float


class Reason(NamedTuple):
    """One reason for an advice, for any language.

    Attributes
    ----------
    key : str
        The sentence.
    values : dict
        Its figures.
    """

    key: str
    values: dict[str, Any]

    @classmethod
    def of(cls, key: str, **values: Any) -> Reason:
        """Return a reason with its figures."""
        return cls(key, values)


@dataclass(frozen=True, slots=True)
class Setting:
    """What one setting finds.

    Attributes
    ----------
    options : str
        Command-line options; empty for the defaults.
    pairs : int
        How many pairs of the sample it proposes.
    hold : int
        How many of the true pairs it finds.
    recall : float
        The share of the true pairs that it finds; 1 if there are none.
    per_document : float
        Candidates per document of the sample.
    seconds : float
        Processor time to search the sample and to check what is proposed.
    distance : int
        The distance that decides which pairs it finds; 0 if none does.
    """

    options: str
    pairs: int
    hold: int
    recall: float
    per_document: float
    seconds: float = 0.0
    distance: int = 0


@dataclass(frozen=True, slots=True)
class Tuning:
    """The result of trying settings.

    Attributes
    ----------
    documents, sample : int
        The number of documents with enough words, identical ones counted once, and how many of
        them are in the sample.
    similarity : float
        The similarity from which on a pair is true, as requested or as advised.
    shingle : str
        The shingles that this similarity counts.
    cosine : float or None
        The cosine that a true pair has too, if one is asked for.
    true : int
        The number of true pairs.
    recall : float
        The share of the true pairs that the advised setting finds.
    settings : list of Setting
        The settings: the default, those with the similarity, then by method.
    bins : list of (float, float, int)
        The histogram of similarities.
    same : str
        The options that all settings have but the default, and other lengths of shingles.
    advice : str
        Options for `scan`.
    reason : str
        Why these options, in a sentence.
    reasons : tuple of Reason
        The same, for other languages.
    skipped : sequence of Skipped
        Documents that could not take part.
    notes : sequence of (str, str)
        As in `Result`.
    recipe : dict
        The resolved recipe.
    """

    documents: int
    sample: int
    similarity: float
    shingle: str
    cosine: float | None
    true: int
    recall: float
    settings: list[Setting]
    bins: list[tuple[float, float, int]]
    same: str
    advice: str
    reason: str
    reasons: tuple[Reason, ...]
    skipped: Sequence[Skipped]
    notes: Sequence[tuple[str, str]]
    recipe: dict[str, Any]

    @property
    def truth(self) -> str:
        """Where true pairs are from: all pairs of the ``sample``, or searches of the ``corpus``."""
        return "sample" if self.sample == self.documents else "corpus"

    @property
    def judged(self) -> bool:
        """Whether the true pairs are enough to judge by; if not, the default is advised."""
        return self.true >= FEW_PAIRS
