"""Parts of a report's sentences: which run is ahead, by how much, with which p."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from neraca.comparisons.difference import Difference, baseline_of
from neraca.comparisons.pair import NEEDED_BY
from neraca.counts_and_lists import count, form, listed
from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.number_format import DASH, integer, localised, number, p_equals, p_value, percent_level, span
from neraca.result import Table
from neraca.scores.scores import Score
from neraca.scores.unit import Unit
from neraca.stats.tests.paired import name_of_test
from neraca.translation import say

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
    common
        (a, b) → their values on the questions that both have, for pairs whose own values are over others too.
    """

    metric: str
    higher_is_better: bool
    scores: Sequence[Score]
    differences: Sequence[Difference] = ()
    why: Mapping[str, str] = field(default_factory=dict)
    level: float = 0.95
    unit: Unit = field(default_factory=Unit)
    common: Mapping[tuple[str, str], tuple[float, float]] = field(default_factory=dict)

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
        """Return the value of a run."""
        return next(score for score in self.scores if score.run == run)


@dataclass(frozen=True)
class Finding:
    """One sentence, and the sentences below it.

    Attributes
    ----------
    changed
        How questions that no pair shares change the result, or "".
    standings
        A row for each of `CROWD` runs or more, the best first: which others it is shown to be better or worse than.
    """

    headline: str
    details: tuple[str, ...] = ()
    changed: str = ""
    standings: Table | None = None


def diagnostic(name: str) -> bool:
    """Return whether the metric calls no run better."""
    try:
        return Metric.of(name).diagnostic
    except SpecError:  # the caller's own metric
        return False


#: With so many runs or more, sentences count runs and pairs, which a table names.
CROWD = 5


def of_others(facts: Facts, runs: Sequence[str]) -> str:
    """Name the runs, or with `CROWD` runs or more say how many of the others they are."""
    if len(facts.scores) < CROWD:
        return listed([*runs])
    n, others = len(runs), len(facts.scores) - 1
    if n == others:
        return say("all {others} other runs", others=integer(others))
    return say("{n} of the {others} other runs", n=integer(n), others=integer(others))


def leaders(facts: Facts) -> list[str]:
    """Return the runs with the best value, which may be chance."""
    scored = [score for score in facts.scores if not math.isnan(score.value)]
    pick = max if facts.higher_is_better else min
    best = pick(score.value for score in scored)
    return [score.run for score in scored if abs(score.value - best) <= 1e-9]


def lead_words(facts: Facts) -> str:
    """Say which runs have the best value, and which value."""
    best_runs = leaders(facts)
    return say(
        "{runs} {has} the {best} {metric} ({value}){lower}",
        runs=listed(best_runs),
        has=form(len(best_runs), "has", "share"),
        best=say("highest" if facts.higher_is_better else "lowest"),
        metric=facts.metric,
        value=number(facts.score(best_runs[0]).value),
        lower=facts.lower,
    )


def pair_words(d: Difference) -> str:
    """Name the two runs of a pair."""
    return say("{a} and {b}", a=d.a, b=d.b)


def clauses(template: str, runs: list[str], **values: object) -> list[str]:
    """Return a clause about these runs, with its verb in the singular or plural; [] without runs."""
    n = len(runs)
    are, do = form(n, "is", "are"), form(n, "does", "do")
    return [say(template, runs=listed(runs), are=are, do=do, **values)] if runs else []


def ahead(facts: Facts, d: Difference) -> tuple[str, str, float, float]:
    """Return the leading run, the other, and the interval of the lead; the lead may be chance."""
    first = d.a if (d.difference > 0) == facts.higher_is_better else d.b
    low, high = (d.low, d.high) if d.difference > 0 else (-d.high, -d.low)
    return first, d.other(first), low, high


def common_values(facts: Facts, d: Difference, first: str) -> tuple[str, str] | None:
    """Return the values of the first run and of the other on the questions that both have; None if all are."""
    if (values := facts.common.get((d.a, d.b))) is None:
        return None
    a, b = map(number, values)
    return (a, b) if first == d.a else (b, a)


def on_common(facts: Facts, d: Difference, first: str, *, inside: bool = False) -> str:
    """Say on which questions a lead is if a run is scored on others too, with both values there; or return "".

    `inside`: the words stand inside parentheses.
    """
    if (values := common_values(facts, d, first)) is None:
        return ""
    questions = count(d.n, "question")
    if inside:
        return say(
            ": {one} and {other} on the {questions} scored in both", questions=questions, one=values[0], other=values[1]
        )
    return say(
        " on the {questions} scored in both ({one} and {other})", questions=questions, one=values[0], other=values[1]
    )


