"""`neraca interleave`: who wins in interleaved searches; how many an experiment needs; lists drafted from files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import event_options, options, show, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.metaeval.correlations import Correlations
    from neraca.online.interleaving.preference import InterleavingResult
    from neraca.online.search_log import SearchLog
    from neraca.scores.sources.pool_sources import PoolSources

Events = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="EVENTS...",
        help="The log: CSV, TSV, JSON Lines, Parquet or Arrow files, an SQLite file, or postgresql://…; the tables of "
        "UBI need no options.  With --plan or --draft: two runs, folders or TREC files.",
        show_default=False,
    ),
]
Plan = Annotated[
    bool, typer.Option("--plan", help="No log: how many searches it takes to tell two runs apart, by simulation.")
]
Draft = Annotated[
    Path | None,
    typer.Option(
        help="No log: write the interleaved lists of two or more runs to this table (.csv, .jsonl, .parquet …).",
        show_default=False,
    ),
]
Rankings = Annotated[
    list[str],
    typer.Option(
        metavar="RANKER=RUN",
        help="What a ranker returned to each search: a TREC run whose query ids are the ids of the searches.  balanced "
        "and optimised need it, probabilistic says more with it.",
        show_default=False,
    ),
]
Values = Annotated[
    Path | None,
    typer.Option(
        help="Write a table with a row for each query and a column for each ranker, its share of the credit.",
        show_default=False,
    ),
]
Offline = Annotated[
    list[str],
    typer.Option(
        metavar="RANKER=RUN",
        help="A TREC run (with --qrels) or run folder of a ranker, for both of two rankers: which offline metric "
        "predicts what users preferred, query by query.",
        show_default=False,
    ),
]


def command(
    ctx: typer.Context,
    events: Events = None,
    method: Annotated[
        str, typer.Option(help="Which made the lists: team_draft, probabilistic, balanced or optimised.")
    ] = "team_draft",
    rankers: Annotated[
        str, typer.Option(help="The rankers to compare, in this order: a,b; default all.", show_default=False)
    ] = "",
    unit: Annotated[str, typer.Option(help="What decides: user, session or search.")] = "user",
    rankings: Rankings = [],
    correction: options.Correction = "holm",
    values: Values = None,
    offline: Offline = [],
    metrics: options.Metrics = options.USUAL,
    since: event_options.Since = "",
    until: event_options.Until = "",
    column: event_options.Columns = [],
    query: event_options.Query = "",
    delimiter: event_options.Delimiter = "",
    test_users: event_options.TestUsers = [],
    most_searches: event_options.MostSearches = 500,
    first_rank: event_options.FirstRank = 1,
    plan: Plan = False,
    draft: Draft = None,
    qrels: Annotated[
        list[Path], typer.Option(help="Of runs: TREC qrels; of --plan also a BEIR folder or a table; several.")
    ] = [],
    topics: options.Topics = None,
    relevance: options.Relevance = "auto",
    length: Annotated[int, typer.Option(help="Of --plan and --draft: documents in a list.", min=1)] = 10,
    noise: Annotated[float, typer.Option(help="Of --plan: chance of a click on a bad document that is seen.")] = 0.05,
    best: Annotated[float, typer.Option(help="Of --plan: the same of the best one.")] = 0.6,
    decay: Annotated[float, typer.Option(help="Of --plan: rank r is seen with the chance r^-decay.")] = 1.0,
    searches: Annotated[int, typer.Option(help="Of --plan: searches that are simulated.")] = 20_000,
    alpha: Annotated[float, typer.Option(help="Of --plan: false alarms that are tolerated.")] = 0.05,
    power: Annotated[float, typer.Option(help="Of --plan: chance wanted to find the difference.")] = 0.8,
    level: options.Level = 0.95,
    seed: Annotated[int, typer.Option(help="Of what is drawn at random.", min=0)] = 0,
    to: event_options.To = None,
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Say which ranker users prefer in interleaved searches, or plan such an experiment from two runs (--plan)."""
    if plan and draft:
        raise SpecError("--plan and --draft are two commands; give one of them")
    if plan:
        _plan(ctx.params, wide, json)
    elif draft:
        _draft(ctx.params, draft)
    else:
        _analyse(ctx.params, to, wide, json)


def _analyse(params: Mapping[str, Any], to: Path | None, wide: bool, json: bool) -> None:
    """Who wins in the log."""
    from neraca.online.interleaving.click_credit import click_credit
    from neraca.online.interleaving.preference import interleaving_result
    from neraca.reports.formats.write import check_format

    check_format(to)
    log = event_options.open_log(params["events"], params)
    names = params["rankers"].replace(",", " ").split()
    credit = click_credit(log, params["method"], names, _returned(params["rankings"]))
    chance = {name: params[name] for name in ("unit", "level", "correction", "seed")}
    result = interleaving_result(credit, **chance)
    event_options.tell_exclusions(log)
    if params["values"]:
        _write_values(params["values"], result)
    predicted = _offline(params, result) if params["offline"] else None
    _tell(result, predicted, wide, json)
    if to:
        _report(to, result, predicted, log)


def _tell(result: InterleavingResult, predicted: Correlations | None, wide: bool, json: bool) -> None:
    from neraca.reports.online import interleaving as words
    from neraca.reports.online import offline_online

    if json:
        show.jsonl([*result.rows(), *(offline_online.rows(predicted) if predicted else [])])
        return
    show.result(words.table(result), "", wide=wide)
    if predicted:
        show.result(offline_online.table(predicted), "", wide=wide)
    show.say(*words.sentences(result), *(offline_online.sentences(predicted) if predicted else []))


