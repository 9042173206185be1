"""Settings of a rating session, from a command or a database, and the tasks that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from neraca.errors import SpecError
from neraca.files import fingerprint
from neraca.generation.question_folder import QuestionFolder, open_reviewed
from neraca.nearest import nearest
from neraca.people.assignment import KINDS, Assignment, compare_answers, rate_answers, review_verdicts
from neraca.people.pair_task import PairTasks
from neraca.people.rating_task import RatingTasks
from neraca.people.review_task import ReviewTasks
from neraca.runs.run import Run
from neraca.translation import say
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
    scale, grades
        The scale of the quality of answers, as in `parse_scale`, "": the usual one; and the grades of hits, as in
        `grades_text`.
    seed
        The seed of the raters' orders, of the sides of pairs, and of the sample for review.
    repeat
        Share of the tasks that come twice.
    show
        For pairs: `answers`, `results`, or `auto` (the answers if any has a text).
    best
        For pairs: ask only the pairs that find this number of best answers to each question; 0: ask all.
    by, aspect
        For reviews: only verdicts of this judge and on this aspect, or on several with spaces between; "": all.
    most
        For reviews: the largest number of verdicts; 0: all.
    show_verdict
        For reviews: whether reviewers see the verdicts.
    order
        For reviews: `random`, or `differing`: those on which programs differ most come first, as in sessions that were
        begun before there was a choice.
    items
        For answers and reviews: only those on these questions; (): all.
    questions, out, target, system
        For the kind `own`: the number of questions of each rater, the folder of the run, the target's settings as a run
        keeps them, and its name; "": not known.

    Raises
    ------
    SpecError
        If the kind does not exist, or a setting belongs to another kind.
    """

    kind: str = "answer"
    runs: tuple[str, ...] = ()
    top: int = 1
    scale: str = ""
    grades: str = ""
    seed: int = 0
    repeat: float = 0.0
    show: str = "auto"
    best: int = 0
    by: str = ""
    aspect: str = ""
    most: int = 0
    show_verdict: bool = False
    order: str = "differing"
    items: tuple[str, ...] = ()
    questions: int = 0
    out: str = ""
    target: Mapping[str, Any] = {}
    system: str = ""

    def __post_init__(self) -> None:
        if self.kind not in (*KINDS, OWN):
            raise SpecError(
                say(
                    "kind: {kind!r} is not one of {kinds}; {advice}",
                    kind=self.kind,
                    kinds=", ".join(KINDS),
                    advice=nearest(self.kind, KINDS),
                )
            )
        kinds = {"show": "pair", "best": "pair", "by": "review", "aspect": "review", "most": "review"}
        kinds["show_verdict"] = "review"
        if self.items and self.kind not in ("answer", "review"):
            raise SpecError(
                say("sample: belongs to --kind answer or review, not to --kind {kind}; leave it out", kind=self.kind)
            )
        for name, kind in kinds.items():
            if self.kind != kind and getattr(self, name) not in ("", 0, "auto"):
                raise SpecError(
                    say(
                        "{name}: belongs to --kind {kind}, not to --kind {kind_2}; leave it out",
                        name=name,
                        kind=kind,
                        kind_2=self.kind,
                    )
                )
        if self.best < 0 or self.most < 0:
            raise SpecError(say("best and most must not be negative; leave them out for all"))
        if self.repeat and (self.best or self.kind == "review"):
            reason = (
                say("verdicts to review come once")
                if not self.best
                else say("with best, each choice decides the next pair")
            )
            raise SpecError(say("repeat: {reason}; leave out --repeat", reason=reason))


def assign(settings: RatingSettings) -> Assignment:
    """Open the runs and return the tasks to rate in them.

    Raises
    ------
    InputError
        If there is nothing to rate.
    SpecError
        If pairs are asked for in a single run, or in runs of the same name.
    """
    runs = list(map(open_reviewed if settings.kind == "review" else Run, settings.runs))
    if settings.kind == "pair":
        if len(runs) < 2:
            raise SpecError(say("kind: pairs need at least two runs; name them all"))
        pairs = PairTasks.of(runs, settings.show, settings.seed)  # type: ignore[arg-type]
        return compare_answers(pairs, settings.best, RatingTasks.of(runs).named)
    if settings.kind == "review":
        selection: dict[str, Any] = {"by": settings.by, "aspect": settings.aspect}
        every_verdict = [current_verdicts(run) for run in runs]
        drawn = [[v for v in of_run if v.item in settings.items] for of_run in every_verdict]
        how: dict[str, Any] = {name: getattr(settings, name) for name in ("most", "seed", "show_verdict")}
        how["differing_first"] = settings.order == "differing"
        reviews = ReviewTasks.of(runs, drawn if settings.items else every_verdict, **how, **selection)
        is_new = bool(settings.most and not how["differing_first"])
        order = (settings.order,) if is_new else ()  # without a limit both orders are the same set of tasks
        choice = (*selection.values(), str(settings.most), *order, *_drawn(settings))
        of_systems = [run for run in runs if not isinstance(run, QuestionFolder)]
        return review_verdicts(reviews, choice, RatingTasks.of(of_systems).named if of_systems else ())
    tasks = RatingTasks.of(runs)
    drawn_tasks = tasks.of_items(settings.items) if settings.items else tasks
    return rate_answers(drawn_tasks, settings.top, _drawn(settings), settings.scale, settings.grades)


def _drawn(settings: RatingSettings) -> tuple[str, ...]:
    """Return what tells the tasks of a sample from those of all questions."""
    return (fingerprint(sorted(settings.items)),) if settings.items else ()
