"""Sentences beside tables: how intervals were made, why some are missing, what wins count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from neraca.comparisons.difference import Difference
from neraca.reports.counts_and_lists import listed
from neraca.reports.translation import reason, say
from neraca.scores.scores import Score
from neraca.stats.intervals.fewest import AT_LEAST, FEWEST_IN_RANGE

#: Method → how it makes an interval; a method that is not here is named as it is.
_METHODS = {
    "t": "Student's t",
    "bounded": "bounded (Student's t, and where that leaves the range, the form of Wilson's)",
    "exact": "exact (sums of shares counted out)",
    "mcnemar": "Bonett and Price's for shares",
}


def of_intervals(methods: Iterable[tuple[str, str]]) -> str:
    """Say by which method the intervals were made, with the metrics where there are several; "" without an interval.

    Parameters
    ----------
    methods
        Metric and method of each interval; "" where there is none.

    >>> of_intervals([("AP", "t"), ("AP", "t")])
    "Intervals: Student's t."
    >>> of_intervals([("AP", "t"), ("Success", "exact")])
    "Intervals: Student's t for AP; exact (sums of shares counted out) for Success."
    """
    metrics: dict[str, dict[str, None]] = {}
    for metric, method in methods:
        if method:
            metrics.setdefault(method, {})[metric] = None
    if not metrics:
        return ""
    if len(metrics) == 1:
        return say("Intervals: {methods}.", methods=_name(next(iter(metrics))))
    each = [
        say("{method} for {metrics}", method=_name(method), metrics=listed(list(named)))
        for method, named in metrics.items()
    ]
    return say("Intervals: {methods}.", methods="; ".join(each))


def _name(method: str) -> str:
    return say(_METHODS[method]) if method in _METHODS else method


def beside_differences(differences: Sequence[Difference]) -> tuple[str, ...]:
    """Say how the intervals of a table of differences were made, and what its wins count if not all n questions."""
    notes = (of_intervals((d.metric, d.interval_method) for d in differences), wins_count(differences))
    return tuple(note for note in notes if note)


def wins_count(differences: Sequence[Difference]) -> str:
    """Say of which metrics wins, ties and losses count fewer questions than n; "" without such a metric."""
    counted: dict[str, dict[str, None]] = {}
    for d in differences:
        if (counts := d.wins + d.ties + d.losses) < d.n:
            counted.setdefault(d.metric, {})[say("{counts:,} of {n:,}", counts=counts, n=d.n)] = None
    if not counted:
        return ""
    each = [f"{metric} ({', '.join(sizes)})" for metric, sizes in counted.items()]
    return say(
        "Wins, ties and losses count only questions with a value of their own in both runs: {metrics}. The difference "
        "rests on the counts of all n.",
        metrics=listed(each),
    )


def missing_intervals(scores: Iterable[Score]) -> str:
    """Say why values have no interval, reason by reason, with the metrics and runs; "" if every one has one.

    >>> from neraca.stats.intervals.fewest import too_few_for_interval
    >>> alone = Score("new", "", "AP", 0.5, math.nan, math.nan, 2, 0, "none", why=too_few_for_interval(2))
    >>> missing_intervals([alone])
    'No interval: an interval takes at least 3 observations (AP of new).'
    """
    places: dict[str, list[str]] = {}
    for score in scores:
        if math.isnan(score.low) and not math.isnan(score.value):
            places.setdefault(_why(score), []).append(say("{metric} of {run}", metric=score.metric, run=score.run))
    each = [f"{why} ({listed(list(dict.fromkeys(of)))})" for why, of in places.items()]
    return say("No interval: {reasons}.", reasons="; ".join(each)) if each else ""


def _why(score: Score) -> str:
    if score.why.endswith(AT_LEAST):
        return say("an interval takes at least {least} observations", least=FEWEST_IN_RANGE)
    return reason(score.why)
