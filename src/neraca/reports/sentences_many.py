"""The sentences on three runs and more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from neraca.comparisons.difference import indistinct
from neraca.reports import sentences_margin, sentences_untested
from neraca.reports.number_format import about, count, listed, number, some
from neraca.reports.sentences_parts import Facts, Finding, after, leaders, opposed, p_words, shared, size


def many(facts: Facts) -> Finding:
    """Say who is better than whom among three runs or more."""
    names = [score.run for score in facts.scores]
    won = [d for d in facts.differences if d.better]
    beats = {name: {d.other(name) for d in won if d.better == name} for name in names}
    winner = next((name for name in names if len(beats[name]) == len(names) - 1), "")
    details = lists(facts)
    corrected = after(facts.differences)
    if winner:
        others = listed([f"{d.other(winner)} (by {size(d.difference)})" for d in won if d.better == winner])
        headline = (
            f"{winner} is better in {facts.metric}{facts.lower} than each of the other runs{corrected}: {others}."
        )
        return Finding(headline, details)
    if all(d.identical for d in facts.differences):
        same = f"The {len(names)} runs do not differ in {facts.metric} on any question {shared(facts.differences)}."
        return Finding(same, tuple(_within_margin(facts)))
    if not won and not any(d.tested for d in facts.differences):
        return Finding(f"Which of the {len(names)} runs is better in {facts.metric} could not be tested.", details)
    first = leaders(facts)
    best = "highest" if facts.higher_is_better else "lowest"
    lead = f"{listed(first)} {'has' if len(first) == 1 else 'share'} the {best} {facts.metric}"
    lead += f" ({number(facts.score(first[0]).value)}){facts.lower}"
    if not won:
        apart = f"The data do not tell the {len(names)} runs apart in {facts.metric}{corrected}"
        if untested := sum(not d.tested for d in facts.differences):
            apart = f"No two of the {len(names)} runs are told apart in {facts.metric}{corrected}"
            apart += f", and {count(untested, 'pair')} could not be tested"
        e = facts.differences[0].equivalence
        if e and all(d.equivalent for d in facts.differences) and not _missing(facts):
            apart = f"{apart}, and show that any two are equivalent {sentences_margin.within(e)}"
        return Finding(f"{apart}: {lead}, which may be chance.", (*details, *planning(facts, first[0])))
    return Finding(f"{lead}{_standing(facts, first, beats)}.", (*details, *planning(facts, first[0])))


def _standing(facts: Facts, first: Sequence[str], beats: Mapping[str, set[str]]) -> str:
    """What the tests say of the run with the best value, where it does not beat every other."""
    if len(first) > 1:
        return ", and the tests tell only some of the runs apart"
    leader = first[0]
    over = [score.run for score in facts.scores if score.run in beats[leader]]
    under = [name for name in beats if leader in beats[name]]
    if under:
        better = f"{listed(under)} {'is' if len(under) == 1 else 'are'} better"
        return f", but on the questions {shared(facts.differences)} {better}"
    untested = [d.other(leader) for d in facts.differences if leader in (d.a, d.b) and not d.tested]
    unsure = [score.run for score in facts.scores if score.run not in (leader, *over, *untested)]
    better = f" and is better than {listed(over)}" if over else ""
    doubts = [f"the data do not show that it is better than {listed(unsure)}"] if unsure else []
    doubts += [f"no test could be made against {listed(untested)}"] if untested else []
    return f"{better}, but {', and '.join(doubts)}"


def lists(facts: Facts) -> tuple[str, ...]:
    """Which pairs are told apart, which are not, which could not be tested; then groups and what a margin adds."""
    sure, unsure, split = "Told apart", "Not told apart", "The test and the mean do not point to the same run"
    pairs: dict[str, list[str]] = {sure: [], unsure: [], split: []}
    for d in facts.differences:
        pair = f"{d.a} and {d.b}"
        if d.better:
            pairs[sure].append(
                f"{d.better} better than {d.other(d.better)} (by {size(d.difference)}; {p_words(facts, d)})"
            )
        elif opposed(facts.level, d):
            pairs[split].append(f"{pair} ({p_words(facts, d)})")
        elif d.tested and not (d.equivalence and d.equivalence.tested):
            pairs[unsure].append(f"{pair} ({p_words(facts, d)})")
    untested = sentences_untested.lists(facts.differences)
    sentences = [*_listed(pairs), *untested, *_groups(facts), *_within_margin(facts)]
    missing = _missing(facts)
    return (*sentences, f"Not compared: {count(missing, 'pair')}.") if missing else tuple(sentences)


def _listed(pairs: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"{title}: {some(named)}." for title, named in pairs.items() if named]


def _missing(facts: Facts) -> int:
    """How many pairs were not compared."""
    return 0 if facts.baseline else len(facts.scores) * (len(facts.scores) - 1) // 2 - len(facts.differences)


def _groups(facts: Facts) -> list[str]:
    """Groups in which no two are told apart, where the list of pairs does not say it as well."""
    groups = indistinct(facts.differences, facts.metric)
    if len(groups) < 2 or max(map(len, groups)) < 3:
        return []
    named = [braced(group) for group in groups if len(group) > 1]
    return [f"Groups in which no two are told apart: {some(named, 'group', ', ')}."]


def braced(group: Sequence[str]) -> str:
    """A group of runs.

    >>> braced(["a", "b"])
    '{a, b}'
    """
    return f"{{{', '.join(group)}}}"


def _within_margin(facts: Facts) -> list[str]:
    """What the margin adds, pair by pair."""
    pairs = [(d, d.equivalence) for d in facts.differences if d.equivalence]
    if not pairs:
        return []
    within, margin = sentences_margin.within(pairs[0][1]), sentences_margin.amount(pairs[0][1].margin)
    equivalent, neither = f"Equivalent {within}", f"Neither told apart nor shown to be equivalent {within}"
    not_worse = f"Not worse by {margin} or more"
    chances = "Bayesian signed-rank test, chance that questions mostly favour the first by more than "
    chances += f"{margin} / neither / the second"
    lists: dict[str, list[str]] = {equivalent: [], not_worse: [], neither: [], chances: []}
    for d, e in pairs:
        pair = f"{d.a} and {d.b}"
        p = f"{p_words(facts, d)}; " if d.tested else ""
        p += f"TOST {sentences_margin.one_sided(facts, d, e, e.p_equivalent)}"
        if d.equivalent:
            lists[equivalent].append(f"{pair} ({p})")
        elif d.tested and e.tested and not d.better and not opposed(facts.level, d):
            lists[neither].append(f"{pair} ({p})")
        if d.not_worse and d.not_worse != d.better:
            than = f"{d.not_worse} than {d.other(d.not_worse)}"
            lists[not_worse].append(f"{than} (one-sided {sentences_margin.one_sided(facts, d, e, e.p_shown)})")
        if d.bayes:
            drawn = (d.bayes.chance_a, d.bayes.chance_equivalent, d.bayes.chance_b)
            lists[chances].append(f"{pair} {' / '.join(map(sentences_margin.drawn, drawn))}")
    doubt = sentences_margin.doubt(facts.differences)
    return [*_listed(lists), *(sentence.replace("Fewer", "In some pairs fewer") for sentence in doubt)]


def planning(facts: Facts, leader: str) -> tuple[str, ...]:
    """How many questions it would take to tell the leader from the runs that it is not told from."""
    pairs = [
        f"{about(d.needed)} for {leader} and {d.other(leader)}"
        for d in facts.differences
        if leader in (d.a, d.b) and not d.better and d.tested and d.needed is not None and d.needed > d.n
    ]
    if not pairs:
        return ()
    rest = f"about this many questions would be needed in a single t-test: {listed(pairs)}"
    return (f"To see differences of the sizes found, {rest}.",)
