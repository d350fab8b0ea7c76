"""Write the result of tune, as text and as JSONL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from simdup.corpus.names import to_bytes
from simdup.output.escaping import shown
from simdup.output.records import digits, json_line, rounded, skipped_line
from simdup.output.summary import count_words, recipe_words
from simdup.output.text import Painter

if TYPE_CHECKING:
    from simdup.model.tuning import Tuning

# The longest bar of the histogram, in characters.
_BAR = 40

_COUNTS = (
    "pairs: pairs of the sample that the setting proposes",
    "true: how many of them have a similarity of {similarity:g} or more",
    "recall: the share of all true pairs of the sample that the setting finds",
    "per document: candidates to verify per document of the sample",
)


def tuning_jsonl(found: Tuning) -> Iterator[bytes]:
    """Yield the settings, the histogram, the advice and a summary as typed lines of JSON."""
    for setting in found.settings:
        values = asdict(setting) | {"recall": rounded(setting.recall)}
        values["per_document"] = round(setting.per_document, 4)
        yield json_line({"type": "setting"} | values)
    for start, end, pairs in found.bins:
        yield json_line({"type": "bin", "from": start, "to": end, "pairs": pairs})
    for skipped in found.skipped:
        yield skipped_line(skipped)
    names = ("similarity", "true", "sample", "documents", "recipe")
    figures = {name: getattr(found, name) for name in names}
    yield json_line({"type": "advice", "options": found.advice} | figures)


def tuning_text(found: Tuning, rest: str, paint: Painter, verbose: bool = False) -> Iterator[bytes]:
    """Yield the advice, a table of settings and a histogram; `verbose` adds the recipe.

    `rest` is what the advised command ends with: sources, and options for how to read them.
    """
    if not found.sample:
        yield b"Nothing to compare.\n"
        return
    sample = f"{found.sample:,} of {count_words(found.documents, 'document')}"
    true = count_words(found.true, "pair")
    if found.advice:
        lines = [f"advice: simdup scan {found.advice} {shown(rest)}"]
        lines += [paint.wrapped(f"reason: {found.reason}")]
    else:
        lines = ["advice: this sample has no true pairs; try a larger sample"]
    lines += [
        "",
        f"{sample}: {true} at similarity {found.similarity:g} or more",
        "",
        paint("heading", "setting                           pairs      true  recall  per document"),
    ]
    for setting in found.settings:
        lines.append(
            f"{setting.options or 'auto (default)':<30}  {setting.pairs:>7,}  {setting.hold:>8,}  "
            f"{digits(setting.recall)}  {setting.per_document:>12.2f}"
        )
    lines += ["", *(paint.wrapped(one.format(similarity=found.similarity)) for one in _COUNTS)]
    lines += ["", paint("heading", "similarity        pairs")]
    most = max((pairs for _, _, pairs in found.bins), default=0)
    for start, end, pairs in found.bins:
        bar = "#" * -(-pairs * _BAR // max(most, 1))
        lines.append(f"{start:.2f} to {end:.2f}  {pairs:>7,}  {bar}".rstrip())
    lines += ["", recipe_words(found.recipe)] if verbose else []
    yield to_bytes("\n".join(lines) + "\n")
