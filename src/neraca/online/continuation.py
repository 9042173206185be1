"""The file of a user model: the continuation probabilities that `CWL(users.json)` reads.

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

#: Number of last known ranks that determine the tail.
LAST = 3


class Continuation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Probabilities that users read on, by rank.

    Attributes
    ----------
    kind, v
        The kind of file and the version of its schema.
    model, how
        The model, such as `PBM`, and the method of estimation.
    n, unit
        Sample size, and its unit: searches, or rows of a table of views.
    views, low, high
        V(i), the probability that rank i is looked at, from rank 1, and its interval; None if it is unknown.
    continuation
        C(i) from rank 1 to the last but one.
    tail
        C at all lower ranks: the geometric mean of the last `LAST` values of `continuation`.
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
            raise ValueError("continuation and tail must be probabilities from 0 to 1, with at least one continuation")

    @classmethod
    def of_views(cls, views: Floats, low: Floats, high: Floats, *, model: str, how: str, n: int, unit: str) -> Self:
        """Compute the user model from V and its interval, down to the first rank where V is 0 or unknown.

        Raises
        ------
        SpecError
            V is known at fewer than two ranks.
        """
        depth = int(np.argmax(np.append(~(views > 0), True)))
        if depth < 2:
            raise SpecError(f"{model}: a user model needs at least two ranks that users look at; there are {depth}")
        V = views[:depth]
        C = np.minimum(V[1:] / V[:-1], 1.0)
        last = C[-LAST:]
        tail = float(np.exp(np.log(last).mean()))
        return cls(
            model=model,
            how=how,
            n=n,
            unit=unit,
            views=_rounded(V),
            low=[None if np.isnan(bound) else round(float(bound), 6) for bound in low[:depth]],
            high=[None if np.isnan(bound) else round(float(bound), 6) for bound in high[:depth]],
            continuation=_rounded(C),
            tail=round(tail, 6),
        )

    def to_depth(self, depth: int) -> Floats:
        """Return C of the first ranks, shape (depth,), with the tail below the known ranks.

        >>> users = Continuation(model="PBM", how="", n=1, views=[1, 0.5], continuation=[0.5], tail=0.4)
        >>> users.to_depth(3)
        array([0.5, 0.4, 0.4])
        """
        C = np.full(depth, self.tail)
        above_tail = self.continuation[:depth]
        C[: len(above_tail)] = above_tail
        return C


def _rounded(values: Floats) -> list[float]:
    return [round(float(value), 6) for value in values]


def write_continuation(path: Path, continuation: Continuation) -> None:
    """Write the file of a user model, whole or not at all."""
    write_atomic(path, msgspec.json.format(msgspec.json.encode(continuation), indent=1) + b"\n")


def read_continuation(path: Path) -> Continuation:
    """Read the file.  Raise `SpecError` if it is missing or is not a user model."""
    try:
        modified = path.stat().st_mtime_ns
    except OSError:
        raise SpecError(
            f"{path}: there is no such user model file (current folder: {Path.cwd()}); "
            "make one from a click log with: neraca clicks EVENTS --to users.json"
        ) from None
    return _read_version(path, modified)


@lru_cache(maxsize=8)
def _read_version(path: Path, modified: int) -> Continuation:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Continuation)
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise SpecError(
            f"{path}: not a user model file: {error}; make one with: neraca clicks EVENTS --to users.json"
        ) from error
