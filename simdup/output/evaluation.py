"""Write an evaluation, as text and as JSONL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from simdup.output.records import json_line

if TYPE_CHECKING:
    from simdup.evaluation.metrics import Evaluation


def evaluation_jsonl(measured: Evaluation) -> Iterator[bytes]:
    """Yield an evaluation as one line of JSON."""
    values = asdict(measured)
    rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in values.items()}
    yield json_line({"type": "evaluation"} | rounded)


def evaluation_text(measured: Evaluation) -> Iterator[bytes]:
    """Yield an evaluation as text: pairs first, then clusters; ``-`` is a share of nothing."""
    m = measured
    found, true = bool(m.found_pairs), bool(m.true_pairs)
    named = bool(m.documents)
    counts = [
        ("pairs", f"{m.found_pairs:,} found, {m.true_pairs:,} true, {m.both_pairs:,} both"),
        ("  precision", _figure(m.precision, found)),
        ("  recall", _figure(m.recall, true)),
        ("  F1", _figure(m.f1, found and true)),
        ("clusters", f"{m.found_clusters:,} found, {m.true_clusters:,} true"),
        ("  adjusted Rand", _figure(m.adjusted_rand, named)),
        ("  B-cubed precision", _figure(m.bcubed_precision, named)),
        ("  B-cubed recall", _figure(m.bcubed_recall, named)),
        ("  B-cubed F1", _figure(m.bcubed_f1, named)),
        ("documents", f"{m.documents:,} in either file"),
    ]
    yield "".join(f"{name:<20} {figure}\n" for name, figure in counts).encode()


def _figure(value: float, defined: bool) -> str:
    return f"{value:.4f}" if defined else "-"
