"""Verdicts of rules and models as tasks for a person, who confirms or overrules them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self, TypedDict, Unpack

import msgspec

from neraca.errors import InputError
from neraca.files import fingerprint
from neraca.people.rating_task import RatedHit, RatingTask, RatingTasks, hit_key
from neraca.people.transcript import transcript
from neraca.records import Answer, Item, Verdict
from neraca.runs.claim_aspects import CLAIM_LISTS
from neraca.runs.run import Run, content_of
from neraca.runs.session_contents import SESSION, session_contents
from neraca.translation import say

#: Sources whose verdicts are reviewed.  Verdicts of people are not, and embeddings decide nothing.
SOURCES = ("rules", "llm")
#: Value of a review beside the values of the scale.
NOT_APPLICABLE = "not_applicable"
#: The aspect of a verdict without a value beside each review that was chosen because programs disagree.
CHOSEN = "chosen_by_disagreement"


#: (Kind of subject, aspect) → the parts of the task that a judge sees beside the question and the subject.
_SEEN: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("claim", "supported"): ("hits",),
    ("claim", "correct"): ("references",),
    ("reference", "supported"): ("hits",),
    ("reference", "stated"): ("text",),
    ("hit", "useful"): ("hits", "text", "references"),
    ("answer", "valid"): ("text",),
    ("answer", "declines"): ("text",),
    ("answer", "supported"): ("text", "hits"),
}
#: Kind of subject → the parts for other aspects: constraints and relevance of a hit, criteria of the user's own.
_SEEN_USUALLY: Mapping[str, tuple[str, ...]] = {
    "claim": ("hits", "references"),
    "reference": ("hits", "text"),
    "hit": ("hits",),
    "answer": ("text", "hits", "references"),
    "session": ("text",),
    "item": (),
}


class Opinion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The verdict of a program: its source, value (None if it does not apply) and reason."""

    source: str
    value: float | None = None
    why: str = ""


class ReviewTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="review"):
    """A verdict as a reviewer sees it, with the answer that was judged.

    Attributes
    ----------
    id
        Hash of the question, the subject of the verdict, and the aspect.
    number, query, tags, before
        As in `RatingTask`.
    text, hits, references
        The answer, its hits, and good answers to the question: those that the judge saw (`_SEEN`), and no others; for a
        verdict on a hit, this hit alone; for one on a conversation, the questions and answers of all its turns.
    about
        `answer`, `hit`, `claim`, `reference`, `session` or `item`.
    aspect
        The aspect of the verdict, such as `supported` or the name of a constraint.
    statement
        The text of the claim, if the verdict is about a claim.
    supports
        Keys of the hits that support the claim according to the judge; empty if the review is blind.
    constraint
        The constraint of the question, if the aspect is a constraint.
    criterion
        The user's own words by which a model judged.
    opinions
        Verdicts of programs, the reviewed one first; empty if the review is blind.
    scale
        Values that the verdict can have: 0 and 1 are fail and pass.
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
    criterion: str = ""
    references: tuple[str, ...] = ()
    opinions: tuple[Opinion, ...] = ()
    scale: tuple[float, ...] = (0.0, 1.0)


class ReviewOptions(TypedDict, total=False):
    """Optional parameters of `ReviewTasks.of`.

    Attributes
    ----------
    by
        Only verdicts of this judge, as in `Verdict.by`: `rules`, `llm`, `llm:openai:gpt-4o-mini`; default: of all.
    aspect
        Only verdicts on this aspect, or on several with spaces between; default: on all.
    most
        Largest number of tasks; default: all.
    seed
        Seed of the order, by default 0.
    reviewer
        Name of the reviewer; verdicts that this person has reviewed are left out.
    show_verdict
        Whether the tasks hold the verdicts of programs; by default the reviewer decides before knowing them.
    differing_first
        Whether tasks on which programs differ most come first.  Then the first n are no random sample, and a verdict on
        the aspect `CHOSEN` marks each label, so that no label corrects a judge's scores.
    """

    by: str
    aspect: str
    most: int
    seed: int | str
    reviewer: str
    show_verdict: bool
    differing_first: bool


class ReviewPlace(NamedTuple):
    """The place of the reviewer's verdict: number of the run, and fields of a `Verdict`."""

    run: int
    item: str
    trial: int
    about: str
    of: str


