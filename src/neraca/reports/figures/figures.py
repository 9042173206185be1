"""Draw a report's figures as separate files, for a paper, a slide or a Word document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from neraca.files import is_portable_name
from neraca.number_format import percent_level
from neraca.reports.blocks.block import Figure
from neraca.reports.figures.forest import (
    bars_title,
    difference_forest,
    letters_of_forest,
    metric_forest,
    pair_bars,
    values_caption,
)
from neraca.reports.figures.pairs_drawn import pairs_drawn
from neraca.reports.formats.render import TEMPLATES
from neraca.reports.formats.word_letters import legend
from neraca.reports.report import Report
from neraca.translation import say

#: In pixels: the size of a figure, and the margin for labels of an axis that reach beyond the drawing.
WIDTH = 760
_MARGIN = (44, 14)


class Picture(NamedTuple):
    """A drawing that is a file of its own, with its size, colours and fonts inside.

    Attributes
    ----------
    name
        The name of its file without a suffix; unique in a report.
    caption
        What it shows.
    svg
        The drawing.
    height, width
        The size in pixels.
    left_out
        A sentence on what it leaves out, which its caption has too; or "".
    """

    name: str
    caption: str
    svg: str
    height: int
    width: int = WIDTH
    left_out: str = ""


def figures(report: Report) -> list[Picture]:
    """Draw the primary metric of all runs, its differences, and its pairs by question; then the other metrics."""
    pictures: dict[str, Picture] = {}
    for title, caption, svg in _drawings(report):
        name = file_name(title)
        if name.lower() in pictures:  # many file systems do not distinguish A and a
            name = f"{name}-{len(pictures) + 1}"
        pictures[name.lower()] = standalone_picture(Figure(name, caption, svg))
    return list(pictures.values())


def _drawings(report: Report) -> Iterator[tuple[str, str, str]]:
    """Yield the title for a file name, a caption and the drawing as it is in the page."""
    level = percent_level(report.level)
    labels = report.metric_labels
    of_metrics = [
        (
            row.metric,
            values_caption(row, labels[row.metric], level),
            metric_forest("figure", row, labels[row.metric], level),
        )
        for row in report.metrics
    ]
    primary, best = labels[report.primary], report.runs[0]
    yield from of_metrics[:1]
    if primary_differences := [d for d in report.pairs if d.metric == report.primary]:
        caption = say("Differences in {metric}, with {level} intervals", metric=primary, level=level)
        letters, drawn = letters_of_forest(primary_differences, report.runs), pairs_drawn(primary_differences, best)
        yield (
            f"differences {report.primary}",
            ". ".join(part.removesuffix(".") for part in (caption, drawn.note, legend(letters)) if part),
            difference_forest("figure", primary, drawn.pairs, level, letters),
        )
    charts = report.charts
    scale = [value for chart in charts for value in chart.values]
    for chart in charts:
        yield f"{chart.a} minus {chart.b}", bars_title(chart, primary), pair_bars("figure", chart, primary, scale)
    yield from of_metrics[1:]


def file_name(title: str) -> str:
    """Return a file name that every file system accepts.

    >>> file_name("P(of=returned)@5"), file_name("../α minus con:1"), file_name("con")
    ('P-of-returned-@5', 'α-minus-con-1', 'figure-con')
    """
    name = re.sub(r"[^\w@.-]+", "-", title).strip(".-")[:80]
    return name if is_portable_name(name) else f"figure-{name}"


def standalone_picture(figure: Figure, width: int = WIDTH) -> Picture:
    """Make a picture of a drawing, this wide: add its size, its style and a white background."""
    margin_x, margin_y = _MARGIN
    drawing = figure.svg
    inner_height = int(re.search(r'height="(\d+)"', drawing)[1])  # type: ignore[index]
    height = inner_height + 2 * margin_y
    placed = drawing.replace(
        '<svg role="img"', f'<svg x="{margin_x}" y="{margin_y}" overflow="visible" role="img"', 1
    ).replace('width="100%"', f'width="{width - 2 * margin_x}"', 1)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<style>{_style()}</style><rect width="100%" height="100%" fill="#fff"/>{placed}</svg>\n'
    )
    return Picture(figure.name, figure.caption, svg, height, width)


@cache
def _style() -> str:
    """Return the page's rules for drawings in light colours, without CSS variables, which other programs lack."""
    css = (TEMPLATES / "html" / "style.css").read_text(encoding="utf-8")
    colours = dict(re.findall(r"--(\w+): ([^;]+);", css.partition("}")[0])) | {"page": "#fff"}
    rules = " ".join(line for line in css.splitlines() if line.startswith("svg"))
    rules_with_colours = re.sub(r"var\(--(\w+)\)", lambda match: colours[match[1]], rules)
    return f"{rules_with_colours} svg {{ font-family: Arial, Helvetica, 'Noto Sans', sans-serif; }}"
