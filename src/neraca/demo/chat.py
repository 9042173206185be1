"""Hold conversations: carry criteria from one question of a session to the next."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from neraca.demo.by_model import SearchRequest, by_model, shown_to_model
from neraca.demo.criteria import Criteria
from neraca.demo.index import Listing
from neraca.demo.reply import by_template
from neraca.demo.search import MOST, Search
from neraca.demo.understand import understand
from neraca.demo.words import normalise, pattern

SESSIONS = 1000
# Number of earlier turns that a model gets.
REMEMBERED_TURNS = 10


@dataclass(frozen=True)
class Turn:
    """The state of a session after a question.

    It has the criteria in force, the words of the questions that led to them, the ids of the listings shown, whether
    the question was new, asked for more or changed the request, and the lowest price shown.
    """

    criteria: Criteria = field(default_factory=Criteria)
    text: str = ""
    shown: frozenset[str] = frozenset()
    kind: Literal["new", "more", "change"] = "new"
    cheapest: int | None = None


def next_turn(message: str, before: Turn) -> Turn:
    """Decide whether a question asks for more of the same, changes the request, or makes a new one.

    A question that names type and place is a new request.  A fragment ("di bawah 800 juta", "kalau apartemen?") changes
    the request before it.
    """
    request = understand(message)
    criteria = request.criteria
    if not before.criteria.set_values():
        return Turn(criteria, message)
    text = normalise(message)
    changed = before.criteria.without(request.denied, request.free).changed_by(criteria)
    if pattern("cheaper").search(text) and criteria.price_min is None and criteria.price_max is None:
        limit = before.cheapest or changed.price_max
        changed = changed.changed_by(Criteria(price_max=limit and limit - 1))
    if pattern("more").search(text) and changed == before.criteria:
        return replace(before, kind="more")
    is_fragment = pattern("change").search(text)
    where = criteria.place or criteria.complex or criteria.nearby
    if criteria.property_types and (where or pattern("ask").search(text)) and not is_fragment:
        return Turn(criteria, message)
    return Turn(changed, f"{before.text}. {message}", kind="change")


class _Session:
    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.turn = Turn()
        self.turns: list[tuple[str, str]] = []


class Chat:
    """The chatbot: understands a question, searches, and replies; `method` is the default search method.

    Sessions are kept in memory; above the number `sessions`, the least recently used one is dropped.
    """

    def __init__(self, search: Search, *, method: str = "hybrid", sessions: int = SESSIONS) -> None:
        self.search = search
        self.method = method
        self._most = sessions
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    async def answer(self, message: str, session_id: str, *, method: str = "", llm: str = "") -> dict[str, Any]:
        """Answer one question of a session, by rules or, if `llm` names a language model, by that model.

        Raise ModelError if the model gives no reply.  The session changes only once the reply is ready, so that the
        question can be asked again.
        """
        method = method or self.method
        started = time.perf_counter()
        session = self._session(session_id)
        async with session.lock:
            turn, matches, response = await (
                self._by_model(llm, method, message, session) if llm else self._by_rules(method, message, session.turn)
            )
            properties = matches[:MOST]
            shown_ids = turn.shown | {listing["id"] for listing in properties}
            prices = [listing["price"] for listing in properties] + ([turn.cheapest] if turn.cheapest else [])
            session.turn = replace(turn, shown=shown_ids, cheapest=min(prices, default=None))
            session.turns = [*session.turns, (message, response)][-REMEMBERED_TURNS:]
        metadata = {
            "method": method,
            "llm": llm or None,
            "session_id": session_id,
            "turn": turn.kind,
            "criteria": turn.criteria.set_values(),
            "total": len(matches),
            "seconds": round(time.perf_counter() - started, 4),
        }
        return {"response": response, "properties": properties, "metadata": metadata}

    async def _by_rules(self, method: str, message: str, before: Turn) -> tuple[Turn, list[Listing], str]:
        turn = next_turn(message, before)
        matches = await asyncio.to_thread(self.search.find, method, turn.criteria, turn.text, turn.shown)
        return turn, matches, by_template(turn.criteria, matches, exact=method == "api", more=turn.kind == "more")

    async def _by_model(
        self, llm: str, method: str, message: str, session: _Session
    ) -> tuple[Turn, list[Listing], str]:
        turn, matches = Turn(text=message), list[Listing]()

        def find(request: SearchRequest) -> dict[str, Any]:
            nonlocal turn, matches
            turn = replace(session.turn, kind="more") if request.more else Turn()
            turn = replace(turn, criteria=request.criteria(), text=request.query)
            matches = self.search.find(method, turn.criteria, turn.text, turn.shown)
            return {"total": len(matches), "listings": [shown_to_model(listing) for listing in matches[:MOST]]}

        response = await by_model(llm, message, session.turns, find)
        return turn, matches, response

    def _session(self, session_id: str) -> _Session:
        session = self._sessions.setdefault(session_id, _Session())
        self._sessions.move_to_end(session_id)
        while len(self._sessions) > self._most:
            self._sessions.popitem(last=False)
        return session
