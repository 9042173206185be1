"""Repeated trials of questions: variance between trials and between questions, and flipped decisions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.stats.intervals.interval import ALL_EQUAL, Estimate, Floats, clustered_error, interval

ONE_QUESTION, NO_DIFFERENT_TRIALS = "a single question", "trials of a question never differ"

#: Values that vary by less than this share of the largest vary only by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Components:
    """The parts of the variance of single values.

    Attributes
    ----------
    between, within
        Variance between questions, and between trials of one question.  `between` is 0 if its estimate is negative
        (`icc` is then negative too), and NaN with a single question.
    icc
        ICC(1,1): the share of the variance of single values that is due to questions; its `n` counts questions.
    icc_mean
        ICC(1,k): the same for the means of k trials.
    items, answers
        The numbers of questions and of values.
    trials
        k: values per question; if their numbers differ, the mean that belongs to the estimate.
    """

    between: float
    within: float
    icc: Estimate
    icc_mean: Estimate
    items: int
    answers: int
    trials: float


def components(values: Floats, level: float = 0.95) -> Components | None:
    r"""Estimate the random effects $y_{it} = \mu + b_i + e_{it}$ of question $i$ and trial $t$, by one-way ANOVA.

    $MS_w = \sum_{it} (y_{it} - \bar y_i)^2 / (N - a)$ and $MS_b = \sum_i k_i (\bar y_i - \bar y)^2 / (a - 1)$ for $a$
    questions with $k_i$ of all $N$ values; $k = (N - \sum k_i^2 / N) / (a - 1)$.  Then `within` is $MS_w$, `between`
    $(MS_b - MS_w) / k$, and $\mathrm{ICC}(1,1) = (MS_b - MS_w) / (MS_b + (k - 1) MS_w)$.

    The intervals come from the F distribution.  They are exact for normal values, equal numbers of trials and
    independent questions, and approximate for sessions and for values that are 0 or 1.  There is no interval if trials
    never differ (ICC = 1) or no values differ (NaN).

    Parameters
    ----------
    values
        Shape (items, trials); NaN: no value.
    level
        Confidence of the intervals.

    Returns
    -------
    Components or None
        None if no question has two values.

    References
    ----------
    Shrout, P. E. and Fleiss, J. L. (1979). Psychol. Bull. 86, 420-428; McGraw, K. O. and Wong, S. P. (1996). Psychol.
    Methods 1, 30-46; Donner, A. (1986). Int. Stat. Rev. 54, 67-82, (unequal numbers).

    Examples
    --------
    >>> parts = components(np.array([[1.0, 3], [5, 7]]))  # means 2 and 6; MSw = 4 / 2, MSb = 16
    >>> parts.within, round(parts.between, 4), round(parts.icc.value, 4), round(parts.icc_mean.value, 4)
    (2.0, 7.0, 0.7778, 0.875)
    """
    means, sizes, residuals = _within(values)
    items, answers = len(means), int(sizes.sum())
    if answers == items:
        return None
    within = _square(residuals, values) / (answers - items)
    if items < 2:
        unknown = Estimate.without_interval(math.nan, items, ONE_QUESTION)
        return Components(math.nan, within, unknown, unknown, items, answers, float(answers))
    trials = (answers - float(sizes @ sizes) / answers) / (items - 1)
    deviations = means - float(sizes @ means) / answers
    between = _square(np.sqrt(sizes) * deviations, values) / (items - 1)
    icc = _icc(between, within, trials, (items, answers), level)
    value, low, high = (_of_means(bound, trials) for bound in (icc.value, icc.low, icc.high))
    of_means = Estimate(value, low, high, items, icc.method, icc.why)
    return Components(max(0.0, (between - within) / trials), within, icc, of_means, items, answers, trials)


def _within(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return means and numbers of values of the items with values, shapes (a,), and all residuals, 0 for NaN."""
    has_value = ~np.isnan(values)
    nonempty = has_value.any(axis=1)
    has_value, filled = has_value[nonempty], np.where(has_value, values, 0.0)[nonempty]
    sizes = has_value.sum(axis=1).astype(np.float64)
    means: Floats = filled.sum(axis=1) / sizes
    return means, sizes, np.where(has_value, filled - means[:, None], 0.0)


def _square(residuals: Floats, values: Floats) -> float:
    """Return the sum of squares of the residuals; 0 if they are only rounding."""
    size = float(np.abs(values[~np.isnan(values)]).max(initial=0.0))
    small = float(np.abs(residuals).max(initial=0.0)) <= _ROUNDING * size
    return 0.0 if small else float((residuals * residuals).sum())


def _icc(between: float, within: float, trials: float, counts: tuple[int, int], level: float) -> Estimate:
    """Return ICC(1,1) of two mean squares."""
    from scipy.special import fdtri

    items, answers = counts
    if not within > 0:
        value = 1.0 if between > 0 else math.nan
        return Estimate.without_interval(value, items, NO_DIFFERENT_TRIALS if between > 0 else ALL_EQUAL)
    df, tail, ratio = (items - 1, answers - items), 0.5 + level / 2, between / within
    low, high = ratio / float(fdtri(*df, tail)), ratio * float(fdtri(*df[::-1], tail))
    value, low, high = ((f - 1) / (f + trials - 1) for f in (ratio, low, high))
    return Estimate(value, low, high, items, "f")


