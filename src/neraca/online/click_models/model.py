"""What every click model can do: be fitted, predict clicks by rank, say who looks how far down, and make clicks up.

A user sees a list from the top.  `E(r)` is whether rank r is looked at, `C(r)` whether it is clicked.  A document is
clicked only when it is looked at and attracts.  Models differ in what makes a user look at the next rank.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple, Self

import numpy as np

from neraca.online.click_models.click_log import Bools, Floats, Ints, Sample
from neraca.registry import Registry

CLICK_MODELS: Registry[type[ClickModel]] = Registry("click model", "neraca.online.click_models")
#: Predictions stay away from 0 and 1 by this much, so that a click that a model excludes costs a finite amount.
LEAST = 1e-6


class Prior(NamedTuple):
    """What is believed of a probability before any click: so many earlier looks, and the share of them that succeeded.

    With weight 2 and mean 1/2 this is one success and one failure for each parameter.
    """

    mean: float = 0.5
    weight: float = 2.0

    @property
    def successes(self) -> float:
        """Earlier looks that succeeded."""
        return self.mean * self.weight

    def share(self, successes: Floats, looks: Floats) -> Floats:
        """The share of successes with the earlier looks counted in."""
        result: Floats = (successes + self.successes) / (looks + self.weight)
        return result

    def log(self, probability: Floats) -> float:
        """The logarithm of the prior's density of all these probabilities, up to a constant."""
        failures = self.weight - self.successes
        return float((self.successes * np.log(probability) + failures * np.log1p(-probability)).sum())


def attraction_prior(sample: Sample) -> Prior:
    """Two earlier looks at a document that attracts as one at the first rank does on average in this log."""
    shown, clicked = sample.shown_at[0], sample.clicked_at[0]
    return Prior(float((clicked + 1) / (shown + 2)))


class Likelihood(NamedTuple):
    """How well clicks were predicted, by rank, shape (depth,).

    Attributes
    ----------
    conditional
        Sum of the natural logarithms of the probability of each click or no click, given those above it.
    marginal
        The same where nothing is known of those above it.
    n
        Impressions.
    """

    conditional: Floats
    marginal: Floats
    n: Floats


class ClickModel(ABC):
    """A fitted model of clicks."""

    #: Its full name, for people.
    title: ClassVar[str]
    #: What makes a user of this model look at the next rank.
    idea: ClassVar[str]
    #: How it is fitted.
    how: ClassVar[str]
    #: Whether lists with their patterns of clicks are needed, and not only clicks by pair and rank.
    needs_patterns: ClassVar[bool] = True
    #: How attractive each (query, document) pair is, shape (pairs,): the probability that who looks clicks.
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
            How many pairs there are; those that the sample does not show get the mean of the prior.
        prior
            Of attraction; None: that of `attraction_prior`.
        start
            Begin at this fit, which saves steps; a closed form ignores it.
        """

    @abstractmethod
    def likelihood(self, sample: Sample) -> Likelihood:
        """How well the model predicts these searches."""

    @abstractmethod
    def views(self, sample: Sample) -> Floats:
        """The probability that each rank is looked at, over the lists of a sample, shape (depth,); NaN: unknown."""

    @abstractmethod
    def simulate(self, rng: np.random.Generator, pairs: Ints) -> Bools:
        """Make clicks up on lists of pairs, shape (n, depth), -1 where nothing stands; returns the same shape."""

    def parameters(self) -> dict[str, Floats]:
        """Name → parameters that do not belong to a document: one for each rank, or a single one."""
        return {}


def log_of_click(probability: Floats, clicks: Bools) -> Floats:
    """The logarithm of the probability of what happened, a click or none."""
    p = np.clip(probability, LEAST, 1 - LEAST)
    result: Floats = np.where(clicks, np.log(p), np.log1p(-p))
    return result
