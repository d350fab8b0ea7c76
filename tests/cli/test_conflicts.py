"""`simdup conflicts`: its formats, its report, its status, what is known."""

import csv
import io
import json
import os
from pathlib import Path

import pytest
from rich.cells import cell_len
from support import Command

from lab.corpora.made import prose, write

RULE = (
    "Keep the solution in the dark, and give {} twice a day, always together with a meal. Wash "
    "your hands before you open the bottle, and write down when you opened it.\n"
)


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    pages = {
        f"{n}.md": f"{prose(n, 30)}\n{RULE.format('20 mg' if n == 3 else '10 mg')}"
        for n in range(5)
    }
    return write(tmp_path / "handbook", pages)


def test_text_says_who_says_what(simdup: Command, handbook: Path) -> None:
    done = simdup("conflicts", "handbook")
    assert done.status == 0
    assert done.lines[0] == "1  amount: 4 documents say 10 mg, 1 says 20 mg"
    assert "and give [20 mg | 10 mg] twice a day" in done.lines[1]
    assert done.lines[2].startswith("   20 mg  1 document, 20")
    assert done.lines[3] == "     handbook/3.md:5"
    assert done.lines[-1] == "     and 1 more"
    assert all(cell_len(line) <= 80 for line in done.lines)
    assert "Found 1 conflict in 5 documents." in done.err
    chinese = simdup("conflicts", "handbook", "--lang", "zh")
    assert chinese.lines[0] == "1  数量：4 篇写作 10 mg，1 篇写作 20 mg"
    assert "发现 1 处矛盾，涉及 5 篇文档。" in chinese.err


def test_csv_has_a_row_a_reading_and_document(simdup: Command, handbook: Path) -> None:
    done = simdup("conflicts", "-q", "handbook", "-o", "found.csv")
    assert (done.status, done.out, done.err) == (0, b"", "")
    content = Path("found.csv").read_text("utf-8")
    assert content.startswith("conflict,kind,reading,document,start,end,line,before,after\n")
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [row["document"][-4] for row in rows] == list("30124")
    text = (handbook / "3.md").read_text("utf-8")
    assert text[int(rows[0]["start"]) : int(rows[0]["end"])] == rows[0]["reading"] == "20 mg"
    # A walk leaves the results out.
    Path("found.csv").rename("handbook/found.csv")
    assert "left out: a result of simdup" in simdup("conflicts", "handbook").err


def test_jsonl_ends_with_a_summary(simdup: Command, handbook: Path) -> None:
    write(handbook, {"empty.md": ""})
    done = simdup("conflicts", "handbook", "-f", "jsonl")
    conflict, skipped, summary = map(json.loads, done.lines)
    assert list(conflict) == ["type", "kind", "before", "after", "readings"]
    assert [reading["value"] for reading in conflict["readings"]] == ["20 mg", "10 mg"]
    assert list(conflict["readings"][0]["documents"][0]) == ["document", "start", "end", "line"]
    assert skipped["type"] == "skipped"
    assert (summary["documents"], summary["conflicts"], summary["affected"]) == (5, 1, 5)


def doses(folder: Path, *values: int) -> None:
    """Write a page for each value, in a folder."""
    write(
        folder,
        {f"{n}.md": f"{prose(n, 30)}\n{RULE.format(f'{v} mg')}" for n, v in enumerate(values)},
    )


def test_what_is_left_out_as_a_form_is_said(simdup: Command, tmp_path: Path) -> None:
    doses(tmp_path / "filled", *range(10, 15))
    done = simdup("conflicts", "filled", "--check")
    assert (done.status, done.out) == (0, b"")
    assert "Found no conflicts.\nLeft out 1 place as a form: " in done.err
    assert "1 处当作表单" in simdup("conflicts", "filled", "--lang", "zh").err
    listed = simdup("conflicts", "filled", "-f", "jsonl")
    form, summary = map(json.loads, listed.lines)
    assert (form["type"], len(form["readings"])) == ("form", 5)
    assert (summary["conflicts"], list(summary)[-1], summary["forms"]) == (0, "forms", 1)


