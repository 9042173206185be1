"""The view of tool calls: the expected calls and the calls made, for each answer."""

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

#: The usual reason why a metric of calls is undefined.
UNSAID = "the question does not say which calls are expected"
#: Name and canonical arguments.
Key = tuple[str, str]


@dataclass(frozen=True)
class Calls:
    """Expected and actual calls of n answers, in order.

    Attributes
    ----------
    expected
        For each answer the calls that its question expects; None: the question does not say.
    made
        For each answer the calls that it made; empty if it failed.
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
        """Read the calls; an unreadable call leaves its answer unscored, with the reason."""
        expected: list[Sequence[Key] | None] = []
        made: list[Sequence[Key]] = []
        unscored = part.why_not()
        columns = part.column("expected_calls"), part.column("calls")
        for row, (expected_calls, calls_made) in enumerate(zip(*columns, strict=True)):
            expected_keys, why_expected = _keys(expected_calls or (), "expected call")
            made_keys, why_made = _keys(calls_made, "call")
            expected.append(None if expected_calls is None else expected_keys)
            made.append(made_keys)
            unscored[row] = unscored[row] or why_expected or why_made
        return cls(expected, made, np.asarray(part.column("failed"), dtype=bool), unscored)

    def rates(self, rate: Callable[[Sequence[Any], Sequence[Any]], float], arguments: str, unsaid: str) -> Floats:
        """Return rate(expected, made) of each answer, shape (n,); see `tool_call_accuracy` for the parameters."""
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


def _keys(calls: Iterable[Mapping[str, Any]], label: str) -> tuple[list[Key], str]:
    """Return the keys of calls, and ""; or no keys and why a call cannot be read."""
    keys = []
    for number, raw_call in enumerate(calls, 1):
        try:
            call = read_call(raw_call)
            keys.append((call.name, call.canonical))
        except InputError as error:
            return [], f"{label} {number} {error}"
        except RecursionError:
            return [], f"{label} {number} is nested too deeply to be read"
    return keys, ""


def _check(name: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise SpecError(f"metric of calls: {name} is {' or '.join(allowed)}, not {value!r}")
