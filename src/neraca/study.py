"""A study: the whole pipeline from one TOML file.

    name = "Shop search"
    [dataset]
    file = "questions.csv"
    [target]                              # what all systems under test have in common
    kind = "http"
    url = "http://127.0.0.1:8000/chat"
    body = { message = "{query}", session_id = "{session}" }
    [[phase]]
    name = "search"
    choose = "nDCG@10"                    # the winner is the base of the next phase
    targets.vector.body.method = "vector"
    targets.hybrid.body.method = "hybrid"
    [judges.rules]
    [score]
    metrics = ["P@5", "nDCG@10"]

It calls the faces of the rooms below and holds no logic of theirs.
"""

from __future__ import annotations

import contextlib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from neraca.comparisons.compare import check_comparing, compare, primary_of, ranking
from neraca.comparisons.difference import Difference
from neraca.comparisons.equivalence import margins
from neraca.concurrency import Progress, silent
from neraca.datasets.columns import not_used
from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import checked_language, read_dataset
from neraca.datasets.text_encoding import read_text
from neraca.errors import InputError, RunError, SpecError, nearest
from neraca.files import name_everywhere, write_atomic
from neraca.judges.judge_set import JudgeSet, ModelsTable
from neraca.metrics.metric import Metric
from neraca.people.assignment import rate_answers
from neraca.people.rating_task import RatingTasks
from neraca.phase import Phase, PhaseResult, PhaseResults
from neraca.registry import load_file
from neraca.reports.rating_html import RatingPage, languages, rating_page
from neraca.reports.report import report
from neraca.reports.sentences_choice import doubt
from neraca.reports.study_report import write_study_report
from neraca.reports.undecided import missing_ratings
from neraca.reports.write import write_report
from neraca.runs.ask import ask
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions
from neraca.scores.export import save_scores
from neraca.scores.score import check_correcting, check_scoring, score
from neraca.scores.scores import Scores
from neraca.scores.unit import AUTO, tag_of
from neraca.settings import merge, read_settings
from neraca.targets.target import make_target


class DatasetTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[dataset]`: the file of questions, columns that are not recognised, judgments of relevance, the language."""

    file: str
    qrels: str | None = None
    columns: dict[str, str] = {}
    encoding: str | None = None
    sheet: str | None = None
    delimiter: str | None = None
    language: str = ""


class AskingTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[asking]`: how to ask; see `neraca.runs.runner.AskOptions`."""

    concurrency: int = 8
    timeout: float = 60.0
    retries: int = 3
    trials: int = 1


class ScoreTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[score]`: what to compute, whose word counts, by which tags to group, on which metric the decision rests."""

    metrics: list[str] = []
    relevance: str = "auto"
    by: str = ""
    groups: list[str] | None = None
    primary: str = ""
    level: float = 0.95
    intervals: str = "t"
    unit: str = AUTO
    test: str = "t"
    correction: str = "holm"
    seed: int = 0
    margin: float | dict[str, float] | None = None
    bayes: bool = False
    against: str = ""
    language: str = ""
    correct: str = ""
    sample: str | None = None


class UsersTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[users]`: a user study: how many questions each person asks, who is invited, how to rate."""

    questions: int = 10
    raters: list[str] = []
    guideline: str = ""
    grades: int = 2


class Study(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A study as written in TOML."""

    name: str
    dataset: DatasetTable
    target: dict[str, Any] = {}
    targets: dict[str, dict[str, Any]] = {}
    phase: list[Phase] = []
    asking: AskingTable = AskingTable()
    judges: dict[str, dict[str, Any]] = {}
    models: ModelsTable = ModelsTable()
    score: ScoreTable = ScoreTable()
    users: UsersTable = UsersTable()
    results: str = ""
    plugins: list[str] = []

    @property
    def phases(self) -> list[Phase]:
        """The phases; a study with `[targets]` alone has one, without a name."""
        alone = Phase(name="", targets=self.targets, choose=self.score.primary)
        return [alone] if self.targets else self.phase


_REPORTS = ("report.html", "report.md")


def read_study(path: str | Path) -> Study:
    """Read a study file; raises `InputError` or `SpecError` that say where and what to do."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such file; `neraca init` writes one to start from")
    try:
        study = read_settings(Study, tomllib.loads(read_text(path)), str(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from error
    for plugin in study.plugins:
        load_file(path.parent / plugin)
    _check(path, study)
    return study


def _check_phases(path: Path, study: Study) -> None:
    if bool(study.targets) == bool(study.phase):
        raise SpecError(f"{path}: write either [targets] or [[phase]] tables with targets")
    names = [phase.name for phase in study.phases]
    if len(set(names)) < len(names):
        raise SpecError(f"{path}: two phases are called {next(n for n in names if names.count(n) > 1)!r}")
    if study.phase and not study.phase[0].targets and study.phase[0].rate:
        raise SpecError(f"{path}: phase {names[0]!r} rates the answers of a phase before it, and there is none")
    for phase in study.phases:
        if not phase.targets and not phase.rate:
            raise SpecError(f"{path}: phase {phase.name!r} has no targets; write targets.NAME tables, or rate = true")
        for name in (phase.name or "all", *phase.targets):
            if not re.fullmatch(r"[\w+-][\w.+ -]*", name) or name.lower() in _REPORTS:
                raise SpecError(f"{path}: {name!r} cannot be the name of a folder; use letters, digits, - and _")
            if not name_everywhere(name):
                raise SpecError(f"{path}: {name!r} cannot be the name of a folder on Windows; choose another name")
        if phase.choose:
            Metric.of(phase.choose)


def _check(path: Path, study: Study) -> None:
    _check_phases(path, study)
    table = study.asking
    AskOptions(table.concurrency, table.timeout, table.retries)
    if table.trials < 1:
        raise SpecError(f"{path}: asking.trials is at least 1, not {table.trials}")
    checked_language(study.dataset.language)
    check_scoring(study.score.relevance, study.score.level, study.score.language, study.score.intervals)
    asked = study.score
    check_correcting(asked.correct, asked.sample, asked.relevance, asked.by)
    check_comparing(asked.test, asked.correction, asked.seed, asked.margin, asked.bayes, asked.against)
    if asked.against and not any(asked.against in phase.targets for phase in study.phases):
        raise SpecError(f"{path}: score.against is the name of a target, and none is called {asked.against!r}")
    metrics = [Metric.of(name) for name in (*study.score.metrics, *filter(None, [study.score.primary]))]
    for phase in study.phases if study.score.metrics else ():
        declared = phase.choose or study.score.primary
        scored = [*metrics, *map(Metric.of, filter(None, [declared]))]
        margins(study.score.margin, scored, str(primary_of(scored, declared)))
    with contextlib.chdir(path.parent):  # what judges read stands beside the study
        JudgeSet.of(study.judges, study.models)


def results_of(path: Path, study: Study) -> Path:
    """The folder of all that a study finds."""
    return path.parent / (study.results or f"results/{path.stem}")


def system_for_users(path: str | Path, name: str = "") -> tuple[str, Mapping[str, Any]]:
    """Return the name and the settings of the system that users ask: this one, or the last that the study chose.

    Raises `SpecError` where it chose none, or has none of this name, and `RunError` where it was not run yet.
    """
    path = Path(path).resolve()
    results = run_study(path, Options(asks=False))
    known = {target: settings for result in results for target, settings in result.settings.items()}
    chosen = name or next((result.winner for result in reversed(results) if result.winner), "")
    if not chosen:
        raise SpecError(f"{path}: no phase has chosen a system; name the one that users ask: {', '.join(known)}")
    if chosen not in known:
        raise SpecError(f"{path}: no target is called {chosen!r}; {nearest(chosen, known)}")
    return chosen, known[chosen]


def first_target(study: Study) -> dict[str, Any]:
    """Return the settings of the first target of a study."""
    targets = next((phase.targets for phase in study.phases if phase.targets), {})
    return merge(study.target, next(iter(targets.values()), {}))


@dataclass(frozen=True)
class Options:
    """How to run a study.

    Attributes
    ----------
    phase
        Only this one (from 1), on the winners of those before it as they stand on disk; 0: all.
    retry_failed
        Ask again what failed.
    anew
        Move existing runs aside and ask everything again.
    retry_undecided
        Where a judge left something undecided, ask it anew all about that answer.
    asks
        Ask what is missing; False: answers are taken as they stand on disk.
    """

    phase: int = 0
    retry_failed: bool = False
    anew: bool = False
    retry_undecided: bool = False
    asks: bool = True


def run_study(
    path: str | Path,
    options: Options | None = None,
    progress: Callable[[str], Progress] = lambda title: silent,
) -> PhaseResults:
    """Ask, judge, score, compare and report; killed and started again, it goes on.

    Parameters
    ----------
    path
        The TOML file; files that it names stand beside it.
    options
        Which phase, and what to do with earlier answers.
    progress
        From the title of a piece of work to whoever draws its progress.

    Raises
    ------
    NeracaError
        When the study, the questions or a run folder cannot be used.

    Notes
    -----
    Paths in a study are relative to its file; while it runs, its folder is the current one.
    """
    path, options = Path(path).resolve(), options or Options()
    study = read_study(path)
    with contextlib.chdir(path.parent):
        return _run(path, study, options, progress)


def _run(path: Path, study: Study, options: Options, progress: Callable[[str], Progress]) -> PhaseResults:
    if not 0 <= options.phase <= len(study.phases):
        raise SpecError(f"{path} has {len(study.phases)} phases, not {options.phase}")
    table = study.dataset
    dataset = read_dataset(
        table.file,
        columns=table.columns,
        encoding=table.encoding,
        sheet=table.sheet,
        delimiter=table.delimiter,
        qrels=table.qrels,
        language=table.language,
    )
    for tag in filter(None, [*(study.score.groups or []), tag_of(study.score.unit)]):
        if not any(tag in item.tags for item in dataset):
            known = dict.fromkeys(name for item in dataset for name in item.tags)
            raise SpecError(f"{path}: no question has the tag {tag!r} of [score]; {nearest(tag, known)}")
    folder = results_of(path, study)
    targets: dict[str, dict[str, Any]] = {}
    base, results, panel = dict(study.target), PhaseResults(), JudgeSet.of(study.judges, study.models)
    panel.session.retry_undecided = options.retry_undecided
    for number, phase in enumerate(study.phases, start=1):
        if options.phase and number > options.phase:
            break
        settings = {name: merge(base, changes) for name, changes in phase.targets.items()}
        targets = settings or targets  # a phase that only rates chooses among those of the phase before
        steps = _Steps(study, phase, dataset, folder / phase.name, options, progress, panel)
        before = results[-1].runs if results else ()
        result = steps.run(settings, before, asks=options.asks and options.phase in (0, number))
        results.append(replace(result, settings=targets))
        if result.winner:
            base = targets[result.winner]
        elif (phase.choose and phase.targets) or result.waits:
            break  # there is nothing for a later phase to stand on
    if len(results) > 1:
        phases = [result.of_study(folder) for result in results]
        results[-1] = replace(results[-1], files=(*results[-1].files, *write_study_report(folder, study.name, phases)))
    return results


@dataclass(frozen=True)
class _Steps:
    study: Study
    phase: Phase
    dataset: Dataset
    folder: Path
    options: Options
    progress: Callable[[str], Progress]
    panel: JudgeSet

    def run(self, settings: Mapping[str, Mapping[str, Any]], before: Sequence[Run], *, asks: bool) -> PhaseResult:
        """Do one phase, after another with runs `before`; with `asks` false its answers are taken as they are."""
        for target in settings.values():
            make_target(target)  # so that a mistake in the last one is told before the first is asked
        runs = [self._ask(name, target) if asks else self._asked(name) for name, target in settings.items()]
        if self.phase.rate:
            runs = runs or list(before)
            page = self.folder / "rating.html"
            if lacking := missing_ratings(runs, page):
                self._write_rating_page(page, runs)
                return PhaseResult(self.phase, tuple(runs), files=(page,), note=lacking, waits=True)
        judged = tuple(self.panel.judge(runs, self.progress))
        table = self.study.score
        declared = self.phase.choose or table.primary
        primary = str(Metric.of(declared)) if declared else ""
        scores = self._score(runs, table.metrics)
        if primary and primary not in scores.metrics:
            scores = self._score(runs, [*scores.metrics, primary])
        save_scores(scores)
        differences: Sequence[Difference] = ()
        if len(runs) > 1:
            how = {name: getattr(table, name) for name in ("test", "correction", "seed", "margin", "bayes")}
            against = table.against if table.against in settings else ""
            differences = compare(scores, primary=primary, against=against, **how)
        title = f"{self.study.name}: {self.phase.name}" if self.phase.name else self.study.name
        summary = report(scores, differences, title=title, primary=primary, groups=table.groups)
        files = tuple(self.folder / name for name in _REPORTS)
        for file in files:
            write_report(file, summary)
        winner = next(iter(ranking(scores, self.phase.choose)), "") if self.phase.choose else ""
        note = doubt(winner, [d for d in differences if d.metric == primary])
        if self.phase.choose and not winner:
            note = f"nothing was chosen: {primary} is not scored on any question that all targets answered"
        unused = not_used(self.dataset.unused)
        found = (scores, tuple(differences), summary, winner, files, note, judged, unused)
        return PhaseResult(self.phase, tuple(runs), *found)

    def _write_rating_page(self, file: Path, runs: Sequence[Run]) -> None:
        work, language = rate_answers(RatingTasks.of(runs)), checked_language(self.study.dataset.language)
        made = RatingPage(set=work.set, language=language if language in languages() else "en")
        write_atomic(file, rating_page(work.in_order(), made).encode())

    def _score(self, runs: Sequence[Run], metrics: Iterable[str | Metric]) -> Scores:
        table = self.study.score
        how = {"relevance": table.relevance, "by": table.by, "language": table.language, "intervals": table.intervals}
        level, unit, sample = table.level, table.unit, table.sample
        return score(runs, metrics, level=level, unit=unit, correct=table.correct, sample=sample, **how)

    def _asked(self, name: str) -> Run:
        try:
            return Run(self.folder / name)
        except RunError as error:
            raise RunError(f"phase {self.phase.name!r} was not run yet, run it first: {error}") from error

    def _ask(self, name: str, settings: Mapping[str, Any]) -> Run:
        table = self.study.asking
        asking = AskOptions(table.concurrency, table.timeout, table.retries, self.options.retry_failed)
        return ask(
            self.dataset,
            settings,
            self.folder / name,
            asking=asking,
            trials=table.trials,
            anew=self.options.anew,
            progress=self.progress(f"{self.phase.name} {name}".strip()),
        )
