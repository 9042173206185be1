"""`neraca interleave`: analyse an interleaving experiment, plan one, or draft its lists from runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from neraca.cli import event_options, options, show, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.metaeval.correlations import Correlations
    from neraca.online.interleaving.interleaving_result import InterleavingResult
    from neraca.online.search_log import SearchLog
    from neraca.reports.blocks.block import Document
    from neraca.scores.sources.pool_sources import PoolSources

Events = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="EVENTS...",
        help="The log: CSV, TSV, JSON Lines, Parquet or Arrow files, an SQLite file, or postgresql://…; tables in the "
        "UBI format need no options. With --plan or --draft: two runs, folders or TREC files.",
        show_default=False,
    ),
]


class Experiment(NamedTuple):
    """Settings of an experiment and of its analysis."""

    method: Annotated[
        str, typer.Option(help="Method that made the lists: team_draft, probabilistic, balanced or optimised.")
    ] = "team_draft"
    rankers: Annotated[
        str, typer.Option(help="The rankers to compare, in this order: a,b; default: all.", show_default=False)
    ] = ""
    unit: Annotated[str, typer.Option(help="Unit of observation: user, session or search.")] = "user"
    looks: event_options.Looks = "once"
    tuned_for: event_options.TunedFor = 5000
    rankings: Annotated[
        list[str],
        typer.Option(
            metavar="RANKER=RUN",
            help="Results of a ranker for each search: a TREC run whose query ids are the ids of the searches. The "
            "methods balanced and optimised need it; with probabilistic the result is more exact.",
            show_default=False,
        ),
    ] = []
    correction: options.Correction = "holm"
    values: Annotated[
        Path | None,
        typer.Option(
            help="Write a table with a row for each query and a column for each ranker: its share of the credit.",
            show_default=False,
        ),
    ] = None
    offline: Annotated[
        list[str],
        typer.Option(
            metavar="RANKER=RUN",
            help="A TREC run (with --qrels) or run folder of each of two rankers, to find which offline "
            "metric predicts, query by query, what users preferred.",
            show_default=False,
        ),
    ] = []
    metrics: options.Metrics = options.USUAL


class Simulation(NamedTuple):
    """Settings that draft lists, and simulate clicks on them."""

    length: Annotated[int, typer.Option(help="With --plan and --draft: number of documents in a list.", min=1)] = 10
    noise: Annotated[
        float, typer.Option(help="With --plan: chance of a click on a worthless document that is seen.")
    ] = 0.05
    best: Annotated[float, typer.Option(help="With --plan: chance of a click on a document of the best grade.")] = 0.6
    decay: Annotated[float, typer.Option(help="With --plan: rank r is seen with the chance r^-decay.")] = 1.0
    searches: Annotated[int, typer.Option(help="With --plan: number of simulated searches.")] = 20_000
    alpha: options.Alpha = 0.05
    power: options.Power = 0.8


class Judgements(NamedTuple):
    """Judgements beside runs."""

    qrels: Annotated[
        list[Path],
        typer.Option(help="With runs: TREC qrels; with --plan also a BEIR folder or a table; repeatable."),
    ] = []
    topics: options.Topics = None
    relevance: options.Relevance = "auto"


def command(
    events: Events = None,
    *,
    experiment: Experiment,
    log: event_options.Log,
    plan: Annotated[
        bool,
        typer.Option("--plan", help="In place of a log: simulate how many searches it takes to tell two runs apart."),
    ] = False,
    draft: Annotated[
        Path | None,
        typer.Option(
            help="In place of a log: write the interleaved lists of two or more runs to this table (.csv, .jsonl, "
            ".parquet …).",
            show_default=False,
        ),
    ] = None,
    judgements: Judgements,
    simulation: Simulation,
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    to: event_options.To = None,
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Find which ranker users prefer in interleaved searches.

    With --plan or --draft: plan such an experiment, or draft its lists, from runs.
    """
    from neraca.reports.formats.write import check_writing
    from neraca.reports.online.interleaving import ON_PAGES
    from neraca.translation import say, written_in

    if plan and draft:
        raise SpecError("--plan and --draft are two commands; give one of them")
    check_writing(to or "", (), report_language)
    if draft:
        sources = _read_sources(events, judgements, simulation.length)
        _draft(draft, sources, method=experiment.method, seed=seed, length=simulation.length)
        return
    with written_in(report_language):
        if plan:
            sources = _read_sources(events, judgements, simulation.length)
            report, rows = _plan(sources, experiment.method, simulation, seed, report_language)
        else:
            search_log = event_options.open_log(events, log)
            result = _analyse(search_log, experiment, level, seed, aloud=output.json)
            report, rows = _report(result, experiment, judgements, report_language)
        shorter = report.without(*ON_PAGES)
        hint = say("All analyses of all pairs are in the report (--to) and in --json.")
    if output.json:
        show.jsonl(rows)
    else:
        show.document(shorter, wide=output.wide)
        if shorter != report and to is None:
            speak(hint)
    event_options.write_document(report, to)


