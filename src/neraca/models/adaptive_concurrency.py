"""Adapt the number of calls in flight to one endpoint: more while it answers, fewer when it refuses."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Literal

CallOutcome = Literal["answered", "refused", "slow", "failed"]
_DECREASE = 0.9
_INCREASE = 0.25


class AdaptiveLimit:
    """A limit of calls in flight, by additive increase and multiplicative decrease (Chiu and Jain, 1989).

    A round is as many answered calls as the limit allows in flight.  The limit grows by a quarter a round until the
    first refusal.  A refused or slow call multiplies it by 0.9, at most once a round.  A refused call also lowers it to
    the number of other calls in flight, which the endpoint evidently bears.  From there the limit grows by 0.25 a
    round.  Once it is two above that number, the endpoint bears more than before, and the limit grows by a quarter a
    round again.  It grows only while every place is taken, and not by calls that waited for each other in the server.

    An object serves one event loop at a time; its limit outlives the loop.

    Parameters
    ----------
    most, first
        Upper bound of the limit, and the limit at the start.

    Attributes
    ----------
    answered, in_flight
        Number of calls answered so far, and number of calls in flight.
    """

    def __init__(self, most: int, first: int = 8) -> None:
        self.answered = 0
        self.in_flight = 0
        self._most = max(1, most)
        self._limit = float(min(first, self._most))
        self._borne = float("-inf")
        self._started = 0
        self._started_at_cut = 0
        self._drained = 0
        self._paused_until = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def places(self) -> int:
        """Number of calls that may be in flight now.

        >>> AdaptiveLimit(3).places
        3
        """
        return int(self._limit)

    async def enter(self) -> int:
        """Wait for a place, first come first served, and return the number of the call for `leave`."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self._fill()
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # the place was granted at the same moment
                self.in_flight -= 1
                self._fill()
            raise
        self._started += 1
        return self._started

    def leave(self, call: int, outcome: CallOutcome, *, grow: bool = True) -> None:
        """Free the place of a call, and adapt the limit to its outcome; without `grow`, an answer does not raise it."""
        full = bool(self._waiting) or self.in_flight >= self.places
        self.in_flight -= 1
        if outcome == "answered":
            self.answered += 1
            if grow and full and call > self._drained:
                step = self._limit / 4 if self._limit >= self._borne + 2 else _INCREASE
                self._limit = min(self._limit + step / self._limit, self._most)
        elif outcome != "failed":
            self._decrease(call, refused=outcome == "refused")
        self._fill()

    def lower_to_one(self) -> None:
        """Let calls start one at a time from now on.  Calls in flight go on, and say nothing about the limit."""
        self._limit = self._borne = 1.0
        self._started_at_cut = self._drained = self._started

    def pause(self, seconds: float) -> None:
        """Start no call for this many seconds, as the endpoint asked; calls in flight go on."""
        self._paused_until = max(self._paused_until, _now() + seconds)

    def _decrease(self, call: int, *, refused: bool) -> None:
        if call > self._started_at_cut:  # a call from before the last cut says nothing about the limit since
            self._started_at_cut = self._started
            self._borne = self._limit
            self._limit *= _DECREASE
        if refused:
            self._borne = self.in_flight
            self._limit = min(self._limit, self._borne)
        self._limit = max(1.0, self._limit)

    def _fill(self) -> None:
        """Grant every free place to a waiting call, now or after the pause."""
        seconds_left = self._paused_until - _now()
        while self._waiting and seconds_left <= 0 and self.in_flight < self.places:
            place = self._waiting.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(None)
        if self._waiting and seconds_left > 0:
            asyncio.get_running_loop().call_later(seconds_left, self._fill)


def _now() -> float:
    return asyncio.get_running_loop().time()
