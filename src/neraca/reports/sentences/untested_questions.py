"""Describe questions that count in the mean of one run but not in the paired test, and how they change its result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from neraca.comparisons.compare import compare
from neraca.comparisons.difference import Difference, baseline_of
from neraca.counts_and_lists import count, form, listed, some
from neraca.metrics.metric import Metric
from neraca.number_format import number, p_equals
from neraca.scores.right_empties import count_right_empties, scored_in_one
from neraca.scores.scores import Scores
from neraca.stats.tests.correction import CORRECTIONS
from neraca.stats.tests.paired import name_of_test
from neraca.translation import say

SHOWN = 6


class Unpaired(NamedTuple):
    """A pair of runs with questions that count in the mean of only one of them.

    Attributes
    ----------
    difference
        The pair in the metric asked for.
    n
        The number of such questions.
    counting
        The pair in the form of the metric in which a right empty answer counts 1 and junk 0; None if the metric has no
        such form, or if that form leaves no fewer questions unpaired.
    values
        The values of both runs in that form.
    """

    difference: Difference
    n: int
    counting: Difference | None = None
    values: tuple[float, float] = (math.nan, math.nan)

    @property
    def changed(self) -> bool:
        """Whether another run, or none, is better if these questions count."""
        return self.counting is not None and self.counting.better != self.difference.better


def unpaired(scores: Scores, differences: Sequence[Difference], primary: str) -> list[Unpaired]:
    """Find the pairs with questions that count in one mean alone, and compare them in the form that counts these."""
    pairs = [(d, _one_sided(scores, d)) for d in differences if d.metric == primary and d.n]
    pairs = [(d, n) for d, n in pairs if n]
    counting = count_right_empties(scores, Metric.of(primary)) if pairs else None
    if counting is None:
        return [Unpaired(d, n) for d, n in pairs]
    differences_by_pair = _compared(counting, [d for d, _ in pairs], baseline_of(differences))
    unpaired_pairs = []
    for d, n in pairs:
        difference = differences_by_pair[frozenset((d.a, d.b))]
        values = counting.mean(difference.metric, d.a), counting.mean(difference.metric, d.b)
        unpaired_pairs.append(
            Unpaired(d, n, difference, values) if _one_sided(counting, difference) < n else Unpaired(d, n)
        )
    return unpaired_pairs


def untested_questions(pairs: Sequence[Unpaired]) -> tuple[str, ...]:
    """Describe each pair, up to six: how many questions count in one mean alone, and what the test says with them."""
    sentences = [_sentence(pair) for pair in pairs[:SHOWN]]
    if len(pairs) > SHOWN:
        sentences.append(say("So do questions of {pairs} of runs.", pairs=count(len(pairs) - SHOWN, "more pair")))
    return tuple(sentences)


def changed_result(pairs: Sequence[Unpaired]) -> str:
    """Say for the headline how these questions change the result; "" if they do not."""
    changed = [(pair, pair.counting) for pair in pairs if pair.counting is not None and pair.changed]
    if not changed:
        return ""
    results = [
        say(
            "{better} is better than {other} ({values})", better=d.better, other=d.other(d.better), values=_values(pair)
        )
        if d.better
        else say("the data do not tell {a} and {b} apart ({values})", a=d.a, b=d.b, values=_values(pair))
        for pair, d in changed
    ]
    return say(
        "Yet with {metric}, which also counts questions scored in only one of the runs, {results}.",
        metric=changed[0][1].metric,
        results=some(results),
    )


def _one_sided(scores: Scores, d: Difference) -> int:
    """Count the questions that have a value in only one run of the pair."""
    return int(scored_in_one((scores.run(d.a), scores.run(d.b)), d.metric).sum())


def _compared(counting: Scores, differences: Sequence[Difference], baseline: str) -> dict[frozenset[str], Difference]:
    """Compare the runs again, as before, in the other form of the metric; return the differences by pair."""
    test, correction = name_of_test(differences[0].test), differences[0].correction
    correction = correction if correction in CORRECTIONS else "none"
    compared = compare(counting, test=test, correction=correction, against=baseline)
    return {frozenset((d.a, d.b)): d for d in compared}


def _values(pair: Unpaired) -> str:
    runs = (pair.difference.a, pair.difference.b)
    value_run_pairs = zip(pair.values, runs, strict=True)
    return listed([say("{value} for {run}", value=number(value), run=run) for value, run in value_run_pairs])


def _sentence(pair: Unpaired) -> str:
    d, n, recount = pair.difference, pair.n, pair.counting
    verb, pronoun = form(n, "counts", "count"), form(n, "it", "them")
    start = say(
        "{questions} {counts} in the mean of only one of {a} and {b}, and not in their test",
        questions=count(n, "question"),
        counts=verb,
        a=d.a,
        b=d.b,
    )
    if recount is None:
        return f"{start}."
    result = (
        say("{better} is better", better=recount.better) if recount.better else say("the data do not tell them apart")
    )
    result_before = say("{better} is better", better=d.better) if d.better else say("none is called better")
    comparison = (
        say("as without {them}", them=pronoun)
        if recount.better == d.better
        else say("which changes the result: without {them} {before}", them=pronoun, before=result_before)
    )
    p = p_equals(recount.p_adjusted) if recount.tested else say("not tested")
    return say(
        "{start}. {metric} counts {them} ({values}; {p}): {told}, {said}.",
        start=start,
        metric=recount.metric,
        them=pronoun,
        values=_values(pair),
        p=p,
        told=result,
        said=comparison,
    )
