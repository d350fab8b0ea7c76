"""The pages are right: links lead somewhere, what they name exists, both READMEs agree."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import click
import pytest
from support import PAGES, ROOT

from simdup.cli import COMMANDS
from simdup.cli.messages import Status

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
README, CHINESE = ((ROOT / name).read_text("utf-8") for name in ("README.md", "README.zh-CN.md"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as code hosts make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return frozenset(
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page not in reached:
            reached.add(page)
            links = re.findall(r"\]\(([^)#\s]+\.md)[^)]*\)", page.read_text("utf-8"))
            ahead += [(page.parent / link).resolve() for link in links if "://" not in link]
    assert set(PAGES) <= reached


def code(page: str) -> list[str]:
    """The code of a page, without comments, and without what is printed in its language."""
    found = re.findall(r"^```(?!text)\w+\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    return [re.sub(r" +# .*$", "", block, flags=re.MULTILINE) for block in found]


def figures(page: str) -> list[str]:
    """The numbers of a page, in order of size."""
    text = re.sub(r"^```.*?^```|\]\([^)]*\)", "", page, flags=re.DOTALL | re.MULTILINE)
    return sorted(set(re.findall(r"\d[\d,.]*\d|\d", text)))


def test_both_readmes_say_the_same() -> None:
    assert code(CHINESE) == code(README)
    # What English spells out.
    assert set(figures(CHINESE)) ^ set(figures(README)) <= {"5", "10", "TB"}
    for tool in re.findall(r"\(https://[^)]+\)", README):
        assert tool in CHINESE
    assert README.count("\n## ") == CHINESE.count("\n## ")
    assert max(len(README.splitlines()), len(CHINESE.splitlines())) <= 150


def test_chinese_lines_end_with_punctuation() -> None:
    """A page shows the end of a line as a space, which Chinese has between no two characters."""
    for page in (ROOT / "README.zh-CN.md", ROOT / "docs" / "zh" / "quickstart.md"):
        text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        torn = re.findall(r"[\u4e00-\u9fff]\n[\u4e00-\u9fff].*", text)
        assert torn == [], page


def options(command: click.Command) -> Iterator[list[str]]:
    """Yield the spellings of each option of a command and of its commands."""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield [*parameter.opts, *parameter.secondary_opts]
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                assert found is not None
                yield from options(found)


def test_a_page_explains_every_option() -> None:
    """A page beside the one that is made from the help, by any of the option's spellings."""
    pages = "\n".join(page.read_text("utf-8") for page in PAGES if page.name != "cli.md")
    named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*|-0", pages))
    found = {
        tuple(one)
        for name in COMMANDS
        for one in options(import_module(f"simdup.cli.{name}").command)
    }
    assert [one for one in sorted(found) if named.isdisjoint(one)] == []


def test_every_exit_status_is_documented() -> None:
    page = (ROOT / "docs" / "formats.md").read_text("utf-8")
    table = page.split("## Exit status")[1].split("\n## ")[0]
    cells = re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE)
    documented = {int(number) for number in re.findall(r"\d+", " ".join(cells))}
    assert {int(status) for status in Status} <= documented


def test_the_files_of_the_architecture_exist() -> None:
    for path in set(re.findall(r"\b[a-z_]+/(?:[a-z_0-9]+/)*[a-z_0-9]+\.py\b", ARCHITECTURE)):
        assert any((base / path).is_file() for base in (ROOT, ROOT / "simdup")), path


def test_the_architecture_draws_the_rooms_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    drawing = ARCHITECTURE.split("```")[1]
    drawn = [
        re.split(r"\s\s\s+", line.strip())[0] for line in drawing.splitlines() if line.strip(" |")
    ]
    expected = contracts["contracts"][0]["layers"]
    assert [re.sub(r"\s+", " ", line) for line in drawn] == expected
