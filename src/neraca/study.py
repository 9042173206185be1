"""Run a study: the whole pipeline from one TOML file.  It calls the rooms below and has no logic of its own."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from neraca.comparisons.compare import compare, ranking
from neraca.comparisons.difference import Difference
from neraca.concurrency import Progress, in_thread, silent
from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import checked_language
from neraca.errors import RunError, SpecError
from neraca.files import write_atomic
from neraca.judges.judge_set import JudgeSet
from neraca.metrics.metric import Metric
from neraca.nearest import nearest
from neraca.people.assignment import rate_answers
from neraca.people.rating_task import RatingTasks
from neraca.phase import Phase, PhaseResult, PhaseResults
from neraca.reports.blocks.factors import MATRIX
from neraca.reports.formats.rating_html import RatingPage, languages, rating_page
from neraca.reports.formats.write import write_report
from neraca.reports.report import report
from neraca.reports.sentences.choice import doubt, nothing_chosen
from neraca.reports.sentences.undecided import missing_ratings
from neraca.reports.study_report import StudyPhase, write_study_report
from neraca.runs.ask import ask, ask_async
from neraca.runs.run import MANIFEST, Run
from neraca.runs.runner import AskOptions
from neraca.runs.study_record import PhaseRecord, StudyRecord, journal_bytes
from neraca.scores.export import run_totals, save_scores
from neraca.scores.score import score
from neraca.scores.scores import Scores
from neraca.settings import merge
from neraca.study_file import USERS, Study, read_questions, read_study, results_of
from neraca.study_matrix import cells_of
from neraca.targets.target import make_target
from neraca.translation import say, written_in
from neraca.verdicts.ratings import unrated

#: The metrics of a user study: of the hits that people rated, and of their grades of whole answers.
USER_METRICS = ("P@5", "RR", "Rubric(quality)")
#: Held while a study runs, because the working directory belongs to the whole process.
_RUNNING = threading.Lock()


def system_for_users(path: str | Path, name: str = "") -> tuple[str, Mapping[str, Any]]:
    """Return the name and the settings of the system that users ask: the named target, or the study's last choice.

    Raise `SpecError` if the study has chosen none or has no target of this name, and `RunError` if it has not run yet.
    """
    path = Path(path).resolve()
    results = run_study(path, StudyOptions(asks=False))
    targets = {target: settings for result in results for target, settings in result.settings.items()}
    chosen = name or next((result.winner for result in reversed(results) if result.winner), "")
    if not chosen:
        raise SpecError(
            say(
                "{file}: no phase has chosen a system; name the one that users ask: {targets}",
                file=path,
                targets=", ".join(targets),
            )
        )
    if chosen not in targets:
        raise SpecError(
            say(
                "{file}: no target is called {chosen!r}; {advice}",
                file=path,
                chosen=chosen,
                advice=nearest(chosen, targets),
            )
        )
    return chosen, targets[chosen]


def _ignore(_: str) -> None:
    """Do nothing: the remarks also stand in the results."""


@dataclass(frozen=True)
class StudyOptions:
    """Options for running a study.

    Attributes
    ----------
    phase
        Run only this phase (from 1), with earlier phases as they are on disk; 0: all phases.
    retry_failed
        Ask questions again whose answer failed or is suspect.
    anew
        Move existing runs aside and ask everything again.
    retry_undecided
        Judge an answer again if a judge left part of it undecided.
    asks
        Ask missing questions; False: use the answers on disk.
    so_far
        Score a phase that waits for ratings by the ratings that exist, if there are any.
    notice
        Called before anything is asked with each remark on the columns of the questions.
    """

    phase: int = 0
    retry_failed: bool = False
    anew: bool = False
    retry_undecided: bool = False
    asks: bool = True
    so_far: bool = False
    notice: Callable[[str], None] = _ignore


def run_study(
    path: str | Path,
    options: StudyOptions | None = None,
    progress: Callable[[str], Progress] = lambda title: silent,
) -> PhaseResults:
    """Ask, judge, score, compare and report; after an interruption, the same call continues.

    In a running event loop, as in a notebook, this works but blocks the loop; there `await run_study_async(…)` does
    not.

    Parameters
    ----------
    path
        The TOML file of the study.
    options
        The phase to run, and the treatment of earlier answers.
    progress
        Returns, for the title of a piece of work, the function that shows its progress.

    Raises
    ------
    NeracaError
        If the study, the questions or a run folder cannot be used, or another study is running in this process.

    Notes
    -----
    Paths in a study are relative to its file, whose folder is the working directory while it runs.
    """
    return _run(*_open(path), options or StudyOptions(), progress, ask)


async def run_study_async(
    path: str | Path,
    options: StudyOptions | None = None,
    progress: Callable[[str], Progress] = lambda title: silent,
) -> PhaseResults:
    """Run a study as `run_study` does, without blocking the running event loop: for notebooks and servers.

    Targets are asked in this event loop, as by `ask_async`; all else is done in a thread, which also calls `progress`.
    When the task is cancelled, finished answers and verdicts are kept, and the same call goes on.  While it runs, the
    folder of the study is the working directory of the whole process.  Parameters and errors are those of `run_study`.
    """
    loop = asyncio.get_running_loop()
    file, study, judges = await asyncio.to_thread(_open, path)
    tasks: list[asyncio.Task[Any]] = []

    async def ask_unless_stopped(*args: Any, **keywords: Any) -> Run:
        judges.session.check()
        tasks.extend(filter(None, [asyncio.current_task()]))
        return await ask_async(*args, **keywords)

    def ask_in_loop(*args: Any, **keywords: Any) -> Run:
        return asyncio.run_coroutine_threadsafe(ask_unless_stopped(*args, **keywords), loop).result()

    def stop() -> None:
        judges.session.stopping = True
        for task in tasks:
            task.cancel()

    return await in_thread(lambda: _run(file, study, judges, options or StudyOptions(), progress, ask_in_loop), stop)


@contextlib.contextmanager
def _only_study() -> Iterator[None]:
    """Raise `RunError` while another study runs."""
    if not _RUNNING.acquire(blocking=False):
        raise RunError(say("another study is running in this process; run studies one after the other"))
    try:
        yield
    finally:
        _RUNNING.release()


def _open(path: str | Path) -> tuple[Path, Study, JudgeSet]:
    """Read and check a study, and return it between its absolute path and its judges."""
    path = Path(path).resolve()
    with _only_study():
        study = read_study(path)
        with contextlib.chdir(path.parent):
            return path, study, JudgeSet.of(_with_language(study), study.models)


def _with_language(study: Study) -> dict[str, dict[str, Any]]:
    """Return the settings of the judges; a judge of numbers in text reads them in `score.language` if it names none."""
    return {
        name: {"language": study.score.language} | table
        if study.score.language and table.get("kind", name) == "rules" and not table.get("style")
        else dict(table)
        for name, table in study.judges.items()
    }


def _run(
    path: Path,
    study: Study,
    judges: JudgeSet,
    options: StudyOptions,
    progress: Callable[[str], Progress],
    ask_target: Callable[..., Run],
) -> PhaseResults:
    """Run the phases in the folder of the study; `ask_target` asks as `ask` does."""
    with _only_study(), contextlib.chdir(path.parent):
        if not 0 <= options.phase <= len(study.phases):
            raise SpecError(
                say("{file} has {n} phases, not {phase}", file=path, n=len(study.phases), phase=options.phase)
            )
        dataset = read_questions(path, study)
        for remark in dataset.column_notes:
            options.notice(remark)
        folder = results_of(path, study)
        targets: dict[str, dict[str, Any]] = {}
        base, results = dict(study.target), PhaseResults()
        judges.session.retry_undecided = options.retry_undecided
        for number, phase in enumerate(study.phases, start=1):
            if options.phase and number > options.phase:
                break
            settings = {name: merge(base, changes) for name, changes in phase.targets.items()}
            targets = settings or targets  # a phase that only rates chooses among the targets of the phase before
            steps = _Steps(study, phase, dataset, folder / phase.name, options, progress, judges, ask_target)
            before = results[-1].runs if results else ()
            result = steps.run(settings, before, asks=options.asks and options.phase in (0, number))
            result = replace(result.after(StudyRecord.read(folder), study.report.language), settings=targets)
            results.append(result)
            if result.winner:
                base = targets[result.winner]
            elif (phase.choose and phase.targets) or result.waits:
                break  # later phases need this winner or these ratings
        record = StudyRecord(
            name=study.name,
            language=study.report.language,
            phases=tuple(result.record(folder) for result in results),
        )
        users = _users_phase(study, folder)
        phases = [*(result.of_study(folder) for result in results), *([users] if users else [])]
        if len(phases) > 1 and study.phase:  # the report of a phase without a name stands where this one would
            files = write_study_report(folder, study.name, phases, study.report.formats)
            results[-1] = replace(results[-1], files=(*results[-1].files, *files))
            record = record.with_files(folder, files)
        record.write(folder)
        record_users(study, folder)
        return results


def _users_phase(study: Study, folder: Path) -> StudyPhase | None:
    """Report the user study and return it as a phase of the whole study's report; None if nobody asked and rated."""
    if not (folder / USERS / MANIFEST).is_file():
        return None
    layout = study.report
    name, scores, rated = _user_scores(study, folder)
    settings: dict[str, Any] = {"sections": layout.sections, "language": layout.language}
    summary = report(scores, title=f"{study.name}: {name}", primary=rated, **settings)
    files = [folder / f"{USERS}.{kind}" for kind in layout.formats]
    for file in files:
        write_report(file, summary)
    return StudyPhase(name, summary, link=next((file.name for file in files if file.suffix == ".html"), ""))


