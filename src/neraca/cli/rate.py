"""`neraca rate`: what people say of answers and hits, on a page, in a table, and back into the runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options, rate_import, rate_serve, rate_study, show, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.people.assignment import Task
    from neraca.people.rating import Rating
    from neraca.scores.scores import Scores
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
Of = Annotated[
    str,
    typer.Option(help="score: precision at 5 is divided by 5 (k), or by the results where these are fewer (returned)."),
]


def command(
    words: Words = [],
    study: rate_study.StudyFile = None,
    target: rate_study.TargetName = "",
    page: Page = None,
    template: Template = None,
    guideline: Guideline = "",
    grades: Grades = 2,
    rater: Rater = "",
    language: Annotated[str, typer.Option(help="Of the page: en, id, es or ar.")] = "en",
    seed: options.Seed = 0,
    run: rate_import.Into = [],
    also: rate_import.Also = [],
    kind: rate_serve.Kind = "answer",
    show: rate_serve.Show = "auto",
    best: rate_serve.Best = 0,
    by: rate_serve.By = "",
    aspect: rate_serve.Aspect = "",
    most: rate_serve.Most = 0,
    raters: rate_serve.Raters = "",
    db: rate_serve.Db = rate_serve.DATABASE,
    repeat: rate_serve.Repeat = 0.0,
    gold: rate_serve.Gold = None,
    port: rate_serve.Port = rate_serve.PORT,
    host: rate_serve.Host = rate_serve.HOST,
    url: rate_serve.Url = "",
    to: rate_serve.To = None,
    of: Of = "k",
    unit: options.Unit = "auto",
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Let people rate answers and hits, blind to the systems, and take their ratings into the runs."""
    if not words and not study:
        raise SpecError("name the runs to rate: neraca rate RUN...; or a study whose users ask: --study study.toml")
    verb, rest = str(words[0]) if words else "", words[1:]
    if study:
        chosen = rate_serve.Chosen(raters, db, port=port, host=host, url=url)
        rate_study.serve(study, target, chosen, language, page_writer)
    elif verb == "import":
        rate_import.import_files(rest, run, also, rater)
    elif verb == "score":
        _score(rest, of, unit, wide, json)
    elif verb == "export":
        rate_serve.export(run, db, to, gold)
    else:
        of_kind: dict[str, Any] = {"kind": kind, "show": show, "best": best, "by": by, "aspect": aspect, "most": most}
        chosen = rate_serve.Chosen(raters, db, seed, repeat, grades - 1, gold, port, host, url, **of_kind)
        how: dict[str, Any] = {"language": language, "guideline": _words(guideline), "grades": grades}
        if page:
            _write_page(page, words, chosen, rater, how)
        if template:
            _write_template(template, words, chosen)
        if not (page or template):
            rate_serve.serve(words, chosen, page_writer(how))


def _write_page(to: Path, runs: Sequence[Path], chosen: rate_serve.Chosen, rater: str, how: dict[str, Any]) -> None:
    from neraca.files import write_atomic
    from neraca.reports.formats.rating_html import RatingPage, rating_page
    from neraca.web.rating_settings import assign

    if chosen.best:
        raise SpecError(
            "best: a page cannot ask what comes next; leave it out for all pairs, or serve raters (--raters)"
        )
    work = assign(chosen.settings(runs))
    rate_serve.tell_names(work)
    made = RatingPage(set=work.set, runs=work.run_keys, rater=rater, **how)
    write_atomic(to, rating_page(work.in_order(rater, chosen.seed), made).encode())
    print(f"{to}: {rate_serve.to_do(work)}; take what raters save in with: neraca rate import FILE")


def page_writer(how: dict[str, Any]) -> PageWriter:
    """What writes the page of each rater on the server."""
    from neraca.reports.formats.rating_html import RatingPage, rating_page

    RatingPage(set="", **how)  # what is wrong is told before the server is open

    def write(tasks: Sequence[Task], ratings: Sequence[Rating], whose: PageOf) -> str:
        asking: dict[str, Any] = {"ask": whose.ask, "questions": whose.questions}
        made = RatingPage(set=whose.set, runs=whose.runs, rater=whose.rater, sync=whose.url, **asking, **how)
        return rating_page(tasks, made, ratings)

    return write


def _words(guideline: str) -> str:
    """The guideline, from its file where it is the name of one."""
    if not (guideline and len(guideline) < 300 and Path(guideline).is_file()):
        return guideline
    from neraca.datasets.text_encoding import read_text

    return read_text(Path(guideline))


