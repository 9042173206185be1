"""A budget for model calls.  Calls in flight count with their estimated cost, so that it is not overspent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from neraca.errors import BudgetReached
from neraca.translation import language, say, written_in


class Budget:
    """A limit in US dollars, with the sums spent and promised to calls in flight.

    Parameters
    ----------
    allowed
        US dollars that may be spent; None: no limit.

    Attributes
    ----------
    spent
        US dollars spent; the caller adds the cost of each call.
    """

    def __init__(self, allowed: float | None) -> None:
        self.spent = 0.0
        self.allowed = allowed
        self._language = language()
        self._promised: dict[int, float] = {}
        self._number = 0
        self._waiting: list[asyncio.Future[None]] = []

    @asynccontextmanager
    async def promise(self, estimate: float) -> AsyncIterator[None]:
        """Reserve money for one call.  If too little is left, wait for calls in flight to end.

        Raise `BudgetReached` if no call is in flight, and less than the estimate is left.
        """
        if self.allowed is None:
            yield
            return
        while self.spent + sum(self._promised.values()) + estimate > self.allowed:
            if not self._promised:
                with written_in(self._language):
                    raise BudgetReached(
                        say(
                            "the budget of ${budget:g} is reached: ${spent:.4f} is spent and the next call would cost "
                            "about ${cost:.4f}; the same command with a higher budget goes on from here",
                            budget=self.allowed,
                            spent=self.spent,
                            cost=estimate,
                        )
                    )
            ended = asyncio.get_running_loop().create_future()
            self._waiting.append(ended)
            await ended
        self._number += 1
        number = self._number
        self._promised[number] = estimate
        try:
            yield
        finally:
            del self._promised[number]
            waiting, self._waiting = self._waiting, []
            for ended in waiting:
                if not ended.done():
                    ended.set_result(None)
