"""`simdup index`: build, add, remove, info, check, repair, export."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from simdup.cli.call import Call
from simdup.cli.help import Group, declare
from simdup.cli.messages import say, say_error
from simdup.cli.outcome import Status, status

if TYPE_CHECKING:
    from simdup.model.matches import Added
    from simdup.output.words import Words


@click.group("index", cls=Group)
def command() -> None:
    """Build and update an index of the documents you already have.

    An index is a single file. It stores the name, the fingerprint and a sketch of the text of each
    document, hashes of the texts that `simdup dedupe --add` removed because of them, and the recipe
    with its IDF model and user dictionary. `simdup query` searches it. Several processes may read
    it while one writes.

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

    Examples:
      simdup index build seen.index ./corpus
      simdup index build --idf builtin seen.index
      simdup fingerprint ./corpus | simdup index build seen.index --fingerprints -
    """
    index, screen, settings = call["index"], call.screen, call.settings
    from simdup.index.index import Index

    with screen.watch(settings) as watched:
        made = Index.build(
            index,
            call.sources,
            watched.recipe,
            fingerprints=call["fingerprints"],
            reading=watched.reading,
            run=watched.run,
        )
    with made:
        added = made.built
        assert added is not None
        screen.skipped(added.skipped, added.notes)
        screen.report(_words(index, added, len(made), screen.words), made.recipe)
    return status(added.skipped)


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
    index, screen, settings = call["index"], call.screen, call.settings
    from simdup.index.index import Index

    with Index.open(index) as opened:
        opened.require_recipe(*call.asked_recipe)
        with screen.watch(settings) as watched:
            added = opened.add(
                call.sources,
                fingerprints=call["fingerprints"],
                reading=watched.reading,
                run=watched.run,
                timeout=call["timeout"],
                waiting=lambda what: say_error(index, what),
            )
        screen.skipped(added.skipped, added.notes)
        screen.report(_words(index, added, len(opened), screen.words), opened.recipe)
    return status(added.skipped)


@declare("index remove", "INDEX", "NAME...")
def remove(call: Call) -> Status:
    """Remove documents from an index by name.

    Status: 0 done; 2 if a name was not found (the others are removed).

    Examples:
      simdup index remove seen.index corpus/a.txt corpus/b.txt
      simdup index remove seen.index --files-from gone.txt
    """
    index, names, screen = call["index"], call.names, call.screen
    from simdup.index.index import Index
    from simdup.output.escaping import shown

    with Index.open(index) as opened:
        missing = opened.remove(
            names, timeout=call["timeout"], waiting=lambda what: say_error(index, what)
        )
        for name in missing:
            say_error(name, "no such document in the index")
        words, removed = screen.words, len(set(names)) - len(set(missing))
        gone = words("index.removed", documents=words("documents", n=removed))
        what = words.listed([gone, words("index.all", n=len(opened))])
        screen.report(words("wrote.what", path=shown(index), what=what))
    return Status.ERROR if missing else Status.DONE


@declare("index info", "INDEX")
def info(call: Call) -> Status:
    """Show the recipe, documents, size and dates of an index.

    Examples:
      simdup index info -f jsonl seen.index
    """
    index, out, screen = call["index"], call.out, call.screen
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


@declare("index check", "INDEX")
def check(call: Call) -> Status:
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
    index, sample, screen = call["index"], call["sample"], call.screen
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


@declare("index repair", "INDEX", "[NEW]")
def repair(call: Call) -> Status:
    """Write the intact part of a damaged index to a new file.

    The new file is NEW, by default INDEX.repaired; it must not exist yet. INDEX is not changed.
    Lost documents are listed; to restore them, add their sources to the new index again.

    Status: 0 if no documents were lost (if nothing is damaged, no file is written); 2 if some were.

    Examples:
      simdup index repair seen.index
      simdup index repair seen.index whole.index && mv whole.index seen.index
    """
    index, screen = call["index"], call.screen
    from simdup.index.repair import repair
    from simdup.output.escaping import shown

    target = call["new"] or index + ".repaired"
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


@declare("index export", "INDEX")
def export(call: Call) -> Status:
    """Print an index as fingerprint lines, oldest first.

    Examples:
      simdup index export seen.index | simdup cluster
      simdup index export seen.index -o prints.txt
    """
    index, out = call["index"], call.out
    from simdup.index.index import Index

    with Index.open(index) as opened, out.open([index]) as stream:
        stream.writelines(opened.export_lines())
    call.screen.wrote(out.path)
    return Status.DONE


for _one in (build, add, remove, info, check, repair, export):
    command.add_command(_one)


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
