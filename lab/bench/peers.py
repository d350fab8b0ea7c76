"""simdup beside other tools: what each finds, removes and costs, and whether it says so again.

A tool is a script of `adapters/`, which is what its user has to write, run by the Python that
SIMDUP_PEERS names (this one by default).  Nothing is installed; what that Python lacks is left out.
Each tool has the settings of its own documentation, and those of a small grid that have the best F1
on Chinese articles and pages of templates; simdup has a grid, too.
"""

from __future__ import annotations

import ast
import csv
import json
import os
import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

from lab.bench.accuracy import LEAST
from lab.corpora import real, templates
from lab.corpora.edits import NamePair
from lab.corpora.facts import CHINESE, ENGLISH
from lab.corpora.labels import read_folder
from lab.corpora.reprints import MIXED, Labelled, reprints
from lab.measuring import SIMDUP, Ran, run
from lab.reporting import Cell, Row, Table, tabulate
from lab.trial import Trial, say
from simdup import __version__
from simdup.operations.evaluate import LabelledPairs, from_clusters, from_pairs, measure

# Runs of each tool with other orders of the documents, hash seeds and numbers of workers.
REPEATED = 10
WORKERS = (1, 2, 3)
# Longer real texts are left out: tools in plain Python need minutes for them.
LONGEST = 6_000

# No tool may look for a hub of models.
_OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TQDM_DISABLE": "1"}
_ADAPTERS = Path(__file__).with_name("adapters")
_THREADS = "RAYON_NUM_THREADS"

_ENGLISH = "English"

Setting = tuple[str, ...]


class Grid(NamedTuple):
    """Settings of a tool: names of the values, those of its documentation, those to try."""

    names: tuple[str, ...]
    own: Setting
    tried: Sequence[Setting]

    def shown(self, setting: Setting) -> str:
        """Return a setting as people read it."""
        return ", ".join(f"{name} {value}" for name, value in zip(self.names, setting, strict=True))


def _grid(*choices: Sequence[str]) -> list[Setting]:
    return list(product(*choices))


class Tool(NamedTuple):
    """Another tool: its package, its script, its settings, and what it checks of a pair."""

    package: str
    script: str
    grid: Grid
    checks: str

    @property
    def lines(self) -> int:
        """The lines of its script, without blank ones and what it says about itself."""
        source = (_ADAPTERS / f"{self.script}.py").read_text("utf-8")
        tree = ast.parse(source)
        said = {
            line
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node)
            for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
        }
        lines = enumerate(source.splitlines(), 1)
        return sum(bool(line.strip()) and number not in said for number, line in lines)


_SIZES, _THRESHOLDS = ("3", "5"), ("0.5", "0.65", "0.8")
_NOTHING, _SKETCHES = "nothing", "sketches"
TOOLS = (
    Tool(
        "datasketch",
        "datasketch_lsh",
        Grid(
            ("tokens", "threshold", "num_perm"),
            ("words", "0.5", "128"),
            _grid(_SIZES, _THRESHOLDS, ("128", "256")),
        ),
        _NOTHING,
    ),
    Tool(
        "rensa",
        "rensa_dedup",
        Grid(
            ("tokens", "threshold", "num_perm"),
            ("words", "0.8", "128"),
            _grid(_SIZES, _THRESHOLDS, ("128", "256")),
        ),
        _SKETCHES,
    ),
    Tool(
        "gaoya",
        "gaoya_index",
        Grid(
            ("analyzer", "ngram", "threshold", "num_bands", "band_size"),
            ("word", "1", "0.5", "42", "3"),
            _grid(("char",), _SIZES, _THRESHOLDS, ("42",), ("3",)),
        ),
        _SKETCHES,
    ),
    Tool(
        "text-dedup",
        "text_dedup_minhash",
        Grid(
            ("tokens", "ngram", "threshold", "num_perm"),
            ("words", "5", "0.7", "250"),
            _grid(("characters",), _SIZES, _THRESHOLDS, ("250",)),
        ),
        _NOTHING,
    ),
    Tool(
        "datatrove",
        "datatrove_minhash",
        Grid(
            ("language", "n_grams", "num_buckets", "hashes_per_bucket"),
            ("eng", "5", "14", "8"),
            [("cmn", n, *shape) for n in ("2", "5") for shape in (("14", "8"), ("20", "5"))],
        ),
        _NOTHING,
    ),
    Tool(
        "simhash",
        "simhash_index",
        Grid(("width", "k"), ("3", "3"), _grid(("2", "3", "4"), ("3", "6", "9"))),
        _NOTHING,
    ),
)
_OURS = Grid(("--similarity",), ("0.8",), [("0.8",), ("0.7",), ("0.6",), ("0.5",)])


