"""Sentences on pairs of which no test could be made: why not, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.comparisons.difference import Difference
from neraca.reports.number_format import count, some
from neraca.scores.unit import FEWEST
from neraca.stats.paired import name_of_test

#: Tests that need differences to vary; the others do not.
_OF_SPREAD = {"t": "t-test", "bootstrap": "bootstrap test"}
_REMEDIES = {
    "nothing shared": "score the same questions in both",
    "undefined": "choose another metric, or ask questions on which it is defined",
    "one question": "ask more questions",
    "few observations": "ask in six sessions or more, or take each question as one observation (--unit question)",
    "no spread": "ask more questions, or choose a test that needs no spread, such as randomisation",
}


def why(d: Difference) -> str:
    """Why no test of a pair could be made; "" where one was."""
    reasons = {
        "nothing shared": "no question is scored in both",
        "undefined": f"it is not defined over the {count(d.n, 'question')} scored in both",
        "one question": "only one question is scored in both",
        "few observations": f"{d.n:,} questions of fewer than {FEWEST} sessions do not show how much is chance",
        "no spread": "the difference is the same throughout, so that its uncertainty cannot be estimated",
    }
    return reasons.get(d.untested, "")


def kind_of_test(d: Difference) -> str:
    """What cannot be made: any test, or only one of those that need differences to vary."""
    return _OF_SPREAD.get(name_of_test(d.test), "test") if d.untested == "no spread" else "test"


def remedy(d: Difference, them: str = "it") -> str:
    """What to do about it."""
    return f"To test {them}, {_REMEDIES[d.untested]}."


def lists(differences: Sequence[Difference]) -> list[str]:
    """The pairs that could not be tested: for each reason a sentence, and one on what to do about it."""
    by_reason: dict[tuple[str, str], list[Difference]] = {}
    for d in differences:
        if d.untested:
            by_reason.setdefault((kind_of_test(d), why(d)), []).append(d)
    sentences = []
    for (test, reason), alike in by_reason.items():
        named, them = some([f"{d.a} and {d.b}" for d in alike]), "it" if len(alike) == 1 else "them"
        sentences.append(f"No {test} could be made: {named} ({reason}). {remedy(alike[0], them)}")
    return sentences


def in_metrics(differences: Sequence[Difference]) -> list[str]:
    """For each reason the metrics of one pair that could not be tested, such as `RR (only one question …)`."""
    metrics: dict[str, list[str]] = {}
    for d in differences:
        if d.untested:
            metrics.setdefault(why(d), []).append(d.metric)
    return [f"{some(named, 'metric', ', ')} ({reason})" for reason, named in metrics.items()]


def without_letters(differences: Sequence[Difference]) -> list[str]:
    """The metrics in which runs have no letters, because some pair could not be tested; those alike together.

    >>> without_letters([])
    []
    """
    by_metric: dict[str, list[Difference]] = {}
    for d in differences:
        by_metric.setdefault(d.metric, []).append(d)
    metrics: dict[str, list[str]] = {}
    for metric, of_metric in by_metric.items():
        if untested := [d for d in of_metric if d.untested]:
            which = f"{len(untested)} of {count(len(of_metric), 'pair')} could not be tested"
            reasons = "; ".join(dict.fromkeys(map(why, untested)))
            metrics.setdefault(f"{which} ({reasons})", []).append(metric)
    return [f"No letters in {some(named, 'metric', ', ')}: {which}" for which, named in metrics.items()]
