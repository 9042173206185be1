"""Fit click models to a log: how far users look, with intervals, and how well each model predicts clicks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from neraca.errors import InputError, SpecError
from neraca.online.click_models.click_log import ClickLog, Floats, Ints, Sample
from neraca.online.click_models.model import CLICK_MODELS, ClickModel, Likelihood
from neraca.stats.intervals.interval import keep_in_range, t_quantile

#: Number of groups of queries in the jackknife, and the fewest groups that give an interval.
GROUPS, FEWEST = 20, 5


@dataclass(frozen=True)
class Prediction:
    """The quality of a model's predictions of clicks.

    Attributes
    ----------
    searches
        Number of searches predicted.
    log_likelihood
        Mean over searches of the natural logarithm of the probability of all clicks of a search.
    perplexity, by_rank
        Perplexity of click or no click at a rank without knowledge of the clicks above, shape (depth,), and its mean
        over ranks.  1 is perfect; 2 is as good as a coin toss.
    """

    searches: int
    log_likelihood: float
    perplexity: float
    by_rank: Floats

    @classmethod
    def of(cls, likelihood: Likelihood, searches: int) -> Prediction:
        """Compute the quality from the likelihood of this many searches; NaN if there are none."""
        has_impressions = likelihood.n > 0
        by_rank = np.full(len(has_impressions), np.nan)
        by_rank[has_impressions] = np.exp(-likelihood.marginal[has_impressions] / likelihood.n[has_impressions])
        log_likelihood = float(likelihood.conditional.sum()) / searches if searches else np.nan
        return cls(
            searches,
            log_likelihood,
            float(by_rank[has_impressions].mean()) if has_impressions.any() else np.nan,
            by_rank,
        )


@dataclass(frozen=True)
class Bounded:
    """Values with their intervals, each of shape (k,); NaN if a value or an interval is unknown."""

    value: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class ModelFit:
    """A model fitted to a log.

    Attributes
    ----------
    name, model
        The name, such as `PBM`, and the fitted model.
    prediction
        The quality of predictions for the searches held out or, if there are none, for those fitted on.
    views
        The probability that each rank is looked at, shape (depth,).
    continuation
        C(i) = V(i+1) / V(i), at most 1, shape (depth - 1,).
    parameters
        Name → parameters that do not belong to a document.
    groups
        Number of groups of queries in the jackknife; 0 without intervals, or with those of the model's own formula.
    queries
        Effective number of queries that intervals by the model's own formula rest on; 0 without.
    """

    name: str
    model: ClickModel
    prediction: Prediction
    views: Bounded
    continuation: Bounded
    parameters: dict[str, Bounded]
    groups: int
    queries: float = 0.0


def fit_models(log: ClickLog, names: Sequence[str]) -> tuple[list[ModelFit], dict[str, str]]:
    """Fit models without intervals.

    Parameters
    ----------
    log
        The counts.
    names
        Names of models, such as `PBM`.

    Returns
    -------
    tuple
        The fits, the one with the highest log-likelihood first, and name → why the model could not be fitted.

    Raises
    ------
    SpecError
        A name is unknown.
    InputError
        No model can be fitted.
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
        fits.append(_summarize(name, model, log))
    if not fits:
        raise InputError("; ".join(refused.values()))
    return sorted(fits, key=lambda fit: -fit.prediction.log_likelihood), refused


def _summarize(name: str, model: ClickModel, log: ClickLog) -> ModelFit:
    sample = log.held_out if log.held_out.searches else log.fitted
    prediction = Prediction.of(model.likelihood(sample), sample.searches)
    estimates = _estimates(model, log.fitted)
    bounded = {
        key: Bounded(value, np.full_like(value, np.nan), np.full_like(value, np.nan)) for key, value in estimates
    }
    views, continuation = bounded.pop("views"), bounded.pop("continuation")
    return ModelFit(name, model, prediction, views, continuation, bounded, 0)


def _estimates(model: ClickModel, sample: Sample) -> list[tuple[str, Floats]]:
    views = model.views(sample)
    return [("views", views), ("continuation", continuation_of(views)), *model.parameters().items()]


