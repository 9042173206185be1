"""A metric over versions of a system: runs in the order of their dates, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from neraca.errors import InputError, nearest
from neraca.number_format import number, percent_level, span
from neraca.reports.figures.forest import Line, forest
from neraca.scores.score import score
from neraca.web.run_index import RunIndex


def history_view(index: RunIndex, paths: Sequence[str], metric: str = "") -> dict[str, Any]:
    """Return the values for the page's template: one metric of these runs, oldest first; "": the primary metric.

    Raises
    ------
    InputError
        If these runs are not scored by this metric, or answer different questions.
    """
    chosen = sorted(paths, key=lambda path: index.entry(path).started)
    scores = score([index.run(path) for path in chosen])
    metrics = [str(metric) for metric in scores.metrics]
    metric = metric or metrics[0]
    if metric not in metrics:
        raise InputError(f"these runs are not scored by {metric!r}; {nearest(metric, metrics)}")
    results = [result for result in scores.overall() if result.metric == metric]
    dates = [index.entry(path).started[:16].replace("T", " ") for path in chosen]
    level = percent_level(scores.level)
    lines = [
        Line(r.run, r.value, r.low, r.high, f"{number(r.value)}, {date}", index == len(results) - 1)
        for index, (r, date) in enumerate(zip(results, dates, strict=True))
    ]
    definition = next(scored for scored in scores.metrics if str(scored) == metric).definition
    drawing = forest("history", f"{metric}, the oldest run first", lines, definition.low, definition.high)
    links = [
        (f"/history?{urlencode([('run', path) for path in paths])}&{urlencode({'metric': m})}", m) for m in metrics
    ]
    rows = [
        (r.run, date, number(r.value), span(r.low, r.high) or "no interval", r.n)
        for r, date in zip(results, dates, strict=True)
    ]
    return {"metric": metric, "level": level, "drawing": Markup(drawing), "links": links, "rows": rows}
