"""Read the TOML file of a study, as in the example below, and check it.

name = "Shop search"
[dataset]
file = "questions.csv"
[target]                              # settings that all systems under test share
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
"""

from __future__ import annotations

import contextlib
import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from neraca.comparisons.compare import check_comparing, primary_of
from neraca.comparisons.equivalence import margins
from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import checked_language, read_dataset
from neraca.datasets.text_encoding import read_text
from neraca.errors import InputError, SpecError
from neraca.files import is_portable_name
from neraca.judges.judge_set import JudgeSet, ModelsTable
from neraca.metrics.aliases import split_names
from neraca.metrics.metric import Metric
from neraca.nearest import nearest
from neraca.phase import Phase
from neraca.registry import load_file
from neraca.reports.formats.write import check_writing
from neraca.runs.runner import AskOptions
from neraca.scores.score import check_correcting, check_scoring
from neraca.scores.unit import AUTO, tag_of
from neraca.settings import merge, read_settings
from neraca.study_matrix import cells_of, check_matrix
from neraca.translation import say


class DatasetTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[dataset]`: the file of questions, its columns and format, relevance judgments, and the language."""

    file: str
    qrels: str | None = None
    columns: dict[str, str | list[str]] = {}
    encoding: str | None = None
    sheet: str | None = None
    delimiter: str | None = None
    language: str = ""


class AskingTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[asking]`: limits for asking, see `neraca.runs.runner.AskOptions`, and the number of trials."""

    concurrency: int = 8
    timeout: float = 60.0
    retries: int = 3
    trials: int = 1


class ScoreTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[score]`: metrics, whose verdicts count, tags to group by, the primary metric, and options of comparisons."""

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


#: The run with the questions and ratings of a user study, in the results of the study, and the name of its reports.
USERS = "users"


class ReportTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[report]`: the language, the sections and the formats (`html`, `md`, `docx` …) of the reports."""

    language: str = "en"
    sections: list[str] = []
    formats: list[str] = msgspec.field(default_factory=lambda: ["html", "md"])


class UsersTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[users]`: a user study: questions for each person, raters, guideline, grades of hits and scale of quality."""

    questions: int = 10
    raters: list[str] = []
    guideline: str = ""
    grades: int | str = 2
    scale: str = ""


class Study(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A study as written in TOML."""

    name: str
    dataset: DatasetTable
    target: dict[str, Any] = {}
    targets: dict[str, dict[str, Any]] = {}
    phase: list[Phase] = []
    matrix: dict[str, dict[str, dict[str, Any]]] = {}
    asking: AskingTable = AskingTable()
    judges: dict[str, dict[str, Any]] = {}
    models: ModelsTable = ModelsTable()
    score: ScoreTable = ScoreTable()
    report: ReportTable = ReportTable()
    users: UsersTable = UsersTable()
    results: str = ""
    plugins: list[str] = []

    @property
    def phases(self) -> list[Phase]:
        """The phases; a study with `[targets]` or `[matrix]` has a single phase without a name."""
        targets = self.targets or {name: cell.settings for name, cell in cells_of(self.matrix).items()}
        single = Phase(name="", targets=targets, choose=self.score.primary)
        return [single] if targets else self.phase

    @property
    def report_files(self) -> tuple[str, ...]:
        """The names of the files of a report."""
        return tuple(f"report.{kind}" for kind in self.report.formats)


