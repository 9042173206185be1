"""Count what the traces did not say, by kind, with the first place and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from neraca.number_format import integer
from neraca.translation import say, say_all


class Kind(NamedTuple):
    """A kind of loss: what is counted, what follows from it, and the remedy."""

    what: str
    effect: str
    remedy: str


KINDS: dict[str, Kind] = {
    "no question": Kind("Traces without a question", "They are left out.", "Record inputs: {detail}."),
    "no answer": Kind(
        "Turns without a recorded answer", "They are `suspect`: counted and not scored.", "Record outputs: {detail}."
    ),
    "no retrieval": Kind(
        "Turns without a retrieval",
        "Their hits are unknown: metrics of hits and contexts leave them out.",
        "Name the spans that retrieve with --retriever{detail}.",
    ),
    "no documents": Kind(
        "Turns whose retrieval records no documents",
        "Their hits are unknown: metrics of hits and contexts leave them out.",
        "Record the documents: {detail}.",
    ),
    "several retrievals": Kind(
        "Turns with several retrievals before the answer",
        "Their hits are those of the last one; `retrievals` in their extras has all.",
        "If the system merges them, record the merged list as a reranker, or as a retriever around them.",
    ),
    "prompt": Kind(
        "Turns whose question is the prompt of a model",
        "It may hold instructions or contexts.",
        "Record the user's question as the input of the outermost span.",
    ),
    "truncated": Kind(
        "Turns with a text that was cut off",
        "They are `suspect`: counted and not scored.",
        "Raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT, or the limit of the backend.",
    ),
    "stopped": Kind(
        "Turns whose answer the model ended at its limit of tokens",
        "They are `suspect`: counted and not scored.",
        "Raise the limit, such as max_tokens.",
    ),
    "no root": Kind(
        "Turns without a span around their calls",
        "Their seconds are from the first beginning to the last end of what is there.",
        "Export the root span, too.",
    ),
    "other questions": Kind(
        "Calls of models or agents with a question of their own that is not read as a turn",
        "Only one question of their part of the trace is read; without a span that holds it, it is `suspect`: counted "
        "and not scored.",
        "If each is a turn, record an agent or chain around it that has its question, and no question above them.",
    ),
    "part of usage": Kind(
        "Turns in which only a part of the calls of models has a value",
        "The sum is unknown and not given.",
        "Record {detail} of each call, or the total on the outermost span.",
    ),
    "dropped": Kind(
        "Spans that lost attributes",
        "Content may be missing.",
        "Raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT (128 if not set).",
    ),
    "orphan": Kind(
        "Spans whose parent was not exported",
        "They stand at the top of what is left of their trace.",
        "Export whole traces, of all services, without sampling single spans.",
    ),
    "unknown dialect": Kind(
        "Traces in no known dialect",
        "They are left out.",
        "Their commonest attributes: {detail}; record one of the conventions beside them.",
    ),
    "malformed": Kind("Records that are no whole span", "They are left out.", "The first: {detail}."),
    "unknown record": Kind("Records of no known export", "They are left out.", "The first has {detail}."),
    "torn": Kind("Files whose last line is not whole", "This line is left out.", "Read again when it is written."),
    "late": Kind(
        "Spans that came after all else of their trace was removed from the journal",
        "They are rejected, and no part of their turn.",
        "Give --late more seconds, or --keep.",
    ),
    "lonely log": Kind("Log records whose span is not there", "They are left out.", "Give the exported spans, too."),
    "judgement": Kind(
        "Judgements of turns by other tools",
        "They are no verdicts here, and no metric reads them.",
        "neraca judge and neraca rate make verdicts; neraca text TABLE --human COLUMN compares with scores in a table.",
    ),
    "metrics": Kind("Records of metrics", "They hold no turns and are left out.", "Nothing is to be done."),
    "other file": Kind("Files of other formats", "They are not read.", "Spans are read from {detail}."),
    "no time": Kind(
        "Turns without a time of their beginning that can be read",
        "They stand first, have no seconds, and `neraca drift` leaves them out.",
        "Record times in ISO 8601, or as a number of seconds, milliseconds, microseconds or nanoseconds since 1970.",
    ),
    "negative usage": Kind(
        "Turns with a negative number of tokens or a negative cost",
        "The number is left out.",
        "Mend what records {detail}.",
    ),
    "no such retriever": Kind(
        "Names of --retriever that no span and no tool has",
        "They change nothing.",
        "The commonest names of spans: {detail}.",
    ),
    "no cost": Kind(
        "Turns with tokens and without a cost", "Their cost is unknown.", "Record it, for example as llm.cost.total."
    ),
}


@dataclass
class Loss:
    """The losses of one kind: their number, the first place, and the detail that completes the remedy."""

    name: str
    count: int = 0
    where: str = ""
    detail: str = ""

    @property
    def kind(self) -> Kind:
        """The kind."""
        return KINDS[self.name]

    @property
    def remedy(self) -> str:
        """Advice on how to lose less."""
        return say(self.kind.remedy, detail=self.detail)

    def __str__(self) -> str:
        place = say(" (first: {where})", where=self.where) if self.where else ""
        what, effect = say_all(self.kind.what, self.kind.effect)
        return f"{what}: {integer(self.count)}{place}. {effect} {self.remedy}"


@dataclass
class Losses:
    """All losses of a reading, by kind."""

    by_name: dict[str, Loss] = field(default_factory=dict)

    def add(self, name: str, where: str = "", detail: str = "", count: int = 1) -> None:
        """Count a loss; the first place, and its detail, are kept."""
        loss = self.by_name.setdefault(name, Loss(name, 0, where, detail))
        loss.count += count

    def update(self, losses: Iterable[Loss]) -> None:
        """Add losses that were counted elsewhere."""
        for loss in losses:
            self.add(loss.name, loss.where, loss.detail, loss.count)

    def __iter__(self) -> Iterator[Loss]:
        """Yield the losses in the order of `KINDS`."""
        return (self.by_name[name] for name in KINDS if name in self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)
