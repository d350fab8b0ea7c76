"""Every report in Chinese: what it says, that it says nothing in English, and that it lines up."""

import re
import shutil
from pathlib import Path

import pytest
from rich.cells import cell_len
from support import ROOT, Command

from lab.corpora.made import prose, write

# Not words of ours: names of methods, measures, settings, units and options.
ALLOWED = {
    "simhash", "MinHash", "simdup", "IDF", "Jaccard", "gram", "p", "stable", "k", "F", "cubed", "B",
    "kB", "MB", "builtin", "jieba", "words", "tfidf", "blake", "b", "a", "auto", "none", "OUT",
    "dedupe", "scan", "T", "Z", "s", "d", "minhash", "pstable",
}  # fmt: skip


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """The examples, as a new user has them, in a folder with a Chinese name."""
    shutil.copytree(ROOT / "examples" / "corpus", tmp_path / "语料")
    return tmp_path


def english(text: str) -> set[str]:
    """The Latin words of a text that are neither names, options nor digests."""
    text = re.sub(r"--[a-z-]+|\b[0-9a-f]{12,16}\b|\S*[/.]\S+", " ", text)
    return set(re.findall(r"[A-Za-z]+", text)) - ALLOWED


COMMANDS = [
    "scan 语料",
    "scan 语料 -v --containment 0.7 -n 2",
    "scan 语料/notices --pairs --containment 0.7",
    "scan 语料 --method simhash",
    "scan 语料 --method pstable -s 0 --cosine 0.9 --keep longest --prefer *",
    "scan 语料 --no-verify --reference 语料/news",
    "scan 语料 --across folder --strip 。 -v",
    "scan 空",
    "cluster prints.txt",
    "compare 语料/notices/宿舍管理规定-2021.txt 语料/notices/宿舍管理规定-2022.txt -v",
    "compare 语料/notices/宿舍管理规定-2021.txt 语料/news/候鸟.txt --method simhash",
    "compare 语料/news/候鸟.txt 语料/news/暴雨-早报.txt --same title --containment 0.5",
    "compare 语料/news/图书馆延长开放.txt 语料/news/圖書館延長開放.txt --diff",
    "compare 语料/notices/宿舍管理规定-2021.txt 语料/notices/宿舍管理规定-2022.txt --diff",
    "passages 语料/homework",
    "passages 语料/notices",
    "passages 语料/news --min-length 5000",
    "dedupe 语料 -o 净 --by folder --removed 删.csv",
    "dedupe 语料/notices --dry-run --lossless",
    "dedupe 语料/news -o 注 --force --index 新.index --add",
    "index build 又.index 语料",
    "index add 旧.index 语料",
    "index info 旧.index",
    "index check 旧.index",
    "query 旧.index 语料/news 别.txt --add",
    "query 旧.index 别.txt --new -o 新.txt",
    "fit 语料 -o 模型",
    "evaluate 果.jsonl 果.jsonl",
]


@pytest.mark.parametrize("typed", COMMANDS)
def test_no_english_is_left(simdup: Command, corpus: Path, typed: str) -> None:
    write(corpus, {"别.txt": prose(9), "空/空.txt": ""})
    if "旧.index" in typed:
        simdup("index", "build", "旧.index", "语料/news", "-q")
    if "prints.txt" in typed:
        simdup("fingerprint", "语料", "-o", "prints.txt", "-q")
    if "果.jsonl" in typed:
        simdup("scan", "语料", "-o", "果.jsonl", "-q")
    ran = simdup(*typed.split(), "--lang", "zh")
    said = [line for line in ran.err.splitlines() if not line.startswith(("simdup: ", "hint: "))]
    shown = ran.text.replace(prose(9), "")
    assert re.search(r"[\u4e00-\u9fff]", shown + "".join(said))
    if "--removed" not in typed and "--dry-run" not in typed:
        said += [line for line in shown.splitlines() if not line.startswith("[")]
    assert english("\n".join(said)) == set()


def cells_before(line: str, last: str) -> int:
    return cell_len(line[: line.index(last)])


def test_clusters_line_up(simdup: Command, corpus: Path) -> None:
    ran = simdup("scan", "语料", "--containment", "0.7", "--lang", "zh")
    head, *rows = [line for line in ran.lines if line.startswith("  ")]
    assert {cells_before(row, "语料/") for row in rows} == {cells_before(head, "文档")}
    pairs = simdup("scan", "语料", "--containment", "0.7", "--pairs", "--lang", "zh").lines
    assert {cells_before(row, "语料/") for row in pairs[1:]} == {cells_before(pairs[0], "文档")}


def test_english_and_chinese_list_the_same(simdup: Command, corpus: Path) -> None:
    for typed in (
        "scan 语料",
        "query i 语料",
        "compare 语料/news/候鸟.txt 语料/news/暴雨-早报.txt",
    ):
        simdup("index", "build", "i", "语料/news", "-q")
        figures = [
            re.findall(r"\d\.\d{4}", simdup(*typed.split(), "--lang", lang).text)
            for lang in ("en", "zh")
        ]
        assert figures[0] == figures[1] != []


def test_formats_for_programs_stay_as_they_are(simdup: Command, corpus: Path) -> None:
    for typed in ("scan 语料 -f csv", "scan 语料 --list redundant", "passages 语料 -f csv",
                  "compare 语料/news/候鸟.txt 语料/news/暴雨-早报.txt -f jsonl"):  # fmt: skip
        outputs = {simdup(*typed.split(), "--lang", lang).out for lang in ("en", "zh")}
        assert len(outputs) == 1


def test_a_result_in_chinese_may_be_replaced(simdup: Command, corpus: Path) -> None:
    for _ in range(2):
        ran = simdup("scan", "语料", "--lang", "zh", "-o", "语料/果.txt")
        assert ran.err.endswith("已写入 语料/果.txt。\n")
