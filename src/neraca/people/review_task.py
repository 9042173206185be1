"""Verdicts of rules and models, as a person sees them who confirms or overrules them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

import msgspec

from neraca.errors import InputError
from neraca.files import fingerprint
from neraca.people.rating_task import RatedHit, RatingTask, RatingTasks, hit_key
from neraca.records import Answer, Item, Verdict
from neraca.runs.claim_aspects import CLAIM_LISTS
from neraca.runs.run import Run, content_of

#: Whose verdicts are reviewed; people's are not, and embeddings decide nothing.
SOURCES = ("rules", "llm")
#: What can be said beside the values of a scale.
NOT_APPLICABLE = "not_applicable"


class Opinion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a program said: its value, None where it does not apply, why, and of which source it is."""

    source: str
    value: float | None = None
    why: str = ""


class ReviewTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="review"):
    """A verdict as a reviewer sees it, beside what it was given on.

    Attributes
    ----------
    id
        Stands for the question, what the verdict is about, and the aspect.
    number, query, tags, before
        As in `RatingTask`.
    text, hits
        The answer and its hits; of a verdict on a hit this hit alone.
    about
        `answer`, `hit`, `claim`, `reference` or `item`.
    aspect
        What was decided, such as `supported` or the name of a constraint.
    statement
        The words of the claim, where it is about one.
    supports
        Keys of the hits that the judge found to support the claim.
    constraint
        What the question asks of a hit, where the aspect is a constraint.
    references
        Good answers, as the question has them.
    opinions
        What programs said; the one that is reviewed first.
    scale
        The values that the verdict can have: 0 and 1 are fail and pass.
    """

    id: str
    number: int
    query: str
    tags: Mapping[str, str] = {}
    before: tuple[str, ...] = ()
    text: str = ""
    hits: tuple[RatedHit, ...] = ()
    about: str
    aspect: str
    statement: str = ""
    supports: tuple[str, ...] = ()
    constraint: Any = None
    references: tuple[str, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    scale: tuple[float, ...] = (0.0, 1.0)


class ReviewPlace(NamedTuple):
    """Where the reviewer's verdict is written: number of the run, and the fields of a `Verdict`."""

    run: int
    item: str
    trial: int
    about: str
    of: str


@dataclass
class _Found:
    """What is known of one thing while verdicts are gathered."""

    run: int
    item: Item
    trial: int
    about: str
    aspect: str
    opinions: dict[str, Verdict] = field(default_factory=dict)
    places: dict[ReviewPlace, None] = field(default_factory=dict)
    reviewed: bool = False


@dataclass(frozen=True)
class ReviewTasks:
    """The verdicts that are to be reviewed, and where they stand.

    Attributes
    ----------
    runs
        Whose verdicts they are.
    tasks
        Those on which programs differ most first; within these in an order drawn by seed.
    places
        Id of a task → where what is said of it is written.
    """

    runs: tuple[Run, ...]
    tasks: tuple[ReviewTask, ...]
    places: Mapping[str, Sequence[ReviewPlace]]

    @classmethod
    def of(
        cls,
        runs: Iterable[Run],
        verdicts: Sequence[Iterable[Verdict]],
        *,
        by: str = "",
        aspect: str = "",
        most: int = 0,
        seed: int | str = 0,
        reviewer: str = "",
    ) -> Self:
        """Choose what to review.

        Verdicts of several programs on the same thing are one task, also where the thing was returned by several runs.
        What a judge of claims counted, and preferences between runs, are not reviewed.

        Parameters
        ----------
        runs
            Whose answers were judged.
        verdicts
            Of each run those that hold, as `current_verdicts` gives them.
        by
            Only those of this judge, as in `Verdict.by`: `rules`, `llm`, `llm:openai:gpt-4o-mini`; "": of all.
        aspect
            Only those on this aspect; "": on all.
        most
            At most so many; 0: all.
        seed
            Of the order in which they are drawn.
        reviewer
            What this person has decided on already is left out.

        Raises
        ------
        InputError
            Where nothing is left to review.
        """
        rated = RatingTasks.of(runs)
        things = _things(rated, verdicts, reviewer)
        scales = _scales(things.values())
        chosen = {
            key: thing
            for key, thing in things.items()
            if not thing.reviewed and aspect in ("", thing.aspect) and any(_is_by(name, by) for name in thing.opinions)
        }
        if not chosen:
            whom = f" by {by}" if by else ""
            what = f" on {aspect}" if aspect else ""
            raise InputError(f"there is no verdict of a rule or a model{whom}{what} left to review; judge first")
        keys = list(chosen)
        random.Random(str(seed)).shuffle(keys)
        keys.sort(key=lambda key: -_spread(chosen[key], scales))
        shown = _Show(rated, verdicts)
        tasks = [shown.task(key, chosen[key], by, scales[chosen[key].aspect]) for key in keys[: most or None]]
        return cls(rated.runs, tuple(tasks), {task.id: tuple(chosen[task.id].places) for task in tasks})

    @cached_property
    def by_id(self) -> Mapping[str, ReviewTask]:
        """Id → task."""
        return {task.id: task for task in self.tasks}


def _is_by(name: str, asked: str) -> bool:
    return asked in ("", name, name.partition("#")[0], name.partition(":")[0])


def _reviewed(verdict: Verdict) -> bool:
    """Whether it is a decision of a program that a person can look at by itself."""
    kind = verdict.about.partition(":")[0]
    of_claims = verdict.aspect in CLAIM_LISTS or verdict.aspect.startswith("hit:")
    of_pairs = verdict.aspect.startswith(("preferred:", "preferred_first:"))
    decided = verdict.status in ("decided", NOT_APPLICABLE)
    known = kind in ("answer", "hit", "claim", "reference", "item")
    return decided and known and verdict.by.partition(":")[0] in SOURCES and not of_claims and not of_pairs


def _things(rated: RatingTasks, verdicts: Sequence[Iterable[Verdict]], reviewer: str) -> dict[str, _Found]:
    """Id → what programs said of one thing, in the order in which it came up."""
    things: dict[str, _Found] = {}
    human: set[tuple[int, str, int, str, str]] = set()
    for number, (run, given) in enumerate(zip(rated.runs, verdicts, strict=True)):
        items, answers = {item.id: item for item in run.items}, run.answers()
        for verdict in given:
            item, answer = items[verdict.item], answers.get((verdict.item, verdict.trial))
            if verdict.by == f"human:{reviewer}" and (verdict.value is not None or verdict.status == NOT_APPLICABLE):
                human.add((number, verdict.item, verdict.trial, verdict.about, verdict.aspect))
            if answer is None or answer.failed or not _reviewed(verdict):
                continue
            key, place = _placed(number, item, answer, verdict)
            thing = things.setdefault(key, _Found(number, item, verdict.trial, verdict.about, verdict.aspect))
            thing.opinions.setdefault(verdict.by, verdict)
            thing.places[place] = None
    for thing in things.values():
        thing.reviewed = all((*place[:4], thing.aspect) in human for place in thing.places)
    return things


def _placed(run: int, item: Item, answer: Answer, verdict: Verdict) -> tuple[str, ReviewPlace]:
    """Return the id of the thing that a verdict is about with its aspect, and where a person's word on it stands."""
    kind, _, name = verdict.about.partition(":")
    content, about, of = content_of(answer), verdict.about, content_of(answer)
    thing: tuple[str, ...] = (kind, content)
    if kind == "hit":
        thing, of = (kind, next((hit_key(item, hit) for hit in answer.hits if hit.id == name), name)), ""
    elif kind in ("claim", "reference"):
        thing, about = (verdict.about, content, verdict.by), f"{verdict.about}@{verdict.by}"
    elif kind == "item":
        thing, of = (kind,), ""
    key = fingerprint((item.id, item.query, verdict.aspect, *thing))
    return key, ReviewPlace(run, item.id, verdict.trial, about, of)


def _scales(things: Iterable[_Found]) -> dict[str, tuple[float, ...]]:
    """Aspect → the values that it can have: fail and pass, or grades from the lowest that occurs to the highest."""
    values: defaultdict[str, set[float]] = defaultdict(set)
    for thing in things:
        values[thing.aspect] |= {one.value for one in thing.opinions.values() if one.value is not None}
    scales: dict[str, tuple[float, ...]] = {}
    for aspect, seen in values.items():
        whole = all(value == int(value) for value in seen)
        if seen <= {0.0, 1.0}:
            scales[aspect] = (0.0, 1.0)
        else:
            scales[aspect] = (
                tuple(map(float, range(int(min(seen)), int(max(seen)) + 1))) if whole else tuple(sorted(seen))
            )
    return scales


def _spread(thing: _Found, scales: Mapping[str, tuple[float, ...]]) -> float:
    """How far programs are apart, as a share of the scale; that one says it does not apply counts as half of it."""
    scale = scales[thing.aspect]
    values = [one.value for one in thing.opinions.values() if one.value is not None]
    apart = (max(values) - min(values)) / (scale[-1] - scale[0]) if values else 0.0
    return max(apart, 0.5 if 0 < len(values) < len(thing.opinions) else 0.0)


class _Show:
    """Makes tasks of things."""

    def __init__(self, rated: RatingTasks, verdicts: Sequence[Iterable[Verdict]]) -> None:
        self._answers = [run.answers() for run in rated.runs]
        self._questions = {(place.item, task.query): task for task in rated.tasks for place in rated.places[task.id]}
        self._statements: dict[tuple[int, str, int, str, str], str] = {}
        self._supports: defaultdict[tuple[int, str, int, str, str], list[str]] = defaultdict(list)
        for run, given in enumerate(verdicts):
            for one in given:
                claim = (run, one.item, one.trial, one.about, one.by)
                if one.aspect == "claim":
                    self._statements[claim] = one.why
                elif one.aspect.startswith("hit:") and one.value:
                    self._supports[claim].append(one.aspect.removeprefix("hit:"))

    def task(self, key: str, thing: _Found, by: str, scale: tuple[float, ...]) -> ReviewTask:
        """Return the task, with the opinion that was asked for first."""
        item, answer = thing.item, self._answers[thing.run][thing.item.id, thing.trial]
        asked: RatingTask = self._questions[item.id, item.query]
        kind, _, name = thing.about.partition(":")
        names = sorted(thing.opinions, key=lambda one: not _is_by(one, by))
        claim = (thing.run, item.id, thing.trial, thing.about, names[0])
        supports = set(self._supports.get(claim, ()))
        hits = [hit for hit in answer.hits if kind != "hit" or hit.id == name]
        constraint = item.constraints.get(thing.aspect) if kind == "hit" else None
        return ReviewTask(
            id=key,
            number=asked.number,
            query=asked.query,
            tags=asked.tags,
            before=asked.before,
            text=answer.text,
            hits=tuple(_shown(item, hits)),
            about=kind,
            aspect=thing.aspect,
            statement=self._statements.get(claim, ""),
            supports=tuple(hit_key(item, hit) for hit in answer.hits if hit.id in supports),
            constraint=constraint,
            references=item.references,
            opinions=tuple(_opinion(thing.opinions[one]) for one in names),
            scale=scale,
        )


def _shown(item: Item, hits: Iterable[Any]) -> Iterator[RatedHit]:
    for hit in hits:
        yield RatedHit(key=hit_key(item, hit), text=hit.text, fields=hit.fields)


def _opinion(verdict: Verdict) -> Opinion:
    return Opinion(source=verdict.by.partition(":")[0], value=verdict.value, why=verdict.why)
