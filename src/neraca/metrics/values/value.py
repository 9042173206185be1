"""Value and HumanScore: numbers that were computed elsewhere, or given by people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from neraca.errors import SpecError
from neraca.metrics.metric import metric
from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats


@dataclass(frozen=True)
class Values:
    """The view of ready values: one number for each item.

    Attributes
    ----------
    values
        Shape (n,); NaN: no value.
    unscored
        For each item why it cannot be scored, or "".
    """

    needs: ClassVar[tuple[str, ...]] = ("values",)
    values: Floats
    unscored: Sequence[str]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Take the column `values`."""
        return cls(part.column("values"), part.why_not())


def _range(better: str = "higher", low: float = -math.inf, high: float = math.inf) -> tuple[float, float]:
    if not low < high:
        raise SpecError(f"Value: low is less than high, such as Value(low=0,high=5), not {low:g} and {high:g}")
    return low, high


@metric(
    "Value",
    low=-math.inf,
    high=math.inf,
    why_undefined="no number was given",
    not_for="before it is known how it was computed: nothing here checks it",
    range_of=_range,
)
def value(values: Values, *, better: str = "higher", low: float = -math.inf, high: float = math.inf) -> Floats:
    r"""A number that was computed elsewhere; over items the mean.

    $$ \frac{1}{n} \sum_{i=1}^{n} v_i $$

    with $v_i$ the value of item i, of n that have one.

    For tables with a row for each query and a column for each system, such as `neraca compare values.csv`.  With
    `better=lower` less is better, as for seconds and errors.  Intervals stay between `low` and `high`, the least and
    the largest possible value.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> import numpy as np
    >>> value(Values(np.array([0.2, 0.4]), ["", ""]))
    array([0.2, 0.4])
    """
    if better not in ("higher", "lower"):
        raise SpecError(f"Value: better is higher or lower, not {better!r}")
    return values.values


@metric(
    "HumanScore",
    low=-math.inf,
    high=math.inf,
    why_undefined="nobody scored it",
    not_for="to compare people who used scales in their own ways; look at their agreement first",
)
def human_score(values: Values) -> Floats:
    r"""The score that people gave, on whatever scale they used; more is better, over items the mean.

    $$ \frac{1}{n} \sum_{i=1}^{n} s_i $$

    with $s_i$ the score of answer i, of n that have one.

    `neraca text` tests it between systems that have a column of people's scores each (`--human`).

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> import numpy as np
    >>> human_score(Values(np.array([4.0, 5]), ["", ""]))
    array([4., 5.])
    """
    return values.values
