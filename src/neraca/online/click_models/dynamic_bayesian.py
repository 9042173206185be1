"""DBN and SDBN, the dynamic Bayesian network models: users stop after a click that satisfies them."""

from __future__ import annotations

from typing import ClassVar, Self

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

#: Prior of satisfaction and of going on: one success and one failure.
EVEN = Prior()


@CLICK_MODELS.register("DBN")
class DynamicBayesian(ChainModel):
    r"""The dynamic Bayesian network model.

    A document attracts with probability $\alpha$, and once clicked it satisfies with probability $\sigma$.  Satisfied
    users leave; others go on with probability $\gamma$.

    References
    ----------
    Chapelle, O. and Zhang, Y. (2009). A dynamic Bayesian network click model for web search ranking. WWW, 1-10;
    Chuklin, A., Markov, I. and de Rijke, M. (2015). Click Models for Web Search, sections 3.7 and 4.3.
    """

    title = "dynamic Bayesian network"
    idea = "users read on until a clicked result satisfies them, or until they give up"
    how = "EM over lists and patterns of clicks"
    #: Fixed value of gamma; None: gamma is fitted.
    fixed: ClassVar[float | None] = None

    def __init__(self, attraction: Floats, satisfaction: Floats, going_on: float, *, converged: bool = True) -> None:
        self.attraction = attraction
        self.satisfaction = satisfaction
        self.going_on = going_on
        self.converged = converged

    @classmethod
    def fit(cls, sample: Sample, pairs: int, *, prior: Prior | None = None, start: Self | None = None) -> Self:
        """Fit the model; see `ClickModel.fit`."""
        document_prior = prior or attraction_prior(sample)

        def step(x: Floats) -> tuple[Floats, float]:
            model = cls(x[:pairs], x[pairs : 2 * pairs], float(x[-1]) if cls.fixed is None else cls.fixed)
            counts, log_likelihood = model._expected(sample)
            objective = document_prior.log(x[:pairs]) + EVEN.log(x[pairs:]) + log_likelihood
            clicked, looked, satisfied, clicks, went_on, tried = np.split(
                counts, np.cumsum([pairs, pairs, pairs, pairs, 1])
            )
            updated = [document_prior.share(clicked, looked), EVEN.share(satisfied, clicks), EVEN.share(went_on, tried)]
            if cls.fixed is not None:
                updated[-1] = np.array([EVEN.mean])  # a constant, because it is not fitted
            return np.concatenate(updated), objective

        start_values = np.concatenate([np.full(pairs, document_prior.mean), np.full(pairs, 0.5), [0.9]])
        if start is not None:
            start_values = np.concatenate([start.attraction, start.satisfaction, [start.going_on]])
        solution = accelerated_em(step, start_values)
        x = solution.parameters
        going_on = float(x[-1]) if cls.fixed is None else cls.fixed
        return cls(x[:pairs], x[pairs : 2 * pairs], going_on, converged=solution.converged)

    def chain(self, pairs: Ints) -> Chain:
        """Return the probabilities for lists of pairs; see `ChainModel.chain`."""
        unsatisfied = 1 - of_pairs(self.satisfaction, pairs)
        on_skip = np.full(pairs.shape, self.going_on)
        return Chain(of_pairs(self.attraction, pairs), on_skip, self.going_on * unsatisfied)

    def _expected(self, sample: Sample) -> tuple[Floats, float]:
        """Return the expected successes and trials of each parameter, and the log-likelihood.

        The last rank of a list is not used for satisfaction and going on, because no rank follows it.
        """
        pairs = len(self.attraction)
        clicked, looked_at, satisfied, clicks = (np.zeros(pairs) for _ in range(4))
        went_on, tried, total = 0.0, 0.0, 0.0
        for block in sample.blocks():
            chain, weight = self.chain(block.pairs), block.times[:, None]
            posteriors, weight_above = posterior(chain, block.clicks), rank_below(block.pairs) * weight
            total += float(((block.pairs >= 0) * weight * log_of_click(posteriors.predicted, block.clicks)).sum())
            stop_probability = np.maximum(1 - chain.on_click, 1e-300)
            p_satisfied: Floats = (1 - posteriors.went_on) * of_pairs(self.satisfaction, block.pairs) / stop_probability
            clicked += sums_by_pair(block.pairs, block.clicks * weight, pairs)
            looked_at += sums_by_pair(block.pairs, posteriors.looked * weight, pairs)
            satisfied += sums_by_pair(block.pairs, block.clicks * weight_above * p_satisfied, pairs)
            clicks += sums_by_pair(block.pairs, block.clicks * weight_above, pairs)
            went_on += float((weight_above * posteriors.looked * posteriors.went_on).sum())
            tried += float((weight_above * np.where(block.clicks, 1 - p_satisfied, posteriors.looked)).sum())
        return np.concatenate([clicked, looked_at, satisfied, clicks, [went_on], [tried]]), total

    def parameters(self) -> dict[str, Floats]:
        """Return the parameter `going_on`, shape (1,), if it is fitted."""
        return {} if self.fixed is not None else {"going_on": np.array([self.going_on])}


@CLICK_MODELS.register("SDBN")
class SimplifiedDynamicBayesian(DynamicBayesian):
    r"""The simplified dynamic Bayesian network model: $\gamma = 1$, so only satisfaction ends a search.

    The paper's algorithm 1 assumes that users stop looking at their last click, which is fast but underestimates their
    patience.  Here EM estimates how far they looked below the last click.

    References
    ----------
    Chapelle, O. and Zhang, Y. (2009). WWW, 1-10 (section 5).
    """

    title = "simplified dynamic Bayesian network"
    idea = "users read on until a clicked result satisfies them"
    fixed = 1.0
