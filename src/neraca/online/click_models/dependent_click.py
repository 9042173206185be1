"""DCM, the dependent click model: after a click users go on with a probability that depends on the rank."""

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

#: Prior of the probabilities of going on after a click: one success and one failure.
EVEN = Prior()


@CLICK_MODELS.register("DCM")
class DependentClick(ChainModel):
    r"""The dependent click model.

    Users always go on after a skip.  After a click at rank r they go on with probability $\lambda_r$.  The paper
    assumes that users stop looking at their last click, which is fast but underestimates their patience.  Here EM
    estimates how far they looked below the last click.

    References
    ----------
    Guo, F., Liu, C. and Wang, Y. M. (2009). Efficient multiple-click models in web search. WSDM, 124-131.
    """

    title = "dependent click model"
    idea = "users read on until a click satisfies them, which depends on the rank of the click"
    how = "EM over lists and patterns of clicks"

    def __init__(self, attraction: Floats, after_click: Floats, *, converged: bool = True) -> None:
        self.attraction = attraction
        self.after_click = after_click
        self.converged = converged

    @classmethod
    def fit(cls, sample: Sample, pairs: int, *, prior: Prior | None = None, start: Self | None = None) -> Self:
        """Fit the model; see `ClickModel.fit`."""
        document_prior, depth = prior or attraction_prior(sample), sample.depth

        def step(parameters: Floats) -> tuple[Floats, float]:
            model = cls(parameters[:pairs], parameters[pairs:])
            counts, log_likelihood = model._expected(sample)
            objective = document_prior.log(model.attraction) + EVEN.log(model.after_click) + log_likelihood
            clicked, looked, went_on, tried = np.split(counts, np.cumsum([pairs, pairs, depth]))
            return np.concatenate([document_prior.share(clicked, looked), EVEN.share(went_on, tried)]), objective

        start_values = np.concatenate([np.full(pairs, document_prior.mean), np.full(depth, 0.5)])
        if start is not None:
            start_values = np.concatenate([start.attraction, np.nan_to_num(start.after_click, nan=0.5)])
        solution = accelerated_em(step, start_values)
        model = cls(solution.parameters[:pairs], solution.parameters[pairs:], converged=solution.converged)
        tried = model._expected(sample)[0][-depth:]
        model.after_click[tried == 0] = np.nan
        return model

    def chain(self, pairs: Ints) -> Chain:
        """Return a chain in which users go on after a skip, and after a click with the probability of its rank."""
        after = np.broadcast_to(np.nan_to_num(self.after_click, nan=EVEN.mean), pairs.shape)
        return Chain(of_pairs(self.attraction, pairs), np.ones(pairs.shape), after)

    def _expected(self, sample: Sample) -> tuple[Floats, float]:
        """Return the expected successes and trials of each parameter, and the log-likelihood."""
        pairs, depth = len(self.attraction), sample.depth
        clicked, looked_at, went_on, tried = np.zeros(pairs), np.zeros(pairs), np.zeros(depth), np.zeros(depth)
        total = 0.0
        for block in sample.blocks():
            weight = block.times[:, None]
            posteriors = posterior(self.chain(block.pairs), block.clicks)
            total += float(((block.pairs >= 0) * weight * log_of_click(posteriors.predicted, block.clicks)).sum())
            clicked_above = block.clicks * rank_below(block.pairs) * weight
            went_on += (clicked_above * posteriors.went_on).sum(axis=0)
            tried += clicked_above.sum(axis=0)
            clicked += sums_by_pair(block.pairs, block.clicks * weight, pairs)
            looked_at += sums_by_pair(block.pairs, posteriors.looked * weight, pairs)
        return np.concatenate([clicked, looked_at, went_on, tried]), total

    def parameters(self) -> dict[str, Floats]:
        """Return the parameter `after_click`, shape (depth,); NaN at ranks without clicks and at the last rank."""
        return {"after_click": self.after_click}
