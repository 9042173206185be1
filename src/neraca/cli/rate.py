"""`neraca rate`: let people rate answers and hits on a page or in a table, and import their ratings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options, rate_import, rate_serve, rate_study, show, speak
from neraca.errors import SpecError
from neraca.number_format import integer
from neraca.translation import say

if TYPE_CHECKING:
    from neraca.people.assignment import Task
    from neraca.people.rating import Rating
    from neraca.people.rating_table import RatedLine
    from neraca.scores.score_list import Score
    from neraca.scores.unit import Unit
    from neraca.web.rating_app import PageOf, PageWriter

#: Most characters of an answer in a table to fill in: a cell of a workbook holds 32,767.
LONGEST_CELL = 32_000

Words = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN... | import FILE... | score FILE | export",
        help="Runs to rate; import, with files of ratings to add to their runs; score, with a rater's table to "
        "evaluate; or export, to write the ratings of a database to the runs.",
        show_default=False,
    ),
]
Page = Annotated[Path | None, typer.Option(help="Write the page for rating: one HTML file.")]
Template = Annotated[Path | None, typer.Option(help="Write a table to fill in: .csv or .xlsx.")]
Guideline = Annotated[str, typer.Option(help="Instructions for raters: a text, or the name of a file.")]
Language = Annotated[
    str,
    typer.Option(
        help="Language of the page: en, id, es or ar; default: that of --report-language.", show_default=False
    ),
]
Grades = Annotated[
    str,
    typer.Option(
        help="Grades of a hit: their number, such as 2 (relevant or not) or 4 (0 to 3), or with words: "
        '"0=no;1=partly;2=yes".'
    ),
]
Scale = Annotated[
    str,
    typer.Option(
        help="Scale of the quality of an answer, within 0 to 10: 1-7, or with words: "
        '"1=wrong;2=partly right;3=right", "0-10;0=poor;10=good". Default: 0 to 5 with the words of the page.'
    ),
]
Rater = Annotated[str, typer.Option(help="Name of the rater; with import the default is the name in the file.")]
Of = Annotated[
    str,
    typer.Option(help="With score: divisor of precision at 5: 5 (k), or the number of results if lower (returned)."),
]


def command(
    words: Words = [],
    *,
    study: rate_study.StudyFile = None,
    target: rate_study.TargetName = "",
    page: Page = None,
    template: Template = None,
    guideline: Guideline = "",
    grades: Grades = "2",
    scale: Scale = "",
    rater: Rater = "",
    language: Language = "",
    seed: options.Seed = 0,
    run: rate_import.Into = [],
    also: rate_import.Also = [],
    tasks: rate_serve.Tasks,
    collection: rate_serve.Collection,
    server: rate_serve.Server,
    to: rate_serve.To = None,
    of: Of = "k",
    unit: options.Unit = "auto",
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Let people rate answers and hits, and import their ratings.

    Raters do not see which system gave an answer.
    """
    from neraca.people.quality_scale import grades_text, parse_grades
    from neraca.translation import written_in

    if not words and not study:
        raise SpecError(
            say("name the runs to rate: neraca rate RUN...; or a study whose users ask: --study study.toml")
        )
    verb, files = str(words[0]) if words else "", words[1:]
    groups = tasks._asdict() | collection._asdict() | server._asdict()
    top, grade_words = parse_grades(grades)[-1][0], grades_text(grades)
    rating = rate_serve.RatingOptions(**groups, seed=seed, top=top, scale=scale, grades=grade_words)
    if verb == "import" and not study:
        rate_import.import_files(files, run, also, rater, report_language)
        return
    below = rate_import.language_below(Path()) if verb == "score" and not (study or report_language) else ""
    report_language = report_language or below or "en"
    with written_in(report_language):
        if study:
            rate_study.serve(study, target, rating, language or report_language, page_writer)
        elif verb == "score":
            if _score(files, of, unit, output):
                raise typer.Exit(rate_import.IN_PART)
        elif verb == "export":
            rate_serve.export(run, collection.db, to, collection.gold)
        else:
            page_settings: dict[str, Any] = {
                "language": language or report_language,
                "guideline": _read_guideline(guideline),
                "grades": grades,
                "scale": scale,
            }
            _offer(words, rating.for_questions(words), page, template, rater, page_settings)


def _offer(
    runs: Sequence[Path],
    rating: rate_serve.RatingOptions,
    page: Path | None,
    template: Path | None,
    rater: str,
    page_settings: dict[str, Any],
) -> None:
    """Write the page and the table to fill in, or if neither is named serve runs to raters."""
    if page:
        _write_page(page, runs, rating, rater, page_settings)
    if template:
        _write_template(template, runs, rating, page_settings["language"])
    if not (page or template):
        rate_serve.serve(runs, rating, page_writer(page_settings))


