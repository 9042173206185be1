"""Simulated users of a live search service, who search over HTTP and click by a position-based model."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import aiohttp

from neraca.errors import TargetError
from neraca.online.interleaving.sensitivity import PositionClicks
from neraca.stats.intervals.interval import Floats

BEGIN = datetime(2026, 3, 2, 8, tzinfo=UTC)
#: Most users at one time.
AT_ONCE = 16


@dataclass(frozen=True)
class Crowd:
    """Simulated users.

    Attributes
    ----------
    users
        The number of users.
    days
        The number of days.  Each user comes on one to three of them, and searches once or twice a day.
    clicks
        The chances that users look at a rank, and click on what they see.
    seed
        The seed of all their actions.
    """

    users: int = 2000
    days: int = 14
    clicks: PositionClicks = field(default_factory=lambda: PositionClicks(noise=0.05, best=0.5, decay=0.7))
    seed: int = 0

    @property
    def words(self) -> str:
        """A sentence about their click model."""
        clicks = self.clicks
        return (
            f"rank r is looked at with probability r^-{clicks.decay:g}; a hit that is seen is clicked with probability "
            f"{clicks.best:g} if it meets all constraints, else {clicks.noise:g}; seed {self.seed}"
        )


async def visit(url: str, questions: Sequence[str], relevant: Mapping[str, frozenset[str]], crowd: Crowd) -> int:
    """Let all users search and click; return the number of their requests.

    Parameters
    ----------
    url
        The address of the service.
    questions
        The questions; each search draws one of them.
    relevant
        Question → ids of the relevant documents.

    Raises
    ------
    TargetError
        If the service does not answer.
    """
    limit = asyncio.Semaphore(AT_ONCE)
    async with aiohttp.ClientSession(url, timeout=aiohttp.ClientTimeout(60)) as http:

        async def simulate(number: int) -> int:
            async with limit:
                return await _User(number, crowd, http).live(questions, relevant)

        return sum(await asyncio.gather(*map(simulate, range(crowd.users))))


class _User:
    def __init__(self, number: int, crowd: Crowd, http: aiohttp.ClientSession) -> None:
        self._name = f"user-{number:05}"
        self._random = random.Random(f"{crowd.seed} {number}")
        self._crowd = crowd
        self._http = http
        self._requests = 0

    async def live(self, questions: Sequence[str], relevant: Mapping[str, frozenset[str]]) -> int:
        """Search and click on some days; return the number of requests."""
        chance = self._random
        days = sorted(chance.sample(range(self._crowd.days), min(self._crowd.days, chance.randint(1, 3))))
        for day in days:
            at = BEGIN + timedelta(days=day, seconds=chance.uniform(0, 12 * 3600))
            for n in range(chance.randint(1, 2)):
                question = chance.choice(questions)
                at = await self._search(f"{self._name}-{day}-{n}", day, question, relevant[question], at)
        return self._requests

    async def _search(self, query: str, day: int, question: str, relevant: frozenset[str], at: datetime) -> datetime:
        """Search once and click; return the time at which the user is done."""
        ids = {"query_id": query, "client_id": self._name, "session_id": f"{self._name}-{day}"}
        reply = await self._post("/search", {**ids, "user_query": question, "timestamp": at.isoformat()})
        documents = reply["results"]
        grades = [float(document in relevant) for document in documents]
        chances: Sequence[float] | Floats = self._crowd.clicks.chances(grades, 1.0) if documents else ()
        for rank, (document, chance) in enumerate(zip(documents, chances, strict=True), start=1):
            at += timedelta(seconds=self._random.uniform(1, 4))
            if self._random.random() < chance:
                click = {"object_id": document, "ordinal": rank, "timestamp": at.isoformat()}
                await self._post("/click", ids | click)
                at += timedelta(seconds=self._random.uniform(30, 90) if document in relevant else 5)
        return at + timedelta(seconds=60)

    async def _post(self, path: str, body: Mapping[str, object]) -> dict[str, list[str]]:
        self._requests += 1
        async with self._http.post(path, json=body) as response:
            if response.status != 200:
                raise TargetError(f"the live service answered {path} with HTTP {response.status}")
            answer: dict[str, list[str]] = await response.json()
            return answer
