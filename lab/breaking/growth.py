"""Processor time and memory of parsers and searches, as their input doubles twice."""

from __future__ import annotations

import gc
import json
import math
import random
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, AnyStr, NamedTuple

import numpy as np

from lab.corpora.made import HAN, prose, write
from lab.corpora.office_files import docx, paragraphs, zipped
from lab.reporting import Cell, Table
from lab.trial import Trial, say
from simdup import all_pairs, conflicts, dedupe, evaluate, passages, scan
from simdup.base.errors import SimdupError
from simdup.corpus.batches import batches, read
from simdup.corpus.decision_files import read_baseline, read_decisions
from simdup.corpus.fingerprint_lines import read_lines
from simdup.corpus.patterns import matches
from simdup.corpus.sources import list_files
from simdup.model.criteria import Shingling
from simdup.model.documents import Document
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading
from simdup.near.differences import find_differences
from simdup.near.measures.edits import edit_similarities
from simdup.operations.evaluate import read_labels
from simdup.reuse.contradictions import differing_facts
from simdup.show.report.chunks import delta
from simdup.text.analyzer import Analyzer
from simdup.text.characters import fold_all
from simdup.text.shingles import Shingler
from simdup.text.titles import title_of
from simdup.text.tokens import _entries, read_dictionary
from simdup.text.weights import Model, model_bytes, read_model

# What a doubling may cost. Linear work takes 2 times as long, sorting 2.1 times, quadratic work 4.
MOST = 2.5
# Below these, constants and the noise of the machine hide how something grows.
LEAST_SECONDS = 0.01
LEAST_MEGABYTES = 2.0

Work = Callable[[], object]


class Probe(NamedTuple):
    """Work that may grow with its input."""

    name: str  # what works
    shape: str  # what its input looks like
    size: int  # characters, bytes, records or texts that take some milliseconds
    make: Callable[[int, Path], Work]  # the work for an input of any size; files go into a folder


class Growth(NamedTuple):
    """How the work of a probe grows: by which factor with each doubling."""

    probe: Probe
    seconds: float
    memory: float


def run(trial: Trial) -> Iterator[Table]:
    """Measure everything; a doubling that costs more than `MOST` times as much is a failure."""
    gc.freeze()  # what is imported need not be looked through again and again
    for title, probes in GROUPS.items():
        grown_by_name: dict[str, list[Growth]] = defaultdict(list)
        for number, probe in enumerate(probes):
            folder = trial.folder / f"{title.split()[0]}-{number}"
            folder.mkdir()
            grown = measure(probe, folder)
            grown_by_name[probe.name].append(grown)
            say(f"{probe.name}, {probe.shape}: x {grown.seconds:.2f}, memory x {grown.memory:.2f}")
            for what in faults(grown):
                trial.fail(what)
        columns = ("what", "shapes", "times as long", "for", "times the memory")
        rows: list[tuple[Cell, ...]] = []
        for name, shapes in grown_by_name.items():
            worst = max(shapes, key=lambda one: one.seconds)
            memory = max(one.memory for one in shapes)
            rows.append((name, len(shapes), worst.seconds, worst.probe.shape, memory))
        yield Table(title, columns, rows)


def faults(grown: Growth) -> Iterator[str]:
    """Yield what grew too fast."""
    for what, figure in (("processor time", grown.seconds), ("memory", grown.memory)):
        if figure > MOST:
            probe = grown.probe
            yield f"{probe.name}, {probe.shape}: {what} grows {figure:.2f} times a doubling"


def measure(probe: Probe, folder: Path) -> Growth:
    """Measure n, 2n and 4n, where n is a size that takes ten milliseconds or more.

    What is slow there by chance, because the machine is shared or a cache is full, is not slow at
    twice the size too, nor another time.
    """
    # Doubled at most once: where megabytes take less, a larger input would show how memory is
    # slower than caches.
    enough = seconds(probe.make(probe.size, folder), 1) >= LEAST_SECONDS
    size = probe.size if enough else 2 * probe.size
    grown = _growth(probe, folder, size)
    for again in (2, 1):
        if any(faults(grown)):
            other = _growth(probe, folder, again * size)
            grown = Growth(probe, *map(min, grown[1:], other[1:]))
    return grown


