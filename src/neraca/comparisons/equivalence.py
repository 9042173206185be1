"""Claims about a margin: that a run is not worse by it, that two runs are equivalent within it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neraca.comparisons.difference import Difference
from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.stats.correction import CORRECTIONS
from neraca.stats.equivalence_power import items_for_equivalence
from neraca.stats.interval import Floats
from neraca.stats.noninferiority import MeanAbove, items_to_show
from neraca.stats.one_sided import OF_MEANS, name_of_test, one_sided_bounds, one_sided_p
from neraca.stats.paired import Sample, cluster_sums
from neraca.stats.paired_tests import TESTS

#: One for the metric on which the decision rests (for all where none was declared), or one for each metric named.
Margin = float | Mapping[str, float]


@dataclass(frozen=True, slots=True)
class EquivalenceOptions:
    """How claims are made: the margin of each metric, test, correction and seed, level, and whether chances are told.

    Attributes
    ----------
    margins
        Metric → the largest difference that does not matter; what has none is left as it is.
    """

    margins: Mapping[str, float]
    test: str
    correction: str
    seed: int
    level: float
    bayes: bool

    @property
    def base(self) -> str:
        """The test of the claims."""
        return self.test if self.test in OF_MEANS else "t"


def margins(margin: Margin | None, metrics: Sequence[Metric], primary: str = "") -> dict[str, float]:
    """Metric → its margin; raises `SpecError` where it is no margin, or no metric that was scored.

    >>> margins(0.02, [Metric.of("AP"), Metric.of("RR")], "RR"), margins({"AP": 0.1}, [Metric.of("AP")])
    ({'RR': 0.02}, {'AP': 0.1})
    """
    known = {str(metric): metric for metric in metrics}
    if margin is None:
        return {}
    if isinstance(margin, Mapping):
        given = {str(Metric.of(name)): value for name, value in margin.items()}
    else:
        given = dict.fromkeys([primary] if primary else known, margin)
    for name, value in given.items():
        if name not in known:
            raise SpecError(f"there is a margin for {name}, which is not among the metrics scored: {', '.join(known)}")
        _check(known[name], value)
    return {name: float(value) for name, value in given.items()}


def _check(metric: Metric, margin: float) -> None:
    check_margin(margin)
    most = metric.definition.high - metric.definition.low
    if margin >= most:
        raise SpecError(
            f"a margin of {margin:g} is as wide as all of {metric} ({most:g}), so that no difference could matter; "
            "give the largest difference that does not matter, such as 0.02"
        )


def check_margin(margin: Margin | None) -> None:
    """Raise `SpecError` where a margin is none."""
    for value in margin.values() if isinstance(margin, Mapping) else [margin]:
        if value is None and not isinstance(margin, Mapping):
            return
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise SpecError(
                f"a margin is the largest difference that does not matter, more than 0, such as 0.02, not {value!r}"
            )


def with_equivalence(
    found: Sequence[Difference], samples: Sequence[Sample], families: Iterable[Sequence[int]], how: EquivalenceOptions
) -> list[Difference]:
    """The differences, and what can be claimed of those whose metric has a margin.

    Parameters
    ----------
    found, samples
        The differences, and what their tests saw.
    families
        Places of the differences that are corrected together.
    """
    told = list(found)
    for family in families:
        mine = [place for place in family if found[place].metric in how.margins]
        if mine:
            claims = _claims([found[place] for place in mine], [samples[place] for place in mine], how)
            for place, one in zip(mine, claims, strict=True):
                told[place] = one
    return told


def _claims(found: Sequence[Difference], samples: Sequence[Sample], how: EquivalenceOptions) -> list[Difference]:
    """Those of one family, in which each pair counts once."""
    pairs = [_bounds(d, sample, how.margins[d.metric]) for d, sample in zip(found, samples, strict=True)]
    above, below = (
        np.array(one_sided_p([pair[side] for pair in pairs], how.base, how.seed, how.level), dtype=np.float64)
        for side in (0, 1)
    )
    above, below = corrected_sides(above, below, CORRECTIONS[how.correction])
    intervals = TESTS[how.base](samples, 2 * how.level - 1, how.seed)
    told = []
    for place, (d, interval) in enumerate(zip(found, intervals, strict=True)):
        metric, sides = Metric.of(d.metric), (float(above[place]), float(below[place]))
        low, high = one_sided_bounds(pairs[place][0], interval, how.level)
        a, b = sides if metric.higher_is_better else sides[::-1]
        if metric.neutral:
            a = b = math.nan
        one = replace(
            d,
            margin=how.margins[d.metric],
            p_a_not_worse=a,
            p_b_not_worse=b,
            p_equivalent=float(np.maximum(*sides)),
            claim_low=low,
            claim_high=high,
            claim_test=name_of_test(pairs[place][0], interval),
            claim_correction=how.correction if len(found) > 1 else "none",
            needed_equivalent=_needed(pairs[place][0], interval.error, 1 - how.level),
        )
        one = replace(one, shown=_shown(one, 1 - how.level))
        told.append(_with_chances(one, samples[place], metric, how.seed) if how.bayes else one)
    return told


def _bounds(d: Difference, sample: Sample, margin: float) -> tuple[MeanAbove, MeanAbove]:
    """That the mean is more than -margin, and that it is less than the margin.

    How far an item can differ is known of means alone: what an item says on another total may lie outside the range.
    """
    definition = Metric.of(d.metric).definition
    most = math.inf if definition.total else definition.high - definition.low
    return MeanAbove(sample, -margin, -most, most), MeanAbove(sample, margin, -most, most).opposite


def corrected_sides(above: Floats, below: Floats, correction: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """One-sided p-values of both claims of each pair, shapes (m,), corrected for m comparisons.

    That a mean is -margin or less and that it is margin or more cannot both be true, so that a pair is one comparison
    and not two.  Each p is corrected as if its own pair's other claim did not exist, and those of the other pairs
    were the larger of their two, whichever of them is the false one.  The larger of the two is then that of two
    one-sided tests, corrected for the m pairs.

    Examples
    --------
    >>> a, b = corrected_sides(np.array([0.01, 0.03]), np.array([0.2, 0.02]), CORRECTIONS["bonferroni"])
    >>> a.tolist(), b.tolist()
    ([0.02, 0.06], [0.4, 0.04])
    """
    larger = np.maximum(above, below)
    both = correction(larger)
    sides = []
    for side in (above, below):
        told = both.copy()
        for place in np.flatnonzero(side < larger).tolist():
            alone = larger.copy()
            alone[place] = side[place]
            told[place] = correction(alone)[place]
        told[np.isnan(larger)] = side[np.isnan(larger)]
        sides.append(told)
    return sides[0], sides[1]


def _shown(d: Difference, alpha: float) -> str:
    if d.p_equivalent < alpha:
        return "equivalent"
    return "a not worse" if d.p_a_not_worse < alpha else "b not worse" if d.p_b_not_worse < alpha else ""


def _needed(claim: MeanAbove, error: float, alpha: float) -> int | None:
    """Items with which equivalence would be shown 4 times of 5 if there were no difference."""
    n, clusters = len(claim.sample.differences), claim.sample.clusters
    if error > 0:
        sessions = len(cluster_sums(claim.sample.differences, clusters)[0])
        wanted = items_for_equivalence(-claim.bound / (error * math.sqrt(sessions)), alpha)
        return None if wanted is None else math.ceil(wanted * n / sessions)
    same = n > 0 and claim.constant
    return items_to_show(replace(claim, sample=Sample(np.zeros(n), clusters)), alpha) if same else None


def _with_chances(d: Difference, sample: Sample, metric: Metric, seed: int) -> Difference:
    """The same with the chances of a posterior; NaN without items."""
    from neraca.stats.rope import signed_rank

    if not d.n or metric.neutral:
        return d
    found = signed_rank(sample.differences, d.margin, sample.clusters, seed)
    a, b = (found.more, found.less) if metric.higher_is_better else (found.less, found.more)
    return replace(d, chance_a=a, chance_equivalent=found.within, chance_b=b)
