"""Charts of selected runs, from the facts about their questions: a metric over versions, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from neraca.errors import InputError
from neraca.metrics.metric import Metric
from neraca.number_format import number, percent_level, span
from neraca.reports.figures.version_plot import Version, version_plot
from neraca.web.facts_store import FactsStore
from neraca.web.run_index import RunIndex

#: Seconds that the page waits for the facts.
WAIT = 0.7


def history_view(index: RunIndex, facts: FactsStore, paths: Sequence[str], metric: str = "") -> dict[str, Any]:
    """Return the values for the page's template: one metric of these runs, oldest first; "": the primary metric.

    Raises
    ------
    InputError
        If these runs cannot be scored by this metric, or answer different questions.
    """
    chosen = sorted(paths, key=lambda path: index.entry(path).started)
    of_runs, problem = facts.within(chosen, WAIT, metric)
    if problem:
        raise InputError(problem)
    selection = urlencode([("run", path) for path in paths])
    values: dict[str, Any] = {"live": of_runs is None, "metric": "", "selection": selection}
    if of_runs is None:
        return values
    metric = of_runs.metric
    dates = [index.entry(path).started[:16].replace("T", " ") for path in chosen]
    totals = of_runs.totals[metric]
    versions = [
        Version(run, date[:10], total.value, total.low, total.high)
        for run, date, total in zip(of_runs.runs, dates, totals, strict=True)
    ]
    definition = Metric.of(metric).definition
    drawing = version_plot("history", f"{metric}, the oldest run first", versions, (definition.low, definition.high))
    rows = [
        (run, date, number(total.value), span(total.low, total.high) or "no interval", total.n)
        for run, date, total in zip(of_runs.runs, dates, totals, strict=True)
    ]
    return values | {
        "metric": metric,
        "metrics": of_runs.metrics,
        "level": percent_level(of_runs.level),
        "drawing": Markup(drawing),
        "runs": paths,
        "rows": rows,
    }
