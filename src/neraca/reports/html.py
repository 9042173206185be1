"""The report as one page: HTML with its style, script and drawings inside, that asks the network for nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from neraca.comparisons.difference import Difference
from neraca.reports import correlations, number_format, sentences_margin
from neraca.reports.advice import shown_by
from neraca.reports.escape import visible
from neraca.reports.forest import difference_forest, metric_forest, pair_bars, pair_words
from neraca.reports.questions import Question, Side
from neraca.reports.report import POOLED, Report
from neraca.reports.sentences_finding import FEW
from neraca.reports.tables import left_out

TEMPLATES = Path(__file__).with_name("templates")


def to_html(report: Report) -> str:
    """Write a report as a page; the same report gives the same bytes."""
    level = number_format.percent_level(report.level)
    first = [d for d in report.pairs if d.metric == report.primary]
    charts = [chart for chart in report.charts if chart.values]
    scale = [value for chart in charts for value in chart.values]
    drawings = {
        "metrics": [Markup(metric_forest(f"m{n}", row, level)) for n, row in enumerate(report.metrics)],
        "pairs": Markup(difference_forest("pairs", report.primary, first, level)) if first else "",
        "charts": [(Markup(pair_bars(f"c{n}", c, scale)), c, pair_words(c)) for n, c in enumerate(charts)],
    }
    page = _environment().get_template("page.html")
    return page.render(report=report, drawings=drawings, level=level, few=FEW, pooled=POOLED) + "\n"


@cache
def _environment() -> Environment:
    env = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_finalize,
    )
    for name in ("number", "signed", "span", "p_value", "percent", "seconds", "count"):
        env.filters[name] = getattr(number_format, name)
    env.filters.update(shade=correlations.shade, correlation=correlations.cell)
    env.filters.update(nan=math.isnan, groupby_metric=_by_metric, lowest=_lowest, value_of=_value_of)
    env.filters.update(within_margin=sentences_margin.cell, shown_by=shown_by, left_out=left_out)
    env.globals["asset"] = lambda name: Markup((TEMPLATES / name).read_text(encoding="utf-8"))
    return env


def _by_metric(differences: Sequence[Difference]) -> list[list[Difference]]:
    return [list(group) for _, group in groupby(differences, key=lambda d: d.metric)]


def _value_of(side: Side, metric: str) -> float:
    return next((value.value for value in side.values if value.metric == metric), math.nan)


def _lowest(question: Question, metric: str) -> str:
    """The lowest value of the runs, for sorting; "" where none has one."""
    values = [value for side in question.sides if not math.isnan(value := _value_of(side, metric))]
    return f"{min(values):.6g}" if values else ""


def _finalize(value: Any) -> Any:
    """Whatever is printed is first made visible; drawings were when they were made."""
    return visible(value) if type(value) is str else value
