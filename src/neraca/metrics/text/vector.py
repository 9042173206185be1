"""Lists that compute element by element: the few functions of numpy that text metrics need for few texts.

Importing numpy costs more CPU than scoring a few texts.  So a small view holds vectors and a large one numpy's arrays.
Each text metric is written once, over the view's `xp`: this module or numpy.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Operation = Callable[[Any, Any], Any]


class Vector(list[Any]):
    """Numbers or truth values, in one dimension.

    >>> Vector([1, 2, 4]) * (Vector([3, 2, 1]) == 2) + 0.5
    [0.5, 2.5, 0.5]
    >>> Vector([5, 6, 7])[[2, 0]]
    [7, 5]
    """

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        return Vector(map(super().__getitem__, place)) if isinstance(place, list) else super().__getitem__(place)


def _forward(operation: Operation) -> Operation:
    def compute(self: Vector, other: Any) -> Vector:
        if isinstance(other, list):
            return Vector([operation(x, y) for x, y in zip(self, other, strict=True)])
        return Vector([operation(value, other) for value in self])

    return compute


def _backward(operation: Operation) -> Operation:
    def compute(self: Vector, other: Any) -> Vector:
        return Vector([operation(other, value) for value in self])

    return compute


for _name in ("add", "sub", "mul", "truediv", "eq"):
    setattr(Vector, f"__{_name}__", _forward(getattr(operator, _name)))
for _name in ("add", "sub", "mul", "truediv"):
    setattr(Vector, f"__r{_name}__", _backward(getattr(operator, _name)))


def _pairs(a: Any, b: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(a, list):
        return zip(a, b if isinstance(b, list) else [b] * len(a), strict=True)
    return ((a, value) for value in b)


def maximum(a: Any, b: Any) -> Vector:
    """Return the larger of each two; one of them may be a number.

    >>> maximum(Vector([1, 5]), 3)
    [3, 5]
    """
    return Vector([x if x > y else y for x, y in _pairs(a, b)])


def minimum(a: Any, b: Any) -> Vector:
    """Return the smaller of each two; one of them may be a number."""
    return Vector([x if x < y else y for x, y in _pairs(a, b)])


def where(condition: Sequence[Any], a: Any, b: Any) -> Vector:
    """Return a where the condition holds, else b; both may be numbers.

    >>> where(Vector([True, False]), 1.0, Vector([7, 8]))
    [1.0, 8]
    """
    ones = a if isinstance(a, list) else [a] * len(condition)
    others = b if isinstance(b, list) else [b] * len(condition)
    return Vector([x if holds else y for holds, x, y in zip(condition, ones, others, strict=True)])