@dataclass
class _Subject:
    """A subject that programs judged, with their verdicts."""

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
    """The verdicts to review, and the places of the reviews.

    Attributes
    ----------
    runs
        The runs with the verdicts.
    tasks
        The tasks, in an order drawn by seed; if asked for, those on which programs differ most come first.
    places
        Id of a task → places where its review is written.
    differing_first
        As in `ReviewOptions`.
    """

    runs: tuple[Run, ...]
    tasks: tuple[ReviewTask, ...]
    places: Mapping[str, Sequence[ReviewPlace]]
    differing_first: bool = False

    @classmethod
    def of(cls, runs: Iterable[Run], verdicts: Sequence[Iterable[Verdict]], **options: Unpack[ReviewOptions]) -> Self:
        """Choose the verdicts to review.

        Verdicts of several programs on the same subject are one task, even if several runs returned the subject.
        Lists of claims, and preferences between runs, are not reviewed.

        Parameters
        ----------
        runs
            The judged runs.
        verdicts
            The current verdicts of each run, as `current_verdicts` returns them.
        options
            See `ReviewOptions`.

        Raises
        ------
        InputError
            If nothing is left to review.
        """
        by, aspect = options.get("by", ""), options.get("aspect", "")
        aspects = {aspect, *aspect.split()}  # the name of a criterion may hold spaces itself
        rated = RatingTasks.of(runs)
        subjects = _subjects(rated, verdicts, options.get("reviewer", ""))
        scales = _scales(subjects.values())
        chosen = {
            key: subject
            for key, subject in subjects.items()
            if not subject.reviewed
            and (not aspect or subject.aspect in aspects)
            and any(_is_by(name, by) for name in subject.opinions)
        }
        if not chosen:
            by_judge = say(" by {judge}", judge=by) if by else ""
            on_aspect = say(" on {aspect}", aspect=aspect) if aspect else ""
            raise InputError(
                say(
                    "there is no verdict of a rule or a model{by_judge}{on_aspect} left to review; judge first",
                    by_judge=by_judge,
                    on_aspect=on_aspect,
                )
            )
        keys = list(chosen)
        random.Random(str(options.get("seed", 0))).shuffle(keys)
        differing_first = options.get("differing_first", False)
        if differing_first:
            keys.sort(key=lambda key: -_spread(chosen[key], scales))
        maker = _TaskMaker(rated, verdicts, options.get("show_verdict", False))
        first = keys[: options.get("most", 0) or None]
        tasks = [maker.task(key, chosen[key], by, scales[chosen[key].aspect]) for key in first]
        places = {task.id: tuple(chosen[task.id].places) for task in tasks}
        return cls(rated.runs, tuple(tasks), places, differing_first)

    @cached_property
    def by_id(self) -> Mapping[str, ReviewTask]:
        """Id → task."""
        return {task.id: task for task in self.tasks}


def _is_by(name: str, judge: str) -> bool:
    """Return whether a verdict by `name` is one of a judge; "" is every judge."""
    return judge in ("", name, name.partition("#")[0], name.partition(":")[0])


def _reviewed(verdict: Verdict) -> bool:
    """Return whether a verdict is the decision of a program that a person can review by itself."""
    kind = verdict.about.partition(":")[0]
    of_claims = verdict.aspect in CLAIM_LISTS or verdict.aspect.startswith("hit:")
    of_pairs = verdict.aspect.startswith(("preferred:", "preferred_first:"))
    decided = verdict.status in ("decided", NOT_APPLICABLE)
    on_subject = kind in _SEEN_USUALLY
    return decided and on_subject and verdict.by.partition(":")[0] in SOURCES and not of_claims and not of_pairs


