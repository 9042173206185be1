"""`neraca rate`: what people say of answers and hits, on a page, in a table, and back into the runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options, rate_serve, show, speak
from neraca.errors import InputError, SpecError

if TYPE_CHECKING:
    from neraca.people.assignment import Task
    from neraca.people.rating import Rating
    from neraca.people.rating_task import RatingTask, RatingTasks
    from neraca.scores.scores import Score
    from neraca.web.rating_app import PageOf, PageWriter

Words = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN... | import FILE... | score FILE | export",
        help="The runs to rate; or files to take in; or a rater's table to score by itself; or a database to take out.",
        show_default=False,
    ),
]
Page = Annotated[Path | None, typer.Option(help="Write the page on which people rate: one HTML file.")]
Template = Annotated[Path | None, typer.Option(help="Write a table to fill in: .csv or .xlsx.")]
Guideline = Annotated[str, typer.Option(help="How to rate: a text, or the name of a file that has it.")]
Grades = Annotated[int, typer.Option(help="Of a hit: 2 (relevant or not) or 4 (0 to 3).")]
Rater = Annotated[str, typer.Option(help="The rater's name; in import default the file's own.")]
Into = Annotated[
    list[Path], typer.Option("--run", metavar="RUN", help="import: the runs that were rated; default: found.")
]
#: Folders that hold no runs.
_PASSED = frozenset({"node_modules", "__pycache__", "site-packages"})
TOP = 3


def command(
    words: Words,
    page: Page = None,
    template: Template = None,
    guideline: Guideline = "",
    grades: Grades = 2,
    rater: Rater = "",
    language: Annotated[str, typer.Option(help="Of the page: en, id, es or ar.")] = "en",
    seed: options.Seed = 0,
    run: Into = [],
    raters: rate_serve.Raters = "",
    db: rate_serve.Db = rate_serve.DATABASE,
    repeat: rate_serve.Repeat = 0.0,
    gold: rate_serve.Gold = None,
    port: rate_serve.Port = rate_serve.PORT,
    host: rate_serve.Host = rate_serve.HOST,
    url: rate_serve.Url = "",
    to: rate_serve.To = None,
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Let people rate answers and hits, blind to the systems, and take their ratings into the runs."""
    verb, rest = str(words[0]), words[1:]
    if verb == "import":
        _import(rest, run, rater)
    elif verb == "score":
        _score(rest, wide, json)
    elif page or template:
        tasks = _tasks(words)
        if page:
            _write_page(page, tasks, guideline, grades, rater, language, seed)
        if template:
            _write_template(template, tasks.in_order(seed))
    elif verb == "export":
        rate_serve.export(run, db, to, gold)
    else:
        made = _page_writer(guideline, grades, language)
        rate_serve.serve(words, rate_serve.Chosen(raters, db, seed, repeat, grades - 1, gold, port, host, url), made)


def _tasks(paths: Sequence[Path]) -> RatingTasks:
    from neraca.people.rating_task import RatingTasks
    from neraca.runs.run import Run, run_folders

    folders, others = run_folders(paths)
    if others:
        speak(f"passed over, no run folders: {', '.join(map(str, others))}")
    return RatingTasks.of([Run(folder) for folder in folders])


def _write_page(
    to: Path, tasks: RatingTasks, guideline: str, grades: int, rater: str, language: str, seed: int
) -> None:
    from neraca.files import write_atomic
    from neraca.reports.rating_html import RatingPage, rating_page

    for name in tasks.named:
        speak(f"the name {name!r} occurs in what a system itself wrote: there raters can tell which system it is")
    how: dict[str, Any] = {"language": language, "guideline": _words(guideline), "grades": grades}
    write_atomic(to, rating_page(tasks.in_order(seed), RatingPage(set=tasks.set, rater=rater, **how)).encode())
    print(f"{to}: {len(tasks.tasks):,} answers to rate; take what raters save in with: neraca rate import FILE")


def _page_writer(guideline: str, grades: int, language: str) -> PageWriter:
    """What writes the page of each rater on the server."""
    from neraca.reports.rating_html import RatingPage, rating_page

    how: dict[str, Any] = {"language": language, "guideline": _words(guideline), "grades": grades}
    RatingPage(set="", **how)  # what is wrong is told before the server is open

    def write(tasks: Sequence[Task], ratings: Sequence[Rating], whose: PageOf) -> str:
        return rating_page(tasks, RatingPage(set=whose.set, rater=whose.rater, sync=whose.url, **how), ratings)

    return write


