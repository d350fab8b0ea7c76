"""What the trials of options need: files, and how commands are called.

The table of options has them: for each option, two calls that it makes different, which
`test_every_option.py` tries.  A trial is ``SOURCES | what both calls have | what only the second
call has``.  Without SOURCES it takes those of `BASES`.
"""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from support import environment

from lab.corpora.made import edited, near, prose, write
from simdup.cli.options.row import Row

# What is called, with the place of the SOURCEs; and the SOURCEs, if a trial names none.
BASES = {
    "scan": ("scan {}", "c"),
    "compare": ("compare {}", "c/a.txt c/b.txt"),
    "passages": ("passages {}", "c"),
    "fingerprint": ("fingerprint {}", "c"),
    "cluster": ("cluster {}", "p --verify-from c"),
    "pairs": ("pairs {}", "p"),
    "dedupe": ("dedupe {}", "c -o out"),
    "fit": ("fit {} -o out", "c"),
    "index build": ("index build out {}", "c"),
    "index add": ("index add i {}", "c"),
    "index remove": ("index remove i {}", "k/x.md"),
    "index info": ("index info {}", "i"),
    "index check": ("index check {}", "i"),
    "index repair": ("index repair {}", "i"),
    "index export": ("index export {}", "i"),
    "query": ("query i {}", "c"),
    "tune": ("tune {}", "c"),
    "evaluate": ("evaluate {}", "r.csv t"),
}

# Two messages with an edit, and two that differ in their numbers.
_SHORT = ("请大家明天下午准时到会议室参加讨论", "请大家明天上午准时到会议室参加讨论",
          "平凡的世界第1集在线观看高清完整版", "平凡的世界第2集在线观看高清完整版")  # fmt: skip


def lines(command: str, row: Row) -> tuple[str, str]:
    """Return two calls of a command, without and with the option of a row."""
    trials = row.trial if isinstance(row.trial, Mapping) else {"*": row.trial}
    trial = trials.get(command) or trials["*"]
    sources, common, typed = map(str.strip, trial.split("|"))
    base, usual = BASES[command]
    called = f"{base.format(sources or usual)} {common}".strip()
    return called, f"{called} {typed}"


_CALLS = """
import sys
from simdup.cli import main
for call in sys.argv[1:]:
    try:
        main([*call.split(), "--isolated", "-q"])
    except SystemExit as left:
        assert left.code == 0, call
"""


def build(folder: Path) -> None:
    """Fill a folder with what the trials name."""
    a, x = prose(1), prose(2)
    b = near(a) + prose(3, 5)
    write(folder / "c", {"a.txt": a, "b.txt": b, "x.md": x})
    write(folder / "k", {"x.md": near(x), "y.md": prose(4)})
    write(folder / "full", {"a.txt": "another text"})
    write(folder / "f", {"a.txt": a + "HARBOUR 國", "b.txt": a + "harbour 国"})
    tags = "".join(f"<b class='{n} {n * n}'></b>" for n in range(300))
    page = "<html><body>{}<p>" + a.replace("\n", "</p><p>") + "</p></body></html>"
    write(folder / "w", {"a.txt": page.format(tags), "b.txt": page.format("")})
    write(folder / "h", {"a.html": page.format(tags), "b.html": page.format("")})
    write(folder / "known", {"page.html": page.format(""), "body.txt": prose(9, 40)})
    records = "".join(
        f'{{"id": "id{n}", "text": "{prose(n, 40)}", "body": "{prose(9, 40)}"}}\n'.replace(
            "。\n", "。"
        )
        for n in (5, 5, 6)
    )
    write(folder, {"r.jsonl": records, "lines": records})
    # Each is near its neighbours, the ends are not.
    long = prose(7, 60)
    write(folder / "chain", {f"{n}.txt": long[n * 6 : n * 6 + 110] for n in range(5)})
    write(folder / "many", {f"{n:03}.txt": a + prose(100 + n, 1) for n in range(70)})
    # Two clusters, of which the second is larger.
    both = {"a.txt": x, "b.txt": near(x), "c.txt": a, "d.txt": near(a), "e.txt": a + "。"}
    write(folder / "both", both)
    write(folder / "twice", {"x.md": x})
    write(folder / "ig", {"a.txt": a, "b.txt": b, "x.md": near(x), ".simdupignore": "b.txt"})
    write(folder / "e", {"y.md": edited(prose(4), 1, 4)})
    write(folder, {
        "list": "k\n", "list0": "k\0", "gone": "k/y.md\n", "gone0": "k/y.md\0",
        "words": "近似重复 10\n老人河岸 99999\n",
        "s.jsonl": "".join(f'{{"text": "{one}"}}\n' for one in _SHORT),
        "t": "c/a.txt\tc/b.txt\t0.5\nc/a.txt\tc/x.md\t0.95\n",
        "quiet.toml": "quiet = true\n",
        "decided.json": '{"type": "decision", "decision": "distinct", '
                        '"documents": ["c/a.txt", "c/b.txt"]}\n',
    })  # fmt: skip
    _prepare(folder)


def _prepare(folder: Path) -> None:
    """Run the commands whose results others read, all in one process."""
    calls = (
        "fingerprint c -o p", "fingerprint r.jsonl -o pr", "fingerprint lines -o pl",
        "fingerprint w -o pw", "fingerprint s.jsonl -o ps", "fingerprint h -o ph",
        "fingerprint f -o pf", "fingerprint ig --no-ignore -o pig",
        "fingerprint chain -o pchain", "fingerprint many -o pmany",
        "fingerprint both -o pboth", "scan c -o r.csv",
        "index build i k twice known", "fit c -o model",
        "scan c --baseline checked --update-baseline",
    )  # fmt: skip
    arguments = [sys.executable, "-c", _CALLS, *calls]
    done = subprocess.run(arguments, cwd=folder, env=environment(), check=False, timeout=120)
    assert done.returncode == 0
