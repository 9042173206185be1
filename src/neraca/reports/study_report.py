"""The report of a whole study: what each phase asked, what it found, and which system it handed on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from neraca.files import write_atomic
from neraca.number_format import integer, percent_level
from neraca.reports.figures.forest import metric_forest
from neraca.reports.formats.html import fill as fill_html
from neraca.reports.formats.markdown import fill as fill_markdown
from neraca.reports.formats.report_tables import ReportTable, value
from neraca.reports.report import Report
from neraca.reports.translation import say, say_all, written_in

FILES = ("report.html", "report.md")


@dataclass(frozen=True)
class StudyPhase:
    """One phase.

    Attributes
    ----------
    name
        As written in the study.
    report
        None where it waits for ratings.
    winner, choose
        The target chosen and the metric by which; "" where none was, or nothing is to be chosen.
    note
        What a reader must know of the choice.
    link
        From the study's report to that of the phase, or to the page on which it is rated; "" without one.
    """

    name: str
    report: Report | None = None
    winner: str = ""
    choose: str = ""
    note: str = ""
    link: str = ""

    @property
    def sentence(self) -> str:
        """What was decided, or that the phase waits for people."""
        return self.report.decision.sentence if self.report else say("Not scored yet: people's ratings are missing.")

    @property
    def chosen(self) -> str:
        """Which system was handed on, or ""."""
        if not self.report or not self.choose:
            return ""
        return (
            say("Chosen by {metric}: {winner}.", metric=self.choose, winner=self.winner)
            if self.winner
            else f"{self.note}."
        )

    @property
    def said(self) -> list[tuple[str, str]]:
        """What is shown, what is not, and what was chosen: headings and sentences."""
        if not self.report:
            return []
        decision = self.report.decision
        why = f"{self.winner}. {self.note}".strip() if self.winner else ""
        words = {
            say("Shown"): decision.shown,
            say("Not shown"): decision.unshown,
            say("Chosen by {metric}", metric=self.choose): why,
        }
        return [(heading, said) for heading, said in words.items() if said]

    @property
    def cautions(self) -> tuple[str, ...]:
        """The two gravest cautions."""
        return self.report.notes[:2] if self.report else ()

    @property
    def level(self) -> str:
        """The level of its intervals."""
        return percent_level(self.report.level) if self.report else ""

    @property
    def link_words(self) -> str:
        """What the link leads to."""
        return (
            say("The whole report of {name}", name=self.name)
            if self.report
            else say("The page on which {name} is rated", name=self.name)
        )


@dataclass(frozen=True)
class StudyReport:
    """The phases of a study in their order."""

    title: str
    phases: tuple[StudyPhase, ...]

    @property
    def language(self) -> str:
        """The language of the phases' reports."""
        return next((phase.report.language for phase in self.phases if phase.report), "en")

    def systems(self) -> ReportTable:
        """The primary metric of every system in every phase."""
        caption = say(
            "Every system by the primary metric of its phase; values of other questions or metrics do not compare."
        )
        columns = say_all("Phase", "System", "Metric", "Mean and interval", "Questions", "Chosen")
        return ReportTable("systems", caption, columns, tuple(self._rows()), names=3)

    def _rows(self) -> Iterator[tuple[str, ...]]:
        for phase in self.phases:
            row = next((row for row in phase.report.metrics if row.primary), None) if phase.report else None
            for cell in row.cells if row else ():
                score = cell.score
                chosen = say("chosen") if score.run == phase.winner else ""
                yield phase.name, score.run, score.metric, value(score), integer(score.n), chosen


def study_html(study: StudyReport) -> str:
    """Write the report of a study as a page."""
    rows = [next((row for row in p.report.metrics if row.primary), None) if p.report else None for p in study.phases]
    drawings = [
        Markup(metric_forest(f"phase{n}", row, phase.level)) if row else ""
        for n, (row, phase) in enumerate(zip(rows, study.phases, strict=True))
    ]
    return fill_html("study.html", study=study, drawings=drawings, systems=study.systems())


def study_markdown(study: StudyReport) -> str:
    """Write the report of a study as Markdown."""
    return fill_markdown("study.md", study=study, systems=study.systems())


def write_study_report(folder: Path, title: str, phases: Sequence[StudyPhase]) -> tuple[Path, ...]:
    """Write the report of a study in both formats into its folder; returns the files."""
    study = StudyReport(title, tuple(phases))
    files = tuple(folder / name for name in FILES)
    with written_in(study.language):
        for file, text in zip(files, (study_html(study), study_markdown(study)), strict=True):
            write_atomic(file, text.encode())
    return files
