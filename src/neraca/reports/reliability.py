"""How far metrics can be trusted, in tables and words: asked again, with other questions, beside each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from neraca.metaeval.reliability import (
    PERSISTENCE,
    TUKEY,
    RankingAgreement,
    Reliability,
    Stability,
    reliability,
)
from neraca.metaeval.trials import RepeatedDifference, Repeats
from neraca.reports.escape import line
from neraca.reports.number_format import count, listed, number, percent, percent_level, signed, span
from neraca.reports.unit import nouns
from neraca.scores.scores import Scores
from neraca.scores.unit import FEWEST
from neraca.stats.interval import Estimate
from neraca.stats.trials import ErrorParts

#: A report's table has no more rows than this.
MOST = 24
#: Sentences on the standard error of single runs or pairs.
ADVICE = 3
TITLE = "How far these metrics can be trusted"


@dataclass(frozen=True)
class ReliabilityTable:
    """A table of finished words: the first `names` columns name the row; `left_out` rows are not shown."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0
    names: int = 1


@dataclass(frozen=True)
class ReliabilitySection:
    """What a report says of the metrics themselves.

    Attributes
    ----------
    says
        Sentences.
    tables
        Those that there is something for.
    missing
        What cannot be said, and why, in sentences.
    """

    title: str
    says: tuple[str, ...]
    tables: tuple[ReliabilityTable, ...]
    missing: tuple[str, ...]


def section(scores: Scores) -> ReliabilitySection | None:
    """The section of a report; None where there is nothing to say, as of one run that was asked once."""
    result = reliability(scores)
    shown = tables(result, MOST)
    if not shown:
        return None
    return ReliabilitySection(TITLE, tuple(sentences(result)), tuple(shown), tuple(map(_clean, missing(result))))


def tables(result: Reliability, most: int = 0) -> list[ReliabilityTable]:
    """What was found, in up to four tables, each of at most so many rows (0: of all)."""
    made = (_again(result), _errors(result), _orders(result), _beside(result))
    return [_cut(table, most) for table in made if table.rows]


def _cut(table: ReliabilityTable, most: int) -> ReliabilityTable:
    if not most or len(table.rows) <= most:
        return table
    return replace(table, rows=table.rows[:most], left_out=len(table.rows) - most)


def _again(result: Reliability) -> ReliabilityTable:
    names = ("metric", "run", "questions", "trials", "ICC", "ICC of the mean")
    shown = (*names, "flipped") if any(one.flips for one in result.repeats) else names
    rows = []
    for one in result.repeats:
        parts = one.components
        cells = (_trials(parts.trials), _with_span(parts.icc), _with_span(parts.icc_mean), _flipped(one.flips))
        rows.append((line(one.metric), line(one.run), f"{parts.items:,}", *cells)[: len(shown)])
    return ReliabilityTable("Asked again: how alike the trials of one question are", shown, tuple(rows), names=2)


def _trials(trials: float) -> str:
    return f"{trials:,.0f}" if trials == round(trials) else f"{trials:.1f}"


def _with_span(estimate: Estimate) -> str:
    bounds = span(estimate.low, estimate.high, 2)
    return f"{number(estimate.value, 2)}{f' ({bounds})' if bounds else ''}"


def _flipped(flips: Estimate | None) -> str:
    if flips is None or math.isnan(flips.value):
        return "–"
    bounds = "" if math.isnan(flips.low) else f" ({percent(flips.low)} to {percent(flips.high)})"
    return f"{percent(flips.value)}{bounds}"


def _errors(result: Reliability) -> ReliabilityTable:
    columns = (
        "metric",
        "run or difference",
        "standard error",
        "due to trials",
        "twice the trials",
        "twice the questions",
    )
    every: list[Repeats | RepeatedDifference] = [*result.repeats, *result.differences]
    entries = [(one.metric, _name(one), one.parts) for one in every]
    order = {metric: place for place, metric in enumerate(dict.fromkeys(metric for metric, _, _ in entries))}
    entries.sort(key=lambda row: order[row[0]])
    rows = [(line(metric), name, *_error_cells(parts)) for metric, name, parts in entries]
    return ReliabilityTable("What the standard error is made of", columns, tuple(rows), names=2)


def _name(one: Repeats | RepeatedDifference) -> str:
    return line(one.run) if isinstance(one, Repeats) else f"{line(one.a)} − {line(one.b)}"


def _error_cells(parts: ErrorParts) -> tuple[str, str, str, str]:
    share = "–" if math.isnan(parts.share) else percent(parts.share)
    return number(parts.error), share, number(parts.with_more(trials=2)), number(parts.with_more(items=2))


