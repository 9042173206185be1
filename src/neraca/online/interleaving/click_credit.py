"""From a log of interleaved searches to the credit of each ranker in each search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neraca.errors import InputError, SpecError, nearest
from neraca.online.interleaving.method import NO_TEAM, Method, Shown, check_rankers, method_of
from neraca.stats.interval import Floats

if TYPE_CHECKING:
    import polars as pl

Ints = NDArray[np.int64]
#: What each ranker returned: ranker → id of a search → documents, best first.
Returned = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True)
class ClickCredit:
    """Credit of rankers in n interleaved searches.

    Attributes
    ----------
    method, graded
        Its canonical name; whether credit comes in degrees, see `Method.graded`.
    rankers
        Their names, shape (r,).
    credit
        Shape (n, r).  A rank that was clicked twice counts once.
    drafted
        How many of the documents shown are of each ranker, shape (n, r).
    first
        The ranker of the first document, or `NO_TEAM`; shape (n,).
    clicks
        How many ranks were clicked, shape (n,).
    users, sessions, queries
        Numbers of these, shape (n,).
    query_words
        The words of each query, by its number.
    left_out
        What of the log was not used → how many searches or clicks.
    """

    method: str
    graded: bool
    rankers: tuple[str, ...]
    credit: Floats
    drafted: Floats
    first: Ints
    clicks: Ints
    users: Ints
    sessions: Ints
    queries: Ints
    query_words: tuple[str, ...]
    left_out: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.credit)


@dataclass
class _Numbers:
    """Gives each name a number, in order of occurrence."""

    known: dict[str, int] = field(default_factory=dict)

    def of(self, names: pl.Series) -> Ints:
        import polars as pl

        if not len(names):
            return np.zeros(0, dtype=np.int64)
        different = names.unique(maintain_order=True)
        for name in different:
            self.known.setdefault(name, len(self.known))
        numbers = [self.known[name] for name in different]
        return names.replace_strict(different, numbers, return_dtype=pl.Int64).to_numpy()


def click_credit(
    log: Iterable[pl.DataFrame],
    method: str = "team_draft",
    rankers: Sequence[str] = (),
    returned: Returned | None = None,
) -> ClickCredit:
    """Credit the clicks of a log to rankers.

    Parameters
    ----------
    log
        Frames of searches, as `search_log` yields them, each with all searches of some users; a search without teams
        was not interleaved and is left out.
    method
        By which the lists were made.
    rankers
        Their names, in the order of the report; () all that the log names, sorted.
    returned
        What each ranker returned to each search; `balanced` and `optimised` need it, `probabilistic` tells more by it.

    Raises
    ------
    SpecError
        The method is unknown, lacks what the rankers returned, or does not take so many rankers.
    InputError
        No search has teams, or a ranker that was named is not in the log.
    """
    canonical, how = method_of(method)
    if how.needs_rankings and returned is None:
        raise SpecError(f"{canonical} credits clicks by what each ranker returned; give it: --rankings a.run b.run")
    returned = _in_order(returned, rankers)
    teams, queries = _Numbers(), _Numbers()
    parts: list[_Part] = []
    answered = sorted(set.intersection(*map(set, returned.values()))) if returned else []
    left_out = dict.fromkeys(("not_interleaved", "no_rankings", "repeated_clicks"), 0)
    for frame in log:
        interleaved = frame.filter(frame["teams"].list.len() > 0)
        left_out["not_interleaved"] += len(frame) - len(interleaved)
        if returned is not None:
            there = interleaved["search"].is_in(answered)
            left_out["no_rankings"] += int((~there).sum())
            interleaved = interleaved.filter(there)
        if not len(interleaved):
            continue
        part = _Part.of(interleaved, teams, parts[-1] if parts else None)
        part.queries = queries.of(interleaved["query"].fill_null(""))
        if returned is not None:
            part.credit = _by_rankings(interleaved, how, teams.known, returned)
        left_out["repeated_clicks"] += part.repeated
        parts.append(part)
    if not parts:
        raise InputError(_nothing(left_out))
    order = _order(rankers, [name for name in returned or sorted(teams.known) if name])
    check_rankers(canonical, how, len(order))
    for name in order:
        teams.known.setdefault(name, len(teams.known))
    graded = how.graded and returned is not None
    return _joined(parts, (canonical, graded), order, teams.known, tuple(queries.known), left_out)


def _in_order(returned: Returned | None, rankers: Sequence[str]) -> Returned | None:
    """What the rankers returned, in the order in which they are named."""
    if returned is None:
        return None
    if unknown := [name for name in rankers if name not in returned]:
        raise InputError(f"there are no rankings of {unknown[0]!r}; {nearest(unknown[0], returned)}")
    return {name: returned[name] for name in rankers or returned}


def _order(rankers: Sequence[str], names: Sequence[str]) -> list[str]:
    """The rankers named, or all."""
    if unknown := [name for name in rankers if name not in names]:
        raise InputError(f"no document of the log is of the ranker {unknown[0]!r}; {nearest(unknown[0], names)}")
    return list(rankers or names)


def _nothing(left_out: Mapping[str, int]) -> str:
    if left_out["no_rankings"]:
        return "no search of the log is in the rankings; their query ids are the ids of the log's searches"
    return (
        f"none of {left_out['not_interleaved']:,} searches says which ranker its documents came from; log the teams of "
        "neraca.interleave, and name their field where it is called otherwise: --column teams=FIELD"
    )


@dataclass
class _Part:
    """Some searches; of documents and clicks how many are of each ranker that was known by then."""

    drafted: NDArray[np.uint8]
    clicked: NDArray[np.uint8]
    clicks: Ints
    first: Ints
    users: Ints
    sessions: Ints
    repeated: int
    queries: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    credit: list[list[float]] | None = None

    @classmethod
    def of(cls, frame: pl.DataFrame, teams: _Numbers, before: _Part | None) -> _Part:
        """Take a frame; users and sessions are numbered on from those before."""
        import polars as pl

        rows = frame.select("teams", once=pl.col("clicked").list.unique()).with_row_index("row")
        shown = rows.select("row", team=pl.col("teams")).explode("team").with_columns(pl.col("team").fill_null(""))
        clicks = rows.explode("once").drop_nulls("once")
        of_click = clicks.select("row", team=pl.col("teams").list.get(pl.col("once") - 1, null_on_oob=True))
        session = frame["user"] + "\0" + frame["session"]
        return cls(
            drafted=_counts(shown, len(frame), teams),
            clicked=_counts(of_click.with_columns(pl.col("team").fill_null("")), len(frame), teams),
            clicks=rows["once"].list.len().cast(pl.Int64).to_numpy(),
            first=teams.of(frame["teams"].list.first().fill_null("")),
            users=_numbered(frame["user"], before.users if before else None),
            sessions=_numbered(session, before.sessions if before else None),
            repeated=int(frame["clicked"].list.len().sum()) - len(clicks),
        )


def _counts(teams_of_rows: pl.DataFrame, n: int, teams: _Numbers) -> NDArray[np.uint8]:
    """How often each ranker known so far stands in each row (`row`, `team`), shape (n, known); at most 255."""
    rankers = teams.of(teams_of_rows["team"])
    known = len(teams.known)
    counts = np.bincount(teams_of_rows["row"].to_numpy() * np.int64(known) + rankers, minlength=n * known)
    return np.minimum(counts, 255).astype(np.uint8).reshape(n, known)


def _numbered(names: pl.Series, before: Ints | None) -> Ints:
    """Numbers of names that are all other ones than those before."""
    import polars as pl

    start = 0 if before is None else int(before.max()) + 1
    numbers: Ints = names.rank("dense").cast(pl.Int64).to_numpy() + (start - 1)
    return numbers


def _by_rankings(frame: pl.DataFrame, how: Method, known: Mapping[str, int], returned: Returned) -> list[list[float]]:
    """Credit of each of the rankers that returned something, in their order; shape (n, those)."""
    names = list(returned)
    places = {name: place for place, name in enumerate(names)}
    if strange := [name for name in known if name and name not in places]:
        raise InputError(f"there are no rankings of {strange[0]!r}, which the log names; {nearest(strange[0], names)}")
    credit = []
    columns = (frame[name].to_list() for name in ("search", "shown", "teams", "clicked"))
    for search, documents, teams, clicked in zip(*columns, strict=True):
        numbered = [places.get(team, NO_TEAM) for team in teams]
        rankings = [returned[name][search] for name in names]
        credit.append(how.credit(Shown(documents, numbered, len(names), rankings), set(clicked)))
    return credit


def _joined(
    parts: Sequence[_Part],
    method: tuple[str, bool],
    order: Sequence[str],
    known: Mapping[str, int],
    query_words: tuple[str, ...],
    left_out: Mapping[str, int],
) -> ClickCredit:
    """All parts below each other, with one column for each ranker."""
    columns = [known[name] for name in order]
    place = np.full(len(known), NO_TEAM)
    place[columns] = range(len(columns))
    drafted = np.concatenate([_columns(part.drafted, columns) for part in parts])
    credit = [
        _columns(part.clicked, columns) if part.credit is None else np.array(part.credit, dtype=np.float64)
        for part in parts
    ]
    return ClickCredit(
        method=method[0],
        graded=method[1],
        rankers=tuple(order),
        credit=np.concatenate(credit),
        drafted=drafted,
        first=np.concatenate([place[part.first] for part in parts]),
        clicks=np.concatenate([part.clicks for part in parts]),
        users=np.concatenate([part.users for part in parts]),
        sessions=np.concatenate([part.sessions for part in parts]),
        queries=np.concatenate([part.queries for part in parts]),
        query_words=query_words,
        left_out=left_out,
    )


def _columns(counts: NDArray[np.uint8], columns: Sequence[int]) -> Floats:
    """The columns of some rankers; 0 for one that came later."""
    wide = np.zeros((len(counts), len(columns)))
    for place, column in enumerate(columns):
        if column < counts.shape[1]:
            wide[:, place] = counts[:, column]
    return wide
