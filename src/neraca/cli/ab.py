"""`neraca ab`: analyse an A/B test from its log or from totals, or plan one."""

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
        help='Metrics such as "click_through reformulation click_through@1 add_to_cart/search"; the first one decides.',
        show_default=False,
    ),
]
Control = Annotated[str, typer.Option(help="The arm that the others are compared with.", show_default=False)]
Shares = Annotated[
    list[str],
    typer.Option(
        "--share", help="Planned share of users, such as A=0.9 B=0.1; default: equal shares.", show_default=False
    ),
]
Guards = Annotated[
    list[str],
    typer.Option(
        "--guard", help="A metric and how much worse it may get, such as reformulation=0.01.", show_default=False
    ),
]
Looks = Annotated[
    str, typer.Option(help="Looks at the result: daily (at any time) or once (only at an end planned beforehand).")
]
TunedFor = Annotated[
    int,
    typer.Option(help="Number of users at which intervals of daily looks are narrowest; choose it before the start."),
]
Totals = Annotated[
    bool,
    typer.Option("--counts", help="In place of a log: totals, such as A:users=300,queries=900,clicks=500 B:users=…"),
]
Plan = Annotated[
    bool,
    typer.Option("--plan", help="Before the start: number of users and days that a test takes, from a current log."),
]
PlannedEffect = Annotated[str, typer.Option(help="With --plan: smallest relative change that would matter.")]
Power = Annotated[float, typer.Option(help="With --plan: wanted chance of finding that change.")]
Checks = Annotated[int, typer.Option(help="Number of random splits of the users that check the test itself.", min=0)]
Cuped = Annotated[
    bool, typer.Option("--cuped/--no-cuped", help="Adjust by what the same users did before the start, if logged.")
]
Arms = Annotated[str, typer.Option(help="The arms, control first: A,B; other arms are left out.", show_default=False)]
Segments = Annotated[
    list[str], typer.Option("--segment", help="A field to report by as well, such as device.", show_default=False)
]


def command(
    events: event_options.Events = None,
    *,
    metrics: Metrics = [],
    control: Control = "",
    arms: Arms = "",
    share: Shares = [],
    guard: Guards = [],
    looks: Looks = "daily",
    tuned_for: TunedFor = 5000,
    cuped: Cuped = True,
    segment: Segments = [],
    log: event_options.Log,
    counts: Totals = False,
    plan: Plan = False,
    effect: PlannedEffect = "5%",
    power: Power = 0.8,
    checks: Checks = 500,
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    to: event_options.To = None,
    output: options.Output,
) -> None:
    """Compare the arms of an A/B test, user by user.

    The split is checked first, and daily looks are allowed.
    """
    if counts:
        _compare_totals(events or [], _numbers(share, "--share"), output)
        return
    if plan:
        search_log = event_options.open_log(events, log, arms, segment)
        _plan(search_log, metrics, effect=effect, power=power, alpha=1 - level, output=output)
        return
    from neraca.online.ab import ab
    from neraca.online.experiment import AbOptions
    from neraca.reports.formats.write import check_format, write_report
    from neraca.reports.online.ab import ab_document

    check_format(to)
    settings = AbOptions(
        control=control,
        shares=_numbers(share, "--share"),
        guards=_numbers(guard, "--guard"),
        looks=looks,
        tuned_for=tuned_for,
        level=level,
        checks=checks,
        seed=seed,
        cuped=cuped,
    )
    search_log = event_options.open_log(events, log, arms, segment)
    experiment = ab(search_log, metrics, settings)
    event_options.speak_exclusions(search_log, contents=False)
    _print(experiment, output)
    if to:
        write_report(to, ab_document(experiment))
        speak(f"{to}: the report")


def _print(experiment: Experiment, output: options.Output) -> None:
    """Print the result as JSON Lines, or as tables and sentences."""
    from neraca.reports.online import ab as words

    if output.json:
        for sentence in words.read(experiment):
            speak(sentence)
        show.jsonl(experiment.rows())
        return
    show.say(*words.read(experiment), "")
    if not experiment.trusted:
        show.say(words.lead(experiment), "")
    show.result(words.table(experiment), "", wide=output.wide)
    for plain in words.plain_tables(experiment):
        show.result(plain, "", wide=output.wide)
    for segments in words.segment_tables(experiment):
        show.result(segments, "", wide=output.wide)
    show.say(*words.sentences(experiment))


def _compare_totals(arms: list[str], shares: dict[str, float], output: options.Output) -> None:
    """Compare arms by totals alone, and print the result."""
    from neraca.online.ab_counts import compare_counts
    from neraca.reports.online.ab_counts import sentences

    counts = compare_counts(arms, shares)
    if output.json:
        show.jsonl(counts.rows())
        return
    columns, rows, *_ = counts.table
    show.table("", columns, rows, wide=output.wide)
    show.say(*sentences(counts))


def _plan(
    log: SearchLog, metrics: list[str], *, effect: str, power: float, alpha: float, output: options.Output
) -> None:
    """Plan an A/B test from a current log, and print the plan."""
    from neraca.online.ab_plan import plan_ab
    from neraca.reports.online import ab_plan as words

    plan = plan_ab(log, metrics, effect=_share(effect), alpha=alpha, power=power)
    event_options.speak_exclusions(log)
    if output.json:
        show.jsonl(plan.rows())
        return
    show.result(words.table(plan), "", wide=output.wide)
    show.say(*words.sentences(plan))


def _share(word: str) -> float:
    """Return a share written as a number or in per cent.

    >>> _share("5%"), _share("0.05")
    (0.05, 0.05)
    """
    try:
        return float(word.strip().removesuffix("%")) / (100 if word.strip().endswith("%") else 1)
    except ValueError as error:
        raise SpecError(f"cannot read --effect {word!r}; write 5% or 0.05") from error


def _numbers(words: list[str], option: str) -> dict[str, float]:
    """Return `NAME=NUMBER` words, of which one text may hold several."""
    pairs = options.pairs(" ".join(words).replace(",", " ").split(), option)
    try:
        return {name: float(value) for name, value in pairs.items()}
    except ValueError as error:
        raise SpecError(f"cannot read {option} {' '.join(words)!r}; write {option} NAME=0.01") from error
