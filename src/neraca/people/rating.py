"""Ratings of answers and hits, their scales, and the verdicts that follow."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from neraca.errors import InputError
from neraca.nearest import nearest, similar_names
from neraca.people.quality_scale import values_of
from neraca.people.rating_task import Place, RatingTasks
from neraca.people.rating_words import wrong_value
from neraca.records import Verdict
from neraca.translation import say

#: Values of a rating of an answer without hits: nothing exists, or something should have come.
EMPTY = ("none", "results")
#: Kinds of subjects; `count` is followed by the name of the count, `hit` by the key of the hit.
KINDS = ("quality", "note", "empty", "count", "hit")


class Rating(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One rating.  The newest rating of a subject counts; a rating without a value withdraws it.

    Attributes
    ----------
    id
        A unique id: a rating that arrives twice counts once.
    task
        Id of the `RatingTask`.
    on
        Subject of the rating: `quality`, `note`, `empty`, `hit:KEY`, or `count:NAME` from a table with counts alone.
    value
        For `quality` a value of its scale, usually 0 to 5; for a hit its grade (0 not relevant, 1 relevant, or up to
        the highest grade); for `note` the text; for `empty` (an answer without results) `none` (nothing exists) or
        `results` (something should have come); for a count any number.  Tasks of other kinds have other scales; see
        `pair_verdicts` and `review_verdicts`.
    at
        Time of the rating, UTC, ISO 8601.
    """

    id: str
    task: str
    on: str
    value: float | str | None = None
    at: str = ""


def newest_ratings(ratings: Iterable[Rating]) -> dict[tuple[str, str], Rating]:
    """Return (task, `on`) → newest rating, in the order of time; `ratings` are in the order in which they were given.

    A hit is the same subject in every task: its task is "".
    """
    newest: dict[tuple[str, str], Rating] = {}
    for rating in ratings:
        subject = ("" if rating.on.startswith("hit:") else rating.task, rating.on)
        newest.pop(subject, None)
        newest[subject] = rating
    return newest


def verdicts_of(
    ratings: Iterable[Rating], tasks: RatingTasks, rater: str, *, top: int = 1, scale: str = ""
) -> list[list[Verdict]]:
    """Return for each run the verdicts `by human:RATER` that follow from the ratings of a rater.

    The grade of a hit becomes a verdict about `hit:ID`, aspect `relevance`, in every run that returned the document for
    the question.  Quality, a note and a count become verdicts about `answer`, with the aspect `quality`, `note`
    (without a value) or the name of the count.  The rating of an empty answer becomes a verdict about `item`, aspect
    `expects`, 1 or 0.

    Parameters
    ----------
    ratings
        The ratings in the order in which they were given.
    tasks
        The tasks that were rated.
    rater
        Name of the rater.
    top
        The highest grade of a hit.
    scale
        The scale of quality, as in `parse_scale`.

    Raises
    ------
    InputError
        For a rating of an unknown answer or hit, or a value that is not on the scale.
    """
    verdicts: list[list[Verdict]] = [[] for _ in tasks.runs]
    for rating in newest_ratings(ratings).values():
        check(rating, tasks, top, scale)
        for place, verdict in _verdicts(rating, tasks, f"human:{rater}"):
            verdicts[place.run].append(verdict)
    return verdicts


def _verdicts(rating: Rating, tasks: RatingTasks, by: str) -> Iterator[tuple[Place, Verdict]]:
    if rating.on.startswith("hit:"):
        for place, document in tasks.documents[rating.on.removeprefix("hit:")]:
            yield place, _verdict(rating, place, f"hit:{document}", "relevance", by)
        return
    about, aspect = ("item", "expects") if rating.on == "empty" else ("answer", rating.on.removeprefix("count:"))
    for place in tasks.places[rating.task]:
        yield place, _verdict(rating, place, about, aspect, by, "" if about == "item" else tasks.contents[rating.task])


def _verdict(rating: Rating, place: Place, about: str, aspect: str, by: str, of: str = "") -> Verdict:
    verdict = Verdict(item=place.item, trial=place.trial, about=about, aspect=aspect, by=by, of=of, at=rating.at)
    if rating.value is None:
        return replace(verdict, status="withdrawn")
    if aspect == "note":
        return replace(verdict, status="not_applicable", why=str(rating.value))
    value = rating.value == "results" if aspect == "expects" else float(rating.value)
    return replace(verdict, value=float(value), status="decided")


def check_choice(
    rating: Rating, tasks: Container[str], unknown: str, kinds: Sequence[str], allowed: Sequence[float | str]
) -> None:
    """Raise `InputError` for a choice of an unknown task, on another subject, or of a value that is not allowed.

    Parameters
    ----------
    rating
        The rating: a choice or a note, or its withdrawal.
    tasks
        The ids of the tasks.
    unknown
        The template of the error for a task that is not among them, with `task`.
    kinds
        The subjects of ratings; one is `note`.
    allowed
        The values of the choice.
    """
    if rating.task not in tasks:
        raise InputError(say(unknown, task=rating.task))
    if rating.on not in kinds:
        names = say(" or ").join(kinds)
        raise InputError(say("a rating on {subject!r}; here it is {kinds}", subject=rating.on, kinds=names))
    if rating.value is None:
        return
    if rating.on == "note":
        if not isinstance(rating.value, str):
            raise wrong_value(rating.on, rating.value, (), say("a text"))
    elif rating.value not in allowed:
        raise wrong_value(rating.on, rating.value, allowed)


def check(rating: Rating, tasks: RatingTasks, top: int = 1, scale: str = "") -> None:
    """Raise `InputError` for a rating of an unknown answer or hit, or a value that is not on the scale."""
    kind, _, key = rating.on.partition(":")
    if rating.task not in tasks.by_id:
        raise InputError(
            say(
                "a rating of {task!r}, which is no answer of these runs; name the runs that were rated",
                task=rating.task,
            )
        )
    if kind not in KINDS:
        kinds = ", ".join(KINDS[:-2])
        raise InputError(
            say(
                "a rating on {subject!r}; {advice} It is {kinds}, count:NAME or hit:KEY",
                subject=rating.on,
                advice=nearest(kind, KINDS),
                kinds=kinds,
            )
            if similar_names(kind, KINDS)
            else say("a rating on {subject!r}; it is {kinds}, count:NAME or hit:KEY", subject=rating.on, kinds=kinds)
        )
    if kind == "hit" and not any(hit.key == key for hit in tasks.by_id[rating.task].hits):
        raise InputError(
            say("a rating of the hit {key!r}, which is not among those of answer {task}", key=key, task=rating.task)
        )
    if rating.value is None:
        return
    if kind == "note":
        if not isinstance(rating.value, str):
            raise wrong_value(rating.on, rating.value, (), say("a text"))
    elif kind == "count":
        if isinstance(rating.value, str) or not math.isfinite(rating.value):
            raise wrong_value(rating.on, rating.value, (), say("a number"))
    else:
        of_quality = values_of(scale) if kind == "quality" else ()
        values: Sequence[float | str] = of_quality or (EMPTY if kind == "empty" else range(top + 1))
        if rating.value not in values:
            raise wrong_value(rating.on, rating.value, values, tasks=tasks)
