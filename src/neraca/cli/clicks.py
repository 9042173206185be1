"""`neraca clicks`: how far users look, and what their clicks say of documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import event_options, options, show, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neraca.online.click_models.click_log import ClickLog
    from neraca.online.click_relevance import ClickRelevance, Matched
    from neraca.reports.online.click_models import UsersFound
    from neraca.runs.run import Run

Model = Annotated[
    list[str],
    typer.Option("--model", help="PBM, CM, DCM, DBN, SDBN or CCM; several; or all, of which the best is shown."),
]
Depth = Annotated[int, typer.Option(help="Ranks below are left out.")]
HeldOut = Annotated[float, typer.Option(help="The share of sessions that models are tested on.")]
Seed = Annotated[int, typer.Option(help="Of the choice of these sessions.", min=0)]
Views = Annotated[
    Path | None,
    typer.Option(
        help="A table of what was seen, by impressions or an eye tracker: session, rank, and seen (0 or 1) or seconds.",
        show_default=False,
    ),
]
SeenFrom = Annotated[float, typer.Option(help="Of --views: seconds from which a look counts.")]
To = Annotated[
    list[Path],
    typer.Option(
        "--to",
        help='Write FILE.json, the users for the metric "CWL(FILE.json)"; FILE.html, .md, .tex …, the report; several.',
        show_default=False,
    ),
]
Judge = Annotated[
    list[Path],
    typer.Option(
        "--judge", metavar="RUN", help="Write what clicks say as verdicts into run folders.", show_default=False
    ),
]
ByModel = Annotated[
    str, typer.Option(help="How clicks judge: coec (clicks over expected clicks) or pbm (attraction by PBM).")
]
Least = Annotated[int, typer.Option(help="Impressions that a document needs to be judged by its clicks.", min=1)]
RelevantFrom = Annotated[
    float, typer.Option(help="Relevant is what gets so many times the clicks of an average document at its ranks.")
]
QrelsFile = Annotated[
    Path | None, typer.Option("--qrels", help="Write what clicks say as a TREC file of judgements.", show_default=False)
]


def command(
    ctx: typer.Context,
    events: event_options.Events = None,
    model: Model = ["all"],
    depth: Depth = 10,
    held_out: HeldOut = 0.2,
    views: Views = None,
    seen_from: SeenFrom = 0.1,
    to: To = [],
    judge: Judge = [],
    by_model: ByModel = "coec",
    least: Least = 20,
    relevant_from: RelevantFrom = 1.0,
    qrels: QrelsFile = None,
    column: event_options.Columns = [],
    query: event_options.Query = "",
    delimiter: event_options.Delimiter = "",
    since: event_options.Since = "",
    until: event_options.Until = "",
    test_users: event_options.TestUsers = [],
    most_searches: event_options.MostSearches = 500,
    first_rank: event_options.FirstRank = 1,
    seed: Seed = 0,
    level: options.Level = 0.95,
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """How far down users look and what makes them go on, from a log of clicks; and clicks as a judge of documents."""
    from neraca.online.view_probability import read_views
    from neraca.reports.online import click_models as words

    _check(to, by_model)
    if not events and views is None:
        raise SpecError("name a log of clicks, or a table of what was seen with --views")
    if not events and (judge or qrels is not None):
        raise SpecError("--judge and --qrels need a log of clicks")
    opened = options.open_runs(judge) if judge else []
    seen = read_views(views, seen_from, level) if views is not None else None
    found = words.UsersFound(None, (), {}, seen, level)
    if events:
        found = _fitted(_counted(ctx, events, model), model, found)
    if not json:
        for table in words.tables(found):
            show.result(table, "", wide=wide)
        show.say(*words.sentences(found))
    written = _write(found, to)
    made = [] if found.log is None else _judge(found.log, opened, qrels, ctx)
    if json:
        show.jsonl([*words.rows(found), *(row for row, _ in made)])
        return
    show.say(
        *words.next_steps(found, written), *(sentence for _, sentence in made), *(f"written: {w}" for w in written)
    )


def _check(to: Sequence[Path], by_model: str) -> None:
    from neraca.reports.formats.write import check_format

    if by_model not in ("coec", "pbm"):
        raise SpecError(f"--by-model is coec or pbm, not {by_model!r}")
    for path in to:
        if path.suffix.lower() != ".json":
            check_format(path)


def _counted(ctx: typer.Context, events: list[str], models: list[str]) -> ClickLog:
    """Read the log once, and say what of it was left out."""
    from neraca.online.click_models.click_log import ClickLogOptions, click_log
    from neraca.online.click_models.fits import read_names
    from neraca.online.click_models.model import CLICK_MODELS

    given = ctx.params
    patterns = any(CLICK_MODELS.get(name).needs_patterns for name in read_names(models))
    how = ClickLogOptions(given["depth"], given["held_out"], given["seed"], patterns)
    source = event_options.open_log(events, given)
    log = click_log(source, how)
    event_options.tell_exclusions(source)
    return log


def _fitted(log: ClickLog, models: list[str], found: UsersFound) -> UsersFound:
    """Fit the models; the best one gets intervals."""
    from dataclasses import replace

    from neraca.online.click_models.fits import fit_models, read_names, with_intervals

    fits, refused = fit_models(log, read_names(models))
    fits[0] = with_intervals(fits[0], log, level=found.level)
    return replace(found, log=log, fits=tuple(fits), refused=refused)


def _write(found: UsersFound, to: Sequence[Path]) -> list[str]:
    from neraca.online.continuation import write_continuation
    from neraca.reports.formats.write import write_report
    from neraca.reports.online.click_models import clicks_document

    for path in to:
        if path.suffix.lower() == ".json":
            write_continuation(path, found.continuation())
        else:
            write_report(path, clicks_document(found))
    return [str(path) for path in to]


def _judge(
    log: ClickLog, runs: Sequence[Run], qrels: Path | None, ctx: typer.Context
) -> list[tuple[dict[str, object], str]]:
    """Write what clicks say into runs and a file; return for each a row and a sentence."""
    if not runs and qrels is None:
        return []
    from neraca.files import write_atomic
    from neraca.online.click_relevance import click_relevance, click_verdicts, qrels_lines
    from neraca.reports.online.click_models import judged

    given = ctx.params
    relevance = click_relevance(log, given["by_model"], least=given["least"], relevant_from=given["relevant_from"])
    made: list[tuple[dict[str, object], str]] = []
    for run in runs:
        matched = click_verdicts(relevance, run.items)
        new = _add(run, relevance, matched)
        by = f"clicks:{relevance.how}"
        row = {"row": "judge", "run": str(run.path), "by": by, "verdicts": len(matched.verdicts), "new_verdicts": new}
        counts = {"questions": matched.items, "too_few": matched.too_few, "not_searched": matched.unknown}
        made.append(({**row, **counts}, judged(str(run.path), relevance.how, matched, new, relevance.least)))
        returned = {(answer.item, f"hit:{hit.id}") for answer in run.answers().values() for hit in answer.hits}
        if not matched.items:
            speak(f"{run.path}: none of its questions is searched for in the log; they are compared by their words")
        elif not any((verdict.item, verdict.about) in returned for verdict in matched.verdicts):
            theirs = matched.verdicts[0].about.removeprefix("hit:")
            ours = min((about.removeprefix("hit:") for _, about in returned), default="none")
            speak(f"{run.path}: no hit is called as a document of the log ({ours!r}, in the log {theirs!r})")
    if qrels is not None:
        lines = qrels_lines(relevance)
        write_atomic(qrels, "".join(f"{line}\n" for line in lines).encode())
        made.append(({"row": "qrels", "file": str(qrels), "lines": len(lines)}, f"{qrels}: {len(lines):,} judgements"))
    return made


def _add(run: Run, relevance: ClickRelevance, matched: Matched) -> int:
    """Write verdicts into a run, and withdraw earlier ones that are not among them; return how many are new."""
    from neraca.judges.judge import withdrawn

    by = f"clicks:{relevance.how}"
    places = {(verdict.item, verdict.about) for verdict in matched.verdicts}
    with run.writing():
        obsolete = [withdrawn(old) for old in run.verdicts() if old.by == by and (old.item, old.about) not in places]
        return run.add_verdicts([*matched.verdicts, *obsolete])
