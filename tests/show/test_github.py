"""Warnings for GitHub: which documents they are about, and that names cannot forge another one."""

import gzip
import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, Ran

from lab.corpora.made import edited, near, prose, write
from simdup import scan
from simdup.corpus.names import from_bytes
from simdup.show.github import warning_lines

_COMMAND = re.compile(r"::warning ([^:]*)::([^\r\n]*)")
_BACK = {"%0A": "\n", "%0D": "\r", "%3A": ":", "%2C": ",", "%25": "%"}


def unescaped(text: str) -> str:
    return re.sub("%(0A|0D|3A|2C|25)", lambda match: _BACK[match[0]], text)


def parsed(out: bytes) -> list[dict[str, str]]:
    """What GitHub makes of each line: its properties and its message."""
    found = []
    for line in from_bytes(out).split("\n")[:-1]:
        command = _COMMAND.fullmatch(line)
        assert command, line
        pairs = (one.split("=", 1) for one in command[1].split(","))
        found.append({key: unescaped(value) for key, value in pairs})
        found[-1]["message"] = unescaped(command[2])
    return found


RULE = "Keep the solution in the dark, give {} twice a day, and always together with a meal. Wash "
RULE += "your hands before you open the bottle, and write down when you opened it."


def warnings(simdup: Command, *more: str, status: int = 0) -> list[dict[str, str]]:
    ran = simdup("scan", "-f", "github", *more)
    assert ran.status == status, ran.err
    return parsed(ran.out)


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def test_a_warning_for_each_redundant_document(simdup: Command, tmp_path: Path) -> None:
    text = prose(7, 60)
    chain = {f"{n}.md": text[n * 6 : n * 6 + 110] for n in range(4)}
    write(tmp_path / "docs", chain | {"x.md": prose(1), "y.md": prose(1) + " "})
    members = simdup("scan", "docs", "-f", "csv", "-q").lines[1:]
    roles = {row.split(",")[2]: row.split(",")[1] for row in members}
    found = warnings(simdup, "docs")
    assert [one["file"] for one in found] == [name for name in roles if roles[name] != "kept"]
    assert list(roles.values()).count("kept") > 2, "a cluster may have several"
    assert {one["line"] for one in found} == {"1"}
    assert found[-1] == {
        "file": "docs/y.md", "line": "1", "title": "Same text",
        "message": "docs/y.md has the same text as docs/x.md. "
                   "Keep one of them, or let one refer to the other.",
    }  # fmt: skip
    first = found[0]
    assert first["title"] == "Near-duplicate"
    said = r"docs/1\.md is a near-duplicate of docs/0\.md \(similarity 0\.[89]\d\d\d\)\. Keep one.*"
    assert re.fullmatch(said, first["message"])


def test_with_a_baseline_what_is_new_is_warned_of(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "docs", {"b.md": prose(1), "c.md": near(prose(1)), "x.md": prose(2)})
    known = ("docs", "--baseline", "known")
    assert simdup("scan", *known, "--update-baseline").status == 0
    assert warnings(simdup, *known, "--check") == []
    # One that is kept, one that is not, and two that were alone.
    write(tmp_path / "docs", {"a.md": edited(prose(1), 3), "d.md": edited(prose(1), 5)})
    write(tmp_path / "docs", {"y.md": near(prose(2))})
    found = warnings(simdup, *known, "--check", status=1)
    names = [f"docs/{name}.md" for name in "adxy"]
    assert [one["file"] for one in found] == names, "either of x and y may be what was added"
    assert found[2]["message"].startswith("docs/x.md is a near-duplicate of docs/y.md ")
    assert found[3]["message"].startswith("docs/y.md is a near-duplicate of docs/x.md ")
    assert found[3]["message"].endswith("update the baseline with --update-baseline.")
    assert "of docs/b.md (" in found[0]["message"] or "of docs/c.md (" in found[0]["message"]


def test_records_have_their_lines(simdup: Command, tmp_path: Path) -> None:
    texts = [prose(2), prose(1), near(prose(1))]
    lines = [json.dumps({"text": text}) for text in texts]
    blank = f"{lines[0]}\n\n  \n{lines[1]}\n\n{lines[2]}"
    write(tmp_path, {"r.jsonl": blank, "a.json": f"[{','.join(lines)}]"})
    (tmp_path / "z.jsonl.gz").write_bytes(gzip.compress(blank.encode()))
    places = [(one["file"], one.get("line")) for one in warnings(simdup, "r.jsonl")]
    assert places == [("r.jsonl", "6")]
    for name in ("a.json", "z.jsonl.gz"):
        (one,) = warnings(simdup, name)
        assert (one["file"], one.get("line")) == (name, None)
        assert one["message"].startswith(f"{name}#3 is a near-duplicate of {name}#2 ")


def test_standard_input_is_no_file(simdup: Command) -> None:
    lines = "".join(json.dumps({"text": text}) + "\n" for text in (prose(1, 30), prose(1, 30)))
    ran = simdup("scan", "-", "--input-format", "jsonl", "-f", "github", stdin=lines.encode())
    (one,) = parsed(ran.out)
    assert set(one) == {"title", "message"}


