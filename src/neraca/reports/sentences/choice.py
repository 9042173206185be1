"""A caution about the target that a phase of a study chose."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.comparisons.difference import Difference
from neraca.reports.sentences.conclusion import facts_of
from neraca.reports.sentences.reasons import reason as in_words
from neraca.scores.scores import Scores
from neraca.translation import say


def nothing_chosen(scores: Scores, metric: str) -> str:
    """Return why a phase chooses no target by this metric, with the commonest reason of the first unscored run."""
    reason = next(((run, why) for run, why in facts_of(scores, (), metric).why.items() if why), None)
    return say(
        "nothing was chosen: {metric} is not scored on any question that all targets answered{reason}",
        metric=metric,
        reason=f" ({reason[0]}: {in_words(reason[1]).rstrip('.')})" if reason else "",
    )


def chosen_anew(before: str, scores: Scores) -> str:
    """Return the remark that another target was chosen before; "" if `before` is ""."""
    if not before:
        return ""
    if scores.facts.get("raters") or (scores.relevance and "human" in scores.relevance.used):
        return say("chosen anew, by people's ratings too (before: {run})", run=before)
    return say("chosen anew (before: {run})", run=before)


def doubt(winner: str, differences: Sequence[Difference]) -> str:
    """Return a caution if the data do not tell the winner from others.

    Parameters
    ----------
    winner
        The run with the best mean, or "".
    differences
        Of the metric that chose, for every two runs.
    """
    if differences and all(d.n and d.ties == d.n for d in differences):
        metric = differences[0].metric
        return say(
            "{metric} is the same on every question for all of them: what varies here does not move "
            "it, so it chooses nothing; choose by a metric that it can move",
            metric=metric,
        )
    undecided_or_lost = [d for d in differences if winner in (d.a, d.b) and d.better != winner]
    rivals = [d.other(winner) for d in undecided_or_lost if d.tested and not d.better]
    untested = [d.other(winner) for d in undecided_or_lost if not d.tested]
    betters = [d.better for d in undecided_or_lost if d.better]
    doubts = [say("the data do not tell it from {runs}", runs=", ".join(rivals))] if rivals else []
    doubts += [say("no test could be made against {runs}", runs=", ".join(untested))] if untested else []
    doubts += [say("{runs} is better on the questions that both answered", runs=", ".join(betters))] if betters else []
    return say("{winner} was chosen by its mean; {doubts}", winner=winner, doubts="; ".join(doubts)) if doubts else ""
