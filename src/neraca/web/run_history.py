"""Charts of selected runs, from the facts about their questions: a metric over versions, against cost and seconds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.errors import InputError
from neraca.metrics.metric import Metric
from neraca.number_format import dollars, number, percent_level, seconds_on_axis, signed, span
from neraca.reports.blocks.metric_rows import best_places
from neraca.reports.figures.difference_histogram import difference_histogram
from neraca.reports.figures.trade_off import Effort, TradeOff, trade_off
from neraca.reports.figures.version_plot import Version, are_numbered, version_plot
from neraca.web.choices import Choice, Option
from neraca.web.facts_store import FactsStore
from neraca.web.measures import limits_of, offered_metrics
from neraca.web.question_facts import COST, SECONDS, QuestionFacts
from neraca.web.question_list import QuestionList
from neraca.web.run_index import RunIndex

#: Seconds that the page waits for the facts.
WAIT = 0.7
#: Most pairs whose differences are drawn, and most categories of the heat map.
PAIRS, CATEGORIES = 6, 30
#: The table stands below the chart, not beside it, if a name of a run has more letters than this.
BESIDE = 18
#: Value of the choice of a run in the heat map that stands for the difference of the first two.
DIFFERENCE = "difference"


class HeatCell(NamedTuple):
    """A cell of the heat map: the mean as text, and its shade as CSS classes."""

    text: str
    shade: str


@dataclass(frozen=True)
class HeatMap:
    """Categories × metrics of one run, or the difference of two.

    `metrics` are (label, canonical name if that is another); `rows` are (category, n, cells); `more` counts the
    categories left out.  `plain` is whether some metrics have no colour, because their values have no limit.
    """

    metrics: Sequence[tuple[str, str]]
    rows: Sequence[tuple[str, int, Sequence[HeatCell]]]
    more: int
    plain: bool


def history_view(
    index: RunIndex, facts: FactsStore, paths: Sequence[str], metric: str = "", heat: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the values for the page's template: charts of one metric of these runs; "": the primary metric.

    `heat` may name the `tag` and the run (`of`) of the heat map.

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
    together = index.were_compared(chosen)
    dates = [index.entry(path).started[:16].replace("T", " ") for path in chosen]
    rows = [
        (run, date, number(total.value), span(total.low, total.high) or "no interval", total.n)
        for run, date, total in zip(of_runs.runs, dates, of_runs.totals[of_runs.metric], strict=True)
    ]
    efforts = _efforts(of_runs, [index.entry(path).seconds for path in chosen])
    numbered = are_numbered(of_runs.runs) or any(drawn.numbered for _, drawn in efforts)
    return (
        values
        | {
            "metric": of_runs.metric,
            "label": of_runs.label(),
            "full": of_runs.full_name(),
            "parameters": of_runs.labels.parameters_line(),
            "metrics": offered_metrics(of_runs.metrics),
            "level": percent_level(of_runs.level),
            "drawing": _versions(of_runs, dates, joined=not together),
            "together": together,
            "runs": paths,
            "rows": rows,
            "numbered": numbered,
            "below": max(map(len, of_runs.runs)) > BESIDE,
            "efforts": [(heading, Markup(drawn.svg)) for heading, drawn in efforts],
            "numbered_efforts": any(drawn.numbered for _, drawn in efforts),
            "differences": _differences(of_runs),
            "more_pairs": max(0, len(of_runs.runs) - 1 - PAIRS),
        }
        | _heat_values(of_runs, facts.lists.of(chosen), heat or {})
    )


def _versions(facts: QuestionFacts, dates: Sequence[str], *, joined: bool) -> Markup:
    versions = [
        Version(run, date[:10], total.value, total.low, total.high)
        for run, date, total in zip(facts.runs, dates, facts.totals[facts.metric], strict=True)
    ]
    limits = limits_of(
        facts.metric,
        (x for total in facts.totals[facts.metric] for x in (total.value, total.low, total.high)),
        facts.limits,
    )
    heading = f"{facts.label()}, the oldest run first"
    best = best_places([version.value for version in versions], Metric.of(facts.metric))
    return Markup(version_plot("history", heading, facts.label(), versions, limits, joined=joined, best=best))


def _efforts(facts: QuestionFacts, medians: Sequence[float | None]) -> list[tuple[str, TradeOff]]:
    """Return the drawings of the metric against the target's dollars and seconds, where known.

    `medians` are the median seconds of the answers of each run, as in its report; None for a run without scores of its
    own, whose median is then over questions.
    """
    metric = Metric.of(facts.metric)
    drawn = []
    costs = [total.value for total in facts.totals.get(COST, ())]
    times = [
        _median(of_run) if median is None else median
        for median, of_run in zip(medians, facts.columns.get(SECONDS, ()), strict=SECONDS in facts.columns)
    ]
    longest = max(filter(math.isfinite, times), default=0.0)
    for column, words, write, efforts in (
        (COST, "US dollars of the target for a question, mean", dollars, costs),
        (SECONDS, "Seconds for an answer, median", lambda value: seconds_on_axis(value, longest), times),
    ):
        runs = [
            Effort(run, takes, total.value, total.low, total.high, place)
            for place, (run, total, takes) in enumerate(
                zip(facts.runs, facts.totals[facts.metric], efforts, strict=bool(efforts)), start=1
            )
            if math.isfinite(takes) and math.isfinite(total.value)
        ]
        if len(runs) > 1:
            name, titles = f"against-{column}", (facts.label(), words)
            best = best_places([run.value for run in runs], metric)
            limits = limits_of(facts.metric, (x for run in runs for x in (run.value, run.low, run.high)), facts.limits)
            drawing = trade_off(name, titles, runs, limits, write, metric.higher_is_better, best=best)
            drawn.append((f"{facts.label()} against {'cost' if column == COST else 'seconds'}", drawing))
    return drawn


def _median(values: NDArray[np.float64]) -> float:
    """Return the median of the values that are not NaN; NaN if there is none."""
    there = values[~np.isnan(values)]
    return float(np.median(there)) if len(there) else math.nan


def _differences(facts: QuestionFacts) -> list[tuple[str, Markup]]:
    """Return how the differences of each other run from the newest one are spread, first − second as in the report."""
    better = Metric.of(facts.metric).higher_is_better
    newest, drawn = len(facts.runs) - 1, []
    for other in range(newest - 1, max(-1, newest - 1 - PAIRS), -1):
        heading = f"{facts.runs[other]} − {facts.runs[newest]}"
        values = facts.values[other] - facts.values[newest]
        drawing = difference_histogram(f"spread-{other}", f"{heading} in {facts.label()}", values, better)
        drawn.append((heading, Markup(drawing)))
    return drawn


def _heat_values(facts: QuestionFacts, listing: QuestionList, asked: Mapping[str, str]) -> dict[str, Any]:
    """Return the heat map and its two choices; None if no question has a tag."""
    tags = listing.tag_names
    if not tags:
        return {"heat": None, "heat_choices": []}
    tag = asked["tag"] if asked.get("tag") in tags else tags[0]
    options = [Option(str(number), run) for number, run in enumerate(facts.runs)]
    if len(facts.runs) == 2:
        options.append(Option(DIFFERENCE, f"{facts.runs[0]} − {facts.runs[1]}"))
    newest = str(len(facts.runs) - 1)
    of = asked["of"] if asked.get("of") in {option.value for option in options} else newest
    values = {
        name: column[0] - column[1] if of == DIFFERENCE else column[int(of)]
        for name, column in facts.columns.items()
        if name in facts.metrics
    }
    return {
        "heat": _heat_map(facts, values, listing.values_of(tag), of == DIFFERENCE),
        "heat_choices": [
            Choice("tag", "Tag", [Option(name, name) for name in tags], tag, "", "the most frequent"),
            Choice("of", "Run", options, of, "", "the newest"),
        ],
    }


def _heat_map(facts: QuestionFacts, values: Mapping[str, Any], categories: Categorical, is_difference: bool) -> HeatMap:
    """Return the mean of each metric in each category, the most frequent first; questions without one are left out."""
    sizes = np.bincount(categories.codes, minlength=len(categories.words))
    order = [code for code in np.argsort(-sizes, kind="stable").tolist() if categories.words[code]]
    rows = []
    for code in order[:CATEGORIES]:
        in_category = categories.codes == code
        cells = []
        for name, column in values.items():
            there = column[in_category]
            there = there[~np.isnan(there)]
            limits = limits_of(name, () if is_difference else column.ravel().tolist(), facts.limits)
            cells.append(_heat_cell(name, float(there.mean()) if len(there) else math.nan, limits, is_difference))
        rows.append((categories.words[code], int(sizes[code]), cells))
    metrics = [(facts.label(name), facts.full_name(name)) for name in values]
    plain = not all(math.isfinite(limit) for name in values for limit in limits_of(name, (), facts.limits))
    return HeatMap(metrics, rows, max(0, len(order) - CATEGORIES), plain)


def _heat_cell(name: str, mean: float, limits: tuple[float, float], is_difference: bool) -> HeatCell:
    if math.isnan(mean):
        return HeatCell("–", "")
    text = signed(mean) if is_difference else number(mean)
    low, high = limits
    if not math.isfinite(high - low):
        return HeatCell(text, "")
    share = abs(mean) / (high - low) if is_difference else (mean - low) / (high - low)
    steps = (0.05, 0.15, 0.3) if is_difference else (0.25, 0.5, 0.75)
    shade = ("faint", "light", "deep", "deepest")[sum(share >= step for step in steps)]
    is_worse = is_difference and (mean < 0) == Metric.of(name).higher_is_better
    shade = "" if is_difference and mean == 0 else f"{shade} minus" if is_worse else shade
    return HeatCell(text, shade)
