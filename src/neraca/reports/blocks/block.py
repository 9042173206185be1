"""The blocks of which every report is made: they hold data and finished sentences, and know no format.

A new kind of report is a function that returns a `Document`; `formats/` draws its blocks in every format.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from neraca.number_format import integer
from neraca.reports.blocks.questions import Question
from neraca.reports.formats.visible_text import line
from neraca.reports.savable import Savable
from neraca.result import Table
from neraca.translation import say

#: The name of the section whose questions formats for print leave out.
QUESTIONS = "questions"
#: On paper: the sentences of a long list that are shown in its place, and the most of a list that is not cut.
_FIRST_ON_PAPER, _MOST_ON_PAPER = 5, 8


class Named(NamedTuple):
    """A text in a sentence exactly as the data have it, such as the id of a question.

    `question` is the number of the question to which a page can link; 0: none.
    """

    text: str
    question: int = 0

    @property
    def words(self) -> str:
        """The text, for a format without links."""
        return self.text


class Link(NamedTuple):
    """Words that link a page to another file."""

    text: str
    address: str

    @property
    def words(self) -> str:
        """The words and the address, for a format without links."""
        return f"{self.text}: {self.address}"


class Sentence(str):
    """A sentence made of words and names; a sentence without names is a plain string.

    >>> Sentence("The lowest: ", Named("q7", 7), ".")
    'The lowest: q7.'
    """

    parts: tuple[str | Named | Link, ...]

    def __new__(cls, *parts: str | Named | Link) -> Sentence:
        """Join the parts and keep them."""
        sentence = super().__new__(cls, "".join(part if isinstance(part, str) else part.words for part in parts))
        sentence.parts = parts
        return sentence


class Cell(str):
    """A cell of a table with parts that a format can show separately; a cell of one part is a plain string.

    Attributes
    ----------
    text
        The words or the number that the cell is about.
    mark
        Signs after the text, such as letters of a compact letter display.
    beside
        An addition in parentheses or small print, such as an interval.
    note
        The last part, such as the number of questions.
    bold
        Whether it is the best of its row, or what a test supports.
    shade
        How dark the cell is: "", `faint`, `light`, `deep` or `deepest`, after `minus` for the second run of a pair.
    drawn
        The content as a small SVG; "" without one.

    Examples
    --------
    >>> Cell("0.820", mark="a", beside="0.70 to 0.94", note="n = 5")
    '0.820 a (0.70 to 0.94) n = 5'
    """

    text: str
    mark: str
    beside: str
    note: str
    bold: bool
    shade: str
    drawn: str

    def __new__(
        cls,
        text: str,
        beside: str = "",
        *,
        mark: str = "",
        note: str = "",
        bold: bool = False,
        shade: str = "",
        drawn: str = "",
    ) -> Cell:
        """Join the parts and keep them."""
        cell = super().__new__(cls, f"{text}{_after(mark, beside, note)}")
        cell.text, cell.mark, cell.beside, cell.note = text, mark, beside, note
        cell.bold, cell.shade, cell.drawn = bold, shade, drawn
        return cell

    @property
    def after(self) -> str:
        """The mark, the parentheses and the note."""
        return _after(self.mark, self.beside, self.note).lstrip()


def _after(mark: str, beside: str, note: str) -> str:
    return "".join(f" {part}" for part in (mark, f"({beside})" if beside else "", note) if part)


class Heading(NamedTuple):
    """A heading: of a section (level 2), with its name and a short form for links, or inside one (level 3)."""

    text: str
    name: str = ""
    short: str = ""
    level: Literal[2, 3] = 2


class Sentences(NamedTuple):
    """Finished sentences.

    Attributes
    ----------
    kind
        `lead`: the decision, shown first; `words`: a paragraph for each; `list`: a list; `steps`: a numbered list.
    title
        Words before them; "" without a title.
    first
        The number of sentences that a format shows if it can fold the others; None: all.
    only
        `page`: for a page, which folds, colours and searches; `flat`: for all other formats; "": for all.
    """

    sentences: Sequence[str]
    kind: Literal["lead", "words", "list", "steps"] = "list"
    title: str = ""
    first: int | None = None
    only: Literal["", "page", "flat"] = ""


class Figure(NamedTuple):
    """A drawing.

    Attributes
    ----------
    name
        Its name, unique in the report; also the name of its file.
    caption
        What it shows.
    svg
        A drawing of `figures/svg.py`, as wide as its place.
    """

    name: str
    caption: str
    svg: str


class Questions(NamedTuple):
    """The questions with the answers of each run and the verdicts on them.

    Attributes
    ----------
    questions
        The questions of a searchable page; other formats list those on which the runs differ most.
    primary
        The metric whose values the headings have.
    asked
        Whether there are answers of run folders, not only values.
    about_hits
        Whether the report is about hits.
    """

    questions: Sequence[Question]
    primary: str
    asked: bool
    about_hits: bool

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(line(side.run) for side in self.questions[0].sides) if self.questions else ()


Block = Heading | Sentences | Table | Figure | Questions


def opening(
    decision: str,
    figure: Figure | None = None,
    shown: str = "",
    unshown: str = "",
    tested: Sequence[str] = (),
    notes: Sequence[str] = (),
    labels: str = "",
) -> Iterator[Block]:
    """Yield the opening of a report about an experiment.

    Parameters
    ----------
    decision, figure
        The decision in a sentence, and the figure of the effect on which it rests.
    shown, unshown
        What the data show, and what they do not show; "" without.
    tested
        The results of the tests.
    notes
        Cautions to read before trusting the result, the gravest first.
    labels
        What short names stand for; "" if nothing is shortened.
    """
    yield Sentences((decision,), "lead")
    if labels:
        yield Sentences((labels,), "words")
    if figure:
        yield figure
    for title, sentence in ((say("Shown"), shown), (say("Not shown"), unshown)):
        if sentence:
            yield Sentences((sentence,), "words", title)
    if tested:
        yield Sentences(tested, title=say("What the tests say"), first=0)
    if notes:
        yield Sentences(notes, title=say("Before you trust it"), first=2)


def is_section(block: Block) -> bool:
    """Return whether a section begins with this block."""
    return isinstance(block, Heading) and block.level == 2


def flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks for a format that cannot fold."""
    for block in blocks:
        only_for_pages = (
            block.only == "page" if isinstance(block, Sentences) else isinstance(block, Table) and block.depth > 1
        )
        if not only_for_pages:
            yield block


