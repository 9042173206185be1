"""What is said of two runs in one metric: how far apart, how sure, and whether that matters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """Run a minus run b in one metric, over the items scored in both.

    Attributes
    ----------
    difference, low, high
        Mean of the paired differences, and the interval that belongs to the test (of the pseudo-median in `wilcoxon`,
        of the median in `sign`, else of the mean); the bounds are NaN where the data give none.
    p, p_adjusted
        Two-sided, and corrected for all comparisons of the family; NaN where no test can be made.
    effect, effect_low, effect_high
        Cohen's d_z with its interval by the noncentral t distribution; the bounds are NaN where the data give none.
    wins, ties, losses
        Items on which a is better, equal, worse (which way is better is the metric's); items of which the metric is
        not defined alone are none of these.
    n
        Items scored in both runs (with `tukey` in all).
    better
        The name of the run that is better at the level chosen, or "" where the data do not tell, where the test and
        the mean point to different runs, or neither more nor less is better.
    test
        The test and how it was made, such as `t` or `randomisation(flips=100000, seed=0)`.
    needed
        Items with which a single t-test would find a difference of this size 4 times of 5; None where that cannot be
        said, and with `wilcoxon` and `sign`, which do not test the mean.
    margin
        The largest difference that does not matter; NaN without one, and then so are all that follow.
    p_a_not_worse, p_b_not_worse
        One-sided, corrected: that a, or b, is not worse than the other by the margin or more; NaN of a metric of which
        neither more nor less is better.
    p_equivalent
        By two one-sided tests, corrected: that the mean difference is less than the margin either way.
    shown
        `equivalent`, `a not worse` or `b not worse` at the level chosen, or "".
    claim_low, claim_high
        The interval to which these claims belong (90 % at a level of 95 %), of this comparison alone.
    claim_test, claim_correction
        Test of the claims: that of the difference, or `t` where that is not one of the mean of two runs.  And their
        correction, over the pairs that have a margin; `none` of a single pair.
    needed_equivalent
        Items with which equivalence would be shown 4 times of 5 if there were no difference at all, by the t-test.
    chance_a, chance_equivalent, chance_b
        By the Bayesian signed-rank test: that a is better by more than the margin, neither, or b; NaN where not asked.
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
    effect_low: float = math.nan
    effect_high: float = math.nan
    margin: float = math.nan
    p_a_not_worse: float = math.nan
    p_b_not_worse: float = math.nan
    p_equivalent: float = math.nan
    shown: str = ""
    claim_low: float = math.nan
    claim_high: float = math.nan
    claim_test: str = ""
    claim_correction: str = ""
    needed_equivalent: int | None = None
    chance_a: float = math.nan
    chance_equivalent: float = math.nan
    chance_b: float = math.nan

    @property
    def equivalent(self) -> bool:
        """Whether the data show that any difference is smaller than the margin."""
        return self.shown == "equivalent"

    @property
    def not_worse(self) -> str:
        """The run shown not to be worse than the other by the margin, where equivalence is not shown; or ""."""
        return {"a not worse": self.a, "b not worse": self.b}.get(self.shown, "")


def indistinct(differences: Sequence[Difference], metric: str) -> tuple[tuple[str, ...], ...]:
    """The largest groups of runs in which none is called better than another in this metric (Piepho, 2004).

    Empty where the runs were not all compared with each other.  Runs of a pair that could not be tested are not told
    apart either.

    Examples
    --------
    >>> def pair(a, b, better):
    ...     return Difference("AP", a, b, 0.1, 0, 0.2, 0.5, 0.5, 0.1, 1, 0, 0, 9, "t", "holm", better, None)
    >>> indistinct([pair("x", "y", ""), pair("x", "z", "x"), pair("y", "z", "")], "AP")
    (('x', 'y'), ('y', 'z'))
    """
    import numpy as np

    from neraca.stats.letters import indistinct as groups

    mine = [d for d in differences if d.metric == metric]
    names = list(dict.fromkeys(name for d in mine for name in (d.a, d.b)))
    if not mine or len(mine) < len(names) * (len(names) - 1) // 2:
        return ()
    apart = np.zeros((len(names), len(names)), dtype=bool)
    for d in mine:
        a, b = names.index(d.a), names.index(d.b)
        apart[a, b] = apart[b, a] = bool(d.better)
    return tuple(tuple(names[place] for place in group) for group in groups(apart))
