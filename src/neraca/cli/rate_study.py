"""`neraca rate --study FILE`: users ask questions of their own, and rate what comes back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import rate_serve, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.web.rating_app import PageWriter

StudyFile = Annotated[
    Path | None,
    typer.Option(
        help="A user study: each of --raters asks questions of their own to the system that this study chose."
    ),
]
TargetName = Annotated[str, typer.Option(help="--study: the target that users ask, in place of the one chosen.")]
#: Below the study's folder of results; the run of what users asked, and their ratings.
RUN, DATABASE = "users", "users.sqlite"


def serve(
    file: Path,
    name: str,
    chosen: rate_serve.Chosen,
    language: str,
    page: Callable[[dict[str, Any]], PageWriter],
) -> None:
    """Serve a user study until Ctrl-C, then write what users asked and said as a run."""
    rate_serve.needs_web()
    from neraca.runs.run import hide_secrets
    from neraca.runs.runner import AskOptions
    from neraca.study import system_for_users
    from neraca.study_file import read_study, results_of
    from neraca.web.own_questions import Asker
    from neraca.web.rating_session import open_session
    from neraca.web.rating_settings import OWN, RatingSettings
    from neraca.web.ratings_database import RatingsDatabase

    file = file.resolve()
    study = read_study(file)
    users, folder = study.users, results_of(file, study)
    if users.questions < 1:
        raise SpecError(f"{file}: users.questions is at least 1, not {users.questions}")
    made = page({"language": language, "guideline": users.guideline, "grades": users.grades})
    target, settings = system_for_users(file, name)
    if settings.get("kind") == "replay":
        raise SpecError(f"{file}: {target} is a replay, which answers no new questions; name another --target")
    known = hide_secrets(settings)
    wanted = RatingSettings(
        kind=OWN, top=users.grades - 1, questions=users.questions, out=str(folder / RUN), target=known
    )
    if chosen.db == rate_serve.DATABASE:
        chosen = replace(chosen, db=f"sqlite:///{folder / DATABASE}")
    speak(f"users ask {target}; each asks {users.questions} questions, and what they say goes to {folder / RUN}")
    with contextlib.chdir(file.parent), RatingsDatabase(chosen.db) as database:
        asker = Asker(settings, AskOptions(timeout=study.asking.timeout, retries=study.asking.retries))
        try:
            session = open_session(database, wanted, chosen.names or users.raters, asker)
            rate_serve.serve_session(session, chosen.place, made)
        finally:
            asker.close()
