"""What a rater says, one thing at a time, and the verdicts that follow from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from neraca.errors import InputError, nearest
from neraca.people.rating_task import Place, RatingTasks
from neraca.records import Verdict

#: The scale of quality of an answer (methods: 5 all relevant … 0 an error or nothing).
QUALITY = (0, 1, 2, 3, 4, 5)
#: What is said of an answer without hits: rightly so, or something should have come.
EMPTY = ("none", "results")
#: What a rating can be on; the last two with the name of what was counted, and the key of a hit.
KINDS = ("quality", "note", "empty", "count", "hit")


class Rating(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a rater said; the newest on the same thing counts, and one without a value takes it back.

    Attributes
    ----------
    id
        A name that no other rating has: the same rating that arrives twice counts once.
    task
        Id of the `RatingTask`.
    on
        `quality`, `note`, `empty`, `hit:KEY`, or `count:NAME` where a rater's table has only counts.
    value
        Of `quality` 0 to 5; of a hit its grade (0 not relevant, 1 relevant, or up to the highest grade); of `note` the
        words; of `empty`, where nothing came back, `none` (nothing exists) or `results` (something should have come);
        of a count any number.
        Tasks of other kinds have scales of their own; see `pair_verdicts` and `review_verdicts`.
    at
        When, UTC, ISO 8601.
    """

    id: str
    task: str
    on: str
    value: float | str | None = None
    at: str = ""


def verdicts_of(ratings: Iterable[Rating], tasks: RatingTasks, rater: str, *, top: int = 1) -> list[list[Verdict]]:
    """Return for each run the verdicts `by human:RATER` that follow from what a rater said.

    A grade of a hit is about `hit:ID`, aspect `relevance`, in every run that returned the document for the question;
    quality is about `answer`, aspect `quality`, a note too, aspect `note`, without a value, and a count, by its name;
    whether anything exists is about `item`, aspect `expects`, 1 or 0.

    Parameters
    ----------
    ratings
        In the order in which they were given.
    tasks
        What was rated.
    rater
        The rater's name.
    top
        The highest grade of a hit.

    Raises
    ------
    InputError
        For a rating of what is not in these runs, or a value that is not on its scale.
    """
    newest: dict[tuple[str, str], Rating] = {}
    for rating in ratings:
        thing = (rating.on, "") if rating.on.startswith("hit:") else (rating.task, rating.on)
        newest.pop(thing, None)
        newest[thing] = rating
    found: list[list[Verdict]] = [[] for _ in tasks.runs]
    for rating in newest.values():
        for place, verdict in _verdicts(rating, tasks, f"human:{rater}", top):
            found[place.run].append(verdict)
    return found


def _verdicts(rating: Rating, tasks: RatingTasks, by: str, top: int) -> Iterator[tuple[Place, Verdict]]:
    check(rating, tasks, top)
    if rating.on.startswith("hit:"):
        for place, document in tasks.documents[rating.on.removeprefix("hit:")]:
            yield place, _verdict(rating, place, f"hit:{document}", "relevance", by)
        return
    about, aspect = ("item", "expects") if rating.on == "empty" else ("answer", rating.on.removeprefix("count:"))
    for place in tasks.places[rating.task]:
        yield place, _verdict(rating, place, about, aspect, by, "" if about == "item" else tasks.contents[rating.task])


def _verdict(rating: Rating, place: Place, about: str, aspect: str, by: str, of: str = "") -> Verdict:
    given = Verdict(item=place.item, trial=place.trial, about=about, aspect=aspect, by=by, of=of, at=rating.at)
    if rating.value is None:
        return replace(given, status="withdrawn")
    if aspect == "note":
        return replace(given, status="not_applicable", why=str(rating.value))
    value = rating.value == "results" if aspect == "expects" else float(rating.value)
    return replace(given, value=float(value), status="decided")


def check(rating: Rating, tasks: RatingTasks, top: int = 1) -> None:
    """Raise `InputError` for a rating of what is not there, or a value that is not on its scale."""
    kind, _, key = rating.on.partition(":")
    if rating.task not in tasks.by_id:
        raise InputError(
            f"a rating of {rating.task!r}, which is no answer of these runs; name the runs that were rated"
        )
    if kind not in KINDS:
        near = nearest(kind, KINDS)
        hint = f"{near}  It" if near.startswith("did") else "it"
        raise InputError(f"a rating on {rating.on!r}; {hint} is {', '.join(KINDS[:-2])}, count:NAME or hit:KEY")
    if kind == "hit" and not any(hit.key == key for hit in tasks.by_id[rating.task].hits):
        raise InputError(f"a rating of the hit {key!r}, which is not among those of answer {rating.task}")
    if kind == "note":
        right, allowed = isinstance(rating.value, str), "text"
    elif kind == "count":
        right, allowed = isinstance(rating.value, int | float) and math.isfinite(rating.value), "the numbers"
    else:
        scale: Sequence[float | str] = QUALITY if kind == "quality" else EMPTY if kind == "empty" else range(top + 1)
        right, allowed = rating.value in scale, ", ".join(map(str, scale))
    if not right and rating.value is not None:
        raise InputError(f"{rating.value!r} is no value of {kind}; it is one of {allowed}")
