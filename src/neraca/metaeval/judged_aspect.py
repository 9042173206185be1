"""Measure how far judges agree on one aspect: share, kappa, AC1, alpha, and for grades weighted kappa and ICC."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Self

import numpy as np
from numpy.typing import NDArray

from neraca.stats.agreement.intraclass import graded_counts, icc_of_mean, icc_of_one
from neraca.stats.agreement.kappa import (
    agreed_share,
    cohen_kappa,
    cross_counts,
    distance_weights,
    fleiss_kappa,
    gwet_ac1,
    shared_counts,
)
from neraca.stats.agreement.krippendorff import alpha_counts, krippendorff_alpha, squared_distances
from neraca.stats.intervals.interval import Estimate, Floats, Total

#: The opinions of judges on one thing: judge → value.
Values = Mapping[str, float]
#: Sets of categories: no and yes; worse, even and better.
_SCALES = ((0.0, 1.0), (0.0, 0.5, 1.0))
#: Weights of kappa → the power of the distance between two grades.
WEIGHTS = {"quadratic": 2, "linear": 1}


@dataclass(frozen=True, slots=True)
class GradeAgreement:
    """Agreement of the judges of one aspect, counting near grades in part.

    Attributes
    ----------
    weights
        Name of the chosen weights, from `WEIGHTS`.
    kappa_by_weights
        Name of weights → Cohen's kappa for two judges, Fleiss' for more, weighted by the distance between grades.
    icc, icc_mean
        ICC(2,1), of one judge, and ICC(2,k), of the mean of these judges; both use only the `n` things that all judges
        graded.
    """

    weights: str
    kappa_by_weights: Mapping[str, Estimate]
    icc: Estimate
    icc_mean: Estimate

    @property
    def weighted_kappa(self) -> Estimate:
        """Kappa with the chosen weights."""
        return self.kappa_by_weights[self.weights]


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of the judges of one aspect.

    Attributes
    ----------
    aspect
        Aspect of the verdicts, such as `valid` or `relevance`.
    judges
        Their names as in `by`, without the hash of a prompt.
    agreement
        Share of the pairs of judges who agree, mean over things; `n` counts the things that at least two judges
        decided on.
    kappa
        Cohen's kappa for two judges, Fleiss' for more.
    ac1
        Gwet's AC1.
    alpha
        Krippendorff's alpha: nominal for categories, of squared distances for grades.
    grades
        Measures that count near grades in part; None if values are yes, no and even.
    group
        Group of questions, such as `category=price`; "" for all.
    decisions
        Number of verdicts on the things that at least two judges decided on.
    """

    aspect: str
    judges: tuple[str, ...]
    agreement: Estimate
    kappa: Estimate
    ac1: Estimate
    alpha: Estimate
    grades: GradeAgreement | None = None
    group: str = ""
    decisions: int = 0

    @property
    def kappa_of(self) -> str:
        """Name of the kappa: `Cohen` for two judges, `Fleiss` for more."""
        return "Cohen" if len(self.judges) == 2 else "Fleiss"


@dataclass(frozen=True)
class JudgedAspect:
    """The opinions of several judges on one aspect of many things.

    Attributes
    ----------
    name
        The aspect.
    opinions
        The opinions on each thing, also on those that one judge alone decided on.
    shared
        The opinions on each thing that at least two judges decided on.
    interval
        Estimates a total of rows, one for each of `shared`, and its interval.
    """

    name: str
    opinions: Collection[Values]
    shared: Sequence[Values]
    interval: Callable[[Floats, Total], Estimate]

    @classmethod
    def of_pairs(
        cls,
        name: str,
        opinions: Collection[Values],
        shared: Sequence[Values],
        interval: Callable[[Floats, Total], Estimate],
    ) -> Self:
        """Return opinions on pairs of answers: each counts half for each of the two orders of its answers."""

        def swapped(every: Iterable[Values]) -> list[Values]:
            return [{judge: 1 - value for judge, value in values.items()} for values in every]

        def of_both(rows: Floats, total: Total) -> Estimate:
            return interval((rows[: len(shared)] + rows[len(shared) :]) / 2, total)

        return cls(name, [*opinions, *swapped(opinions)], [*shared, *swapped(shared)], of_both)

    def agreement(self, weights: str) -> JudgeAgreement:
        """Measure the agreement; `weights` names the weights of weighted kappa, from `WEIGHTS`."""
        rows = shared_counts(self._votes)
        distances = squared_distances(np.array(self._scale)) if self._is_graded else None
        return JudgeAgreement(
            self.name,
            tuple(self._judges),
            self.interval(rows, agreed_share),
            self._kappa(),
            self.interval(rows, gwet_ac1),
            self.interval(alpha_counts(self._votes, distances), partial(krippendorff_alpha, distances=distances)),
            self._grades(weights) if self._is_graded else None,
        )

    @cached_property
    def _judges(self) -> list[str]:
        return sorted({judge for values in self.opinions for judge in values})

    @cached_property
    def _scale(self) -> tuple[float, ...]:
        """The smallest of the usual scales that has all values; otherwise the values that occur."""
        distinct = {value for values in self.opinions for value in values.values()}
        return next((scale for scale in _SCALES if distinct <= set(scale)), tuple(sorted(distinct)))

    @property
    def _is_graded(self) -> bool:
        return self._scale not in _SCALES and len(self._scale) > 1

    @cached_property
    def _votes(self) -> Floats:
        """The number of judges who gave each value of the scale, shape (shared things, values)."""
        counts = [[list(values.values()).count(value) for value in self._scale] for values in self.shared]
        return np.array(counts, dtype=np.float64)

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        """The place in the scale of the value of each of two judges, shape (shared things, 2)."""
        return np.array([[self._scale.index(values[judge]) for judge in self._judges] for values in self.shared])

    def _kappa(self, weights: Floats | None = None) -> Estimate:
        if len(self._judges) == 2:
            crossed = cross_counts(self._codes, len(self._scale))
            return self.interval(crossed, partial(cohen_kappa, weights=weights))
        return self.interval(shared_counts(self._votes, weights), partial(fleiss_kappa, weights=weights))

    def _grades(self, weights: str) -> GradeAgreement:
        scale, rows = np.array(self._scale), self._icc_rows()
        kappas = {name: self._kappa(distance_weights(scale, power)) for name, power in WEIGHTS.items()}
        return GradeAgreement(weights, kappas, self.interval(rows, icc_of_one), self.interval(rows, icc_of_mean))

    def _icc_rows(self) -> Floats:
        """Return a row for each thing, as ICC needs it; NaN if some judge did not grade the thing."""
        grades = np.array([[values.get(judge, np.nan) for judge in self._judges] for values in self.shared])
        graded = ~np.isnan(grades).any(axis=1)
        rows = np.full((len(grades), len(self._judges) + 3), np.nan)
        rows[graded] = graded_counts(grades[graded])
        return rows
