"""The difference of two runs in one metric: its size, interval and test, and whether it is within a margin."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from neraca.number_format import number, p_value, span
from neraca.result import PlottedDifferences, Results, Table
from neraca.scores.ranking_basis import NO_BASIS, RankingBasis
from neraca.stats.intervals.fewest import AT_LEAST, FEWEST_IN_RANGE, too_few_for_interval
from neraca.stats.intervals.interval import ONE_SOURCE
from neraca.stats.tests import letters
from neraca.stats.tests.paired import name_of_test

#: The claims that a test within a margin can show; "": none.
Shown = Literal["equivalent", "a not worse", "b not worse", ""]
#: The reasons why a difference could not be tested; "": it was tested.
Untested = Literal["nothing shared", "undefined", "one question", "few observations", "no spread", ""]
_WHY_UNTESTED: dict[Untested, str] = {
    "nothing shared": "nothing is scored in both",
    "undefined": "the metric is not defined over what is scored in both",
    "one question": "a single question",
    "few observations": ONE_SOURCE,
    "no spread": "all differences are equal",
}

#: Fields of `Equivalence` that have another name in a flat row.
_COLUMNS = {
    "low": "margin_low",
    "high": "margin_high",
    "test": "margin_test",
    "correction": "margin_correction",
    "needed": "needed_equivalent",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Whether the difference of run a and run b is smaller than a margin.

    Attributes
    ----------
    margin
        The largest difference that does not matter, more than 0.
    p_a_not_worse, p_b_not_worse
        Corrected one-sided p of non-inferiority: a, or b, is not worse than the other by the margin or more.  NaN if
        no test is possible, and for a diagnostic.
    p_equivalent
        Corrected p of two one-sided tests (TOST): the mean difference is smaller than the margin in both directions.
        NaN if no test is possible; 0 if both runs have the same answers.
    shown
        The claim that is shown at the chosen level.
    low, high
        Interval of the mean difference at level 2 level - 1 (90 % at a level of 95 %), for this comparison alone.  NaN
        if the data allow none.
    test, correction
        The test of the difference, or `t` if that test is not of the mean of two runs; and the correction for all pairs
        with a margin, `none` for a single pair.  The test is `copy` if both runs have the same answers, which are
        equivalent without a test.
    needed
        The number of items with which two one-sided t-tests would show equivalence with a power of 80 % if there were
        no difference; None if it cannot be estimated.
    """

    margin: float
    p_a_not_worse: float
    p_b_not_worse: float
    p_equivalent: float
    shown: Shown
    low: float
    high: float
    test: str
    correction: str
    needed: int | None

    @property
    def tested(self) -> bool:
        """Whether a test could be made."""
        return not math.isnan(self.p_equivalent)

    @property
    def p_shown(self) -> float:
        """The p of the claim that is shown; the p of equivalence if none is."""
        return {"a not worse": self.p_a_not_worse, "b not worse": self.p_b_not_worse}.get(self.shown, self.p_equivalent)

    def swapped(self) -> Equivalence:
        """Return the same claim about b minus a."""
        shown: dict[Shown, Shown] = {"a not worse": "b not worse", "b not worse": "a not worse"}
        return replace(
            self,
            p_a_not_worse=self.p_b_not_worse,
            p_b_not_worse=self.p_a_not_worse,
            shown=shown.get(self.shown, self.shown),
            low=-self.high,
            high=-self.low,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesianComparison:
    """Chances of the Bayesian signed-rank test with the margin as region of practical equivalence; their sum is 1.

    Attributes
    ----------
    chance_a, chance_b
        Items mostly favour a, or b, by more than the margin.
    chance_equivalent
        Items mostly differ by no more than the margin.
    """

    chance_a: float
    chance_equivalent: float
    chance_b: float

    def swapped(self) -> BayesianComparison:
        """Return the same chances for b and a."""
        return BayesianComparison(
            chance_a=self.chance_b, chance_equivalent=self.chance_equivalent, chance_b=self.chance_a
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Run a minus run b in one metric, over the items scored in both.

    Attributes
    ----------
    difference, low, high
        Mean of the paired differences, and the interval that belongs to the test (of the pseudo-median in `wilcoxon`,
        of the median in `sign`, otherwise of the mean).  The bounds are NaN if the data allow none.
    p, p_adjusted
        Two-sided p, and p corrected for all comparisons of the family; NaN if no test is possible.
    effect, effect_low, effect_high
        Cohen's d_z with its interval by the noncentral t distribution; the bounds are NaN if the data allow none.
    wins, ties, losses
        The numbers of items on which a is better, equal and worse.  Items without a value of their own are none of
        these.
    n, sessions
        The number of items scored in both runs (with `tukey` in all), and of observations: a session is one, and fewer
        than six sessions are one together.
    test
        The test and how it was made, such as `t` or `randomisation(flips=100000, seed=0)`.
    better
        The name of the run that is better at the chosen level.  "" if the data do not show it, if test and mean point
        to different runs, and for a diagnostic.
    needed
        The number of items with which a single t-test would find a difference of this size with a power of 80 %.  None
        if it cannot be estimated, and with every other test than `t`.
    equivalence
        The result within a margin; None for a metric without a margin.
    bayes
        Posterior chances; None if they were not requested, or there are no data for them.
    statistic, df
        The statistic of the test, such as Student's t, and its degrees of freedom.  The statistic of `randomisation`
        and `tukey` is the mean difference.  It is NaN if no test is possible; df is None for all tests but `t`.
    interval_method
        The test, or `bounded` if its interval would leave the range of the difference; "" without an interval.
    basis_a, basis_b
        For a and for b, the judged share of the hits that the metric uses, and the share of tied scores.
    """

    metric: str
    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    effect: float
    wins: int
    ties: int
    losses: int
    n: int
    test: str
    correction: str
    better: str
    needed: int | None
    sessions: int
    effect_low: float = math.nan
    effect_high: float = math.nan
    equivalence: Equivalence | None = None
    bayes: BayesianComparison | None = None
    statistic: float = math.nan
    df: int | None = None
    interval_method: str = ""
    basis_a: RankingBasis = NO_BASIS
    basis_b: RankingBasis = NO_BASIS

    @property
    def tested(self) -> bool:
        """Whether a test could be made."""
        return not self.untested

    @property
    def untested(self) -> Untested:
        """The reason why no test could be made, or "".

        No item is scored in both runs; the total over such items is undefined; there is one item, or fewer than six
        sessions; or all differences are equal, so there is no variance.
        """
        if not math.isnan(self.p_adjusted):
            return ""
        if self.n == 0:
            return "nothing shared"
        if math.isnan(self.difference):
            return "undefined"
        if self.n == 1:
            return "one question"
        return "few observations" if self.sessions < 2 else "no spread"

    @property
    def why_no_interval(self) -> str:
        """The reason why there is no interval, in words; "" if there is one."""
        if not math.isnan(self.low):
            return ""
        if self.untested:
            return _WHY_UNTESTED[self.untested]
        if self.sessions < FEWEST_IN_RANGE:
            return too_few_for_interval(self.sessions)
        return f"the data are too few for one by {name_of_test(self.test)}"

    @property
    def interval(self) -> str:
        """The interval as text; if a test was made without one, the reason."""
        if not math.isnan(self.low) or self.untested:
            return span(self.low, self.high)
        few = self.why_no_interval.endswith(AT_LEAST)
        return f"none (n < {FEWEST_IN_RANGE})" if few else f"none by {name_of_test(self.test)}"

    @property
    def identical(self) -> bool:
        """Whether no item differs."""
        return self.wins == self.losses == 0 and self.difference == self.low == self.high == 0

    @property
    def equivalent(self) -> bool:
        """Whether the data show that the difference is smaller than the margin."""
        return self.equivalence is not None and self.equivalence.shown == "equivalent"

    @property
    def not_worse(self) -> str:
        """The run shown not to be worse than the other by the margin; "" if none, or if equivalence is shown."""
        claim = self.equivalence.shown if self.equivalence else ""
        return {"a not worse": self.a, "b not worse": self.b}.get(claim, "")

    def other(self, run: str) -> str:
        """Return the other run of the pair."""
        return self.b if run == self.a else self.a

    def swapped(self) -> Difference:
        """Return run b minus run a: the same test, with every signed number turned."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=0.0 - self.difference,
            low=-self.high,
            high=-self.low,
            effect=0.0 - self.effect,
            effect_low=-self.effect_high,
            effect_high=-self.effect_low,
            wins=self.losses,
            losses=self.wins,
            statistic=0.0 - self.statistic,
            equivalence=self.equivalence and self.equivalence.swapped(),
            bayes=self.bayes and self.bayes.swapped(),
            basis_a=self.basis_b,
            basis_b=self.basis_a,
        )


class Differences(PlottedDifferences, Results[Difference]):
    """Differences between runs; prints as a table."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        columns = ["metric", "a − b", "difference", "interval", "p", "adjusted", "n", "better"]
        rows = [
            [
                d.metric,
                f"{d.a} − {d.b}",
                number(d.difference),
                d.interval,
                *map(p_value, (d.p, d.p_adjusted)),
                f"{d.n:,}",
                d.better or "–",
            ]
            for d in self
        ]
        yield Table(columns, rows, names=2, most=30)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each pair of runs in each metric, with the same columns with and without a margin."""
        return list(map(row, self))


class DifferenceRow(dict[str, Any]):
    """A flat row of a difference; columns of the margin can also be read by their earlier names, as `claim_low`."""

    def __missing__(self, column: str) -> Any:
        """Return the value of `margin_low` for `claim_low`, and so on."""
        if not column.startswith("claim_"):
            raise KeyError(column)
        return self[column.replace("claim_", "margin_", 1)]


def row(difference: Difference) -> DifferenceRow:
    """Return the difference as one flat row, with the same columns whether a margin was given or not."""
    columns = asdict(difference)
    basis = {"sessions": columns.pop("sessions"), "untested": difference.untested}
    basis |= {"why_no_interval": difference.why_no_interval}
    basis |= {name: columns.pop(name) for name in ("statistic", "df")}
    for side in ("a", "b"):
        of_ranking: RankingBasis = columns.pop(f"basis_{side}")
        basis |= {f"{name}_{side}": value for name, value in of_ranking._asdict().items()}
    interval_method = columns.pop("interval_method")
    equivalence, bayes = columns.pop("equivalence"), columns.pop("bayes")
    if equivalence is None:
        equivalence = dict.fromkeys(Equivalence.__slots__) | {"shown": "", "test": "", "correction": ""}
    columns |= {_COLUMNS.get(name, name): value for name, value in equivalence.items()}
    if difference.equivalence and math.isnan(difference.equivalence.low):
        few = too_few_for_interval(difference.sessions) if difference.sessions < FEWEST_IN_RANGE else ""
        basis["margin_why_no_interval"] = difference.why_no_interval or few or "no question differs"
    else:
        basis["margin_why_no_interval"] = ""
    basis["interval_method"] = interval_method
    return DifferenceRow(columns | (bayes or dict.fromkeys(BayesianComparison.__slots__)) | basis)


def baseline_of(differences: Sequence[Difference]) -> str:
    """Return the one run with which at least two other runs were compared; "" if there is none."""
    compared, baselines = {d.a for d in differences}, {d.b for d in differences}
    return baselines.pop() if len(baselines) == 1 and len(compared) > 1 else ""


def in_order(differences: Sequence[Difference], runs: Sequence[str]) -> list[Difference]:
    """Return the differences in the order of the runs: the earlier run minus the later one, metric by metric.

    If all runs were compared with one baseline, the baseline stays the second of each pair.
    """
    place, metrics = {run: n for n, run in enumerate(runs)}, list(dict.fromkeys(d.metric for d in differences))
    keep = bool(baseline_of(differences))
    turned = [d if keep or place[d.a] < place[d.b] else d.swapped() for d in differences]
    return sorted(turned, key=lambda d: (metrics.index(d.metric), place[d.a], place[d.b]))


def indistinct(differences: Sequence[Difference], metric: str) -> tuple[tuple[str, ...], ...]:
    """Return the largest groups of runs in which none is better than another in this metric (Piepho, 2004).

    Empty if some pair was not compared or could not be tested.

    >>> def pair(a, b, better):
    ...     sizes = dict(difference=0.1, low=0, high=0.2, p=0.5, p_adjusted=0.5, effect=0.1, needed=None)
    ...     counts = dict(wins=1, ties=0, losses=0, n=9, sessions=9, test="t", correction="holm")
    ...     return Difference(metric="AP", a=a, b=b, better=better, **sizes, **counts)
    >>> indistinct([pair("x", "y", ""), pair("x", "z", "x"), pair("y", "z", "")], "AP")
    (('x', 'y'), ('y', 'z'))
    """
    pairs = [d for d in differences if d.metric == metric]
    names = list(dict.fromkeys(name for d in pairs for name in (d.a, d.b)))
    if not pairs or len(pairs) < len(names) * (len(names) - 1) // 2 or not all(d.tested for d in pairs):
        return ()
    differ = np.zeros((len(names), len(names)), dtype=bool)
    for d in pairs:
        a, b = names.index(d.a), names.index(d.b)
        differ[a, b] = differ[b, a] = bool(d.better)
    return tuple(tuple(names[place] for place in group) for group in letters.indistinct(differ))
