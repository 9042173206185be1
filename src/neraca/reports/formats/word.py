"""Write blocks as a Word document: real headings, tables, captions and pictures, for a thesis written in Word."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from neraca.errors import MissingExtra, NeracaError
from neraca.reports.blocks.block import Cell, Document, Figure, Heading, Sentences, without_questions
from neraca.reports.figures.figures import standalone_picture
from neraca.reports.formats.printing import print_figures
from neraca.reports.formats.visible_text import visible
from neraca.reports.translation import say, written_in
from neraca.result import Table

#: Tables with more columns than `WIDE` are set in type of `SMALL` points.
WIDE, SMALL = 7, 7.5


def to_word(document: Document) -> bytes:
    """Write a report as .docx, without the answers to single questions; raise `MissingExtra` without the extra `docx`.

    Word cannot draw SVG, so a browser prints the figures.  Without a browser the document says so at its end.
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
                    _add_sentences(word, block)
                case Table():
                    _add_table(word, block) if block.columns else _add_facts(word, block)
                case Figure():
                    _add_figure(word, block, pictures)
        if problem:
            word.add_paragraph(visible(say("The figures were left out: {error}", error=problem)))
    file = io.BytesIO()
    word.save(file)
    return file.getvalue()


def _add_sentences(word: Any, block: Sentences) -> None:
    if block.title:
        word.add_heading(visible(block.title), 2)
    for sentence in block.sentences:
        paragraph = word.add_paragraph(style="List Bullet" if block.kind == "list" else None)
        paragraph.add_run(visible(sentence)).bold = block.kind == "lead"


def _add_facts(word: Any, facts: Table) -> None:
    """Add a list of facts."""
    if facts.title:
        word.add_heading(visible(facts.title), 2)
    for name, value in facts.rows:
        paragraph = word.add_paragraph(style="List Bullet")
        paragraph.add_run(f"{visible(name)}: ").bold = True
        paragraph.add_run(visible(value))


def _add_table(word: Any, table: Table) -> None:
    """Add a table below its caption; the headings are repeated on each page."""
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
        for place, (cell, text) in enumerate(zip(grid.rows[number].cells, cells, strict=True)):
            paragraph = cell.paragraphs[0]
            parts = (text.text, f" {text.after}") if isinstance(text, Cell) and text.after else (text,)
            bold = number == 0 or (isinstance(text, Cell) and text.bold)
            for run in [paragraph.add_run(visible(part)) for part in parts]:
                run.font.size = Pt(SMALL) if len(table.columns) > WIDE else None
            paragraph.runs[0].bold = bold
            if place >= table.names:
                paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    word.add_paragraph()


def _pictures(document: Document) -> tuple[Mapping[tuple[str, str], bytes], str]:
    """Print the figures; return them, and the reason if that failed."""
    try:
        return print_figures([standalone_picture(figure) for figure in document.figures], [".png"]), ""
    except NeracaError as error:
        return {}, str(error)


def _add_figure(word: Any, figure: Figure, pictures: Mapping[tuple[str, str], bytes]) -> None:
    """Add a figure above its caption."""
    from docx.shared import Cm

    picture = pictures.get((figure.name, ".png"))
    if picture is None:
        return
    word.add_picture(io.BytesIO(picture), width=Cm(15.5))
    word.paragraphs[-1].paragraph_format.keep_with_next = True
    word.add_paragraph(visible(figure.caption), style="Caption")
