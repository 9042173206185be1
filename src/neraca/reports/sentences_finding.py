"""The sentences at the top of a report: who is better, by how much and how sure.

Every sentence must be true in every case, above all this one: nobody is called better unless the test said so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from neraca.comparisons.difference import Difference
from neraca.reports import sentences_margin
from neraca.reports.number_format import about, count, listed, number, percent_level, span
from neraca.reports.sentences_many import many
from neraca.reports.sentences_margin import shown_equivalent
from neraca.reports.sentences_parts import (
    Facts,
    Finding,
    ahead,
    interval_words,
    leaders,
    neutral,
    opposed,
    p_words,
    size,
)
from neraca.reports.unit import too_few
from neraca.scores.scores import Score
from neraca.scores.unit import few
from neraca.stats.paired import name_of_test

FEW = 10


def finding(facts: Facts) -> Finding:
    """Say what was found in the primary metric."""
    if neutral(facts.metric) and any(score.n for score in facts.scores):
        values = listed([f"{number(score.value)} for {score.run}" for score in facts.scores])
        equivalent = [sentences_margin.equivalent(facts, d, e) for d, e in shown_equivalent(facts.differences)]
        return Finding(f"{facts.metric}, of which neither more nor less is better, is {values}.", tuple(equivalent[:6]))
    if len(facts.scores) == 1:
        return _one(facts, facts.scores[0])
    if all(score.n == 0 for score in facts.scores):
        why = facts.why.get(facts.scores[0].run, "")
        reason = f": {why}" if why else ""
        return Finding(f"Nothing can be said of {facts.metric}: no question is scored in any of the runs{reason}.")
    if all(math.isnan(score.value) for score in facts.scores):
        return Finding(f"{facts.metric} is not defined for any of the runs.")
    if not facts.differences:
        return _not_compared(facts)
    if len(facts.scores) == 2:
        return _two(facts, facts.differences[0])
    return many(facts)


def _one(facts: Facts, score: Score) -> Finding:
    run, metric = score.run, facts.metric
    if score.n == 0:
        why = facts.why.get(run, "")
        asked = count(score.unscored, "question")
        return Finding(f"{metric} says nothing about {run}: none of {asked} is scored{f' ({why})' if why else ''}.")
    if math.isnan(score.value):
        return Finding(f"{metric} is not defined over the {count(score.n, 'scored question')} of {run}.")
    bounds = span(score.low, score.high)
    sure = f"{percent_level(facts.level)} interval {bounds}" if bounds else "no interval can be given"
    headline = f"{run} reaches {metric} = {number(score.value)}{facts.lower}; {sure}, {count(score.n, 'question')}."
    return Finding(headline, ("This is a single run: whether it is better than another needs a second run.",))


def _not_compared(facts: Facts) -> Finding:
    names = leaders(facts)
    value = number(facts.score(names[0]).value)
    end = "the runs were not compared, so that this may be chance."
    if len(names) == len(facts.scores):
        return Finding(f"{listed(names)} have the same {facts.metric} ({value}); the runs were not compared.")
    best = "highest" if facts.higher_is_better else "lowest"
    verb = "has" if len(names) == 1 else "share"
    return Finding(f"{listed(names)} {verb} the {best} {facts.metric} ({value}){facts.lower}; {end}")


def _two(facts: Facts, d: Difference) -> Finding:
    metric, pair, margin = facts.metric, f"{d.a} and {d.b}", sentences_margin.below_headline(facts, d)
    if special := _untested(facts, d):
        return Finding(special, margin)
    if d.identical:
        where = f"any of the {d.n:,} questions" if d.n > 1 else "the one question"
        more = (*margin, *sentences_margin.needed_equivalent(d), *sentences_margin.chances(d))
        return Finding(f"{pair} do not differ in {metric} on {where} scored in both.", more)
    first, second, low, high = ahead(facts, d)
    lead, rests = size(d.difference), f"{p_words(facts, d)}, {count(d.n, 'question')}"
    if d.better:
        sure = f"{interval_words(d, facts.level, low, high)}; {rests}"
        headline = f"{first} is better than {second} in {metric} by {lead}{facts.lower}; {sure}."
        return Finding(headline, (*margin, *_paired(facts, d), *sentences_margin.chances(d)))
    if opposed(facts.level, d):
        headline = (
            f"The {name_of_test(d.test)} test and the mean do not point to the same run in {metric}, so that "
            f"neither {d.a} nor {d.b} is called better: the mean of {first} is ahead by {lead}{facts.lower}; {rests}."
        )
        return Finding(headline, (*margin, *_paired(facts, d), *sentences_margin.chances(d)))
    chance = f"({interval_words(d, facts.level, low, high, of=True)}; {rests})"
    if d.difference == 0:
        return _not_told_apart(facts, d, f"their value is the same {chance}.")
    return _not_told_apart(facts, d, f"{first} is ahead by {lead}{facts.lower}, which may be chance {chance}.")


def _not_told_apart(facts: Facts, d: Difference, lead: str) -> Finding:
    """Two runs of which none is better; `lead` says which one is ahead."""
    metric, pair, e = facts.metric, f"{d.a} and {d.b}", d.equivalence
    apart = f"The data do not tell {pair} apart in {metric}: {lead}"
    rest = (*_paired(facts, d), *_needed(d), *sentences_margin.needed_equivalent(d), *sentences_margin.chances(d))
    doubt = sentences_margin.doubt([d])
    if e is None:
        return Finding(apart, rest)
    if d.equivalent:
        return Finding(sentences_margin.equivalent(facts, d, e), (*doubt, apart, *rest))
    unshown = sentences_margin.unshown(facts, d, e)
    if d.not_worse:
        return Finding(f"{sentences_margin.not_worse(facts, d, e)}.", (*doubt, apart, unshown, *rest))
    neither = f"The data show neither a difference between {pair} in {metric} nor that they are equivalent "
    return Finding(f"{neither}{sentences_margin.within(e)}: {lead}", (unshown, *rest))


def _untested(facts: Facts, d: Difference) -> str:
    """Why no test could be made, or ""."""
    metric, pair = facts.metric, f"{d.a} and {d.b}"
    if d.n == 0:
        return f"Nothing can be said about {pair}: no question is scored in both of them in {metric}."
    if math.isnan(d.difference):
        return f"{metric} is not defined over the {count(d.n, 'question')} scored in both {pair}."
    if d.tested:
        return ""
    first, second, _, _ = ahead(facts, d)
    lead = f"{first} is ahead of {second} in {metric} by {size(d.difference)}{facts.lower}, but no test can be made: "
    if d.difference == 0:
        lead = f"{pair} have the same {metric}, and no test can be made: "
    if d.n == 1:
        return f"{lead}only one question is scored in both."
    if few(groups := facts.independent.get((d.a, d.b), d.n), d.n):
        return f"{lead}{too_few(facts.unit, groups, d.n)}."
    return f"{lead}the difference is the same throughout, so that its uncertainty cannot be estimated."


def _paired(facts: Facts, d: Difference) -> tuple[str, ...]:
    """How the questions divide, and the values where they belong to the same questions."""
    first, second, _, _ = ahead(facts, d)
    better, worse = (d.wins, d.losses) if first == d.a else (d.losses, d.wins)
    divided = (
        f"Question by question, {first} is better on {better:,}, equal on {d.ties:,} and worse on {worse:,} "
        f"of {d.n:,}, compared with {second}."
    )
    a, b = facts.score(first), facts.score(second)
    if not a.n == b.n == d.n:
        return (divided,)
    return divided, f"The values are {number(a.value)} for {first} and {number(b.value)} for {second}."


def _needed(d: Difference) -> tuple[str, ...]:
    if d.needed is None or d.needed <= d.n:
        return ()
    test = "" if name_of_test(d.test) == "t" else " by a t-test"
    return (
        f"About {about(d.needed)} questions would be needed to see a difference of this size{test} (4 times out of 5, "
        "if it is real).",
    )


def elsewhere(differences: Sequence[Difference], primary: str) -> tuple[str, ...]:
    """What the other metrics say, pair by pair (the first six)."""
    by_pair: dict[tuple[str, str], list[Difference]] = {}
    for d in differences:
        if d.metric != primary and not neutral(d.metric):
            by_pair.setdefault((d.a, d.b), []).append(d)
    sentences = []
    for (a, b), of_pair in list(by_pair.items())[:6]:
        parts = [
            f"{run} is better in {listed([d.metric for d in of_pair if d.better == run])}"
            for run in (a, b)
            if any(d.better == run for d in of_pair)
        ]
        equivalent = [f"{d.metric} ({sentences_margin.within(e)})" for d, e in shown_equivalent(of_pair)]
        parts += [f"equivalent in {listed(equivalent)}"] if equivalent else []
        undecided = sum(not d.better and not d.equivalent for d in of_pair)
        if undecided:
            tell = f"{undecided} of {count(len(of_pair), 'metric')} {'does' if undecided == 1 else 'do'} not tell"
            parts.append(tell if parts else "none tells them apart")
        sentences.append(f"In the other metrics, {a} against {b}: {'; '.join(parts)}.")
    return tuple(sentences)
