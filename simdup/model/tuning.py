"""The result of trying settings on a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simdup.model.documents import Skipped


@dataclass(frozen=True, slots=True)
class Setting:
    """What one setting finds in the sample.

    Attributes
    ----------
    options : str
        Command-line options; empty for the defaults, with the method ``auto``.
    pairs : int
        How many pairs it proposes.
    hold : int
        How many of these are true.
    recall : float
        The share of the true pairs that it finds; 1 if there are none.
    per_document : float
        Candidates per document of the sample.
    """

    options: str
    pairs: int
    hold: int
    recall: float
    per_document: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """The result of trying settings on a sample.

    Attributes
    ----------
    documents, sample : int
        The number of documents with words, and how many of them are in the sample.
    similarity : float
        The similarity from which on a pair is true, as requested or as advised.
    true : int
        The number of true pairs in the sample.
    settings : list of Setting
        The settings, the default first, then by method.
    bins : list of (float, float, int)
        The histogram of similarities.
    advice : str
        Options for `scan`; empty if the sample has no true pairs.
    reason : str
        Why these options, in a sentence.
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
    true: int
    settings: list[Setting]
    bins: list[tuple[float, float, int]]
    advice: str
    reason: str
    skipped: Sequence[Skipped]
    notes: Sequence[tuple[str, str]]
    recipe: dict[str, Any]