def size(difference: float) -> str:
    """Write a difference without its sign; only 0 is written as 0."""
    text = number(abs(difference))
    return text if text.strip("0.,") else say("less than 0.001")


def interval_words(d: Difference, level: float, low: float, high: float, name_quantity: bool = False) -> str:
    """Write the interval, with its quantity if that is not clear; or say that there is none."""
    bounds = span(low, high)
    quantity = INTERVAL_OF.get(name_of_test(d.test), "difference" if name_quantity else "")
    interval = say("interval of the {what}", what=say(quantity)) if quantity else say("interval")
    return (
        say("{level} {interval} {bounds}", level=percent_level(level), interval=interval, bounds=bounds)
        if bounds
        else say("no {interval}", interval=interval)
    )


def opposed(level: float, d: Difference) -> bool:
    """Return whether a test of ranks or signs finds a difference, and the mean does not favour the same run."""
    return not d.better and d.p_adjusted < 1 - level


def p_words(facts: Facts, d: Difference) -> str:
    """Write the p of a pair, and the corrected p if it differs; or that two runs are equal throughout."""
    if d.identical and d.n > 1:
        return say("equal on all {n:,} questions", n=d.n)
    own_p = p_equals(d.p, 1 - facts.level)
    if d.correction in ("none", "") or d.p == d.p_adjusted:
        return own_p
    return say(
        "{p}, {adjusted} after {correction}",
        p=own_p,
        adjusted=p_value(d.p_adjusted, 1 - facts.level),
        correction=correction_words(d.correction),
    )


#: Test → the symbol of its statistic; for the other tests that is the mean difference itself.
SYMBOLS = {"t": "t", "bootstrap": "t", "wilcoxon": "W", "sign": "w − l", "mcnemar": "b − c"}


def have_statistics(differences: Sequence[Difference]) -> bool:
    """Return whether any test has a statistic other than the difference."""
    return any(name_of_test(d.test) in SYMBOLS for d in differences)


def statistic_words(d: Difference, write: Callable[[float], str] = number) -> str:
    """Write the statistic of a test with its degrees of freedom, such as `t(11) = 4.244`; a dash without a statistic.

    Sums of ranks and counts of questions have only the decimals that they need.
    """
    symbol = SYMBOLS.get(name_of_test(d.test), "")
    if not symbol or math.isnan(d.statistic):
        return DASH
    degrees = "" if d.df is None else f"({integer(d.df)})"
    value = write(d.statistic) if symbol == "t" else localised(f"{d.statistic:,g}").replace("-", write(-1)[0])
    return f"{symbol}{degrees} = {value}"


def tests_need(differences: Sequence[Difference]) -> bool:
    """Return whether `needed` applies to the test that was made: only to the t-test."""
    return any(name_of_test(d.test) == NEEDED_BY for d in differences)


def correction_words(name: str) -> str:
    """Return the name of a correction in words."""
    return say(CORRECTIONS[name]) if name in CORRECTIONS else say("correction {name}", name=name)


def shared(differences: Sequence[Difference]) -> str:
    """Say on which questions runs were compared."""
    return say("scored in all runs" if any(name_of_test(d.test) == "tukey" for d in differences) else "scored in both")


def after(differences: Sequence[Difference]) -> str:
    """Say after which correction pairs are told apart, or return ""."""
    names = _corrections(differences)
    return say(" after {correction}", correction=listed([*map(correction_words, names)])) if names else ""


def interval_scope(differences: Sequence[Difference]) -> str:
    """Name the interval of a difference, and say whether it is of one comparison while p is corrected for several.

    An interval of one comparison may exclude 0 where the corrected test does not tell the two runs apart.
    """
    names = _corrections(differences)
    if not names:
        return say("interval")
    return say("interval of all comparisons at once") if names == ["tukey"] else say("interval of one comparison")


def _corrections(differences: Sequence[Difference]) -> list[str]:
    """Return the names of the corrections of these differences; none if some are uncorrected, or for a single p."""
    names = {d.correction for d in differences}
    single = len(differences) < 2 and not any(d.p_adjusted > d.p for d in differences)
    return [] if single or names & {"none", ""} else sorted(names)
