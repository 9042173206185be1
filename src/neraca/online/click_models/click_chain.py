"""CCM, the click chain model: whether users go on after a click depends on the relevance of the document."""

from __future__ import annotations

from typing import Self

import numpy as np

from neraca.online.click_models.click_log import Floats, Ints, Sample
from neraca.online.click_models.examination_chain import (
    Chain,
    ChainModel,
    of_pairs,
    posterior,
    rank_below,
    sums_by_pair,
)
from neraca.online.click_models.model import CLICK_MODELS, Prior, attraction_prior, log_of_click
from neraca.stats.agreement.accelerated_em import accelerated_em

#: Prior of the probabilities of going on: one success and one failure.
EVEN = Prior()


@CLICK_MODELS.register("CCM")
class ClickChain(ChainModel):
    r"""The click chain model.

    A document attracts with probability $\alpha$, and once clicked satisfies with the same $\alpha$.  Users go on with
    probability $\tau_1$ without a click, $\tau_2$ after a click that did not satisfy and $\tau_3$ after one that did.

    References
    ----------
    Guo, F., Liu, C., Kannan, A., Minka, T., Taylor, M., Wang, Y. M. and Faloutsos, C. (2009). Click chain model in web
    search. WWW, 11-20; Chuklin, A., Markov, I. and de Rijke, M. (2015). Click Models for Web Search, section 3.6.
    """

    title = "click chain model"
    idea = "users go on more or less often after no click, a click that satisfied, and one that did not"
    how = "EM over lists and patterns of clicks"

    def __init__(self, attraction: Floats, going_on: Floats, *, converged: bool = True) -> None:
        self.attraction = attraction
        self.going_on = going_on
        self.converged = converged

    @classmethod
    def fit(cls, sample: Sample, pairs: int, *, prior: Prior | None = None, start: Self | None = None) -> Self:
        """Fit the model; see `ClickModel.fit`."""
        document_prior = prior or attraction_prior(sample)

        def step(parameters: Floats) -> tuple[Floats, float]:
            model = cls(parameters[:pairs], parameters[pairs:])
            counts, log_likelihood = model._expected(sample)
            objective = document_prior.log(model.attraction) + EVEN.log(model.going_on) + log_likelihood
            clicked, looked, went_on, tried = np.split(counts, np.cumsum([pairs, pairs, 3]))
            return np.concatenate([document_prior.share(clicked, looked), EVEN.share(went_on, tried)]), objective

        start_values = np.concatenate([np.full(pairs, document_prior.mean), [0.9, 0.6, 0.4]])
        if start is not None:
            start_values = np.concatenate([start.attraction, start.going_on])
        solution = accelerated_em(step, start_values)
        return cls(solution.parameters[:pairs], solution.parameters[pairs:], converged=solution.converged)

    def chain(self, pairs: Ints) -> Chain:
        """Return the probabilities for lists of pairs; see `ChainModel.chain`."""
        attraction = of_pairs(self.attraction, pairs)
        without, unsatisfied, satisfied = self.going_on
        return Chain(attraction, np.full(pairs.shape, without), unsatisfied * (1 - attraction) + satisfied * attraction)

    def _expected(self, sample: Sample) -> tuple[Floats, float]:
        """Return the expected successes and trials of each parameter, and the log-likelihood.

        The last rank of a list is not used for satisfaction and going on, because no rank follows it.
        """
        pairs = len(self.attraction)
        clicked, looked_at = np.zeros(pairs), np.zeros(pairs)
        went_on_counts, tried = np.zeros(3), np.zeros(3)
        satisfied_on = self.going_on[2]
        total = 0.0
        for block in sample.blocks():
            chain, weight = self.chain(block.pairs), block.times[:, None]
            has_next = rank_below(block.pairs)
            looked, went_on, predicted = posterior(chain, block.clicks)
            total += float(((block.pairs >= 0) * weight * log_of_click(predicted, block.clicks)).sum())
            satisfied_and_on = chain.attraction * satisfied_on / chain.on_click * went_on
            satisfied_and_off = chain.attraction * (1 - satisfied_on) / (1 - chain.on_click) * (1 - went_on)
            satisfied = satisfied_and_on + satisfied_and_off
            clicks_above, skips_above = (
                (weight * has_next * block.clicks),
                (weight * has_next * ~block.clicks) * looked,
            )
            went_on_counts += [
                (skips_above * went_on).sum(),
                (clicks_above * (went_on - satisfied_and_on)).sum(),
                (clicks_above * satisfied_and_on).sum(),
            ]
            tried += [skips_above.sum(), (clicks_above * (1 - satisfied)).sum(), (clicks_above * satisfied).sum()]
            clicked += sums_by_pair(block.pairs, block.clicks * weight + clicks_above * satisfied, pairs)
            looked_at += sums_by_pair(block.pairs, looked * weight + clicks_above, pairs)
        return np.concatenate([clicked, looked_at, went_on_counts, tried]), total

    def parameters(self) -> dict[str, Floats]:
        """Return the parameters `after_skip`, `after_click` and `after_satisfied`, each of shape (1,)."""
        names = ("after_skip", "after_click", "after_satisfied")
        return {name: self.going_on[place : place + 1] for place, name in enumerate(names)}
