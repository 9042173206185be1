"""The speed at which an endpoint answers, and the time to wait for its next reply.

A server with one slot answers calls one after another, so eight calls at once wait for each other.  A call that waits
is not lost: it is cancelled only if the endpoint gave no sign of life for as long as one call may take, or answered
calls that began later.  From a slow endpoint replies are streamed: each part that arrives is a sign of life.
"""

from __future__ import annotations

import math
from typing import Literal

#: A call may take this many times as long as the slowest call that was answered.
_TIMES_SLOWEST = 3.0
#: Replies are streamed once one took this share of the time that a call may take.
_SLOW_SHARE = 0.25
#: A call that took longer than this many times the fastest, and that share of its time, waited for others.
_TIMES_FASTEST = 3.0
#: Most doublings of the patience with an endpoint that has not answered in time.
_MOST_DOUBLINGS = 4


class Pace:
    """The observations of one endpoint.

    Attributes
    ----------
    slow
        Whether a call had no reply in its time although no later call had one.
    queues
        Whether the call that was answered last seems to have waited for others: more calls at once gain nothing.
    """

    def __init__(self) -> None:
        self.slow = self.queues = False
        self._fastest = math.inf
        self._doublings = 0
        self._slowest = 0.0
        self._latest = 0
        self._answered_at = 0.0
        self._heard_at = 0.0

    def allowed(self, seconds: float) -> float:
        """Return how many seconds the next call may take, if the settings say `seconds`.

        >>> pace = Pace()
        >>> pace.answered(1, 50.0, 50.0)
        >>> pace.allowed(120.0)
        150.0
        """
        longest = seconds * 2.0**_MOST_DOUBLINGS
        return max(seconds * 2.0**self._doublings, min(_TIMES_SLOWEST * self._slowest, longest))

    def streams(self, seconds: float) -> bool:
        """Return whether the next replies are streamed, if the settings say that a call may take `seconds`.

        >>> pace = Pace()
        >>> pace.answered(1, 31.0, 31.0)
        >>> pace.streams(120.0), pace.streams(600.0)
        (True, False)
        """
        return self.slow or self._slowest > _SLOW_SHARE * seconds

    def heard(self, now: float) -> None:
        """Note that a part of a reply arrived."""
        self._heard_at = now

    def answered(self, call: int, seconds: float, now: float, timeout: float = math.inf) -> None:
        """Note that a call, by its number, was answered after so many seconds; `timeout` is what the settings say.

        >>> pace = Pace()
        >>> for seconds in (5.0, 45.0):
        ...     pace.answered(1, seconds, seconds, timeout=120.0)
        ...     print(pace.queues)
        False
        True
        """
        self._fastest = min(self._fastest, seconds)
        self.queues = seconds > max(_SLOW_SHARE * timeout, _TIMES_FASTEST * self._fastest)
        self._slowest = max(self._slowest, seconds)
        self._latest = max(self._latest, call)
        self._answered_at = now

    def last_sign(self, call: int, begun: float) -> float:
        """Return the time of the last sign that a call which began then will be answered.

        A part of a streamed reply is such a sign.  So is a reply to another call, unless a call that began later was
        answered already.
        """
        return max(begun, self._heard_at, 0.0 if self._latest > call else self._answered_at)

    def overrun(self, call: int, in_flight: int, *, extended: bool) -> Literal["wait", "cancel"]:
        """Decide what to do with a call whose time is over; `extended`: it was given more time already."""
        if self._latest > call:
            return "cancel"
        self.slow = True
        if in_flight > 1 and not extended:
            return "wait"
        if in_flight == 1:
            self._doublings = min(self._doublings + 1, _MOST_DOUBLINGS)
        return "cancel"
