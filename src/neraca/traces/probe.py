"""One trace, looked at closely: what was understood, from which attribute of which span, and what is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from neraca.number_format import number
from neraca.records import Answer, Item
from neraca.result import Table, Tabular, short
from neraca.traces.conventions import ATTRIBUTES, dialects_of, kind_of
from neraca.traces.losses import Losses
from neraca.traces.spans import Span
from neraca.traces.turns import Turn
from neraca.translation import say, say_all

_SHOWN = 60


class TraceProbe(Tabular):
    """A turn with the attributes that its fields were read from.

    Parameters
    ----------
    turn
        The turn.
    spans
        All spans of its trace, by time.
    losses
        What the trace does not say.
    item, answer
        The turn as it would be written.
    """

    def __init__(self, turn: Turn, spans: Sequence[Span], losses: Losses, item: Item, answer: Answer) -> None:
        self.turn, self.spans, self.losses, self.item, self.answer = turn, spans, losses, item, answer

    def _values(self) -> Mapping[str, str]:
        """Return field → its value in words."""
        item, answer, turn = self.item, self.answer, self.turn
        hits = [f"{hit.id}: {hit.text}" if hit.text else hit.id for hit in answer.hits]
        usage = {name: f"{value:g}" for name, value in answer.usage.items()}
        return {
            "question": item.query,
            "answer": answer.text if turn.text is not None else "",
            "hits": f"{len(hits)}: {'; '.join(hits)}" if turn.hits is not None else "",
            "calls": ", ".join(str(call.get("name")) for call in answer.calls),
            "session": item.session or "",
            "user": item.extra.get("user", ""),
            "model": item.tags.get("model", ""),
            "version": item.tags.get("version", ""),
            "seconds": "" if answer.seconds is None else number(answer.seconds),
            "first token": "" if answer.first_token_seconds is None else number(answer.first_token_seconds),
            **{name: usage.get(name, "") for name in ("input_tokens", "output_tokens", "cost")},
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each field: its value, and the attribute and span that it was read from."""
        rows = []
        for name, value in self._values().items():
            origin = self.turn.origins.get(name)
            attribute, span = (origin.attribute, origin.span) if origin else (None, None)
            rows.append({"field": name, "value": value or None, "attribute": attribute, "span": span})
        return rows

    def _tables(self) -> Iterator[Table]:
        rows = [
            [
                say(row["field"]),
                short(row["value"] or "-", _SHOWN),
                row["attribute"] or "-",
                short(row["span"] or "-", 30),
            ]
            for row in self.rows()
        ]
        title = say("Trace {trace}", trace=self.turn.trace)
        yield Table(list(say_all("field", "value", "attribute", "span")), rows, title, names=4)
        columns = say_all("span", "kind", "dialect", "attributes not read")
        yield Table(list(columns), list(self._span_rows()), names=4)

    def _span_rows(self) -> Iterator[list[str]]:
        depth: dict[str, int] = {}
        for span in self.spans:
            depth[span.id] = depth.get(span.parent, -1) + 1
            name = f"{'· ' * min(depth[span.id], 8)}{short(span.name or span.id, 30)}"
            unread = [name for name in span.attributes if name not in ATTRIBUTES]
            more = say(" and {n} more", n=len(unread) - 3) if len(unread) > 3 else ""
            dialects = ", ".join(dialects_of(span.attributes)) or "-"
            yield [name, kind_of(span.attributes) or "-", dialects, ", ".join(unread[:3]) + more or "-"]

    def _sentences(self) -> Iterator[str]:
        if self.answer.unknown_hits:
            yield say("Hits: {reason}.", reason=say(self.answer.unknown_hits))
        yield from map(str, self.losses)
        if not len(self.losses):
            yield say("Nothing is lost.")