def test_paths_start_at_the_root_of_the_repository(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "part" / "docs", {"a.md": prose(1), "b.md": prose(1)})
    monkeypatch.chdir(tmp_path / "part")
    for source in ("docs", "./docs", "docs/../docs//", str(tmp_path / "part" / "docs")):
        assert warnings(simdup, source)[0]["file"] == "docs/b.md"
        monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
        assert warnings(simdup, source)[0]["file"] == "part/docs/b.md"
        monkeypatch.delenv("GITHUB_WORKSPACE")
    monkeypatch.chdir(tmp_path / "part" / "docs")
    assert warnings(simdup, "../../part/docs")[0]["file"] == "b.md"
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert warnings(simdup, "../part/docs")[0]["file"] == "../part/docs/b.md"


@pytest.mark.skipif(os.name == "nt", reason="names are restricted")
def test_a_name_cannot_forge_a_command(simdup: Command, tmp_path: Path) -> None:
    hostile = ["a", "b\n::error file=x::forged", "c\r::stop-commands::x", "d,line=9,title=x::y",
               "e%0A::error::x", "f\x1b[31m", "g\udcff"]  # fmt: skip
    write(tmp_path / "docs", dict.fromkeys(hostile, prose(1)))
    out = simdup("scan", "docs", "-f", "github").out
    found = parsed(out)
    assert [one["file"] for one in found] == [f"docs/{name}" for name in hostile[1:]]
    assert out.count(b"\n") == len(found)
    assert b"\r" not in out
    for one in found:
        assert set(one) == {"file", "line", "title", "message"}
        assert "\n" not in one["message"]
        assert "\x1b" not in one["message"]


@given(st.lists(st.text(min_size=1), min_size=2, max_size=4, unique=True))
def test_any_name_makes_one_command(names: list[str]) -> None:
    found = scan([(name, "the same text by the harbour of copper and granite") for name in names])
    out = b"".join(warning_lines(found, "100 %, really: now."))
    assert len(parsed(out)) == len(names) - 1
    assert out.count(b"::warning title=Same text::") == len(names) - 1


def said(ran: Ran) -> list[str]:
    return [line for line in ran.err.splitlines() if "GitHub" in line]


def test_it_says_what_github_leaves_out(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "docs", {f"{n:02}.md": prose(1) for n in range(11)})
    assert said(simdup("scan", "docs", "-f", "github")) == []
    write(tmp_path / "docs", {"11.md": prose(1)})
    assert said(simdup("scan", "docs", "-f", "github")) == [
        "GitHub shows 10 of the 11 warnings beside the files; the log has all."
    ]
    assert said(simdup("scan", "docs", "-f", "github", "-q")) == []


def test_references_are_not_warned_of(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "old", {"a.md": prose(1), "b.md": near(prose(1))})
    write(tmp_path / "docs", {"c.md": edited(prose(1), 3)})
    simdup("index", "build", "i", "old")
    for reference in ("old", "i"):
        found = warnings(simdup, "docs", "--reference", reference)
        assert [one["file"] for one in found] == ["docs/c.md"]
        assert "of old/" in found[0]["message"]


def test_a_warning_for_each_document_that_few_agree_with(simdup: Command, tmp_path: Path) -> None:
    doses = ["20 mg", "20 mg", "10 mg", "20 mg"]
    pages = {f"{n}.md": f"{prose(n)}\n{RULE.format(dose)}" for n, dose in enumerate(doses)}
    write(tmp_path / "docs", pages)
    line = pages["2.md"].count("\n") + 1
    warning = {
        "file": "docs/2.md", "line": str(line), "title": "Conflict",
        "message": "docs/2.md says 10 mg where 3 documents say 20 mg. Correct what is wrong.",
    }  # fmt: skip
    assert parsed(simdup("conflicts", "docs", "-f", "github").out) == [warning]
    base = ("conflicts", "docs", "-f", "github", "--check", "--baseline", "known")
    assert simdup(*base, "--update-baseline").status == 0
    assert (simdup(*base).status, simdup(*base).out) == (0, b"")
    write(tmp_path / "docs", {"4.md": f"{prose(4)}\n{RULE.format('30 mg')}"})
    done = simdup(*base)
    assert done.status == 1
    assert [one["file"] for one in parsed(done.out)] == ["docs/2.md", "docs/4.md"]
    assert "update the baseline with --update-baseline" in parsed(done.out)[0]["message"]
    # Where as many say the one as the other, both are looked at.
    even = parsed(simdup("conflicts", "docs/1.md", "docs/2.md", "-f", "github").out)
    assert sorted(one["message"].partition(". Correct")[0] for one in even) == [
        "docs/1.md says 20 mg where 1 document says 10 mg",
        "docs/2.md says 10 mg where 1 document says 20 mg",
    ]
    # The line in a record is none of its file.
    records = "\n".join(json.dumps({"text": text}) for text in pages.values())
    write(tmp_path, {"r.jsonl": records})
    [one] = parsed(simdup("conflicts", "r.jsonl", "-f", "github").out)
    assert (set(one), one["message"][:24]) == ({"title", "message"}, "r.jsonl#3 says 10 mg whe")


def test_the_warnings_of_conflicts_are_limited_and_escaped(simdup: Command, tmp_path: Path) -> None:
    values = ["https://example.org/a%0A"] * 12 + ["https://example.org/b%0D"] * 11
    pages = {
        f"{n}.md": f"{prose(n)}\n{RULE.format(f'it at {one}')}" for n, one in enumerate(values)
    }
    write(tmp_path / "docs", pages)
    done = simdup("conflicts", "docs", "-f", "github")
    found = parsed(done.out)
    assert len(found) == 11
    assert "12 documents say https://example.org/a%0A." in found[0]["message"]
    assert b"b%250D" in done.out
    assert said(done) == ["GitHub shows 10 of the 11 warnings beside the files; the log has all."]
