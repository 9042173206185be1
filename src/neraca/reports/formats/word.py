"""Write blocks as a Word document: real headings, tables, captions and pictures, for a thesis written in Word."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from neraca.errors import MissingExtra, NeracaError
from neraca.reports.blocks.block import Block, Cell, Document, Figure, Heading, Sentences, is_section, on_paper
from neraca.reports.figures.figures import standalone_picture
from neraca.reports.formats.figure_layout import BESIDE, drawing_widths, figures_beside
from neraca.reports.formats.printing import print_figures
from neraca.reports.formats.table_layout import SENTENCE_END, UPRIGHT, Layout, printed
from neraca.reports.formats.visible_text import unbroken, visible
from neraca.reports.formats.word_styles import (
    CELL,
    HEADING,
    LEAD,
    NOTE,
    NUMBER,
    PICTURE,
    TABLE,
    add_number,
    add_reference,
    add_text,
    describe,
    describe_picture,
    prepare,
    set_page,
    without_times,
)
from neraca.result import Table
from neraca.translation import say, written_in

#: The width of a figure in pixels, 96 to the inch, so that its letters have the size of the document's; and the height
#: in centimetres that leaves room for its caption on a page.
TALLEST = 20
#: A table of so many rows stands on one page; a longer one breaks between its groups.
WHOLE = 16
#: So many last rows of a longer one stay together.
LAST = 4
#: The height in centimetres of a figure that stands after the tables of its section: before them it would leave the
#: page before it unfilled.
TALL = 12


def to_word(document: Document) -> bytes:
    """Write a report as .docx, without the answers to single questions; raise `MissingExtra` without the extra `docx`.

    Tables fit on their pages, which are turned if need be, and each interval has a column of its own.  Captions and
    pages are numbered by Word, and each section refers to its tables and figures.  All text has named styles.  Word
    cannot draw SVG, so a browser prints the figures.  Without a browser the document says so at its end.
    """
    try:
        import docx
    except ImportError as error:
        raise MissingExtra('a Word document needs python-docx: pip install "neraca[docx]"') from error
    word = docx.Document()
    describe(word, visible(document.title))
    prepare(word, document.language)
    with written_in(document.language):
        word.add_heading(visible(document.title), 0)
        pictures, problem = _pictures(document)
        writer = _Writer(word, pictures)
        for part in _in_order(document, pictures):
            writer.write(part)
        if problem:
            writer.turn(turned=False)
            word.add_paragraph(visible(say("The figures were left out: {error}", error=problem)))
    file = io.BytesIO()
    word.save(file)
    return without_times(file.getvalue())


@dataclass(frozen=True)
class _Caption:
    """A numbered caption; its label is what references say."""

    words: str
    sequence: str
    number: int
    text: str

    @property
    def label(self) -> str:
        return f"{self.words} {self.number}"

    @property
    def bookmark(self) -> str:
        return f"{self.sequence}_{self.number}"


@dataclass(frozen=True)
class _Part:
    """A block in its place, with the captions to which it refers, or its own.

    It may stand on a turned page, or be a figure `beside` the figure before or after it.

    `introduces`: its last line stays with the table, figure or smaller heading after it.  `before_figure`: the next
    part is a figure.
    """

    content: Block | Layout
    caption: _Caption | None = None
    refers: tuple[_Caption, ...] = ()
    turned: bool = False
    beside: bool = False
    introduces: bool = False
    before_figure: bool = False


def _in_order(document: Document, pictures: Mapping[tuple[str, str], bytes]) -> Iterator[_Part]:
    """Yield the parts of the document; the first block of each section refers to the section's tables and figures."""
    sections: list[list[_Part]] = [[]]
    numbers: Iterator[int] = itertools.count()

    def caption(sequence: str, text: str) -> _Caption:
        return _Caption(say(sequence), sequence, next(numbers), visible(text))

    pairs = figures_beside(document)
    beside = {*pairs, *pairs.values()}
    runs = next((block.runs for block in document.blocks if isinstance(block, Table) and block.runs), ())
    for block in on_paper(document.blocks):
        if is_section(block) and sections[-1]:
            sections.append([])
        if isinstance(block, Table) and block.columns:
            for layout in printed(block, runs):
                sections[-1].append(_Part(layout, caption("Table", layout.table.title), turned=layout.turned))
        elif isinstance(block, Figure):
            if (block.name, ".png") in pictures:
                sections[-1].append(_Part(block, caption("Figure", block.caption), beside=block.name in beside))
        else:
            sections[-1].append(_Part(block))
    wide = [_wide(section) for section in sections]
    upright = [[part for part in section if part not in moved] for section, moved in zip(sections, wide, strict=True)]
    in_place = [_tall_last(section, pictures) for section in upright]
    last = [part for section, moved in zip(sections, wide, strict=True) for part in _below_heading(section, moved)]
    number = _numbers([*itertools.chain(*in_place, last)])
    for section, moved in zip(in_place, wide, strict=True):
        yield from _with_references(_introducing(_turned(section)), moved, number)
    if last:
        yield _Part(Heading(say("Wide tables")), turned=True)
        yield from (replace(part, caption=part.caption and number[part.caption]) for part in last)


