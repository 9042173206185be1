"""The sentences at the top of a report: who is better, by how much and how sure.

Every sentence must be true in every case, above all this one: nobody is called better unless the test said so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.reports.figures import about, count, listed, number, p_value, percent_level, span
from neraca.scores.compare import Difference
from neraca.scores.score import Score

FEW = 10
CORRECTIONS = {
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction (false discovery rate)",
    "bonferroni": "Bonferroni's correction",
    "none": "no correction",
}
#: What the interval of a test is of, where it is not the mean difference.
INTERVAL_OF = {"wilcoxon": "pseudo-median", "sign": "median"}


@dataclass(frozen=True)
class Facts:
    """What the sentences rest on: one metric, all runs.

    Attributes
    ----------
    metric, higher_is_better
        The metric on which the decision rests.
    scores
        Its value for each run over all items.
    differences
        Its differences between pairs of runs.
    why
        For each run the commonest reason why items are unscored.
    independent
        For each pair of runs the number of independent items (sessions count once) scored in both.
    """

    metric: str
    higher_is_better: bool
    scores: Sequence[Score]
    differences: Sequence[Difference] = ()
    why: Mapping[str, str] = field(default_factory=dict)
    independent: Mapping[tuple[str, str], int] = field(default_factory=dict)
    level: float = 0.95

    @property
    def lower(self) -> str:
        """A reminder where it is needed."""
        return "" if self.higher_is_better else " (lower is better)"

    def score(self, run: str) -> Score:
        """The value of a run."""
        return next(score for score in self.scores if score.run == run)


@dataclass(frozen=True)
class Finding:
    """One sentence, and those that stand below it."""

    headline: str
    details: tuple[str, ...] = ()


def finding(facts: Facts) -> Finding:
    """Say what was found in the primary metric."""
    if _neutral(facts.metric) and any(score.n for score in facts.scores):
        values = listed([f"{number(score.value)} for {score.run}" for score in facts.scores])
        return Finding(f"{facts.metric}, of which neither more nor less is better, is {values}.")
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
    return _many(facts)


def _neutral(name: str) -> bool:
    try:
        return Metric.of(name).neutral
    except SpecError:  # a name that only the caller knows
        return False


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
    names = _leaders(facts)
    value = number(facts.score(names[0]).value)
    end = "the runs were not compared, so that this may be chance."
    if len(names) == len(facts.scores):
        return Finding(f"{listed(names)} have the same {facts.metric} ({value}); the runs were not compared.")
    best = "highest" if facts.higher_is_better else "lowest"
    verb = "has" if len(names) == 1 else "share"
    return Finding(f"{listed(names)} {verb} the {best} {facts.metric} ({value}){facts.lower}; {end}")


def _leaders(facts: Facts) -> list[str]:
    known = [score for score in facts.scores if not math.isnan(score.value)]
    pick = max if facts.higher_is_better else min
    best = pick(score.value for score in known)
    return [score.run for score in known if abs(score.value - best) <= 1e-9]


def ahead(facts: Facts, d: Difference) -> tuple[str, str, float, float]:
    """The run that is ahead and the one behind, with the interval of the lead; no claim that this is sure."""
    if (d.difference > 0) == facts.higher_is_better:
        first, second = d.a, d.b
    else:
        first, second = d.b, d.a
    low, high = (d.low, d.high) if d.difference > 0 else (-d.high, -d.low)
    return first, second, low, high


def _two(facts: Facts, d: Difference) -> Finding:
    metric = facts.metric
    if special := _untested(facts, d):
        return Finding(special)
    if d.difference == 0 and d.low == 0 == d.high:
        where = f"any of the {d.n:,} questions" if d.n > 1 else "the one question"
        return Finding(f"{d.a} and {d.b} do not differ in {metric} on {where} scored in both.")
    first, second, low, high = ahead(facts, d)
    size = _size(d.difference)
    rests = f"{_p(facts, d)}, {count(d.n, 'question')}"
    if d.better:
        sure = f"{_interval(d, facts.level, low, high)}; {rests}"
        return Finding(
            f"{first} is better than {second} in {metric} by {size}{facts.lower}; {sure}.", _paired(facts, d)
        )
    if opposed(facts.level, d):
        return Finding(
            f"The {d.test.partition('(')[0]} test and the mean do not point to the same run in {metric}, so that "
            f"neither {d.a} nor {d.b} is called better: the mean of {first} is ahead by {size}{facts.lower}; {rests}.",
            _paired(facts, d),
        )
    apart = f"The data do not tell {d.a} and {d.b} apart in {metric}: "
    if d.difference == 0:
        return Finding(
            f"{apart}their value is the same ({_interval(d, facts.level, low, high, of=True)}; {rests}).",
            _paired(facts, d),
        )
    lead = f"{first} is ahead by {size}{facts.lower}, which may be chance ("
    lead += f"{_interval(d, facts.level, low, high, of=True)}; {rests})."
    return Finding(apart + lead, (*_paired(facts, d), *_needed(d)))


def _untested(facts: Facts, d: Difference) -> str:
    """Why no test could be made, or ""."""
    metric, pair = facts.metric, f"{d.a} and {d.b}"
    if d.n == 0:
        return f"Nothing can be said about {pair}: no question is scored in both of them in {metric}."
    if math.isnan(d.difference):
        return f"{metric} is not defined over the {count(d.n, 'question')} scored in both {pair}."
    if not math.isnan(d.p_adjusted):
        return ""
    first, second, _, _ = ahead(facts, d)
    lead = f"{first} is ahead of {second} in {metric} by {_size(d.difference)}{facts.lower}, but no test can be made: "
    if d.difference == 0:
        lead = f"{pair} have the same {metric}, and no test can be made: "
    if d.n == 1:
        return f"{lead}only one question is scored in both."
    if facts.independent.get((d.a, d.b), d.n) < 2:
        return f"{lead}all {d.n:,} questions belong to one session, which counts as one observation."
    return f"{lead}the difference is the same throughout, so that its uncertainty cannot be estimated."


def _paired(facts: Facts, d: Difference) -> tuple[str, ...]:
    """How the questions divide, and the values where they belong to the same questions."""
    first, second, _, _ = ahead(facts, d)
    better, worse = (d.wins, d.losses) if first == d.a else (d.losses, d.wins)
    said = [
        f"Question by question, {first} is better on {better:,}, equal on {d.ties:,} and worse on {worse:,} "
        f"of {d.n:,}, compared with {second}."
    ]
    a, b = facts.score(first), facts.score(second)
    if a.n == b.n == d.n:
        said.append(f"The values are {number(a.value)} for {first} and {number(b.value)} for {second}.")
    return tuple(said)


def _needed(d: Difference) -> tuple[str, ...]:
    if d.needed is None or d.needed <= d.n:
        return ()
    return (
        f"About {about(d.needed)} questions would be needed to see a difference of this size (4 times out of 5, "
        "if it is real).",
    )


def _size(difference: float) -> str:
    size = number(abs(difference))
    return size if size.strip("0.,") else "less than 0.001"


def _interval(d: Difference, level: float, low: float, high: float, of: bool = False) -> str:
    """The interval, of what it is where that is not clear, or that there is none."""
    bounds = span(low, high)
    what = INTERVAL_OF.get(d.test.partition("(")[0], "difference" if of else "")
    return f"{percent_level(level)} interval{f' of the {what}' if what else ''} {bounds}" if bounds else "no interval"


def opposed(level: float, d: Difference) -> bool:
    """Whether a test of ranks or signs is sure, and the mean does not point to the same run."""
    return not d.better and d.p_adjusted < 1 - level


def _p(facts: Facts, d: Difference) -> str:
    alpha = 1 - facts.level
    text = p_value(d.p, alpha)
    alone = f"p {text}" if text.startswith("<") else f"p = {text}"
    if d.correction in ("none", "") or d.p == d.p_adjusted:
        return alone
    return (
        f"{alone}, {p_value(d.p_adjusted, alpha)} after {CORRECTIONS.get(d.correction, f'correction {d.correction}')}"
    )


def _many(facts: Facts) -> Finding:
    names = [score.run for score in facts.scores]
    told = [d for d in facts.differences if d.better]
    beats = {name: {d.b if d.better == d.a else d.a for d in told if d.better == name} for name in names}
    winner = next((name for name in names if len(beats[name]) == len(names) - 1), "")
    details = _lists(facts)
    after = _after(facts.differences)
    if winner:
        others = listed([f"{_other(d, winner)} (by {_size(d.difference)})" for d in told if d.better == winner])
        headline = f"{winner} is better in {facts.metric}{facts.lower} than each of the other runs{after}: {others}."
        return Finding(headline, details)
    if all(d.difference == 0 and d.low == 0 == d.high for d in facts.differences):
        return Finding(f"The {len(names)} runs do not differ in {facts.metric} on any question scored in both.")
    if not told and all(math.isnan(d.p_adjusted) for d in facts.differences):
        return Finding(f"Which of the {len(names)} runs is better in {facts.metric} could not be tested.", details)
    leaders = _leaders(facts)
    best = "highest" if facts.higher_is_better else "lowest"
    lead = f"{listed(leaders)} {'has' if len(leaders) == 1 else 'share'} the {best} {facts.metric}"
    lead += f" ({number(facts.score(leaders[0]).value)}){facts.lower}"
    if not told:
        headline = (
            f"The data do not tell the {len(names)} runs apart in {facts.metric}{after}: {lead}, which may be chance."
        )
        return Finding(headline, (*details, *_planning(facts, leaders[0])))
    return Finding(f"{lead}{_standing(facts, leaders, beats)}.", (*details, *_planning(facts, leaders[0])))


def _standing(facts: Facts, leaders: Sequence[str], beats: Mapping[str, set[str]]) -> str:
    """What the tests say of the run with the best value, where it does not beat every other."""
    if len(leaders) > 1:
        return ", and the tests tell only some of the runs apart"
    leader = leaders[0]
    over = [score.run for score in facts.scores if score.run in beats[leader]]
    under = [name for name in beats if leader in beats[name]]
    if under:
        return f", but on the questions scored in both {listed(under)} {'is' if len(under) == 1 else 'are'} better"
    unsure = [score.run for score in facts.scores if score.run != leader and score.run not in over]
    better = f" and is better than {listed(over)}" if over else ""
    return f"{better}, but the data do not show that it is better than {listed(unsure)}"


def _lists(facts: Facts) -> tuple[str, ...]:
    """Which pairs are told apart, which are not, which could not be tested."""
    told: list[str] = []
    unsure: list[str] = []
    split: list[str] = []
    untested: list[str] = []
    for d in facts.differences:
        if math.isnan(d.p_adjusted):
            untested.append(f"{d.a} and {d.b}")
        elif d.better:
            worse = _other(d, d.better)
            told.append(f"{d.better} better than {worse} (by {_size(d.difference)}; {_p(facts, d)})")
        else:
            (split if opposed(facts.level, d) else unsure).append(f"{d.a} and {d.b} ({_p(facts, d)})")
    named = (
        ("Told apart", told),
        ("Not told apart", unsure),
        ("The test and the mean do not point to the same run", split),
        ("No test could be made", untested),
    )
    said = [f"{title}: {'; '.join(pairs[:6])}{_more(pairs)}." for title, pairs in named if pairs]
    runs = len(facts.scores)
    if missing := runs * (runs - 1) // 2 - len(facts.differences):
        said.append(f"Not compared: {count(missing, 'pair')}.")
    return tuple(said)


def _more(pairs: Sequence[str]) -> str:
    return f"; and {count(len(pairs) - 6, 'more pair')} (see the table)" if len(pairs) > 6 else ""


def _planning(facts: Facts, leader: str) -> tuple[str, ...]:
    """How many questions it would take to tell the leader from the runs that it is not told from."""
    pairs = [
        f"{about(d.needed)} for {leader} and {_other(d, leader)}"
        for d in facts.differences
        if leader in (d.a, d.b) and not d.better and not math.isnan(d.p) and d.needed is not None and d.needed > d.n
    ]
    if not pairs:
        return ()
    return (f"To see differences of the sizes found, about this many questions would be needed: {listed(pairs)}.",)


def _other(d: Difference, run: str) -> str:
    return d.b if run == d.a else d.a


def _after(differences: Sequence[Difference]) -> str:
    names = {d.correction for d in differences}
    if len(differences) < 2 or names & {"none", ""}:
        return ""
    return f" after {' and '.join(CORRECTIONS.get(name, f'correction {name}') for name in sorted(names))}"


def elsewhere(differences: Sequence[Difference], primary: str) -> tuple[str, ...]:
    """What the other metrics say, pair by pair (the first six)."""
    pairs: dict[tuple[str, str], list[Difference]] = {}
    for d in differences:
        if d.metric != primary and not _neutral(d.metric):
            pairs.setdefault((d.a, d.b), []).append(d)
    said = []
    for (a, b), found in list(pairs.items())[:6]:
        parts = [
            f"{run} is better in {listed([d.metric for d in found if d.better == run])}"
            for run in (a, b)
            if any(d.better == run for d in found)
        ]
        undecided = sum(not d.better for d in found)
        if undecided:
            parts.append(
                f"{undecided} of {count(len(found), 'metric')} do not tell" if parts else "none tells them apart"
            )
        said.append(f"In the other metrics, {a} against {b}: {'; '.join(parts)}.")
    return tuple(said)