def _orders(result: Reliability) -> ReliabilityTable:
    columns = [
        "metric",
        "questions",
        "pairs told apart",
        "difference required",
        "swapped in halves",
        "same best in both",
    ]
    several = any(len(one.values) > 2 for one in result.stability)
    rows = []
    for one in result.stability:
        counts, split = one.told, one.split
        cells = [line(one.metric), f"{one.n:,}", f"{counts.told} of {counts.pairs}", number(counts.required)]
        cells += ["–", "–"] if split is None else [percent(split.swaps), percent(split.best)]
        if several:
            cells += ["–", "–"] if split is None else [number(split.tau, 2), number(split.tau_ap, 2)]
        rows.append(tuple(cells))
    shown = (*columns, *(("τ", "τ_AP") if several else ()))
    return ReliabilityTable("Whether other questions would rank the runs alike", shown, tuple(rows))


def _beside(result: Reliability) -> ReliabilityTable:
    """Those metrics first that rank the runs most differently; what cannot be said stands last."""
    ordered = sorted(result.rankings, key=lambda one: (math.isnan(one.tau), one.tau, one.rbo))
    rows = [
        (line(one.one), line(one.other), number(one.tau, 2), number(one.tau_ap, 2), number(one.rbo, 2))
        for one in ordered
    ]
    columns = ("metric", "beside", "τ", "τ_AP", f"RBO(p={PERSISTENCE:g})")
    return ReliabilityTable("Whether the metrics rank the runs alike", columns, tuple(rows), names=2)


def sentences(result: Reliability) -> list[str]:
    """What the tables come to; not what is missing."""
    parts = (_alike, _advice, _decisions, _halves, _apart, _orders_alike)
    return [sentence for part in parts for sentence in part(result)]


def missing(result: Reliability) -> list[str]:
    """What cannot be said, and why."""
    return [*_missing_trials(result), *_missing_rankings(result)]


def _missing_rankings(result: Reliability) -> Iterator[str]:
    scores = result.scores
    if len(scores.runs) < 2:
        yield "There is one run: whether other questions would rank runs in another order takes two."
        return
    if len(scores.runs) == 2:
        yield "Two runs are no ranking: whether the metrics rank runs alike takes three."
    ranked = {one.metric for one in result.stability}
    for metric in scores.metrics:
        if metric.neutral:
            yield f"{metric} is neither better with more nor with less, and ranks no runs."
        elif str(metric) not in ranked:
            yield f"{metric}: no question is scored in all runs, so that it cannot rank them."
    for one in result.stability:
        if one.split is None:
            few = "a single question is" if one.n == 1 else f"fewer than {FEWEST} {nouns(scores.unit)} are"
            yield f"{one.metric}: {few} scored in all runs, and cannot be split in halves."
        if untested := one.told.pairs - len(one.told.p):
            why = "a single question, too few sessions, or the same difference throughout"
            yield f"{one.metric}: pairs of runs that cannot be tested: {untested} of {one.told.pairs} ({why})."


def _missing_trials(result: Reliability) -> Iterator[str]:
    runs = result.scores.runs
    if runs[0].item is None:
        yield "There is one answer to each question: how much answers change when asked again cannot be said."
        return
    again = [run.name for run in runs if run.trials > 1]
    if not again:
        yield (
            "Each question was asked once: nothing can be said of how much answers change when asked again "
            "(ask with --trials 3)."
        )
        return
    for name in (run.name for run in runs if run.trials <= 1):
        yield f"{name}: each question was asked once; nothing can be said of how much its answers change."
    known = {(one.metric, one.run): one.parts.error for one in result.repeats}
    for metric, name in ((str(metric), name) for metric in result.scores.metrics for name in again):
        if (metric, name) not in known:
            yield f"{name}, {metric}: no question has two scored answers, so that trials cannot be compared."
        elif math.isnan(known[metric, name]):
            yield f"{name}, {metric}: a single question, or too few sessions, have no standard error."


def _clean(text: str) -> str:
    return line(text, 400)


def _whose(one: Repeats) -> str:
    return f"{line(one.metric)} of {line(one.run)}"


# asked again


def _alike(result: Reliability) -> Iterator[str]:
    known = [one for one in result.repeats if not math.isnan(one.components.icc.value)]
    same = [one for one in result.repeats if not one.components.within > 0]
    varying = [one for one in known if one.components.within > 0]
    if same:
        yield f"Asked again, no value of a question changed: {listed([_whose(one) for one in same])}."
    if varying:
        least = min(varying, key=lambda one: one.components.icc.value)
        most = max(varying, key=lambda one: one.components.icc.value)
        yield _questions_part(least)
        if most.components.icc.value > least.components.icc.value:
            yield f"That is the smallest ICC; the largest: {number(most.components.icc.value, 2)} ({_whose(most)})."


def _questions_part(one: Repeats) -> str:
    icc = one.components.icc
    if icc.value <= 0:
        return (
            f"{_whose(one)}: answers to one question differ no less than answers to different questions (ICC "
            f"{number(icc.value, 2)}; the variance between questions is estimated as 0)."
        )
    bounds = f", interval {span(icc.low, icc.high, 2)}" if not math.isnan(icc.low) else ""
    return (
        f"{_whose(one)}: {percent(icc.value)} of the variance of single answers lies between questions, the rest is "
        f"chance between trials of one question (ICC {number(icc.value, 2)}{bounds})."
    )


