"""Write the result of tune, as text and as JSONL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from simdup.corpus.names import to_bytes
from simdup.output.escaping import shown
from simdup.output.records import json_line, rounded, skipped_line
from simdup.output.summary import count_words, recipe_words
from simdup.output.text import Painter

if TYPE_CHECKING:
    from simdup.model.tuning import Tuning

# The longest bar of the histogram, in characters.
_BAR = 40

_COUNTS = (
    "recall: the share of the true pairs that the setting finds",
    "per document: pairs to check per document of the sample",
    "seconds: processor time to search the sample and check these pairs",
)


def tuning_jsonl(found: Tuning) -> Iterator[bytes]:
    """Yield the settings, the histogram, the advice and a summary as typed lines of JSON."""
    for setting in found.settings:
        values = asdict(setting) | {"recall": rounded(setting.recall)}
        values |= {name: round(values[name], 4) for name in ("per_document", "seconds")}
        del values["distance"]
        yield json_line({"type": "setting"} | values)
    for start, end, pairs in found.bins:
        yield json_line({"type": "bin", "from": start, "to": end, "pairs": pairs})
    for skipped in found.skipped:
        yield skipped_line(skipped)
    names = (
        "similarity", "shingle", "cosine", "truth", "true", "judged",
        "sample", "documents", "recipe",
    )  # fmt: skip
    figures = {name: getattr(found, name) for name in names} | {"recall": rounded(found.recall)}
    yield json_line({"type": "advice", "options": found.advice} | figures)


def tuning_text(found: Tuning, rest: str, paint: Painter, verbose: bool = False) -> Iterator[bytes]:
    """Yield the advice, a table of settings and a histogram; `verbose` adds the recipe.

    `rest` is what the advised command ends with: sources, and options for how to read them.
    """
    if not found.sample:
        yield b"Nothing to compare.\n"
        return
    lines = [f"advice: simdup scan {found.advice} {shown(rest)}"]
    lines += [paint.wrapped(f"reason: {found.reason}")]
    lines += ["", paint.wrapped(_truth(found)), "", *_table(found, paint), ""]
    lines += map(paint.wrapped, _COUNTS)
    lines += ["", paint("heading", "similarity        pairs")]
    most = max((pairs for _, _, pairs in found.bins), default=0)
    for start, end, pairs in found.bins:
        bar = "#" * -(-pairs * _BAR // max(most, 1))
        lines.append(f"{start:.2f} to {end:.2f}  {pairs:>7,}  {bar}".rstrip())
    lines += ["", recipe_words(found.recipe)] if verbose else []
    yield to_bytes("\n".join(lines) + "\n")


def _truth(found: Tuning) -> str:
    """Return which pairs are true, and where they are from."""
    measures = f"a similarity of {found.similarity:g}"
    measures += "" if found.cosine is None else f" and a cosine of {found.cosine:g}"
    documents = count_words(found.documents, "distinct document")
    if found.truth == "sample":
        whole = found.sample == found.documents
        among = (
            f"among {'' if whole else f'{found.sample:,} of '}{documents}, compared each with each"
        )
    else:
        among = f"that minhash finds in {documents}; the sample of {found.sample:,} has too few"
    return f"{count_words(found.true, 'true pair')} with {measures} or more {among}"


def _table(found: Tuning, paint: Painter) -> Iterator[str]:
    """Yield the settings: the advised one is marked."""
    heading = f"  {'with ' + found.same + ', and':<36}  recall  per document  seconds"
    yield paint("heading", heading)
    tried = [setting.options for setting in found.settings]
    advised = found.advice if found.advice in tried else ""
    default = "the default" if found.same in tried else "nothing more (the default)"
    for setting in found.settings:
        name = setting.options.removesuffix(found.same).strip() or "nothing more"
        cells = (
            ">" if setting.options == advised else " ",
            f"{name if setting.options else default:<36} ",
            f"{setting.recall:>6.1%} " if found.true else f"{'–':>6} ",
            f"{setting.per_document:>12.2f} ",
            f"{setting.seconds:>7.2f}",
        )
        yield " ".join(cells)
