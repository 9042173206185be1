"""A turn as the records of a run: an item and an answer, with personal data masked."""

from __future__ import annotations

from typing import Any

import msgspec

from neraca.records import FROM_TRACE, Answer, Hit, Item, Status
from neraca.traces.privacy import Privacy
from neraca.traces.times import iso
from neraca.traces.turns import Turn


def item_of(turn: Turn, privacy: Privacy) -> Item:
    """Return the question of a turn; `FROM_TRACE` in its extras says where each field was read."""
    tags = {name: privacy.text(value) for name, value in (("model", turn.model), ("version", turn.version)) if value}
    recorded: dict[str, Any] = {
        "trace": turn.trace,
        "span": turn.span,
        "start": turn.start,
        **({"user": privacy.user(turn.user)} if turn.user else {}),
        "from": {
            name: f"{each.attribute} of {privacy.text(each.span or 'span')} ({each.id})"
            for name, each in turn.origins.items()
        },
    }
    if len(turn.retrievals) > 1:
        recorded["retrievals"] = [
            {"name": privacy.text(name), "hits": [privacy.id(each) for each in ids]} for name, ids in turn.retrievals
        ]
    return Item(
        id=turn.id,
        query=privacy.text(turn.question),
        session=turn.session or None,
        tags=tags,
        extra={FROM_TRACE: recorded},
    )


def answer_of(turn: Turn, privacy: Privacy) -> Answer:
    """Return the answer of a turn; with a doubt it is `suspect`."""
    status: Status = "error" if turn.error else "suspect" if turn.doubt else "complete"
    return Answer(
        item=turn.id,
        text=privacy.text(turn.text or ""),
        hits=tuple(_masked(hit, privacy) for hit in turn.hits or ()),
        unknown_hits=turn.unknown_hits,
        calls=tuple(privacy.value(call) for call in turn.calls),
        seconds=turn.seconds,
        first_token_seconds=turn.first_token_seconds,
        usage=turn.usage,
        status=status,
        error=privacy.text(turn.error) if turn.error else turn.doubt or None,
        note=turn.doubt,
        at=iso(turn.start),
    )


def _masked(hit: Hit, privacy: Privacy) -> Hit:
    return msgspec.structs.replace(
        hit, id=privacy.id(hit.id), text=privacy.text(hit.text), fields=privacy.value(hit.fields)
    )
