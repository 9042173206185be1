"""Claims about a mean difference: that it is more than some bound.

Being better (more than 0), not being worse by a margin (more than -margin) and being the same within a margin (more
than -margin, and less than margin) are all made of these.  A claim is tested as any difference is: the bound is taken
off every value, and what is left is tested against 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neraca.stats.paired import Sample, cluster_sums, standard_error
from neraca.stats.paired_tests import TESTS
from neraca.stats.power import items_needed

#: Values closer than this share of the largest are equal.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class MeanAbove:
    """That the mean of which the sample's differences, shape (n,), are a sample is more than the bound.

    Attributes
    ----------
    lowest, highest
        Between which every difference must lie, such as -1 and 1; infinite where nothing is known.
    """

    sample: Sample
    bound: float = 0.0
    lowest: float = -math.inf
    highest: float = math.inf

    @property
    def opposite(self) -> MeanAbove:
        """That the mean is less than the bound, as a claim on the differences the other way round."""
        turned = Sample(-self.sample.differences, self.sample.clusters)
        return MeanAbove(turned, -self.bound, -self.highest, -self.lowest)

    @property
    def lead(self) -> float:
        """By how much the mean observed exceeds the bound."""
        return float(self.sample.differences.mean()) - self.bound if len(self.sample.differences) else math.nan

    @property
    def constant(self) -> bool:
        """Whether all differences are equal."""
        d = self.sample.differences
        return len(d) > 0 and float(np.ptp(d)) <= _ROUNDING * float(np.abs(d).max())

    @property
    def rest(self) -> float:
        """How much of the way from the lowest difference to the observed mean the bound is; NaN without a lowest.

        0 where no mean could be less than the bound.
        """
        if not math.isfinite(self.lowest):
            return math.nan
        room = max(0.0, self.bound - self.lowest)
        return room / (room + self.lead) if room else 0.0


def means_p(claims: Sequence[MeanAbove], test: str = "t", seed: int = 0) -> list[float]:
    r"""One-sided p of each claim: how likely at most such data are where it is false.

    By the paired test of that name (`neraca.stats.paired_tests.TESTS`; not `mcnemar`) of the differences less the
    bound.  Where all $G$ sessions have the same difference $c$ above the bound $b$, no test can see how it varies;
    but if the mean were $b$ or less and no difference below $l$, a share of at least $(c - b) / (c - l)$ of the
    sessions would have to be lower, and the chance to meet none of these is at most $((b - l) / (c - l))^G$: that is p.
    (If the length of a session has nothing to do with its difference.)

    These are tests of means that take chance to be about as large on both sides.  Where nearly all differences are
    equal and few are far below, they are too sure: of systems that are wrong on 2 % more of 150 questions, the t-test
    calls not 5 but 20 % not worse by 2 %.  Values that are 0 or 1 have a claim of their own, which is not
    (`neraca.stats.proportion_noninferiority`).

    Returns
    -------
    list
        NaN where nothing can be said: no items; differences that vary within one session alone; equal ones above the
        bound and no lowest known.

    References
    ----------
    Schuirmann, D. J. (1987). J. Pharmacokinet. Biopharm. 15, 657-680 (two one-sided tests); Hanley, J. A. and
    Lippman-Hand, A. (1983). JAMA 249, 1743-1745 (nothing seen in n trials).

    Examples
    --------
    >>> sample = Sample(np.array([1.0, 2, 3, 4]))
    >>> [round(p, 4) for p in means_p([MeanAbove(sample), MeanAbove(sample, 2.5), MeanAbove(sample, 2.5).opposite])]
    [0.0152, 0.5, 0.5]
    >>> worse = MeanAbove(Sample(np.full(5, -1.0)), -0.02, -1, 1).opposite  # right on all five questions, now wrong
    >>> round(means_p([worse])[0], 4)  # 0.51^5
    0.0345
    """
    moved = [Sample(claim.sample.differences - claim.bound, claim.sample.clusters) for claim in claims]
    found = TESTS[test](moved, 0.95, seed)
    return [
        _unvaried(claim) if claim.constant else one.p / 2 if one.statistic > 0 else 1 - one.p / 2
        for claim, one in zip(claims, found, strict=True)
    ]


def _sessions(claim: MeanAbove) -> int:
    return len(cluster_sums(claim.sample.differences, claim.sample.clusters)[0])


def _unvaried(claim: MeanAbove) -> float:
    return 1.0 if claim.lead <= 0 else claim.rest ** _sessions(claim)


def items_to_show(claim: MeanAbove, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Items with which the claim would be shown with this chance, were the truth what was observed.

    By the one-sided t-test, if sessions stay as long as they are.  None where the observed mean does not speak for
    the claim, or nothing is known of how the differences vary.

    Examples
    --------
    >>> items_to_show(MeanAbove(Sample(np.zeros(30)), -0.02, -1, 1))  # 0.98^149 < 0.05
    149
    """
    if not claim.lead > 0:
        return None
    n, sessions = len(claim.sample.differences), _sessions(claim)
    if claim.constant:
        rest = claim.rest
        wanted = 1 if rest == 0 else math.ceil(math.log(alpha) / math.log(rest)) if rest < 1 else None
    else:
        error = standard_error(claim.sample.differences, claim.sample.clusters)
        wanted = items_needed(claim.lead / (error * math.sqrt(sessions)), 2 * alpha, power) if error > 0 else None
    return None if wanted is None else math.ceil(wanted * n / sessions)
