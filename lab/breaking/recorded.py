"""What every command prints and writes: ``python -m lab record`` records it again.

A change that should not be seen leaves all equal; one that should shows in a diff what changed.
The examples are kept as text, larger corpora as digests.  ``--checkout FOLDER`` records another
state of simdup, ``--keep FOLDER`` writes all as text: two such folders can be compared with diff.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import re
import shutil
import sys
import tempfile
import zlib
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from lab.breaking.running import FRESH, USUAL, Around, Outcome, Run, Server
from lab.corpora.mixed import build_corpus
from lab.corpora.real import data_folder
from lab.measuring import CHECKOUT

RECORDED = Path(__file__).parent / "recorded"
DIGESTS = RECORDED / "digests.json"
_ENVIRONMENT = {"LANG": "C.UTF-8", "LC_ALL": "", "LC_MESSAGES": "", "COLUMNS": "100",
                "PYTHONUTF8": ""}  # fmt: skip
_DATE = 1_700_000_000  # of every file
_DATA = re.compile(r'<script type="application/([a-z-]+)" id="([a-z0-9]+)">(.*?)</script>', re.S)

# What is run, in this order; a later command may read what an earlier one wrote.
EXAMPLES = {
    "scan": "scan corpus",
    "scan-verbose-zh": "scan corpus -v --lang zh",
    "scan-csv": "scan corpus -o found.csv",
    "scan-jsonl": "scan corpus -f jsonl",
    "scan-page": "scan corpus -o report.html",
    "scan-github": "scan corpus -f github",
    "scan-pairs": "scan corpus --pairs --sort distance -n 5",
    "scan-kept": "scan corpus --list kept",
    "scan-redundant": "scan corpus --list redundant -0",
    "scan-simhash": "scan corpus --method simhash -d 6",
    "scan-minhash": "scan corpus --method minhash -s 0.5 -f csv",
    "scan-pstable": "scan corpus --method pstable -s 0 --cosine 0.8 -f jsonl",
    "scan-containment": "scan corpus --containment 0.6 -f csv",
    "scan-titles": "scan corpus --same title -s 0.3 -f jsonl",
    "scan-across": "scan corpus --across folder -k longest --prefer *打印版* -f csv",
    "scan-reference": "scan corpus/news --reference corpus/notices -s 0.1 -f jsonl",
    "scan-unverified": "scan corpus --no-verify -d 10 -f csv",
    "scan-homework": "scan homework -s 0.2 -f jsonl",
    "baseline-new": "scan corpus --baseline known --update-baseline",
    "baseline": "scan corpus homework --baseline known --check -s 0.3",
    "compare": "compare corpus/english/bees.txt corpus/english/bees-edited.txt",
    "compare-diff": "compare --diff corpus/english/bees.txt corpus/english/bees-edited.txt",
    "compare-zh": "compare --diff corpus/notices/宿舍管理规定-2021.txt "
    "corpus/notices/宿舍管理规定-2023.txt --lang zh",
    "compare-zh-terms": "compare corpus/notices/宿舍管理规定-2021.txt "
    "corpus/notices/宿舍管理规定-2022.txt --lang zh",
    "compare-jsonl": "compare corpus/news/图书馆延长开放.txt corpus/news/圖書館延長開放.txt "
    "-f jsonl",
    "compare-page": "compare corpus/english/bees.txt corpus/english/bees-edited.txt -o two.html",
    "compare-other": "compare corpus/english/bees.txt corpus/notices/收到.txt -v",
    "passages": "passages corpus/homework",
    "passages-zh": "passages homework --lang zh --template homework-task.txt",
    "passages-csv": "passages corpus --across folder --min-run 8 --min-length 20 -f csv",
    "passages-jsonl": "passages homework corpus/homework -f jsonl",
    "passages-page": "passages homework -o shared.html",
    "passages-reference": "passages homework --reference corpus/homework -f csv",
    "conflicts-csv": "conflicts handbook/en -f csv",
    "conflicts-jsonl": "conflicts handbook/zh -f jsonl --kinds amount,time,code",
    "conflicts-wording": "conflicts corpus --kinds wording -f csv",
    "conflicts-baseline": "conflicts handbook --check --baseline said --update-baseline -f jsonl",
    "dedupe": "dedupe corpus -o clean --removed removed.csv",
    "dedupe-lossless": "dedupe corpus --lossless --by folder --dry-run",
    "dedupe-zh": "dedupe corpus/notices --lossless --by folder --dry-run --lang zh",
    "dedupe-page": "dedupe corpus -o clean2 -k longest --removed removed.html --lang zh",
    "fingerprint": "fingerprint corpus -v",
    "fingerprint-lines": "fingerprint corpus homework -o prints",
    "pairs": "pairs prints -d 12",
    "pairs-jsonl": "pairs prints -d 12 -f jsonl",
    "cluster": "cluster prints -d 12",
    "index-build": "index build seen.index corpus",
    "index-add": "index add seen.index homework corpus",
    "index-remove": "index remove seen.index homework/周宁.txt nothing",
    "index-check": "index check seen.index",
    "index-export": "index export seen.index",
    "query": "query seen.index homework corpus/news",
    "query-jsonl": "query seen.index homework corpus/news -f jsonl --exclude-self",
    "query-page": "query seen.index corpus -o asked.html",
    "query-new": "query seen.index homework --new --check",
    "query-zh": "query seen.index homework corpus/news/候鸟.txt --lang zh",
    "dedupe-index": "dedupe corpus --index seen.index --add -o new",
    "fit": "fit corpus -o model",
    "evaluate": "evaluate found.csv truth.tsv",
    "evaluate-jsonl": "evaluate found.csv truth.tsv -f jsonl --lang zh",
    "completion": "completion bash",
    "no-source": "scan",
    "no-file": "scan nothing",
    "no-option": "scan corpus --simlarity 0.9",
    "no-command": "scna corpus",
    "clash": "scan corpus --list kept -f csv",
    "no-choice": "scan corpus --keep longst",
}


# `{}` is where the options of a run go, such as ``-j 3``.
MADE = {
    "fingerprint": "fingerprint c g {}",
    "fingerprint, other recipe": "fingerprint c g {} "
    "--recipe default,tokens=chars:2,hash=md5,bits=128",
    "scan as text": "scan c g {} --lang en",
    "scan as JSONL": "scan c g {} -f jsonl",
    "scan as CSV": "scan c g {} -o r.csv",
    "scan of short texts": "scan short.jsonl {} --id-field id -f jsonl",
    "scan of HTML": "scan pages {} --input-format html --extract all -f jsonl",
    "scan of a table": "scan table.csv {} --field text --id-field id -f jsonl",
    "scan of a table as CSV": "scan table.csv {} --id-field id -f csv",
    "scan of records": "scan rows.jsonl {} --id-field id -f csv",
    "scan of records, all pairs": "scan rows.jsonl {} --id-field id -s 0.5 --all-pairs -f jsonl",
    "scan by MinHash": "scan c g {} --method minhash -s 0.6 --pairs -f csv",
    "scan by p-stable projections": "scan c g {} --method pstable -s 0 --cosine 0.8 -f jsonl",
    "scan, containment": "scan c g {} --containment 0.5 -f jsonl",
    "report page": "scan c g {} -o page.html",
    "passages": "passages c g {} -f jsonl",
    "conflicts": "conflicts c g {} -f jsonl",
    "dedupe": "dedupe c g {} -o clean --removed removed.csv",
    "dedupe, annotated": "dedupe rows.jsonl {} --id-field id --annotate -o annotated.jsonl",
    "dedupe, lossless": "dedupe c g {} --lossless -o clean2 --removed removed.jsonl",
    "fingerprint lines": "fingerprint c g {} -o prints",
    "pairs": "pairs prints -d 12",
    "pairs as CSV": "pairs prints -d 12 -f csv",
    "cluster": "cluster prints -d 12 -f jsonl",
    "index build": "index build seen.index c g {}",
    "query of built index": "query seen.index asked g {} -s 0.3 -d 12 -f jsonl",
    "index add": "index add seen.index short.jsonl --id-field id {}",
    "index export": "index export seen.index",
    "query": "query seen.index g {} -s 0.5 -f jsonl",
    "query of new texts": "query seen.index asked {} -s 0.3 -d 12 -f jsonl",
    "fit": "fit c g {} -o model",
    "evaluate": "evaluate r.csv truth.tsv -f jsonl",
}

_REAL = {
    "scan": "scan {} --id-field id -f jsonl",
    "scan-half": "scan {} --id-field id -s 0.5 -f csv",
    "dedupe": "dedupe {} --id-field id -o {}.clean --removed {}.removed.csv",
    "fingerprint": "fingerprint {} --id-field id",
    "passages": "passages {} --id-field id -f csv",
    "conflicts": "conflicts {} --id-field id -f csv",
    "index": "index build {}.index {} --id-field id",
    "query": "query {}.index {} --id-field id --exclude-self -f csv",
}
REAL = {
    f"{name}-{command}": line.replace("{}", f"{name}.jsonl")
    for name in ("laws", "vsdocs", "poems")
    for command, line in _REAL.items()
}  # fmt: skip


def build_examples(folder: Path) -> None:
    """Copy the examples; no name of a folder of this machine is printed."""
    shutil.copytree(CHECKOUT / "examples", folder, dirs_exist_ok=True)


def build_real(folder: Path) -> None:
    """Write the real texts as records."""
    for name in ("laws", "vsdocs", "poems"):
        packed = data_folder() / name / "docs.jsonl.gz"
        (folder / f"{name}.jsonl").write_bytes(gzip.decompress(packed.read_bytes()))


CORPORA = {
    "examples": (build_examples, EXAMPLES),
    "made": (build_corpus, MADE),
    "real": (build_real, REAL),
}


class Recorded(NamedTuple):
    """What a command did."""

    line: str  # what is typed after ``simdup``
    outcome: Outcome
    written: dict[str, str]  # the files that it wrote; of a page its data, of an index nothing

    def text(self) -> str:
        """Return all of it, without times."""
        parts = {"output": self.outcome.out, "messages": self.outcome.err} | self.written
        shown = "".join(
            f"--- {name}\n{_timeless(_of_any_run(text))}" for name, text in parts.items() if text
        )
        return f"$ simdup {self.line}\nstatus {self.outcome.status}\n{shown}"

    def result(self) -> list[str]:
        """Return what does not depend on how it ran, nor on the language of its messages."""
        files = (f"{path}: {_of_any_run(text)}" for path, text in self.written.items())
        return [_of_any_run(self.outcome.out), *files]


class Variant(NamedTuple):
    """How commands run."""

    options: str = ""  # what commands of the made corpus get
    batch: int | None = None  # see `Run`
    order: int | None = None  # the seed of an order in which files are fingerprinted once more
    python: tuple[str, ...] = (sys.executable,)
    environment: Mapping[str, str] = {}


AS_USUAL = Variant()


def record(
    name: str, variant: Variant = AS_USUAL, checkout: Path = CHECKOUT
) -> Iterator[tuple[str, Recorded]]:
    """Yield what each command of a corpus does, with this state of simdup or another one."""
    build, commands = CORPORA[name]
    around = USUAL
    if checkout != CHECKOUT:
        around = Around({"PYTHONPATH": str(checkout)}, fresh=FRESH)
    variables = _ENVIRONMENT | dict(variant.environment)
    with (
        tempfile.TemporaryDirectory() as temporary,
        Server(python=variant.python, **variables) as server,
    ):
        folder = Path(temporary) / "corpus"  # a page is titled by it
        folder.mkdir()
        build(folder)
        for path in folder.rglob("*"):
            os.utime(path, (_DATE, _DATE))

        def outcome_of(line: str) -> Outcome:
            run = Run(line.split(), folder, around, batch=variant.batch, patience=600, warms=True)
            return server.run(run)

        for command, line in commands.items():
            line = " ".join(line.format(variant.options).split())
            before = {*folder.rglob("*")}
            outcome = outcome_of(line)
            paths = sorted(path for path in {*folder.rglob("*")} - before if path.is_file())
            written = {str(path.relative_to(folder)): _content(path) for path in paths}
            yield command, Recorded(line, outcome, written)
        if variant.order is not None:
            files = sorted(f"g/{path.name}" for path in (folder / "g").iterdir())
            random.Random(variant.order).shuffle(files)
            (folder / "list").write_text("\n".join(files), "utf-8")
            line = f"fingerprint --files-from list {variant.options}"
            # Each line is a part of the digest.
            text = "\0".join(sorted(outcome_of(line).out.splitlines()))
            yield "fingerprints, other order", Recorded(line, Outcome(0, text), {})


def _content(path: Path) -> str:
    """Return what counts of a file: of a page what it is about, as its looks change more often.

    Blocks are inflated: other versions of zlib make other bytes of the same data.
    """
    if path.suffix == ".index":
        return "an index\n"
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    if path.suffix != ".html":
        return text
    blocks = []
    for kind, name, data in _DATA.findall(text):
        if name == "words":  # those of all pages of a kind
            continue
        if kind != "json":
            data = zlib.decompress(b64decode(data, validate=True), -15).decode("latin-1")
        blocks.append(f"{name}: {data}")
    if not blocks:
        raise RuntimeError("the report page lacks its data")
    return "\n".join(blocks)


def _of_any_run(text: str) -> str:
    """Return JSON without what differs from run to run."""
    return re.sub(r'"(seconds|cost|made|simdup|command|root)": ?("[^"]*"|[0-9.]+)', "", text)


def _timeless(text: str) -> str:
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    text = re.sub(r"\b\d+(\.\d+)? s\b|\d+(\.\d+)? 秒", "_ s", text)
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?Z?", "_", text)


def digests(name: str, recorded: Mapping[str, Recorded]) -> dict[str, str]:
    """Return the digest of each command of a corpus.

    Of the made one the result counts, if there is one: other surroundings change messages.
    """
    kept = {}
    for command, one in recorded.items():
        parts = one.result() if name == "made" else [one.text()]
        if any(parts):
            content = "".join(part + "\0" for part in parts).encode("utf-8", "surrogateescape")
            kept[command] = hashlib.blake2b(content, digest_size=8).hexdigest()
    return kept


def read_digests() -> dict[str, dict[str, str]]:
    """Return the digests that the repository keeps, by corpus."""
    kept: dict[str, dict[str, str]] = json.loads(DIGESTS.read_text("utf-8"))
    return kept


def write(corpora: Sequence[str], checkout: Path, keep: Path | None) -> None:
    """Record what a state of simdup prints and writes, as the repository keeps it or as text."""
    kept = read_digests() if DIGESTS.exists() else {}
    for name in corpora or CORPORA:
        variant = Variant(order=0 if name == "made" else None)
        recorded = dict(record(name, variant, checkout.resolve()))
        folder = keep / name if keep else RECORDED / name
        if keep or name == "examples":
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for command, one in recorded.items():
                (folder / f"{command}.txt").write_bytes(one.text().encode())
        if name != "examples":
            kept[name] = digests(name, recorded)
    if not keep:
        DIGESTS.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
