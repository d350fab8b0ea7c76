"""`simdup index`: build, add, remove, info, check, repair, export."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from simdup.cli import options
from simdup.cli.messages import say, say_error
from simdup.cli.outcome import Status, status
from simdup.errors import SimdupError
from simdup.model.settings import Settings

if TYPE_CHECKING:
    from simdup.model.matches import Added
    from simdup.output.words import Words

index_file = click.argument("index", metavar="INDEX", type=click.Path(readable=False))
fingerprint_lines = options.option(
    "--fingerprints", "Read SOURCEs as fingerprint lines, not texts.", panel="Input"
)
timeout = options.option(
    "--timeout SECONDS",
    "Time to wait for another writer.",
    click.FloatRange(0),
    panel="Other",
    default=60.0,
)


@click.group("index", cls=options.Group)
def command() -> None:
    """Build and update an index of the documents you already have.

    An index is a single file. It stores the name, the fingerprint and a sketch of the text of each
    document, and the recipe with its IDF model and user dictionary. `simdup query` searches it.
    Several processes may read it while one writes.

    Examples:
      simdup index build seen.index ./corpus
      simdup index add seen.index ./corpus ./more
      simdup query seen.index ./delivery
    """


@command.command("build", cls=options.Command)
@index_file
@options.optional_sources
@fingerprint_lines
@options.settings(options.reading, options.run, options.recipe)
@options.screen
def build(
    *,
    index: str,
    sources: list[str],
    fingerprints: bool,
    settings: Settings,
    screen: options.Screen,
) -> Status:
    """Create an index of documents.

    INDEX must not exist yet; it appears when all documents are read. If the IDF is learned from
    these documents (by default, if there are at least 200), it also weighs the terms of everything
    added or queried later. Without SOURCEs the index is empty.

    Examples:
      simdup index build seen.index ./corpus
      simdup index build --idf builtin seen.index
      simdup fingerprint ./corpus | simdup index build seen.index --fingerprints -
    """
    from simdup.index.index import Index

    with screen.watch(settings) as watched:
        made = Index.build(
            index,
            sources,
            watched.recipe,
            fingerprints=fingerprints,
            reading=watched.reading,
            run=watched.run,
        )
    with made:
        added = made.built
        assert added is not None
        screen.skipped(added.skipped, added.notes)
        screen.report(_words(index, added, len(made), screen.words), made.recipe)
    return status(added.skipped)


@command.command("add", cls=options.Command)
@index_file
@options.sources
@fingerprint_lines
@options.settings(options.reading, options.run)
@options.screen
@options.asked_recipe
@timeout
def add(
    *,
    index: str,
    sources: list[str],
    fingerprints: bool,
    asked: options.AskedRecipe,
    settings: Settings,
    timeout: float,
    screen: options.Screen,
) -> Status:
    """Add documents to an index: all of them or, if interrupted, none.

    If the index already has a document of the same name, it is replaced if its content has
    changed, and left alone otherwise. Adding a folder again is therefore quick. The index
    determines the recipe; options that contradict it are errors.

    Examples:
      simdup index add seen.index ./corpus
      simdup index add seen.index --fingerprints prints.txt
    """
    from simdup.index.index import Index

    with Index.open(index) as opened:
        opened.require_recipe(*asked)
        with screen.watch(settings) as watched:
            added = opened.add(
                sources,
                fingerprints=fingerprints,
                reading=watched.reading,
                run=watched.run,
                timeout=timeout,
                waiting=lambda what: say_error(index, what),
            )
        screen.skipped(added.skipped, added.notes)
        screen.report(_words(index, added, len(opened), screen.words), opened.recipe)
    return status(added.skipped)


@command.command("remove", cls=options.Command)
@index_file
@options.names
@options.screen_with("quiet")
@timeout
def remove(*, index: str, names: list[str], timeout: float, screen: options.Screen) -> Status:
    """Remove documents from an index by name.

    Status: 0 done; 2 if a name was not found (the others are removed).

    Examples:
      simdup index remove seen.index corpus/a.txt corpus/b.txt
      simdup index remove seen.index --files-from gone.txt
    """
    from simdup.index.index import Index
    from simdup.output.escaping import shown

    with Index.open(index) as opened:
        missing = opened.remove(names, timeout=timeout, waiting=lambda what: say_error(index, what))
        for name in missing:
            say_error(name, "no such document in the index")
        words, removed = screen.words, len(set(names)) - len(set(missing))
        gone = words("index.removed", documents=words("documents", n=removed))
        what = words.listed([gone, words("index.all", n=len(opened))])
        screen.report(words("wrote.what", path=shown(index), what=what))
    return Status.ERROR if missing else Status.DONE


@command.command("info", cls=options.Command)
@index_file
@options.output("text", "jsonl", colors=False)
@options.screen_with("quiet")
def info(*, index: str, out: options.Output, screen: options.Screen) -> Status:
    """Show the recipe, documents, size and dates of an index.

    Examples:
      simdup index info -f jsonl seen.index
    """
    from simdup.index.info import index_info
    from simdup.index.opening import open_storage
    from simdup.output.records import json_line
    from simdup.output.text import info_text

    with closing(open_storage(index)) as storage:
        found = index_info(storage)
    with out.open([index]) as stream:
        as_text = out.format == "text"
        stream.write(
            info_text(found, screen.words)
            if as_text
            else json_line({"type": "index"} | asdict(found))
        )
    screen.wrote(out.path)
    return Status.DONE


class _Sample(click.ParamType):  # type: ignore[type-arg]  # generic since Click 8.5
    """A share, or one of several parts; checked here so that a configuration may hold others."""

    name = "sample"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the text, if it describes a sample."""
        from simdup.index.sample import Sample

        try:
            Sample.parse(value)
        except SimdupError as error:
            self.fail(error.what, param, ctx)
        return str(value)