def _analyse(log: SearchLog, experiment: Experiment, level: float, seed: int, *, aloud: bool) -> InterleavingResult:
    """Return the preferences of users in the log; say `aloud`, or before an error, what was left out of it."""
    from neraca.errors import NeracaError

    try:
        result = replace(_preferences(log, experiment, level, seed), log=log.read)
    except NeracaError:
        if log.events:
            event_options.speak_log(log)
        raise
    if aloud:
        event_options.speak_log(log)
    return result


def _preferences(log: SearchLog, experiment: Experiment, level: float, seed: int) -> InterleavingResult:
    from neraca.online.interleaving.click_credit import click_credit
    from neraca.online.interleaving.preference import interleaving_result

    names = experiment.rankers.replace(",", " ").split()
    credit = click_credit(log, experiment.method, names, _read_rankings(experiment.rankings))
    return interleaving_result(
        credit,
        unit=experiment.unit,
        looks=experiment.looks,
        tuned_for=experiment.tuned_for,
        level=level,
        correction=experiment.correction,
        seed=seed,
    )


def _report(
    result: InterleavingResult, experiment: Experiment, judgements: Judgements, language: str
) -> tuple[Document, list[dict[str, Any]]]:
    """Return the report and its rows; write the table of `--values`."""
    from neraca.reports.online.interleaving import interleaving_document
    from neraca.reports.online.offline_online import rows

    if experiment.values:
        _write_values(experiment.values, result)
    predicted = _predict(experiment, judgements, result) if experiment.offline else None
    report = interleaving_document(result, language, predicted)
    return report, [*result.rows(), *(rows(predicted) if predicted else [])]


def _predict(experiment: Experiment, judgements: Judgements, result: InterleavingResult) -> Correlations:
    """Correlate the preferences of users with the differences of offline metrics, query by query."""
    from neraca.metaeval.online_preference import correlate_with_users
    from neraca.online.interleaving.values_by_query import values_by_query
    from neraca.scores.sources.paths import PathOptions, score_paths

    runs = options.pairs(experiment.offline, "--offline", "RANKER=RUN, such as --offline old=old.run")
    a, *others = result.credit.rankers
    if [a, *others] != [name for name in result.credit.rankers if name in runs] or len(others) != 1 or len(runs) != 2:
        raise SpecError(
            f"--offline compares two rankers; the log has {', '.join(result.credit.rankers)}: choose two by "
            f"--rankers, and give a run of each: --offline {a}={a}.run"
        )
    if len(judgements.qrels) > 1:
        raise SpecError("--offline takes one file of --qrels")
    qrels = judgements.qrels[0] if judgements.qrels else None
    paths = [Path(runs[name]) for name in result.credit.rankers]
    settings = PathOptions(qrels=qrels, topics=judgements.topics, relevance=judgements.relevance)
    scores = score_paths(paths, " ".join(experiment.metrics), settings)
    ids = _query_ids(judgements.topics, [] if qrels else paths)
    preferences = {row["query"]: row[a] - row[others[0]] for row in values_by_query(result.credit)}
    preference_by_id = {ids.get(query, query): value for query, value in preferences.items()}
    return correlate_with_users(scores, preference_by_id, level=result.level)


