r"""Prediction-powered inference: people's mean, from a judge's values of all items and people's labels of some.

The labelled items show the mean error of the judge.  With labels $h_i$ of n items and values $f_i$ of all N, the
corrected mean is $\bar f_u \lambda + \overline{(h - \lambda f)}_l$, over the unlabelled (u) and the labelled (l) items.
It is unbiased for any judge if the labelled items are a random sample.  $\lambda = 1$ is prediction-powered inference;
with a tuned $\lambda$ (ppi++) it is never much less precise than the labels alone.

With few labels, residuals are divided by 1 minus their leverage (HC3).  For values that are all 0 or 1 the interval
adds half a label to each of the four cells of label by value instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import Floats, Range, cluster_numbers, keep_in_range, t_quantile

Ints = NDArray[np.int64]
Small = Literal["halves", "leverage", "nothing"]
#: With fewer labelled observations the intervals do not hold (see `benchmarks/corrected.py`).
FEWEST_LABELS = 30
#: Label and value of the four cells that get half a label, for values that are 0 or 1.
_CELL_LABELS, _CELL_VALUES = np.array([0.0, 0, 1, 1]), np.array([0.0, 1, 0, 1])
_HALF = 0.5


@dataclass(frozen=True, slots=True)
class PredictionPowered:
    """A corrected mean.

    Attributes
    ----------
    value
        The corrected mean.
    centre, error, df
        Middle of Student's interval (the value; for shares, the value with half labels), standard error and degrees of
        freedom.
    low, high
        The interval; NaN if chance cannot be estimated.
    weight
        The mean of lambda over the items: the weight of the judge's values.
    labels, items
        Labelled items (with clusters, labelled clusters), and all items.
    half_labels
        Whether half labels pulled the middle of the interval away from the ends of the range.
    """

    value: float
    centre: float
    error: float
    df: int
    low: float
    high: float
    weight: float
    labels: int
    items: int
    half_labels: bool = False

    def p_above(self, bound: float) -> float:
        """Return the one-sided p of "the mean is at most `bound`"; NaN if chance cannot be estimated."""
        from scipy.special import stdtr

        estimable = self.error > 0 and self.df > 0
        return float(stdtr(self.df, (bound - self.centre) / self.error)) if estimable else math.nan

    def bounds_within(self, limits: Range, level: float, tested: Sequence[float] = ()) -> tuple[float, float]:
        """Return the interval within the limits of the mean; it holds the value, cut to the limits.

        With half labels the interval is cut at the limits: for values of 0 or 1 with a mean of 0.98 it holds the mean
        in 99 % of samples with 30 labels, and the bounds of `keep_in_range` in 71 to 97 % (`benchmarks/corrected.py`).
        Without half labels `keep_in_range` replaces a bound beyond the limits.  NaN if chance cannot be estimated.
        """
        if not self.df:
            return math.nan, math.nan
        quantile = t_quantile(level, self.df)
        ends = self.centre - quantile * self.error, self.centre + quantile * self.error
        if self.half_labels:
            low, high = max(ends[0], limits[0]), min(ends[1], limits[1])
        else:
            most_c = quantile**2 / self.labels
            low, high = keep_in_range(self.centre, ends, limits, self.labels, tested=tested, most_c=most_c)
        value = min(max(self.value, limits[0]), limits[1])
        return min(low, value), max(high, value)

    def p(self) -> float:
        """Return the two-sided p of "the mean is 0"."""
        above = self.p_above(0.0)
        return 2 * min(above, 1 - above)


class _Part(NamedTuple):
    """The estimate from the items of one stratum, and the contribution of each item to its variance."""

    value: float
    centre: float
    weight: float
    residuals: Floats
    extra: float


def prediction_powered(
    labels: Floats,
    values: Floats,
    *,
    clusters: Ints | None = None,
    strata: Ints | None = None,
    weight: float | None = None,
    small: Small = "halves",
    level: float = 0.95,
) -> PredictionPowered:
    r"""Estimate the mean of labels from the labels of some items and a judge's values of all.

    $\lambda = \widehat{cov}(h, f) / ((1 + n / N_u) \, \widehat{var}(f))$, separately in
    each stratum.  Strata are weighted by their numbers of items.

    Parameters
    ----------
    labels, values
        Shape (N,) each: people's labels, with NaN for unlabelled items, and the judge's values.
    clusters
        Shape (N,): number of each item's cluster, such as its session; None: each item is its own.
    strata
        Shape (N,): number of the group within which labelled items are a random sample; None: a single group.
    weight, level
        Lambda (None: tuned; 1: plain prediction-powered inference; 0: labels alone), and the confidence.
    small
        The correction for few labels: `halves` (half labels if all values are 0 or 1, otherwise leverage), `leverage`
        or `nothing`, as in other programs.

    Raises
    ------
    ValueError
        A stratum has no label.

    References
    ----------
    Angelopoulos, A. N. et al. (2023). Science 382, 669-674 (ppi), and arXiv 2311.01453 (ppi++); Fisch, A. et al.
    (2024). NeurIPS 37 (strata); Agresti, A. and Min, Y. (2005). Statist. Med. 24, 729-740 (half labels).

    Examples
    --------
    >>> labels, values = np.array([1.0, 0, 1, np.nan, np.nan]), np.array([1.0, 1, 1, 0, 1])
    >>> round(prediction_powered(labels, values, weight=1.0).value, 4)  # 1/2 minus 1/3, the judge's mean error
    0.1667
    """
    n = len(values)
    groups = np.zeros(n, np.int64) if strata is None else cluster_numbers(strata, n)
    cluster_of_item = cluster_numbers(clusters, n)
    has_label, share = ~np.isnan(labels), small == "halves" and _shares(labels, values)
    parts = []
    for stratum in range(int(groups.max(initial=0)) + 1):
        rows = groups == stratum
        if not has_label[rows].any():
            raise ValueError("a stratum has no label")
        parts.append((rows, _part(labels[rows], values[rows], cluster_of_item[rows], weight, small, share)))
    means, error = _together(parts, cluster_of_item)
    labelled = len(np.unique(cluster_of_item[has_label]))
    df = labelled - len(parts) - (small != "nothing")
    flat = not error > 1e-12 * max(abs(means[0]), float(np.abs(values).max(initial=0)))
    return replace(_with_interval(means, error, 0 if flat else df, level, (labelled, n)), half_labels=share)


def _together(parts: Sequence[tuple[NDArray[np.bool_], _Part]], clusters: Ints) -> tuple[tuple[float, ...], float]:
    """Return the value, middle and weight of all strata together, and the standard error."""
    n = len(clusters)
    means = tuple(sum(float(rows.sum()) * getattr(part, name) for rows, part in parts) / n for name in _MEANS)
    residuals = np.zeros(n)
    for rows, part in parts:
        residuals[rows] = part.residuals + (part.centre - means[1])
    sums = np.bincount(clusters, weights=residuals)
    return means, math.sqrt(float(sums @ sums) + sum(part.extra for _, part in parts)) / n


_MEANS = ("value", "centre", "weight")


def _with_interval(
    estimate: tuple[float, ...], error: float, df: int, level: float, sizes: tuple[int, int]
) -> PredictionPowered:
    """Return the estimate with Student's interval; without degrees of freedom it has no interval."""
    value, centre, weight = estimate
    half = t_quantile(level, df) * error if df > 0 else math.nan
    return PredictionPowered(value, centre, error, max(df, 0), centre - half, centre + half, weight, *sizes)


