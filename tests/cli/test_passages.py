"""`simdup passages`: its formats, its report, its status."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from support import Command

from lab.corpora.made import edited, prose, write


@pytest.fixture
def essays(tmp_path: Path) -> Path:
    source = prose(1, 200)
    texts = {
        "a.txt": source,
        "b.txt": prose(2, 80) + edited(source[100:300], edits=3) + prose(3, 80),
        "c.txt": prose(4),
        "d.txt": f" {source}",
    }
    return write(tmp_path / "essays", texts)


def test_text_says_how_much_of_each_and_shows_what(simdup: Command, essays: Path) -> None:
    done = simdup("passages", "essays")
    assert done.status == 0
    assert "the same text\n  100% of essays/a.txt\n  100% of essays/d.txt\n" in done.text
    assert "1 shared passage, the longest " in done.text
    assert "% of essays/b.txt\n" in done.text
    assert " ... " in done.text
    assert all(cell_len(line) <= 80 for line in done.lines)
    assert "2 pairs share 2 passages of at least 50 equal units" in done.err
    assert "1 document has the same text as an earlier one" in done.err


def test_an_excerpt_is_cut_between_characters_not_within_escapes(
    simdup: Command, tmp_path: Path
) -> None:
    hidden = "\u200b".join(prose(1, 60))
    write(tmp_path / "in", {"a.txt": hidden, "b.txt": hidden + prose(2)})
    for shift in range(8):
        (tmp_path / "in" / "a.txt").write_text("甲" * shift + hidden, "utf-8")
        [line] = [line for line in simdup("passages", "in").lines if " ... " in line]
        for part in line.strip().split(" ... "):
            assert re.fullmatch(r"(\\u200b|[^\\])+", part)
            assert not re.match(r"u?[02]{0,3}b", part)


def test_csv_has_a_row_a_passage(simdup: Command, essays: Path) -> None:
    done = simdup("passages", "-q", "essays", "-o", "found.csv")
    assert (done.status, done.out, done.err) == (0, b"", "")
    rows = list(csv.DictReader(io.StringIO(Path("found.csv").read_text("utf-8"))))
    head = "a,a_start,a_end,b,b_start,b_end,length,similarity"
    assert ",".join(rows[0]) == head
    [row] = [row for row in rows if row["b"] == "essays/b.txt"]
    text = (essays / "a.txt").read_text("utf-8")[int(row["a_start"]) : int(row["a_end"])]
    assert len(text) > 180
    assert 120 < int(row["length"]) <= 150
    assert 0.9 < float(row["similarity"]) < 1
    # A walk leaves the results out.
    Path("found.csv").rename("essays/found.csv")
    assert "left out: a result of simdup" in simdup("passages", "essays").err


def test_jsonl_ends_with_a_summary(simdup: Command, essays: Path) -> None:
    write(essays, {"empty.txt": ""})
    done = simdup("passages", "essays", "-f", "jsonl")
    same, overlap, skipped, summary = map(json.loads, done.lines)
    assert list(overlap) == ["type", "a", "b", "share_a", "share_b", "longest", "passages"]
    assert list(overlap["passages"][0]) == ["a", "b", "length", "similarity"]
    assert (same["identical"], same["share_a"]) == (True, 1.0)
    assert skipped == {"type": "skipped", "document": "essays/empty.txt", "reason": "empty"}
    assert (summary["type"], summary["schema"], summary["pairs"]) == ("summary", 1, 2)


def test_hostile_texts_do_not_drive_the_terminal(simdup: Command, tmp_path: Path) -> None:
    bad = "\x1b[31m\u202e" + prose(1)
    write(tmp_path, {"a\x1b[2J.txt": bad, "b.txt": bad + "。"})
    done = simdup("passages", ".")
    assert "\x1b" not in done.text
    assert "\u202e" not in done.text
    assert "\\x1b" in done.text


def test_status_tells_of_sources_that_gave_nothing(simdup: Command, essays: Path) -> None:
    assert simdup("passages", "essays", "missing.txt").status == 2
    assert simdup("passages", "essays", "--template", "missing.txt").status == 2
    assert simdup("passages", "essays", "--min-run", "1").status == 2
    assert "--min-run" in simdup("passages", "essays", "--min-run", "1").err
    done = simdup("passages", "essays", "--across", "author")
    assert (done.status, "--across: no record has a field 'author'" in done.err) == (2, True)


def test_what_was_left_out_is_told(simdup: Command, tmp_path: Path) -> None:
    notice = prose(0, 40)
    write(tmp_path / "site", {f"{i}.txt": f"{prose(i, 30)}{notice}" for i in range(60)})
    done = simdup("passages", "site", "--common", "10")
    assert (
        "units in 60 documents are text that more than 10 share, and start no passage." in done.err
    )
    assert "With --template such text is ignored, --common sets the number." in done.err
    done = simdup("passages", "site", "--common", "10", "--lang", "zh")
    assert "有些文字超过 10 篇都有（涉及 60 篇，共 " in done.err
    assert "用 --template 可忽略这类文字，用 --common 可调整篇数。" in done.err


@pytest.fixture
def theses(tmp_path: Path) -> Path:
    listed = "\n参考文献\n[1] 张三. 文本复用与检测方法的研究综述[J]. 情报学报, 2019, 38(2): 1-9.\n"
    listed += "[2] 李四. 论文写作规范与引用格式指南[M]. 北京: 某某大学出版社, 2018: 12-30."
    own = [prose(number, 60) for number in range(4)]
    texts = {
        "a.txt": own[0] + listed,
        "b.txt": own[1] + own[0][:150] + listed,
        "c\x1b[2J.txt": own[2],
        "d.txt": f" {own[0]}{listed}",
    }
    return write(tmp_path / "theses", texts)


def test_rates_are_a_row_a_document(simdup: Command, theses: Path) -> None:
    done = simdup("passages", "theses", "--rates", "-f", "csv", "-q")
    rows = list(csv.DictReader(io.StringIO(done.text)))
    assert list(rows[0]) == [
        "document", "share", "counted", "largest_source", "largest_share", "sources",
    ]  # fmt: skip
    assert [row["document"][7:8] for row in rows] == ["a", "d", "b", "c"]
    assert rows[0]["largest_source"] == "theses/d.txt"
    assert all(row["share"] == row["counted"] for row in rows)
    assert list(rows[3].values())[1:] == ["0.0000", "0.0000", "", "0.0000", "0"]
    write(theses, {"found.csv": done.text})
    assert "left out: a result of simdup" in simdup("passages", "theses", "--rates").err


def test_what_is_left_out_of_rates_is_shown(simdup: Command, theses: Path) -> None:
    write(theses, {"empty.txt": ""})
    done = simdup(
        "passages", "theses", "--rates", "--leave-out", "references,quotes", "-f", "jsonl"
    )
    *rates, skipped, summary = map(json.loads, done.lines)
    assert [one["type"] for one in rates] == ["rate"] * 4
    assert (skipped["type"], summary["type"]) == ("skipped", "summary")
    [b] = [one for one in rates if one["document"] == "theses/b.txt"]
    assert b["counted"] < b["share"]
    [part] = b["left_out"]
    text = (theses / "b.txt").read_text("utf-8")
    assert part["kind"] == "references"
    assert text[part["start"] : part["end"]] == text[text.index("参考文献") :]
    assert rates[-1]["largest_source"] is None


@pytest.mark.parametrize(("language", "first"), [("en", "copied"), ("zh", "  重复")])
def test_a_person_reads_rates_as_a_table(
    simdup: Command, theses: Path, language: str, first: str
) -> None:
    done = simdup("passages", "theses", "--rates", "--lang", language)
    assert done.lines[0].startswith(first)
    assert "  100%" in done.lines[1]
    assert "\x1b" not in done.text
    assert all(cell_len(line) <= 80 for line in done.lines)
    assert simdup("passages", "theses/a.txt", "--rates").lines[1].split() == [
        "0%", "0%", "0", "theses/a.txt",
    ]  # fmt: skip
    assert "counted" not in simdup("passages", "theses", "--rates").lines[0]
    done = simdup("passages", "theses", "--rates", "--leave-out", "quotes")
    assert done.lines[0].split()[:2] == ["copied", "counted"]


def test_parts_are_left_out_of_rates_and_pages_only(simdup: Command, theses: Path) -> None:
    listed = [simdup("passages", "theses", *out).out for out in ((), ("--leave-out", "references"))]
    assert listed[0] == listed[1]
    done = simdup("passages", "theses", "--rates", "--leave-out", "refs")
    assert "'refs' is not one of references, quotes" in done.err
    assert simdup("passages", "theses", "--leave-out", "references", "-o", "x.html").status == 0


def test_texts_that_are_shorter_than_a_passage_are_noted(simdup: Command, tmp_path: Path) -> None:
    short, long = "港务局今天宣布所有渡轮将在早上六点开始运行", prose(1, 200)
    write(tmp_path, {"s/a.txt": short, "s/b.txt": short, "l/c.txt": long, "l/d.txt": long})
    note = "--min-length: all {} are shorter than a passage, which has 50 units or more"
    simdup("index", "build", "l.index", "l", "--passages")
    for asked, side in (
        (["s"], "texts"), (["s", "--reference", "l"], "SOURCEs"),
        (["s", "--reference", "l.index"], "SOURCEs"), (["l", "--reference", "s"], "references"),
    ):  # fmt: skip
        said = simdup("passages", *asked, "--rates").err
        assert f"simdup: {note.format(side)}; the longest has {len(short)}\n" in said
        assert said.count("--min-length") == 1
    for asked in (["s", "l"], ["s", "--min-length", "20"], ["l", "--reference", "l.index"]):
        assert "shorter" not in simdup("passages", *asked).err


def test_text_of_passages_is_as_it_is_in_both_documents(simdup: Command, tmp_path: Path) -> None:
    text = '=SUM(1)\t"a",\r\n' + prose(1) + "\x1b"
    copied = text.replace('"a"', '"A"')
    write(tmp_path / "x", {"a.txt": prose(2) + text, "b.txt": copied + prose(3)})
    a, b = ((tmp_path / name).read_bytes().decode() for name in ("x/a.txt", "x/b.txt"))
    done = simdup("passages", "x", "-f", "csv", "--text")
    [row] = csv.DictReader(io.StringIO(done.out.decode(), newline=""))
    assert list(row)[-2:] == ["text", "text_b"]
    assert row["text"] == a[int(row["a_start"]) : int(row["a_end"])]
    assert row["text_b"] == b[int(row["b_start"]) : int(row["b_end"])]
    assert '\t"a",\r\n' in row["text"]
    assert '\t"A",\r\n' in row["text_b"]
    safe = simdup("passages", "x", "-f", "csv", "--text", "--bom").out.decode("utf-8-sig")
    [cell] = csv.DictReader(io.StringIO(safe, newline=""))
    assert cell["text"] in (row["text"], f"'{row['text']}")
    overlap = json.loads(simdup("passages", "x", "-f", "jsonl", "--text").lines[0])
    assert overlap["passages"][0]["text"] == row["text"]
    assert overlap["passages"][0]["text_b"] == row["text_b"]
    refused = simdup("passages", "x", "--text")
    assert (refused.status, "--text needs --format csv or jsonl" in refused.err) == (2, True)


def test_a_limit_lists_the_largest_and_says_so(simdup: Command, essays: Path) -> None:
    every = simdup("passages", "essays", "-f", "csv", "-q").lines
    done = simdup("passages", "essays", "-f", "csv", "-n", "1")
    assert done.lines == every[:2] != every
    assert "Listed 1 of 2 pairs." in done.err
    assert "2 pairs share 2 passages" in done.err
    overlap, summary = map(json.loads, simdup("passages", "essays", "-f", "jsonl", "-n1").lines)
    assert (overlap["identical"], summary["pairs"]) == (True, 2)
    rates = simdup("passages", "essays", "--rates", "-n", "3", "--lang", "zh")
    assert (len(rates.lines), "4 篇文档中列出了 3 篇。" in rates.err) == (4, True)
    assert "Listed" not in simdup("passages", "essays", "-n", "2").err


def test_empty_names_in_a_list_are_errors(simdup: Command, theses: Path) -> None:
    for names in (",", "references,", "，quotes", "references,,quotes"):
        done = simdup("passages", "theses", "--rates", "--leave-out", names)
        assert (done.status, "'' is not one of references, quotes" in done.err) == (2, True)
    done = simdup("conflicts", "theses", "--kinds", "amount,,date")
    assert (done.status, "'' is not one of address, date" in done.err) == (2, True)
    assert simdup("passages", "theses", "--rates", "--leave-out", "").status == 0


def test_names_may_be_separated_by_chinese_commas(simdup: Command, theses: Path) -> None:
    found = [
        simdup("passages", "theses", "--rates", "-f", "csv", "--leave-out", names).text
        for names in ("references,quotes", "references，quotes", "references、quotes")
    ]
    assert found[0] == found[1] == found[2] != ""