def test_further_values_do_not_hide_a_known_conflict(simdup: Command, tmp_path: Path) -> None:
    base = ("conflicts", "pages", "--check", "--baseline", "known")
    doses(tmp_path / "pages", 10, 10, 20, 20, 30, 30)
    assert simdup(*base, "--update-baseline").status == 0
    # Without the baseline, it would be a form.
    doses(tmp_path / "pages", 10, 10, 20, 40, 30, 50)
    done = simdup(*base)
    assert (done.status, done.lines[0][:36]) == (1, "1  amount: 2 documents say 10 mg, 1 ")
    assert "form" not in done.err
    assert "1 conflict" in simdup(*base, "--update-baseline").err
    done = simdup(*base)
    assert (done.status, "Found no new conflicts; 1 known." in done.err) == (0, True)


def test_a_check_fails_until_conflicts_are_known(simdup: Command, handbook: Path) -> None:
    assert simdup("conflicts", "handbook", "--check").status == 1
    base = ("conflicts", "handbook", "--check", "--baseline", "known")
    missing = simdup(*base)
    assert missing.status == 2
    assert "--update-baseline" in missing.err
    written = simdup(*base, "--update-baseline")
    assert (written.status, "Wrote known: 1 conflict." in written.err) == (0, True)
    known = simdup(*base)
    assert (known.status, known.out) == (0, b"")
    assert "Found no new conflicts; 1 known." in known.err
    # The same values in a further page are known; another value is not.
    write(handbook, {"5.md": f"{prose(5, 30)}\n{RULE.format('20 mg')}"})
    assert simdup(*base).status == 0
    # A value may be spelled in another way where it comes first; it is said as most spell it.
    write(handbook, {"0.md": f"{prose(0, 30)}\n{RULE.format('ten milligrams')}"})
    assert simdup(*base).status == 0
    write(handbook, {"5.md": f"{prose(5, 30)}\n{RULE.format('30 mg')}"})
    again = simdup(*base)
    assert again.status == 1
    assert "amount: 4 documents say 10 mg, 1 says" in again.text


def test_a_baseline_passes_where_a_form_has_a_value_of_a_conflict(
    simdup: Command, tmp_path: Path
) -> None:
    told = (
        "Nobody knows why the old nurses of this house would boil the bark for hours, and give {} "
        "twice a day to whoever came, as long as the roads were closed and the winter was hard.\n"
    )
    texts = [RULE.format(f"{n} mg") for n in range(10, 20)]
    texts += [told.format(f"{n} mg") for n in (10, 30)]
    pages = {f"{n}.md": f"{prose(n, 30)}\n{text}" for n, text in enumerate(texts)}
    write(tmp_path / "pages", pages)
    base = ("conflicts", "pages", "--check", "--baseline", "known")
    assert simdup(*base, "--update-baseline").status == 0
    assert simdup(*base).status == 0


