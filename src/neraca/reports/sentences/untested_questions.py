"""Questions that count in the mean of one run and not in the paired test, and whether they would change its result."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from neraca.comparisons.compare import compare
from neraca.comparisons.difference import Difference, baseline_of
from neraca.metrics.metric import Metric
from neraca.number_format import number, p_value
from neraca.registry import Spec
from neraca.reports.counts_and_lists import count, form, listed
from neraca.reports.translation import say
from neraca.scores.scores import Scores
from neraca.scores.scoring import run_scores, scores_of
from neraca.stats.tests.correction import CORRECTIONS
from neraca.stats.tests.paired import name_of_test

SHOWN = 6


def untested_questions(scores: Scores, differences: Sequence[Difference], primary: str) -> tuple[str, ...]:
    """Say of each pair (the first six) how many questions count in one mean alone, and what the test says with them."""
    pairs = [(d, _one_sided(scores, d)) for d in differences if d.metric == primary and d.n]
    pairs = [(d, n) for d, n in pairs if n]
    counted = _counted(scores, [d for d, _ in pairs], Metric.of(primary)) if pairs else None
    sentences = [_sentence(d, n, counted) for d, n in pairs[:SHOWN]]
    if len(pairs) > SHOWN:
        sentences.append(say("So do questions of {pairs} of runs.", pairs=count(len(pairs) - SHOWN, "more pair")))
    return tuple(sentences)


def _one_sided(scores: Scores, d: Difference) -> int:
    """How many questions have a value in one run of the pair alone."""
    a, b = (~np.isnan(scores.run(name).rows(d.metric)).any(axis=1) for name in (d.a, d.b))
    return int((a ^ b).sum())


def _counted(
    scores: Scores, differences: Sequence[Difference], metric: Metric
) -> tuple[Scores, list[Difference]] | None:
    """The same comparisons where a right empty answer counts 1 and junk 0; None where the metric has no such way."""
    parts = [run.scorable for run in scores.runs if run.scorable is not None]
    if metric.empty not in ("expected", "skip") or math.isinf(metric.definition.high) or len(parts) < len(scores.runs):
        return None
    spec = metric.spec
    other = Metric.of(str(Spec(spec.name, {**spec.params, "empty": "correct"}, spec.values)))
    counted = scores_of([run_scores(part, [other]) for part in parts], [other], parts[0].group, level=scores.level)
    test, correction = name_of_test(differences[0].test), differences[0].correction
    correction = correction if correction in CORRECTIONS else "none"
    return counted, compare(counted, test=test, correction=correction, against=baseline_of(differences))


def _sentence(d: Difference, n: int, counted: tuple[Scores, list[Difference]] | None) -> str:
    counts, them = form(n, "counts", "count"), form(n, "it", "them")
    start = say(
        "{questions} {counts} in the mean of only one of {a} and {b}, and not in their test",
        questions=count(n, "question"),
        counts=counts,
        a=d.a,
        b=d.b,
    )
    if counted is None:
        return f"{start}."
    scores, differences = counted
    other = next(each for each in differences if {each.a, each.b} == {d.a, d.b})
    if _one_sided(scores, other) >= n:
        return f"{start}."
    values = listed(
        [say("{value} for {run}", value=number(scores.mean(other.metric, run)), run=run) for run in (d.a, d.b)]
    )
    told = say("{better} is better", better=other.better) if other.better else say("the data do not tell them apart")
    before = say("{better} is better", better=d.better) if d.better else say("none is called better")
    said = (
        say("as without {them}", them=them)
        if other.better == d.better
        else say("which changes the result: without {them} {before}", them=them, before=before)
    )
    p = f"p = {p_value(other.p_adjusted)}".replace("= <", "<") if other.tested else say("not tested")
    return say(
        "{start}. With {metric} it counts {them} ({values}; {p}): {told}, {said}.",
        start=start,
        metric=other.metric,
        them=them,
        values=values,
        p=p,
        told=told,
        said=said,
    )
