"""One-sided exact tests of proportions: values that are 0 or 1, and their paired differences (-1, 0 or 1).

If few of them differ, as usual for a gate, such values are far from normal.  For a system that is right on 29 of 30
questions, the t-test gives p = 0.027 for being right on more than 90 %.  But a system that is right on exactly 90 %
does at least as well almost one time in five.  So the probabilities of all possible sums are computed.
"""

from __future__ import annotations

import math

import numpy as np

from neraca.stats.intervals.interval import effective_n
from neraca.stats.tests.noninferiority import OneSidedHypothesis


def is_proportion(hypothesis: OneSidedHypothesis) -> bool:
    """Return whether there are values, and all can only be 0 or 1, or differences of such values.

    If the measure can have other values, the answer is False, even if only 0 and 1 occur.
    """
    d = hypothesis.sample.differences
    whole = hypothesis.whole and bool(np.isin(d.round(9), (-1.0, 0.0, 1.0)).all())
    return whole and len(d) > 0 and (hypothesis.lowest, hypothesis.highest) in ((0, 1), (-1, 0), (-1, 1))


def p_of_proportion(hypothesis: OneSidedHypothesis, level: float = 0.95) -> float:
    r"""Return the one-sided p: the probability of at least the observed sum if the mean is the bound $b$.

    The distribution is the one of -1, 0 and 1 with mean $b$ under which the data are likeliest.  Its share $p_+$ of 1
    solves $w / p_+ + l / (p_+ - b) = 2 z / (1 + b - 2 p_+)$ for $w$ values of 1, $z$ of 0 and $l$ of -1; its share of
    -1 is $p_- = p_+ - b$.  For values that are 0 or 1 this is the exact binomial test.  Items of sessions count as
    their effective number of independent items, and number and sum are rounded down.

    Parameters
    ----------
    hypothesis
        A hypothesis for which `is_proportion` is true.
    level
        1 - alpha, for the effective number of items.

    References
    ----------
    Clopper, C. J. and Pearson, E. S. (1934). Biometrika 26, 404-413; Tango, T. (1998). Statist. Med. 17, 891-908 (the
    likeliest distribution); Korn, E. L. and Graubard, B. I. (1998). Survey Methodology 24, 193-201 (sessions).

    Examples
    --------
    >>> from neraca.stats.tests.paired import Sample
    >>> right = OneSidedHypothesis(Sample(np.array([1.0] * 29 + [0])), 0.9, 0, 1)
    >>> round(p_of_proportion(right), 4)  # 0.9^30 + 30 * 0.1 * 0.9^29
    0.1837
    """
    return _Proportion(hypothesis, level).p(hypothesis.bound)


def bound_of_proportion(hypothesis: OneSidedHypothesis, level: float = 0.95) -> float:
    """Return the one-sided lower confidence bound of the mean at this level.

    >>> from neraca.stats.tests.paired import Sample
    >>> right = OneSidedHypothesis(Sample(np.ones(30)), 0.9, 0, 1)
    >>> round(bound_of_proportion(right), 4), round(0.05 ** (1 / 30), 4)
    (0.905, 0.905)
    """
    proportion = _Proportion(hypothesis, level)
    low, high = hypothesis.lowest, proportion.mean
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if proportion.p(middle) > 1 - level else (middle, high)
    return low


def items_for_proportion(hypothesis: OneSidedHypothesis, alpha: float = 0.05, power: float = 0.8) -> int | None:
    r"""Return the approximate number of items for this power if the observed values are the truth.

    $((z_{1-\alpha} s_0 + z_{power} s) / (\bar x - b))^2$ with the mean $\bar x$ and standard deviation $s$ of the
    values, the bound $b$, the standard deviation $s_0$ of the likeliest distribution with mean $b$ (`p_of_proportion`)
    and normal quantiles $z$.  None if the observed mean does not support the hypothesis.

    >>> from neraca.stats.tests.paired import Sample
    >>> right = OneSidedHypothesis(Sample(np.repeat([1.0, 0], [18, 2])), 0.8, 0, 1)
    >>> items_for_proportion(right)  # ((1.645 .4 + .842 .3) / .1)^2
    83
    """
    from scipy.special import ndtri

    if not hypothesis.lead > 0:
        return None
    proportion = _Proportion(hypothesis, 1 - alpha)
    bound = hypothesis.bound
    variance_at_bound = 2 * proportion.likeliest(bound) - bound - bound**2
    variance = max(0.0, (proportion.ones + proportion.minus_ones) / proportion.n - proportion.mean**2)
    root = float(ndtri(1 - alpha)) * math.sqrt(variance_at_bound) + float(ndtri(power)) * math.sqrt(variance)
    return math.ceil((root / hypothesis.lead) ** 2 * len(hypothesis.sample.differences) / proportion.n)


class _Proportion:
    """The effective number of values, their mean, and the numbers of 1 and -1 among them."""

    def __init__(self, hypothesis: OneSidedHypothesis, level: float) -> None:
        sample = hypothesis.sample
        d = sample.differences.round(9)
        self.n = max(1, math.floor(effective_n(sample.differences, sample.clusters, level) + 1e-9))
        self.mean = float(d.mean())
        self.ones, self.minus_ones = (float((d == sign).mean()) * self.n for sign in (1, -1))
        self.lowest, self.highest = hypothesis.lowest, hypothesis.highest

    def p(self, bound: float) -> float:
        """Return the probability of the observed sum or a larger one if the mean is the bound.

        The distribution of a sum is the n-th power of the Fourier transform of that of one value.
        """
        plus = self.likeliest(bound)
        turn = np.exp(-2j * math.pi * np.arange(self.n + 1) / (2 * self.n + 1))
        one_value = 1 + plus * (turn - 1) + (plus - bound) * (turn.conj() - 1)
        chances = np.fft.irfft(one_value**self.n, 2 * self.n + 1)  # first of the sums 0 to n, then of -n to -1
        observed = math.floor(self.mean * self.n + 1e-9)
        tail = chances[observed : self.n + 1].sum() if observed >= 0 else 1 - chances[self.n + 1 : observed].sum()
        return min(1.0, max(0.0, float(tail)))

    def likeliest(self, b: float) -> float:
        """Return the share of 1 in the distribution with mean b that makes the data likeliest."""
        if self.lowest >= 0:
            return b
        if self.highest <= 0:
            return 0.0
        zeros = self.n - self.ones - self.minus_ones
        half = self.ones * (1 + 3 * b) + self.minus_ones * (1 + b) + 2 * zeros * b
        root = math.sqrt(max(0.0, half**2 - 8 * self.n * self.ones * b * (1 + b)))
        return float(min(max((half + root) / (4 * self.n), b, 0.0), (1 + b) / 2))
