"""`neraca drift`: metrics of a run over time, beside a reference period."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import event_options, options, show, speak

Every = Annotated[str, typer.Option(help="Size of a bucket: day, week (from Monday) or month, in UTC.")]
Reference = Annotated[
    str,
    typer.Option(
        metavar="N|FIRST..LAST",
        help="The period that all later ones are compared with: the first N buckets, or days such as "
        "2026-11-02..2026-11-29. Default: as many of the first buckets as have 100 sessions and 7 days.",
        show_default=False,
    ),
]
Groups = Annotated[
    list[str],
    typer.Option("--group", "-g", help="A tag to report by, such as category, whose mix is looked at too; repeatable."),
]


def command(
    run: Annotated[Path, typer.Argument(help="The run folder, such as one of `neraca traces`.", show_default=False)],
    *,
    metrics: options.Metrics = options.USUAL,
    every: Every = "week",
    reference: Reference = "",
    group: Groups = [],
    verdicts: options.Verdicts,
    judge_correction: options.JudgeCorrection,
    level: options.Level = 0.95,
    unit: options.Unit = "auto",
    language: options.Language = "",
    plugin: options.Plugins = [],
    to: options.OptionalReportFile = None,
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Show metrics of a run over time, and what changed.

    Each day, week or month is compared with a reference period.  Look as often as you like: the intervals allow for it.
    """
    from neraca.comparisons.drift import drift
    from neraca.reports.drift import ON_PAGES, drift_document
    from neraca.reports.formats.write import check_writing
    from neraca.reports.sentences.drift import cautions, how_made, lead
    from neraca.translation import written_in

    check_writing(to or "", (), report_language)
    options.load_plugins(plugin)
    result = drift(
        run,
        " ".join(metrics),
        every=every,
        reference=reference,
        group=group,
        **verdicts._asdict(),
        **judge_correction._asdict(),
        level=level,
        unit=unit,
        language=language,
    )
    options.speak_notes(result.scores)
    report = drift_document(result, report_language)
    if output.json:
        with written_in(report_language):
            for sentence in (lead(result), *cautions(result), *how_made(result)):
                speak(sentence)
        show.jsonl(result.rows())
    else:
        show.document(report.without(*ON_PAGES), wide=output.wide)
    event_options.write_document(report, to)
