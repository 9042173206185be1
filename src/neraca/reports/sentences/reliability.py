"""Sentences on the reliability of metrics: asked again, with other questions, beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from neraca.metaeval.reliability import TUKEY, RankingAgreement, Reliability, Stability
from neraca.metaeval.trials import RepeatedDifference, Repeats
from neraca.number_format import number, percent, percent_level, percent_span, signed, span
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.formats.escape import line
from neraca.reports.sentences.unit import nouns
from neraca.reports.translation import say
from neraca.scores.unit import FEWEST

#: Sentences on the standard error of single runs or pairs.
ADVICE = 3


def sentences(result: Reliability) -> list[str]:
    """Return the conclusions from the tables, without what is missing."""
    parts = (_alike, _advice, _decisions, _halves, _apart, _orders_alike)
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
    ranked = {one.metric for one in result.stability}
    for metric in scores.metrics:
        if metric.neutral:
            yield say("{metric} is neither better with more nor with less, and ranks no runs.", metric=metric)
        elif str(metric) not in ranked:
            yield say("{metric}: no question is scored in all runs, so that it cannot rank them.", metric=metric)
    for one in result.stability:
        if one.split is None:
            few = (
                say("a single question is")
                if one.n == 1
                else say("fewer than {fewest} {nouns} are", fewest=FEWEST, nouns=nouns(scores.unit))
            )
            yield say("{metric}: {few} scored in all runs, and cannot be split in halves.", metric=one.metric, few=few)
        if untested := one.told.pairs - len(one.told.p):
            why = say("a single question, too few sessions, or the same difference throughout")
            yield say(
                "{metric}: pairs of runs that cannot be tested: {untested} of {pairs} ({why}).",
                metric=one.metric,
                untested=untested,
                pairs=one.told.pairs,
                why=why,
            )


def _missing_trials(result: Reliability) -> Iterator[str]:
    runs = result.scores.runs
    if runs[0].item is None:
        yield say("There is one answer to each question: how much answers change when asked again cannot be said.")
        return
    again = [run.name for run in runs if run.trials > 1]
    if not again:
        yield say(
            "Each question was asked once: nothing can be said of how much answers change when asked again "
            "(ask with --trials 3)."
        )
        return
    for name in (run.name for run in runs if run.trials <= 1):
        yield say(
            "{name}: each question was asked once; nothing can be said of how much its answers change.", name=name
        )
    known = {(one.metric, one.run): one.parts.error for one in result.repeats}
    for metric, name in ((str(metric), name) for metric in result.scores.metrics for name in again):
        if (metric, name) not in known:
            yield say(
                "{name}, {metric}: no question has two scored answers, so that trials cannot be compared.",
                name=name,
                metric=metric,
            )
        elif math.isnan(known[metric, name]):
            yield say(
                "{name}, {metric}: a single question, or too few sessions, have no standard error.",
                name=name,
                metric=metric,
            )


def subject(one: Repeats | RepeatedDifference) -> str:
    """Name the run or pair of runs of an error."""
    return line(one.run) if isinstance(one, Repeats) else f"{line(one.a)} − {line(one.b)}"


def _whose(one: Repeats) -> str:
    return say("{metric} of {run}", metric=line(one.metric), run=line(one.run))


# asked again


def _alike(result: Reliability) -> Iterator[str]:
    known = [one for one in result.repeats if not math.isnan(one.components.icc.value)]
    same = [one for one in result.repeats if not one.components.within > 0]
    varying = [one for one in known if one.components.within > 0]
    if same:
        yield say("Asked again, no value of a question changed: {whose}.", whose=listed([_whose(one) for one in same]))
    if varying:
        least = min(varying, key=lambda one: one.components.icc.value)
        most = max(varying, key=lambda one: one.components.icc.value)
        yield _questions_part(least)
        if most.components.icc.value > least.components.icc.value:
            yield say(
                "That is the smallest ICC; the largest: {value} ({whose}).",
                value=number(most.components.icc.value, 2),
                whose=_whose(most),
            )


def _questions_part(one: Repeats) -> str:
    icc = one.components.icc
    if icc.value <= 0:
        return say(
            "{whose}: answers to one question differ no less than answers to different questions (ICC "
            "{value}; the variance between questions is estimated as 0).",
            whose=_whose(one),
            value=number(icc.value, 2),
        )
    bounds = say(", interval {bounds}", bounds=span(icc.low, icc.high, 2)) if not math.isnan(icc.low) else ""
    return say(
        "{whose}: {share} of the variance of single answers lies between questions, the rest is "
        "chance between trials of one question (ICC {value}{bounds}).",
        whose=_whose(one),
        share=percent(icc.value),
        value=number(icc.value, 2),
        bounds=bounds,
    )


def _advice(result: Reliability) -> Iterator[str]:
    """Yield advice on the first metric: on its differences, or on the runs if there are none."""
    repeated: Sequence[Repeats | RepeatedDifference] = result.differences or result.repeats
    known = [one for one in repeated if one.parts.share >= 0 and one.metric == repeated[0].metric]
    for one in known[:ADVICE]:
        parts = one.parts
        yield (
            say(
                "{metric}, {name}: the standard error is {error}, and of its square {share} is due to "
                "trials. It would be {trials} with twice the trials, {endless} with endlessly many, "
                "and {items} with twice the questions.",
                metric=line(one.metric),
                name=subject(one),
                error=number(parts.error),
                share=percent(parts.share),
                trials=number(parts.with_more(trials=2)),
                endless=number(parts.with_more(trials=math.inf)),
                items=number(parts.with_more(items=2)),
            )
        )
    if known:
        yield say(
            "Twice the questions and twice the trials cost as many answers; new questions of the same kind never gain "
            "less than new trials."
        )


def _decisions(result: Reliability) -> Iterator[str]:
    known = [(one, one.flips) for one in result.repeats if one.flips is not None and not math.isnan(one.flips.value)]
    if not known:
        return
    one, flipped = max(known, key=lambda pair: pair[1].value)
    if flipped.value == 0:
        bounds = (
            "" if math.isnan(flipped.high) else say("; up to {high} cannot be ruled out", high=percent(flipped.high))
        )
        yield say(
            "No decision flipped between trials ({questions}{bounds}).",
            questions=count(flipped.n, "question"),
            bounds=bounds,
        )
        return
    interval = percent_span(flipped.low, flipped.high)
    bounds = say(", interval {bounds}", bounds=interval) if interval else ""
    most = say("Decisions flip" if len(known) == 1 else "Decisions flip most often in")
    where = f" ({_whose(one)})" if len(known) == 1 else f" {_whose(one)}"
    yield (
        say(
            "{flip}{where}: of two answers to the same question one passes and the other does not in "
            "{value} of cases ({questions}{bounds}).",
            flip=most,
            where=where,
            value=percent(flipped.value),
            questions=count(flipped.n, "question"),
            bounds=bounds,
        )
    )


# other questions


def _halves(result: Reliability) -> Iterator[str]:
    known = [(one, one.split) for one in result.stability if one.split is not None]
    if not known:
        return
    runs = say("the two runs" if len(known[0][0].values) == 2 else "two runs")
    most, least = max(known, key=lambda pair: pair[1].swaps), min(known, key=lambda pair: pair[1].swaps)
    splits = count(most[1].splits, "split")
    low, high = percent(least[1].swaps), percent(most[1].swaps)
    what = say("Two random halves of the questions put {runs} in opposite orders", runs=runs)
    if len(known) == 1:
        yield say(
            "{what} by {metric} in {high} of cases ({splits}).",
            what=what,
            metric=line(most[0].metric),
            high=high,
            splits=splits,
        )
    elif low == high:
        yield say("{what} in {high} of cases by each metric ({splits}).", what=what, high=high, splits=splits)
    else:
        where = say(
            "least often by {metric} ({low}), most often by {other} ({high}; {splits})",
            metric=line(least[0].metric),
            low=low,
            other=line(most[0].metric),
            high=high,
            splits=splits,
        )
        yield f"{what} {where}."
    yield say(
        "A tie in a half counts as half a swap; runs that are equally good swap in half of the cases on the average. "
        "Halves hold half of the questions each: the order by all of them is more stable."
    )


def _apart(result: Reliability) -> Iterator[str]:
    if not result.stability:
        return
    first = result.stability[0].told
    corrected = say("corrected for the number of pairs" if first.test.startswith(TUKEY) else "each p-value for itself")
    test = first.test.partition("(")[0]
    how = say(
        "at {level} ({test}, {corrected})",
        level=percent_level(round(1 - result.level, 10)),
        test=test,
        corrected=corrected,
    )
    if len(result.stability) == 1:
        one = result.stability[0]
        yield say(
            "{metric} tells {pairs} apart {how}.",
            metric=line(one.metric),
            pairs=_of(one) if _told(one) else say("no two runs"),
            how=how,
        )
        return
    most, least = max(result.stability, key=_told), min(result.stability, key=_told)
    if _told(most) == 0:
        yield say("No metric tells any two runs apart {how}.", how=how)
    elif _told(most) == _told(least):
        yield say("Each metric tells {pairs} apart {how}.", pairs=_of(most), how=how)
    else:
        yield (
            say(
                "Most are told apart {how} by {metrics}: {pairs}; fewest by {others}: {fewest}.",
                how=how,
                metrics=_named(result, most),
                pairs=_of(most),
                others=_named(result, least),
                fewest=_of(least),
            )
        )


def _told(one: Stability) -> int:
    return one.told.told


def _of(one: Stability) -> str:
    return say("{told} of {pairs} of runs", told=one.told.told, pairs=count(one.told.pairs, "pair"))


def _named(result: Reliability, like: Stability) -> str:
    return listed([line(one.metric) for one in result.stability if _told(one) == _told(like)], 4)


def _orders_alike(result: Reliability) -> Iterator[str]:
    known = [one for one in result.rankings if not math.isnan(one.tau)]
    if not known:
        return
    worst = min(known, key=lambda one: (one.tau, one.rbo))
    if worst.tau == 1:
        names = dict.fromkeys(line(name) for one in known for name in (one.one, one.other))
        yield say("{metrics} put the runs in the same order.", metrics=listed(list(names)))
        return
    yield _differ(worst, len(known))


def _differ(one: RankingAgreement, pairs: int) -> str:
    how = say("put the runs in different orders" if pairs == 1 else "differ most in how they order the runs")
    return say(
        "{one} and {other} {how} (Kendall's τ {tau}, of {runs}).",
        one=line(one.one),
        other=line(one.other),
        how=how,
        tau=signed(one.tau),
        runs=count(one.runs, "run"),
    )
