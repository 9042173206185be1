"""Numpy functions for single numbers, so that one formula serves numbers and arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any


def _where(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


#: Replaces numpy; as there, both sides of `where` are computed first.
NUMBER = SimpleNamespace(where=_where, maximum=max, minimum=min, log=math.log, exp=math.exp)


def rows(xp: Any, columns: Sequence[Any]) -> Any:
    """Join w columns of counts, shape (n, w); return a list for single numbers.

    >>> rows(NUMBER, [1.0, 2.0])
    [1.0, 2.0]
    """
    return list(columns) if xp is NUMBER else xp.column_stack(columns)


def columns_of(sums: Any) -> tuple[Any, list[Any]]:
    """Return the `xp` for counts, and their w columns: shape (..., w) -> (...); a list holds one answer's counts.

    >>> columns_of([1.0, 2.0])[1]
    [1.0, 2.0]
    """
    if isinstance(sums, list):
        return NUMBER, sums
    import numpy

    sums = numpy.where(numpy.abs(sums) < 1e-9, 0.0, sums)  # remainders when means of trials are subtracted from a count
    return numpy, [sums[..., column] for column in range(sums.shape[-1])]