# -- corpora --


class Corpus:
    """Records in a file, and the pairs of them that are near-duplicates."""

    def __init__(
        self, name: str, texts: Mapping[str, str], pairs: Iterable[NamePair], path: Path
    ) -> None:
        self.name, self.texts = name, texts
        self.path = real.write_records(texts.items(), path).path
        self.pairs = set(pairs)

    @classmethod
    def of_groups(cls, name: str, made: Labelled, path: Path) -> Corpus:
        """Return a corpus in which all documents of a group are near-duplicates."""
        pairs = (pair for group in made.groups for pair in combinations(sorted(group), 2))
        return cls(name, made.texts, pairs, path)

    @cached_property
    def truth(self) -> LabelledPairs:
        """The clusters that the pairs connect."""
        return from_clusters(from_pairs(self.pairs).clusters)

    @cached_property
    def partners(self) -> dict[str, set[str]]:
        """The near-duplicates of each document."""
        found = defaultdict[str, set[str]](set)
        for a, b in self.pairs:
            found[a].add(b)
            found[b].add(a)
        return found


def _corpora(trial: Trial) -> Iterator[Corpus]:
    """Yield made corpora, real ones whose near-duplicates are known, and folders of your own.

    Made are articles in Chinese, English and both, and pages of templates.
    """
    for name, language in (("mixed", MIXED), ("Chinese", CHINESE), (_ENGLISH, ENGLISH)):
        made = reprints(language, trial.pick(20, 500))
        yield Corpus.of_groups(name, made, trial.folder / f"{language}.jsonl")
        if trial.size == "small":
            break
    else:
        texts, pairs = templates.pages(600, 1 / 3, 1)
        yield Corpus("templates", texts, pairs, trial.folder / "templates.jsonl")
        yield from _real(trial)
    yield from _own(trial)


def _real(trial: Trial) -> Iterator[Corpus]:
    """Yield the real collections whose near-duplicates are known by their similarity."""
    try:
        real.data_folder()
    except real.NoTexts as error:
        say(f"peers: {error}")
        return
    for name in ("laws", "vsdocs"):
        every = real.texts(name)
        texts = {one: text for one, text in every.items() if len(text) <= LONGEST}
        pairs = (
            (a, b)
            for a, b, alike in real.true_pairs(name)
            if a in texts and b in texts and float(alike) >= LEAST
        )
        yield Corpus(name, texts, pairs, trial.folder / f"{name}.jsonl")


def _own(trial: Trial) -> Iterator[Corpus]:
    """Yield the folders with labels that were named."""
    for number, folder in enumerate(trial.folders):
        labelled = read_folder(folder, trial.least_score)
        path = trial.folder / f"own-{number}.jsonl"
        pairs = (
            (a, b)
            for one, other in labelled.truth.links
            for a, b in product(labelled.truth.groups[one], labelled.truth.groups[other])
            if a != b
        )
        yield Corpus(folder.name, labelled.texts, pairs, path)


# -- runs --


class Outcome(NamedTuple):
    """What a tool says: clusters of documents, which ones stay, and what that took."""

    clusters: frozenset[frozenset[str]]
    kept: frozenset[str]
    ran: Ran


def _outcome(clusters: Iterable[Collection[str]], kept: Iterable[str], ran: Ran) -> Outcome:
    several = frozenset(frozenset(one) for one in clusters if len(one) > 1)
    return Outcome(several, frozenset(kept), ran)


