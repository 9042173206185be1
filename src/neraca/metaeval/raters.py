"""Quality of the people who rated: each with themselves, with gold labels, with the others, and over time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import mean
from typing import Any

import numpy as np

from neraca.number_format import number, span
from neraca.records import Item, Verdict
from neraca.result import Results, Table
from neraca.scores.unit import clusters_of
from neraca.stats.agreement.competence import competence, competence_intervals
from neraca.stats.intervals.interval import Estimate, interval
from neraca.verdicts.source import source_of
from neraca.verdicts.things import shared_thing

#: Who says otherwise within so many seconds corrects a slip, and did not rate the thing again.
SLIP = 600.0
#: With fewer people who rated the same, nobody can tell which of them knows.
FEWEST_RATERS = 3
#: What a person said of: item, trial, about, aspect, and which answer ("" where it is about none).
Thing = tuple[str, int, str, str, str]


@dataclass(frozen=True, slots=True)
class RaterQuality:
    """Quality of one person's ratings.

    Attributes
    ----------
    rater
        Name of the person, as in `by`.
    ratings
        Number of things that the person rated.
    again
        Share of what was rated twice (ten minutes apart or more) on which both ratings are the same; its `n` counts.
        Answers of two runs are two things, unless their content is the same.
    gold
        Share of hits whose label the data set has that the person rates the same, relevant or not.
    others
        Share of what others rated too on which the person agrees with them, mean over things.
    competence
        The chance that the person knew the answer, by all that people said; NaN with fewer than three people.
    drift
        Agreement with the others over the second half of the person's ratings less that over the first half, in time.
    """

    rater: str
    ratings: int
    again: Estimate
    gold: Estimate
    others: Estimate
    competence: Estimate
    drift: Estimate


class RaterQualities(Results[RaterQuality]):
    """Quality of ratings, person by person; prints as a table."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        yield self.table()

    def table(self) -> Table:
        """Names of columns and rows of text; only what is known of anybody has columns."""
        parts = {"again": "same again", "gold": "as gold", "others": "as others"}
        parts |= {"competence": "competence", "drift": "drift"}
        shown = {name: title for name, title in parts.items() if any(getattr(one, name).n for one in self)}
        columns = ["rater", "ratings"]
        for title in shown.values():
            columns += [title, "interval", "n"]
        rows = [[one.rater, f"{one.ratings:,}", *_cells(one, shown)] for one in self]
        return Table(columns, rows)

    def rows(self) -> list[dict[str, Any]]:
        """A flat row for each: {rater, ratings, again, again_low, again_high, again_n, gold, …}."""
        rows = []
        for one in self:
            row: dict[str, Any] = {"rater": one.rater, "ratings": one.ratings}
            for name in ("again", "gold", "others", "competence", "drift"):
                part: Estimate = getattr(one, name)
                row |= {name: part.value, f"{name}_low": part.low, f"{name}_high": part.high}
                row |= {f"{name}_n": part.n, f"{name}_why": part.why}
            rows.append(row)
        return rows


def _cells(one: RaterQuality, shown: Iterable[str]) -> Iterator[str]:
    for name in shown:
        part: Estimate = getattr(one, name)
        yield from (number(part.value), span(part.low, part.high), f"{part.n:,}")