def _write_page(
    to: Path, runs: Sequence[Path], rating: rate_serve.RatingOptions, rater: str, page_settings: dict[str, Any]
) -> None:
    """Write the page on which one person rates, and print the number of tasks."""
    from neraca.files import write_atomic
    from neraca.people.quality_scale import check_grades, check_scale
    from neraca.reports.formats.rating_html import RatingPage, rating_page
    from neraca.web.rating_settings import assign

    if rating.best:
        raise SpecError(
            say("--best: a page cannot ask what comes next; leave it out for all pairs, or serve raters (--raters)")
        )
    settings = rating.settings(runs)
    assignment = assign(settings)
    if settings.kind == "answer":
        check_scale(assignment.runs, settings.scale)
        check_grades(assignment.runs, page_settings["grades"])
    rate_serve.speak_notes(assignment)
    page = RatingPage(set=assignment.set_on_scale, runs=assignment.run_keys, rater=rater, **page_settings)
    write_atomic(to, rating_page(assignment.in_order(rater, rating.seed), page).encode())
    tasks = rate_serve.to_do(assignment)
    show.print_sentences(
        say("{file}: {tasks}; import the files that raters save with: neraca rate import FILE", file=to, tasks=tasks)
    )


def page_writer(page_settings: dict[str, Any]) -> PageWriter:
    """Return a function that writes the page of each rater on the server."""
    from neraca.reports.formats.rating_html import RatingPage, rating_page

    RatingPage(set="", **page_settings)  # raises errors before the server opens

    def write(tasks: Sequence[Task], ratings: Sequence[Rating], whose: PageOf) -> str:
        asking: dict[str, Any] = {"ask": whose.ask, "questions": whose.questions}
        settings = asking | page_settings
        page = RatingPage(set=whose.set, runs=whose.runs, rater=whose.rater, sync=whose.url, **settings)
        return rating_page(tasks, page, ratings)

    return write


def _read_guideline(guideline: str) -> str:
    """Return the guideline, read from its file if it is the name of a file."""
    if not (guideline and len(guideline) < 300 and Path(guideline).is_file()):
        return guideline
    from neraca.datasets.text_encoding import read_text

    return read_text(Path(guideline))


def _write_template(to: Path, runs: Sequence[Path], rating: rate_serve.RatingOptions, language: str) -> None:
    """Write a table to fill in, and beside it what each quality means and the answers in full."""
    from neraca.counts_and_lists import count
    from neraca.datasets.table_writer import write_table
    from neraca.files import write_atomic
    from neraca.people.quality_scale import check_grades, check_scale, scale_text
    from neraca.people.rating_table import COLUMNS
    from neraca.reports.formats.data_export import write_rows
    from neraca.reports.formats.full_answers import blind_text, labels
    from neraca.reports.formats.rating_html import quality_words
    from neraca.web.rating_settings import assign

    if rating.kind != "answer":
        raise SpecError(say("--template: a table is for answers; use --page for --kind {kind}", kind=rating.kind))
    settings = rating.settings(runs)
    assignment = assign(settings)
    tasks: Sequence[Any] = assignment.in_order(seed=rating.seed)
    check_scale(assignment.runs, settings.scale)
    check_grades(assignment.runs, settings.grades or settings.top + 1)
    rate_serve.speak_notes(assignment)
    own = {"scale": scale_text(settings.scale), "grades": settings.grades}
    own = {name: text for name, text in own.items() if text}
    last = ("answer", "session", "rater", "runs", "rated_at", "top_grade", *own)
    columns = (
        "label",
        "query_id",
        "question",
        "answer_text",
        *(name for name in COLUMNS[2:] if name not in (*last, "grades", "scale")),
        *last,
    )
    rows = [
        dict.fromkeys(columns)
        | {"label": label, "query_id": task.query_id, "question": task.query, "category": task.tags.get("category")}
        | {"answer_text": task.text[:LONGEST_CELL], "results_count": len(task.hits), "answer": task.id}
        | {"ratings": ";" * (len(task.hits) - 1) or None}
        | {"session": task.session or None, "runs": " ".join(assignment.run_keys)}
        | {"top_grade": settings.top}
        | own
        for label, task in zip(labels(tasks), tasks, strict=True)
    ]
    if to.suffix.lower() in (".csv", ".tsv"):
        write_rows(to, rows)  # a text that begins like a formula gets an apostrophe
    else:
        write_table(to, rows, columns)
    answers = to.with_name(f"{to.stem}-answers.txt")
    texts = (quality_words(tasks, language, settings.scale), blind_text(tasks))
    write_atomic(answers, "\n".join(filter(None, texts)).encode())
    show.print_sentences(
        say(
            "{file}: {answers}; fill in ratings (such as 1;0;1, a grade is 0 to {top}), response_quality and notes",
            file=to,
            answers=count(len(rows), "answer"),
            top=settings.top,
        )
    )
    template = "{file}: what each quality means, and the answers in full, by the same labels in the same order"
    show.print_sentences(say(template, file=answers))


