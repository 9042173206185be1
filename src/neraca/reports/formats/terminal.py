"""Write blocks as plain text, for a terminal and for files that end in .txt."""

from __future__ import annotations

from neraca.plain_table import WIDTH, plain_table, wrap
from neraca.reports.blocks.block import Block, Document, Heading, Sentences, without_questions
from neraca.reports.formats.visible_text import visible
from neraca.result import Table
from neraca.translation import written_in


def to_text(document: Document, width: int = WIDTH) -> str:
    """Write a report as plain text, without the answers to single questions."""
    with written_in(document.language):
        parts = [
            _wrapped(document.title, width),
            *(_block(block, width) for block in without_questions(document.blocks)),
        ]
    return "\n\n".join(filter(None, parts)) + "\n"


def to_screen(document: Document, table_width: int, width: int) -> str:
    """Write a report as a command prints it: without headings, and with the decision last, where the reader looks.

    Parameters
    ----------
    document
        The report.
    table_width, width
        The most characters in a line of a table, and of a sentence; 0: no limit.
    """
    blocks = [block for block in without_questions(document.blocks) if isinstance(block, Table | Sentences)]
    lines: list[str] = []
    with written_in(document.language):
        for block in sorted(blocks, key=_is_decision):
            if isinstance(block, Table):
                lines.append(f"{_table(block, table_width)}\n")
            else:
                title = f"{block.title}: " if block.title else ""
                lines += [_wrapped(f"{title}{sentence}", width) for sentence in block.sentences]
    return "\n".join(lines) + "\n"


def _is_decision(block: Block) -> bool:
    return isinstance(block, Sentences) and block.kind == "lead"


def _block(block: Block, width: int) -> str:
    match block:
        case Heading():
            underline = "=" if block.level == 2 else "-"
            text = _wrapped(block.text, width)
            return f"{text}\n{underline * max(map(len, text.splitlines()), default=0)}"
        case Sentences():
            mark = "- " if block.kind in ("list", "steps") else ""
            title = [_wrapped(f"{block.title}:", width)] if block.title else []
            return "\n".join([*title, *(_wrapped(f"{mark}{sentence}", width) for sentence in block.sentences)])
        case Table():
            return _table(block, width)
        case _:
            return ""


def _table(table: Table, width: int) -> str:
    title = [_wrapped(table.title, width)] if table.title else []
    if not table.columns:
        return "\n".join([*title, *(_wrapped(f"- {name}: {value}", width) for name, value in table.rows)])
    rows = [[visible(" ".join(cell.split())) for cell in row] for row in table.rows]
    return "\n".join([*title, plain_table(list(table.columns), rows, table.names, width)])


def _wrapped(text: str, width: int) -> str:
    line = visible(" ".join(text.split()))
    return "\n".join(wrap(line, width, ends=" ")) if width else line
