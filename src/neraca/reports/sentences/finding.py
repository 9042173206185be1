"""The sentences at the top of a report: who is better, by how much and how sure.

Every sentence must be true in every case, above all this one: nobody is called better unless the test said so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from neraca.comparisons.difference import Difference
from neraca.number_format import about, number, percent_level, span
from neraca.reports.counts_and_lists import count, form, listed, some
from neraca.reports.sentences import margin as sentences_margin
from neraca.reports.sentences import untested as sentences_untested
from neraca.reports.sentences.baseline import against_baseline
from neraca.reports.sentences.many import many
from neraca.reports.sentences.margin import shown_equivalent
from neraca.reports.sentences.parts import (
    Facts,
    Finding,
    ahead,
    diagnostic,
    interval_words,
    leaders,
    opposed,
    p_words,
    size,
)
from neraca.reports.translation import say
from neraca.scores.scores import Score
from neraca.stats.tests.paired import name_of_test

FEW = 10


def finding(facts: Facts) -> Finding:
    """Return the sentences on the primary metric."""
    if diagnostic(facts.metric) and any(score.n for score in facts.scores):
        within = shown_equivalent(facts.differences)
        values = listed([say("{value} for {run}", value=number(score.value), run=score.run) for score in facts.scores])
        equivalent = [
            say("{a} and {b} ({tost})", a=d.a, b=d.b, tost=sentences_margin.tost(facts, d, e)) for d, e in within
        ]
        shown = (
            say(
                "Equivalent {within}: {equivalent}.",
                within=sentences_margin.within(within[0][1]),
                equivalent=some(equivalent),
            )
            if within
            else ""
        )
        headline = say(
            "{metric}, a diagnostic by which no run is called better, is {values}.", metric=facts.metric, values=values
        )
        return Finding(headline, (shown,) if shown else ())
    if len(facts.scores) == 1:
        return _one(facts, facts.scores[0])
    if all(score.n == 0 for score in facts.scores):
        why = facts.why.get(facts.scores[0].run, "")
        reason = f": {why}" if why else ""
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
        return _two(facts, facts.differences[0])
    return against_baseline(facts) if facts.baseline else many(facts)


def _one(facts: Facts, score: Score) -> Finding:
    run, metric = score.run, facts.metric
    if score.n == 0:
        why = facts.why.get(run, "")
        unscored = count(score.unscored, "question")
        return Finding(
            say(
                "{metric} says nothing about {run}: none of {questions} is scored{why}.",
                metric=metric,
                run=run,
                questions=unscored,
                why=f" ({why})" if why else "",
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
    sure = (
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
        sure=sure,
        questions=count(score.n, "question"),
    )
    return Finding(headline, (say("This is a single run: whether it is better than another needs a second run."),))


def _not_compared(facts: Facts) -> Finding:
    names = leaders(facts)
    value = number(facts.score(names[0]).value)
    end = say("the runs were not compared, so that this may be chance.")
    if len(names) == len(facts.scores):
        return Finding(
            say(
                "{names} have the same {metric} ({value}); the runs were not compared.",
                names=listed(names),
                metric=facts.metric,
                value=value,
            )
        )
    best = say("highest" if facts.higher_is_better else "lowest")
    has = form(len(names), "has", "share")
    return Finding(
        say(
            "{names} {has} the {best} {metric} ({value}){lower}; {end}",
            names=listed(names),
            has=has,
            best=best,
            metric=facts.metric,
            value=value,
            lower=facts.lower,
            end=end,
        )
    )


def _two(facts: Facts, d: Difference) -> Finding:
    metric, pair, margin = facts.metric, say("{a} and {b}", a=d.a, b=d.b), sentences_margin.below_headline(facts, d)
    if not d.tested:
        return Finding(_untested(facts, d), (sentences_untested.remedy(d), *margin))
    if d.identical:
        where = say("any of the {n:,} questions", n=d.n) if d.n > 1 else say("the one question")
        more = (*margin, *sentences_margin.needed_equivalent(d), *sentences_margin.chances(d))
        return Finding(
            say("{pair} do not differ in {metric} on {where} scored in both.", pair=pair, metric=metric, where=where),
            more,
        )
    first, second, low, high = ahead(facts, d)
    lead, rests = size(d.difference), f"{p_words(facts, d)}, {count(d.n, 'question')}"
    if d.better:
        sure = f"{interval_words(d, facts.level, low, high)}; {rests}"
        headline = say(
            "{first} is better than {second} in {metric} by {lead}{lower}; {sure}.",
            first=first,
            second=second,
            metric=metric,
            lead=lead,
            lower=facts.lower,
            sure=sure,
        )
        return Finding(headline, (*margin, *_paired(facts, d), *sentences_margin.chances(d)))
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
            rests=rests,
        )
        return Finding(headline, (*margin, *_paired(facts, d), *sentences_margin.chances(d)))
    chance = f"({interval_words(d, facts.level, low, high, of=True)}; {rests})"
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


def _not_told_apart(facts: Facts, d: Difference, lead: str) -> Finding:
    """Say that neither of two runs is better; `lead` says which one is ahead."""
    metric, pair, e = facts.metric, say("{a} and {b}", a=d.a, b=d.b), d.equivalence
    apart = say("The data do not tell {pair} apart in {metric}: {lead}", pair=pair, metric=metric, lead=lead)
    details = (*_paired(facts, d), *_needed(d), *sentences_margin.needed_equivalent(d), *sentences_margin.chances(d))
    doubt = sentences_margin.doubt([d])
    if e is None:
        return Finding(apart, details)
    if d.equivalent:
        return Finding(sentences_margin.equivalent(facts, d, e), (*doubt, apart, *details))
    unshown = sentences_margin.unshown(facts, d, e)
    if d.not_worse:
        return Finding(f"{sentences_margin.not_worse(facts, d, e)}.", (*doubt, apart, unshown, *details))
    neither = say(
        "The data show neither a difference between {pair} in {metric} nor that they are equivalent {within}: {lead}",
        pair=pair,
        metric=metric,
        within=sentences_margin.within(e),
        lead=lead,
    )
    return Finding(neither, (unshown, *details))


def _untested(facts: Facts, d: Difference) -> str:
    """Say that no test could be made, and why not."""
    metric, pair = facts.metric, say("{a} and {b}", a=d.a, b=d.b)
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


def _paired(facts: Facts, d: Difference) -> tuple[str, ...]:
    """Count wins, ties and losses, and give the values if they belong to the same questions."""
    first, second, _, _ = ahead(facts, d)
    better, worse = (d.wins, d.losses) if first == d.a else (d.losses, d.wins)
    divided = say(
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
    if not a.n == b.n == d.n:
        return (divided,)
    return divided, say(
        "The values are {a} for {first} and {b} for {second}.",
        a=number(a.value),
        first=first,
        b=number(b.value),
        second=second,
    )


def _needed(d: Difference) -> tuple[str, ...]:
    if d.needed is None or d.needed <= d.n:
        return ()
    return (
        say(
            "About {needed} questions would be needed to see a difference of this size (4 times out of 5, if it is "
            "real).",
            needed=about(d.needed),
        ),
    )


#: Pairs that are described in sentences; further ones stand only in the table.
TOLD = 6


def elsewhere(differences: Sequence[Difference], primary: str) -> tuple[str, ...]:
    """Return the results of the other metrics for the first pairs, and say how many pairs are left out."""
    others = [d for d in differences if d.metric != primary and not diagnostic(d.metric)]
    by_pair: dict[tuple[str, str], list[Difference]] = {}
    for d in others:
        by_pair.setdefault((d.a, d.b), []).append(d)
    reasons = {sentences_untested.why(d) for d in others}
    if len(by_pair) > 1 and len(reasons) == 1 and "" not in reasons:
        return (say("In the other metrics, no pair could be tested: {why}.", why=reasons.pop()),)
    sentences = [
        say("In the other metrics, {a} against {b}: {found}.", a=a, b=b, found=_in_others(a, b, of))
        for (a, b), of in by_pair.items()
    ]
    if len(sentences) > TOLD:
        sentences[TOLD:] = [
            say(
                "In the other metrics, {pairs}: see the table of differences.",
                pairs=count(len(sentences) - TOLD, "more pair"),
            )
        ]
    return tuple(sentences)


def _in_others(a: str, b: str, differences: Sequence[Difference]) -> str:
    """Return the results of the other metrics for a pair: better, equivalent, undecided, untested."""
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
