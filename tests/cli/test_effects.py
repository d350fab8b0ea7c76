"""Options that were typed but have no effect."""

from pathlib import Path

import pytest
from support import Command

from lab.corpora.made import prose, write

# Options at odds with each other.
IDLE = [
    ("scan c --method minhash -d 5", "--distance"),
    ("pairs p --search probe --tables 4", "--tables"),
    ("scan c --method simhash --no-verify -s 0.9", "--similarity"),
    ("scan c --method simhash --no-verify --shingle 4", "--shingle"),
    ("scan c --tokens chars:3 --dict w", "--dict"),
    ("scan c --weight tf --idf builtin", "--idf"),
    ("scan c --weight tf --min-df 1 --idf corpus", "--idf"),
    ("scan c --weight binary --min-df 3", "--min-df"),
    ("scan c --idf builtin --min-df 3", "--min-df"),
    ("scan c -f csv --color always", "--color"),
    ("scan c -o x.jsonl --color always", "--color"),
    ("scan c --list kept --color never", "--color"),
    ("scan c --list kept --pairs", "--pairs"),
    ("scan c -o x.html -n 3", "--limit"),
    ("scan c -f github --pairs", "--pairs"),
    ("fingerprint --idf builtin --min-df 3 c", "--min-df"),
    ("index build j --fingerprints p --glob *.txt", "--glob"),
    ("query i c --no-verify -s 0.9", "--similarity"),
    ("query i c --timeout 3", "--timeout"),
    ("query i c --new -n 3", "--limit"),
    ("compare c/a.txt c/b.txt -j 2", "--jobs"),
    ("dedupe r.jsonl -o - --force", "--force"),
]

# Options that do not suit these files, but may suit others.
NOTED = [
    ("scan c --field body --id-field id", "--field --id-field"),
    ("scan c --extract all", "--extract"),
    ("scan c --extract none", "--extract"),
    ("scan c/a.txt --glob *.txt --exclude *.md", "--glob --exclude"),
    # Options with an effect.
    ("scan c --field text", ""),
    ("compare c/a.txt c/b.txt --no-verify --shingle 3", ""),
    ("dedupe c -o out --force", ""),
    ("scan c --method minhash --no-verify -s 0.9 --shingle 4", ""),
    ("scan c -d 5 -s 0.9 --shingle 4", ""),
    ("scan c --weight logtf --idf corpus --min-df 3 --dict w", ""),
    ("scan c --weight tf --idf corpus --min-df 3", ""),
    ("scan c --recipe string128 --fold", ""),
    ("scan r.jsonl c --field text --id-field id --glob *.txt", ""),
    ("scan h.html --extract all", ""),
    ("scan h.html --extract none", ""),
    ("scan c --html --extract all", ""),
    ("query i c --add --timeout 3 -n 3 -d 4", ""),
]


@pytest.fixture
def bench(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": prose(2), "w": "近似重复 10\n",
                     "r.jsonl": f'{{"id": 1, "text": "{LINE}"}}\n',
                     "h.html": f"<p>{prose(3)}</p>"})  # fmt: skip
    (tmp_path / "p").write_bytes(simdup("fingerprint", "c").out)
    simdup("index", "build", "i", "c")


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize(("line", "idle"), IDLE)
def test_an_option_without_effect_is_an_error(simdup: Command, line: str, idle: str) -> None:
    """Its user would believe that the result follows it; with --quiet too."""
    for quiet in ("", " -q"):
        ran = simdup(*f"{line}{quiet}".split())
        first, hint = ran.err.splitlines()
        assert first.startswith(f"simdup: {idle}: has no effect: ")
        assert len(first) <= 80
        assert (ran.status, ran.out, hint) == (2, b"", "hint: remove it")


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize(("line", "idle"), NOTED)
def test_an_option_that_does_not_suit_the_files_is_noted(
    simdup: Command, line: str, idle: str
) -> None:
    ran = simdup(*line.split())
    said = [one for one in ran.err.splitlines() if "has no effect: " in one]
    assert sorted(one.split(":")[1].strip() for one in said) == sorted(idle.split())
    assert all(len(one) <= 80 for one in said)
    assert ran.status < 2, ran.err


LINE = prose(4, 30).replace("\n", "")


def test_quiet_only_suppresses_messages(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": prose(1)})
    loud = simdup("scan", "c", "--field", "body")
    quiet = simdup("scan", "c", "--field", "body", "-q")
    assert (quiet.err, quiet.out, quiet.status) == ("", loud.out, loud.status)
    assert "simdup: --field: has no effect: no SOURCE contains records" in loud.err


def test_a_configured_option_gives_way(simdup: Command, tmp_path: Path) -> None:
    """Nobody typed it, so nobody expects it to matter here."""
    write(tmp_path, {"c/a.txt": prose(1), "simdup.toml": "distance = 5\n"})
    assert simdup("scan", "c", "--method", "minhash").status == 0
