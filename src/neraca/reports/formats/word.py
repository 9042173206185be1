"""Blocks as a Word document: real headings, tables, captions and pictures, for a thesis that is written there."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from neraca.errors import MissingExtra, NeracaError
from neraca.reports.blocks.block import Cell, Document, Figure, Heading, Sentences, without_questions
from neraca.reports.figures.figures import by_itself
from neraca.reports.formats.escape import visible
from neraca.reports.formats.printing import print_figures
from neraca.reports.translation import say, written_in
from neraca.result import Table

#: Tables of more columns are set in smaller type, in points.
WIDE, SMALL = 7, 7.5


def to_word(document: Document) -> bytes:
    """Write a report as .docx; raises `MissingExtra` without the extra `docx`.

    Word draws no SVG by itself: figures are printed by a browser; without one the document says so at its end.  The
    answers to single questions are for other formats.
    """
    try:
        import docx
    except ImportError as error:
        raise MissingExtra('a Word document needs python-docx: pip install "neraca[docx]"') from error
    word = docx.Document()
    word.core_properties.title = visible(document.title)[:255]
    word.core_properties.author = "Neraca"
    with written_in(document.language):
        word.add_heading(visible(document.title), 0)
        pictures, problem = _pictures(document)
        for block in without_questions(document.blocks):
            match block:
                case Heading():
                    word.add_heading(visible(block.text), block.level - 1)
                case Sentences():
                    _say(word, block)
                case Table():
                    _tabulate(word, block) if block.columns else _state(word, block)
                case Figure():
                    _draw(word, block, pictures)
        if problem:
            word.add_paragraph(visible(say("The figures were left out: {error}", error=problem)))
    file = io.BytesIO()
    word.save(file)
    return file.getvalue()


def _say(word: Any, block: Sentences) -> None:
    if block.title:
        word.add_heading(visible(block.title), 2)
    for sentence in block.sentences:
        paragraph = word.add_paragraph(style="List Bullet" if block.kind == "list" else None)
        paragraph.add_run(visible(sentence)).bold = block.kind == "lead"


def _state(word: Any, facts: Table) -> None:
    """Add a list of facts."""
    if facts.title:
        word.add_heading(visible(facts.title), 2)
    for name, what in facts.rows:
        paragraph = word.add_paragraph(style="List Bullet")
        paragraph.add_run(f"{visible(name)}: ").bold = True
        paragraph.add_run(visible(what))


def _tabulate(word: Any, table: Table) -> None:
    """Add a table below its caption; the row of headings comes again on each page."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.oxml import OxmlElement
    from docx.shared import Pt

    if table.title:
        caption = word.add_paragraph(visible(table.title), style="Caption")
        caption.paragraph_format.keep_with_next = True
    grid = word.add_table(rows=1 + len(table.rows), cols=len(table.columns), style="Light List Accent 1")
    head = grid.rows[0]._tr.get_or_add_trPr()
    head.append(OxmlElement("w:tblHeader"))
    for number, cells in enumerate((table.columns, *table.rows)):
        for place, (cell, words) in enumerate(zip(grid.rows[number].cells, cells, strict=True)):
            paragraph = cell.paragraphs[0]
            parts = (words.text, f" {words.after}") if isinstance(words, Cell) and words.after else (words,)
            bold = number == 0 or (isinstance(words, Cell) and words.bold)
            for run in [paragraph.add_run(visible(part)) for part in parts]:
                run.font.size = Pt(SMALL) if len(table.columns) > WIDE else None
            paragraph.runs[0].bold = bold
            if place >= table.names:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    word.add_paragraph()


def _pictures(document: Document) -> tuple[Mapping[tuple[str, str], bytes], str]:
    """Print the figures; return them, and why there are none."""
    try:
        return print_figures([by_itself(figure) for figure in document.figures], [".png"]), ""
    except NeracaError as error:
        return {}, str(error)


def _draw(word: Any, figure: Figure, pictures: Mapping[tuple[str, str], bytes]) -> None:
    """Add a figure above its caption."""
    from docx.shared import Cm

    picture = pictures.get((figure.name, ".png"))
    if picture is None:
        return
    word.add_picture(io.BytesIO(picture), width=Cm(15.5))
    word.paragraphs[-1].paragraph_format.keep_with_next = True
    word.add_paragraph(visible(figure.caption), style="Caption")
