"""CM, the cascade model: users read down from the top, click on the first document that attracts, and leave."""

from __future__ import annotations

from typing import Self

import numpy as np

from neraca.online.click_models.click_log import Floats, Ints, Sample
from neraca.online.click_models.examination_chain import Chain, ChainModel, of_pairs, sums_by_pair
from neraca.online.click_models.model import CLICK_MODELS, Prior, attraction_prior


@CLICK_MODELS.register("CM")
class Cascade(ChainModel):
    """The cascade model.

    Users look at every rank down to their first click, and at none below it.  The fit uses no rank below the first
    click.

    References
    ----------
    Craswell, N., Zoeter, O., Taylor, M. and Ramsey, B. (2008). An experimental comparison of click position-bias
    models. WSDM, 87-94.
    """

    title = "cascade model"
    idea = "users read down to the first result that attracts them, click it, and leave"
    how = "closed form: clicks over looks, down to the first click"

    def __init__(self, attraction: Floats) -> None:
        self.attraction = attraction

    @classmethod
    def fit(cls, sample: Sample, pairs: int, *, prior: Prior | None = None, start: Self | None = None) -> Self:
        """Fit the model; see `ClickModel.fit`."""
        clicked, looked = np.zeros(pairs), np.zeros(pairs)
        for block in sample.blocks():
            clicks_above: Ints = np.cumsum(block.clicks, axis=1) - block.clicks
            weight = (clicks_above == 0) * block.times[:, None]
            looked += sums_by_pair(block.pairs, weight, pairs)
            clicked += sums_by_pair(block.pairs, weight * block.clicks, pairs)
        return cls((prior or attraction_prior(sample)).share(clicked, looked))

    def chain(self, pairs: Ints) -> Chain:
        """Return a chain in which users stop after a click and go on after a skip."""
        return Chain(of_pairs(self.attraction, pairs), np.ones(pairs.shape), np.zeros(pairs.shape))
