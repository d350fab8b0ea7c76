"""Options for what is read, and how."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from simdup.cli.options.running import Size
from simdup.cli.options.values import Decorator, option, value
from simdup.corpus.sources import Named, read_list
from simdup.model.reading import EXTRACTS, INPUT_FORMATS, Reading

_input = partial(option, panel="Input")
_reading = partial(_input, defaults=Reading())

_ENCODING = _reading("--encoding NAME", "Text encoding of the files.", shown="detected")
_HTML = (
    _reading("--html", "Treat every text as HTML, in records too."),
    _reading("--extract PART", "Part of an HTML page to read; none keeps the markup", EXTRACTS),
)
_PATTERNS = (
    _reading("--glob PATTERN", "Take only matching files.", multiple=True, common=True),
    _reading(
        "--exclude PATTERN",
        "Leave out matching files and folders. Repeatable.",
        multiple=True,
        common=True,
    ),
    _reading("--ignore/--no-ignore", "Follow the .simdupignore files in folders."),
)
_RECORDS = (
    _reading("--input-format FORMAT", "File format; auto uses the suffix", INPUT_FORMATS),
    _reading(
        "--field NAME",
        "Record field with the text, such as body.content; several are one text.",
        multiple=True,
        default=Reading().text_fields,
        shown="text",
        common=True,
    ),
    _reading("--id-field NAME", "Record field with the name.", shown="record number"),
)
_TITLE = _reading(
    "--title-field NAME", "Record field with the title.", shown="first heading or line of the text"
)
_MAX_SIZE = _input(
    "--max-size SIZE", "Skip larger documents.", Size(), default=f"{Reading().max_size >> 20}M"
)


# Options that name a file the command writes, and those that name a result of an earlier one.
_WRITTEN, _TOLD = ("path", "model", "removed"), ("baseline", "decisions")


def _make_reading(encoding: str | None, field: tuple[str, ...], **given: Any) -> Reading:
    from simdup.corpus.decoding import known_encoding

    params = click.get_current_context().params
    given["outputs"], given["told"] = (
        tuple(params[name] for name in names if params.get(name) not in (None, "-"))
        for names in (_WRITTEN, _TOLD)
    )
    if encoding == "auto":
        encoding = None
    if encoding is not None:
        known_encoding(encoding)
    return Reading(encoding, field=field[0] if len(field) == 1 else field, **given)


_SINGLE = (_ENCODING, *_RECORDS, *_HTML, _MAX_SIZE)
reading = value("reading", _make_reading, *_PATTERNS, *_SINGLE)
reading_with_titles = value("reading", _make_reading, *_PATTERNS, *_SINGLE, _TITLE)
reading_of_two = value("reading", _make_reading, *_SINGLE, _TITLE)


def _any_sources(
    sources: tuple[str, ...], files_from: str | None, null: bool, printed: str = ""
) -> list[str]:
    if files_from is not None:
        return Named([*sources, *read_list(files_from, null)])
    others = click.get_current_context().params
    if null and not (others.get("listed") or others.get("new")):
        needed = f"--files-from or {printed}" if printed else "--files-from"
        raise click.UsageError(f"--null needs {needed}")
    return Named(sources)


def _some_sources(files_from: str | None, printed: str = "", **given: Any) -> list[str]:
    named = _any_sources(files_from=files_from, printed=printed, **given)
    if not named and files_from is None:
        raise click.UsageError("missing SOURCE: name a folder, files, or - for standard input")
    return named


def _some_names(names: tuple[str, ...], **given: Any) -> list[str]:
    found = _any_sources(names, **given)
    if not found and given["files_from"] is None:
        raise click.UsageError("missing NAME: name documents as the index does")
    return found


def _lists(what: str, printed: str = "") -> tuple[Decorator, Decorator]:
    null = f"Names in --files-from{printed and f' and {printed}'} end with NUL, not newline."
    return (
        _input("--files-from FILE", f"Read more {what}s from FILE, one per line."),
        _input("-0, --null", null),
    )


def _sources(make: Callable[..., list[str]], printed: str = "") -> Decorator:
    """Return the SOURCEs, for a command that prints names with the option `printed`."""
    return value(
        "sources",
        partial(make, printed=printed),
        click.argument(
            "sources",
            nargs=-1,
            metavar="SOURCE..." if make is _some_sources else "[SOURCE...]",
            type=click.Path(readable=False),
        ),
        *_lists("SOURCE", printed),
    )


sources = _sources(_some_sources)
sources_with_list = _sources(_some_sources, "--list")
sources_with_new = _sources(_some_sources, "--new")
# Names of documents, which need not be files.
names = value(
    "names",
    _some_names,
    click.argument("names", nargs=-1, metavar="NAME...", type=click.Path(readable=False)),
    *_lists("NAME"),
)
optional_sources = _sources(_any_sources)
