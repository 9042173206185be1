"""Which context supports which statement: the second call about an answer, or several where contexts are long.

Statements of the answer (c1, c2, …) and of the reference (r1, r2, …) stand beside the contexts (x1, x2, …), which are
shuffled so that no place among them is favoured.  Contexts that are too long for one call are shared out over several;
a statement is supported when any of them says so.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from neraca.files import fingerprint
from neraca.judges.complete_replies import ask_each, once
from neraca.judges.concurrent import together
from neraca.judges.outcome import Outcome, unscored
from neraca.judges.prompt import Template
from neraca.models.chat import Chat

#: Bytes of UTF-8 that count as one word: five letters and a space; a Chinese character is half a word.
WORD = 6


class StatementReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of one statement."""

    id: str
    reason: str  # before what is decided, since a model writes in this order
    contexts: list[str]
    stated: bool


class ContextReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of one context."""

    id: str
    useful: bool


class MatrixReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of all that it was asked to judge."""

    statements: list[StatementReply]
    contexts: list[ContextReply]


@dataclass(frozen=True, kw_only=True)
class Sides:
    """What is compared.

    Attributes
    ----------
    question
        What was asked.
    claims, reference
        The statements of the answer, and of the reference; none where there is none.
    contexts
        Hit id → text.
    """

    question: str
    claims: Sequence[str]
    reference: Sequence[str]
    contexts: Mapping[str, str]

    def statements(self) -> dict[str, str]:
        """Id → statement: c1, c2, … of the answer, then r1, r2, … of the reference."""
        mine = {f"c{n}": text for n, text in enumerate(self.claims, 1)}
        return mine | {f"r{n}": text for n, text in enumerate(self.reference, 1)}


@dataclass(frozen=True, kw_only=True)
class Row:
    """What is known of one statement.

    Attributes
    ----------
    supported
        1 some context supports it, 0 none does, or nobody knows; and the reason.
    stated
        Whether the other side states it, in the same way.
    hits
        Ids of the contexts that support it.
    """

    supported: Outcome
    stated: Outcome
    hits: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """What was found.

    Attributes
    ----------
    rows
        Id of a statement → what is known of it.
    useful
        Id of a hit → whether it helps.
    failed
        Why nothing at all was found out, or "".
    """

    rows: Mapping[str, Row]
    useful: Mapping[str, Outcome]
    failed: str = ""


@dataclass
class _Part:
    """One call's share of the contexts, and what came back: x → text; id → reply."""

    contexts: Mapping[str, str]
    said: dict[str, StatementReply | ContextReply] = field(default_factory=dict)
    why: str = ""


async def check_matrix(chat: Chat, template: Template, sides: Sides, *, seed: int, words: int) -> Matrix:
    """Ask which contexts support which statements, what the other side states, and which contexts are useful.

    Nothing is asked where one side of a question is empty: without contexts nothing is supported, and what the other
    side cannot state it does not state.

    Parameters
    ----------
    chat, template
        Who is asked, and how.
    sides
        What is compared.
    seed
        Of the order of the contexts, together with what is compared.
    words
        Of contexts in one call.
    """
    order = sorted(sides.contexts)
    random.Random(fingerprint((seed, sides.question, sides.claims, sides.reference, sides.contexts))).shuffle(order)
    hits = {f"x{n}": hit for n, hit in enumerate(order, 1)}
    statements = sides.statements()
    both = bool(sides.claims and sides.reference)
    asked = statements and (both or hits)
    parts = [_Part(part) for part in _shared_out({x: sides.contexts[hit] for x, hit in hits.items()}, words)]
    if asked:
        await together(*(_ask(chat, template, sides, part) for part in parts))
    return Matrix(
        rows={key: _row(key, parts, hits, both=both) for key in statements},
        useful={hit: _useful(x, parts) for x, hit in hits.items()} if statements else {},
        failed=next((part.why for part in parts), "") if asked and not any(part.said for part in parts) else "",
    )


