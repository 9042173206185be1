"""Values that are the same: words and their synonyms, numbers however written, yes and no."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from neraca.judges.outcome import Outcome, missing
from neraca.judges.rules.numbers import NO_NUMBER, SLACK, NumberReading
from neraca.judges.rules.phrases import Synonyms, fold
from neraca.number_format import exact

TRUTH = {
    **dict.fromkeys(("true", "yes", "y", "ya", "iya", "ada", "1"), True),
    **dict.fromkeys(("false", "no", "n", "tidak", "tidak ada", "0"), False),
}
LONGEST_SHOWN = 60


def shown(value: Any) -> str:
    """Return a value as a `why` shows it: short, numbers with thousands.

    >>> shown(1250000), shown(True), shown(["rumah", "villa"]), shown([])
    ('1,250,000', 'true', 'rumah, villa', 'empty')
    """
    if isinstance(value, list | tuple):
        text = ", ".join(map(shown, value)) or "empty"
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, int | float) and abs(value) < 1e15:
        text = exact(value)
    else:
        text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


class AcceptedValues:
    """The values of an `equals`: any of them will do.

    Words are equal without case and accents, or as synonyms.  A number equals the same number written as text,
    except that text which begins with 0 and a digit is a code, equal only to itself or to a number that is no text.
    A yes or no equals the words of `TRUTH`, 1 and 0.

    Parameters
    ----------
    values
        The values of the constraint.
    others
        Words that count as well, from the constraint.
    synonyms
        Groups of words from the judge's settings; they extend both.
    read
        Reads numbers from text.
    """

    def __init__(
        self,
        values: Sequence[str | float | bool],
        others: Iterable[str],
        synonyms: Synonyms,
        read: Callable[[Any], NumberReading],
    ) -> None:
        self._read = read
        self._listed = " or ".join(map(shown, values))
        words = [value for value in [*values, *others] if isinstance(value, str)]
        readings = [read(word) for word in words if not _is_code(word)]
        self._exact = {fold(value) for value in values if isinstance(value, str)}
        self._words = {same for word in words for same in synonyms.of(word)}
        self._numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
        self._written = [reading.value for reading in readings if reading.value is not None]
        self._unclear = [reading.note for reading in readings if reading.value is None and reading.note]
        self._has_numbers = bool(self._numbers or self._written or self._unclear)
        self._truths = {value for value in values if isinstance(value, bool)}
        self._said_truths = {truth for value in [*values, *others] if (truth := _truth(value)) is not None}

    def judge(self, field: str, values: list[Any]) -> Outcome:
        """Return 1 when one of the values is accepted, else missing when one is unclear, else 0."""
        for value in values:
            if isinstance(value, str) and (word := fold(value)) in self._words:
                how = "as wanted" if word in self._exact else f"which counts as {self._listed}"
                return Outcome(1.0, f"{field} is {shown(value)}, {how}")
            if self._is_accepted_truth(value):
                return Outcome(1.0, f"{field}: {shown(value)}, wanted {self._listed}")
            if self._has_numbers and self._is_accepted_number(value, reading := self._reading(value)):
                return Outcome(1.0, f"{field}: {_shown_number(value, reading)}, wanted {self._listed}")
        readings = [self._reading(value) for value in values] if self._has_numbers else []
        unclear = [reading.note for reading in readings if reading.value is None and reading.note]
        if any(reading.value is not None for reading in readings):
            unclear += self._unclear
        if unclear:
            return missing(f"{field}: {unclear[0]}")
        noted = any(reading.note for reading in readings)
        listed = [_shown_number(*pair) for pair in zip(values, readings, strict=True)] if noted else values
        verb = " is" if any(isinstance(value, str) for value in values) or not values else ":"
        return Outcome(0.0, f"{field}{verb} {shown(listed)}, wanted {self._listed}")

    def _reading(self, value: Any) -> NumberReading:
        return NO_NUMBER if isinstance(value, bool) else self._read(value)

    def _is_accepted_truth(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value in self._said_truths
        return bool(self._truths) and _truth(value) in self._truths

    def _is_accepted_number(self, value: Any, reading: NumberReading) -> bool:
        if reading.value is None:
            return False
        is_code = isinstance(value, str) and _is_code(value)
        accepted = self._numbers if is_code else [*self._numbers, *self._written]
        return any(math.isclose(reading.value, number, rel_tol=SLACK) for number in accepted)


def _shown_number(value: Any, reading: NumberReading) -> str:
    """Return a value as a `why` shows it, with the number that it was read as where its language decided.

    >>> _shown_number("1,2 M", NumberReading(1.2e9, '"1,2 M" in Indonesian'))
    '1,200,000,000 ("1,2 M" in Indonesian)'
    """
    if reading.value is None or not reading.note:
        return shown(value)
    return f"{exact(reading.value)} ({reading.note})"


def _is_code(text: str) -> bool:
    digits = text.strip()
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return TRUTH.get(fold(value))
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else None
