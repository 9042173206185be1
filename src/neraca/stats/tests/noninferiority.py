"""One-sided tests of whether a mean difference exceeds a bound.

Superiority (more than 0), non-inferiority (more than -margin) and equivalence (more than -margin, and less than margin)
consist of such tests.  The bound is subtracted from every difference, and the result is tested against 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neraca.stats.planning.power import items_needed
from neraca.stats.tests.paired import Paired, Sample, standard_error
from neraca.stats.tests.paired_tests import TESTS

#: Values closer than this share of the largest are equal.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class OneSidedHypothesis:
    """The alternative hypothesis that the mean difference is more than a bound.

    Attributes
    ----------
    sample
        The observed differences.
    lowest, highest
        The range of a difference, such as -1 and 1; infinite if it is not known.
    whole
        Whether values between -1, 0 and 1 are impossible, not only absent.
    """

    sample: Sample
    bound: float = 0.0
    lowest: float = -math.inf
    highest: float = math.inf
    whole: bool = True

    @property
    def opposite(self) -> OneSidedHypothesis:
        """The hypothesis that the mean is less than the bound, stated for the negated differences."""
        negated = Sample(-self.sample.differences, self.sample.clusters)
        return OneSidedHypothesis(negated, -self.bound, -self.highest, -self.lowest, self.whole)

    @property
    def lead(self) -> float:
        """The observed mean minus the bound; NaN without items."""
        return float(self.sample.differences.mean()) - self.bound if len(self.sample.differences) else math.nan

    @property
    def constant(self) -> bool:
        """Whether all differences are equal."""
        d = self.sample.differences
        return len(d) > 0 and float(np.ptp(d)) <= _ROUNDING * float(np.abs(d).max())

    @property
    def largest_share(self) -> float:
        r"""The largest share of differences that can reach the observed mean $c$ if the true mean is the bound.

        $(b - l) / (c - l)$ with bound $b$ and lowest difference $l$; 0 if no mean can be less than the bound, NaN if
        the lowest difference is not known.
        """
        if not math.isfinite(self.lowest):
            return math.nan
        room = max(0.0, self.bound - self.lowest)
        return room / (room + self.lead) if room else 0.0


def p_of_means(hypotheses: Sequence[OneSidedHypothesis], test: str = "t", seed: int = 0) -> list[float]:
    r"""Return the one-sided p of each hypothesis, by a paired test of the differences minus the bound.

    If all $G$ sessions have the same difference $c$ above the bound $b$, only `randomisation` has a p: all signs are as
    observed with a chance of $2^{-G}$.  For the other tests, and if no item differs ($c = 0$), p follows from the
    range.  If the mean is at most $b$ and no difference is below $l$, a share of at least $(c - b) / (c - l)$ of all
    sessions is lower than $c$.  The chance to draw none of these is at most $p = ((b - l) / (c - l))^G$.  (This assumes
    that the length of a session does not depend on its difference.)

    These tests assume similar variation on both sides.  If nearly all differences are equal and a few are far below, p
    is too small: of systems that are wrong on 2 % more of 150 questions, the t-test at 5 % calls 20 % not worse by 2 %.
    For values that are 0 or 1 use `neraca.stats.tests.proportion_noninferiority`.

    Parameters
    ----------
    test
        A key of `neraca.stats.tests.paired_tests.TESTS`, but not `mcnemar`.
    seed
        Seed of tests that draw at random.

    Returns
    -------
    list
        NaN without items, for several differing items of one session, and for equal differences above the bound for
        which neither the test nor a lowest difference gives p.

    References
    ----------
    Schuirmann, D. J. (1987). J. Pharmacokinet. Biopharm. 15, 657-680 (two one-sided tests); Hanley, J. A. and
    Lippman-Hand, A. (1983). JAMA 249, 1743-1745 (nothing seen in n trials).

    Examples
    --------
    >>> sample = Sample(np.array([1.0, 2, 3, 4]))
    >>> more, less = OneSidedHypothesis(sample), OneSidedHypothesis(sample, 2.5).opposite
    >>> [round(p, 4) for p in p_of_means([more, less])]
    [0.0152, 0.5]
    >>> worse = OneSidedHypothesis(Sample(np.full(5, -1.0)), -0.02, -1, 1).opposite  # right on all five, now wrong
    >>> round(p_of_means([worse])[0], 4)  # 0.51^5
    0.0345
    >>> p_of_means([OneSidedHypothesis(Sample(np.full(5, 0.1)))], "randomisation")  # one of 2^5 ways
    [0.03125]
    """
    shifted = [
        Sample(hypothesis.sample.differences - hypothesis.bound, hypothesis.sample.clusters)
        for hypothesis in hypotheses
    ]
    return [
        _p_of_equal(hypothesis, result) if hypothesis.constant else _p_of_varied(result)
        for hypothesis, result in zip(hypotheses, TESTS[test](shifted, 0.95, seed), strict=True)
    ]


def _p_of_varied(result: Paired) -> float:
    return result.p / 2 if result.statistic > 0 else 1 - result.p / 2


def _p_of_equal(hypothesis: OneSidedHypothesis, shifted: Paired) -> float:
    """Return p of equal differences; `shifted` tests them minus the bound, possibly without p."""
    if hypothesis.lead <= _ROUNDING * max(abs(hypothesis.bound), float(np.abs(hypothesis.sample.differences).max())):
        return 1.0
    share = hypothesis.largest_share
    by_range = math.isnan(shifted.p) or not (hypothesis.sample.differences.any() or math.isnan(share))
    return share**hypothesis.sample.sessions if by_range else shifted.p / 2


def items_for_mean(hypothesis: OneSidedHypothesis, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return the number of items for this power of a one-sided t-test, if the observed values are the truth.

    Sessions are assumed to keep their length.  None if the observed mean does not support the hypothesis, or if the
    variation of differences cannot be estimated.

    >>> items_for_mean(OneSidedHypothesis(Sample(np.zeros(30)), -0.02, -1, 1))  # 0.98^149 < 0.05
    149
    """
    if not hypothesis.lead > 0:
        return None
    sample = hypothesis.sample
    if hypothesis.constant:
        share = hypothesis.largest_share
        sessions = 1 if share == 0 else math.ceil(math.log(alpha) / math.log(share)) if share < 1 else None
    else:
        error = standard_error(sample.differences, sample.clusters)
        effect = hypothesis.lead / (error * math.sqrt(sample.sessions)) if error > 0 else math.nan
        sessions = items_needed(effect, 2 * alpha, power)
    return sample.items_in(sessions)
