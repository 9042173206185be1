"""The report as one page: HTML with its style, script and drawings inside, that asks the network for nothing."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from neraca.reports.figures.forest import difference_forest, interval_bars, metric_forest, pair_bars, pair_words
from neraca.reports.figures.scatter import pair_scatter
from neraca.reports.formats.escape import visible
from neraca.reports.formats.render import TEMPLATES, environment, of_report
from neraca.reports.report import Report
from neraca.reports.translation import written_in

#: What stands below the questions is packed where it has more characters than these, so many questions together.
IN_PLACE = 2_000_000
PACKED = 50


def to_html(report: Report) -> str:
    """Write a report as a page; the same report gives the same bytes."""
    with written_in(report.language):
        return _page(report)


def _page(report: Report) -> str:
    values = of_report(report)
    level = values["level"]
    first = [d for d in report.pairs if d.metric == report.primary]
    charts = report.charts
    scale = [value for chart in charts for value in chart.values]
    primary = next(row for row in report.metrics if row.primary)
    ends = primary.low, primary.high
    drawings = {
        "summary": Markup(metric_forest("first", primary, level)),
        "metrics": [[Markup(bar) for bar in interval_bars(row)] for row in report.metrics],
        "pairs": Markup(difference_forest("pairs", report.primary, first, level)) if first else "",
        "charts": [
            (Markup(pair_bars(f"c{n}", c, scale)), c, pair_words(c), Markup(pair_scatter(f"s{n}", c, *ends)))
            for n, c in enumerate(charts)
        ],
    }
    template = _environment().get_template("question.html")
    details = [Markup(template.render(values, q=question)) for question in report.questions]
    packed = _packed(report, details) if sum(map(len, details)) > IN_PLACE else []
    values |= {"drawings": drawings, "details": details, "packed": packed, "size": PACKED}
    return fill("page.html", **values)


def fill(page: str, **values: object) -> str:
    """Fill a template of this format; each value that it prints is escaped."""
    return _environment().get_template(page).render(values) + "\n"


def _packed(report: Report, details: Sequence[str]) -> list[str]:
    """What stands below each question, `PACKED` questions together: a list of texts as JSON, gzip and base64."""
    written = ["" if q.matters else text for q, text in zip(report.questions, details, strict=True)]
    parts = [written[start : start + PACKED] for start in range(0, len(written), PACKED)]
    return [b64encode(gzip.compress(json.dumps(part, ensure_ascii=False).encode(), mtime=0)).decode() for part in parts]


@cache
def _environment() -> Environment:
    env = environment("html", _finalize)
    env.globals["script_words"] = _script_words
    env.globals["asset"] = lambda name: Markup((TEMPLATES / "html" / name).read_text(encoding="utf-8"))
    return env


def _script_words(*templates: str) -> Markup:
    """Templates that the page's script fills, in the order in which it reads them."""
    return Markup(json.dumps(templates, ensure_ascii=False).replace("<", "\\u003c"))


def _finalize(value: Any) -> Any:
    """Whatever is printed is first made visible; drawings were when they were made."""
    return visible(value) if type(value) is str else value
