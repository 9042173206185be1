"""The report as one page: HTML with its style, script and drawings inside, that asks the network for nothing."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from neraca.reports.escape import visible
from neraca.reports.forest import difference_forest, interval_bars, metric_forest, pair_bars, pair_words
from neraca.reports.questions import RICH
from neraca.reports.render import TEMPLATES, environment, of_report
from neraca.reports.report import Report

#: So many questions of a large report are packed together.
PACKED = 50


def to_html(report: Report) -> str:
    """Write a report as a page; the same report gives the same bytes."""
    values = of_report(report)
    level = values["level"]
    first = [d for d in report.pairs if d.metric == report.primary]
    charts = report.charts
    scale = [value for chart in charts for value in chart.values]
    primary = next(row for row in report.metrics if row.primary)
    drawings = {
        "summary": Markup(metric_forest("first", primary, level)),
        "metrics": [[Markup(bar) for bar in interval_bars(row)] for row in report.metrics],
        "pairs": Markup(difference_forest("pairs", report.primary, first, level)) if first else "",
        "charts": [(Markup(pair_bars(f"c{n}", c, scale)), c, pair_words(c)) for n, c in enumerate(charts)],
    }
    packed = _packed(report, values) if report.many_answers else []
    page = _environment().get_template("page.html")
    return page.render(values, drawings=drawings, packed=packed, size=PACKED, rich=RICH) + "\n"


def _packed(report: Report, values: dict[str, Any]) -> list[str]:
    """What stands below each question, `PACKED` questions together: a list of texts as JSON, gzip and base64."""
    template = _environment().get_template("question.html")
    written = ["" if q.matters else template.render(values, q=q) for q in report.questions]
    parts = [written[start : start + PACKED] for start in range(0, len(written), PACKED)]
    return [b64encode(gzip.compress(json.dumps(part, ensure_ascii=False).encode(), mtime=0)).decode() for part in parts]


@cache
def _environment() -> Environment:
    env = environment("html", _finalize)
    env.globals["asset"] = lambda name: Markup((TEMPLATES / "html" / name).read_text(encoding="utf-8"))
    return env


def _finalize(value: Any) -> Any:
    """Whatever is printed is first made visible; drawings were when they were made."""
    return visible(value) if type(value) is str else value
