"""What is said about leaks, in both languages, and what programs read."""

import json
from dataclasses import replace

from simdup.model.documents import Skipped
from simdup.model.shared_passages import LeakCriteria
from simdup.show.leak_output import Decontaminated, Leak, LeakRate, evidence, leak_report
from simdup.show.words import CHINESE

RATES = (LeakRate("a.jsonl", 3, 0, 0, 0), LeakRate("b\x1b[31m.jsonl", 3, 2, 1, 0))
FOUND = Decontaminated(
    leaks=[Leak("d#1", "b.jsonl#2", 0.66669, [(3, 40)], [(0, 37)])], rates=RATES, documents=1000,
    evaluations=6, affected=6, left_out=1, kept=2, lengths=(2, 40, 1310),
    common_units=90, common_texts=4, masked=True, skipped=(Skipped("d#9", "empty"),), notes=(),
    seconds=1.25,
)  # fmt: skip


def test_the_worst_file_comes_first() -> None:
    assert leak_report(FOUND, LeakCriteria()).splitlines() == [
        "Read 1,000 documents and 6 evaluation texts in 1.2 s; 1 skipped (1 empty).",
        "Lengths of the evaluation texts: 2 to 1,310 units; the median is 40.",
        "66.6 % of b\\x1b[31m.jsonl leaked: 2 of 3.",
        "0.0 % of a.jsonl leaked: 0 of 3.",
        "Cut evaluation text from 3 documents.",
        "Left out 1 document that has evaluation text.",
        "2 documents that have evaluation text could not be changed, and stay.",
        (
            "1 evaluation text has fewer than 15 units that count: it is found only in a document "
            "with no other text. `min_run` sets the number."
        ),
        (
            "90 units of 4 evaluation texts do not count: more than 5 % of the texts, and more "
            "than 5, of a file share them. `common` sets the number."
        ),
    ]


def test_what_would_be_done_is_said_so() -> None:
    lines = leak_report(FOUND, LeakCriteria(), done=False).splitlines()
    assert lines[4:6] == [
        "Would cut evaluation text from 3 documents.",
        "Would leave out 1 document that has evaluation text.",
    ]
    clean = replace(FOUND, affected=0, left_out=0, kept=0)
    assert "No document has evaluation text." in leak_report(clean, LeakCriteria())


def test_many_files_are_counted() -> None:
    rates = tuple(LeakRate(f"{n:02}.jsonl", 100, n, 0, 0) for n in range(23))
    lines = leak_report(replace(FOUND, rates=rates), LeakCriteria()).splitlines()
    assert lines[2] == "22.0 % of 22.jsonl leaked: 22 of 100."
    assert lines[22] == "3 more files with rates of 2.0 % or less."


def test_a_report_in_chinese() -> None:
    report = leak_report(FOUND, LeakCriteria(), CHINESE)
    assert "a.jsonl：泄漏率 0.0%（3 条中有 0 条）。" in report
    assert "有 2 篇含评测文本的文档无法处理，仍原样保留。" in report
    data = replace(FOUND, rates=(LeakRate("", 3, 1, 0, 1),))
    report = leak_report(data, LeakCriteria(common=9), CHINESE)
    assert "评测文本：泄漏率 33.3%（3 条中有 1 条，其中 1 条各出现在超过 5 篇文档里）。" in report
    assert "有 4 条评测文本含有同一文件中超过 9 条文本共有的文字，合计 90 单位，不计入" in report


def test_what_many_documents_have_is_counted_apart() -> None:
    found = replace(FOUND, rates=(LeakRate("a.jsonl", 8, 4, 0, 3),), evaluations=1)
    lines = leak_report(found, LeakCriteria(common=9)).splitlines()
    assert lines[1:3] == [
        "Lengths of the evaluation texts: 2 to 1,310 units; the median is 40.",
        "50.0 % of a.jsonl leaked: 4 of 8, 3 of these in more than 5 documents each.",
    ]
    assert "do not count: more than 9 texts of a file share them." in lines[-1]


def test_lines_for_programs() -> None:
    leak, skipped, summary = map(json.loads, evidence(FOUND))
    assert leak == {
        "type": "leak", "document": "d#1", "eval": "b.jsonl#2", "share": 0.6666,
        "spans": [[3, 40]], "eval_spans": [[0, 37]],
    }  # fmt: skip
    assert skipped == {"type": "skipped", "document": "d#9", "reason": "empty"}
    assert summary["rates"][1]["rate"] == 0.6666
    assert (summary["lengths"], summary["common_texts"]) == ([2, 40, 1310], 4)
    assert (summary["affected"], summary["left_out"], summary["kept"]) == (6, 1, 2)
