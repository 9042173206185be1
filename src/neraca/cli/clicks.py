"""`neraca clicks`: learn from clicks how far users look, and judge documents by clicks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from neraca.cli import event_options, options, show, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neraca.online.click_models.click_log import ClickLog
    from neraca.online.click_relevance import ClickRelevance, How, Matched
    from neraca.online.search_log import SearchLog
    from neraca.reports.online.click_models import UserFindings
    from neraca.runs.run import Run

Model = Annotated[
    list[str],
    typer.Option(
        "--model", help="Click model: PBM, CM, DCM, DBN, SDBN or CCM; repeatable; all: fit all and show the best."
    ),
]
Depth = Annotated[int, typer.Option(help="Lowest rank that is read.")]
HeldOut = Annotated[float, typer.Option(help="Share of the sessions that models are tested on.")]
Views = Annotated[
    Path | None,
    typer.Option(
        help="A table of views (impressions, an eye tracker): rank, seen (0 or 1) or seconds, and session if known.",
        show_default=False,
    ),
]
SeenFrom = Annotated[float, typer.Option(help="With --views: fewest seconds of a look that counts.")]
To = Annotated[
    list[Path],
    typer.Option(
        "--to",
        help='Write FILE.json with the users, for the metric "CWL(FILE.json)", or the report as FILE.html, .md, .tex '
        "…; repeatable.",
        show_default=False,
    ),
]


class Judging(NamedTuple):
    """Clicks as a judge of documents."""

    judge: Annotated[
        list[Path],
        typer.Option(
            "--judge", metavar="RUN", help="Write clicks as verdicts into this run folder.", show_default=False
        ),
    ] = []
    by_model: Annotated[
        str,
        typer.Option(help="Method of judging: coec (clicks over expected clicks) or pbm (attraction by PBM)."),
    ] = "coec"
    least: Annotated[
        int, typer.Option(help="Fewest impressions with which a document is judged by its clicks.", min=1)
    ] = 20
    relevant_from: Annotated[
        float,
        typer.Option(help="A document is relevant from this multiple of the clicks of an average one at its ranks."),
    ] = 1.0
    qrels: Annotated[
        Path | None, typer.Option("--qrels", help="Write clicks as a TREC file of judgements.", show_default=False)
    ] = None


def command(
    events: event_options.Events = None,
    *,
    model: Model = ["all"],
    depth: Depth = 10,
    held_out: HeldOut = 0.2,
    views: Views = None,
    seen_from: SeenFrom = 0.1,
    to: To = [],
    judging: Judging,
    log: event_options.Log,
    seed: options.Seed = 0,
    level: options.Level = 0.95,
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Learn from clicks how far users look; judge documents."""
    from neraca.online.view_probability import read_views
    from neraca.reports.online.click_models import UserFindings
    from neraca.translation import checked_report_language, written_in

    checked_report_language(report_language)
    _check(to, judging.by_model)
    if not events and views is None:
        raise SpecError("name a log of clicks, or a table of views with --views")
    if not events and (judging.judge or judging.qrels is not None):
        raise SpecError("--judge and --qrels need a log of clicks")
    runs = options.open_runs(judging.judge) if judging.judge else []
    view_probability = read_views(views, seen_from, level) if views is not None else None
    users = UserFindings(None, (), {}, view_probability, level)
    with written_in(report_language):
        if events:
            search_log = event_options.open_log(events, log)
            users = _fit(search_log, model, depth, held_out, seed, users)
        _print(users, runs, to, judging, output)


def _print(
    users: UserFindings, runs: Sequence[Run], to: Sequence[Path], judging: Judging, output: options.Output
) -> None:
    """Print the results, write the files of `--to`, and let clicks judge runs."""
    from neraca.reports.online import click_models as report
    from neraca.reports.online.click_rows import rows

    if not output.json:
        for table in report.tables(users):
            show.result(table, "", wide=output.wide)
        show.print_sentences(*report.sentences(users))
    files = _write(users, to)
    judged = [] if users.log is None else _judge(users.log, runs, judging)
    if output.json:
        show.jsonl([*rows(users), *(row for row, _ in judged)])
        return
    file_lines = [f"written: {file}" for file in files]
    show.print_sentences(*report.next_steps(users, files), *(sentence for _, sentence in judged), *file_lines)