def _report(to: Path, result: InterleavingResult, predicted: Correlations | None, log: SearchLog) -> None:
    from neraca.reports.formats.write import write_report
    from neraca.reports.online.interleaving import interleaving_document
    from neraca.reports.online.offline_online import section

    more = section(predicted) if predicted else ()
    write_report(to, interleaving_document(result, log.exclusions, log.events, more))
    speak(f"{to}: the report")


def _offline(params: Mapping[str, Any], result: InterleavingResult) -> Correlations:
    """What users preferred beside the differences of offline metrics, query by query."""
    from neraca.metaeval.online_preference import correlate_with_users
    from neraca.online.interleaving.values_by_query import values_by_query
    from neraca.scores.sources.paths import PathOptions, score_paths

    runs = options.pairs(params["offline"], "--offline")
    a, *others = result.credit.rankers
    if [a, *others] != [name for name in result.credit.rankers if name in runs] or len(others) != 1 or len(runs) != 2:
        raise SpecError(
            f"--offline compares two rankers; the log has {', '.join(result.credit.rankers)}: choose two by "
            f"--rankers, and give a run of each: --offline {a}={a}.run"
        )
    if len(params["qrels"]) > 1:
        raise SpecError("--offline takes one file of --qrels")
    qrels = params["qrels"][0] if params["qrels"] else None
    paths = [Path(runs[name]) for name in result.credit.rankers]
    known = PathOptions(qrels=qrels, topics=params["topics"], relevance=params["relevance"])
    scores = score_paths(paths, " ".join(params["metrics"]), known)
    ids = _ids_of_words(params["topics"], [] if qrels else paths)
    preferred = {row["query"]: row[a] - row[others[0]] for row in values_by_query(result.credit)}
    preference = {ids.get(words, words): value for words, value in preferred.items()}
    return correlate_with_users(scores, preference, level=params["level"])


def _ids_of_words(topics: Path | None, folders: list[Path]) -> dict[str, str]:
    """The words of a query → its id, from a data set, or the questions of run folders."""
    if topics is not None:
        from neraca.datasets.read_dataset import read_dataset

        return {item.query: item.id for item in read_dataset(topics).items}
    return {item.query: item.id for run in options.open_runs(folders) for item in run.items} if folders else {}


def _returned(words: list[str]) -> dict[str, dict[str, list[str]]] | None:
    """What `--rankings` says each ranker returned."""
    from neraca.datasets.trec.top_documents import top_documents

    if not words:
        return None
    files = options.pairs(words, "--rankings")
    return {name: top_documents(Path(file), 1000) for name, file in files.items()}


def _write_values(path: Path, result: InterleavingResult) -> None:
    """Write a table of values, for the commands that take one."""
    from neraca.datasets.table_writer import write_table
    from neraca.online.interleaving.values_by_query import values_by_query

    rows = values_by_query(result.credit)
    write_table(path, rows, ["query", *result.credit.rankers])
    speak(f"{path}: {len(rows):,} queries")


def _sources(params: Mapping[str, Any], least: int) -> PoolSources:
    """The runs that are interleaved, and what is judged."""
    from neraca.scores.sources.pool_sources import read_pool_sources

    runs = [Path(word) for word in params["events"] or []]
    if len(runs) < least:
        raise SpecError(f"name {'two' if least == 2 else least} runs: folders, or TREC files with --qrels")
    given = {name: params[name] for name in ("qrels", "topics", "relevance")}
    return read_pool_sources(runs, params["length"], **given)


def _plan(params: Mapping[str, Any], wide: bool, json: bool) -> None:
    """How many searches both designs need."""
    from neraca.online.interleaving.sensitivity import PlanOptions, PositionClicks, plan_interleaving
    from neraca.reports.online import interleaving as words

    sources = _sources(params, 2)
    chosen = PlanOptions(
        clicks=PositionClicks(params["noise"], params["best"], params["decay"]),
        **{name: params[name] for name in ("method", "length", "searches", "alpha", "power", "seed")},
    )
    plan = plan_interleaving(sources.rankings, sources.relevance.grades, chosen)
    if json:
        show.jsonl(plan.rows())
        return
    show.result(words.plan_table(plan), "", wide=wide)
    show.say(*words.plan_sentences(plan))


def _draft(params: Mapping[str, Any], path: Path) -> None:
    """Write the lists that a live system would show."""
    from neraca.datasets.table_writer import write_table
    from neraca.online.interleaving.interleave import interleave

    sources = _sources(params, 2)
    rows = []
    for query in sources.items:
        lists = {name: ranking.get(query, []) for name, ranking in sources.rankings.items()}
        how = {name: params[name] for name in ("method", "seed", "length")}
        drafted = interleave(lists, query=query, **how)
        places = zip(drafted.documents, drafted.teams, strict=True)
        rows += [
            {"query": query, "ranking_id": drafted.ranking_id, "rank": rank, "document": document, "team": team}
            for rank, (document, team) in enumerate(places, start=1)
        ]
    write_table(path, rows, ["query", "ranking_id", "rank", "document", "team"])
    speak(f"{path}: the lists of {len(sources.items):,} queries")
