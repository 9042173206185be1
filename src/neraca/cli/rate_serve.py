"""`neraca rate RUN…` and `neraca rate export`: ratings of many people at once, and their verdicts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak
from neraca.cli.doctor import lacking
from neraca.errors import MissingExtra, NeracaError, RunError, SpecError
from neraca.number_format import with_interval

if TYPE_CHECKING:
    from neraca.people.assignment import Assignment
    from neraca.people.rater_quality import RaterQuality
    from neraca.people.rating import Rating
    from neraca.stats.intervals.interval import Estimate
    from neraca.web.rating_app import PageWriter
    from neraca.web.rating_session import RatingSession
    from neraca.web.rating_settings import RatingSettings
    from neraca.web.serve import Beside, Links, Place

Kind = Annotated[
    str,
    typer.Option(
        help="What people do: answer (rate answers and hits), pair (say which of two answers is better) or review "
        "(confirm or overrule verdicts of rules and models)."
    ),
]
Show = Annotated[
    str, typer.Option(help="pair: compare answers, or results as a search page lists them; auto: answers.")
]
Best = Annotated[
    int, typer.Option(help="pair: ask only what tells the best so many answers to each question; 0: all pairs.")
]
By = Annotated[str, typer.Option(help="review: only verdicts of this judge, such as rules or llm.")]
Aspect = Annotated[str, typer.Option(help="review: only verdicts on this aspect, such as supported.")]
Most = Annotated[int, typer.Option("--most", "-n", help="review: at most so many, drawn by seed; 0: all.")]
Raters = Annotated[str, typer.Option(help="Names of those who rate: ana,budi.  Default: those of an earlier start.")]
Db = Annotated[str, typer.Option(help="Where ratings are kept: sqlite:///FILE or postgresql://USER@HOST/NAME.")]
Repeat = Annotated[
    float, typer.Option(help="Share of the answers that each rater sees twice, to see how alike they rate them.")
]
Gold = Annotated[
    Path | None, typer.Option(help="A file of ratings that are known to be right; says who rated as it does.")
]
Port = Annotated[int, typer.Option(help="Where the server listens; 0 is any free port.", min=0, max=65535)]
Host = Annotated[str, typer.Option(help="Address to listen on; any other than 127.0.0.1 lets other machines in.")]
Url = Annotated[str, typer.Option(help="How raters reach the server if not at HOST:PORT: https://ratings.example.org")]
To = Annotated[Path | None, typer.Option(help="export: write files of ratings into this folder, and no verdicts.")]
#: Where ratings are kept, and where the server listens, if nothing else is said.
DATABASE, PORT, HOST = "sqlite:///ratings.sqlite", 8765, "127.0.0.1"
#: The rater's name where none was given.
NOBODY = "rater"


@dataclass(frozen=True)
class Chosen:
    """What the options of `neraca rate RUN…` say; those of `RatingSettings` have its names."""

    raters: str = ""
    db: str = DATABASE
    seed: int = 0
    repeat: float = 0.0
    top: int = 1
    gold: Path | None = None
    port: int = PORT
    host: str = HOST
    url: str = ""
    kind: str = "answer"
    show: str = "auto"
    best: int = 0
    by: str = ""
    aspect: str = ""
    most: int = 0

    @property
    def place(self) -> Place:
        """Where the server listens."""
        from neraca.web.serve import Place

        return Place(self.host, self.port, self.url)

    @property
    def names(self) -> list[str]:
        """Those who rate."""
        return [name for name in self.raters.split(",") if name.strip()]

    def settings(self, runs: Sequence[Path]) -> RatingSettings:
        """What is rated in which runs, and how; raises `SpecError` for what does not go together."""
        from neraca.web.rating_settings import RatingSettings

        paths = tuple(str(path.resolve()) for path in options.only_run_folders(list(runs)))
        names = ("kind", "top", "seed", "repeat", "show", "best", "by", "aspect", "most")
        return RatingSettings(runs=paths, **{name: getattr(self, name) for name in names})


def serve(runs: Sequence[Path], chosen: Chosen, page: PageWriter) -> None:
    """Serve runs to raters until Ctrl-C, then write their verdicts to the runs; `page` writes the pages."""
    needs_web()
    from neraca.web.rating_session import open_session
    from neraca.web.ratings_database import RatingsDatabase

    if chosen.gold and chosen.kind == "pair":
        raise SpecError("gold: says how far raters agree on answers or verdicts; leave it out for --kind pair")
    place, gold = chosen.place, _gold(chosen.gold)
    with RatingsDatabase(chosen.db) as database:
        serve_session(open_session(database, chosen.settings(runs), chosen.names), place, page, gold)


def serve_session(
    session: RatingSession,
    place: Place,
    page: PageWriter,
    gold: Sequence[Rating] = (),
    beside: Beside | None = None,
) -> None:
    """Serve a session until Ctrl-C, and what is to be there beside it; then write what was said to the runs."""
    from neraca.web.serve import serve_ratings

    serve_ratings(session, page, place, lambda links: _tell(links, session), beside)
    try:
        _export(session, gold)
    except NeracaError as error:
        again = f"all ratings are kept; take them out with: neraca rate export --db {session.database.shown}"
        raise RunError(f"{error}.  {again}") from error


def export(runs: Sequence[Path], db: str, to: Path | None = None, gold: Path | None = None) -> None:
    """Write what was rated to the runs as verdicts, or with `to` as a file of ratings for each rater into a folder."""
    needs_web()
    from neraca.web.rating_session import stored_sessions
    from neraca.web.ratings_database import RatingsDatabase

    known = _gold(gold)
    with RatingsDatabase(db, make=False) as database:
        for session in stored_sessions(database, [str(path.resolve()) for path in runs]):
            if to is None:
                _export(session, known)
                continue
            for file in session.write_files(to):
                print(f"ratings: {file}")


def needs_web() -> None:
    """Raise `MissingExtra` where the extra `web` is not installed."""
    if missing := lacking("web"):
        raise MissingExtra(f'rating together needs {", ".join(missing)}: pip install "neraca[web]"')


def _gold(file: Path | None) -> list[Rating]:
    from neraca.people.ratings_file import read_ratings

    return read_ratings(file).ratings if file else []


def to_do(work: Assignment, best: int = 0) -> str:
    """What there is to rate, in words."""
    if work.kind == "own":
        return "each person asks and rates"
    from neraca.reports.counts_and_lists import count

    n, runs = len(work.tasks), count(len(work.runs), "run")
    if work.kind == "pair":
        fewer = f"; asked are those that tell the best {best} of each question" if best else ""
        return f"{count(n, 'pair')} of different answers of {runs} to compare{fewer}"
    if work.kind == "review":
        return f"{count(n, 'verdict')} of {runs} to confirm or overrule"
    return f"{count(n, 'different answer')} of {runs} to rate"


def tell_names(work: Assignment) -> None:
    """Say where systems named themselves."""
    for name in work.named:
        speak(f"the name {name!r} occurs in what a system itself wrote: there raters can tell which system it is")


def _tell(links: Links, session: RatingSession) -> None:
    print(f"{to_do(session.assignment, session.settings.best)}; ratings are kept in {session.database.shown}")
    show.table("", ["rater", "link"], [[name, link] for name, link in links.of.items()], names=2, wide=True)
    show.say("Each rater opens one of these links, and keeps it: it lets in whoever has it.  Ctrl-C ends and writes "
             "the verdicts to the runs.")  # fmt: skip
    if list(session.tokens) == [NOBODY]:
        speak(f"nobody was named: verdicts will stand as by human:{NOBODY}; name people by --raters ana,budi")
    tell_names(session.assignment)
    sys.stdout.flush()  # whoever reads it may be a program that waits for the links
    if links.open_to_others:
        how = "" if links.encrypted else ", and read along, since http:// is not encrypted"
        speak(f"WARNING: other machines can reach this server; whoever has a link can rate in its rater's name{how}")


def _export(session: RatingSession, gold: Sequence[Rating]) -> None:
    from neraca.reports.counts_and_lists import count, form

    done = session.export(gold)
    rows = [_row(one, len(session.assignment.tasks_of(one.rater))) for one in done.quality]
    show.table("", ["rater", "rated", "said twice alike", "as in gold"], rows)
    for run, written in zip(done.assignment.runs, done.written, strict=True):
        print(f"{run.path}: {count(written, 'verdict')} added")
    if done.left_out:
        are = form(done.left_out, "is of an answer that these runs no longer have, and is left out",
                   "are of answers that these runs no longer have, and are left out")  # fmt: skip
        speak(f"{count(done.left_out, 'rating')} {are}")


def _row(quality: RaterQuality, tasks: int) -> list[str]:
    return [quality.rater, f"{quality.rated} of {tasks}", _share(quality.repeated), _share(quality.gold)]


def _share(estimate: Estimate) -> str:
    if not estimate.n:
        return "-"
    equal = round(estimate.value * estimate.n)
    return with_interval(f"{equal} of {estimate.n}", show.span(estimate.low, estimate.high))
