"""What commands print: tables for people, JSON Lines for machines, progress on stderr."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neraca.concurrency import Progress


def jsonl(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows as JSON Lines; NaN and infinite numbers become null."""
    import msgspec

    for row in rows:
        print(msgspec.json.encode({key: _finite(value) for key, value in row.items()}).decode())


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> None:
    """Print a table; the first column stands left, the others right.  Nothing is cut where output is no terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from neraca.reports.escape import visible

    console = Console(highlight=False, width=None if sys.stdout.isatty() else 240)
    drawn = Table(title=Text(visible(title)), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(columns):
        drawn.add_column(Text(name), justify="left" if place == 0 else "right", overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(visible(cell)) for cell in row))
    console.print(drawn)
    if note:
        console.print(Text(note))


def number(value: float | None, digits: int = 3) -> str:
    """A number for a table; a dash where there is none."""
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def bounds(low: float, high: float, digits: int = 3) -> str:
    """An interval for a table; empty where there is none."""
    return "" if math.isnan(low) or math.isnan(high) else f"[{low:.{digits}f}, {high:.{digits}f}]"


@contextmanager
def progress(title: str) -> Iterator[Progress]:
    """A bar on stderr, or a plain line for each tenth where stderr is no terminal."""
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
