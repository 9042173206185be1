"""Styles, language, pages and fields of a Word document, for whatever python-docx has no call of its own."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from neraca.reports.formats.table_layout import TURNED, UPRIGHT
from neraca.reports.formats.visible_text import SUBSCRIPTED

#: Names of the styles: change one in Word, and every table or sentence of its kind changes.
LEAD, CELL, NUMBER, HEADING, NOTE, TABLE, PICTURE = (
    "Neraca Decision",
    "Neraca Table Text",
    "Neraca Table Number",
    "Neraca Table Heading",
    "Neraca Table Note",
    "Neraca Table",
    "Neraca Figure",
)
#: The type of tables, whose widths are the same on every machine, and its size in points.
FONT, SMALL = "Arial", 9
#: Language of a report → the language of Word's spelling checker.
_LOCALES = {"en": "en-GB", "id": "id-ID", "es": "es-ES"}
_MARGIN = 2.5
_RULES = """
<w:tblPr {w}><w:tblBorders><w:top w:val="single" w:sz="8" w:color="auto"/>
<w:bottom w:val="single" w:sz="8" w:color="auto"/></w:tblBorders>
<w:tblCellMar><w:left w:w="57" w:type="dxa"/><w:right w:w="57" w:type="dxa"/></w:tblCellMar></w:tblPr>
"""
_HEAD_RULE = """
<w:tblStylePr {w} w:type="firstRow"><w:tcPr><w:tcBorders>
<w:bottom w:val="single" w:sz="4" w:color="auto"/></w:tcBorders></w:tcPr></w:tblStylePr>
"""


def prepare(word: Any, language: str) -> None:
    """Set up the pages, the language and the styles of a new document."""
    from docx.enum.style import WD_STYLE_TYPE
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls, qn
    from docx.shared import Pt

    locale = _LOCALES.get(language, language)
    word.core_properties.language = locale
    tag = word.styles.element.find(".//" + qn("w:rPrDefault")).find(".//" + qn("w:lang"))
    tag.set(qn("w:val"), locale)
    word.styles["Caption"].font.size = Pt(SMALL)
    word.styles["Caption"].paragraph_format.space_before = Pt(6)
    word.styles["Caption"].paragraph_format.space_after = Pt(6)
    picture = word.styles.add_style(PICTURE, WD_STYLE_TYPE.PARAGRAPH)
    picture.base_style, picture.quick_style = word.styles["Normal"], True
    picture.paragraph_format.space_after = Pt(0)  # its caption stands close below it
    picture.paragraph_format.line_spacing = 1.0
    for name, based_on in ((LEAD, "Normal"), (CELL, "Normal"), (NUMBER, CELL), (HEADING, CELL), (NOTE, "Normal")):
        style = word.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = word.styles[based_on]
        style.quick_style = True
        if name != LEAD:
            style.font.name, style.font.size = FONT, Pt(SMALL)
            style.paragraph_format.space_after = Pt(8 if name == NOTE else 1)
            style.paragraph_format.space_before = Pt(2 if name == NOTE else 1)
            style.paragraph_format.line_spacing = 1.0
    word.styles[LEAD].font.bold = True
    word.styles[HEADING].font.bold = True
    word.styles[NUMBER].paragraph_format.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    style = word.styles.add_style(TABLE, WD_STYLE_TYPE.TABLE)
    style.base_style = word.styles["Normal Table"]
    for part in (_RULES, _HEAD_RULE):
        style.element.append(parse_xml(part.format(w=nsdecls("w")).strip()))
    set_page(word.sections[0], turned=False)
    footer = word.sections[0].footer.paragraphs[0]  # all further sections have the same
    footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
    _add_field(footer, "PAGE", "1")


def describe(word: Any, title: str) -> None:
    """Set the properties of the file, without any time, so that the same report is the same file."""
    properties = word.core_properties
    properties.title, properties.author, properties.last_modified_by = title[:255], "Neraca", "Neraca"
    properties.comments, properties.revision = "", 1
    for child in list(properties._element):
        if child.tag.rpartition("}")[2] in ("created", "modified"):
            properties._element.remove(child)


def without_times(content: bytes) -> bytes:
    """Return a .docx file whose parts have the time 1980-01-01, the earliest in a ZIP file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as parts, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name in parts.namelist():
            file.writestr(zipfile.ZipInfo(name), parts.read(name), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def set_page(section: Any, *, turned: bool) -> None:
    """Make the pages of a section A4, upright or turned."""
    from docx.enum.section import WD_ORIENT
    from docx.shared import Cm

    width, height = Cm(UPRIGHT + 2 * _MARGIN), Cm(TURNED + 2 * _MARGIN)
    section.orientation = WD_ORIENT.LANDSCAPE if turned else WD_ORIENT.PORTRAIT
    section.page_width, section.page_height = (height, width) if turned else (width, height)
    for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
        setattr(section, side, Cm(_MARGIN))


def add_number(paragraph: Any, words: str, sequence: str, number: int, bookmark: str) -> None:
    """Add the words and the number of a caption, counted by Word, inside a bookmark that references name."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
    for mark in (start, end):
        mark.set(qn("w:id"), str(number if sequence == "Table" else 10_000 + number))
    start.set(qn("w:name"), bookmark)
    paragraph._p.append(start)
    paragraph.add_run(f"{words} ")
    _add_field(paragraph, f"SEQ {sequence} \\* ARABIC", str(number))
    paragraph._p.append(end)


def add_reference(paragraph: Any, text: str, bookmark: str) -> None:
    """Add a reference to a caption, as a link that Word keeps up to date."""
    _add_field(paragraph, f"REF {bookmark} \\h", text)


def _add_field(paragraph: Any, instruction: str, text: str) -> None:
    """Add a field with the text that it has until Word updates it."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    for kind in ("begin", "instruction", "separate", "text", "end"):
        run = paragraph.add_run(text if kind == "text" else "")
        if kind == "instruction":
            element = OxmlElement("w:instrText")
            element.text = instruction
            element.set(qn("xml:space"), "preserve")
            run._r.append(element)
        elif kind != "text":
            element = OxmlElement("w:fldChar")
            element.set(qn("w:fldCharType"), kind)
            run._r.append(element)


def add_text(paragraph: Any, text: str, style: str | None = None) -> Any:
    """Add a text with the subscripts of its symbols, and return the paragraph."""
    for place, part in enumerate(SUBSCRIPTED.split(text)):  # texts, symbols and their subscripts in turn
        if part:
            paragraph.add_run(part, style=style).font.subscript = True if place % 3 == 2 else None
    return paragraph


def describe_picture(shape: Any, text: str) -> None:
    """Give a picture a description for screen readers."""
    shape._inline.docPr.set("descr", text)
