"""Write SVG drawings that stretch with the page, have a text description and load nothing from outside."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape

from neraca.number_format import number
from neraca.reports.formats.visible_text import isolated, visible


def share(value: float, low: float, high: float) -> str:
    """Return the place of a value on an axis in per cent of its width; values outside the axis are put at its ends."""
    place = (value - low) / (high - low) if high > low else 0.5
    return f"{100 * min(1.0, max(0.0, place)):.2f}".rstrip("0").rstrip(".") + "%"


def drawing(name: str, title: str, description: str, height: int, parts: Iterable[str]) -> str:
    """Return an SVG of full width with a name and a description for screen readers.

    Parameters
    ----------
    name
        Unique in the page.
    parts
        Finished elements; texts in them must be escaped (see `text`).
    """
    labels = f'aria-labelledby="{name}-t" aria-describedby="{name}-d"'
    return (
        f'<svg role="img" {labels} width="100%" height="{height}"><title id="{name}-t">{escape(visible(title))}</title>'
        f'<desc id="{name}-d">{escape(visible(description))}</desc>'
        f"{''.join(parts)}</svg>"
    )


def text(x: str, y: float, content: str, kind: str = "", anchor: str = "") -> str:
    """Return a text element, escaped."""
    css_class = f' class="{kind}"' if kind else ""
    anchor_attribute = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{y:g}"{css_class}{anchor_attribute}>{escape(isolated(content))}</text>'


def title(content: str) -> str:
    """Return the tooltip of a mark, escaped."""
    return f"<title>{escape(isolated(content))}</title>"


def segment(x1: str, y1: float, x2: str, y2: float, kind: str) -> str:
    """Return a straight line."""
    return f'<line class="{kind}" x1="{x1}" y1="{y1:g}" x2="{x2}" y2="{y2:g}"/>'


def axis_titles(upwards: str, rightwards: str, bottom: float) -> list[str]:
    """Return the titles of the axes above and below a drawing, with arrows for their directions; "" is no title."""
    parts = [text("0", 10, f"↑ {upwards}", "axis")] if upwards else []
    return [*parts, text("100%", bottom, f"{rightwards} →", "axis", "end")] if rightwards else parts


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Return as many round numbers from low to high as possible, but at most `count` + 1.

    >>> ticks(0.12, 0.61)
    [0.2, 0.3, 0.4, 0.5, 0.6]
    """
    if not (math.isfinite(low) and math.isfinite(high) and high > low):
        return [low] if math.isfinite(low) else []
    power = 10.0 ** (math.floor(math.log10((high - low) / count)) - 1)
    for step in (multiple * power for multiple in (1, 2, 5, 10, 20, 50, 100)):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first <= count:
            break
    return [float(f"{n * step:.12g}") for n in range(first, min(last, first + 20) + 1)]


def tick_label(value: float, low: float, high: float) -> str:
    """Write a tick's number with as many decimals as its axis needs."""
    spread = high - low
    digits = 0 if spread <= 0 else max(0, 1 - math.floor(math.log10(spread / 4)) - 1)
    return number(value, min(6, digits)) if abs(value) < 10 else number(value)


def bounds(values: Iterable[float], low: float = -math.inf, high: float = math.inf) -> tuple[float, float]:
    """Return the ends of an axis that holds all finite values with some margin, within the range low to high.

    >>> bounds([0.5, 0.5], 0, 1)
    (0.4, 0.6)
    """
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return (low, high) if math.isfinite(low) and math.isfinite(high) else (0.0, 1.0)
    least, most = min(finite), max(finite)
    margin = 0.06 * (most - least) or 0.1 * (abs(least) if abs(least) > 1 else 1.0)
    return max(low, least - margin), min(high, most + margin)
