"""Lists that compute element by element: what metrics need of numpy, and no more.

Importing numpy costs more CPU than reading a run of 50 queries and measuring it.  So a small view holds vectors, a
large one numpy's arrays, and each metric is written once, over the view's `xp`, which is this module or numpy itself.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

Operation = Callable[[Any, Any], Any]


class Vector(list[Any]):
    """Numbers or truth values, in one dimension.

    >>> Vector([1, 2, 4]) * (Vector([3, 2, 1]) >= 2) + 0.5
    [1.5, 2.5, 0.5]
    >>> Vector([5, 6, 7])[[2, 0]]
    [7, 5]
    """

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        return Vector(map(super().__getitem__, place)) if isinstance(place, list) else super().__getitem__(place)


def _forward(operation: Operation) -> Operation:
    def compute(self: Vector, other: Any) -> Vector:
        if isinstance(other, list):
            return Vector([operation(one, two) for one, two in zip(self, other, strict=True)])
        return Vector([operation(value, other) for value in self])

    return compute


def _backward(operation: Operation) -> Operation:
    def compute(self: Vector, other: Any) -> Vector:
        return Vector([operation(other, value) for value in self])

    return compute


for _name in ("add", "sub", "mul", "truediv", "pow", "and_", "or_"):
    _operation = getattr(operator, _name)
    setattr(Vector, f"__{_name.strip('_')}__", _forward(_operation))
    setattr(Vector, f"__r{_name.strip('_')}__", _backward(_operation))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Vector, f"__{_name}__", _forward(getattr(operator, _name)))


def _each(operation: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def compute(values: Any) -> Any:
        return Vector(map(operation, values)) if isinstance(values, list) else operation(values)

    return compute


log2, exp2, log1p, exp = _each(math.log2), _each(lambda x: 2.0**x), _each(math.log1p), _each(math.exp)
floor = _each(math.floor)


def _pairs(a: Any, b: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(a, list):
        return zip(a, b if isinstance(b, list) else [b] * len(a), strict=True)
    return ((a, value) for value in b)


def maximum(a: Any, b: Any) -> Vector:
    """The larger of each two; one of them may be a number.

    >>> maximum(Vector([1, 5]), 3)
    [3, 5]
    """
    return Vector([x if x > y else y for x, y in _pairs(a, b)])


def minimum(a: Any, b: Any) -> Vector:
    """The smaller of each two; one of them may be a number."""
    return Vector([x if x < y else y for x, y in _pairs(a, b)])


def where(condition: Sequence[Any], a: Any, b: Any) -> Vector:
    """Each time a where the condition holds, else b; both may be numbers.

    >>> where(Vector([True, False]), 1.0, Vector([7, 8]))
    [1.0, 8]
    """
    ones = a if isinstance(a, list) else [a] * len(condition)
    others = b if isinstance(b, list) else [b] * len(condition)
    return Vector([x if holds else y for holds, x, y in zip(condition, ones, others, strict=True)])


def cumsum(values: Iterable[Any]) -> Vector:
    """The sum of all up to each.

    >>> cumsum([1, 2, 4])
    [1, 3, 7]
    """
    return Vector(accumulate(values))


def bincount(owners: Sequence[int], weights: Sequence[Any], minlength: int) -> Vector:
    """The sum of the weights of each owner.

    >>> bincount([0, 2, 2], [1.0, 2.0, 3.0], 3)
    [1.0, 0.0, 5.0]
    """
    sums = [0.0] * minlength
    for owner, weight in zip(owners, weights, strict=True):
        sums[owner] += weight
    return Vector(sums)