def _growth(probe: Probe, folder: Path, size: int) -> Growth:
    works = [probe.make(size * step, folder) for step in (1, 2, 4)]
    # By turns: a slow second of the machine is shared by all sizes.
    rounds = [[seconds(work, 1) for work in works] for _ in range(3)]
    took = [min(times) for times in zip(*rounds, strict=True)]
    held = [megabytes(work) for work in works]
    return Growth(probe, a_doubling(took, LEAST_SECONDS), a_doubling(held, LEAST_MEGABYTES))


def a_doubling(figures: Sequence[float], least: float, doublings: int = 2) -> float:
    """Return by what factor figures grow with each doubling; small figures count as `least`.

    It is a mean over all of them: one alone is noisy, and may be that of a block of a fixed size
    that is filled.
    """
    first, *_, last = (max(figure, least) for figure in figures)
    return float((last / first) ** (1 / doublings))


def seconds(work: Work, rounds: int) -> float:
    """Return the least processor time of a few rounds, that of all threads included."""
    least = float("inf")
    for _ in range(rounds):
        gc.collect()
        started = time.process_time()
        work()
        least = min(least, time.process_time() - started)
    return least


def megabytes(work: Work) -> float:
    """Return the most memory that Python and numpy held at a time, beside what they held before."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


# -- how probes are made ---------------------------------------------------------------------------

MILLION = 1 << 20
# Names of shapes, the size to begin with, and the value for any size.
Shapes = dict[str, tuple[int, Callable[[int], Any]]]


def calling(
    name: str,
    work: Callable[[Any], object],
    shapes: Shapes,
    suffix: str = "",
    before: Callable[[Any], object] = lambda value: value,
) -> list[Probe]:
    """Return probes of work on a value made for a size; what comes before it is not measured.

    Bytes are written to a file, which may be refused, and texts to a folder, by their names: work
    gets the path.
    """

    def make(value_of: Callable[[int], Any], n: int, folder: Path) -> Work:
        value, path, refusal = value_of(n), folder / f"{n}{suffix}", tuple[type[SimdupError], ...]()
        if isinstance(value, bytes):
            path.write_bytes(value)
            value, refusal = str(path), (SimdupError,)
        elif isinstance(value, dict):
            value = str(write(path, value))
        value = before(value)

        def work_on_it() -> None:
            with suppress(*refusal):
                work(value)

        return work_on_it

    return [Probe(name, shape, size, partial(make, f)) for shape, (size, f) in shapes.items()]


def reading(name: str, suffix: str, shapes: Shapes, **how: Any) -> list[Probe]:
    """Return probes that read all documents of a file, as every command does."""
    options = Reading(**how)

    def read_whole(path: str) -> None:
        for batch in batches(list_files([path], options).files, options):
            for _ in read(batch, options):
                pass

    return calling(name, read_whole, shapes, suffix)


def sized(size: int, shapes: dict[str, Callable[[int], Any]]) -> Shapes:
    """Return shapes that all begin with one size."""
    return {shape: (size, value_of) for shape, value_of in shapes.items()}


def again(unit: AnyStr, before: AnyStr | None = None, after: AnyStr | None = None) -> Any:
    """Return what repeats something up to a size, between two others."""
    empty = unit[:0]
    return lambda n: (before or empty) + unit * (n // len(unit)) + (after or empty)


def letters(n: int, alphabet: str = "ab", seed: int = 0) -> str:
    """Return n letters of an alphabet, at random."""
    return "".join(random.Random(seed).choices(alphabet, k=n))


# -- parsers: texts, records, pages, archives, and the files that options name ---------------------


def _each(line: str, before: str = "") -> Callable[[int], bytes]:
    """Return as many lines as asked for, each with its number."""
    return lambda n: (before + "".join(line.replace("%", str(i)) for i in range(n))).encode()


def _chinese(codec: str) -> Callable[[int], bytes]:
    return lambda n: prose(1, 5000).encode(codec, "replace") * (n // 20_000)


def _noise(n: int) -> bytes:
    above = bytes(128 + i % 128 for i in range(256))
    return random.Random(0).randbytes(n).translate(above)


DECODER: Shapes = {
    "UTF-8": (4 * MILLION, _chinese("utf-8")),
    "GB18030": (4 * MILLION, _chinese("gb18030")),
    "Big5": (MILLION // 4, _chinese("big5")),
    "UTF-16 without a mark": (4 * MILLION, _chinese("utf-16-le")),
    "bytes above 127": (MILLION // 4, _noise),
    "one letter": (4 * MILLION, again(b"a")),
    "NULs": (4 * MILLION, again(b"abc\0")),
    "broken UTF-8": (2 * MILLION, again(b"\xe4\xb8")),
    "Latin-1 letters": (4 * MILLION, again(b"\xe9")),
}
JSON_LINES: Shapes = {
    "one long line": (MILLION // 2, again(b"ab ", b'{"text":"', b'"}\n')),
    "tiny records": (2000, lambda n: b'{"text":"a"}\n' * n),
    "blank lines": (MILLION // 8, again(b"\n")),
    "deep": (MILLION, again(b"[", b'{"text":')),
    "escapes": (2 * MILLION, again(b"\\u4e2d", b'{"text":"', b'"}\n')),
    "backslashes": (2 * MILLION, again(b"\\\\", b'{"text":"', b'"}\n')),
    "many fields": (5000, lambda n: json.dumps({f"f{i}": "x" for i in range(n)}).encode()),
    "a long number": (MILLION, again(b"9", b'{"text":', b"}\n")),
}
JSON_ARRAY: Shapes = {
    "tiny elements": (2000, lambda n: b"[" + b'{"text":"a"},' * n + b"{}]"),
    "one long element": (2 * MILLION, again(b"ab ", b'[{"text":"', b'"}]')),
    "deep": (MILLION, again(b"[", b'[{"text":')),
    "commas": (20_000, again(b",", b"[{}", b"]")),
    "a string without an end": (4 * MILLION, again(b"a", b'[{"text":"')),
    "backslashes": (MILLION, again(b"\\", b'[{"text":"')),
}
CSV: Shapes = {
    "tiny records": (2000, lambda n: b"text\n" + b"a\n" * n),
    "one long line": (MILLION, again(b"ab ", b"text\n", b"\n")),
    "a quote without an end": (MILLION // 8, again(b"ab\n", b'text\n"')),
    "many columns": (MILLION // 8, again(b",a", b"text", b"\nx\n")),
    "broken quotes": (2000, lambda n: b"text\n" + b'"a"b\n' * n),
    "quotes": (MILLION, again(b'""', b'text\n"', b'"\n')),
}
PAGES = sized(100_000, {
    "nested elements": again(b"<div>ab"), "entities": again(b"&amp;"),
    "halves of entities": again(b"&#"),
    "attributes": lambda n: f"<p {' '.join(f'a{i}=1' for i in range(n // 8))}>ab</p>".encode(),
    "comments without an end": again(b"<!--"), "scripts without an end": again(b"<script>"),
    "angle brackets": again(b"<"), "tiny paragraphs": again(b"<p>ab</p>"),
    "white space": again(b" "), "one word": again(b"x"), "meta elements": again(b"<meta "),
    "titles": again(b"<title>"),
})  # fmt: skip
ZIP: Shapes = {
    "many members": (100, lambda n: zipped((f"{i}.txt", b"a") for i in range(n))),
    "one member": (4 * MILLION, lambda n: zipped([("a.txt", b"ab " * (n // 3))])),
    "deep names": (100, lambda n: zipped((f"{'a/' * 30}{i}.txt", b"a") for i in range(n))),
}
WORD: Shapes = {
    "tiny paragraphs": (1000, lambda n: docx(paragraphs(*["a"] * n))),
    "one paragraph": (MILLION, lambda n: docx(paragraphs("ab " * (n // 3)))),
    "nested paragraphs": (5000, lambda n: docx("<w:p>" * n + "</w:p>" * n)),
    "tables in tables": (
        2000,
        lambda n: docx("<w:tbl><w:tr><w:tc>" * n + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * n),
    ),
}


def _words(n: int) -> Iterator[str]:
    chance = random.Random(0)
    return ("".join(chance.choices(HAN, k=3)) for _ in range(n))


_DECISION = '{"type":"decision","decision":"distinct","documents":["%","x%"]}\n'
PRINTS: Shapes = {
    "many lines": (50_000, lambda n: b"".join(
        b"%016x  %d\n" % (i * 0x9E3779B97F4A7C15 % 2**64, i) for i in range(n))),
    "one long name": (MILLION, again(b"a", b"0" * 16 + b"  ")),
    "one long line": (MILLION, again(b"0")),
    "header lines": (2000, lambda n: b"# simdup 1 recipe=a bits=64\n" * n),
}  # fmt: skip
DICTIONARY: Shapes = {
    "many words": (2000, lambda n: "".join(
        f"{word} {i}\n" for i, word in enumerate(_words(n))).encode()),
    "one long word": (MILLION, again("河".encode())),
    "spaces in a line": (2000, lambda n: b"a" + b" " * n + b"b c"),
    "words in a line": (2000, lambda n: b"a b " * n + b"\xc3\xa9"),
    "digits in a line": (2000, lambda n: b"a 1" + b"1" * n + b"\xc3\xa9"),
}  # fmt: skip
TRUTH: Shapes = {
    "pairs": (2000, _each("x%,y%\n", "a,b\n")),
    "one long cell": (2 * MILLION, again(b"x", b'a,b\n"')),
    "pairs of a cluster in JSON": (2000, lambda n: json.dumps({
        "type": "cluster", "pairs": [{"a": f"{i}", "b": f"{i + 1}"} for i in range(n)],
    }).encode()),
    "JSON lines": (2000, _each('{"type":"pair","a":"%","b":"x%"}\n')),
    "deep JSON": (4 * MILLION, again(b"[", b'{"type":')),
}  # fmt: skip
DECISIONS: Shapes = {
    "many lines": (2000, _each(_DECISION)),
    "one decision": (20_000, lambda n: json.dumps({
        "type": "decision", "decision": "distinct", "documents": [str(i) for i in range(n)],
    }).encode()),
    "deep": (MILLION, again(b"[")),
}  # fmt: skip
BASELINE: Shapes = {
    "many lines": (4000, lambda n: b"# simdup-baseline 1\n" + b"%032d  a\n" % 7 * n),
    "blank lines": (20_000, lambda n: b"# simdup-baseline 1\n" + b"\n" * n),
    "spaces": (MILLION, again(b" ", b"# simdup-baseline 1", b"x")),
}


def _ignore(line: str) -> Callable[[int], dict[str, str]]:
    """Return a folder whose `.simdupignore` has as many times a line, or part of it."""
    files = {f"{'a' * 100}{i}": "x" for i in range(100)}
    return lambda n: {".simdupignore": line * n + "b\n", **files}


PARSERS = [
    *reading("decoder", ".txt", DECODER),
    *reading("JSON lines", ".jsonl", JSON_LINES),
    *reading("JSON array", ".json", JSON_ARRAY),
    *reading("CSV", ".csv", CSV),
    *reading("HTML, main", ".html", PAGES, extract="main"),
    *reading("HTML, all", ".html", PAGES, extract="all"),
    *reading("zip", ".zip", ZIP),
    *reading("Word", ".docx", WORD),
    *calling("fingerprint lines", lambda path: read_lines([path]), PRINTS),
    *calling("dictionary", lambda path: list(_entries(read_dictionary(path))), DICTIONARY),
    *calling("IDF model", read_model, {"many terms": (500_000, lambda n: model_bytes(
        Model("", n, np.arange(n, dtype=np.uint64), np.ones(n, np.int32), "0")))}),
    *calling("truth", read_labels, TRUTH),
    *calling("decisions", read_decisions, DECISIONS),
    *calling("baseline", read_baseline, BASELINE),
    *calling("patterns", lambda path: list_files([path], Reading()), {
        "stars in a .simdupignore": (10, _ignore("*a")),
        "folders with stars in it": (10, _ignore("**/a/")),
        "lines of it": (100, _ignore("/a*b/*.txt\n")),
    }),
    *calling("patterns", lambda pattern: matches("a" * 1000, [pattern]), {
        "braces in braces": (500, lambda n: "{" * n + "a,b" + "}" * n),
        "braces beside braces": (500, lambda n: "{a,b}" * n),
        "stars in a glob": (50, lambda n: "*a" * n + "b"),
    }),
]  # fmt: skip


# -- one text, or two ------------------------------------------------------------------------------


def han(n: int) -> str:
    """Return n characters of Chinese prose."""
    return (prose(1, 5000) * (n // 10_000 + 1))[:n]


FOLDING = sized(10_000, {
    "Han": han,
    "marks on one letter": again("\u0301\u0323", "a"),
    "ligatures of 18 letters": again("\ufdfa"),
    "traditional characters": again("漢"),
    "beyond 16 bits": again("𠮷"),
    "syllables in letters": again("\u1100\u1161\u11a8"),
    "capital I with a dot": again("İ"),
})  # fmt: skip
TERMS = sized(20_000, {
    "Han": han,
    "one Han character": again("中"),
    "two Han characters": lambda n: letters(n, "中国"),
    "one letter": again("a"),
    "a few letters": lambda n: letters(n, "abc def "),
    "digits and points": again("1."),
    "apostrophes": again("a'"),
    "hyphens": again("-"),
    "slashes": again("/"),
    "underscores": again("_"),
})  # fmt: skip
TITLES = {
    "headings": "# ", "front matter": "---\n", "front matter with a title": "---\ntitle: ",
    "HTML headings": "<h1>", "underlines": "a\n=\n", "code": "```\n", "links": "[a](",
    "brackets": "[", "angle brackets": "<", "ampersands": "&", "stars": "*", "one line": "a",
    "line feeds": "\n", "spaces": " ",
}  # fmt: skip
# At 20,000 words the memory of a block of the comparison is reached.
PAIRS = sized(20_000, {
    "other texts": lambda n: (prose(1, n), prose(2, n)),
    "equal texts": lambda n: (prose(1, n), prose(1, n)),
    "one word": lambda n: ("a " * (n // 2), "a " * (n // 2) + "b"),
    "two words": lambda n: (" ".join(letters(n)), " ".join(letters(n, seed=1))),
    "the other way round": lambda n: (
        " ".join(map(str, range(n))), " ".join(map(str, range(n, 0, -1)))),
})  # fmt: skip
DELTAS = sized(50_000, {
    "the other way round": lambda n: (han(n), han(n)[::-1]),
    "one letter": lambda n: ("a" * n, "a" * n + "b"),
    "two letters": lambda n: (letters(n), letters(n, seed=1)),
})  # fmt: skip


def _terms(tokens: str) -> Callable[[str], object]:
    analyzer = Analyzer.for_recipe(Recipe(tokens=tokens))
    return lambda text: analyzer.count(analyzer.prepare_all([text]))


def _document(unit: str) -> Callable[[int], Document]:
    return lambda n: Document("a", unit * (n // len(unit)))


BY_WORD = Analyzer.for_recipe(Recipe(tokens="ngrams:1"))
TEXTS = [
    *calling("folding", lambda text: fold_all([text]), FOLDING),
    *(
        probe
        for tokens in ("words", "chars:3", "ngrams:2", "tagged")
        for probe in calling(f"terms, {tokens}", _terms(tokens), TERMS)
    ),
    *calling("shingles", lambda texts: Shingler(Shingling(5)).sets(texts), {
        "Han": (MILLION, lambda n: [han(n)]),
        "one letter": (MILLION, lambda n: ["a" * n]),
        "tiny texts": (20_000, lambda n: ["ab"] * n),
    }),
    *calling("titles", title_of, sized(
        MILLION, {shape: _document(unit) for shape, unit in TITLES.items()})),
    *calling("edit similarity", lambda texts: edit_similarities(texts, texts[::-1]), {
        "short texts": (5000, lambda n: [letters(100, seed=i % 50) for i in range(n)]),
    }),
    *calling("differences", lambda pair: find_differences(*pair, BY_WORD), PAIRS),
    *calling("differences for a page", lambda pair: delta(*pair), DELTAS),
]  # fmt: skip


# -- many texts: searches, clusters, passages, reports ---------------------------------------------

Texts = list[str]


def _chain(n: int) -> Texts:
    """Return texts of which each resembles the next, and the first not the last."""
    chance = random.Random(0)
    words = [chance.choice(HAN) + str(i % 10) for i in range(n + 100)]
    return [" ".join(words[i : i + 100]) for i in range(n)]


def _windows(n: int) -> Texts:
    """Return the overlapping windows of one long text."""
    text = "".join(prose(i, 100) for i in range(n // 20 + 8))
    return [text[10 * i : 10 * i + 500] for i in range(n)]


SHAPES: dict[str, Callable[[int], Texts]] = {
    "other texts": lambda n: [prose(i, 40) for i in range(n)],
    "equal texts": lambda n: [prose(1, 40)] * n,
    "a chain": _chain,
    "one template": lambda n: [f"{prose(1, 60)} {prose(i + 2, 4)}" for i in range(n)],
    "two letters": lambda n: [letters(200, seed=i) for i in range(n)],
    "one letter": lambda n: ["a" * (i % 50 + 50) for i in range(n)],
    "short texts": lambda n: [f"{prose(i % 50, 3)} {i}" for i in range(n)],
    "equal short texts": lambda n: ["今天下午三点开会"] * n,
    "one half the same": lambda n: [prose(1, 20) + prose(i + 2, 20) for i in range(n)],
    "windows of a text": _windows,
}
FEW = ("equal texts", "a chain", "one template", "windows of a text")


def _of_texts(
    name: str, work: Callable[..., object], size: int, *shapes: str, **how: Any
) -> list[Probe]:
    """Return probes of a function of texts, for the shapes that are named, or for all."""
    chosen = {shape: make for shape, make in SHAPES.items() if shape in (shapes or SHAPES)}
    return calling(name, lambda texts: work(list(enumerate(texts)), jobs=1, **how),
                   sized(size, chosen))  # fmt: skip


def _shared_halves(n: int) -> Texts:
    """Return texts of 25 templates that make n pairs; each template is in 4 % of the texts."""
    return [prose(i % 25, 20) + prose(i + 100, 20) for i in range(math.isqrt(50 * n))]


def _files(texts: Callable[[int], Texts]) -> Callable[[int], dict[str, str]]:
    return lambda n: {f"{i}.txt": text for i, text in enumerate(texts(n))}


def _tiny(copies: int) -> Callable[[int], dict[str, str]]:
    """Return tiny files; each text is in this many of them."""
    return _files(lambda n: [f"{prose(i // copies, 2)} {i // copies}" for i in range(n)])


def _clusters(**counts: int) -> Callable[[int], dict[str, str]]:
    """Return two tables that part documents into so many clusters."""
    return lambda n: {
        f"{side}.csv": "cluster,document\n" + "".join(f"{i % count},{i}\n" for i in range(n))
        for side, count in counts.items()
    }


def _numbered(n: int) -> tuple[str, ...]:
    """Return two texts that differ in a number in each of n sentences."""
    sentences = [prose(i, 14) for i in range(n)]
    return tuple(
        "".join(f"{s} It has {i + k} mg. " for i, s in enumerate(sentences)) for k in (0, 1)
    )


def _random(bits: int) -> Callable[[int], object]:
    return lambda n: np.random.default_rng(0).integers(0, 2**bits, n, np.uint64)


FINGERPRINTS = sized(100_000, {
    "at random": _random(63), "equal": lambda n: np.full(n, 7, np.uint64),
})  # fmt: skip
QUARTER: Shapes = {"a quarter of the bits equal": (50_000, _random(48))}
SEARCHES: list[Probe] = [
    *(
        probe
        for distance, shapes in ((3, FINGERPRINTS), (6, FINGERPRINTS), (3, QUARTER))
        for probe in calling(
            f"fingerprints within {distance}",
            partial(all_pairs, distance=distance, copies="first"), shapes,
        )
    ),
    # With fewer texts, all pairs of them are verified. Of texts that share one half, `scan` checks
    # more pairs a text, up to 512 in a family.
    *_of_texts("scan", scan, 2000, *(shape for shape in SHAPES if shape != "one half the same")),
    *_of_texts("scan --method simhash", scan, 500, method="simhash"),
    *_of_texts("scan --containment", scan, 1000, containment=0.5),
    *_of_texts("scan --lossless", scan, 1000, *FEW, lossless=True),
    *_of_texts("scan --method pstable", scan, 500, "a chain", "one template", "two letters",
               method="pstable", cosine=0.8),
    *_of_texts("passages", passages, 1000),
    # What is found grows with the square of the texts here, so the pairs count.
    *calling("passages", lambda texts: passages(enumerate(texts), jobs=1),
             {"25 templates, by pairs": (5000, _shared_halves)}),
    *_of_texts("conflicts", conflicts, 1000),
    *calling("facts of two texts", lambda pair: differing_facts([pair]), {
        "a number in each sentence": (500, _numbered),
    }),
    *_of_texts("dedupe", dedupe, 1000, *FEW),
    # So many that what is done again for each file takes longer than reading it.
    *calling("dedupe into a folder",
             lambda path: dedupe(path, output=mkdtemp(dir=Path(path).parent), jobs=1), {
        "tiny files, most of them copies": (1000, _tiny(20)),
        "tiny files, half of them copies": (500, _tiny(2)),
    }),
    *calling("scan of a folder", lambda path: scan(path, jobs=1), {"tiny files": (500, _tiny(2))}),
    *calling("evaluate", lambda path: evaluate(f"{path}/proposed.csv", f"{path}/true.csv"), {
        "one cluster and two": (2000, _clusters(proposed=1, true=2)),
        "clusters that cross": (2000, _clusters(proposed=99, true=100)),
    }),
    *calling("evaluate", lambda pairs: evaluate(pairs, pairs[::-2]),
             {"a star": (2000, lambda n: [(0, i) for i in range(n)])}),
    *calling("report page", lambda page: page[0].to_html(page[1]),
             sized(500, {shape: _files(SHAPES[shape]) for shape in SHAPES if shape in FEW}),
             before=lambda path: (scan(path, jobs=1), f"{path}.html")),
]  # fmt: skip

GROUPS = {"Parsers": PARSERS, "Texts": TEXTS, "Searches and results": SEARCHES}
