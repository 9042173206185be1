"""Interleave the results of several rankers in a live system, reproducibly for the same seed, query and user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from neraca.errors import InputError, SpecError
from neraca.online.interleaving.choices import HashedChoices
from neraca.online.interleaving.method import NO_TEAM, check_rankers, method_of


class Interleaved(NamedTuple):
    """A list to show.  Log all three fields with each search.

    Attributes
    ----------
    documents
        Ids of the documents, best first.
    teams
        The ranker that gets credit for each document; "" if none does.
    ranking_id
        An id of the list: equal for all its pages, different for another query, user or seed.
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
    """Interleave the results of several rankers in one list.

    All random choices depend only on `seed`, `query`, `user`, the method and the names of the rankers, so the same call
    gives the same list on every server.  The order of the rankers does not matter.  For the second page, pass `start`:
    it continues the first page if the rankings return the same documents, or more at the end.

    Parameters
    ----------
    rankings
        Name of a ranker → its document ids, best first, at least `start + length` if it has that many.
        `probabilistic` needs that number rounded up to whole tens, see its `depth`.  If a ranker returns a document
        twice, its first rank counts.
    query
        The words of the search.
    user
        The user.  With the id of the session instead, a user who repeats a query in another session gets another list.
    method
        `team_draft`, `probabilistic(tau=3, depth=10)`, `balanced` or `optimised(credit=inverse)`.
    seed
        Seed of the experiment; use another one for the next experiment.
    length, start
        Number of documents to return, and number of documents on the pages before.

    Raises
    ------
    InputError
        `length` or `start` is negative, or the name of a ranker is empty.
    SpecError
        The method is unknown, or does not support this number of rankers, this length, or a second page.

    Examples
    --------
    >>> page = interleave({"a": ["D68", "D69"], "b": ["D53", "D90"]}, query="house", seed=1)
    >>> page.documents, page.teams
    (('D53', 'D68', 'D69', 'D90'), ('b', 'a', 'a', 'b'))
    """
    canonical, drafter = method_of(method)
    names = tuple(sorted(rankings))
    check_rankers(canonical, drafter, len(names))
    if start < 0 or length < 0:
        raise InputError(f"length and start must be at least 0, not {length} and {start}")
    if start and not drafter.grows:
        raise SpecError(f"{canonical} makes each list as a whole and has no second page; use team_draft for pages")
    if "" in rankings:
        raise InputError('a ranker has the empty name ""; give each ranker the name to log')
    key = "\0".join((str(seed), canonical, *names, query, user)).encode("utf-8", "surrogatepass")
    unique = [_without_repeats(rankings[name]) for name in names]
    documents, teams = drafter.draft(unique, start + length, HashedChoices(key))
    team_names = tuple([names[team] if team != NO_TEAM else "" for team in teams[start:]])
    ranking_id = blake2b(key, digest_size=10, person=b"ranking_id").hexdigest()
    return Interleaved(tuple(documents[start:]), team_names, ranking_id)


def _without_repeats(documents: Sequence[str]) -> Sequence[str]:
    """Return the documents without repeats."""
    return documents if len(set(documents)) == len(documents) else list(dict.fromkeys(documents))
