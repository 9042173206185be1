"""Click models fitted to a log: how far users look, with intervals, and how well clicks are predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neraca.errors import InputError, SpecError
from neraca.online.click_models.click_log import ClickLog, Floats, Ints, Sample
from neraca.online.click_models.model import CLICK_MODELS, ClickModel, Likelihood
from neraca.stats.interval import keep_in_range, t_quantile

#: Groups of queries that are left out one after the other; with fewer queries than `FEWEST` there is no interval.
GROUPS, FEWEST = 20, 5


@dataclass(frozen=True)
class Prediction:
    """How well a model predicts clicks.

    Attributes
    ----------
    searches
        How many were predicted.
    log_likelihood
        Natural logarithm of the probability of all clicks of a search, on average.
    perplexity, by_rank
        2 to the mean number of bits that a click or no click costs at a rank, nothing being known of the clicks above:
        1 is perfect, 2 is a coin; over all ranks it is their mean.
    """

    searches: int
    log_likelihood: float
    perplexity: float
    by_rank: Floats

    @classmethod
    def of(cls, likelihood: Likelihood, searches: int) -> Prediction:
        """Return what a likelihood says of this many searches; NaN of none."""
        there = likelihood.n > 0
        by_rank = np.full(len(there), np.nan)
        by_rank[there] = np.exp(-likelihood.marginal[there] / likelihood.n[there])
        total = float(likelihood.conditional.sum()) / searches if searches else np.nan
        return cls(searches, total, float(by_rank[there].mean()) if there.any() else np.nan, by_rank)


@dataclass(frozen=True)
class Bounded:
    """Values with their intervals, each of shape (k,); NaN where there is none."""

    value: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class ModelFit:
    """A model fitted to a log.

    Attributes
    ----------
    name, model
        Such as `PBM`, and the fitted model.
    prediction
        Of the searches that were held out, else of those that it was fitted on.
    views
        The probability that each rank is looked at, shape (depth,).
    continuation
        C(i) = V(i+1) / V(i), at most 1, shape (depth - 1,).
    parameters
        Name → parameters that belong to no document.
    groups
        Groups of queries that the intervals rest on; 0 without intervals.
    """

    name: str
    model: ClickModel
    prediction: Prediction
    views: Bounded
    continuation: Bounded
    parameters: dict[str, Bounded]
    groups: int


def fit_models(log: ClickLog, names: Sequence[str]) -> tuple[list[ModelFit], dict[str, str]]:
    """Fit models without intervals.

    Parameters
    ----------
    log
        The counts.
    names
        Such as `PBM`; each raises `SpecError` where it is unknown.

    Returns
    -------
    tuple
        The fits, the one with the highest log-likelihood of a search first, and name → why a model of several could
        not be fitted.  A single model that cannot be fitted raises `InputError`.
    """
    fits, refused = [], {}
    for name in names:
        kind = CLICK_MODELS.get(name)
        try:
            model = kind.fit(log.fitted, log.pairs)
        except InputError as error:
            if len(names) == 1:
                raise
            refused[name] = str(error)
            continue
        fits.append(_described(name, model, log))
    if not fits:
        raise InputError("; ".join(refused.values()))
    return sorted(fits, key=lambda fit: -fit.prediction.log_likelihood), refused


def _described(name: str, model: ClickModel, log: ClickLog) -> ModelFit:
    sample = log.held_out if log.held_out.searches else log.fitted
    prediction = Prediction.of(model.likelihood(sample), sample.searches)
    found = _numbers(model, log.fitted)
    bounded = {key: Bounded(value, np.full_like(value, np.nan), np.full_like(value, np.nan)) for key, value in found}
    views, continuation = bounded.pop("views"), bounded.pop("continuation")
    return ModelFit(name, model, prediction, views, continuation, bounded, 0)


def _numbers(model: ClickModel, sample: Sample) -> list[tuple[str, Floats]]:
    views = model.views(sample)
    return [("views", views), ("continuation", continuation_of(views)), *model.parameters().items()]


def continuation_of(views: Floats) -> Floats:
    """C(i) = V(i+1) / V(i), at most 1; shape (depth,) -> (depth - 1,).

    >>> continuation_of(np.array([1.0, 0.5, 0.25]))
    array([0.5, 0.5])
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.minimum(views[1:] / views[:-1], 1.0)
    return result


