"""Passages: planted excerpts, editions of laws, copied homework; speed, memory, hostile texts."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from statistics import mean

from lab.corpora import real
from lab.measuring import SIMDUP, peak_memory
from lab.measuring import run as run_program
from lab.reporting import Cell, Table
from lab.trial import Trial, say

MB = 1e6

# Shares of a document that an excerpt is, and one in how many of its characters is changed.
SHARES, RATES = (0.1, 0.3, 0.5), (0, 40, 15)
EXCERPTS = 30

# How little is asked where words were added, removed or swapped.
CLOSE = {"min_run": 8, "min_length": 20}


def run(trial: Trial) -> Iterator[Table]:
    """Measure what is found, then how fast."""
    yield _planted(trial)
    yield _editions(trial)
    yield _homework(trial)
    yield _speed(trial)
    yield _hostile(trial)


def _planted(trial: Trial) -> Table:
    """Plant excerpts of laws in other laws, and find them among all of these."""
    from simdup import passages

    chance = random.Random(3)
    pool = sorted({t for _, t in real.texts("laws") if 2000 < len(t) < 20_000})
    chance.shuffle(pool)
    excerpts = trial.pick(3, EXCERPTS)
    texts: list[tuple[str, str]] = []
    planted: dict[tuple[float, int], list[tuple[int, int, int]]] = defaultdict(list)
    for share in SHARES:
        for rate in RATES:
            for _ in range(excerpts):
                host, source = pool.pop(), pool.pop()
                size = int(min(share / (1 - share) * len(host), 0.9 * len(source)))
                host = host[: int(size * (1 - share) / share)]
                start, place = (
                    chance.randrange(len(t) - n + 1) for t, n in ((source, size), (host, 0))
                )
                copy = _changed(source[start : start + size], rate, chance)
                planted[share, rate].append((len(texts), place, place + size))
                texts += [
                    (f"source {len(texts)}", source),
                    (f"host {len(texts)}", host[:place] + copy + host[place:]),
                ]
    say(f"planted: {len(texts):,} documents")
    spans = {(o.a, o.b): [p.b for p in o.passages] for o in passages(texts).overlaps}
    rows: list[tuple[Cell, ...]] = []
    for (share, rate), places in planted.items():
        covered = [
            _covered(spans.get((f"source {n}", f"host {n}"), []), low, high)
            for n, low, high in places
        ]
        found = mean(share > 0 for share in covered)
        rows.append(
            (f"{share:.0%}", f"1 in {rate}" if rate else "none", len(places), found, mean(covered))
        )
    columns = ("excerpt", "characters changed", "copies", "found", "characters covered")
    return Table("Planted excerpts, defaults", columns, rows)


def _changed(text: str, rate: int, chance: random.Random) -> str:
    letters = sorted({c for c in text if not c.isspace()})
    return "".join(
        chance.choice(letters) if rate and not c.isspace() and chance.random() < 1 / rate else c
        for c in text
    )


def _covered(spans: Iterable[tuple[int, int]], low: int, high: int) -> float:
    """Return the share of the characters from `low` to `high` that spans cover."""
    inside = {i for start, end in spans for i in range(max(start, low), min(end, high))}
    return len(inside) / (high - low)


def _editions(trial: Trial) -> Table:
    """Compare older and newer versions of laws, by how alike they are."""
    from simdup.model.passages import PassageCriteria
    from simdup.reuse import between

    texts = dict(real.texts("laws"))
    title = re.compile(r"\(\d{4}-\d\d-\d\d\)|\.md$")
    editions = [
        (texts[a], texts[b], float(alike))
        for a, b, alike in real.true_pairs("laws")
        if title.sub("", a) == title.sub("", b)
    ]
    rows: list[tuple[Cell, ...]] = []
    for low, high in ((0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.5, 0.8)):
        chosen = [(a, b) for a, b, alike in editions if low <= alike < high]
        shared = [between(a, b, PassageCriteria(**CLOSE)) for a, b in chosen[: trial.pick(3, None)]]
        of_shorter = [max(one.share_a, one.share_b) for one in shared]
        both = [(one.share_a + one.share_b) / 2 for one in shared]
        rows.append((f"{low:g} to {high:g}", len(shared), mean(of_shorter), mean(both)))
    columns = ("Jaccard similarity", "pairs", "covered, more covered side", "mean of both sides")
    return Table("Editions of one law, --min-run 8 --min-length 20", columns, rows)


def _homework(trial: Trial) -> Table:
    """Copy homework with words added, removed or swapped."""
    from simdup import passages

    chance = random.Random(4)
    poems = sorted({t for _, t in real.texts("poems") if 60 <= len(t) <= 200})
    pages = [t for _, t in real.texts("vsdocs")]
    folder = Path(__file__).resolve().parents[2] / "examples" / "corpus"
    files = [p.read_text("utf-8", "replace") for p in sorted(folder.glob("[elh]*/*.txt"))]
    sources: dict[str, list[str]] = {
        "poems": ["\n".join(chance.sample(poems, 3)) for _ in range(trial.pick(20, 200))],
        "manual pages": [page[:600] for page in chance.sample(pages, trial.pick(20, 200))],
        "examples": [text for text in files if len(text) > 100],
    }
    rows: list[tuple[Cell, ...]] = []
    for name, originals in sources.items():
        originals = list(dict.fromkeys(originals))
        for rate in (20, 12, 8):
            texts = [(f"{i}", text) for i, text in enumerate(originals)]
            alone = {(o.a, o.b) for o in passages(texts, **CLOSE).overlaps}
            copied = range(0, len(originals), 2)
            texts += [(f"{i} copied", _reworded(originals[i], rate, chance)) for i in copied]
            true = {(f"{i}", f"{i} copied") for i in copied}
            # What originals share of each other is no matter of copies.
            related = {one for pair in alone for one in pair}
            found = {
                (o.a, o.b)
                for o in passages(texts, **CLOSE).overlaps
                if (o.a, o.b) in true or not {o.a.split()[0], o.b.split()[0]} <= related
            }
            hits = len(found & true)
            precision, recall = hits / max(len(found), 1), hits / len(true)
            rows.append(
                (
                    name,
                    f"1 in {rate}",
                    len(true),
                    precision,
                    recall,
                    2 * hits / (len(found) + len(true)),
                )
            )
    columns = ("texts", "words changed", "copies", "precision", "recall", "F1")
    note = "pairs of originals that share passages without any copy are left out"
    return Table("Homework copied, --min-run 8 --min-length 20", columns, rows, note)


def _reworded(text: str, rate: int, chance: random.Random) -> str:
    """Add, remove or swap a word in so many: two characters of Chinese."""
    words = re.findall(r"[a-zA-Z]+|[\u4e00-\u9fff]{1,2}|\s+|.", text)
    places = [i for i, word in enumerate(words) if word[0].isalpha()]
    for i in chance.sample(places, len(places) // rate):
        other = words[chance.choice(places)]
        words[i] = chance.choice(["", words[i] + other, other])
    return "".join(words)


def _speed(trial: Trial) -> Table:
    """Find passages in laws, manual pages and prose, one process, then in all with two."""
    files = {name: trial.folder / f"{name}.jsonl" for name in ("laws", "vsdocs", "prose")}
    for name in ("laws", "vsdocs"):
        _write(files[name], (text for _, text in real.texts(name)))
    say("passages: writing prose")
    _write(files["prose"], _prose(trial.pick(1, 70) * 10**6))
    cases = {name: ([str(file)], "1") for name, file in files.items()}
    cases["laws and prose"] = ([str(files["laws"]), str(files["prose"])], "2")
    rows: list[tuple[Cell, ...]] = []
    for name, (sources, jobs) in cases.items():
        say(f"passages: {name}")
        command = [*SIMDUP, "passages", "-f", "jsonl", "-q", "-j", jobs, *sources]
        size = sum(Path(source).stat().st_size for source in sources) / MB
        done = [run_program(command) for _ in range(trial.rounds)]
        cpu, seconds = min(one.cpu for one in done), min(one.seconds for one in done)
        found = json.loads(done[0].output.splitlines()[-1])
        peak = peak_memory(command)
        rows.append(
            (
                name,
                size,
                int(jobs),
                seconds,
                cpu,
                size / cpu,
                peak and peak / MB,
                found["pairs"],
                found["passages"],
            )
        )
    columns = ("corpus", "MB", "jobs", "s", "CPU s", "MB a CPU s", "peak MB", "pairs", "passages")
    note = (
        "prose: characters follow each other as in the real texts, one document in 30 has an "
        "excerpt of another; peak: PSS of all processes"
    )
    return Table("Speed of everything, reading included", columns, rows, note)


def _prose(size: int) -> Iterator[str]:
    """Yield documents of 300 to 3,000 characters: a chain of Markov, with a few excerpts."""
    chance = random.Random(1)
    texts = (t for name in ("poems", "vsdocs", "laws") for _, t in real.texts(name)[:500])
    source = "".join("".join(re.findall(r"[\u4e00-\u9fff，。、；：]+", text)) for text in texts)
    following: dict[str, list[str]] = defaultdict(list)
    for one, other in pairwise(source):
        if len(following[one]) < 2000:
            following[one].append(other)
    last, written = "", 0
    while written < size:
        one = chance.choice(source)
        characters = [one]
        for _ in range(chance.randrange(300, 3000)):
            choices = following[one] or source
            one = choices[int(chance.random() * len(choices))]
            characters.append(one)
        text = "".join(characters)
        if chance.random() < 1 / 30:
            text += last[:300]
        if chance.random() < 1 / 30:
            last = text
        written += 3 * len(text)
        yield text


def _hostile(trial: Trial) -> Table:
    """Find passages where all documents have something in common."""
    chance = random.Random(2)

    def text(length: int) -> str:
        return "".join(chr(0x4E00 + int(2500 * chance.random() ** 2)) for _ in range(length))

    notice, line, copy = text(500), text(38) + "。", text(300)
    many = trial.pick(20, 1)
    cases: dict[str, tuple[int, Callable[[], str]]] = {
        "copies of one text": (100_000 // many, lambda: copy),
        "a notice in every document": (20_000 // many, lambda: text(200) + notice + text(200)),
        "rows of 20,000 dashes": (300 // many, lambda: text(200) + "-" * 20_000 + text(200)),
        "one line 3,000 times": (60 // many, lambda: text(200) + line * 3000 + text(200)),
        "tables of one digit": (60 // many, lambda: text(200) + "| 0 | - | 1 | x |\n" * 3000),
        "two letters in any order": (60 // many, lambda: "".join(chance.choices("01", k=30_000))),
    }
    path = trial.folder / "hostile.jsonl"
    rows: list[tuple[Cell, ...]] = []
    for name, (count, make) in cases.items():
        say(f"passages: {name}")
        _write(path, (make() for _ in range(count)))
        done = run_program([*SIMDUP, "passages", "-f", "jsonl", "-q", "-j", "2", str(path)])
        found = json.loads(done.output.splitlines()[-1])
        rows.append(
            (
                name,
                count,
                done.seconds,
                done.cpu,
                found["pairs"],
                found["common"],
                found["repeated"],
            )
        )
    columns = (
        "corpus",
        "documents",
        "s",
        "CPU s",
        "pairs",
        "common k-grams",
        "repetitions left out",
    )
    return Table("What all documents have", columns, rows)


def _write(path: Path, texts: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for text in texts:
            file.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
