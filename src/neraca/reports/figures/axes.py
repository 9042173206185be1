"""Axes of a figure for a paper: one column wide, with titles, ticks, and series that differ without colour too."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from neraca.reports.figures.labels import BOLD, run_labels, text_width, wrapped
from neraca.reports.figures.svg import tick_label, ticks
from neraca.reports.formats.visible_text import isolated

#: In pixels, 96 to the inch: one column of a paper (84.7 mm), and a line of its type (8 points).
COLUMN, LINE = 320, 14
_STYLE = (
    "text{font:10.67px Arial,Helvetica,'Liberation Sans','Noto Sans',sans-serif;fill:#000}"
    ".title{font-weight:bold}.axis{stroke:#000;stroke-width:1}.grid{stroke:#d0d0d0;stroke-width:.7}"
    ".zero{stroke:#000;stroke-width:.8;stroke-dasharray:3 2}.range{stroke:#000;stroke-width:1.3}"
    ".series{fill:none;stroke-width:1.4}"
)


class Look(NamedTuple):
    """The look of a series: a colour of Okabe and Ito's palette, the dashes of its line, and the shape of its marks."""

    colour: str
    dashes: str
    shape: str


#: Colours that colour-blind people tell apart; lines and marks also differ in shape, for print in grey.
LOOKS = (
    Look("#000000", "", "circle"),
    Look("#0072B2", "6 2", "square"),
    Look("#D55E00", "2 2", "triangle"),
    Look("#009E73", "8 2 2 2", "diamond"),
    Look("#CC79A7", "1 2", "ring"),
    Look("#E69F00", "4 1", "cross"),
    Look("#56B4E9", "10 3", "frame"),
    Look("#777777", "3 3", "plus"),
)
#: A mark that stands out, and all others of one series.
FILLED, HOLLOW = Look("#000000", "", "circle"), Look("#000000", "", "ring")
#: Fills that differ in brightness: what stands out or is better, what is worse, and all else.
STRONG, WEAK, PLAIN = "#0072B2", "#E69F00", "#c4c4c4"


def look_of(place: int) -> Look:
    """Return the look of a series by its place; after the last, they begin again."""
    return LOOKS[place % len(LOOKS)]