def _wide(section: Sequence[_Part]) -> list[_Part]:
    """Return the turned tables of a section that stand at the end of the document, all together.

    A turned page leaves the page before it unfilled.  A table below a smaller heading of its own stays there.
    """
    befores = (None, *(part.content for part in section))
    return [
        part
        for part, before in zip(section, befores, strict=False)
        if part.turned and (not isinstance(before, Heading) or is_section(before))
    ]


def _tall_last(section: Sequence[_Part], pictures: Mapping[tuple[str, str], bytes]) -> list[_Part]:
    """Put each tall figure after the tables that follow it."""
    parts: list[_Part] = []
    tall: list[_Part] = []
    for part in section:
        content = part.content
        if tall and not isinstance(content, Layout):
            parts, tall = [*parts, *tall], []
        is_tall = isinstance(content, Figure) and not part.beside and _height(pictures[content.name, ".png"]) > TALL
        (tall if is_tall else parts).append(part)
    return [*parts, *tall]


def _height(picture: bytes) -> float:
    """Return the height in centimetres of a PNG that is as wide as the text."""
    width, height = (int.from_bytes(picture[start : start + 4]) for start in (16, 20))
    return UPRIGHT * height / width


def _below_heading(section: Sequence[_Part], moved: Sequence[_Part]) -> list[_Part]:
    """Return the moved tables of a section below its heading."""
    heading = section[0].content if section else None
    if not moved or not isinstance(heading, Heading):
        return [*moved]
    return [_Part(Heading(heading.text, level=3), turned=True), *moved]


def _numbers(parts: Sequence[_Part]) -> dict[_Caption, _Caption]:
    """Return each caption with its number in the order in which they stand."""
    counts = {"Table": 0, "Figure": 0}
    numbered = {}
    for caption in (part.caption for part in parts if part.caption):
        counts[caption.sequence] += 1
        numbered[caption] = replace(caption, number=counts[caption.sequence])
    return numbered


def _turned(section: Sequence[_Part]) -> list[_Part]:
    """Put what introduces a turned table on its page, and all between two of them that have no figure between them."""
    parts = list(section)
    places = [place for place, part in enumerate(parts) if part.turned]
    for first, last in pairwise(places):
        if not any(isinstance(part.content, Figure) for part in parts[first:last]):
            parts[first:last] = [replace(part, turned=True) for part in parts[first:last]]
    for place in range(len(parts) - 2, -1, -1):
        if parts[place + 1].turned and isinstance(parts[place].content, Heading | Sentences):
            parts[place] = replace(parts[place], turned=True)
    return parts


