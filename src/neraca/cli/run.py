"""`neraca run`: everything, from one TOML file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak
from neraca.cli.progress_bar import progress_bar

if TYPE_CHECKING:
    from neraca.concurrency import Progress
    from neraca.judges.judge_set import MemberResult
    from neraca.phase import PhaseResult
    from neraca.reports.sentences.parts import Finding
    from neraca.scores.scores import Score, Scores


def command(
    study: Annotated[Path, typer.Argument(help="The study file; `neraca init` writes one.", show_default=False)],
    *,
    phase: Annotated[int, typer.Option(help="Number of the phase to run, from 1; 0: all phases.", min=0)] = 0,
    retry_failed: options.RetryFailed = False,
    anew: options.Anew = False,
    so_far: Annotated[
        bool, typer.Option("--so-far", help="Score by the ratings that exist so far, without waiting for the others.")
    ] = False,
    undecided: options.Undecided,
    output: options.Output,
) -> None:
    """Ask, judge, score, compare and report as a study file says.

    Started again, it continues where it stopped.
    """
    from neraca.reports.sentences.undecided import undecided as undecided_lines
    from neraca.study import StudyOptions, run_study

    shown: list[str] = []

    def notice(remark: str) -> None:
        shown.append(remark)
        speak(remark)

    settings = StudyOptions(phase, retry_failed, anew, undecided.retry_undecided, so_far=so_far, notice=notice)
    with ExitStack() as bars:
        results = run_study(study, settings, bars_on(bars))
    for note in dict.fromkeys(note for result in results for note in result.notes if note not in shown):
        speak(note)
    judged = [member for result in results for member in result.judged]
    for line in (line for member in judged if member.tally.reasons() for line in undecided_lines(member)):
        speak(line)
    if output.json:
        show.jsonl([row for result in results for row in _rows(result)])
        for result in results:
            if result.waits or result.stops:
                speak(result.note)
    else:
        print_results(results, output.wide)
    if any(result.unanswered or result.waits or result.stops for result in results):
        raise typer.Exit(3)
    if not undecided.allow_undecided:
        check_decided(judged)


def check_decided(judged: Sequence[MemberResult]) -> None:
    """Exit with 3 if a judge left too much undecided, after printing where and what to do."""
    from neraca.reports.sentences.undecided import remedy

    if text := remedy(judged):
        speak(text)
        raise typer.Exit(3)


def bars_on(stack: ExitStack) -> Callable[[str], Progress]:
    """Return a function that opens a progress bar; each replaces the one before, until the stack is closed."""

    def bar(title: str) -> Progress:
        stack.close()
        return stack.enter_context(progress_bar(title))

    return bar


def _cell(score: Score) -> str:
    return f"{show.number(score.value)} ({score.n})"


def _rows(result: PhaseResult) -> list[dict[str, object]]:
    rows = result.scores.overall() if result.scores else []
    names = ("run", "group", "metric", "value", "low", "high", "n", "unscored", "method")
    return [{"phase": result.phase.name} | {name: getattr(row, name) for name in names} for row in rows]


def print_results(results: Sequence[PhaseResult], wide: bool = False) -> None:
    """Print the scores and finding of each phase and the path of its report, in the language of the report."""
    from neraca.translation import say, written_in

    language = "en"
    for result in results:
        language = result.report.language if result.report else language
        with written_in(language):
            if result.phase.name:
                print(f"\n{say('Phase')} {result.phase.name}")
            if result.scores is None or result.report is None:
                show.print_sentences(*result.note.split("\n"))
            else:
                _print_result(result, result.scores, result.report.finding, wide)


def _print_result(result: PhaseResult, scores: Scores, finding: Finding, wide: bool) -> None:
    from neraca.reports.sentences.notes import notes
    from neraca.translation import say

    names = [str(metric) for metric in scores.metrics]
    values = {(row.run, row.metric): row for row in scores.overall()}
    rows = [[s.name, *(_cell(values[s.name, name]) for name in names)] for s in scores.runs]
    show.table(say("value (questions scored)"), [say("run"), *names], rows, wide=wide)
    show.print_sentences(*dict.fromkeys((finding.headline, *finding.details, *notes(scores))))
    if result.winner:
        chosen = say("Chosen by {metric}", metric=result.phase.choose)
        show.print_sentences(f"{chosen}: {result.winner}{f' ({result.note})' if result.note else ''}")
    elif result.stops:
        show.print_sentences(f"{result.note[:1].upper()}{result.note[1:]}.")
    show.print_sentences(*show.unanswered(result.runs))
    for file in result.files:
        print(f"{say('Report')}: {file}")
