"""Every id exactly once: what a model left out, said twice or invented is noticed, and only that is asked again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from neraca.errors import ModelError

#: How often is asked for an id, all in all.
TURNS = 3
LEFT_OUT = "the model gave no clear word on it, asked three times"


class Named(Protocol):
    """An entry of a reply."""

    @property
    def id(self) -> str:
        """Of what was asked."""


E = TypeVar("E", bound=Named)
T = TypeVar("T")


def once(entries: Iterable[E], asked: Iterable[str]) -> dict[str, E]:
    """Id → entry, of those asked for on which the reply says one thing; of one said twice in two ways nothing counts.

    >>> import msgspec
    >>> Entry = msgspec.defstruct("Entry", ["id", ("useful", bool)], frozen=True)
    >>> said = [Entry("x1", True), Entry("x2", True), Entry("x2", False), Entry("x9", True)]
    >>> once(said, ["x1", "x2", "x3"])
    {'x1': Entry(id='x1', useful=True)}
    """
    found: dict[str, list[E]] = {}
    for entry in entries:
        found.setdefault(entry.id.strip(), []).append(entry)
    return {key: found[key][0] for key in asked if key in found and all(one == found[key][0] for one in found[key])}


async def ask_each(
    ids: Sequence[str], ask: Callable[[Sequence[str], int], Awaitable[dict[str, T]]]
) -> tuple[dict[str, T], str]:
    """Ask until there is a word on each id, three times at most, and each time only for what is missing.

    Parameters
    ----------
    ids
        What there is to ask for.
    ask
        From the ids that are missing and the number of the turn (from 0) to what was said of them.

    Returns
    -------
    tuple
        Id → what was said; and why the others have nothing.
    """
    found: dict[str, T] = {}
    for turn in range(TURNS):
        missing = [key for key in ids if key not in found]
        if not missing:
            break
        try:
            found |= await ask(missing, turn)
        except ModelError as error:  # the model was asked again by then, as often as its settings say
            return found, str(error)
    return found, LEFT_OUT
