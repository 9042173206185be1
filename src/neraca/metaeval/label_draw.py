"""Draw the questions that people label, by one of three strategies, with the chance of each question.

No strategy ever gives a question that can be labelled the chance 0, so that the corrected mean stays unbiased whatever
the judge is worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.scores.unit import Ints
from neraca.stats.intervals.interval import Floats
from neraca.stats.planning.label_planning import neyman
from neraca.stats.planning.systematic_sampling import draw_by_weight, inclusion_chances

UNIFORM, STRATIFIED, UNCERTAIN = "uniform", "stratified", "uncertain"
#: How questions can be drawn.
STRATEGIES = (STRATIFIED, UNIFORM, UNCERTAIN)
#: Number of strata of questions with similar values, and the least number of questions in each.
STRATA, LEAST = 4, 10
#: Least number of labels of a stratum, so that its variance can be estimated.
LEAST_LABELS = 5
#: The part of the chance that is the same for all questions if chances grow with uncertainty.
EQUAL_PART = 0.5


class LabelDraw(NamedTuple):
    """The draw of n questions that can be labelled.

    Attributes
    ----------
    drawn
        The drawn rows, in the order in which to rate them.
    strata
        The name of each question's stratum, "" without strata.
    chances
        Shape (n,): the chance of each question to be drawn.
    """

    drawn: list[int]
    strata: Sequence[str]
    chances: Floats


def draw_labels(strategy: str, values: Floats, uncertainty: Floats, labels: int, seed: int) -> LabelDraw:
    """Draw questions.

    Parameters
    ----------
    strategy
        `stratified`: from each group of similar values, more from the larger and less certain; `uniform`: all with the
        same chance; `uncertain`: half of the chance is the same for all, the other half grows with `uncertainty`.
    values
        Shape (n,): the judge's value of each question, or the difference of two runs.
    uncertainty
        Shape (n,): from `uncertainty_of`; used by `uncertain` alone.
    labels
        The number of questions to draw, at most n.

    Raises
    ------
    SpecError
        If nothing shows how uncertain the judge is.
    """
    n, rng = len(values), np.random.default_rng(seed)
    if strategy == UNIFORM:
        return LabelDraw(rng.permutation(n)[:labels].tolist(), [""] * n, np.full(n, labels / n))
    if strategy == UNCERTAIN:
        if not uncertainty.sum() > 0:
            raise SpecError(
                "nothing shows how uncertain this judge is: its values are all 0 or 1, and no other judge decided on "
                "the same answers. Judge with a second model, or draw with --strategy stratified"
            )
        weights = (EQUAL_PART * uncertainty.mean() + (1 - EQUAL_PART) * uncertainty).tolist()
        rows = [row for row, _ in draw_by_weight(weights, labels, Random(seed))]
        return LabelDraw(rng.permutation(rows).tolist(), [""] * n, np.array(inclusion_chances(weights, labels)))
    strata = _strata(values)
    sizes = [int((strata == s).sum()) for s in range(int(strata.max()) + 1)]
    spreads = np.array([_doubt(values, float(values[strata == s].mean())) for s in range(len(sizes))])
    labels_of_strata = neyman(sizes, spreads, labels, LEAST_LABELS)
    chosen = np.concatenate(
        [rng.choice(np.flatnonzero(strata == s), k, replace=False) for s, k in enumerate(labels_of_strata)]
    )
    chances = np.array([labels_of_strata[s] / sizes[s] for s in strata.tolist()])
    return LabelDraw(rng.permutation(chosen).tolist(), [f"{s + 1}" for s in strata.tolist()], chances)


def uncertainty_of(metric: Metric, values: Sequence[Floats], opinions: Sequence[Sequence[Floats]]) -> Floats:
    r"""Return how uncertain the judge is of each question, shape (n,), as a standard deviation.

    For one run it is the larger of two numbers: $\sqrt{p (1 - p)}$ with the judge's value $p$ as a share of the
    metric's range, times the range, and the standard deviation of the values of all judges.  For a difference, the
    squares of both runs are added.

    Parameters
    ----------
    values
        For each of the one or two runs, the judge's values, shape (n,).
    opinions
        For each further judge, its values for each run; NaN where it did not decide.
    """
    low, high = metric.definition.limits
    variance = np.zeros(len(values[0]))
    for place, of_run in enumerate(values):
        graded = np.zeros(len(of_run))
        if math.isfinite(low) and math.isfinite(high):
            shares = np.clip((of_run - low) / (high - low), 0, 1)
            graded = np.sqrt(shares * (1 - shares)) * (high - low)
        columns = np.column_stack([of_run, *(judge[place] for judge in opinions)])
        counts = np.maximum((~np.isnan(columns)).sum(axis=1), 1)
        means = np.nansum(columns, axis=1) / counts
        spread = np.sqrt(np.nansum((columns - means[:, None]) ** 2, axis=1) / counts)
        variance += np.maximum(graded, spread) ** 2
    uncertainty: Floats = np.sqrt(variance)
    return uncertainty


def _strata(values: Floats) -> Ints:
    """Return the stratum of each question, 0 for the lowest values; each stratum has at least `LEAST` questions."""
    levels = np.unique(values)
    edges = levels[1:] if len(levels) <= STRATA else np.unique(np.quantile(values, np.arange(1, STRATA) / STRATA))
    numbers = np.searchsorted(edges, values, side="right")
    for code in range(int(numbers.max()), -1, -1):
        if 0 < (numbers == code).sum() < LEAST and len(np.unique(numbers)) > 1:
            numbers[numbers == code] = code - 1 if code else np.unique(numbers)[1]
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def _doubt(values: Floats, middle: float) -> float:
    """Return the expected standard deviation of people's labels among questions whose values have this mean.

    Values from 0 to 1 are most doubtful in the middle. Differences are more doubtful the larger they are.
    """
    if values.min() < 0:
        return 0.25 + 0.5 * abs(middle)
    towards = 0.15 + 0.7 * min(max(middle, 0.0), 1.0)
    return math.sqrt(towards * (1 - towards))
