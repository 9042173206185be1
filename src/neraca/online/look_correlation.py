"""Estimate from an earlier log how alike the looks at a running A/B test are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neraca.stats.daily_moments import DailyMoments
from neraca.stats.intervals.interval import Floats
from neraca.stats.tests.cuped import adjusted_slope
from neraca.stats.tests.delta_method import ratio

#: Columns of the moments that hold the numerator and the denominator of each user at the end of the log.
AT_END = 6


@dataclass(frozen=True, eq=False)
class LookCorrelation:
    """The correlation of the estimates at two looks, by the share of the later look's users who had come at the first.

    If each day brought new users only, it would be the square root of that share.  But users come again with their
    habits, so that estimates at two looks are often more alike.  A test with daily looks then has fewer chances to find
    an effect.  The correlations of each day with the last day of a log are used for all looks with the same share.

    Attributes
    ----------
    roots
        Square roots of shares of users, increasing from 0 to 1, shape (k,).
    correlations
        The correlation at each of them, between -1 and 1, shape (k,); linear in between.

    Examples
    --------
    >>> LookCorrelation().matrix(np.array([25.0, 100.0])).tolist()  # new users each day
    [[1.0, 0.5], [0.5, 1.0]]
    """

    roots: tuple[float, ...] = (0.0, 1.0)
    correlations: tuple[float, ...] = (0.0, 1.0)

    @classmethod
    def of(cls, daily: DailyMoments, covariates: Sequence[int] = ()) -> LookCorrelation:
        """Return the correlation that the users of a log show.

        Parameters
        ----------
        daily
            Moments of one arm: numerator and denominator of a metric, then those of covariates, and from `AT_END` on
            the user's numerator and denominator at the end of the last day.
        covariates
            As in `neraca.stats.tests.cuped.adjusted`: the correlation is that of the adjusted values.
        """
        end = daily.at(0, daily.days - 1)
        at_end = np.zeros(len(end.mean))
        at_end[AT_END : AT_END + 2] = [1.0, -ratio(end)]
        by_day = [daily.at(0, day) for day in range(daily.days)]
        variance, covariance = np.zeros(daily.days), np.zeros(daily.days)
        for day, moments in enumerate(by_day):
            slope = adjusted_slope(moments, covariates)
            variance[day] = slope @ moments.covariance @ slope
            covariance[day] = slope @ moments.covariance @ at_end / end.mean[1]
        roots = np.sqrt(np.array([moments.n for moments in by_day]) / end.n)
        with np.errstate(invalid="ignore", divide="ignore"):
            correlations = covariance * roots / np.sqrt(variance * variance[-1])
        return cls.through(roots[:-1], correlations[:-1])

    @classmethod
    def through(cls, roots: Floats, correlations: Floats) -> LookCorrelation:
        """Return the correlation through these points, without those that are unknown or bring no new users."""
        points: list[tuple[float, float]] = [(0.0, 0.0)]
        for root, correlation in zip(roots.tolist(), correlations.tolist(), strict=True):
            if math.isfinite(correlation) and points[-1][0] < root < 1:
                points.append((root, max(-1.0, min(1.0, correlation))))
        return cls(*zip(*points, (1.0, 1.0), strict=True))

    def matrix(self, users: Floats) -> Floats:
        """Return the correlations of looks at so many users each, shape (looks, looks)."""
        shares = np.minimum.outer(users, users) / np.maximum.outer(users, users)
        correlation: Floats = np.interp(np.sqrt(shares), self.roots, self.correlations)
        return correlation

    def correlated(self, noise: Floats, users: Floats) -> Floats:
        """Return standard normal noise, shape (tests, looks), correlated as looks at so many users each are."""
        values, vectors = np.linalg.eigh(self.matrix(users))
        root = vectors * np.sqrt(np.maximum(values, 0.0))  # estimated correlations need not fit together exactly
        scale = np.sqrt((root**2).sum(axis=1))
        correlated: Floats = noise @ (root / scale[:, None]).T
        return correlated