def _introducing(section: Sequence[_Part]) -> list[_Part]:
    """Mark the parts before a figure, and the sentences before a table, a figure or the first smaller heading.

    Sentences below a smaller heading do not stay with the next one: the whole chain would have to stand on one page.
    """
    parts: list[_Part] = []
    is_below_smaller = False
    for part, after in zip(section, (*section[1:], None), strict=True):
        is_below_smaller |= isinstance(part.content, Heading) and not is_section(part.content)
        content = after.content if after else None
        opens = isinstance(content, Heading) and not is_section(content) and not is_below_smaller
        follows = isinstance(content, Layout | Figure) or opens
        introduces = isinstance(part.content, Sentences) and follows
        parts.append(replace(part, introduces=introduces, before_figure=isinstance(content, Figure)))
    return parts


def _with_references(
    section: Sequence[_Part], moved: Sequence[_Part], number: Mapping[_Caption, _Caption]
) -> Iterator[_Part]:
    """Yield the parts with the numbers of their captions; the first one refers to all, and to the `moved` tables."""
    captions = tuple(number[part.caption] for part in (*section, *moved) if part.caption)
    for place, part in enumerate(section):
        own = number[part.caption] if part.caption else None
        yield replace(part, caption=own, refers=captions if place == 0 else ())


@dataclass
class _Writer:
    """Writes parts one after the other, and turns the page where the next part needs it."""

    word: Any
    pictures: Mapping[tuple[str, str], bytes]
    is_turned: bool = False
    free_cell: Any = None

    def write(self, part: _Part) -> None:
        self.turn(turned=part.turned)
        match part.content:
            case Heading() as heading:
                self._heading(heading.text, heading.level - 1)
            case Sentences() as sentences:
                self._sentences(sentences, introduces=part.introduces)
            case Layout() as layout:
                self._table(layout, part.caption)
            case Table() as facts:
                self._facts(facts)
            case Figure() as figure:
                self._figure(figure, part.caption, beside=part.beside)
        if part.refers:
            self._references(part.refers, before_figure=part.before_figure)

    def turn(self, *, turned: bool) -> None:
        """Begin a new page if the next part needs the other kind."""
        if turned != self.is_turned:
            set_page(self.word.add_section(), turned=turned)
            self.is_turned = turned

    def _heading(self, text: str, level: int) -> None:
        self.word.add_heading(visible(text), level).paragraph_format.keep_with_next = True

    def _references(self, captions: Sequence[_Caption], *, before_figure: bool) -> None:
        before, _, after = say("See {references}.", references="\0").partition("\0")
        paragraph = self.word.add_paragraph(before)
        for place, caption in enumerate(captions):
            paragraph.add_run(", " if place else "")
            add_reference(paragraph, caption.label, caption.bookmark)
        paragraph.add_run(after)
        # Before a figure it stays with its heading alone: LibreOffice would leave the heading behind.
        paragraph.paragraph_format.keep_with_next = not before_figure

    def _caption(self, caption: _Caption | None, *, before: bool, place: Any = None) -> None:
        """Add a caption; that of a table ends with its first sentence, the others stand below the table."""
        if caption is None:
            return
        paragraph = (place or self.word).add_paragraph(style="Caption")
        add_number(paragraph, caption.words, caption.sequence, caption.number, caption.bookmark)
        text = SENTENCE_END.split(caption.text, maxsplit=1)[0] if before else caption.text
        add_text(paragraph, f". {text}" if text else "")
        paragraph.paragraph_format.keep_with_next = before

    def _sentences(self, block: Sentences, *, introduces: bool) -> None:
        if block.title:
            self._heading(block.title, 2)
        styles = {"lead": LEAD, "list": "List Bullet", "steps": "List Number"}
        for place, sentence in enumerate(block.sentences, start=1):
            paragraph = self.word.add_paragraph(style=styles.get(block.kind))
            add_text(paragraph, visible(unbroken(sentence)))
            if introduces and place == len(block.sentences):
                paragraph.paragraph_format.keep_with_next = True

    def _facts(self, facts: Table) -> None:
        if facts.title:
            self._heading(facts.title, 2)
        for name, value in facts.rows:
            paragraph = self.word.add_paragraph(style="List Bullet")
            paragraph.add_run(f"{visible(name)}: ", style="Strong")
            add_text(paragraph, visible(value))

    def _table(self, layout: Layout, caption: _Caption | None) -> None:
        """Add a table below its caption; a short one stays whole, of a longer one no row or group is broken.

        The headings are repeated on each page, and the notes below stay with the last row.
        """
        from docx.oxml import OxmlElement
        from docx.shared import Cm

        self._caption(caption, before=True)
        table = layout.table
        _, *notes = SENTENCE_END.split(caption.text if caption else "", maxsplit=1)
        grid = self.word.add_table(rows=1 + len(table.rows), cols=len(table.columns), style=TABLE)
        grid.autofit = False
        for column, width in zip(grid.columns, layout.widths, strict=True):
            column.width = Cm(width)
        grid.rows[0]._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
        for number, (row, cells) in enumerate(zip(grid.rows, (table.columns, *table.rows), strict=True)):
            row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
            for place, (cell, text, width) in enumerate(zip(row.cells, cells, layout.widths, strict=True)):
                cell.width = Cm(width)
                _fill(cell.paragraphs[0], text, is_head=number == 0, is_number=place >= table.names)
                keeps = number == 0 or _goes_on(table.rows, number, has_notes=bool(notes))
                cell.paragraphs[0].paragraph_format.keep_with_next = keeps
        add_text(self.word.add_paragraph(style=NOTE), " ".join(notes))

    def _figure(self, figure: Figure, caption: _Caption | None, *, beside: bool) -> None:
        """Add a figure above its caption, as wide as the text or half of it, or as high as a page allows."""
        from docx.shared import Cm

        place = self._cell() if beside else self.word
        paragraph = place.paragraphs[0] if beside else self.word.add_paragraph()
        paragraph.style = PICTURE
        picture = io.BytesIO(self.pictures[figure.name, ".png"])
        shape = paragraph.add_run().add_picture(picture, width=Cm(BESIDE if beside else UPRIGHT))
        if shape.height > Cm(TALLEST):
            shape.width, shape.height = round(shape.width * Cm(TALLEST) / shape.height), Cm(TALLEST)
        describe_picture(shape, visible(figure.caption))
        paragraph.paragraph_format.keep_with_next = True
        self._caption(caption, before=False, place=place)

    def _cell(self) -> Any:
        """Return the place of the next of two figures beside each other: a cell of a row that no page breaks."""
        from docx.oxml import OxmlElement

        if self.free_cell is None:
            (row,) = self.word.add_table(rows=1, cols=2).rows
            row._tr.get_or_add_trPr().append(OxmlElement("w:cantSplit"))
            first, self.free_cell = row.cells
            return first
        second, self.free_cell = self.free_cell, None
        return second