def read_study(path: str | Path) -> Study:
    """Read and check a study file; raise `InputError` or `SpecError` that say where the mistake is and what to do."""
    path = Path(path)
    if not path.is_file():
        raise InputError(say("{file}: no such file; `neraca init` writes one to start from", file=path))
    try:
        study = read_settings(Study, _with_lists(tomllib.loads(read_text(path))), str(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(say("{file}: not valid TOML: {error}", file=path, error=error)) from error
    for plugin in study.plugins:
        load_file(path.parent / plugin)
    _check(path, study)
    return study


def _with_lists(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a study with `metrics = "P@5 RR"`, as on the command line, as a list."""
    table = settings.get("score")
    names = table.get("metrics") if isinstance(table, dict) else None
    if not isinstance(table, dict) or not isinstance(names, str):
        return settings
    return {**settings, "score": {**table, "metrics": split_names(names)}}


def _check_phases(path: Path, study: Study) -> None:
    if [bool(study.targets), bool(study.phase), bool(study.matrix)].count(True) != 1:
        raise SpecError(
            say("{file}: write either [targets] or [[phase]] tables with targets, or a [matrix]", file=path)
        )
    check_matrix(study.matrix, str(path))
    names = [phase.name for phase in study.phases]
    if len(set(names)) < len(names):
        raise SpecError(
            say("{file}: two phases are called {name!r}", file=path, name=next(n for n in names if names.count(n) > 1))
        )
    if study.phase and not study.phase[0].targets and study.phase[0].rate:
        raise SpecError(
            say(
                "{file}: phase {name!r} rates the answers of an earlier phase, but comes first",
                file=path,
                name=names[0],
            )
        )
    for phase in study.phases:
        if not phase.targets and not phase.rate:
            raise SpecError(
                say(
                    "{file}: phase {phase!r} has no targets; write targets.NAME tables, or rate = true",
                    file=path,
                    phase=phase.name,
                )
            )
        for name in (phase.name or "all", *phase.targets):
            if not re.fullmatch(r"[\w+-][\w.+ -]*", name) or name.lower() in study.report_files:
                raise SpecError(
                    say(
                        "{file}: {name!r} cannot be the name of a folder; use letters, digits, - and _",
                        file=path,
                        name=name,
                    )
                )
            if not is_portable_name(name):
                raise SpecError(
                    say(
                        "{file}: {name!r} cannot be the name of a folder on Windows; choose another name",
                        file=path,
                        name=name,
                    )
                )
        if phase.choose:
            Metric.of(phase.choose)


def _check(path: Path, study: Study) -> None:
    _check_phases(path, study)
    asking = study.asking
    AskOptions(asking.concurrency, asking.timeout, asking.retries)
    if asking.trials < 1:
        raise SpecError(say("{file}: asking.trials must be at least 1, not {n}", file=path, n=asking.trials))
    checked_language(study.dataset.language)
    check_scoring(study.score.relevance, study.score.level, study.score.language, study.score.intervals)
    for name in study.report_files:
        check_writing(path.parent / name, study.report.sections, study.report.language)
    table = study.score
    check_correcting(table.correct, table.sample, table.relevance, table.by)
    check_comparing(table.test, table.correction, table.seed, table.margin, table.bayes, table.against)
    if table.against and not any(table.against in phase.targets for phase in study.phases):
        raise SpecError(
            say("{file}: score.against must name a target, and none is called {name!r}", file=path, name=table.against)
        )
    metrics = [Metric.of(name) for name in (*study.score.metrics, *filter(None, [study.score.primary]))]
    for phase in study.phases if study.score.metrics else ():
        declared = phase.choose or study.score.primary
        scored = [*metrics, *map(Metric.of, filter(None, [declared]))]
        margins(study.score.margin, scored, str(primary_of(scored, declared)))
    with contextlib.chdir(path.parent):  # files of judges are relative to the study
        JudgeSet.of(study.judges, study.models)


def read_questions(path: Path, study: Study) -> Dataset:
    """Read the questions; raise `SpecError` if none has a tag that the scores are grouped by."""
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
            tags = dict.fromkeys(name for item in dataset for name in item.tags)
            raise SpecError(
                say(
                    "{file}: no question has the tag {tag!r} of [score]; {advice}",
                    file=path,
                    tag=tag,
                    advice=nearest(tag, tags),
                )
            )
    return dataset


def results_of(path: Path, study: Study) -> Path:
    """Return the folder of all results of a study."""
    return path.parent / (study.results or f"results/{path.stem}")


def first_target(study: Study) -> dict[str, Any]:
    """Return the settings of the first target of a study."""
    targets = next((phase.targets for phase in study.phases if phase.targets), {})
    return merge(study.target, next(iter(targets.values()), {}))
