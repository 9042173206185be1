"""Write the report of a whole study: the result of each phase, and the system that it handed on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from neraca.number_format import integer, number, percent_level, span
from neraca.reports.blocks.block import Block, Cell, Document, Heading, Link, Sentence, Sentences
from neraca.reports.blocks.labelled import with_labels
from neraca.reports.comparison_blocks import primary_figure, section_blocks
from neraca.reports.formats.write import FORMATS, write_report
from neraca.reports.report import Report
from neraca.result import Parts, Table
from neraca.translation import say, say_all, written_in

#: The files that a study's report always has; it is also written in the formats that the study names.
FILES = ("report.html", "report.md")
#: The sections of each phase's report that the report of the study repeats.
DETAILS = ("metrics", "differences", "preferences", "counts", "judges", "words")


@dataclass(frozen=True)
class StudyPhase:
    """One phase.

    Attributes
    ----------
    name
        The name in the study file.
    report
        The report; None while the phase waits for ratings.
    winner, choose
        The chosen target and the metric of the choice; "" if none was chosen or there is nothing to choose.
    note
        A caution about the choice.
    link
        The address of the phase's report, or of the page on which it is rated; "" without one.
    """

    name: str
    report: Report | None = None
    winner: str = ""
    choose: str = ""
    note: str = ""
    link: str = ""

    @property
    def sentence(self) -> str:
        """The decision, or that the phase waits for people."""
        return self.report.decision.sentence if self.report else say("Not scored yet: people's ratings are missing.")

    @property
    def chosen(self) -> str:
        """The sentence about the system that was handed on, or ""."""
        if not self.report or not self.choose:
            return ""
        return (
            say("Chosen by {metric}: {winner}.", metric=self.choose, winner=self.winner)
            if self.winner
            else f"{self._note_as_sentence}."
        )

    @property
    def _note_as_sentence(self) -> str:
        """The note with a capital, unless it begins with the name of the chosen system."""
        begins_with_name = self.winner and self.note.startswith(self.winner)
        return self.note if begins_with_name else f"{self.note[:1].upper()}{self.note[1:]}"

    @property
    def titled_sentences(self) -> list[tuple[str, str]]:
        """Headings with sentences: what is shown, what is not, and what was chosen."""
        if not self.report:
            return []
        decision = self.report.decision
        choice = f"{self.winner}. {self._note_as_sentence}".strip() if self.winner else ""
        sentences = {
            say("Shown"): decision.shown,
            say("Not shown"): decision.unshown,
            say("Chosen by {metric}", metric=self.choose): choice,
        }
        return [(heading, sentence) for heading, sentence in sentences.items() if sentence]

    @property
    def cautions(self) -> tuple[str, ...]:
        """The two gravest cautions."""
        return self.report.notes[:2] if self.report else ()

    @property
    def link_words(self) -> str:
        """Words that name the target of the link."""
        return (
            say("The whole report of {name}", name=self.name)
            if self.report
            else say("The page on which {name} is rated", name=self.name)
        )


def study_document(title: str, phases: Sequence[StudyPhase]) -> Document:
    """Make the blocks of a study's report, in the language of its phases."""
    language = next((phase.report.language for phase in phases if phase.report), "en")
    with written_in(language):
        steps = [f"{phase.name}: {phase.sentence} {phase.chosen}".rstrip() for phase in phases]
        blocks: list[Block] = [Sentences(steps, "steps")]
        for number, phase in enumerate(phases, start=1):
            blocks += _phase(number, phase)
        blocks += [Heading(say("All systems"), "systems", say("All systems")), _systems(phases)]
    return Document(title, tuple(blocks), language)


def _phase(number: int, phase: StudyPhase) -> Iterator[Block]:
    yield Heading(say("Phase {n}: {name}", n=number, name=phase.name), f"phase-{number}", phase.name)
    yield Sentences((phase.sentence,), "lead")
    if phase.report:
        yield primary_figure(f"phase{number}", phase.report)
    titled: list[Block] = [Sentences((sentence,), "words", title) for title, sentence in phase.titled_sentences]
    if phase.cautions:
        titled.append(Sentences(phase.cautions, title=say("Before you trust it")))
    if phase.report:
        yield from with_labels(titled, phase.report.metric_labels, phase.report.runs)
        yield from _details(phase.name, phase.report)
    if phase.link:
        yield Sentences((Sentence(Link(phase.link_words, phase.link)),), "words")


def _details(phase: str, report: Report) -> Iterator[Block]:
    """Yield the tables and sentences of `DETAILS`; a page folds the tables, and each is named after its phase."""
    for block in with_labels(section_blocks(report, DETAILS), report.metric_labels, report.runs):
        match block:
            case Heading():
                yield Heading(block.text, level=3)
            case Table():
                name = f"{phase} {block.name}" if block.name else ""
                yield block._replace(depth=max(1, block.depth), name=name)
            case Sentences():
                yield block


def _systems(phases: Sequence[StudyPhase]) -> Table:
    """Make a table of the primary metric of every system in every phase."""
    caption = say(
        "Every system by the primary metric of its phase; values of other questions or metrics do not compare."
    )
    columns = say_all("Phase", "System", "Metric", "Mean and interval", "Questions", "Chosen")
    level = percent_level(next((phase.report.level for phase in phases if phase.report), 0.95))
    parts = Parts("", say("Mean"), say("{level} interval", level=level))
    return Table(columns, list(_system_rows(phases)), caption, names=3, name="systems", parts=parts)


def _system_rows(phases: Sequence[StudyPhase]) -> Iterator[tuple[str, ...]]:
    for phase in phases:
        for score in [cell.score for cell in phase.report.primary_row.cells] if phase.report else ():
            interval = span(score.low, score.high, 2)
            value = Cell(number(score.value), interval, note=f"n = {score.n:,}" if score.unscored else "")
            chosen = say("chosen") if score.run == phase.winner else ""
            yield phase.name, score.run, score.metric, value, integer(score.n), chosen


def write_study_report(
    folder: Path, title: str, phases: Sequence[StudyPhase], formats: Sequence[str] = ()
) -> tuple[Path, ...]:
    """Write the report of a study into its folder: as `FILES`, and in each of `formats`.

    Returns the files.
    """
    document = study_document(title, phases)
    more = [name for name in (f"report.{kind}" for kind in formats if f".{kind}" in FORMATS) if name not in FILES]
    files = tuple(folder / name for name in (*FILES, *more))
    for file in files:
        write_report(file, document)
    return files
