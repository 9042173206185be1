"""PBM, the position-based model: whether a rank is looked at depends on the rank alone."""

from __future__ import annotations

from typing import Self

import numpy as np

from neraca.errors import InputError
from neraca.online.click_models.click_log import Bools, Floats, Ints, Sample, sums
from neraca.online.click_models.model import (
    CLICK_MODELS,
    LEAST,
    ClickModel,
    Likelihood,
    Prior,
    attraction_prior,
)
from neraca.stats.accelerated_em import EDGE, accelerated_em

#: Of the examination of a rank: one success and one failure.
EVEN = Prior()


@CLICK_MODELS.register("PBM")
class PositionBased(ClickModel):
    r"""The position-based model: a click has the probability $\theta_r \alpha$, of a look at rank r times attraction.

    Clicks alone tell $\theta_r$ up to a factor; here $\theta_1 = 1$, so $\alpha$ is the probability of a click at the
    first rank.  Two ranks can be compared where a clicked document was shown at both for the same query, or at both
    sides of a chain of such documents.  A rank without one has NaN; its clicks are predicted by its mean click-through.

    References
    ----------
    Richardson, M., Dominowska, E. and Ragno, R. (2007). Predicting clicks. WWW, 521-530; Craswell, N. et al. (2008).
    WSDM, 87-94; Chuklin, A., Markov, I. and de Rijke, M. (2015). Click Models for Web Search, sections 3.3 and 4.2.
    """

    title = "position-based model"
    idea = "whether users look at a rank depends on the rank alone"
    how = "EM over clicks and impressions by document and rank"
    needs_patterns = False

    def __init__(
        self, attraction: Floats, examination: Floats, click_through: Floats, *, converged: bool = True
    ) -> None:
        self.attraction = attraction
        self.examination = examination
        self.click_through = click_through
        self.converged = converged

    @classmethod
    def fit(cls, sample: Sample, pairs: int, *, prior: Prior | None = None, start: Self | None = None) -> Self:
        """Fit the model; see `ClickModel.fit`.

        Raises
        ------
        InputError
            No clicked document stands at the first rank and at another one, so that nothing can be told apart.
        """
        comparable = comparable_ranks(sample, pairs)
        if comparable.sum() < 2:
            raise InputError(
                "PBM: no document was shown at two ranks for the same query and clicked, so the log cannot tell a "
                "rank that few look at from documents that attract few; show the results of a small share of searches "
                "in another order (swap two neighbours), or use DCM, DBN or CCM, which need no such change"
            )
        known, depth = prior or attraction_prior(sample), sample.depth
        used = comparable[sample.rank]
        pair, rank = sample.pair[used], sample.rank[used]
        clicks, skips = sample.clicks[used], (sample.impressions - sample.clicks)[used]
        shown = sums(rank, clicks + skips, depth)

        def step(x: Floats) -> tuple[Floats, float]:
            attraction, examination = x[:pairs], np.append(1.0, x[pairs:])
            look, attracts = examination[rank], attraction[pair]
            click = np.minimum(look * attracts, 1 - EDGE)
            looked = clicks + skips * look * (1 - attracts) / (1 - click)
            after = EVEN.share(sums(rank, looked, depth), shown)
            objective = float((clicks * np.log(click) + skips * np.log1p(-click)).sum())
            objective += known.log(attraction) + EVEN.log(examination[1:])
            attraction = known.share(sums(pair, clicks, pairs), sums(pair, looked, pairs))
            return np.concatenate([attraction, after[1:]]), objective

        ctr = sample.clicked_at / np.maximum(sample.shown_at, 1)
        first = np.concatenate([np.full(pairs, known.mean), np.clip(ctr[1:] / max(ctr[0], EDGE), 0.05, 0.95)])
        if start is not None:
            first = np.concatenate([start.attraction, np.nan_to_num(start.examination[1:], nan=0.5)])
        found = accelerated_em(step, first)
        examination = np.append(1.0, found.parameters[pairs:])
        examination[~comparable] = np.nan
        return cls(found.parameters[:pairs], examination, ctr, converged=found.converged)

    def likelihood(self, sample: Sample) -> Likelihood:
        """How well the model predicts these searches; clicks above a rank make no difference to this model."""
        click = np.clip(self._click(sample.pair, sample.rank), LEAST, 1 - LEAST)
        sure: Floats = sample.clicks * np.log(click) + (sample.impressions - sample.clicks) * np.log1p(-click)
        by_rank = sums(sample.rank, sure, sample.depth)
        return Likelihood(by_rank, by_rank, sample.shown_at)

    def _click(self, pair: Ints, rank: Ints) -> Floats:
        look = self.examination[rank]
        result: Floats = np.where(np.isnan(look), self.click_through[rank], look * self.attraction[pair])
        return result

    def views(self, sample: Sample) -> Floats:
        """The probability that each rank is looked at; that of the first is 1."""
        return self.examination

    def simulate(self, rng: np.random.Generator, pairs: Ints) -> Bools:
        """Make clicks up on lists of pairs, shape (n, depth), -1 where nothing stands; returns the same shape."""
        ranks = np.broadcast_to(np.arange(pairs.shape[1]), pairs.shape)
        result: Bools = (pairs >= 0) & (rng.random(pairs.shape) < self._click(pairs, ranks))
        return result


def comparable_ranks(sample: Sample, pairs: int) -> Bools:
    """Ranks that can be compared with the first by documents that were clicked and shown at several, shape (depth,)."""
    clicked = sums(sample.pair, sample.clicks, pairs) > 0
    used = clicked[sample.pair]
    order = np.lexsort((sample.rank[used], sample.pair[used]))
    pair, rank = sample.pair[used][order], sample.rank[used][order]
    same = pair[1:] == pair[:-1]
    linked = np.eye(sample.depth, dtype=bool)
    linked[rank[:-1][same], rank[1:][same]] = True
    linked |= linked.T
    for _ in range(sample.depth.bit_length()):  # each square doubles the length of the chains
        linked = (linked.astype(np.int64) @ linked.astype(np.int64)) > 0
    reachable: Bools = linked[0] & (sample.shown_at > 0)
    return reachable