def _subjects(rated: RatingTasks, verdicts: Sequence[Iterable[Verdict]], reviewer: str) -> dict[str, _Subject]:
    """Return id → subject with the verdicts of programs, in the order of the verdicts."""
    subjects: dict[str, _Subject] = {}
    reviewed: set[tuple[int, str, int, str, str]] = set()
    for number, (run, of_run) in enumerate(zip(rated.runs, verdicts, strict=True)):
        items, answers = {item.id: item for item in run.items}, run.answers()
        conversations = _conversations(run, of_run)
        for verdict in of_run:
            item, answer = items[verdict.item], answers.get((verdict.item, verdict.trial))
            if verdict.by == f"human:{reviewer}" and (verdict.value is not None or verdict.status == NOT_APPLICABLE):
                reviewed.add((number, verdict.item, verdict.trial, verdict.about, verdict.aspect))
            on_session = verdict.about == SESSION
            if answer is None or not (answer.replied or on_session) or not _reviewed(verdict):
                continue
            content = conversations.get((item.id, verdict.trial), "") if on_session else content_of(answer)
            key, place = _key_and_place(number, item, answer, verdict, content)
            subject = subjects.setdefault(key, _Subject(number, item, verdict.trial, verdict.about, verdict.aspect))
            subject.opinions.setdefault(verdict.by, verdict)
            subject.places[place] = None
    for subject in subjects.values():
        subject.reviewed = all((*place[:4], subject.aspect) in reviewed for place in subject.places)
    return subjects


def _conversations(run: Run, verdicts: Iterable[Verdict]) -> Mapping[tuple[str, int], str]:
    """Return (item, trial) → the hash of its conversation; nothing if no verdict is on a conversation."""
    if not any(verdict.about == SESSION for verdict in verdicts):
        return {}
    return session_contents(run.items, {key: content_of(answer) for key, answer in run.answers().items()})


def _key_and_place(run: int, item: Item, answer: Answer, verdict: Verdict, content: str) -> tuple[str, ReviewPlace]:
    """Return the id of the subject and aspect of a verdict, and the place of a person's verdict on it.

    `content` is the hash of the answer, or of the conversation if the verdict is on one.
    """
    kind, _, name = verdict.about.partition(":")
    about, of = verdict.about, content
    subject: tuple[str, ...] = (kind, content)
    if kind == "hit":
        subject, of = (kind, next((hit_key(item, hit) for hit in answer.hits if hit.id == name), name)), ""
    elif kind in ("claim", "reference"):
        subject, about = (verdict.about, content, verdict.by), f"{verdict.about}@{verdict.by}"
    elif kind == "item":
        subject, of = (kind,), ""
    key = fingerprint((item.id, item.query, verdict.aspect, *subject))
    return key, ReviewPlace(run, item.id, verdict.trial, about, of)


def _scales(subjects: Iterable[_Subject]) -> dict[str, tuple[float, ...]]:
    """Return aspect → its values: fail and pass, or the grades from the lowest to the highest that occurs."""
    values: defaultdict[str, set[float]] = defaultdict(set)
    for subject in subjects:
        values[subject.aspect] |= {verdict.value for verdict in subject.opinions.values() if verdict.value is not None}
    return {aspect: _scale(of_aspect) for aspect, of_aspect in values.items()}


def _scale(values: set[float]) -> tuple[float, ...]:
    if values <= {0.0, 1.0}:
        return (0.0, 1.0)
    if all(value == int(value) for value in values):
        return tuple(map(float, range(int(min(values)), int(max(values)) + 1)))
    return tuple(sorted(values))


