"""What every command prints and writes: ``python -m lab record`` records it again.

A change that should not be seen leaves all equal; one that should shows in a diff what changed.
The examples are kept as text, larger corpora as digests.  ``--checkout FOLDER`` records another
state of simdup, ``--keep FOLDER`` writes all as text: two such folders can be compared with diff.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

from lab.breaking.commands import Ran, run_command
from lab.breaking.digests import digest_of, page_data
from lab.corpora.mixed import build_corpus
from lab.corpora.real import data_folder

ROOT = Path(__file__).resolve().parents[2]
RECORDED = Path(__file__).parent / "recorded"
_DATE = 1_700_000_000  # of every file
_ENVIRONMENT = {"LANG": "C.UTF-8", "LC_ALL": "", "LC_MESSAGES": "", "COLUMNS": "100"}

# What is run, in this order; a later command may read what an earlier one wrote.
EXAMPLES = {
    "scan": "scan corpus",
    "scan-verbose-zh": "scan corpus -v --lang zh",
    "scan-csv": "scan corpus -o found.csv",
    "scan-jsonl": "scan corpus -f jsonl",
    "scan-page": "scan corpus -o report.html",
    "scan-github": "scan corpus -f github",
    "scan-pairs": "scan corpus --pairs --sort distance -n 5",
    "scan-columns": "scan corpus --columns title,length,modified,folder --reverse",
    "scan-kept": "scan corpus --list kept",
    "scan-redundant": "scan corpus --list redundant -0",
    "scan-simhash": "scan corpus --method simhash -d 6 --explain-plan",
    "scan-minhash": "scan corpus --method minhash -s 0.5 -f csv",
    "scan-pstable": "scan corpus --method pstable -s 0 --cosine 0.8 -f jsonl",
    "scan-containment": "scan corpus --containment 0.6 --linkage star -f csv",
    "scan-titles": "scan corpus --same-title -s 0.3 -f jsonl",
    "scan-across": "scan corpus --across folder -k longest --prefer *打印版* -f csv",
    "scan-reference": "scan corpus/news --reference corpus/notices -s 0.1 -f jsonl",
    "scan-unverified": "scan corpus --no-verify -d 10 -f csv",
    "scan-homework": "scan homework -s 0.2 -f jsonl",
    "baseline-new": "scan corpus --baseline known --update-baseline",
    "baseline": "scan corpus homework --baseline known --check -s 0.3",
    "compare": "compare corpus/english/bees.txt corpus/english/bees-edited.txt",
    "compare-diff": "compare --diff corpus/english/bees.txt corpus/english/bees-edited.txt",
    "compare-columns": "compare --side-by-side corpus/notices/宿舍管理规定-2021.txt "
    "corpus/notices/宿舍管理规定-2023.txt --lang zh",
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
    "dedupe": "dedupe corpus -o clean --removed removed.csv",
    "dedupe-lossless": "dedupe corpus --lossless --by folder --dry-run",
    "dedupe-page": "dedupe corpus -o clean2 -k longest --removed removed.html --lang zh",
    "fingerprint": "fingerprint corpus -v",
    "fingerprint-lines": "fingerprint corpus homework -o prints",
    "pairs": "pairs prints -d 12",
    "pairs-jsonl": "pairs prints -d 12 -f jsonl",
    "cluster": "cluster prints -d 12",
    "cluster-verified": "cluster prints -d 20 --verify-from corpus -f jsonl",
    "index-build": "index build seen.index corpus",
    "index-add": "index add seen.index homework corpus",
    "index-remove": "index remove seen.index homework/周宁.txt nothing",
    "index-check": "index check seen.index",
    "index-export": "index export seen.index",
    "query": "query seen.index homework corpus/news",
    "query-jsonl": "query seen.index homework corpus/news -f jsonl --exclude-self",
    "query-page": "query seen.index corpus -o asked.html",
    "query-new": "query seen.index homework --new --check",
    "dedupe-index": "dedupe corpus --index seen.index --add -o new",
    "fit": "fit corpus -o model",
    "tune": "tune corpus",
    "evaluate": "evaluate found.csv truth.tsv",
    "evaluate-jsonl": "evaluate found.csv truth.tsv -f jsonl --lang zh",
    "completion": "completion bash",
    "no-source": "scan",
    "no-file": "scan nothing",
    "no-option": "scan corpus --simlarity 0.9",
    "no-command": "scna corpus",
    "idle": "scan corpus --method minhash -d 5",
    "clash": "scan corpus --list kept -f csv",
    "no-choice": "scan corpus --keep longst",
}

MADE = {
    "scan": "scan c g -f jsonl",
    "scan-text": "scan c g --linkage star",
    "scan-page": "scan c g -o page.html",
    "scan-short": "scan short.jsonl --id-field id -f jsonl",
    "scan-records": "scan rows.jsonl --id-field id -s 0.5 --all-pairs -f jsonl",
    "scan-table": "scan table.csv --id-field id -f csv",
    "scan-html": "scan pages --html --extract all -f jsonl",
    "scan-minhash": "scan c g --method minhash -s 0.6 --pairs -f csv",
    "scan-pstable": "scan c g --method pstable -s 0 --cosine 0.8 -f jsonl",
    "scan-containment": "scan c g --containment 0.5 -f jsonl",
    "passages": "passages c g -f jsonl",
    "dedupe": "dedupe c g -o clean --removed removed.csv",
    "dedupe-annotate": "dedupe rows.jsonl --id-field id --annotate -o annotated.jsonl",
    "dedupe-lossless": "dedupe c g --lossless -o clean2 --removed removed.jsonl",
    "fingerprint": "fingerprint c g -o prints",
    "fingerprint-recipe": "fingerprint c g --tokens chars:2 --hash md5 --bits 128",
    "pairs": "pairs prints -d 12 -f csv",
    "cluster": "cluster prints -d 12 -f jsonl",
    "index-build": "index build seen.index c g",
    "index-export": "index export seen.index",
    "query": "query seen.index asked g -s 0.3 -d 12 -f jsonl",
    "fit": "fit c g -o model",
    "tune": "tune c g -f jsonl",
    "evaluate": "evaluate removed.csv truth.tsv -f jsonl",
}

_REAL = {
    "scan": "scan {} --id-field id -f jsonl",
    "scan-half": "scan {} --id-field id -s 0.5 --linkage star -f csv",
    "dedupe": "dedupe {} --id-field id -o {}.clean --removed {}.removed.csv",
    "fingerprint": "fingerprint {} --id-field id",
    "passages": "passages {} --id-field id -f csv",
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
    shutil.copytree(ROOT / "examples", folder, dirs_exist_ok=True)


def build_real(folder: Path) -> None:
    """Write the real texts as records."""
    for name in ("laws", "vsdocs", "poems"):
        with gzip.open(data_folder() / name / "docs.jsonl.gz") as packed:
            (folder / f"{name}.jsonl").write_bytes(packed.read())


CORPORA = {
    "examples": (build_examples, EXAMPLES),
    "made": (build_corpus, MADE),
    "real": (build_real, REAL),
}


def record(name: str, checkout: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Yield each command of a corpus with its status, what it prints and what it writes."""
    build, commands = CORPORA[name]
    with tempfile.TemporaryDirectory() as temporary:
        # A page is titled by the folder.
        folder = Path(temporary) / "corpus"
        folder.mkdir()
        with chdir(folder):
            build(Path())
            for path in Path().rglob("*"):
                os.utime(path, (_DATE, _DATE))
            for command, line in commands.items():
                before = set(Path().rglob("*"))
                ran = _run(line.split(), checkout)
                written = sorted(one for one in set(Path().rglob("*")) - before if one.is_file())
                said = {"output": ran.out, "messages": ran.err}
                said |= {str(path): _content(path) for path in written}
                parts = [f"--- {one}\n{_shown(one, text)}" for one, text in said.items() if text]
                yield command, f"$ simdup {line}\nstatus {ran.status}\n{''.join(parts)}"


