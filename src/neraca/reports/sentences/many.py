"""Describe the comparison of three or more runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from neraca.comparisons.difference import Difference, indistinct
from neraca.comparisons.equivalence import COPY
from neraca.counts_and_lists import count, form, listed, some
from neraca.number_format import integer
from neraca.reports.sentences import margin as sentences_margin
from neraca.reports.sentences import untested as sentences_untested
from neraca.reports.sentences.parts import (
    CROWD,
    Facts,
    Finding,
    after,
    lead_words,
    leaders,
    of_others,
    on_common,
    opposed,
    p_words,
    pair_words,
    shared,
    size,
)
from neraca.reports.sentences.standings import is_crowd
from neraca.translation import say


def many(facts: Facts) -> Finding:
    """Say which of three or more runs is better than which."""
    names = [score.run for score in facts.scores]
    decided = [d for d in facts.differences if d.better]
    beaten_by_run = {name: {d.other(name) for d in decided if d.better == name} for name in names}
    winner = next((name for name in names if len(beaten_by_run[name]) == len(names) - 1), "")
    details = lists(facts)
    corrected = after(facts.differences)
    if winner and len(names) >= CROWD:
        return Finding(_crowd_beaten(facts, winner, [d for d in decided if d.better == winner]), details)
    if winner:
        leads = listed(
            [
                say(
                    "{other} (by {difference}{common})",
                    other=d.other(winner),
                    difference=size(d.difference),
                    common=on_common(facts, d, winner, inside=True),
                )
                for d in decided
                if d.better == winner
            ]
        )
        headline = say(
            "{winner} is better in {metric}{lower} than each of the other runs{corrected}: {others}.",
            winner=winner,
            metric=facts.metric,
            lower=facts.lower,
            corrected=corrected,
            others=leads,
        )
        return Finding(headline, details)
    if all(d.identical for d in facts.differences):
        identical = say(
            "The {n} runs do not differ in {metric} on any question {shared}.",
            n=len(names),
            metric=facts.metric,
            shared=shared(facts.differences),
        )
        return Finding(identical, tuple(_within_margin(facts)))
    if not decided and not any(d.tested for d in facts.differences):
        return Finding(
            say(
                "Which of the {n} runs is better in {metric} could not be tested.",
                n=len(names),
                metric=facts.metric,
            ),
            details,
        )
    return _without_winner(facts, beaten_by_run, details)


def _crowd_beaten(facts: Facts, winner: str, wins: Sequence[Difference]) -> str:
    """Say by how much a run is better than each of many others."""
    sizes = sorted(abs(d.difference) for d in wins)
    return say(
        "{winner} is better in {metric}{lower} than each of the {n} other runs{corrected} (by {least} to {most}).",
        winner=winner,
        metric=facts.metric,
        lower=facts.lower,
        n=len(wins),
        corrected=after(facts.differences),
        least=size(sizes[0]),
        most=size(sizes[-1]),
    )


def _without_winner(facts: Facts, beaten_by_run: Mapping[str, set[str]], details: tuple[str, ...]) -> Finding:
    """Return the sentences for the case that no run is better than every other."""
    best_runs, lead = leaders(facts), lead_words(facts)
    corrected = after(facts.differences)
    if not any(beaten_by_run.values()):
        undecided = say(
            "The data do not tell the {n} runs apart in {metric}{corrected}",
            n=len(beaten_by_run),
            metric=facts.metric,
            corrected=corrected,
        )
        if untested := sum(not d.tested for d in facts.differences):
            undecided = say(
                "No two of the {n} runs are told apart in {metric}{corrected}",
                n=len(beaten_by_run),
                metric=facts.metric,
                corrected=corrected,
            )
            undecided += say(", and {pairs} could not be tested", pairs=count(untested, "pair"))
        e = facts.differences[0].equivalence
        if e and all(d.equivalent for d in facts.differences) and not _count_missing(facts):
            undecided = say(
                "{apart}, and show that any two are equivalent {within}",
                apart=undecided,
                within=sentences_margin.within(e),
            )
        return Finding(
            say("{apart}: {lead}, which may be chance.", apart=undecided, lead=lead),
            (*details, *planning(facts, best_runs[0])),
        )
    return Finding(f"{lead}{_standing(facts, best_runs, beaten_by_run)}.", (*details, *planning(facts, best_runs[0])))


def _standing(facts: Facts, best_runs: Sequence[str], beaten_by_run: Mapping[str, set[str]]) -> str:
    """Say how the run with the best value compares with the others if it does not beat all of them."""
    if len(best_runs) > 1:
        return say(", and the tests tell only some of the runs apart")
    leader = best_runs[0]
    worse_runs = [score.run for score in facts.scores if score.run in beaten_by_run[leader]]
    better_runs = [name for name in beaten_by_run if leader in beaten_by_run[name]]
    if better_runs:
        better = say("{runs} {are} better", runs=listed(better_runs), are=form(len(better_runs), "is", "are"))
        return say(", but on the questions {shared} {better}", shared=shared(facts.differences), better=better)
    untested = [d.other(leader) for d in facts.differences if leader in (d.a, d.b) and not d.tested]
    undecided = [score.run for score in facts.scores if score.run not in (leader, *worse_runs, *untested)]
    better = say(" and is better than {runs}", runs=of_others(facts, worse_runs)) if worse_runs else ""
    doubts = [say("the data do not show that it is better than {runs}", runs=listed(undecided))] if undecided else []
    doubts += [say("no test could be made against {runs}", runs=listed(untested))] if untested else []
    return say("{better}, but {doubts}", better=better, doubts=say(", and ").join(doubts))


def lists(facts: Facts) -> tuple[str, ...]:
    """Return the pairs that differ, are not told apart, or could not be tested; then groups and results of a margin."""
    told_apart, undecided = say("Told apart"), say("Not told apart")
    opposed_title = say("The test and the mean do not point to the same run")
    pairs: dict[str, list[str]] = {told_apart: [], undecided: [], opposed_title: []}
    for d in facts.differences:
        pair = pair_words(d)
        if d.better:
            pairs[told_apart].append(
                say(
                    "{better} better than {other} (by {difference}; {p})",
                    better=d.better,
                    other=d.other(d.better),
                    difference=size(d.difference),
                    p=p_words(facts, d),
                )
            )
        elif opposed(facts.level, d):
            pairs[opposed_title].append(f"{pair} ({p_words(facts, d)})")
        elif d.tested and not (d.equivalence and d.equivalence.tested):
            pairs[undecided].append(f"{pair} ({p_words(facts, d)})")
    untested = sentences_untested.lists(facts.differences)
    if crowd := is_crowd(facts):
        every = count(len(facts.differences), "pair")
        for title in (told_apart, undecided):
            if n := len(pairs[title]):
                pairs[title] = [say("{n} of {pairs} (see the table)", n=n, pairs=every)]
    groups = [] if crowd else _groups(facts)
    sentences = [*_titled_lists(pairs), *untested, *groups, *_within_margin(facts)]
    if n_missing := _count_missing(facts):
        sentences.append(say("Not compared: {pairs}.", pairs=count(n_missing, "pair")))
    return tuple(sentences)


def _titled_lists(pairs: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"{title}: {some(texts)}." for title, texts in pairs.items() if texts]


def _count_missing(facts: Facts) -> int:
    """Count the pairs that were not compared."""
    return 0 if facts.baseline else len(facts.scores) * (len(facts.scores) - 1) // 2 - len(facts.differences)


def _groups(facts: Facts) -> list[str]:
    """Name the groups in which no two runs are told apart, unless the list of pairs says the same."""
    groups = indistinct(facts.differences, facts.metric)
    if len(groups) < 2 or max(map(len, groups)) < 3:
        return []
    group_names = [f"{{{', '.join(group)}}}" for group in groups if len(group) > 1]
    return [say("Groups in which no two are told apart: {named}.", named=some(group_names, "group", ", "))]


def _within_margin(facts: Facts) -> list[str]:
    """Return the results of the margin, pair by pair."""
    pairs = [(d, d.equivalence) for d in facts.differences if d.equivalence]
    if not pairs:
        return []
    within, margin = sentences_margin.within(pairs[0][1]), sentences_margin.amount(pairs[0][1].margin)
    equivalent, neither = (
        say("Equivalent {within}", within=within),
        say("Neither told apart nor shown to be equivalent {within}", within=within),
    )
    not_worse = say("Not worse by {margin} or more", margin=margin)
    chances = say(
        "Bayesian signed-rank test, chance that questions mostly favour the first by more than {margin} / neither / "
        "the second",
        margin=margin,
    )
    lists: dict[str, list[str]] = {equivalent: [], not_worse: [], neither: [], chances: []}
    for d, e in pairs:
        pair = pair_words(d)
        p = f"{p_words(facts, d)}; " if d.tested and e.test != COPY else ""
        p += sentences_margin.tost(facts, d, e, bounds=False)
        if d.equivalent:
            lists[equivalent].append(f"{pair} ({p})")
        elif d.tested and e.tested and not d.better and not opposed(facts.level, d):
            lists[neither].append(f"{pair} ({p})")
        if d.not_worse and d.not_worse != d.better:
            than = say("{not_worse} than {other}", not_worse=d.not_worse, other=d.other(d.not_worse))
            lists[not_worse].append(
                say(
                    "{than} (one-sided {p})",
                    than=than,
                    p=sentences_margin.one_sided(facts, d, e, e.p_shown),
                )
            )
        if d.bayes:
            shares = (d.bayes.chance_a, d.bayes.chance_equivalent, d.bayes.chance_b)
            lists[chances].append(f"{pair} {' / '.join(map(sentences_margin.chance_from_draws, shares))}")
    return [*_titled_lists(lists), *sentences_margin.doubt(facts.differences, several=True)]


def planning(facts: Facts, leader: str) -> tuple[str, ...]:
    """Say how many questions would tell apart the pairs that the tests leave open.

    Pairs of the leader are named; of the others the least and the largest number is given.
    """
    not_told_apart = [d for d in facts.differences if not d.better and d.tested and d.needed is not None]
    of_leader = [
        say("{needed} for {leader} and {other}", needed=integer(d.needed), leader=leader, other=d.other(leader))
        for d in not_told_apart
        if leader in (d.a, d.b) and d.needed and d.needed > d.n
    ]
    if not of_leader:
        return ()
    plan = say("about this many questions would be needed in a single t-test: {pairs}", pairs=listed(of_leader))
    others = [d.needed or 0 for d in not_told_apart if leader not in (d.a, d.b)]
    if others:
        numbers = dict.fromkeys((integer(min(others)), integer(max(others))))
        plan += "; " + say(
            "{numbers} for {pairs} that the tests do not tell apart either",
            numbers=say(" to ").join(numbers),
            pairs=count(len(others), "other pair"),
        )
    return (say("To see differences of the sizes found, {rest}.", rest=plan),)
