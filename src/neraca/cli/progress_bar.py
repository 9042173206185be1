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
        lines = _PlainLines(title)
        try:
            yield lines.show
        finally:
            lines.finish()
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


class _PlainLines:
    """Prints a line for each tenth, and the last line if it was not printed yet."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._last_tenth = -1
        self._unprinted = ""

    def show(self, done: int, total: int, note: str) -> None:
        self._unprinted = f"{self._title}: {done}/{total}{f' ({note})' if note else ''}"
        tenth = done * 10 // total if total else 10
        if tenth != self._last_tenth:
            self._last_tenth = tenth
            self.finish()

    def finish(self) -> None:
        """Print the last line."""
        if self._unprinted:
            print(self._unprinted, file=sys.stderr)
        self._unprinted = ""
