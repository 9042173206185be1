"""Find the metrics that a log cannot measure because it has no clicks, times or values, and say why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from neraca.errors import InputError
from neraca.number_format import integer
from neraca.online.ab_metrics import OnlineMetric
from neraca.online.ab_sums import ExperimentSums
from neraca.online.log_contents import LogContents
from neraca.online.search_log import SearchLog

#: Names of columns that may hold clicks, or the value of a conversion.
_CLICKS = re.compile(r"click|tap|select|open|interact|action|event", re.IGNORECASE)
_VALUES = re.compile(r"value|price|revenue|amount|total|cost", re.IGNORECASE)
#: Fewest searches of an arm that make it doubtful that none of them has a click.
DOUBTFUL = 100
#: Share of all searches or values from which what is left out, or what one user adds, is doubtful.
WEIGHTY = 0.2


def check_clicks(log: SearchLog, metrics: Sequence[OnlineMetric], contents: LogContents) -> None:
    """Raise `InputError` if a metric counts clicks, and the log has searches but no click."""
    if contents.clicks or not contents.searches or not any(metric.needs not in ("", "queries") for metric in metrics):
        return
    unused = log.unused
    likely = [name for name in unused if _CLICKS.search(name)] or unused
    columns = f"the columns that were not read: {', '.join(unused[:20])}" if unused else "all of its columns were read"
    actions = ", ".join(f"{name} {integer(n)}" for name, n in contents.others.most_common(8))
    others = f"; events with other actions: {actions} (write `click` for a click)" if actions else ""
    clicks = [f"{integer(e.n)} {e.what}" for e in log.exclusions if "click" in e.what or e.reason == "bad_rank"]
    left_out = f"; left out: {'; '.join(clicks)}" if clicks else ""
    raise InputError(
        f"no click was found in {integer(contents.searches)} searches, so {metrics[0].name} cannot be measured; "
        f"{columns}{others}{left_out}. Name the column that holds the clicks of a search (--column clicked="
        f"{(likely or ['FIELD'])[0]}), or add the table of clicks; if the action of a row is not what its column says, "
        "pass --column action="
    )


def unmeasurable(log: SearchLog, metrics: Sequence[OnlineMetric], contents: LogContents) -> dict[str, str]:
    """Return the metrics that the log cannot measure, each with the reason."""
    reasons = {}
    untimed = contents.untimed
    for metric in metrics:
        if metric.needs == "times" and untimed:
            clicks = "no click" if untimed == contents.clicks else f"not every click ({integer(untimed)} of them not)"
            reasons[metric.name] = (
                f"{clicks} has a time or a dwell time; name the column that holds them: --column clicked_at=FIELD or "
                "dwell=FIELD"
            )
        elif metric.needs == "queries" and not contents.compared and contents.searches:
            reasons[metric.name] = (
                "no search has a query, or says whether it was put in other words; name the column: --column "
                "query=FIELD or reformulated=FIELD"
            )
        elif metric.needs == "ranks" and contents.unranked:
            reasons[metric.name] = (
                f"{integer(contents.unranked)} of {integer(contents.clicks)} clicks have neither a rank nor a "
                "document; log which one was clicked"
            )
        elif metric.per_user == "value" and contents.conversions and contents.unvalued == contents.conversions:
            field = next((name for name in log.unused if _VALUES.search(name)), "FIELD")
            remedy = "value; name it with --column value="
            if any(exclusion.reason == "bad_number" for exclusion in log.exclusions):
                remedy = "value that is a number; write 12.5, not 12,5 or $12.5, or name another: --column value="
            reasons[metric.name] = (
                f"{integer(contents.conversions)} conversion{'' if contents.conversions == 1 else 's'}, none has a "
                f"{remedy}{field}"
            )
    return reasons


def doubts(
    sums: ExperimentSums, arms: Sequence[str], log: SearchLog, metrics: Sequence[OnlineMetric]
) -> tuple[str, ...]:
    """Return sentences on what makes the log doubtful."""
    return (*_doubtful_arms(sums, arms), *_weighty_users(sums, metrics), *_large_exclusions(log))


def _doubtful_arms(sums: ExperimentSums, arms: Sequence[str]) -> Iterator[str]:
    """Doubt arms without clicks, arms with few users, and names that differ in capitals alone."""
    largest = max(sums.arms[arm].users for arm in arms)
    for arm in arms:
        n, users = int(sums.searches_by_arm[arm]), sums.arms[arm].users
        alike = [other for other in arms if other != arm and other.casefold() == arm.casefold()]
        if not sums.clicks_by_arm[arm] and sums.contents.clicks and n >= DOUBTFUL:
            yield (
                f"No click is logged in {integer(n)} searches of {arm}: before you read any effect, find out whether "
                "its clicks reach the log."
            )
        if alike and users <= sums.arms[alike[0]].users:
            yield f"The arms {arm} and {alike[0]} differ in capitals alone: if they are one, write it in one way."
        elif users < 20 and largest >= DOUBTFUL:
            yield (
                f"{arm} has {integer(users)} user{'' if users == 1 else 's'} beside {integer(largest)} of another arm: "
                "if it is no arm of this test, name those that are (--arms A,B)."
            )


def _weighty_users(sums: ExperimentSums, metrics: Sequence[OnlineMetric]) -> Iterator[str]:
    """Doubt searches that are mostly those of one user, and metrics of values to which one user adds much of all."""
    total = sum(sums.searches_by_arm.values())
    of_searches = (
        i for i, metric in enumerate(metrics) if metric.sums and metric.share and "session" not in metric.name
    )
    searches = next((sums.sample[:, i, 1] for i in of_searches), np.zeros(0))
    if len(searches) >= 20 and searches.max() > WEIGHTY * total:
        yield (
            f"One user has {100 * searches.max() / total:.0f} % of all searches ({searches.max():,.0f}): a person or a "
            "program? --most-searches leaves out users with more searches in a day."
        )
    for index, metric in enumerate(metrics):
        values = sums.sample[:, index, 0]
        if metric.per_user == "value" and (values > 0).sum() >= 20 and values.max() > WEIGHTY * values.sum():
            yield (
                f"One user has {100 * values.max() / values.sum():.0f} % of all {metric.name} ({values.max():,.0f}): "
                "find out whether that value is right."
            )


def _large_exclusions(log: SearchLog) -> Iterator[str]:
    """Doubt a log of which most searches or lines are left out."""
    for exclusion in log.exclusions:
        if exclusion.reason == "broken" and exclusion.n > WEIGHTY * (exclusion.n + log.events):
            yield f"{integer(exclusion.n)} {exclusion.what} are left out: what remains may not be like the rest."
        if exclusion.share >= WEIGHTY and exclusion.reason not in ("no_arm", "only_before"):
            yield (
                f"{integer(exclusion.searches)} searches, {100 * exclusion.share:.0f} % of all, are left out with "
                f"{integer(exclusion.n)} {exclusion.what}: what remains may not be like the rest."
            )
