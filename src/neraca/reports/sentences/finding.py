"""Write the sentences at the top of a report: which run is better, by how much and how sure.

Every sentence must be true in every case.  Above all, a run is called better only if the test says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from neraca.comparisons.difference import Difference
from neraca.counts_and_lists import count, form, listed, some
from neraca.number_format import integer, number, percent_level, span
from neraca.reports.sentences import margin as sentences_margin
from neraca.reports.sentences import untested as sentences_untested
from neraca.reports.sentences.baseline import against_baseline
from neraca.reports.sentences.many import many
from neraca.reports.sentences.margin import shown_equivalent
from neraca.reports.sentences.parts import (
    Facts,
    Finding,
    ahead,
    common_values,
    diagnostic,
    interval_words,
    lead_words,
    leaders,
    opposed,
    p_words,
    pair_words,
    size,
)
from neraca.scores.scores import Score
from neraca.stats.tests.paired import name_of_test
from neraca.translation import say

#: With fewer questions than this a result is an example, not evidence.
FEW = 10


def finding(facts: Facts) -> Finding:
    """Return the sentences on the primary metric."""
    if diagnostic(facts.metric) and any(score.n for score in facts.scores):
        equivalent_pairs = shown_equivalent(facts.differences)
        values = listed([say("{value} for {run}", value=number(score.value), run=score.run) for score in facts.scores])
        equivalents = [
            say("{a} and {b} ({tost})", a=d.a, b=d.b, tost=sentences_margin.tost(facts, d, e))
            for d, e in equivalent_pairs
        ]
        sentence = (
            say(
                "Equivalent {within}: {equivalent}.",
                within=sentences_margin.within(equivalent_pairs[0][1]),
                equivalent=some(equivalents),
            )
            if equivalent_pairs
            else ""
        )
        headline = say(
            "{metric}, a diagnostic by which no run is called better, is {values}.", metric=facts.metric, values=values
        )
        return Finding(headline, (sentence,) if sentence else ())
    if len(facts.scores) == 1:
        return _single_run(facts, facts.scores[0])
    if all(score.n == 0 for score in facts.scores):
        cause = facts.why.get(facts.scores[0].run, "")
        reason = f": {cause}" if cause else ""
        return Finding(
            say(
                "Nothing can be said of {metric}: no question is scored in any of the runs{reason}.",
                metric=facts.metric,
                reason=reason,
            )
        )
    if all(math.isnan(score.value) for score in facts.scores):
        return Finding(say("{metric} is not defined for any of the runs.", metric=facts.metric))
    if not facts.differences:
        return _not_compared(facts)
    if len(facts.scores) == 2:
        return _two_runs(facts, facts.differences[0])
    return against_baseline(facts) if facts.baseline else many(facts)


def _single_run(facts: Facts, score: Score) -> Finding:
    run, metric = score.run, facts.metric
    if score.n == 0:
        cause = facts.why.get(run, "")
        unscored = count(score.unscored, "question")
        return Finding(
            say(
                "{metric} says nothing about {run}: none of {questions} is scored{why}.",
                metric=metric,
                run=run,
                questions=unscored,
                why=f" ({cause})" if cause else "",
            )
        )
    if math.isnan(score.value):
        return Finding(
            say(
                "{metric} is not defined over the {questions} of {run}.",
                metric=metric,
                questions=count(score.n, "scored question"),
                run=run,
            )
        )
    bounds = span(score.low, score.high)
    interval = (
        say("{level} interval {bounds}", level=percent_level(facts.level), bounds=bounds)
        if bounds
        else say("no interval can be given")
    )
    headline = say(
        "{run} reaches {metric} = {value}{lower}; {sure}, {questions}.",
        run=run,
        metric=metric,
        value=number(score.value),
        lower=facts.lower,
        sure=interval,
        questions=count(score.n, "question"),
    )
    return Finding(headline, (say("This is a single run: whether it is better than another needs a second run."),))


def _not_compared(facts: Facts) -> Finding:
    best_runs = leaders(facts)
    if len(best_runs) == len(facts.scores):
        return Finding(
            say(
                "{names} have the same {metric} ({value}); the runs were not compared.",
                names=listed(best_runs),
                metric=facts.metric,
                value=number(facts.score(best_runs[0]).value),
            )
        )
    return Finding(f"{lead_words(facts)}; {say('the runs were not compared, so that this may be chance.')}")


def _two_runs(facts: Facts, d: Difference) -> Finding:
    metric, pair, margin = facts.metric, pair_words(d), sentences_margin.below_headline(facts, d)
    if not d.tested:
        return Finding(_untested(facts, d), (sentences_untested.remedy(d), *margin))
    if d.identical:
        subject = say("any of the {n:,} questions", n=d.n) if d.n > 1 else say("the one question")
        details = (*margin, *sentences_margin.needed_equivalent(d), *sentences_margin.chances(d))
        return Finding(
            say("{pair} do not differ in {metric} on {where} scored in both.", pair=pair, metric=metric, where=subject),
            details,
        )
    first, second, low, high = ahead(facts, d)
    lead, evidence = size(d.difference), f"{p_words(facts, d)}, {count(d.n, 'question')}"
    if d.better:
        interval = f"{interval_words(d, facts.level, low, high)}; {evidence}"
        headline = say(
            "{first} is better than {second} in {metric} by {lead}{lower}; {sure}.",
            first=first,
            second=second,
            metric=metric,
            lead=lead,
            lower=facts.lower,
            sure=interval,
        )
        return Finding(headline, (*margin, *_question_counts(facts, d), *sentences_margin.chances(d)))
    if opposed(facts.level, d):
        headline = say(
            "The {test} test and the mean do not point to the same run in {metric}, so that "
            "neither {a} nor {b} is called better: the mean of {first} is ahead by {lead}{lower}; "
            "{rests}.",
            test=name_of_test(d.test),
            metric=metric,
            a=d.a,
            b=d.b,
            first=first,
            lead=lead,
            lower=facts.lower,
            rests=evidence,
        )
        return Finding(headline, (*margin, *_question_counts(facts, d), *sentences_margin.chances(d)))
    chance = f"({interval_words(d, facts.level, low, high, name_quantity=True)}; {evidence})"
    if d.difference == 0:
        return _not_told_apart(facts, d, say("their value is the same {chance}.", chance=chance))
    return _not_told_apart(
        facts,
        d,
        say(
            "{first} is ahead by {lead}{lower}, which may be chance {chance}.",
            first=first,
            lead=lead,
            lower=facts.lower,
            chance=chance,
        ),
    )


def _not_told_apart(facts: Facts, d: Difference, lead_sentence: str) -> Finding:
    """Say that neither of two runs is better; `lead_sentence` says which is ahead."""
    metric, pair, e = facts.metric, pair_words(d), d.equivalence
    undecided = say(
        "The data do not tell {pair} apart in {metric}: {lead}", pair=pair, metric=metric, lead=lead_sentence
    )
    details = (
        *_question_counts(facts, d),
        *_questions_needed(d),
        *sentences_margin.needed_equivalent(d),
        *sentences_margin.chances(d),
    )
    doubts = sentences_margin.doubt([d])
    if e is None:
        return Finding(undecided, details)
    if d.equivalent:
        return Finding(sentences_margin.equivalent(facts, d, e), (*doubts, undecided, *details))
    unshown = sentences_margin.unshown(facts, d, e)
    if d.not_worse:
        return Finding(f"{sentences_margin.not_worse(facts, d, e)}.", (*doubts, undecided, unshown, *details))
    neither_shown = say(
        "The data show neither a difference between {pair} in {metric} nor that they are equivalent {within}: {lead}",
        pair=pair,
        metric=metric,
        within=sentences_margin.within(e),
        lead=lead_sentence,
    )
    return Finding(neither_shown, (unshown, *details))


def _untested(facts: Facts, d: Difference) -> str:
    """Say that no test could be made, and why."""
    metric, pair = facts.metric, pair_words(d)
    if d.untested == "nothing shared":
        return say(
            "Nothing can be said about {pair}: no question is scored in both of them in {metric}.",
            pair=pair,
            metric=metric,
        )
    if d.untested == "undefined":
        return say(
            "{metric} is not defined over the {questions} scored in both {pair}.",
            metric=metric,
            questions=count(d.n, "question"),
            pair=pair,
        )
    first, second, _, _ = ahead(facts, d)
    lead = say(
        "{first} is ahead of {second} in {metric} by {difference}{lower}, but",
        first=first,
        second=second,
        metric=metric,
        difference=size(d.difference),
        lower=facts.lower,
    )
    if d.difference == 0:
        lead = say("{pair} have the same {metric}, and", pair=pair, metric=metric)
    return say(
        "{lead} no {test} can be made: {why}.",
        lead=lead,
        test=sentences_untested.kind_of_test(d),
        why=sentences_untested.why(d),
    )


def _question_counts(facts: Facts, d: Difference) -> tuple[str, ...]:
    """Count wins, ties and losses; give the mean values if they are over the same questions."""
    first, second, _, _ = ahead(facts, d)
    better, worse = (d.wins, d.losses) if first == d.a else (d.losses, d.wins)
    counts = say(
        "Question by question, {first} is better on {better:,}, equal on {ties:,} and worse on "
        "{worse:,} of {n:,}, compared with {second}.",
        first=first,
        better=better,
        ties=d.ties,
        worse=worse,
        n=d.n,
        second=second,
    )
    a, b = facts.score(first), facts.score(second)
    if values := common_values(facts, d, first):
        return counts, say(
            "On the {questions} scored in both, the values are {a} for {first} and {b} for {second}.",
            questions=count(d.n, "question"),
            a=values[0],
            first=first,
            b=values[1],
            second=second,
        )
    if not a.n == b.n == d.n:
        return (counts,)
    return counts, say(
        "The values are {a} for {first} and {b} for {second}.",
        a=number(a.value),
        first=first,
        b=number(b.value),
        second=second,
    )


def _questions_needed(d: Difference) -> tuple[str, ...]:
    if d.needed is None or d.needed <= d.n:
        return ()
    return (
        say(
            "About {needed} questions would be needed to see a difference of this size (4 times out of 5, if it is "
            "real).",
            needed=integer(d.needed),
        ),
    )


#: The most pairs that are described in sentences; more are counted, and are in the table.
DESCRIBED = 6


def elsewhere(differences: Sequence[Difference], primary: str) -> tuple[str, ...]:
    """Return the results in the other metrics pair by pair; of more than `DESCRIBED` pairs how many are told apart."""
    other_differences = [d for d in differences if d.metric != primary and not diagnostic(d.metric)]
    by_pair: dict[tuple[str, str], list[Difference]] = {}
    for d in other_differences:
        by_pair.setdefault((d.a, d.b), []).append(d)
    reasons = {sentences_untested.why(d) for d in other_differences}
    if len(by_pair) > 1 and len(reasons) == 1 and "" not in reasons:
        return (say("In the other metrics, no pair could be tested: {why}.", why=reasons.pop()),)
    if len(by_pair) > DESCRIBED:
        return _counted_elsewhere(other_differences)
    sentences = [
        say("In the other metrics, {a} against {b}: {found}.", a=a, b=b, found=_in_other_metrics(a, b, of_pair))
        for (a, b), of_pair in by_pair.items()
    ]
    return tuple(sentences)


def _counted_elsewhere(differences: Sequence[Difference]) -> tuple[str, ...]:
    """Say for each metric in how many pairs one run is better."""
    by_metric: dict[str, list[Difference]] = {}
    for d in differences:
        by_metric.setdefault(d.metric, []).append(d)
    counts = [
        say("{n} of {pairs} in {metric}", n=sum(bool(d.better) for d in own), pairs=len(own), metric=metric)
        for metric, own in by_metric.items()
    ]
    return (
        say("Pairs told apart in the other metrics: {counts} (see the table).", counts=listed(counts, len(counts))),
    )


def _in_other_metrics(a: str, b: str, differences: Sequence[Difference]) -> str:
    """Return the results in the other metrics for a pair: better, equivalent, undecided, untested."""
    parts = [
        say(
            "{run} is better in {metrics}",
            run=run,
            metrics=listed([d.metric for d in differences if d.better == run], len(differences)),
        )
        for run in (a, b)
        if any(d.better == run for d in differences)
    ]
    equivalent = [f"{d.metric} ({sentences_margin.within(e)})" for d, e in shown_equivalent(differences)]
    parts += [say("equivalent in {metrics}", metrics=listed(equivalent, len(differences)))] if equivalent else []
    undecided = sum(d.tested and not d.better and not d.equivalent for d in differences)
    untested = [d for d in differences if not d.tested and not d.equivalent]
    if undecided == len(differences):
        parts.append(say("none tells them apart"))
    elif undecided:
        do = form(undecided, "does", "do")
        parts.append(
            say(
                "{undecided} of {metrics} {do} not tell",
                undecided=undecided,
                metrics=count(len(differences), "metric"),
                do=do,
            )
        )
    if untested:
        parts.append(
            say("no test could be made in {metrics}", metrics="; ".join(sentences_untested.in_metrics(untested)))
        )
    return "; ".join(parts)
