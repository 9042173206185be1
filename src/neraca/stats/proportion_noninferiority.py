"""Claims about shares: a mean of values that are 0 or 1, or of their paired differences (-1, 0 or 1).

Such values are far from normal where few of them differ, which is what a gate is about: of a system that is right on
29 of 30 questions the t-test says with p = 0.027 that it is right on more than 90 %, and one that is right on 90 % does
so, or better, almost one time in five.  Here the sums that could have come instead are counted.
"""

from __future__ import annotations

import math

import numpy as np

from neraca.stats.interval import clustered_error, t_quantile
from neraca.stats.noninferiority import MeanAbove
from neraca.stats.paired import cluster_sums


def is_proportion(claim: MeanAbove) -> bool:
    """Whether the claim is about a mean of values that are 0 or 1, or of their differences; not without any."""
    d = claim.sample.differences
    lattice = bool(np.isin(d.round(9), (-1.0, 0.0, 1.0)).all())
    return lattice and len(d) > 0 and (claim.lowest, claim.highest) in ((0, 1), (-1, 0), (-1, 1))


def proportion_p(claim: MeanAbove, level: float = 0.95) -> float:
    r"""One-sided p: the chance of a sum as large as that of the values, were their mean the bound.

    Of the distributions with that mean the one is taken that makes the data likeliest: $p_+$ solves
    $w / p_+ + l / (p_+ - b) = 2 z / (1 + b - 2 p_+)$ for $w$ values of 1, $z$ of 0 and $l$ of -1, and $p_- = p_+ - b$.
    Of values that are 0 or 1 it is the exact binomial test.  Where items share a session, they count as the whole
    number of independent ones that tell as much, and the sum is rounded against the claim.

    Parameters
    ----------
    claim
        One for which `is_proportion`.
    level
        1 - alpha, for what few sessions do not tell of themselves.

    References
    ----------
    Clopper, C. J. and Pearson, E. S. (1934). Biometrika 26, 404-413; Tango, T. (1998). Statist. Med. 17, 891-908 (the
    likeliest distribution); Korn, E. L. and Graubard, B. I. (1998). Survey Methodology 24, 193-201 (sessions).

    Examples
    --------
    >>> from neraca.stats.paired import Sample
    >>> right = MeanAbove(Sample(np.array([1.0] * 29 + [0])), 0.9, 0, 1)
    >>> round(proportion_p(right), 4)  # 0.9^30 + 30 * 0.1 * 0.9^29
    0.1837
    """
    return _Shares(claim, level).p(claim.bound)


def proportion_bound(claim: MeanAbove, level: float = 0.95) -> float:
    """The largest bound of which the claim would be shown: a one-sided lower confidence bound of the mean.

    Examples
    --------
    >>> from neraca.stats.paired import Sample
    >>> right = MeanAbove(Sample(np.ones(30)), 0.9, 0, 1)
    >>> round(proportion_bound(right), 4), round(0.05 ** (1 / 30), 4)
    (0.905, 0.905)
    """
    shares = _Shares(claim, level)
    low, high = claim.lowest, shares.mean
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if shares.p(middle) > 1 - level else (middle, high)
    return low


class _Shares:
    """How many independent values there are, and how often each of -1, 0 and 1."""

    def __init__(self, claim: MeanAbove, level: float) -> None:
        d = claim.sample.differences.round(9)
        self.n = _independent(claim, level)
        self.mean = float(d.mean())
        self.ones, self.less = (float((d == sign).mean()) * self.n for sign in (1, -1))
        self.claim = claim

    def p(self, bound: float) -> float:
        """The chance of the sum seen or more where the mean is the bound; by a Fourier transform of one value's."""
        more = self._likeliest(bound)
        wheel = np.exp(-2j * math.pi * np.arange(self.n + 1) / (2 * self.n + 1))
        one = 1 + more * (wheel - 1) + (more - bound) * (wheel.conj() - 1)
        chances = np.fft.irfft(one**self.n, 2 * self.n + 1)  # of the sums 0 to n, then of -n to -1
        seen = math.floor(self.mean * self.n + 1e-9)
        there = chances[seen : self.n + 1].sum() if seen >= 0 else 1 - chances[self.n + 1 : seen].sum()
        return min(1.0, max(0.0, float(there)))

    def _likeliest(self, b: float) -> float:
        """The share of 1 that makes the data likeliest where the mean is b; what is no value has the share 0."""
        if self.claim.lowest >= 0:
            return b
        if self.claim.highest <= 0:
            return 0.0
        ones, less, none = self.ones, self.less, self.n - self.ones - self.less
        half = ones * (1 + 3 * b) + less * (1 + b) + 2 * none * b
        root = math.sqrt(max(0.0, half**2 - 8 * self.n * ones * b * (1 + b)))
        return float(min(max((half + root) / (4 * self.n), b, 0.0), (1 + b) / 2))


def _independent(claim: MeanAbove, level: float) -> int:
    """Independent items that tell as much as these, at least 1; sessions where nothing shows how they hang together."""
    values, clusters = claim.sample.differences, claim.sample.clusters
    n, groups = len(values), len(cluster_sums(values, clusters)[0])
    error, df = clustered_error(values, clusters)
    plain, plain_df = clustered_error(values)
    if groups == n or df < 1 or not error > 0:
        return groups
    spread = plain / error * t_quantile(level, plain_df) / t_quantile(level, df)
    return max(1, math.floor(n * min(1.0, spread**2) + 1e-9))


def proportion_items(claim: MeanAbove, alpha: float = 0.05, power: float = 0.8) -> int | None:
    r"""Items with which the claim would be shown with this chance, were the truth what was observed; about.

    $((z_{1-\alpha} s_0 + z_{power} s) / (\bar x - b))^2$ with the standard deviation $s$ of the values and $s_0$ of the
    distribution with mean $b$ (see `proportion_p`).  None where the observed mean does not speak for the claim.

    Examples
    --------
    >>> from neraca.stats.paired import Sample
    >>> proportion_items(MeanAbove(Sample(np.repeat([1.0, 0], [18, 2])), 0.8, 0, 1))  # ((1.645 .4 + .842 .3) / .1)^2
    83
    """
    from scipy.special import ndtri

    if not claim.lead > 0:
        return None
    shares = _Shares(claim, 1 - alpha)
    supposed = 2 * shares._likeliest(claim.bound) - claim.bound - claim.bound**2
    seen = (shares.ones + shares.less) / shares.n - shares.mean**2
    wanted = float(ndtri(1 - alpha)) * math.sqrt(supposed) + float(ndtri(power)) * math.sqrt(max(0.0, seen))
    return math.ceil((wanted / claim.lead) ** 2 * len(claim.sample.differences) / shares.n)
