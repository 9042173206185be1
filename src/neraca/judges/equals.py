"""Values that are the same: words and their synonyms, numbers however written, yes and no."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from neraca.judges.numbers import SLACK, write_number
from neraca.judges.words import Synonyms, fold

TRUTH = {
    **dict.fromkeys(("true", "yes", "y", "ya", "iya", "ada", "1"), True),
    **dict.fromkeys(("false", "no", "n", "tidak", "tidak ada", "0"), False),
}
LONGEST_SHOWN = 60


def shown(value: Any) -> str:
    """A value as a `why` shows it: short, numbers with thousands.

    >>> shown(1250000), shown(True), shown(["rumah", "villa"]), shown([])
    ('1,250,000', 'true', 'rumah, villa', 'empty')
    """
    if isinstance(value, list | tuple):
        text = ", ".join(map(shown, value)) or "empty"
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, int | float) and abs(value) < 1e15:
        text = write_number(value)
    else:
        text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


class Wanted:
    """The values of an `equals`: any of them will do.

    Words are equal without case and accents, or as synonyms.  A number equals the same number written as text,
    except that text which begins with 0 and a digit is a code, equal only to itself or to a number that is no text.
    A yes or no equals the words of `TRUTH`, 1 and 0.

    Parameters
    ----------
    values
        What is wanted.
    others
        Words that count as well, from the constraint.
    synonyms
        Groups of words from the judge's settings; they extend both.
    number
        Reads numbers from text.
    """

    def __init__(
        self,
        values: Sequence[str | float | bool],
        others: Iterable[str],
        synonyms: Synonyms,
        number: Callable[[Any], float | None],
    ) -> None:
        self._number = number
        self._listed = " or ".join(map(shown, values))
        words = [value for value in [*values, *others] if isinstance(value, str)]
        self._exact = {fold(value) for value in values if isinstance(value, str)}
        self._words = {same for word in words for same in synonyms.of(word)}
        self._numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
        self._written = [read for word in words if not _is_code(word) and (read := number(word)) is not None]
        self._truths = {value for value in values if isinstance(value, bool)}
        self._readings = {read for value in [*values, *others] if (read := _truth(value)) is not None}

    def judge(self, field: str, values: list[Any]) -> tuple[float, str]:
        """1 when one of the values is one of those wanted, else 0; and why."""
        for value in values:
            if isinstance(value, str) and (word := fold(value)) in self._words:
                how = "as wanted" if word in self._exact else f"which counts as {self._listed}"
                return 1.0, f"{field} is {shown(value)}, {how}"
            if self._same(value):
                return 1.0, f"{field}: {shown(value)}, wanted {self._listed}"
        if any(isinstance(value, str) for value in values) or not values:
            return 0.0, f"{field} is {shown(values)}, wanted {self._listed}"
        return 0.0, f"{field}: {shown(values)}, wanted {self._listed}"

    def _same(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value in self._readings
        if self._truths and _truth(value) in self._truths:
            return True
        written = isinstance(value, str)
        candidates = self._numbers if written and _is_code(value) else [*self._numbers, *self._written]
        if not candidates:
            return False
        read = self._number(value)
        return read is not None and any(math.isclose(read, one, rel_tol=SLACK) for one in candidates)


def _is_code(text: str) -> bool:
    digits = text.strip()
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return TRUTH.get(fold(value))
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else None
