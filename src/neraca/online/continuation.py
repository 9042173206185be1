"""How these users read on, as a small file: the user model of `CWL(users.json)`.

C(i) is the probability that a user who has looked at rank i looks at rank i + 1 as well.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Literal, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from neraca.errors import SpecError
from neraca.files import write_atomic

Floats = NDArray[np.float64]

#: The tail goes on as the last so many known ranks do.
LAST = 3


class Continuation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How users read on.

    Attributes
    ----------
    kind, v
        What the file is, and the version of its schema.
    model, how
        Such as `PBM`, and how it was estimated.
    n, unit
        How many searches, or rows of a table of views, it rests on.
    views, low, high
        V(i), the probability that rank i is looked at, from rank 1, and its interval; None where there is none.
    continuation
        C(i) from rank 1 to the last but one.
    tail
        C below: the geometric mean of the last `LAST` known.
    """

    kind: Literal["user model"] = "user model"
    v: Literal[1] = 1
    model: str
    how: str
    n: int
    unit: str = "searches"
    views: list[float]
    low: list[float | None] = []
    high: list[float | None] = []
    continuation: list[float]
    tail: float

    def __post_init__(self) -> None:
        if not self.continuation or not all(0 <= c <= 1 for c in (*self.continuation, self.tail)):
            raise ValueError("continuation and tail are probabilities between 0 and 1, and there is one at least")

    @classmethod
    def of_views(cls, views: Floats, low: Floats, high: Floats, *, model: str, how: str, n: int, unit: str) -> Self:
        """Make it of V with its interval, down to the first rank of which nothing is known.

        Raises
        ------
        SpecError
            Fewer than two ranks are known.
        """
        known = int(np.argmax(np.append(~(views > 0), True)))
        if known < 2:
            raise SpecError(f"{model}: how users read on needs two ranks that are looked at; there are {known}")
        V = views[:known]
        C = np.minimum(V[1:] / V[:-1], 1.0)
        last = C[-LAST:]
        tail = float(np.exp(np.log(last).mean()))
        return cls(
            model=model,
            how=how,
            n=n,
            unit=unit,
            views=_rounded(V),
            low=[None if np.isnan(one) else round(float(one), 6) for one in low[:known]],
            high=[None if np.isnan(one) else round(float(one), 6) for one in high[:known]],
            continuation=_rounded(C),
            tail=round(tail, 6),
        )

    def to_depth(self, depth: int) -> Floats:
        """C of the first ranks, shape (depth,), with the tail below those known.

        >>> one = Continuation(model="PBM", how="", n=1, views=[1, 0.5], continuation=[0.5], tail=0.4)
        >>> one.to_depth(3)
        array([0.5, 0.4, 0.4])
        """
        C = np.full(depth, self.tail)
        known = self.continuation[:depth]
        C[: len(known)] = known
        return C


def _rounded(values: Floats) -> list[float]:
    return [round(float(value), 6) for value in values]


def write_continuation(path: Path, one: Continuation) -> None:
    """Write the file, whole or not at all."""
    write_atomic(path, msgspec.json.format(msgspec.json.encode(one), indent=1) + b"\n")


def read_continuation(path: Path) -> Continuation:
    """Read the file; raises `SpecError` where it is not there or is no such file."""
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        raise SpecError(
            f"{path}: no such file of a user model (looked from {Path.cwd()}); "
            "make one of a log of clicks with: neraca clicks EVENTS --to users.json"
        ) from None
    return _read(path, changed)


@lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> Continuation:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Continuation)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise SpecError(
            f"{path}: not a file of a user model: {error}; make one with: neraca clicks EVENTS --to users.json"
        ) from error
