"""Decisions: from the page to a file, and from the file to what scan and dedupe do."""

import json
from itertools import combinations, product

import pytest
from pages import corpus, go, joined, opened, until

from lab.corpora.made import edited, prose, write


def line(decision, *documents, **more):
    return json.dumps({"type": "decision", "decision": decision, "documents": documents} | more)


@pytest.fixture
def scanned(simdup, tmp_path):
    """Scan texts with decisions and return the names of each cluster."""

    def run(*lines):
        (tmp_path / "decisions.jsonl").write_text("\n".join(lines) + "\n")
        out = simdup("scan", "texts", "-s", "0.5", "--decisions", "decisions.jsonl", "-f", "jsonl")
        found = [json.loads(one) for one in out.lines]
        return [
            [one["document"].removeprefix("texts/") for one in cluster["documents"]]
            for cluster in found
            if cluster["type"] == "cluster"
        ]

    return run


def test_distinct_documents_share_no_cluster(scanned, tmp_path):
    corpus(tmp_path / "texts")
    assert ["archive/pair-0-b.txt", "news/pair-0-a.txt"] in scanned()
    both = "texts/archive/pair-0-b.txt", "texts/news/pair-0-a.txt"
    assert not any("news/pair-0-a.txt" in one for one in scanned(line("distinct", *both)))
    again = scanned(line("distinct", *both), line("duplicates", *both))
    assert ["archive/pair-0-b.txt", "news/pair-0-a.txt"] in again


def test_what_would_join_distinct_documents_joins_nothing(scanned, tmp_path):
    text = prose(1, 300)
    write(
        tmp_path / "texts",
        {"a": text, "b": edited(text, 1, 3), "c": edited(edited(text, 1, 3), 2, 12)},
    )
    assert scanned(line("distinct", "texts/a", "texts/c")) == [["a", "b"]]


def test_keep_outranks_prefer(simdup, scanned, tmp_path):
    corpus(tmp_path / "texts")
    members = ["texts/news/three-0.txt", "texts/news/three-1.txt", "texts/news/three-2.txt"]
    found = scanned(line("keep", *members, keep=members[2]))
    assert ["news/three-2.txt", "news/three-0.txt", "news/three-1.txt"] in found
    kept = simdup(
        "scan", "texts", "-s", "0.5", "--decisions", "decisions.jsonl", "--list", "kept",
        "--prefer", "*three-1*",
    ).lines  # fmt: skip
    assert members[2] in kept
    assert members[1] not in kept


def test_documents_that_are_not_there_are_noted(simdup, tmp_path):
    corpus(tmp_path / "texts")
    (tmp_path / "d.jsonl").write_text(line("distinct", "gone", "texts/copies/0.txt") + "\n")
    said = simdup("scan", "texts", "--decisions", "d.jsonl").err
    note = "simdup: --decisions: 1 of 2 documents not in this scan, such as 'gone'\n"
    assert note in said
    # Earlier, nothing was said if they were configured: a renamed page lost its decision.
    (tmp_path / "simdup.toml").write_text("decisions = 'd.jsonl'")
    assert note in simdup("scan", "texts").err
    assert note not in simdup("scan", "texts", "-q").err


@pytest.mark.parametrize(  # large clusters look for names themselves
    ("kind", "size"), [("distinct", 3), ("distinct", 80), ("keep", 3), ("duplicates", 2)]
)
def test_a_dot_before_a_name_makes_no_difference(simdup, tmp_path, size, kind):
    """Earlier, what was decided on `texts` was passed over by a scan of `./texts`."""
    text = prose(1, 300)
    write(tmp_path / "texts", {f"{i:02}.txt": edited(text, i, 1) for i in range(1, size + 1)})
    both = "texts/01.txt", "texts/02.txt"
    (tmp_path / "b").write_text("# simdup-baseline 1\n")
    options = ("--baseline", "b", "-f", "csv", "-s", "0.5")
    plain = simdup("scan", "texts", *options).text
    decided = set()
    for source, spelling in product(("texts", "./texts"), ("", "./")):
        names = [spelling + name for name in both]
        more = {"keep": names[1]} if kind == "keep" else {}
        (tmp_path / "d.jsonl").write_text(line(kind, *names, **more))
        ran = simdup("scan", source, *options, "--decisions", "d.jsonl")
        assert "not in this scan" not in ran.err
        decided.add(ran.text.replace("./", ""))
    assert len(decided) == 1
    assert plain not in decided


