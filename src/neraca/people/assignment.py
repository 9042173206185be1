"""What raters are given to do: tasks of one kind, which ratings they allow, and the verdicts that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

from neraca.files import fingerprint
from neraca.people.rating import Rating, check, verdicts_of
from neraca.people.rating_task import RatingTasks
from neraca.records import Verdict
from neraca.runs.run import Run


class Task(Protocol):
    """What a rater sees at once; a `msgspec.Struct` that becomes JSON on the page."""

    @property
    def id(self) -> str:
        """Opaque, and equal for as long as what is shown stays the same."""


@dataclass(frozen=True)
class Assignment:
    """Tasks of one kind on some runs.

    Attributes
    ----------
    kind
        Of the tasks: `answer`.
    runs
        Those that are rated.
    tasks
        In the order of the questions.
    check
        Raises `InputError` for a rating of none of these tasks, or with a value that is not on its scale.
    verdicts_of
        From ratings that `check` allows, and the rater's name, to the verdicts for each run.
    named
        Names of runs that occur in what a system itself wrote, where blindness ends.
    """

    kind: str
    runs: tuple[Run, ...]
    tasks: Sequence[Task]
    check: Callable[[Rating], None]
    verdicts_of: Callable[[Iterable[Rating], str], list[list[Verdict]]]
    named: tuple[str, ...] = ()

    @cached_property
    def set(self) -> str:
        """Opaque name of what is rated: the same runs have the same name, in any order, when answers are added too."""
        return fingerprint((self.kind, sorted(run.manifest.run or run.manifest.started for run in self.runs)))

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of the tasks."""
        return frozenset(task.id for task in self.tasks)


def rate_answers(tasks: RatingTasks, top: int = 1) -> Assignment:
    """Assign answers and their hits, whose highest grade is `top`."""

    def verdicts(ratings: Iterable[Rating], rater: str) -> list[list[Verdict]]:
        return verdicts_of(ratings, tasks, rater, top=top)

    allowed: Callable[..., Any] = partial(check, tasks=tasks, top=top)
    return Assignment("answer", tasks.runs, tasks.tasks, allowed, verdicts, tasks.named)


def write_verdicts(runs: Sequence[Run], verdicts: Sequence[Iterable[Verdict]]) -> list[int]:
    """Add verdicts to each run, but for those that say what stands there already, and those that are older than it.

    Returns how many were added to each.

    Raises
    ------
    RunError
        When another process writes to one of the runs.
    """
    written = []
    for run, given in zip(runs, verdicts, strict=True):
        with run.writing():
            stands = {_place(verdict): verdict for verdict in run.verdicts()}
            written.append(run.add_verdicts([one for one in given if _is_new(one, stands.get(_place(one)))]))
    return written


def _place(verdict: Verdict) -> tuple[str, int, str, str, str]:
    return verdict.item, verdict.trial, verdict.about, verdict.aspect, verdict.by


def _is_new(verdict: Verdict, known: Verdict | None) -> bool:
    """Whether it says something else than the one in its place, and not earlier."""
    if known is None:
        return verdict.status != "withdrawn"
    if verdict.at and verdict.at < known.at:
        return False
    return (verdict.value, verdict.status, verdict.why, verdict.of) != (known.value, known.status, known.why, known.of)
