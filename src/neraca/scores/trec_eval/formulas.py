"""Measures that only trec_eval has, or defines in another way, by the names that it gives them.

Each is a function of the run and a parameter: a cutoff, a share, or the gains of grades.  Values are 0 where trec_eval
has no value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from neraca.metrics.counts import score_metric
from neraca.metrics.ranking.gmap import logarithms
from neraca.metrics.ranking.iprec import highest_precision
from neraca.metrics.ranking.ranking import Ints, Ranking
from neraca.metrics.ranking.recall import precision_down_to
from neraca.metrics.scorable import Scorable
from neraca.scores.trec import trec_metrics
from neraca.stats.intervals.interval import Floats

#: The probability of going on to the next hit in `rbp`.
PATIENCE = 0.9


@dataclass(frozen=True)
class GradedRun:
    """A run beside the grades of its queries.

    Attributes
    ----------
    part
        The rankings; one that is missing in the run counts as a single document that nobody judged.
    level
        The smallest grade that is relevant.
    missing
        Shape (n,): the queries that the run lacks.
    """

    part: Scorable
    level: int
    missing: np.ndarray[Any, np.dtype[np.bool_]]

    @property
    def ranking(self) -> Ranking:
        """The view of the metrics of rankings."""
        return self.part.view(Ranking)

    @property
    def relevant(self) -> Floats:
        """1 for each relevant judged hit, shape (m,)."""
        return self.ranking.relevant(self.level)

    @property
    def R(self) -> Floats:
        """The number of relevant documents, shape (n,)."""
        return self.ranking.known_relevant(self.level)

    def metric(self, name: str) -> Floats:
        """The values of a metric by our name or trec_eval's, 0 where it has none, shape (n,)."""
        [metric] = trec_metrics(name, self.level)
        return np.nan_to_num(score_metric(metric, self.part).values)

    def gained(self, gains: Mapping[int, float]) -> Iterator[Gained]:
        """Yield the gains of each ranking; a grade missing from `gains` counts as its own gain."""
        ranking = self.ranking
        hit_starts, pool_starts = (
            np.searchsorted(owner, np.arange(ranking.n + 1)) for owner in (ranking.owner, ranking.pool_owner)
        )
        for row in range(ranking.n):
            hits_of_query = slice(hit_starts[row], hit_starts[row + 1])
            pool = ranking.pool[pool_starts[row] : pool_starts[row + 1]]
            best = np.sort(_gains(pool[pool >= 0], gains))[::-1]
            levels = range(int(pool.max(initial=-1)) + 1)
            yield Gained(
                ranking.rank[hits_of_query],
                _gains(ranking.grades[hits_of_query], gains),
                best[best > 0],
                int(ranking.returned[row]),
                [*gains.values(), *(gains.get(level, float(level)) for level in levels)],
            )


class Gained(NamedTuple):
    """The gains of one ranking.

    Attributes
    ----------
    rank, gain
        The rank and the gain of the judged hits.
    ideal
        The gains above 0 that are known, best first.
    returned
        The number of hits.
    scale
        The gains of all grades.
    """

    rank: Ints
    gain: Floats
    ideal: Floats
    returned: int
    scale: Sequence[float]

    def dcg(self) -> Floats:
        """The discounted gain down to each judged hit."""
        return np.cumsum(self.gain / np.log2(self.rank + 1.0))

    def ideal_dcg(self) -> Floats:
        """Return the DCG of the ideal ranking, down to each of its documents."""
        return np.cumsum(self.ideal / np.log2(np.arange(len(self.ideal)) + 2.0))


def _gains(grades: Floats, gains: Mapping[int, float]) -> Floats:
    """Return the gain of each grade; a negative grade means unjudged and gains nothing."""
    gain_of_grades = np.maximum(grades, 0.0)
    for level, gain in gains.items():
        gain_of_grades[grades == level] = gain
    return gain_of_grades


def _last(sums: Floats) -> float:
    return float(sums[-1]) if len(sums) else 0.0


def _ndcg(run: GradedRun, gains: Mapping[int, float]) -> Floats:
    if not gains:
        return run.metric("ndcg")
    return np.array(
        [_last(gained.dcg()) / _last(gained.ideal_dcg()) if len(gained.ideal) else 0.0 for gained in run.gained(gains)]
    )


