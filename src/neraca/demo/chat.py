"""Conversations: what is carried from one question of a session to the next."""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Literal

from neraca.demo.by_model import by_model
from neraca.demo.criteria import Criteria
from neraca.demo.prices import WORDS, any_of
from neraca.demo.reply import by_template
from neraca.demo.search import Found, Search
from neraca.demo.text import normalise
from neraca.demo.understand import understand, unwanted

Kind = Literal["new", "more", "change"]
SESSIONS = 1000
# What a model is told of a conversation.
REMEMBERED_TURNS = 10

MORE = re.compile(rf"(?<!\w)(?:{any_of(WORDS['more'])})(?!\w)")
SAME = re.compile(r"\b(?:sama|same)\b")
CHANGE = re.compile(rf"^(?:\W*(?:oke|ok|nah|terus|lalu|dan|and)\W+)?(?:{any_of(WORDS['change'])})(?!\w)")
CHEAPER = re.compile(rf"(?<!\w)(?:{any_of(WORDS['cheaper'])})(?!\w)")
ASK = re.compile(rf"(?<!\w)(?:{any_of(WORDS['ask'])})(?!\w)")


@dataclass(frozen=True)
class Turn:
    """What a session knows after a question: criteria, the words that led to them, what was shown, its least price."""

    criteria: Criteria = field(default_factory=Criteria)
    text: str = ""
    shown: frozenset[str] = frozenset()
    kind: Kind = "new"
    cheapest: int | None = None


def next_turn(message: str, before: Turn) -> Turn:
    """Decide whether a question asks for more of the same, changes what was asked, or begins anew.

    A request that names type and place stands for itself; a fragment ("di bawah 800 juta", "kalau apartemen?")
    changes the request before it.
    """
    asked = understand(message)
    if not before.criteria.given():
        return Turn(asked, message)
    text = normalise(message)
    changed = before.criteria.without(*unwanted(message)).changed_by(asked)
    if CHEAPER.search(text) and asked.price_min is None and asked.price_max is None:
        limit = before.cheapest or changed.price_max
        changed = changed.changed_by(Criteria(price_max=limit and limit - 1))
    if MORE.search(text) and changed == before.criteria:
        return Turn(before.criteria, before.text, before.shown, "more", before.cheapest)
    fragment = CHANGE.search(text) or SAME.search(text)
    whole = asked.property_types and (asked.place or asked.complex or asked.nearby or ASK.search(text))
    if whole and not fragment:
        return Turn(asked, message)
    return Turn(changed, f"{before.text}. {message}", kind="change")


class _Session:
    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.turn = Turn()
        self.said: list[tuple[str, str]] = []


class Chat:
    """The chatbot: understands, searches, replies; sessions live in memory, the longest unused goes first.

    Parameters
    ----------
    search
        Where the listings are.
    method, llm
        What is used when a question does not say; an empty `llm` is the template.
    sessions
        How many are remembered.
    """

    def __init__(self, search: Search, *, method: str = "hybrid", llm: str = "", sessions: int = SESSIONS) -> None:
        self.search = search
        self.method = method
        self.llm = llm
        self._most = sessions
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    async def answer(self, message: str, session_id: str, *, method: str = "", llm: str = "") -> dict[str, Any]:
        """Answer one question of a session.

        The session moves on only once the reply is there, so a question whose reply failed can be asked again.

        Raises
        ------
        neraca.demo.by_model.ModelError
            If the language model does not give a reply.
        """
        method, llm = method or self.method, llm or self.llm
        started = time.perf_counter()
        session = self._session(session_id)
        async with session.lock:
            turn, found, response = await (
                self._by_model(llm, method, message, session) if llm else self._by_rules(method, message, session)
            )
            shown = turn.shown | {listing.id for listing in found.listings}
            prices = [listing.price for listing in found.listings] + ([turn.cheapest] if turn.cheapest else [])
            session.turn = Turn(turn.criteria, turn.text, shown, turn.kind, min(prices, default=None))
            session.said = [*session.said, (message, response)][-REMEMBERED_TURNS:]
        metadata = {
            "method": method,
            "llm": llm or None,
            "session_id": session_id,
            "turn": turn.kind,
            "criteria": turn.criteria.as_dict(),
            "total": found.total,
            "seconds": round(time.perf_counter() - started, 4),
        }
        properties = [listing.as_dict() for listing in found.listings]
        return {"response": response, "properties": properties, "metadata": metadata}

    async def _by_rules(self, method: str, message: str, session: _Session) -> tuple[Turn, Found, str]:
        turn = next_turn(message, session.turn)
        found = await asyncio.to_thread(self.search.find, method, turn.criteria, turn.text, turn.shown)
        return turn, found, by_template(turn.criteria, found, exact=method == "api", more=turn.kind == "more")

    async def _by_model(self, llm: str, method: str, message: str, session: _Session) -> tuple[Turn, Found, str]:
        before = session.turn

        def find(criteria: Criteria, query: str, more: bool) -> Found:
            return self.search.find(method, criteria, query, before.shown if more else frozenset())

        reply = await by_model(llm, message, session.said, find)
        turn = (
            Turn(reply.criteria, reply.query, before.shown, "more", before.cheapest)
            if reply.more
            else Turn(reply.criteria, reply.query)
        )
        return turn, reply.found, reply.text

    def _session(self, session_id: str) -> _Session:
        session = self._sessions.setdefault(session_id, _Session())
        self._sessions.move_to_end(session_id)
        while len(self._sessions) > self._most:
            self._sessions.popitem(last=False)
        return session
