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
from neraca.stats.accelerated_em import accelerated_em

#: Of going on after a click: one success and one failure.
EVEN = Prior()


@CLICK_MODELS.register("DCM")
class DependentClick(ChainModel):
    r"""The dependent click model.

    Users go on without a click; after a click at rank r they go on with probability $\lambda_r$.  The paper takes the
    last click for the last look, which is quick and lets users seem less patient than they are; here EM weighs how far
    below the last click they looked.

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
        known, depth = prior or attraction_prior(sample), sample.depth

        def step(x: Floats) -> tuple[Floats, float]:
            model = cls(x[:pairs], x[pairs:])
            counts, log_likelihood = model._expected(sample)
            objective = known.log(model.attraction) + EVEN.log(model.after_click) + log_likelihood
            clicked, looked, went_on, tried = np.split(counts, np.cumsum([pairs, pairs, depth]))
            return np.concatenate([known.share(clicked, looked), EVEN.share(went_on, tried)]), objective

        first = np.concatenate([np.full(pairs, known.mean), np.full(depth, 0.5)])
        if start is not None:
            first = np.concatenate([start.attraction, np.nan_to_num(start.after_click, nan=0.5)])
        found = accelerated_em(step, first)
        model = cls(found.parameters[:pairs], found.parameters[pairs:], converged=found.converged)
        tried = model._expected(sample)[0][-depth:]
        model.after_click[tried == 0] = np.nan
        return model

    def chain(self, pairs: Ints) -> Chain:
        """Everybody goes on without a click, after one with the probability of the rank."""
        after = np.broadcast_to(np.nan_to_num(self.after_click, nan=EVEN.mean), pairs.shape)
        return Chain(of_pairs(self.attraction, pairs), np.ones(pairs.shape), after)

    def _expected(self, sample: Sample) -> tuple[Floats, float]:
        """Expected successes and tries of each parameter, and the log-likelihood."""
        pairs, depth = len(self.attraction), sample.depth
        clicked, looked_at, went_on, tried = np.zeros(pairs), np.zeros(pairs), np.zeros(depth), np.zeros(depth)
        total = 0.0
        for block in sample.blocks():
            weight = block.times[:, None]
            found = posterior(self.chain(block.pairs), block.clicks)
            total += float(((block.pairs >= 0) * weight * log_of_click(found.predicted, block.clicks)).sum())
            above = block.clicks * rank_below(block.pairs) * weight
            went_on += (above * found.went_on).sum(axis=0)
            tried += above.sum(axis=0)
            clicked += sums_by_pair(block.pairs, block.clicks * weight, pairs)
            looked_at += sums_by_pair(block.pairs, found.looked * weight, pairs)
        return np.concatenate([clicked, looked_at, went_on, tried]), total

    def parameters(self) -> dict[str, Floats]:
        """Name → parameters: `after_click` for each rank; NaN where nobody clicked, and at the last rank."""
        return {"after_click": self.after_click}
