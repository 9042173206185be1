"""Models in which users look at one rank after another from the top, until they leave the list.

A user who looks at rank r goes on to r + 1 with probability `on_skip` without a click there, and `on_click` after one.
The cascade, dependent click, dynamic Bayesian and click chain models are such chains.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from neraca.online.click_models.click_log import Bools, Floats, Ints, Sample, sums
from neraca.online.click_models.model import ClickModel, Likelihood, log_of_click


class Chain(NamedTuple):
    """Probabilities at each rank of some lists, each of shape (n, depth).

    Attributes
    ----------
    attraction
        Probability of a click if the user looks; 0 below the end of a list.
    on_skip, on_click
        Probability of looking at the next rank, without a click and after a click.
    """

    attraction: Floats
    on_skip: Floats
    on_click: Floats

    def views(self) -> Floats:
        """Return the probability that each rank is looked at, shape (n, depth), without knowledge of clicks."""
        looks = np.ones_like(self.attraction)
        for rank in range(looks.shape[1] - 1):
            a = self.attraction[:, rank]
            looks[:, rank + 1] = looks[:, rank] * ((1 - a) * self.on_skip[:, rank] + a * self.on_click[:, rank])
        return looks

    def views_given(self, clicks: Bools) -> Floats:
        """Return the probability that each rank is looked at given the clicks above it, shape (n, depth)."""
        looks = np.ones_like(self.attraction)
        for rank in range(looks.shape[1] - 1):
            a, look = self.attraction[:, rank], looks[:, rank]
            skipped = look * (1 - a) / np.maximum(1 - look * a, 1e-300)
            looks[:, rank + 1] = np.where(clicks[:, rank], self.on_click[:, rank], skipped * self.on_skip[:, rank])
        return looks


class Posterior(NamedTuple):
    """Probabilities given the clicks on lists, each of shape (n, depth).

    Attributes
    ----------
    looked
        The probability that each rank was looked at, given all clicks of the list.
    went_on
        The probability that the user went on to the next rank, given a look at this rank and all clicks.
    predicted
        The probability of a click, given only the clicks above.
    """

    looked: Floats
    went_on: Floats
    predicted: Floats


def posterior(chain: Chain, clicks: Bools) -> Posterior:
    """Compute the posterior by a backward pass over each list: a click below shows that the user went on.

    At the last rank of a list no click below can be seen, so `went_on` there is the prior probability.
    """
    looks_given_above = chain.views_given(clicks)
    click_from_here = np.flip(np.maximum.accumulate(np.flip(clicks, axis=1), axis=1), axis=1)  # a click here or below
    looked, went_on = np.empty_like(looks_given_above), np.empty_like(looks_given_above)
    if_on = np.ones(len(looks_given_above))  # likelihood of all clicks below, given a look at the next rank
    if_off = np.ones(len(looks_given_above))
    for rank in reversed(range(looks_given_above.shape[1])):
        on = np.where(clicks[:, rank], chain.on_click[:, rank], chain.on_skip[:, rank])
        below = on * if_on + (1 - on) * if_off
        went_on[:, rank] = on * if_on / np.maximum(below, 1e-300)
        a = chain.attraction[:, rank]
        if_on = np.where(clicks[:, rank], a, 1 - a) * below
        if_off = np.where(click_from_here[:, rank], 0.0, 1.0)
        look = looks_given_above[:, rank]
        looked[:, rank] = look * if_on / np.maximum(look * if_on + (1 - look) * if_off, 1e-300)
    return Posterior(looked, went_on, looks_given_above * chain.attraction)


class ChainModel(ClickModel):
    """A click model in which users look at one rank after another."""

    @abstractmethod
    def chain(self, pairs: Ints) -> Chain:
        """Return the probabilities for lists of pairs, shape (n, depth), with -1 below the end of a list."""

    def likelihood(self, sample: Sample) -> Likelihood:
        """Return the log-likelihood of the clicks in a sample by rank; see `ClickModel.likelihood`."""
        sums = np.zeros((3, sample.depth))
        for block in sample.blocks():
            chain, weight = self.chain(block.pairs), (block.pairs >= 0) * block.times[:, None]
            for row, looks in enumerate((chain.views_given(block.clicks), chain.views())):
                sums[row] += (weight * log_of_click(looks * chain.attraction, block.clicks)).sum(axis=0)
            sums[2] += weight.sum(axis=0)
        return Likelihood(*sums)

    def views(self, sample: Sample) -> Floats:
        """Return the probability that each rank is looked at, averaged over the lists that reach it."""
        looks, n = np.zeros(sample.depth), np.zeros(sample.depth)
        for block in sample.blocks():
            weight = (block.pairs >= 0) * block.times[:, None]
            looks += (weight * self.chain(block.pairs).views()).sum(axis=0)
            n += weight.sum(axis=0)
        result: Floats = np.divide(looks, n, out=np.full(sample.depth, np.nan), where=n > 0)
        return result

    def simulate(self, rng: np.random.Generator, pairs: Ints) -> Bools:
        """Simulate clicks on lists of pairs; see `ClickModel.simulate`."""
        chain = self.chain(pairs)
        clicks, looks = np.zeros(pairs.shape, dtype=bool), np.ones(len(pairs), dtype=bool)
        for rank in range(pairs.shape[1]):
            clicks[:, rank] = looks & (rng.random(len(pairs)) < chain.attraction[:, rank])
            on = np.where(clicks[:, rank], chain.on_click[:, rank], chain.on_skip[:, rank])
            looks &= rng.random(len(pairs)) < on
        return clicks


def of_pairs(values: Floats, pairs: Ints) -> Floats:
    """Return the value of each pair in lists of pairs; 0 below the end of a list."""
    result: Floats = np.where(pairs >= 0, values[pairs], 0.0)
    return result


def sums_by_pair(pairs: Ints, values: Floats, n: int) -> Floats:
    """Return the sum of the values of each pair, shape (n,).  Ignore values below the end of a list."""
    in_list = pairs >= 0
    return sums(pairs[in_list], values[in_list], n)


def rank_below(pairs: Ints) -> Bools:
    """Return whether the list has a document below each rank, shape (n, depth)."""
    has_next = np.zeros(pairs.shape, dtype=bool)
    has_next[:, :-1] = pairs[:, 1:] >= 0
    return has_next
