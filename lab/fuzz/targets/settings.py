"""What decides which files are read, and how: patterns and configuration files."""

from __future__ import annotations

import os
from functools import partial

import click

from lab.fuzz.building import BUILT, DAMAGED, RAW, configuration_file, made
from lab.fuzz.files import write
from lab.fuzz.oracle import expect_same, expect_sayable
from lab.fuzz.target import Taken, Target
from simdup.cli import _simdup
from simdup.cli.usage import usage_error
from simdup.corpus.ignore_files import ignored, read_ignore_file
from simdup.corpus.patterns import Patterns
from simdup.corpus.sources import list_files
from simdup.errors import SimdupError
from simdup.model.reading import Reading


def ignore(data: bytes) -> None:
    """Lines of .simdupignore files, and paths that they may match."""
    path, _, lines = data.partition(b"\n")
    name = path.decode("utf-8", "surrogateescape")
    os.makedirs("c", exist_ok=True)
    write("c/.simdupignore", lines)
    with os.scandir("c") as entries:
        (entry,) = entries
        file = read_ignore_file(entry, 0)
    for one in (name, f"{name}/", f"a/{name}", name * 20):
        ignored(one, [file])


def patterns(data: bytes) -> None:
    """Patterns of --glob and --exclude, and paths that they may match."""
    path, _, lines = data.decode("utf-8", "surrogateescape").partition("\n")
    made = tuple(lines.split("\n"))
    known = Patterns(made)
    for one in (path, f"a/{path}", path * 20):
        expect_same(known.match(one), known.match(one), "the same path again")
    os.makedirs("d", exist_ok=True)
    write("d/a.txt", b"a")
    listing = list_files(["d"], Reading(glob=made[:1], exclude=made[1:]))
    expect_sayable(listing.skipped)


_ARGUMENTS = (["scan"], ["dedupe", "-o", "out"], ["index", "build", "x.index"], ["compare", "b"])


def configuration(data: bytes) -> None:
    """Configuration files: TOML, unknown keys, values of other types."""
    taken = Taken(data)
    name = taken.choice(("simdup.toml", "pyproject.toml"))
    command, *arguments = taken.choice(_ARGUMENTS)
    within = ("tool", "simdup") if name == "pyproject.toml" else ()
    content = made(taken, partial(configuration_file, within=within))
    typed = [command, *arguments, "a", "--config", write(name, content)]
    try:
        # As a command does before it runs.
        with _simdup.make_context("simdup", list(typed)) as above:
            _, found, rest = _simdup.resolve_command(above, list(typed))
            if found is not None:
                _leaf(found, rest, above)
    except click.UsageError as error:
        raise usage_error(error, command, typed) from None
    except click.ClickException as error:
        raise SimdupError("simdup", error.format_message()) from None


def _leaf(command: click.Command, arguments: list[str], above: click.Context) -> None:
    with command.make_context(command.name, arguments, parent=above) as context:
        if isinstance(command, click.Group):
            typed = [*context._protected_args, *context.args]
            _, found, rest = command.resolve_command(context, typed)
            if found is not None:
                _leaf(found, rest, context)


_TOML = (
    b"keep = 'longest'\ndistance = 9\nsimilarity = 0.5\nglob = ['*.md', 'x']\nverify = false\n"
    b"shingle = 'words:3'\nmemory = '2G'\njobs = 1\n[scan]\nkeep = 'max:date'\nno-fold = true\n"
    b"[index.build]\nencoding = 'gbk'\n"
)

TARGETS = (
    Target(
        ignore,
        (b"a/b.txt\n*.txt\n!a.txt\n/b/\n", b"drafts/x\ndrafts/**\n**/x\n[a-z]?\\#",
         b"aaaaaaaa\n*a*a*", b"a\n[[:alpha:]]", b"a/b/c\na/**/c\n  \n# no\n\xef\xbb\xbfx"),
        (b"*", b"**/", b"/**", b"[!", b"]", b"\\", b"!", b"?", b"{a,b}", b"\n", b"\xff", b"a*"),
        most=600,
    ),
    Target(
        patterns,
        (b"a.txt\n*.txt\nb*", b"a/b.md\n{a,b}/*.{md,txt}\n", b"x\n[!a-z]*\n[[]", b"aaaa\n*a*a*a*b"),
        (b"*", b"{", b"}", b",", b"[", b"]", b"{a,b}", b"?", b"/", b"\n", b"\xff"),
        most=600,
    ),
    Target(
        configuration,
        (*(bytes([0, n]) + RAW + _TOML for n in range(4)),
         b"\1\0" + RAW + b"[tool.simdup]\n" + _TOML[:40],
         b"\0\0" + RAW + b"scan = 3\nx.y = [{}]", b"\0\0" + RAW + b"glob = 1979-05-27\n",
         b"\0\0" + RAW + b"a=" + b"[" * 500,
         b"\0\0" + RAW + b"distance = 99999999999999999999\nsimilarity = nan",
         b"\0\0" + RAW + b"jobs = inf\nmemory = -1\nkeep = [[1]]\nencoding = ''\nstrip = '('",
         *(bytes([file, command]) + kind + bytes(range(5 * command, 90))
           for kind in (BUILT, DAMAGED) for file in range(2) for command in range(4))),
        (b" = ", b"true", b"[scan]", b"[tool.simdup]", b"nan", b"1e999", b"'", b'"', b"[", b"]",
         b"keep", b"distance", b"strip", b"\\u0000", b"\\u001b", b"idf", b"dict", b"color",
         b"prefer"),
    ),
)  # fmt: skip