def _spread(subject: _Subject, scales: Mapping[str, tuple[float, ...]]) -> float:
    """Return how far programs differ, as a share of the scale; a value and "does not apply" differ by half of it."""
    scale = scales[subject.aspect]
    values = [verdict.value for verdict in subject.opinions.values() if verdict.value is not None]
    difference = (max(values) - min(values)) / (scale[-1] - scale[0]) if values else 0.0
    return max(difference, 0.5 if 0 < len(values) < len(subject.opinions) else 0.0)


class _TaskMaker:
    """Makes review tasks of subjects."""

    def __init__(self, rated: RatingTasks, verdicts: Sequence[Iterable[Verdict]], show_verdict: bool) -> None:
        self._show_verdict = show_verdict
        self._runs = rated.runs
        self._answers = [run.answers() for run in rated.runs]
        self._questions = {(place.item, task.query): task for task in rated.tasks for place in rated.places[task.id]}
        self._statements: dict[tuple[int, str, int, str, str], str] = {}
        self._supports: defaultdict[tuple[int, str, int, str, str], list[str]] = defaultdict(list)
        for run, of_run in enumerate(verdicts):
            for verdict in of_run:
                claim = (run, verdict.item, verdict.trial, verdict.about, verdict.by)
                if verdict.aspect == "claim":
                    self._statements[claim] = verdict.why
                elif verdict.aspect.startswith("hit:") and verdict.value:
                    self._supports[claim].append(verdict.aspect.removeprefix("hit:"))

    def task(self, key: str, subject: _Subject, by: str, scale: tuple[float, ...]) -> ReviewTask:
        """Return the task, with the verdict of the judge `by` first."""
        item, answer = subject.item, self._answers[subject.run][subject.item.id, subject.trial]
        question: RatingTask = self._questions[item.id, item.query]
        kind, _, name = subject.about.partition(":")
        names = sorted(subject.opinions, key=lambda judge: not _is_by(judge, by))
        claim = (subject.run, item.id, subject.trial, subject.about, names[0])
        supports = set(self._supports.get(claim, ())) if self._show_verdict else set()
        seen = _SEEN.get((kind, subject.aspect), _SEEN_USUALLY[kind])
        seen = self._runs[subject.run].parts_of_item if kind == "item" else seen
        hits = [hit for hit in answer.hits if "hits" in seen and (kind != "hit" or hit.id == name)]
        criteria: Mapping[str, str] = self._runs[subject.run].manifest.criteria
        constraint = item.constraints.get(subject.aspect) if kind == "hit" else None
        return ReviewTask(
            id=key,
            number=question.number,
            query=question.query,
            tags=question.tags,
            before=question.before,
            text=self._text(subject, answer) if "text" in seen else "",
            hits=tuple(_rated_hits(item, hits)),
            about=kind,
            aspect=subject.aspect,
            statement=self._statements.get(claim, ""),
            supports=tuple(hit_key(item, hit) for hit in answer.hits if hit.id in supports),
            constraint=constraint,
            criterion="\n".join(dict.fromkeys(filter(None, map(criteria.get, names)))),
            references=item.references if "references" in seen else (),
            opinions=tuple(_opinion(subject.opinions[judge]) for judge in names) if self._show_verdict else (),
            scale=scale,
        )

    def _text(self, subject: _Subject, answer: Answer) -> str:
        """Return the text that was judged: the answer, or the whole conversation."""
        if subject.about != SESSION:
            return answer.text
        return transcript(self._runs[subject.run].items, self._answers[subject.run], subject.item, subject.trial)


def _rated_hits(item: Item, hits: Iterable[Any]) -> Iterator[RatedHit]:
    for hit in hits:
        yield RatedHit(key=hit_key(item, hit), text=hit.text, fields=hit.fields)


def _opinion(verdict: Verdict) -> Opinion:
    return Opinion(source=verdict.by.partition(":")[0], value=verdict.value, why=verdict.why)
