"""The interface of click models: fit a log, predict clicks, estimate how far users look, and simulate clicks.

Users read a list from the top.  They click a document if they look at it and it attracts them.  Models differ in what
makes users look at the next rank.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple, Self

import numpy as np

from neraca.online.click_models.click_log import Bools, Floats, Ints, Sample
from neraca.registry import Registry

CLICK_MODELS: Registry[type[ClickModel]] = Registry("click model", "neraca.online.click_models")
#: Least distance of a prediction from 0 and 1, so that a click that a model excludes has a finite log-likelihood.
LEAST = 1e-6


class Prior(NamedTuple):
    """A prior for a probability: `weight` pseudo-trials, of which the share `mean` succeeded.

    The default, weight 2 and mean 1/2, is one success and one failure.
    """

    mean: float = 0.5
    weight: float = 2.0

    @property
    def successes(self) -> float:
        """Number of pseudo-trials that succeeded."""
        return self.mean * self.weight

    def share(self, successes: Floats, looks: Floats) -> Floats:
        """Return the share of successes among looks, including the pseudo-trials."""
        result: Floats = (successes + self.successes) / (looks + self.weight)
        return result

    def log(self, probability: Floats) -> float:
        """Return the log density of the prior at all these probabilities, up to a constant."""
        failures = self.weight - self.successes
        return float((self.successes * np.log(probability) + failures * np.log1p(-probability)).sum())


def attraction_prior(sample: Sample) -> Prior:
    """Return a prior of weight 2 whose mean is the smoothed click-through rate of the first rank in the sample."""
    impressions, clicks = sample.shown_at[0], sample.clicked_at[0]
    return Prior(float((clicks + 1) / (impressions + 2)))


class Likelihood(NamedTuple):
    """The log-likelihood of clicks by rank; each field has shape (depth,).

    Attributes
    ----------
    conditional
        Sum over impressions of the natural logarithm of the probability of click or no click, given the clicks above.
    marginal
        The same sum without knowledge of the clicks above.
    n
        Number of impressions.
    """

    conditional: Floats
    marginal: Floats
    n: Floats


class ClickModel(ABC):
    """A fitted model of clicks."""

    #: Full name, for readers.
    title: ClassVar[str]
    #: The assumption about users, for readers.
    idea: ClassVar[str]
    #: Method of the fit, for readers.
    how: ClassVar[str]
    #: Whether the fit needs patterns of clicks on lists, besides clicks by pair and rank.
    needs_patterns: ClassVar[bool] = True
    #: Attraction of each (query, document) pair, shape (pairs,): the probability of a click given a look.
    attraction: Floats
    #: Whether the fit converged.
    converged: bool = True

    @classmethod
    @abstractmethod
    def fit(cls, sample: Sample, pairs: int, *, prior: Prior | None = None, start: Self | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        sample
            The counts.
        pairs
            Number of pairs; pairs that the sample does not show get the mean of the prior.
        prior
            Prior of attraction; None: `attraction_prior`.
        start
            A fit to start from, which saves iterations; ignored by models with a closed form.
        """

    def intervals(
        self, sample: Sample, query: Ints, level: float = 0.95
    ) -> tuple[dict[str, tuple[Floats, Floats]], float] | None:
        """Return intervals by a formula of the model's own; None: it has none, and a jackknife gives them.

        Parameters
        ----------
        sample
            The counts that the model was fitted on.
        query
            The query of each pair, shape (pairs,).
        level
            Level of the intervals.

        Returns
        -------
        tuple
            `views` and `continuation` → lower and upper bounds, and the effective number of queries that they rest on.
        """
        return None

    @abstractmethod
    def likelihood(self, sample: Sample) -> Likelihood:
        """Return the log-likelihood of the clicks in a sample, by rank."""

    @abstractmethod
    def views(self, sample: Sample) -> Floats:
        """Return the probability that each rank is looked at, averaged over the lists of a sample, shape (depth,).

        NaN: unknown.
        """

    @abstractmethod
    def simulate(self, rng: np.random.Generator, pairs: Ints) -> Bools:
        """Simulate clicks on lists of pairs, shape (n, depth), with -1 below the end of a list; return this shape."""

    def parameters(self) -> dict[str, Floats]:
        """Return the parameters that do not belong to a document, by name; each of shape (depth,) or (1,)."""
        return {}


def log_of_click(probability: Floats, clicks: Bools) -> Floats:
    """Return the log probability of the observations, click or no click."""
    p = np.clip(probability, LEAST, 1 - LEAST)
    result: Floats = np.where(clicks, np.log(p), np.log1p(-p))
    return result
