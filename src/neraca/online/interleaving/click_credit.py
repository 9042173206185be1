"""Compute the credit of each ranker in each search from a log of interleaved searches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neraca.errors import InputError, SpecError
from neraca.nearest import nearest
from neraca.online.interleaving.method import NO_TEAM, Method, Shown, check_rankers, method_of
from neraca.online.no_clicks import check_clicks
from neraca.online.search_log import SearchLog
from neraca.stats.intervals.interval import Floats

if TYPE_CHECKING:
    import polars as pl

Ints = NDArray[np.int64]
#: Results of each ranker: ranker → id of a search → documents, best first.
Returned = Mapping[str, Mapping[str, Sequence[str]]]
#: Reason of `ClickCredit.left_out` → what is left out, in words.
UNUSED: Mapping[str, str] = {
    "not_interleaved": "searches without teams, which were not interleaved",
    "no_team": "searches whose documents are all of no team, which no ranker can win",
    "no_rankings": "searches of which the rankings do not say what the rankers returned",
    "repeated_clicks": "clicks on a rank that had been clicked before",
    "no_team_clicks": "clicks on documents of no team, which credit no ranker",
}


@dataclass(frozen=True)
class ClickCredit:
    """Credit of rankers in n interleaved searches.

    Attributes
    ----------
    method, graded
        The canonical name of the method, and whether credit is graded, see `Method.graded`.
    rankers
        Names of the rankers, shape (r,).
    credit
        Credit of each ranker in each search, shape (n, r).  A rank that was clicked twice counts once.
    drafted
        Number of documents shown that each ranker added, shape (n, r).
    first
        Number of the ranker that added the first document, or `NO_TEAM`; shape (n,).
    clicks
        Number of ranks clicked, shape (n,).
    users, sessions, queries
        Number that stands for the user, session or query of each search, shape (n,).
    query_words
        The text of each query, by its number.
    left_out
        Reason of `UNUSED` → number of searches or clicks left out.
    by_chance
        Credit of each ranker for one click by chance, at rank k with a probability proportional to 1/k², shape (n, r);
        None for a method that balances who is first.
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
    by_chance: Floats | None = None

    def __len__(self) -> int:
        return len(self.credit)


@dataclass
class _Numbers:
    """Assigns a number to each name, in order of first occurrence."""

    by_name: dict[str, int] = field(default_factory=dict)

    def of(self, names: pl.Series) -> Ints:
        import polars as pl

        if not len(names):
            return np.zeros(0, dtype=np.int64)
        different = names.unique(maintain_order=True)
        for name in different:
            self.by_name.setdefault(name, len(self.by_name))
        numbers = [self.by_name[name] for name in different]
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
        Frames of searches from `search_log`, each with all searches of some users.  A search without teams was not
        interleaved and is left out.  So is a search whose documents are all of no team, because one ranker returned
        nothing or the list was not interleaved, unless `returned` tells its credit.
    method
        The method that made the lists.
    rankers
        Names of the rankers, in the order of the report; (): all in the log or in `returned`, sorted.
    returned
        Results of each ranker for each search.  `balanced` and `optimised` need them; `probabilistic` is more
        sensitive with them.

    Raises
    ------
    SpecError
        The method is unknown, needs `returned`, or does not support this number of rankers.
    InputError
        No search has teams, or the log does not contain a ranker in `rankers`.
    """
    canonical, interleaving = method_of(method)
    all_rankers = frozenset(returned or ())
    returned = _ordered_results(returned, rankers)
    _check_results(canonical, interleaving, returned)
    teams, queries = _Numbers(), _Numbers()
    parts: list[_Part] = []
    answered = sorted(set.intersection(*map(set, returned.values()))) if returned else []
    left_out = dict.fromkeys(UNUSED, 0)
    for frame in log:
        interleaved = _usable_searches(frame, None if returned is None else answered, left_out)
        if not len(interleaved):
            continue
        part = _Part.of(interleaved, teams, parts[-1] if parts else None)
        part.queries = queries.of(interleaved["query"].fill_null(""))
        if returned is not None:
            _check_rankings(teams.by_name, returned, all_rankers)
            part.credit, part.by_chance = _credit_by_rankings(interleaved, interleaving, returned)
        left_out["repeated_clicks"] += part.repeated
        left_out["no_team_clicks"] += part.teamless if returned is None else 0
        parts.append(part)
    _check_searches(log, parts, left_out)
    order = _choose_rankers(rankers, [name for name in sorted(returned or teams.by_name) if name])
    check_rankers(canonical, interleaving, len(order))
    for name in order:
        teams.by_name.setdefault(name, len(teams.by_name))
    graded = interleaving.graded and returned is not None
    return _join_parts(parts, (canonical, graded), order, teams.by_name, tuple(queries.by_name), left_out)


def _usable_searches(frame: pl.DataFrame, answered: Sequence[str] | None, left_out: dict[str, int]) -> pl.DataFrame:
    """Return the interleaved searches that can be credited; count the others by reason in `left_out`.

    `answered` are the searches with results of each ranker; None: credit comes from the teams.
    """
    interleaved = frame.filter(frame["teams"].list.len() > 0)
    left_out["not_interleaved"] += len(frame) - len(interleaved)
    if answered is not None:
        reason, usable = "no_rankings", interleaved["search"].is_in(answered)
    else:
        reason, usable = "no_team", interleaved["teams"].list.drop_nulls().list.join("") != ""
    left_out[reason] += int((~usable).sum())
    return interleaved.filter(usable)


def _check_results(name: str, method: Method, returned: Returned | None) -> None:
    """Raise `SpecError` if a method needs results of rankers that are missing, or of another number of rankers."""
    if returned is not None:
        check_rankers(name, method, len(returned))
    elif method.needs_rankings:
        raise SpecError(
            f"{name} needs the results of each ranker: a TREC run each, whose query ids are the ids of the searches, "
            "as --rankings old=old.run --rankings new=new.run"
        )


def _ordered_results(returned: Returned | None, rankers: Sequence[str]) -> Returned | None:
    """Return the results of the rankers, in the order of `rankers`."""
    if returned is None:
        return None
    if unknown := [name for name in rankers if name not in returned]:
        raise InputError(
            f"--rankers names {unknown[0]!r}, of which there are no rankings; give its results (--rankings "
            f"{unknown[0]}=FILE); {nearest(unknown[0], returned)}"
        )
    return {name: returned[name] for name in rankers or sorted(returned)}


def _choose_rankers(rankers: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return `rankers` or, if it is empty, all names."""
    if unknown := [name for name in rankers if name not in names]:
        raise InputError(f"the log has no document from the ranker {unknown[0]!r}; {nearest(unknown[0], names)}")
    return list(rankers or names)