def _score(files: Sequence[Path], divisor: str, unit: str, output: options.Output) -> bool:
    """Score the table of one rater, and print the measures; return whether a part of it could not be read."""
    from neraca.counts_and_lists import count
    from neraca.people.rating_table import DIVISORS, has_column
    from neraca.reports.blocks.table_words import cell_words
    from neraca.translation import say_all

    if len(files) != 1:
        raise SpecError(say("name one table: neraca rate score FILE.csv"))
    if divisor not in DIVISORS:
        raise SpecError(
            say(
                "--of is k or returned, the number by which precision at 5 is divided, not {divisor!r}", divisor=divisor
            )
        )
    (file,) = files
    lines, has_problems = _read_lines(file, divisor)
    overall, groups, observed_unit = _score_lines(lines, unit)
    if output.json:
        names = ("group", "value", "low", "high", "n", "unscored", "why")
        scores = [*overall, *groups]
        show.jsonl([{"measure": s.run} | {name: getattr(s, name) for name in names} for s in scores])
        return has_problems
    columns = say_all("measure", "value", "interval", "n", "without")
    cells = [[s.run, show.number(s.value), cell_words(s.interval), integer(s.n), integer(s.unscored)] for s in overall]
    show.table(f"{file.name}: {count(len(lines), 'answer')}", columns, cells, wide=output.wide)
    _print_groups(groups, [s.run for s in overall], output.wide)
    show.print_sentences(
        say(
            "Precision and mrr are means over answers with results, coverage over all. Success and quality are means "
            "over the answers that have them. The column n counts these answers, the column without the others."
        ),
        say("Precision at 5 is divided by {divisor}.", divisor=say(DIVISORS[divisor])),
        _observations(observed_unit, any(map(_session, lines)), has_column(file, "session")),
    )
    return has_problems


def _read_lines(file: Path, divisor: str) -> tuple[list[RatedLine], bool]:
    """Read and merge the lines of a rater's table, and print notes and problems; return whether there are problems."""
    from neraca.people.rating_table import one_message, read_rating_table, unread_columns
    from neraca.people.repeated_lines import merge_repeated

    every_line = read_rating_table(file, divisor)
    lines, notes, contradictions = merge_repeated(every_line)
    of_lines = [(line.place, [*line.problems, *line.contradictions()]) for line in every_line]
    problems = [f"{place}: {one_message(of_line)}" for place, of_line in of_lines if of_line] + contradictions
    for remark in unread_columns(file):
        speak(f"{file}: {remark}")
    for sentence in (*notes, *problems):
        speak(f"{file} {sentence}")
    return lines, bool(problems)


def _session(line: RatedLine) -> str:
    return line.texts.get("session", "")


def _score_lines(lines: Sequence[RatedLine], unit: str) -> tuple[list[Score], list[Score], Unit]:
    """Return the scores of each measure, those of each category in the order of the table, and the unit."""
    from neraca.people.rating_table import columns_by_measure, ends_of_measure
    from neraca.scores.sources.values import values

    categories = [line.texts.get("category", "") for line in lines]
    tags = {"category": categories} if any(categories) else None
    sessions = list(map(_session, lines))
    columns_of_range: dict[tuple[float, float], dict[str, list[float]]] = {}
    for name, column in columns_by_measure(lines).items():
        columns_of_range.setdefault(ends_of_measure(name, lines), {})[name] = column
    parts = [
        values(columns, f"Value(low={least:g},high={most:g})", sessions=sessions, unit=unit, tags=tags)
        for (least, most), columns in columns_of_range.items()
    ]
    groups = [score for part in parts for score in part.by_group("category")] if tags else []
    order = list(dict.fromkeys(score.group for score in groups))
    groups.sort(key=lambda score: order.index(score.group))
    return [score for part in parts for score in part.overall()], groups, parts[0].unit


def _print_groups(groups: Sequence[Score], measures: Sequence[str], wide: bool) -> None:
    """Print the measures of each category, if there are any."""
    by_group: dict[str, list[str]] = {}
    for row in groups:
        by_group.setdefault(row.group.removeprefix("category="), []).append(show.number(row.value))
    if by_group:
        rows = [[name, *values] for name, values in by_group.items()]

        show.table(say("by {tag}", tag=say("category")), [say("category"), *measures], rows, wide=wide)


def _observations(unit: Unit, has_sessions: bool, has_session_column: bool) -> str:
    """Return a sentence on what counts as one observation in the intervals.

    `has_sessions`: the table names sessions; `has_session_column`: it has a column for them.
    """
    from neraca.reports.sentences.unit import observation

    if has_sessions:
        return say("One observation in the intervals: {observation}.", observation=observation(unit))
    reason = say(
        "the column session of the table is empty" if has_session_column else "the table has no column session"
    )
    return say(
        "The intervals take each answer as one observation, because {reason}. If several answers belong to one "
        "conversation, fill in that column, because they are not independent.",
        reason=reason,
    )
