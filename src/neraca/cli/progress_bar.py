"""The progress of long work on stderr: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neraca.concurrency import Progress


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Show a progress bar on stderr, or a plain line for each tenth if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield _plain_lines(title)
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


def _plain_lines(title: str) -> Progress:
    last_tenth = -1

    def print_tenth(done: int, total: int, note: str) -> None:
        nonlocal last_tenth
        tenth = done * 10 // total if total else 10
        if tenth != last_tenth:
            last_tenth = tenth
            print(f"{title}: {done}/{total}{f' ({note})' if note else ''}", file=sys.stderr)

    return print_tenth