def continuation_of(views: Floats) -> Floats:
    """Return C(i) = V(i+1) / V(i), at most 1; shape (depth,) -> (depth - 1,).

    >>> continuation_of(np.array([1.0, 0.5, 0.25]))
    array([0.5, 0.5])
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.minimum(views[1:] / views[:-1], 1.0)
    return result


def with_intervals(fit: ModelFit, log: ClickLog, groups: int = GROUPS, level: float = 0.95) -> ModelFit:
    r"""Add intervals to a fit by the model's own formula or, if it has none, by the delete-a-group jackknife.

    The queries are divided into $G$ groups with similar numbers of searches.  The model is fitted without each group;
    from the estimates $\hat\theta_{(g)}$ with mean $\bar\theta$,

    $$ se^2 = \frac{G-1}{G} \sum_g (\hat\theta_{(g)} - \bar\theta)^2 $$

    and the interval is $\hat\theta \pm t_{G-1} se$; a bound beyond 0 or 1 is replaced (`keep_in_range`).  The interval
    allows for correlation among searches for the same query, and is valid even if the model is wrong.  Return the fit
    without intervals if there are fewer than `FEWEST` queries, or if the model cannot be fitted without one of the
    groups.

    References
    ----------
    Kott, P. S. (2001). The delete-a-group jackknife. J. Official Statistics 17, 521-526.
    """
    group = groups_of_queries(log.searches_of_query, groups)
    n = int(group.max(initial=-1)) + 1
    if n < FEWEST:
        return fit
    own_intervals = fit.model.intervals(log.fitted, log.query, level)
    if own_intervals is not None:
        ends, queries = own_intervals
        views, continuation = (
            Bounded(estimate.value, *ends[key])
            for key, estimate in (("views", fit.views), ("continuation", fit.continuation))
        )
        return replace(fit, views=views, continuation=continuation, queries=queries)
    estimates: dict[str, list[Floats]] = {}
    for left_out_group in range(n):
        sample = log.fitted.of_pairs(group[log.query] != left_out_group)
        try:
            model = type(fit.model).fit(sample, log.pairs, start=fit.model)
        except InputError:  # without these queries no two ranks can be compared, so the error is unknown
            return fit
        for key, value in _estimates(model, sample):
            estimates.setdefault(key, []).append(value)
    quantile = t_quantile(level, n - 1)

    def bounded(key: str, value: Floats) -> Bounded:
        by_group = np.array(estimates[key])
        half = quantile * np.sqrt((n - 1) / n * ((by_group - by_group.mean(axis=0)) ** 2).sum(axis=0))
        half = np.where(half > 0, half, np.nan)  # a value that is 1 by definition has no interval
        pairs = zip(value.ravel().tolist(), half.ravel().tolist(), strict=True)
        ends = np.array([keep_in_range(v, (v - h, v + h), (0.0, 1.0), n, most_c=quantile**2 / n) for v, h in pairs])
        low, high = ends.reshape(-1, 2).T.reshape(2, *value.shape)
        return Bounded(value, low, high)

    parameters = {key: bounded(key, estimate.value) for key, estimate in fit.parameters.items()}
    views, continuation = bounded("views", fit.views.value), bounded("continuation", fit.continuation.value)
    return ModelFit(fit.name, fit.model, fit.prediction, views, continuation, parameters, n)


def groups_of_queries(searches: Ints, groups: int) -> Ints:
    """Divide queries into groups with similar numbers of searches; queries without searches get -1.

    Deal the queries in order of decreasing searches, to the groups in turn, forwards and then backwards.

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


def read_names(texts: Sequence[str]) -> list[str]:
    """Return the names of models in texts such as `PBM DCM` or `all`, without repeats.

    Raise `SpecError` if a name is unknown or there is none.
    """
    names = [name for text in texts for name in text.replace(",", " ").split()]
    if "all" in names:
        return CLICK_MODELS.names()
    for name in names:
        CLICK_MODELS.get(name)
    if not names:
        raise SpecError(f"name a click model: {', '.join(CLICK_MODELS.names())} or all")
    return list(dict.fromkeys(names))
