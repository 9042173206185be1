"""Stop asking a target that fails in the same way from the first question on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from neraca.errors import NothingUsable
from neraca.records import Answer
from neraca.translation import say

#: So many questions in a row may fail alike before any has an answer; then no more are asked.
MOST_FAILURES: Final = 5
#: The parts in which two errors of one kind differ: quotations and numbers.
_DETAIL = re.compile(r"\"[^\"]*\"|'[^']*'|\d+")
_LENGTH = 60


@dataclass
class AlikeFailures:
    """Counts failures of one kind in a row, until a first answer shows that the target works.

    Attributes
    ----------
    timeout, concurrency
        The options of asking, which the message names.
    works
        Whether a question was answered.
    """

    timeout: float
    concurrency: int
    works: bool = False
    _kind: str = ""
    _count: int = 0

    def add(self, answer: Answer) -> None:
        """Count an answer; raise `NothingUsable` after `MOST_FAILURES` alike.

        A refused question says nothing about the others, and a question that was not asked nothing about the target.
        """
        self.works = self.works or answer.replied
        if self.works or answer.status not in ("timeout", "error"):
            return
        kind = _kind(answer)
        self._count = self._count + 1 if kind == self._kind else 1
        self._kind = kind
        if self._count >= MOST_FAILURES:
            raise NothingUsable(
                say(
                    "{n} questions in a row failed alike, and none before them was answered, so no more are asked. "
                    "The last one: {error}. {remedy}; then ask them again with --retry-failed (retry_failed)",
                    n=MOST_FAILURES,
                    error=answer.error or say(answer.status),
                    remedy=self._remedy(answer),
                )
            )

    def _remedy(self, answer: Answer) -> str:
        if answer.status == "timeout":
            if self.concurrency == 1:
                return say("Raise timeout ({timeout:g} s now)", timeout=self.timeout)
            return say(
                "Raise timeout ({timeout:g} s now), and lower concurrency ({n} now, 1 for a model on one machine)",
                timeout=self.timeout,
                n=self.concurrency,
            )
        return say(
            "Check that the target runs and its settings are right (`neraca doctor --target` or, for a chat page, "
            "`neraca browser --probe` asks it one question)"
        )


def commonest_failure(answers: Iterable[Answer]) -> tuple[str, int]:
    """Return the error of the commonest kind of failure, and the number of answers that failed so; ("", 0) if none did.

    >>> commonest_failure([Answer(item=id, status="error", error=f"no item {id}") for id in ("1", "2")])
    ('no item 1', 2)
    """
    counts: Counter[str] = Counter()
    errors: dict[str, str] = {}
    for answer in answers:
        if answer.failed:
            counts[_kind(answer)] += 1
            errors.setdefault(_kind(answer), answer.error or answer.status)
    return next(((errors[kind], n) for kind, n in counts.most_common(1)), ("", 0))


def _kind(answer: Answer) -> str:
    """Return the status and the start of the error, without quotations and numbers."""
    return f"{answer.status}: {_DETAIL.sub('…', answer.error or '')[:_LENGTH]}"
