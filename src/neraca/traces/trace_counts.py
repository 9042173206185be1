"""Counts of what traces hold, of one trace or of many, and the table that shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from neraca.number_format import integer
from neraca.result import Table
from neraca.runs.run import Run
from neraca.traces.conventions import dialects_of
from neraca.traces.losses import Losses
from neraca.traces.spans import Span, SpanStore
from neraca.traces.turns import Turn
from neraca.translation import say, say_all


@dataclass
class TraceCounts:
    """Counts of what traces hold; those of disjoint sets of traces can be added.

    Attributes
    ----------
    spans, repeated, logs
        Numbers of distinct spans, of further copies of them, and of log records.
    traces
        The number of traces.
    turns, answered, retrieved, failed
        Numbers of turns, and of those with an answer, with recorded hits, and with an error.
    sessions
        The ids of the conversations.
    dialects
        Name of a dialect → the number of spans that speak it.
    masked
        Kind of personal data → the number of places.
    """

    spans: int = 0
    repeated: int = 0
    logs: int = 0
    traces: int = 0
    turns: int = 0
    answered: int = 0
    retrieved: int = 0
    failed: int = 0
    sessions: set[str] = field(default_factory=set)
    dialects: dict[str, int] = field(default_factory=dict)
    masked: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, store: SpanStore, by_trace: Mapping[str, Sequence[Span]], turns: Sequence[Turn]) -> TraceCounts:
        """Count what was read; `masked` stays empty, because nothing is masked yet."""
        return cls(
            spans=len(store),
            repeated=store.repeated,
            logs=store.logs,
            traces=len(by_trace),
            turns=len(turns),
            answered=sum(bool(turn.text) for turn in turns),
            retrieved=sum(turn.hits is not None for turn in turns),
            failed=sum(bool(turn.error) for turn in turns),
            sessions={turn.session for turn in turns if turn.session},
            dialects=dict(
                Counter(name for spans in by_trace.values() for span in spans for name in dialects_of(span.attributes))
            ),
        )

    def add(self, other: TraceCounts) -> None:
        """Add the counts of other traces."""
        for name in ("spans", "repeated", "logs", "traces", "turns", "answered", "retrieved", "failed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.sessions |= other.sessions
        self.dialects = dict(Counter(self.dialects) + Counter(other.dialects))
        self.masked = dict(Counter(self.masked) + Counter(other.masked))

    def table(self, source: str, number: int) -> Table:
        """Return the counts as a table, below the number of files or requests that they come from."""
        facts = {
            source: number,
            "spans": self.spans,
            "copies of spans, left out": self.repeated,
            "log records": self.logs,
            "traces": self.traces,
            "turns": self.turns,
            "with an answer": self.answered,
            "with hits": self.retrieved,
            "failed": self.failed,
            "sessions": len(self.sessions),
        }
        rows = [[say(name), integer(value)] for name, value in facts.items() if value or name in ("turns", "with hits")]
        dialects = Counter(self.dialects).most_common()
        rows += [[say("spans in {dialect}", dialect=name), integer(count)] for name, count in dialects]
        return Table(list(say_all("read", "number")), rows)

    def sentences(self, losses: Losses, run: Run | None) -> Iterator[str]:
        """Yield what was lost and masked, and where the turns were written."""
        yield from map(str, losses)
        if self.masked:
            kinds = ", ".join(f"{say(kind)} {integer(count)}" for kind, count in sorted(self.masked.items()))
            yield say("Masked before anything was written: {kinds}.", kinds=kinds)
        if run is not None:
            template = "{run}: questions and answers written, {n:,}; `neraca judge` is next."
            yield say(template, run=run.path, n=self.turns)
