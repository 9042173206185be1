"""A metric over versions: runs by the date at which they were asked, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from neraca.errors import InputError, nearest
from neraca.reports.forest import Line, forest
from neraca.reports.number_format import number, percent_level, span
from neraca.scores.score import score
from neraca.web.run_index import RunIndex


def history_view(index: RunIndex, paths: Sequence[str], metric: str = "") -> dict[str, Any]:
    """What the page is filled from: one metric of these runs, the oldest first; "": the primary one.

    Raises
    ------
    InputError
        For a metric that these runs are not scored by, or runs of different questions.
    """
    chosen = sorted(paths, key=lambda path: index.entry(path).started)
    scores = score([index.run(path) for path in chosen])
    metrics = [str(one) for one in scores.metrics]
    metric = metric or metrics[0]
    if metric not in metrics:
        raise InputError(f"these runs are not scored by {metric!r}; {nearest(metric, metrics)}")
    values = [one for one in scores.overall() if one.metric == metric]
    dates = [index.entry(path).started[:16].replace("T", " ") for path in chosen]
    level = percent_level(scores.level)
    lines = [
        Line(one.run, one.value, one.low, one.high, f"{number(one.value)}, {date}", place == len(values) - 1)
        for place, (one, date) in enumerate(zip(values, dates, strict=True))
    ]
    declared = next(one for one in scores.metrics if str(one) == metric).definition
    drawn = forest("history", f"{metric}, the oldest run first", lines, declared.low, declared.high)
    links = [
        (f"/history?{urlencode([('run', path) for path in paths])}&{urlencode({'metric': m})}", m) for m in metrics
    ]
    rows = [
        (one.run, date, number(one.value), span(one.low, one.high) or "no interval", one.n)
        for one, date in zip(values, dates, strict=True)
    ]
    return {"metric": metric, "level": level, "drawing": Markup(drawn), "links": links, "rows": rows}