def _words(guideline: str) -> str:
    """The guideline, from its file where it is the name of one."""
    if not (guideline and len(guideline) < 300 and Path(guideline).is_file()):
        return guideline
    from neraca.datasets.text_encoding import read_text

    return read_text(Path(guideline))


def _write_template(to: Path, tasks: Sequence[RatingTask]) -> None:
    from neraca.datasets.row_batch import RowBatch
    from neraca.datasets.table_writer import table_writer
    from neraca.people.rating_table import COLUMNS

    rows = [
        dict.fromkeys(COLUMNS)
        | {"query_id": task.number, "question": task.query, "category": task.tags.get("category")}
        | {"results_count": len(task.hits), "answer": task.id, "ratings": ";" * (len(task.hits) - 1) or None}
        for task in tasks
    ]
    batch = RowBatch(COLUMNS, rows)
    with table_writer(to, batch) as writer:
        writer.write(batch)
    print(f"{to}: {len(rows):,} answers; fill in ratings (such as 1;0;1), response_quality and notes")


def _import(files: Sequence[Path], runs: Sequence[Path], rater: str) -> None:
    from neraca.people.import_ratings import add_ratings, read_ratings

    if not files:
        raise SpecError("name the files to take in: neraca rate import FILE...")
    tasks = _tasks(runs or list(_runs_below(Path())))
    failed = False
    for file in files:
        found, ratings = read_ratings(file, tasks, rater, top=TOP)
        for problem in found.problems:
            speak(problem)
        found.new = add_ratings(ratings, tasks, found.rater, top=TOP)
        failed |= not ratings
        what = f"{found.rated:,} answers rated by {found.rater}, {found.new:,} new verdicts"
        print(f"{file}: {what}{f', {len(found.problems):,} problems (see above)' if found.problems else ''}")
    if failed:
        raise InputError("a file has no rating of these runs; name the runs that were rated with --run")


def _runs_below(folder: Path) -> Iterator[Path]:
    """Run folders below a folder, not in hidden ones."""
    for where, folders, files in os.walk(folder):
        if "manifest.json" in files and "answers.jsonl" in files:
            yield Path(where)
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _PASSED)


def _score(files: Sequence[Path], wide: bool, json: bool) -> None:
    from neraca.people.rating_table import read_rating_table, table_rows
    from neraca.scores.values import values

    if len(files) != 1:
        raise SpecError("name one table: neraca rate score FILE.csv")
    lines = read_rating_table(files[0])
    for line in lines:
        for problem in line.problems:
            speak(f"{files[0]} {line.place}: {problem}")
    tags = {"category": [line.texts.get("category", "") for line in lines]}
    scores = values(table_rows(lines), tags=tags if any(tags["category"]) else None)
    overall = list(map(_inside, scores.overall()))
    groups = list(map(_inside, scores.by_group("category"))) if any(tags["category"]) else []
    rows = [*overall, *groups]
    if json:
        names = ("group", "value", "low", "high", "n", "unscored")
        show.jsonl([{"measure": row.run} | {name: getattr(row, name) for name in names} for row in rows])
        return
    columns = ["measure", "value", "interval", "n", "without"]
    cells = [[s.run, show.number(s.value), show.bounds(s.low, s.high), f"{s.n:,}", f"{s.unscored:,}"] for s in overall]
    show.table(f"{files[0].name}: {len(lines):,} answers", columns, cells, wide=wide)
    if groups:
        by_group: dict[str, list[str]] = {}
        for row in groups:
            by_group.setdefault(row.group.removeprefix("category="), []).append(show.number(row.value))
        measures = [row.run for row in overall]
        show.table(
            "by category", ["category", *measures], [[name, *each] for name, each in by_group.items()], wide=wide
        )
    show.say("Precision and mrr are means over answers with results, success and coverage over all.")


def _inside(score: Score) -> Score:
    """The score with its interval inside the scale of its measure."""
    top = 5.0 if score.run == "response_quality" else 1.0
    return replace(score, low=max(score.low, 0.0), high=min(score.high, top))