class Runner:
    """Runs simdup and the tools that the Python of the peers has."""

    def __init__(self) -> None:
        self._python = os.environ.get("SIMDUP_PEERS", sys.executable)
        packages = [tool.package for tool in TOOLS]
        code = (
            "import json, sys; from importlib import metadata; "
            "print(json.dumps({one.name.lower().replace('_', '-'): one.version"
            " for one in metadata.distributions() if one.name}))"
        )
        known: dict[str, str] = json.loads(run([self._python, "-c", code]).output)
        self.versions = {name: known[name] for name in packages if name in known}
        self.versions["simdup"] = __version__

    def tools(self) -> list[Tool]:
        """Return the tools that can be run."""
        return [tool for tool in TOOLS if tool.package in self.versions]

    def missing(self) -> list[str]:
        """Return the tools that are not installed."""
        return [tool.package for tool in TOOLS if tool.package not in self.versions]

    def peer(
        self, tool: Tool, setting: Setting, path: Path, workers: int = 1, seed: int = 0
    ) -> Outcome:
        """Run another tool."""
        script = str(_ADAPTERS / f"{tool.script}.py")
        variables = _OFFLINE | {"PYTHONHASHSEED": str(seed), _THREADS: str(workers)}
        command = [self._python, "-W", "ignore", script, str(path), str(workers), *setting]
        ran = run(command, sampled=True, **variables)
        answer = json.loads(ran.output.splitlines()[-1])
        return _outcome(answer["clusters"], answer["kept"], ran)

    def simdup(self, setting: Setting, path: Path, workers: int = 1, seed: int = 0) -> Outcome:
        """Run ``simdup dedupe``, whose costs count, and ``simdup scan`` for the clusters."""
        options = [str(path), "-q", "--id-field", "id", "-j", str(workers), "-s", *setting]
        variables = {"PYTHONHASHSEED": str(seed)}
        output, removed = path.with_suffix(".kept.jsonl"), path.with_suffix(".removed.jsonl")
        arguments = ["-o", str(output), "--removed", str(removed), "--force"]
        ran = run([*SIMDUP, "dedupe", *options, *arguments], sampled=True, **variables)
        lines = output.read_text("utf-8").split("\n")
        kept = [json.loads(line)["id"] for line in lines if line]
        scanned = run([*SIMDUP, "scan", *options, "-f", "csv"], **variables).output.decode()
        clusters = defaultdict[str, list[str]](list)
        for row in csv.DictReader(scanned.splitlines()):
            clusters[row["cluster"]].append(row["document"])
        return _outcome(clusters.values(), kept, ran)


class Contender(NamedTuple):
    """A tool with a setting."""

    name: str
    settings: str  # whose: its documentation's, or the best of the grid
    grid: Grid
    setting: Setting
    tool: Tool | None  # none: simdup

    def run(self, runner: Runner, path: Path, workers: int = 1, seed: int = 0) -> Outcome:
        """Run it on the records of a file."""
        if self.tool is None:
            return runner.simdup(self.setting, path, workers, seed)
        return runner.peer(self.tool, self.setting, path, workers, seed)


def _to_choose_by(trial: Trial) -> Corpus:
    """Return Chinese articles and pages of templates that no other corpus has."""
    made = reprints(CHINESE, trial.pick(15, 100), seed=2)
    texts, pairs = templates.pages(trial.pick(30, 200), 1 / 3, 1, seed=18)
    texts = {name: text for name, text in texts.items() if "。" in text}
    pairs = {pair for pair in pairs if texts.keys() >= {*pair}}
    pairs |= {pair for group in made.groups for pair in combinations(sorted(group), 2)}
    return Corpus("settings", made.texts | texts, pairs, trial.folder / "settings.jsonl")


def contenders(trial: Trial, runner: Runner) -> list[Contender]:
    """Return simdup and each tool with the setting of its documentation, and with its best."""
    corpus = _to_choose_by(trial)
    found: list[Contender] = []
    for tool in (None, *runner.tools()):
        package, grid = (tool.package, tool.grid) if tool else ("simdup", _OURS)
        name = f"{package} {runner.versions[package]}"
        say(f"peers: settings of {name}")
        tried = [Contender(name, _BEST, grid, one, tool) for one in grid.tried]
        tried = tried[: trial.pick(1, None)]
        rows = [_quality(corpus, one.run(runner, corpus.path)) for one in tried]
        best = max(zip(rows, tried, strict=True), key=lambda pair: float(pair[0]["F1"] or 0))[1]
        found += [Contender(name, _DOCUMENTED, grid, grid.own, tool), best]
    return found


_DOCUMENTED, _BEST = "documented", "best for Chinese"


# -- figures --


