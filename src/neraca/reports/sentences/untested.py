"""Explain pairs that could not be tested: the reasons, and what to do about them."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.comparisons.difference import Difference
from neraca.counts_and_lists import count, form, some
from neraca.metrics.metric import Metric
from neraca.reports.sentences.parts import pair_words, size
from neraca.scores.unit import FEWEST
from neraca.stats.tests.paired import name_of_test
from neraca.translation import say

#: Tests that need differences to vary.
_OF_SPREAD = {"t": "t-test", "bootstrap": "bootstrap test"}
_REMEDIES = {
    "nothing shared": "score the same questions in both",
    "undefined": "choose another metric, or ask questions on which it is defined",
    "one question": "ask more questions",
    "few observations": "ask in six sessions or more, or take each question as one observation (--unit question)",
    "no spread": "ask more questions, or choose a test that needs no spread, such as randomisation",
}


def why(d: Difference) -> str:
    """Say why a pair could not be tested; "" if it was tested."""
    reasons = {
        "nothing shared": say("no question is scored in both"),
        "undefined": say("it is not defined over the {questions} scored in both", questions=count(d.n, "question")),
        "one question": say("only one question is scored in both"),
        "few observations": say(
            "{n:,} questions of fewer than {fewest} sessions do not show how much is chance", n=d.n, fewest=FEWEST
        ),
        "no spread": say(
            "the difference is the same in every observation, so that its uncertainty cannot be estimated"
        ),
    }
    return reasons.get(d.untested, "")


def kind_of_test(d: Difference) -> str:
    """Name the kind of test that is impossible: any test, or only a test that needs differences to vary."""
    return say(_OF_SPREAD.get(name_of_test(d.test), "test") if d.untested == "no spread" else "test")


def remedy(d: Difference, pairs: int = 1) -> str:
    """Return what to do about it."""
    return say("To test {them}, {remedy}.", them=form(pairs, "it", "them"), remedy=say(_REMEDIES[d.untested]))


def lists(differences: Sequence[Difference]) -> list[str]:
    """Return a sentence on the untested pairs for each reason, and one on what to do about it."""
    by_reason: dict[tuple[str, str], list[Difference]] = {}
    for d in differences:
        if d.untested:
            by_reason.setdefault((kind_of_test(d), why(d)), []).append(d)
    sentences = []
    for (test, reason), pairs in by_reason.items():
        names = some(list(map(pair_words, pairs)))
        sentences.append(
            say(
                "No {test} could be made: {named} ({reason}). {remedy}",
                test=test,
                named=names,
                reason=reason,
                remedy=remedy(pairs[0], len(pairs)),
            )
        )
    return sentences


def in_metrics(differences: Sequence[Difference]) -> list[str]:
    """Return for each reason the metrics of a pair that could not be tested: `RR (new ahead by 0.1): only one …`."""
    metrics_by_reason: dict[str, list[str]] = {}
    for d in differences:
        if d.untested:
            metrics_by_reason.setdefault(why(d), []).append(_with_lead(d))
    return [f"{some(metrics, 'metric', ', ')}: {reason}" for reason, metrics in metrics_by_reason.items()]


def _with_lead(d: Difference) -> str:
    """Return the metric, with the leading run and the size of the lead if there is a lead."""
    metric = Metric.of(d.metric)
    if metric.diagnostic or not abs(d.difference) > 0:
        return d.metric
    ahead = d.a if (d.difference > 0) == metric.higher_is_better else d.b
    return say("{metric} ({run} ahead by {difference})", metric=d.metric, run=ahead, difference=size(d.difference))


def without_letters(differences: Sequence[Difference]) -> list[str]:
    """Name the metrics in which runs have no letters because a pair could not be tested.

    >>> without_letters([])
    []
    """
    by_metric: dict[str, list[Difference]] = {}
    for d in differences:
        by_metric.setdefault(d.metric, []).append(d)
    metrics_by_cause: dict[str, list[str]] = {}
    for metric, of_metric in by_metric.items():
        if untested := [d for d in of_metric if d.untested]:
            cause = say(
                "{n} of {pairs} could not be tested",
                n=len(untested),
                pairs=count(len(of_metric), "pair"),
            )
            reasons = "; ".join(dict.fromkeys(map(why, untested)))
            metrics_by_cause.setdefault(f"{cause} ({reasons})", []).append(metric)
    return [
        say(
            "No letters in {named} (runs that share a letter are not told apart by the tests): {which}",
            named=some(metrics, "metric", ", "),
            which=cause,
        )
        for cause, metrics in metrics_by_cause.items()
    ]
