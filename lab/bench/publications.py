"""Publications: records of the same work found in three formats, and what is joined by mistake."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from statistics import mean
from typing import NamedTuple

from lab.bench.accuracy import scan, score
from lab.corpora.citations import FORMS, WRITERS
from lab.corpora.edits import NamePair
from lab.corpora.publications import CLASSES, Library, library, title_key
from lab.corpora.real import write_records
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial

SEEDS = (71, 72, 73)

# The options that find the same work. What is read of BibTeX and RIS has names of its own.
FIELDS = "--match title:0.9,authors:0.5 --differ doi,year:1,pages"
_ENTRIES = FIELDS.replace("authors", "author")
# What can be found without them: by titles alone, and by all fields as one text.
TITLES = "--field title"
_TEXTS = "text.jsonl"


class Setting(NamedTuple):
    """A way to scan a format, and the field with the names of its records."""

    suffix: str
    options: str
    name: str


SETTINGS = {
    "by fields": Setting("jsonl", FIELDS, "id"),
    "by fields, BibTeX": Setting("bib", _ENTRIES, "key"),
    "by fields, RIS": Setting("ris", _ENTRIES, "key"),
    "titles alone": Setting("jsonl", TITLES, "id"),
    "all fields as one text": Setting(_TEXTS, "", "id"),
}

# Where two works are joined that are of different groups.
UNRELATED = "unrelated"
FORM_PAIRS = [", ".join(two) for two in combinations_with_replacement(FORMS, 2)]
COUNTED = ("true", "lost", "wrong")
ALL = "all"


def publications(trial: Trial) -> Iterator[Table]:
    """Publications: precision and recall of records of the same work, by fields and without.

    A pair is found if its records share a cluster. A cluster of two works joins all their records.
    """
    made = {seed: library(trial.pick(150, 1100), seed) for seed in SEEDS}
    found = {
        (name, seed): _found(trial, one, setting)
        for name, setting in SETTINGS.items()
        for seed, one in made.items()
    }
    note = "precision, recall, F1: means of the seeds"
    yield tabulate("Records of the same work", _scores(made, found), note)
    note = "of all seeds together; lost: true pairs not found; wrong: others found; unrelated: "
    note += "works of different groups"
    for name in SETTINGS:
        pairs = {seed: found[name, seed] for seed in made}
        rows = counted(made, pairs, [*CLASSES, UNRELATED], class_of_works)
        yield tabulate(f"By class of works, {name}", rows, note)
        rows = counted(made, pairs, [*FORM_PAIRS], forms_of_records)
        yield tabulate(f"By the forms of two records, {name}", rows)


Libraries = dict[int, Library]
Found = dict[tuple[str, int], set[NamePair]]


def _found(trial: Trial, made: Library, setting: Setting) -> set[NamePair]:
    """Return the pairs that share a cluster."""
    path = trial.folder / f"records.{setting.suffix}"
    if setting.suffix == _TEXTS:
        texts = ((one.id, "\n".join([*one.authors, *one.fields.values()])) for one in made.records)
        write_records(texts, path)
    else:
        WRITERS[setting.suffix](made.records, path)
    return scan(path, setting.options, setting.name, every=False).grouped


def _scores(made: Libraries, found: Found) -> Iterator[Row]:
    records = sum(len(one.records) for one in made.values())
    for name in SETTINGS:
        of_seeds = {seed: found[name, seed] for seed in made}
        scores = [score(pairs, made[seed].pairs) for seed, pairs in of_seeds.items()]
        yield {
            "settings": name, "records": records,
            **{one: mean(figures[one] for figures in scores) for one in scores[0]},
            **{
                f"F1, seed {seed}": figures["F1"]
                for seed, figures in zip(made, scores, strict=True)
            },
        }  # fmt: skip


# -- classes --


def class_of_works(made: Library) -> Callable[[NamePair], str]:
    """Return what says of which class the works of two records are."""
    works = {one.id: made.works[one.work] for one in made.records}

    def class_of(pair: NamePair) -> str:
        a, b = (works[one] for one in pair)
        # Titles that many works share, which are no groups otherwise.
        same = a.group == b.group or (a.kind == b.kind and title_key(a.title) == title_key(b.title))
        return a.kind if same else UNRELATED

    return class_of


def forms_of_records(made: Library) -> Callable[[NamePair], str]:
    """Return what says which forms two records have."""
    forms = {one.id: one.form for one in made.records}

    def forms_of(pair: NamePair) -> str:
        return ", ".join(sorted((forms[one] for one in pair), key=FORMS.index))

    return forms_of


def counted(
    made: Libraries,
    found: Mapping[int, set[NamePair]],
    names: Sequence[str],
    classes: Callable[[Library], Callable[[NamePair], str]],
) -> Iterator[Row]:
    """Count the pairs that are lost, and those that are wrong, by the classes of pairs."""
    counts = defaultdict[str, Counter[str]](Counter)
    for seed, pairs in found.items():
        of, true = classes(made[seed]), made[seed].pairs
        for column, some in zip(COUNTED, (true, true - pairs, pairs - true), strict=True):
            counts[column].update(map(of, some))
    for name in (*names, ALL):
        figures = {
            column: counts[column].total() if name == ALL else counts[column][name]
            for column in COUNTED
        }
        yield {"pairs": name, **figures}