def test_a_dot_before_a_name_makes_no_difference_to_patterns(simdup, tmp_path):
    write(tmp_path, {"c/a.txt": prose(1), "c/b.txt": prose(1)})
    for source in ("c", "./c"):
        for pattern in ("c/b*", "./c/b*", "/c/b*"):
            ran = simdup("scan", source, "--prefer", pattern, "--list", "kept")
            assert ran.lines == [f"{source}/b.txt"]
            assert "nothing matches" not in ran.err
    assert simdup("scan", "c", "--exclude", "./a.txt", "--list", "unique").lines == ["c/b.txt"]


def test_a_file_that_is_missing_has_a_next_step_that_works(simdup, tmp_path):
    """Earlier, a configuration with decisions to come stopped the scan whose page has them."""
    corpus(tmp_path / "texts")
    (tmp_path / "simdup.toml").write_text("decisions = 'd.jsonl'")
    done = simdup("scan", "texts", "-o", "report.html")
    assert done.status == 2
    assert done.err == (
        "simdup: d.jsonl: no such file or folder\n"
        "hint: save it from a report page (simdup scan SOURCE -o report.html); "
        "until then, an empty file will do\n"
    )
    (tmp_path / "d.jsonl").write_text("")
    assert simdup("scan", "texts", "-o", "report.html").status == 0


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("{", "line 1: not a JSON object"),
        ('{"type":"decision","decision":"maybe","documents":[]}', "line 1: 'decision' is none of"),
        ('{"type":"decision","decision":"keep","documents":["a"]}', "line 1: 'keep' is no name"),
        ('{"type":"decision","decision":"distinct","documents":"a"}', "'documents' is no list"),
    ],
)
def test_a_broken_file_is_one_line(simdup, tmp_path, content, what):
    corpus(tmp_path / "texts")
    (tmp_path / "d.jsonl").write_text(content)
    done = simdup("scan", "texts", "--decisions", "d.jsonl")
    assert done.status == 2
    assert what in done.err


def test_what_the_page_saves_changes_what_dedupe_writes(simdup, browser, tmp_path):
    corpus(tmp_path / "texts")
    simdup("scan", "texts", "-s", "0.5", "-o", "report.html", "-q")
    with opened(browser, tmp_path / "report.html", accept_downloads=True) as page:
        names = page.evaluate("Data.names")
        first = page.evaluate("[...Data.table.first]")
        at = first.index(names.index("texts/archive/pair-1-b.txt"))
        go(page, f"#/c/{at + 1}")
        page.keyboard.press("2")
        three = next(i for i, start in enumerate(first) if "three" in names[start])
        go(page, f"#/c/{three + 1}")
        page.select_option("#keeper", "1")
        page.fill(".remark", "</script>\u202e")
        page.press(".remark", "Tab")
        go(page, "#/review")
        with page.expect_download() as saved:
            page.click("text=Save decisions.jsonl")
        saved.value.save_as(tmp_path / "decisions.jsonl")
        assert "--decisions" in page.inner_text("pre")
    kept = names[first[three] + 1]
    simdup("dedupe", "texts", "-s", "0.5", "-o", "out", "--decisions", "decisions.jsonl", "-q")
    below = tmp_path / "out"
    assert (below / "news/pair-1-a.txt").exists()
    assert (below / kept.removeprefix("texts/")).exists()
    assert not (below / "news/pair-0-a.txt").exists()


