"""`neraca rate --study FILE`: let users ask their own questions and rate the answers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import rate_serve, speak
from neraca.errors import SpecError
from neraca.translation import say

if TYPE_CHECKING:
    from neraca.web.rating_app import PageWriter

StudyFile = Annotated[
    Path | None,
    typer.Option(
        help="Run a user study: each of --raters asks questions to the system that this study chose, and rates answers."
    ),
]
TargetName = Annotated[str, typer.Option(help="With --study: the target that users ask, in place of the chosen one.")]
#: The database of the questions of users and their ratings, in the results of the study.
DATABASE = "users.sqlite"


def serve(
    file: Path,
    name: str,
    rating: rate_serve.RatingOptions,
    language: str,
    page: Callable[[dict[str, Any]], PageWriter],
) -> None:
    """Serve a user study until Ctrl-C, then write the questions and ratings of users as a run."""
    rate_serve.needs_web()
    from neraca.people.quality_scale import grades_text, parse_grades
    from neraca.runs.hidden_secrets import hide_secrets
    from neraca.runs.runner import AskOptions
    from neraca.runs.study_record import StudyRecord
    from neraca.study import record_users, system_for_users
    from neraca.study_file import USERS, read_study, results_of
    from neraca.web.own_questions import Asker
    from neraca.web.rating_session import open_session
    from neraca.web.rating_settings import OWN, RatingSettings
    from neraca.web.ratings_database import RatingsDatabase

    file = file.resolve()
    study = read_study(file)
    users, folder = study.users, results_of(file, study)
    if users.questions < 1:
        raise SpecError(say("{file}: users.questions must be at least 1, not {n}", file=file, n=users.questions))
    layout = {"language": language, "guideline": users.guideline, "grades": users.grades, "scale": users.scale}
    writer = page(layout)
    target, settings = system_for_users(file, name)
    if settings.get("kind") == "replay":
        template = "{file}: {target} is a replay, which cannot answer new questions; name another --target"
        raise SpecError(say(template, file=file, target=target))
    record = StudyRecord.read(folder)
    for phase in record.phases if record else ():
        if phase.chosen == target and phase.chosen_before:
            speak(f"{target}: {phase.note}")
    rating_settings = RatingSettings(
        kind=OWN,
        top=parse_grades(users.grades)[-1][0],
        scale=users.scale,
        grades=grades_text(users.grades),
        questions=users.questions,
        out=str(folder / USERS),
        target=hide_secrets(settings),
        system=target,
    )
    if rating.db == rate_serve.DATABASE:
        rating = replace(rating, db=f"sqlite:///{folder / DATABASE}")
    speak(_begin(target, users.questions, folder / USERS))
    with contextlib.chdir(file.parent), RatingsDatabase(rating.db) as database:
        asker = Asker(settings, AskOptions(timeout=study.asking.timeout, retries=study.asking.retries))
        try:
            session = open_session(database, rating_settings, rating.names or users.raters, asker)
            rate_serve.serve_session(session, rating.place, writer)
        finally:
            asker.close()
        record_users(study, folder)
    speak(say("neraca run {file} writes the report of the study anew, with what users asked and rated", file=file.name))


def _begin(target: str, questions: int, folder: Path) -> str:
    from neraca.counts_and_lists import count

    return say(
        "users ask {target}; each asks {questions}, and the ratings go to {folder}",
        target=target,
        questions=count(questions, "question"),
        folder=folder,
    )
