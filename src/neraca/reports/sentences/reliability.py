"""Describe the reliability of metrics: asked again, with other questions, compared with each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from neraca.comparisons.compare import TUKEY
from neraca.counts_and_lists import count, listed
from neraca.metaeval.reliability import RankingAgreement, Reliability, Stability
from neraca.metaeval.trials import RepeatedDifference, Repeats
from neraca.number_format import number, percent, percent_level, percent_span, signed, span
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.unit import nouns
from neraca.scores.unit import FEWEST
from neraca.translation import say

#: The most sentences on the standard error of single runs or pairs.
ADVICE = 3


def sentences(result: Reliability) -> list[str]:
    """Return the conclusions from the tables, without what is missing."""
    parts = (_alike, _advice, _decisions, _halves, _told_apart_pairs, _orders_alike)
    return [sentence for part in parts for sentence in part(result)]


def missing(result: Reliability) -> list[str]:
    """Say what cannot be concluded, and why."""
    return [*_missing_trials(result), *_missing_rankings(result)]


def _missing_rankings(result: Reliability) -> Iterator[str]:
    scores = result.scores
    if len(scores.runs) < 2:
        yield say("There is one run: whether other questions would rank runs in another order takes two.")
        return
    if len(scores.runs) == 2:
        yield say("Two runs are no ranking: whether the metrics rank runs alike takes three.")
    ranked = {stability.metric for stability in result.stability}
    for metric in scores.metrics:
        if metric.neutral:
            yield say("{metric} is neither better with more nor with less, and ranks no runs.", metric=metric)
        elif str(metric) not in ranked:
            yield say("{metric}: no question is scored in all runs, so that it cannot rank them.", metric=metric)
    for stability in result.stability:
        if stability.split is None:
            subject = (
                say("a single question is")
                if stability.n == 1
                else say("fewer than {fewest} {nouns} are", fewest=FEWEST, nouns=nouns(scores.unit))
            )
            yield say(
                "{metric}: {few} scored in all runs, and cannot be split in halves.",
                metric=stability.metric,
                few=subject,
            )
        if untested := stability.discrimination.pairs - len(stability.discrimination.p):
            reasons = say("a single question, too few sessions, or the same difference throughout")
            yield say(
                "{metric}: pairs of runs that cannot be tested: {untested} of {pairs} ({why}).",
                metric=stability.metric,
                untested=untested,
                pairs=stability.discrimination.pairs,
                why=reasons,
            )


def _missing_trials(result: Reliability) -> Iterator[str]:
    runs = result.scores.runs
    if runs[0].item is None:
        yield say("There is one answer to each question: how much answers change when asked again cannot be said.")
        return
    runs_with_trials = [run.name for run in runs if run.trials > 1]
    if not runs_with_trials:
        yield say(
            "Each question was asked once: nothing can be said of how much answers change when asked again "
            "(ask with --trials 3)."
        )
        return
    for name in (run.name for run in runs if run.trials <= 1):
        yield say(
            "{name}: each question was asked once; nothing can be said of how much its answers change.", name=name
        )
    errors = {(repeats.metric, repeats.run): repeats.parts.error for repeats in result.repeats}
    for metric, name in ((str(metric), name) for metric in result.scores.metrics for name in runs_with_trials):
        if (metric, name) not in errors:
            yield say(
                "{name}, {metric}: no question has two scored answers, so that trials cannot be compared.",
                name=name,
                metric=metric,
            )
        elif math.isnan(errors[metric, name]):
            yield say(
                "{name}, {metric}: a single question, or too few sessions, have no standard error.",
                name=name,
                metric=metric,
            )


def subject(error_row: Repeats | RepeatedDifference) -> str:
    """Name the run or the pair of runs of an error."""
    return line(error_row.run) if isinstance(error_row, Repeats) else f"{line(error_row.a)} − {line(error_row.b)}"


def _metric_of_run(repeats: Repeats) -> str:
    return say("{metric} of {run}", metric=line(repeats.metric), run=line(repeats.run))


# asked again


def _alike(result: Reliability) -> Iterator[str]:
    with_icc = [repeats for repeats in result.repeats if not math.isnan(repeats.components.icc.value)]
    unchanged = [repeats for repeats in result.repeats if not repeats.components.within > 0]
    varying = [repeats for repeats in with_icc if repeats.components.within > 0]
    if unchanged:
        yield say(
            "Asked again, no value of a question changed: {whose}.",
            whose=listed([_metric_of_run(repeats) for repeats in unchanged]),
        )
    if varying:
        least = min(varying, key=lambda repeats: repeats.components.icc.value)
        most = max(varying, key=lambda repeats: repeats.components.icc.value)
        yield _variance_shares(least)
        if most.components.icc.value > least.components.icc.value:
            yield say(
                "That is the smallest ICC; the largest: {value} ({whose}).",
                value=number(most.components.icc.value, 2),
                whose=_metric_of_run(most),
            )


def _variance_shares(repeats: Repeats) -> str:
    icc = repeats.components.icc
    if icc.value <= 0:
        return say(
            "{whose}: answers to one question differ no less than answers to different questions (ICC "
            "{value}; the variance between questions is estimated as 0).",
            whose=_metric_of_run(repeats),
            value=number(icc.value, 2),
        )
    bounds = say(", interval {bounds}", bounds=span(icc.low, icc.high, 2)) if not math.isnan(icc.low) else ""
    return say(
        "{whose}: {share} of the variance of single answers lies between questions, the rest is "
        "chance between trials of one question (ICC {value}{bounds}).",
        whose=_metric_of_run(repeats),
        share=percent(icc.value),
        value=number(icc.value, 2),
        bounds=bounds,
    )


def _advice(result: Reliability) -> Iterator[str]:
    """Yield advice on the first metric: on its differences, or on its runs if there are none."""
    repeated: Sequence[Repeats | RepeatedDifference] = result.differences or result.repeats
    first_metric_rows = [
        error_row for error_row in repeated if error_row.parts.share >= 0 and error_row.metric == repeated[0].metric
    ]
    for error_row in first_metric_rows[:ADVICE]:
        parts = error_row.parts
        yield (
            say(
                "{metric}, {name}: the standard error is {error}, and of its square {share} is due to "
                "trials. It would be {trials} with twice the trials, {endless} with endlessly many, "
                "and {items} with twice the questions.",
                metric=line(error_row.metric),
                name=subject(error_row),
                error=number(parts.error),
                share=percent(parts.share),
                trials=number(parts.with_more(trials=2)),
                endless=number(parts.with_more(trials=math.inf)),
                items=number(parts.with_more(items=2)),
            )
        )
    if first_metric_rows:
        yield say(
            "Twice the questions and twice the trials cost as many answers; new questions of the same kind never gain "
            "less than new trials."
        )


def _decisions(result: Reliability) -> Iterator[str]:
    flips = [
        (repeats, repeats.flips)
        for repeats in result.repeats
        if repeats.flips is not None and not math.isnan(repeats.flips.value)
    ]
    if not flips:
        return
    repeats, largest = max(flips, key=lambda pair: pair[1].value)
    if largest.value == 0:
        bounds = (
            "" if math.isnan(largest.high) else say("; up to {high} cannot be ruled out", high=percent(largest.high))
        )
        yield say(
            "No decision flipped between trials ({questions}{bounds}).",
            questions=count(largest.n, "question"),
            bounds=bounds,
        )
        return
    interval = percent_span(largest.low, largest.high)
    bounds = say(", interval {bounds}", bounds=interval) if interval else ""
    most = say("Decisions flip" if len(flips) == 1 else "Decisions flip most often in")
    subject = f" ({_metric_of_run(repeats)})" if len(flips) == 1 else f" {_metric_of_run(repeats)}"
    yield (
        say(
            "{flip}{where}: of two answers to the same question one passes and the other does not in "
            "{value} of cases ({questions}{bounds}).",
            flip=most,
            where=subject,
            value=percent(largest.value),
            questions=count(largest.n, "question"),
            bounds=bounds,
        )
    )


# other questions


def _halves(result: Reliability) -> Iterator[str]:
    splits_by_metric = [(stability, stability.split) for stability in result.stability if stability.split is not None]
    if not splits_by_metric:
        return
    runs = say("the two runs" if len(splits_by_metric[0][0].values) == 2 else "two runs")
    most, least = (
        max(splits_by_metric, key=lambda pair: pair[1].swaps),
        min(splits_by_metric, key=lambda pair: pair[1].swaps),
    )
    n_splits = count(most[1].splits, "split")
    low, high = percent(least[1].swaps), percent(most[1].swaps)
    start = say("Two random halves of the questions put {runs} in opposite orders", runs=runs)
    if len(splits_by_metric) == 1:
        yield say(
            "{what} by {metric} in {high} of cases ({splits}).",
            what=start,
            metric=line(most[0].metric),
            high=high,
            splits=n_splits,
        )
    elif low == high:
        yield say("{what} in {high} of cases by each metric ({splits}).", what=start, high=high, splits=n_splits)
    else:
        extremes = say(
            "least often by {metric} ({low}), most often by {other} ({high}; {splits})",
            metric=line(least[0].metric),
            low=low,
            other=line(most[0].metric),
            high=high,
            splits=n_splits,
        )
        yield f"{start} {extremes}."
    yield say(
        "A tie in a half counts as half a swap; runs that are equally good swap in half of the cases on the average. "
        "Halves hold half of the questions each: the order by all of them is more stable."
    )


def _told_apart_pairs(result: Reliability) -> Iterator[str]:
    if not result.stability:
        return
    first_metric = result.stability[0].discrimination
    corrected = say(
        "corrected for the number of pairs" if first_metric.test.startswith(TUKEY) else "each p-value for itself"
    )
    test = first_metric.test.partition("(")[0]
    settings = say(
        "at {level} ({test}, {corrected})",
        level=percent_level(round(1 - result.level, 10)),
        test=test,
        corrected=corrected,
    )
    if len(result.stability) == 1:
        single_metric = result.stability[0]
        yield say(
            "{metric} tells {pairs} apart {how}.",
            metric=line(single_metric.metric),
            pairs=_told_apart_text(single_metric) if _count_told_apart(single_metric) else say("no two runs"),
            how=settings,
        )
        return
    most, least = max(result.stability, key=_count_told_apart), min(result.stability, key=_count_told_apart)
    if _count_told_apart(most) == 0:
        yield say("No metric tells any two runs apart {how}.", how=settings)
    elif _count_told_apart(most) == _count_told_apart(least):
        yield say("Each metric tells {pairs} apart {how}.", pairs=_told_apart_text(most), how=settings)
    else:
        yield (
            say(
                "Most are told apart {how} by {metrics}: {pairs}; fewest by {others}: {fewest}.",
                how=settings,
                metrics=_metrics_with_equal_count(result, most),
                pairs=_told_apart_text(most),
                others=_metrics_with_equal_count(result, least),
                fewest=_told_apart_text(least),
            )
        )


def _count_told_apart(stability: Stability) -> int:
    return stability.discrimination.told_apart


def _told_apart_text(stability: Stability) -> str:
    return say(
        "{told} of {pairs} of runs",
        told=stability.discrimination.told_apart,
        pairs=count(stability.discrimination.pairs, "pair"),
    )


def _metrics_with_equal_count(result: Reliability, example: Stability) -> str:
    return listed(
        [
            line(stability.metric)
            for stability in result.stability
            if _count_told_apart(stability) == _count_told_apart(example)
        ],
        4,
    )


def _orders_alike(result: Reliability) -> Iterator[str]:
    agreements = [agreement for agreement in result.rankings if not math.isnan(agreement.tau)]
    if not agreements:
        return
    worst = min(agreements, key=lambda agreement: (agreement.tau, agreement.rbo))
    if worst.tau == 1:
        names = dict.fromkeys(line(name) for agreement in agreements for name in (agreement.one, agreement.other))
        yield say("{metrics} put the runs in the same order.", metrics=listed(list(names)))
        return
    yield _largest_difference(worst, len(agreements))


def _largest_difference(agreement: RankingAgreement, pairs: int) -> str:
    verb = say("put the runs in different orders" if pairs == 1 else "differ most in how they order the runs")
    return say(
        "{one} and {other} {how} (Kendall's τ {tau}, of {runs}).",
        one=line(agreement.one),
        other=line(agreement.other),
        how=verb,
        tau=signed(agreement.tau),
        runs=count(agreement.runs, "run"),
    )
