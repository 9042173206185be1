"""What is rated and how, as a command says it and a database keeps it, and the tasks that follow."""

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

#: Tasks that raters make themselves, by asking.
OWN = "own"


class RatingSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What holds for a set of tasks from its first start on.

    Attributes
    ----------
    kind
        Of the tasks: `answer`, `pair` or `review`, or `own`.
    runs
        Folders of the runs that are rated.
    top
        The highest grade of a hit.
    seed
        Of the raters' orders, of the sides of pairs, and of what is drawn for review.
    repeat
        Share of the tasks that come twice.
    show
        Of pairs: `answers`, `results`, or `auto`, the answers where any has a text.
    best
        Of pairs: only those are asked that tell the best so many answers to each question; 0: all.
    by, aspect
        Of reviews: only verdicts of this judge, and on this aspect; "": all.
    most
        Of reviews: at most so many; 0: all.
    questions, out, target
        Of raters' own questions (kind `own`): how many each asks, the folder of the run, and the target's settings as
        a run keeps them.

    Raises
    ------
    SpecError
        For a kind that does not exist, and for settings that belong to another kind.
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
            raise SpecError(f"kind: {self.kind!r} is none of {', '.join(KINDS)}; {nearest(self.kind, KINDS)}")
        kinds = {"show": "pair", "best": "pair", "by": "review", "aspect": "review", "most": "review"}
        for name, kind in kinds.items():
            if self.kind != kind and getattr(self, name) not in ("", 0, "auto"):
                raise SpecError(f"{name}: belongs to --kind {kind}, and says nothing of --kind {self.kind}")
        if self.best < 0 or self.most < 0:
            raise SpecError("best and most count answers and verdicts; leave them out for all")
        if self.repeat and (self.best or self.kind == "review"):
            what = "verdicts to review come once" if not self.best else "each choice decides what comes next (best)"
            raise SpecError(f"repeat: {what}; leave out --repeat")


def assign(settings: RatingSettings) -> Assignment:
    """Open the runs and find what there is to rate in them.

    Raises
    ------
    InputError
        Where there is nothing.
    SpecError
        For pairs of one run, or of runs of the same name.
    """
    runs = [Run(path) for path in settings.runs]
    if settings.kind == "pair":
        if len(runs) < 2:
            raise SpecError("kind: a pair is of two runs at least; name them all")
        pairs = PairTasks.of(runs, settings.show, settings.seed)  # type: ignore[arg-type]
        return compare_answers(pairs, settings.best, RatingTasks.of(runs).named)
    if settings.kind == "review":
        how = {"by": settings.by, "aspect": settings.aspect}
        reviews = ReviewTasks.of(
            runs, [current_verdicts(run) for run in runs], most=settings.most, seed=settings.seed, **how
        )
        return review_verdicts(reviews, (*how.values(), str(settings.most)), RatingTasks.of(runs).named)
    return rate_answers(RatingTasks.of(runs), settings.top)
