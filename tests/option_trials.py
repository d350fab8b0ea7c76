"""For each option two calls that it makes different, which `test_every_option.py` tries.

A trial is ``SOURCES | what both calls have | the value of the option in the second call``, or this
value alone.  Without SOURCES it takes those of `BASES`.  What both calls have is for all commands
of the option: each takes what it knows of it.  Flags without a trial need none.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from support import environment

from lab.corpora.made import edited, near, prose, write
from simdup.cli.options import rows_of
from simdup.cli.row import Row

# By option; of those that commands try in other ways, by command.
TRIALS: Mapping[str, str | Mapping[str, str]] = {
    "--files-from": {"index remove": "gone", "*": "list"},
    "--null": {"index remove": "|--files-from gone0|", "*": "|--files-from list0|"},
    "--glob": "*.md",
    "--exclude": "*.md",
    "--ignore": "ig||",
    "--encoding": "ascii",
    "--input-format": "lines||jsonl",
    "--delimiter": "d.csv||,",
    "--field": "r.jsonl|-f jsonl|body",
    "--id-field": {"fit": "r.jsonl||none", "*": "r.jsonl|--removed removed.csv|id"},
    "--code": "md||",
    "--extract": {"conflicts": "u|-f jsonl|none", "*": "h|-f jsonl|none"},
    "--max-size": {"conflicts": "200", "*": "500"},
    "--method": {"query": "e||simhash", "*": "simhash"},
    "--distance": {"query": "|-s 0|64", "*": "|--method simhash|20"},
    "--similarity": "|-d 20|0.99",
    "--shingle": "20",
    "--verify": "|-d 20|",
    "--containment": "0.5",
    "--cosine": "0.5",
    "--same": "r.jsonl||id",
    "--across": "r.jsonl||id",
    "--keep": "longest",
    "--prefer": "b*",
    "--decisions": "decided.json",
    "--all-pairs": "many|-f jsonl --removed out.html|",
    "--reference": "k",
    "--list": "unique",
    "--baseline": "checked",
    "--update-baseline": "|--baseline unwritten|",
    "--limit": {"query": "twice|-d 20 -s 0.5|1", "*": "both||1"},
    "--sort": "both||name",
    "--format": "|-d 20|jsonl",
    "--output": {"fit": "other", "audit": "other.html", "*": "out"},
    "--bom": {"dedupe": "c --dry-run||", "*": "|-f csv|"},
    "--color": "always",
    "--report-texts": "|-f html --removed out.html|none",
    "--quiet": "|-o out|",
    "--progress": "|--idf-from c|",
    "--lang": "|-o out|zh",
    "--jobs": "|--idf-from c|3",
    "--tables": "4",
    "--search": "|-d 2|probe",
    "--recipe": "|-v|bkdr32",
    "--strip": "|-v|[a-z]+",
    "--dict": "|-v|words",
    "--config": "|-o out|quiet.toml",
    "--debug": "|--config lost.toml|",
    "--min-run": {"index build": "|--passages|100", "*": "100"},
    "--gap": "0",
    "--min-length": {"dedupe": "n|--unit line|1000", "*": "1000"},
    "--common": {"passages": "many||2", "*": "c|--against many|2"},
    "--template": "c/a.txt",
    "--leave-out": "o|--rates -f jsonl|references",
    "--text": "many|-f csv|",
    "--context": "100",
    "--kinds": "wording",
    "--terms": "terms",
    "--unit": "sentence",
    "--copies": "n|--unit line --min-length 1|2",
    "--index": "e|--dry-run|i",
    "--removed": "removed.csv",
    "--by": "folder",
    "--max-removed": "0",
    "--add": "|--index i|",
    "--annotate": "r.jsonl|--field body|",
    "--force": "|-o full|",
    "--against": "k",
    "--against-field": "r.jsonl||body",
    "--against-id-field": "id",
    "--share": "1",
    "--evidence": "leaks.jsonl",
    "--check": {"query": "twice||", "*": "0"},
    "--fingerprints": "pc||",
    "--timeout": "|--add --timeout 0|0.1",
    "--exclude-self": "twice||",
    "--sample": "1",
    "--seed": "|--sample 1|2",
    "--idf-from": "c",
    "--min-score": "0.9",
    "--judged": "found.jsonl||judged.jsonl",
}  # fmt: skip


class Base(NamedTuple):
    """How a command is called: with its SOURCEs, those that a trial leaves out, and options."""

    call: str
    sources: str = "c"
    options: str = ""  # but for a trial of one of them


BASES = {
    "scan": Base("scan {sources}"),
    "compare": Base("compare {two}"),
    "passages": Base("passages {sources}"),
    "conflicts": Base("conflicts {sources}", "n"),
    "fingerprint": Base("fingerprint {sources}"),
    "cluster": Base("cluster p{sources}", options="-d 12"),
    "pairs": Base("pairs p{sources}"),
    "dedupe": Base("dedupe {sources}", options="--output out"),
    "decontaminate": Base(
        "decontaminate {sources}", options="--against q.jsonl --output out --evidence leaks.jsonl"
    ),
    "fit": Base("fit {sources}", options="--output out"),
    "index build": Base("index build out {sources}"),
    "index add": Base("index add i {sources}"),
    "index remove": Base("index remove i {sources}", "k/x.md"),
    "index info": Base("index info {sources}", "i"),
    "index check": Base("index check {sources}", "i"),
    "index export": Base("index export {sources}", "i"),
    "query": Base("query i {sources}"),
    "evaluate": Base("evaluate {sources}", "r.csv t"),
    "audit": Base("audit found.jsonl {sources}", options="--output page.html"),
}

# Copied text with a fact.
_RULE = (
    "Keep the solution in the dark, and give {} mg twice a day, always together with a meal. Wash "
    "your hands before you open the bottle, and write down when you opened it."
)

# Two messages with an edit, and two that differ in their numbers.
_SHORT = ("请大家明天下午准时到会议室参加讨论", "请大家明天上午准时到会议室参加讨论",
          "平凡的世界第1集在线观看高清完整版", "平凡的世界第2集在线观看高清完整版")  # fmt: skip

# Documents of all that an audit is tried with, each a pair with the next one.
_NAMED = (
    "c/a.txt", "c/b.txt", "c/x.md", "k/x.md", "r.jsonl#1", "r.jsonl#2", "id5", "lines", "lines#1",
    "ig/a.txt", "ig/b.txt", "h/a.html", "h/b.html", "w/a.txt", "w/b.txt", "c/a.txt",
    "d.csv#1", "d.csv#2",
)  # fmt: skip
_FOUND = [
    {"type": "pair", "a": a, "b": b, "distance": 0, "similarity": 0.9}
    for a, b in pairwise(_NAMED)
]  # fmt: skip
_JUDGED = [
    {
        "type": "decision",
        "decision": verdict,
        "documents": _NAMED[n : n + 2],
        "seed": 1,
        "sample": 4,
    }
    for n, verdict in enumerate(("duplicates", "distinct"))
]


def lines(command: str, row: Row) -> tuple[str, str]:
    """Return two calls of a command, without and with the option of a row."""
    trials = TRIALS.get(row.option, "")
    trial = trials if isinstance(trials, str) else trials.get(command, trials.get("*", ""))
    *before, value = map(str.strip, trial.split("|"))
    named, common = before or ("", "")
    base = BASES[command]
    sources = named or base.sources
    usual = base.options.format(sources=sources)
    usual = " ".join(one for one in split(usual) if one.split()[0] not in row.opts)
    known = {opt for one in rows_of(command) for both in one.opts for opt in both.split("/")}
    usable = (one for one in split(common) if one.split()[0] in known)
    call = base.call.format(sources=sources, two=two_of(sources))
    without = " ".join(filter(None, [call, usual, *usable]))
    # A flag that is on by default is typed as its opposite.
    on, _, off = row.opts[-1].partition("/")
    return without, " ".join(filter(None, [without, off if row.initial is True else on, value]))


def split(options: str) -> Iterator[str]:
    """Yield options, each with its value if it has one."""
    words = options.split()
    starts = [i for i, word in enumerate(words) if word.startswith("-")]
    return (" ".join(words[i:j]) for i, j in pairwise([*starts, len(words)]))


def two_of(sources: str) -> str:
    """Return two documents of what a trial names: files of a folder, records of a file."""
    if os.path.isdir(sources):
        return " ".join(f"{sources}/{name}" for name in sorted(os.listdir(sources))[:2])
    return sources if " " in sources else f"{sources}#1 {sources}#2"


_CALLS = """
import sys
from simdup.cli import main
for call in sys.argv[1:]:
    try:
        main([*call.split(), "--config", "none", "-q"])
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
    rules = {n: page.replace("</body>", f"<p>{_RULE.format(n)}</p></body>") for n in (10, 20)}
    write(folder / "v", {"a.txt": rules[10].format(tags), "b.txt": rules[20].format("")})
    write(folder / "u", {"a.html": rules[10].format(tags), "b.html": rules[20].format("")})
    amounts = {"a.txt": 10, "b.txt": 20, "x.md": 10}
    write(folder / "n", {
        name: f"{prose(n, 20)}\n{_RULE.format(amount)}"
        for n, (name, amount) in enumerate(amounts.items())
    })  # fmt: skip
    write(folder / "n", {"z.md": _RULE.format(10).replace("bottle", "flask")})
    listed = f"{a}\n参考文献\n[1] 张三. 一篇文章[J]. 学报, 2019, 3(2): 1-9."
    write(folder / "o", {"a.txt": listed, "b.txt": listed + "\n致谢\n谢谢。"})
    write(folder / "md", {f"{n}.md": f"```\n{_RULE.format(n)}\n```\n" for n in (10, 20)})
    write(folder / "h", {"a.html": page.format(tags), "b.html": page.format("")})
    write(folder / "known", {"page.html": page.format(""), "body.txt": prose(9, 40)})
    records = "".join(
        f'{{"id": "id{n}", "text": "{prose(n, 40)}{_RULE.format(amount)}", '
        f'"body": "{prose(9, 40)}"}}\n'.replace("。\n", "。")
        for n, amount in ((5, 10), (5, 20), (6, 10))
    )
    # A text on either side of each semicolon.
    table = [f"{prose(n, 40)}{_RULE.format(n)},n;{_RULE.format(9)}" for n in (5, 6, 5)]
    cells = "".join(row.replace("\n", "").replace(", al", " al") + "\n" for row in table)
    write(folder, {"r.jsonl": records, "lines": records, "d.csv": f"text,n;text\n{cells}"})
    asked = [{"id": "q1", "text": a, "body": prose(5, 40)},
             {"id": "q2", "text": prose(6, 40), "body": prose(9, 40)}]  # fmt: skip
    write(folder, {"q.jsonl": "".join(json.dumps(one) + "\n" for one in asked)})
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
        "quiet.toml": "quiet = true\n", "terms": "bottle\nflask\n",
        "found.jsonl": "".join(f"{json.dumps(one)}\n" for one in _FOUND),
        "judged.jsonl": "".join(f"{json.dumps(one)}\n" for one in _JUDGED),
        "decided.json": '{"type": "decision", "decision": "distinct", '
                        '"documents": ["c/a.txt", "c/b.txt"]}\n',
    })  # fmt: skip
    _prepare(folder)


def _prepare(folder: Path) -> None:
    """Run the commands whose results others read, all in one process."""
    printed = ("c", "r.jsonl", "lines", "w", "s.jsonl", "h", "f", "many", "both")
    calls = (
        *(f"fingerprint {one} -o p{one}" for one in printed), "fingerprint ig --no-ignore -o pig",
        "scan c -o r.csv", "index build i k twice known", "fit c -o model",
        "scan c --baseline checked --update-baseline",
    )  # fmt: skip
    arguments = [sys.executable, "-c", _CALLS, *calls]
    done = subprocess.run(arguments, cwd=folder, env=environment(), check=False, timeout=120)
    assert done.returncode == 0