def _check_searches(log: Iterable[pl.DataFrame], parts: Sequence[_Part], left_out: Mapping[str, int]) -> None:
    """Raise `InputError` if no search can be used, or none has a click."""
    if not parts:
        raise InputError(_explain_nothing_left(left_out))
    if isinstance(log, SearchLog):
        check_clicks(log, log.contents, "no ranker can win a search")


def _explain_nothing_left(left_out: Mapping[str, int]) -> str:
    if left_out["no_rankings"]:
        return "no search of the log is in the rankings; use the ids of the log's searches as their query ids"
    if left_out["no_team"]:
        searches = left_out["no_team"] + left_out["not_interleaved"]
        return (
            f"all documents of {left_out['no_team']:,} of {searches:,} searches are of no team, and the other searches "
            "have no teams: no ranker can win; log the teams of neraca.interleave as it returns them"
        )
    if not left_out["not_interleaved"]:
        return "no search of the log can be used; what was left out of it, and why, is said beside this message"
    return (
        f"none of {left_out['not_interleaved']:,} searches says which ranker its documents came from; log the teams of "
        "neraca.interleave, and if their field has another name, give it: --column teams=FIELD"
    )


@dataclass
class _Part:
    """Counts of some searches.

    `drafted` and `clicked` have the documents and clicks of each ranker, shape (n, rankers numbered so far); `teamless`
    is the number of clicks on documents of no team.
    """

    drafted: NDArray[np.uint8]
    clicked: NDArray[np.uint8]
    clicks: Ints
    first: Ints
    users: Ints
    sessions: Ints
    repeated: int
    teamless: int
    queries: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    credit: list[list[float]] | None = None
    by_chance: list[Floats] = field(default_factory=list)

    @classmethod
    def of(cls, frame: pl.DataFrame, teams: _Numbers, before: _Part | None) -> _Part:
        """Count a frame of searches; the numbers of users and sessions continue those of the part before."""
        import polars as pl

        rows = frame.select("teams", rank=pl.col("clicked").list.unique()).with_row_index("row")
        team_of_document = rows.select("row", team=pl.col("teams")).explode("team")
        clicks = rows.explode("rank").drop_nulls("rank")
        team_of_click = clicks.select("row", team=pl.col("teams").list.get(pl.col("rank") - 1, null_on_oob=True))
        session = frame["user"] + "\0" + frame["session"]
        return cls(
            drafted=_count_by_ranker(team_of_document, len(frame), teams),
            clicked=_count_by_ranker(team_of_click, len(frame), teams),
            clicks=rows["rank"].list.len().cast(pl.Int64).to_numpy(),
            first=teams.of(frame["teams"].list.first().fill_null("")),
            users=_number_names(frame["user"], before.users if before else None),
            sessions=_number_names(session, before.sessions if before else None),
            repeated=int(frame["clicked"].list.len().sum()) - len(clicks),
            teamless=int((team_of_click["team"].fill_null("") == "").sum()),
        )