def _advice(result: Reliability) -> Iterator[str]:
    """Of the first metric: the differences, or the runs where there are none."""
    repeated: Sequence[Repeats | RepeatedDifference] = result.differences or result.repeats
    known = [one for one in repeated if one.parts.share >= 0 and one.metric == repeated[0].metric]
    for one in known[:ADVICE]:
        parts = one.parts
        yield (
            f"{line(one.metric)}, {_name(one)}: the standard error is {number(parts.error)}, and of its square "
            f"{percent(parts.share)} is due to trials. It would be {number(parts.with_more(trials=2))} with twice the "
            f"trials, {number(parts.with_more(trials=math.inf))} with endlessly many, and "
            f"{number(parts.with_more(items=2))} with twice the questions."
        )
    if known:
        yield (
            "Twice the questions and twice the trials cost as many answers; new questions of the same kind never gain "
            "less than new trials."
        )


def _decisions(result: Reliability) -> Iterator[str]:
    known = [(one, one.flips) for one in result.repeats if one.flips is not None and not math.isnan(one.flips.value)]
    if not known:
        return
    one, flipped = max(known, key=lambda pair: pair[1].value)
    if flipped.value == 0:
        bounds = "" if math.isnan(flipped.high) else f"; up to {percent(flipped.high)} cannot be ruled out"
        yield f"No decision flipped between trials ({count(flipped.n, 'question')}{bounds})."
        return
    bounds = "" if math.isnan(flipped.low) else f", interval {percent(flipped.low)} to {percent(flipped.high)}"
    most = "Decisions flip" if len(known) == 1 else "Decisions flip most often in"
    where = f" ({_whose(one)})" if len(known) == 1 else f" {_whose(one)}"
    yield (
        f"{most}{where}: of two answers to the same question one passes and the other does not in "
        f"{percent(flipped.value)} of cases ({count(flipped.n, 'question')}{bounds})."
    )


# other questions


def _halves(result: Reliability) -> Iterator[str]:
    known = [(one, one.split) for one in result.stability if one.split is not None]
    if not known:
        return
    runs = "the two runs" if len(known[0][0].values) == 2 else "two runs"
    most, least = max(known, key=lambda pair: pair[1].swaps), min(known, key=lambda pair: pair[1].swaps)
    splits = count(most[1].splits, "split")
    low, high = percent(least[1].swaps), percent(most[1].swaps)
    what = f"Two random halves of the questions put {runs} in opposite orders"
    if len(known) == 1:
        yield f"{what} by {line(most[0].metric)} in {high} of cases ({splits})."
    elif low == high:
        yield f"{what} in {high} of cases by each metric ({splits})."
    else:
        where = (
            f"least often by {line(least[0].metric)} ({low}), most often by {line(most[0].metric)} ({high}; {splits})"
        )
        yield f"{what} {where}."
    yield (
        "A tie in a half counts as half a swap; runs that are equally good swap in half of the cases on the average. "
        "Halves hold half of the questions each: the order by all of them is more stable."
    )


def _apart(result: Reliability) -> Iterator[str]:
    if not result.stability:
        return
    first = result.stability[0].told
    corrected = "corrected for the number of pairs" if first.test.startswith(TUKEY) else "each p-value for itself"
    test = first.test.partition("(")[0]
    how = f"at {percent_level(round(1 - result.level, 10))} ({test}, {corrected})"
    if len(result.stability) == 1:
        one = result.stability[0]
        yield f"{line(one.metric)} tells {_of(one) if _told(one) else 'no two runs'} apart {how}."
        return
    most, least = max(result.stability, key=_told), min(result.stability, key=_told)
    if _told(most) == 0:
        yield f"No metric tells any two runs apart {how}."
    elif _told(most) == _told(least):
        yield f"Each metric tells {_of(most)} apart {how}."
    else:
        yield (
            f"Most are told apart {how} by {_named(result, most)}: {_of(most)}; fewest by "
            f"{_named(result, least)}: {_of(least)}."
        )


def _told(one: Stability) -> int:
    return one.told.told


def _of(one: Stability) -> str:
    return f"{one.told.told} of {count(one.told.pairs, 'pair')} of runs"


def _named(result: Reliability, like: Stability) -> str:
    return listed([line(one.metric) for one in result.stability if _told(one) == _told(like)], 4)


def _orders_alike(result: Reliability) -> Iterator[str]:
    known = [one for one in result.rankings if not math.isnan(one.tau)]
    if not known:
        return
    worst = min(known, key=lambda one: (one.tau, one.rbo))
    if worst.tau == 1:
        names = dict.fromkeys(line(name) for one in known for name in (one.one, one.other))
        yield f"{listed(list(names))} put the runs in the same order."
        return
    yield _differ(worst, len(known))


def _differ(one: RankingAgreement, pairs: int) -> str:
    how = "put the runs in different orders" if pairs == 1 else "differ most in how they order the runs"
    return f"{line(one.one)} and {line(one.other)} {how} (Kendall's τ {signed(one.tau)}, of {count(one.runs, 'run')})."
