"""Settings of a rating session, from a command or a database, and the tasks that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from neraca.errors import SpecError, nearest
from neraca.people.assignment import KINDS, Assignment, compare_answers, rate_answers, review_verdicts
from neraca.people.pair_task import PairTasks
from neraca.people.rating_task import RatingTasks
from neraca.people.review_task import ReviewTasks
from neraca.runs.run import Run
from neraca.verdicts.current import current_verdicts

#: Kind of tasks that come from the raters' own questions.
OWN = "own"


class RatingSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Settings of a set of tasks; the first start fixes them.

    Attributes
    ----------
    kind
        The kind of tasks: `answer`, `pair`, `review` or `own`.
    runs
        Folders of the runs to rate.
    top
        The highest grade of a hit.
    seed
        The seed of the raters' orders, of the sides of pairs, and of the sample for review.
    repeat
        Share of the tasks that come twice.
    show
        For pairs: `answers`, `results`, or `auto` (the answers if any has a text).
    best
        For pairs: ask only the pairs that find this number of best answers to each question; 0: ask all.
    by, aspect
        For reviews: only verdicts of this judge and on this aspect; "": all.
    most
        For reviews: the largest number of verdicts; 0: all.
    questions, out, target
        For the kind `own`: the number of questions of each rater, the folder of the run, and the target's settings as
        a run keeps them.

    Raises
    ------
    SpecError
        If the kind does not exist, or a setting belongs to another kind.
    """

    kind: str = "answer"
    runs: tuple[str, ...] = ()
    top: int = 1
    seed: int = 0
    repeat: float = 0.0
    show: str = "auto"
    best: int = 0
    by: str = ""
    aspect: str = ""
    most: int = 0
    questions: int = 0
    out: str = ""
    target: Mapping[str, Any] = {}

    def __post_init__(self) -> None:
        if self.kind not in (*KINDS, OWN):
            raise SpecError(f"kind: {self.kind!r} is not one of {', '.join(KINDS)}; {nearest(self.kind, KINDS)}")
        kinds = {"show": "pair", "best": "pair", "by": "review", "aspect": "review", "most": "review"}
        for name, kind in kinds.items():
            if self.kind != kind and getattr(self, name) not in ("", 0, "auto"):
                raise SpecError(f"{name}: belongs to --kind {kind}, not to --kind {self.kind}; leave it out")
        if self.best < 0 or self.most < 0:
            raise SpecError("best and most must not be negative; leave them out for all")
        if self.repeat and (self.best or self.kind == "review"):
            reason = "verdicts to review come once" if not self.best else "with best, each choice decides the next pair"
            raise SpecError(f"repeat: {reason}; leave out --repeat")


def assign(settings: RatingSettings) -> Assignment:
    """Open the runs and return the tasks to rate in them.

    Raises
    ------
    InputError
        If there is nothing to rate.
    SpecError
        If pairs are asked for in a single run, or in runs of the same name.
    """
    runs = [Run(path) for path in settings.runs]
    if settings.kind == "pair":
        if len(runs) < 2:
            raise SpecError("kind: pairs need at least two runs; name them all")
        pairs = PairTasks.of(runs, settings.show, settings.seed)  # type: ignore[arg-type]
        return compare_answers(pairs, settings.best, RatingTasks.of(runs).named)
    if settings.kind == "review":
        selection = {"by": settings.by, "aspect": settings.aspect}
        reviews = ReviewTasks.of(
            runs, [current_verdicts(run) for run in runs], most=settings.most, seed=settings.seed, **selection
        )
        return review_verdicts(reviews, (*selection.values(), str(settings.most)), RatingTasks.of(runs).named)
    return rate_answers(RatingTasks.of(runs), settings.top)
