"""Drawings of a report as separate files, for a paper, a slide or a Word document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from neraca.files import name_everywhere
from neraca.number_format import percent_level
from neraca.reports.blocks.block import Figure
from neraca.reports.figures.forest import difference_forest, metric_forest, pair_bars
from neraca.reports.formats.render import TEMPLATES
from neraca.reports.report import Report
from neraca.reports.translation import say

#: In pixels: the size of a figure, and the margin for labels of an axis that reach beyond the drawing.
WIDTH = 760
_AIR = (44, 14)


class Picture(NamedTuple):
    """A drawing that stands by itself, with its size, colours and fonts inside.

    Attributes
    ----------
    name
        For its file, without a suffix; unique in a report.
    caption
        What it shows.
    svg
        The drawing.
    height
        In pixels; all are `WIDTH` wide.
    """

    name: str
    caption: str
    svg: str
    height: int


def figures(report: Report) -> list[Picture]:
    """Draw a report: the primary metric over all runs, its differences, pairs question by question; other metrics."""
    pictures: dict[str, Picture] = {}
    for words, caption, drawn in _drawings(report):
        name = _file_name(words)
        if name.lower() in pictures:  # many file systems take A and a for one
            name = f"{name}-{len(pictures) + 1}"
        pictures[name.lower()] = by_itself(Figure(name, caption, drawn))
    return list(pictures.values())


def _drawings(report: Report) -> Iterator[tuple[str, str, str]]:
    """Yield the words of a file name, a caption and the drawing as it stands in the page."""
    level = percent_level(report.level)
    rows = sorted(report.metrics, key=lambda row: not row.primary)
    of_metrics = [
        (
            row.metric,
            say("{metric} of every run, with {level} intervals", metric=row.metric, level=level),
            metric_forest("figure", row, level),
        )
        for row in rows
    ]
    yield from of_metrics[:1]
    if first := [d for d in report.pairs if d.metric == report.primary]:
        caption = say("Differences in {metric}, with {level} intervals", metric=report.primary, level=level)
        yield f"differences {report.primary}", caption, difference_forest("figure", report.primary, first, level)
    charts = report.charts
    scale = [value for chart in charts for value in chart.values]
    for chart in charts:
        caption = say("{a} minus {b} in {metric}, question by question", a=chart.a, b=chart.b, metric=chart.metric)
        yield f"{chart.a} minus {chart.b}", caption, pair_bars("figure", chart, scale)
    yield from of_metrics[1:]


def _file_name(words: str) -> str:
    """Return a file name that every file system accepts.

    >>> _file_name("P(of=returned)@5"), _file_name("../α minus con:1"), _file_name("con")
    ('P-of-returned-@5', 'α-minus-con-1', 'figure-con')
    """
    name = re.sub(r"[^\w@.-]+", "-", words).strip(".-")[:80]
    return name if name_everywhere(name) else f"figure-{name}"


def by_itself(figure: Figure) -> Picture:
    """Make a picture of a drawing: give it a size, its style and white paper."""
    across, above = _AIR
    drawn = figure.svg
    inner = int(re.search(r'height="(\d+)"', drawn)[1])  # type: ignore[index]
    height = inner + 2 * above
    placed = drawn.replace(
        '<svg role="img"', f'<svg x="{across}" y="{above}" overflow="visible" role="img"', 1
    ).replace('width="100%"', f'width="{WIDTH - 2 * across}"', 1)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">'
        f'<style>{_style()}</style><rect width="100%" height="100%" fill="#fff"/>{placed}</svg>\n'
    )
    return Picture(figure.name, figure.caption, svg, height)


@cache
def _style() -> str:
    """Return the page's rules for drawings in its light colours, without CSS variables, which other programs lack."""
    css = (TEMPLATES / "html" / "style.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"--(\w+): ([^;]+);", css.partition("}")[0])) | {"page": "#fff"}
    rules = " ".join(line for line in css.splitlines() if line.startswith("svg"))
    filled = re.sub(r"var\(--(\w+)\)", lambda name: colours[name[1]], rules)
    return f"{filled} svg {{ font-family: Arial, Helvetica, 'Noto Sans', sans-serif; }}"
