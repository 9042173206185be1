"""How many calls are in flight to one endpoint: more while it fares well, fewer when it refuses."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Literal

Fared = Literal["well", "refused", "slow", "badly"]
_FIRST = 8
_CUT = 0.9
_MOST_CAUTION = 16


class AdaptiveLimit:
    """Places for calls in flight, as many as the endpoint bears.

    Parameters
    ----------
    most
        Never more than this.

    It begins with 8 and grows by a quarter per round of calls until the first refusal.  A refusal shows what the
    endpoint does bear: the calls that stay in flight.  That number is the ceiling; the limit goes under it, comes
    back in steps that shrink with the distance, tries one more now and then, the more seldom the more often the
    same ceiling was met, and if that goes well, grows faster with every step away from the old ceiling (the idea of
    TCP CUBIC: Ha, Rhee and Xu, 2008).  So one wrong guess costs one refused call, and a lasting change is followed.
    Growth counts only while all places are taken.

    An object serves one event loop at a time; what it has learnt outlives the loop.

    Attributes
    ----------
    answered, flying
        Calls that went well so far, and calls in flight: whether the endpoint answers anybody.
    """

    def __init__(self, most: int) -> None:
        self.answered = 0
        self.flying = 0
        self._most = max(1, most)
        self._limit = float(min(_FIRST, self._most))
        self._ceiling = float("inf")
        self._caution = 1.0
        self._started = 0
        self._cut_at = 0
        self._paused_until = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def places(self) -> int:
        """Calls that may be in flight now.

        >>> AdaptiveLimit(3).places
        3
        """
        return int(self._limit)

    async def enter(self) -> int:
        """Wait for a place, in the order of asking; gives the number of the call, for `leave`."""
        if self._waiting or not self._free():
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                self._fill()
                await place
            except asyncio.CancelledError:
                if not place.cancelled():  # the place was given in the same moment
                    self.flying -= 1
                    self._fill()
                raise
        else:
            self.flying += 1
        self._started += 1
        return self._started

    def leave(self, call: int, fared: Fared) -> None:
        """Give a place back and say how the call fared: answered, refused for being too many, too slow, or else."""
        full = bool(self._waiting) or self.flying >= self.places
        self.flying -= 1
        if fared == "well":
            self.answered += 1
            if full:
                self._grow()
        elif fared != "badly":
            self._shrink(call, refused=fared == "refused")
        self._fill()

    def pause(self, seconds: float) -> None:
        """Start no call for so long, because the endpoint asked for it; calls in flight go on."""
        self._paused_until = max(self._paused_until, _now() + seconds)

    def _grow(self) -> None:
        """One round of calls, `limit` of them, adds up to one step."""
        if self._limit >= self._ceiling + 2:
            self._caution = 1.0
        step = min(abs(self._limit - self._ceiling) / 2, self._limit / 4)
        self._limit = min(self._limit + max(step, 0.5 / self._caution) / self._limit, self._most)

    def _shrink(self, call: int, *, refused: bool) -> None:
        """Cut once per round: calls that began before the last cut knew nothing of it."""
        limit = self._limit
        if call > self._cut_at:
            self._cut_at = self._started
            limit *= _CUT
            met = abs(self._limit - self._ceiling) < 2
            self._caution = min(self._caution * 2, _MOST_CAUTION) if met else 1.0
            self._ceiling = self._limit
        if refused:
            self._ceiling = self.flying
            limit = min(limit, self.flying)
        self._limit = max(1.0, limit)

    def _free(self) -> bool:
        return self.flying < self.places and _now() >= self._paused_until

    def _fill(self) -> None:
        """Give out every free place; one per call that ends would never let the number grow."""
        while self._waiting and self._free():
            place = self._waiting.popleft()
            if not place.done():
                self.flying += 1
                place.set_result(None)
        pause = self._paused_until - _now()
        if self._waiting and pause > 0:
            asyncio.get_running_loop().call_later(pause, self._fill)


def _now() -> float:
    return asyncio.get_running_loop().time()