def _part(labels: Floats, values: Floats, clusters: Ints, weight: float | None, small: Small, share: bool) -> _Part:
    """Return the estimate of one stratum, some of whose items are labelled."""
    labelled = ~np.isnan(labels)
    h, f, unlabelled = labels[labelled], values[labelled], values[~labelled]
    if not len(unlabelled):  # people labelled every item
        return _Part(float(h.mean()), float(h.mean()), 0.0, h - h.mean(), 0.0)
    lam = _tuned(h, f, np.ones(len(h)), values, len(unlabelled)) if weight is None else weight
    value = float((h - lam * f).mean() + lam * unlabelled.mean())
    residuals = np.zeros(len(values))
    size, groups = len(values), len(np.unique(clusters[labelled]))
    if share:
        return _with_half_labels(labels, values, clusters, weight, value)
    errors = h - lam * f
    errors = errors - errors.mean()
    if small == "nothing":
        errors = errors * math.sqrt(groups / (groups - 1)) if groups > 1 else errors * math.nan
    else:
        errors = errors / _one_less_leverage(f, clusters[labelled], weight is None)
    residuals[labelled] = errors * size / len(h)
    residuals[~labelled] = _judged_residuals(lam, unlabelled, clusters[~labelled], size)
    return _Part(value, value, lam, residuals, 0.0)


def _tuned(h: Floats, f: Floats, counts: Floats, values: Floats, unlabelled: int) -> float:
    """Return the lambda with which the corrected mean varies least; 0 if the judge gives every item the same value."""
    n = float(counts.sum())
    spread = float(values.var(ddof=1)) if len(values) > 1 else 0.0
    if spread <= 1e-24 * float((values**2).max()) or n <= 1:
        return 0.0
    mean_h, mean_f = float(counts @ h) / n, float(counts @ f) / n
    covariance = float((counts * (h - mean_h)) @ (f - mean_f)) / (n - 1)
    return covariance / spread / (1 + n / unlabelled)


def _one_less_leverage(f: Floats, clusters: Ints, tuned: bool) -> Floats:
    """Return 1 minus the leverage of each label's cluster; a label with high leverage pulls the estimate towards it."""
    deviations = f - f.mean()
    squares = float(deviations @ deviations)
    leverage = np.full(len(f), 1 / len(f)) + (deviations**2 / squares if tuned and squares > 0 else 0.0)
    cluster_of_label = np.unique(clusters, return_inverse=True)[1]
    of_cluster = np.bincount(cluster_of_label, weights=leverage)[cluster_of_label]
    remainder: Floats = np.where(of_cluster < 1 - 1e-6, 1 - of_cluster, 1.0)
    return remainder