def without_questions(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks for a printed format: flat blocks without the section of questions and answers."""
    yield from without_sections(flat(blocks), (QUESTIONS,))


def on_paper(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks for pages of paper: flat blocks without the questions, whose long lists go on at the end.

    A list that a page folds, such as that of the cautions, shows its first sentences in its place, so that the results
    come soon; the others stand in a section of their own after everything else.
    """
    later: list[Block] = []
    for block in without_questions(blocks):
        if not isinstance(block, Sentences) or block.first is None or len(block.sentences) <= _MOST_ON_PAPER:
            yield block
            continue
        place = max(block.first, _FIRST_ON_PAPER)
        shown, others = block.sentences[:place], block.sentences[place:]
        title = say("{title}, continued", title=block.title)
        more = say("{n} more stand at the end: {title}.", n=integer(len(others)), title=title)
        yield block._replace(sentences=(*shown, more))
        later += [Heading(title), block._replace(sentences=others, title="", first=None)]
    yield from later


def without_sections(blocks: Iterable[Block], names: Collection[str]) -> Iterator[Block]:
    """Yield the blocks that are not in a section with one of these names."""
    left_out = False
    for block in blocks:
        if isinstance(block, Heading) and is_section(block):
            left_out = block.name in names
        if not left_out:
            yield block


@dataclass(frozen=True)
class Document(Savable):
    """A report of any kind: a title, its blocks in their order, and the language in which it is written.

    Attributes
    ----------
    data
        Name → rows of unrounded numbers and whole names, which formats for programs (CSV, JSON, a folder) write in
        place of the tables.  {}: they write the cells of the tables.
    facts
        Name → value of what a program asks of the whole report, such as an outcome; JSON writes them beside the title.

    Raises
    ------
    ValueError
        If a row of a table has more or fewer cells than there are headings: values would stand under wrong headings.

    Examples
    --------
    >>> Document("Search", (Table(["run", "nDCG", "RR"], [["bm25", "0.5"]], name="metrics"),))
    Traceback (most recent call last):
    ValueError: row 1 of the table 'metrics' has 2 cells for 3 headings: run, nDCG, RR
    """

    title: str
    blocks: tuple[Block, ...]
    language: str = "en"
    data: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the tables.  A table without headings is a list of facts, whose first row sets the width."""
        for table in self.tables:
            headings = table.columns or (table.rows[0] if table.rows else ())
            for place, row in enumerate(table.rows, start=1):
                if len(row) != len(headings):
                    raise ValueError(
                        f"row {place} of the table {(table.name or table.title)!r} has {len(row)} cells for "
                        f"{len(headings)} headings: {', '.join(headings)}"
                    )

    def without(self, *sections: str) -> Document:
        """Return the report without the sections that have these names."""
        return replace(self, blocks=tuple(without_sections(self.blocks, sections)))

    @property
    def tables(self) -> list[Table]:
        """Its tables."""
        return [block for block in self.blocks if isinstance(block, Table)]

    @property
    def figures(self) -> list[Figure]:
        """Its drawings."""
        return [block for block in self.blocks if isinstance(block, Figure)]