@dataclass(frozen=True)
class Axis:
    """A straight axis from one value to another, between two places in pixels."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the place of a value in pixels; values outside the axis are put at its ends."""
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The places of the ticks in pixels, with their labels."""
        count = 5 if abs(self.end - self.start) > 150 else 3
        return [(self.at(value), tick_label(value, self.low, self.high)) for value in ticks(self.low, self.high, count)]


def words(x: float, y: float, content: str, anchor: str = "", kind: str = "", turned: bool = False) -> str:
    """Return a text, turned by a quarter to the left if asked for."""
    attributes = f' text-anchor="{anchor}"' if anchor else ""
    attributes += f' class="{kind}"' if kind else ""
    attributes += f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{escape(isolated(content))}</text>'


def stroke(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Return a straight line."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def bar(x1: float, y1: float, x2: float, y2: float, fill: str) -> str:
    """Return a filled rectangle between two corners."""
    x, y, width, height = min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1)
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{fill}"/>'


def mark(x: float, y: float, look: Look, size: float = 3.2) -> str:
    """Return the mark of a series."""
    s, fill = size, f'fill="{look.colour}"'
    outline = f'fill="#fff" stroke="{look.colour}" stroke-width="1.4"'
    line = f'fill="none" stroke="{look.colour}" stroke-width="1.6"'
    match look.shape:
        case "square":
            return f'<rect x="{x - s:.1f}" y="{y - s:.1f}" width="{2 * s:.1f}" height="{2 * s:.1f}" {fill}/>'
        case "frame":
            return f'<rect x="{x - s:.1f}" y="{y - s:.1f}" width="{2 * s:.1f}" height="{2 * s:.1f}" {outline}/>'
        case "triangle":
            return f'<path d="M{x:.1f} {y - s - 1:.1f}l{s + 1:.1f} {2 * s:.1f}h-{2 * s + 2:.1f}z" {fill}/>'
        case "diamond":
            d = s + 1
            return f'<path d="M{x:.1f} {y - d:.1f}l{d:.1f} {d:.1f}l-{d:.1f} {d:.1f}l-{d:.1f} -{d:.1f}z" {fill}/>'
        case "ring":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{s:.1f}" {outline}/>'
        case "cross":
            side = f"{2 * s:.1f}"
            return f'<path d="M{x - s:.1f} {y - s:.1f}l{side} {side}m0 -{side}l-{side} {side}" {line}/>'
        case "plus":
            return f'<path d="M{x - s:.1f} {y:.1f}h{2 * s:.1f}M{x:.1f} {y - s:.1f}v{2 * s:.1f}" {line}/>'
        case _:
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{s:.1f}" {fill}/>'


def series(points: Iterable[tuple[float, float]], look: Look) -> str:
    """Return the line through points in pixels, and a mark on each."""
    places = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dashes = f' stroke-dasharray="{look.dashes}"' if look.dashes else ""
    line = f'<polyline class="series" stroke="{look.colour}"{dashes} points="{path}"/>'
    return line + "".join(mark(x, y, look) for x, y in places)


def horizontal(axis: Axis, top: float, bottom: float, title: str) -> str:
    """Return an axis at the bottom with its grid, ticks and title."""
    parts = [stroke(x, top, x, bottom, "grid") + words(x, bottom + 12, label, "middle") for x, label in axis.ticks]
    parts.append(stroke(axis.start, bottom, axis.end, bottom, "axis"))
    return "".join(parts) + title_below(title, bottom + 27, (axis.start + axis.end) / 2)


def title_below(title: str, y: float, middle: float, unbroken: str = "") -> str:
    """Return a title around `middle`, but within the column; a long one has several lines.

    No line ends within the part `unbroken`.
    """
    lines = wrapped(title, COLUMN - 4, BOLD, unbroken)
    half = BOLD * max(map(text_width, lines)) / 2 + 1
    middle = max(half, min(middle, COLUMN - half))
    return "".join(words(middle, y + LINE * row, text, "middle", "title") for row, text in enumerate(lines))


def title_height(title: str, unbroken: str = "") -> float:
    """Return the height that a title below an axis needs beyond its first line."""
    return LINE * (len(wrapped(title, COLUMN - 4, BOLD, unbroken)) - 1)


def vertical(axis: Axis, left: float, right: float, title: str) -> str:
    """Return an axis at the left with its grid, ticks and title."""
    parts = [stroke(left, y, right, y, "grid") + words(left - 4, y + 3.5, label, "end") for y, label in axis.ticks]
    parts.append(stroke(left, axis.start, left, axis.end, "axis"))
    middle, height = (axis.start + axis.end) / 2, abs(axis.end - axis.start) + 24
    lines = [title] if BOLD * text_width(title) <= height else wrapped(title, height, BOLD)
    first = 10 if len(lines) == 1 else 6
    parts += [words(first + 10 * row, middle, text, "middle", "title", turned=True) for row, text in enumerate(lines)]
    return "".join(parts)


def legend(names: Sequence[str], top: float) -> tuple[str, float]:
    """Return a legend of series in rows below `top`, and its height."""
    parts, x, y = [], 4.0, top
    labels = run_labels(names)
    for place, name in enumerate(labels[name] for name in names):
        width = 30 + text_width(name) + 10
        if x > 4 and x + width > COLUMN:
            x, y = 4.0, y + LINE
        parts.append(series([(x + 3, y), (x + 21, y)], look_of(place)) + words(x + 28, y + 3.5, name))
        x += width
    return "".join(parts), y + LINE - top


def column_figure(height: float, title: str, parts: Iterable[str]) -> str:
    """Return a drawing as wide as a column, with its type, its colours and a name for screen readers inside."""
    size = f'width="{COLUMN}" height="{height:.0f}" viewBox="0 0 {COLUMN} {height:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}><title>{escape(isolated(title))}</title>'
        f'<style>{_STYLE}</style><rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
    )
