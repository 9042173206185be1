"""Write the decision at the top of a report in plain words: which run is best, by how much, and what is not shown.

It has no statistical terms; the sentences about the tests follow it.  A run is called better only if the test says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from neraca.comparisons.difference import Difference
from neraca.counts_and_lists import count, form, listed, some
from neraca.number_format import integer, number
from neraca.reports.sentences import margin as sentences_margin
from neraca.reports.sentences.losses import with_losses_in_words
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.reports.sentences.parts import (
    CROWD,
    Facts,
    Finding,
    ahead,
    clauses,
    diagnostic,
    leaders,
    of_others,
    on_common,
    opposed,
    shared,
    size,
)
from neraca.reports.sentences.standings import counted_pairs, is_crowd
from neraca.result import Table
from neraca.translation import say

#: The most runs of which the first screen says whom they beat.
WINNERS = 6


@dataclass(frozen=True)
class Decision:
    """The decision of a report in words.

    Attributes
    ----------
    sentence
        Which run is best and by how much, or that there is no winner.
    shown, unshown
        Which runs are better than which, and the pairs that the data leave open.  "" if there are none.
    labels
        The full names of metrics whose labels in the sentence leave out parameters; "" if none does.
    standings
        A row for each of `CROWD` runs or more, the best first: which others it is shown to be better or worse than.
    """

    sentence: str
    shown: str = ""
    unshown: str = ""
    labels: str = ""
    standings: Table | None = None

    def with_labels(self, labels: MetricLabels, metric: str, runs: Sequence[str]) -> Decision:
        """Return the decision with the labels of the metrics, `metric` being the primary one.

        Nothing changes if the name of a run reads like a metric, because the sentence has that name too.
        """
        if any(labels.in_sentence(run) != run for run in runs):
            return self
        named = [name for name in labels.by_metric if name == metric or name in self.sentence]
        table = self.standings
        if table:
            table = table._replace(columns=[labels[column] if column == metric else column for column in table.columns])
        return replace(
            self,
            sentence=labels.in_sentence(self.sentence),
            labels=labels.unusual(named),
            standings=table,
        )


def decision(facts: Facts, finding: Finding, differences: Sequence[Difference] = ()) -> Decision:
    """Return the decision in the primary metric; if no pair was tested, it is the headline of the finding.

    `differences` are those in all metrics: if the leading run is worse in another metric, the sentence says so.
    """
    tested = [d for d in facts.differences if d.tested]
    scored = [score for score in facts.scores if not math.isnan(score.value)]
    if len(scored) < 2 or not tested or diagnostic(facts.metric):
        return Decision(finding.headline)
    decided = [d for d in facts.differences if d.better]
    sentence = f"{_sentence(facts, decided)} {finding.changed}".strip()
    if finding.standings:
        sentence = with_losses_in_words(sentence, facts, differences)
        return Decision(sentence, *counted_pairs(facts), standings=finding.standings)
    wins = "; ".join(_wins(facts, decided)) if len(facts.scores) > 2 else ""
    return Decision(with_losses_in_words(sentence, facts, differences), wins, _unshown(facts))


def _wins(facts: Facts, decided: Sequence[Difference]) -> Iterator[str]:
    """Yield for each run which others it is better than, the best run first; after `WINNERS` runs, how many pairs."""
    sign = -1 if facts.higher_is_better else 1
    ordered = sorted(facts.scores, key=lambda score: (math.isnan(score.value), sign * score.value))
    beaten_by_run = {score.run: [d.other(score.run) for d in decided if d.better == score.run] for score in ordered}
    winners = [run for run, beaten in beaten_by_run.items() if beaten]
    for run in winners[:WINNERS]:
        yield say("{better} better than {other}", better=run, other=listed(beaten_by_run[run]))
    if left_out := sum(len(beaten_by_run[run]) for run in winners[WINNERS:]):
        yield say("and {more} (see the table)", more=count(left_out, "more pair"))


def _sentence(facts: Facts, decided: Sequence[Difference]) -> str:
    runs = [score.run for score in facts.scores]
    wins_by_run = {run: [d for d in decided if d.better == run] for run in runs}
    if facts.baseline:
        return _against(facts, facts.baseline)
    if winner := next((run for run in runs if len(wins_by_run[run]) == len(runs) - 1), ""):
        return _winner(facts, winner, wins_by_run[winner])
    if all(d.identical for d in facts.differences):
        return _no_difference(facts, listed(runs))
    if all(d.equivalent for d in facts.differences) and (e := facts.differences[0].equivalence):
        return say(
            "{runs} are as good as each other in {metric} {within}.",
            runs=listed(runs),
            metric=facts.metric,
            within=sentences_margin.within(e),
        )
    return _no_winner(facts, wins_by_run)


def _no_difference(facts: Facts, runs: str) -> str:
    """Say that no question differs, and on which questions if not all are scored in both runs."""
    numbers = {d.n for d in facts.differences}
    if all({score.n + score.unscored} == numbers for score in facts.scores):
        return say("No difference: {runs} have the same {metric} on every question.", runs=runs, metric=facts.metric)
    return say(
        "No difference on the {questions} {shared}: {runs} have the same {metric} there.",
        questions=count(numbers.pop(), "question") if len(numbers) == 1 else say("questions"),
        shared=shared(facts.differences),
        runs=runs,
        metric=facts.metric,
    )


def _winner(facts: Facts, winner: str, wins: Sequence[Difference]) -> str:
    nearest = min(wins, key=lambda d: abs(d.difference))
    of_many = len(facts.scores) > 2
    if facts.higher_is_better:
        best = "{winner} is best: {metric} {value}, {difference} above {other}{common}."
        better = "{winner} is better than {other}: {metric} {value}, {difference} above {other}{common}."
    else:
        best = "{winner} is best: {metric} {value}, {difference} below {other}{common} (lower is better)."
        better = (
            "{winner} is better than {other}: {metric} {value}, {difference} below {other}{common} (lower is better)."
        )
    return say(
        best if of_many else better,
        winner=winner,
        other=nearest.other(winner),
        metric=facts.metric,
        value=number(facts.score(winner).value),
        difference=size(nearest.difference),
        common=on_common(facts, nearest, winner),
    )


def _no_winner(facts: Facts, wins_by_run: dict[str, list[Difference]]) -> str:
    best_runs = leaders(facts)
    value = f"{facts.metric} {number(facts.score(best_runs[0]).value)}{facts.lower}"
    if len(best_runs) > 1:
        return say("No winner: {runs} are level at {value}.", runs=listed(best_runs), value=value)
    leader = best_runs[0]
    if any(leader in (d.a, d.b) and opposed(facts.level, d) for d in facts.differences):
        return say(
            "No winner: {leader} has the best mean, {value}, but the test does not point to it.",
            leader=leader,
            value=value,
        )
    if wins_by_run[leader]:
        beaten, differences = [d.other(leader) for d in wins_by_run[leader]], facts.differences
        undecided = [d.other(leader) for d in differences if leader in (d.a, d.b) and d.better != leader]
        return say(
            "{leader} is ahead, {value}: better than {over}, but not surely better than {unsure}.",
            leader=leader,
            value=value,
            over=of_others(facts, beaten),
            unsure=listed(undecided) if len(facts.scores) < CROWD or len(undecided) < 3 else integer(len(undecided)),
        )
    return say("No winner: {leader} is ahead, {value}, but that may be chance.", leader=leader, value=value)


def _against(facts: Facts, baseline: str) -> str:
    """Compare each run with the baseline."""
    better = [d.better for d in facts.differences if d.better and d.better != baseline]
    worse = [d.other(baseline) for d in facts.differences if d.better == baseline]
    if is_crowd(facts):
        templates = (
            "{runs} {are} shown to be better than {baseline}",
            "{runs} {are} shown to be worse than {baseline}",
        )
        parts = [
            say(template, runs=of_others(facts, runs), are=form(len(runs), "is", "are"), baseline=baseline)
            for template, runs in zip(templates, (better, worse), strict=True)
            if runs
        ]
    else:
        parts = [
            *clauses("{runs} {are} better than {baseline}", better, baseline=baseline),
            *clauses("{runs} {are} worse than {baseline}", worse, baseline=baseline),
        ]
    results = "; ".join(parts) or say("no run is shown to be better or worse than {baseline}", baseline=baseline)
    return say("In {metric}, {said}.", metric=facts.metric, said=results)


def _unshown(facts: Facts) -> str:
    """Return the pairs that the data leave open, with the leading run first."""
    pairs = []
    for d in facts.differences:
        if d.better or d.identical or d.equivalent:
            continue
        first, second, _, _ = ahead(facts, d)
        pairs.append(
            say("whether {first} is better than {second}", first=first, second=second)
            if d.tested
            else say("{a} and {b} (no test)", a=d.a, b=d.b)
        )
    return some(pairs) if len(facts.scores) > 2 else ""
