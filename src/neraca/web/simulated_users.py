"""Users of a live search service who come over HTTP and click as a stated model says."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import aiohttp

from neraca.errors import TargetError
from neraca.online.interleaving.sensitivity import PositionClicks
from neraca.stats.interval import Floats

BEGIN = datetime(2026, 3, 2, 8, tzinfo=UTC)
#: Users who are there at once.
AT_ONCE = 16


@dataclass(frozen=True)
class Crowd:
    """Simulated users.

    Attributes
    ----------
    users
        How many there are.
    days
        Each comes on one to three of these days, and searches once or twice.
    clicks
        How they look at a list, and click on what they see.
    seed
        Of everything that they do.
    """

    users: int = 2000
    days: int = 14
    clicks: PositionClicks = field(default_factory=lambda: PositionClicks(noise=0.05, best=0.5, decay=0.7))
    seed: int = 0

    @property
    def words(self) -> str:
        """How they click, for people."""
        clicks = self.clicks
        return (
            f"rank r is looked at with the chance r^-{clicks.decay:g}; what is seen is clicked with the chance "
            f"{clicks.best:g} where it meets all that was asked, else {clicks.noise:g}; seed {self.seed}"
        )


async def visit(url: str, questions: Sequence[str], relevant: Mapping[str, frozenset[str]], crowd: Crowd) -> int:
    """Let all users come; returns how many requests they made.

    Parameters
    ----------
    url
        Of the service.
    questions
        Of which each search asks one.
    relevant
        Question → the documents that are what it asks for.

    Raises
    ------
    TargetError
        The service did not answer.
    """
    limit = asyncio.Semaphore(AT_ONCE)
    async with aiohttp.ClientSession(url, timeout=aiohttp.ClientTimeout(60)) as http:

        async def one(number: int) -> int:
            async with limit:
                return await _User(number, crowd, http).live(questions, relevant)

        return sum(await asyncio.gather(*map(one, range(crowd.users))))


class _User:
    def __init__(self, number: int, crowd: Crowd, http: aiohttp.ClientSession) -> None:
        self._name = f"user-{number:05}"
        self._random = random.Random(f"{crowd.seed} {number}")
        self._crowd = crowd
        self._http = http
        self._requests = 0

    async def live(self, questions: Sequence[str], relevant: Mapping[str, frozenset[str]]) -> int:
        """Come, search and click on some days."""
        chance = self._random
        days = sorted(chance.sample(range(self._crowd.days), min(self._crowd.days, chance.randint(1, 3))))
        for day in days:
            at = BEGIN + timedelta(days=day, seconds=chance.uniform(0, 12 * 3600))
            for n in range(chance.randint(1, 2)):
                question = chance.choice(questions)
                at = await self._search(f"{self._name}-{day}-{n}", day, question, relevant[question], at)
        return self._requests

    async def _search(self, query: str, day: int, question: str, relevant: frozenset[str], at: datetime) -> datetime:
        """Search once and click; returns when the user is done."""
        who = {"query_id": query, "client_id": self._name, "session_id": f"{self._name}-{day}"}
        found = await self._post("/search", {**who, "user_query": question, "timestamp": at.isoformat()})
        shown = found["results"]
        chances: Sequence[float] | Floats = (
            self._crowd.clicks.chances([float(document in relevant) for document in shown], 1.0) if shown else ()
        )
        for rank, (document, chance) in enumerate(zip(shown, chances, strict=True), start=1):
            at += timedelta(seconds=self._random.uniform(1, 4))
            if self._random.random() < chance:
                clicked = {"object_id": document, "ordinal": rank, "timestamp": at.isoformat()}
                await self._post("/click", who | clicked)
                at += timedelta(seconds=self._random.uniform(30, 90) if document in relevant else 5)
        return at + timedelta(seconds=60)

    async def _post(self, path: str, body: Mapping[str, object]) -> dict[str, list[str]]:
        self._requests += 1
        async with self._http.post(path, json=body) as response:
            if response.status != 200:
                raise TargetError(f"the live service answered {path} with HTTP {response.status}")
            answer: dict[str, list[str]] = await response.json()
            return answer
