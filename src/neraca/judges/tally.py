"""Counts of a judge's decided and undecided verdicts, by reason."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from neraca.records import Verdict

#: The share of answers that may stay undecided; with more, the work of a judge is not complete.
MOST_UNDECIDED = 0.1
#: The parts in which two reasons of one kind differ: quotations and numbers.
_DETAIL = re.compile(r"\"[^\"]*\"|'[^']*'|\d+(?:[.,]\d+)*")


def kind_of(reason: str) -> str:
    """Return a reason without the numbers and quotations in which reasons of one kind differ.

    >>> kind_of("grade 7 is not from 1 to 5, 'maybe'")
    'grade … is not from … to …, …'
    """
    return _DETAIL.sub("…", reason)


@dataclass(frozen=True)
class Reason:
    """A reason why verdicts have no value, with their number and the first as an example.

    Reasons that differ only in numbers and quotations count as the same.
    """

    count: int
    example: Verdict


@dataclass
class Tally:
    """The verdicts of one judge on one run, counted while they come.

    Attributes
    ----------
    answers
        Number of answers on which it gave a verdict.
    decided
        Number of its verdicts with a value.
    unscored
        (item, trial) of each answer on which something is undecided because the judge failed.
    changed
        Number of verdicts with another value than an earlier one of the same judge on the same answer.
    """

    decided: int = 0
    changed: int = 0
    _answers: set[tuple[str, int]] = field(default_factory=set)
    _unscored: dict[tuple[str, int], None] = field(default_factory=dict)
    _counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    _examples: dict[tuple[str, str], Verdict] = field(default_factory=dict)

    def add(self, verdict: Verdict) -> None:
        """Count a verdict."""
        place = verdict.item, verdict.trial
        self._answers.add(place)
        if verdict.status == "decided":
            self.decided += 1
            return
        if verdict.status == "unscored":
            self._unscored[place] = None
        kind = verdict.status, kind_of(verdict.why)
        self._counts[kind] += 1
        self._examples.setdefault(kind, verdict)

    @property
    def answers(self) -> int:
        """See above."""
        return len(self._answers)

    @property
    def unscored(self) -> tuple[tuple[str, int], ...]:
        """See above."""
        return tuple(self._unscored)

    @property
    def missing(self) -> int:
        """The number of verdicts without a value because the hit's data are absent or unreadable."""
        return sum(count for (status, _), count in self._counts.items() if status == "missing")

    @property
    def nothing(self) -> bool:
        """Whether there were verdicts, but none with a value."""
        return bool(self._answers) and not self.decided

    @property
    def incomplete(self) -> bool:
        """Whether more than a tenth of the answers is undecided, or none is decided though the question arises.

        >>> tally = Tally()
        >>> for n in range(10):
        ...     status = "unscored" if n == 0 else "decided"
        ...     value = None if n == 0 else 1.0
        ...     tally.add(Verdict(item=str(n), about="answer", aspect="valid", by="llm:m", value=value, status=status))
        >>> tally.incomplete  # a tenth, not more
        False
        """
        arises = any(status != "not_applicable" for status, _ in self._counts)
        return len(self._unscored) > MOST_UNDECIDED * len(self._answers) or (self.nothing and arises)

    def reasons(self) -> list[Reason]:
        """Return why verdicts have no value, the commonest reason first.

        Reasons other than a failure of the judge are left out, unless nothing at all was decided.
        """
        kinds = [(kind, count) for kind, count in self._counts.most_common() if self.nothing or kind[0] == "unscored"]
        return [Reason(count, self._examples[kind]) for kind, count in kinds]