def _query_ids(topics: Path | None, folders: list[Path]) -> dict[str, str]:
    """Return text of a query → its id, from a data set or from the questions of run folders."""
    if topics is not None:
        from neraca.datasets.read_dataset import read_dataset

        return {item.query: item.id for item in read_dataset(topics).items}
    return {item.query: item.id for run in options.open_runs(folders) for item in run.items} if folders else {}


def _read_rankings(pairs: list[str]) -> dict[str, dict[str, list[str]]] | None:
    """Read `--rankings`: ranker → search → documents; None without the option."""
    from neraca.datasets.trec.top_documents import top_documents

    if not pairs:
        return None
    files = options.pairs(pairs, "--rankings", "RANKER=FILE, such as --rankings old=old.run")
    return {name: top_documents(Path(file), 1000) for name, file in files.items()}


def _write_values(path: Path, result: InterleavingResult) -> None:
    """Write a table of values, which other commands can read."""
    from neraca.datasets.table_writer import write_table
    from neraca.online.interleaving.values_by_query import values_by_query

    rows = values_by_query(result.credit)
    write_table(path, rows, ["query", *result.credit.rankers])
    speak(f"{path}: {len(rows):,} queries")


def _read_sources(paths: list[str] | None, judgements: Judgements, length: int) -> PoolSources:
    """Read the runs to interleave, and their judgements."""
    from neraca.scores.sources.pool_sources import read_pool_sources

    runs = [Path(path) for path in paths or []]
    if len(runs) < 2:
        raise SpecError("name two runs: folders, or TREC files with --qrels")
    sources = read_pool_sources(runs, length, *judgements, whole_names=True)
    for sentence in sources.qrels.sentences():
        speak(sentence)
    return sources


def _plan(
    sources: PoolSources, method: str, simulation: Simulation, seed: int, language: str
) -> tuple[Document, list[dict[str, Any]]]:
    """Simulate how many searches an experiment needs; return the report of the plan and its rows."""
    from neraca.online.interleaving.sensitivity import PlanOptions, PositionClicks, plan_interleaving
    from neraca.reports.online.interleaving_plan import plan_document

    settings = PlanOptions(
        method=method,
        clicks=PositionClicks(simulation.noise, simulation.best, simulation.decay),
        length=simulation.length,
        searches=simulation.searches,
        alpha=simulation.alpha,
        power=simulation.power,
        seed=seed,
    )
    plan = plan_interleaving(sources.rankings, sources.relevance.grades, settings)
    return plan_document(plan, language), plan.rows()


def _draft(path: Path, sources: PoolSources, *, method: str, seed: int, length: int) -> None:
    """Write the interleaved lists that a live system would show."""
    from neraca.datasets.table_writer import write_table
    from neraca.online.interleaving.interleave import interleave

    rows = []
    for query in sources.items:
        lists = {name: ranking.get(query, []) for name, ranking in sources.rankings.items()}
        drafted = interleave(lists, query=query, method=method, seed=seed, length=length)
        places = zip(drafted.documents, drafted.teams, strict=True)
        rows += [
            {"query": query, "ranking_id": drafted.ranking_id, "rank": rank, "document": document, "team": team}
            for rank, (document, team) in enumerate(places, start=1)
        ]
    write_table(path, rows, ["query", "ranking_id", "rank", "document", "team"])
    speak(f"{path}: the lists of {len(sources.items):,} queries")
