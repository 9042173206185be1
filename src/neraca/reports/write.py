"""Writing a report to a file, in the format of its suffix."""

from __future__ import annotations

from pathlib import Path

from neraca.errors import SpecError
from neraca.files import write_atomic
from neraca.reports.html import to_html
from neraca.reports.markdown import to_markdown
from neraca.reports.report import Report

WRITERS = {".html": to_html, ".htm": to_html, ".md": to_markdown}


def write_report(path: Path | str, report: Report) -> None:
    """Write a report whole or not at all, as the file's suffix says (.html, .htm, .md).

    Raises
    ------
    SpecError
        For another suffix.
    """
    path = Path(path)
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise SpecError(f"{path}: cannot tell the format; let the file's name end in {', '.join(WRITERS)}")
    write_atomic(path, writer(report).encode())
