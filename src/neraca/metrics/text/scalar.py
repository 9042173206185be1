"""Functions of numpy for single numbers, so that a formula is written once for numbers and for arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any


def _where(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


#: Takes numpy's place; as there, both sides of `where` are computed first.
NUMBER = SimpleNamespace(where=_where, maximum=max, minimum=min, log=math.log, exp=math.exp)


def rows(xp: Any, columns: Sequence[Any]) -> Any:
    """Return one column for each count as counts of n answers, shape (n, w); for single numbers, their list.

    >>> rows(NUMBER, [1.0, 2.0])
    [1.0, 2.0]
    """
    return list(columns) if xp is NUMBER else xp.column_stack(columns)


def columns_of(sums: Any) -> tuple[Any, list[Any]]:
    """Return counts, shape (..., w), as w columns (...), and the `xp` for them; a list holds the counts of one answer.

    >>> columns_of([1.0, 2.0])[1]
    [1.0, 2.0]
    """
    if isinstance(sums, list):
        return NUMBER, sums
    import numpy

    sums = numpy.where(numpy.abs(sums) < 1e-9, 0.0, sums)  # what is left of a count when means of trials are taken away
    return numpy, [sums[..., column] for column in range(sums.shape[-1])]