def _count_by_ranker(teams_of_rows: pl.DataFrame, n: int, teams: _Numbers) -> NDArray[np.uint8]:
    """Count the teams in each of n rows (columns `row`, `team`), shape (n, rankers numbered so far), at most 255."""
    rankers = teams.of(teams_of_rows["team"].fill_null(""))
    width = len(teams.by_name)
    counts = np.bincount(teams_of_rows["row"].to_numpy() * np.int64(width) + rankers, minlength=n * width)
    return np.minimum(counts, 255).astype(np.uint8).reshape(n, width)


def _number_names(names: pl.Series, before: Ints | None) -> Ints:
    """Number the names, starting after the largest number of the part before."""
    import polars as pl

    start = 0 if before is None else int(before.max()) + 1
    numbers: Ints = names.rank("dense").cast(pl.Int64).to_numpy() + (start - 1)
    return numbers


def _check_rankings(teams_in_log: Iterable[str], returned: Returned, all_rankers: Collection[str]) -> None:
    """Raise `InputError` if the log names a ranker without results; `all_rankers` has also those not in --rankers."""
    for name in teams_in_log:
        if name and name not in returned and name in all_rankers:
            raise InputError(
                f"the log names the ranker {name!r}, which --rankers leaves out; with --rankings, a search is credited "
                "to all of its rankers: leave --rankers away, or name all of them"
            )
        if name and name not in returned:
            raise InputError(
                f"there are no rankings of {name!r}, which the log names; give its results (--rankings {name}=FILE); "
                f"{nearest(name, returned)}"
            )


def _credit_by_rankings(
    frame: pl.DataFrame, method: Method, returned: Returned
) -> tuple[list[list[float]], list[Floats]]:
    """Return the credit of each ranker in `returned` for each search, and for a click by chance; shapes (n, rankers).

    The second list is empty for a method that balances who is first.
    """
    names = list(returned)
    places = {name: place for place, name in enumerate(names)}
    credit, by_chance = [], []
    columns = (frame[name].to_list() for name in ("search", "shown", "teams", "clicked"))
    for search, documents, teams, clicked in zip(*columns, strict=True):
        numbered = [places.get(team, NO_TEAM) for team in teams]
        rankings = [returned[name][search] for name in names]
        shown = Shown(documents, numbered, len(names), rankings)
        credit.append(method.credit(shown, set(clicked)))
        if not method.balances_first:
            by_chance.append(_credit_by_chance(method, shown))
    return credit, by_chance


def _credit_by_chance(method: Method, shown: Shown) -> Floats:
    """Return the expected credit of each ranker for one click, at rank k with a probability proportional to 1/k²."""
    ranks = range(1, len(shown.documents) + 1)
    credits = np.array([method.credit(shown, (rank,)) for rank in ranks]).reshape(len(ranks), shown.rankers)
    chances = np.arange(1.0, len(ranks) + 1) ** -2
    expected: Floats = chances @ credits / max(1.0, float(chances.sum()))
    return expected


def _join_parts(
    parts: Sequence[_Part],
    method: tuple[str, bool],
    order: Sequence[str],
    numbers: Mapping[str, int],
    query_words: tuple[str, ...],
    left_out: Mapping[str, int],
) -> ClickCredit:
    """Concatenate the parts, with one column for each ranker in `order`."""
    columns = [numbers[name] for name in order]
    place = np.full(len(numbers), NO_TEAM)
    place[columns] = range(len(columns))
    drafted = np.concatenate([_select_columns(part.drafted, columns) for part in parts])
    credit = [
        _select_columns(part.clicked, columns) if part.credit is None else np.array(part.credit, dtype=np.float64)
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
        by_chance=np.array(by_chance) if (by_chance := [row for part in parts for row in part.by_chance]) else None,
    )


def _select_columns(counts: NDArray[np.uint8], columns: Sequence[int]) -> Floats:
    """Select the columns of some rankers; a ranker that first occurs in a later part has 0."""
    selected = np.zeros((len(counts), len(columns)))
    for place, column in enumerate(columns):
        if column < counts.shape[1]:
            selected[:, place] = counts[:, column]
    return selected
