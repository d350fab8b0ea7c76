"""Evaluate how well found near-duplicates agree with known ones."""

from __future__ import annotations

from simdup.evaluation.labels import read_labels, with_names_of
from simdup.evaluation.metrics import Evaluation, measure


def evaluate(found: str, truth: str, least_score: float | None = None) -> tuple[Evaluation, bool]:
    """Compare the pairs and clusters of two files.

    Parameters
    ----------
    found, truth : str
        Paths, see `read_labels`; one of them may be ``-`` for standard input.
    least_score : float, optional
        Count only truth pairs of at least this score.

    Returns
    -------
    evaluation : Evaluation
        The measures.
    related : bool
        Whether the two files have a document in common, or one of them names none.
    """
    ours = read_labels(found)
    theirs = with_names_of(ours, read_labels(truth, least_score))
    related = not ours.names or not theirs.names or bool(ours.names & theirs.names)
    return measure(ours, theirs), related
