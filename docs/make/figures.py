"""The tables of `docs/figures.md`: what benchmarks wrote to `lab/results/bench/`."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from docs.make.tables import Result, origin, read_result
from lab.reporting import Cell, aligned, shown

Cells = list[list[str]]  # the heads first
View = Callable[[Result], Cells]


def table(name: str) -> str | None:
    """Return a table in Markdown, if the run of its benchmark is stored."""
    result = read_result("bench", benchmark_of(name))
    if result is None:
        return None
    command = f"bench {benchmark_of(name)}" + (" --large" if result["size"] == "large" else "")
    return f"{aligned(VIEWS[name](result))}\n\n{origin(command, result)}."


def benchmark_of(name: str) -> str:
    """Return the benchmark of a table, whose name may go on after a slash."""
    return name.partition("/")[0]


def rows_of(result: Result, title: str = "") -> Iterator[dict[str, Any]]:
    """Yield the rows of the tables of a result whose titles begin so."""
    for stored in result["tables"]:
        if stored["title"].startswith(title):
            yield from stored["rows"]


def columns(
    names: Mapping[str, str], title: str = "", where: Mapping[str, object] | None = None
) -> View:
    """Return what shows columns of a stored table, by new names, of all rows or of those where."""

    def make(result: Result) -> Cells:
        chosen = [
            row
            for row in rows_of(result, title)
            if all(row[column] == value for column, value in (where or {}).items())
        ]
        cells = [[_cell(row[name]) for name in names] for row in chosen]
        return [list(names.values()), *cells]

    return make


def _cell(value: Cell) -> str:
    text = shown(value, 3).replace("vsdocs", "manual pages")
    return f"`{text}`" if text.startswith("-") else text


def plain(*names: str) -> dict[str, str]:
    """Return columns that keep their names."""
    return dict(zip(names, names, strict=True))


# -- accuracy --

FOLDED = "Jaccard 0.8, folded"
DEFAULT = "(default: auto)"
SCANS = (
    DEFAULT,
    "--method simhash",
    "--method simhash -d 6",
    "--method simhash --recipe plain",
    "--method simhash --no-verify",
)


def accuracy(result: Result) -> Cells:
    """Return precision and recall: a row for each way to scan, a column for each truth."""
    scores = {
        (row["texts"], row["truth"], row["options"]): (
            f"{row['precision']:.2f}, {row['recall']:.2f}"
        )
        for row in rows_of(result)
    }
    # The truth has the Jaccard similarity of poems, and by default they are compared by edits.
    scores["poems", FOLDED, DEFAULT] = "measured by edits"
    truths = [(name, FOLDED) for name in ("laws", "vsdocs", "poems")]
    truths.append(("poems", "the same poem"))
    cells = [["", "laws", "manual", "poems", "the same poem"]]
    for options in SCANS:
        name = "default (`auto`)" if options == DEFAULT else f"`{options}`"
        cells.append([name, *(scores[*truth, options] for truth in truths)])
    return cells


def template_pages(result: Result) -> Cells:
    """Return F1 by how many other versions there are, and by settings."""
    rows = list(rows_of(result))
    settings = list(dict.fromkeys(row["settings"] for row in rows))
    cells = [["other versions", *(f"`{options}`" for options in settings)]]
    for versions in dict.fromkeys(row["other versions"] for row in rows):
        chosen = [row for row in rows if row["other versions"] == versions]
        if versions == "none":
            cells.append(["none: pairs found", *(shown(row["pairs"]) for row in chosen)])
        else:
            cells.append([versions, *(f"{row['F1']:.2f}" for row in chosen)])
    return cells


def index_recall(result: Result) -> Cells:
    """Return shares of pairs: a row for each way to find them, a column for each collection."""
    made = {row["similarity"]: row for row in rows_of(result, "Bands")}
    real = list(rows_of(result, "Recall"))

    def of_made(least: float, column: str) -> str:
        return f"{made[least][column]:.2f} (at {least:g})"

    rows = {
        "pairs from similarity 0.8 on that become candidates": (of_made(0.8, "candidates"), "both"),
        "by fingerprint alone": ("", "candidates, simhash"),
        "pairs from 0.87 on that are matches": (
            of_made(0.87, "estimate at least 0.8"),
            "matches, sure",
        ),
        "pairs from 0.8 on that are matches, as sketches estimate": (
            of_made(0.8, "estimate at least 0.8"),
            "matches",
        ),
    }
    return [
        ["", "made sets of 1,000", "laws", "manual pages", "poems"],
        *(
            [name, sets, *(f"{row[column]:.2f}" for row in real)]
            for name, (sets, column) in rows.items()
        ),
    ]


# -- other tools --

# Whose settings: those of a tool's documentation, or the best of a grid.
DOCUMENTED, BEST = "documented", "best for Chinese"


def peers_quality(result: Result) -> Cells:
    """Return precision and recall: a row for each tool and setting, a column for each corpus."""
    rows = list(rows_of(result, "Tools"))
    corpora = list(dict.fromkeys(row["corpus"] for row in rows))
    cells = [["", "settings", *(_cell(name) for name in corpora)]]
    for tool, settings in dict.fromkeys((row["tool"], row["settings"]) for row in rows):
        chosen = {
            row["corpus"]: row for row in rows if (row["tool"], row["settings"]) == (tool, settings)
        }
        shown_figures = [_precision_recall(chosen[name]) for name in corpora]
        cells.append([tool, settings, *shown_figures])
    return cells


def _precision_recall(row: Mapping[str, Any]) -> str:
    return f"{row['precision']:.2f}, {row['recall']:.2f}"


# The columns of the table in the README.
SUMMARY = {
    "README.md": (
        "", "as documented", "best settings", "removed without need", "left", "processor time",
        "lines to write", "different results",
    ),
    "README.zh-CN.md": (
        "", "文档里的设置", "最佳设置", "误删", "漏删", "处理器时间", "要写的代码行数",
        "不同的结果",
    ),
}  # fmt: skip


def summary(page: str, name: str) -> str | None:
    """Return the table of other tools of a README, if the benchmark has run."""
    result = read_result("bench", name)
    if result is None:
        return None
    chinese = {
        (row["tool"], row["settings"]): _precision_recall(row)
        for row in rows_of(result, "Tools")
        if row["corpus"] == "Chinese"
    }
    every = rows_of(result, "All corpora with Chinese")
    best = [row for row in every if row["settings"] == BEST]
    cells = [list(SUMMARY[page])]
    for row in best:
        tool, times = row["tool"], row["CPU s"] / best[0]["CPU s"]
        cells.append(
            [tool, chinese[tool, DOCUMENTED], chinese[tool, BEST],
             *(_cell(row[name]) for name in ("removed without need", "left")),
             f"{shown(times, 2)}x", *(_cell(row[name]) for name in ("lines", "distinct results"))]
        )  # fmt: skip
    return aligned(cells)


# -- all tables --

EDITS = {
    "a word changed": "a word changed",
    "a word added": "added",
    "a word left out": "left out",
    "an emoji and a link": "an emoji and a link",
    "other punctuation": "other punctuation",
}

VIEWS: dict[str, View] = {
    "accuracy": accuracy,
    "short_texts": columns({"rule": "", **EDITS, "found": "all"}, title="9,500"),
    "short_texts/by_definition": columns(
        plain("texts", "true pairs", "precision", "recall"), title="All pairs"
    ),
    "template_pages": template_pages,
    "scan": columns(
        {"corpus": "scan of", "MB": "MB", "documents": "documents", "s": "s",
         "documents/s": "documents/s", "peak MB": "memory, MB", "beside": "compared with",
         "ratio": "times as fast"},
        title="Scans",
    ),
    "scan/dedupe": columns(
        {**plain("records", "MB", "s"), "peak MB": "memory, MB"}, title="Dedupe"
    ),
    "large_groups": columns(
        {"corpus": "", "documents": "documents", "s": "s", "peak MB": "memory, MB",
         "checked": "pairs compared", "ratio of CPU s": "processor time of twice as many"},
    ),
    "passages": columns(
        {"corpus": "", "MB": "MB", "jobs": "processes", "s": "s",
         "MB a CPU s": "MB a second of processor time", "peak MB": "memory, MB"},
        title="Speed",
    ),
    "units": columns(
        {"unit": "`--unit`", **plain("MB", "s", "CPU s"), "peak MB": "memory, MB",
         "cut": "parts cut", "again": "cut by a second run"},
        title="A corpus of records",
    ),
    "conflicts": columns(
        {"planted": "planted", **plain("passages", "found", "readings right", "kind right")},
        title="Planted conflicts",
    ),
    "conflicts/unplanted": columns(
        {"differs": "copies differ in", **plain("passages", "unplanted conflicts")},
        title="Reported, by what differs",
    ),
    "conflicts/copies": columns(
        plain("notices", "other pages", "copies of each date", "copies reported"),
        title="Copies of one notice",
    ),
    "conflicts/speed": columns(
        {"corpus": "", "MB": "MB", "conflicts s": "s", "ratio": "times the time of `passages`",
         "conflicts peak MB": "memory, MB", "conflicts": "conflicts"},
        title="Speed beside",
    ),
    "parallels": columns(
        {"measured by": "", **plain("AUC", "seed 73", "seed 74", "seed 75")},
        title="Pairs that share a phrase",
    ),
    "parallels/lengths": columns(
        {"measured by": "", **plain("8 to 19", "20 to 49", "50 to 119", "unequal")},
        title="By length",
    ),
    "parallels/changes": columns(
        {"measured by": "", **plain("unchanged", "replaced", "inserted", "swapped")},
        title="By what happened",
    ),
    "audit": columns(
        plain("result", "mistakes", "precision", "sample", "inside", "width"), title="Audits of"
    ),
    "audit/others": columns(
        plain("result", "precision", "sample", "inside", "width"), title="Other samples"
    ),
    "leaks": columns(
        {"instructed": "instructions"} | plain("planted", "leak", "texts", "found"),
        title="Planted evaluation texts",
    ),
    "leaks/again": columns(
        plain("documents are", "texts", "leaked", "documents with a leak",
              "leaked when checked again"),
        title="Rates before and after",
    ),
    "leaks/speed": columns(
        {"command": "", **plain("MB", "s"), "MB a CPU s": "MB a second of processor time",
         "peak MB": "memory, MB"},
        title="Speed, reading",
    ),
    "peers": peers_quality,
    "peers/costs": columns(
        {"tool": "", **plain("settings", "removed without need", "left", "CPU s"),
         "times simdup": "times simdup", "peak MB": "memory, MB", "lines": "lines to write",
         "distinct results": "different results", "checks": "checks"},
        title="All corpora with Chinese",
    ),
    "peers/settings": columns(
        {"tool": "", **plain("settings", "setting")}, title="All corpora with Chinese"
    ),
    "decoding": columns(
        {"texts": "files of", "ratio": "times the time with `--encoding`"},
        title="GBK with",
        where={"work": "read"},
    ),
    "verification": columns(
        {"characters": "characters", "measures": "measures",
         "pairs/s, shingles cached": "pairs a second, shingles cached",
         "ratio": "times as fast as Python's sets"},
    ),
    "search": columns(
        {"n": "fingerprints", "tables": "tables", "s": "s", "ratio": "times the time to sort"},
        title="All pairs",
        where={"plan": "auto"},
    ),
    "search/command": columns(
        {"lines": "lines", "s": "s", "peak MB": "memory, MB"}, title="simdup pairs"
    ),
    "search/peers": columns(
        {"peer, all pairs": "another program", "n": "fingerprints", "s": "s",
         "s of simdup": "s of simdup", "ratio": "times slower"},
        title="Peers",
    ),
    "queries": columns(
        plain("search", "ms, 100,000 queries", "ms, one query"), title="Queries against 1,000,000"
    ),
    "index": columns(plain("measure", "figure", "unit", "beside", "of", "ratio")),
    "index_recall": index_recall,
    "passage_index": columns(plain("measure", "figure", "unit", "beside", "of", "ratio")),
}  # fmt: skip
