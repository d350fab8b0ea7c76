"""Passages: planted excerpts, editions of laws, copied homework; speed, memory, hostile texts."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from statistics import mean

from lab.corpora import real
from lab.corpora.edits import replaced, reworded
from lab.corpora.made import characters
from lab.measuring import CHECKOUT, MB, peak_memory, simdup
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial, say
from simdup import passages as shared_passages
from simdup.model.shared_passages import PassageCriteria
from simdup.reuse import between

# Shares of a document that an excerpt is, and one in how many of its characters is changed.
SHARES, RATES = (0.1, 0.3, 0.5), (0, 40, 15)
EXCERPTS = 30

# How short runs and passages may be where words were added, removed or swapped.
CLOSE = {"min_run": 8, "min_length": 20}
CLOSE_OPTIONS = "--min-run 8 --min-length 20"


def passages(trial: Trial) -> Iterator[Table]:
    """Passages: what is found of excerpts, editions and homework; speed, memory, hostile texts."""
    yield tabulate("Planted excerpts, defaults", _planted(trial))
    yield tabulate(f"Editions of one law, {CLOSE_OPTIONS}", _editions(trial))
    note = "pairs of originals that share passages without any copy are left out"
    yield tabulate(f"Homework copied, {CLOSE_OPTIONS}", _homework(trial), note)
    note = (
        "prose: characters follow each other as in the real texts, one document in 30 has an "
        "excerpt of another; peak: PSS of all processes"
    )
    yield tabulate("Speed of everything, reading included", _speed(trial), note)
    yield tabulate("What all documents have", _hostile(trial))


def _planted(trial: Trial) -> Iterator[Row]:
    """Plant excerpts of laws in other laws, and find them among all of these."""
    chance = random.Random(3)
    pool = sorted({text for text in real.texts("laws").values() if 2000 < len(text) < 20_000})
    chance.shuffle(pool)
    texts: list[tuple[str, str]] = []
    planted: dict[tuple[float, int], list[tuple[int, int, int]]] = defaultdict(list)
    for share in SHARES:
        for rate in RATES:
            for _ in range(trial.pick(3, EXCERPTS)):
                host, source = pool.pop(), pool.pop()
                size = int(min(share / (1 - share) * len(host), 0.9 * len(source)))
                host = host[: int(size * (1 - share) / share)]
                start = chance.randrange(len(source) - size + 1)
                place = chance.randrange(len(host) + 1)
                copy = source[start : start + size]
                copy = replaced(copy, chance, 1 / rate) if rate else copy
                number = len(texts)
                planted[share, rate].append((number, place, place + size))
                host = host[:place] + copy + host[place:]
                texts += [(f"source {number}", source), (f"host {number}", host)]
    say(f"planted: {len(texts):,} documents")
    spans = {(o.a, o.b): [p.b for p in o.passages] for o in shared_passages(texts).overlaps}
    for (share, rate), places in planted.items():
        covered = []
        for number, low, high in places:
            passages = spans.get((f"source {number}", f"host {number}"), [])
            inside = {i for start, end in passages for i in range(max(start, low), min(end, high))}
            covered.append(len(inside) / (high - low))
        yield {
            "excerpt": f"{share:.0%}",
            "characters changed": f"1 in {rate}" if rate else "none",
            "copies": len(places),
            "found": mean(part > 0 for part in covered),
            "characters covered": mean(covered),
        }


def _editions(trial: Trial) -> Iterator[Row]:
    """Compare older and newer versions of laws, by how alike they are."""
    texts = real.texts("laws")
    dated = re.compile(r"\(\d{4}-\d\d-\d\d\)|\.md$")
    editions = [
        (texts[a], texts[b], float(alike))
        for a, b, alike in real.true_pairs("laws")
        if dated.sub("", a) == dated.sub("", b)
    ]
    for low, high in ((0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.5, 0.8)):
        chosen = [(a, b) for a, b, alike in editions if low <= alike < high]
        shared = [between(a, b, PassageCriteria(**CLOSE)) for a, b in chosen[: trial.pick(3, None)]]
        yield {
            "Jaccard similarity": f"{low:g} to {high:g}",
            "pairs": len(shared),
            "covered, more covered side": mean(max(one.share_a, one.share_b) for one in shared),
            "mean of both sides": mean((one.share_a + one.share_b) / 2 for one in shared),
        }


def _homework(trial: Trial) -> Iterator[Row]:
    """Copy homework with words added, removed or swapped."""
    chance, many = random.Random(4), trial.pick(20, 200)
    poems = sorted({text for text in real.texts("poems").values() if 60 <= len(text) <= 200})
    pages = list(real.texts("vsdocs").values())
    folder = CHECKOUT / "examples" / "corpus"
    files = [path.read_text("utf-8", "replace") for path in sorted(folder.glob("[elh]*/*.txt"))]
    sources = {
        "poems": ["\n".join(chance.sample(poems, 3)) for _ in range(many)],
        "manual pages": [page[:600] for page in chance.sample(pages, many)],
        "examples": [text for text in files if len(text) > 100],
    }
    for name, every in sources.items():
        originals = dict(enumerate(dict.fromkeys(every)))
        for rate in (20, 12, 8):
            texts = [(f"{number}", text) for number, text in originals.items()]
            # What originals share of each other is no matter of copies.
            alone = shared_passages(texts, **CLOSE).overlaps
            related = {number for pair in alone for number in (pair.a, pair.b)}
            copied = [number for number in originals if number % 2 == 0]
            true = {(f"{number}", f"{number} copied") for number in copied}
            texts += [(f"{n} copied", reworded(originals[n], chance, 1 / rate)) for n in copied]
            pairs = {
                (o.a, o.b)
                for o in shared_passages(texts, **CLOSE).overlaps
                if (o.a, o.b) in true or not {o.a.split()[0], o.b.split()[0]} <= related
            }
            hits = len(pairs & true)
            yield {
                "texts": name, "words changed": f"1 in {rate}", "copies": len(true),
                "precision": hits / max(len(pairs), 1), "recall": hits / len(true),
                "F1": 2 * hits / (len(pairs) + len(true)),
            }  # fmt: skip


# -- speed --


def _speed(trial: Trial) -> Iterator[Row]:
    """Find passages in laws, manual pages and prose, one process, then in all with two."""
    say("passages: writing prose")
    contents = {name: real.texts(name).values() for name in ("laws", "vsdocs")}
    files = {
        name: real.write_records(real.numbered(texts), trial.folder / f"{name}.jsonl").path
        for name, texts in (contents | {"prose": prose(trial.pick(1, 70) * 10**6)}).items()
    }
    cases = {name: ([file], 1) for name, file in files.items()}
    cases["laws and prose"] = ([files["laws"], files["prose"]], 2)
    for name, (sources, jobs) in cases.items():
        say(f"passages: {name}")
        arguments = ("passages", "-f", "jsonl", "-q", "-j", jobs, *sources)
        size = sum(source.stat().st_size for source in sources) / MB
        done = [simdup(*arguments) for _ in range(trial.rounds)]
        cpu, seconds = min(one.cpu for one in done), min(one.seconds for one in done)
        summary = done[0].records[-1]
        yield {
            "corpus": name, "MB": size, "jobs": jobs, "s": seconds, "CPU s": cpu,
            "MB a CPU s": size / cpu, "peak MB": peak_memory(*arguments),
            "pairs": summary["pairs"], "passages": summary["passages"],
        }  # fmt: skip


def prose(size: int) -> Iterator[str]:
    """Yield documents of 300 to 3,000 characters: a chain of Markov, with a few excerpts."""
    chance = random.Random(1)
    texts = (text for name in real.NAMES for text in real.texts(name, 500).values())
    source = "".join("".join(re.findall(r"[\u4e00-\u9fff，。、；：]+", text)) for text in texts)
    following: dict[str, list[str]] = defaultdict(list)
    for one, other in pairwise(source):
        if len(following[one]) < 2000:
            following[one].append(other)
    last, written = "", 0
    while written < size:
        text = chance.choice(source)
        for _ in range(chance.randrange(300, 3000)):
            choices = following[text[-1]] or source
            text += choices[int(chance.random() * len(choices))]
        if chance.random() < 1 / 30:
            text += last[:300]
        if chance.random() < 1 / 30:
            last = text
        written += 3 * len(text)
        yield text


def _hostile(trial: Trial) -> Iterator[Row]:
    """Find passages where all documents have something in common."""
    chance = random.Random(2)
    text = partial(characters, chance)
    notice, line, copy = text(500), text(38) + "。", text(300)
    cases: dict[str, tuple[int, Callable[[], str]]] = {
        "copies of one text": (100_000, lambda: copy),
        "a notice in every document": (20_000, lambda: text(200) + notice + text(200)),
        "rows of 20,000 dashes": (300, lambda: text(200) + "-" * 20_000 + text(200)),
        "one line 3,000 times": (60, lambda: text(200) + line * 3000 + text(200)),
        "tables of one digit": (60, lambda: text(200) + "| 0 | - | 1 | x |\n" * 3000),
        "two letters in any order": (60, lambda: "".join(chance.choices("01", k=30_000))),
    }
    for name, (count, make) in cases.items():
        say(f"passages: {name}")
        count //= trial.pick(20, 1)
        texts = real.numbered(make() for _ in range(count))
        path = real.write_records(texts, trial.folder / "hostile.jsonl").path
        done = simdup("passages", "-f", "jsonl", "-q", "-j", "2", path)
        summary = done.records[-1]
        yield {
            "corpus": name, "documents": count, "s": done.seconds, "CPU s": done.cpu,
            "pairs": summary["pairs"], "common k-grams": summary["common"],
            "repetitions left out": summary["repeated"],
        }  # fmt: skip
