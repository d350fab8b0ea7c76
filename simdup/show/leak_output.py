"""Leaks for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator

from simdup.model.decontaminated import MANY, Decontaminated, LeakCriteria
from simdup.show.escaping import shown
from simdup.show.lines import closing, typed
from simdup.show.summary import skipped_words
from simdup.show.words import ENGLISH, Phrases

# Files of evaluation texts that a person reads.
_MOST = 20


def evidence(found: Decontaminated) -> Iterator[bytes]:
    """Yield the typed JSON lines of leaks, of what was skipped, and of the figures."""
    yield from typed("leak", found.leaks)
    yield from closing(found.skipped, found)


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
