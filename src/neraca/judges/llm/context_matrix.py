"""Decide which contexts support which statements: the second call about an answer, or several if contexts are long.

Statements of the answer (c1, c2, …) and of the reference (r1, r2, …) are compared with the contexts (x1, x2, …).
Contexts are shuffled, so that no position is favoured.  Contexts that are too long for one call are spread over several
calls.  A statement is supported if any of these calls says so.  The schema of a call has each of its statements, and
in each of them each of its contexts, so that a decision cannot be left out.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from neraca.files import fingerprint
from neraca.judges.concurrent import together
from neraca.judges.llm.complete_replies import Attempt, ask_until_complete, reply_struct, set_fields
from neraca.judges.llm.optional_reason import reason_text
from neraca.judges.llm.prompt import Template
from neraca.judges.outcome import Outcome, unscored
from neraca.models.chat import Chat

#: Bytes of UTF-8 that count as one word: five letters and a space; a Chinese character is half a word.
WORD_BYTES = 6
#: Most statements and most contexts in one call.  So its schema has less than 100 properties, the smallest limit of a
#: provider (Azure), and 900 decisions fit in a reply of the default length.
MOST_IDS = 30


@dataclass(frozen=True)
class StatementReply:
    """The decisions on one statement: the contexts that support it, and whether the other side states it."""

    reason: str
    contexts: tuple[str, ...]
    stated: bool


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The texts to compare.

    Attributes
    ----------
    question
        The question of the item.
    claims, reference
        The statements of the answer and of the reference; empty if there are none.
    contexts
        Hit id → text.
    """

    question: str
    claims: Sequence[str]
    reference: Sequence[str]
    contexts: Mapping[str, str]

    def statements(self) -> dict[str, str]:
        """Return id → statement: c1, c2, … of the answer, then r1, r2, … of the reference."""
        claims = {f"c{n}": text for n, text in enumerate(self.claims, 1)}
        return claims | {f"r{n}": text for n, text in enumerate(self.reference, 1)}


@dataclass(frozen=True, kw_only=True)
class Row:
    """The decisions on one statement.

    Attributes
    ----------
    supported
        1: some context supports it; 0: none does; or undecided.  With the reason.
    stated
        Whether the other side states it, with the same values.
    hits
        Ids of the contexts that support it.
    """

    supported: Outcome
    stated: Outcome
    hits: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """The decisions on all statements and contexts.

    Attributes
    ----------
    rows
        Id of a statement → the decisions on it.
    useful
        Id of a hit → whether it helps.
    failed
        Reason why nothing could be decided, or "".
    """

    rows: Mapping[str, Row]
    useful: Mapping[str, Outcome]
    failed: str = ""


_Entries = dict[str, StatementReply | bool]


@dataclass
class _Part:
    """One call's part of the contexts (x → text), its replies by id, and why some ids have none."""

    contexts: Mapping[str, str]
    replies: _Entries = field(default_factory=dict)
    why: str = ""


async def check_matrix(
    chat: Chat, template: Template, sides: Sides, *, seed: int, words: int, useful: bool = True
) -> Matrix:
    """Ask which contexts support which statements, what the other side states, and which contexts are useful.

    No call is made if the outcome is plain: without contexts nothing is supported, and an empty side states nothing.

    Parameters
    ----------
    chat, template
        The model, and the prompt.
    sides
        The texts to compare.
    seed
        Decides, together with the texts, the order of the contexts.
    words
        Most words of contexts in one call.
    useful
        Whether to ask also which contexts are useful.
    """
    order = sorted(sides.contexts)
    random.Random(fingerprint((seed, sides.question, sides.claims, sides.reference, sides.contexts))).shuffle(order)
    hits = {f"x{n}": hit for n, hit in enumerate(order, 1)}
    statements = sides.statements()
    both_sides = bool(sides.claims and sides.reference)
    needs_model = statements and (both_sides or hits)
    parts = [_Part(part) for part in _spread({x: sides.contexts[hit] for x, hit in hits.items()}, words)]
    if needs_model:
        await together(*(_ask(chat, template, sides, part, useful=useful) for part in parts))
    return Matrix(
        rows={key: _row(key, parts, hits, both_sides=both_sides) for key in statements},
        useful={hit: _useful_outcome(x, parts) for x, hit in hits.items()} if statements and useful else {},
        failed=parts[0].why if needs_model and not any(part.replies for part in parts) else "",
    )


def _spread(contexts: Mapping[str, str], words: int) -> Iterator[dict[str, str]]:
    """Yield parts of at most `words` words and `MOST_IDS` texts, at least one part; cut a text that is too long."""
    most, part, size = max(1, words) * WORD_BYTES, dict[str, str](), 0
    for x, text in contexts.items():
        for piece in cut_text(text, most):
            length = len(piece.encode())
            # Two consecutive pieces of one text always are too long for one part.
            if part and (size + length > most or len(part) == MOST_IDS):
                yield part
                part, size = {}, 0
            part[x] = piece
            size += length
    yield part


def cut_text(text: str, most: int) -> Iterator[str]:
    """Yield pieces of at most `most` bytes, cut at white space if the second half of a piece has some."""
    while len(text.encode()) > most:
        head = text.encode()[:most].decode(errors="ignore") or text[:1]
        space = max(head.rfind(" "), head.rfind("\n"))
        at = space + 1 if space * 2 > len(head) else len(head)
        yield text[:at]
        text = text[at:]
    yield text