def _quality(corpus: Corpus, outcome: Outcome) -> Row:
    """Compare clusters and removals with the known near-duplicates."""
    figures = measure(from_clusters(map(sorted, outcome.clusters)), corpus.truth)
    place = {name: number for number, name in enumerate(corpus.texts)}
    removed = place.keys() - outcome.kept
    needless = sum(not corpus.partners.get(name, set()) & outcome.kept for name in removed)
    left = sum(
        any(place[other] < place[name] for other in corpus.partners.get(name, set()) & outcome.kept)
        for name in outcome.kept
    )
    return {
        "precision": figures.precision, "recall": figures.recall, "F1": figures.f1,
        "removed": len(removed), "removed without need": needless, "left": left,
    }  # fmt: skip


def _distinct(trial: Trial, runner: Runner, one: Contender, corpus: Corpus) -> int:
    """Run a tool several times on the same documents, and count the different sets of clusters."""
    seen = set()
    names = list(corpus.texts)
    for number in range(trial.pick(2, REPEATED)):
        random.Random(number).shuffle(names)
        shuffled = ((name, corpus.texts[name]) for name in names)
        path = real.write_records(shuffled, trial.folder / "shuffled.jsonl").path
        seen.add(one.run(runner, path, WORKERS[number % len(WORKERS)], number).clusters)
    return len(seen)


def peers(trial: Trial) -> Iterator[Table]:
    """Other tools beside simdup: what they find, remove and cost, and how many results they have.

    Truth: how the made corpora were made; of real ones, all pairs with a Jaccard similarity of at
    least 0.8 over character 5-grams.
    """
    runner = Runner()
    every = contenders(trial, runner)
    made = reprints(CHINESE, trial.pick(15, 100), seed=3)
    repeated = Corpus.of_groups("repeated", made, trial.folder / "repeated.jsonl")
    distinct: dict[str, int] = {}
    for one in (one for one in every if one.settings == _BEST):
        say(f"peers: {one.name}, again and again")
        distinct[one.name] = _distinct(trial, runner, one, repeated)
    rows: list[Row] = []
    for corpus in _corpora(trial):
        ours: float | None = None
        for one in every:
            say(f"peers: {corpus.name}: {one.name}, {one.settings}")
            outcome = one.run(runner, corpus.path)
            cpu = outcome.ran.cpu
            ours = ours or cpu
            rows.append(
                {"corpus": corpus.name, "documents": len(corpus.texts),
                 "MB": corpus.path.stat().st_size / 1e6, "true pairs": len(corpus.pairs),
                 "tool": one.name, "settings": one.settings,
                 "setting": one.grid.shown(one.setting), **_quality(corpus, outcome),
                 "CPU s": cpu, "times simdup": cpu / ours, "peak MB": outcome.ran.peak,
                 "lines": one.tool.lines if one.tool else 1,
                 "checks": one.tool.checks if one.tool else "texts",
                 "distinct results": distinct[one.name] if one.settings == _BEST else None}
            )  # fmt: skip
    missing = ", ".join(runner.missing())
    note = (
        f"one worker each, start-up included; distinct results: of {trial.pick(2, REPEATED)} runs "
        f"on {len(repeated.texts)} Chinese documents with other orders, hash seeds and numbers of "
        f"workers{f'; not installed: {missing}' if missing else ''}"
    )
    yield tabulate("Tools", rows, note)
    chinese = [row for row in rows if row["corpus"] != _ENGLISH]
    yield tabulate("All corpora with Chinese", list(_summed(chinese)), "sums; the median of memory")


def _summed(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield what each tool costs and removes in all corpora."""
    groups = defaultdict[tuple[Cell, Cell], list[Row]](list)
    for row in rows:
        groups[row["tool"], row["settings"]].append(row)
    ours: float | None = None

    def total(some: Sequence[Row], column: str) -> float:
        return sum(float(row[column] or 0) for row in some)

    for some in groups.values():
        ours = ours or total(some, "CPU s")
        first = some[0]
        peaks = [float(row["peak MB"]) for row in some if row["peak MB"] is not None]
        yield {
            **{name: first[name] for name in ("tool", "settings", "setting", "checks")},
            **{
                name: int(total(some, name)) for name in ("removed", "removed without need", "left")
            },
            "CPU s": total(some, "CPU s"), "times simdup": total(some, "CPU s") / ours,
            "peak MB": statistics.median(peaks) if peaks else None,
            **{name: first[name] for name in ("lines", "distinct results")},
        }  # fmt: skip