def _write_template(to: Path, runs: Sequence[Path], chosen: rate_serve.Chosen) -> None:
    from neraca.datasets.row_batch import RowBatch
    from neraca.datasets.table_writer import table_writer
    from neraca.files import write_atomic
    from neraca.people.rating_table import COLUMNS
    from neraca.reports.counts_and_lists import count
    from neraca.reports.formats.full_answers import blind_text, labels
    from neraca.web.rating_settings import assign

    if chosen.kind != "answer":
        raise SpecError(f"template: a table is of answers; take --page for --kind {chosen.kind}")
    work = assign(chosen.settings(runs))
    tasks: Sequence[Any] = work.in_order(seed=chosen.seed)
    rate_serve.tell_names(work)
    columns = ("label", *COLUMNS)
    rows = [
        dict.fromkeys(columns)
        | {"label": label, "query_id": task.number, "question": task.query, "category": task.tags.get("category")}
        | {"results_count": len(task.hits), "answer": task.id, "ratings": ";" * (len(task.hits) - 1) or None}
        | {"session": task.session or None, "runs": " ".join(work.run_keys)}
        for label, task in zip(labels(tasks), tasks, strict=True)
    ]
    batch = RowBatch(columns, rows)
    with table_writer(to, batch) as writer:
        writer.write(batch)
    answers = to.with_name(f"{to.stem}-answers.txt")
    write_atomic(answers, blind_text(tasks).encode())
    print(f"{to}: {count(len(rows), 'answer')}; fill in ratings (such as 1;0;1), response_quality and notes")
    print(f"{answers}: the answers in full, under the same labels and in the same order")


def _score(files: Sequence[Path], of: str, unit: str, wide: bool, json: bool) -> None:
    from neraca.people.rating_table import DIVISORS, LARGEST, has_column, read_rating_table, table_rows
    from neraca.reports.counts_and_lists import count
    from neraca.scores.sources.values import values

    if len(files) != 1:
        raise SpecError("name one table: neraca rate score FILE.csv")
    if of not in DIVISORS:
        raise SpecError(f"of: precision at 5 is divided by k or by what was returned (--of returned), not {of!r}")
    lines = read_rating_table(files[0], of)
    for line in lines:
        for problem in line.problems:
            speak(f"{files[0]} {line.place}: {problem}")
    tags = {"category": [line.texts.get("category", "") for line in lines]}
    sessions = [line.texts.get("session", "") for line in lines]
    known = tags if any(tags["category"]) else None
    columns_of_range: dict[float, dict[str, list[float]]] = {}
    for name, column in table_rows(lines).items():
        columns_of_range.setdefault(LARGEST[name], {})[name] = column
    parts = [
        values(columns, f"Value(low=0,high={most:g})", sessions=sessions, unit=unit, tags=known)
        for most, columns in columns_of_range.items()
    ]
    overall = [score for part in parts for score in part.overall()]
    groups = [score for part in parts for score in part.by_group("category")] if known else []
    order = list(dict.fromkeys(score.group for score in groups))
    groups.sort(key=lambda score: order.index(score.group))
    rows = [*overall, *groups]
    if json:
        names = ("group", "value", "low", "high", "n", "unscored", "why")
        show.jsonl([{"measure": row.run} | {name: getattr(row, name) for name in names} for row in rows])
        return
    columns = ["measure", "value", "interval", "n", "without"]
    cells = [[s.run, show.number(s.value), s.interval, f"{s.n:,}", f"{s.unscored:,}"] for s in overall]
    show.table(f"{files[0].name}: {count(len(lines), 'answer')}", columns, cells, wide=wide)
    if groups:
        by_group: dict[str, list[str]] = {}
        for row in groups:
            by_group.setdefault(row.group.removeprefix("category="), []).append(show.number(row.value))
        measures = [row.run for row in overall]
        show.table(
            "by category", ["category", *measures], [[name, *each] for name, each in by_group.items()], wide=wide
        )
    show.say(
        "Precision and mrr are means over answers with results, coverage over all.  Success and quality are means over "
        "the answers of which the table says them; n counts these, and without the others."
    )
    show.say(f"Precision at 5 is divided by {DIVISORS[of]}.")
    show.say(_observations(parts[0], any(sessions), has_column(files[0], "session")))


def _observations(scores: Scores, named: bool, column: bool) -> str:
    """What counts as one source of chance in the intervals.

    `named`: the table names sessions; `column`: it has a column for them.
    """
    from neraca.reports.sentences.unit import observation

    if named:
        return f"One observation in the intervals: {observation(scores.unit)}."
    why = "the column session of the table is empty" if column else "the table has no column session"
    return (
        f"The intervals take each answer for one by itself, because {why}.  If answers are of "
        "one conversation, fill in that column: they are one source of chance."
    )
