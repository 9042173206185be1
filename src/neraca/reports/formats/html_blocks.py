"""Draw blocks as parts of an HTML page: headings, sentences, tables and figures, with every text escaped."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from neraca.counts_and_lists import count
from neraca.reports.blocks.block import Block, Figure, Heading, Questions, Sentences
from neraca.reports.formats.html_table import draw_facts, draw_table
from neraca.reports.formats.html_text import draw_prose, draw_sentence, draw_text
from neraca.result import Table


@dataclass(frozen=True)
class Section:
    """A section of a page: its heading, and its content as HTML."""

    heading: Heading
    html: str


@dataclass(frozen=True)
class Drawer:
    """Draws blocks.

    Attributes
    ----------
    numbers
        Numbers of the questions on the page, to which the ids of questions can link.
    questions
        Draws the questions.
    """

    numbers: Container[int] = ()
    questions: Callable[[Questions], str] = field(default=lambda block: "")

    def draw(self, blocks: Sequence[Block], name: str) -> str:
        """Draw the blocks of a section; adjacent figures share a row, and `name` begins the names of the parts."""
        parts: list[str] = []
        place = 0
        for kind, group in groupby(blocks, key=type):
            if kind is Figure and len(figures := list(group)) > 1:
                row_html = "\n".join(draw_figure(figure, "bars") for figure in figures if isinstance(figure, Figure))
                parts.append(f'<div class="plots two">\n{row_html}\n</div>')
                continue
            for block in figures if kind is Figure else group:
                place += 1
                parts.append(self._block(block, f"{name}-{place}"))
        return "\n".join(filter(None, parts))

    def _block(self, block: Block, name: str) -> str:
        match block:
            case Heading():
                return f'<h3 dir="auto">{draw_text(block.text)}</h3>'
            case Sentences():
                return "" if block.only == "flat" else self._sentences(block)
            case Table():
                return self._table(block, name)
            case Figure():
                return draw_figure(block, "wide")
            case Questions():
                return self.questions(block)

    def _table(self, table: Table, name: str) -> str:
        html = draw_table(table, name, self.numbers) if table.columns else draw_facts(table)
        return folded(table.title, html) if table.depth else html

    def _sentences(self, block: Sentences) -> str:
        title = f"<h3>{draw_prose(block.title)}</h3>\n" if block.title else ""
        if block.kind == "steps":
            return f'<ol class="steps">\n{self._items(block.sentences)}\n</ol>'
        if block.kind != "list":
            css = ' class="lead"' if block.kind == "lead" else ""
            paragraphs = (draw_sentence(sentence, self.numbers, draw_prose) for sentence in block.sentences)
            return title + "\n".join(f"<p{css}>{paragraph}</p>" for paragraph in paragraphs)
        if block.first is None or len(block.sentences) <= block.first:
            return title + self._list(block.sentences)
        if not block.first:
            return folded(block.title, self._list(block.sentences))
        folded_sentences = block.sentences[block.first :]
        more = folded(count(len(folded_sentences), "more caution"), self._list(folded_sentences))
        return f"{title}{self._list(block.sentences[: block.first])}\n{more}"

    def _list(self, sentences: Sequence[str]) -> str:
        return f'<ul class="said">\n{self._items(sentences)}\n</ul>' if sentences else ""

    def _items(self, sentences: Iterable[str]) -> str:
        return "\n".join(f"<li>{draw_sentence(sentence, self.numbers, draw_prose)}" for sentence in sentences)


def folded(title: str, html: str) -> str:
    """Fold a part of a page behind its title."""
    return f'<details class="more fold"><summary>{draw_prose(title)}</summary>\n{html}\n</details>'


def draw_figure(figure: Figure, kind: str = "") -> str:
    """Draw a figure below its caption."""
    css = f"plot {kind}".rstrip()
    return f'<figure class="{css}"><figcaption>{draw_prose(figure.caption)}</figcaption>\n{figure.svg}\n</figure>'


def draw_opening(drawer: Drawer, blocks: Sequence[Block]) -> str:
    """Draw the opening: the decision, figures beside sentences and cautions, tables, then what the tests say."""
    lead = [block for block in blocks if isinstance(block, Sentences) and block.kind in ("lead", "steps")]
    figures = [block for block in blocks if isinstance(block, Figure)]
    tests = [block for block in blocks if isinstance(block, Sentences) and block.first == 0]
    tables = [block for block in blocks if isinstance(block, Table) and block.columns]
    side_blocks = [block for block in blocks if block not in (*lead, *figures, *tests, *tables)]
    parts = [drawer.draw(lead, "lead")]
    if figures or side_blocks:
        figures_html = "\n".join(map(draw_figure, figures))
        parts.append(
            f'<div class="first">\n{figures_html}\n<div>\n{drawer.draw(side_blocks, "beside")}\n</div>\n</div>'
        )
    return "\n".join([*parts, drawer.draw(tables, "tables"), drawer.draw(tests, "last")]).rstrip()


def sections(drawer: Drawer, blocks: Sequence[Block]) -> Iterator[Section]:
    """Draw the content below each heading of a section."""
    headings = [(place, block) for place, block in enumerate(blocks) if isinstance(block, Heading) and block.level == 2]
    ends = [*(place for place, _ in headings[1:]), len(blocks)]
    for (start, heading), end in zip(headings, ends, strict=True):
        yield Section(heading, drawer.draw(blocks[start + 1 : end], heading.name))