def _user_scores(study: Study, folder: Path) -> tuple[str, Scores, str]:
    """Return the title of the user study, its scores, and the first metric that has a value."""
    with written_in(study.report.language):
        name = say("User study")
    scores = score([Run(folder / USERS)], USER_METRICS, level=study.score.level, intervals=study.score.intervals)
    return name, scores, next((value.metric for value in scores.overall() if value.n), "")  # hits, answers or both


def record_users(study: Study, folder: Path) -> None:
    """Record the user study in the record of the whole study, if there are both."""
    record = StudyRecord.read(folder)
    if record is None or not (folder / USERS / MANIFEST).is_file():
        return
    name, scores, rated = _user_scores(study, folder)
    files = tuple(file.name for kind in study.report.formats if (file := folder / f"{USERS}.{kind}").is_file())
    users = PhaseRecord(
        name="",
        title=name,
        runs=(USERS,),
        metrics=tuple(map(str, scores.metrics)),
        primary=rated,
        files=files,
        totals={USERS: next(iter(run_totals(scores).values()), {})},  # the record names runs by their folders
        journals={USERS: journal_bytes(folder / USERS)},
    )
    msgspec.structs.replace(record, users=users).write(folder)


@dataclass(frozen=True)
class _Steps:
    study: Study
    phase: Phase
    dataset: Dataset
    folder: Path
    options: StudyOptions
    progress: Callable[[str], Progress]
    judges: JudgeSet
    ask_target: Callable[..., Run]

    def run(self, settings: Mapping[str, Mapping[str, Any]], before: Sequence[Run], *, asks: bool) -> PhaseResult:
        """Run one phase; `before` are the runs of the phase before it.  Without `asks`, use the answers on disk."""
        self.judges.session.check()
        for target in settings.values():
            make_target(target)  # report a wrong setting of any target before the first one is asked
        runs = [self._ask(name, target) if asks else self._existing_run(name) for name, target in settings.items()]
        if self.phase.rate:
            runs = runs or list(before)
            page = self.folder / "rating.html"
            with written_in(self.study.report.language):
                lacking = missing_ratings(runs, page)
            if lacking:
                self._write_rating_page(page, runs)
                if not self.options.so_far or all(len(unrated(run)) == len(run.answers()) for run in runs):
                    return PhaseResult(self.phase, tuple(runs), files=(page,), note=lacking, waits=True)
        judged = tuple(self.judges.judge(runs, self.progress))
        table = self.study.score
        declared = self.phase.choose or table.primary
        primary = str(Metric.of(declared)) if declared else ""
        scores = self._score(runs, table.metrics)
        if primary and primary not in scores.metrics:
            scores = self._score(runs, [*scores.metrics, primary])
        if levels := {name: cell.levels for name, cell in cells_of(self.study.matrix).items()}:
            scores = replace(scores, facts={**scores.facts, MATRIX: levels})
        save_scores(scores)
        differences: Sequence[Difference] = ()
        if len(runs) > 1:
            comparing = {name: getattr(table, name) for name in ("test", "correction", "seed", "margin", "bayes")}
            against = table.against if table.against in settings else ""
            differences = compare(scores, primary=primary, against=against, **comparing)
        title = f"{self.study.name}: {self.phase.name}" if self.phase.name else self.study.name
        layout = self.study.report
        reporting: dict[str, Any] = {"groups": table.groups, "sections": layout.sections, "language": layout.language}
        summary = report(scores, differences, title=title, primary=primary, **reporting)
        files = tuple(self.folder / name for name in self.study.report_files)
        for file in files:
            write_report(file, summary)
        winner = next(iter(ranking(scores, self.phase.choose)), "") if self.phase.choose else ""
        with written_in(layout.language):
            note = doubt(winner, [d for d in differences if d.metric == primary])
            if self.phase.choose and not winner:
                note = nothing_chosen(scores, primary)
        columns = tuple(self.dataset.column_notes)
        outcome = (scores, tuple(differences), summary, winner, files, note, judged, columns)
        return PhaseResult(self.phase, tuple(runs), *outcome)

    def _write_rating_page(self, file: Path, runs: Sequence[Run]) -> None:
        work, language = rate_answers(RatingTasks.of(runs)), checked_language(self.study.dataset.language)
        page = RatingPage(set=work.set, runs=work.run_keys, language=language if language in languages() else "en")
        write_atomic(file, rating_page(work.in_order(), page).encode())

    def _score(self, runs: Sequence[Run], metrics: Iterable[str | Metric]) -> Scores:
        table = self.study.score
        names = ("relevance", "by", "language", "intervals", "level", "unit", "correct", "sample")
        return score(runs, metrics, **{name: getattr(table, name) for name in names})

    def _existing_run(self, name: str) -> Run:
        try:
            return Run(self.folder / name)
        except RunError as error:
            raise RunError(
                say("phase {phase!r} was not run yet, run it first: {error}", phase=self.phase.name, error=error)
            ) from error

    def _ask(self, name: str, settings: Mapping[str, Any]) -> Run:
        table = self.study.asking
        options = AskOptions(table.concurrency, table.timeout, table.retries, self.options.retry_failed)
        return self.ask_target(
            self.dataset,
            settings,
            self.folder / name,
            options=options,
            trials=table.trials,
            anew=self.options.anew,
            progress=self.progress(f"{self.phase.name} {name}".strip()),
        )
