"""Correlations of two measures of the same things, their intervals and tests, and groups of similar measures.

The coefficients are Pearson's r (linear), Spearman's rho (Pearson's r of the ranks) and Kendall's tau-b (concordant
minus discordant pairs).  Pairs with a NaN are left out.  The correlation with a constant column is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neraca.stats.intervals.interval import Estimate, Floats, clustered_error, normal_quantile, t_quantile, to_unit
from neraca.stats.intervals.resample import by_cluster
from neraca.stats.tests.paired import Paired, t_test

#: A column that varies by less than this share of its largest value is constant: rounding is no variance.
_ROUNDING = 1e-13
#: Why a correlation has no interval.
CONSTANT, FEW_PAIRS = "one side does not vary", "too few pairs"
PERFECT, NEARLY_PERFECT = "it is 1 or -1", "it is 1 or -1 without some of the pairs"


def _pairs(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return the pairs in which both columns have a value, and the mask of these pairs."""
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    complete = ~(np.isnan(first) | np.isnan(second))
    return first[complete], second[complete], complete


def _standard(values: Floats) -> Floats | None:
    """Return the values scaled to mean 0 and mean square 1; None if they are constant or not finite."""
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    size = float(np.abs(values).max())
    if not float(values.max()) / 2 - float(values.min()) / 2 > _ROUNDING * size:
        return None
    centred = values / size
    centred = centred - centred.mean()
    centred /= np.abs(centred).max()
    result: Floats = centred / math.sqrt(float(centred @ centred) / len(centred))
    return result


def ranks(values: Floats) -> Floats:
    """Return the ranks from 1; equal values share their mean rank.  Shapes (n,) -> (n,).

    >>> ranks(np.array([0.5, 0.2, 0.5, 0.9])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranked: Floats = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranked


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    r"""Pearson's $r = \sum (x_i - \bar x)(y_i - \bar y) / \sqrt{\sum (x_i - \bar x)^2 \sum (y_i - \bar y)^2}$.

    NaN where either column is constant or not finite, and where fewer than two pairs have both values.

    >>> round(pearson([1, 2, 3], [1, 3, 2]), 12)
    0.5
    """
    first, second, _ = _pairs(x, y)
    u, v = _standard(first), _standard(second)
    if u is None or v is None:
        return math.nan
    return _whole(float(u @ v) / len(u))


def _whole(r: float) -> float:
    """Return the correlation, as exactly 1 or -1 if it differs from these only by rounding."""
    return r if 1 - abs(r) > _ROUNDING else math.copysign(1.0, r)


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rho: Pearson's r of the ranks; equal values share their mean rank.

    References
    ----------
    Spearman, C. (1904). Amer. J. Psychol. 15, 72-101.

    Examples
    --------
    >>> round(spearman([10, 200, 3000, 4], [2, 5, 9, 1]), 12)
    1.0
    """
    first, second, _ = _pairs(x, y)
    return pearson(ranks(first), ranks(second))


def kendall(x: ArrayLike, y: ArrayLike) -> float:
    r"""Kendall's $\tau_b = (P - Q) / \sqrt{(P + Q + X)(P + Q + Y)}$.

    $P$ pairs of things are in the same order in both columns and $Q$ in opposite order; $X$ are equal in the second
    column only, $Y$ in the first only.

    References
    ----------
    Kendall, M. G. (1945). Biometrika 33, 239-251.

    Examples
    --------
    >>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]), 4)  # five pairs agree, one does not: 4 / 6
    0.6667
    """
    from scipy.stats import kendalltau

    first, second, _ = _pairs(x, y)
    if len(first) < 2 or (first == first[0]).all() or (second == second[0]).all():
        return math.nan
    return _whole(float(kendalltau(ranks(first), ranks(second)).statistic))


