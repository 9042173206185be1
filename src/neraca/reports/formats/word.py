"""The report as a Word document: real headings, tables and captions, for a thesis that is written there."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from neraca.errors import MissingExtra, NeracaError
from neraca.reports.figures.figures import figures
from neraca.reports.formats.escape import visible
from neraca.reports.formats.printing import print_figures
from neraca.reports.formats.report_tables import ReportTable, method_sentences, paragraphs, report_tables
from neraca.reports.report import Report
from neraca.reports.translation import say

#: That of the primary metric, that of its differences, and the first pair question by question.
FIGURES = 3


def to_word(report: Report) -> bytes:
    """Write a report as .docx; raises `MissingExtra` without the extra `docx`.

    Word draws no SVG by itself: figures are printed by a browser; without one the document says so in their place.
    """
    try:
        import docx
    except ImportError as error:
        raise MissingExtra('a Word document needs python-docx: pip install "neraca[docx]"') from error
    document = docx.Document()
    document.core_properties.title = visible(report.title)[:255]
    document.core_properties.author = "Neraca"
    document.add_heading(visible(report.title), 0)
    for heading, sentences in paragraphs(report):
        _say(document, heading, sentences)
    document.add_heading(say("Tables"), 1)
    for table in report_tables(report):
        _add(document, table)
    document.add_heading(say("Figures"), 1)
    _draw(document, report)
    if any(section.name == "method" for section in report.sections):
        _say(document, say("Method"), method_sentences(report))
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def _say(document: Any, heading: str, sentences: Sequence[str]) -> None:
    if not heading:
        for sentence in sentences:
            document.add_paragraph().add_run(visible(sentence)).bold = True
        return
    document.add_heading(heading, 1)
    for sentence in sentences:
        document.add_paragraph(visible(sentence), style="List Bullet")


def _add(document: Any, table: ReportTable) -> None:
    """Add a table below its caption; the row of headings comes again on each page."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.oxml import OxmlElement

    caption = document.add_paragraph(visible(table.caption), style="Caption")
    caption.paragraph_format.keep_with_next = True
    grid = document.add_table(rows=1 + len(table.rows), cols=len(table.columns), style="Light List Accent 1")
    head = grid.rows[0]._tr.get_or_add_trPr()
    head.append(OxmlElement("w:tblHeader"))
    for number, cells in enumerate((table.columns, *table.rows)):
        for place, (cell, words) in enumerate(zip(grid.rows[number].cells, cells, strict=True)):
            paragraph = cell.paragraphs[0]
            paragraph.add_run(visible(words)).bold = number == 0 or (number - 1, place) in table.best
            if place >= table.names:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    document.add_paragraph()


def _draw(document: Any, report: Report) -> None:
    """Add the figures of the primary metric, each above its caption."""
    from docx.shared import Cm

    drawn = figures(report)[:FIGURES]
    try:
        pictures = print_figures(drawn, [".png"])
    except NeracaError as error:
        document.add_paragraph(visible(say("The figures were left out: {error}", error=error)))
        return
    for figure in drawn:
        document.add_picture(io.BytesIO(pictures[figure.name, ".png"]), width=Cm(15.5))
        document.paragraphs[-1].paragraph_format.keep_with_next = True
        document.add_paragraph(visible(figure.caption), style="Caption")
