"""PBM, the position-based model: whether a rank is looked at depends on the rank alone."""

from __future__ import annotations

from typing import Self

import numpy as np

from neraca.errors import InputError
from neraca.online.click_models.click_log import Bools, Floats, Ints, Sample, sums
from neraca.online.click_models.examination import Examination, estimate_examination, uncertainty
from neraca.online.click_models.model import (
    CLICK_MODELS,
    LEAST,
    ClickModel,
    Likelihood,
    Prior,
    attraction_prior,
)
from neraca.stats.agreement.accelerated_em import EDGE, accelerated_em
from neraca.stats.intervals.interval import t_quantile

Range = tuple[Floats, Floats]


@CLICK_MODELS.register("PBM")
class PositionBased(ClickModel):
    r"""The position-based model: a click has probability $\theta_r \alpha$, examination of rank r times attraction.

    Clicks determine $\theta_r$ only up to a factor; here $\theta_1 = 1$, so $\alpha$ is the probability of a click at
    the first rank.  Two ranks can be compared if a clicked document was shown at both for the same query, or if a chain
    of such documents connects them.  A rank that cannot be compared with the first has $\theta_r$ NaN; its clicks are
    predicted by its mean click-through rate.

    Examination is estimated first, from how the clicks of each document divide over its ranks
    (`neraca.online.click_models.examination`), which has no bias from documents with few clicks.  Attraction follows.

    References
    ----------
    Richardson, M., Dominowska, E. and Ragno, R. (2007). Predicting clicks. WWW, 521-530; Craswell, N. et al. (2008).
    WSDM, 87-94; Chuklin, A., Markov, I. and de Rijke, M. (2015). Click Models for Web Search, sections 3.3 and 4.2.
    """

    title = "position-based model"
    idea = "whether users look at a rank depends on the rank alone"
    how = "examination from the clicks of each document at several ranks, then attraction by EM"
    needs_patterns = False

    def __init__(
        self,
        attraction: Floats,
        examination: Floats,
        click_through: Floats,
        *,
        converged: bool = True,
        estimate: Examination | None = None,
    ) -> None:
        self.attraction = attraction
        self.examination = examination
        self.click_through = click_through
        self.converged = converged
        self.estimate = estimate

    @classmethod
    def fit(cls, sample: Sample, pairs: int, *, prior: Prior | None = None, start: Self | None = None) -> Self:
        """Fit the model; see `ClickModel.fit`.

        Raises
        ------
        InputError
            No rank can be compared with the first, so examination and attraction cannot be separated.
        """
        comparable = comparable_ranks(sample, pairs)
        if comparable.sum() < 2:
            raise InputError(
                "PBM: no clicked document was shown at two ranks for the same query, so the log cannot tell a rank "
                "that few users look at from documents that attract few clicks; show the results of a small share of "
                "searches in another order (swap two neighbours), or use DCM, DBN or CCM, which need no such change"
            )
        estimate = estimate_examination(sample, pairs, comparable)
        examination = np.minimum(np.exp(estimate.log), 1.0)
        ctr = sample.clicked_at / np.maximum(sample.shown_at, 1)
        model = cls(np.zeros(pairs), examination, ctr, estimate=estimate)
        model._fit_attraction(sample, prior or attraction_prior(sample), start)
        return model

    def _fit_attraction(self, sample: Sample, prior: Prior, start: PositionBased | None) -> None:
        """Fit the attraction of each document by EM, given the examination of the ranks."""
        pairs = len(self.attraction)
        at_comparable = ~np.isnan(self.examination[sample.rank])
        pair, look = sample.pair[at_comparable], self.examination[sample.rank[at_comparable]]
        clicks, skips = sample.clicks[at_comparable], (sample.impressions - sample.clicks)[at_comparable]

        def step(attraction: Floats) -> tuple[Floats, float]:
            attracts = attraction[pair]
            click = np.minimum(look * attracts, 1 - EDGE)
            looked = clicks + skips * look * (1 - attracts) / (1 - click)
            objective = float((clicks * np.log(click) + skips * np.log1p(-click)).sum()) + prior.log(attraction)
            return prior.share(sums(pair, clicks, pairs), sums(pair, looked, pairs)), objective

        solution = accelerated_em(step, np.full(pairs, prior.mean) if start is None else start.attraction)
        self.attraction = solution.parameters
        self.converged = solution.converged and (self.estimate is None or self.estimate.converged)

    def intervals(self, sample: Sample, query: Ints, level: float = 0.95) -> tuple[dict[str, Range], float]:
        """Return intervals of views and continuation by the sandwich variance over queries; see `ClickModel.intervals`.

        They are made on the logarithmic scale, and end at 1.
        """
        if self.estimate is None:
            raise ValueError("a model that was not fitted has no intervals")
        log = self.estimate.log
        spread = uncertainty(self.estimate, sample, len(self.attraction), query)
        variance = np.diag(spread.covariance)
        queries = spread.queries
        quantile = np.array([t_quantile(level, n) if n >= 1 else np.nan for n in queries.tolist()])
        ends = {"views": _ends(log, quantile * np.sqrt(variance))}
        of_steps = variance[1:] + variance[:-1] - 2 * np.diag(spread.covariance, 1)
        step_quantile = np.fmax(quantile[1:], quantile[:-1])
        ends["continuation"] = _ends(np.diff(log), step_quantile * np.sqrt(np.maximum(of_steps, 0.0)))
        return ends, float(np.nanmin(queries)) if np.isfinite(queries).any() else 0.0

    def likelihood(self, sample: Sample) -> Likelihood:
        """Return the log-likelihood of the clicks in a sample by rank; in this model clicks above do not matter."""
        click = np.clip(self._click(sample.pair, sample.rank), LEAST, 1 - LEAST)
        log_probability: Floats = sample.clicks * np.log(click) + (sample.impressions - sample.clicks) * np.log1p(
            -click
        )
        by_rank = sums(sample.rank, log_probability, sample.depth)
        return Likelihood(by_rank, by_rank, sample.shown_at)

    def _click(self, pair: Ints, rank: Ints) -> Floats:
        look = self.examination[rank]
        result: Floats = np.where(np.isnan(look), self.click_through[rank], look * self.attraction[pair])
        return result

    def views(self, sample: Sample) -> Floats:
        """Return the probability that each rank is looked at; 1 for the first rank."""
        return self.examination

    def simulate(self, rng: np.random.Generator, pairs: Ints) -> Bools:
        """Simulate clicks on lists of pairs; see `ClickModel.simulate`."""
        ranks = np.broadcast_to(np.arange(pairs.shape[1]), pairs.shape)
        result: Bools = (pairs >= 0) & (rng.random(pairs.shape) < self._click(pairs, ranks))
        return result


def _ends(log: Floats, half: Floats) -> Range:
    """Return the bounds of an interval on the logarithmic scale, at most 1; NaN where there is none."""
    half = np.where(half > 0, half, np.nan)
    return np.minimum(np.exp(log - half), 1.0), np.minimum(np.exp(log + half), 1.0)


def comparable_ranks(sample: Sample, pairs: int) -> Bools:
    """Return the ranks that can be compared with the first, shape (depth,), by clicked documents at several ranks."""
    clicked = sums(sample.pair, sample.clicks, pairs) > 0
    used = clicked[sample.pair]
    order = np.lexsort((sample.rank[used], sample.pair[used]))
    pair, rank = sample.pair[used][order], sample.rank[used][order]
    same_pair = pair[1:] == pair[:-1]
    linked = np.eye(sample.depth, dtype=bool)
    linked[rank[:-1][same_pair], rank[1:][same_pair]] = True
    linked |= linked.T
    for _ in range(sample.depth.bit_length()):  # each square doubles the length of the chains
        linked = (linked.astype(np.int64) @ linked.astype(np.int64)) > 0
    reachable: Bools = linked[0] & (sample.shown_at > 0)
    return reachable
