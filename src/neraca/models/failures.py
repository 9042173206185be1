"""Failures of calls in a row: after too many alike, and before any good reply, no more calls are made."""

from __future__ import annotations

from collections.abc import Callable

from neraca.errors import ModelError, NothingUsable
from neraca.models.cache import Cache, key_of
from neraca.translation import say

#: Failures of one kind in a row, before any good reply, after which no more calls are made.
MOST_FAILURES = 10
#: The same, if one call at a time had no reply, each in twice the time of the one before.
MOST_TIMEOUTS = 3
#: Letters by which failures without a reply are told apart: "status 500".
_SAME_KIND = 10


class Failures:
    """The failures of a session's calls, by endpoint.

    The file of replies keeps which endpoints ever gave a good reply.  A useless reply of such an endpoint is no reason
    to stop in a later session: what is left then is often what the model cannot decide.

    Parameters
    ----------
    cache
        Returns the file of replies.
    """

    def __init__(self, cache: Callable[[], Cache]) -> None:
        self._cache = cache
        self._in_a_row: dict[str, tuple[str, int]] = {}
        self._useless: dict[str, str] = {}
        self._good: dict[str, bool] = {}

    def note_reply(self, url: str) -> None:
        """Keep that an endpoint, named by its URL for people, gave a good reply."""
        if not self._gave_replies(url):
            self._cache().put({_key(url): b"1"})
            self._good[url] = True

    def _gave_replies(self, url: str) -> bool:
        if url not in self._good:
            self._good[url] = _key(url) in self._cache().get([_key(url)])
        return self._good[url]

    def note(self, endpoint: str, url: str, failure: ModelError, *, alone: bool) -> None:
        """Count a failure of an endpoint that gave no good reply in this session.

        Parameters
        ----------
        endpoint, url
            The endpoint's name, and its URL for people.
        failure
            The failure.
        alone
            Whether it is a call without a reply that was alone: others at once may have kept the endpoint busy.

        Raises
        ------
        NothingUsable
            This is the last of too many failures of one kind.
        """
        if failure.paid and self._gave_replies(url):
            return
        kind = type(failure).__name__ if failure.paid else str(failure)[:_SAME_KIND]
        last_kind, count = self._in_a_row.get(endpoint, ("", 0))
        self._in_a_row[endpoint] = kind, count + 1 if kind == last_kind else 1
        most = MOST_TIMEOUTS if alone else MOST_FAILURES
        if self._in_a_row[endpoint][1] >= most:
            self._useless[endpoint] = say(
                "{n} calls in a row failed alike, and none before them was answered, so no more are made. "
                "The last one: {failure}{remedy}",
                n=most,
                failure=failure,
                remedy=say("; raise timeout, or ask a smaller model or shorter texts") if alone else "",
            )
        self.check(endpoint)

    def check(self, endpoint: str) -> None:
        """Raise `NothingUsable` if no more calls are made to an endpoint."""
        if endpoint in self._useless:
            raise NothingUsable(self._useless[endpoint])


def _key(url: str) -> bytes:
    return key_of(["gave good replies", url])