async def _ask(chat: Chat, template: Template, sides: Sides, part: _Part, *, useful: bool) -> None:
    """Ask about one part of the contexts, in several calls if there are many statements."""
    statements = sides.statements()
    keys = list(statements)
    groups = [keys[at : at + MOST_IDS] for at in range(0, len(keys), MOST_IDS)]
    groups[0] += part.contexts if useful else ()

    async def ask(attempt: Attempt) -> tuple[_Entries, bool]:
        rows = [key for key in attempt.ids if key in statements]
        contexts = part.contexts if rows else {x: part.contexts[x] for x in attempt.ids}
        data = {
            "question": sides.question,
            "answer": {key: text for key, text in statements.items() if key[0] == "c"},
            "reference": {key: text for key, text in statements.items() if key[0] == "r"},
            "contexts": contexts,
            "judge": attempt.ids,
        }
        form = _Form(attempt, tuple(rows), tuple(contexts), both_sides=bool(sides.claims and sides.reference))
        prompt = template.about(data, form.kind, form.guess())
        texts = {**statements, **contexts}
        prompt = replace(prompt, texts=texts, retries=0, correction=attempt.correction(template.language))
        reply = await chat.ask(prompt, attempt.number)
        return form.entries(reply.value), reply.earlier

    replies = await together(*(ask_until_complete(group, ask) for group in groups))
    for group, (entries, why) in zip(groups, replies, strict=True):
        part.replies |= entries
        part.why = part.why or ("" if entries.keys() >= {*group} else why)


@dataclass(frozen=True)
class _Form:
    """The form of one reply: statements (rows), the contexts that may support them, and which contexts to judge."""

    attempt: Attempt
    rows: tuple[str, ...]
    contexts: tuple[str, ...]
    both_sides: bool

    @property
    def judged_contexts(self) -> tuple[str, ...]:
        """The contexts of which it is asked whether they are useful."""
        return tuple(x for x in self.attempt.ids if x not in self.rows)

    @property
    def row(self) -> Any:
        """The struct of a statement: what needs no decision is not asked."""
        fields: list[tuple[str, Any]] = [] if self.attempt.simplest else [("reason", str)]
        if self.contexts:
            fields.append(("supported_by", self._flags(self.contexts)))
        return reply_struct("Row", (*fields, *([("stated", bool)] if self.both_sides else [])))

    @property
    def kind(self) -> Any:
        """The struct of the reply."""
        fields = [(key, self.row) for key in self.rows]
        judged = self.judged_contexts
        return reply_struct("MatrixReply", (*fields, *([("useful", self._flags(judged))] if judged else [])))

    def guess(self) -> Any:
        """Return a plausible reply."""
        row: dict[str, Any] = {} if self.attempt.simplest else {"reason": "the text says the same thing in other words"}
        if self.contexts:
            supported = {x: x == self.contexts[0] for x in self.contexts}
            row["supported_by"] = self._flags(self.contexts)(**supported)
        row |= {"stated": True} if self.both_sides else {}
        reply = {key: self.row(**row) for key in self.rows}
        if judged := self.judged_contexts:
            reply["useful"] = self._flags(judged)(**dict.fromkeys(judged, True))
        return self.kind(**reply)

    def entries(self, reply: msgspec.Struct) -> _Entries:
        """Return id → decision, for the ids on which the reply decides everything."""
        fields = set_fields(reply)
        entries: _Entries = set_fields(fields.pop("useful")) if "useful" in fields else {}
        for key, row in fields.items():
            flags = set_fields(row.supported_by) if self.contexts and row.supported_by is not msgspec.UNSET else {}
            stated = row.stated if self.both_sides else False
            if len(flags) == len(self.contexts) and stated is not msgspec.UNSET:
                reason = getattr(row, "reason", msgspec.UNSET)
                why = reason_text(reason)
                entries[key] = StatementReply(why, tuple(x for x, yes in flags.items() if yes), stated)
        return entries

    def _flags(self, ids: tuple[str, ...]) -> Any:
        """The struct of a yes or no on each of these contexts."""
        return reply_struct("Contexts" if ids == self.contexts else "Useful", tuple((x, bool) for x in ids))


def _row(key: str, parts: Sequence[_Part], hits: Mapping[str, str], *, both_sides: bool) -> Row:
    """Combine the parts: one supporting part suffices; the first reply decides whether the other side states it."""
    replies = [row for part in parts if isinstance(row := part.replies.get(key), StatementReply)]
    missing_reason = next((part.why for part in parts if key not in part.replies), "")
    supporting = [row for row in replies if row.contexts]
    supported = unscored(missing_reason)
    if not hits:
        supported = Outcome(0.0, "there is no context")
    elif supporting:
        supported = Outcome(1.0, supporting[0].reason)
    elif not missing_reason:
        supported = Outcome(0.0, replies[0].reason)
    stated = Outcome(0.0, "the other side states nothing")
    if both_sides:
        stated = Outcome(float(replies[0].stated), replies[0].reason) if replies else unscored(missing_reason)
    return Row(supported=supported, stated=stated, hits=frozenset(hits[x] for row in supporting for x in row.contexts))


def _useful_outcome(x: str, parts: Sequence[_Part]) -> Outcome:
    """Combine the parts: a context that is useful in one part is useful."""
    parts_with_context = [part for part in parts if x in part.contexts]
    if any(part.replies.get(x) is True for part in parts_with_context):
        return Outcome(1.0)
    missing_reason = next((part.why for part in parts_with_context if x not in part.replies), "")
    return unscored(missing_reason) if missing_reason else Outcome(0.0)