def pearson_influence(x: Floats, y: Floats) -> Floats:
    """Return the influence of each pair on Pearson's r, shape (n,); NaN if a column is constant.

    References
    ----------
    Devlin, S. J., Gnanadesikan, R. and Kettenring, J. R. (1975). Biometrika 62, 531-545.
    """
    u, v = _standard(x), _standard(y)
    if u is None or v is None:
        return np.full(len(x), np.nan)
    r = float(u @ v) / len(u)
    return u * v - r * (u * u + v * v) / 2


def spearman_influence(x: Floats, y: Floats) -> Floats:
    """Return the influence of each pair on Spearman's rho, by its own ranks and those it shifts, shape (n,).

    References
    ----------
    Croux, C. and Dehon, C. (2010). Statist. Methods Appl. 19, 497-515; here with ties.
    """
    n = len(x)
    a, b = (ranks(x) - 0.5) / n, (ranks(y) - 0.5) / n  # shares of values below; equal values count half

    def above(values: Floats, weights: Floats) -> Floats:
        """Return, for each value, the sum of the weights above it divided by n; equal values count half."""
        place = _places(values)
        sums = np.bincount(place, weights=weights)
        mean: Floats = (sums.sum() - np.cumsum(sums) + sums / 2)[place] / n
        return mean

    ab, aa, bb = (float((p * q).mean()) for p, q in ((a, b), (a, a), (b, b)))
    c, va, vb = ab - 0.25, aa - 0.25, bb - 0.25
    if not va > 0 or not vb > 0:
        return np.full(n, np.nan)
    of_c = a * b + above(x, b) + above(y, a) - 3 * ab
    of_va, of_vb = a * a + 2 * above(x, a) - 3 * aa, b * b + 2 * above(y, b) - 3 * bb
    influence: Floats = (of_c - c * (of_va / va + of_vb / vb) / 2) / math.sqrt(va * vb)
    return influence


def kendall_influence(x: Floats, y: Floats) -> Floats:
    """Return the influence of each pair on Kendall's tau-b, by its concordant and tied pairs, shape (n,).

    References
    ----------
    Croux, C. and Dehon, C. (2010). Statist. Methods Appl. 19, 497-515; here with ties.
    """
    n = len(x)
    agree = sum((p * q * _below(p * x, q * y) for p in (1, -1) for q in (1, -1)), np.zeros(n)) / n
    different = [1 - np.bincount(place, minlength=n)[place] / n for place in (_places(x), _places(y))]
    a, b, c = float(agree.mean()), float(different[0].mean()), float(different[1].mean())
    if not b > 0 or not c > 0:
        return np.full(n, np.nan)
    tau = a / math.sqrt(b * c)
    influence: Floats = 2 * (agree - a) / math.sqrt(b * c) - tau * ((different[0] - b) / b + (different[1] - c) / c)
    return influence


def _places(values: Floats) -> NDArray[np.int64]:
    places: NDArray[np.int64] = np.unique(values, return_inverse=True)[1]
    return places


def _below(x: Floats, y: Floats) -> Floats:
    """Return, for each pair, the number of pairs that are smaller in both columns, shape (n,).

    The pairs are sorted by x.  In blocks of two, four and so on, each second half is looked up in the first half.
    """
    n = len(x)
    order = np.lexsort((-y, x))  # equal x: larger y first, so that they are not counted for each other
    place = _places(y)[order]
    below = np.zeros(n)
    position = np.arange(n)
    width = 1
    while width < n:
        half = position // width
        keys = half * n + place
        ordered = np.sort(keys)
        right = half % 2 == 1
        before = half[right] - 1
        below[right] += np.searchsorted(ordered, before * n + place[right]) - np.searchsorted(ordered, before * n)
        width *= 2
    result = np.empty(n)
    result[order] = below
    return result


Coefficient = Callable[[ArrayLike, ArrayLike], float]
METHODS: dict[str, Coefficient] = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
_INFLUENCE = {"pearson": pearson_influence, "spearman": spearman_influence, "kendall": kendall_influence}


def _fisher_error(value: float, n: int, method: str) -> float:
    """Return the standard error of atanh of a coefficient of n independent pairs; NaN if n is too small."""
    if n < (5 if method == "kendall" else 4):
        return math.nan
    if method == "kendall":
        return math.sqrt(0.437 / (n - 4))
    return math.sqrt((1 + value * value / 2 if method == "spearman" else 1.0) / (n - 3))


