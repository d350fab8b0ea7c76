"""Write an evaluation, as text and as JSONL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from simdup.output.records import json_line
from simdup.output.text import padded
from simdup.output.words import ENGLISH, Phrases

if TYPE_CHECKING:
    from simdup.evaluation.metrics import Evaluation

# Terminal cells of the names of figures.
_NAME = 20


def evaluation_jsonl(measured: Evaluation) -> Iterator[bytes]:
    """Yield an evaluation as one line of JSON."""
    values = asdict(measured)
    rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()}
    yield json_line({"type": "evaluation"} | rounded)


def evaluation_text(measured: Evaluation, words: Phrases = ENGLISH) -> Iterator[bytes]:
    """Yield an evaluation as text: pairs first, then clusters; ``-`` is a share of nothing."""
    m = measured
    found, true = bool(m.found_pairs), bool(m.true_pairs)
    named = bool(m.documents)
    pairs = {"found": m.found_pairs, "true": m.true_pairs, "both": m.both_pairs}
    clusters = {"found": m.found_clusters, "true": m.true_clusters}
    figures = {
        "pairs": words("evaluation.of_pairs", **pairs),
        "precision": _figure(m.precision, found),
        "recall": _figure(m.recall, true),
        "f1": _figure(m.f1, found and true),
        "clusters": words("evaluation.of_clusters", **clusters),
        "rand": _figure(m.adjusted_rand, named),
        "bcubed_precision": _figure(m.bcubed_precision, named),
        "bcubed_recall": _figure(m.bcubed_recall, named),
        "bcubed_f1": _figure(m.bcubed_f1, named),
        "documents": words("evaluation.of_documents", n=m.documents),
    }
    named_figures = ((words(f"evaluation.{name}"), figure) for name, figure in figures.items())
    yield "".join(f"{padded(name, _NAME)} {figure}\n" for name, figure in named_figures).encode()


def _figure(value: float, defined: bool) -> str:
    return f"{value:.4f}" if defined else "-"
