"""`neraca run`: everything, from one TOML file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak

if TYPE_CHECKING:
    from neraca.concurrency import Progress
    from neraca.judges.judge_set import MemberResult
    from neraca.phase import PhaseResult
    from neraca.scores.scores import Score


def command(
    study: Annotated[Path, typer.Argument(help="The study file; `neraca init` writes one.", show_default=False)],
    phase: Annotated[int, typer.Option(help="Only this phase, from 1; 0 is all.", min=0)] = 0,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask again what failed.")] = False,
    anew: Annotated[bool, typer.Option("--anew", help="Move existing runs aside and ask everything again.")] = False,
    so_far: Annotated[
        bool, typer.Option("--so-far", help="Score what people rate by the ratings that there are.")
    ] = False,
    retry_undecided: options.RetryUndecided = False,
    allow_undecided: options.AllowUndecided = False,
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Ask, judge, score, compare and report; killed and started again, it goes on."""
    from neraca.reports.sentences.undecided import undecided
    from neraca.study import Options, run_study

    with ExitStack() as bars:
        results = run_study(study, Options(phase, retry_failed, anew, retry_undecided, so_far=so_far), bars_on(bars))
    for note in dict.fromkeys(note for result in results for note in result.notes):
        speak(note)
    for line in (line for result in results for one in result.judged if one.tally.reasons() for line in undecided(one)):
        speak(line)
    if json:
        show.jsonl([row for result in results for row in _rows(result)])
        for result in results:
            if result.waits:
                speak(result.note)
    else:
        tell(results, wide)
    if any(result.unanswered or result.waits for result in results):
        raise typer.Exit(3)
    if not allow_undecided:
        check_decided([one for result in results for one in result.judged])


def check_decided(judged: Sequence[MemberResult]) -> None:
    """Say where a judge left too much undecided, and what to do; exit with 3 then."""
    from neraca.reports.sentences.undecided import remedy

    if text := remedy(judged):
        speak(text)
        raise typer.Exit(3)


def bars_on(stack: ExitStack) -> Callable[[str], Progress]:
    """Progress bars that stand until the stack is closed; one replaces the other."""

    def bar(title: str) -> Progress:
        stack.close()
        return stack.enter_context(show.progress(title))

    return bar


def _cell(score: Score) -> str:
    return f"{show.number(score.value)} ({score.n})"


def _rows(result: PhaseResult) -> list[dict[str, object]]:
    rows = result.scores.overall() if result.scores else []
    names = ("run", "group", "metric", "value", "low", "high", "n", "unscored", "method")
    return [{"phase": result.phase.name} | {name: getattr(row, name) for name in names} for row in rows]


def tell(results: Sequence[PhaseResult], wide: bool = False) -> None:
    """Print what each phase found and where its report is."""
    from neraca.reports.sentences.notes import notes
    from neraca.reports.translation import say, written_in

    for result in results:
        if result.phase.name:
            print(f"\nPhase {result.phase.name}")
        if result.scores is None or result.report is None:
            print(result.note)
            continue
        scores = result.scores
        names = [str(metric) for metric in scores.metrics]
        values = {(row.run, row.metric): row for row in scores.overall()}
        rows = [[s.name, *(_cell(values[s.name, name]) for name in names)] for s in scores.runs]
        show.table("value (questions scored)", ["run", *names], rows, wide=wide)
        finding = result.report.finding
        with written_in(result.report.language):
            show.say(*dict.fromkeys((finding.headline, *finding.details, *notes(scores))))
            if result.winner:
                chosen = say("Chosen by {metric}", metric=result.phase.choose)
                print(f"{chosen}: {result.winner}{f' ({result.note})' if result.note else ''}")
        if result.unanswered:
            from neraca.reports.counts_and_lists import count, form

            questions, have = count(result.unanswered, "question"), form(result.unanswered, "has", "have")
            them = form(result.unanswered, "it", "them")
            print(f"{questions} {have} no answer; --retry-failed asks {them} again")
        for file in result.files:
            print(f"Report: {file}")