def correlation(
    x: ArrayLike,
    y: ArrayLike,
    method: str = "spearman",
    clusters: NDArray[np.int64] | None = None,
    level: float = 0.95,
) -> Estimate:
    r"""A correlation $r$ with its interval, $\tanh(\operatorname{atanh} r \pm q\, s)$.

    For $n$ independent pairs the quantile $q$ is normal, and the squared error $s^2$ is $1/(n-3)$ for Pearson's r,
    $(1 + r^2/2)/(n-3)$ for Spearman's rho, and $0.437/(n-4)$ for Kendall's tau.  The pairs of a cluster (answers of one
    session, systems asked the same question) are one source of chance.  With $G$ clusters $q$ is Student's with $G - 1$
    degrees of freedom.  The error of Pearson's r is the jackknife's, $s^2 = \frac{G-1}{G} \sum_g (z_{-g} - \bar
    z_{-g})^2$ with $z_{-g} = \operatorname{atanh} r$ without cluster $g$; that of the others comes from the clusters'
    sums of the pairs' influence on r.  Kendall's tau of tied values also uses the influence, pair by pair.

    Parameters
    ----------
    x, y
        Shape (n,); pairs with NaN are left out.
    method
        A key of `METHODS`.
    clusters
        Shape (n,), or None: each pair is its own cluster.

    Returns
    -------
    Estimate
        With `method` `fisher`, `jackknife`, `influence`, or `none`.  There is no interval below four independent pairs
        (Kendall: five), nor for a correlation that is 1 or -1, or becomes so without some cluster.

    References
    ----------
    Fisher, R. A. (1921). Metron 1, 3-32.  Bonett, D. G. and Wright, T. A. (2000). Psychometrika 65, 23-28.  Fieller,
    E. C., Hartley, H. O. and Pearson, E. S. (1957). Biometrika 44, 470-481.  Efron, B. (1982). The Jackknife, ch. 6.

    Examples
    --------
    >>> r = correlation([1, 2, 3, 4, 5, 6, 7], [2, 1, 4, 3, 7, 5, 6], "pearson")
    >>> round(r.value, 4), round(r.low, 4), round(r.high, 4), r.n
    (0.8214, 0.1793, 0.9728, 7)
    """
    first, second, complete = _pairs(x, y)
    n = len(first)
    value = METHODS[method](first, second)
    groups = None if clusters is None else np.unique(clusters[complete], return_inverse=True)[1]
    independent = n if groups is None else int(groups.max(initial=-1)) + 1
    error = _fisher_error(value, independent, method)
    if math.isnan(value) or math.isnan(error) or abs(value) == 1:
        why = CONSTANT if math.isnan(value) else FEW_PAIRS if math.isnan(error) else PERFECT
        return Estimate.without_interval(value, n, why)
    z, how, half = math.atanh(value), "fisher", normal_quantile(level) * error
    if independent < n and method == "pearson":
        how, half = "jackknife", t_quantile(level, independent - 1) * _jackknife_error(first, second, groups)
    elif independent < n or (method == "kendall" and min(len(np.unique(first)), len(np.unique(second))) < n):
        error = clustered_error(_INFLUENCE[method](first, second), groups)[0] / (1 - value * value)
        how, half = "influence", t_quantile(level, independent - 1) * error
    if not half > 0:
        return Estimate.without_interval(value, n, NEARLY_PERFECT)
    return Estimate(value, math.tanh(z - half), math.tanh(z + half), n, how)