def test_only_of_files_with_other_times_one_is_newest(simdup: Command, handbook: Path) -> None:
    for path in handbook.iterdir():
        os.utime(path, (1e9, 1e9))
    assert "(newest)" not in simdup("conflicts", "handbook").text
    records = [{"text": path.read_text("utf-8")} for path in sorted(handbook.iterdir())[:4]]
    Path("r.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records), "utf-8")
    assert "(newest)" not in simdup("conflicts", "handbook", "r.jsonl").text
    os.utime(handbook / "3.md", (1.5e9, 1.5e9))
    assert simdup("conflicts", "handbook").text.count("(newest)") == 1


def test_a_baseline_says_where_each_conflict_is(simdup: Command, handbook: Path) -> None:
    write(handbook, {"3.md": f"Notes\x1b\n{RULE.format('20 mg')}", "0.md": RULE.format("ten\nmg")})
    base = ("conflicts", "handbook", "--baseline", "known")
    assert simdup(*base, "--update-baseline").status == 0
    lines = Path("known").read_text("utf-8").splitlines()
    place = "# handbook/3.md: the solution in the dark, and give ... twice a day, always together"
    assert [one for one in lines if one.startswith(place)] == [lines[-3]]
    assert sorted(one[34:] for one in lines[-2:]) == ["amount: 10 mg", "amount: 20 mg"]
    assert "Found no new conflicts; 1 known." in simdup(*base, "--check").err


def test_a_baseline_of_a_part_says_what_it_removes(simdup: Command, handbook: Path) -> None:
    base = ("--baseline", "known", "--update-baseline")
    assert "Wrote known: 1 conflict.\n" in simdup("conflicts", "handbook", *base).err
    assert "Wrote known: 1 conflict.\n" in simdup("conflicts", "handbook", *base).err
    part = ("conflicts", "handbook/0.md", "handbook/1.md", *base)
    less = "Wrote known: 0 conflicts; 2 entries that were not found are removed.\n"
    assert less in simdup(*part).err
    pages = {"a.md": prose(1), "b.md": prose(1), "sub/c.md": prose(2), "sub/d.md": prose(2)}
    write(handbook.parent / "docs", pages)
    base = ("--baseline", "pages", "--update-baseline")
    assert simdup("scan", "docs", *base).status == 0
    less = "Wrote pages: 2 documents in 1 cluster; 2 entries that were not found are removed.\n"
    assert less in simdup("scan", "docs/sub", *base).err
    assert "条" in simdup("scan", "docs/a.md", *base, "--lang", "zh").err


def test_conflicts_are_known_whatever_pages_are_called(simdup: Command, tmp_path: Path) -> None:
    rule = (
        "本药房为住院病人配药由{}负责，每次{}，饭后服用，服药期间请勿饮酒，如有不适立即告诉护士，"
        "并且一一记在表上。"
    )
    a, b = rule.format("药师值班", "二十毫克"), rule.format("护士夜班", "20毫克")
    other = rule.format("药师值班", "三十毫克")
    base = ("conflicts", "pages", "--check", "--baseline", "known")
    for pages in ((a, b, other), (a, other), (b, other)):
        folder = write(tmp_path / "pages", {f"{n}.md": one for n, one in enumerate(pages)})
        assert simdup(*base, "--update-baseline").status == 0
        for n, one in enumerate(folder.iterdir()):
            one.rename(one.with_name(f"{n}{one.name}"))
        (folder / min(folder.iterdir())).rename(folder / "z.md")
        assert simdup(*base).status == 0
        for one in folder.iterdir():
            one.write_text(one.read_text("utf-8").replace("，", "，\n"), "utf-8")
        assert simdup(*base).status == 0
        for one in folder.iterdir():
            one.unlink()


def test_baselines_are_of_one_kind(simdup: Command, handbook: Path) -> None:
    assert simdup("scan", "handbook", "--baseline", "scanned", "--update-baseline").status == 0
    done = simdup("conflicts", "handbook", "--baseline", "scanned", "--update-baseline")
    assert done.status == 2
    assert "is a baseline of near-duplicates, not of conflicts" in done.err
    assert simdup("conflicts", "handbook", "--baseline", "k", "--update-baseline").status == 0
    done = simdup("scan", "handbook", "--baseline", "k")
    assert (done.status, "is a baseline of conflicts, not of" in done.err) == (2, True)


def test_hostile_values_do_not_drive_the_terminal(simdup: Command, tmp_path: Path) -> None:
    values = ["it at https://example.org/\x1b[31m", "it at https://example.org/\u202ea"]
    pages = {f"{n}.md": f"{prose(n, 30)}\n{RULE.format(v)}" for n, v in enumerate(values)}
    write(tmp_path / "pages", pages)
    done = simdup("conflicts", "pages")
    assert "\x1b" not in done.text
    assert "\u202e" not in done.text
