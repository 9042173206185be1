"""A phase of a study: what is varied in it, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from neraca.comparisons.difference import Difference
from neraca.judges.judge_set import MemberResult, notes_of
from neraca.reports.report import Report
from neraca.reports.study_report import StudyPhase
from neraca.result import Results, Table, Tabular
from neraca.runs.run import Run
from neraca.scores.scores import Scores


class Phase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[phase]]`: one thing that is varied, or (`rate = true`) people's ratings of what came before."""

    name: str
    targets: dict[str, dict[str, Any]] = {}
    choose: str = ""
    rate: bool = False


@dataclass(frozen=True, repr=False)
class PhaseResult(Tabular):
    """What a phase found.

    Attributes
    ----------
    phase
        As written in the study.
    runs
        One per target, in the study's order; of a phase of ratings without targets those of the phase before.
    scores, differences
        None and empty where there is nothing to score.
    report
        What was found, in numbers and words.
    winner
        The target chosen, or "".
    files
        The reports written.
    note
        What a reader must know of the choice, or of ratings.
    judged
        What each judge did to each run.
    unused
        What to say of columns of the questions that are not used, or "".
    waits
        Whether people's ratings are missing, on which this phase and all later ones wait.
    settings
        Name of a target → its whole settings, also of those of the phase before where this one only rates.
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
    unused: str = ""
    waits: bool = False
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of_study(self, folder: Path) -> StudyPhase:
        """Return what the report of the whole study in `folder` says of this phase."""
        page = next((file for file in self.files if file.suffix == ".html"), None)
        link = page.relative_to(folder).as_posix() if page else ""
        phase = self.phase
        return StudyPhase(phase.name, self.report, self.winner, phase.choose, self.note, link)

    @property
    def notes(self) -> list[str]:
        """What a reader must know of columns that are not used, and of how answers were judged."""
        return [*filter(None, [self.unused]), *notes_of(self.judged)]

    @property
    def unanswered(self) -> int:
        """Questions without an answer: not asked, or failed."""
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
        """A row for every metric of every run, with the name of the phase first."""
        return [{"phase": self.phase.name, **row} for row in (self.scores.rows() if self.scores else ())]


class PhaseResults(Results[PhaseResult]):
    """What the phases of a study found, one after the other."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        for result in self:
            yield from result._tables()

    def _sentences(self) -> Iterator[str]:
        for result in self:
            yield from result._sentences()

    def rows(self) -> list[dict[str, Any]]:
        """The rows of all phases."""
        return [row for result in self for row in result.rows()]
