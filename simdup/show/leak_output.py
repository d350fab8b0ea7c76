"""Leaks for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator

from simdup._version import __version__
from simdup.model.decontaminated import MANY, Decontaminated, LeakCriteria
from simdup.show.csv_jsonl import SCHEMA, json_line, rounded, skipped_line
from simdup.show.escaping import shown
from simdup.show.summary import skipped_words
from simdup.show.words import ENGLISH, Phrases

# Files of evaluation texts that a person reads.
_MOST = 20


def evidence(found: Decontaminated) -> Iterator[bytes]:
    """Yield the typed JSON lines of leaks, of what was skipped, and of the figures."""
    for one in found.leaks:
        yield json_line(
            {
                "type": "leak", "document": one.document, "eval": one.evaluation,
                "share": rounded(one.share), "spans": one.spans, "eval_spans": one.evaluation_spans,
            }
        )  # fmt: skip
    yield from map(skipped_line, found.skipped)
    rates = [one._asdict() | {"rate": rounded(one.rate)} for one in found.rates]
    yield json_line(
        {
            "type": "summary", "schema": SCHEMA, "documents": found.documents,
            "evaluations": found.evaluations, "leaks": len(found.leaks),
            "affected": found.affected, "left_out": found.left_out, "kept": found.kept,
            "masked": found.masked, "rates": rates,
            "lengths": found.lengths, "common_units": found.common_units,
            "common_texts": found.common_texts, "skipped": len(found.skipped),
            "seconds": round(found.seconds, 3), "simdup": __version__,
        }
    )  # fmt: skip


def leak_report(
    found: Decontaminated, criteria: LeakCriteria, words: Phrases = ENGLISH, done: bool = True
) -> str:
    """Return the sentences that end a run: a rate for each file, and what became of documents.

    `done` says whether the corpus is written; otherwise it is what would be done.
    """
    documents = words("documents", n=found.documents)
    evaluations = words("leaks.evaluations", n=found.evaluations)
    read = words("leaks.read", documents=documents, evaluations=evaluations, seconds=found.seconds)
    lines = [words.sentence([read, skipped_words(found.skipped, words)])]
    least, median, most = found.lengths
    lines.append(words("leaks.lengths", least=least, median=median, most=most))
    # The worst first, and what a person names first of equal ones.
    by_rate = sorted(found.rates, key=lambda one: -one.rate)
    for one in by_rate[:_MOST]:
        name = shown(one.file) or words("leaks.data")
        lines.append(
            words(
                "leaks.rate_apart" if one.widespread else "leaks.rate", file=name, n=one.texts,
                leaked=one.leaked, rate=_percent(one.rate), apart=one.widespread, many=MANY,
            )
        )  # fmt: skip
    if len(by_rate) > _MOST:
        lines.append(
            words("leaks.more", n=len(by_rate) - _MOST, rate=_percent(by_rate[_MOST].rate))
        )
    cut = found.affected - found.left_out - found.kept
    for way, n in (("cut", cut), ("left", found.left_out)):
        if n:
            lines.append(words(f"leaks.{way}" if done else f"leaks.would_{way}", n=n))
    if found.kept:
        lines.append(words("leaks.kept", n=found.kept))
    if not found.affected:
        lines.append(words("leaks.none" if found.documents else "found.nothing"))
    if short := sum(one.short for one in found.rates):
        lines.append(words("leaks.short", n=short, least=criteria.min_run))
    if found.common_units:
        texts = words("leaks.share")
        if criteria.common is not None:
            texts = words("leaks.more_than", n=criteria.common)
        lines.append(
            words("leaks.common", units=found.common_units, n=found.common_texts, texts=texts)
        )
    return "\n".join(lines)


def _percent(share: float) -> str:
    """Return a share in percent with a digit behind the point, rounded down."""
    return f"{int(share * 1000 + 1e-9) / 10:.1f}"
