"""Write results as text; with `comparison`, the only module that uses rich."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, takewhile
from typing import IO, TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.style import Style

from simdup.corpus.names import to_bytes
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.formats import PAIR_HEADING, TEXT_HEADING
from simdup.model.matches import QueryResult
from simdup.output.details import Details
from simdup.output.escaping import shown
from simdup.output.records import NO_DETAILS, digits, figure
from simdup.output.summary import count_words, recipe_words

if TYPE_CHECKING:
    from simdup.index.info import IndexInfo

# Columns before the name in the answer to a query.
_QUERY_INDENT = 17
# A name is never cut to less, however narrow the terminal.
_NARROW = 24

# Terminal cells of each column of documents.
_WIDTHS = {"new": 3, "title": 30, "length": 8, "modified": 20, "folder": 20}

STYLES = {
    "heading": Style(bold=True),
    "kept": Style(color="green"),
    "redundant": Style(color="yellow"),
    "linked": Style(color="cyan"),
    "dim": Style(dim=True),
    "yes": Style(color="green", bold=True),
    "no": Style(color="red", bold=True),
    "removed": Style(color="red"),
    "added": Style(color="green"),
}


class Painter:
    """Colors words, if the stream shows colors.

    With `color` ``auto`` it asks whether the stream is a terminal, and heeds the environment
    variables NO_COLOR and FORCE_COLOR, of which the first one wins.

    Attributes
    ----------
    on : bool
        Whether it paints.
    width : int or None
        Columns of the terminal; None where the stream is none.
    """

    def __init__(self, stream: IO[Any], color: str = "auto") -> None:
        environment = os.environ
        terminal = stream.isatty() and environment.get("TERM") != "dumb"
        wanted = bool(environment.get("FORCE_COLOR")) or terminal
        self.on = color == "always" or (
            color == "auto" and wanted and not environment.get("NO_COLOR")
        )
        self.width = shutil.get_terminal_size().columns if stream.isatty() else None

    def __call__(self, style: str, words: str) -> str:
        """Return the words, painted."""
        if not self.on:
            return words
        return STYLES[style].render(words, color_system=ColorSystem.STANDARD)

    def wrapped(self, sentence: str) -> str:
        """Return a sentence in lines of whole words, where the stream is a terminal."""
        if self.width is None:
            return sentence
        return textwrap.fill(sentence, self.width, break_long_words=False, break_on_hyphens=False)

    def name(self, name: str, indent: int) -> str:
        """Return a name as it is shown behind `indent` columns: shortened on a terminal only."""
        name = shown(name)
        return name if self.width is None else shortened(name, max(self.width - indent, _NARROW))


def shortened(name: str, width: int) -> str:
    """Return a name that fits a width in terminal cells: without its middle if it is longer.

    A third of the room is for the beginning, as names of files differ at the end.
    """
    if cell_len(name) <= width:
        return name
    head, tail = width // 3, width - width // 3 - 1
    return f"{_first(name, head)}\N{HORIZONTAL ELLIPSIS}{_first(name[::-1], tail)[::-1]}"


def _first(text: str, width: int) -> str:
    """Return as many characters as fit a width in terminal cells."""
    cells = accumulate(map(cell_len, text))
    return text[: sum(1 for _ in takewhile(lambda cell: cell <= width, cells))]


def padded(text: str, width: int) -> str:
    """Return text padded with spaces to a width in terminal cells."""
    return text + " " * (width - cell_len(text))


def cluster_text(
    clusters: Iterable[Cluster],
    paint: Painter,
    extras: Sequence[str] = (),
    more: Details = NO_DETAILS,
) -> Iterator[bytes]:
    """Yield clusters as text.

    Names come last: whatever their width, the columns before them line up.  `extras` are the
    columns of further measures, `more` those of documents.
    """
    columns = "".join(f"{extra:>11}  " for extra in extras)
    columns += "".join(_cell(column, column) for column in more)
    indent = len(TEXT_HEADING + columns)
    heading = paint("dim", f"{TEXT_HEADING}{columns}document") + "\n"
    for cluster in clusters:
        yield heading.encode()
        heading = "\n"
        title = f"cluster {cluster.number:,}: {len(cluster.members):,} documents"
        if cluster.linked:
            title += f", {cluster.linked:,} linked only through others"
        lines = [paint("heading", title)]
        for member in cluster.members:
            role = paint(member.role, f"{member.role:<9}")
            cells = (_cell(column, of.get(member.number, "")) for column, of in more.items())
            figures = _figures(member, extras) + "".join(cells)
            lines.append(f"  {role}  {figures}{paint.name(member.name, indent)}")
        yield to_bytes("\n".join(lines) + "\n")


def _cell(column: str, value: str | int) -> str:
    """Return what a column says of a document; words are on the left, and cut to its width."""
    width = _WIDTHS[column]
    if column == "length":
        return f"{value:>{width}}  "
    return padded(shortened(shown(str(value)), width), width) + "  "


def pair_text(pairs: Iterable[Pair], paint: Painter, extras: Sequence[str] = ()) -> Iterator[bytes]:
    """Yield pairs as text: the figures and one document, the other one below it."""
    columns = "".join(f"{extra:>11}  " for extra in extras)
    heading = f"{PAIR_HEADING}{columns}"
    indent = len(heading)
    yield (paint("dim", f"{heading}documents") + "\n").encode()
    for pair in pairs:
        a, b = (paint.name(name, indent) for name in (pair.a, pair.b))
        yield to_bytes(f"{_figures(pair, extras)}{a}\n{' ' * indent}{b}\n")


def _figures(one: Member | Pair, extras: Sequence[str]) -> str:
    """Return the columns of distance, similarity and further measures."""
    distance = "" if one.distance is None else str(one.distance)
    similarity = ("~" if one.estimated else "") + digits(one.similarity)
    further = "".join(f"{figure(one, extra):>11}  " for extra in extras)
    return f"{distance:>4}  {similarity:>7}  {further}"


def query_text(answers: Iterable[QueryResult], paint: Painter) -> Iterator[bytes]:
    """Yield the matches of each document in an index, as text."""
    for answer in answers:
        if answer.new:
            what = paint("kept", "new, added" if answer.added else "new")
        else:
            what = count_words(len(answer.matches), "match", "matches")
        lines = [f"{paint('heading', shown(answer.document))}: {what}"]
        lines += [
            f"  {match.distance:>4}  {estimated(match.similarity):>7}  "
            f"{paint.name(match.document, _QUERY_INDENT)}"
            for match in answer.matches
        ]
        yield to_bytes("\n".join(lines) + "\n")


def estimated(similarity: float | None) -> str:
    """Return a similarity that two sketches gave, marked as an estimate; empty for None."""
    return "" if similarity is None else f"~{digits(similarity)}"


def info_text(info: IndexInfo) -> bytes:
    """Return facts about an index as text, one per line."""
    model = "none"
    if info.model_documents is not None:
        model = f"learned from {count_words(info.model_documents, 'document')}"
    recipe = recipe_words(info.recipe) or f"unknown, {info.recipe['bits']} bits"
    lines = [
        f"index      {shown(info.path)}",
        f"documents  {info.documents:,}",
        f"size       {info.bytes:,} bytes",
        f"created    {info.created} by simdup {shown(info.simdup)}",
        f"changed    {info.changed}",
        f"IDF model  {model}",
        f"recipe     {recipe.removeprefix('recipe ')}",
    ]
    return ("\n".join(lines) + "\n").encode()
