"""What an installation is tried with: each main command and function once, in seconds.

It needs pytest and no other file of the checkout, so wheels are tested with a copy of it.
"""

import json
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import simdup

NOTICE = (
    "图书馆从下周一起延长开放时间，周末也开放到晚上十点。同学们可以在二楼的阅览室自习，"
    "三楼的讨论室需要提前一天在网上预约。借书证请随身携带，遗失的要到服务台补办。"
)
DOSE = (
    "Patients with a severe reaction are given {} mg of Velorine as a slow injection, and a nurse "
    "who knows the signs stays with them until the swelling is gone and they breathe with ease."
)
TEXTS = {
    "notice.txt": NOTICE,
    "copy.txt": NOTICE.replace("晚上", "夜里"),
    "ward.txt": DOSE.format(20) + " The ward keeps the vials in the locked cupboard by the desk.",
    "night.txt": "Call the doctor on duty first, whatever the hour. " + DOSE.format(10),
}
# Equal on every system and in every version of Python.
FINGERPRINTS = {
    "notice.txt": "73b2101e7f99730e",
    "copy.txt": "7332101e5f99731f",
    "ward.txt": "b883fbbacba6e1e9",
    "night.txt": "b293fbbbcf87d5e9",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "gb18030" if name == "copy.txt" else "utf-8")
    return folder


def run(*words: str | Path, status: int = 0, given: str = "") -> str:
    """Run the command that is installed beside this Python."""
    command = shutil.which("simdup", path=sysconfig.get_path("scripts"))
    assert command, "there is no command beside this Python"
    done = subprocess.run(
        [command, *words], input=given.encode(), capture_output=True, timeout=120, check=False
    )
    assert done.returncode == status, done.stderr.decode()
    return done.stdout.decode()


def objects(*words: str | Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(*words, "-f", "jsonl").splitlines()]


def test_scan(corpus: Path) -> None:
    cluster, summary = objects("scan", corpus)
    found = [Path(one["document"]).name for one in cluster["documents"]]
    assert (found, summary["type"]) == (["copy.txt", "notice.txt"], "summary")


def test_the_report_page(corpus: Path, tmp_path: Path) -> None:
    run("scan", corpus, "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html><!-- simdup report 1 -->")
    assert page.endswith("</html>\n")


def test_compare(corpus: Path) -> None:
    run("compare", corpus / "notice.txt", corpus / "copy.txt")
    run("compare", corpus / "notice.txt", corpus / "ward.txt", status=1)


def test_passages_and_conflicts(corpus: Path) -> None:
    # Processes are started, even for so little.
    *overlaps, summary = objects("passages", corpus, "--jobs", "2")
    assert ([one["type"] for one in overlaps], summary["type"]) == (["overlap"] * 2, "summary")
    conflict, _ = objects("conflicts", corpus)
    assert [one["value"] for one in conflict["readings"]] == ["10 mg", "20 mg"]


def test_fingerprints_and_their_clusters(corpus: Path) -> None:
    lines = run("fingerprint", "--recipe", "default,idf=builtin", corpus)
    header, *rows = lines.splitlines()
    assert header == "# simdup 1 recipe=4e031589caa2 bits=64"
    assert {Path(row[18:]).name: row[:16] for row in rows} == FINGERPRINTS
    assert "other.txt" in run("cluster", given=f"{lines}{FINGERPRINTS['ward.txt']}  other.txt\n")


def test_dedupe(corpus: Path, tmp_path: Path) -> None:
    run("dedupe", corpus, "-o", tmp_path / "clean")
    kept = sorted(path.name for path in (tmp_path / "clean").iterdir())
    assert kept == ["copy.txt", "night.txt", "ward.txt"]


def test_an_index(corpus: Path, tmp_path: Path) -> None:
    index = tmp_path / "seen.index"
    run("index", "build", index, corpus)
    run("index", "check", index)
    assert "copy.txt: 1 match" in run("query", index, corpus / "copy.txt")


def test_the_functions() -> None:
    found = simdup.scan(TEXTS)
    assert (len(found), found.redundant) == (1, ["copy.txt"])
    assert simdup.dedupe(TEXTS).removed
    assert simdup.compare(NOTICE, TEXTS["copy.txt"]).duplicates
    assert f"{simdup.fingerprint(NOTICE):016x}" == FINGERPRINTS["notice.txt"]
    assert len(simdup.passages(TEXTS).overlaps) == 2
