"""Tests of equivalence and non-inferiority: two runs differ by less than a margin, or one is not worse by it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from neraca.comparisons.difference import BayesianComparison, Equivalence, Shown
from neraca.comparisons.pair import SampledPair
from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.stats.intervals.interval import Floats
from neraca.stats.planning.equivalence_power import items_for_equivalence
from neraca.stats.tests.correction import CORRECTIONS
from neraca.stats.tests.noninferiority import OneSidedHypothesis, items_for_mean
from neraca.stats.tests.one_sided import OF_MEANS, one_sided_bounds, one_sided_p, one_sided_test
from neraca.stats.tests.paired import Paired, Sample
from neraca.stats.tests.paired_tests import TESTS
from neraca.stats.tests.rope import signed_rank

#: The name in place of a test if both runs have the same answers.
COPY = "copy"
#: A margin for the primary metric, or a margin for each of several metrics.
Margin = float | Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOptions:
    """The test, correction and margins of a comparison.

    Attributes
    ----------
    margins
        Metric → the largest difference that does not matter; only these metrics are tested within it.
    level
        1 - alpha of a test.
    bayes
        Whether chances are drawn from a posterior too.
    """

    margins: Mapping[str, float]
    test: str
    correction: str
    seed: int
    level: float
    bayes: bool

    @property
    def test_of_means(self) -> str:
        """The chosen test if it is a test of the mean of two runs, else `t`."""
        return self.test if self.test in OF_MEANS else "t"


def margins(margin: Margin | None, metrics: Sequence[Metric], primary: str) -> dict[str, float]:
    """Return metric → its margin; raise `SpecError` for an invalid margin or a metric that was not scored.

    >>> margins(0.02, [Metric.of("AP"), Metric.of("RR")], "RR"), margins({"AP": 0.1}, [Metric.of("AP")], "AP")
    ({'RR': 0.02}, {'AP': 0.1})
    """
    metric_by_name = {str(metric): metric for metric in metrics}
    if margin is None:
        return {}
    if isinstance(margin, Mapping):
        margin_by_name = {str(Metric.of(name)): value for name, value in margin.items()}
    else:
        margin_by_name = {primary: margin}
    for name, value in margin_by_name.items():
        if name not in metric_by_name:
            raise SpecError(
                f"there is a margin for {name}, which is not among the metrics scored: {', '.join(metric_by_name)}"
            )
        check_margin(value)
        width = metric_by_name[name].definition.limits_of_difference[1]
        if value >= width:
            raise SpecError(
                f"a margin of {value:g} is as wide as all of {name} ({width:g}), so that no difference could matter; "
                "give the largest difference that does not matter, such as 0.02"
            )
    return {name: float(value) for name, value in margin_by_name.items()}


def check_margin(margin: Margin | None) -> None:
    """Raise `SpecError` for an invalid margin."""
    if margin is None:
        return
    for value in margin.values() if isinstance(margin, Mapping) else [margin]:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise SpecError(
                f"a margin is the largest difference that does not matter, more than 0, such as 0.02, not {value!r}"
            )


def equivalences(
    pairs: Sequence[SampledPair], families: Iterable[Sequence[int]], options: ComparisonOptions
) -> list[Equivalence | None]:
    """Test each pair within the margin of its metric; return None for a metric without a margin.

    Parameters
    ----------
    families
        Places of the pairs that are corrected together.
    """
    results: dict[int, Equivalence] = {}
    for family in families:
        places = [place for place in family if str(pairs[place].metric) in options.margins]
        results |= zip(places, _family([pairs[place] for place in places], options), strict=True)
    return [results.get(place) for place in range(len(pairs))]


def _family(pairs: Sequence[SampledPair], options: ComparisonOptions) -> list[Equivalence]:
    """Test the pairs of one family, in which each pair counts once."""
    test = options.test_of_means
    hypotheses = [_hypotheses(pair, options.margins[str(pair.metric)]) for pair in pairs]
    above, below = (
        np.array(
            one_sided_p([pair_hypotheses[side] for pair_hypotheses in hypotheses], test, options.seed, options.level),
            dtype=np.float64,
        )
        for side in (0, 1)
    )
    copies = [pair.copy for pair in pairs]
    above[copies] = below[copies] = 0.0  # no question can tell a run from its copy
    above, below = corrected_sides(above, below, CORRECTIONS[options.correction])
    results = TESTS[test]([pair.sample for pair in pairs], 2 * options.level - 1, options.seed)
    correction = options.correction if len(pairs) > 1 else "none"
    return [
        _equivalence(pair, hypothesis, result, sides, options.level, correction)
        for pair, (hypothesis, _), result, *sides in zip(
            pairs, hypotheses, results, above.tolist(), below.tolist(), strict=True
        )
    ]


def _hypotheses(pair: SampledPair, margin: float) -> tuple[OneSidedHypothesis, OneSidedHypothesis]:
    """Return two hypotheses: the mean is more than -margin, and the mean is less than the margin.

    The differences of items are bounded only if the total is a mean; the contribution to other totals has no range.
    """
    definition = pair.metric.definition
    most = math.inf if definition.total else definition.limits_of_difference[1]
    whole = pair.metric.binary is not False
    more = OneSidedHypothesis(pair.sample, -margin, -most, most, whole)
    return more, OneSidedHypothesis(pair.sample, margin, -most, most, whole).opposite


def _equivalence(
    pair: SampledPair, hypothesis: OneSidedHypothesis, result: Paired, sides: list[float], level: float, correction: str
) -> Equivalence:
    """Return the equivalence of a pair from the corrected p of both sides; by `hypothesis` the mean exceeds -margin."""
    metric = pair.metric
    a, b = (math.nan, math.nan) if metric.diagnostic else sides if metric.higher_is_better else sides[::-1]
    p_both, alpha = float(np.max(sides)), 1 - level
    low, high = one_sided_bounds(hypothesis, result, level, metric.definition.limits_of_difference)
    conclusion: Shown = (
        "equivalent" if p_both < alpha else "a not worse" if a < alpha else "b not worse" if b < alpha else ""
    )
    return Equivalence(
        margin=-hypothesis.bound,
        p_a_not_worse=a,
        p_b_not_worse=b,
        p_equivalent=p_both,
        shown=conclusion,
        low=low,
        high=high,
        test=COPY if pair.copy else one_sided_test(hypothesis, result),
        correction=correction,
        needed=None if pair.copy else _needed(hypothesis, result.error, alpha),
    )


def _needed(hypothesis: OneSidedHypothesis, error: float, alpha: float) -> int | None:
    """Return the number of items that show equivalence with power 0.8 if there is no difference."""
    sample = hypothesis.sample
    if error > 0:
        margin_in_sd = -hypothesis.bound / (error * math.sqrt(sample.sessions))
        return sample.items_in(items_for_equivalence(margin_in_sd, alpha))
    if not hypothesis.constant:
        return None
    no_difference = Sample(np.zeros(len(sample.differences)), sample.clusters)
    return items_for_mean(replace(hypothesis, sample=no_difference), alpha)


def corrected_sides(above: Floats, below: Floats, correction: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Correct the one-sided p-values of both hypotheses of each of m pairs for m comparisons; shapes (m,).

    A pair is one comparison and not two, because the mean cannot be both at most -margin and at least margin.  Each p
    is corrected together with the larger p of every other pair, and without the other hypothesis of its own pair.  The
    larger of both results is then the p of two one-sided tests, corrected for m pairs.

    >>> a, b = corrected_sides(np.array([0.01, 0.03]), np.array([0.2, 0.02]), CORRECTIONS["bonferroni"])
    >>> a.tolist(), b.tolist()
    ([0.02, 0.06], [0.4, 0.04])
    """
    larger = np.maximum(above, below)
    corrected_larger = correction(larger)
    sides = []
    for side in (above, below):
        corrected = corrected_larger.copy()
        for place in np.flatnonzero(side < larger).tolist():
            alone = larger.copy()
            alone[place] = side[place]
            corrected[place] = correction(alone)[place]
        corrected[np.isnan(larger)] = side[np.isnan(larger)]
        sides.append(corrected)
    return sides[0], sides[1]


def posterior(pair: SampledPair, margin: float, seed: int) -> BayesianComparison | None:
    """Draw the chances of a pair from a posterior.

    Return None without items, if all items are one observation, and for a diagnostic.
    """
    differences = pair.sample.differences
    if not len(differences) or pair.sample.one_source or pair.metric.diagnostic or not np.isfinite(differences).all():
        return None
    chances = signed_rank(differences, margin, pair.sample.clusters, seed)
    a, b = (chances.more, chances.less) if pair.metric.higher_is_better else (chances.less, chances.more)
    return BayesianComparison(chance_a=a, chance_equivalent=chances.within, chance_b=b)