def _shared_out(contexts: Mapping[str, str], words: int) -> Iterator[dict[str, str]]:
    """Contexts in lots of at most so many words; one that is too long for a lot is cut.  At least one lot."""
    most, part, size = max(1, words) * WORD, dict[str, str](), 0
    for x, text in contexts.items():
        for piece in _cut(text, most):
            length = len(piece.encode())
            if part and size + length > most:  # as two pieces of one text in a row always are
                yield part
                part, size = {}, 0
            part[x] = piece
            size += length
    yield part


def _cut(text: str, most: int) -> Iterator[str]:
    """Pieces of at most so many bytes, cut at white space where there is some in the second half of a piece."""
    while len(text.encode()) > most:
        head = text.encode()[:most].decode(errors="ignore") or text[:1]
        space = max(head.rfind(" "), head.rfind("\n"))
        at = space + 1 if space * 2 > len(head) else len(head)
        yield text[:at]
        text = text[at:]
    yield text


async def _ask(chat: Chat, template: Template, sides: Sides, part: _Part) -> None:
    statements = sides.statements()

    async def ask(ids: Sequence[str], turn: int) -> dict[str, StatementReply | ContextReply]:
        rows = [key for key in ids if key in statements]
        shown = part.contexts if rows else {x: part.contexts[x] for x in ids}
        data = {
            "question": sides.question,
            "answer": {key: text for key, text in statements.items() if key[0] == "c"},
            "reference": {key: text for key, text in statements.items() if key[0] == "r"},
            "contexts": shown,
            "judge": ids,
        }
        reply = await chat.ask(template.about(data, MatrixReply, _guess(ids, part.contexts)), turn)
        return _read(reply.value, ids, part.contexts)

    part.said, part.why = await ask_each([*statements, *part.contexts], ask)


def _read(
    reply: MatrixReply, ids: Sequence[str], contexts: Mapping[str, str]
) -> dict[str, StatementReply | ContextReply]:
    """What can be believed: a statement that is said to be supported by a context that is not there cannot."""
    known = [row for row in reply.statements if set(row.contexts) <= contexts.keys()]
    wanted = [key for key in ids if key not in contexts]
    return {**once(known, wanted), **once(reply.contexts, [key for key in ids if key in contexts])}


def _guess(ids: Iterable[str], contexts: Mapping[str, Any]) -> MatrixReply:
    reason = "the text says the same thing in other words"
    rows = [StatementReply(key, reason, [*contexts][:1], True) for key in ids if key not in contexts]
    return MatrixReply(rows, [ContextReply(key, True) for key in ids if key in contexts])


def _row(key: str, parts: Sequence[_Part], hits: Mapping[str, str], *, both: bool) -> Row:
    """Supported by any part is supported; the first part that says so says whether the other side states it."""
    said = [row for part in parts if isinstance(row := part.said.get(key), StatementReply)]
    lacking = next((part.why for part in parts if key not in part.said), "")
    by = [row for row in said if row.contexts]
    supported = unscored(lacking)
    if not hits:
        supported = Outcome(0.0, "there is no context")
    elif by:
        supported = Outcome(1.0, by[0].reason)
    elif not lacking:
        supported = Outcome(0.0, said[0].reason)
    stated = Outcome(0.0, "the other side states nothing")
    if both:
        stated = Outcome(float(said[0].stated), said[0].reason) if said else unscored(lacking)
    return Row(supported=supported, stated=stated, hits=frozenset(hits[x] for row in by for x in row.contexts))


def _useful(x: str, parts: Sequence[_Part]) -> Outcome:
    """Useful in any of its parts is useful."""
    mine = [part for part in parts if x in part.contexts]
    said = [row.useful for part in mine if isinstance(row := part.said.get(x), ContextReply)]
    if any(said):
        return Outcome(1.0)
    lacking = next((part.why for part in mine if x not in part.said), "")
    return unscored(lacking) if lacking else Outcome(0.0)
