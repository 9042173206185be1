"""Quality of people's ratings: agreement with their own repeated ratings, gold labels and other raters, over time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import mean
from typing import Any

import numpy as np

from neraca.grades import UNJUDGED
from neraca.number_format import number, span
from neraca.records import Item, Verdict
from neraca.result import Results, Table
from neraca.scores.unit import clusters_of
from neraca.stats.agreement.competence import competence, competence_intervals
from neraca.stats.intervals.interval import Estimate, interval
from neraca.verdicts.source import is_human
from neraca.verdicts.things import shared_thing

#: A rating that the same person changes within so many seconds was a slip, and is no repeated rating.
SLIP = 600.0
#: With fewer people, competence cannot be estimated.
FEWEST_RATERS = 3
#: The subject of a rating: item, trial, about, aspect, and the answer ("": it is about no answer).
Subject = tuple[str, int, str, str, str]
#: The ratings of one subject by one person: time in seconds and value, oldest first.
_TimedValues = list[tuple[float, float]]
#: Rater → subject → time and value of the newest rating.
_Newest = Mapping[str, Mapping[Subject, tuple[float, float]]]


@dataclass(frozen=True, slots=True)
class RaterQuality:
    """Quality of one person's ratings.

    Attributes
    ----------
    rater
        Name of the person, as in `by`.
    ratings
        Number of subjects (answers, hits, …) that the person rated.
    again
        Share of repeated ratings (ten minutes apart or more) that are equal to the earlier rating; `n` counts them.
        Answers of two runs are two subjects, unless their content is the same.
    gold
        Share of hits with a label in the data set that the person rates the same, relevant or not.
    others
        Mean agreement with other people on the subjects that they rated too.
    competence
        The chance that the person knew the right rating, estimated from all ratings; NaN with fewer than three people.
    drift
        Agreement with other people in the later half of the person's ratings minus that in the earlier half.
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
        """Return the table as text; a measure that nobody has gets no column."""
        parts = {"again": "same again", "gold": "as gold", "others": "as others"}
        parts |= {"competence": "competence", "drift": "drift"}
        titles = {name: title for name, title in parts.items() if any(getattr(quality, name).n for quality in self)}
        columns = ["rater", "ratings"]
        for title in titles.values():
            columns += [title, "interval", "n"]
        rows = [[quality.rater, f"{quality.ratings:,}", *_cells(quality, titles)] for quality in self]
        return Table(columns, rows)

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each person: {rater, ratings, again, again_low, again_high, again_n, gold, …}."""
        rows = []
        for quality in self:
            row: dict[str, Any] = {"rater": quality.rater, "ratings": quality.ratings}
            for name in ("again", "gold", "others", "competence", "drift"):
                part: Estimate = getattr(quality, name)
                row |= {name: part.value, f"{name}_low": part.low, f"{name}_high": part.high}
                row |= {f"{name}_n": part.n, f"{name}_why": part.why}
            rows.append(row)
        return rows


def _cells(quality: RaterQuality, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        part: Estimate = getattr(quality, name)
        yield from (number(part.value), span(part.low, part.high), f"{part.n:,}")


def raters(
    items: Sequence[Item], journals: Iterable[Iterable[Verdict]], *, level: float = 0.95, seed: int = 0
) -> RaterQualities:
    """Measure the quality of each person's ratings, from all ratings; of several on one subject the newest counts.

    Parameters
    ----------
    items
        The questions; in intervals, the ratings of one session are one observation.
    journals
        All verdicts of each run, oldest first, also if replaced later (`Run.verdicts_journal`).
    level, seed
        Confidence and seed of the intervals.

    Examples
    --------
    >>> ratings = [
    ...     Verdict(item="1", about="answer", aspect="valid", by="human:ana", value=value, at=f"2026-01-0{day}")
    ...     for day, value in ((1, 1), (2, 1), (3, 0))
    ... ]
    >>> raters([Item(id="1", query="?")], [ratings])[0].again.value  # the same on the second day, not on the third
    0.5
    """
    numbers = clusters_of(item.session for item in items).tolist()
    session = dict(zip((item.id for item in items), numbers, strict=True))
    histories = _histories(journals, session)
    newest = {
        rater: {subject: history[-1] for subject, history in history_by_subject.items()}
        for rater, history_by_subject in histories.items()
    }
    agreement = _agreement_with_others(newest)
    gold = {
        item.id: {document: grade for document, grade in (item.relevant or {}).items() if grade != UNJUDGED}
        for item in items
    }
    competence_by_rater = _competence(newest, session, level, seed)
    qualities = RaterQualities()
    for rater, history_by_subject in histories.items():
        shares = sorted(agreement[rater].items(), key=lambda pair: newest[rater][pair[0]][0])
        halves = shares[: len(shares) // 2], shares[len(shares) // 2 :]
        repeated = [
            (subject, float(earlier[1] == later[1]))
            for subject, history in history_by_subject.items()
            for earlier, later in pairwise(history)
        ]
        qualities.append(
            RaterQuality(
                rater=rater,
                ratings=len(history_by_subject),
                again=_share(repeated, session, level),
                gold=_share(list(_agreement_with_gold(newest[rater], gold)), session, level),
                others=_share(shares, session, level),
                competence=competence_by_rater.get(rater, _NOTHING),
                drift=_drift(halves, session, level),
            )
        )
    return qualities


_NOTHING = Estimate.without_interval(math.nan, 0, "nothing to compare with")


def _histories(
    journals: Iterable[Iterable[Verdict]], session: Mapping[str, int]
) -> dict[str, dict[Subject, _TimedValues]]:
    """Return rater → subject → ratings with their times, without slips that were corrected at once."""
    histories: dict[str, dict[Subject, _TimedValues]] = {}
    for run, journal in enumerate(journals):
        ratings = [verdict for verdict in journal if is_human(verdict.by) and verdict.item in session]
        answers = {(verdict.item, verdict.trial): verdict.of for verdict in ratings if verdict.of}
        for verdict in ratings:
            history_by_subject = histories.setdefault(verdict.by, {})
            subject = _subject(verdict, answers.get((verdict.item, verdict.trial), f"run {run}"))
            if verdict.value is None:
                history_by_subject.pop(subject, None)
                continue
            time, history = _seconds(verdict.at), history_by_subject.setdefault(subject, [])
            if history and abs(time - history[-1][0]) < SLIP:
                history.pop()
            history.append((time, verdict.value))
            history.sort(key=lambda rating: rating[0])
    return {
        rater: {subject: history for subject, history in history_by_subject.items() if history}
        for rater, history_by_subject in sorted(histories.items())
    }


def _subject(verdict: Verdict, answer: str) -> Subject:
    """Return the subject and aspect that a verdict rates; `answer` as in `shared_thing`."""
    shared = shared_thing(verdict, answer)
    return shared.item, shared.trial, shared.about, verdict.aspect, shared.answer


def _seconds(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return 0.0


def _agreement_with_others(newest: _Newest) -> dict[str, dict[Subject, float]]:
    """Return rater → subject → share of the other raters of this subject who gave the same value."""
    votes: dict[Subject, dict[str, float]] = {}
    for rater, ratings in newest.items():
        for subject, (_, value) in ratings.items():
            votes.setdefault(subject, {})[rater] = value
    agreement: dict[str, dict[Subject, float]] = {rater: {} for rater in newest}
    for subject, value_by_rater in votes.items():
        for rater, value in value_by_rater.items() if len(value_by_rater) > 1 else ():
            agreement[rater][subject] = mean(value == v for name, v in value_by_rater.items() if name != rater)
    return agreement


def _agreement_with_gold(
    ratings: Mapping[Subject, tuple[float, float]], gold: Mapping[str, Mapping[str, float]]
) -> Iterator[tuple[Subject, float]]:
    """Yield each rated hit with a gold label, and 1 if rating and label agree on whether it is relevant, else 0."""
    for subject, (_, value) in ratings.items():
        item, _, about, aspect, _ = subject
        label = gold.get(item, {}).get(about.removeprefix("hit:"))
        if aspect == "relevance" and about.startswith("hit:") and label is not None:
            yield subject, float((value > 0) == (label > 0))


def _share(pairs: Sequence[tuple[Subject, float]], session: Mapping[str, int], level: float) -> Estimate:
    if not pairs:
        return _NOTHING
    rows = np.array([[float(value), 1.0] for _, value in pairs])
    clusters = np.array([session[subject[0]] for subject, _ in pairs], dtype=np.int64)
    return interval(rows, clusters=clusters, level=level, limits=(0.0, 1.0))


def _drift(halves: Sequence[Sequence[tuple[Subject, float]]], session: Mapping[str, int], level: float) -> Estimate:
    """Return the mean of the second half minus the mean of the first."""
    first, second = ([value for _, value in half] for half in halves)
    n = len(first) + len(second)
    if not first or not second:
        return _NOTHING
    means = mean(first), mean(second)
    shares = [len(first) / n, len(second) / n]
    # contribution of each subject to the difference of the means: their mean is the difference, their spread its error
    contributions = [-(value - means[0]) / shares[0] for value in first] + [
        (value - means[1]) / shares[1] for value in second
    ]
    clusters = np.array([session[subject[0]] for half in halves for subject, _ in half], dtype=np.int64)
    rows = np.column_stack([np.array(contributions) + means[1] - means[0], np.ones(n)])
    return interval(rows, clusters=clusters, level=level, limits=(-1.0, 1.0))


def _competence(newest: _Newest, session: Mapping[str, int], level: float, seed: int) -> dict[str, Estimate]:
    """Return rater → competence, from subjects that several people rated; empty if these people are too few."""
    raters_of_subject = Counter(subject for ratings in newest.values() for subject in ratings)
    votes = [
        (subject, rater, value)
        for rater, ratings in newest.items()
        for subject, (_, value) in ratings.items()
        if raters_of_subject[subject] > 1
    ]
    names = sorted({rater for _, rater, _ in votes})
    if len(names) < FEWEST_RATERS:
        return {}
    subjects, categories = sorted({s for s, _, _ in votes}), sorted({(s[3], value) for s, _, value in votes})
    subject_code = {subject: code for code, subject in enumerate(subjects)}
    category_code = {category: code for code, category in enumerate(categories)}
    columns = (
        np.array([subject_code[s] for s, _, _ in votes]),
        np.array([names.index(rater) for _, rater, _ in votes]),
        np.array([category_code[s[3], value] for s, _, value in votes]),
    )
    clusters = np.array([session[s[0]] for s in subjects], dtype=np.int64)
    values = competence(*columns)
    low, high = competence_intervals(*columns, clusters, level=level, seed=seed)
    n = np.bincount(columns[1], minlength=len(names))
    columns_by_name = zip(names, values, low, high, n, strict=True)
    return {name: Estimate(float(v), float(a), float(b), int(k), "percentile") for name, v, a, b, k in columns_by_name}