def _run(words: list[str], checkout: Path) -> Ran:
    """Run a command in this process, or that of another state of simdup in one of its own."""
    if checkout == ROOT:
        with patch.dict(os.environ, _ENVIRONMENT):
            return run_command(*words)
    environment = os.environ | _ENVIRONMENT | {"PYTHONPATH": str(checkout)}
    command = [sys.executable, "-m", "simdup", *words]
    ran = subprocess.run(command, env=environment, capture_output=True, check=False)
    out, err = (one.decode("utf-8", "surrogateescape") for one in (ran.stdout, ran.stderr))
    return Ran(ran.returncode, out, err)


def _content(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _shown(name: str, text: str) -> str:
    """Return what a file says, without times; of a page its data, of an index nothing."""
    if name.endswith(".index"):
        return "an index\n"
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return _timeless(page_data(text) if name.endswith(".html") else text)


def _timeless(text: str) -> str:
    text = re.sub(r"\b\d+(\.\d+)? s\b|\d+(\.\d+)? 秒", "_ s", text)
    text = re.sub(r" +\d+\.\d\d$", "", text, flags=re.MULTILINE)  # the last column of tune
    text = re.sub(r'"(seconds|cost|made|simdup|command|root)": ?("[^"]*"|[0-9.]+)', "", text)
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?Z?", "_", text)


def digests(recorded: Mapping[str, str]) -> dict[str, str]:
    """Return the digest of each text."""
    return {name: digest_of([text]) for name, text in recorded.items()}


def read_digests() -> dict[str, dict[str, str]]:
    """Return the digests that the repository keeps, by corpus."""
    found: dict[str, dict[str, str]] = json.loads((RECORDED / "digests.json").read_text("utf-8"))
    return found


def write(corpora: Sequence[str], checkout: Path, keep: Path | None) -> None:
    """Record what a state of simdup prints and writes, as the repository keeps it or as text."""
    kept = read_digests() if (RECORDED / "digests.json").exists() else {}
    for name in corpora or CORPORA:
        found = dict(record(name, checkout.resolve()))
        folder = keep / name if keep else RECORDED / name
        if keep or name == "examples":
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for command, text in found.items():
                (folder / f"{command}.txt").write_bytes(text.encode())
        if name != "examples":
            kept[name] = digests(found)
    if not keep:
        (RECORDED / "digests.json").write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
