"""Ask a model until it has decided on every id: ids that it left out or contradicted are asked again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from neraca.errors import ModelError

#: Most calls for one id.
ATTEMPTS = 3
NO_CLEAR_REPLY = "the model gave no clear word on it, asked three times"


class HasId(Protocol):
    """An entry of a reply."""

    @property
    def id(self) -> str:
        """The id of the judged text."""


E = TypeVar("E", bound=HasId)
T = TypeVar("T")


def unambiguous(entries: Iterable[E], ids: Iterable[str]) -> dict[str, E]:
    """Return id → entry, for each of `ids` that has one entry, or several equal ones.

    >>> import msgspec
    >>> Entry = msgspec.defstruct("Entry", ["id", ("useful", bool)], frozen=True)
    >>> entries = [Entry("x1", True), Entry("x2", True), Entry("x2", False), Entry("x9", True)]
    >>> unambiguous(entries, ["x1", "x2", "x3"])
    {'x1': Entry(id='x1', useful=True)}
    """
    by_id: dict[str, list[E]] = {}
    for entry in entries:
        by_id.setdefault(entry.id.strip(), []).append(entry)
    return {key: by_id[key][0] for key in ids if key in by_id and all(entry == by_id[key][0] for entry in by_id[key])}


async def ask_until_complete(
    ids: Sequence[str], ask: Callable[[Sequence[str], int], Awaitable[tuple[dict[str, T], bool]]]
) -> tuple[dict[str, T], str]:
    """Ask until there is an entry for each id, at most three times, and each time only for the missing ids.

    A reply from an earlier session does not count as an attempt.  So ids that an earlier session gave up are asked
    again.

    Parameters
    ----------
    ids
        The ids that need an entry.
    ask
        Takes the missing ids and the number of the reply (from 0).  Returns entries by id, and whether the reply was
        made in an earlier session.

    Returns
    -------
    tuple
        Id → entry; and the reason why the other ids have none.
    """
    entries: dict[str, T] = {}
    replies = attempts = 0
    while attempts < ATTEMPTS and (missing := [key for key in ids if key not in entries]):
        try:
            new, earlier = await ask(missing, replies)
        except ModelError as error:  # the session has retried already, as often as the settings say
            return entries, str(error)
        entries |= new
        replies += 1
        attempts += not earlier
    return entries, NO_CLEAR_REPLY
