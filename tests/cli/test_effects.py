"""Options without effect beside others, or on these files, are ignored."""

from pathlib import Path

import pytest
from support import Command

from lab.corpora.made import near, prose, write

# A command, and options that change nothing there.
IDLE = [
    ("scan c --method minhash", "-d 5"),
    ("pairs p --search probe", "--tables 4"),
    ("scan c --method simhash --no-verify", "-s 0.9 --shingle 4"),
    ("scan c -f csv", "--color always"),
    ("scan c -o x.jsonl", "--color always"),
    ("scan c --list kept", "--color never --pairs"),
    ("scan c -f github", "--pairs"),
    ("scan c --recipe default,tokens=chars:3", "--dict w"),
    ("scan c", "--field body --id-field id --extract all"),
    ("scan c/a.txt c/b.txt", "--glob *.txt"),
    ("query i c --no-verify", "-s 0.9"),
    ("query i c", "--timeout 3"),
    ("query i c --new", "-n 3"),
    ("compare c/a.txt c/b.txt", "-j 2 --field body"),
    ("index build j --fingerprints p", "--encoding utf-8"),
    ("dedupe r.jsonl -o -", "--force"),
    ("conflicts c", "--field body"),
]


@pytest.fixture
def bench(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": near(prose(1)), "w": "近似重复 10\n",
                     "r.jsonl": f'{{"id": 1, "text": "{LINE}"}}\n'})  # fmt: skip
    (tmp_path / "p").write_bytes(simdup("fingerprint", "c").out)
    simdup("index", "build", "i", "c")


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize(("line", "idle"), IDLE)
def test_an_option_without_effect_is_ignored(
    simdup: Command, tmp_path: Path, line: str, idle: str
) -> None:
    results = []
    for command in (line, f"{line} {idle}"):
        ran = simdup(*command.split(), "-q")
        written = [tmp_path / name for name in ("x.jsonl", "j") if (tmp_path / name).exists()]
        results.append((ran.status, ran.out, ran.err, [path.name for path in written]))
        for path in written:
            path.unlink()
    assert results[0] == results[1]
    assert results[0][0] == 0


LINE = prose(4, 30).replace("\n", "")
