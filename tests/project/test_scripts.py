"""The example scripts run, in the shell and in Python, and do what they say."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, environment

from lab.corpora.made import near, prose, write

SCRIPTS = ROOT / "examples" / "scripts"
PYTHON = ROOT / "examples" / "python"
CORPUS = ROOT / "examples" / "corpus"

posix = pytest.mark.skipif(os.name == "nt", reason="the script is for a POSIX shell")


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    given = environment(SIMDUP=f"{sys.executable} -m simdup")
    return subprocess.run(
        command, cwd=cwd, env=given, capture_output=True, text=True, timeout=60, check=False
    )


@posix
def test_clean_a_training_set(tmp_path: Path) -> None:
    texts = [prose(1), prose(2), near(prose(1)), prose(2) + "完"]
    lines = [json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts]
    (tmp_path / "train.jsonl").write_text("".join(lines))
    script = SCRIPTS / "clean-training-set.sh"
    ran = run("sh", script, "train.jsonl", "clean.jsonl", "removed.csv", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "clean.jsonl").read_text() == lines[0] + lines[3], "the longest stay"
    assert len((tmp_path / "removed.csv").read_text().splitlines()) == 3


@posix
def test_find_reposted_news(tmp_path: Path) -> None:
    """Files in GBK, UTF-8 and Big5."""
    ran = run("sh", SCRIPTS / "reposted-news.sh", CORPUS / "news", "found.csv", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    found = (tmp_path / "found.csv").read_text()
    assert "/news/地铁三号线开通-转载.txt" in found
    assert "/news/圖書館延長開放.txt" in found


@posix
def test_new_pages_of_a_manual(tmp_path: Path) -> None:
    write(tmp_path / "v1", {f"{n}.md": prose(n) for n in range(5)})
    write(tmp_path / "v2", {f"{n}.md": near(prose(n)) for n in range(7)})
    ran = run("sh", SCRIPTS / "new-pages-of-a-manual.sh", "v1", "v2", cwd=tmp_path)
    assert (ran.returncode, ran.stdout.split()) == (0, ["v2/5.md", "v2/6.md"])


@posix
def test_homework(tmp_path: Path) -> None:
    ran = run("sh", SCRIPTS / "homework.sh", CORPUS / "homework", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "生物-王小明.txt" in ran.stdout
    assert "near-duplicates that differ in" in ran.stdout


@posix
@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_check_in_a_makefile(tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": prose(1), "b.md": prose(2)})
    assert run("make", "-f", SCRIPTS / "check.mk", cwd=tmp_path).returncode == 0
    write(tmp_path / "docs", {"c.md": near(prose(1))})
    ran = run("make", "-f", SCRIPTS / "check.mk", cwd=tmp_path)
    assert ran.returncode == 2
    assert "docs/c.md" in ran.stdout


def fed(command: list[str | Path], folder: Path, *texts: tuple[str, str]) -> list[str]:
    """The output of a feed script for pairs of (id, text)."""
    lines = "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts)
    ran = subprocess.run(
        [*command, "seen.index"], cwd=folder, input=lines.encode(), capture_output=True,
        env=environment(SIMDUP=f"{sys.executable} -m simdup"), timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.decode().split()


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["sh", SCRIPTS / "feed.sh"], marks=posix, id="shell"),
        pytest.param([sys.executable, PYTHON / "feed.py"], id="python"),
    ],
)
def test_a_feed(command: list[str | Path], tmp_path: Path) -> None:
    first = fed(command, tmp_path, ("a", prose(1)), ("b", near(prose(1))), ("c", prose(2)))
    assert first == ["a", "c"]
    assert fed(command, tmp_path, ("d", near(prose(2))), ("e", prose(3))) == ["e"]


def test_scan_texts(tmp_path: Path) -> None:
    ran = run(sys.executable, PYTHON / "scan_texts.py", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    groups = [line for line in ran.stdout.splitlines() if not line.startswith(" ")]
    assert groups == ["group 1: text 1, text 3", "group 2: text 2, text 4", "alone: text 5"]


def test_deduplicate_jsonl(tmp_path: Path) -> None:
    texts = [prose(1), near(prose(1)) + "完", prose(2)]
    lines = [
        json.dumps({"title": "标题", "text": text}, ensure_ascii=False) + "\n" for text in texts
    ]
    (tmp_path / "all.jsonl").write_text("".join(lines), "utf-8")
    script = PYTHON / "deduplicate_jsonl.py"
    ran = run(sys.executable, script, "all.jsonl", "kept.jsonl", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "2 of 3 records kept\n", "")
    assert (tmp_path / "kept.jsonl").read_text("utf-8") == lines[1] + lines[2], "the longest stay"
