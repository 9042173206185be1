"""Writing a report to a file, in the format of its suffix, or its tables into a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from neraca.errors import SpecError
from neraca.files import write_atomic
from neraca.reports.data_export import write_csv, write_folder, write_workbook
from neraca.reports.full_answers import to_text
from neraca.reports.html import to_html
from neraca.reports.latex import to_latex
from neraca.reports.markdown import to_markdown
from neraca.reports.report import Report
from neraca.reports.word import to_word

#: Formats that are one text or one document, and those that are tables of numbers.
PAGES: dict[str, Callable[[Report], str | bytes]] = {
    ".html": to_html,
    ".htm": to_html,
    ".md": to_markdown,
    ".tex": to_latex,
    ".docx": to_word,
    ".txt": to_text,
}
TABLES: dict[str, Callable[[Path, Report], None]] = {".xlsx": write_workbook, ".csv": write_csv}


def write_report(path: Path | str, report: Report) -> None:
    """Write a report whole or not at all, as the file's suffix says (.html, .md, .tex, .docx, .txt, .xlsx, .csv).

    A path without a suffix, and a folder, get every table as a CSV file.

    Raises
    ------
    SpecError
        For another suffix.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if not suffix or path.is_dir():
        write_folder(path, report)
    elif suffix in TABLES:
        TABLES[suffix](path, report)
    elif suffix in PAGES:
        written = PAGES[suffix](report)
        write_atomic(path, written.encode() if isinstance(written, str) else written)
    else:
        known = ", ".join((*PAGES, *TABLES))
        raise SpecError(
            f"{path}: cannot tell the format; let the file's name end in {known}, or have no ending: a folder of tables"
        )
