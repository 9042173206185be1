"""One list out of those of several rankers, for a live system: the same for the same seed, query and user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from neraca.errors import InputError, SpecError
from neraca.online.interleaving.choices import HashedChoices
from neraca.online.interleaving.method import NO_TEAM, check_rankers, method_of


class Interleaved(NamedTuple):
    """A list to show.  Log what was shown of it: all three fields.

    Attributes
    ----------
    documents
        Best first.
    teams
        The ranker that each document came from; "" for a document that no ranker gets credit for.
    ranking_id
        The same for all pages of one list, another one for another query, user or seed.
    """

    documents: tuple[str, ...]
    teams: tuple[str, ...]
    ranking_id: str


def interleave(
    rankings: Mapping[str, Sequence[str]],
    *,
    query: str,
    user: str = "",
    method: str = "team_draft",
    seed: int = 0,
    length: int = 10,
    start: int = 0,
) -> Interleaved:
    """Make one list of the results of several rankers.

    All chance follows from `seed`, `query`, `user`, the method and the names of the rankers: the same call gives the
    same list, on every server.  A page is `start` and `length`; the second page goes on where the first one
    ended, if the rankers return the same documents, or more of them at the end.

    Parameters
    ----------
    rankings
        Name of a ranker → its document ids, best first, at least `start + length` of them where there are so many.
        A document that a ranker returns twice counts where it stands first.
    query
        The words of the search.
    user
        Whose search it is.  The id of a session instead gives a user who repeats a query another draft in each session.
    method
        `team_draft`, `probabilistic(tau=3)`, `balanced`, `optimised(credit=inverse)`.
    seed
        Of the experiment; another one for the next.
    length, start
        How many documents, and how many come before them.

    Raises
    ------
    InputError
        `length` or `start` is negative.
    SpecError
        The method is unknown, or does not take so many rankers, or so long a list, or a second page.

    Examples
    --------
    >>> page = interleave({"a": ["D68", "D69"], "b": ["D53", "D90"]}, query="house", seed=1)
    >>> page.documents, page.teams
    (('D53', 'D68', 'D69', 'D90'), ('b', 'a', 'a', 'b'))
    """
    canonical, how = method_of(method)
    names = tuple(rankings)
    check_rankers(canonical, how, len(names))
    if start < 0 or length < 0:
        raise InputError(f"length {length} and start {start} are not below 0")
    if start and not how.grows:
        raise SpecError(f"{canonical} makes each list at once, and has no second page; team_draft has one")
    if "" in rankings:
        raise InputError('a ranker has the name ""; give each a name, as it is written into the log')
    key = "\0".join((str(seed), canonical, *names, query, user)).encode("utf-8", "surrogatepass")
    unique = [_unique(documents) for documents in rankings.values()]
    documents, teams = how.draft(unique, start + length, HashedChoices(key))
    named = tuple([names[team] if team != NO_TEAM else "" for team in teams[start:]])
    return Interleaved(tuple(documents[start:]), named, blake2b(key, digest_size=10, person=b"ranking_id").hexdigest())


def _unique(documents: Sequence[str]) -> Sequence[str]:
    """The documents without those that stood before."""
    return documents if len(set(documents)) == len(documents) else list(dict.fromkeys(documents))