def _ndcg_rel(run: GradedRun, gains: Mapping[int, float]) -> Floats:
    """Average nDCG over the ranks of relevant documents; one that was not returned counts with the last nDCG."""
    values = []
    for gained in run.gained(gains):
        ideal, dcg = gained.ideal_dcg(), gained.dcg()
        is_relevant = gained.gain > 0
        if not len(ideal):
            values.append(0.0)
            continue
        at_hits = dcg[is_relevant] / ideal[np.minimum(gained.rank[is_relevant], len(ideal)) - 1]
        missing_gain = (len(ideal) - int(is_relevant.sum())) * _last(dcg) / ideal[-1]
        values.append(max((_last(np.cumsum(at_hits)) + missing_gain) / len(ideal), 0.0))
    return np.array(values)


def _rndcg(run: GradedRun, gains: Mapping[int, float]) -> Floats:
    """Average nDCG over the ranks at which the ideal gain changes, and the last rank, if deeper."""
    values = []
    for gained, R in zip(run.gained(gains), run.R, strict=True):
        ideal, dcg = gained.ideal_dcg(), np.concatenate([[0.0], gained.dcg()])
        depths = np.flatnonzero(np.diff(gained.ideal, append=0.0)) + 1
        ndcg_at = dcg[np.searchsorted(gained.rank, depths, side="right")] / ideal[depths - 1]
        if len(ideal) and gained.returned > len(ideal) + 1:
            ndcg_at = np.append(ndcg_at, dcg[-1] / ideal[-1])
        values.append(_last(np.cumsum(ndcg_at)) / len(ndcg_at) if R and len(ndcg_at) else 0.0)
    return np.array(values)


def _g(run: GradedRun, gains: Mapping[int, float]) -> Floats:
    """Return the gains, each discounted by the logarithm of the gain missed above it, as a share of all gains."""
    values = []
    for gained in run.gained(gains):
        cost = np.concatenate([[0.0], np.cumsum(np.maximum(gained.ideal, 1.0))])
        inside = np.minimum(gained.rank, len(gained.ideal))
        missed = cost[inside] + (gained.rank - inside) - np.cumsum(gained.gain)
        has_gain = gained.gain != 0
        total = _last(np.cumsum(gained.gain[has_gain] / np.log2(2.0 + missed[has_gain])))
        values.append(total / _last(np.cumsum(gained.ideal)) if len(gained.ideal) else 0.0)
    return np.array(values)


def _rbp(run: GradedRun, settings: Mapping[Any, float]) -> Floats:
    """Return RBP with gains from 0 to 1; if a query has others, its gains are rescaled by their range."""
    p = settings.get("p", PATIENCE)
    values = []
    for gained in run.gained({level: gain for level, gain in settings.items() if level != "p"}):
        low, high = min(0.0, *gained.scale, 0.0), max(0.0, *gained.scale, 0.0)
        gain = (gained.gain - low) / (high - low) if low < 0 or high > 1 else gained.gain
        values.append((1.0 - p) * _last(np.cumsum(gain * np.power(p, gained.rank - 1))))
    return np.array(values)


def _rbp_resid(run: GradedRun, _: Any) -> Floats:
    """Return the most that unjudged hits and ranks below the last could add to `rbp`; 0 if each hit was judged."""
    ranking = run.ranking
    below = np.power(PATIENCE, ranking.returned)
    of_judged = ranking.sum((ranking.grades >= 0) * np.power(PATIENCE, ranking.rank - 1))
    of_unjudged = (1.0 - below) / (1.0 - PATIENCE) - of_judged
    has_unjudged = ranking.sum(ranking.grades >= 0) < ranking.returned
    return np.where(has_unjudged & ~run.missing, below + (1.0 - PATIENCE) * of_unjudged, 0.0)


def _unj(run: GradedRun, at: int) -> Floats:
    ranking = run.ranking
    judged = ranking.sum((ranking.grades >= 0) & (ranking.rank <= at))
    return np.where(run.missing, 0.0, (np.minimum(ranking.returned, at) - judged) / at)


def _iprec(run: GradedRun, recall: float) -> Floats:
    return highest_precision(run.ranking, np.floor(recall * run.R + 0.5), run.level)


