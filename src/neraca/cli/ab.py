"""`neraca ab`: analyse an A/B test from its log or from totals, or plan one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from neraca.cli import event_options, options, show, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neraca.online.experiment import AbOptions
    from neraca.online.search_log import SearchLog
    from neraca.reports.blocks.block import Document


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
Totals = Annotated[
    bool,
    typer.Option("--counts", help="In place of a log: totals, such as A:users=300,queries=900,clicks=500 B:users=…"),
]
Plan = Annotated[
    bool,
    typer.Option("--plan", help="Before the start: number of users and days that a test takes, from a current log."),
]
PlannedEffect = Annotated[str, typer.Option(help="With --plan: smallest relative change that would matter.")]
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
    looks: event_options.Looks = "daily",
    tuned_for: event_options.TunedFor = 5000,
    cuped: Cuped = True,
    segment: Segments = [],
    log: event_options.Log,
    counts: Totals = False,
    plan: Plan = False,
    effect: PlannedEffect = "5%",
    power: options.Power = 0.8,
    checks: Checks = 500,
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    to: event_options.To = None,
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Compare the arms of an A/B test, user by user.

    The split is checked first, and daily looks are allowed.
    """
    from neraca.online.experiment import AbOptions
    from neraca.reports.formats.write import check_writing
    from neraca.translation import written_in

    check_writing(to or "", (), report_language)
    files = _Output(to, report_language, output)
    with written_in(report_language):
        if counts:
            if control:
                raise SpecError("--control is for logs; with --counts the control is the arm that is named first")
            _compare_totals(events or [], _numbers(share, "--share"), level, files)
            return
        if plan:
            search_log = event_options.open_log(events, log, arms, segment)
            _plan(search_log, metrics, effect=effect, power=power, alpha=1 - level, files=files)
            return
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
        _analyse(event_options.open_log(events, log, arms, segment), metrics, settings, files)


class _Output(NamedTuple):
    """The file of the report, its language, and what is printed."""

    to: Path | None
    language: str
    printed: options.Output

    def write(self, report: Document, rows: Sequence[Mapping[str, Any]], on_pages: Sequence[str] = ()) -> None:
        """Print the report without the sections `on_pages`, or its rows as JSON Lines; write the file."""
        if self.printed.json:
            show.jsonl(rows)
        else:
            show.document(report.without(*on_pages), wide=self.printed.wide)
        event_options.write_document(report, self.to)


def _analyse(log: SearchLog, metrics: list[str], settings: AbOptions, files: _Output) -> None:
    """Compare the arms in a log, and write the report."""
    from neraca.online.ab import ab
    from neraca.reports.online.ab import ON_PAGES, ab_document, read
    from neraca.reports.online.log_section import exclusion_sentences

    experiment = ab(log, metrics, settings)
    if files.printed.json:
        for sentence in (*read(experiment), *exclusion_sentences(experiment.exclusions)):
            speak(sentence)
    files.write(ab_document(experiment, files.language), experiment.rows(), ON_PAGES)


def _compare_totals(arms: list[str], shares: dict[str, float], level: float, files: _Output) -> None:
    """Compare arms by totals alone, and write the report."""
    from neraca.online.ab_counts import compare_counts
    from neraca.reports.online.ab_counts import counts_document

    counts = compare_counts(arms, shares, level)
    files.write(counts_document(counts, files.language), counts.rows())


def _plan(log: SearchLog, metrics: list[str], *, effect: str, power: float, alpha: float, files: _Output) -> None:
    """Plan an A/B test from a current log, and write the plan."""
    from neraca.online.ab_plan import plan_ab
    from neraca.reports.online.ab_plan import ab_plan_document

    plan = plan_ab(log, metrics, effect=_share(effect), alpha=alpha, power=power)
    if files.printed.json:
        event_options.speak_log(log)
    files.write(ab_plan_document(plan, files.language), plan.rows())


def _share(text: str) -> float:
    """Return a share written as a number or in per cent.

    >>> _share("5%"), _share("0.05")
    (0.05, 0.05)
    """
    try:
        share = float(text.strip().removesuffix("%")) / (100 if text.strip().endswith("%") else 1)
    except ValueError as error:
        raise SpecError(f"cannot read --effect {text!r}; write 5% or 0.05") from error
    if share > 1 and "%" not in text:
        raise SpecError(f"--effect {text} would be {100 * share:,.0f} %; write {text}% for that many per cent")
    return share


def _numbers(texts: list[str], option: str) -> dict[str, float]:
    """Return the numbers of `NAME=NUMBER` pairs by name; a text may hold several pairs."""
    pairs = options.pairs(" ".join(texts).replace(",", " ").split(), option, "NAME=0.01")
    try:
        return {name: float(value) for name, value in pairs.items()}
    except ValueError as error:
        raise SpecError(f"cannot read {option} {' '.join(texts)!r}; write {option} NAME=0.01") from error
