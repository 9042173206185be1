"""Compare values for equality: words and their synonyms, numbers in any form, yes and no."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from neraca.judges.outcome import Outcome, missing
from neraca.judges.rules.numbers import NO_NUMBER, SLACK, NumberReading
from neraca.judges.rules.phrases import Synonyms, fold
from neraca.number_format import exact

TRUTH = {
    **dict.fromkeys(("true", "yes", "y", "ya", "iya", "ada", "si", "نعم", "1"), True),
    **dict.fromkeys(("false", "no", "n", "tidak", "tidak ada", "لا", "0"), False),
}
LONGEST_SHOWN = 60


def value_text(value: Any) -> str:
    """Return a value as a `why` shows it: short, numbers with thousands.

    >>> value_text(1250000), value_text(True), value_text(["rumah", "villa"]), value_text([])
    ('1,250,000', 'true', 'rumah, villa', 'empty')
    """
    if isinstance(value, list | tuple):
        text = ", ".join(map(value_text, value)) or "empty"
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, int | float) and abs(value) < 1e15:
        text = exact(value)
    else:
        text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


class AcceptedValues:
    """The accepted values of an `equals`.

    Words are equal if they differ only in case and accents, or are synonyms.  A number equals the same number written
    as text.  Text that begins with 0 and a digit is a code: it equals only itself, or a number that is not text.  A yes
    or no equals the words of `TRUTH`, 1 and 0.

    Parameters
    ----------
    values
        The values of the constraint.
    further_words
        The synonyms in the constraint.
    synonyms
        Groups of words from the judge's settings, which extend both.
    read_number
        Reads a number from a value.
    """

    def __init__(
        self,
        values: Sequence[str | float | bool],
        further_words: Iterable[str],
        synonyms: Synonyms,
        read_number: Callable[[Any], NumberReading],
    ) -> None:
        self._read_number = read_number
        self._accepted_text = " or ".join(map(value_text, values))
        words = [value for value in [*values, *further_words] if isinstance(value, str)]
        readings = [read_number(word) for word in words if not _is_code(word)]
        self._exact = {fold(value) for value in values if isinstance(value, str)}
        self._words = {synonym for word in words for synonym in synonyms.of(word)}
        self._numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
        self._numbers_in_text = [reading.value for reading in readings if reading.value is not None]
        self._unclear = [reading.note for reading in readings if reading.value is None and reading.note]
        self._has_numbers = bool(self._numbers or self._numbers_in_text or self._unclear)
        self._boolean_truths = {value for value in values if isinstance(value, bool)}
        self._all_truths = {truth(value) for value in [*values, *further_words]} - {None}

    def judge(self, field: str, values: list[Any]) -> Outcome:
        """Return 1 if one of the values is accepted, else missing if one is unclear, else 0."""
        for value in values:
            if isinstance(value, str) and (word := fold(value)) in self._words:
                how = "as wanted" if word in self._exact else f"which counts as {self._accepted_text}"
                return Outcome(1.0, f"{field} is {value_text(value)}, {how}")
            if self._is_accepted_truth(value):
                return Outcome(1.0, f"{field}: {value_text(value)}, wanted {self._accepted_text}")
            if self._has_numbers and self._is_accepted_number(value, reading := self._reading(value)):
                return Outcome(1.0, f"{field}: {_number_text(value, reading)}, wanted {self._accepted_text}")
        readings = [self._reading(value) for value in values] if self._has_numbers else []
        unclear = [reading.note for reading in readings if reading.value is None and reading.note]
        if any(reading.value is not None for reading in readings):
            unclear += self._unclear
        if unclear:
            return missing(f"{field}: {unclear[0]}")
        noted = any(reading.note for reading in readings)
        texts = [_number_text(*pair) for pair in zip(values, readings, strict=True)] if noted else values
        verb = " is" if any(isinstance(value, str) for value in values) or not values else ":"
        return Outcome(0.0, f"{field}{verb} {value_text(texts)}, wanted {self._accepted_text}")

    def _reading(self, value: Any) -> NumberReading:
        return NO_NUMBER if isinstance(value, bool) else self._read_number(value)

    def _is_accepted_truth(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value in self._all_truths
        return bool(self._boolean_truths) and truth(value) in self._boolean_truths

    def _is_accepted_number(self, value: Any, reading: NumberReading) -> bool:
        if reading.value is None:
            return False
        is_code = isinstance(value, str) and _is_code(value)
        accepted = self._numbers if is_code else [*self._numbers, *self._numbers_in_text]
        return any(math.isclose(reading.value, number, rel_tol=SLACK) for number in accepted)


def _number_text(value: Any, reading: NumberReading) -> str:
    """Return a value as a `why` shows it, with the number that it was read as if that depended on the language.

    >>> _number_text("1,2 M", NumberReading(1.2e9, '"1,2 M" in Indonesian'))
    '1,200,000,000 ("1,2 M" in Indonesian)'
    """
    if reading.value is None or not reading.note:
        return value_text(value)
    return f"{exact(reading.value)} ({reading.note})"


def _is_code(text: str) -> bool:
    digits = text.strip()
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()


def truth(value: Any) -> bool | None:
    """Return a yes or no in words, or 1 and 0, as a boolean; None for all others."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return TRUTH.get(fold(value))
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else None
