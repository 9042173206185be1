"""Assignments of raters: tasks of one kind, the ratings that they allow, and the verdicts that follow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Protocol

from neraca.files import fingerprint
from neraca.people.pair_task import PairTask, PairTasks
from neraca.people.pair_verdicts import check_pair, next_tasks, verdicts_of_pairs
from neraca.people.quality_scale import USUAL, values_of
from neraca.people.rating import Rating, check, verdicts_of
from neraca.people.rating_task import RatingTasks
from neraca.people.rating_words import subject_words
from neraca.people.review_task import ReviewTasks
from neraca.people.review_verdicts import check_review, verdicts_of_reviews
from neraca.records import Verdict
from neraca.runs.run import Run


class Task(Protocol):
    """One task of a rater; a `msgspec.Struct` that becomes JSON on the page."""

    @property
    def id(self) -> str:
        """An opaque name, which stays the same as long as the content of the task does."""

    @property
    def number(self) -> int:
        """The number of the question in its data set, from 1."""


#: Kinds of tasks: rate answers, choose the better of two, confirm or overrule verdicts.
KINDS = ("answer", "pair", "review")


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """Tasks of one kind on some runs.

    Attributes
    ----------
    kind
        The kind of the tasks: one of `KINDS`.
    runs
        The runs to rate.
    tasks
        All tasks, in the order of the questions; verdicts to review in random order.
    check
        Raises `InputError` for a rating of another task, or for a value that is not on the scale.
    verdicts_of
        Returns the verdicts for each run, from ratings that `check` allows and the name of the rater.
    shown_to
        Returns the tasks as a rater sees them, from the name of the rater; None: as in `tasks`.
    ids
        Ids of everything that can be rated.
    names_of
        Returns the text of the question of a rating, and the name of its subject; its task is one of `ids`.
    due
        Returns the next tasks if they depend on earlier ratings, from the name and ratings of the rater and the ids of
        tasks; only tasks on the questions of these are returned.  None: all tasks are given at once.
    keeps_order
        Whether every rater sees the tasks in this order.
    choice
        Further settings that tell this set of tasks from others on the same runs.
    named
        Names of runs that occur in the text of an answer, where raters can tell the system.
    notes
        Further remarks on the tasks, such as what is left out.
    scale, grades
        For answers: the scale of their quality, as in `parse_scale`; and the grades of their hits, as in
        `grades_text`.
    """

    kind: str
    runs: tuple[Run, ...]
    tasks: Sequence[Task]
    check: Callable[[Rating], None]
    verdicts_of: Callable[[Iterable[Rating], str], list[list[Verdict]]]
    ids: Collection[str]
    names_of: Callable[[Rating], tuple[str, str]]
    shown_to: Callable[[str], Sequence[Task]] | None = None
    due: Callable[[str, Sequence[Rating], Collection[str]], Sequence[Task]] | None = None
    keeps_order: bool = False
    choice: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    scale: str = ""
    grades: str = ""

    @cached_property
    def set(self) -> str:
        """The opaque name of this set: the same for the same runs in any order, and when answers are added."""
        names = sorted(run.manifest.run or run.manifest.started for run in self.runs)
        return fingerprint((self.kind, names, *self.choice))

    @property
    def set_on_scale(self) -> str:
        """The opaque name of this set on its scale: on a scale beyond the usual one a browser keeps other ratings."""
        values = values_of(self.scale)
        return self.set if set(values) <= set(USUAL) else fingerprint((self.set, values))

    @property
    def run_keys(self) -> tuple[str, ...]:
        """The opaque names of the runs, which a file of ratings records."""
        return tuple(map(run_key, self.runs))

    def tasks_of(self, rater: str) -> Sequence[Task]:
        """Return the tasks as this rater sees them."""
        return self.shown_to(rater) if self.shown_to else self.tasks

    def in_order(self, rater: str = "", seed: int = 0) -> list[Task]:
        """Return the tasks in the order of the questions; tasks of one question are shuffled to hide the system.

        An assignment that keeps its order is not shuffled.
        """
        tasks = list(self.tasks_of(rater))
        return (
            tasks if self.keeps_order else sorted(tasks, key=lambda task: (task.number, fingerprint((seed, task.id))))
        )


def run_key(run: Run) -> str:
    """Return the opaque name of a run, which does not change when its folder is moved."""
    return fingerprint(run.manifest.run or run.manifest.started)


def rate_answers(
    tasks: RatingTasks, top: int = 1, choice: tuple[str, ...] = (), scale: str = "", grades: str = ""
) -> Assignment:
    """Assign answers and their hits; `top` is the highest grade of a hit, the others are as in `Assignment`."""

    def verdicts(ratings: Iterable[Rating], rater: str) -> list[list[Verdict]]:
        return verdicts_of(ratings, tasks, rater, top=top, scale=scale)

    check_answer: Callable[..., Any] = partial(check, tasks=tasks, top=top, scale=scale)
    return Assignment(
        kind="answer",
        runs=tasks.runs,
        tasks=tasks.tasks,
        check=check_answer,
        verdicts_of=verdicts,
        ids=frozenset(tasks.by_id),
        names_of=lambda rating: (tasks.by_id[rating.task].query, subject_words(rating.on, tasks)),
        choice=choice,
        named=tasks.named,
        scale=scale,
        grades=grades,
    )


def compare_answers(tasks: PairTasks, best: int = 0, named: tuple[str, ...] = ()) -> Assignment:
    """Assign pairs of answers; each rater sees the sides in an order of their own.

    Parameters
    ----------
    tasks
        All pairs; their seed and the name of the rater decide which answer is on the left.
    best
        Ask only for the pairs that are needed to find this number of best answers to each question; 0: for all pairs.
    named
        As in `Assignment`.
    """

    def seen_by(rater: str) -> PairTasks:
        return replace(tasks, seed=f"{tasks.seed}:{rater}")

    def due(rater: str, ratings: Sequence[Rating], after: Collection[str]) -> Sequence[PairTask]:
        questions = {tasks.by_id[task].number for task in after if task in tasks.by_id}
        return [
            task for task in next_tasks(seen_by(rater), ratings, best=best) if not after or task.number in questions
        ]

    return Assignment(
        kind="pair",
        runs=tasks.runs,
        tasks=tasks.tasks,
        check=lambda rating: check_pair(rating, tasks),
        verdicts_of=lambda ratings, rater: verdicts_of_pairs(ratings, tasks, rater),
        ids=frozenset(tasks.shown),
        names_of=lambda rating: (tasks.by_id[rating.task].query, subject_words(rating.on)),
        shown_to=lambda rater: seen_by(rater).tasks,
        due=due if best else None,
        choice=(tasks.show,),
        named=named,
        notes=tasks.notes,
    )


def review_verdicts(tasks: ReviewTasks, choice: tuple[str, ...] = (), named: tuple[str, ...] = ()) -> Assignment:
    """Assign verdicts of rules and models to be confirmed or overruled; `choice` and `named` as in `Assignment`."""
    return Assignment(
        kind="review",
        runs=tasks.runs,
        tasks=tasks.tasks,
        check=lambda rating: check_review(rating, tasks),
        verdicts_of=lambda ratings, reviewer: verdicts_of_reviews(ratings, tasks, reviewer),
        ids=frozenset(tasks.by_id),
        names_of=lambda rating: (tasks.by_id[rating.task].query, subject_words(rating.on)),
        keeps_order=True,
        choice=choice,
        named=named,
    )
