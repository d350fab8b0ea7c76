"""Options in a simdup.toml or pyproject.toml: where they are found, and what they mean."""

import os
import re
import shutil
from pathlib import Path

import pytest
from support import ROOT, Command

from lab.corpora.made import near, prose, write
from simdup.cli.options import TABLE
from simdup.cli.row import OUTFILE, WRITES
from simdup.model.readings import KINDS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A corpus of two near-duplicates and another text."""
    a = prose(1)
    texts = {"c/a.txt": a, "c/b.txt": near(a) + prose(3, 5), "c/x.md": prose(2)}
    return write(tmp_path, texts)


def configure(folder: Path, text: str, name: str = "simdup.toml") -> None:
    write(folder, {name: text})


def timeless(content: bytes) -> bytes:
    return re.sub(rb'"seconds": [0-9.]+', b"", content)


def test_without_a_file_nothing_is_said(simdup: Command, folder: Path) -> None:
    assert "Configured" not in simdup("scan", "c").err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("simdup.toml", "keep = 'longest'"),
        ("simdup.toml", "[scan]\nkeep = 'longest'"),
        ("simdup.toml", "keep = 'shortest'\n[scan]\nkeep = 'longest'"),
        ("simdup.toml", "\ufeffkeep = 'longest'"),
        ("pyproject.toml", "[tool.simdup]\nkeep = 'longest'"),
        ("pyproject.toml", "[tool.simdup.scan]\nkeep = 'longest'"),
    ],
)
def test_a_file_changes_defaults(simdup: Command, folder: Path, name: str, text: str) -> None:
    typed = simdup("scan", "c", "-k", "longest")
    assert typed.out != simdup("scan", "c").out
    configure(folder, text, name)
    ran = simdup("scan", "c")
    assert (ran.status, ran.out) == (0, typed.out)
    assert ran.err.splitlines()[-1] == f"Configured in {name}: keep."


def test_what_is_typed_wins(simdup: Command, folder: Path) -> None:
    plain = simdup("scan", "c")
    configure(folder, "keep = 'longest'\ndistance = 9")
    ran = simdup("scan", "c", "--keep", "first", "-d", "3")
    assert ran.out == plain.out
    assert "Configured" not in ran.err
    assert simdup("scan", "c", "--config", "none").out == plain.out


def test_quiet_says_nothing_of_the_file(simdup: Command, folder: Path) -> None:
    configure(folder, "keep = 'longest'")
    assert simdup("scan", "c", "-q").err == ""


def test_the_nearest_file_is_read(
    simdup: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(folder, "keep = 'longest'")
    configure(folder, "[tool.simdup]\nkeep = 'oldest'", "pyproject.toml")
    configure(folder / "c", "[tool.other]\nsimdup = 1", "pyproject.toml")
    monkeypatch.chdir(folder / "c")
    path = os.path.join("..", "simdup.toml")
    assert f"Configured in {path}: keep." in simdup("scan", ".").err
    configure(folder / "c", "[tool.simdup]\nkeep = 'newest'", "pyproject.toml")
    assert "Configured in pyproject.toml: keep." in simdup("scan", ".").err


def test_files_of_other_tools_may_have_mistakes(simdup: Command, folder: Path) -> None:
    configure(folder, "[tool.black\n", "pyproject.toml")
    assert simdup("scan", "c").status == 0


def test_a_file_can_be_named(simdup: Command, folder: Path) -> None:
    configure(folder, "keep = 'oldest'")
    configure(folder, "keep = 'longest'", "ci/strict.toml")
    ran = simdup("scan", "c", "--config", "ci/strict.toml")
    assert "(order of keeping: longest first)" in ran.err
    assert f"Configured in {os.path.join('ci', 'strict.toml')}: keep." in ran.err
    missing = simdup("scan", "c", "--config", "none.toml")
    assert (missing.status, missing.err) == (2, "simdup: none.toml: no such file or folder\n")


MISTAKES = [
    ("similarty = 0.9", "simdup.toml: no such option 'similarty'", "did you mean 'similarity'?"),
    ("id_field = 'x'", "simdup.toml: no such option 'id_field'", "did you mean 'id-field'?"),
    ("[scam]\nkeep = 'first'", "simdup.toml: no such command 'scam'", "did you mean 'scan'?"),
    ("[index.bild]", "simdup.toml: [index]: no such command 'bild'", "did you mean 'build'?"),
    ("[scan]\nkep = 'first'", "simdup.toml: [scan]: no such option 'kep'", "did you mean 'keep'?"),
    ("[fit]\ndistance = 3", "simdup.toml: [fit]: no such option 'distance'", "simdup fit --help"),
    ("[tool.simdup]", "simdup.toml: no such command 'tool'",
     "only pyproject.toml has [tool.simdup]; here, a table is called [scan]"),
    ("similarity = '0.9'", "simdup.toml: similarity: must be a number, not '0.9'", ""),
    ("similarity = 9", "simdup.toml: similarity: 9 is not between 0 and 1", ""),
    ("jobs = 100000", "simdup.toml: jobs: 100000 is not between 1 and 1024", ""),
    ("distance = true", "simdup.toml: distance: must be a whole number, not true", ""),
    ("[audit]\nsample = 1.5", "simdup.toml: [audit]: sample: must be a whole number, not 1.5", ""),
    ("all-pairs = 1", "simdup.toml: all-pairs: must be true or false, not 1", ""),
    ("glob = [1]", "simdup.toml: glob: must be a string or a list of them, not a list", ""),
    ("glob = 1", "simdup.toml: glob: must be a string or a list of them, not 1", ""),
    ("keep = ['first']", "simdup.toml: keep: must be a string, not a list", ""),
    ("[conflicts]\nkinds = [1]",
     "simdup.toml: [conflicts]: kinds: must be a string or a list of them, not a list", ""),
    ("[conflicts]\nkinds = ['date', 'amounts']",
     f"simdup.toml: [conflicts]: kinds: 'amounts' is not one of {', '.join(KINDS)}",
     "did you mean 'amount'?"),
    ("dict = 3", "simdup.toml: dict: must be a string, not 3", ""),
    ("format = 'jsnl'", "simdup.toml: format: 'jsnl' is not one of text, csv, jsonl, html, github",
     "did you mean 'jsonl'?"),
    ("max-size = '3X'",
     "simdup.toml: max-size: '3X' is not a size (expected a number such as 500M or 2G)", ""),
    ("recipe = 'default,bits=63'",
     "simdup.toml: recipe: bits: invalid value 63 (expected a multiple of 8 from 8 to 256)",
     ""),
    ("verify = true\nno-verify = true",
     "simdup.toml: 'verify' and 'no-verify' exclude each other", ""),
    ("quiet = true\nverbose = true", "simdup.toml: 'quiet' and 'verbose' exclude each other", ""),
    ("force = true",
     "simdup.toml: force: cannot be configured: it decides what is written, so it must be typed",
     ""),
    ("[query]\nrecipe = 'plain'",
     "simdup.toml: [query]: recipe: cannot be configured: the index determines the recipe", ""),
    ("keep =", "simdup.toml: is not valid TOML: invalid value (at end of document)",
     "to ignore it, add --config none"),
    *((f"similarity = {'1' * digits}", f"simdup.toml: {said}", hint) for digits, said, hint in (
        (300, "similarity: must be a number, not one of more than 64 bits", ""),
        (5000, "is not valid TOML: a number has too many digits",
         "to ignore it, add --config none"),
    )),
    ("limit = 0x" + "f" * 5000,
     "simdup.toml: limit: must be a whole number, not one of more than 64 bits", ""),
    ('decisions = "\\u0000"', "simdup.toml: decisions: is not the name of a file", ""),
    ("across = ''",
     ("simdup.toml: across: invalid value '' (expected a field of records, title, file, folder, "
      "or folder:N from 1 on)"), ""),
    ("[conflicts]\nkinds = -1",
     "simdup.toml: [conflicts]: kinds: must be a string or a list of them, not -1", ""),
    ("a." * 20_000 + "a = 1", "simdup.toml: is not valid TOML: nested too deeply",
     "to ignore it, add --config none"),
    ("#" * (1 << 20) + "\n", "simdup.toml: larger than 1 MB", "to ignore it, add --config none"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said", "hint"), MISTAKES, ids=[one[0][:60] for one in MISTAKES])
def test_a_mistake_in_the_file_is_explained(
    simdup: Command, folder: Path, text: str, said: str, hint: str
) -> None:
    configure(folder, text)
    ran = simdup("scan", "c")
    assert (ran.status, ran.out) == (2, b"")
    found = ran.err.splitlines()
    assert found[0] == f"simdup: {said}"
    assert found[1:] == ([f"hint: {hint}"] if hint else [])
    assert simdup("scan", "c", "--config", "none").status == 0
    assert simdup("scan", "--help").status == 0


def test_bytes_that_are_no_text_are_explained(simdup: Command, folder: Path) -> None:
    (folder / "simdup.toml").write_bytes(b"keep = '\xff'")
    assert simdup("scan", "c").err.startswith("simdup: simdup.toml: is not UTF-8\n")
    configure(folder, "a = " + "[" * 100_000)
    assert simdup("scan", "c").err.startswith("simdup: simdup.toml: is not valid TOML: ")


def test_the_place_is_that_of_pyproject(simdup: Command, folder: Path) -> None:
    configure(folder, "[tool.simdup.scan]\nkep = 1", "pyproject.toml")
    ran = simdup("scan", "c")
    assert ran.err.startswith("simdup: pyproject.toml: [tool.simdup.scan]: no such option 'kep'\n")


def test_an_option_applies_where_it_exists(simdup: Command, folder: Path) -> None:
    configure(folder, "distance = 9\nformat = 'html'\n[index.build]\nrecipe = 'default,bits=128'")
    ran = simdup("fingerprint", "c", "-o", "p")
    assert (ran.status, "Configured" in ran.err) == (0, False)
    assert "Configured in simdup.toml: recipe." in simdup("index", "build", "i", "c").err
    # `pairs` has no report page.
    assert "Configured in simdup.toml: distance." in simdup("pairs", "p").err
    assert simdup("scan", "c").text.startswith("<!")


def test_lists_flags_and_opposites(simdup: Command, folder: Path) -> None:
    typed = simdup("scan", "c", "--exclude", "*.md", "--exclude", "b*", "--no-verify")
    configure(folder, "exclude = ['*.md', 'b*']\nno-verify = true\nbom = true\nshingle = 4")
    ran = simdup("scan", "c")
    assert ran.out == typed.out
    assert "Read 1 document" in ran.err
    configure(folder, "no-ignore = false\nverify = false")
    assert "Configured in simdup.toml: ignore, verify." in simdup("scan", "c").err
    # What has commas where it is typed may be a list.
    rule = "Keep the bottle in the dark, give {} mg twice a day, and open it with {} hands."
    write(folder / "n", {"a.txt": rule.format(10, "clean"), "b.txt": rule.format(20, "dry")})
    typed = simdup("conflicts", "n", "--kinds", "date,amount", "-f", "csv", "--config", "none")
    assert "mg" in typed.text
    for listed in ("['date', 'amount']", "'date,amount'", "['date,amount']"):
        configure(folder, f"kinds = {listed}")
        assert simdup("conflicts", "n", "-f", "csv").out == typed.out


def test_paths_start_from_the_file(
    simdup: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, {"known/old.txt": prose(2)})
    configure(folder, "recipe = 'default,idf=builtin'\n[scan]\nreference = ['known']")
    monkeypatch.chdir(folder / "c")
    assert "../known/old.txt" in simdup("scan", ".").text
    for recipe in ("default,idf=lost", "lost.toml"):
        configure(folder, f"recipe = '{recipe}'")
        lost = os.path.join("..", recipe.rpartition("=")[2])
        assert simdup("scan", ".").err.startswith(f"simdup: {lost}: no such file")


WINNERS = [
    # A configuration, what is typed, and what has the same result without one.
    ("format = 'csv'", "scan c --list kept", ""),
    ("format = 'csv'", "scan c -o r.jsonl", ""),
    ("list = 'kept'", "scan c -f csv", ""),
    ("list = 'kept'\nformat = 'csv'", "scan c", "scan c --list kept"),
    ("bom = true", "scan c -f jsonl", ""),
    ("bom = true", "scan c -f csv", "scan c -f csv --bom"),
    ("bom = true", "dedupe c -o out", ""),
    ("bom = true", "dedupe c --dry-run", "dedupe c --dry-run --bom"),
    ("bom = true", "dedupe c --dry-run --removed r.jsonl", ""),
    ("quiet = true", "scan c -v", ""),
    ("verbose = true", "scan c -q", ""),
    ("containment = 0.5\ncosine = 0.5", "scan c --no-verify", ""),
    ("no-verify = true", "scan c --cosine 0.5", ""),
    ("recipe = 'default,bits=128'", "scan c --recipe default", ""),
    ("recipe = 'default,bits=128'", "query i c", ""),
    ("recipe = 'default,bits=128'", "scan c --reference i", ""),
    ("format = 'html'", "cluster p", ""),
    # Options that would have no effect are no news where nobody typed them.
    ("shingle = 4", "scan c --method simhash --no-verify", ""),
    ("field = 'body'\nextract = 'all'\nexclude = ['zz*']\nprefer = ['zz*']", "scan c", ""),
    ("glob = ['*.txt']", "scan c/a.txt", ""),
]


@pytest.mark.parametrize(
    ("text", "line", "same"), WINNERS, ids=[f"{a}: {b}" for a, b, _ in WINNERS]
)
def test_the_command_line_wins_without_a_word(
    simdup: Command, folder: Path, text: str, line: str, same: str
) -> None:
    if "p" in line.split():
        (folder / "p").write_bytes(simdup("fingerprint", "c").out)
    if "i" in line.split():
        assert simdup("index", "build", "i", "c").status == 0
    plain = simdup(*(same or line).split())
    written = {one: timeless(one.read_bytes()) for one in folder.glob("r.*")}
    if (folder / "out").exists():
        shutil.rmtree(folder / "out")
    configure(folder, text)
    ran = simdup(*line.split())
    assert (ran.status, timeless(ran.out)) == (plain.status, timeless(plain.out)), ran.err
    assert {one: timeless(one.read_bytes()) for one in folder.glob("r.*")} == written
    assert "has no effect" not in ran.err
    assert "nothing matches" not in ran.err


def test_verbose_says_which_configured_options_have_no_effect(
    simdup: Command, folder: Path
) -> None:
    """Earlier, nobody learnt that a pattern of the file matches nothing."""
    configure(folder, "exclude = ['zz/']")
    said = "simdup: --exclude: nothing matches 'zz/'\n"
    assert said in simdup("scan", "c", "-v").err
    assert said not in simdup("scan", "c").err


def test_an_error_names_the_place_of_a_configured_option(simdup: Command, folder: Path) -> None:
    configure(folder, "distance = 100\nrecipe = 'default,bits=128'")
    ran = simdup("scan", "c", "--recipe", "default,bits=64")
    assert ran.err.splitlines()[0] == (
        "simdup: simdup.toml: distance: 100 is more than the 64 bits of a fingerprint"
    )


def test_nothing_that_writes_can_be_configured() -> None:
    """Whoever adds an option that writes must decide."""
    rows = [row for rows in TABLE.values() for row in rows]
    writing = {row.opts[-1] for row in rows if row.kind is OUTFILE or row.parameter == "force"}
    assert writing == {"--output", "--removed", "--evidence", "--force"}
    assert writing < {row.opts[-1] for row in rows if row.typed == WRITES}


def test_the_examples_of_the_page_are_taken(simdup: Command, folder: Path) -> None:
    page = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    for block in blocks:
        name = "pyproject.toml" if "[tool." in block else "simdup.toml"
        configure(folder, block, name)
        ran = simdup("scan", "c", "--config", name)
        assert ran.status == 0, ran.err
        assert "similarity" in ran.err.splitlines()[-1]
    assert len(blocks) == 2


def test_the_page_names_what_must_be_typed() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text("utf-8").partition("must be typed")[2]
    refused = {row.opts[-1] for rows in TABLE.values() for row in rows if row.typed} - {"-h"}
    # That of the whole program is no option of a command.
    assert refused | {"--version"} == set(re.findall(r"`(--[a-z-]+)`", page))
