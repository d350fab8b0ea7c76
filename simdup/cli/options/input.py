"""What is read, and how."""

from __future__ import annotations

from typing import Any

import click

from simdup.cli.options.values import Decorator, option, value
from simdup.corpus.sources import read_list
from simdup.model.reading import EXTRACTS, INPUT_FORMATS, Reading

_DEFAULT = Reading()


def _input(*names: str, **settings: Any) -> Decorator:
    return option(*names, panel="Input", **settings)


_READING = {
    "encoding": _input(
        "--encoding", metavar="NAME", help="Encoding of the files.", shown="detected"
    ),
    "glob": _input(
        "--glob", multiple=True, metavar="PATTERN", common=True, help="Take only matching files."
    ),
    "exclude": _input(
        "--exclude", multiple=True, metavar="PATTERN", help="Leave out matching files and folders."
    ),
    "input_format": _input(
        "--input-format",
        type=click.Choice(INPUT_FORMATS),
        default=_DEFAULT.input_format,
        help="What the files hold; auto goes by the suffix.",
    ),
    "field": _input(
        "--field", default=_DEFAULT.field, metavar="NAME", help="Text field of a record."
    ),
    "id_field": _input(
        "--id-field", metavar="NAME", help="Field with the name of a record.", shown="its number"
    ),
    "html": _input("--html", is_flag=True, help="Texts are HTML, in records too."),
    "extract": _input(
        "--extract",
        type=click.Choice(EXTRACTS),
        default=_DEFAULT.extract,
        help="What of HTML is the text.",
    ),
}


def _make_reading(**given: Any) -> Reading:
    from simdup.corpus.decoding import known_encoding

    if given["encoding"] in (None, "auto"):
        given["encoding"] = None
    else:
        known_encoding(given["encoding"])
    return Reading(**given)


reading = value("reading", _make_reading, *_READING.values())

# Of single files: no patterns, no records.
reading_of_files = value(
    "reading", _make_reading, *(_READING[name] for name in ("encoding", "html", "extract"))
)


def _make_any_sources(sources: tuple[str, ...], files_from: str | None, null: bool) -> list[str]:
    if files_from is not None:
        return [*sources, *read_list(files_from, null)]
    others = click.get_current_context().params
    if null and not (others.get("listed") or others.get("new")):
        raise click.UsageError("--null needs --files-from, or an option that prints names")
    return list(sources)


def _make_sources(sources: tuple[str, ...], files_from: str | None, null: bool) -> list[str]:
    named = _make_any_sources(sources, files_from, null)
    if not named and files_from is None:
        raise click.UsageError("Missing SOURCE: name a folder, files, or - for standard input")
    return named


_SOURCES = (
    click.argument("sources", nargs=-1, metavar="SOURCE...", type=click.Path()),
    _input("--files-from", metavar="FILE", help="Read SOURCEs from FILE, one per line."),
    _input("-0", "--null", is_flag=True, help="Names end with NUL, read or printed."),
)

sources = value("sources", _make_sources, *_SOURCES)
optional_sources = value("sources", _make_any_sources, *_SOURCES)
