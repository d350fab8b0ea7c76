"""For each option, two calls that it makes different; `test_every_option.py` tries them.

A trial is ``SOURCES | what both calls have | what only the second call has``.  Without SOURCES it
takes those of `BASES`.
"""

import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

from support import edited, environment, near, prose, write

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

# By option, then by command; a pattern of commands applies where no command before it does.
TRIALS: dict[str, dict[str, str]] = {
    # What is read.
    "--files-from": {"index remove": "|| --files-from gone", "*": "|| --files-from list"},
    "--null": {"index remove": "| --files-from gone0 | -0", "*": "| --files-from list0 | -0"},
    "--encoding": {"cluster": "|-d 20|--encoding ascii", "*": "||--encoding ascii"},
    "--glob": {"dedupe": "c -o out||--glob *.md", "*": "||--glob *.md"},
    "--exclude": {"*": "||--exclude *.md"},
    "--ignore": {"cluster": "pig --verify-from ig|-d 60|--no-ignore",
                 "dedupe": "ig -o out||--no-ignore", "*": "ig||--no-ignore"},
    "--input-format": {"compare": "lines#1 lines#2||--input-format jsonl",
                       "cluster": "pl --verify-from lines||--input-format jsonl",
                       "dedupe": "lines -o out||--input-format jsonl",
                       "*": "lines||--input-format jsonl"},
    "--field": {"compare": "r.jsonl#1 r.jsonl#2||--field body",
                "cluster": "pr --verify-from r.jsonl|-d 60|--field body",
                "dedupe": "r.jsonl -o out||--field body",
                "tune": "r.jsonl|-f jsonl|--field none",
                "*": "r.jsonl||--field body"},
    "--id-field": {"compare": "r.jsonl#1 r.jsonl#2||--id-field id",
                   "cluster": "pr --verify-from r.jsonl||--id-field id",
                   "dedupe": "r.jsonl -o out|--removed removed.csv|--id-field id",
                   "fit": "r.jsonl||--id-field none", "tune": "r.jsonl||--id-field none",
                   "*": "r.jsonl||--id-field id"},
    "--title-field": {"compare": "r.jsonl#1 r.jsonl#2|--same-title|--title-field body",
                      "dedupe": "r.jsonl -o out|--same-title|--title-field none",
                      "*": "r.jsonl|--columns title|--title-field body"},
    "--html": {"compare": "w/a.txt w/b.txt||--html",
               "cluster": "pw --verify-from w|-d 60|--html",
               "dedupe": "w -o out||--html", "tune": "w|-f jsonl|--html", "*": "w||--html"},
    "--extract": {"compare": "h/a.html h/b.html||--extract none",
                  "cluster": "ph --verify-from h||--extract none",
                  "dedupe": "h -o out||--extract none", "tune": "h|-f jsonl|--extract none",
                  "*": "h||--extract none"},
    "--max-size": {"*": "||--max-size 500"},
    "--fingerprints": {"index build": "p||--fingerprints", "*": "p||--fingerprints"},
    "--verify-from": {"cluster": "p||--verify-from c"},
    "--min-score": {"evaluate": "||--min-score 0.9"},
    # What makes a pair, and what is kept.
    "--method": {"query": "e|-d 0|--method simhash", "compare": "||--method simhash",
                 "*": "||--method simhash"},
    "--recall": {"*": "|--method minhash|--recall 0.3"},
    "--distance": {"pairs": "||-d 20", "cluster": "p||-d 20", "query": "|-s 0|-d 64",
                   "compare": "|--method simhash|-d 20", "*": "|--method simhash|-d 20"},
    "--similarity": {"cluster": "|-d 20|-s 0.99", "query": "|-d 20|-s 0.99",
                     "tune": "||-s 0.5", "*": "||-s 0.99"},
    "--shingle": {"tune": "||--shingle 2", "cluster": "|-d 20|--shingle 20",
                  "*": "||--shingle 20"},
    "--short-texts": {"compare": "s.jsonl#1 s.jsonl#2||--no-short-texts",
                      "cluster": "ps --verify-from s.jsonl|-d 60|--no-short-texts",
                      "dedupe": "s.jsonl -o out||--no-short-texts",
                      "*": "s.jsonl||--no-short-texts"},
    "--numbers": {"compare": "s.jsonl#3 s.jsonl#4||--no-numbers",
                  "cluster": "ps --verify-from s.jsonl|-d 60|--no-numbers",
                  "dedupe": "s.jsonl -o out||--no-numbers", "*": "s.jsonl||--no-numbers"},
    "--verify": {"query": "|-d 20|--no-verify", "*": "||--no-verify"},
    "--containment": {"*": "||--containment 0.5"},
    "--cosine": {"*": "||--cosine 0.5"},
    "--same-title": {"*": "||--same-title"},
    "--keep": {"*": "||-k longest"},
    "--prefer": {"*": "||--prefer b*"},
    "--decisions": {"*": "||--decisions decided.json"},
    "--linkage": {"cluster": "pchain|-d 12|--linkage star", "scan": "chain||--linkage star",
                  "dedupe": "chain -o out||--linkage single"},
    "--all-pairs": {"cluster": "pmany|-d 20 -f jsonl|--all-pairs",
                    "dedupe": "many --dry-run|--removed out.html|--all-pairs",
                    "scan": "many|-f jsonl|--all-pairs"},
    "--reference": {"*": "||--reference k"},
    "--idf-from": {"compare": "||--idf-from c"},
    "--sample": {"tune": "||--sample 2", "index check": "||--sample 5%"},
    "--limit": {"query": "twice|-d 20 -s 0.5|--limit 1", "cluster": "pboth||--limit 1",
                "*": "both||--limit 1"},
    "--pairs": {"cluster": "|-d 20|--pairs", "*": "||--pairs"},
    "--sort": {"cluster": "pboth||--sort name", "*": "both||--sort name"},
    "--reverse": {"cluster": "pboth||--reverse", "*": "both||--reverse"},
    "--columns": {"scan": "||--columns length"},
    "--min-size": {"cluster": "|-d 20|--min-size 3", "*": "||--min-size 3"},
    "--min-run": {"passages": "||--min-run 100"},
    "--gap": {"passages": "||--gap 0"},
    "--min-length": {"passages": "||--min-length 1000"},
    "--common": {"passages": "many||--common 2"},
    "--across": {"dedupe": "r.jsonl -o out||--across id", "*": "r.jsonl||--across id"},
    "--template": {"passages": "||--template c/a.txt"},
    # The recipe.
    "--recipe": {"compare": "||--recipe bkdr32", "fit": "||--recipe bkdr32",
                 "*": "| -v |--recipe bkdr32"},
    "--strip": {"cluster": "|-d 20|--strip 。", "fit": "||--strip [a-z]+", "*": "| -v |--strip 。"},
    "--tokens": {"fit": "||--tokens chars:2", "*": "| -v |--tokens chars:2"},
    "--fold": {"fit": "f||--no-fold", "cluster": "pf --verify-from f|-d 60|--no-fold",
               "*": "| -v |--no-fold"},
    "--weight": {"*": "| -v |--weight tf"},
    "--idf": {"compare": "| -v |--idf model", "*": "| -v |--idf corpus"},
    "--min-df": {"compare": "| -v --idf corpus --idf-from c|--min-df 3",
                 "*": "| -v --idf corpus|--min-df 3"},
    "--top": {"*": "| -v |--top 5"},
    "--cap": {"*": "| -v |--cap 0.5"},
    "--hash": {"*": "| -v |--hash md5"},
    "--bits": {"*": "| -v |--bits 128"},
    "--ties": {"*": "| -v |--ties zero"},
    "--dict": {"fit": "||--dict words", "*": "| -v |--dict words"},
    # How it runs; results are the same, so the test looks at what the run was told.
    "--jobs": {"compare": "|--idf-from c|-j 3", "*": "||-j 3"},
    "--segmenter": {"*": "||--segmenter jieba"},
    "--memory": {"*": "||--memory 3M"},
    "--tables": {"*": "|--explain-plan|--tables 4"},
    "--search": {"*": "|--explain-plan|--search probe"},
    "--explain-plan": {"*": "||--explain-plan"},
    "--compress": {"query": "||--compress"},
    "--timeout": {"index remove": "k/x.md|--timeout 0|--timeout 0.1",
                  "query": "|--add --timeout 0|--timeout 0.1", "*": "|--timeout 0|--timeout 0.1"},
    # What is written.
    "--output": {"scan": "|| -o out.csv", "dedupe": "c||-o out", "fit": "||-o other",
                 "*": "|| -o out"},
    "--format": {"pairs": "|-d 20|-f jsonl", "*": "||-f jsonl"},
    "--bom": {"dedupe": "c --dry-run||--bom", "*": "|-f csv|--bom"},
    "--color": {"cluster": "|-d 20|--color always", "*": "||--color always"},
    "--list": {"scan": "||--list unique"},
    "--new": {"query": "||--new"},
    "--add": {"dedupe": "c -o out|--index i|--add", "query": "||--add"},
    "--index": {"dedupe": "e -o out|--dry-run|--index i"},
    "--check": {"scan": "||--check", "query": "twice||--check"},
    "--baseline": {"scan": "||--baseline checked"},
    "--update-baseline": {"scan": "|--baseline unwritten|--update-baseline"},
    "--exclude-self": {"query": "twice||--exclude-self"},
    "--diff": {"compare": "||--diff"},
    "--side-by-side": {"compare": "|--diff|--side-by-side"},
    "--removed": {"dedupe": "||--removed removed.csv"},
    "--dry-run": {"dedupe": "||--dry-run"},
    "--lossless": {"dedupe": "||--lossless"},
    "--annotate": {"dedupe": "r.jsonl -o out.jsonl|--field body|--annotate"},
    "--by": {"dedupe": "||--by folder"},
    "--max-removed": {"dedupe": "||--max-removed 0"},
    "--force": {"dedupe": "c -o full||--force"},
    "--link": {"dedupe": "||--link symbolic"},
    "--report-texts": {"dedupe": "c --dry-run|--removed out.html|--report-texts none",
                       "cluster": "|-d 20 -o out.html|--report-texts none",
                       "*": "|-o out.html|--report-texts none"},
    "--report-root": {"dedupe": "c --dry-run|--removed out.html|--report-root /r",
                      "cluster": "|-d 20 -o out.html|--report-root /r",
                      "*": "|-o out.html|--report-root /r"},
    "--quiet": {"compare": "||-q", "pairs": "|-o out|-q", "index info": "|-o out|-q",
                "index export": "|-o out|-q", "evaluate": "|-o out|-q",
                "fingerprint": "|-o out|-q", "tune": "|-o out|-q", "*": "||-q"},
    "--verbose": {"*": "||-v"},
    "--lang": {**dict.fromkeys(("pairs", "index export"), "|-o out|--lang zh"),
               "fingerprint": "|-o out|--lang zh", "*": "||--lang zh"},
    "--progress": {"compare": "|--idf-from c|--progress", "*": "||--progress"},
    # About the command line itself.
    "--config": {**dict.fromkeys(("pairs", "index info", "index export", "evaluate", "fingerprint",
                                  "tune"), "|-o out|--config quiet.toml"),
                 "*": "||--config quiet.toml"},
    "--isolated": {"*": "||--isolated"},
    "--debug": {"*": "|--config lost.toml|--debug"},
    "-h": {"*": "||-h"},
    "--help": {"*": "||--help"},
}  # fmt: skip


def lines(command: str, option: str) -> tuple[str, str] | None:
    """Return two calls of a command, without and with an option; None if there is no trial."""
    for pattern, trial in TRIALS.get(option, {}).items():
        if fnmatch(command, pattern):
            sources, common, typed = map(str.strip, trial.split("|"))
            base, usual = BASES[command]
            called = f"{base.format(sources or usual)} {common}".strip()
            return called, f"{called} {typed}"
    return None


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
