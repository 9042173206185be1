"""Parts of a report's sentences: who is ahead, by how much, with which p."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from neraca.comparisons.difference import Difference, baseline_of
from neraca.comparisons.pair import NEEDED_BY
from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.number_format import DASH, integer, number, p_value, percent_level, span
from neraca.reports.counts_and_lists import listed
from neraca.reports.translation import say
from neraca.scores.scores import Score
from neraca.scores.unit import Unit
from neraca.stats.tests.paired import name_of_test

CORRECTIONS = {
    "holm": "Holm's correction",
    "bh": "Benjamini and Hochberg's correction (false discovery rate)",
    "bonferroni": "Bonferroni's correction",
    "tukey": "Tukey's correction for all pairs",
    "none": "no correction",
}
#: Test → the quantity of its interval, if that is not the mean difference.
INTERVAL_OF = {"wilcoxon": "pseudo-median", "sign": "median"}


@dataclass(frozen=True)
class Facts:
    """The facts behind the sentences: one metric of all runs.

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
    unit
        What counts as one observation.
    """

    metric: str
    higher_is_better: bool
    scores: Sequence[Score]
    differences: Sequence[Difference] = ()
    why: Mapping[str, str] = field(default_factory=dict)
    level: float = 0.95
    unit: Unit = field(default_factory=Unit)

    @property
    def baseline(self) -> str:
        """The baseline if each of two or more other runs was compared with it alone; or ""."""
        baseline = baseline_of(self.differences)
        return baseline if len(self.differences) == len(self.scores) - 1 else ""

    @property
    def lower(self) -> str:
        """A reminder if a lower value is better, or ""."""
        return "" if self.higher_is_better else say(" (lower is better)")

    def score(self, run: str) -> Score:
        """The value of a run."""
        return next(score for score in self.scores if score.run == run)


@dataclass(frozen=True)
class Finding:
    """One sentence, and the sentences below it; `changed`: what questions change that no pair of runs shares, or ""."""

    headline: str
    details: tuple[str, ...] = ()
    changed: str = ""


def diagnostic(name: str) -> bool:
    """Return whether the metric calls no run better."""
    try:
        return Metric.of(name).diagnostic
    except SpecError:  # the caller's own metric
        return False


def leaders(facts: Facts) -> list[str]:
    """Return the runs with the best value, which may be chance."""
    scored = [score for score in facts.scores if not math.isnan(score.value)]
    pick = max if facts.higher_is_better else min
    best = pick(score.value for score in scored)
    return [score.run for score in scored if abs(score.value - best) <= 1e-9]


def ahead(facts: Facts, d: Difference) -> tuple[str, str, float, float]:
    """Return the run that is ahead, the one behind, and the interval of the lead, which may be chance."""
    first = d.a if (d.difference > 0) == facts.higher_is_better else d.b
    low, high = (d.low, d.high) if d.difference > 0 else (-d.high, -d.low)
    return first, d.other(first), low, high


def size(difference: float) -> str:
    """Write a difference without its sign; only 0 is written as 0."""
    text = number(abs(difference))
    return text if text.strip("0.,") else say("less than 0.001")


def interval_words(d: Difference, level: float, low: float, high: float, of: bool = False) -> str:
    """Write the interval, with its quantity if that is not clear; or say that there is none."""
    bounds = span(low, high)
    what = INTERVAL_OF.get(name_of_test(d.test), "difference" if of else "")
    of_what = say("interval of the {what}", what=say(what)) if what else say("interval")
    return (
        say("{level} {interval} {bounds}", level=percent_level(level), interval=of_what, bounds=bounds)
        if bounds
        else say("no {interval}", interval=of_what)
    )


def opposed(level: float, d: Difference) -> bool:
    """Return whether a test of ranks or signs finds a difference, and the mean does not favour the same run."""
    return not d.better and d.p_adjusted < 1 - level


def p_words(facts: Facts, d: Difference) -> str:
    """Write the p of a pair, and the corrected p if it differs; or that two runs are equal throughout."""
    if d.identical and d.n > 1:
        return say("equal on all {n:,} questions", n=d.n)
    alone = p_is(d.p, facts.level)
    if d.correction in ("none", "") or d.p == d.p_adjusted:
        return alone
    return say(
        "{p}, {adjusted} after {correction}",
        p=alone,
        adjusted=p_value(d.p_adjusted, 1 - facts.level),
        correction=correction_words(d.correction),
    )


def p_is(p: float, level: float) -> str:
    """`p = 0.011` or `p < 0.001`."""
    text = p_value(p, 1 - level)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


#: The symbol of a test's statistic; a test that is not here looks at the mean difference itself.
SYMBOLS = {"t": "t", "bootstrap": "t", "wilcoxon": "W", "sign": "w − l", "mcnemar": "b − c"}


def have_statistics(differences: Sequence[Difference]) -> bool:
    """Return whether the statistic of the test is another number than the difference."""
    return any(name_of_test(d.test) in SYMBOLS for d in differences)


def statistic_words(d: Difference, write: Callable[[float], str] = number) -> str:
    """Write the statistic of a test with its degrees of freedom, such as `t(11) = 4.244`; a dash where there is none.

    Sums of ranks and counts of questions have no more decimals than they need.
    """
    symbol = SYMBOLS.get(name_of_test(d.test), "")
    if not symbol or math.isnan(d.statistic):
        return DASH
    degrees = "" if d.df is None else f"({integer(d.df)})"
    value = write(d.statistic) if symbol == "t" else f"{d.statistic:,g}".replace("-", write(-1)[0])
    return f"{symbol}{degrees} = {value}"


def tests_need(differences: Sequence[Difference]) -> bool:
    """Whether `needed` is of the test that was made: it is of the t-test and of no other."""
    return any(name_of_test(d.test) == NEEDED_BY for d in differences)


def correction_words(name: str) -> str:
    """The name of a correction in words."""
    return say(CORRECTIONS[name]) if name in CORRECTIONS else say("correction {name}", name=name)


def shared(differences: Sequence[Difference]) -> str:
    """On which questions runs were compared."""
    return say("scored in all runs" if any(name_of_test(d.test) == "tukey" for d in differences) else "scored in both")


def after(differences: Sequence[Difference]) -> str:
    """After which correction pairs are told apart, or ""."""
    names = {d.correction for d in differences}
    if len(differences) < 2 or names & {"none", ""}:
        return ""
    return say(" after {correction}", correction=listed([*map(correction_words, sorted(names))]))
