"""Expectations: whether an answer meets the checks of its question, such as `must_contain` and `max_words`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

from neraca.metrics.metric import metric
from neraca.metrics.scorable import Scorable
from neraca.records import Answer

if TYPE_CHECKING:
    from neraca.datasets.expectations import Expectation
    from neraca.stats.intervals.interval import Floats

NO_CHECKS = "the question has no checks, in a column such as must_contain"


@dataclass(frozen=True)
class ExpectationChecks:
    """The view of the checks of questions and the answers that must meet them.

    Attributes
    ----------
    checks, answers
        The checks of each question, and its answer.
    languages
        The language in which the numbers of each answer are read.
    unscored
        For each answer why it cannot be scored, or "".
    """

    needs: ClassVar[tuple[str, ...]] = ("expectations", "response")
    checks: Sequence[Sequence[Expectation]]
    answers: Sequence[Answer]
    languages: Sequence[str]
    unscored: Sequence[str]

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Collect the checks and the answers."""
        checks = part.column("expectations")
        if part.offers("answers"):
            answers = part.column("answers")
        else:
            rows = zip(part.column("response"), part.column("status", "complete"), strict=True)
            answers = [Answer(item="", text=text, status=status) for text, status in rows]
        why = [reason or ("" if some else NO_CHECKS) for reason, some in zip(part.why_not(), checks, strict=True)]
        return cls(checks, answers, part.group.languages_of(part), why)

    @cached_property
    def failures(self) -> Sequence[Sequence[str]]:
        """For each answer the reason why it does not meet each check, "" where it does; nothing if it is unscored."""
        from neraca.metrics.text.expectation_checks import failures

        rows = zip(self.checks, self.answers, self.languages, self.unscored, strict=True)
        return [[] if why else failures(checks, answer, language) for checks, answer, language, why in rows]

    @cached_property
    def failed(self) -> list[str]:
        """For each answer the checks that it does not meet, with the reasons; "" if it meets all or is unscored."""
        return ["; ".join(filter(None, reasons)) for reasons in self.failures]


@metric(
    "Expectations",
    why_undefined=NO_CHECKS,
    not_for="to say that an answer is right: it sees only what its checks name; a judge reads the answer",
    binary=lambda share=False: not share,
    described={"share=True": "Share of the question's checks that the answer meets; over items the mean."},
)
def expectations(view: ExpectationChecks, *, share: bool = False) -> Floats:
    r"""1 if the answer meets every check of its question, else 0; over items the share of answers that do.

    $$ \frac{1}{n} \sum_{i=1}^{n} [m_i = c_i] $$

    with $m_i$ of the $c_i$ checks of question i that its answer meets, and n answers of questions with a check; a
    bracket is 1 if it is true.  Checks are columns of the questions: `must_contain`, `must_not_contain`, `must_match`,
    `must_equal_number`, `max_words`, `must_be_json`, `must_cite`, and others by promptfoo's names.  A failed or empty
    answer meets none.  With `share=true`, the value of an answer is $m_i / c_i$.

    References
    ----------
    promptfoo, assertions: a test passes if all of its assertions pass.

    Examples
    --------
    >>> from neraca.metrics.answers import scorable_of_answers
    >>> from neraca.records import Item
    >>> item = Item(id="1", query="?", extra={"must_contain": "48 hours", "max_words": "3"})
    >>> view = ExpectationChecks.of(scorable_of_answers([item], [Answer(item="1", text="Up to 48 hours before.")]))
    >>> expectations(view), expectations(view, share=True)  # five words
    (array([0.]), array([0.5]))
    """
    import numpy as np

    met = [[not why for why in reasons] for reasons in view.failures]
    values = [(sum(row) / len(row) if share else float(all(row))) if row else np.nan for row in met]
    return np.array(values, dtype=np.float64)
