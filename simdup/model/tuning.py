"""What a sample tells about the settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simdup.model.documents import Skipped


@dataclass(frozen=True, slots=True)
class Setting:
    """What a setting finds in the sample.

    Attributes
    ----------
    options : str
        As they are given on the command line; empty for the defaults, the method ``auto``.
    pairs : int
        Pairs that it proposes.
    hold : int
        How many of these are true.
    recall : float
        How many of the true ones these are; 1 where there is none.
    per_document : float
        Candidates a document of the sample.
    """

    options: str
    pairs: int
    hold: int
    recall: float
    per_document: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a sample tells of the settings.

    Attributes
    ----------
    documents, sample : int
        Documents with words, and how many of them were looked at.
    similarity : float
        The similarity from which on a pair is true: as asked, or as advised.
    true : int
        True pairs of the sample.
    settings : list of Setting
        The default first, then by method.
    bins : list of (float, float, int)
        The histogram of similarities.
    advice : str
        Options to give to `scan`.
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
    skipped: Sequence[Skipped]
    notes: Sequence[tuple[str, str]]
    recipe: dict[str, Any]
