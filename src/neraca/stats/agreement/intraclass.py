r"""Intraclass correlation: the share of the variance of grades that is due to the graded things.

All k judges grade all n things.  The analysis of variance has three mean squares: $MS_b$ between things (n - 1 degrees
of freedom), $MS_j$ between judges (k - 1) and the residual $MS_e$ ((n - 1)(k - 1)).  The coefficients are totals of
summed counts, so that intervals come from the usual resampling.  `neraca.stats.intervals.trials` has the coefficients
for repeated answers.
"""

from __future__ import annotations

import numpy as np

from neraca.stats.intervals.interval import Floats

#: Sums of squares below this share of the whole are only rounding.
_ROUNDING = 1e-12


def graded_counts(grades: Floats) -> Floats:
    """Return rows for `icc_of_one` and `icc_of_mean`.

    Parameters
    ----------
    grades
        Shape (n, k): the grade of each thing by each judge, without gaps.

    Returns
    -------
    Floats
        Shape (n, k + 3): the deviations of the grades from the overall mean, the square of their sum divided by k, the
        sum of their squares, and 1.

    Examples
    --------
    >>> graded_counts(np.array([[1.0, 3], [5, 7]])).tolist()
    [[-3.0, -1.0, 8.0, 10.0, 1.0], [1.0, 3.0, 8.0, 10.0, 1.0]]
    """
    n, k = grades.shape
    deviations = grades - grades.mean() if n else grades
    return np.column_stack([deviations, deviations.sum(axis=1) ** 2 / k, (deviations**2).sum(axis=1), np.ones(n)])


def _mean_squares(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean squares between things, between judges and residual, shape (...); NaN below two things."""
    judges, things, squares, n = sums[..., :-3], sums[..., -3], sums[..., -2], sums[..., -1]
    k = judges.shape[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = judges.sum(axis=-1) ** 2 / (n * k)
        of_judges = (judges**2).sum(axis=-1) / n
        parts = things - middle, of_judges - middle, squares - things - of_judges + middle
        between, judges, residual = (np.where(np.abs(part) <= _ROUNDING * squares, 0.0, part) for part in parts)
        return between / (n - 1), judges / (k - 1), residual / ((n - 1) * (k - 1))


def _share(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.where(whole > 0, part / whole, np.nan)
    return result


def icc_of_one(sums: Floats) -> Floats:
    r"""ICC(2,1), the absolute agreement of single grades, with judges drawn at random.

    $(MS_b - MS_e) / (MS_b + (k - 1) MS_e + k (MS_j - MS_e) / n)$.  A judge who is always stricter lowers it.  At most
    1; 0 or less if things differ no more than by chance.  NaN if all grades are equal, or with fewer than two things.
    Shapes (..., k + 3) -> (...), of `graded_counts`.

    References
    ----------
    Shrout, P. E. and Fleiss, J. L. (1979). Psychol. Bull. 86, 420-428; McGraw, K. O. and Wong, S. P. (1996). Psychol.
    Methods 1, 30-46, where it is ICC(A,1).

    Examples
    --------
    >>> rows = graded_counts(np.array([[1.0, 3], [5, 7]]))  # MSb 16, MSj 4, MSe 0: 16 / (16 + 2 × 4 / 2)
    >>> float(icc_of_one(rows.sum(axis=0)))
    0.8
    """
    between, judges, residual = _mean_squares(sums)
    n, k = sums[..., -1], sums.shape[-1] - 3
    return _share(between - residual, between + (k - 1) * residual + k * (judges - residual) / np.maximum(n, 1))


def icc_of_mean(sums: Floats) -> Floats:
    r"""ICC(2,k), the absolute agreement of the mean grades of k judges, with judges drawn at random.

    $(MS_b - MS_e) / (MS_b + (MS_j - MS_e) / n)$; the rest is as in `icc_of_one`.

    >>> rows = graded_counts(np.array([[1.0, 3], [5, 7]]))  # MSb 16, MSj 4, MSe 0: 16 / (16 + 4 / 2)
    >>> round(float(icc_of_mean(rows.sum(axis=0))), 4)
    0.8889
    """
    between, judges, residual = _mean_squares(sums)
    return _share(between - residual, between + (judges - residual) / np.maximum(sums[..., -1], 1))
