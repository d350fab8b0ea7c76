"""Write results as text; with `comparison`, the only module that uses rich."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, takewhile
from typing import IO, TYPE_CHECKING, Any

from rich.cells import cell_len

from simdup.base.system import understands_colors
from simdup.corpus.names import to_bytes
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.formats import digits
from simdup.show.escaping import shown
from simdup.show.summary import recipe_words
from simdup.show.words import ENGLISH, Phrases
from simdup.show.wrapping import Line, fill

if TYPE_CHECKING:
    from simdup.index.file import IndexInfo
    from simdup.index.match import QueryResult

# Columns before the name in the answer to a query.
_QUERY_INDENT = 17
# Terminal cells of the column of roles, of that of a further measure, and of what is new.
_ROLE, _EXTRA, _NEW = 11, 11, 3
# The same of the names of facts about an index.
_FACT = 11
# Documents of a cluster that a terminal shows: of a thousand, the others are no use to a person.
_MEMBERS = 10
# A name is never cut to less, however narrow the terminal.
_NARROW = 24

STYLES = {
    "heading": "bold",
    "kept": "green",
    "redundant": "yellow",
    "dim": "dim",
    "yes": "bold green",
    "no": "bold red",
    "removed": "red",
    "added": "green",
}


class Painter:
    """Colors words, if the stream shows colors, and knows their language.

    With `color` ``auto`` it asks whether the stream is a terminal, and heeds the environment
    variables NO_COLOR and FORCE_COLOR, of which the first one wins.

    Attributes
    ----------
    on : bool
        Whether it paints.
    width : int
        Columns of the terminal; 0 if the stream is not one.
    words : Phrases
        The words of a language.
    """

    def __init__(self, stream: IO[Any], color: str = "auto", words: Phrases = ENGLISH) -> None:
        self.words = words
        environment = os.environ
        terminal = stream.isatty() and environment.get("TERM") != "dumb" and understands_colors()
        wanted = bool(environment.get("FORCE_COLOR")) or terminal
        self.on = color == "always" or (
            color == "auto" and wanted and not environment.get("NO_COLOR")
        )
        self.width = shutil.get_terminal_size().columns if stream.isatty() else 0

    def __call__(self, style: str, words: str) -> str:
        """Return the words, painted."""
        if not self.on:
            return words
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(STYLES[style]).render(words, color_system=ColorSystem.STANDARD)

    def line(self, line: Line) -> str:
        """Return a line as it is written."""
        return "".join(self(style, text) if style else text for style, text in line)

    def wrapped(self, sentence: str, indent: int = 0) -> str:
        """Return a sentence in lines of whole words, where the stream is a terminal.

        The first of them is shown behind `indent` columns, and the others line up with it.
        """
        if not self.width:
            return sentence
        width = max(self.width - indent, _NARROW)
        if self.words.language == "zh":
            lines = fill(sentence, width)
        else:
            lines = textwrap.fill(sentence, width, break_long_words=False, break_on_hyphens=False)
        return lines.replace("\n", "\n" + " " * indent)

    def name(self, name: str, indent: int) -> str:
        """Return a name as it is shown behind `indent` columns: shortened on a terminal only."""
        return self.names([name], indent)[0]

    def names(self, names: Iterable[str], indent: int) -> list[str]:
        """Return names as they are shown, each behind `indent` columns, so that they differ."""
        listed = list(map(shown, names))
        return told_apart(listed, max(self.width - indent, _NARROW)) if self.width else listed


def told_apart(names: Sequence[str], width: int) -> list[str]:
    """Return names that fit a width in terminal cells: they are cut where all of them are equal.

    A name that would look as another one is whole.
    """
    distinct = list(dict.fromkeys(filter(None, names)))
    if max(map(cell_len, distinct), default=0) <= width:
        return list(names)
    before = _alike(distinct)
    behind = _alike([name[before:][::-1] for name in distinct])
    if min(map(len, distinct)) == before + behind:
        # Of one that differs by what it lacks, a character is shown beside that place.
        before, behind = max(before - 1, 0), behind - (not before)
    cut = {name: _cut_around(name, before, len(name) - behind, width) for name in distinct}
    looks = Counter(cut.values())
    return [name if looks[cut.get(name, name)] > 1 else cut.get(name, name) for name in names]


def _alike(names: Sequence[str]) -> int:
    """Return how many characters all of several names begin with."""
    pairs = enumerate(zip(min(names), max(names), strict=False))
    return next((i for i, (x, y) in pairs if x != y), len(min(names)) * (len(names) > 1))


def _cut_around(name: str, start: int, end: int, width: int) -> str:
    """Return a name that fits a width, cut before or behind a range of it, if that fits."""
    head, part, tail = name[:start], name[start:end], name[end:]
    room = width - cell_len(part)
    if cell_len(name) <= width or room < 2 or part == name:
        return shortened(name, width)
    if cell_len(tail) >= room:
        tail = shortened(tail, max(room - cell_len(head), room // 2))
    return shortened(head, room - cell_len(tail)) + part + tail


def shortened(name: str, width: int) -> str:
    """Return a name that fits a width in terminal cells: without its middle if it is longer.

    A third of the room is for the beginning, as names of files differ at the end.
    """
    if cell_len(name) <= width:
        return name
    head, tail = width // 3, width - width // 3 - 1
    return f"{first_cells(name, head)}\N{HORIZONTAL ELLIPSIS}{first_cells(name[::-1], tail)[::-1]}"


def first_cells(text: str | Sequence[str], width: int) -> str:
    """Return as many characters, or other pieces, as fit a width in terminal cells."""
    cells = accumulate(map(cell_len, text))
    return "".join(text[: sum(1 for _ in takewhile(lambda cell: cell <= width, cells))])


def padded(text: str, width: int) -> str:
    """Return text padded with spaces to a width in terminal cells."""
    return text + " " * (width - cell_len(text))


def aligned(text: str, width: int) -> str:
    """Return text on the right of a width in terminal cells."""
    return " " * (width - cell_len(text)) + text


def cluster_text(
    clusters: Iterable[Cluster],
    paint: Painter,
    extras: Sequence[str] = (),
    new: bool = False,
) -> Iterator[bytes]:
    """Yield clusters as text: below each kept document those that it took, indented.

    Names come last: whatever their width, the columns before them line up.  `extras` are the
    columns of further measures; `new` adds one that marks what a baseline lacks.
    """
    words = paint.words
    most = _MEMBERS if paint.width else sys.maxsize
    columns = words("heading.clusters") + _heads(extras, words)
    columns += _mark(words("column.new")) if new else ""
    indent = cell_len(columns)
    heading = paint("dim", columns + words("column.document")) + "\n"
    for cluster in clusters:
        yield heading.encode()
        heading = "\n"
        size = len(cluster.members)
        title = words("cluster", number=cluster.number, n=size)
        lines = [paint("heading", title)]
        members = cluster.members[:most]
        names = paint.names((member.name for member in members), indent)
        for member, name in zip(members, names, strict=True):
            below = "" if member.role == "kept" else "  "
            role = padded(below + words(f"role.{member.role}"), _ROLE)
            figures = _figures(member, extras, words)
            if new:
                figures += _mark(words("value.new") if member.new else "")
            lines.append(f"  {paint(member.role, role)}  {figures}{name}")
        if size > most:
            lines.append(paint("dim", "  " + words("cluster.more", n=size - most)))
        yield to_bytes("\n".join(lines) + "\n")


def _heads(extras: Sequence[str], words: Phrases) -> str:
    """Return the headings of further measures."""
    return "".join(f"{aligned(words(f'column.{extra}'), _EXTRA)}  " for extra in extras)


def _mark(text: str) -> str:
    return padded(text, _NEW) + "  "


def pair_text(pairs: Iterable[Pair], paint: Painter, extras: Sequence[str] = ()) -> Iterator[bytes]:
    """Yield pairs as text: the figures and one document, the other one below it."""
    words = paint.words
    heading = words("heading.pairs") + _heads(extras, words)
    indent = cell_len(heading)
    yield (paint("dim", heading + words("column.documents")) + "\n").encode()
    for pair in pairs:
        a, b = paint.names((pair.a, pair.b), indent)
        yield to_bytes(f"{_figures(pair, extras, words)}{a}\n{' ' * indent}{b}\n")


def _figures(one: Member | Pair, extras: Sequence[str], words: Phrases) -> str:
    """Return the columns of distance, similarity and further measures."""
    distance = "" if one.distance is None else str(one.distance)
    similarity = ("~" if one.estimated else "") + digits(one.similarity)
    values = (getattr(one, extra) for extra in extras)
    # What a similarity is, is a word.
    cells = (words(f"value.{v}") if isinstance(v, str) else digits(v) for v in values)
    further = "".join(f"{aligned(cell, _EXTRA)}  " for cell in cells)
    return f"{distance:>4}  {similarity:>7}  {further}"


def query_text(answers: Iterable[QueryResult], paint: Painter) -> Iterator[bytes]:
    """Yield the matches of each document in an index, as text."""
    words = paint.words
    heading = f"  {words('heading.pairs')}{words('column.document')}"
    yield (paint("dim", heading) + "\n").encode()
    for answer in answers:
        if answer.new:
            what = paint("kept", words("answer.added" if answer.added else "answer.new"))
        else:
            what = words("answer.matches", n=len(answer.matches))
        document = paint("heading", shown(answer.document))
        lines = [words("answer", document=document, what=what)]
        names = paint.names((match.document for match in answer.matches), _QUERY_INDENT)
        lines += [
            f"  {match.distance:>4}  {estimated(match.similarity):>7}  {name}"
            for match, name in zip(answer.matches, names, strict=True)
        ]
        yield to_bytes("\n".join(lines) + "\n")


def estimated(similarity: float | None) -> str:
    """Return a similarity that two sketches gave, marked as an estimate; empty for None."""
    return "" if similarity is None else f"~{digits(similarity)}"


def info_text(info: IndexInfo, words: Phrases = ENGLISH) -> bytes:
    """Return facts about an index as text, one per line."""
    model = words("info.none")
    if info.model_documents is not None:
        documents = words("documents", n=info.model_documents)
        model = words("info.learned", documents=documents)
    recipe = recipe_words(info.recipe, words).removeprefix(words("recipe", recipe=""))
    facts = {
        "index": shown(info.path),
        "documents": f"{info.documents:,}",
        "size": words("info.bytes", n=info.bytes),
        "created": words("info.by", created=info.created, version=shown(info.simdup)),
        "changed": info.changed,
        "model": model,
        "method": info.method,
        "passages": words("info.runs", n=info.min_run) if info.min_run else words("info.none"),
        "recipe": recipe or words("info.unknown", bits=info.recipe["bits"]),
    }
    lines = (f"{padded(words(f'info.{name}'), _FACT)}{fact}\n" for name, fact in facts.items())
    return "".join(lines).encode()
