"""Options that were typed but have no effect."""

from pathlib import Path

import pytest
from support import Command, prose, write

IDLE = [
    ("scan c --method minhash -d 5", "--distance"),
    ("scan c --method pstable --cosine 0.9 --search probe --memory 1G", "--search --memory"),
    ("scan c --search probe --tables 4", "--tables"),
    ("scan c --method simhash --recall 0.9", "--recall"),
    ("scan c --method simhash --no-verify -s 0.9 --shingle 4", "--similarity --shingle"),
    ("scan c --tokens chars:3 --segmenter jieba --dict w", "--segmenter --dict"),
    ("scan c --weight tf --idf builtin", "--idf"),
    ("scan c --weight tf --min-df 1 --idf corpus", "--idf"),
    ("scan c --weight binary --min-df 3", "--min-df"),
    ("scan c --idf builtin --min-df 3", "--min-df"),
    ("scan c -f csv --color always", "--color"),
    ("scan c -o x.jsonl --color always", "--color"),
    ("scan c --list kept --color never", "--color"),
    ("scan c --field text", ""),
    ("scan c --field body --id-field id", "--field --id-field"),
    ("scan c --extract all", "--extract"),
    ("scan c --extract none", "--extract"),
    ("scan c/a.txt --glob *.txt --exclude *.md", "--glob --exclude"),
    ("fingerprint --idf builtin --min-df 3 --tokens split --segmenter jieba c",
     "--segmenter --min-df"),
    ("fit c -o m --top 5 --bits 128", "--top --bits"),
    ("cluster p -s 0.9 --no-fold --field body", "--similarity --fold --field"),
    ("cluster p --verify-from c -s 0.9 --no-fold", ""),
    ("index build j --fingerprints p --glob *.txt", "--glob"),
    ("query i c --no-verify -s 0.9 --timeout 3", "--similarity --timeout"),
    ("query i c --new -n 3", "--limit"),
    ("compare c/a.txt c/b.txt -j 2", "--jobs"),
    ("compare c/a.txt c/b.txt --no-verify --shingle 3", ""),
    ("dedupe r.jsonl -o - --force --link hard", "--force --link"),
    ("dedupe r.jsonl -o out.jsonl --link hard", "--link"),
    ("dedupe c -o out --force --link hard", ""),
    # Options with an effect.
    ("scan c --method minhash --no-verify -s 0.9 --shingle 4 --recall 0.9", ""),
    ("scan c -d 5 -s 0.9 --shingle 4 --tables 4 --memory 1G", ""),
    ("scan c --weight logtf --idf corpus --min-df 3 --segmenter jieba --dict w", ""),
    ("scan c --weight tf --idf corpus --min-df 3", ""),
    ("scan c --recipe string128 --fold", ""),
    ("scan r.jsonl c --field text --id-field id --glob *.txt", ""),
    ("scan h.html --extract all", ""),
    ("scan h.html --extract none", ""),
    ("scan c --html --extract all", ""),
    ("query i c --add --timeout 3 -n 3 -d 4", ""),
]  # fmt: skip


@pytest.mark.parametrize(("line", "idle"), IDLE)
def test_an_option_without_effect_is_reported(
    simdup: Command, tmp_path: Path, line: str, idle: str
) -> None:
    """Earlier, all were ignored silently."""
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": prose(2), "w": "近似重复 10\n",
                     "r.jsonl": f'{{"id": 1, "text": "{LINE}"}}\n',
                     "h.html": f"<p>{prose(3)}</p>"})  # fmt: skip
    (tmp_path / "p").write_bytes(simdup("fingerprint", "c").out)
    simdup("index", "build", "i", "c")
    ran = simdup(*line.split())
    said = [one for one in ran.err.splitlines() if "has no effect: " in one]
    assert sorted(one.split(":")[1].strip() for one in said) == sorted(idle.split())
    assert all(len(one) <= 80 for one in said)
    assert ran.status < 2, ran.err


LINE = prose(4, 30).replace("\n", "")


def test_quiet_only_suppresses_messages(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": prose(1)})
    loud = simdup("scan", "c", "--method", "minhash", "-d", "5", "--field", "body")
    quiet = simdup("scan", "c", "--method", "minhash", "-d", "5", "--field", "body", "-q")
    plain = simdup("scan", "c", "--method", "minhash", "-q")
    assert (quiet.err, quiet.out, quiet.status) == ("", loud.out, loud.status)
    assert plain.out == loud.out
    assert "simdup: --distance: has no effect: this --method does not use fingerprints" in loud.err
