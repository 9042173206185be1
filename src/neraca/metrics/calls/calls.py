"""The view of tool calls: for every answer the calls that it made beside those that were expected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from neraca.errors import InputError, SpecError
from neraca.metrics.scorable import Scorable
from neraca.stats.intervals.interval import Floats
from neraca.targets.tool_call import read_call

#: Why a metric of calls can have no value.
UNSAID = "the question does not say which calls are expected"
#: Name and canonical arguments.
Key = tuple[str, str]


@dataclass(frozen=True)
class Calls:
    """n answers, each with two lists of calls in their order.

    Attributes
    ----------
    expected
        For each answer the calls that its question expects; None: the question does not say.
    made
        For each answer the calls that it made; none where it failed.
    failed
        Shape (n,): the target gave no answer.
    unscored
        For each answer why its calls cannot be compared, or "".
    """

    needs: ClassVar[tuple[str, ...]] = ("calls", "expected_calls")
    expected: Sequence[Sequence[Key] | None]
    made: Sequence[Sequence[Key]]
    failed: NDArray[np.bool_]
    unscored: Sequence[str]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Read the calls; one that cannot be read leaves its answer unscored and says why."""
        expected: list[Sequence[Key] | None] = []
        made: list[Sequence[Key]] = []
        unscored = part.why_not()
        for row, (due, actual) in enumerate(zip(part.column("expected_calls"), part.column("calls"), strict=True)):
            keys, wrong = _keys(due or (), "expected call")
            made_keys, odd = _keys(actual, "call")
            expected.append(None if due is None else keys)
            made.append(made_keys)
            unscored[row] = unscored[row] or wrong or odd
        return cls(expected, made, np.asarray(part.column("failed"), dtype=bool), unscored)

    def each(self, rate: Callable[[Sequence[Any], Sequence[Any]], float], arguments: str, unsaid: str) -> Floats:
        """rate(expected, made) of every answer, shape (n,); see `tool_call_accuracy` for the parameters."""
        _check("arguments", arguments, ("exact", "ignore"))
        _check("unsaid", unsaid, ("skip", "none"))
        values = []
        for expected, made, failed in zip(self.expected, self.made, self.failed.tolist(), strict=True):
            if not expected:
                right = float(not made and not failed)
                values.append(np.nan if expected is None and unsaid == "skip" else right)
            elif arguments == "ignore":
                values.append(rate([name for name, _ in expected], [name for name, _ in made]))
            else:
                values.append(rate(expected, made))
        return np.array(values, dtype=np.float64)


def _keys(calls: Iterable[Mapping[str, Any]], what: str) -> tuple[list[Key], str]:
    keys = []
    for number, written in enumerate(calls, 1):
        try:
            call = read_call(written)
            keys.append((call.name, call.canonical))
        except InputError as error:
            return [], f"{what} {number} {error}"
        except RecursionError:
            return [], f"{what} {number} is nested too deeply to be read"
    return keys, ""


def _check(name: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise SpecError(f"metric of calls: {name} is {' or '.join(allowed)}, not {value!r}")
