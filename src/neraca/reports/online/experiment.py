"""The report of an online experiment: what was decided, what it rests on, section by section; HTML and Markdown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from neraca.errors import SpecError
from neraca.files import write_atomic
from neraca.reports.formats.html import fill as fill_html
from neraca.reports.formats.markdown import fill as fill_markdown
from neraca.result import Table


@dataclass(frozen=True)
class Drawing:
    """An SVG of `reports/figures/svg.py` with its caption; Markdown has the table beside it instead."""

    caption: str
    svg: str

    @property
    def markup(self) -> Markup:
        """The drawing as what a page prints unchanged."""
        return Markup(self.svg)


@dataclass(frozen=True)
class ExperimentSection:
    """One section: drawings, sentences, tables; `name` is its anchor, `short` its word in the list of sections."""

    name: str
    short: str
    heading: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    drawings: tuple[Drawing, ...] = ()


@dataclass(frozen=True)
class ExperimentReport:
    """What an experiment says.

    Attributes
    ----------
    title
        Of the page.
    lead
        The decision, in a sentence.
    drawing
        The effect that it rests on; None without one.
    shown, unshown
        What the data show, and what they do not; "" without.
    notes
        What a reader must know before trusting it, the gravest first.
    """

    title: str
    lead: str
    sections: tuple[ExperimentSection, ...]
    drawing: Drawing | None = None
    shown: str = ""
    unshown: str = ""
    notes: tuple[str, ...] = ()


FORMATS: dict[str, Callable[[ExperimentReport], str]] = {
    ".html": lambda report: fill_html("experiment.html", report=report),
    ".md": lambda report: fill_markdown("experiment.md", report=report),
}


def check_experiment_file(path: Path | None) -> None:
    """Raise `SpecError` now for a format that there is not, and not when all is computed."""
    if path is not None and path.suffix.lower() not in FORMATS:
        raise SpecError(f"{path}: cannot tell the format; let the file's name end in {' or '.join(FORMATS)}")


def write_experiment(path: Path, report: ExperimentReport) -> None:
    """Write the report whole or not at all, in the format of the file's ending; raises `SpecError` for another."""
    check_experiment_file(path)
    write_atomic(path, FORMATS[path.suffix.lower()](report).encode())
