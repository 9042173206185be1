"""Say beside tables how intervals were made, why some are missing, and what wins count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from neraca.comparisons.difference import Difference
from neraca.counts_and_lists import listed
from neraca.reports.sentences.reasons import reason
from neraca.scores.scores import Score
from neraca.stats.intervals.fewest import AT_LEAST, FEWEST_IN_RANGE
from neraca.translation import say

#: Method → its description; other methods are named as they are.
_METHODS = {
    "t": "Student's t",
    "bounded": "bounded (Student's t, and where that leaves the range, the form of Wilson's)",
    "exact": "exact (sums of shares counted out)",
    "mcnemar": "Bonett and Price's for shares",
}
#: Method of an interval or correction → its name in a cell; other methods have the same name everywhere.
METHOD_WORDS = {
    "t": "Student's t",
    "bounded": "kept in its range",
    "wilson": "Wilson",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
    "mcnemar": "Bonett and Price's for shares",
    "exact": "exact",
    "none": "none",
    "holm": "Holm",
    "bh": "Benjamini and Hochberg",
    "bonferroni": "Bonferroni",
    "tukey": "Tukey",
}


def of_intervals(metrics_and_methods: Iterable[tuple[str, str]]) -> str:
    """Say by which methods the intervals were made, and for which metrics if there are several methods; "" without any.

    Parameters
    ----------
    metrics_and_methods
        Metric and method of each interval; the method is "" if there is no interval.

    >>> of_intervals([("AP", "t"), ("AP", "t")])
    "Intervals: Student's t."
    >>> of_intervals([("AP", "t"), ("Success", "exact")])
    "Intervals: Student's t for AP; exact (sums of shares counted out) for Success."
    """
    metrics_by_method: dict[str, dict[str, None]] = {}
    for metric, method in metrics_and_methods:
        if method:
            metrics_by_method.setdefault(method, {})[metric] = None
    if not metrics_by_method:
        return ""
    if len(metrics_by_method) == 1:
        return say("Intervals: {methods}.", methods=_name(next(iter(metrics_by_method))))
    methods_with_metrics = [
        say("{method} for {metrics}", method=_name(method), metrics=listed(list(metrics)))
        for method, metrics in metrics_by_method.items()
    ]
    return say("Intervals: {methods}.", methods="; ".join(methods_with_metrics))


def _name(method: str) -> str:
    return say(_METHODS[method]) if method in _METHODS else method


def beside_differences(differences: Sequence[Difference]) -> tuple[str, ...]:
    """Say how the intervals in a table of differences were made, and in which metrics wins count fewer questions."""
    notes = (of_intervals((d.metric, d.interval_method) for d in differences), wins_count(differences))
    return tuple(note for note in notes if note)


def wins_count(differences: Sequence[Difference]) -> str:
    """Name the metrics in which wins, ties and losses count fewer questions than n; "" without such a metric."""
    counts_by_metric: dict[str, dict[str, None]] = {}
    for d in differences:
        if (counts := d.wins + d.ties + d.losses) < d.n:
            counts_by_metric.setdefault(d.metric, {})[say("{counts:,} of {n:,}", counts=counts, n=d.n)] = None
    if not counts_by_metric:
        return ""
    metrics = [f"{metric} ({', '.join(sizes)})" for metric, sizes in counts_by_metric.items()]
    return say(
        "Wins, ties and losses count only questions with a value of their own in both runs: {metrics}. The difference "
        "rests on the counts of all n.",
        metrics=listed(metrics),
    )


def missing_intervals(scores: Iterable[Score]) -> str:
    """Say why values have no interval, reason by reason, with metrics and runs; "" if every value has an interval.

    >>> from neraca.stats.intervals.fewest import too_few_for_interval
    >>> alone = Score("new", "", "AP", 0.5, math.nan, math.nan, 2, 0, "none", why=too_few_for_interval(2))
    >>> missing_intervals([alone])
    'No interval: an interval takes at least 3 observations (AP of new).'
    """
    places_by_reason: dict[str, list[str]] = {}
    for score in scores:
        if math.isnan(score.low) and not math.isnan(score.value):
            places_by_reason.setdefault(_why(score), []).append(
                say("{metric} of {run}", metric=score.metric, run=score.run)
            )
    reasons = [f"{why} ({listed(list(dict.fromkeys(places)))})" for why, places in places_by_reason.items()]
    return say("No interval: {reasons}.", reasons="; ".join(reasons)) if reasons else ""


def _why(score: Score) -> str:
    if score.why.endswith(AT_LEAST):
        return say("an interval takes at least {least} observations", least=FEWEST_IN_RANGE)
    return reason(score.why)
