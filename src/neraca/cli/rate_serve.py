"""`neraca rate RUN…` and `neraca rate export`: let many people rate at once, and write their verdicts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from neraca.cli import options, show, speak
from neraca.cli.doctor import lacking
from neraca.cli.trec_options import Documents
from neraca.errors import MissingExtra, NeracaError, RunError, SpecError
from neraca.number_format import with_interval
from neraca.translation import say, say_all

if TYPE_CHECKING:
    from neraca.people.assignment import Assignment
    from neraca.people.rater_quality import RaterQuality
    from neraca.people.rating import Rating
    from neraca.runs.run import Run
    from neraca.stats.intervals.interval import Estimate
    from neraca.web.place import Place
    from neraca.web.rating_app import PageWriter
    from neraca.web.rating_session import RatingSession
    from neraca.web.rating_settings import RatingSettings
    from neraca.web.serve import Beside, Links

#: Defaults: the database of ratings, and the port and address of the server.
DATABASE, PORT, HOST = "sqlite:///ratings.sqlite", 8765, "127.0.0.1"
#: Name of the rater if nobody was named.
NOBODY = "rater"

Kind = Annotated[
    str,
    typer.Option(
        help="Task of the raters: answer (rate answers and hits), pair (choose the better of two answers) or review "
        "(confirm or overrule verdicts of rules and models)."
    ),
]
Raters = Annotated[str, typer.Option(help="Names of the raters: ana,budi; default: those of an earlier start.")]
Db = Annotated[str, typer.Option(help="Database of the ratings: sqlite:///FILE or postgresql://USER@HOST/NAME.")]
To = Annotated[Path | None, typer.Option(help="With export: write files of ratings into this folder, and no verdicts.")]


class Tasks(NamedTuple):
    """Choice of the tasks."""

    kind: Kind = "answer"
    show: Annotated[
        str,
        typer.Option(
            help="With pair: compare answers, or results as on a search page; auto: answers if there are any."
        ),
    ] = "auto"
    best: Annotated[
        int,
        typer.Option(help="With pair: ask only the pairs needed to find this number of best answers; 0: all pairs."),
    ] = 0
    by: Annotated[str, typer.Option(help="With review: only verdicts of this judge, such as rules or llm.")] = ""
    aspect: Annotated[
        str,
        typer.Option(help="With review: only verdicts on this aspect, such as supported, or several: 'valid polite'."),
    ] = ""
    most: Annotated[
        int,
        typer.Option(
            "--most", "-n", help="With review: number of verdicts to review, drawn at random by --seed; 0: all."
        ),
    ] = 0
    show_verdict: Annotated[
        bool,
        typer.Option(
            "--show-verdict", help="With review: show what the judge said; by default reviewers do not see it."
        ),
    ] = False
    sample: Annotated[
        Path | None,
        typer.Option(help="Only the questions that this plan drew (neraca agree --plan).", show_default=False),
    ] = None
    topics: Annotated[
        Path | None, typer.Option(help="With TREC runs: a data set with the questions.", show_default=False)
    ] = None
    documents: Documents = None
    depth: Annotated[int, typer.Option(help="With TREC runs: number of top documents shown.", min=1)] = 10


class Collection(NamedTuple):
    """The raters, and the database of their ratings."""

    raters: Raters = ""
    db: Db = DATABASE
    repeat: Annotated[
        float, typer.Option(help="Share of the answers that each rater sees twice, to measure consistency.")
    ] = 0.0
    gold: Annotated[
        Path | None, typer.Option(help="A file of correct ratings, to measure how far each rater agrees with them.")
    ] = None


class Server(NamedTuple):
    """Address of the server."""

    port: Annotated[int, typer.Option(help="Port of the server; 0: any free port.", min=0, max=65535)] = PORT
    host: Annotated[
        str, typer.Option(help="Address to listen on; any other than 127.0.0.1 lets other machines in.")
    ] = HOST
    url: Annotated[
        str, typer.Option(help="Address in browsers if not HOST:PORT, such as https://ratings.example.org")
    ] = ""


@dataclass(frozen=True)
class RatingOptions:
    """Options of `neraca rate RUN…`; the fields of `RatingSettings` have the same names here."""

    raters: str = ""
    db: str = DATABASE
    seed: int = 0
    repeat: float = 0.0
    top: int = 1
    scale: str = ""
    grades: str = ""
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
    show_verdict: bool = False
    sample: Path | None = None
    topics: Path | None = None
    documents: Path | None = None
    depth: int = 10

    @property
    def place(self) -> Place:
        """The place where the server listens."""
        from neraca.web.place import Place

        return Place(self.host, self.port, self.url)

    @property
    def names(self) -> list[str]:
        """The names of the raters."""
        return [name for name in self.raters.split(",") if name.strip()]

    def for_questions(self, folders: Sequence[Path]) -> RatingOptions:
        """Return the options for these folders: of generated questions, people review whether each is accepted.

        With --aspect they review another check.
        """
        from neraca.generation.drafts import ACCEPTED
        from neraca.generation.question_folder import is_question_folder

        if self.kind == "review" and not self.aspect and all(map(is_question_folder, folders)):
            return replace(self, aspect=ACCEPTED)
        return self

    def settings(self, runs: Sequence[Path]) -> RatingSettings:
        """Return what is rated in which runs and how; raise `SpecError` for options that do not go together."""
        from neraca.web.rating_settings import RatingSettings

        paths = tuple(str(path.resolve()) for path in options.only_run_folders(self._folders(runs)))
        names = [field.name for field in fields(self) if field.name in RatingSettings.__struct_fields__]
        return RatingSettings(
            runs=paths, order="random", items=self._drawn(), **{name: getattr(self, name) for name in names}
        )

    def _folders(self, runs: Sequence[Path]) -> list[Path]:
        """Return the run folders; those of TREC runs are made here, in the folder `rated`."""
        from neraca.scores.sources.run_names import with_name

        files = [path for path in runs if Path(with_name(path)[1]).is_file()]
        if not files:
            return list(runs)
        from neraca.scores.sources.trec_folders import folders_of_trec_runs

        if len(files) < len(runs) and self.topics is None:  # a report beside the run folders
            return options.only_run_folders(list(runs))
        if self.topics is None or self.documents is None:
            raise SpecError(
                say(
                    "{file} is a file; to rate TREC runs, name their questions and the texts of their documents: "
                    "--topics FILE --documents FILE",
                    file=files[0],
                )
            )
        made = folders_of_trec_runs(files, self.topics, self.documents, self.depth, notice=speak)
        speak(
            say(
                "ratings of the top {depth} of each question go to {runs}",
                depth=self.depth,
                runs=", ".join(str(run.path) for run in made),
            )
        )
        return [*(path for path in runs if path not in files), *(run.path for run in made)]

    def _drawn(self) -> tuple[str, ...]:
        """Return the questions that the plan drew; () without a plan."""
        if self.sample is None:
            return ()
        from neraca.datasets.sample_table import read_sample

        return tuple(item for item, draw in read_sample(self.sample).items() if draw.drawn)


def serve(runs: Sequence[Path], rating: RatingOptions, page: PageWriter) -> None:
    """Serve runs to raters until Ctrl-C, then write their verdicts to the runs; `page` writes the pages."""
    needs_web()
    from neraca.web.rating_session import open_session
    from neraca.web.ratings_database import RatingsDatabase

    if rating.gold and rating.kind == "pair":
        raise SpecError(say("--gold measures agreement on answers or verdicts; leave it out for --kind pair"))
    place, gold = rating.place, _gold(rating.gold)
    with RatingsDatabase(rating.db) as database:
        serve_session(open_session(database, rating.settings(runs), rating.names), place, page, gold)


def serve_session(
    session: RatingSession,
    place: Place,
    page: PageWriter,
    gold: Sequence[Rating] = (),
    beside: Beside | None = None,
) -> None:
    """Serve a session, and pages beside it, until Ctrl-C; then write the ratings to the runs as verdicts."""
    from neraca.web.serve import serve_ratings

    serve_ratings(session, page, place, lambda links: _print_links(links, session), beside)
    try:
        _export(session, gold)
    except NeracaError as error:
        again = say(
            "all ratings are kept; take them out with: neraca rate export --db {database}",
            database=session.database.shown,
        )
        raise RunError(f"{error}. {again}") from error


def export(runs: Sequence[Path], db: str, to: Path | None = None, gold: Path | None = None) -> None:
    """Write ratings to the runs as verdicts, or with `to` as one file for each rater into a folder."""
    needs_web()
    from neraca.web.rating_session import stored_sessions
    from neraca.web.ratings_database import RatingsDatabase

    gold_ratings = _gold(gold)
    with RatingsDatabase(db, make=False) as database:
        for session in stored_sessions(database, [str(path.resolve()) for path in runs]):
            if to is None:
                _export(session, gold_ratings)
                continue
            for file in session.write_files(to):
                print(say("ratings: {file}", file=file))


def needs_web() -> None:
    """Raise `MissingExtra` if the extra `web` is not installed."""
    if missing := lacking("web"):
        raise MissingExtra(say('rating together needs {names}: pip install "neraca[web]"', names=", ".join(missing)))


def _gold(file: Path | None) -> list[Rating]:
    from neraca.people.ratings_file import read_ratings

    return read_ratings(file).ratings if file else []


def to_do(work: Assignment, best: int = 0) -> str:
    """Return the number of tasks, in words."""
    from neraca.counts_and_lists import count

    if work.kind == "own":
        return say("each person asks and rates")
    n, runs = len(work.tasks), count(len(work.runs), "run")
    if work.kind == "pair":
        text = say("{pairs} of different answers of {runs} to compare", pairs=count(n, "pair"), runs=runs)
        fewer = say("; only those that are needed to find the best {n} of each question are asked", n=best)
        return f"{text}{fewer if best else ''}"
    if work.kind == "review":
        folders = ", ".join(str(run.path) for run in work.runs if run.parts_of_item)
        return say("{verdicts} of {runs} to confirm or overrule", verdicts=count(n, "verdict"), runs=folders or runs)
    return say("{answers} of {runs} to rate", answers=count(n, "different answer"), runs=runs)


def speak_notes(work: Assignment) -> None:
    """Print what is left out or known without asking, and warn of systems that name themselves in their answers."""
    for remark in work.notes:
        speak(remark)
    for name in work.named:
        speak(
            say("the name {name!r} occurs in answers of a system: there raters can tell which system it is", name=name)
        )


def _print_links(links: Links, session: RatingSession) -> None:
    """Print the number of tasks and the link of each rater, with warnings."""
    show.print_sentences(
        say(
            "{tasks}; ratings are kept in {database}",
            tasks=to_do(session.assignment, session.settings.best),
            database=session.database.shown,
        )
    )
    show.table("", say_all("rater", "link"), [[name, link] for name, link in links.of.items()], names=2, wide=True)
    show.print_sentences(
        say(
            "Each rater opens one of these links, and keeps it secret: anyone who has it can rate. Ctrl-C ends the "
            "server and writes the verdicts to the runs."
        )
    )
    if list(session.tokens) == [NOBODY]:
        speak(
            say(
                "no raters were named, so verdicts will be by human:{name}; name people with --raters ana,budi",
                name=NOBODY,
            )
        )
    speak_notes(session.assignment)
    sys.stdout.flush()  # a program may wait for the links
    if links.open_to_others:
        readable = say(", and http:// is not encrypted, so others can read along")
        speak(
            say("WARNING: other machines can reach this server; anyone with a link can rate as its rater")
            + ("" if links.encrypted else readable)
        )


def _export(session: RatingSession, gold: Sequence[Rating]) -> None:
    """Write the verdicts of a session to its runs, and print the quality of the raters."""
    from neraca.counts_and_lists import count

    exported = session.export(gold)
    rows = [_row(quality, len(session.assignment.tasks_of(quality.rater))) for quality in exported.quality]
    show.table("", say_all("rater", "rated", "same twice", "as in gold"), rows)
    for run, written in zip(exported.assignment.runs, exported.written, strict=True):
        print(say("{run}: {verdicts} added", run=run.path, verdicts=count(written, "verdict")))
    print_next_step(exported.assignment.runs)
    if n := exported.left_out:
        speak(
            say(
                "{ratings} no longer in these runs",
                ratings=count(n, "rating is left out: its answer is", "ratings are left out: their answers are"),
            )
        )


def path_from_here(run: Run) -> Path:
    """Return the path of a run from this folder if it is below, else its whole path."""
    return run.path.relative_to(Path.cwd()) if run.path.is_relative_to(Path.cwd()) else run.path


def print_next_step(runs: Sequence[Run]) -> None:
    """Print the command that makes reviewed questions a data set."""
    for run in runs:
        if run.parts_of_item:
            show.print_sentences(
                say(
                    "neraca generate {folder} --out … writes the questions that people accept, and a card",
                    folder=path_from_here(run),
                )
            )


def _row(quality: RaterQuality, tasks: int) -> list[str]:
    rated = say("{n} of {all}", n=quality.rated, all=tasks)
    return [quality.rater, rated, _share(quality.repeated), _share(quality.gold)]


def _share(estimate: Estimate) -> str:
    if not estimate.n:
        return "-"
    equal = round(estimate.value * estimate.n)
    return with_interval(say("{n} of {all}", n=equal, all=estimate.n), show.span(estimate.low, estimate.high))
