"""Print tables and sentences for people, and JSON Lines for programs."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from neraca.number_format import number, span
from neraca.plain_table import WIDTH, plain_table, wrap

if TYPE_CHECKING:
    from neraca.reports.blocks.block import Document
    from neraca.reports.sentences.parts import Finding
    from neraca.result import Table
    from neraca.runs.run import Run

__all__ = [
    "document",
    "jsonl",
    "labelled",
    "number",
    "print_finding",
    "print_sentences",
    "result",
    "screen_width",
    "span",
    "table",
    "unanswered",
    "wrap_lines",
]


def jsonl(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows as JSON Lines; NaN and infinite numbers become null."""
    import msgspec

    for row in rows:
        print(msgspec.json.encode({key: _finite(value) for key, value in row.items()}).decode())


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, names: int = 1, wide: bool = False
) -> None:
    """Print a table, in several parts if it is wider than the screen; the first `names` columns name the rows.

    With `wide` each row is one line, however long.
    """
    from neraca.reports.formats.visible_text import visible

    cells = [[visible(" ".join(cell.splitlines())) for cell in row] for row in rows]
    heading = [*wrap_lines(title, screen_width()), ""] if title else []
    print("\n".join([*heading, plain_table(columns, cells, names, 0 if wide else screen_width()), ""]))


def result(table_of: Table, title: str, *, wide: bool = False) -> None:
    """Print the table of a result under its own title, or under this title if it has none."""
    table(table_of.title or title, table_of.columns, table_of.rows, names=table_of.names, wide=wide)


def labelled(table_of: Table, *, wide: bool = False) -> None:
    """Print the table of a result whose title and headings are words, in the language of the report."""
    from neraca.translation import say, say_all

    headings = say_all(*table_of.columns)
    rows = table_of.rows[: table_of.most]
    table(say(table_of.title), headings, rows, names=table_of.names, wide=wide)


def print_sentences(*sentences: str) -> None:
    """Print sentences; on a terminal wrap them between words."""
    for sentence in sentences:
        print("\n".join(wrap_lines(sentence, screen_width() if sys.stdout.isatty() else 0)))


def print_finding(finding: Finding, *, wide: bool = False) -> None:
    """Print what the tests say: of many runs a table of who is better than whom, then the sentences."""
    if finding.standings:
        result(finding.standings, "", wide=wide)
    print_sentences(finding.headline, *finding.details)


def unanswered(runs: Iterable[Run]) -> list[str]:
    """Return sentences on questions whose answer failed and why, and one on questions that were not asked."""
    from neraca.counts_and_lists import count, form
    from neraca.runs.alike_failures import commonest_failure
    from neraca.translation import say

    runs = list(runs)
    missing = sum(run.missing() for run in runs)
    failed = sum(run.unanswered() for run in runs) - missing
    lines = []
    if failed:
        questions, them = count(failed, "question has", "questions have"), form(failed, "it", "them")
        lines.append(say("{questions} no answer; --retry-failed asks {them} again", questions=questions, them=them))
        error, n = commonest_failure(answer for run in runs for answer in run.answers().values())
        lines.append(say("the commonest reason ({n} of {failed}): {error}", n=n, failed=failed, error=error))
    if missing:
        lines.append(
            say(
                "{questions} not asked, and {counts} for nothing; start again to ask {them}",
                questions=count(missing, "question was", "questions were"),
                counts=form(missing, "counts", "count"),
                them=form(missing, "it", "them"),
            )
        )
    return lines


def document(report: Document, *, wide: bool = False) -> None:
    """Print a report: its tables and sentences, the decision last."""
    from neraca.reports.formats.terminal import to_screen

    width = screen_width()
    print(to_screen(report, 0 if wide else width, width if sys.stdout.isatty() else 0), end="")


def wrap_lines(text: str, width: int) -> list[str]:
    """Return the lines of a text, wrapped at a width (0: not wrapped), with control characters replaced."""
    from neraca.reports.formats.visible_text import visible

    lines = visible(text).split("\n")
    return [part for line in lines for part in (wrap(line, width, ends=" ") if width else [line])]


def screen_width() -> int:
    """Return the number of characters in a line: from COLUMNS, else the terminal, else a usual width."""
    return shutil.get_terminal_size((WIDTH, 24)).columns
