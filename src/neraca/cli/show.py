"""Print tables and sentences for people, JSON Lines for programs, and progress on stderr."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from neraca.number_format import number, span
from neraca.plain_table import WIDTH, plain_table, wrap

if TYPE_CHECKING:
    from neraca.concurrency import Progress
    from neraca.result import Table

__all__ = ["fold", "jsonl", "number", "progress", "result", "say", "screen_width", "span", "table"]


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
    from neraca.reports.formats.escape import visible

    shown = [[visible(" ".join(cell.splitlines())) for cell in row] for row in rows]
    heading = [*fold(title, screen_width()), ""] if title else []
    print("\n".join([*heading, plain_table(columns, shown, names, 0 if wide else screen_width()), ""]))


def result(table_of: Table, title: str, *, wide: bool = False) -> None:
    """Print the table of a result under its own title, or under this title if it has none."""
    table(table_of.title or title, table_of.columns, table_of.rows, names=table_of.names, wide=wide)


def say(*sentences: str) -> None:
    """Print sentences; on a terminal wrap them between words."""
    for sentence in sentences:
        print("\n".join(fold(sentence, screen_width() if sys.stdout.isatty() else 0)))


def fold(text: str, width: int) -> list[str]:
    """Return the lines of a text, wrapped at a width (0: not wrapped), with control characters replaced."""
    from neraca.reports.formats.escape import visible

    lines = visible(text).split("\n")
    return [part for line in lines for part in (wrap(line, width, ends=" ") if width else [line])]


def screen_width() -> int:
    """Return the number of characters in a line: from COLUMNS, else the terminal, else a usual width."""
    return shutil.get_terminal_size((WIDTH, 24)).columns


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """Show a progress bar on stderr, or a plain line for each tenth if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield _plain(title)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=None, note="")
        yield lambda done, total, note: bar.update(task, completed=done, total=total, note=note)


def _plain(title: str) -> Progress:
    last_tenth = -1

    def tell(done: int, total: int, note: str) -> None:
        nonlocal last_tenth
        tenth = done * 10 // total if total else 10
        if tenth != last_tenth:
            last_tenth = tenth
            print(f"{title}: {done}/{total}{f' ({note})' if note else ''}", file=sys.stderr)

    return tell
