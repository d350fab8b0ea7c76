"""What ends the lines of a file changes offsets and nothing else."""

import re
from pathlib import Path

import pytest
from support import Command

from lab.corpora.made import edited, prose

TITLE = "Harbour\n=======\n"
TEXTS = {
    "a.txt": f"# 港口\n\n{prose(1)}\nCopyright 1\n",
    "b.txt": f"# 港口\n\n{edited(prose(1), edits=4)}\nCopyright 2\n\n\n",
    "c.md": f"---\ntitle: Harbour\ndate: 2024\n---\n{prose(2)}",
    "d.md": f"{TITLE}{prose(2)}\n\n",
    "e.txt": "a short text\nof two lines, 3 tablets",
    "f.txt": "a short text\nof two lines; 3 tablets\n",
    "g.html": f"<title>A\nB</title>\n<p>{prose(3)}\n{prose(4, 30)}</p>\n<pre>one\ntwo</pre>",
    "h.html": f"<p>\n{prose(3)}{prose(4, 30)}</p>",
    "i.txt": prose(5).replace("。", "。\n"),
    "j.txt": prose(5).replace("。", "。\n") + prose(6, 90),
}
COMMANDS = (
    "scan c",
    "scan c -s 0.5 --strip ^Copyright.*$ --strip ^#.*\\n\\n",
    "scan c -s 0.3 --same title --keep longest",
    "scan c --extract all --shingle words:2 --recipe default,fold=false",
    "scan c --method simhash --recipe default,tokens=split -d 20",
    "fingerprint c",
    "fingerprint c --recipe default,tokens=ngrams:2 --strip ^.{0,9}$",
    "compare c/a.txt c/b.txt --diff",
    "compare c/a.txt c/b.txt --diff --verbose",
    "compare c/g.html c/h.html --diff --extract all",
    "compare c/i.txt c/j.txt --diff",
)


def answers(simdup: Command, folder: Path, ends: dict[str, str]) -> list[str]:
    """What commands say of the texts with these line ends."""
    (folder / "c").mkdir(exist_ok=True)
    for name, text in TEXTS.items():
        (folder / "c" / name).write_bytes(text.replace("\n", ends[name]).encode("gb18030"))
    said = []
    for command in COMMANDS:
        ran = simdup(*command.split(" "))
        said.append(re.sub(r"characters [\d,–]+ and [\d,–]+", "", ran.text) + ran.err)
        said[-1] = re.sub(r"\d+\.\d+ s", "", said[-1])
    return said


@pytest.mark.parametrize("end", ["\r\n", "\r", "mixed"])
def test_line_ends_change_no_answer(simdup: Command, tmp_path: Path, end: str) -> None:
    plain = answers(simdup, tmp_path, dict.fromkeys(TEXTS, "\n"))
    ends = dict.fromkeys(TEXTS, end)
    if end == "mixed":
        ends = {name: ("\r\n", "\n", "\r")[i % 3] for i, name in enumerate(TEXTS)}
    assert answers(simdup, tmp_path, ends) == plain


def test_fingerprint_lines_may_end_as_on_windows(simdup: Command, tmp_path: Path) -> None:
    """A name with a carriage return of its own has it escaped, so it stays."""
    texts = {"a.txt": prose(1), "b.txt": edited(prose(1), edits=2), "c\r.txt": prose(1)}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    lines = simdup("fingerprint", *texts).out
    assert b"c\\r.txt\n" in lines
    (tmp_path / "unix").write_bytes(lines)
    (tmp_path / "windows").write_bytes(lines.replace(b"\n", b"\r\n") + b"\r\n")
    (tmp_path / "cut").write_bytes(lines.replace(b"\n", b"\r\n").rstrip())
    for command in ("cluster", "pairs"):
        plain = simdup(command, "unix").out
        assert b"c\\r.txt" in plain
        assert [simdup(command, name).out for name in ("windows", "cut")] == [plain, plain]
    exported = []
    for name in ("unix", "windows"):
        simdup("index", "build", f"{name}.index", "--fingerprints", name)
        exported.append(simdup("index", "export", f"{name}.index").out)
    assert exported[0] == exported[1] == lines