@command.command("check", cls=options.Command)
@index_file
@options.option(
    "--sample SHARE",
    "Read only this share of the blocks: 5%, or 3/20 for the third of 20 parts.",
    _Sample(),
    panel="Other",
    common=True,
    shown="all",
)
@options.screen_with("quiet")
def check(*, index: str, sample: str | None, screen: options.Screen) -> Status:
    """Check every block of an index against its checksum.

    The recipe is checked against its digest, and the list of blocks against the blocks. A block has
    up to 1,024 documents. With --sample, a large index takes seconds: the lists and the recipe are
    checked, but damage in other blocks is not found. The same sample has the same blocks each time;
    1/20 to 20/20 together are all.

    Status: 0 everything is intact; 2 something is damaged.

    Examples:
      simdup index check seen.index
      simdup index check seen.index --sample 5%
    """
    from simdup.index.index import Index
    from simdup.output.escaping import shown

    with Index.open(index) as opened:
        faults = opened.check(sample)
        for fault in faults:
            say_error(index, fault)
        if faults:
            say(f"hint: simdup index repair {shown(index)}")
            return Status.ERROR
        documents = screen.words("documents", n=len(opened))
        key = "index.intact" if sample is None else "index.sampled"
        screen.report(screen.words(key, documents=documents, sample=sample))
    return Status.DONE


@command.command("repair", cls=options.Command)
@index_file
@click.argument("new", metavar="[NEW]", required=False, type=click.Path(readable=False))
@options.screen_with("quiet")
def repair(*, index: str, new: str | None, screen: options.Screen) -> Status:
    """Write the intact part of a damaged index to a new file.

    The new file is NEW, by default INDEX.repaired; it must not exist yet. INDEX is not changed.
    Lost documents are listed; to restore them, add their sources to the new index again.

    Status: 0 if no documents were lost (if nothing is damaged, no file is written); 2 if some were.

    Examples:
      simdup index repair seen.index
      simdup index repair seen.index whole.index && mv whole.index seen.index
    """
    from simdup.index.repair import repair
    from simdup.output.escaping import shown

    target = new or index + ".repaired"
    found = repair(index, target)
    if not found.faults:
        screen.report(screen.words("index.whole"))
        return Status.DONE
    for lost in found.lost:
        say_error(index, lost)
    if found.lost:
        say(f"hint: simdup index add {shown(target)} SOURCE")
    documents = screen.words("documents", n=found.documents)
    screen.report(screen.words("index.repaired", documents=documents, path=shown(target)))
    return Status.ERROR if found.lost else Status.DONE


@command.command("export", cls=options.Command)
@index_file
@options.output_lines
@options.screen_with("quiet")
def export(*, index: str, out: options.Output, screen: options.Screen) -> Status:
    """Print an index as fingerprint lines, oldest first.

    Examples:
      simdup index export seen.index | simdup cluster
      simdup index export seen.index -o prints.txt
    """
    from simdup.index.index import Index

    with Index.open(index) as opened, out.open([index]) as stream:
        stream.writelines(opened.export_lines())
    screen.wrote(out.path)
    return Status.DONE


def _words(index: str, added: Added, documents: int, words: Words) -> str:
    from simdup.output.escaping import shown
    from simdup.output.summary import skipped_words

    parts = [words("index.added", documents=words("documents", n=added.added))]
    parts += [words("index.replaced", n=added.replaced)] if added.replaced else []
    parts += [words("index.unchanged", n=added.unchanged)] if added.unchanged else []
    parts += [words("index.all", n=documents)]
    told = (words.listed(parts), skipped_words(added.skipped, words))
    what = words("semicolon").join(filter(None, told))
    return words("wrote.what", path=shown(index), what=what)
