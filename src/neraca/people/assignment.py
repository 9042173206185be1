"""What raters are given to do: tasks of one kind, which ratings they allow, and the verdicts that follow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Protocol

from neraca.files import fingerprint
from neraca.people.pair_task import PairTask, PairTasks
from neraca.people.pair_verdicts import check_pair, next_tasks, verdicts_of_pairs
from neraca.people.rating import Rating, check, verdicts_of
from neraca.people.rating_task import RatingTasks
from neraca.people.review_task import ReviewTasks
from neraca.people.review_verdicts import check_review, verdicts_of_reviews
from neraca.records import Verdict
from neraca.runs.run import Run


class Task(Protocol):
    """What a rater sees at once; a `msgspec.Struct` that becomes JSON on the page."""

    @property
    def id(self) -> str:
        """Opaque, and equal for as long as what is shown stays the same."""

    @property
    def number(self) -> int:
        """Of the question in its data set, from 1."""


#: What raters do: rate answers, say which of two is better, confirm or overrule verdicts.
KINDS = ("answer", "pair", "review")


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """Tasks of one kind on some runs.

    Attributes
    ----------
    kind
        Of the tasks: one of `KINDS`.
    runs
        Those that are rated.
    tasks
        All that can be asked, in the order of the questions; of verdicts those first on which programs differ most.
    check
        Raises `InputError` for a rating of none of these tasks, or with a value that is not on its scale.
    verdicts_of
        From ratings that `check` allows, and the rater's name, to the verdicts for each run.
    shown_to
        From a rater's name to the tasks as this rater sees them; None: as in `tasks`.
    ids
        Of everything that can be rated.
    due
        From a rater's name and ratings to the tasks that come next, where what is asked follows from what was said, and
        of those only the ones on the questions of these tasks; None: all tasks are given at once.
    keeps_order
        Whether every rater sees the tasks in this order.
    choice
        What else tells this set of tasks from others on the same runs.
    named
        Names of runs that occur in what a system itself wrote, where blindness ends.
    """

    kind: str
    runs: tuple[Run, ...]
    tasks: Sequence[Task]
    check: Callable[[Rating], None]
    verdicts_of: Callable[[Iterable[Rating], str], list[list[Verdict]]]
    ids: Collection[str]
    shown_to: Callable[[str], Sequence[Task]] | None = None
    due: Callable[[str, Sequence[Rating], Collection[str]], Sequence[Task]] | None = None
    keeps_order: bool = False
    choice: tuple[str, ...] = ()
    named: tuple[str, ...] = ()

    @cached_property
    def set(self) -> str:
        """Opaque name of what is rated: the same runs have the same name, in any order, when answers are added too."""
        names = sorted(run.manifest.run or run.manifest.started for run in self.runs)
        return fingerprint((self.kind, names, *self.choice))

    @property
    def run_keys(self) -> tuple[str, ...]:
        """Opaque names of the runs, by which a file of ratings says what it is of."""
        return tuple(map(run_key, self.runs))

    def tasks_of(self, rater: str) -> Sequence[Task]:
        """The tasks as this rater sees them."""
        return self.shown_to(rater) if self.shown_to else self.tasks

    def in_order(self, rater: str = "", seed: int = 0) -> list[Task]:
        """In the order of the questions, those of one question by chance, so that their place tells no system.

        Tasks that keep their order have it here, too.
        """
        tasks = list(self.tasks_of(rater))
        return tasks if self.keeps_order else sorted(tasks, key=lambda one: (one.number, fingerprint((seed, one.id))))


def run_key(run: Run) -> str:
    """Return the opaque name of a run, which it keeps wherever its folder stands."""
    return fingerprint(run.manifest.run or run.manifest.started)


def rate_answers(tasks: RatingTasks, top: int = 1) -> Assignment:
    """Assign answers and their hits, whose highest grade is `top`."""

    def verdicts(ratings: Iterable[Rating], rater: str) -> list[list[Verdict]]:
        return verdicts_of(ratings, tasks, rater, top=top)

    allowed: Callable[..., Any] = partial(check, tasks=tasks, top=top)
    return Assignment(
        kind="answer",
        runs=tasks.runs,
        tasks=tasks.tasks,
        check=allowed,
        verdicts_of=verdicts,
        ids=frozenset(tasks.by_id),
        named=tasks.named,
    )


def compare_answers(tasks: PairTasks, best: int = 0, named: tuple[str, ...] = ()) -> Assignment:
    """Assign pairs of answers, each rater with sides of their own.

    Parameters
    ----------
    tasks
        All pairs; their seed and the rater's name say who stands left.
    best
        Ask each rater only for the pairs that tell the best so many answers to each question; 0: for all pairs.
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
        shown_to=lambda rater: seen_by(rater).tasks,
        due=due if best else None,
        choice=(tasks.show,),
        named=named,
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
        keeps_order=True,
        choice=choice,
        named=named,
    )
