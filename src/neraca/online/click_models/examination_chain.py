"""Models in which users go down the list one rank after the other, and leave it for good somewhere.

Whoever looks at rank r goes on to r + 1 with the probability `on_skip` after no click there and `on_click` after one.
The cascade, dependent click, dynamic Bayesian and click chain models are such chains.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from neraca.online.click_models.click_log import Bools, Floats, Ints, Sample, sums
from neraca.online.click_models.model import ClickModel, Likelihood, log_of_click


class Chain(NamedTuple):
    """The probabilities of some lists, each of shape (n, depth).

    Attributes
    ----------
    attraction
        Of a click where the user looks; 0 below the end of a list.
    on_skip, on_click
        Of looking at the next rank, after no click and after a click.
    """

    attraction: Floats
    on_skip: Floats
    on_click: Floats

    def views(self) -> Floats:
        """The probability that each rank is looked at, shape (n, depth), nothing being known of clicks."""
        looks = np.ones_like(self.attraction)
        for rank in range(looks.shape[1] - 1):
            a = self.attraction[:, rank]
            looks[:, rank + 1] = looks[:, rank] * ((1 - a) * self.on_skip[:, rank] + a * self.on_click[:, rank])
        return looks

    def views_given(self, clicks: Bools) -> Floats:
        """The same where the clicks above each rank are known."""
        looks = np.ones_like(self.attraction)
        for rank in range(looks.shape[1] - 1):
            a, look = self.attraction[:, rank], looks[:, rank]
            skipped = look * (1 - a) / np.maximum(1 - look * a, 1e-300)
            looks[:, rank + 1] = np.where(clicks[:, rank], self.on_click[:, rank], skipped * self.on_skip[:, rank])
        return looks


class Posterior(NamedTuple):
    """What the clicks of whole lists say, each of shape (n, depth).

    Attributes
    ----------
    looked
        The probability that each rank was looked at.
    went_on
        The probability that the user went on to the next rank, given that the user looked at this one.
    predicted
        The probability of a click given those above.
    """

    looked: Floats
    went_on: Floats
    predicted: Floats


def posterior(chain: Chain, clicks: Bools) -> Posterior:
    """Look back from the end of each list: a click below shows that the user went on.

    Below the end of a list nothing is known, so `went_on` is there what it was before.
    """
    before = chain.views_given(clicks)
    last = np.flip(np.maximum.accumulate(np.flip(clicks, axis=1), axis=1), axis=1)  # a click here or below
    looked, went_on = np.empty_like(before), np.empty_like(before)
    if_on = np.ones(len(before))  # likelihood of all clicks below, given a look at the next rank
    if_off = np.ones(len(before))
    for rank in reversed(range(before.shape[1])):
        on = np.where(clicks[:, rank], chain.on_click[:, rank], chain.on_skip[:, rank])
        below = on * if_on + (1 - on) * if_off
        went_on[:, rank] = on * if_on / np.maximum(below, 1e-300)
        a = chain.attraction[:, rank]
        if_on = np.where(clicks[:, rank], a, 1 - a) * below
        if_off = np.where(last[:, rank], 0.0, 1.0)
        look = before[:, rank]
        looked[:, rank] = look * if_on / np.maximum(look * if_on + (1 - look) * if_off, 1e-300)
    return Posterior(looked, went_on, before * chain.attraction)


class ChainModel(ClickModel):
    """A click model that is a chain."""

    @abstractmethod
    def chain(self, pairs: Ints) -> Chain:
        """Return the probabilities of lists of pairs, shape (n, depth), -1 where nothing stands."""

    def likelihood(self, sample: Sample) -> Likelihood:
        """How well the model predicts these searches."""
        sums = np.zeros((3, sample.depth))
        for block in sample.blocks():
            chain, there = self.chain(block.pairs), (block.pairs >= 0) * block.times[:, None]
            for row, looks in enumerate((chain.views_given(block.clicks), chain.views())):
                sums[row] += (there * log_of_click(looks * chain.attraction, block.clicks)).sum(axis=0)
            sums[2] += there.sum(axis=0)
        return Likelihood(*sums)

    def views(self, sample: Sample) -> Floats:
        """The probability that each rank is looked at, over the lists that reach it."""
        looks, n = np.zeros(sample.depth), np.zeros(sample.depth)
        for block in sample.blocks():
            there = (block.pairs >= 0) * block.times[:, None]
            looks += (there * self.chain(block.pairs).views()).sum(axis=0)
            n += there.sum(axis=0)
        result: Floats = np.divide(looks, n, out=np.full(sample.depth, np.nan), where=n > 0)
        return result

    def simulate(self, rng: np.random.Generator, pairs: Ints) -> Bools:
        """Make clicks up on lists of pairs, shape (n, depth), -1 where nothing stands; returns the same shape."""
        chain = self.chain(pairs)
        clicks, looks = np.zeros(pairs.shape, dtype=bool), np.ones(len(pairs), dtype=bool)
        for rank in range(pairs.shape[1]):
            clicks[:, rank] = looks & (rng.random(len(pairs)) < chain.attraction[:, rank])
            on = np.where(clicks[:, rank], chain.on_click[:, rank], chain.on_skip[:, rank])
            looks &= rng.random(len(pairs)) < on
        return clicks


def of_pairs(values: Floats, pairs: Ints) -> Floats:
    """The value of each pair in lists of pairs; 0 where nothing stands."""
    result: Floats = np.where(pairs >= 0, values[pairs], 0.0)
    return result


def sums_by_pair(pairs: Ints, values: Floats, n: int) -> Floats:
    """The sum of the values of each pair, shape (n,); what stands below a list's end is left out."""
    there = pairs >= 0
    return sums(pairs[there], values[there], n)


def rank_below(pairs: Ints) -> Bools:
    """Whether a document stands below each rank of the same list, shape (n, depth)."""
    more = np.zeros(pairs.shape, dtype=bool)
    more[:, :-1] = pairs[:, 1:] >= 0
    return more