def _iprec_mean(run: GradedRun, recalls: Sequence[float]) -> Floats:
    values: Floats = np.cumsum([_iprec(run, recall) for recall in reversed(recalls)], axis=0)[-1] / len(recalls)
    return values


def _utility(run: GradedRun, weights: Sequence[float] | None) -> Floats:
    """The worth of relevant and other hits, and of relevant and other documents that were not returned."""
    a, b, c, d = weights or (1.0, -1.0, 0.0, 0.0)
    relevant_hits, returned, R = run.metric("num_rel_ret"), run.ranking.returned, run.R
    values: Floats = (
        a * relevant_hits
        + b * (returned - relevant_hits)
        + c * (R - relevant_hits)
        + d * (relevant_hits - returned - R)
    )
    return values if weights else np.where(run.missing, 0.0, values)


def _bing(run: GradedRun, _: Any) -> Floats:
    ranking = run.ranking
    above = ranking.rank - ranking.running(run.relevant)
    return ranking.ratio(ranking.sum(run.relevant / np.log2(2.0 + above)), run.R)


def _yaap(run: GradedRun, _: Any) -> Floats:
    expected = run.metric("map") * run.R
    values: Floats = np.log((1.0 + expected) / (1.0 + run.R - expected))
    return values


def relstrings(run: GradedRun, length: int | None) -> list[str]:
    """Return one character for each of the first hits of each ranking.

    A digit is its grade, and `>` a grade above 9.  `.` is in the pool but unjudged; `-` is not in the pool.
    """
    ranking, first = run.ranking, 10 if length is None else max(length, 0)
    letters = [["-"] * min(first, int(returned)) for returned in ranking.returned]
    for owner, rank, grade in zip(ranking.owner, ranking.rank, ranking.grades, strict=True):
        if rank <= len(letters[owner]):
            letters[owner][rank - 1] = "." if grade < 0 else ">" if grade > 9 else f"{grade:.0f}"
    is_blank = run.missing if length is None else np.zeros(len(letters), dtype=bool)
    return ["" if blank else "".join(line) for line, blank in zip(letters, is_blank, strict=True)]


#: trec_eval's name → the formula; all others are metrics of ours.
FORMULAS: dict[str, Callable[[GradedRun, Any], Floats]] = {
    "num_ret": lambda run, _: run.ranking.returned * ~run.missing * 1.0,
    "gm_map": lambda run, _: logarithms(run.metric("map")),
    "gm_bpref": lambda run, _: logarithms(run.metric("bpref")),
    "iprec_at_recall": _iprec,
    "11pt_avg": _iprec_mean,
    "Rprec_mult": lambda run, times: precision_down_to(run.ranking, np.floor(times * run.R + 0.9), run.level),
    "utility": _utility,
    "binG": _bing,
    "G": _g,
    "dcg": lambda run, gains: np.array([_last(gained.dcg()) for gained in run.gained(gains)]),
    "ideal_dcg": lambda run, gains: np.array([_last(gained.ideal_dcg()) for gained in run.gained(gains)]),
    "ndcg": _ndcg,
    "ndcg_rel": _ndcg_rel,
    "Rndcg": _rndcg,
    "relative_P": lambda run, at: run.ranking.ratio(
        run.ranking.sum(run.ranking.relevant(run.level, at)), np.minimum(run.R, at)
    ),
    "set_relative_P": lambda run, _: run.ranking.ratio(
        run.metric("num_rel_ret"), np.minimum(run.ranking.returned, run.R)
    ),
    "set_map": lambda run, _: run.metric("set_P") * run.metric("set_recall"),
    "set_F": lambda run, weight: run.metric(f"SetF(beta={math.sqrt(weight[0])!r})"),
    "num_nonrel_judged_ret": lambda run, _: run.ranking.sum(
        (run.ranking.grades >= 0) & (run.ranking.grades < run.level)
    ),
    "yaap": _yaap,
    "rbp": _rbp,
    "rbp_resid": _rbp_resid,
    "unj": _unj,
}


def values_of(run: GradedRun, name: str, parameter: Any) -> Floats:
    """Return the values of a measure for each query, shape (n,); its parameter is a cutoff, a share, gains or None."""
    if name in FORMULAS:
        return FORMULAS[name](run, parameter)
    return run.metric(name if parameter is None else f"{name}_{parameter}")
