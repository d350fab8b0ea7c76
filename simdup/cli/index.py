"""`simdup index`: build, add, remove, info, check, export."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import click

from simdup.cli import options
from simdup.cli.messages import say, say_error, say_skipped
from simdup.cli.progress import progress
from simdup.model.recipe import Recipe

if TYPE_CHECKING:
    from simdup.index.index import Added

FORMATS = ("text", "jsonl")

index_file = click.argument("index", metavar="INDEX", type=click.Path())
fingerprint_lines = click.option(
    "--fingerprints", is_flag=True, help="SOURCEs hold fingerprint lines, not texts."
)
timeout = click.option(
    "--timeout",
    type=click.FloatRange(0),
    default=60.0,
    metavar="SECONDS",
    show_default=True,
    help="How long to wait for another writer.",
)


@click.group(
    "index",
    cls=options.Group,
    examples="""
    simdup index build seen.index ./corpus
    simdup index add seen.index ./corpus ./more
    simdup query seen.index ./delivery
    """,
)
def command() -> None:
    """Keep documents in an index, one file, to be asked with `simdup query`.

    An index holds of each document its name, its fingerprint and a sketch of its text, and the
    recipe with its IDF model and user dictionary. Several may read it while one writes.
    """


@command.command(
    "build",
    cls=options.Command,
    short_help="Make an index of documents.",
    examples="""
    simdup index build seen.index ./corpus
    simdup index build --idf builtin seen.index
    simdup fingerprint ./corpus | simdup index build seen.index --fingerprints -
    """,
)
@index_file
@options.sources
@fingerprint_lines
@options.reading
@options.effort
@options.quiet
@options.debug
@options.recipe
def build(**given: Any) -> int:
    """Make an index of documents.

    It appears when all are read, and must not be there before. Where the recipe takes the
    corpus's own IDF (from 200 documents on by default) that of these documents is frozen: all that
    is added or asked later is weighed by it. Without SOURCEs the index is empty.
    """
    named = _sources(given)
    recipe = options.make_recipe(given)
    reading = options.make_reading(given)

    from simdup.index.index import Index
    from simdup.output.text import recipe_words

    with progress(given["progress"], given["quiet"]) as show:
        effort = options.make_effort(given, show)
        index = Index.build(
            given["index"],
            named,
            recipe,
            fingerprints=given["fingerprints"],
            reading=reading,
            effort=effort,
        )
    with index:
        added = index.built
        assert added is not None
        say_skipped(added.skipped, added.notes, given["quiet"])
        if not given["quiet"]:
            say(_words(added, len(index)))
            say(recipe_words(index.recipe))
    return 2 if any(one.error for one in added.skipped) else 0


@command.command(
    "add",
    cls=options.Command,
    short_help="Add documents, replace changed ones.",
    examples="""
    simdup index add seen.index ./corpus
    simdup fingerprint --idf model.idf new/ | simdup index add seen.index --fingerprints -
    """,
)
@index_file
@options.sources
@fingerprint_lines
@timeout
@options.reading
@options.effort
@options.quiet
@options.debug
@options.recipe
def add(**given: Any) -> int:
    """Add documents to an index: all or, if interrupted, none.

    A document whose name is there is replaced if its content has changed and left alone if not,
    so adding a folder again is quick. The recipe is that of the index; its options may be given to
    make sure of it.
    """
    named = options.make_sources(given)
    reading = options.make_reading(given)

    from simdup.index.index import Index

    with Index.open(given["index"]) as index:
        index.insist(*asked_recipe(given))
        with progress(given["progress"], given["quiet"]) as show:
            added = index.add(
                named,
                fingerprints=given["fingerprints"],
                reading=reading,
                effort=options.make_effort(given, show),
                timeout=given["timeout"],
                waiting=lambda what: say_error(given["index"], what),
            )
        say_skipped(added.skipped, added.notes, given["quiet"])
        if not given["quiet"]:
            say(_words(added, len(index)))
    return 2 if any(one.error for one in added.skipped) else 0


@command.command(
    "remove",
    cls=options.Command,
    short_help="Remove documents by name.",
    examples="""
    simdup index remove seen.index corpus/a.txt corpus/b.txt
    find gone/ -type f -print0 | xargs -0 simdup index remove seen.index
    """,
)
@index_file
@click.argument("names", nargs=-1, required=True, metavar="NAME...", type=click.Path())
@timeout
@options.quiet
@options.debug
def remove(**given: Any) -> int:
    """Remove documents from an index by name.

    Status: 0 done, 2 where a name is not there (the others are removed).
    """
    from simdup.index.index import Index
    from simdup.output.text import count_words

    with Index.open(given["index"]) as index:
        missing = index.remove(
            given["names"],
            timeout=given["timeout"],
            waiting=lambda what: say_error(given["index"], what),
        )
        for name in missing:
            say_error(name, "no such document in the index")
        if not given["quiet"]:
            removed = len(set(given["names"])) - len(set(missing))
            say(f"{count_words(removed, 'document')} removed; the index has {len(index):,}")
    return 2 if missing else 0


@command.command(
    "info",
    cls=options.Command,
    short_help="Say what an index holds.",
    examples="simdup index info -f jsonl seen.index",
)
@index_file
@options.output(*FORMATS)
@options.debug
def info(**given: Any) -> int:
    """Say what an index holds: recipe, documents, size, when."""
    form = options.make_format(given, FORMATS)

    from simdup.index.info import index_info
    from simdup.index.storage import opened
    from simdup.output.records import json_line
    from simdup.output.streams import open_output

    file = opened(given["index"])
    try:
        found = index_info(file)
    finally:
        file.close()
    with open_output(given["output"]) as stream:
        if form == "jsonl":
            stream.write(json_line({"type": "index"} | asdict(found)))
            return 0
        from simdup.output.text import info_text

        stream.write(info_text(found).encode())
    return 0


@command.command(
    "check",
    cls=options.Command,
    short_help="Verify every block of an index.",
    examples="simdup index check seen.index",
)
@index_file
@options.quiet
@options.debug
def check(**given: Any) -> int:
    """Verify every block of an index against its checksum, and the recipe against its digest.

    Status: 0 all is well, 2 something is damaged.
    """
    from simdup.index.index import Index
    from simdup.output.text import count_words

    with Index.open(given["index"]) as index:
        faults = index.check()
        for fault in faults:
            say_error(given["index"], fault)
        if faults:
            say("hint: build it anew from its sources")
        elif not given["quiet"]:
            say(f"{count_words(len(index), 'document')}, all is well")
    return 2 if faults else 0


@command.command(
    "export",
    cls=options.Command,
    short_help="Print an index as fingerprint lines.",
    examples="""
    simdup index export seen.index | simdup cluster
    simdup index export seen.index -o prints.txt
    """,
)
@index_file
@click.option("-o", "--output", metavar="FILE", help="Write to FILE.")
@options.debug
def export(**given: Any) -> int:
    """Print an index as fingerprint lines, in the order in which documents came."""
    from simdup.index.index import Index
    from simdup.output.streams import open_output

    with Index.open(given["index"]) as index, open_output(given["output"]) as stream:
        stream.writelines(index.export_lines())
    return 0


def asked_recipe(given: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Return the recipe's name, if one was asked for, and its fields that were."""
    source = click.get_current_context().get_parameter_source("recipe_name")
    named = source is not None and source.name == "COMMANDLINE"
    values = {one.name: given[one.name] for one in fields(Recipe) if given[one.name] is not None}
    return given["recipe_name"] if named else None, values


def _sources(given: dict[str, Any]) -> list[str]:
    """Return the sources of a build, of which there may be none."""
    if not given["sources"] and given["files_from"] is None and not given["null"]:
        return []
    return options.make_sources(given)


def _words(added: Added, documents: int) -> str:
    from simdup.output.text import count_words, skipped_words

    parts = [f"{count_words(added.added, 'document')} added"]
    parts += [f"{added.replaced:,} replaced"] if added.replaced else []
    parts += [f"{added.unchanged:,} unchanged"] if added.unchanged else []
    skipped = skipped_words(added.skipped)
    words = ", ".join(parts) + (f"; {skipped}" if skipped else "")
    return f"{words}; the index has {documents:,}"
