"""Value and Cost: numbers that were computed elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from neraca.metrics.metric import metric
from neraca.metrics.scorable import Scorable
from neraca.stats.interval import Floats

NO_NUMBER = "no number was given"


@dataclass(frozen=True)
class Values:
    """The view of ready values: one number for each item.

    Attributes
    ----------
    values
        Shape (n,); NaN where there is none.
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


@metric("Value", low=-math.inf, high=math.inf, why_undefined=NO_NUMBER)
def value(values: Values) -> Floats:
    """A number that was computed elsewhere, of which more is better; over items the mean.

    For tables with a row for each query and a column for each system, such as `neraca compare values.csv`.  Where
    less is better it is `Cost`.

    Examples
    --------
    >>> import numpy as np
    >>> value(Values(np.array([0.2, 0.4]), ["", ""]))
    array([0.2, 0.4])
    """
    return values.values


@metric("Cost", better="lower", low=-math.inf, high=math.inf, why_undefined=NO_NUMBER)
def cost(values: Values) -> Floats:
    """A number that was computed elsewhere, of which less is better, such as seconds or errors; over items the mean.

    Examples
    --------
    >>> import numpy as np
    >>> cost(Values(np.array([1.5, 2.0]), ["", ""]))
    array([1.5, 2. ])
    """
    return values.values
