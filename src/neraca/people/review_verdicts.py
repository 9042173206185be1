"""Reviews of verdicts: check them, and derive the verdicts of the reviewer."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from neraca.people.rating import Rating, check_choice, newest_ratings
from neraca.people.review_task import CHOSEN, NOT_APPLICABLE, ReviewTasks
from neraca.records import Verdict

#: Subjects of a rating in a review.
KINDS = ("verdict", "note")


def check_review(rating: Rating, tasks: ReviewTasks) -> None:
    """Raise `InputError` for a rating of an unknown task, or a value that is not on the scale."""
    task = tasks.by_id.get(rating.task)
    unknown = "a rating of {task!r}, which is no verdict of these runs; name the runs and the choice"
    allowed: tuple[float | str, ...] = (*(task.scale if task else ()), NOT_APPLICABLE)
    check_choice(rating, tasks.by_id, unknown, KINDS, allowed)


def verdicts_of_reviews(ratings: Iterable[Rating], tasks: ReviewTasks, reviewer: str) -> list[list[Verdict]]:
    """Return for each run the verdicts `by human:REVIEWER` that follow, with the note as the reason.

    They are about the same subject as the reviewed verdict; for a claim `claim:N@JUDGE`, because each judge numbers its
    own claims.  Verdicts of people come before those of programs, so each confirms or overrules.  If tasks on which
    programs differ came first, a verdict on the aspect `CHOSEN` marks each answer as not drawn at random.

    Raises
    ------
    InputError
        For a rating of an unknown task, or a value that is not on the scale.
    """
    checked = list(ratings)
    for rating in checked:
        check_review(rating, tasks)
    newest = newest_ratings(checked)
    verdicts: list[list[Verdict]] = [[] for _ in tasks.runs]
    for (task, on), rating in newest.items():
        if on != "verdict":
            continue
        note = newest.get((task, "note"))
        why = str(note.value) if note and note.value else ""
        for run, item, trial, about, of in tasks.places[task]:
            decided = rating.value not in (None, NOT_APPLICABLE)
            verdict = Verdict(
                item=item,
                trial=trial,
                about=about,
                aspect=tasks.by_id[task].aspect,
                value=float(rating.value) if decided and rating.value is not None else None,
                status="decided" if decided else "withdrawn" if rating.value is None else "not_applicable",
                by=f"human:{reviewer}",
                why=why,
                of=of,
                at=rating.at,
            )
            verdicts[run].append(verdict)
            if tasks.differing_first and verdict.status != "withdrawn":
                verdicts[run].append(_mark(verdict))
    return verdicts


def _mark(verdict: Verdict) -> Verdict:
    """Return the verdict without a value that marks an answer as chosen for review because programs disagree."""
    why = "programs disagreed here: this label is no random sample"
    return replace(verdict, about="answer", aspect=CHOSEN, value=None, status="not_applicable", why=why, of="")
