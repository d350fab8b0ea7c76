"""SVG by hand: elements, a card to draw on, and line plots."""

from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace"  # noqa: E501

INK, PALE, RULE = "#1f2328", "#59636e", "#d1d9e0"
# Okabe and Ito's colours: people who see few colours can tell them apart.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")


def number(value: float) -> str:
    """Return a coordinate: one digit is enough, and is the same on every platform."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def element(name: str, content: str = "", **attributes: object) -> str:
    """Return an element; an underscore in the name of an attribute means a hyphen."""
    spelled = "".join(
        f" {key.rstrip('_').replace('_', '-')}="
        + quoteattr(number(value) if isinstance(value, float) else str(value))
        for key, value in attributes.items()
    )
    return f"<{name}{spelled}>{content}</{name}>" if content else f"<{name}{spelled}/>"


def text(x: float, y: float, words: str, **attributes: object) -> str:
    """Return words at a place."""
    return element("text", escape(words), **{"x": x, "y": y, "fill": INK} | attributes)


def card(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    """Return a drawing on a light card, which is readable on light and on dark pages."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="{SANS}" font-size="13">'
    )
    frame = element(
        "rect", x=0.5, y=0.5, width=width - 1, height=height - 1, rx=8, fill="#ffffff", stroke=RULE
    )
    return "\n".join([head, element("title", escape(title)), frame, *parts, "</svg>"]) + "\n"


class Axis(NamedTuple):
    """What an axis shows: its name, its ends, and where its ticks are."""

    name: str
    first: float
    last: float
    ticks: Sequence[float]


class Plot:
    """A line plot with its legend at the right; y runs from 0 to 1."""

    LEFT, TOP, WIDTH, HEIGHT, LEGEND = 64, 44, 480, 260, 224

    def __init__(self, title: str, x: Axis, y: str) -> None:
        self.title, self.x, self.y = title, x, y
        self.parts: list[str] = []
        self.curves = 0

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point is drawn."""
        share = (x - self.x.first) / (self.x.last - self.x.first)
        return self.LEFT + self.WIDTH * share, self.TOP + self.HEIGHT * (1 - y)

    def band(self, first: float, last: float, words: str) -> None:
        """Shade a stretch of x."""
        (left, top), (right, bottom) = self.place(first, 1), self.place(last, 0)
        size = {"width": right - left, "height": bottom - top}
        self.parts.append(element("rect", x=left, y=top, fill="#eaf3fb", **size))
        self.parts.append(text(left + 6, bottom - 8, words, fill=PALE, font_size=12))

    def curve(self, label: str, points: Sequence[tuple[float, float]]) -> None:
        """Draw a line in the next colour, and name it in the legend."""
        color = COLORS[self.curves % len(COLORS)]
        line = {"fill": "none", "stroke": color, "stroke_width": 2.5}
        path = " ".join(",".join(map(number, self.place(*point))) for point in points)
        x, y = self.LEFT + self.WIDTH + 24, self.TOP + 16 + 24 * self.curves
        self.parts.append(element("polyline", points=path, **line))
        self.parts.append(element("line", x1=x, y1=y - 4, x2=x + 18, y2=y - 4, **line))
        self.parts.append(text(x + 26, y, label))
        self.curves += 1

    def dot(self, x: float, y: float) -> None:
        """Mark a point."""
        cx, cy = self.place(x, y)
        self.parts.append(element("circle", cx=cx, cy=cy, r=4, fill=INK))

    def render(self) -> str:
        """Return the plot as SVG."""
        grid: list[str] = []
        for tick in (0, 0.25, 0.5, 0.75, 1):
            left, y = self.place(self.x.first, tick)
            right = left + self.WIDTH
            grid.append(element("line", x1=left, y1=y, x2=right, y2=y, stroke=RULE))
            grid.append(text(left - 10, y + 4, f"{tick:g}", fill=PALE, text_anchor="end"))
        for tick in self.x.ticks:
            x, y = self.place(tick, 0)
            grid.append(element("line", x1=x, y1=y, x2=x, y2=y + 5, stroke=PALE))
            grid.append(text(x, y + 20, f"{tick:g}", fill=PALE, text_anchor="middle"))
        middle, bottom = self.LEFT + self.WIDTH / 2, self.TOP + self.HEIGHT
        names = [
            text(self.LEFT, 26, self.title, font_weight=600, font_size=15),
            text(middle, bottom + 42, self.x.name, text_anchor="middle"),
            text(
                18, self.TOP + self.HEIGHT / 2, self.y, text_anchor="middle",
                transform=f"rotate(-90 18 {number(self.TOP + self.HEIGHT / 2)})",
            ),
        ]  # fmt: skip
        width, height = self.LEFT + self.WIDTH + self.LEGEND, bottom + 58
        return card(width, height, self.title, [*grid, *self.parts, *names])