@pytest.fixture
def taken(simdup, tmp_path):
    """Scan a family with decisions and return the components, and of each document who took it."""

    def run(lines, *options):
        (tmp_path / "decisions.jsonl").write_text("\n".join(lines) + "\n")
        out = simdup("scan", "texts", "-s", "0.75", *options, "-f", "jsonl",
                     "--decisions", "decisions.jsonl")  # fmt: skip
        clusters = [one for one in map(json.loads, out.lines) if one["type"] == "cluster"]
        members = [one["documents"] for one in clusters]
        return (
            sorted(sorted(one["document"] for one in some) for some in members),
            {one["document"]: one["kept"] for some in members for one in some},
        )

    return run


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_the_page_groups_as_a_scan_with_the_same_decisions(simdup, taken, browser, tmp_path, keep):
    joined(tmp_path / "texts")
    simdup("scan", "texts", "-s", "0.75", "--keep", keep, "-o", "report.html", "-q")
    script = """([kept, apart]) => {
      const { names } = Data;
      const { groups, taker } = Groups.lead(0, State.threshold, { keep: kept, apart, verdict: '' });
      return [groups.map((some) => some.map((i) => names[i]).sort()).sort(),
        Object.fromEntries(groups.flat().map((i) => [names[i], names[taker.get(i) ?? i]]))]; }"""
    with opened(browser, tmp_path / "report.html") as page:
        names = page.evaluate("Data.names")
        pairs = list(combinations(range(len(names)), 2))
        decisions = [(-1, [pair]) for pair in pairs[::2]]
        decisions += [(i, [a, b]) for i, (a, b) in enumerate(zip(pairs[::4], pairs[3::4]))]  # noqa: B905
        decisions += [(i, []) for i in range(len(names))]
        for kept, apart in decisions:
            lines = [line("distinct", names[a], names[b]) for a, b in apart]
            lines += [line("keep", *names, keep=names[kept])] * (kept >= 0)
            assert page.evaluate(script, [kept, apart]) == [*taken(lines, "--keep", keep)]


def test_each_kept_document_stands_above_those_that_it_took(simdup, browser, tmp_path):
    joined(tmp_path / "texts")
    simdup("scan", "texts", "-s", "0.75", "-o", "report.html", "-q")
    with opened(browser, tmp_path / "report.html") as page:
        go(page, "#/c/1")
        tags = page.locator(".member .tag").all_inner_texts()
        below = page.locator(".member.taken .tag").all_inner_texts()
        assert (tags, below) == ([*"ABCDEFGH"], [*"BCDFGH"])
        assert page.locator(".dot.kept").all_text_contents() == ["A", "E"]
        # E is kept, and in this cluster for its pair with C.
        assert page.inner_text(".member:nth-child(5) .role").split("\n") == ["kept near C"]
        # The pair that is read first is the weakest of a document with the one that took it.
        assert page.locator(".texts .tag").all_inner_texts()[:2] == ["A", "D"]
        page.keyboard.press("2")
        until(page, "document.querySelector('.notice')")
        assert page.inner_text(".notice") == "As decided: A (B, C) · E (F, G, H)."
        page.keyboard.press("2")
        until(page, "!document.querySelector('.notice')")


def test_decisions_are_remembered_and_loaded(simdup, browser, tmp_path):
    corpus(tmp_path / "texts")
    simdup("scan", "texts", "-s", "0.5", "-o", "report.html", "-q")
    foreign = line("distinct", "gone", "also gone")
    (tmp_path / "d.jsonl").write_text(f"{foreign}\n")
    with opened(browser, tmp_path / "report.html") as page:
        go(page, "#/c/1")
        page.keyboard.press("1")
        until(page, "document.querySelectorAll('.row .chip.cool').length === 1")
        page.reload()
        page.evaluate("App.ready")
        assert page.evaluate("Review.entry(0).verdict") == "duplicates"
        go(page, "#/review")
        page.set_input_files("#load", tmp_path / "d.jsonl")
        until(page, "Review.lines().length === 2")
        assert json.loads(page.evaluate("Review.lines()[1]")) == json.loads(foreign)
        assert page.evaluate("Review.read('not json')") == -1


def test_a_file_of_decisions_is_no_document(simdup, tmp_path):
    corpus(tmp_path / "texts")
    saved = '{"type": "decision", "decision": "duplicates", "documents": ["a"]}\n'
    (tmp_path / "texts" / "decisions.txt").write_text(saved)
    assert "left out" in simdup("scan", "texts").err