def _of_means(icc: float, trials: float) -> float:
    """Return the ICC of means of this many trials, by Spearman and Brown; -infinity if the means do not differ."""
    whole = 1 + (trials - 1) * icc
    return trials * icc / whole if not whole <= 1e-12 else -math.inf


@dataclass(frozen=True, slots=True)
class ErrorParts:
    """Parts of the standard error of a mean, or of a difference of two means.

    Attributes
    ----------
    error
        Standard error; NaN with a single session.
    share
        Share of its square that is due to trials, 0 to 1; NaN if the error is 0.
    items
        The number of questions.
    """

    error: float
    share: float
    items: int

    def with_more(self, trials: float = 1, items: float = 1) -> float:
        """Return the standard error if the numbers of trials and questions are multiplied by these factors.

        >>> parts = ErrorParts(error=0.1, share=0.36, items=30)
        >>> round(parts.with_more(trials=2), 4), round(parts.with_more(items=2), 4), round(parts.with_more(math.inf), 4)
        (0.0906, 0.0707, 0.08)
        """
        return self.error * math.sqrt((1 - self.share + self.share / trials) / items)


def error_parts(*runs: Floats, clusters: NDArray[np.int64] | None = None) -> ErrorParts | None:
    r"""Split the standard error of the mean over questions of one run, or of the difference of two runs.

    The whole is the usual clustered error of the questions' means.  In each run, trials contribute $MS_w \sum_i (1 /
    k_i) / n^2$ to its square, for $n$ questions with $MS_w$ and $k_i$ as in `components`.  A trial of a session $g$ is
    a whole conversation, in which questions affect each other.  So that sum is multiplied by $\sum_{gt} (\sum_{i \in g}
    e_{it})^2 / \sum_{it} e_{it}^2$ with $e_{it} = (y_{it} - \bar y_i) / k_i$, which is 1 without sessions.

    Parameters
    ----------
    runs
        One or two runs, shape (n, trials) each (trials may differ); NaN: no value.  Questions without a value in one of
        the runs are left out.
    clusters
        Number of each question's session, shape (n,); None: each question is its own.

    Returns
    -------
    ErrorParts or None
        None if a run has no question with two values, or no question is left.

    Examples
    --------
    >>> parts = error_parts(np.array([[1.0, 3], [5, 7]]))  # trials: 2 * (1/2 + 1/2) / 4 = 0.5 of 2 ** 2
    >>> parts.error, parts.share
    (2.0, 0.125)
    """
    scored = np.all([~np.isnan(values).all(axis=1) for values in runs], axis=0)
    groups = None if clusters is None else np.unique(clusters[scored], return_inverse=True)[1]
    chance = [_of_trials(values[scored], groups) for values in runs]
    if not all(part >= 0 for part in chance):
        return None
    means = [_within(values[scored])[0] for values in runs]
    compared = means[0] - means[1] if len(means) > 1 else means[0]
    error, _ = clustered_error(compared, groups)
    size = max(float(np.abs(mean).max()) for mean in means)
    if error <= _ROUNDING * size:
        return ErrorParts(0.0, math.nan, len(compared))
    return ErrorParts(error, min(1.0, sum(chance) / error**2) if error > 0 else math.nan, len(compared))


def _of_trials(values: Floats, groups: NDArray[np.int64] | None) -> float:
    """Return the part of the squared standard error that is due to trials; NaN if no question has two values."""
    means, sizes, residuals = _within(values)
    df = float(sizes.sum()) - len(means)
    if not df:
        return math.nan
    squared = _square(residuals, values) / df * float((1 / sizes).sum()) / len(means) ** 2
    if groups is None or not squared:
        return squared
    weighted = residuals / sizes[:, None]
    sums = np.zeros((int(groups.max()) + 1, values.shape[1]))
    np.add.at(sums, groups, weighted)
    return squared * float((sums * sums).sum()) / float((weighted * weighted).sum())


def flips(passed: Floats, clusters: NDArray[np.int64] | None = None, level: float = 0.95) -> Estimate:
    r"""Estimate the chance that one of two trials of the same question passes and the other does not.

    A question that passes in $c$ of $k$ trials has $c (k - c)$ such pairs of $k (k - 1) / 2$; the result is the mean
    over questions with at least two trials.  Its interval is that of a mean between 0 and 1, or Wilson's if each
    question always or never disagrees; a session is one source of chance.

    Parameters
    ----------
    passed
        1 or 0, shape (items, trials); NaN: no value.
    clusters
        Number of each question's session, shape (items,); None: each question is its own.

    Returns
    -------
    Estimate
        `n` counts the questions with at least two trials; without any, all is NaN.

    Examples
    --------
    >>> chance = flips(np.array([[1.0, 1, 1, 1], [1, 0, 1, 0]]))  # 0 of 6 pairs, and 4 of 6
    >>> round(chance.value, 4), chance.n
    (0.3333, 2)
    """
    times = (~np.isnan(passed)).sum(axis=1)
    repeated = times > 1
    times, yes = times[repeated], np.nansum(passed[repeated], axis=1)
    shares = 2 * yes * (times - yes) / (times * (times - 1))
    groups = None if clusters is None else clusters[repeated]
    rows = np.column_stack([shares, np.ones(len(shares))])
    return interval(rows, clusters=groups, level=level, limits=(0.0, 1.0))
