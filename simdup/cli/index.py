"""`simdup index`: build, add, remove, info, check, export."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from simdup.cli import options
from simdup.cli.messages import say, say_error
from simdup.cli.outcome import Status, status
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions

if TYPE_CHECKING:
    from simdup.model.matches import Added

index_file = click.argument("index", metavar="INDEX", type=click.Path())
fingerprint_lines = options.option(
    "--fingerprints", panel="Input", is_flag=True, help="SOURCEs hold fingerprint lines, not texts."
)
timeout = options.option(
    "--timeout",
    panel="Other",
    type=click.FloatRange(0),
    default=60.0,
    metavar="SECONDS",
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
    """Keep documents in an index, to be searched with `simdup query`.

    An index is a single file that remembers the documents you already have: of each its name, its
    fingerprint and a sketch of its text, and the recipe with its IDF model and user dictionary.
    Several processes may read it while one writes.
    """


@command.command(
    "build",
    cls=options.Command,
    short_help="Create an index of documents.",
    examples="""
    simdup index build seen.index ./corpus
    simdup index build --idf builtin seen.index
    simdup fingerprint ./corpus | simdup index build seen.index --fingerprints -
    """,
)
@index_file
@options.optional_sources
@fingerprint_lines
@options.reading
@options.screen
@options.run
@options.recipe
@options.debug
def build(
    *,
    index: str,
    sources: list[str],
    fingerprints: bool,
    recipe: Recipe,
    reading: Reading,
    run: RunOptions,
    screen: options.Screen,
) -> Status:
    """Create an index of documents.

    It appears when all documents are read, and must not exist before. Where the recipe learns the
    corpus's own IDF (from 200 documents on by default), everything that is added or queried later
    is weighed by that of these documents. Without SOURCEs the index is empty.
    """
    from simdup.index.index import Index
    from simdup.output.text import recipe_words

    with screen.watch(run) as watched:
        made = Index.build(
            index, sources, recipe, fingerprints=fingerprints, reading=reading, run=watched
        )
    with made:
        added = made.built
        assert added is not None
        screen.skipped(added.skipped, added.notes)
        screen.report(_words(added, len(made)))
        screen.report(recipe_words(made.recipe))
    return status(added.skipped)


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
@options.reading
@options.screen
@options.run
@options.asked_recipe
@timeout
@options.debug
def add(
    *,
    index: str,
    sources: list[str],
    fingerprints: bool,
    asked: options.AskedRecipe,
    reading: Reading,
    run: RunOptions,
    timeout: float,
    screen: options.Screen,
) -> Status:
    """Add documents to an index: all of them or, if interrupted, none.

    A document whose name is present is replaced if its content has changed and left alone if not,
    so adding a folder again is quick. The recipe is that of the index; options of another recipe
    are refused.
    """
    from simdup.index.index import Index

    with Index.open(index) as opened:
        opened.require_recipe(*asked)
        with screen.watch(run) as watched:
            added = opened.add(
                sources,
                fingerprints=fingerprints,
                reading=reading,
                run=watched,
                timeout=timeout,
                waiting=lambda what: say_error(index, what),
            )
        screen.skipped(added.skipped, added.notes)
        screen.report(_words(added, len(opened)))
    return status(added.skipped)


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
@options.screen_without_progress
@timeout
@options.debug
def remove(*, index: str, names: tuple[str, ...], timeout: float, screen: options.Screen) -> Status:
    """Remove documents from an index by name.

    Status: 0 done, 2 if a name was not found (the others are removed).
    """
    from simdup.index.index import Index
    from simdup.output.text import count_words

    with Index.open(index) as opened:
        missing = opened.remove(names, timeout=timeout, waiting=lambda what: say_error(index, what))
        for name in missing:
            say_error(name, "no such document in the index")
        removed = len(set(names)) - len(set(missing))
        left = f"the index has {len(opened):,}"
        screen.report(f"{count_words(removed, 'document')} removed; {left}")
    return Status.ERROR if missing else Status.DONE


@command.command(
    "info",
    cls=options.Command,
    short_help="Describe an index.",
    examples="simdup index info -f jsonl seen.index",
)
@index_file
@options.output("text", "jsonl", colors=False)
@options.debug
def info(*, index: str, out: options.Output) -> Status:
    """Describe an index: recipe, documents, size, dates."""
    from simdup.index.info import index_info
    from simdup.index.opening import open_storage
    from simdup.output.records import json_line

    storage = open_storage(index)
    try:
        found = index_info(storage)
    finally:
        storage.close()
    with out.open() as stream:
        if out.format == "jsonl":
            stream.write(json_line({"type": "index"} | asdict(found)))
            return Status.DONE
        from simdup.output.text import info_text

        stream.write(info_text(found).encode())
    return Status.DONE


@command.command(
    "check",
    cls=options.Command,
    short_help="Verify every block of an index.",
    examples="simdup index check seen.index",
)
@index_file
@options.screen_without_progress
@options.debug
def check(*, index: str, screen: options.Screen) -> Status:
    """Verify every block of an index against its checksum, and the recipe against its digest.

    Status: 0 everything is intact, 2 something is damaged.
    """
    from simdup.index.index import Index
    from simdup.output.text import count_words

    with Index.open(index) as opened:
        faults = opened.check()
        for fault in faults:
            say_error(index, fault)
        if faults:
            say("hint: build it again from its sources")
            return Status.ERROR
        screen.report(f"{count_words(len(opened), 'document')}, everything is intact")
    return Status.DONE


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
@options.output_lines
@options.debug
def export(*, index: str, out: options.Output) -> Status:
    """Print an index as fingerprint lines, in the order in which documents were added."""
    from simdup.index.index import Index

    with Index.open(index) as opened, out.open() as stream:
        stream.writelines(opened.export_lines())
    return Status.DONE


def _words(added: Added, documents: int) -> str:
    from simdup.output.text import count_words, skipped_words

    parts = [f"{count_words(added.added, 'document')} added"]
    parts += [f"{added.replaced:,} replaced"] if added.replaced else []
    parts += [f"{added.unchanged:,} unchanged"] if added.unchanged else []
    skipped = skipped_words(added.skipped)
    words = ", ".join(parts) + (f"; {skipped}" if skipped else "")
    return f"{words}; the index has {documents:,}"
