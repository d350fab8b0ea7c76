"""Write evaluations, and the sample of an audit, as text and as JSONL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from simdup.corpus.names import to_bytes
from simdup.model.formats import Figure, SignedFigure
from simdup.show.lines import json_line, record, typed
from simdup.show.text import aligned, padded
from simdup.show.words import ENGLISH, Phrases

if TYPE_CHECKING:
    from simdup.near.audit_sample import Band, BandPrecision, Precision, Sample


# Terminal cells of the names of figures.
_NAME = 20


class Evaluation(NamedTuple):
    """The measures: shares from 0 to 1, except the Rand index, which may be negative."""

    documents: int  # how many documents either side names
    found_pairs: int
    true_pairs: int
    both_pairs: int  # those in both
    # Of pairs.  If nothing was found, precision is 1; if nothing is true, recall is 1.
    precision: Figure
    recall: Figure
    f1: Figure
    found_clusters: int  # of two documents or more
    true_clusters: int  # likewise
    adjusted_rand: SignedFigure  # 1 for equal partitions, about 0 for unrelated ones
    # Means over documents.
    bcubed_precision: Figure
    bcubed_recall: Figure
    bcubed_f1: Figure


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


def _figure(value: float | None, defined: bool = True) -> str:
    return f"{value:.4f}" if defined and value is not None else "-"


# -- a sample, and what judgements say --


def sample_words(sample: Sample, words: Phrases) -> str:
    """Return how many pairs were drawn, from how many."""
    pairs = sum(band.pairs for band in sample.bands)
    key = "audit.removal" if sample.removal else "audit.pairs"
    return words(key, n=pairs, drawn=len(sample.pairs), seed=sample.seed)


def sample_table(sample: Sample, words: Phrases) -> Iterator[str]:
    """Yield the lines of a table of bands."""
    return _bands(words, ("pairs", "drawn"), sample.bands)


def precision_jsonl(measured: Precision) -> Iterator[bytes]:
    """Yield what judgements say: a typed line of JSON for each band, and one for all of them."""
    yield from typed("band", measured.bands)
    total = record(measured.total)
    del total["low"], total["high"]
    yield json_line({"type": "precision"} | total | record(measured))


def precision_text(measured: Precision, words: Phrases = ENGLISH) -> Iterator[bytes]:
    """Yield what judgements say as text: of all pairs, then a table of bands."""
    bands, total = measured.bands, measured.total
    pairs, drawn = sum(band.pairs for band in bands), sum(band.drawn for band in bands)
    said = [sum(getattr(band, name) for band in bands) for name in _SAID]
    key = "audit.removal" if measured.removal else "audit.pairs"
    counts = dict(zip(_SAID, said, strict=True))
    figures = {
        "pairs": words(key, n=pairs, drawn=drawn, seed=measured.seed).rstrip(words("stop")),
        "judged": words("precision.counts", left=drawn - sum(said), **counts),
        "precision": _figure(total.precision),
        "interval": _ends(total.interval, words),
        "bounds": _ends(measured.bounds, words) if counts["unsure"] else "",
    }
    for name, figure in figures.items():
        if figure:
            yield f"{padded(words(f'precision.{name}'), _WIDE)} {figure}\n".encode()
    table = _bands(words, ("pairs", "drawn", *_SAID), bands, _estimated)
    yield to_bytes("\n".join(["", *table]) + "\n")


def precision_notes(measured: Precision) -> Iterator[str]:
    """Yield what does not count, or is not known."""
    if n := measured.not_drawn:
        yield f"judgements of pairs that are not in the sample, which do not count: {n:,}"
    if n := measured.others:
        yield f"decisions that are no judgements of an audit, which do not count: {n:,}"
    if n := sum(band.pairs for band in measured.bands if not band.judged):
        yield f"pairs in bands without a judgement, which the precision leaves out: {n:,}"


_SAID = ("duplicates", "distinct", "unsure")
# Terminal cells of the names of these figures, and of the columns of bands.
_WIDE, _SPAN, _CELL = 22, 15, 10


def _estimated(band: BandPrecision, words: Phrases) -> list[str]:
    return [_figure(band.precision), _ends(band.interval, words)]


def _ends(interval: tuple[float, float] | None, words: Phrases) -> str:
    return "-" if interval is None else words("precision.ends", low=interval[0], high=interval[1])


def _bands(
    words: Phrases,
    columns: Sequence[str],
    bands: Iterable[Any],
    more: Callable[[Any, Phrases], list[str]] | None = None,
) -> Iterator[str]:
    """Yield the lines of a table of bands."""
    heads = [aligned(words(f"band.{name}"), _CELL) for name in columns]
    heads += [aligned(words("band.precision"), _CELL), words("band.interval")] if more else []
    yield "  ".join([padded(words("band.similarity"), _SPAN), *heads])
    for band in bands:
        cells = [f"{getattr(band, name):>{_CELL},}" for name in columns]
        if more:
            precision, interval = more(band, words)
            cells += [f"{precision:>{_CELL}}", interval]
        yield "  ".join([padded(_span(band, words), _SPAN), *cells])


def _span(band: Band | BandPrecision, words: Phrases) -> str:
    """Return where a band is."""
    if band.low is None or band.high is None:
        return words("band.unmeasured")
    return "1" if band.low == band.high else f"{band.low:.4f}–{band.high:.4f}"
