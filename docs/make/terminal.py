"""The picture of a scan in a terminal, from what the command prints."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

from docs.make.svg import MONO, element, number, text

ARGUMENTS = ("scan", "examples/corpus/news", "examples/corpus/notices")

BACK, FRAME, INK, DIM = "#1b1f24", "#444c56", "#d5dbe1", "#8b949e"
# By the numbers that terminals have for red, green, yellow and cyan.
COLORS = {1: "#ff7b72", 2: "#7ee787", 3: "#e3b341", 6: "#76e3ea"}

CELL, LINE, LEFT, TOP = 8.4, 20, 20, 66


def printed() -> str:
    """Return what the command prints in a terminal with colours.

    Every run takes another time; the picture gives that of one on two cores.
    """
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    environment = os.environ | {"PYTHONPATH": path, "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-m", "simdup", *ARGUMENTS, "--color", "always"],
        cwd=root, env=environment, capture_output=True, check=True,
    )  # fmt: skip
    report = re.sub(r"in [\d.]+ s", "in 0.4 s", done.stderr.decode())
    return f"{done.stdout.decode()}\n{report}"


def picture() -> str:
    """Draw the command and what it prints."""
    lines = [Text.assemble(("$ ", "green"), " ".join(("simdup", *ARGUMENTS)))]
    lines += [Text.from_ansi(line) for line in printed().splitlines()]
    width = number(2 * LEFT + CELL * max(line.cell_len for line in lines))
    height = TOP + LINE * len(lines)
    parts = [
        element("title", "simdup scan in a terminal"),
        element("rect", x=0.5, y=0.5, width=float(width) - 1, height=height - 1, rx=8, fill=BACK,
                stroke=FRAME),
        *(element("circle", cx=24 + 20 * n, cy=22, r=6, fill=color)
          for n, color in enumerate(("#ff5f57", "#febc2e", "#28c840"))),
    ]  # fmt: skip
    for row, line in enumerate(lines):
        parts += drawn(line, TOP + LINE * row)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="{MONO}" font-size="14">'
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def drawn(line: Text, y: int) -> Iterator[str]:
    """Yield the parts of a line, each as wide as a terminal makes it.

    Browsers make one space of several, so parts with several between them are drawn apart.
    """
    cells = 0
    for style, words in runs(line):
        for part in re.finditer(r"\S+(?: \S+)*", words):
            size, before = cell_len(part[0]), cell_len(words[: part.start()])
            look: dict[str, object] = {"fill": color_of(style), "textLength": CELL * size}
            if style.bold:
                look["font_weight"] = 700
            yield text(LEFT + CELL * (cells + before), y, part[0], **look)
        cells += cell_len(words)


def runs(line: Text) -> Iterator[tuple[Style, str]]:
    """Yield stretches of one style and one width: Chinese characters take two cells."""
    console = Console(width=1000, color_system="standard")
    for segment in line.render(console):
        for _, group in groupby(segment.text, cell_len):
            yield segment.style or Style(), "".join(group)


def color_of(style: Style) -> str:
    """Return the colour of a style."""
    if style.color is not None:
        return COLORS.get(style.color.number or 0, INK)
    return DIM if style.dim else INK