def _goes_on(rows: Sequence[Sequence[str]], number: int, *, has_notes: bool) -> bool:
    """Whether this row, counted from 1, stays with what follows: a row of its group or of a short table, or notes.

    The last rows stay together, so that no page has one of them alone.
    """
    if number == len(rows):
        return has_notes
    return len(rows) <= WHOLE or number > len(rows) - LAST or not rows[number][0]


def _fill(paragraph: Any, text: str, *, is_head: bool, is_number: bool) -> None:
    """Write the text of a cell in the style of its kind; what the table marks as best is strong."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH

    paragraph.style = HEADING if is_head else NUMBER if is_number else CELL
    if is_head and is_number:
        paragraph.alignment = WD_ALIGN_PARAGRAPH.RIGHT
    if isinstance(text, Cell) and text.after:
        add_text(paragraph, visible(text.text), "Strong" if text.bold else None)
        paragraph.add_run(f" {visible(unbroken(text.after))}")
    else:
        add_text(paragraph, visible(text), "Strong" if isinstance(text, Cell) and text.bold else None)


def _pictures(document: Document) -> tuple[Mapping[tuple[str, str], bytes], str]:
    """Print the figures; return them, and the reason if that failed."""
    try:
        pictures = [standalone_picture(figure, width) for figure, width in drawing_widths(document).items()]
        return print_figures(pictures, [".png"]), ""
    except NeracaError as error:
        return {}, str(error)
