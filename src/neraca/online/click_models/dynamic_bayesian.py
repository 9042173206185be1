"""DBN and SDBN, the dynamic Bayesian network models: a document attracts, and once clicked it satisfies or not."""

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
from neraca.stats.accelerated_em import accelerated_em

#: Of satisfaction after a click, and of going on: one success and one failure.
EVEN = Prior()


@CLICK_MODELS.register("DBN")
class DynamicBayesian(ChainModel):
    r"""The dynamic Bayesian network model.

    A document attracts with probability $\alpha$, and once clicked it satisfies with probability $\sigma$.  Users whom
    a click satisfied leave; others go on with probability $\gamma$.

    References
    ----------
    Chapelle, O. and Zhang, Y. (2009). A dynamic Bayesian network click model for web search ranking. WWW, 1-10;
    Chuklin, A., Markov, I. and de Rijke, M. (2015). Click Models for Web Search, sections 3.7 and 4.3.
    """

    title = "dynamic Bayesian network"
    idea = "users read on until a clicked result satisfies them, or until they give up"
    how = "EM over lists and patterns of clicks"
    #: Gamma where it is not fitted.
    fixed: ClassVar[float | None] = None

    def __init__(self, attraction: Floats, satisfaction: Floats, going_on: float, *, converged: bool = True) -> None:
        self.attraction = attraction
        self.satisfaction = satisfaction
        self.going_on = going_on
        self.converged = converged

    @classmethod
    def fit(cls, sample: Sample, pairs: int, *, prior: Prior | None = None, start: Self | None = None) -> Self:
        """Fit the model; see `ClickModel.fit`."""
        known = prior or attraction_prior(sample)

        def step(x: Floats) -> tuple[Floats, float]:
            model = cls(x[:pairs], x[pairs : 2 * pairs], float(x[-1]) if cls.fixed is None else cls.fixed)
            counts, log_likelihood = model._expected(sample)
            objective = known.log(x[:pairs]) + EVEN.log(x[pairs:]) + log_likelihood
            clicked, looked, satisfied, asked, went_on, tried = np.split(
                counts, np.cumsum([pairs, pairs, pairs, pairs, 1])
            )
            after = [known.share(clicked, looked), EVEN.share(satisfied, asked), EVEN.share(went_on, tried)]
            if cls.fixed is not None:
                after[-1] = np.array([EVEN.mean])  # it takes no part
            return np.concatenate(after), objective

        first = np.concatenate([np.full(pairs, known.mean), np.full(pairs, 0.5), [0.9]])
        if start is not None:
            first = np.concatenate([start.attraction, start.satisfaction, [start.going_on]])
        found = accelerated_em(step, first)
        x = found.parameters
        going_on = float(x[-1]) if cls.fixed is None else cls.fixed
        return cls(x[:pairs], x[pairs : 2 * pairs], going_on, converged=found.converged)

    def chain(self, pairs: Ints) -> Chain:
        """Return the probabilities of lists of pairs."""
        unsatisfied = 1 - of_pairs(self.satisfaction, pairs)
        on_skip = np.full(pairs.shape, self.going_on)
        return Chain(of_pairs(self.attraction, pairs), on_skip, self.going_on * unsatisfied)

    def _expected(self, sample: Sample) -> tuple[Floats, float]:
        """Expected successes and tries of each parameter, and the log-likelihood.

        At the last rank of a list nobody can go on, so it says nothing of satisfaction and of going on.
        """
        pairs = len(self.attraction)
        clicked, looked_at, satisfied, asked = (np.zeros(pairs) for _ in range(4))
        went_on, tried, total = 0.0, 0.0, 0.0
        for block in sample.blocks():
            chain, weight = self.chain(block.pairs), block.times[:, None]
            found, more = posterior(chain, block.clicks), rank_below(block.pairs) * weight
            total += float(((block.pairs >= 0) * weight * log_of_click(found.predicted, block.clicks)).sum())
            left = np.maximum(1 - chain.on_click, 1e-300)
            content: Floats = (1 - found.went_on) * of_pairs(self.satisfaction, block.pairs) / left
            clicked += sums_by_pair(block.pairs, block.clicks * weight, pairs)
            looked_at += sums_by_pair(block.pairs, found.looked * weight, pairs)
            satisfied += sums_by_pair(block.pairs, block.clicks * more * content, pairs)
            asked += sums_by_pair(block.pairs, block.clicks * more, pairs)
            went_on += float((more * found.looked * found.went_on).sum())
            tried += float((more * np.where(block.clicks, 1 - content, found.looked)).sum())
        return np.concatenate([clicked, looked_at, satisfied, asked, [went_on], [tried]]), total

    def parameters(self) -> dict[str, Floats]:
        """Name → parameters: `going_on`, a single one, where it is fitted."""
        return {} if self.fixed is not None else {"going_on": np.array([self.going_on])}


@CLICK_MODELS.register("SDBN")
class SimplifiedDynamicBayesian(DynamicBayesian):
    r"""The simplified dynamic Bayesian network model: $\gamma = 1$, only satisfaction ends a search.

    The paper's algorithm 1 takes the last click for the last look, which is quick and lets users seem less patient
    than they are; here EM weighs how far below the last click they looked.

    References
    ----------
    Chapelle, O. and Zhang, Y. (2009). WWW, 1-10 (section 5).
    """

    title = "simplified dynamic Bayesian network"
    idea = "users read on until a clicked result satisfies them"
    fixed = 1.0