def with_intervals(fit: ModelFit, log: ClickLog, groups: int = GROUPS, level: float = 0.95) -> ModelFit:
    r"""Give a fit its intervals by the delete-a-group jackknife over queries.

    The queries are dealt to $G$ groups of about as many searches.  The model is fitted without each group; from the
    estimates $\hat\theta_{(g)}$ with mean $\bar\theta$,

    $$ se^2 = \frac{G-1}{G} \sum_g (\hat\theta_{(g)} - \bar\theta)^2 $$

    and the interval is $\hat\theta \pm t_{G-1} se$; a bound beyond 0 or 1 is replaced (`keep_in_range`).  Searches for
    one query are one source of chance, and the model need not be right for the interval to hold.  With fewer than
    `FEWEST` queries there is none.

    References
    ----------
    Kott, P. S. (2001). The delete-a-group jackknife. J. Official Statistics 17, 521-526.
    """
    group = groups_of_queries(log.searches_of_query, groups)
    n = int(group.max(initial=-1)) + 1
    if n < FEWEST:
        return fit
    found: dict[str, list[Floats]] = {}
    for number in range(n):
        sample = log.fitted.of_pairs(group[log.query] != number)
        try:
            model = type(fit.model).fit(sample, log.pairs, start=fit.model)
        except InputError:  # without these queries no two ranks can be compared: nothing shows the chance
            return fit
        for key, value in _numbers(model, sample):
            found.setdefault(key, []).append(value)
    quantile = t_quantile(level, n - 1)

    def bounded(key: str, value: Floats) -> Bounded:
        each = np.array(found[key])
        half = quantile * np.sqrt((n - 1) / n * ((each - each.mean(axis=0)) ** 2).sum(axis=0))
        half = np.where(half > 0, half, np.nan)  # what is 1 by definition has no chance in it
        pairs = zip(value.ravel().tolist(), half.ravel().tolist(), strict=True)
        ends = np.array([keep_in_range(v, (v - h, v + h), (0.0, 1.0), n, most_c=quantile**2 / n) for v, h in pairs])
        low, high = ends.reshape(-1, 2).T.reshape(2, *value.shape)
        return Bounded(value, low, high)

    parameters = {key: bounded(key, one.value) for key, one in fit.parameters.items()}
    views, continuation = bounded("views", fit.views.value), bounded("continuation", fit.continuation.value)
    return ModelFit(fit.name, fit.model, fit.prediction, views, continuation, parameters, n)


def groups_of_queries(searches: Ints, groups: int) -> Ints:
    """Deal queries to groups, those with most searches first, to and fro; queries without searches get -1.

    >>> groups_of_queries(np.array([5, 9, 0, 7, 1]), 2).tolist()
    [1, 0, -1, 1, 0]
    """
    order = np.argsort(-searches, kind="stable")
    order = order[searches[order] > 0]
    place = np.arange(len(order))
    to_and_fro = np.where(place // groups % 2 == 0, place % groups, groups - 1 - place % groups)
    group = np.full(len(searches), -1, dtype=np.int64)
    group[order] = to_and_fro
    return group


def read_names(words: Sequence[str]) -> list[str]:
    """The models of `PBM DCM` or `all`, each once; raises `SpecError` for an unknown one."""
    names = [name for word in words for name in word.replace(",", " ").split()]
    if "all" in names:
        return CLICK_MODELS.names()
    for name in names:
        CLICK_MODELS.get(name)
    if not names:
        raise SpecError(f"name a click model: {', '.join(CLICK_MODELS.names())} or all")
    return list(dict.fromkeys(names))
