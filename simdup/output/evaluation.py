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
    """Yield an evaluation as text: pairs first, then clusters."""
    m = measured
    counts = [
        ("pairs", f"{m.found_pairs:,} found, {m.true_pairs:,} true, {m.both_pairs:,} both"),
        ("  precision", f"{m.precision:.4f}"),
        ("  recall", f"{m.recall:.4f}"),
        ("  F1", f"{m.f1:.4f}"),
        ("clusters", f"{m.found_clusters:,} found, {m.true_clusters:,} true"),
        ("  adjusted Rand", f"{m.adjusted_rand:.4f}"),
        ("  B-cubed precision", f"{m.bcubed_precision:.4f}"),
        ("  B-cubed recall", f"{m.bcubed_recall:.4f}"),
        ("  B-cubed F1", f"{m.bcubed_f1:.4f}"),
        ("documents", f"{m.documents:,} in either file"),
    ]
    yield "".join(f"{name:<20} {figure}\n" for name, figure in counts).encode()
