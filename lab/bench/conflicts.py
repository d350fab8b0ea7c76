"""Conflicts: planted ones found, what else is reported, many copies of a notice; speed, memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from lab.corpora import real
from lab.corpora.conflicts import FACTUAL, SPELLING, MadePages, Planted, notices, pages
from lab.corpora.facts import KINDS, LANGUAGES
from lab.measuring import MB, Ran, in_turn, median_seconds, peak_memory, ratio, simdup
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial, say
from simdup import conflicts as contradictions
from simdup.model.readings import Conflict

# What is reported where nothing was planted.
ELSEWHERE = "elsewhere"
ALL = "all"

# Copies of fewer units are not compared; these here are counted without punctuation.
_LENGTHS = (0, 40, 50, 100, 200, 10**6)


def conflicts(trial: Trial) -> Iterator[Table]:
    """Conflicts: what is found of planted ones, what else is reported; notices, speed, memory."""
    made = pages(trial.pick(300, 3000))
    size = sum(map(len, made.texts.values())) / 1e6
    say(f"conflicts: {len(made.texts):,} pages, {size:.1f} million characters")
    verdict = judge(made, contradictions([*made.texts.items()]).conflicts)
    note = (
        "readings right: for each reading exactly the pages that have it; reported: conflicts at "
        "a planted place, more than one where one is reported in parts"
    )
    yield tabulate("Planted conflicts", _planted(verdict), note)
    note = "an unplanted conflict is at no planted place; the kind is the reported one"
    yield tabulate("Unplanted conflicts", _unplanted(verdict), note)
    note = "phrases: short ones of independent pages, each with another fact"
    yield tabulate("Reported, by what differs between the copies", _reported(verdict), note)
    yield tabulate("The same fact in two spellings", _respelled(verdict))
    yield tabulate("Copies of one notice with several dates", _notices(trial))
    note = "one process, the commands in turns, medians; peak: PSS of all processes"
    yield tabulate("Speed beside passages, reading included", _speed(trial), note)


# -- what is right --


class Judged(NamedTuple):
    """A reported conflict, and the passage that it is in, if any."""

    conflict: Conflict
    passage: int | None
    planted: bool  # whether it is the fact in which these copies differ
    right: bool  # whether its readings have the pages that the truth has


class Verdict(NamedTuple):
    """What was planted, and what was reported."""

    planted: Sequence[Planted]
    reported: Sequence[Judged]

    def found(self) -> dict[int, list[Judged]]:
        """What was reported of each planted conflict that was found."""
        found = defaultdict[int, list[Judged]](list)
        for one in self.reported:
            if one.planted and one.passage is not None:
                found[one.passage].append(one)
        return found


class _Truth(NamedTuple):
    """Where a page has a passage, its fact, and what that says."""

    passage: int
    start: int
    end: int
    value_start: int
    value_end: int
    value: str


def judge(made: MadePages, found: Iterable[Conflict]) -> Verdict:
    """Compare what is reported with what was planted, by pages and characters."""
    truths = defaultdict[str, list[_Truth]](list)
    for number, planted in enumerate(made.planted):
        for copy in planted.copies:
            truths[copy.page].append(_Truth(number, *copy[1:3], *copy[4:], copy.value))
    return Verdict(made.planted, [_judged(made.planted, truths, one) for one in found])


def _judged(
    planted: Sequence[Planted], truths: dict[str, list[_Truth]], conflict: Conflict
) -> Judged:
    """Return what a conflict is: the passage that most of its places are in decides."""
    inside, said = Counter[int](), defaultdict[int, set[tuple[int, str]]](set)
    for number, reading in enumerate(conflict.readings):
        for place in reading.documents:
            for truth in truths[place.document]:
                if truth.start <= place.start and place.end <= truth.end:
                    inside[truth.passage] += 1
                # What is left out is a place between two characters.
                if place.start <= truth.value_end and truth.value_start <= place.end:
                    said[truth.passage].add((number, truth.value))
    for passage, readings in said.items():
        values = {value for _, value in readings}
        if planted[passage].differs == FACTUAL and len(values) > 1:
            return Judged(conflict, passage, True, _right(planted[passage], conflict))
    most = inside.most_common(1)
    return Judged(conflict, most[0][0] if most else None, False, False)


def _right(planted: Planted, conflict: Conflict) -> bool:
    expected = [{copy.page for copy in copies} for copies in planted.readings.values()]
    reported = [{place.document for place in one.documents} for one in conflict.readings]
    return sorted(map(sorted, expected)) == sorted(map(sorted, reported))


# -- tables --


def _planted(verdict: Verdict) -> Iterator[Row]:
    """Count what was found by kind, by language, and by length."""
    found = verdict.found()
    facts = {i: one for i, one in enumerate(verdict.planted) if one.differs == FACTUAL}
    groups = {name: [i for i, one in facts.items() if one.kind == name] for name in KINDS}
    for name in LANGUAGES:
        groups[name] = [i for i, one in facts.items() if one.language == name]
    for low, high in pairwise(_LENGTHS):
        name = f"{low} to {high - 1} units" if high < _LENGTHS[-1] else f"from {low} units"
        groups[name] = [i for i, one in facts.items() if low <= one.units < high]
    groups[ALL] = [*facts]
    for name, numbers in groups.items():
        hits = [i for i in numbers if i in found]
        kind_right = sum(found[i][0].conflict.kind == verdict.planted[i].kind for i in hits)
        yield {
            "planted": name, "passages": len(numbers), "found": len(hits),
            "share": _share(len(hits), len(numbers)),
            "readings right": _share(sum(any(o.right for o in found[i]) for i in hits), len(hits)),
            "kind right": _share(kind_right, len(hits)),
            "reported": sum(len(found[i]) for i in hits),
        }  # fmt: skip


def _unplanted(verdict: Verdict) -> Iterator[Row]:
    """Count what was reported by kind."""
    for kind in (*KINDS, ALL):
        reported = [one for one in verdict.reported if kind in (one.conflict.kind, ALL)]
        wrong = sum(not one.planted for one in reported)
        yield {
            "kind": kind, "reported": len(reported), "unplanted": wrong,
            "share": _share(wrong, len(reported)),
        }  # fmt: skip


def _reported(verdict: Verdict) -> Iterator[Row]:
    """Count reported conflicts by the passages that they are in."""
    passages = Counter(one.differs for one in verdict.planted)
    unplanted, hit = Counter[str](), defaultdict[str, set[int]](set)
    for one in verdict.reported:
        if not one.planted:
            where = verdict.planted[one.passage].differs if one.passage is not None else ELSEWHERE
            unplanted[where] += 1
            hit[where].add(one.passage or 0)
    for differs in (*passages, ELSEWHERE):
        yield {
            "differs": differs, "passages": passages[differs] or None,
            "with an unplanted conflict": None if differs == ELSEWHERE else len(hit[differs]),
            "unplanted conflicts": unplanted[differs],
        }  # fmt: skip


def _respelled(verdict: Verdict) -> Iterator[Row]:
    """Count the passages of two spellings that were reported."""
    groups = defaultdict[tuple[str, ...], list[int]](list)
    for number, one in enumerate(verdict.planted):
        if one.differs == SPELLING:
            groups[one.kind, one.language, one.how].append(number)
    reported = {one.passage for one in verdict.reported if not one.planted}
    for (kind, language, how), numbers in sorted(groups.items()):
        count = sum(number in reported for number in numbers)
        yield {
            "kind": kind, "language": language, "spellings": how, "passages": len(numbers),
            "reported": count,
        }  # fmt: skip
    numbers = [number for group in groups.values() for number in group]
    yield {
        "kind": ALL, "language": "", "spellings": "", "passages": len(numbers),
        "reported": sum(number in reported for number in numbers),
    }  # fmt: skip


def _notices(trial: Trial) -> Iterator[Row]:
    """Find several dates in copies of one notice, also among pages that have nothing of it."""
    others = pages(trial.pick(100, 1000)).texts
    cases = [(100, 2, {}), (100, 3, {}), (100, 5, {}), (1000, 3, {}), (100, 3, others)]
    for count, readings, beside in cases:
        made = notices(count, readings)
        found = contradictions([*beside.items(), *made.texts.items()]).conflicts
        hits = judge(made, [one for one in found if _about(made, one)])
        sizes = [
            sorted((len(r.documents) for r in one.conflict.readings), reverse=True)
            for one in hits.reported
        ]
        expected = sorted(map(len, hits.planted[0].readings.values()), reverse=True)
        yield {
            "notices": count, "other pages": len(beside),
            "copies of each date": " / ".join(map(str, expected)),
            "conflicts": len(sizes),
            "copies reported": ", ".join(" / ".join(map(str, one)) for one in sizes),
            "readings right": sum(one.right for one in hits.reported),
        }  # fmt: skip


def _about(made: MadePages, conflict: Conflict) -> bool:
    return any(o.document in made.texts for r in conflict.readings for o in r.documents)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


# -- speed --


def _speed(trial: Trial) -> Iterator[Row]:
    """Run `conflicts` beside `passages` on laws and manual pages."""
    for name in ("laws", "vsdocs"):
        say(f"conflicts: {name}")
        texts = real.texts(name, trial.pick(300, None)).values()
        corpus = real.write_records(real.numbered(texts), trial.folder / f"{name}.jsonl")
        commands = [
            (command, "-f", "jsonl", "-q", "-j", 1, corpus.path)
            for command in ("passages", "conflicts")
        ]
        works: list[Callable[[], Ran]] = [partial(simdup, *command) for command in commands]
        passages, found = in_turn(trial.rounds, *works)
        seconds = [[ran.seconds for ran in runs] for runs in (found, passages)]
        yield {
            "corpus": name, "MB": corpus.size / MB,
            "passages s": median_seconds(passages), "conflicts s": median_seconds(found),
            "ratio": ratio(*seconds),
            "passages peak MB": peak_memory(*commands[0]),
            "conflicts peak MB": peak_memory(*commands[1]),
            "conflicts": found[0].records[-1]["conflicts"],
        }  # fmt: skip