def raters(
    items: Sequence[Item], journals: Iterable[Iterable[Verdict]], *, level: float = 0.95, seed: int = 0
) -> RaterQualities:
    """Judge the people who rated, by everything they ever said; the newest of what they said of a thing counts.

    Parameters
    ----------
    items
        The questions; what was said of one session counts as one in every interval.
    journals
        All verdicts of each run, oldest first, also those that later ones replaced (`Run.verdicts_journal`).
    level, seed
        Of the intervals.

    Examples
    --------
    >>> said = [
    ...     Verdict(item="1", about="answer", aspect="valid", by="human:ana", value=value, at=f"2026-01-0{day}")
    ...     for day, value in ((1, 1), (2, 1), (3, 0))
    ... ]
    >>> raters([Item(id="1", query="?")], [said])[0].again.value  # on the second day the same, on the third not
    0.5
    """
    numbers = clusters_of(item.session for item in items).tolist()
    session = dict(zip((item.id for item in items), numbers, strict=True))
    said = _said(journals, session)
    last = {rater: {thing: times[-1] for thing, times in things.items()} for rater, things in said.items()}
    others = _others(last)
    gold = {item.id: item.relevant for item in items if item.relevant is not None}
    skills = _competence(last, session, level, seed)
    found = RaterQualities()
    for rater, things in said.items():
        ordered = sorted(others[rater].items(), key=lambda pair: last[rater][pair[0]][0])
        halves = ordered[: len(ordered) // 2], ordered[len(ordered) // 2 :]
        again = [(thing, float(a[1] == b[1])) for thing, times in things.items() for a, b in pairwise(times)]
        found.append(
            RaterQuality(
                rater=rater,
                ratings=len(things),
                again=_share(again, session, level),
                gold=_share(list(_as_gold(last[rater], gold)), session, level),
                others=_share(ordered, session, level),
                competence=skills.get(rater, _NOTHING),
                drift=_drift(halves, session, level),
            )
        )
    return found


_NOTHING = Estimate.without_interval(math.nan, 0, "nothing to compare with")
#: Of one rater: thing → when (in seconds) and what was said, oldest first.
_Times = list[tuple[float, float]]


def _said(journals: Iterable[Iterable[Verdict]], session: Mapping[str, int]) -> dict[str, dict[Thing, _Times]]:
    """Collect the values that each person gave each thing, with their times; ignore slips corrected at once."""
    said: dict[str, dict[Thing, _Times]] = {}
    for place, journal in enumerate(journals):
        by_people = [one for one in journal if source_of(one.by) == "human" and one.item in session]
        answers = {(one.item, one.trial): one.of for one in by_people if one.of}
        for verdict in by_people:
            things = said.setdefault(verdict.by, {})
            thing = _thing(verdict, answers.get((verdict.item, verdict.trial), f"run {place}"))
            if verdict.value is None:
                things.pop(thing, None)
                continue
            when, times = _seconds(verdict.at), things.setdefault(thing, [])
            if times and abs(when - times[-1][0]) < SLIP:
                times.pop()
            times.append((when, verdict.value))
            times.sort(key=lambda one: one[0])
    return {rater: {thing: times for thing, times in things.items() if times} for rater, things in sorted(said.items())}


def _thing(verdict: Verdict, answer: str) -> Thing:
    """Return the thing and aspect that a verdict rates; `answer` as in `shared_thing`."""
    thing = shared_thing(verdict, answer)
    return thing.item, thing.trial, thing.about, verdict.aspect, thing.answer


def _seconds(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return 0.0


def _others(last: Mapping[str, Mapping[Thing, tuple[float, float]]]) -> dict[str, dict[Thing, float]]:
    """Rater → thing → share of the others who rated it that say the same."""
    votes: dict[Thing, dict[str, float]] = {}
    for rater, things in last.items():
        for thing, (_, value) in things.items():
            votes.setdefault(thing, {})[rater] = value
    shared: dict[str, dict[Thing, float]] = {rater: {} for rater in last}
    for thing, of_raters in votes.items():
        for rater, value in of_raters.items() if len(of_raters) > 1 else ():
            same = [value == other for name, other in of_raters.items() if name != rater]
            shared[rater][thing] = mean(same)
    return shared


def _as_gold(
    things: Mapping[Thing, tuple[float, float]], gold: Mapping[str, Mapping[str, float]]
) -> Iterator[tuple[Thing, float]]:
    """Each rated hit whose label the data set has, and whether both say relevant or both not."""
    for thing, (_, value) in things.items():
        item, _, about, aspect, _ = thing
        label = gold.get(item, {}).get(about.removeprefix("hit:"))
        if aspect == "relevance" and about.startswith("hit:") and label is not None:
            yield thing, float((value > 0) == (label > 0))


def _share(pairs: Sequence[tuple[Thing, float]], session: Mapping[str, int], level: float) -> Estimate:
    if not pairs:
        return _NOTHING
    rows = np.array([[float(value), 1.0] for _, value in pairs])
    clusters = np.array([session[thing[0]] for thing, _ in pairs], dtype=np.int64)
    return interval(rows, clusters=clusters, level=level, limits=(0.0, 1.0))


def _drift(halves: Sequence[Sequence[tuple[Thing, float]]], session: Mapping[str, int], level: float) -> Estimate:
    """The mean of the second half less that of the first."""
    first, second = ([value for _, value in half] for half in halves)
    n = len(first) + len(second)
    if not first or not second:
        return _NOTHING
    means = mean(first), mean(second)
    shares = [len(first) / n, len(second) / n]
    # each thing's part in the difference of the means; their mean is the difference, and their spread its error
    parts = [-(value - means[0]) / shares[0] for value in first] + [(value - means[1]) / shares[1] for value in second]
    clusters = np.array([session[thing[0]] for half in halves for thing, _ in half], dtype=np.int64)
    rows = np.column_stack([np.array(parts) + means[1] - means[0], np.ones(n)])
    return interval(rows, clusters=clusters, level=level, limits=(-1.0, 1.0))


def _competence(
    last: Mapping[str, Mapping[Thing, tuple[float, float]]], session: Mapping[str, int], level: float, seed: int
) -> dict[str, Estimate]:
    """Rater → competence, of those who share things with others, where there are enough of them."""
    counts: dict[Thing, int] = {}
    for rated in last.values():
        for thing in rated:
            counts[thing] = counts.get(thing, 0) + 1
    votes = [(t, r, value) for r, rated in last.items() for t, (_, value) in rated.items() if counts[t] > 1]
    names = sorted({rater for _, rater, _ in votes})
    if len(names) < FEWEST_RATERS:
        return {}
    things, categories = sorted({t for t, _, _ in votes}), sorted({(t[3], value) for t, _, value in votes})
    thing_number, said_number = ({one: n for n, one in enumerate(of)} for of in (things, categories))
    columns = (
        np.array([thing_number[t] for t, _, _ in votes]),
        np.array([names.index(r) for _, r, _ in votes]),
        np.array([said_number[t[3], value] for t, _, value in votes]),
    )
    clusters = np.array([session[t[0]] for t in things], dtype=np.int64)
    values = competence(*columns)
    low, high = competence_intervals(*columns, clusters, level=level, seed=seed)
    n = np.bincount(columns[1], minlength=len(names))
    made = zip(names, values, low, high, n, strict=True)
    return {name: Estimate(float(v), float(a), float(b), int(k), "percentile") for name, v, a, b, k in made}
