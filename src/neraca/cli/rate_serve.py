"""`neraca rate RUN…` and `neraca rate export`: ratings of many people at once, and their verdicts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from neraca.cli import show, speak
from neraca.cli.doctor import lacking
from neraca.errors import InputError, MissingExtra, NeracaError

if TYPE_CHECKING:
    from neraca.people.rater_quality import RaterQuality
    from neraca.people.rating import Rating
    from neraca.stats.interval import Estimate
    from neraca.web.rating_app import PageWriter
    from neraca.web.rating_session import RatingSession
    from neraca.web.ratings_database import RatingSettings
    from neraca.web.serve import Links, Place

#: Where ratings are kept if nothing else is said.
DATABASE = "sqlite:///ratings.sqlite"


def serve(
    settings: RatingSettings, raters: Sequence[str], db: str, place: Place, page: PageWriter, gold: Path | None = None
) -> None:
    """Serve runs to raters until Ctrl-C, then write their verdicts to the runs; see `serve_ratings`."""
    _needs_web()
    from neraca.web.rating_session import open_session
    from neraca.web.ratings_database import RatingsDatabase
    from neraca.web.serve import serve_ratings

    known = _gold(gold)
    with RatingsDatabase(db) as database:
        session = open_session(database, settings, raters)
        serve_ratings(session, page, place, lambda links: _tell(links, session))
        try:
            _export(session, known)
        except NeracaError as error:
            raise InputError(f"{error}. Ratings are safe in {database.shown}: neraca rate export --db {db}") from error


def export(runs: Sequence[Path], db: str, to: Path | None = None, gold: Path | None = None) -> None:
    """Write what was rated to the runs as verdicts, or with `to` as a file of ratings for each rater into a folder."""
    _needs_web()
    from neraca.web.rating_session import stored_sessions
    from neraca.web.ratings_database import RatingsDatabase

    known = _gold(gold)
    with RatingsDatabase(db, make=False) as database:
        for session in stored_sessions(database, list(map(str, runs))):
            if to is None:
                _export(session, known)
                continue
            for file in session.write_files(to):
                print(f"ratings: {file}")


def _needs_web() -> None:
    if missing := lacking("web"):
        raise MissingExtra(f'rating together needs {", ".join(missing)}: pip install "neraca[web]"')


def _gold(file: Path | None) -> list[Rating]:
    from neraca.people.ratings_file import read_ratings

    return read_ratings(file).ratings if file else []


def _tell(links: Links, session: RatingSession) -> None:
    runs = session.assignment.runs
    tasks = len(session.assignment.tasks)
    print(f"{tasks:,} different answers of {len(runs)} runs to rate; ratings are kept in {session.database.shown}")
    show.table("", ["rater", "link"], [[name, link] for name, link in links.of.items()], names=2, wide=True)
    show.say("Each rater opens one of these links, and keeps it: it lets in whoever has it.  Ctrl-C ends and writes "
             "the verdicts to the runs.")  # fmt: skip
    sys.stdout.flush()  # whoever reads it may be a program that waits for the links
    if links.open_to_others:
        how = "" if links.encrypted else ", and read along, since http:// is not encrypted"
        speak(f"WARNING: other machines can reach this server; whoever has a link can rate in its rater's name{how}")


def _export(session: RatingSession, gold: Sequence[Rating]) -> None:
    done = session.export(gold)
    tasks = len(session.assignment.tasks)
    rows = [_row(one, tasks) for one in done.quality]
    show.table("", ["rater", "rated", "said twice alike", "as in gold"], rows)
    for run, written in zip(session.assignment.runs, done.written, strict=True):
        print(f"{run.path}: {written:,} verdicts added")
    if done.left_out:
        speak(f"{done.left_out:,} ratings are of answers that these runs no longer have, and are left out")


def _row(quality: RaterQuality, tasks: int) -> list[str]:
    return [quality.rater, f"{quality.rated} of {tasks}", _share(quality.repeated), _share(quality.gold)]


def _share(estimate: Estimate) -> str:
    if not estimate.n:
        return "-"
    equal = round(estimate.value * estimate.n)
    return f"{equal} of {estimate.n} {show.bounds(estimate.low, estimate.high)}"
