"""One judgement of a turn on its way back to the tool that recorded the trace."""

from __future__ import annotations

import msgspec

from neraca.files import fingerprint


class Evaluation(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A value of one turn: a verdict on its answer, or a metric.

    Attributes
    ----------
    item
        The id of the question in the run.
    trace, span
        Ids of the trace and of the span that stands for the turn, as they were recorded; `span` may be "".
    name, value
        The aspect of the verdict, or the name of the metric; its value.
    label
        `pass` or `fail` for a verdict of yes or no; "" for others.
    by
        The source: `llm:MODEL#HASH`, `human:NAME`, `rules`; of a metric the judge that was asked for, or `neraca`.
    why
        The reason in words, or "".
    at
        Time in UTC, ISO 8601.
    """

    item: str
    trace: str
    span: str
    name: str
    value: float
    label: str = ""
    by: str = ""
    why: str = ""
    at: str = ""

    @property
    def id(self) -> str:
        """An id that stays the same if the value changes: the same trace, span, name and source."""
        return fingerprint((self.trace, self.span, self.name, self.by.partition("#")[0]))

    @property
    def version(self) -> str:
        """An id that changes with the value and the reason."""
        return fingerprint((self.id, self.value, self.label, self.why))