def _judged_residuals(lam: float, unlabelled: Floats, clusters: Ints, size: int) -> Floats:
    """Return the contributions of the unlabelled items to the error of the sum over `size` items."""
    groups = len(np.unique(clusters))
    whole = math.sqrt(groups / (groups - 1)) if groups > 1 else 1.0
    residuals: Floats = lam * (unlabelled - unlabelled.mean()) * whole * size / len(unlabelled)
    return residuals


def _with_half_labels(labels: Floats, values: Floats, clusters: Ints, weight: float | None, value: float) -> _Part:
    """Return the estimate of a stratum of shares, with half a label added to each cell."""
    labelled = ~np.isnan(labels)
    unlabelled, size = values[~labelled], len(values)
    h, f = np.append(labels[labelled], _CELL_LABELS), np.append(values[labelled], _CELL_VALUES)
    counts = np.append(np.ones(int(labelled.sum())), np.full(4, _HALF))
    lam = _tuned(h, f, counts, values, len(unlabelled)) if weight is None else weight
    n, groups = float(counts.sum()), len(np.unique(clusters[labelled])) + 4 * _HALF
    errors = h - lam * f
    mean = float(counts @ errors) / n
    errors = (errors - mean) * math.sqrt(groups / (groups - 2)) * size / n
    residuals = np.zeros(size)
    residuals[labelled] = errors[:-4]
    residuals[~labelled] = _judged_residuals(lam, unlabelled, clusters[~labelled], size)
    extra = float(counts[-4:] @ errors[-4:] ** 2)
    return _Part(value, float(mean + lam * unlabelled.mean()), lam, residuals, extra)


def weighted_prediction_powered(
    labels: Floats,
    values: Floats,
    chances: Floats,
    *,
    clusters: Ints | None = None,
    weight: float | None = None,
    small: Small = "halves",
    level: float = 0.95,
) -> PredictionPowered:
    r"""Estimate the mean of labels if each item was drawn with its own chance.

    $\frac{1}{N} \sum_i (\lambda f_i + \xi_i (h_i - \lambda f_i) / \pi_i)$ with $\xi_i = 1$ for a labelled item, whose
    chance to be labelled was $\pi_i$.  It is unbiased, so informative items may be drawn more often.

    Parameters
    ----------
    chances
        Shape (N,): the chance of each item to be labelled, above 0 and at most 1.
    labels, values, clusters, weight, small, level
        As in `prediction_powered`; leverage is not used.

    References
    ----------
    Zrnic, T. and Candès, E. J. (2024). Active statistical inference. ICML, arXiv 2403.03208.

    Examples
    --------
    >>> labels, values = np.array([1.0, 0, np.nan, np.nan]), np.array([1.0, 1, 0, 1])
    >>> weighted_prediction_powered(labels, values, np.full(4, 0.5), weight=1.0).value  # 3/4 + (0 - 1) / 0.5 / 4
    0.25
    """
    n = len(values)
    has_label = ~np.isnan(labels)
    weighted_labels = np.where(has_label, np.nan_to_num(labels), 0.0) / chances
    surplus = values * (has_label / chances - 1)
    cluster_of_item = cluster_numbers(clusters, n)
    labelled = len(np.unique(cluster_of_item[has_label]))
    lam = 1.0 if weight is None else weight
    if weight is None:
        spread = float(surplus.var())
        covariance = float(((surplus - surplus.mean()) * (weighted_labels - weighted_labels.mean())).mean())
        lam = covariance / spread if spread > 0 else 0.0
    terms = weighted_labels - lam * surplus
    value = centre = float(terms.mean())
    extra, whole = 0.0, float(n)
    if halves := small == "halves" and _shares(labels, values):
        one_label, cell_errors = n / has_label.sum(), _CELL_LABELS - lam * _CELL_VALUES
        whole += 4 * _HALF * one_label
        judged_part = lam * float(values.mean())
        mean = (n * (value - judged_part) + _HALF * one_label * float(cell_errors.sum())) / whole
        deviations = (cell_errors - mean) * one_label
        centre, extra = mean + judged_part, _HALF * float(deviations @ deviations)
    sums = np.bincount(cluster_of_item, weights=terms - value)
    error = math.sqrt(len(sums) / max(len(sums) - 1, 1) * float(sums @ sums) + extra) / whole
    df = labelled - 2 if error > 1e-12 * abs(value) else 0
    return replace(_with_interval((value, centre, lam), error, df, level, (labelled, n)), half_labels=halves)


def _shares(labels: Floats, values: Floats) -> bool:
    """Return whether all values and labels are 0 or 1."""
    return bool(np.isin(values, (0.0, 1.0)).all() and np.isin(labels[~np.isnan(labels)], (0.0, 1.0)).all())
