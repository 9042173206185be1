"""`neraca ab`: an A/B test from its log, or what totals alone can say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import event_options, options, show, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.online.experiment import Experiment
    from neraca.online.search_log import SearchLog


Metrics = Annotated[
    list[str],
    typer.Option(
        "--metrics",
        "-m",
        help='Such as "click_through reformulation click_through@1 add_to_cart/search"; the first decides.',
        show_default=False,
    ),
]
Control = Annotated[str, typer.Option(help="The arm that others are compared with.", show_default=False)]
Shares = Annotated[
    list[str],
    typer.Option("--share", help="Planned share of users, such as A=0.9 B=0.1; default equal.", show_default=False),
]
Guards = Annotated[
    list[str],
    typer.Option(
        "--guard", help="A metric that must not get worse by more, such as reformulation=0.01.", show_default=False
    ),
]
Looks = Annotated[str, typer.Option(help="daily: look whenever you like; once: at an end that was planned before.")]
TunedFor = Annotated[
    int, typer.Option(help="Users for whom intervals of daily looks are narrowest; choose it before the start.")
]
Totals = Annotated[
    bool, typer.Option("--counts", help="No log: totals, as A:clicks=5000,reformulations=1300 B:clicks=…")
]
Plan = Annotated[
    bool, typer.Option("--plan", help="Before the start: users and days that it takes, from a log of today.")
]
PlannedEffect = Annotated[str, typer.Option(help="Of --plan: the smallest relative change that would matter.")]
Power = Annotated[float, typer.Option(help="Of --plan: the chance wanted to find it.")]
Checks = Annotated[int, typer.Option(help="Random splits of the users that test the tests.", min=0)]
Seed = Annotated[int, typer.Option(help="Of what is drawn at random.", min=0)]


def command(
    ctx: typer.Context,
    events: event_options.Events = None,
    metrics: Metrics = [],
    control: Control = "",
    arms: event_options.Arms = "",
    share: Shares = [],
    guard: Guards = [],
    looks: Looks = "daily",
    tuned_for: TunedFor = 5000,
    since: event_options.Since = "",
    until: event_options.Until = "",
    column: event_options.Columns = [],
    segment: event_options.Segments = [],
    query: event_options.Query = "",
    delimiter: event_options.Delimiter = "",
    test_users: event_options.TestUsers = [],
    most_searches: event_options.MostSearches = 500,
    first_rank: event_options.FirstRank = 1,
    counts: Totals = False,
    plan: Plan = False,
    effect: PlannedEffect = "5%",
    power: Power = 0.8,
    checks: Checks = 500,
    level: options.Level = 0.95,
    seed: Seed = 0,
    to: event_options.To = None,
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Compare the arms of an A/B test: users are the unit, the split is checked first, and daily looks are allowed."""
    if counts:
        _tell_counts(events or [], json, wide)
        return
    if plan:
        _tell_plan(event_options.open_log(events, ctx.params), metrics, (effect, power, 1 - level), json, wide)
        return
    from neraca.online.ab import ab
    from neraca.online.experiment import AbOptions
    from neraca.reports.formats.write import check_format, write_report
    from neraca.reports.online.ab import ab_document

    check_format(to)
    chosen = AbOptions(
        control=control,
        shares=_numbers(share, "--share"),
        guards=_numbers(guard, "--guard"),
        looks=looks,
        tuned_for=tuned_for,
        level=level,
        checks=checks,
        seed=seed,
    )
    log = event_options.open_log(events, ctx.params)
    experiment = ab(log, metrics, chosen)
    event_options.tell_exclusions(log)
    _tell(experiment, json, wide)
    if to:
        write_report(to, ab_document(experiment))
        speak(f"{to}: the report")


def _tell(experiment: Experiment, json: bool, wide: bool) -> None:
    """Rows for machines, or a table and sentences."""
    from neraca.reports.online import ab as words

    if json:
        show.jsonl(experiment.rows())
        return
    if not experiment.trusted:
        show.say(words.lead(experiment), "")
    show.result(words.table(experiment), "", wide=wide)
    for segments in words.segment_tables(experiment):
        show.result(segments, "", wide=wide)
    show.say(*words.sentences(experiment))


def _tell_counts(arms: list[str], json: bool, wide: bool) -> None:
    from neraca.online.ab_counts import compare_counts
    from neraca.reports.online.ab_counts import sentences

    counts = compare_counts(arms)
    if json:
        show.jsonl(counts.rows())
        return
    columns, rows, *_ = counts.table
    show.table("", columns, rows, wide=wide)
    show.say(*sentences(counts))


def _tell_plan(log: SearchLog, metrics: list[str], asked: tuple[str, float, float], json: bool, wide: bool) -> None:
    from neraca.online.ab_plan import plan_ab
    from neraca.reports.online import ab_plan as words

    effect, power, alpha = asked
    plan = plan_ab(log, metrics, effect=_share(effect), alpha=alpha, power=power)
    event_options.tell_exclusions(log)
    if json:
        show.jsonl(plan.rows())
        return
    show.result(words.table(plan), "", wide=wide)
    show.say(*words.sentences(plan))


def _share(word: str) -> float:
    """A share, in per cent or not.

    >>> _share("5%"), _share("0.05")
    (0.05, 0.05)
    """
    try:
        return float(word.strip().removesuffix("%")) / (100 if word.strip().endswith("%") else 1)
    except ValueError as error:
        raise SpecError(f"cannot read --effect {word!r}; write 5% or 0.05") from error


def _numbers(words: list[str], option: str) -> dict[str, float]:
    """`NAME=NUMBER` words, several in one text or not."""
    pairs = options.pairs(" ".join(words).replace(",", " ").split(), option)
    try:
        return {name: float(value) for name, value in pairs.items()}
    except ValueError as error:
        raise SpecError(f"cannot read {option} {' '.join(words)!r}; write {option} NAME=0.01") from error
