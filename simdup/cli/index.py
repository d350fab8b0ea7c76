"""`simdup index`: build, add, remove, info, check, export."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import click

from simdup.base.errors import SimdupError
from simdup.cli.call import Call
from simdup.cli.help import declare
from simdup.cli.messages import Status, as_typed, say, say_error
from simdup.cli.usage import CommandGroup
from simdup.model.documents import Skipped

if TYPE_CHECKING:
    from simdup.index.index import Index
    from simdup.index.match import Added


@click.group("index", cls=CommandGroup)
@click.help_option("-h", "--help", help="Show this help.")
def command() -> None:
    """Build and update an index of the documents you already have.

    An index is a single file. It stores the name, the fingerprint and a sketch of the text of each
    document, hashes of the texts that `simdup dedupe --add` removed because of them, and the recipe
    with its IDF model and user dictionary; with --passages the texts, too. `simdup query` searches
    it. Several processes may read it while one writes.

    Examples:
      simdup index build seen.index ./corpus
      simdup index add seen.index ./corpus ./more
      simdup query seen.index ./delivery
    """


@declare("index build", "INDEX", "[SOURCE...]")
def build(call: Call) -> Status:
    """Create an index of documents.

    INDEX must not exist yet; it appears when all documents are read. If the IDF is learned from
    these documents (by default, if there are at least 200), it also weighs the terms of everything
    added or queried later. Without SOURCEs the index is empty.

    With --passages the index also keeps the texts, compressed, so that `simdup passages --reference
    INDEX` finds what new documents share with them. It is about as large as the texts then.

    Examples:
      simdup index build seen.index ./corpus
      simdup index build essays.index ./essays --passages
      simdup index build --recipe default,idf=builtin seen.index
      simdup fingerprint ./corpus | simdup index build seen.index --fingerprints -
    """
    from simdup.index.index import Index

    with call.watch() as settings:
        made = Index.build(
            call["index"],
            call.sources,
            settings.recipe,
            method=call["method"],
            fingerprints=call["fingerprints"],
            passages=call["passages"],
            min_run=call["min_run"],
            reading=settings.reading,
            run=settings.run,
        )
    with made:
        assert made.built is not None
        return _finish(call, made, made.built)


@declare("index add", "INDEX", "SOURCE...")
def add(call: Call) -> Status:
    """Add documents to an index: all of them or, if interrupted, none.

    If the index already has a document of the same name, it is replaced if its content has
    changed, and left alone otherwise. Adding a folder again is therefore quick. The index
    determines the recipe; options that contradict it are errors.

    Examples:
      simdup index add seen.index ./corpus
      simdup index add seen.index --fingerprints prints.txt
    """
    from simdup.index.index import Index

    with Index.open(call["index"]) as index:
        index.require_recipe(*call.asked_recipe)
        with call.watch() as settings:
            added = index.add(
                call.sources,
                fingerprints=call["fingerprints"],
                reading=settings.reading,
                run=settings.run,
                timeout=call["timeout"],
                waiting=partial(say_error, index.path),
            )
        return _finish(call, index, added)


def _finish(call: Call, index: Index, added: Added) -> Status:
    """Print what happened to the documents, and return the exit status."""
    from simdup.show.summary import indexed_words

    call.screen.skipped(added.skipped, added.notes)
    text = indexed_words(index.path, added, len(index), call.screen.words)
    return call.finish(added.skipped, text, index.recipe)


@declare("index remove", "INDEX", "NAME...")
def remove(call: Call) -> Status:
    """Remove documents from an index by name.

    Status: 0 done; 2 if a name was not found (the others are removed).

    Examples:
      simdup index remove seen.index corpus/a.txt corpus/b.txt
      simdup index remove seen.index --files-from gone.txt
    """
    from simdup.index.index import Index
    from simdup.show.summary import removed_words

    path, names = call["index"], call.sources
    with Index.open(path) as index:
        missing = index.remove(names, timeout=call["timeout"], waiting=partial(say_error, path))
        for name in missing:
            say_error(name, "no such document in the index")
        removed = len(set(names)) - len(set(missing))
        call.finish(report=removed_words(path, removed, len(index), call.screen.words))
    return Status.ERROR if missing else Status.DONE


@declare("index info", "INDEX")
def info(call: Call) -> Status:
    """Show the recipe, documents, size and dates of an index.

    Examples:
      simdup index info -f jsonl seen.index
    """
    from simdup.index.file import index_info, open_file
    from simdup.show.lines import typed
    from simdup.show.text import info_text

    with closing(open_file(call["index"])) as file:
        facts = index_info(file)
    with call.writing(call["index"]) as stream:
        if call.out.format == "text":
            stream.write(info_text(facts, call.screen.words))
        else:
            stream.writelines(typed("index", [facts]))
    return call.finish()


@declare("index check", "INDEX")
def check(call: Call) -> Status:
    """Check every part of an index.

    SQLite checks the file, every part of it is compared with its checksum, and the recipe with its
    digest.

    Status: 0 everything is intact; 2 something is damaged. Then build the index again; `simdup
    index export` prints what is intact.

    Examples:
      simdup index check seen.index
    """
    from simdup.index.file import DAMAGED_HINT
    from simdup.index.index import Index

    path, words = call["index"], call.screen.words
    with Index.open(path) as index:
        faults = index.check()
        for fault in faults:
            say_error(path, fault)
        if faults:
            say(f"hint: {as_typed(DAMAGED_HINT)}")
            return Status.ERROR
        documents = words("documents", n=len(index))
    return call.finish(report=words("index.intact", documents=documents))


@declare("index export", "INDEX")
def export(call: Call) -> Status:
    """Print an index as fingerprint lines, oldest first.

    Damaged segments, of some 2 MB each, are left out and listed.

    Status: 0 done; 2 a segment is damaged (the others are printed).

    Examples:
      simdup index export seen.index | simdup cluster
      simdup index export seen.index -o prints.txt
    """
    from simdup.index.file import DAMAGED_HINT, REBUILD
    from simdup.index.index import Index

    lost = list[Skipped]()
    try:
        with Index.open(call["index"]) as index, call.writing(call["index"]) as stream:
            stream.writelines(index.export_lines(lost))
    except SimdupError as error:
        # Nothing is intact: `export` is no way out.
        hint = REBUILD if error.hint == DAMAGED_HINT else error.hint
        raise SimdupError(error.where, error.what, hint, error.field) from None
    call.screen.skipped(lost)
    if lost:
        say(f"hint: {REBUILD}")
    return call.finish(lost)


for _one in (build, add, remove, info, check, export):
    command.add_command(_one)