def _check(to: Sequence[Path], by_model: str) -> None:
    """Raise `SpecError` for a file that cannot be written or an unknown model."""
    from neraca.reports.formats.write import check_format

    if by_model not in ("coec", "pbm"):
        raise SpecError(f"--by-model is coec or pbm, not {by_model!r}")
    for path in to:
        if path.suffix.lower() != ".json":
            check_format(path)


def _fit(
    source: SearchLog, models: list[str], depth: int, held_out: float, seed: int, users: UserFindings
) -> UserFindings:
    """Fit the models to a log, and print which of its events were left out."""
    from dataclasses import replace

    from neraca.online.click_models.click_models import click_models

    fitted = click_models(source, models, depth=depth, held_out=held_out, level=users.level, seed=seed)
    event_options.speak_log(source)
    return replace(users, log=fitted.log, fits=fitted.fits, refused=fitted.refused)


def _write(users: UserFindings, to: Sequence[Path]) -> list[str]:
    """Write the files of `--to`, and return their names."""
    from neraca.online.continuation import write_continuation
    from neraca.reports.formats.write import write_report
    from neraca.reports.online.click_models import clicks_document
    from neraca.translation import language

    for path in to:
        if path.suffix.lower() == ".json":
            write_continuation(path, users.continuation())
        else:
            write_report(path, clicks_document(users, language()))
    return [str(path) for path in to]


def _judge(log: ClickLog, runs: Sequence[Run], judging: Judging) -> list[tuple[dict[str, object], str]]:
    """Write clicks as verdicts into runs and as qrels into a file; return a row and a sentence for each."""
    if not runs and judging.qrels is None:
        return []
    from neraca.files import write_atomic
    from neraca.online.click_relevance import click_relevance, click_verdicts, qrels_lines
    from neraca.reports.online.click_models import verdicts_sentence

    how: How = "pbm" if judging.by_model == "pbm" else "coec"
    relevance = click_relevance(log, how, least=judging.least, relevant_from=judging.relevant_from)
    results: list[tuple[dict[str, object], str]] = []
    for run in runs:
        matched = click_verdicts(relevance, run.items)
        new = _add(run, relevance, matched)
        by = f"clicks:{relevance.how}"
        row = {"row": "judge", "run": str(run.path), "by": by, "verdicts": len(matched.verdicts), "new_verdicts": new}
        counts = {"questions": matched.items, "too_few": matched.too_few, "not_searched": matched.unknown}
        results.append(
            ({**row, **counts}, verdicts_sentence(str(run.path), relevance.how, matched, new, relevance.least))
        )
        returned = {(answer.item, f"hit:{hit.id}") for answer in run.answers().values() for hit in answer.hits}
        if not matched.items:
            speak(f"{run.path}: nobody in the log searched for one of its questions; these are compared by their words")
        elif not any((verdict.item, verdict.about) in returned for verdict in matched.verdicts):
            log_id = matched.verdicts[0].about.removeprefix("hit:")
            hit_id = min((about.removeprefix("hit:") for _, about in returned), default="none")
            speak(f"{run.path}: no hit has the id of a document of the log ({hit_id!r}, in the log {log_id!r})")
    if (file := judging.qrels) is not None:
        lines = qrels_lines(relevance)
        write_atomic(file, "".join(f"{line}\n" for line in lines).encode())
        results.append(({"row": "qrels", "file": str(file), "lines": len(lines)}, f"{file}: {len(lines):,} judgements"))
    return results


def _add(run: Run, relevance: ClickRelevance, matched: Matched) -> int:
    """Write verdicts into a run, and withdraw earlier ones that are not among them; return how many are new."""
    from neraca.judges.judge import withdrawn

    by = f"clicks:{relevance.how}"
    places = {(verdict.item, verdict.about) for verdict in matched.verdicts}
    with run.writing():
        obsolete = [withdrawn(old) for old in run.verdicts() if old.by == by and (old.item, old.about) not in places]
        return run.add_verdicts([*matched.verdicts, *obsolete])