def _jackknife_error(x: Floats, y: Floats, groups: NDArray[np.int64] | None) -> float:
    """Return the jackknife standard error of atanh of Pearson's r over groups; NaN if some r is undefined."""
    u, v = to_unit(x - x.mean())[0], to_unit(y - y.mean())[0]
    sums = by_cluster(np.stack([np.ones(len(u)), u, v, u * u, v * v, u * v], axis=1), groups)
    n, a, b, aa, bb, ab = (sums.sum(axis=0) - sums).T
    of_u, of_v = aa - a * a / n, bb - b * b / n
    if not ((of_u > _ROUNDING * aa) & (of_v > _ROUNDING * bb)).all():
        return math.nan
    with np.errstate(invalid="ignore", divide="ignore"):
        r = (ab - a * b / n) / np.sqrt(of_u * of_v)
        z = np.arctanh(np.where(1 - np.abs(r) > _ROUNDING, r, np.sign(r)))
        return math.sqrt((len(z) - 1) * float(np.mean((z - z.mean()) ** 2)))


def correlation_difference(
    columns: tuple[ArrayLike, ArrayLike],
    y: ArrayLike,
    method: str = "spearman",
    clusters: NDArray[np.int64] | None = None,
    level: float = 0.95,
) -> Paired:
    """Test whether the first of two columns correlates with y more than the second does.

    The two correlations share y and the things measured, so that they are not independent.  The test is Student's t of
    what each pair adds to their difference, by its influence on both.  It needs no normal distribution, and holds for
    all three coefficients and for clusters; with normal data and Pearson's r it agrees with Williams' test.

    Parameters
    ----------
    columns
        Two of shape (n,); rows with a NaN in any of the three are left out.
    y
        Shape (n,).

    References
    ----------
    Williams, E. J. (1959). J. R. Statist. Soc. B 21, 396-399; Steiger, J. H. (1980). Psychol. Bull. 87, 245-251.

    Examples
    --------
    >>> y = np.arange(30.0)
    >>> near, far = y + np.tile([2, -2, 0], 10), y + np.tile([40, 0, -40, 10, -10], 6)
    >>> result = correlation_difference((near, far), y)
    >>> round(result.difference, 2), result.p < 0.001
    (0.71, True)
    """
    first, second = (np.asarray(column, dtype=np.float64) for column in columns)
    target = np.asarray(y, dtype=np.float64)
    every = ~(np.isnan(first) | np.isnan(second) | np.isnan(target))
    first, second, target = first[every], second[every], target[every]
    difference = METHODS[method](first, target) - METHODS[method](second, target)
    if math.isnan(difference) or len(target) < 4:
        return Paired.untested(difference, len(target), "t")
    influence = _INFLUENCE[method](first, target) - _INFLUENCE[method](second, target)
    return t_test(influence - influence.mean() + difference, None if clusters is None else clusters[every], level)


def alike(matrix: Floats, at: float = 0.9) -> list[tuple[int, ...]]:
    """Return groups of columns that all correlate pairwise by at least `at`, with either sign (complete linkage).

    Repeatedly join the two groups whose least correlated members correlate most, as long as these members reach
    `at`; of equal groups the first ones.

    Parameters
    ----------
    matrix
        Correlations, shape (k, k), symmetric; a pair with NaN is never joined.
    at
        Between 0 and 1.

    Returns
    -------
    list
        Groups of numbers of columns, in order of their first; a column without similar ones is a group.

    References
    ----------
    Sørensen, T. (1948). Biologiske Skrifter 5(4), 1-34.

    Examples
    --------
    >>> alike(np.array([[1, 0.95, 0.1], [0.95, 1, 0.2], [0.1, 0.2, 1]]))
    [(0, 1), (2,)]
    """
    near: Floats = np.nan_to_num(np.abs(matrix), nan=-1.0)
    np.fill_diagonal(near, -1.0)
    groups: list[Sequence[int]] = [[column] for column in range(len(near))]
    while len(groups) > 1:
        best = int(near.argmax())
        first, second = sorted((best // len(near), best % len(near)))
        if near[first, second] < at:
            break
        groups[first] = sorted([*groups[first], *groups.pop(second)])
        near[first] = near[:, first] = np.minimum(near[first], near[second])
        near = np.delete(np.delete(near, second, 0), second, 1)
    return sorted(tuple(group) for group in groups)
