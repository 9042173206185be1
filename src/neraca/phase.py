"""A phase of a study: its targets, and its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from neraca.comparisons.difference import Difference
from neraca.judges.judge_set import MemberResult, notes_of
from neraca.reports.report import Report
from neraca.reports.sentences.choice import chosen_anew
from neraca.reports.study_report import StudyPhase
from neraca.result import Results, Table, Tabular
from neraca.runs.run import Run
from neraca.runs.study_record import PhaseRecord, StudyRecord, journal_bytes
from neraca.scores.export import run_totals
from neraca.scores.scores import Scores
from neraca.translation import written_in


class Phase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[phase]]`: targets that vary one thing, or (`rate = true`) people's ratings of the phase before."""

    name: str
    targets: dict[str, dict[str, Any]] = {}
    choose: str = ""
    rate: bool = False


@dataclass(frozen=True, repr=False)
class PhaseResult(Tabular):
    """The results of a phase.

    Attributes
    ----------
    phase
        The phase as written in the study.
    runs
        One run per target, in the study's order; for a phase of ratings without targets, the runs of the phase before.
    scores, differences
        None and empty if there is nothing to score.
    report
        The results in numbers and words.
    winner
        The target chosen, or "".
    files
        The reports written.
    note
        A remark on the choice or on missing ratings, or "".
    judged
        The result of each judge for each run.
    columns
        Remarks on the columns of the questions: which are constraints, and which are not used.
    waits
        Whether this phase and all later ones wait for people's ratings.
    settings
        Name of a target → its whole settings; for a phase that only rates, the settings of the phase before.
    chosen_before
        The target chosen before this one, or "".
    """

    phase: Phase
    runs: tuple[Run, ...] = ()
    scores: Scores | None = None
    differences: tuple[Difference, ...] = ()
    report: Report | None = None
    winner: str = ""
    files: tuple[Path, ...] = ()
    note: str = ""
    judged: tuple[MemberResult, ...] = ()
    columns: tuple[str, ...] = ()
    waits: bool = False
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    chosen_before: str = ""

    def after(self, earlier: StudyRecord | None, language: str) -> PhaseResult:
        """Return the result with a remark, in this language, if the study chose another target here before."""
        before = earlier.chosen_before(self.phase.name, self.winner) if earlier and self.winner else ""
        if not before or self.scores is None:
            return self
        with written_in(language):
            note = "; ".join(filter(None, (chosen_anew(before, self.scores), self.note)))
        return replace(self, chosen_before=before, note=note)

    def of_study(self, folder: Path) -> StudyPhase:
        """Return the data on this phase for the report of the whole study in `folder`."""
        page = next((file for file in self.files if file.suffix == ".html"), None)
        link = page.relative_to(folder).as_posix() if page else ""
        phase = self.phase
        return StudyPhase(phase.name, self.report, self.winner, phase.choose, self.note, link)

    def record(self, folder: Path) -> PhaseRecord:
        """Return the record of this phase for the study in `folder`."""
        runs = self.runs if self.phase.targets or not self.phase.rate else ()
        totals = run_totals(self.scores) if self.scores else {}
        return PhaseRecord(
            name=self.phase.name,
            runs=tuple(run.name for run in runs),
            metrics=tuple(map(str, self.scores.metrics)) if self.scores else (),
            primary=self.report.primary if self.report else "",
            chosen=self.winner,
            chosen_before=self.chosen_before,
            note=self.note,
            files=tuple(file.relative_to(folder).as_posix() for file in self.files if file.is_relative_to(folder)),
            totals={run.name: totals[run.name] for run in runs if run.name in totals},
            journals={run.name: journal_bytes(run.path) for run in runs},
        )

    @property
    def notes(self) -> list[str]:
        """Remarks on the columns of the questions, and on how the answers were judged."""
        return [*self.columns, *notes_of(self.judged)]

    @property
    def stops(self) -> bool:
        """Whether the phase should have chosen a target and could not, so that later phases have nothing to use."""
        return bool(self.phase.choose and self.scores is not None and not self.winner)

    @property
    def unanswered(self) -> int:
        """Number of questions without an answer: not asked, or failed."""
        return sum(run.unanswered() for run in self.runs)

    def _tables(self) -> Iterator[Table]:
        title = self.phase.name or "all items"
        if self.scores is not None:
            yield self.scores.overall().table()._replace(title=title)

    def _sentences(self) -> Iterator[str]:
        if self.report is not None:
            yield self.report.finding.headline
        if self.winner:
            yield f"chosen: {self.winner}"
        yield from filter(None, (self.note, *(f"report: {file}" for file in self.files)))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for every metric of every run, with the name of the phase first."""
        return [{"phase": self.phase.name, **row} for row in (self.scores.rows() if self.scores else ())]


class PhaseResults(Results[PhaseResult]):
    """The results of the phases of a study, in order."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        for result in self:
            yield from result._tables()

    def _sentences(self) -> Iterator[str]:
        for result in self:
            yield from result._sentences()

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of all phases."""
        return [row for result in self for row in result.rows()]
